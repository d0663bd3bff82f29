//! What went wrong, as a value that supervisors, watchers and events share (rule S6).

use std::any::Any;
use std::error::Error as StdError;
use std::fmt;

use crate::context::SpawnError;
use crate::last::{drop_last, drop_quietly};
use crate::place::Path;
use crate::sync::Arc;

/// Any error that can be sent to another thread.
///
/// As the error of an actor or a task it takes every other by `?`. It is open: deciders, [`Failure::error`] and
/// [`Failure::find`] see the error in the box.
///
/// ```
/// use supervise::{BoxError, prelude::*};
///
/// struct Parser;
///
/// #[actor]
/// impl Parser {
///     fn handle(&mut self, line: &'static str) -> Result<(), BoxError> {
///         let number: u32 = line.parse()?; // a `ParseIntError`
///         if number == 0 {
///             return Err("zero".into());
///         }
///         Ok(())
///     }
/// }
///
/// supervisor! {
///     struct App {
///         #![decider(_: std::num::ParseIntError => Stop, _ => Restart)]
///         parser: Parser = Parser,
///         other: Parser = Parser,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = App::start().await?;
/// app.parser.tell("0").await?; // restarted
/// app.parser.tell("x").await?; // stopped
/// assert!(matches!(app.parser.terminated().await?, Ended::Failed(_)));
/// assert_eq!(app.parser.incarnation(), 2);
/// # Ok(())
/// # }
/// ```
pub type BoxError = Box<dyn StdError + Send + Sync + 'static>;

/// An error as it was thrown.
///
/// Start expressions, `let`s, tasks and handlers all fail with one of these. It is made by `?` from
/// everything that is `Into<Box<dyn Error + Send + Sync>>`: error types, boxed errors, `String`, `&str`.
/// The value is kept as it came, so that a decider finds the very type that was thrown
/// ([`Failure::error`]).
///
/// Like `anyhow::Error` it is not itself an [`std::error::Error`]; that is what makes `?` work on all
/// the others. [`Thrown::as_error`] gives a reference that is one.
///
/// Boxed errors are open: what is looked for is the error in the box. With the feature `anyhow` so is an
/// `anyhow::Error`, contexts included.
///
/// ```
/// use std::fmt;
/// use supervise::Thrown;
///
/// fn open() -> Result<(), Thrown> {
///     Err(fmt::Error)? // whatever it is
/// }
///
/// let thrown = open().unwrap_err();
/// assert!(thrown.get::<fmt::Error>().is_some());
/// assert_eq!(thrown.as_error().to_string(), fmt::Error.to_string());
/// ```
pub struct Thrown(Kind);

enum Kind {
    Error(BoxError),
    /// As a box it could not be looked into any more.
    #[cfg(feature = "anyhow")]
    Anyhow(anyhow::Error),
}

impl<E: Into<BoxError> + Send + 'static> From<E> for Thrown {
    fn from(error: E) -> Self {
        #[cfg(feature = "anyhow")]
        let error = {
            let mut slot = Some(error);
            if let Some(anyhow) = (&mut slot as &mut dyn Any).downcast_mut::<Option<anyhow::Error>>()
                && let Some(error) = anyhow.take()
            {
                return Thrown(Kind::Anyhow(error));
            }
            match slot {
                Some(error) => error,
                None => unreachable!("only an `anyhow::Error` is taken"),
            }
        };
        Thrown(Kind::Error(error.into()))
    }
}

impl Thrown {
    /// The error behind it.
    pub fn as_error(&self) -> &(dyn StdError + Send + Sync + 'static) {
        match &self.0 {
            Kind::Error(error) => &**error,
            #[cfg(feature = "anyhow")]
            Kind::Anyhow(error) => &**error,
        }
    }

