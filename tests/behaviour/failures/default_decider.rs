//! The default decider, and that decisions are pure: S9 and S10.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use supervise::event::EventKind;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, quiet_panics, secs, seen, settle, soon};
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

/// S9: `Default` above a child is the default decision, and the tree's decider is not asked. An arm that is missing
/// there goes to the tree.
#[tokio::test(start_paused = true)]
async fn default_above_a_child_leaves_the_trees_decider_out() {
    supervisor! {
        struct Tree(journal: Journal, asked: Journal) {
            #![decider({
                let asked = asked.clone();
                move |failure: &Failure| {
                    asked.write(failure.path());
                    Directive::Stop
                }
            })]
            #[decider(_ => Default)]
            own: Probe = Probe::start("own", journal).await?,
            #[decider(Boom::Told => Default)]
            part: Probe = Probe::start("part", journal).await?,
        }
    }
    let (journal, asked) = (Journal::default(), Journal::default());
    let tree = Tree::start(journal, asked.clone()).await.unwrap();
    for boom in [Boom::Told, Boom::Fatal] {
        tree.own.tell(Do::Fail(boom)).await.unwrap();
    }
    tree.part.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    assert_eq!((tree.own.incarnation(), tree.part.incarnation()), (3, 2));
    assert!(asked.take().is_empty());
    tree.part.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    assert!(matches!(soon(tree.part.terminated()).await, Ok(Ended::Failed(_))));
    assert_eq!(asked.take(), ["part"]);
    tree.own.kill(); // the tree's decider would have said the same, and was not asked
    assert!(matches!(soon(tree.own.terminated()).await, Ok(Ended::Killed)));
    assert!(asked.take().is_empty());
}

/// S9: `Default` in the decider of a tree restarts, stops a kill, and fails a first start; an event names the directive
/// that it came to. The functions and closures of an actor's strategy answer it, too.
#[tokio::test(start_paused = true)]
async fn default_is_what_happens_without_a_decider() {
    fn by_default(_: &Failure) -> Directive {
        Directive::Default
    }
    supervisor! {
        struct Tree(journal: Journal) {
            #![decider(by_default)]
            probe: Probe = Probe::start("probe", journal).await?,
            #[backoff(2s..4s, random_factor = 0)]
            patient: Probe = Probe::start("patient", journal).await?,
        }
    }
    let journal = Journal::default();
    journal.plan("probe start", 1, Fault::Error);
    let failure = Tree::start(journal.clone()).await.unwrap_err();
    assert_eq!((failure.phase(), failure.path()), (Phase::Start, "probe"));
    journal.plan("patient start", 1, Fault::Error);
    let tree = Tree::start(journal.clone()).await.unwrap();
    assert!(tree.ready().await);
    assert_eq!(tree.patient.incarnation(), 2, "a declared backoff retries a first start");
    let mut events = tree.events();
    tree.probe.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    pass(secs(1)).await;
    tree.probe.kill();
    assert!(matches!(soon(tree.probe.terminated()).await, Ok(Ended::Killed)));
    let mut decided = Vec::new();
    while decided.len() < 2 {
        if let EventKind::Decided { directive, .. } = soon(events.next()).await.unwrap().kind {
            decided.push(directive);
        }
    }
    assert_eq!(decided, [Directive::Restart, Directive::Stop]);

    supervisor! {
        struct Family(journal: Journal) {
            parent: Parent = Parent::new(journal, || {
                SupervisorStrategy::new(Strategy::OneForOne).decider(|_: &Failure| Directive::Default)
            }),
        }
    }
    let family = Family::start(Journal::default()).await.unwrap();
    let child = family.parent.ask(Tell::Child).await.unwrap();
    child.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(child.incarnation(), 2);
    child.kill();
    assert!(matches!(soon(child.terminated()).await, Ok(Ended::Killed)));
}

/// S9, S23: `Default` about a `Temporary` child ends it, without a decision.
#[tokio::test(start_paused = true)]
async fn default_ends_a_temporary_child() {
    supervisor! {
        struct Tree(journal: Journal) {
            #[lifecycle(Temporary)]
            #[decider(_ => Default)]
            once: Probe = Probe::start("once", journal).await?,
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let tree = Tree::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    tree.once.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    assert!(matches!(soon(tree.once.terminated()).await, Ok(Ended::Failed(_))));
    let mut kinds = Vec::new();
    loop {
        let event = soon(events.next()).await.unwrap();
        match event.kind {
            EventKind::Failed { .. } => kinds.push("failed"),
            EventKind::Decided { .. } => kinds.push("decided"),
            EventKind::Ended { .. } => break,
            _ => {}
        }
    }
    assert_eq!(kinds, ["failed"]);
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
            #[backoff(Backoff::slotted(ms(100)))]
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
        while let Some(event) = events.try_next() {
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

/// S8, S30: after a restart, a set asks the decider that its tree has now, with the values of this run.
#[tokio::test(start_paused = true)]
async fn a_set_asks_the_decider_of_the_present_run() {
    supervisor! {
        struct Top(journal: Journal, runs: Arc<AtomicU32>) {
            outer: struct Outer {
                let run = runs.fetch_add(1, SeqCst);
                #[decider(_ => Escalate)]
                first: Probe = Probe::start("first", journal).await?,
                inner: struct Inner {
                    #![decider(move |_: &Failure| if run == 0 { Directive::Stop } else { Directive::Resume })]
                    set: [Probe] = || Probe::start("one", journal).await?,
                    keyed: [u32 => Probe] = |_key: u32| Probe::start("key", journal).await?,
                },
            },
        }
    }
    let top = Top::start(Journal::default(), Arc::default()).await.unwrap();
    let inner = &top.outer.inner;
    for ended in [true, false] {
        for child in [inner.set.spawn().await.unwrap(), inner.keyed.spawn(1).await.unwrap()] {
            child.tell(Do::Fail(Boom::Told)).await.unwrap();
            settle().await;
            assert_eq!(child.ended().is_some(), ended, "{}", child.path());
            assert_eq!(child.incarnation(), 1);
        }
        top.outer.first.tell(Do::Fail(Boom::Told)).await.unwrap();
        settle().await;
    }
}
