//! The time of an ask (S3): when it is over, whatever the actor does.
//!
//! To arm a timer of tokio costs about as much as the whole way of a message, and almost no ask needs its timer. So an
//! ask that was answered leaves its timer armed, and the next ask on this thread with the same waker takes it, if it fires
//! before the time of that ask is over. When it fires, the ask arms it again, for the rest. Its own time is as exact as
//! with a timer of its own.
//!
//! A timer that was left may be taken only if it wakes this very future, by the clock of this runtime:
//!
//! * The timer was made in the same runtime: a task of a `LocalSet` may be polled in several, and any task may enter
//!   another.
//! * The timer has the waker of this poll. No other task has the same one, since the timer keeps it. One task may poll
//!   several futures, each with a waker of its own.
//! * The timer has not fired. When a runtime ends, all its timers fire.
//!
//! A timer that was left may wake its task once for nothing. Until it fires, it keeps the memory of the task; until the
//! next ask on this thread, that of its runtime. So only a timer that fires soon is left.

use std::cell::Cell;
use std::pin::{Pin, pin};
use std::ptr::from_ref;
use std::task::{Context as Cx, Poll, Waker};
use std::time::Duration;

#[cfg(not(shuttle))]
use tokio::runtime::{Handle, Id as RuntimeId};
use tokio::task::unconstrained;
use tokio::time::{Instant, Sleep, sleep_until};

use supervise_core::base::clock::after;
use supervise_core::base::sync::foreign;

/// The longest time of an ask that leaves its timer to the next one.
const SOON: Duration = Duration::from_secs(10);

/// The time of an ask, from its first wait on.
pub(super) struct Deadline {
    until: Instant,
    timer: Timer,
}

/// A timer. It may fire too early.
struct Timer {
    sleep: Pin<Box<Sleep>>,
    /// The runtime in which it was made.
    made: Option<RuntimeId>,
    /// The address of the waker that it wakes. The timer keeps this waker until it fires.
    wakes: Option<Address>,
}

/// The address of a waker. Two wakers that exist at the same time wake the same future if they have the same address.
type Address = (usize, usize);

/// Whether timers are left. In the tests of interleavings all schedules would share them.
const LEAVES: bool = cfg!(not(shuttle));

thread_local! {
    /// The timer that the last ask on this thread has left.
    static SPARE: Cell<Option<Timer>> = const { Cell::new(None) };
}

impl Deadline {
    /// Begins the time. Returns whether it is over; if not, the task will be woken.
    pub(super) fn begin(deadline: &mut Option<Self>, within: Duration, here: Here, cx: &mut Cx<'_>) -> Poll<()> {
        let now = Instant::now();
        let until = after(now, within);
        let Here(made) = here;
        let sleep = match SPARE.try_with(Cell::take).ok().flatten() {
            Some(timer) if timer.suits(made, cx.waker(), now, until) => {
                *deadline = Some(Deadline { until, timer });
                return Poll::Pending;
            }
            Some(Timer { mut sleep, .. }) => {
                foreign(); // a waker is dropped
                sleep.set(sleep_until(until));
                sleep
            }
            None => Box::pin(sleep_until(until)),
        };
        deadline.insert(Deadline { until, timer: Timer { sleep, made, wakes: None } }).poll(cx)
    }

    /// Returns whether the time is over; if not, the task will be woken.
    pub(super) fn poll(&mut self, cx: &mut Cx<'_>) -> Poll<()> {
        while self.timer.poll(cx).is_ready() {
            if self.timer.sleep.deadline() >= self.until {
                return Poll::Ready(());
            }
            self.timer.sleep.as_mut().reset(self.until); // armed for an earlier ask
        }
        Poll::Pending
    }

    /// Leaves the timer of an ask that was answered to the next one on this thread.
    pub(super) fn leave(self, within: Duration) {
        if LEAVES && within <= SOON {
            let before = SPARE.try_with(|spare| spare.replace(Some(self.timer)));
            foreign(); // a waker may be dropped
            drop(before);
        }
    }
}

