//! The messages of a tree to systemd, if the program runs under it (rule S52).

#[cfg(unix)]
use std::any::Any;
#[cfg(unix)]
use std::sync::Arc;

#[cfg(unix)]
mod notifier;
#[cfg(unix)]
mod socket;
#[cfg(unix)]
mod status;

use supervise_runtime::Tree;
use supervise_runtime::expansion::TreeDef;
#[cfg(unix)]
use supervise_runtime::extension::{attach, has};

/// Tells systemd how a tree is. The prelude has this trait.
///
/// ```
/// use supervise::prelude::*; // or `supervise::inspect::Systemd`
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { db: Db = Db } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::tree().systemd().start().await?;
/// # shop.shutdown().await;
/// # Ok(())
/// # }
/// ```
pub trait Systemd: sealed::Sealed {
    /// Tells systemd how the tree is, from its start to its end, if the program runs as a service of `Type=notify`. For a
    /// root; a program has one tree that does so. With the feature `systemd`.
    ///
    /// * `READY=1` once the tree is up;
    /// * `STATUS=` in words, at most once a second: `7 children running`, `1 of 7 backing off: db, 2.4 s`;
    /// * `WATCHDOG=1` twice in the time of `WatchdogSec`, as long as the root [answers](supervise_runtime::TreeRef::answers);
    /// * `STOPPING=1` when the tree begins to stop, whoever asked for it;
    /// * `EXTEND_TIMEOUT_USEC` during a stop, as long as the stop is within the time that the declaration needs.
    ///
    /// The notices need no thread and no connection: messages go to the socket that systemd names in `NOTIFY_SOCKET`. Without that
    /// variable nothing is done, as on systems other than Unix.
    ///
    /// [`systemd_unit`](crate::Render::systemd_unit) prints the unit. If the program runs under a `TimeoutStopSec`
    /// that is shorter than what the declaration needs, the start warns; for that the unit has to have the variable that
    /// the printed one has.
    ///
    /// See rule S52.
    ///
    /// ```
    /// use supervise::prelude::*;
    /// # struct Db;
    /// # #[actor]
    /// # impl Db { fn handle(&mut self, _msg: ()) {} }
    ///
    /// supervisor! {
    ///     struct Shop(name: String) {
    ///         db: Db = Db,
    ///     }
    /// }
    ///
    /// #[tokio::main(flavor = "current_thread")]
    /// async fn main() -> Result<supervise::inspect::Report, Failure> {
    /// # let signal = || async {};
    ///     Shop::tree("corner".to_owned()).systemd().run(signal()).await
    /// }
    /// ```
    fn systemd(self) -> Self;
}

mod sealed {
    pub trait Sealed {}

    impl<T: super::TreeDef> Sealed for super::Tree<T> {}
}

impl<T: TreeDef> Systemd for Tree<T> {
    fn systemd(self) -> Self {
        #[cfg(unix)]
        return match has(&self, |known| (known as &dyn Any).is::<notifier::FromStart>()) {
            true => self,
            false => attach(self, Arc::new(notifier::FromStart)),
        };
        #[cfg(not(unix))]
        self
    }
}
