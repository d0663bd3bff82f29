//! Sources that an actor follows: streams and channels whose items become its messages (S65).
//!
//! One future for each source lives beside the actor. It takes an item, leaves it in a place that it shares with the
//! mailbox, and takes the next one when that place is empty. So a source has one item at a time in the mailbox, costs no
//! allocation for each item, and needs no bound.

use std::fmt;
use std::future::poll_fn;
use std::mem::take;
use std::task::{Poll, Waker};

use futures_core::Stream;
use tokio::sync::{broadcast, mpsc, watch};

use crate::actor::{Actor, name_of};
use crate::engine::background::Queue;
use crate::engine::mailbox::{OwnMailbox, Rejected};
use supervise_core::base::BoxFuture;
use supervise_core::base::deferred_drop::drop_catching_panics;
use supervise_core::base::sync::atomic::{AtomicBool, Ordering};
use supervise_core::base::sync::{Arc, Mutex, Weak, foreign, lock};
use supervise_core::values::event::{DeadLetterReason, EventKind};

/// A source of items that [`Context::follow`](crate::Context::follow) takes: a [`Stream`], or a receiver of tokio.
///
/// | source | item | end |
/// |---|---|---|
/// | a `Stream` | its item | its end |
/// | `watch::Receiver<T>` | `T`, a clone: the present value first, then each that is there when the one before was handled | all senders are gone |
/// | `broadcast::Receiver<T>` | `Result<T, Lagged>`: the number of items that were missed, in their place | all senders are gone |
/// | `mpsc::Receiver<T>`, `mpsc::UnboundedReceiver<T>` | `T` | all senders are gone, and all is received |
///
/// ```
/// use supervise::prelude::*;
/// use tokio::sync::watch;
///
/// struct Lamp {
///     light: watch::Receiver<bool>,
/// }
///
/// #[actor]
/// impl Lamp {
///     #[pre_start]
///     fn begin(&mut self, cx: &mut Context<Self>) {
///         cx.follow(self.light.clone(), LampMsg::switch); // a `watch::Receiver<bool>` is a `Source`
///     }
///
///     #[message]
///     fn switch(&mut self, on: bool) {
///         println!("{}", if on { "on" } else { "off" });
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be followed",
    label = "is no `Stream`, and no receiver of tokio",
    note = "a source is `Send + 'static`: a `Stream`, or a `watch`, `broadcast` or `mpsc` receiver of tokio"
)]
pub trait Source<Kind>: Send + 'static {
    /// An item of the source.
    type Item: Send;

    #[doc(hidden)]
    fn items<F: FnMut(Self::Item) -> Option<Place> + Send + 'static>(self, put: F) -> BoxFuture<'static, ()>;
}

/// The place of an item, which is empty again when the item is handled.
#[doc(hidden)]
pub struct Place(Arc<dyn Waits>);

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Place")
    }
}

trait Waits: Send + Sync {
    fn is_empty(&self) -> bool;
}

impl Place {
    /// Waits until the item is handled. The future around this one is woken then.
    async fn emptied(self) {
        poll_fn(|_| if self.0.is_empty() { Poll::Ready(()) } else { Poll::Pending }).await;
    }
}

/// Takes the items of a source, one after the other, until it ends or nobody wants them any more.
macro_rules! items {
    ($put:ident, $next:expr) => {
        Box::pin(async move {
            while let Some(item) = $next {
                let Some(place) = $put(item) else { return };
                place.emptied().await;
            }
        })
    };
}

impl<S: Stream<Item: Send> + Send + 'static> Source<()> for S {
    type Item = S::Item;

    fn items<F: FnMut(S::Item) -> Option<Place> + Send + 'static>(self, mut put: F) -> BoxFuture<'static, ()> {
        let mut stream = Box::pin(self);
        items!(put, poll_fn(|cx| stream.as_mut().poll_next(cx)).await)
    }
}

impl<T: Clone + Send + Sync + 'static> Source<watch::Sender<T>> for watch::Receiver<T> {
    type Item = T;

    fn items<F: FnMut(T) -> Option<Place> + Send + 'static>(mut self, mut put: F) -> BoxFuture<'static, ()> {
        let mut is_present = true;
        items!(put, (take(&mut is_present) || self.changed().await.is_ok()).then(|| self.borrow_and_update().clone()))
    }
}

impl<T: Clone + Send + 'static> Source<broadcast::Sender<T>> for broadcast::Receiver<T> {
    type Item = Result<T, Lagged>;

    fn items<F: FnMut(Self::Item) -> Option<Place> + Send + 'static>(mut self, mut put: F) -> BoxFuture<'static, ()> {
        items!(
            put,
            match self.recv().await {
                Ok(item) => Some(Ok(item)),
                Err(broadcast::error::RecvError::Lagged(missed)) => Some(Err(Lagged(missed))),
                Err(broadcast::error::RecvError::Closed) => None,
            }
        )
    }
}

