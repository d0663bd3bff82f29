//! A failure, as a value that supervisors, watchers and events share (rule S6).

use std::any::Any;
use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use crate::base::DisplayFn;
use crate::base::deferred_drop::{drop_catching_panics, drop_deferred};
use crate::base::kinds::kinds;
use crate::base::line::one_line;
use crate::base::sync::Arc;
use crate::values::far_error::FarError;
use crate::values::place::Path;
use crate::values::spawn_error::SpawnError;

/// A boxed error that can be sent to another thread.
///
/// In an actor or a task with this error type, `?` converts every other error. Deciders, [`Failure::error`] and
/// [`Failure::find`] look into the box and see the error itself.
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

/// A failure that user code has returned: any error, with its type preserved.
///
/// Start expressions, `let`s, tasks and handlers fail with a `Thrown`, and so does a method that is a
/// `#[message]` and returns `Result<T, Thrown>`. The `?` operator makes one from everything that is
/// `Into<Box<dyn Error + Send + Sync>>`: error types, boxed errors, `String`, `&str`. The value is kept as it is, so that
/// a decider finds the type of the original error ([`Failure::error`]).
///
/// Like `anyhow::Error`, this type does not implement [`std::error::Error`]; that is what lets `?` accept all other
/// errors. [`Thrown::as_error`] returns a reference that does.
///
/// Boxed errors are downcast: a search looks at the error in the box. With the feature `anyhow` this includes an
/// `anyhow::Error` and its contexts.
///
/// ```
/// use std::fmt;
/// use supervise::Thrown;
///
/// fn open() -> Result<(), Thrown> {
///     Err(fmt::Error)? // any other error
/// }
///
/// let thrown = open().unwrap_err();
/// assert!(thrown.get::<fmt::Error>().is_some());
/// assert_eq!(thrown.as_error().to_string(), fmt::Error.to_string());
/// ```
pub struct Thrown {
    kind: Kind,
    /// The name of the type that the error had.
    #[cfg(feature = "error-types")]
    type_name: fn() -> &'static str,
}

enum Kind {
    Error(BoxError),
    /// Kept apart, since the error inside could not be found in a box.
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
                return Thrown::new::<E>(Kind::Anyhow(error));
            }
            match slot {
                Some(error) => error,
                None => unreachable!("only an `anyhow::Error` is taken"),
            }
        };
        Thrown::new::<E>(Kind::Error(error.into()))
    }
}

impl Thrown {
    /// `E`: the type of the error, as user code returned it.
    #[cfg_attr(
        not(feature = "error-types"),
        expect(clippy::extra_unused_type_parameters, reason = "only `error-types` names it")
    )]
    fn new<E: 'static>(kind: Kind) -> Self {
        Thrown {
            kind,
            #[cfg(feature = "error-types")]
            type_name: std::any::type_name::<E>,
        }
    }

    /// Returns the name of the type of the error, or `_OTHER` if it was boxed and its type is not known any more.
    #[cfg(feature = "error-types")]
    #[doc(hidden)]
    pub fn type_of(&self) -> &'static str {
        match (self.type_name)() {
            name if name != std::any::type_name::<BoxError>() => name,
            _ if self.get::<std::io::Error>().is_some() => std::any::type_name::<std::io::Error>(),
            _ => "_OTHER",
        }
    }

    /// Returns the error as a trait object.
    pub fn as_error(&self) -> &(dyn StdError + Send + Sync + 'static) {
        match &self.kind {
            Kind::Error(error) => &**error,
            #[cfg(feature = "anyhow")]
            Kind::Anyhow(error) => &**error,
        }
    }

    /// Returns the error if its type is `E`; for an `anyhow::Error`, the error inside, or a context of type `E`.
    pub fn get<E: StdError + Send + Sync + 'static>(&self) -> Option<&E> {
        match &self.kind {
            Kind::Error(error) => error.downcast_ref(),
            #[cfg(feature = "anyhow")]
            Kind::Anyhow(error) => error.downcast_ref().or_else(|| {
                // `anyhow::Error::from_boxed`
                error.downcast_ref::<BoxError>()?.downcast_ref()
            }),
        }
    }

    /// Returns the first `E` in the chain of sources, starting with the error itself. If a [`Failure`] or a
    /// [`SpawnError`] is in the chain, the search continues in it, as by [`Failure::find`].
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

    /// The result of the start of an optional child that is absent (S28).
    #[doc(hidden)]
    pub fn absent() -> Self {
        Thrown::from(Absent)
    }

    #[doc(hidden)]
    #[inline]
    pub fn is_absent(&self) -> bool {
        self.get::<Absent>().is_some()
    }

    /// Returns whether the error came from another process as text only.
    #[doc(hidden)]
    pub fn crossed_as_text(&self) -> bool {
        self.get::<FarError>().is_some()
    }

    /// Unwraps the failure of a child with which the start of a tree failed, so that it keeps its origin.
    #[doc(hidden)]
    #[inline]
    pub fn into_failure(self) -> Result<Failure, Thrown> {
        let back = |kind| Thrown {
            kind,
            #[cfg(feature = "error-types")]
            type_name: self.type_name,
        };
        match self.kind {
            Kind::Error(error) => match error.downcast::<Failure>() {
                Ok(failure) => Ok(*failure),
                Err(other) => Err(back(Kind::Error(other))),
            },
            #[cfg(feature = "anyhow")]
            Kind::Anyhow(error) => error.downcast().map_err(|other| back(Kind::Anyhow(other))),
        }
    }
}

