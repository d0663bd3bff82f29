//! The built-in delay before a restart: S14.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::task::{self, Waker};

use supervise::event::{EventKind, Events};
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, quiet_panics, secs, settle};

/// The delays that were announced for this child.
pub fn waits(events: &mut Events, path: &str) -> Vec<u128> {
    let mut waits = Vec::new();
    while let Some(event) = events.try_next() {
        if let (EventKind::RestartScheduled { after }, true) = (event.kind, event.path == path) {
            waits.push(after.as_millis());
        }
    }
    waits
}

supervisor! {
    struct Endless(journal: Journal) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #![decider(|_| Directive::Restart)]
        probe: Probe = Probe::start("probe", journal).await?,
    }
}

/// S14: without a declared backoff the first restart in a streak comes at once, and the k-th after 10 ms * 2^(k-2), at
/// most 10 s.
#[tokio::test(start_paused = true)]
async fn the_built_in_delay_starts_at_zero_and_doubles_up_to_ten_seconds() {
    let journal = Journal::default();
    let tree = Endless::start(journal.clone()).await.unwrap();
    let mut events = tree.events();
    journal.plan("probe start", 13, Fault::Error);
    let begun = Instant::now();
    tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.probe.ask(Do::Incarnation).forever().await.unwrap(), 15);
    let expected = [0, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10_000, 10_000, 10_000];
    assert_eq!(begun.elapsed().as_millis(), expected.iter().sum::<u128>(), "the announced delays are the real ones");
    assert_eq!(waits(&mut events, "probe"), expected);
}

/// S14: a handled message ends a streak, but two restarts are never less than 10 ms apart.
#[tokio::test(start_paused = true)]
async fn a_handled_message_ends_a_streak_and_the_least_gap_stays() {
    let tree = Endless::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    let begun = Instant::now();
    for at in [0, 4, 12, 30, 300] {
        tokio::time::sleep_until(begun + ms(at)).await;
        tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap(); // counts as handled: its handler was entered
        settle().await;
    }
    pass(secs(1)).await;
    // The restarts come at 0, 10, 20, 30 and 300 ms.
    assert_eq!(waits(&mut events, "probe"), [0, 6, 8, 0, 0]);
}

/// S14: a message ends the streak of the incarnation that has handled it, and of no later one.
#[tokio::test(start_paused = true)]
async fn a_message_of_an_earlier_incarnation_ends_no_streak() {
    let tree = Endless::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    tree.probe.tell(Do::Add(1)).await.unwrap();
    settle().await;
    for _ in 0..5 {
        tree.probe.kill();
        pass(ms(100)).await;
    }
    assert_eq!(waits(&mut events, "probe"), [0, 10, 20, 40, 80]);
}

/// S14: an incarnation that ran 10 s ends a streak too.
#[tokio::test(start_paused = true)]
async fn a_run_of_ten_seconds_ends_a_streak() {
    for (ran, then) in [(9_990, 20), (10_010, 0)] {
        let journal = Journal::default();
        let tree = Endless::start(journal.clone()).await.unwrap();
        let mut events = tree.events();
        journal.plan("probe start", 1, Fault::Error);
        tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(ms(10)).await; // up, in a streak of two
        pass(ms(ran)).await;
        tree.probe.kill(); // no message handled
        pass(secs(1)).await;
        assert_eq!(waits(&mut events, "probe"), [0, 10, then], "after {ran} ms");
    }
}

/// S14: after a failed start, or the end of a task, the first restart waits 10 ms too.
#[tokio::test(start_paused = true)]
async fn failed_starts_and_tasks_never_restart_at_once() {
    supervisor! {
        struct Both(journal: Journal) {
            #![strategy(OneForOne, max_restarts = Unlimited)]
            #![decider(|_| Directive::Restart)]
            probe: Probe = Probe::start("probe", journal.clone()).await?,
            #[lifecycle(Permanent)]
            task: task = {
                let journal = journal;
                async move {
                    journal.reach("task".into()).await?;
                    std::future::pending::<Result<(), Boom>>().await
                }
            },
        }
    }
    let journal = Journal::default();
    journal.plan("probe start", 2, Fault::Error);
    journal.plan("task", 4, Fault::Error);
    let mut tree = Both::tree(journal.clone());
    let (mut probes, mut tasks) = (tree.events(), tree.events());
    let tree = tree.start().await.unwrap();
    pass(secs(20)).await;
    journal.plan("task", 1, Fault::Error);
    tree.task.kill();
    pass(secs(1)).await;
    assert_eq!(waits(&mut probes, "probe"), [10, 10]);
    assert_eq!(waits(&mut tasks, "task"), [10, 10, 20, 40, 10, 10], "a run of 10 s ends the streak of a task");
}