    /// The error if it is exactly an `E`; of an `anyhow::Error` the error inside, or a context that is an `E`.
    pub fn get<E: StdError + Send + Sync + 'static>(&self) -> Option<&E> {
        match &self.0 {
            Kind::Error(error) => error.downcast_ref(),
            #[cfg(feature = "anyhow")]
            Kind::Anyhow(error) => error.downcast_ref().or_else(|| {
                // `anyhow::Error::from_boxed`
                error.downcast_ref::<BoxError>()?.downcast_ref()
            }),
        }
    }

    /// The first `E` along the chain of sources, the error itself included. A [`Failure`] or a
    /// [`SpawnError`](crate::SpawnError) in the chain is looked into by [`Failure::find`].
    pub fn find<E: StdError + Send + Sync + 'static>(&self) -> Option<&E> {
        if let Some(found) = self.get() {
            return Some(found);
        }
        let mut next: Option<&(dyn StdError + 'static)> = Some(self.as_error());
        while let Some(error) = next {
            if let Some(found) = error.downcast_ref().or_else(|| inside(error)) {
                return Some(found);
            }
            next = error.source();
        }
        None
    }

    /// What the start of an optional child gives where there is none (S28).
    pub(crate) fn absent() -> Self {
        Thrown::from(Absent)
    }

    pub(crate) fn is_absent(&self) -> bool {
        self.get::<Absent>().is_some()
    }

    /// A tree's start fails with the failure of its child: unwrapped, it keeps its origin.
    pub(crate) fn into_failure(self) -> Result<Failure, Thrown> {
        match self.0 {
            Kind::Error(error) => match error.downcast::<Failure>() {
                Ok(failure) => Ok(*failure),
                Err(other) => Err(Thrown(Kind::Error(other))),
            },
            #[cfg(feature = "anyhow")]
            Kind::Anyhow(error) => error.downcast().map_err(|other| Thrown(Kind::Anyhow(other))),
        }
    }
}

/// The errors of this crate show by their own text what is in them, so that is not their source.
fn inside<'a, E: StdError + Send + Sync + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a E> {
    let failure = match error.downcast_ref::<SpawnError>() {
        Some(SpawnError::Start(failure)) => failure,
        Some(SpawnError::InvalidSettings { what, .. }) => return (what as &dyn Any).downcast_ref(),
        _ => return error.downcast_ref::<Failure>()?.find(),
    };
    (failure as &dyn Any).downcast_ref().or_else(|| failure.find())
}

/// No failure: an optional child is not there.
#[derive(Debug, thiserror::Error)]
#[error("an optional child that is not there")]
struct Absent;

impl fmt::Debug for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_error(), f)
    }
}

/// The error and its sources, each once: many an error has the text of its source in its own.
impl fmt::Display for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = self.as_error();
        let Some(source) = error.source() else { return fmt::Display::fmt(error, f) };
        let mut text = error.to_string();
        let mut next = Some(source);
        while let Some(source) = next {
            let inner = source.to_string();
            if !text.contains(&inner) {
                text.push_str(": ");
                text.push_str(&inner);
            }
            next = source.source();
        }
        f.write_str(&text)
    }
}

/// When in its life the child failed (rule S6).
///
/// It is the phase of the child that is decided on, and an arm of a decider can name it:
///
/// ```
/// use std::io;
/// use supervise::prelude::*;
///
/// struct Db;
///
/// #[actor]
/// impl Db {
///     async fn open(first: bool) -> io::Result<Db> {
///         if first { Ok(Db) } else { Err(io::ErrorKind::NotFound.into()) }
///     }
///
///     fn handle(&mut self, _msg: ()) -> io::Result<()> {
///         Err(io::ErrorKind::BrokenPipe.into())
///     }
/// }
///
/// supervisor! {
///     struct Shop(starts: std::sync::Arc<std::sync::atomic::AtomicU32>) {
///         #![decider(
///             Phase::Running => Restart,
///             Phase::Start | Phase::Restart => Stop, // who does not come up again is broken for good
///         )]
///         db: Db = Db::open(starts.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0).await?,
///         other: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start(Default::default()).await?;
/// shop.db.tell(()).await?;
/// let ended = shop.db.terminated().await?;
/// assert_eq!(ended.failure().map(Failure::phase), Some(Phase::Restart));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Before the child was up for the first time.
    Start,
    /// While it was up.
    Running,
    /// While it was started again.
    Restart,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Start => "while starting",
            Phase::Running => "while running",
            Phase::Restart => "while restarting",
        })
    }
}