/// The errors of this crate contain the text of the error inside, so that error is not their `source`.
fn inside<'a, E: StdError + Send + Sync + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a E> {
    let failure = match error.downcast_ref::<SpawnError>() {
        Some(SpawnError::Start(failure)) => failure,
        Some(SpawnError::InvalidSettings { what, .. }) => return (what as &dyn Any).downcast_ref(),
        _ => return error.downcast_ref::<Failure>()?.find(),
    };
    (failure as &dyn Any).downcast_ref().or_else(|| failure.find())
}

/// Not a failure: an optional child is absent.
#[derive(Debug, thiserror::Error)]
#[error("the optional child is absent")]
struct Absent;

impl fmt::Debug for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_error(), f)
    }
}

/// The error and its sources, each once, on one line: many errors already contain the text of their source.
impl fmt::Display for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        one_line(DisplayFn(|f: &mut fmt::Formatter<'_>| self.as_it_is(f))).fmt(f)
    }
}

impl Thrown {
    /// Writes the text as the error has it, line breaks included.
    fn as_it_is(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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

/// The phase of its life in which the child failed.
///
/// This is the phase of the child that the decider decides on. An arm of a decider can name it (rule S6):
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
///             Phase::Start | Phase::Restart => Stop, // a child that does not come up again has a lasting problem
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
    /// While the child was up.
    Running,
    /// While the child was being restarted.
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

/// Why a child failed.
///
/// An arm of a decider can name a cause as it names an error type (rule S6):
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
///             Cause::Killed => Restart, // without this arm the child would stop
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
/// let failed = events.next().await.expect("an event");
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
    /// User code panicked, with this text.
    Panic(String),
    /// `kill()` was called.
    Killed,
    /// An actor that this one depends on has ended ([`Context::depend_on`](https://docs.rs/supervise-tree/latest/supervise/struct.Context.html#method.depend_on)); its path.
    DeathPact(String),
    /// The start, or the handler of a message, took longer than its time.
    ///
    /// See rule S13.
    TimedOut,
    /// A `Permanent` child ended without a request. No decider is asked about that.
    ///
    /// See rule S23.
    EndedByItself,
    /// The restart budget of a child or group was used up, or allows no restart; [`Failure::before`] is the last failure,
    /// and the text of the failure says which of the two it is.
    ///
    /// See rule S15.
    LimitReached,
    /// `restart()` was called; never decided on.
    ///
    /// See rule S26.
    Requested,
    /// The node on which this remote child ran is lost: it has left, or has not renewed its lease in time. Nothing of
    /// the child can be resumed, so the directive `Resume` restarts it.
    NodeLost {
        /// The name of the node.
        node: String,
    },
    /// This library panicked while it ran the child, with this text. No decider is asked: the supervisor fails with
    /// this cause. Please report it.
    ///
    /// See rule S19.
    Bug(String),
}

kinds! {
    /// The kind of a [`Cause`], without the error or the text.
    ///
    /// Kinds can be compared, as in `assert_eq!`. A [`Cause`] may contain an error, which cannot.
    ///
    /// ```
    /// use supervise::Cause;
    /// use supervise::inspect::CauseKind;
    ///
    /// assert_eq!(Cause::Panic("out of paper".to_owned()).kind(), CauseKind::Panic);
    /// ```
    pub enum CauseKind of Cause {
        Error,
        Panic,
        Killed,
        DeathPact,
        TimedOut,
        EndedByItself,
        LimitReached,
        Requested,
        NodeLost,
        Bug,
    }

    /// Returns the kind of the cause, without the error or the text.
    fn kind;
}

impl CauseKind {
    /// Returns the word for this kind in JSON, in the log and in metrics.
    #[doc(hidden)]
    pub fn word(self) -> &'static str {
        match self {
            CauseKind::Error => "error",
            CauseKind::Panic => "panic",
            CauseKind::Killed => "killed",
            CauseKind::DeathPact => "death_pact",
            CauseKind::TimedOut => "timed_out",
            CauseKind::EndedByItself => "ended_by_itself",
            CauseKind::LimitReached => "limit_reached",
            CauseKind::Requested => "requested",
            CauseKind::NodeLost => "node_lost",
            CauseKind::Bug => "bug",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        one_line(DisplayFn(|f: &mut fmt::Formatter<'_>| self.as_it_is(f))).fmt(f)
    }
}

impl Cause {
    /// Writes the text with the line breaks of the error.
    #[doc(hidden)]
    pub fn as_it_is(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Error(error) => error.as_it_is(f),
            Cause::Panic(text) => write!(f, "panicked: {text}"),
            Cause::Killed => f.write_str("killed"),
            Cause::DeathPact(path) => write!(f, "ended with {path}, which it depends on"),
            Cause::TimedOut => f.write_str("took too long"),
            Cause::EndedByItself => f.write_str("ended by itself"),
            Cause::LimitReached => f.write_str("restarted too often"),
            Cause::Requested => f.write_str("restart requested"),
            Cause::NodeLost { node } => write!(f, "the node {node} is lost"),
            Cause::Bug(text) => write!(f, "a bug in supervise itself, please report it: {text}"),
        }
    }
}

/// A failure of a child: its phase, its cause, and where it happened.
///
/// A `Failure` is cheap to clone; all clones are the same failure. An escalated failure keeps its cause, path and
/// incarnation, and gets the phase of the supervisor that escalates.
///
/// A failure that occurred while an earlier one was being repaired (a restart that failed, a retried first start) leads
/// to the earlier one by [`before`](Failure::before), and so on to the first; [`find`](Failure::find) searches all of
/// them. If there are many, the latest three and the first are kept.
///
/// `Display` writes one line that contains the error with all its sources. Therefore
/// [`source`](std::error::Error::source) does not return the original error ([`error`](Failure::error) does) but the
/// failure before it, so that printing a chain of errors shows everything once.
///
/// A decider gets a failure by reference; `decider! { .. }` makes such a function from arms (rule S6).
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
    inner: Arc<Inner>,
    /// Not part of the state that a supervisor and its child share: an escalated failure may follow a different one
    /// there. Most failures have none. A failure is a part of many values, so it takes no more room than two pointers.
    history: Option<Arc<History>>,
}

struct Inner {
    /// The phase of the child that failed.
    phase: Phase,
    cause: Cause,
    path: Path,
    incarnation: u32,
    /// Whether it is that of a limit of 0 restarts.
    no_restart: bool,
    /// The words of a child that ended by itself.
    reason: Option<Box<Cow<'static, str>>>,
    /// The `let` of the tree at which its start failed.
    at_let: Option<&'static str>,
}

/// A failure as seen from a supervisor that failed with it; the failures of the same child before it, and how many
/// restarts they have led to.
struct History {
    phase: Phase,
    row: Row,
    before: Option<Before>,
}

/// The restarts since an incarnation was last up for long enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[doc(hidden)]
pub struct Row {
    #[doc(hidden)]
    pub restarts: u32,
    /// The time since the failure that led to the first of them.
    #[doc(hidden)]
    pub failing_for: Duration,
}

/// An earlier failure in the chain.
#[derive(Clone)]
struct Before {
    failure: Failure,
    /// The number of failures between the two that are not kept.
    left_out: u64,
}

/// The number of earlier failures that are kept: a child whose start is retried for weeks must not keep them all.
const KEPT: usize = 4;

impl Drop for Inner {
    fn drop(&mut self) {
        if let Cause::Error(_) = self.cause {
            drop_deferred(std::mem::replace(&mut self.cause, Cause::Killed)); // the error is a user value
        }
    }
}

impl Failure {
    #[doc(hidden)]
    pub fn new(phase: Phase, cause: Cause, path: impl Into<Path>, incarnation: u32) -> Self {
        let inner =
            Inner { phase, cause, path: path.into(), incarnation, no_restart: false, reason: None, at_let: None };
        Failure { inner: Arc::new(inner), history: None }
    }

