//! Directives, and the deciders that return them: A042 to A062.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use supervise::error::SpawnError;
use supervise::event::EventKind;
use supervise::prelude::*;

use crate::common::{Boom, Fault, quiet_panics, seen, settle, soon};
use crate::stage::*;

#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the disk is full")]
struct Disk;

#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the network is down")]
struct Network;

supervisor! {
    struct Simple(stage: Stage, directive: Directive) {
        #![decider(move |_: &Failure| directive)]
        a: Unit = Unit::start("a", stage).await?,
    }

    struct Listed(stage: Stage) {
        #![decider(_: Disk => Restart, _: Network => Stop)]
        disk: Unit = Unit::start("disk", stage.clone()).await?,
        network: Unit = Unit::start("network", stage.clone()).await?,
        other: Unit = Unit::start("other", stage).await?,
    }

    struct Deep(stage: Stage, above: Directive) {
        #![decider(move |_: &Failure| above)]
        parent: Unit = Unit::start("parent", stage.clone()).await?,
        outside: Unit = Unit::start("outside", stage).await?,
    }
}

/// The unit fails with this error type of the test.
async fn fail_with(unit: &ActorRef<Unit>, error: impl std::error::Error + Send + Sync + 'static) {
    act(unit, move |_, _| Box::pin(async move { Err(error.into()) })).await;
}

/// A tree with this directive, above a parent that applies this strategy to its children `a` and `b`.
async fn deep(above: Directive, below: SupervisorStrategy) -> (Running<Deep>, [ActorRef<Unit>; 2], Stage) {
    let stage = Stage::default();
    stage.supervises("parent", below);
    let tree = Deep::start(stage.clone(), above).await.unwrap();
    let kids = [kid(&tree.parent, "a").await, kid(&tree.parent, "b").await];
    stage.take();
    (tree, kids, stage)
}

/// Resume keeps the state.
#[tokio::test(start_paused = true)]
async fn a042_resume_keeps_the_state() {
    let tree = Simple::start(Stage::default(), Directive::Resume).await.unwrap();
    tree.a.tell(Msg::Add(42)).await.unwrap();
    fail(&tree.a).await;
    assert_eq!((sum(&tree.a).await, tree.a.incarnation()), (42, 1));
}

/// Restart begins with a fresh state.
#[tokio::test(start_paused = true)]
async fn a043_restart_begins_with_a_fresh_state() {
    let tree = Simple::start(Stage::default(), Directive::Restart).await.unwrap();
    tree.a.tell(Msg::Add(42)).await.unwrap();
    fail(&tree.a).await;
    assert_eq!((sum(&tree.a).await, tree.a.incarnation()), (0, 2));
}

/// An escalation restarts the parent; its children end with the old instance, and their watcher is notified.
#[tokio::test(start_paused = true)]
async fn a045_an_escalation_restarts_the_parent_and_ends_the_child() {
    let (tree, [a, b], stage) = deep(Directive::Restart, always(Directive::Escalate)).await;
    watch(&tree.outside, &a).await;
    fail(&a).await;
    settle().await;
    let journal = stage.take();
    assert_eq!(journal.iter().filter(|line| line.starts_with("outside hears parent/a: ")).count(), 1, "{journal:?}");
    let rest: Vec<_> = journal.into_iter().filter(|line| !line.starts_with("outside")).collect();
    let expected = text(&["b post_stop", "a post_stop"]);
    let parent = restart("parent");
    let (down, up) = parent.split_at(1);
    assert_eq!(rest, lines(&[down, &expected, up]));
    assert!(a.ended().is_some() && b.ended().is_some());
    assert_eq!(ping(&tree.parent).await, 2);
}

/// A parent that keeps the child: the child survives with its handle, and has a fresh state.
#[tokio::test(start_paused = true)]
async fn a046_an_escalation_restarts_a_kept_child_after_its_parent() {
    let (tree, [a, b], stage) = deep(Directive::Restart, always(Directive::Escalate)).await;
    stage.keeps("parent", &["a"]);
    a.tell(Msg::Add(42)).await.unwrap();
    fail(&a).await;
    assert_eq!((sum(&a).await, ping(&a).await, ping(&tree.parent).await), (0, 2, 2));
    assert_eq!(state(&b), "stopped");
}

/// The default decision for each cause; a panic is a failure like any other here.
#[tokio::test(start_paused = true)]
async fn a047_the_default_decider_goes_by_cause_and_phase() {
    quiet_panics();
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    stage.plan("late start", 1, Fault::Error);
    let refused = kid_as(&boss, "late", |spawn| spawn).await;
    assert!(matches!(&refused, Err(SpawnError::Start(failure)) if failure.phase() == Phase::Start), "{refused:?}");
    let [killed, pact, failing, panicking] =
        [kid(&boss, "k").await, kid(&boss, "p").await, kid(&boss, "f").await, kid(&boss, "x").await];
    let on = killed.clone();
    with(&pact, move |_, cx| cx.depend_on(&on)).await;
    killed.kill();
    fail(&failing).await;
    panicking.tell(Msg::Panic).await.unwrap();
    settle().await;
    assert_eq!([state(&killed), state(&pact)], ["killed", "failed"]);
    assert!(matches!(pact.ended().unwrap().failure().unwrap().cause(), Cause::DeathPact(path) if path == "boss/k"));
    assert_eq!((ping(&failing).await, ping(&panicking).await), (2, 2));
}

