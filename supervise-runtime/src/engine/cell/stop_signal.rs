//! The signal that notifies a task, and the callers that wait for it, that the task goes down.

use tokio::sync::watch;
#[cfg(feature = "tokio-util")]
use tokio_util::sync::{CancellationToken, DropGuard};

#[cfg(feature = "tokio-util")]
use crate::base::sync::Arc;

/// Asks a task to stop. The task is also notified when the last `StopSignal` is dropped.
#[derive(Debug, Clone)]
pub(crate) struct StopSignal {
    sender: watch::Sender<bool>,
    #[cfg(feature = "tokio-util")]
    token: (CancellationToken, Arc<DropGuard>),
}

impl StopSignal {
    pub(crate) fn new() -> Self {
        #[cfg(feature = "tokio-util")]
        let token = CancellationToken::new();
        StopSignal {
            sender: watch::channel(false).0,
            #[cfg(feature = "tokio-util")]
            token: (token.clone(), Arc::new(token.drop_guard())),
        }
    }

    pub(crate) fn tell(&self) {
        self.sender.send_replace(true);
        #[cfg(feature = "tokio-util")]
        self.token.0.cancel();
    }

    pub(crate) fn listen(&self) -> watch::Receiver<bool> {
        self.sender.subscribe()
    }

    #[cfg(feature = "tokio-util")]
    pub(crate) fn token(&self) -> CancellationToken {
        self.token.0.clone()
    }
}