    /// Adds the words of a child that ended by itself, to a failure that has just been made.
    #[doc(hidden)]
    pub fn with_reason(mut self, reason: Cow<'static, str>) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.reason = Some(Box::new(reason));
        }
        self
    }

    /// Adds the `let` at which the start of a tree failed, to a failure that has just been made.
    #[doc(hidden)]
    #[inline]
    pub fn with_let(mut self, name: Option<&'static str>) -> Self {
        if let (Some(name), Some(inner)) = (name, Arc::get_mut(&mut self.inner)) {
            inner.at_let = Some(name);
        }
        self
    }

    /// Returns the same failure, as one of a child with these restarts before it.
    #[doc(hidden)]
    #[inline]
    pub fn in_row(mut self, row: Row) -> Self {
        if row != self.row() {
            self.set_history(self.phase(), row, self.earlier().cloned());
        }
        self
    }

    fn set_history(&mut self, phase: Phase, row: Row, before: Option<Before>) {
        let is_empty = phase == self.inner.phase && before.is_none() && row == Row::default();
        self.history = (!is_empty).then(|| Arc::new(History { phase, row, before }));
    }

    #[inline]
    fn row(&self) -> Row {
        self.history.as_ref().map_or(Row::default(), |history| history.row)
    }

    fn earlier(&self) -> Option<&Before> {
        self.history.as_ref()?.before.as_ref()
    }

