//! The wait for an end, and the time that an ask waits.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as Cx, Poll};

use super::WaitError;
use crate::base::sync::Arc;
use crate::engine::cell::control::{AnyCell, Waiting};
use crate::engine::cell::current;
use crate::values::ended::Ended;

/// The future of [`ActorRef::terminated`](crate::ActorRef::terminated) and
/// [`TaskRef::terminated`](crate::TaskRef::terminated): the wait for an end.
///
/// The future resolves to the [`Ended`], immediately if the child has already ended. A restart is not an end. The
/// future needs no tokio runtime. A child whose runtime is dropped ends with it, as [`Ended::RuntimeGone`].
///
/// # Errors
///
/// Resolves to a [`WaitError`] when polled from inside the child or from below it.
///
/// # Cancel safety
///
/// The future may be dropped and created again.
///
/// ```
/// use supervise::prelude::*;
/// # struct Session;
/// # #[actor]
/// # impl Session { fn handle(&mut self, _line: String) {} }
///
/// supervisor! {
///     struct Server {
///         session: Session = Session,
///         ticker: task = async { tokio::time::sleep(std::time::Duration::from_secs(60)).await },
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::start().await?;
/// let session = server.session.clone();
/// tokio::select! {
///     ended = session.terminated() => println!("the session has ended: {}", ended?),
///     ended = server.ticker.terminated() => assert!(matches!(ended?, Ended::Done)),
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "futures do nothing unless awaited"]
#[derive(Debug)]
pub struct Terminated {
    pub(super) cell: Arc<dyn AnyCell>,
    pub(super) waiting: Waiting,
}

impl Terminated {
    pub(crate) fn of(cell: Arc<dyn AnyCell>) -> Self {
        Terminated { cell, waiting: Waiting::default() }
    }
}

impl Drop for Terminated {
    fn drop(&mut self) {
        self.cell.core().leave(&mut self.waiting);
    }
}

impl Future for Terminated {
    type Output = Result<Ended, WaitError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Self::Output> {
        let Terminated { cell, waiting } = &mut *self;
        let core = cell.core();
        match core.poll_ended(waiting, cx.waker()) {
            Poll::Ready(ended) => Poll::Ready(Ok(ended)),
            Poll::Pending if current::is_inside(core.id) => Poll::Ready(Err(WaitError { path: core.path() })),
            Poll::Pending => Poll::Pending,
        }
    }
}
