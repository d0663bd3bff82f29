//! Timers and background futures of an actor: S11.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Poll, Waker};
use std::thread;
use std::time::Duration;

use supervise::Timer;
use supervise::event::EventKind;
use supervise::prelude::*;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep};

use crate::common::{Boom, Journal, ms, pass, quiet_panics, secs, seen, settle, soon};

/// Runs closures on its context, and records which message came when.
struct Clock {
    journal: Journal,
    began: Instant,
    timers: Vec<Timer>,
    /// The time that its `post_stop` takes.
    lingers: Option<Duration>,
}

type With = Box<dyn FnOnce(&mut Context<Clock>) -> Vec<Timer> + Send>;

enum Msg {
    /// Runs a closure on the context.
    With(With),
    Tick(&'static str),
    /// Takes this long in the handler.
    Busy(Duration),
    Linger(Duration),
    Cancel,
    Fail,
}

impl Actor for Clock {
    type Msg = Msg;
    type Error = Boom;

    async fn receive(&mut self, msg: Msg, cx: &mut Context<Self>) -> Result<(), Boom> {
        let now = self.began.elapsed().as_millis();
        match msg {
            Msg::With(with) => self.timers.extend(with(cx)),
            Msg::Tick(name) => self.journal.write(format!("{name} at {now} in {}", cx.incarnation())),
            Msg::Busy(time) => {
                sleep(time).await;
                self.journal.write(format!("busy until {}", self.began.elapsed().as_millis()));
            }
            Msg::Linger(time) => self.lingers = Some(time),
            Msg::Cancel => self.timers.drain(..).for_each(|timer| timer.cancel()),
            Msg::Fail => return Err(Boom::Told),
        }
        Ok(())
    }

    async fn pre_restart(&mut self, _: &Failure, cx: &mut Context<Self>) -> Result<(), Boom> {
        cx.send_after(ms(1), Msg::Tick("from pre_restart"));
        Ok(())
    }

