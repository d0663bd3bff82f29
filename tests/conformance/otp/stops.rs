//! Stops, and how long they may take: O125 to O150.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use supervise::policy::ShutdownTimeout;
use supervise::prelude::*;
use tokio::time::Instant;

use super::*;
use crate::common::{Boom, Fault, Journal, comes_back, ms, pass, secs, seen, settle};

/// A value whose drop blocks the thread until the test releases it.
struct Slow {
    journal: Journal,
    says: Sender<&'static str>,
    until: Arc<Mutex<Receiver<()>>>,
}

impl Drop for Slow {
    fn drop(&mut self) {
        self.says.send("goes").unwrap();
        let let_go = self.until.lock().unwrap().recv();
        self.journal.write(format!("gone, {let_go:?}"));
    }
}

async fn holds(slow: Slow) {
    slow.says.send("up").unwrap();
    std::future::pending().await
}

supervisor! {
    struct Drops(journal: Journal, says: Sender<&'static str>, until: Arc<Mutex<Receiver<()>>>) {
        slow: task = holds(Slow { journal, says, until }),
    }

    struct Patient(stage: Stage) {
        #[lifecycle(Permanent, shutdown = Infinity)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        inner: struct Inner {
            #[lifecycle(Permanent, shutdown = Infinity)]
            b: Unit = Unit::start("b", stage).await?,
        },
    }

    struct Timed(stage: Stage) {
        a: Unit = Unit::start("a", stage.clone()).await?,
        #[lifecycle(Permanent, shutdown = 1s)]
        slow: Unit = Unit::start("slow", stage.clone()).await?,
        c: Unit = Unit::start("c", stage).await?,
    }

    struct Killed(stage: Stage) {
        a: Unit = Unit::start("a", stage.clone()).await?,
        #[lifecycle(Permanent, shutdown = Kill)]
        now: Unit = Unit::start("now", stage).await?,
    }

    struct Sets(stage: Stage) {
        #[lifecycle(Transient, shutdown = 2s)]
        timed: [Unit] = |name: &'static str| Unit::start(name, stage.clone()).await?,
        #[lifecycle(Transient, shutdown = Kill)]
        now: [Unit] = |name: &'static str| Unit::start(name, stage.clone()).await?,
        #[lifecycle(Transient, shutdown = Infinity)]
        patient: [Unit] = |name: &'static str| Unit::start(name, stage).await?,
    }

    struct Race(stage: Stage) {
        permanent: Unit = Unit::start("permanent", stage.clone()).await?,
        #[lifecycle(Transient)]
        transient: Unit = Unit::start("transient", stage.clone()).await?,
        #[lifecycle(Temporary)]
        temporary: Unit = Unit::start("temporary", stage.clone()).await?,
        #[lifecycle(Permanent, shutdown = Infinity)]
        slow: Unit = Unit::start("slow", stage).await?,
    }

    struct Above(stage: Stage) {
        #[decider(Cause::Killed => Restart)]
        middle: struct Middle {
            a: Unit = Unit::start("a", stage.clone()).await?,
            b: Unit = Unit::start("b", stage).await?,
        },
    }

    struct Plain(stage: Stage) {
        middle: struct PlainMiddle {
            a: Unit = Unit::start("a", stage.clone()).await?,
        },
        other: Unit = Unit::start("other", stage).await?,
    }
}

async fn sets() -> (Running<Sets>, Stage) {
    let stage = Stage::default();
    let tree = Sets::start(stage.clone()).await.unwrap();
    stage.take();
    (tree, stage)
}

/// Without a timeout, a stop takes as long as the child needs.
#[tokio::test(start_paused = true)]
async fn o125_without_a_limit_a_stop_waits() {
    let stage = Stage::default();
    let tree = Patient::start(stage.clone()).await.unwrap();
    stage.plan("a post_stop", 1, Fault::Slow(secs(3600)));
    stage.plan("b post_stop", 1, Fault::Slow(secs(3600)));
    stage.take();
    let begun = Instant::now();
    let report = soon(tree.shutdown()).await;
    assert!(report.is_orderly(), "{report}");
    assert_eq!(begun.elapsed(), secs(7200));
    assert_eq!(stage.take(), ["b post_stop", "b post_stop done", "a post_stop", "a post_stop done"]);
}