impl<T: Send + 'static> Source<mpsc::Sender<T>> for mpsc::Receiver<T> {
    type Item = T;

    fn items<F: FnMut(T) -> Option<Place> + Send + 'static>(mut self, mut put: F) -> BoxFuture<'static, ()> {
        items!(put, self.recv().await)
    }
}

impl<T: Send + 'static> Source<mpsc::UnboundedSender<T>> for mpsc::UnboundedReceiver<T> {
    type Item = T;

    fn items<F: FnMut(T) -> Option<Place> + Send + 'static>(mut self, mut put: F) -> BoxFuture<'static, ()> {
        items!(put, self.recv().await)
    }
}

/// Items of a `broadcast` channel that its receiver was too slow for: this many are missed.
///
/// ```
/// use supervise::Lagged;
/// use supervise::prelude::*;
/// use tokio::sync::broadcast;
///
/// struct Ticker {
///     prices: broadcast::Receiver<u32>,
/// }
///
/// #[actor]
/// impl Ticker {
///     #[pre_start]
///     fn begin(&mut self, cx: &mut Context<Self>) {
///         cx.follow(self.prices.resubscribe(), TickerMsg::price);
///     }
///
///     #[message]
///     fn price(&mut self, price: Result<u32, Lagged>) {
///         match price {
///             Ok(price) => println!("{price}"),
///             Err(Lagged(missed)) => println!("{missed} prices were missed"),
///         }
///     }
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{0} items were missed")]
pub struct Lagged(pub u64);

/// A message at the end of a source.
type End<M> = Box<dyn FnOnce() -> M + Send>;

/// A source as the actor has it: its item that waits to be handled.
pub(crate) struct Follow<A: Actor> {
    cell: Weak<dyn OwnMailbox<Self>>,
    incarnation: u32,
    cancelled: AtomicBool,
    /// True while it is in the mailbox, or on its way into it.
    queued: AtomicBool,
    place: Mutex<Item<A::Msg>>,
}

struct Item<M> {
    message: Option<M>,
    /// A message of the source is being handled.
    in_hand: bool,
    /// The waker of the future that takes the items.
    waker: Option<Waker>,
    end: Option<End<M>>,
}

impl<A: Actor> Follow<A> {
    pub(crate) fn new(cell: Weak<dyn OwnMailbox<Self>>, incarnation: u32) -> Arc<Self> {
        Arc::new(Follow {
            cell,
            incarnation,
            cancelled: AtomicBool::new(false),
            queued: AtomicBool::new(false),
            place: Mutex::new(Item { message: None, in_hand: false, waker: None, end: None }),
        })
    }

    /// Puts a message into its place. `None`: nobody wants it any more.
    fn put(self: &Arc<Self>, message: A::Msg) -> Option<Place> {
        if self.is_cancelled() {
            return None;
        }
        let before = lock(&self.place).message.replace(message);
        foreign();
        drop(before);
        if self.is_cancelled() {
            drop(self.empty()); // meanwhile, on another thread
            return None;
        }
        Some(Place(self.clone()))
    }

    /// Returns the future that takes the items.
    pub(crate) fn feed<S: Source<Kind>, Kind>(
        self: Arc<Self>,
        source: S,
        mut message: impl FnMut(S::Item) -> A::Msg + Send + 'static,
    ) -> BoxFuture<'static, ()> {
        let into = self.clone();
        let mut items = source.items(move |item| into.put(message(item)));
        let counted = Counted::new(self.cell.clone());
        Box::pin(async move {
            let _counted = counted;
            poll_fn(|cx| {
                // Whoever empties the place, or cancels, wakes this future.
                let is_known = lock(&self.place).waker.as_ref().is_some_and(|known| known.will_wake(cx.waker()));
                if !is_known {
                    let waker = cx.waker().clone();
                    let before = lock(&self.place).waker.replace(waker);
                    drop(before);
                }
                if self.is_cancelled() { Poll::Ready(()) } else { items.as_mut().poll(cx) }
            })
            .await;
            drop(items);
            let end = lock(&self.place).end.take();
            foreign();
            if let Some(end) = end
                && let Some(place) = self.put(end())
            {
                place.emptied().await;
            }
        })
    }

    /// Takes the message when it is to be handled, unless the source is cancelled or of an incarnation before.
    pub(crate) fn take(&self, incarnation: u32) -> Option<A::Msg> {
        self.queued.store(false, Ordering::Relaxed);
        if self.incarnation != incarnation || self.is_cancelled() {
            return None;
        }
        let mut place = lock(&self.place);
        place.in_hand = place.message.is_some();
        place.message.take()
    }

    /// Takes the message out of its place, and has the next one asked for.
    pub(crate) fn empty(&self) -> Option<A::Msg> {
        let mut place = lock(&self.place);
        let message = place.message.take();
        place.in_hand = false;
        let waker = place.waker.clone();
        drop(place);
        foreign();
        if let Some(waker) = waker {
            waker.wake();
        }
        message
    }

    /// Returns the name of the message that waits.
    pub(crate) fn word(&self) -> Option<&'static str> {
        lock(&self.place).message.as_ref().map(|message| name_of::<A>(message))
    }
}

