//! The futures of spawns.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use supervise_core::base::BoxFuture;
use supervise_core::base::sync::Arc;
use supervise_core::base::sync::atomic::{AtomicBool, Ordering};
use supervise_core::values::spawn_error::SpawnError;

/// Shared by a future and the guard that gives its start up: set once the future may be dropped.
#[derive(Debug, Clone, Default)]
pub(crate) struct Detached(Arc<AtomicBool>);

impl Detached {
    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The future of every `spawn`: of a set, [`Children`](crate::Children) or [`Keyed`](crate::Keyed), of an actor,
/// [`Context::spawn`](crate::Context::spawn), and of a top-level child, [`spawn`](https://docs.rs/supervise-tree/latest/supervise/fn.spawn.html).
///
/// Nothing has begun before its first poll. If it is dropped after that and before it is ready, the child is
/// stopped, unless it is [`detached`](Spawn::detached).
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
/// # struct Session;
/// # #[actor]
/// # impl Session { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Server {
///         sessions: [Session] = |slow: Duration| {
///             tokio::time::sleep(slow).await;
///             Session
///         },
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::start().await?;
/// let spawn = server.sessions.spawn(Duration::from_secs(3)).detached();
/// assert!(tokio::time::timeout(Duration::from_secs(1), spawn).await.is_err());
/// tokio::time::sleep(Duration::from_secs(3)).await;
/// assert_eq!(server.sessions.handles().len(), 1); // it has come up all the same
/// # Ok(())
/// # }
/// ```
#[must_use = "the child is spawned when this is awaited; `let _ =` does not spawn it either"]
pub struct Spawn<R> {
    // Boxed, so that the type says nothing of the child: a future that holds it is `Send` whatever the child is.
    future: BoxFuture<'static, R>,
    detached: Detached,
}

impl<R> fmt::Debug for Spawn<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spawn").finish_non_exhaustive()
    }
}

impl<R> Spawn<R> {
    pub(crate) fn new<F>(make: impl FnOnce(Detached) -> F) -> Self
    where
        F: Future<Output = R> + Send + 'static,
    {
        let detached = Detached::default();
        Spawn { future: Box::pin(make(detached.clone())), detached }
    }

    /// Lets the child start even if this future is dropped after its first poll.
    ///
    /// The future still waits until the child is up, and has to be polled once for anything to begin.
    pub fn detached(self) -> Self {
        self.detached.set();
        self
    }
}

impl<R> Future for Spawn<R> {
    type Output = R;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<R> {
        self.future.as_mut().poll(cx)
    }
}

/// The future of [`Keyed::get_or_spawn`](crate::Keyed::get_or_spawn).
///
/// Nothing has begun before its first poll. If it is dropped after that and before it is ready, an instance that
/// starts is stopped, unless another caller waits for it too, or this future is [`detached`](GetOrSpawn::detached).
///
/// ```
/// # use supervise::prelude::*;
/// # struct Room;
/// # #[actor]
/// # impl Room { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct House { rooms: [u32 => Room] = |_number: u32| Room } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let house = House::start().await?;
/// let room = house.rooms.get_or_spawn(7).detached().await?;
/// assert_eq!(room.path(), "rooms/7");
/// # Ok(())
/// # }
/// ```
#[must_use = "the instance is looked for when this is awaited; `let _ =` does not look for it either"]
pub struct GetOrSpawn<H>(Spawn<Result<(H, bool), SpawnError>>);

impl<H> fmt::Debug for GetOrSpawn<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GetOrSpawn").finish_non_exhaustive()
    }
}

impl<H> GetOrSpawn<H> {
    pub(super) fn new<F>(make: impl FnOnce(Detached) -> F) -> Self
    where
        F: Future<Output = Result<(H, bool), SpawnError>> + Send + 'static,
    {
        GetOrSpawn(Spawn::new(make))
    }

    /// Lets an instance that this call has begun start even if this future is dropped after its first poll.
    ///
    /// The future still waits until the instance is up.
    pub fn detached(self) -> Self {
        GetOrSpawn(self.0.detached())
    }

    /// Gives besides the handle whether the instance is new: `true` if this call has started it, `false` if it was
    /// there, or was starting for another caller.
    ///
    /// ```
    /// # use supervise::prelude::*;
    /// # struct Room;
    /// # #[actor]
    /// # impl Room { fn handle(&mut self, _msg: ()) {} }
    /// # supervisor! { struct House { rooms: [u32 => Room] = |_number: u32| Room } }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let house = House::start().await?;
    /// let (first, is_new) = house.rooms.get_or_spawn(7).with_is_new().await?;
    /// assert!(is_new);
    /// assert_eq!(house.rooms.get_or_spawn(7).with_is_new().await?, (first, false));
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_is_new(self) -> Spawn<Result<(H, bool), SpawnError>> {
        self.0
    }
}

impl<H> Future for GetOrSpawn<H> {
    type Output = Result<H, SpawnError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(ready!(Pin::new(&mut self.0).poll(cx)).map(|(handle, _)| handle))
    }
}