/// An error that no arm names escalates; the default decision does not apply to it.
#[tokio::test(start_paused = true)]
async fn a048_an_error_that_no_arm_names_escalates() {
    let stage = Stage::default();
    let tree = Listed::start(stage.clone()).await.unwrap();
    fail(&tree.other).await;
    let report = soon(tree.join()).await;
    assert_eq!(report.ended.failure().unwrap().error(), Some(&Boom::Told));
    assert_eq!(kind(&report.ended), "failed");
}

/// Arms name exact types: neither their order nor an inheritance relation matters.
#[tokio::test(start_paused = true)]
async fn a050_listed_types_are_decided_and_others_escalate() {
    let stage = Stage::default();
    let tree = Listed::start(stage.clone()).await.unwrap();
    let mut events = tree.events();
    fail_with(&tree.disk, Disk).await;
    fail_with(&tree.network, Network).await;
    fail_with(&tree.other, std::io::Error::other(Disk)).await;
    soon(tree.join()).await;
    let mut decided = Vec::new();
    while let Some(event) = events.try_next() {
        if let EventKind::Decided { directive, .. } = event.kind {
            decided.push((event.path, directive));
        }
    }
    let expected = [("disk", Directive::Restart), ("network", Directive::Stop), ("other", Directive::Escalate)];
    assert_eq!(decided, expected.map(|(path, directive)| (path.to_owned(), directive)));
}

/// A kill that is decided Resume: the actor continues with its state.
#[tokio::test(start_paused = true)]
async fn a051_a_kill_that_is_resumed_lives_on() {
    let tree = Simple::start(Stage::default(), Directive::Resume).await.unwrap();
    tree.a.tell(Msg::Add(42)).await.unwrap();
    settle().await;
    tree.a.kill();
    settle().await;
    assert_eq!((sum(&tree.a).await, tree.a.incarnation()), (42, 1));
}

fn panicking() -> SupervisorStrategy {
    SupervisorStrategy::new(Strategy::OneForOne)
        .decider(|_: &Failure| -> Directive { panic!("planned panic in a decider") })
}

/// If a decider panics, the failure escalates: the parent fails with the child's failure.
#[tokio::test(start_paused = true)]
async fn a052_a_decider_that_panics_escalates_the_failure() {
    quiet_panics();
    let (tree, [a, _], stage) = deep(Directive::Restart, panicking()).await;
    stage.keeps("parent", &["a"]);
    fail(&a).await;
    assert_eq!((ping(&a).await, ping(&tree.parent).await), (2, 2));
    for hook in ["parent pre_restart", "a pre_restart", "a post_restart"] {
        let given = stage.given(hook);
        assert_eq!((given.error(), given.path()), (Some(&Boom::Told), "parent/a"), "{hook}");
    }
}

/// The same with Resume from above: the child continues with its state and its queued messages.
#[tokio::test(start_paused = true)]
async fn a053_a_decider_that_panics_can_be_resumed() {
    quiet_panics();
    let (tree, [a, _], stage) = deep(Directive::Resume, panicking()).await;
    a.tell(Msg::Add(42)).await.unwrap();
    fail(&a).await;
    note(&a, "waited").await;
    settle().await;
    assert_eq!(stage.take(), ["a waited"]);
    assert_eq!((sum(&a).await, a.incarnation(), tree.parent.incarnation()), (42, 1, 1));
}

/// An escalation that is decided Resume: all actors continue, nothing is lost, and the decider above was asked once.
#[tokio::test(start_paused = true)]
async fn a055_an_escalation_that_is_resumed_loses_nothing() {
    supervisor! {
        struct Counting(stage: Stage, asked: Arc<AtomicU32>) {
            #![decider(move |_: &Failure| {
                asked.fetch_add(1, Ordering::Relaxed);
                Directive::Resume
            })]
            parent: Unit = Unit::start("parent", stage).await?,
        }
    }
    let (stage, asked) = (Stage::default(), Arc::new(AtomicU32::new(0)));
    stage.supervises("parent", always(Directive::Escalate));
    let tree = Counting::start(stage.clone(), asked.clone()).await.unwrap();
    let [a, b] = [kid(&tree.parent, "a").await, kid(&tree.parent, "b").await];
    stage.take();
    for unit in [&a, &b, &tree.parent] {
        unit.try_tell(Msg::Add(7)).unwrap();
        if *unit == a {
            unit.try_tell(Msg::Fail(Boom::Told)).unwrap();
        }
        unit.try_tell(Msg::Note("waited")).unwrap();
    }
    settle().await;
    let mut notes = stage.take();
    notes.sort();
    assert_eq!(notes, ["a waited", "b waited", "parent waited"], "no hook ran");
    assert_eq!((sum(&a).await, sum(&b).await, sum(&tree.parent).await), (7, 7, 7));
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

