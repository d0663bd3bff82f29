//! The identity of a child that somebody watches.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

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