/// What made the child fail (rule S6).
///
/// An arm of a decider can name it, as it can name an error type:
///
/// ```
/// use supervise::prelude::*;
///
/// struct Db;
///
/// #[actor]
/// impl Db {
///     fn handle(&mut self, query: &'static str) {
///         assert!(query != "", "an empty query");
///     }
/// }
///
/// supervisor! {
///     struct Shop {
///         #![decider(
///             Cause::Panic(text) if text.contains("empty") => Resume,
///             Cause::Killed => Restart, // without this arm it stops
///             _ => Stop,
///         )]
///         db: Db = Db,
///         other: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// let mut events = shop.events();
/// shop.db.tell("").await?; // panics
/// let failed = events.next().await.expect("an event")?;
/// assert!(failed.to_string().ends_with("panicked: an empty query"));
///
/// shop.db.tell("select").await?;
/// assert_eq!(shop.db.incarnation(), 1); // resumed
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Cause {
    /// A start expression, handler, hook or task returned this error.
    Error(Thrown),
    /// User code panicked; the text of the panic.
    Panic(String),
    /// Somebody called `kill()`.
    Killed,
    /// An actor that this one depends on ended ([`Context::depend_on`](crate::Context::depend_on)).
    DeathPact(String),
    /// The start took longer than its time.
    TimedOut,
    /// A `Permanent` child ended though nobody had asked it to (rule S23).
    EndedByItself,
    /// The restart budget of a child or group was used up (rule S15); the last failure is the source.
    LimitReached,
    /// Somebody called `restart()`; never decided on (rule S26).
    Requested,
    /// The code of this library panicked while it ran the child; the text of the panic. No decider is asked, the
    /// supervisor fails with it (rule S19). Please report it.
    Bug(String),
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Error(error) => error.fmt(f),
            Cause::Panic(text) => write!(f, "panicked: {text}"),
            Cause::Killed => f.write_str("killed"),
            Cause::DeathPact(path) => write!(f, "ended with {path}, which it depends on"),
            Cause::TimedOut => f.write_str("the start took too long"),
            Cause::EndedByItself => f.write_str("ended by itself"),
            Cause::LimitReached => f.write_str("restarted too often"),
            Cause::Requested => f.write_str("restart requested"),
            Cause::Bug(text) => write!(f, "a bug in supervise itself, please report it: {text}"),
        }
    }
}

/// A failure of a child: the phase, the cause, and where it came from (rule S6).
///
/// Cheap to clone; all clones are the same failure. An escalated failure keeps its cause, path and
/// incarnation and takes the phase of the supervisor that escalates.
///
/// One that came of the attempt to heal another (a restart that failed, a first start that was tried again) leads to
/// it by [`before`](Failure::before), and so on to the first; [`find`](Failure::find) looks along all of them. Of many the
/// latest three are kept, and the first.
///
/// Displayed it is one line that has the error with all its sources. Therefore, as an [`std::error::Error`], its source
/// is not the error that was thrown ([`error`](Failure::error) gives that) but the failure before it: whoever
/// prints a chain of errors sees everything once.
///
/// A decider gets it by reference; `decider! { .. }` writes such a function from arms.
///
/// ```
/// use std::io;
/// use supervise::prelude::*;
///
/// fn decide(failure: &Failure) -> Directive {
///     match failure.error::<io::Error>() {
///         Some(error) if error.kind() == io::ErrorKind::PermissionDenied => Directive::Stop,
///         _ => Directive::Restart,
///     }
/// }
///
/// struct Db;
///
/// #[actor]
/// impl Db {
///     fn handle(&mut self, kind: io::ErrorKind) -> io::Result<()> {
///         Err(kind.into())
///     }
/// }
///
/// supervisor! {
///     struct Shop {
///         #[decider(decide)]
///         db: Db = Db,
///         other: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// shop.db.tell(io::ErrorKind::TimedOut).await?; // restarted
/// shop.db.tell(io::ErrorKind::PermissionDenied).await?; // stopped
/// let Ended::Failed(failure) = shop.db.terminated().await? else { panic!("it has failed") };
/// assert_eq!(failure.to_string(), "db failed while running: permission denied");
/// assert_eq!((failure.path(), failure.incarnation(), failure.phase()), ("db", 2, Phase::Running));
/// assert!(failure.find::<io::Error>().is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Failure {
    phase: Phase,
    inner: Arc<Inner>,
    /// Not in what clones in other phases share: an escalated failure may come behind another one there.
    before: Option<Arc<Before>>,
}

