//! Ends: why an actor, task or tree ended, and the notice to its watchers (rule S37).

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::base::DisplayFn;
use crate::base::kinds::kinds;
use crate::base::line::one_line;
use crate::base::sync::Arc;
use crate::values::failure::{Cause, Failure};

/// Why an actor, task or tree ended.
///
/// Returned by [`ActorRef::terminated`](crate::ActorRef::terminated) and similar waits, contained in a
/// [`Report`](crate::inspect::Report), and passed to a [`Watcher`](crate::Watcher).
///
/// ```
/// use supervise::prelude::*;
///
/// fn tell(ended: &Ended) -> String {
///     match ended {
///         Ended::Done | Ended::Stopped => "all is well".to_owned(),
///         Ended::DoneWith(reason) => format!("all is well: {reason}"), // also `ended.is_orderly()`
///         Ended::Failed(failure) => format!("{} for good", failure.cause()),
///         Ended::Limit(failure) => format!("too often: {failure}"),
///         Ended::Killed | Ended::Aborted => "the hard way".to_owned(),
///         _ => ended.to_string(),
///     }
/// }
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///         ticker: task = async {},
///         cart: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// assert_eq!(tell(&shop.ticker.terminated().await?), "all is well");
/// shop.db.kill(); // decided `Stop` by default
/// assert_eq!(tell(&shop.db.terminated().await?), "the hard way");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Ended {
    /// Ended by itself: `cx.stop()`, a task that returned, a tree whose members have all ended.
    Done,
    /// Ended by itself, and said why: [`cx.stop_with(..)`](crate::Context::stop_with). Its [kind](Ended::kind) is
    /// `Done`.
    DoneWith(Cow<'static, str>),
    /// Stopped from outside, or together with its supervisor.
    Stopped,
    /// Failed, and the failure was decided `Stop`, or there was no supervisor to decide.
    Failed(Failure),
    /// Failed, and the restart budget was used up.
    Limit(Failure),
    /// Killed.
    Killed,
    /// Aborted: the child did not go down within its `shutdown` time.
    Aborted,
    /// The tokio runtime was dropped, and no hook ran.
    RuntimeGone,
}

kinds! {
    /// The kind of an [`Ended`], without the failure.
    ///
    /// Kinds can be compared, as in `assert_eq!`. A [`Ended`] may contain an error, which cannot.
    ///
    /// ```
    /// use supervise::Ended;
    /// use supervise::inspect::EndedKind;
    ///
    /// assert_eq!(Ended::Stopped.kind(), EndedKind::Stopped);
    /// ```
    pub enum EndedKind of Ended {
        Done | DoneWith,
        Stopped,
        Failed,
        Limit,
        Killed,
        Aborted,
        RuntimeGone,
    }

    /// Returns the kind of the end, without the failure.
    fn kind;
}

impl Ended {
    /// Returns the end that a failure leads to.
    pub(crate) fn by(failure: &Failure) -> Self {
        match failure.cause() {
            Cause::Killed => Ended::Killed,
            Cause::LimitReached => Ended::Limit(failure.clone()),
            _ => Ended::Failed(failure.clone()),
        }
    }

    /// Returns the text for a reader that may already know the path.
    pub(crate) fn at(&self, path: &str) -> impl fmt::Display {
        DisplayFn(move |f: &mut fmt::Formatter<'_>| match self.failure() {
            Some(failure) => write!(f, "{}", failure.at(path)),
            None => write!(f, "{self}"),
        })
    }

    /// Returns the failure that led to the end, if there is one.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Ended::Failed(failure) | Ended::Limit(failure) => Some(failure),
            _ => None,
        }
    }

    /// Returns what the child said with [`cx.stop_with(..)`](crate::Context::stop_with) when it ended by itself.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Ended::DoneWith(reason) => Some(reason),
            _ => None,
        }
    }

    /// Returns `true` for [`Ended::Done`], [`Ended::DoneWith`] and [`Ended::Stopped`]: nothing went wrong.
    pub fn is_orderly(&self) -> bool {
        matches!(self, Ended::Done | Ended::DoneWith(_) | Ended::Stopped)
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Done => f.write_str("done"),
            Ended::DoneWith(reason) => write!(f, "done: {}", one_line(reason)),
            Ended::Stopped => f.write_str("stopped"),
            Ended::Failed(failure) | Ended::Limit(failure) => failure.fmt(f),
            Ended::Killed => f.write_str("killed"),
            Ended::Aborted => f.write_str("aborted: it did not go down in its time"),
            Ended::RuntimeGone => f.write_str("ended with its runtime"),
        }
    }
}

/// Identifies the child that ended, for a [`Watcher`](crate::Watcher). Compare it with a handle: `*who == self.db`.
///
/// A handle gives it before the end, as the key of a map: [`ChildRef::watched`](crate::ChildRef::watched).
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// struct Cart {
///     db: ActorRef<Db>,
///     audit: ActorRef<Db>,
///     missing: Vec<String>,
/// }
///
/// #[actor]
/// impl Cart {
///     #[pre_start]
///     fn begin(&mut self, cx: &mut Context<Self>) {
///         cx.watch(&self.db);
///         cx.watch(&self.audit);
///     }
///
///     #[terminated]
///     fn lost(&mut self, who: &Watched) {
///         let what = if *who == self.db { "the database" } else { "something" };
///         self.missing.push(format!("{what} at {}", who.path()));
///     }
///
///     fn handle(&mut self, reply: Reply<Vec<String>>) {
///         reply.send(self.missing.clone());
///     }
/// }
///
/// # supervisor! { struct Shop { db: Db = Db, audit: Db = Db, cart: Cart = Cart { db, audit, missing: Vec::new() } } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let shop = Shop::start().await?;
/// shop.db.stop();
/// shop.db.terminated().await?;
/// assert_eq!(shop.cart.ask(|reply| reply).await?, ["the database at db"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Watched {
    pub(crate) id: u64,
    pub(crate) path: String,
    /// The key in a keyed set.
    key: Option<Arc<dyn Any + Send + Sync>>,
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched").field("id", &self.id).field("path", &self.path).finish_non_exhaustive()
    }
}

/// Two are equal if they identify the same child.
impl PartialEq for Watched {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Watched {}

impl Hash for Watched {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl Watched {
    /// Returns the identity of the child with this id.
    pub(crate) fn new(id: u64, path: String) -> Self {
        Watched { id, path, key: None }
    }

    /// Adds the key of an instance of a keyed set.
    pub(crate) fn with_key(mut self, key: Option<Arc<dyn Any + Send + Sync>>) -> Self {
        self.key = key;
        self
    }

    /// Returns the path of the child.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the key of an instance of a keyed set, in a notice of [`watch_each`](crate::Context::watch_each);
    /// otherwise `None`, also if the keys have another type.
    pub fn key<K: 'static>(&self) -> Option<&K> {
        self.key.as_ref()?.downcast_ref()
    }
}