/// After its timeout a child is aborted; its siblings end normally, and so does the tree.
#[tokio::test(start_paused = true)]
async fn o126_past_its_time_a_child_is_aborted() {
    let stage = Stage::default();
    let tree = Timed::start(stage.clone()).await.unwrap();
    stage.plan("slow post_stop", 1, Fault::Slow(secs(3600)));
    stage.take();
    let begun = Instant::now();
    let (a, slow, c) = (tree.a.clone(), tree.slow.clone(), tree.c.clone());
    let report = soon(tree.shutdown()).await;
    assert_eq!((begun.elapsed(), kind(&report.ended)), (secs(1), "stopped"));
    assert_eq!((state(&a), state(&slow), state(&c)), ("stopped", "aborted", "stopped"));
    assert_eq!(stage.take(), ["c post_stop", "slow post_stop", "a post_stop"]);
}

/// The same for an instance of a set.
#[tokio::test(start_paused = true)]
async fn o127_past_its_time_an_instance_is_aborted() {
    let (tree, stage) = sets().await;
    let slow = tree.timed.spawn("slow").await.unwrap();
    let quick = tree.timed.spawn("quick").await.unwrap();
    stage.plan("slow post_stop", 1, Fault::Slow(secs(3600)));
    let begun = Instant::now();
    let report = soon(tree.shutdown()).await;
    assert_eq!((begun.elapsed(), kind(&report.ended)), (secs(2), "stopped"));
    assert_eq!((state(&slow), state(&quick)), ("aborted", "stopped"));
}

/// `Kill` waits for nothing and runs nothing.
#[tokio::test(start_paused = true)]
async fn o128_kill_leaves_no_time() {
    let stage = Stage::default();
    let tree = Killed::start(stage.clone()).await.unwrap();
    stage.take();
    tree.now.tell(Msg::Work(secs(3600))).await.unwrap();
    settle().await;
    let begun = Instant::now();
    let report = soon(tree.shutdown()).await;
    assert_eq!((begun.elapsed(), report.is_orderly()), (secs(0), true), "{report}");
    assert_eq!(stage.take(), ["now works", "a post_stop"]);
}

/// Children that end or fail while the stop waits for a later sibling are not started again, and the stop completes.
#[tokio::test(start_paused = true)]
async fn o130_a_child_that_ends_during_a_stop_is_not_started_again() {
    for through in [true, false] {
        let stage = Stage::default();
        let tree = Race::start(stage.clone()).await.unwrap();
        stage.plan("slow post_stop", 1, Fault::Slow(secs(10)));
        stage.take();
        let units = [tree.permanent.clone(), tree.transient.clone(), tree.temporary.clone()];
        tree.stop();
        settle().await;
        for unit in &units {
            if through { finish(unit).await } else { fail(unit).await }
        }
        let report = soon(tree.join()).await;
        assert_eq!(kind(&report.ended), "stopped");
        assert_eq!(report.is_orderly(), through, "{report}");
        assert_eq!(starts(&stage), [""; 0]);
        assert!(units.iter().all(|unit| state(unit) != "lives"));
    }
}

/// However an instance responds to the stop, the tree is stopped.
#[tokio::test(start_paused = true)]
async fn o131_whatever_an_instance_answers_the_tree_is_stopped() {
    crate::common::quiet_panics();
    let (tree, stage) = sets().await;
    for name in ["well", "error", "panic"] {
        tree.timed.spawn(name).await.unwrap();
    }
    stage.plan("error post_stop", 1, Fault::Error);
    stage.plan("panic post_stop", 1, Fault::Panic);
    let report = soon(tree.shutdown()).await;
    assert_eq!(
        (kind(&report.ended), report.is_orderly()),
        ("stopped", false),
        "failures while going down are reported"
    );
}

/// A child that is released does not delay the shutdown of its former supervisor.
#[tokio::test(start_paused = true)]
async fn o132_a_detached_child_delays_no_other() {
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    let one = kid(&boss, "one").await;
    let other = kid(&boss, "other").await;
    let gone = one.clone();
    act(&boss, move |_, cx| Box::pin(async move { Ok(cx.unlink(&gone).await?) })).await;
    stop(&one).await;
    assert_eq!((ping(&boss).await, ping(&other).await), (1, 1));
    stage.take();
    stop(&boss).await;
    assert_eq!(stage.take(), ["other post_stop", "boss post_stop"]);
}

/// Instances go down concurrently, under one timeout.
#[tokio::test(start_paused = true)]
async fn o133_instances_go_down_side_by_side() {
    let (tree, stage) = sets().await;
    let mut kids = Vec::new();
    for (name, place, time) in
        [("x", "x post_stop", secs(1)), ("y", "y post_stop", secs(1)), ("z", "z post_stop", secs(5))]
    {
        kids.push(tree.timed.spawn(name).await.unwrap());
        stage.plan(place, 1, Fault::Slow(time));
    }
    let begun = Instant::now();
    soon(tree.shutdown()).await;
    assert_eq!(begun.elapsed(), secs(2));
    assert_eq!(kids.iter().map(state).collect::<Vec<_>>(), ["stopped", "stopped", "aborted"]);
}