/// The middle one of three levels is killed: it goes down first, then the kept child below; the head notices nothing.
#[tokio::test(start_paused = true)]
async fn a056_a_kill_in_the_middle_leaves_the_head_alone() {
    let stage = Stage::default();
    stage.supervises("head", always(Directive::Restart));
    stage.keeps("middle", &["last"]);
    let head = top("head", &stage).await;
    let middle = kid(&head, "middle").await;
    let last = kid(&middle, "last").await;
    stage.take();
    middle.kill();
    settle().await;
    assert_eq!(stage.take(), lines(&[&restart("middle"), &restart("last")]));
    assert_eq!((ping(&head).await, ping(&middle).await, ping(&last).await), (1, 2, 2));
}

/// Two levels up, the failure is still the child's own error, with the child's path; only the phase differs.
#[tokio::test(start_paused = true)]
async fn a057_an_escalated_error_is_not_wrapped() {
    let stage = Stage::default();
    for name in ["parent", "a"] {
        stage.supervises(name, always(Directive::Escalate));
    }
    let tree = Deep::start(stage.clone(), Directive::Escalate).await.unwrap();
    let a = kid(&tree.parent, "a").await;
    let leaf = kid(&a, "leaf").await;
    fail(&leaf).await;
    let report = soon(tree.join()).await;
    let failure = report.ended.failure().unwrap();
    assert_eq!((failure.error(), failure.path()), (Some(&Boom::Told), "parent/a/leaf"));
    assert!(failure.before().is_none());
}

/// A parent that is restarted because of a child has no message in hand, so that no hook could receive one.
#[tokio::test(start_paused = true)]
async fn a058_a_parent_that_is_restarted_for_a_child_had_no_message() {
    let (tree, [a, _], _) = deep(Directive::Restart, always(Directive::Escalate)).await;
    let mut events = tree.events();
    fail(&a).await;
    settle().await;
    let mut in_hand = Vec::new();
    while let Some(event) = events.try_next() {
        if let EventKind::Failed { message, .. } = event.kind {
            in_hand.push((event.path, message.is_some()));
        }
    }
    assert_eq!(in_hand, [("parent/a".to_owned(), true), ("parent".to_owned(), false)]);
}

/// When a parent learns of a child's end, it can spawn another child of that name at once: the same path, another
/// handle.
#[tokio::test(start_paused = true)]
async fn a060_a_parent_that_learns_of_an_end_can_replace_the_child() {
    let stage = Stage::default();
    stage.supervises("boss", always(Directive::Stop));
    stage.on("boss terminated", |unit, cx| {
        Box::pin(async move {
            let next = unit.spawn("kid", cx).await?;
            cx.watch(&next);
            Ok(())
        })
    });
    let boss = top("boss", &stage).await;
    let first = kid(&boss, "kid").await;
    watch(&boss, &first).await;
    stage.take();
    fail(&first).await;
    settle().await;
    assert_eq!(stage.take(), ["kid post_stop", "boss hears boss/kid: failed", "kid start", "kid pre_start"]);
    let (answer, second) = tokio::sync::oneshot::channel();
    with(&boss, move |unit, _| drop(answer.send(unit.kids[1].clone()))).await;
    let second = second.await.unwrap();
    assert_eq!((second.path(), ping(&second).await), (first.path(), 1));
    assert_ne!(first, second);
}

/// An actor that goes down does not run its reaction to the end of a child, so the reaction cannot fail there.
#[tokio::test(start_paused = true)]
async fn a061_a_parent_that_goes_down_hears_of_no_child() {
    let stage = Stage::default();
    stage.on("boss terminated", |_, _| Box::pin(async { Err(Boom::Fatal.into()) }));
    let boss = top("boss", &stage).await;
    let one = kid(&boss, "kid").await;
    watch(&boss, &one).await;
    stage.take();
    boss.stop();
    assert_eq!(kind(&soon(boss.terminated()).await.unwrap()), "stopped");
    assert_eq!(stage.take(), ["kid post_stop", "boss post_stop"]);
}

/// Every directive is an event, with the failure that it decides.
#[tokio::test(start_paused = true)]
async fn a062_every_directive_is_an_event() {
    for (directive, then) in [
        (Directive::Resume, &[][..]),
        (Directive::Restart, &["a restart in 0ns", "a restarted"]),
        (Directive::Stop, &["a ended Failed", "Simple ended Failed"]),
        (Directive::Escalate, &["Simple escalated"]),
    ] {
        let tree = Simple::start(Stage::default(), directive).await.unwrap();
        let mut events = tree.events();
        fail(&tree.a).await;
        settle().await;
        let lines = seen(&mut events);
        assert_eq!(lines[..2], ["a failed".to_owned(), format!("a decided {directive:?}")]);
        assert_eq!(lines[2..][..then.len()], *then, "{lines:?}");
    }
}
