//! The futures of spawns.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::base::sync::Arc;
use crate::base::sync::atomic::{AtomicBool, Ordering};

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

pin_project! {
    /// The future of every `spawn`: of a set, [`Children`](crate::Children) or [`Keyed`](crate::Keyed), of an actor,
    /// [`Context::spawn`](crate::Context::spawn), and of a top-level child, [`spawn`](crate::spawn()).
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
    #[derive(Debug)]
    #[must_use = "the child is spawned when this is awaited"]
    pub struct Spawn<F> {
        #[pin]
        future: F,
        detached: Detached,
    }
}

impl<F> Spawn<F> {
    pub(crate) fn new(make: impl FnOnce(Detached) -> F) -> Self {
        let detached = Detached::default();
        Spawn { future: make(detached.clone()), detached }
    }

    /// Lets the child start even if this future is dropped after its first poll.
    pub fn detached(self) -> Self {
        self.detached.set();
        self
    }
}

impl<F: Future> Future for Spawn<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        self.project().future.poll(cx)
    }
}

/// Whether [`Keyed::get_or_spawn`](crate::Keyed::get_or_spawn) has found an instance or made one; see
/// [`GetOrSpawn::told`](crate::future::GetOrSpawn::told).
///
/// ```
/// use supervise::Origin;
/// use supervise::prelude::*;
/// # struct Room;
/// # #[actor]
/// # impl Room { fn handle(&mut self, _msg: ()) {} }
///
/// # supervisor! { struct House { rooms: [u32 => Room] = |_number: u32| Room } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let house = House::start().await?;
/// let (first, origin) = house.rooms.get_or_spawn(7).told().await?;
/// assert_eq!(origin, Origin::Made);
/// assert_eq!(house.rooms.get_or_spawn(7).told().await?, (first, Origin::Found));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The instance was there, or starting for another caller.
    Found,
    /// This call has started the instance.
    Made,
}

pin_project! {
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
    #[derive(Debug)]
    #[must_use = "the instance is looked for when this is awaited"]
    pub struct GetOrSpawn<F> {
        #[pin]
        told: Told<F>,
    }
}

impl<F> GetOrSpawn<F> {
    pub(super) fn new(make: impl FnOnce(Detached) -> F) -> Self {
        let detached = Detached::default();
        GetOrSpawn { told: Told { future: make(detached.clone()), detached } }
    }

    /// Lets an instance that this call has begun start even if this future is dropped.
    pub fn detached(self) -> Self {
        self.told.detached.set();
        self
    }

    /// Gives besides the handle whether the instance was found or made; see [`Origin`](crate::Origin).
    pub fn told(self) -> Told<F> {
        self.told
    }
}

impl<H, E, F: Future<Output = Result<(H, Origin), E>>> Future for GetOrSpawn<F> {
    type Output = Result<H, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(ready!(self.project().told.poll(cx)).map(|(handle, _)| handle))
    }
}

pin_project! {
    /// The future of [`GetOrSpawn::told`](crate::future::GetOrSpawn::told).
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
    /// let told = house.rooms.get_or_spawn(7).told().detached();
    /// let (room, _) = told.await?;
    /// # assert!(room.is_alive());
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Debug)]
    #[must_use = "the instance is looked for when this is awaited"]
    pub struct Told<F> {
        #[pin]
        future: F,
        detached: Detached,
    }
}

impl<F> Told<F> {
    /// Lets an instance that this call has begun start even if this future is dropped.
    pub fn detached(self) -> Self {
        self.detached.set();
        self
    }
}

impl<F: Future> Future for Told<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        self.project().future.poll(cx)
    }
}
