//! Actors below a failure, and concurrent failures: A095 to A106.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Fault, ms, pass, secs, seen, settle, soon};
use crate::stage::*;

supervisor! {
    struct House(stage: Stage, above: Directive) {
        #![decider(move |_: &Failure| above)]
        boss: Unit = Unit::start("boss", stage.clone()).await?,
        outside: Unit = Unit::start("outside", stage).await?,
    }
}

/// `boss` above `mid` above `leaf`; the tree above `boss` decides the failures of `mid`.
struct Family {
    tree: Running<House>,
    stage: Stage,
    mid: ActorRef<Unit>,
    leaf: ActorRef<Unit>,
}

impl Family {
    async fn new(above: Directive) -> Family {
        let stage = Stage::default();
        stage.supervises("boss", always(Directive::Escalate));
        let tree = House::start(stage.clone(), above).await.unwrap();
        let mid = kid(&tree.boss, "mid").await;
        let leaf = kid(&mid, "leaf").await;
        stage.take();
        Family { tree, stage, mid, leaf }
    }

    /// `mid` fails now; the decision follows after `time`, when `boss` has finished its message.
    async fn fails_undecided(&self, time: Duration) {
        self.tree.boss.tell(Msg::Work(time)).await.unwrap();
        settle().await;
        fail(&self.mid).await;
        settle().await;
        assert_eq!(self.stage.take(), ["boss works"]);
    }
}

/// While a failure is undecided, actors below it begin no message.
#[tokio::test(start_paused = true)]
async fn a095_below_an_undecided_failure_no_message_begins() {
    let family = Family::new(Directive::Resume).await;
    family.fails_undecided(secs(2)).await;
    let begun = Instant::now();
    assert_eq!(ping(&family.leaf).await, 1);
    assert_eq!(begun.elapsed(), secs(2));
    assert_eq!(family.stage.take(), ["boss worked", "leaf ping"]);
}

/// After a Resume in the middle, the actors below continue.
#[tokio::test(start_paused = true)]
async fn a096_children_of_a_resumed_actor_go_on() {
    let family = Family::new(Directive::Resume).await;
    family.leaf.tell(Msg::Add(7)).await.unwrap();
    fail(&family.mid).await;
    assert_eq!((sum(&family.leaf).await, ping(&family.leaf).await), (7, 1));
    assert_eq!((ping(&family.mid).await, ping(&family.tree.boss).await), (1, 1));
}

/// Two failures above, one after the other: messages flow when the last of them is resumed.
#[tokio::test(start_paused = true)]
async fn a097_messages_flow_when_the_last_failure_above_is_resumed() {
    let family = Family::new(Directive::Resume).await;
    family.stage.supervises("mid", always(Directive::Escalate));
    // The strategy is read once for each instance.
    family.mid.restart().unwrap();
    settle().await;
    let low = kid(&family.mid, "low").await;
    let leaf = kid(&low, "last").await;
    family.stage.take();
    family.tree.boss.tell(Msg::Work(secs(4))).await.unwrap();
    family.mid.tell(Msg::Work(secs(2))).await.unwrap();
    fail(&low).await;
    note(&leaf, "flows").await;
    pass(ms(3_999)).await;
    assert_eq!(family.stage.take(), ["boss works", "mid works", "mid worked"]);
    pass(ms(1)).await;
    assert_eq!(family.stage.take(), ["boss worked", "last flows"]);
    assert_eq!((ping(&low).await, ping(&leaf).await), (1, 1));
}

/// A suspended actor can be stopped and watched, and learns of ends when it continues.
#[tokio::test(start_paused = true)]
async fn a098_a_suspended_child_can_be_stopped_and_watched() {
    let family = Family::new(Directive::Resume).await;
    let other = kid(&family.mid, "other").await;
    watch(&other, &family.leaf).await;
    family.stage.take();
    family.fails_undecided(secs(2)).await;
    watch(&family.tree.outside, &family.leaf).await;
    note(&family.leaf, "is lost").await;
    family.leaf.stop();
    settle().await;
    assert_eq!(family.stage.take(), ["leaf post_stop", "outside hears boss/mid/leaf: stopped"]);
    pass(secs(2)).await;
    assert_eq!(family.stage.take(), ["boss worked", "other hears boss/mid/leaf: stopped"]);
}

/// A child fails below an undecided failure, and the restart above stops it: its own failure is not decided.
#[tokio::test(start_paused = true)]
async fn a100_a_failure_below_a_restart_is_absorbed_with_its_child() {
    let family = Family::new(Directive::Restart).await;
    family.stage.keeps("boss", &["mid"]);
    let mut events = family.tree.events();
    family.leaf.tell(Msg::WorkAndFail(secs(1), Boom::Told)).await.unwrap();
    family.fails_undecided(secs(2)).await;
    pass(secs(3)).await;
    let mid = text(&["mid pre_restart", "leaf post_stop"]);
    let expected = [&text(&["boss worked"]), &restart("boss")[..], &mid, &restart("mid")[1..]];
    assert_eq!(family.stage.take(), lines(&expected));
    assert_eq!((state(&family.leaf), family.leaf.incarnation()), ("stopped", 1));
    let lines = seen(&mut events);
    assert!(!lines.iter().any(|line| line.starts_with("boss/mid/leaf decided")), "{lines:?}");
}