impl Timer {
    fn poll(&mut self, cx: &mut Cx<'_>) -> Poll<()> {
        self.wakes = self.made.and_then(|_| kept(cx.waker()));
        // Without this, a timer is not armed if its task has used up its turn.
        pin!(unconstrained(self.sleep.as_mut())).poll(cx)
    }

    /// Returns whether it wakes this future in this runtime, by this waker, at a time within these two.
    fn suits(&self, made: Option<RuntimeId>, waker: &Waker, now: Instant, until: Instant) -> bool {
        let at = self.sleep.deadline();
        made.is_some()
            && self.made == made
            && self.wakes == Some(address(waker))
            && now < at
            && at <= until
            && !self.sleep.is_elapsed()
    }
}

/// The runtime on this thread, which an ask looks for once.
#[derive(Clone, Copy)]
pub(super) struct Here(Option<RuntimeId>);

impl Here {
    /// Returns `None` outside of a runtime.
    #[cfg(not(shuttle))]
    pub(super) fn find() -> Option<Self> {
        Handle::try_current().ok().map(|runtime| Here(Some(runtime.id())))
    }

    #[cfg(shuttle)]
    pub(super) fn find() -> Option<Self> {
        Some(Here(None))
    }
}

/// Stands in for the id of a runtime in the tests of interleavings, in which no timer is left.
#[cfg(shuttle)]
type RuntimeId = ();

fn address(waker: &Waker) -> Address {
    (waker.data().addr(), from_ref(waker.vtable()).addr())
}