struct Inner {
    cause: Cause,
    path: Path,
    incarnation: u32,
}

/// The failure before one.
struct Before {
    failure: Failure,
    /// So many between the two are not kept.
    left_out: u64,
}

/// So many failures before one are kept: a child whose start is tried for weeks must not keep them all.
const KEPT: usize = 4;

impl Drop for Inner {
    fn drop(&mut self) {
        if let Cause::Error(_) = self.cause {
            drop_last(std::mem::replace(&mut self.cause, Cause::Killed)); // the error is the user's
        }
    }
}

impl Failure {
    pub(crate) fn new(phase: Phase, cause: Cause, path: impl Into<Path>, incarnation: u32) -> Self {
        Failure { phase, inner: Arc::new(Inner { cause, path: path.into(), incarnation }), before: None }
    }

    /// The same failure, seen from a supervisor that failed with it.
    pub(crate) fn in_phase(mut self, phase: Phase) -> Self {
        self.phase = phase;
        self
    }

    /// The failure of a budget that is used up, with this one inside.
    pub(crate) fn at_limit(self) -> Self {
        let (path, incarnation) = (self.inner.path.clone(), self.inner.incarnation);
        Failure::new(self.phase, Cause::LimitReached, path, incarnation).after(&self)
    }

    /// The same failure, which came of the attempt to heal `earlier`.
    pub(crate) fn after(self, earlier: &Failure) -> Self {
        let mut chain: Vec<(Failure, u64)> = Vec::with_capacity(2 * (KEPT + 1));
        for (failure, left_out) in self.chain().chain(earlier.chain()) {
            // A supervisor and its child may have been healed of the same one.
            if !chain.iter().any(|(known, _)| Arc::ptr_eq(&known.inner, &failure.inner)) {
                chain.push((Failure { phase: failure.phase, inner: failure.inner.clone(), before: None }, left_out));
            }
        }
        while chain.len() > KEPT + 1 {
            let oldest = chain.len() - 2; // but for the first
            let (_, left_out) = chain.remove(oldest);
            chain[oldest].1 += left_out + 1;
        }
        let newer = |(failure, left_out): (Failure, u64), (mut next, before_it): (Failure, u64)| {
            next.before = Some(Arc::new(Before { failure, left_out }));
            (next, before_it)
        };
        chain.into_iter().rev().reduce(newer).map_or(self, |(failure, _)| failure)
    }

    /// This one, and those before it, with how many are left out in front of each.
    fn chain(&self) -> impl Iterator<Item = (&Failure, u64)> {
        let mut next = Some((self, 0));
        std::iter::from_fn(move || {
            let found = next?;
            next = found.0.before.as_ref().map(|before| (&before.failure, before.left_out));
            Some(found)
        })
    }

    /// The phase of the child that is decided on.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// What happened.
    pub fn cause(&self) -> &Cause {
        &self.inner.cause
    }

    /// The path of the child in which it happened, below the root: `reports/daily`.
    pub fn path(&self) -> &str {
        self.inner.path.as_str()
    }

    /// The incarnation of that child, counted from 1.
    pub fn incarnation(&self) -> u32 {
        self.inner.incarnation
    }

