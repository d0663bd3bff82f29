//! Mailboxes and timers: A108 to A121.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use supervise::Timer;
use supervise::error::SendRejection;
use supervise::prelude::*;

use crate::common::{Boom, ms, pass, secs, seen, settle, soon};
use crate::stage::*;

supervisor! {
    struct One(stage: Stage) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #![decider(_ => Restart)]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct Stashing(stage: Stage) {
        let stash: Arc<Mutex<VecDeque<u64>>> = Arc::default();
        a: Stasher = Stasher { stash, stage, is_open: false },
    }
}

async fn one() -> (Running<One>, Stage) {
    let stage = Stage::default();
    let tree = One::start(stage.clone()).await.unwrap();
    stage.take();
    (tree, stage)
}

/// After a drain the queue is handled and new messages are refused. A failure during the drain ends the actor; a
/// failure before it is an ordinary restart, and the new instance handles the rest.
#[tokio::test(start_paused = true)]
async fn a108_a_crash_a_drain_and_what_is_queued_around_them() {
    let (tree, stage) = one().await;
    let mut events = tree.events();
    tree.a.tell(Msg::Work(secs(1))).await.unwrap();
    note(&tree.a, "m1").await;
    fail(&tree.a).await;
    tree.a.tell(Msg::Work(secs(1))).await.unwrap();
    note(&tree.a, "m2").await;
    note(&tree.a, "m3").await;
    pass(ms(1_500)).await;
    tree.a.drain();
    settle().await;
    let refused = tree.a.tell(Msg::Note("m4")).await.unwrap_err();
    assert_eq!(refused.reason(), SendRejection::Ended);
    soon(tree.a.terminated()).await.unwrap();
    let before = text(&["a works", "a worked", "a m1"]);
    let after = text(&["a works", "a worked", "a m2", "a m3", "a post_stop"]);
    assert_eq!(stage.take(), lines(&[&before, &restart("a"), &after]));
    assert!(!seen(&mut events).iter().any(|line| line.contains("dead letter")));

    let (tree, stage) = one().await;
    tree.a.tell(Msg::Work(secs(1))).await.unwrap();
    note(&tree.a, "m1").await;
    fail(&tree.a).await;
    note(&tree.a, "m2").await;
    note(&tree.a, "m3").await;
    settle().await;
    tree.a.drain();
    soon(tree.a.terminated()).await.unwrap();
    assert_eq!(stage.take(), ["a works", "a worked", "a m1", "a post_stop"]);
    assert_eq!(tree.dead_letters(), 2);
}

/// Messages from many threads are handled one at a time, and none is lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a110_one_message_at_a_time_from_ten_threads() {
    let a = top("a", &Stage::default()).await;
    let inside = Arc::new(AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let inside = inside.clone();
                    let message = Msg::Do(Box::new(move |unit, _| {
                        Box::pin(async move {
                            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two messages at a time");
                            tokio::task::yield_now().await;
                            inside.fetch_sub(1, Ordering::SeqCst);
                            unit.sum += 1;
                            Ok(())
                        })
                    }));
                    a.try_tell(message).unwrap();
                }
            });
        }
    });
    assert_eq!(sum(&a).await, 200);
    a.stop();
}

/// Errors and kills between messages do not lose the other messages.
#[tokio::test(start_paused = true)]
async fn a111_errors_and_kills_lose_no_other_message() {
    let (tree, stage) = one().await;
    for line in ["m1", "m2", "m3", "m4"] {
        note(&tree.a, line).await;
        fail(&tree.a).await;
    }
    pass(secs(1)).await;
    tree.a.kill();
    note(&tree.a, "m5").await;
    pass(secs(1)).await;
    assert_eq!(ping(&tree.a).await, 6);
    let notes: Vec<_> = stage.take().into_iter().filter(|line| line.starts_with("a m")).collect();
    assert_eq!(notes, ["a m1", "a m2", "a m3", "a m4", "a m5"]);
}

/// Stashes numbers until the actor has been restarted, in a queue that the tree keeps.
struct Stasher {
    stash: Arc<Mutex<VecDeque<u64>>>,
    stage: Stage,
    is_open: bool,
}

#[actor]
impl Stasher {
    fn handle(&mut self, number: u64) -> Result<(), Boom> {
        if number == 0 {
            return Err(Boom::Told);
        }
        if self.is_open {
            self.stage.journal.write(format!("{number} comes"));
        } else {
            self.stash.lock().unwrap().push_back(number);
        }
        Ok(())
    }
    #[post_restart]
    fn unstash(&mut self) {
        self.is_open = true;
        while let Some(number) = self.stash.lock().unwrap().pop_front() {
            self.stage.journal.write(number);
        }
    }
}