/// Counts a source for snapshots, as long as it is there.
struct Counted<A: Actor>(Weak<dyn OwnMailbox<Follow<A>>>);

impl<A: Actor> Counted<A> {
    fn new(cell: Weak<dyn OwnMailbox<Follow<A>>>) -> Self {
        if let Some(cell) = cell.upgrade() {
            cell.core().count_source(true);
        }
        Counted(cell)
    }
}

impl<A: Actor> Drop for Counted<A> {
    fn drop(&mut self) {
        if let Some(cell) = self.0.upgrade() {
            cell.core().count_source(false);
        }
    }
}

impl<A: Actor> Waits for Follow<A> {
    fn is_empty(&self) -> bool {
        let place = lock(&self.place);
        place.message.is_none() && !place.in_hand
    }
}

impl<A: Actor> Queue for Follow<A> {
    fn queue(self: Arc<Self>) -> bool {
        self.queued.swap(true, Ordering::Relaxed) || self.try_again()
    }

    fn try_again(self: Arc<Self>) -> bool {
        let Some(cell) = self.cell.upgrade().filter(|_| !self.is_cancelled()) else { return true };
        match cell.push_own(self) {
            Ok(()) | Err(Rejected::Closed) => true,
            Err(_) => false,
        }
    }

    fn has_item(&self) -> bool {
        !self.queued.load(Ordering::Relaxed) && lock(&self.place).message.is_some()
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
        drop(self.empty()); // wakes the future, which then ends
        let end = lock(&self.place).end.take();
        foreign();
        drop(end);
    }

    fn go_on(&self) {
        drop(self.empty());
    }

    fn lose(&self, reason: DeadLetterReason) {
        let end = lock(&self.place).end.take();
        foreign();
        drop_catching_panics(end);
        let Some(message) = self.empty() else { return };
        if let Some(cell) = self.cell.upgrade() {
            #[cfg(feature = "testing")]
            cell.core().witness_item();
            cell.core().emit(EventKind::DeadLetter { message: name_of::<A>(&message), reason });
        }
        drop(message);
    }
}

/// A source that an actor follows, returned by [`Context::follow`](crate::Context::follow).
///
/// Dropping a `Followed` changes nothing: use [`cancel`](Followed::cancel).
///
/// ```
/// use supervise::Followed;
/// use supervise::prelude::*;
/// use tokio::sync::mpsc;
///
/// /// Reads its orders until it is told that there are enough.
/// struct Desk {
///     orders: Option<mpsc::Receiver<u32>>,
///     followed: Option<Followed<Desk>>,
/// }
///
/// #[actor]
/// impl Desk {
///     #[pre_start]
///     fn open(&mut self, cx: &mut Context<Self>) {
///         self.followed = self.orders.take().map(|orders| cx.follow(orders, DeskMsg::order));
///     }
///
///     #[message]
///     fn order(&mut self, number: u32) {
///         println!("order {number}");
///     }
///
///     #[message]
///     fn enough(&mut self) {
///         if let Some(followed) = &self.followed {
///             followed.cancel();
///         }
///     }
/// }
/// ```
pub struct Followed<A> {
    follow: Arc<dyn IsFollowed<A>>,
}

/// A source behind which the type of the messages is hidden; see [`HasCell`](super::actor_ref::HasCell).
trait IsFollowed<A>: Queue {
    fn set_end(&self, end: Box<dyn FnOnce() -> A::Msg + Send>)
    where
        A: Actor;
}

impl<A: Actor> IsFollowed<A> for Follow<A> {
    fn set_end(&self, end: End<A::Msg>) {
        let before = lock(&self.place).end.replace(end);
        foreign();
        drop(before);
    }
}

impl<A> fmt::Debug for Followed<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Followed").field("cancelled", &self.follow.is_cancelled()).finish()
    }
}

impl<A: Actor> Followed<A> {
    pub(crate) fn of(follow: Arc<Follow<A>>) -> Self {
        Followed { follow }
    }

    /// Sends a message when the source has ended. Otherwise its end is silent.
    ///
    /// Call it at once: a source that is over already tells its end no more. The message comes once, after all items are
    /// handled. A source that is cancelled, or ends with its incarnation, sends none. See
    /// [`Context::follow`](crate::Context::follow) for an example.
    pub fn ended(self, message: impl FnOnce() -> A::Msg + Send + 'static) -> Self {
        self.follow.set_end(Box::new(message));
        self
    }
}

impl<A> Followed<A> {
    /// Ends the source: it is dropped, and so is an item that waits to be handled. No item comes any more.
    pub fn cancel(&self) {
        self.follow.cancel();
    }
}
