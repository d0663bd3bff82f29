//! The request to observe the messages of a running tree.

use std::fmt;

use crate::engine::bus::TreeShared;
use crate::tree::TreeRef;
use supervise_core::base::sync::Arc;
use supervise_core::values::observe::Observe;

impl TreeRef {
    /// Makes the whole tree that this one is part of collect these facts about its messages, until the guard is dropped.
    ///
    /// Each guard counts: the tree collects what any of them wants. An actor follows at its next turn, or when a snapshot
    /// looks at it.
    pub fn observe(&self, what: Observe) -> Observing {
        let tree = self.cell.core().bus.clone();
        tree.observed.request(what);
        Observing { tree, what }
    }

    /// Returns the facts that the tree collects about its messages now.
    pub fn observed(&self) -> Observe {
        self.cell.core().bus.observed.now()
    }
}

/// Makes a tree collect facts about its messages for as long as it exists. Returned by
/// [`TreeRef::observe`](crate::TreeRef::observe).
///
/// ```
/// use supervise::inspect::Observe;
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { db: Db = Db } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// let times = shop.observe(Observe::TIMING);
/// let counts = shop.observe(Observe::COUNTS);
/// assert_eq!(shop.observed(), Observe::TIMING);
/// drop(times);
/// assert_eq!(shop.observed(), Observe::COUNTS);
/// counts.forever();
/// assert_eq!(shop.observed(), Observe::COUNTS);
/// # Ok(())
/// # }
/// ```
#[must_use = "the tree collects the facts until this guard is dropped; `forever()` keeps them on"]
pub struct Observing {
    tree: Arc<TreeShared>,
    what: Observe,
}

impl Observing {
    /// Keeps the tree collecting until its end.
    pub fn forever(mut self) {
        self.what = Observe::NOTHING; // so that `drop` gives nothing back
    }
}

impl Drop for Observing {
    fn drop(&mut self) {
        self.tree.observed.give_back(self.what);
    }
}

impl fmt::Debug for Observing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Observing").field(&self.what).finish()
    }
}
