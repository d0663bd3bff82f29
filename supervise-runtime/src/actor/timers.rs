//! The ticks of a timer: messages of the actor to itself, which are dropped with its incarnation.

use std::fmt;

use crate::actor::Actor;
use crate::engine::background::Queue;
use crate::engine::mailbox::{OwnMailbox, Rejected};
use supervise_core::base::sync::atomic::{AtomicBool, Ordering};
use supervise_core::base::sync::{Arc, Mutex, Weak, foreign, lock};

/// The source of a tick's message.
pub(crate) enum Make<M> {
    Once(M),
    /// Made when the tick is handled.
    Late(Box<dyn FnOnce() -> M + Send>),
    Every(Box<dyn FnMut() -> M + Send>),
}

/// A timer, or the result of a subordinate future. The mailbox holds only a reference to it. The message itself stays
/// here until it is handled, so that nothing of it is left in the mailbox when the timer is cancelled.
pub(crate) struct Tick<A: Actor> {
    cell: Weak<dyn OwnMailbox<Self>>,
    /// The incarnation that the tick belongs to; in another one it is stale.
    incarnation: u32,
    cancelled: AtomicBool,
    /// True while the tick is in the mailbox, or on its way into it.
    queued: AtomicBool,
    make: Mutex<Option<Make<A::Msg>>>,
}

impl<A: Actor> Tick<A> {
    pub(crate) fn new(cell: Weak<dyn OwnMailbox<Self>>, incarnation: u32, make: Make<A::Msg>) -> Arc<Self> {
        Arc::new(Tick {
            cell,
            incarnation,
            cancelled: AtomicBool::new(false),
            queued: AtomicBool::new(false),
            make: Mutex::new(Some(make)),
        })
    }

    /// Returns the message when the tick is to be handled, unless it is stale or cancelled. Runs user code.
    pub(crate) fn take(&self, incarnation: u32) -> Option<A::Msg> {
        self.queued.store(false, Ordering::Relaxed);
        if self.incarnation != incarnation || self.is_cancelled() {
            return None;
        }
        let make = lock(&self.make).take()?;
        foreign();
        match make {
            Make::Once(msg) => Some(msg),
            Make::Late(make) => Some(make()),
            Make::Every(mut every) => {
                let msg = every();
                // The closure may have cancelled its own timer.
                if !self.is_cancelled() {
                    let before = lock(&self.make).replace(Make::Every(every));
                    drop(before);
                }
                Some(msg)
            }
        }
    }
}

impl<A: Actor> Queue for Tick<A> {
    fn queue(self: Arc<Self>) -> bool {
        self.queued.swap(true, Ordering::Relaxed) || self.try_again()
    }

    fn try_again(self: Arc<Self>) -> bool {
        let Some(cell) = self.cell.upgrade().filter(|_| !self.is_cancelled()) else { return true };
        matches!(cell.push_own(self), Ok(()) | Err(Rejected::Closed))
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
        let make = lock(&self.make).take();
        foreign();
        drop(make); // user code: not under the lock
    }
}

/// A timer of an actor, returned by [`Context::send_after`](crate::Context::send_after) and
/// [`Context::send_every`](crate::Context::send_every).
///
/// Dropping a `Timer` changes nothing: use [`cancel`](Timer::cancel). It is cheap to clone. A timer belongs to one
/// incarnation: a restart ends it, and removes its ticks (S11).
///
/// ```
/// use std::time::Duration;
/// use supervise::{Timer, prelude::*};
///
/// /// Ends after 30 s of silence.
/// struct Session {
///     idle: Option<Timer>,
/// }
///
/// enum Msg {
///     Line(&'static str),
///     Idle,
/// }
///
/// #[actor]
/// impl Session {
///     fn handle(&mut self, msg: Msg, cx: &mut Context<Self>) {
///         match msg {
///             Msg::Line(_) => {
///                 let timer = cx.send_after(Duration::from_secs(30), Msg::Idle);
///                 if let Some(before) = self.idle.replace(timer) {
///                     before.cancel();
///                 }
///             }
///             Msg::Idle => cx.stop(),
///         }
///     }
/// }
///
/// # supervisor! { struct Server { #[lifecycle(Transient)] session: Session = Session { idle: None } } }
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let server = Server::start().await?;
/// let began = tokio::time::Instant::now();
/// server.session.tell(Msg::Line("hello")).await?;
/// tokio::time::sleep(Duration::from_secs(20)).await;
/// server.session.tell(Msg::Line("anybody there?")).await?;
/// assert!(matches!(server.session.terminated().await?, Ended::Done));
/// assert_eq!(began.elapsed(), Duration::from_secs(50));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Timer {
    pub(crate) tick: Arc<dyn Queue>,
}

impl fmt::Debug for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timer").field("cancelled", &self.tick.is_cancelled()).finish()
    }
}

impl Timer {
    /// Cancels the timer. No tick of it is handled from now on, not even one that is already in the mailbox.
    pub fn cancel(&self) {
        self.tick.cancel();
    }
}

/// A value that [`Context::send_every`](crate::Context::send_every) can send: a message that is `Clone`, or a closure
/// that makes one.
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
///
/// struct Clock {
///     ticks: u32,
///     hours: u32,
/// }
///
/// enum Msg {
///     Tick,
///     Hour(u32),
///     Read(Reply<(u32, u32)>),
/// }
///
/// #[actor]
/// impl Clock {
///     #[pre_start]
///     fn wind(&mut self, cx: &mut Context<Self>) {
///         cx.send_every(Duration::from_secs(60), || Msg::Tick); // `Msg::Tick` alone if `Msg` were `Clone`
///         let mut hour = 0;
///         cx.send_every(Duration::from_secs(3600), move || {
///             hour += 1;
///             Msg::Hour(hour)
///         });
///     }
///
///     fn handle(&mut self, msg: Msg) {
///         match msg {
///             Msg::Tick => self.ticks += 1,
///             Msg::Hour(hour) => self.hours = hour,
///             Msg::Read(reply) => reply.send((self.ticks, self.hours)),
///         }
///     }
/// }
///
/// # supervisor! { struct Tower { clock: Clock = Clock { ticks: 0, hours: 0 } } }
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let tower = Tower::start().await?;
/// tokio::time::sleep(Duration::from_secs(2 * 3600 + 1)).await;
/// assert_eq!(tower.clock.ask(Msg::Read).await?, (120, 2));
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`send_every` cannot send this again and again",
    label = "expected a message that is `Clone`, or a closure `FnMut() -> Msg`"
)]
pub trait Every<M, Kind>: Send + 'static {
    #[doc(hidden)]
    fn every(self) -> Box<dyn FnMut() -> M + Send>;
}

impl<M: Clone + Send + 'static> Every<M, ()> for M {
    fn every(self) -> Box<dyn FnMut() -> M + Send> {
        Box::new(move || self.clone())
    }
}

impl<M, F: FnMut() -> M + Send + 'static> Every<M, fn()> for F {
    fn every(self) -> Box<dyn FnMut() -> M + Send> {
        Box::new(self)
    }
}