/// Returns the address of a waker if its clones have the same one. Otherwise this address is not kept by its clones, and
/// may be that of another waker next.
fn kept(waker: &Waker) -> Option<Address> {
    foreign();
    waker.will_wake(&waker.clone()).then(|| address(waker))
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::future::poll_fn;
    use std::sync::Arc;
    use std::task::Wake;

    use tokio::task;

    const TIME: Duration = Duration::from_secs(5);

    fn here() -> Here {
        Here::find().expect("a runtime")
    }

    /// Begins a time, and returns it with its timer's address.
    async fn begin(within: Duration) -> (Deadline, *const Sleep) {
        let mut deadline = None;
        let over = poll_fn(|cx| Poll::Ready(Deadline::begin(&mut deadline, within, here(), cx).is_ready())).await;
        assert!(!over);
        let deadline = deadline.expect("a time that has begun");
        let timer = from_ref(&*deadline.timer.sleep);
        (deadline, timer)
    }

    /// Begins a time after another one was left, and returns when its timer fires, in seconds from the begin of the
    /// first.
    async fn fires_after(first: Duration, pause: Duration, then: Duration) -> u64 {
        let begun = Instant::now();
        let (deadline, _) = begin(first).await;
        deadline.leave(first);
        tokio::time::advance(pause).await;
        let (deadline, _) = begin(then).await;
        (deadline.timer.sleep.deadline() - begun).as_secs()
    }

    async fn in_task<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
        tokio::spawn(work).await.expect("a task that returns")
    }

    #[tokio::test(start_paused = true)]
    async fn an_ask_takes_the_timer_that_was_left() {
        let secs = Duration::from_secs;
        assert_eq!(in_task(fires_after(TIME, secs(3), TIME)).await, 5, "it fires early enough");
        assert_eq!(in_task(fires_after(TIME, secs(1), secs(3))).await, 4, "it would fire too late");
        assert_eq!(in_task(fires_after(TIME, secs(7), TIME)).await, 12, "it has fired");
        assert_eq!(in_task(fires_after(secs(11), secs(1), secs(20))).await, 21, "it would be kept for too long");
    }

    #[tokio::test(start_paused = true)]
    async fn a_timer_that_fires_early_is_armed_for_the_rest() {
        let waited = in_task(async {
            begin(TIME).await.0.leave(TIME);
            tokio::time::advance(Duration::from_secs(3)).await;
            let begun = Instant::now();
            let (mut deadline, _) = begin(TIME).await;
            poll_fn(|cx| deadline.poll(cx)).await;
            begun.elapsed()
        });
        assert_eq!(waited.await, TIME);
    }

    #[tokio::test(start_paused = true)]
    async fn outside_of_a_task_the_timer_is_taken_too() {
        assert_eq!(fires_after(TIME, Duration::from_secs(3), TIME).await, 5);
    }

    /// Another task takes only the memory. The waker of a task that has ended is not that of a later one as long as the
    /// timer keeps it.
    #[tokio::test(start_paused = true)]
    async fn a_timer_belongs_to_its_task() {
        let begun = Instant::now();
        let timer = in_task(async {
            let (deadline, timer) = begin(TIME).await;
            deadline.leave(TIME);
            timer.addr()
        });
        let timer = timer.await;
        tokio::time::advance(Duration::from_secs(1)).await;
        let next = in_task(async {
            let (deadline, timer) = begin(TIME).await;
            (deadline.timer.sleep.deadline(), timer.addr())
        });
        assert_eq!(next.await, (begun + Duration::from_secs(6), timer));
    }

    /// A task of a `LocalSet` may be polled in one runtime after the other.
    #[test]
    fn a_timer_belongs_to_its_runtime() {
        let paused = || tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let (first, second, set) = (paused(), paused(), task::LocalSet::new());
        let (left, is_left) = tokio::sync::oneshot::channel();
        let (go, goes) = tokio::sync::oneshot::channel();
        let task = set.spawn_local(async move {
            begin(TIME).await.0.leave(TIME);
            left.send(()).unwrap();
            goes.await.unwrap();
            let begun = Instant::now();
            let mut deadline = None;
            let over = poll_fn(|cx| match &mut deadline {
                None => Deadline::begin(&mut deadline, TIME, here(), cx),
                Some(deadline) => deadline.poll(cx),
            });
            tokio::time::timeout(2 * TIME, over).await.expect("the timer is not one of this runtime");
            begun.elapsed()
        });
        set.block_on(&first, is_left).unwrap();
        go.send(()).unwrap();
        assert_eq!(set.block_on(&second, task).unwrap(), TIME);
    }

    /// A part of a task, with a waker of its own.
    struct Part;

    impl Wake for Part {
        fn wake(self: Arc<Self>) {}
    }

    #[tokio::test(start_paused = true)]
    async fn a_timer_belongs_to_its_part_of_a_task() {
        let fire = in_task(async {
            let begun = Instant::now();
            let parts = [Waker::from(Arc::new(Part)), Waker::from(Arc::new(Part))];
            let mut fire = Vec::new();
            for part in [&parts[0], &parts[1], &parts[1]] {
                let mut deadline = None;
                assert!(Deadline::begin(&mut deadline, TIME, here(), &mut Cx::from_waker(part)).is_pending());
                let deadline = deadline.expect("a time that has begun");
                fire.push((deadline.timer.sleep.deadline() - begun).as_secs());
                deadline.leave(TIME);
                tokio::time::advance(Duration::from_secs(1)).await;
            }
            fire
        });
        assert_eq!(fire.await, [5, 6, 6]);
    }

    /// The clones of this waker are elsewhere, so its own address may be that of another one next.
    #[tokio::test(start_paused = true)]
    #[expect(unsafe_code, reason = "a waker whose data is a number")]
    async fn a_timer_is_not_known_by_a_waker_that_its_clones_do_not_keep() {
        static NEXT: std::task::RawWakerVTable = std::task::RawWakerVTable::new(
            |number| std::task::RawWaker::new(number.wrapping_byte_add(1), &NEXT),
            |_| {},
            |_| {},
            |_| {},
        );
        let begun = Instant::now();
        // SAFETY: no function of the table reads the number.
        let waker = unsafe { Waker::new(std::ptr::null(), &NEXT) };
        let mut fire = Vec::new();
        for _ in 0..2 {
            let mut deadline = None;
            assert!(Deadline::begin(&mut deadline, TIME, here(), &mut Cx::from_waker(&waker)).is_pending());
            let deadline = deadline.expect("a time that has begun");
            fire.push((deadline.timer.sleep.deadline() - begun).as_secs());
            deadline.leave(TIME);
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        assert_eq!(fire, [5, 6]);
    }
}