    /// The failure before this one: that a restart was to heal which failed itself, that of the try before, and with
    /// [`Cause::LimitReached`] the last one.
    ///
    /// ```
    /// use std::io::{Error, ErrorKind};
    /// use supervise::prelude::*;
    ///
    /// struct Db;
    ///
    /// #[actor]
    /// impl Db {
    ///     fn open(starts: &std::sync::atomic::AtomicU32) -> Result<Db, Error> {
    ///         match starts.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
    ///             0 => Ok(Db),
    ///             _ => Err(ErrorKind::NotFound.into()),
    ///         }
    ///     }
    ///
    ///     fn handle(&mut self, _: ()) -> Result<(), Error> {
    ///         Err(ErrorKind::BrokenPipe.into())
    ///     }
    /// }
    ///
    /// supervisor! {
    ///     struct Shop(starts: std::sync::Arc<std::sync::atomic::AtomicU32>) {
    ///         #![decider(Phase::Running => Restart, _ => Stop)]
    ///         db: Db = Db::open(&starts)?,
    ///         other: Db = Db,
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let shop = Shop::start(Default::default()).await?;
    /// shop.db.tell(()).await?; // fails, and so does its restart
    /// let Ended::Failed(failure) = shop.db.terminated().await? else { panic!("it has failed") };
    /// assert_eq!(failure.to_string(), "db failed while restarting: entity not found");
    /// let before = failure.before().expect("what the restart was for");
    /// assert_eq!(before.to_string(), "db failed while running: broken pipe");
    /// # Ok(())
    /// # }
    /// ```
    pub fn before(&self) -> Option<&Failure> {
        self.before.as_ref().map(|before| &before.failure)
    }

    /// How many failures between this one and the one [before](Failure::before) are not kept.
    pub fn left_out(&self) -> u64 {
        self.before.as_ref().map_or(0, |before| before.left_out)
    }

    /// The error if exactly an `E` was thrown (a boxed `E` too).
    pub fn error<E: StdError + Send + Sync + 'static>(&self) -> Option<&E> {
        match &self.inner.cause {
            Cause::Error(error) => error.get(),
            _ => None,
        }
    }

    /// The first `E` among the thrown error, its sources, and the failures before this one.
    pub fn find<E: StdError + Send + Sync + 'static>(&self) -> Option<&E> {
        self.chain().find_map(|(failure, _)| match &failure.inner.cause {
            Cause::Error(error) => error.find(),
            _ => None,
        })
    }

    /// What a decider's arm for `T` sees: the error, the [`Cause`] or the [`Phase`].
    pub fn get<T: Decides + ?Sized>(&self) -> Option<&T> {
        T::of(self)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Failure");
        shown
            .field("path", &self.inner.path)
            .field("phase", &self.phase)
            .field("cause", &self.inner.cause)
            .field("incarnation", &self.inner.incarnation);
        if let Some(before) = &self.before {
            shown.field("before", &before.failure);
            if before.left_out > 0 {
                shown.field("left_out", &before.left_out);
            }
        }
        shown.finish()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} failed {}", self.inner.path, self.what())
    }
}

impl Failure {
    /// Its text without its path: `while running: timed out`.
    fn what(&self) -> impl fmt::Display {
        fmt::from_fn(|f| {
            write!(f, "{}: {}", self.phase, self.inner.cause)?;
            // A limit alone says nothing.
            match (&self.inner.cause, self.before()) {
                (Cause::LimitReached, Some(last)) => write!(f, " (last: {last})"),
                _ => Ok(()),
            }
        })
    }

    /// Its text where the path of the reader's own is known already.
    pub(crate) fn at(&self, path: &str) -> impl fmt::Display {
        fmt::from_fn(move |f| match self.path() == path {
            true => write!(f, "failed {}", self.what()),
            false => write!(f, "{self}"),
        })
    }
}