/// S14: a declared backoff waits exactly its delay, also before the first restart, and at least 1 ms.
#[tokio::test(start_paused = true)]
async fn a_declared_backoff_waits_from_the_first_restart_on() {
    supervisor! {
        struct Declared(journal: Journal) {
            #[backoff(3s..30s, random_factor = 0)]
            probe: Probe = Probe::start("probe", journal.clone()).await?,
            #[backoff(Backoff::slotted(ms(10)).ceiling(1))]
            least: Probe = Probe::start("least", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Declared::start(journal.clone()).await.unwrap();
    let (mut events, mut least) = (tree.events(), tree.events());
    journal.plan("probe start", 5, Fault::Error);
    let begun = Instant::now();
    tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.least.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.probe.ask(Do::Incarnation).forever().await.unwrap(), 7);
    assert_eq!(begun.elapsed(), secs(3 + 6 + 12 + 24 + 30 + 30));
    assert_eq!(waits(&mut events, "probe"), [3_000, 6_000, 12_000, 24_000, 30_000, 30_000]);
    assert_eq!(waits(&mut least, "least"), [1]);
}

struct Lingering;

impl Drop for Lingering {
    /// Takes 30 ms on the paused clock.
    fn drop(&mut self) {
        let mut passes = pin!(tokio::time::advance(ms(30)));
        let _ = passes.as_mut().poll(&mut task::Context::from_waker(Waker::noop()));
    }
}

#[actor]
impl Lingering {
    fn handle(&mut self, _msg: ()) -> Result<(), fmt::Error> {
        Err(fmt::Error)
    }
}

supervisor! {
    struct Slow {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        lingering: Lingering = Lingering,
    }
}

/// S14: the least gap begins when the child starts again, however long its code takes to go down.
#[tokio::test(start_paused = true)]
async fn the_time_to_go_down_is_no_part_of_the_least_gap() {
    let tree = Slow::start().await.unwrap();
    let mut events = tree.events();
    for _ in 0..2 {
        tree.lingering.tell(()).await.unwrap();
        settle().await;
    }
    pass(secs(1)).await;
    assert_eq!(waits(&mut events, "lingering"), [0, 10]);
    tree.shutdown().await;
}

/// Begins a future at each start which panics, as often as planned; it never gets a message.
struct Doomed(Arc<AtomicU32>);

#[actor]
impl Doomed {
    #[pre_start]
    fn begin(&mut self, cx: &mut Context<Self>) {
        if self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok() {
            cx.run(async { panic!("planned panic of a future") }, |()| ());
        }
    }

    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Silent(left: Arc<AtomicU32>) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        doomed: Doomed = Doomed(left),
    }
}

/// S14: an incarnation that was up for a moment and has handled no message ends no streak.
#[tokio::test(start_paused = true)]
async fn a_failure_without_a_message_is_of_the_same_streak() {
    quiet_panics();
    let mut tree = Silent::tree(Arc::new(AtomicU32::new(7)));
    let (mut events, mut decided) = (tree.events(), tree.events());
    let tree = tree.start().await.unwrap();
    pass(secs(5)).await;
    assert_eq!(waits(&mut events, "doomed"), [0, 10, 20, 40, 80, 160, 320]);
    let mut streaks = Vec::new();
    while let Some(event) = decided.try_next() {
        if let EventKind::Decided { streak, .. } = event.kind {
            streaks.push(streak);
        }
    }
    assert!(streaks.len() == 7 && streaks.windows(2).all(|two| two[0] + 1 == two[1]), "{streaks:?}");
    assert_eq!(tree.doomed.incarnation(), 8);
}

/// The streaks that the decisions so far have told.
fn streaks(events: &mut Events) -> Vec<u32> {
    let mut streaks = Vec::new();
    while let Some(event) = events.try_next() {
        if let EventKind::Decided { streak, .. } = event.kind {
            streaks.push(streak);
        }
    }
    streaks
}

/// S14, S40: a decision tells the streak as it is at that time: each failure after good work is the first of a streak, the
/// second time as well as the first.
#[tokio::test(start_paused = true)]
async fn each_outage_is_the_first_of_a_streak() {
    supervisor! {
        struct Works(journal: Journal) {
            #![strategy(OneForOne, max_restarts = Unlimited)]
            probe: Probe = Probe::start("probe", journal).await?,
            #[backoff(50ms..50ms, random_factor = 0)]
            rare: Probe = Probe::start("rare", journal).await?,
            task: task = async {
                tokio::time::sleep(secs(11)).await;
                Err::<(), _>(Boom::Told)
            },
        }
    }
    for row in 1..=3 {
        for what in ["a message", "a long run", "a task"] {
            let mut tree = Works::tree(Journal::default());
            let mut events = tree.events();
            let tree = tree.start().await.unwrap();
            if what != "a task" {
                tree.task.stop();
            }
            let one = if row == 2 { &tree.rare } else { &tree.probe };
            for _ in 0..3 {
                match what {
                    "a message" => {
                        one.tell(Do::Note("work")).await.unwrap();
                        one.tell(Do::Fail(Boom::Told)).await.unwrap();
                        pass(ms(200)).await;
                    }
                    "a long run" => {
                        pass(secs(11)).await;
                        one.tell(Do::Fail(Boom::Told)).await.unwrap();
                        pass(ms(200)).await;
                    }
                    _ => pass(secs(12)).await,
                }
            }
            assert_eq!(streaks(&mut events), [1, 1, 1], "{what}");
            tree.shutdown().await;
        }
    }
}

/// S7, S14: so does the decision about a failure that was kept.
#[tokio::test(start_paused = true)]
async fn a_kept_failure_after_good_work_is_the_first_of_a_streak() {
    use crate::nodes::{Kid, Say, family, spawn};
    let (family, _) = family(Directive::Resume).await;
    let (kid, fatal) = (spawn(&family.top, Kid::new("kid")).await, spawn(&family.top, Kid::new("fatal")).await);
    let mut events = family.events();
    for _ in 0..3 {
        pass(secs(11)).await;
        family.top.tell(Say::Work(secs(1))).await.unwrap();
        settle().await;
        fatal.tell(Say::Fail(Boom::Fatal)).await.unwrap(); // `top` fails with it once its message is over
        settle().await;
        kid.tell(Say::Fail(Boom::Told)).await.unwrap(); // kept until then
        pass(secs(2)).await;
    }
    let mut of_kid = Vec::new();
    while let Some(event) = events.try_next() {
        if let (EventKind::Decided { streak, .. }, "top/kid") = (event.kind, &*event.path) {
            of_kid.push(streak);
        }
    }
    assert_eq!(of_kid, [1, 1, 1]);
}