/// A killed child is awaited until it is gone, however long that takes.
#[test]
fn o135_a_killed_child_is_waited_for() {
    comes_back(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let (journal, (says, said), (let_go, until)) = (Journal::default(), channel(), channel());
        let tree = Drops::start(journal.clone(), says, Arc::new(Mutex::new(until)));
        let tree = runtime.block_on(tree).unwrap();
        assert_eq!(said.recv(), Ok("up"));
        let down = runtime.spawn(tree.shutdown());
        assert_eq!(said.recv(), Ok("goes"));
        // The other worker is free, and runs other tasks, again and again.
        for _ in 0..1_000 {
            runtime.block_on(runtime.spawn(async {})).unwrap();
        }
        assert!(!down.is_finished());
        let_go.send(()).unwrap();
        assert!(runtime.block_on(down).unwrap().is_orderly());
        assert_eq!(journal.take(), ["gone, Ok(())"]);
    });
}

/// A requested kill is orderly; an abort after the timeout is not, and neither is a failure on the way.
#[tokio::test(start_paused = true)]
async fn o136_an_abort_and_a_late_failure_are_not_in_order() {
    for (name, fault, orderly) in [
        ("slow post_stop", Fault::Slow(secs(60)), false),
        ("slow post_stop", Fault::Slow(ms(500)), true),
        ("a post_stop", Fault::Error, false),
    ] {
        let stage = Stage::default();
        let tree = Timed::start(stage.clone()).await.unwrap();
        stage.plan(name, 1, fault);
        assert_eq!(soon(tree.shutdown()).await.is_orderly(), orderly, "{name} {fault:?}");
    }
}

/// Each set has its own timeout: zero, unlimited, and one in between.
#[tokio::test(start_paused = true)]
async fn o137_instances_go_down_in_the_time_of_their_set() {
    let (tree, stage) = sets().await;
    let timed = tree.timed.spawn("timed").await.unwrap();
    let expired = tree.timed.spawn("expired").await.unwrap();
    let now = tree.now.spawn("now").await.unwrap();
    let patient = tree.patient.spawn("patient").await.unwrap();
    stage.plan("timed post_stop", 1, Fault::Slow(secs(1)));
    for place in ["expired post_stop", "now post_stop", "patient post_stop"] {
        stage.plan(place, 1, Fault::Slow(secs(3600)));
    }
    stage.take();
    let begun = Instant::now();
    soon(tree.shutdown()).await;
    assert_eq!(begun.elapsed(), secs(3602));
    assert_eq!([&timed, &expired, &patient].map(state), ["stopped", "aborted", "stopped"]);
    assert_ne!(state(&now), "lives");
    assert!(!stage.take().contains(&"now post_stop".into()));
}

/// A stop that the child answers with an error is still a stop, and the error is reported with the child.
#[tokio::test(start_paused = true)]
async fn o138_an_error_in_answer_to_a_stop_is_with_the_child() {
    let (tree, stage) = sets().await;
    for unit in [tree.timed.spawn("x").await.unwrap(), tree.patient.spawn("x").await.unwrap()] {
        stage.plan("x post_stop", 1, Fault::Error);
        stop(&unit).await;
        assert_eq!(state(&unit), "stopped");
        assert_eq!(unit.late_failure().unwrap().error(), Some(&Boom::Planned));
    }
}

/// Children of one supervisor that are stopped in different ways.
#[tokio::test(start_paused = true)]
async fn o140_each_child_is_stopped_in_its_own_way() {
    let stage = Stage::default();
    let boss = top_as("boss", &stage, |spawn| spawn.shutdown(ShutdownTimeout::Infinity)).await.unwrap();
    let patient = kid_as(&boss, "patient", |spawn| spawn.shutdown(ShutdownTimeout::Infinity)).await.unwrap();
    let now = kid_as(&boss, "now", |spawn| spawn.shutdown(ShutdownTimeout::Kill)).await.unwrap();
    for place in ["patient post_stop", "now post_stop"] {
        stage.plan(place, 1, Fault::Slow(secs(3600)));
    }
    stage.take();
    let begun = Instant::now();
    stop(&boss).await;
    assert_eq!(begun.elapsed(), secs(3600));
    assert_eq!(stage.take(), ["patient post_stop", "patient post_stop done", "boss post_stop"]);
    assert_eq!(state(&patient), "stopped");
    assert_ne!(state(&now), "lives");
}