/// The same with a kept child: one restart handles both failures.
#[tokio::test(start_paused = true)]
async fn a101_a_kept_child_that_has_failed_is_restarted_once() {
    let family = Family::new(Directive::Restart).await;
    family.stage.keeps("boss", &["mid"]);
    family.stage.keeps("mid", &["leaf"]);
    let mut events = family.tree.events();
    family.leaf.tell(Msg::WorkAndFail(secs(1), Boom::Told)).await.unwrap();
    family.fails_undecided(secs(2)).await;
    pass(secs(3)).await;
    let expected = [&text(&["boss worked"]), &restart("boss")[..], &restart("mid"), &restart("leaf")];
    assert_eq!(family.stage.take(), lines(&expected));
    assert_eq!(ping(&family.leaf).await, 2);
    let lines = seen(&mut events);
    assert!(!lines.iter().any(|line| line.starts_with("boss/mid/leaf decided")), "{lines:?}");
}

/// The same when the child fails while its parent waits for another child to stop.
#[tokio::test(start_paused = true)]
async fn a102_a_kept_child_that_fails_in_its_parents_restart_is_restarted_once() {
    let stage = Stage::default();
    stage.keeps("boss", &["kept"]);
    let boss = top("boss", &stage).await;
    let [kept, slow] = [kid(&boss, "kept").await, kid(&boss, "slow").await];
    stage.plan("slow post_stop", 1, Fault::Slow(secs(2)));
    stage.take();
    kept.tell(Msg::WorkAndFail(secs(1), Boom::Told)).await.unwrap();
    settle().await;
    fail(&boss).await;
    pass(ms(1_500)).await;
    assert_eq!(stage.take(), ["boss pre_restart", "slow post_stop"], "the failure of `kept` has happened");
    pass(secs(60)).await;
    let expected = [&text(&["slow post_stop done"]), &restart("boss")[1..], &restart("kept")];
    assert_eq!(stage.take(), lines(&expected));
    assert_eq!((ping(&kept).await, state(&slow)), (2, "stopped"));
}

/// A child that has ended does not affect the next child of its name: neither its failure nor its backoff remains.
#[tokio::test(start_paused = true)]
async fn a103_an_earlier_child_of_the_name_does_not_concern_the_next() {
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    let patient = |spawn: UnitOptions| {
        spawn.backoff(Backoff::exponential(secs(5)..secs(5)).random_factor(0.0)).limit(limit(3, None))
    };
    let waiting = kid_as(&boss, "kid", patient).await.unwrap();
    fail(&waiting).await;
    settle().await;
    waiting.stop();
    soon(waiting.terminated()).await.unwrap();
    let failing = kid(&boss, "kid").await;
    failing.tell(Msg::WorkAndFail(secs(1), Boom::Told)).await.unwrap();
    settle().await;
    failing.stop();
    soon(failing.terminated()).await.unwrap();
    stage.take();
    let last = kid(&boss, "kid").await;
    pass(secs(60)).await;
    assert_eq!(stage.take(), ["kid start", "kid pre_start"]);
    assert_eq!((ping(&last).await, state(&last)), (1, "lives"));
}

/// A child spawned below an undecided failure does not start before the decision, and never if the decision is Restart.
#[tokio::test(start_paused = true)]
async fn a105_what_is_spawned_while_suspended_starts_after_the_resume() {
    for above in [Directive::Resume, Directive::Restart] {
        let family = Family::new(above).await;
        act(&family.leaf, |unit, cx| {
            Box::pin(async move {
                tokio::time::sleep(secs(1)).await;
                unit.write("spawns");
                unit.spawn("late", cx).await?;
                unit.write("has spawned");
                Ok(())
            })
        })
        .await;
        family.fails_undecided(secs(2)).await;
        pass(ms(1_999)).await;
        assert_eq!(family.stage.take(), ["leaf spawns"]);
        pass(ms(1)).await;
        match above {
            Directive::Resume => {
                assert_eq!(family.stage.take(), ["boss worked", "late start", "late pre_start", "leaf has spawned"]);
            }
            _ => {
                let down = text(&["boss worked", "boss pre_restart", "leaf post_stop", "mid post_stop"]);
                assert_eq!(family.stage.take(), lines(&[&down, &restart("boss")[1..]]));
            }
        }
    }
}

/// A failure of an actor that is going down is not decided.
#[tokio::test(start_paused = true)]
async fn a106_a_failure_while_going_down_is_not_decided() {
    let (stage, asked) = (Stage::default(), Arc::new(AtomicU32::new(0)));
    let count = asked.clone();
    let decider = move |_: &Failure| {
        count.fetch_add(1, Ordering::Relaxed);
        Directive::Restart
    };
    stage.supervises("boss", SupervisorStrategy::new(Strategy::OneForOne).decider(decider));
    let boss = top("boss", &stage).await;
    let one = kid(&boss, "kid").await;
    stage.take();
    one.tell(Msg::WorkAndFail(secs(1), Boom::Told)).await.unwrap();
    settle().await;
    one.stop();
    pass(secs(60)).await;
    assert_eq!(stage.take(), ["kid post_stop"]);
    assert_ne!(state(&one), "lives");
    assert_eq!(asked.load(Ordering::Relaxed), 0);
}