    async fn post_stop(&mut self, cx: &mut Context<Self>) -> Result<(), Boom> {
        cx.send_after(ms(1), Msg::Tick("from post_stop"));
        if let Some(time) = self.lingers {
            sleep(time).await;
        }
        Ok(())
    }
}

supervisor! {
    struct Wall(journal: Journal, began: Instant) {
        #[limit(max_restarts = Unlimited)]
        clock: Clock = Clock { journal, began, timers: Vec::new(), lingers: None },

        #[mailbox(Bounded(1))]
        #[decider(Cause::Killed => Restart)]
        #[backoff(10s..20s, random_factor = 0)]
        small: Clock = Clock { journal, began, timers: Vec::new(), lingers: None },
    }
}

async fn wall() -> (Running<Wall>, Journal) {
    let journal = Journal::default();
    (Wall::start(journal.clone(), Instant::now()).await.unwrap(), journal)
}

fn answered(reply: Reply<()>) -> Vec<Timer> {
    reply.send(());
    Vec::new()
}

/// Makes the actor run a closure on its context.
async fn with(clock: &ActorRef<Clock>, with: impl FnOnce(&mut Context<Clock>) -> Vec<Timer> + Send + 'static) {
    clock.tell(Msg::With(Box::new(with))).await.unwrap();
    settle().await;
}

/// S11: `send_after` sends one message to the actor itself after the delay; messages with equal times come in the order
/// in which they were set.
#[tokio::test(start_paused = true)]
async fn send_after_sends_once_after_the_delay() {
    let (wall, journal) = wall().await;
    with(&wall.clock, |cx| {
        cx.send_after(ms(300), Msg::Tick("late"));
        for name in ["one", "two", "three", "four", "five", "six"] {
            cx.send_after(ms(100), Msg::Tick(name));
        }
        cx.send_after(Duration::MAX, Msg::Tick("never"));
        Vec::new()
    })
    .await;
    pass(ms(99)).await;
    assert!(journal.take().is_empty());
    pass(secs(60)).await;
    let lines = journal.take();
    assert_eq!(lines[..3], ["one at 100 in 1", "two at 100 in 1", "three at 100 in 1"]);
    assert_eq!(lines[3..], ["four at 100 in 1", "five at 100 in 1", "six at 100 in 1", "late at 300 in 1"]);
}

/// S11: a timer shows whether it was cancelled.
#[tokio::test(start_paused = true)]
async fn a_timer_shows_whether_it_was_cancelled() {
    let (wall, journal) = wall().await;
    let written = journal.clone();
    with(&wall.clock, move |cx| {
        let timer = cx.send_after(ms(1), Msg::Tick("never"));
        written.write(format!("{timer:?}"));
        timer.clone().cancel();
        written.write(format!("{timer:?}"));
        vec![timer]
    })
    .await;
    pass(secs(1)).await;
    assert_eq!(journal.take(), ["Timer { cancelled: false }", "Timer { cancelled: true }"]);
}

/// S11: `send_every` sends at each period, either a message that is `Clone` or the result of a closure.
#[tokio::test(start_paused = true)]
async fn send_every_sends_at_each_period() {
    let (wall, journal) = wall().await;
    with(&wall.clock, |cx| {
        let mut names = ["a", "b", "c"].into_iter().cycle();
        vec![cx.send_every(ms(100), move || Msg::Tick(names.next().unwrap()))]
    })
    .await;
    pass(ms(350)).await;
    assert_eq!(journal.take(), ["a at 100 in 1", "b at 200 in 1", "c at 300 in 1"]);

    struct Counter(Journal);
    #[actor]
    impl Counter {
        fn handle(&mut self, n: u32, cx: &mut Context<Self>) {
            match n {
                0 => drop(cx.send_every(Duration::ZERO, 7)), // dropping the timer changes nothing
                n => self.0.write(n),
            }
        }
    }
    supervisor! {
        struct Tree(journal: Journal) {
            counter: Counter = Counter(journal),
        }
    }
    let tree = Tree::start(journal.clone()).await.unwrap();
    tree.counter.tell(0).await.unwrap();
    settle().await;
    pass(ms(3)).await;
    assert_eq!(journal.take(), ["7", "7", "7"], "a period below 1 ms is 1 ms");
}

/// S11: a cancelled timer sends nothing, even if its tick is in the mailbox already.
#[tokio::test(start_paused = true)]
async fn a_cancelled_timer_is_silent() {
    let (wall, journal) = wall().await;
    let payload = Arc::new(());
    let kept = payload.clone();
    with(&wall.clock, move |cx| {
        vec![
            cx.send_every(ms(100), || Msg::Tick("every")),
            cx.send_after(ms(150), Msg::Tick("after")),
            cx.send_after(
                secs(1000),
                Msg::With(Box::new(move |_| vec![drop(kept)].into_iter().flat_map(|()| None).collect())),
            ),
        ]
    })
    .await;
    pass(ms(120)).await;
    assert_eq!(journal.take(), ["every at 100 in 1"]);
    wall.clock.tell(Msg::Busy(ms(100))).await.unwrap();
    wall.clock.tell(Msg::Cancel).await.unwrap(); // ahead of the ticks of 150 and 200
    pass(secs(1)).await;
    assert_eq!(journal.take(), ["busy until 220"]);
    assert_eq!(Arc::strong_count(&payload), 1, "the message of a cancelled timer is dropped at once");
}

/// S11: a tick enters the mailbox when it is due, even while a handler runs.
#[tokio::test(start_paused = true)]
async fn a_tick_is_queued_when_it_is_due() {
    let (wall, journal) = wall().await;
    with(&wall.clock, |cx| vec![cx.send_after(ms(100), Msg::Tick("tick"))]).await;
    wall.clock.tell(Msg::Busy(ms(200))).await.unwrap();
    wall.clock.tell(Msg::Tick("before")).await.unwrap();
    pass(ms(150)).await;
    wall.clock.tell(Msg::Tick("after")).await.unwrap();
    pass(ms(100)).await;
    assert_eq!(journal.take(), ["busy until 200", "before at 200 in 1", "tick at 200 in 1", "after at 200 in 1"]);
}

/// S11: a second tick of one timer is not queued while one waits; the next one keeps the rhythm.
#[tokio::test(start_paused = true)]
async fn a_second_tick_is_not_queued_while_one_waits() {
    let (wall, journal) = wall().await;
    with(&wall.clock, |cx| vec![cx.send_every(ms(100), || Msg::Tick("tick"))]).await;
    wall.clock.tell(Msg::Busy(ms(350))).await.unwrap();
    pass(ms(520)).await;
    assert_eq!(journal.take(), ["busy until 350", "tick at 350 in 1", "tick at 400 in 1", "tick at 500 in 1"]);
}

/// S11: a tick waits in the timer until there is room; it takes no slot before that, and is not lost.
#[tokio::test(start_paused = true)]
async fn a_tick_waits_in_the_timer_until_there_is_room() {
    let (wall, journal) = wall().await;
    with(&wall.small, |cx| vec![cx.send_after(ms(100), Msg::Tick("tick"))]).await;
    wall.small.tell(Msg::Busy(ms(200))).await.unwrap();
    settle().await;
    wall.small.tell(Msg::Tick("the one place")).await.unwrap();
    pass(ms(150)).await;
    assert!(wall.small.try_tell(Msg::Tick("refused")).is_err(), "the only slot is taken");
    pass(ms(100)).await;
    assert_eq!(journal.take(), ["busy until 200", "the one place at 200 in 1", "tick at 200 in 1"]);
}

/// S11: timers and their queued ticks are gone at a restart, and timers that are set in hooks on the way down never
/// fire.
#[tokio::test(start_paused = true)]
async fn timers_and_queued_ticks_are_gone_at_a_restart() {
    let (wall, journal) = wall().await;
    let mut events = wall.events();
    with(&wall.clock, |cx| {
        cx.send_every(ms(100), || Msg::Tick("every"));
        cx.send_after(ms(150), Msg::Tick("queued"));
        cx.send_after(ms(400), Msg::Tick("later"));
        Vec::new()
    })
    .await;
    wall.clock.tell(Msg::Busy(ms(200))).await.unwrap();
    wall.clock.tell(Msg::Fail).await.unwrap();
    pass(ms(180)).await; // both ticks are in the mailbox, after the failing message
    wall.clock.tell(Msg::Tick("told")).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(journal.take(), ["busy until 200", "told at 200 in 2"]);
    wall.clock.stop();
    pass(secs(1)).await;
    assert!(journal.take().is_empty());
    let dead = seen(&mut events).into_iter().filter(|line| line.contains("dead letter")).count();
    assert_eq!(dead, 0, "a tick that ends with its actor is not a dead letter");
}

/// S11: the slot of a queued tick that is discarded goes to a sender that waits for it.
#[tokio::test(start_paused = true)]
async fn the_place_of_a_stale_tick_is_free() {
    let (wall, journal) = wall().await;
    with(&wall.small, |cx| vec![cx.send_after(ms(100), Msg::Tick("tick"))]).await;
    wall.small.tell(Msg::Busy(secs(60))).await.unwrap();
    pass(ms(150)).await;
    let small = wall.small.clone();
    let waits = tokio::spawn(async move { small.tell(Msg::Tick("told")).await });
    settle().await;
    assert!(!waits.is_finished(), "the tick has the only slot");
    wall.small.kill();
    pass(secs(1)).await;
    assert!(waits.is_finished(), "the actor is down, but the slot is free");
    soon(wall.small.ask(|reply| Msg::With(Box::new(move |_| answered(reply)))).forever()).await.unwrap();
    assert_eq!(journal.take(), ["told at 10150 in 2"]);
}

/// S11, S3: the same for a sender that arrives while the actor goes down and the tick is still queued: it does not wait
/// until the actor is up.
#[tokio::test(start_paused = true)]
async fn the_slot_of_a_stale_tick_goes_to_a_waiting_sender() {
    let (wall, _) = wall().await;
    with(&wall.small, |cx| vec![cx.send_after(ms(100), Msg::Tick("tick"))]).await;
    wall.small.tell(Msg::Linger(secs(1))).await.unwrap();
    wall.small.tell(Msg::Busy(secs(60))).await.unwrap();
    pass(ms(150)).await;
    wall.small.kill();
    settle().await;
    let small = wall.small.clone();
    let waits = tokio::spawn(async move { small.tell(Msg::Tick("told")).await });
    settle().await;
    assert!(!waits.is_finished(), "the tick has the only slot");
    pass(secs(2)).await;
    assert!(waits.is_finished(), "the actor is down, but the slot is free");
}

/// S11: timers survive a Resume, because the instance does.
#[tokio::test(start_paused = true)]
async fn timers_outlive_a_resume() {
    supervisor! {
        struct Lenient(journal: Journal, began: Instant) {
            #![decider(_ => Resume)]
            clock: Clock = Clock { journal, began, timers: Vec::new(), lingers: None },
        }
    }
    let journal = Journal::default();
    let tree = Lenient::start(journal.clone(), Instant::now()).await.unwrap();
    with(&tree.clock, |cx| vec![cx.send_after(ms(100), Msg::Tick("tick"))]).await;
    tree.clock.tell(Msg::Fail).await.unwrap();
    pass(ms(150)).await;
    assert_eq!(journal.take(), ["tick at 100 in 1"]);
}

/// S11: the result of a background future is a message; the future runs while messages are handled.
#[tokio::test(start_paused = true)]
async fn the_result_of_a_subordinate_future_is_a_message() {
    let (wall, journal) = wall().await;
    let (done, wait) = oneshot::channel();
    with(&wall.clock, |cx| {
        cx.run(async { sleep(ms(100)).await }, |()| Msg::Tick("slept"));
        cx.run(wait, |name| Msg::Tick(name.unwrap()));
        cx.run(async { "at once" }, Msg::Tick);
        Vec::new()
    })
    .await;
    assert_eq!(journal.take(), ["at once at 0 in 1"]);
    wall.clock.tell(Msg::Busy(ms(200))).await.unwrap();
    pass(ms(50)).await;
    wall.clock.tell(Msg::Tick("told")).await.unwrap();
    done.send("woken from outside").unwrap();
    pass(ms(200)).await;
    let lines = journal.take();
    assert_eq!(lines, ["busy until 200", "told at 200 in 1", "woken from outside at 200 in 1", "slept at 200 in 1"]);
}

/// S11: a background future that is woken while it is polled, by itself or by another thread, is polled again.
#[tokio::test(start_paused = true)]
async fn a_subordinate_future_may_be_woken_while_it_is_polled() {
    let by_itself = |waker: &Waker| waker.wake_by_ref();
    let by_another: fn(&Waker) = |waker| {
        let waker = waker.clone();
        thread::spawn(|| waker.wake()).join().unwrap();
    };
    for wakes in [by_itself, by_another] {
        let (wall, journal) = wall().await;
        with(&wall.clock, move |cx| {
            let mut polls = 0;
            let woken = poll_fn(move |cx| {
                polls += 1;
                if polls == 10 {
                    return Poll::Ready(());
                }
                wakes(cx.waker());
                Poll::Pending
            });
            cx.run(woken, |()| Msg::Tick("woken nine times"));
            Vec::new()
        })
        .await;
        assert_eq!(journal.take(), ["woken nine times at 0 in 1"]);
    }
}

/// S11: background futures that wake each other are all polled, in any order, and when both are woken at once.
#[tokio::test(start_paused = true)]
async fn subordinate_futures_may_wake_each_other() {
    let (wall, journal) = wall().await;
    with(&wall.clock, |cx| {
        let (there, mut here) = (mpsc::unbounded_channel(), mpsc::unbounded_channel());
        let (send_there, mut from_there, send_here) = (there.0, there.1, here.0.clone());
        cx.run(
            async move {
                for n in 0..100 {
                    send_there.send(n).unwrap();
                    assert_eq!(here.1.recv().await, Some(n));
                }
            },
            |()| Msg::Tick("first"),
        );
        cx.run(
            async move {
                while let Some(n) = from_there.recv().await {
                    send_here.send(n).unwrap();
                }
            },
            |()| Msg::Tick("second"),
        );
        Vec::new()
    })
    .await;
    assert_eq!(journal.take(), ["first at 0 in 1", "second at 0 in 1"]);
}

/// S11: background futures are dropped at a restart and at the end, together with their queued results.
#[tokio::test(start_paused = true)]
async fn subordinate_futures_are_gone_at_a_restart() {
    struct Gone(Arc<AtomicU32>);
    impl Drop for Gone {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let (wall, journal) = wall().await;
    let gone = Arc::new(AtomicU32::new(0));
    for (end, incarnation) in [(false, 1), (true, 2)] {
        let count = gone.clone();
        with(&wall.clock, move |cx| {
            let guard = Gone(count);
            cx.run(
                async move {
                    let _guard = guard;
                    sleep(secs(1)).await;
                },
                |()| Msg::Tick("slept"),
            );
            cx.run(sleep(ms(50)), |()| Msg::Tick("queued"));
            Vec::new()
        })
        .await;
        wall.clock.tell(Msg::Busy(ms(100))).await.unwrap();
        if end {
            wall.clock.stop();
        } else {
            wall.clock.tell(Msg::Fail).await.unwrap();
        }
        pass(ms(200)).await;
        assert_eq!(gone.load(Ordering::Relaxed), incarnation);
    }
    pass(secs(2)).await;
    assert!(journal.take().iter().all(|line| line.starts_with("busy")));
}

/// S11: a panic in a background future, or in the closure that makes its message, is a failure of the actor, after the
/// message in hand.
#[tokio::test(start_paused = true)]
async fn a_panic_in_a_subordinate_future_is_the_actors_failure() {
    quiet_panics();
    let (wall, journal) = wall().await;
    let mut events = wall.events();
    with(&wall.clock, |cx| {
        cx.run(async { sleep(ms(50)).await }, |()| panic!("planned panic in a map"));
        Vec::new()
    })
    .await;
    wall.clock.tell(Msg::Busy(ms(100))).await.unwrap();
    wall.clock.tell(Msg::Tick("next")).await.unwrap();
    pass(ms(200)).await;
    assert_eq!(journal.take(), ["busy until 100", "next at 100 in 2"], "the message in hand goes on");
    let mut failed = false;
    while let Some(event) = events.try_next() {
        if let EventKind::Failed { failure, .. } = &event.kind {
            failed = true;
            assert!(matches!(failure.cause(), Cause::Panic(text) if text == "planned panic in a map"), "{failure}");
            assert_eq!((failure.phase(), failure.path()), (Phase::Running, "clock"));
        }
    }
    assert!(failed);
    with(&wall.clock, |cx| vec![cx.send_every(ms(10), || panic!("planned panic in a tick"))]).await;
    pass(ms(15)).await;
    assert_eq!(wall.clock.incarnation(), 3, "the closure that makes a tick is the actor's code too");
}

/// S11: a panic in a background future, after which the actor resumes, leaves those alone that were woken with it.
#[tokio::test(start_paused = true)]
async fn subordinate_futures_outlive_a_panic_that_is_resumed() {
    quiet_panics();
    supervisor! {
        struct Lenient(journal: Journal, began: Instant) {
            #![decider(_ => Resume)]
            clock: Clock = Clock { journal, began, timers: Vec::new(), lingers: None },
        }
    }
    let journal = Journal::default();
    let tree = Lenient::start(journal.clone(), Instant::now()).await.unwrap();
    with(&tree.clock, |cx| {
        cx.run(sleep(ms(100)), |()| Msg::Tick("before"));
        cx.run(async { sleep(ms(100)).await }, |()| panic!("planned panic in a map"));
        cx.run(sleep(ms(100)), |()| Msg::Tick("after"));
        Vec::new()
    })
    .await;
    pass(ms(150)).await;
    assert_eq!(journal.take(), ["before at 100 in 1", "after at 100 in 1"]);
}

/// S11: cancelled timers are removed, however far away; the others stay.
#[tokio::test(start_paused = true)]
async fn many_cancelled_timers_leave_the_others_alone() {
    let (wall, journal) = wall().await;
    with(&wall.clock, |cx| {
        for _ in 0..100 {
            cx.send_after(secs(1000), Msg::Tick("cancelled")).cancel();
        }
        vec![cx.send_after(ms(100), Msg::Tick("the one that counts"))]
    })
    .await;
    pass(secs(2000)).await;
    assert_eq!(journal.take(), ["the one that counts at 100 in 1"]);
}

/// S11: a future that wakes itself while it is polled is polled again, as often as it does.
#[tokio::test(start_paused = true)]
async fn a_future_that_wakes_itself_gives_its_message() {
    let (wall, journal) = wall().await;
    with(&wall.clock, |cx| {
        let mut left = 3;
        let wakes_itself = poll_fn(move |cx| {
            cx.waker().wake_by_ref();
            left -= 1;
            if left == 0 { Poll::Ready(()) } else { Poll::Pending }
        });
        cx.run(wakes_itself, |()| Msg::Tick("woken"));
        Vec::new()
    })
    .await;
    pass(secs(1)).await;
    assert_eq!(journal.take(), ["woken at 0 in 1"]);
}

/// S5, S11: if the closure of a timer panics, no message is in hand; if the handler of its message fails, it is.
#[tokio::test(start_paused = true)]
async fn a_timer_that_panics_has_no_message_in_hand() {
    quiet_panics();
    let (wall, _) = wall().await;
    let mut events = wall.events();
    with(&wall.clock, |cx| vec![cx.send_every(ms(100), || panic!("planned panic of a timer"))]).await;
    pass(secs(1)).await;
    with(&wall.clock, |cx| vec![cx.send_every(ms(100), || Msg::Fail)]).await;
    pass(secs(1)).await;
    let mut named = Vec::new();
    while let Some(event) = events.try_next() {
        if let EventKind::Failed { message, .. } = event.kind {
            named.push(message);
        }
    }
    assert_eq!(named, [None, Some(std::any::type_name::<Msg>())]);
}