    /// Returns whether this is the same failure, perhaps seen from another supervisor.
    #[doc(hidden)]
    pub fn is_same(&self, other: &Failure) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Returns the same failure as seen from a supervisor that failed with it.
    #[doc(hidden)]
    #[inline]
    pub fn in_phase(mut self, phase: Phase) -> Self {
        if phase != self.phase() {
            self.set_history(phase, self.row(), self.earlier().cloned());
        }
        self
    }

    /// Returns the failure of a used-up budget of `max` restarts, with this one as the failure before it.
    #[doc(hidden)]
    pub fn at_limit(self, max: u32) -> Self {
        let (path, incarnation) = (self.inner.path.clone(), self.inner.incarnation);
        let mut limit = Failure::new(self.phase(), Cause::LimitReached, path, incarnation);
        if let Some(inner) = Arc::get_mut(&mut limit.inner) {
            inner.no_restart = max == 0;
        }
        limit.in_row(self.row()).after(&self)
    }

    /// Returns whether the budget that was used up is one of no restart at all, so that nothing was restarted.
    #[doc(hidden)]
    pub fn allowed_no_restart(&self) -> bool {
        self.inner.no_restart
    }

    /// Returns the same failure, as one that occurred while `earlier` was being repaired.
    #[doc(hidden)]
    pub fn after(self, earlier: &Failure) -> Self {
        let mut chain: Vec<(Failure, u64)> = Vec::with_capacity(2 * (KEPT + 1));
        for (failure, left_out) in self.chain().chain(earlier.chain()) {
            // A supervisor and its child may both have been repaired after the same failure.
            if !chain.iter().any(|(known, _)| Arc::ptr_eq(&known.inner, &failure.inner)) {
                let mut alone = Failure { inner: failure.inner.clone(), history: None };
                alone.set_history(failure.phase(), failure.row(), None);
                chain.push((alone, left_out));
            }
        }
        while chain.len() > KEPT + 1 {
            let oldest = chain.len() - 2; // except for the first
            let (_, left_out) = chain.remove(oldest);
            chain[oldest].1 += left_out + 1;
        }
        let newer = |(failure, left_out): (Failure, u64), (mut next, before_it): (Failure, u64)| {
            next.set_history(next.phase(), next.row(), Some(Before { failure, left_out }));
            (next, before_it)
        };
        chain.into_iter().rev().reduce(newer).map_or(self, |(failure, _)| failure)
    }

