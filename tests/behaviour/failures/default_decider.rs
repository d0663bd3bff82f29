//! The default decider, and that decisions are pure: S9 and S10.

use supervise::event::EventKind;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, quiet_panics, secs, seen, soon};
use crate::failures::suspension::{Parent, Tell};

// ----- S9

/// S9: a failed first start leads to a stop, unless the child declares a backoff.
#[tokio::test(start_paused = true)]
async fn a_first_start_is_tried_again_only_after_a_declared_backoff() {
    supervisor! {
        struct Plain(journal: Journal) {
            probe: Probe = Probe::start("probe", journal).await?,
        }
        struct Backoff(journal: Journal) {
            #[backoff(2s..4s, random_factor = 0)]
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    let journal = Journal::default();
    journal.plan("probe start", 2, Fault::Error);
    let failure = Plain::start(journal.clone()).await.unwrap_err();
    assert_eq!((failure.phase(), failure.path()), (Phase::Start, "probe"));
    assert_eq!(journal.take(), ["probe start"]);
    journal.plan("probe start", 2, Fault::Error);
    let begun = Instant::now();
    let backoff = Backoff::start(journal.clone()).await.unwrap();
    assert!(backoff.ready().await);
    assert_eq!(begun.elapsed(), secs(6), "2 s and 4 s");
    assert_eq!(backoff.probe.incarnation(), 3);
}

/// S9: a kill and a death pact stop the child; errors, panics and failed restarts restart it.
#[tokio::test(start_paused = true)]
async fn kills_and_death_pacts_stop_and_everything_else_restarts() {
    struct Bound(ActorRef<Probe>);
    #[actor]
    impl Bound {
        fn handle(&mut self, _: ()) {}
        #[pre_start]
        fn depends(&mut self, cx: &mut Context<Self>) {
            cx.depend_on(&self.0);
        }
    }
    supervisor! {
        struct Tree(journal: Journal) {
            killed: Probe = Probe::start("killed", journal.clone()).await?,
            bound: Bound = Bound(killed),
            failing: Probe = Probe::start("failing", journal).await?,
        }
    }
    quiet_panics();
    let journal = Journal::default();
    let tree = Tree::start(journal.clone()).await.unwrap();
    tree.killed.kill();
    assert!(matches!(soon(tree.killed.terminated()).await, Ok(Ended::Killed)));
    let ended = soon(tree.bound.terminated()).await.unwrap();
    assert!(matches!(ended.failure().map(Failure::cause), Some(Cause::DeathPact(path)) if path == "killed"));
    tree.failing.tell(Do::Panic).await.unwrap();
    pass(secs(1)).await;
    journal.plan("failing start", 2, Fault::Error);
    journal.plan("failing post_restart", 1, Fault::Panic);
    tree.failing.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(tree.failing.incarnation(), 6);
    assert!(tree.failing.ended().is_none());
}

/// S9: `SupervisorStrategy::STOPPING` stops on every failure.
#[tokio::test(start_paused = true)]
async fn the_stopping_strategy_stops_on_every_failure() {
    supervisor! {
        struct Family(journal: Journal) {
            parent: Parent = Parent::new(journal, || SupervisorStrategy::STOPPING),
        }
    }
    quiet_panics();
    for (order, of) in [(Do::Fail(Boom::Told), "Told"), (Do::Panic, "panicked: planned panic")] {
        let family = Family::start(Journal::default()).await.unwrap();
        let child = family.parent.ask(Tell::Child).await.unwrap();
        child.tell(order).await.unwrap();
        let ended = soon(child.terminated()).await.unwrap();
        assert_eq!(ended.failure().map(|failure| failure.cause().to_string()).as_deref(), Some(of));
        assert_eq!((child.incarnation(), family.parent.incarnation()), (1, 1), "the parent continues");
    }
}

/// S9: a panic in a decider escalates.
#[tokio::test(start_paused = true)]
async fn a_panic_in_a_decider_escalates() {
    supervisor! {
        struct One(journal: Journal) {
            #![decider(|_| panic!("planned panic in a decider"))]
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    quiet_panics();
    let one = One::start(Journal::default()).await.unwrap();
    let mut events = one.events();
    one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    let report = soon(one.join()).await;
    assert_eq!(report.ended.failure().and_then(Failure::error), Some(&Boom::Told), "the child's own failure");
    let seen = seen(&mut events);
    assert_eq!(seen[..3], ["probe failed", "probe reported", "probe decided Escalate"], "{seen:?}");
}

// ----- S10

/// S10: the same events with the same seed lead to the same decisions at the same times; only another seed makes a
/// difference.
#[tokio::test(start_paused = true)]
async fn the_same_inputs_give_the_same_decisions() {
    supervisor! {
        struct Group(journal: Journal) {
            #![strategy(RestForOne, max_restarts = 6, within = 1h)]
            first: Probe = Probe::start("first", journal.clone()).await?,
            #[backoff(1s..20s, random_factor = 1)]
            second: Probe = Probe::start("second", journal.clone()).await?,
            #[backoff(SlottedBackoff::new(ms(100)))]
            third: Probe = Probe::start("third", journal).await?,
        }
    }
    async fn run(seed: u64) -> Vec<String> {
        let journal = Journal::default();
        let begun = Instant::now();
        let mut tree = Group::tree(journal.clone()).seed(seed);
        let mut events = tree.events();
        let tree = tree.start().await.unwrap();
        for (probe, fault) in [(&tree.third, false), (&tree.second, true), (&tree.third, true), (&tree.second, false)] {
            if fault {
                journal.plan("third start", 1, Fault::Error);
            }
            probe.tell(Do::Fail(Boom::Told)).await.unwrap();
            pass(secs(60)).await;
        }
        let mut lines = Vec::new();
        while let Some(Ok(event)) = events.try_next() {
            let line = match event.kind {
                EventKind::Decided { directive, streak, .. } => format!("{directive:?} {streak}"),
                EventKind::RestartScheduled { after } => format!("in {after:?}"),
                EventKind::Ended { .. } => "ended".into(),
                EventKind::Failed { .. } => "failed".into(),
                _ => continue,
            };
            lines.push(format!("{:?} {} #{} {line}", event.at - begun, event.path, event.incarnation));
        }
        lines
    }
    let first = run(7).await;
    assert!(first.iter().any(|line| line.contains("in ")) && first.len() > 12, "{first:?}");
    assert_eq!(run(7).await, first);
    assert_ne!(run(8).await, first);
}