/// An instance is stopped through its handle, once.
#[tokio::test(start_paused = true)]
async fn o141_an_instance_is_stopped_by_its_handle() {
    let (tree, _) = sets().await;
    for unit in [tree.now.spawn("x").await.unwrap(), tree.timed.spawn("y").await.unwrap()] {
        stop(&unit).await;
        stop(&unit).await;
        assert_ne!(state(&unit), "lives");
    }
    assert!(tree.now.is_empty() && tree.timed.is_empty());
}

/// A shutdown that has returned leaves nothing running; the same tree can be started again at once.
#[tokio::test(start_paused = true)]
async fn o142_a_shutdown_leaves_nothing_running() {
    let stage = Stage::default();
    for _ in 0..3 {
        let tree = One::start(stage.clone(), 1, secs(5)).await.unwrap();
        let units = [tree.a.clone(), tree.b.clone(), tree.c.clone()];
        tree.shutdown().await;
        assert!(units.iter().all(|unit| state(unit) == "stopped"));
    }
}

/// A shutdown carries no reason; its timeout ends the children that are left, in order.
#[tokio::test(start_paused = true)]
async fn o143_a_shutdown_may_be_bounded() {
    let stage = Stage::default();
    let tree = Patient::start(stage.clone()).await.unwrap();
    stage.plan("b post_stop", 1, Fault::Slow(secs(3600)));
    let begun = Instant::now();
    let report = soon(tree.shutdown().within(secs(3))).await;
    assert_eq!((kind(&report.ended), report.is_orderly()), ("aborted", false));
    assert_eq!(begun.elapsed(), secs(3));
}

/// A slow stop of one child does not delay restarts of the others.
#[tokio::test(start_paused = true)]
async fn o145_a_slow_stop_delays_no_other() {
    let stage = Stage::default();
    let tree = One::start(stage.clone(), 1, secs(5)).await.unwrap();
    stage.plan("a post_stop", 1, Fault::Slow(secs(4)));
    let begun = Instant::now();
    tree.a.stop();
    settle().await;
    fail(&tree.b).await;
    tree.c.restart().unwrap();
    assert_eq!((ping(&tree.b).await, ping(&tree.c).await), (2, 2));
    assert_eq!((begun.elapsed(), state(&tree.a)), (secs(0), "lives"));
    assert_eq!((end(&tree.a).await, begun.elapsed()), ("stopped", secs(4)));
}

/// Dropping the tree stops its children, in order and with their timeouts.
#[tokio::test(start_paused = true)]
async fn o146_a_tree_that_is_dropped_stops_in_order() {
    let stage = Stage::default();
    let tree = One::start(stage.clone(), 1, secs(5)).await.unwrap();
    stage.plan("b post_stop", 1, Fault::Slow(secs(1)));
    stage.take();
    let first = tree.a.clone();
    drop(tree);
    assert_eq!(end(&first).await, "stopped");
    assert_eq!(stage.take(), ["c post_stop", "b post_stop", "b post_stop done", "a post_stop"]);
}

/// A killed supervisor comes back if a decider restarts it; otherwise it has ended, and the tree continues.
#[tokio::test(start_paused = true)]
async fn o147_a_supervisor_that_is_killed_comes_back_if_it_is_decided() {
    let tree = Above::start(Stage::default()).await.unwrap();
    tree.middle.kill();
    pass(secs(1)).await;
    assert_eq!((ping(&tree.middle.a).await, ping(&tree.middle.b).await), (2, 2));

    let tree = Plain::start(Stage::default()).await.unwrap();
    tree.middle.kill();
    pass(secs(1)).await;
    assert_ne!(state(&tree.middle.a), "lives");
    assert_eq!(ping(&tree.other).await, 1);
}

/// None of the supervisor's old children is left when the new ones begin.
#[tokio::test(start_paused = true)]
async fn o148_a_supervisor_that_is_killed_leaves_no_orphans() {
    let stage = Stage::default();
    let tree = Above::start(stage.clone()).await.unwrap();
    let mut events = tree.events();
    for unit in [&tree.middle.a, &tree.middle.b] {
        unit.tell(Msg::Work(secs(3600))).await.unwrap();
    }
    settle().await;
    stage.take();
    tree.middle.kill();
    pass(secs(60)).await;
    let told = seen(&mut events);
    assert_eq!(starts(&stage), ["a", "b"]);
    assert!(!told.iter().any(|line| line.contains("stuck")), "{told:?}");
    assert_eq!((ping(&tree.middle.a).await, ping(&tree.middle.b).await), (2, 2));
    assert!(tree.ended().is_none());
}