    /// Returns this failure and the ones before it, each with the number of failures that are left out in front of it.
    fn chain(&self) -> impl Iterator<Item = (&Failure, u64)> {
        let mut next = Some((self, 0));
        std::iter::from_fn(move || {
            let found = next?;
            next = found.0.earlier().map(|before| (&before.failure, before.left_out));
            Some(found)
        })
    }

    /// Returns the phase of the child that is decided on.
    #[inline]
    pub fn phase(&self) -> Phase {
        *self.phase_ref()
    }

    fn phase_ref(&self) -> &Phase {
        self.history.as_ref().map_or(&self.inner.phase, |history| &history.phase)
    }

    /// Returns the cause.
    pub fn cause(&self) -> &Cause {
        &self.inner.cause
    }

    /// Returns the path of the child that failed, below the root: `reports/daily`.
    pub fn path(&self) -> &str {
        self.inner.path.as_str()
    }

    /// Returns the incarnation of that child, counted from 1.
    pub fn incarnation(&self) -> u32 {
        self.inner.incarnation
    }

    /// Returns the failure before this one.
    ///
    /// For a failed restart, this is the failure that led to the restart; for a retried start, the failure of the
    /// previous attempt; for [`Cause::LimitReached`], the last failure.
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
        self.earlier().map(|before| &before.failure)
    }

    /// Returns the number of failures between this one and the one [before](Failure::before) that are not kept.
    pub fn left_out(&self) -> u64 {
        self.earlier().map_or(0, |before| before.left_out)
    }

    /// Returns how often the child has been restarted since an incarnation was last up for long enough; 0 at the first
    /// failure.
    ///
    /// Long enough is the time after which the declared backoff starts over. With `reset = Manual`, and with
    /// [`Backoff::slotted`](crate::values::backoff::Backoff::slotted), the count starts over only when the actor calls
    /// [`Context::reset_backoff`](https://docs.rs/supervise-tree/latest/supervise/struct.Context.html#method.reset_backoff). Without a backoff the time is 10 s. Restarts after a
    /// failure or an end of the child itself count (rule S32). A failure that is escalated gets the number of the
    /// supervisor, since that is decided on.
    ///
    /// ```
    /// use std::time::Duration;
    /// use supervise::prelude::*;
    /// # struct Db;
    /// # #[actor]
    /// # impl Db { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
    ///
    /// supervisor! {
    ///     struct Shop(retries: u32) {
    ///         #[backoff(1s..1min)]
    ///         #[decider(_ if failure.in_a_row() >= retries => Stop, _ => Default)]
    ///         db: Db = Db,
    ///         other: Db = Db,
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let shop = Shop::start(3).await?;
    /// for _ in 0..4 {
    ///     shop.db.tell(()).await?; // fails
    /// }
    /// assert!(matches!(shop.db.terminated().await?, Ended::Failed(_)));
    /// assert_eq!(shop.db.incarnation(), 4); // the first start and three restarts
    /// # Ok(())
    /// # }
    /// ```
    pub fn in_a_row(&self) -> u32 {
        self.row().restarts
    }

    /// Returns the time since the failure that led to the first of these restarts
    /// ([`in_a_row`](Failure::in_a_row)); zero at the first failure.
    ///
    /// The time is measured at the failure. A child whose start hangs does not fail, so a decider that gives up after
    /// two hours is asked only if there is a time limit for the start (`lifecycle(start = D)`).
    ///
    /// ```
    /// use supervise::prelude::*;
    /// # struct Mirror;
    /// # #[actor]
    /// # impl Mirror { fn handle(&mut self, _msg: ()) -> std::io::Result<()> { Err(std::io::ErrorKind::TimedOut.into()) } }
    ///
    /// supervisor! {
    ///     struct Mirrors {
    ///         #![decider(_ if failure.failing_for() >= 2h => Stop, _ => Default)]
    ///         #[backoff(1s..5min)]
    ///         mirror: Mirror = Mirror,
    ///         other: Mirror = Mirror,
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mirrors = Mirrors::start().await?;
    /// let begun = tokio::time::Instant::now();
    /// while mirrors.mirror.tell(()).await.is_ok() {
    ///     tokio::task::yield_now().await; // fails again and again
    /// }
    /// assert_eq!(begun.elapsed().as_secs() / 3600, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn failing_for(&self) -> Duration {
        self.row().failing_for
    }

    /// Returns what the child said with [`cx.stop_with(..)`](https://docs.rs/supervise-tree/latest/supervise/struct.Context.html#method.stop_with) before it ended by itself. The
    /// cause is [`Cause::EndedByItself`] then.
    ///
    /// See rule S23.
    pub fn reason(&self) -> Option<&str> {
        self.inner.reason.as_ref().map(|reason| &***reason)
    }

    /// Returns the name of the `let` at which the start of a tree failed: by an error, a panic, or the end of its time.
    /// Of a pattern with several names it is the first.
    ///
    /// ```
    /// use std::io::{Error, ErrorKind};
    /// use supervise::prelude::*;
    /// # struct Db;
    /// # #[actor]
    /// # impl Db { fn handle(&mut self, _msg: u32) {} }
    ///
    /// fn connect() -> Result<u32, Error> {
    ///     Err(ErrorKind::ConnectionRefused.into())
    /// }
    ///
    /// supervisor! {
    ///     struct Shop {
    ///         let pool = connect()?;
    ///         db: Db = { println!("{pool}"); Db },
    ///         other: Db = Db,
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let failure = Shop::start().await.unwrap_err();
    /// assert_eq!(failure.at_let(), Some("pool"));
    /// assert_eq!(failure.to_string(), "Shop failed while starting, at `let pool`: connection refused");
    /// # }
    /// ```
    pub fn at_let(&self) -> Option<&'static str> {
        self.inner.at_let
    }

    /// Returns the error if its type is exactly `E`, also if it was boxed.
    pub fn error<E: StdError + Send + Sync + 'static>(&self) -> Option<&E> {
        match &self.inner.cause {
            Cause::Error(error) => error.get(),
            _ => None,
        }
    }

    /// Returns the first `E` among the error, its sources, and the failures before this one.
    pub fn find<E: StdError + Send + Sync + 'static>(&self) -> Option<&E> {
        self.chain().find_map(|(failure, _)| match &failure.inner.cause {
            Cause::Error(error) => error.find(),
            _ => None,
        })
    }

    /// Returns the value that a decider's arm for `T` matches on: the error, the [`Cause`] or the [`Phase`].
    pub fn get<T: Decides + ?Sized>(&self) -> Option<&T> {
        T::of(self)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Failure");
        shown
            .field("path", &self.inner.path)
            .field("phase", self.phase_ref())
            .field("cause", &self.inner.cause)
            .field("incarnation", &self.inner.incarnation);
        if let Some(name) = self.at_let() {
            shown.field("at_let", &name);
        }
        if let Some(before) = self.earlier() {
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
        one_line(DisplayFn(|f: &mut fmt::Formatter<'_>| self.as_it_is(f, None))).fmt(f)
    }
}

impl Failure {
    /// Returns the text of the cause alone, with the words of a child that ended by itself.
    #[doc(hidden)]
    pub fn why(&self) -> impl fmt::Display {
        one_line(DisplayFn(|f: &mut fmt::Formatter<'_>| self.write_why(f)))
    }

    /// Writes the same text with the line breaks of the error.
    #[doc(hidden)]
    pub fn write_why(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.inner.no_restart { self.write_whole(f) } else { self.write_cause(f) }
    }

    fn write_cause(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.cause.as_it_is(f)?;
        match self.reason() {
            Some(reason) => write!(f, ": {reason}"),
            None => Ok(()),
        }
    }

    /// Writes the cause; at a limit, with the last failure. The cause alone would not say what failed.
    fn write_whole(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.inner.no_restart {
            self.write_cause(f)?;
            return match (&self.inner.cause, self.before()) {
                (Cause::LimitReached, Some(last)) => {
                    f.write_str(" (last: ")?;
                    last.as_it_is(f, None)?;
                    f.write_str(")")
                }
                _ => Ok(()),
            };
        }
        let Some(last) = self.before().filter(|_| self.left_out() == 0) else {
            return f.write_str("no restart is allowed");
        };
        last.write_whole(f)?;
        // The text of the last failure already ends with this if its supervisor allows no restart either.
        if last.inner.no_restart { Ok(()) } else { f.write_str(", and no restart is allowed") }
    }

    /// Writes the text with the line breaks of the error. `known`: the path that the reader knows already.
    fn as_it_is(&self, f: &mut fmt::Formatter<'_>, known: Option<&str>) -> fmt::Result {
        if known.is_none_or(|known| self.path() != known) {
            write!(f, "{} ", self.inner.path)?;
        }
        write!(f, "failed {}", self.phase())?;
        if let Some(name) = self.at_let() {
            write!(f, ", at `let {name}`")?;
        }
        f.write_str(": ")?;
        self.write_whole(f)
    }

    /// Returns the text for a reader that may already know the path.
    #[doc(hidden)]
    pub fn at(&self, path: &str) -> impl fmt::Display {
        one_line(DisplayFn(move |f: &mut fmt::Formatter<'_>| self.as_it_is(f, Some(path))))
    }

    /// Returns the same text with the line breaks of the error, for a reader that escapes texts itself.
    #[doc(hidden)]
    pub fn field(&self, path: &str) -> String {
        DisplayFn(|f: &mut fmt::Formatter<'_>| self.as_it_is(f, Some(path))).to_string()
    }
}

impl StdError for Failure {
    /// The failure before this one. At a limit, the failure before the last one, which the text of the limit already
    /// shows.
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let mut shown = self;
        while let Cause::LimitReached = shown.cause() {
            shown = shown.before()?;
        }
        shown.before().map(|before| before as &(dyn StdError + 'static))
    }
}

/// A type that an arm of a decider can name: an error type, [`Cause`] or [`Phase`].
///
/// [`Failure::get`] returns the same value:
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
    /// Returns the part of the failure that the arm matches on.
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
        Some(failure.phase_ref())
    }
}

/// Returns the text of a caught panic.
#[doc(hidden)]
pub fn panic_text(payload: Box<dyn Any + Send>) -> String {
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().map_or_else(|| "(no text)".into(), |text| (*text).into());
            drop_catching_panics(payload);
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

    /// S6: a start that is retried for weeks keeps only a limited number of errors.
    #[test]
    fn a_streak_of_any_length_keeps_the_same() {
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

    /// S6: a failure that is in two chains, that of a child and that of its supervisor, is kept once.
    #[test]
    fn a_failure_that_is_in_both_rows_is_in_the_new_one_once() {
        let failed = |n: u32| Failure::new(Phase::Restart, Cause::Killed, "db", n);
        let first = failed(1);
        let second = failed(2).after(&first);
        let both = second.clone().after(&second.in_phase(Phase::Running)).after(&first);
        let kept: Vec<u32> = both.chain().map(|(failure, _)| failure.incarnation()).collect();
        assert_eq!(kept, [2, 1]);
    }

    /// S6: limits that are used up at each of many levels nest a failure in a failure. Of these too only the latest and
    /// the first are kept, so that dropping them does not exhaust the stack.
    #[test]
    fn nested_failures_are_shown_found_and_dropped() {
        let test = || {
            let thrown = Thrown::from(std::io::Error::from(std::io::ErrorKind::TimedOut));
            let mut failure = Failure::new(Phase::Running, Cause::Error(thrown), "a", 1);
            for _ in 0..50_000 {
                failure = failure.at_limit(1);
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
