//! The signal that notifies a task, and the callers that wait for it, that the task goes down.

use tokio::sync::watch;
#[cfg(feature = "tokio-util")]
use tokio_util::sync::{CancellationToken, DropGuard};

use supervise_core::base::deferred_drop::shielded;
#[cfg(feature = "tokio-util")]
use supervise_core::base::sync::Arc;
use supervise_core::values::stop_reason::StopReason;

/// Asks a task to stop. The task is also notified when the last `StopSignal` is dropped.
#[derive(Debug, Clone)]
pub(crate) struct StopSignal {
    sender: watch::Sender<Option<StopReason>>,
    #[cfg(feature = "tokio-util")]
    token: (CancellationToken, Arc<DropGuard>),
}

impl StopSignal {
    pub(crate) fn new() -> Self {
        #[cfg(feature = "tokio-util")]
        let token = CancellationToken::new();
        StopSignal {
            sender: watch::channel(None).0,
            #[cfg(feature = "tokio-util")]
            token: (token.clone(), Arc::new(token.drop_guard())),
        }
    }

    /// Notifies the task. A reason of the task itself does not replace an earlier one.
    pub(crate) fn tell(&self, reason: StopReason) {
        let note = |told: &mut Option<StopReason>| {
            let news = *told != Some(reason) && (told.is_none() || !reason.is_own());
            if news {
                *told = Some(reason);
            }
            news
        };
        shielded(|| self.sender.send_if_modified(note));
        #[cfg(feature = "tokio-util")]
        shielded(|| self.token.0.cancel());
    }

    /// Returns whether the task was told to stop.
    pub(crate) fn is_told(&self) -> bool {
        self.sender.borrow().is_some()
    }

    pub(crate) fn listen(&self) -> watch::Receiver<Option<StopReason>> {
        self.sender.subscribe()
    }

    #[cfg(feature = "tokio-util")]
    pub(crate) fn token(&self) -> CancellationToken {
        self.token.0.clone()
    }
}