impl StdError for Failure {
    /// The failure before it, or before the last one at a limit, which its own text shows.
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let mut shown = self;
        while let Cause::LimitReached = shown.cause() {
            shown = shown.before()?;
        }
        shown.before().map(|before| before as &(dyn StdError + 'static))
    }
}

/// What an arm of a decider can name: an error type, [`Cause`] or [`Phase`].
///
/// [`Failure::get`] asks in the same way:
///
/// ```
/// use std::io;
/// use supervise::{Cause, Failure, Phase};
///
/// fn tell(failure: &Failure) {
///     if let Some(error) = failure.get::<io::Error>() {
///         println!("{:?}", error.kind());
///     }
///     if let Some(Cause::TimedOut) = failure.get() {
///         println!("too slow");
///     }
///     assert_eq!(failure.get::<Phase>(), Some(&failure.phase()));
/// }
/// # use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { db: Db = Err(io::Error::from(io::ErrorKind::NotFound))? } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # tell(&Shop::start().await.unwrap_err());
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "a decider arm cannot name `{Self}`",
    label = "not an error type, `Cause` or `Phase`"
)]
pub trait Decides {
    /// The part of the failure that the arm matches on.
    fn of(failure: &Failure) -> Option<&Self>;
}

#[diagnostic::do_not_recommend]
impl<E: StdError + Send + Sync + 'static> Decides for E {
    fn of(failure: &Failure) -> Option<&E> {
        failure.error()
    }
}

impl Decides for Cause {
    fn of(failure: &Failure) -> Option<&Cause> {
        Some(failure.cause())
    }
}

impl Decides for Phase {
    fn of(failure: &Failure) -> Option<&Phase> {
        Some(&failure.phase)
    }
}

/// The text of a caught panic.
pub(crate) fn panic_text(payload: Box<dyn Any + Send>) -> String {
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().map_or_else(|| "(no text)".into(), |text| (*text).into());
            drop_quietly(payload);
            text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Counted {
        _alive: Arc<()>,
    }

    impl fmt::Display for Counted {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("counted")
        }
    }

    impl StdError for Counted {}

    /// S6: a start that is tried for weeks keeps so many errors and not more.
    #[test]
    fn a_row_of_any_length_keeps_the_same() {
        let (all, alive) = (300_000, Arc::new(()));
        let failed = |n: u32| {
            let cause = Cause::Error(Thrown::from(Counted { _alive: alive.clone() }));
            Failure::new(Phase::Restart, cause, "db", n)
        };
        let last = (1..all).fold(failed(0), |earlier, n| failed(n).after(&earlier));
        assert_eq!(Arc::strong_count(&alive) - 1, KEPT + 1);
        let kept: Vec<u32> = last.chain().map(|(failure, _)| failure.incarnation()).collect();
        assert_eq!(kept, [all - 1, all - 2, all - 3, all - 4, 0]);
        let left_out: u64 = last.chain().map(|(_, left_out)| left_out).sum();
        assert_eq!(left_out as usize + kept.len(), all as usize);
    }

    /// S6: what is in two rows, that of a child and that of its supervisor, is kept once.
    #[test]
    fn a_failure_that_is_in_both_rows_is_in_the_new_one_once() {
        let failed = |n: u32| Failure::new(Phase::Restart, Cause::Killed, "db", n);
        let first = failed(1);
        let second = failed(2).after(&first);
        let both = second.clone().after(&second.in_phase(Phase::Running)).after(&first);
        let kept: Vec<u32> = both.chain().map(|(failure, _)| failure.incarnation()).collect();
        assert_eq!(kept, [2, 1]);
    }

    /// S6: a limit that is used up at each of many levels leaves a failure inside of a failure: of these too the latest
    /// are kept, and the first, so that nothing needs the stack for them.
    #[test]
    fn failures_inside_of_each_other_are_told_found_and_dropped() {
        let test = || {
            let thrown = Thrown::from(std::io::Error::from(std::io::ErrorKind::TimedOut));
            let mut failure = Failure::new(Phase::Running, Cause::Error(thrown), "a", 1);
            for _ in 0..50_000 {
                failure = failure.at_limit();
            }
            assert!(failure.find::<std::io::Error>().is_some() && failure.find::<fmt::Error>().is_none());
            let text = failure.to_string();
            assert!(text.starts_with("a failed while running: restarted too often (last: a failed while running: re"));
            assert_eq!(text.matches("(last: ").count(), KEPT);
            assert!(text.ends_with("(last: a failed while running: timed out))))"), "{text}");
        };
        let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(test).expect("a thread");
        thread.join().expect("it goes through");
    }
}
