//! How an actor, task or tree ended, and who is told (rule S37).

use std::fmt;

use crate::values::failure::{Cause, Failure};

/// Why something ended: from [`ActorRef::terminated`] and its kin, in a [`Report`](crate::Report), and told to a
/// [`Watcher`](crate::Watcher).
///
/// ```
/// use supervise::prelude::*;
///
/// fn tell(ended: &Ended) -> String {
///     match ended {
///         Ended::Done | Ended::Stopped => "all is well".to_owned(), // `ended.is_orderly()`
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
/// shop.db.kill(); // which by default is decided `Stop`
/// assert_eq!(tell(&shop.db.terminated().await?), "the hard way");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Ended {
    /// By itself: `cx.stop()`, a task that returned, a tree whose members have all ended.
    Done,
    /// Stopped from outside, or with its supervisor.
    Stopped,
    /// Its failure was decided `Stop`, or it had no supervisor.
    Failed(Failure),
    /// Its restart budget was used up.
    Limit(Failure),
    /// A kill led to it.
    Killed,
    /// It did not go down in its `shutdown` time.
    Aborted,
    /// The tokio runtime was dropped: no hook ran.
    RuntimeGone,
}

impl Ended {
    /// The end that a failure leads to.
    pub(crate) fn by(failure: &Failure) -> Self {
        match failure.cause() {
            Cause::Killed => Ended::Killed,
            Cause::LimitReached => Ended::Limit(failure.clone()),
            _ => Ended::Failed(failure.clone()),
        }
    }

    /// Its text where the path of the reader's own is known already.
    pub(crate) fn at(&self, path: &str) -> impl fmt::Display {
        fmt::from_fn(move |f| match self.failure() {
            Some(failure) => write!(f, "{}", failure.at(path)),
            None => write!(f, "{self}"),
        })
    }

    /// The failure inside, if there is one.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Ended::Failed(failure) | Ended::Limit(failure) => Some(failure),
            _ => None,
        }
    }

    /// True for [`Ended::Done`] and [`Ended::Stopped`]: nothing went wrong.
    pub fn is_orderly(&self) -> bool {
        matches!(self, Ended::Done | Ended::Stopped)
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Done => f.write_str("done"),
            Ended::Stopped => f.write_str("stopped"),
            Ended::Failed(failure) | Ended::Limit(failure) => failure.fmt(f),
            Ended::Killed => f.write_str("killed"),
            Ended::Aborted => f.write_str("aborted: it did not go down in its time"),
            Ended::RuntimeGone => f.write_str("ended with its runtime"),
        }
    }
}

/// Whose end a [`Watcher`](crate::Watcher) is told of. Compares with an [`ActorRef`]: `*who == self.db`.
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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Watched {
    pub(crate) id: u64,
    pub(crate) path: String,
}

impl Watched {
    /// The path of the one that ended.
    pub fn path(&self) -> &str {
        &self.path
    }
}
