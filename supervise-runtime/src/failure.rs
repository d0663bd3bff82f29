//! What went wrong, as a value that supervisors, watchers and events share (rule S6).

use std::any::Any;
use std::error::Error as StdError;
use std::fmt;

use crate::sync::Arc;

use crate::last::{drop_last, drop_quietly};
use crate::place::Path;

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

    /// The first `E` along the chain of sources, the error itself included.
    pub fn find<E: StdError + Send + Sync + 'static>(&self) -> Option<&E> {
        if let Some(found) = self.get() {
            return Some(found);
        }
        let mut next: Option<&(dyn StdError + 'static)> = Some(self.as_error());
        while let Some(error) = next {
            if let Some(found) = error.downcast_ref() {
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

/// No failure: an optional child is not there.
#[derive(Debug, thiserror::Error)]
#[error("an optional child that is not there")]
struct Absent;

impl fmt::Debug for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_error(), f)
    }
}

impl fmt::Display for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Error(error) => fmt::Display::fmt(error, f),
            // The contexts tell nothing without what is below them.
            #[cfg(feature = "anyhow")]
            Kind::Anyhow(error) => write!(f, "{error:#}"),
        }
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
        }
    }
}

/// A failure of a child: the phase, the cause, and where it came from (rule S6).
///
/// Cheap to clone; all clones are the same failure. An escalated failure keeps its cause, path and
/// incarnation and takes the phase of the supervisor that escalates.
///
/// As an [`std::error::Error`] its source is the error that was thrown, or the failure before it.
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
}

struct Inner {
    cause: Cause,
    path: Path,
    incarnation: u32,
    before: Option<Failure>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        // One behind the other, not each in a frame of its own.
        let mut next = self.before.take();
        while let Some(failure) = next {
            next = Arc::into_inner(failure.inner).and_then(|mut last| last.before.take());
        }
        if let Cause::Error(_) = self.cause {
            drop_last(std::mem::replace(&mut self.cause, Cause::Killed)); // the error is the user's
        }
    }
}

impl Failure {
    pub(crate) fn new(phase: Phase, cause: Cause, path: impl Into<Path>, incarnation: u32) -> Self {
        Failure { phase, inner: Arc::new(Inner { cause, path: path.into(), incarnation, before: None }) }
    }

    fn after(phase: Phase, cause: Cause, path: Path, incarnation: u32, before: Failure) -> Self {
        Failure { phase, inner: Arc::new(Inner { cause, path, incarnation, before: Some(before) }) }
    }

    /// The same failure, seen from a supervisor that failed with it.
    pub(crate) fn in_phase(mut self, phase: Phase) -> Self {
        self.phase = phase;
        self
    }

    /// The failure of a budget that is used up, with this one inside.
    pub(crate) fn at_limit(self) -> Self {
        let (path, incarnation) = (self.inner.path.clone(), self.inner.incarnation);
        Failure::after(self.phase, Cause::LimitReached, path, incarnation, self)
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

    /// The failure before this one, as with [`Cause::LimitReached`].
    pub fn before(&self) -> Option<&Failure> {
        self.inner.before.as_ref()
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
        match &self.inner.cause {
            Cause::Error(error) => error.find(),
            _ => self.befores().find_map(Failure::thrown)?.find(),
        }
    }

    /// The failures before this one, the last first.
    fn befores(&self) -> impl Iterator<Item = &Failure> {
        std::iter::successors(self.before(), |failure| failure.before())
    }

    fn thrown(&self) -> Option<&Thrown> {
        match &self.inner.cause {
            Cause::Error(error) => Some(error),
            _ => None,
        }
    }

    /// What a decider's arm for `T` sees: the error, the [`Cause`] or the [`Phase`].
    pub fn get<T: Decides + ?Sized>(&self) -> Option<&T> {
        T::of(self)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Failure")
            .field("path", &self.inner.path)
            .field("phase", &self.phase)
            .field("cause", &self.inner.cause)
            .field("incarnation", &self.inner.incarnation)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} failed {}: {}", self.inner.path, self.phase, self.inner.cause)?;
        for before in self.befores() {
            write!(f, " (last: {} failed {}: {}", before.inner.path, before.phase, before.inner.cause)?;
        }
        self.befores().try_for_each(|_| f.write_str(")"))
    }
}

impl StdError for Failure {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match (&self.inner.cause, &self.inner.before) {
            (Cause::Error(error), _) => Some(error.as_error()),
            (_, Some(before)) => Some(before),
            _ => None,
        }
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

    /// S6: a limit that is used up at each of many levels leaves a failure inside of a failure. Nothing that is asked
    /// of the last one needs the stack for that, nor does dropping it.
    #[test]
    fn failures_inside_of_each_other_are_told_found_and_dropped() {
        const DEPTH: usize = 50_000;
        let test = || {
            let thrown = Thrown::from(std::io::Error::from(std::io::ErrorKind::TimedOut));
            let mut failure = Failure::new(Phase::Running, Cause::Error(thrown), "a", 1);
            for _ in 0..DEPTH {
                failure = failure.at_limit();
            }
            assert!(failure.find::<std::io::Error>().is_some() && failure.find::<fmt::Error>().is_none());
            let text = failure.to_string();
            assert!(text.starts_with("a failed while running: restarted too often (last: a failed while running: re"));
            assert_eq!(text.matches("(last: ").count(), DEPTH);
            assert!(text.ends_with(")))"));
        };
        let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(test).expect("a thread");
        thread.join().expect("it goes through");
    }
}