/// Messages stashed in a value of the tree are there for the next instance, before the queued ones.
#[tokio::test(start_paused = true)]
async fn a113_what_was_put_aside_in_a_let_outlives_the_crash() {
    let stage = Stage::default();
    let tree = Stashing::start(stage.clone()).await.unwrap();
    // The crash comes after the first two, and the others are queued after the crash.
    for number in [1, 2, 0, 3, 4] {
        tree.a.try_tell(number).unwrap();
    }
    settle().await;
    assert_eq!(tree.a.incarnation(), 2);
    assert_eq!(stage.take(), ["1", "2", "3 comes", "4 comes"]);
}

async fn tick_in(unit: &ActorRef<Unit>, time: u64, line: &'static str) {
    with(unit, move |_, cx| drop(cx.send_after(ms(time), Msg::Note(line)))).await;
}

/// A restart and a stop cancel timers; a tick that is queued in the mailbox is removed too.
#[tokio::test(start_paused = true)]
async fn a116_timers_and_queued_ticks_end_with_the_instance() {
    let (tree, stage) = one().await;
    let mut events = tree.events();
    tick_in(&tree.a, 100, "queued").await;
    tick_in(&tree.a, 500, "later").await;
    tree.a.tell(Msg::Work(ms(200))).await.unwrap();
    fail(&tree.a).await;
    pass(ms(150)).await;
    note(&tree.a, "told").await;
    pass(secs(1)).await;
    let before = text(&["a works", "a worked"]);
    assert_eq!(stage.take(), lines(&[&before, &restart("a"), &text(&["a told"])]));
    tick_in(&tree.a, 100, "queued").await;
    tick_in(&tree.a, 500, "later").await;
    tree.a.tell(Msg::Work(ms(200))).await.unwrap();
    pass(ms(150)).await;
    tree.a.stop();
    pass(secs(1)).await;
    assert_eq!(stage.take(), ["a works", "a worked", "a post_stop"]);
    assert!(!seen(&mut events).iter().any(|line| line.contains("dead letter")));
}

/// A timer that is cancelled or set again leaves no old tick.
#[tokio::test(start_paused = true)]
async fn a117_a_cancelled_timer_takes_its_queued_tick_along() {
    for again in [false, true] {
        let (tree, stage) = one().await;
        let timer: Arc<Mutex<Option<Timer>>> = Arc::default();
        let (set, cancel) = (timer.clone(), timer);
        with(&tree.a, move |_, cx| {
            *set.lock().unwrap() = Some(cx.send_after(ms(100), Msg::Note("old")));
        })
        .await;
        tree.a.tell(Msg::Work(ms(200))).await.unwrap();
        settle().await;
        with(&tree.a, move |_, cx| {
            cancel.lock().unwrap().take().unwrap().cancel();
            if again {
                cx.send_after(ms(100), Msg::Note("new"));
            }
        })
        .await;
        pass(secs(1)).await;
        let mut expected = vec!["a works", "a worked"];
        expected.extend(again.then_some("a new"));
        assert_eq!(stage.take(), expected);
    }
}

/// A timer can carry the message that makes its actor stop.
#[tokio::test(start_paused = true)]
async fn a118_a_timer_can_end_its_actor() {
    let stage = Stage::default();
    let a = top("a", &stage).await;
    with(&a, |_, cx| drop(cx.send_after(ms(100), Msg::Stop))).await;
    pass(ms(99)).await;
    assert_eq!(state(&a), "lives");
    pass(ms(1)).await;
    assert_eq!(state(&a), "done");
}

/// A timer set in every start runs in every incarnation; a timer set only in the first instance ends with that
/// instance.
#[tokio::test(start_paused = true)]
async fn a120_a_time_set_in_the_start_runs_in_every_incarnation() {
    let (tree, stage) = one().await;
    stage.on("a pre_start", |_, cx| {
        cx.send_after(ms(100), Msg::Note("timeout"));
        Box::pin(async { Ok(()) })
    });
    for _ in 0..2 {
        fail(&tree.a).await;
        tick_in(&tree.a, 150, "of one instance").await;
        pass(ms(50)).await;
    }
    stage.take();
    pass(ms(49)).await;
    assert_eq!(stage.take(), [""; 0]);
    pass(secs(1)).await;
    assert_eq!(stage.take(), ["a timeout", "a of one instance"], "both timers of the third incarnation fire once");
}

/// The end of an actor ends its timers: no dead letter appears later.
#[tokio::test(start_paused = true)]
async fn a121_a_stopped_actor_has_no_times_left() {
    let (tree, stage) = one().await;
    let mut events = tree.events();
    tick_in(&tree.a, 100, "timeout").await;
    tree.a.stop();
    pass(secs(10)).await;
    assert_eq!(stage.take(), ["a post_stop"]);
    assert_eq!(tree.dead_letters(), 0);
    assert!(!seen(&mut events).iter().any(|line| line.contains("dead letter")));
}
