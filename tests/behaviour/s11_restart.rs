//! The restart of one child: S11 to S13.

use std::time::Duration;

use supervise::prelude::*;
use supervise::{Cause, EventKind, Events};
use tokio::time::Instant;

use crate::kit::{Boom, Do, Fault, Journal, Probe, ms, pass, quiet_panics, secs, seen, settle};

supervisor! {
    struct One(journal: Journal) {
        #[lifecycle(Permanent, shutdown = 3s)]
        probe: Probe = Probe::start("probe", journal).await?,
    }
}

/// An actor with two children; `keep` is the name of the one it keeps over a restart.
struct Parent {
    journal: Journal,
    children: Vec<ActorRef<Probe>>,
    keep: &'static str,
}

enum Tell {
    Children(Reply<Vec<ActorRef<Probe>>>),
    Fail,
    Note,
}

#[actor]
impl Parent {
    async fn new(journal: Journal, keep: &'static str) -> Result<Self, Boom> {
        journal.reach("parent start".into()).await?;
        Ok(Parent { journal, children: Vec::new(), keep })
    }
    async fn handle(&mut self, tell: Tell, cx: &mut Context<Self>) -> Result<(), Boom> {
        match tell {
            Tell::Children(reply) => {
                if self.children.is_empty() {
                    for name in ["first", "second"] {
                        let journal = self.journal.clone();
                        let start = move || {
                            let journal = journal.clone();
                            async move { Ok(Probe::start(name, journal).await?) }
                        };
                        self.children.push(cx.spawn(name, start).await.unwrap());
                    }
                }
                reply.send(self.children.clone());
            }
            Tell::Fail => return Err(Boom::Told),
            Tell::Note => self.journal.write("parent note"),
        }
        Ok(())
    }
    #[pre_start]
    fn begin(&mut self) {
        self.journal.write("parent pre_start");
    }
    #[pre_restart]
    async fn flush(&mut self, failure: &Failure, cx: &mut Context<Self>) {
        self.journal.write(format!("parent pre_restart {}", failure.cause()));
        if let Some(child) = self.children.iter().find(|child| child.path().ends_with(self.keep)) {
            cx.keep(child);
        }
        let _ = self.journal.reach("parent flush".into()).await;
    }
    #[post_restart]
    async fn reload(&mut self, failure: &Failure) {
        self.journal.write(format!("parent post_restart {}", failure.cause()));
    }
    #[post_stop]
    fn stopped(&mut self) {
        self.journal.write("parent post_stop");
    }
}

impl Drop for Parent {
    fn drop(&mut self) {
        self.journal.write("parent drop");
    }
}

// ----- S11

/// S11: the whole sequence, with children and a wait; the wait begins when all is down.
#[tokio::test(start_paused = true)]
async fn a_restart_goes_through_its_steps_in_order() {
    supervisor! {
        struct Family(journal: Journal) {
            #[backoff(2s..2s, random_factor = 0)]
            parent: Parent = Parent::new(journal, "nobody").await?,
        }
    }
    let journal = Journal::default();
    let family = Family::start(journal.clone()).await.unwrap();
    let mut events = family.events();
    family.parent.ask(Tell::Children).await.unwrap();
    journal.take();
    family.parent.tell(Tell::Fail).await.unwrap();
    family.parent.tell(Tell::Note).await.unwrap();
    let begun = Instant::now();
    pass(ms(1_990)).await;
    assert_eq!(
        journal.take(),
        [
            "parent pre_restart Told",
            "parent flush",
            "second post_stop",
            "second drop",
            "first post_stop",
            "first drop",
            "parent post_stop",
            "parent drop"
        ]
    );
    pass(ms(20)).await;
    assert_eq!(
        journal.take(),
        ["parent start", "parent pre_start", "parent post_restart Told", "parent note"],
        "the children that were not kept are gone"
    );
    let mut lines = Vec::new();
    while let Some(Ok(event)) = events.try_next() {
        if event.path == "parent" {
            let line = match event.kind {
                EventKind::Failed { .. } => "failed".to_owned(),
                EventKind::Decided { .. } => "decided".to_owned(),
                EventKind::RestartScheduled { after } => format!("in {after:?}"),
                EventKind::Restarted => "restarted".to_owned(),
                other => format!("{other:?}"),
            };
            lines.push(((event.at - begun).as_secs(), line));
        }
    }
    assert_eq!(lines, [(0, "failed".into()), (0, "decided".into()), (0, "in 2s".into()), (2, "restarted".into())]);
}

/// S11: a child named by `cx.keep` is held while its parent is down, and restarted behind it, with its
/// handle and its mailbox.
#[tokio::test(start_paused = true)]
async fn a_kept_child_is_held_and_restarted_behind_its_parent() {
    supervisor! {
        struct Family(journal: Journal) {
            #[backoff(2s..2s, random_factor = 0)]
            parent: Parent = Parent::new(journal, "first").await?,
        }
    }
    let journal = Journal::default();
    let family = Family::start(journal.clone()).await.unwrap();
    let children = family.parent.ask(Tell::Children).await.unwrap();
    journal.take();
    family.parent.tell(Tell::Fail).await.unwrap();
    settle().await;
    children[0].tell(Do::Note("kept this")).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(
        journal.take(),
        [
            "parent pre_restart Told",
            "parent flush",
            "second post_stop",
            "second drop",
            "parent post_stop",
            "parent drop"
        ]
    );
    pass(secs(2)).await;
    assert_eq!(
        journal.take(),
        [
            "parent start",
            "parent pre_start",
            "parent post_restart Told",
            "first pre_restart",
            "first post_stop",
            "first drop",
            "first start",
            "first pre_start",
            "first post_restart",
            "first kept this"
        ]
    );
    assert_eq!(children[0].incarnation(), 2);
    assert!(children[1].ended().is_some());
}

/// S11: Down has the child's `shutdown` time in all; then the rest is dropped, reported as `Aborted`,
/// and the restart goes on.
#[tokio::test(start_paused = true)]
async fn going_down_has_one_time_in_all_and_then_the_restart_goes_on() {
    for (pre_restart, post_stop, lines) in [
        (2, 2, &["probe pre_restart", "probe pre_restart done", "probe post_stop", "probe drop"][..]),
        (4, 0, &["probe pre_restart", "probe drop"][..]),
    ] {
        let journal = Journal::default();
        let one = One::start(journal.clone()).await.unwrap();
        let mut events = one.events();
        journal.plan("probe pre_restart", 1, Fault::Slow(secs(pre_restart)));
        journal.plan("probe post_stop", 1, Fault::Slow(secs(post_stop)));
        journal.take();
        let begun = Instant::now();
        one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
        assert_eq!(one.probe.ask(Do::Incarnation).forever().await.unwrap(), 2);
        assert_eq!(begun.elapsed(), secs(3));
        let mut expected = lines.to_vec();
        expected.extend(["probe start", "probe pre_start", "probe post_restart"]);
        assert_eq!(journal.take(), expected);
        let seen = seen(&mut events);
        assert_eq!(seen.iter().filter(|line| *line == "probe aborted").count(), 1, "{seen:?}");
        assert_eq!(seen.last().unwrap(), "probe restarted");
    }
}

/// S11: kept over a restart are handle, mailbox, watches and watchers, and the budget; gone is the state.
#[tokio::test(start_paused = true)]
async fn watches_watchers_and_the_budget_are_kept_and_the_state_is_gone() {
    struct Mourner(ActorRef<Probe>, Journal, bool);
    #[actor]
    impl Mourner {
        fn handle(&mut self, watch: bool, cx: &mut Context<Self>) -> Result<(), Boom> {
            if !watch {
                return Err(Boom::Told);
            }
            cx.watch(&self.0);
            self.2 = true;
            Ok(())
        }
        #[terminated]
        fn lost(&mut self, who: &Watched, ended: &Ended) {
            self.1.write(format!("lost {}: {ended}, watched by this instance: {}", who.path(), self.2));
        }
    }
    supervisor! {
        struct Pair(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 3)]
            #[lifecycle(Transient)]
            probe: Probe = Probe::start("probe", journal.clone()).await?,
            mourner: Mourner = Mourner(probe, journal, false),
        }
    }
    let journal = Journal::default();
    let pair = Pair::start(journal.clone()).await.unwrap();
    pair.mourner.tell(true).await.unwrap();
    pair.mourner.tell(false).await.unwrap();
    pair.probe.tell(Do::Add(3)).await.unwrap();
    for _ in 0..2 {
        pair.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    }
    assert_eq!(pair.probe.ask(Do::Get).await.unwrap(), 0);
    pass(secs(1)).await;
    journal.take();
    pair.probe.tell(Do::Stop).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(
        journal.take(),
        ["probe post_stop", "probe drop", "lost probe: done, watched by this instance: false"],
        "the watch of the first instance holds, once"
    );
    let ends = tokio::spawn(pair.mourner.terminated());
    for _ in 0..2 {
        pair.mourner.tell(false).await.unwrap();
        pass(secs(30)).await;
    }
    assert!(pair.mourner.ended().is_none(), "three restarts");
    pair.mourner.tell(false).await.unwrap();
    settle().await;
    assert!(ends.is_finished(), "the budget is that of the child, not of the instance");
}

// ----- S12

/// S12: errors and panics in `pre_restart`, `post_stop` and `Drop` are reported, nothing else changes.
#[tokio::test(start_paused = true)]
async fn what_goes_wrong_on_the_way_down_is_reported_and_nothing_else_changes() {
    quiet_panics();
    for fault in [Fault::Error, Fault::Panic] {
        let journal = Journal::default();
        let one = One::start(journal.clone()).await.unwrap();
        let mut events = one.events();
        journal.plan("probe pre_restart", 1, fault);
        journal.plan("probe post_stop", 1, fault);
        journal.plan("probe drop", 1, Fault::Panic);
        journal.take();
        one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(ms(20)).await;
        assert_eq!(
            journal.take(),
            [
                "probe pre_restart",
                "probe post_stop",
                "probe drop",
                "probe start",
                "probe pre_start",
                "probe post_restart"
            ]
        );
        assert_eq!(
            seen(&mut events),
            [
                "probe failed",
                "probe decided Restart",
                "probe restart in 0ns",
                "probe reported",
                "probe reported",
                "probe reported",
                "probe restarted"
            ]
        );
        assert_eq!(one.probe.ask(Do::Get).await.unwrap(), 0);
        journal.plan("probe post_stop", 1, fault);
        journal.plan("probe drop", 1, Fault::Panic);
        let report = one.shutdown().await;
        assert!(report.is_orderly(), "{report}");
    }
}

/// S12: `post_stop` runs once on each instance whose `pre_start` succeeded, and on no other.
#[tokio::test(start_paused = true)]
async fn post_stop_is_owed_once_to_each_instance_whose_pre_start_succeeded() {
    supervisor! {
        struct Retry(journal: Journal) {
            #![decider(|_| Directive::Restart)]
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    quiet_panics();
    let journal = Journal::default();
    journal.plan("probe pre_start", 1, Fault::Error);
    let retry = Retry::start(journal.clone()).await.unwrap();
    assert_eq!(
        journal.take(),
        ["probe start", "probe pre_start", "probe drop", "probe start", "probe pre_start"],
        "no post_stop, and no post_restart: it was never up"
    );
    journal.plan("probe start", 1, Fault::Panic);
    retry.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    journal.take();
    journal.plan("probe pre_start", 1, Fault::Panic);
    journal.plan("probe post_restart", 1, Fault::Error);
    retry.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(
        journal.take(),
        [
            "probe pre_restart", "probe post_stop", "probe drop", // the one that failed
            "probe start", "probe pre_start", "probe drop", // nothing owed
            "probe start", "probe pre_start", "probe post_restart", "probe post_stop", "probe drop",
            "probe start", "probe pre_start", "probe post_restart"
        ],
        "a retry has no pre_restart"
    );
    retry.shutdown().await;
    assert_eq!(journal.take(), ["probe post_stop", "probe drop"]);
}

/// S12: an instance that is aborted loses its `post_stop`, a stopped one has no `pre_restart`.
#[tokio::test(start_paused = true)]
async fn an_aborted_instance_loses_its_post_stop() {
    let journal = Journal::default();
    let one = One::start(journal.clone()).await.unwrap();
    one.probe.tell(Do::Hang).await.unwrap();
    settle().await;
    journal.take();
    let begun = Instant::now();
    one.probe.stop();
    assert!(matches!(one.probe.terminated().await, Ok(Ended::Aborted)));
    assert_eq!((begun.elapsed(), journal.take()), (secs(3), vec!["probe drop".to_owned()]));
    let other = One::start(journal.clone()).await.unwrap();
    journal.take();
    other.probe.stop();
    other.probe.terminated().await.unwrap();
    assert_eq!(journal.take(), ["probe post_stop", "probe drop"]);
}

/// S12: `pre_start` and `post_stop` go on where the restart hooks are replaced, and the other way round.
#[tokio::test(start_paused = true)]
async fn hooks_do_not_switch_each_other_off() {
    struct Own(Journal);
    #[actor]
    impl Own {
        fn handle(&mut self, _: ()) -> Result<(), Boom> {
            Err(Boom::Told)
        }
        #[pre_restart]
        fn before(&mut self) {
            self.0.write("own pre_restart");
        }
        #[post_stop]
        fn stopped(&mut self) {
            self.0.write("own post_stop");
        }
        #[pre_start]
        fn begin(&mut self) {
            self.0.write("own pre_start");
        }
        fn instead(&mut self, failure: &Failure) {
            self.0.write(format!("instead {}", failure.cause()));
        }
    }
    supervisor! {
        struct Trees(journal: Journal) {
            plain: Own = Own(journal.clone()),
            #[pre_restart(Own::instead)]
            #[post_restart(Own::instead)]
            replaced: Own = Own(journal),
        }
    }
    let journal = Journal::default();
    let trees = Trees::start(journal.clone()).await.unwrap();
    journal.take();
    trees.plain.tell(()).await.unwrap();
    settle().await;
    assert_eq!(journal.take(), ["own pre_restart", "own post_stop", "own pre_start"]);
    trees.replaced.tell(()).await.unwrap();
    settle().await;
    assert_eq!(journal.take(), ["instead Told", "own post_stop", "own pre_start", "instead Told"]);
}

// ----- S13

/// S13: by default a start has all the time in the world; every 10 s it is said that it still starts.
#[tokio::test(start_paused = true)]
async fn a_slow_start_is_announced_every_ten_seconds() {
    let journal = Journal::default();
    for place in ["start", "pre_start"] {
        journal.plan(&format!("probe {place}"), 1, Fault::Slow(secs(35)));
        let mut tree = One::tree(journal.clone());
        let mut events = tree.events();
        let begun = Instant::now();
        let one = tree.start().await.unwrap();
        assert_eq!(begun.elapsed(), secs(35));
        assert_eq!(
            seen(&mut events)[..3],
            ["probe still starting 10s", "probe still starting 20s", "probe still starting 30s"],
            "in {place}"
        );
        one.shutdown().await;
    }
}

/// S13: a failing step of a restart is a failure with `Phase::Restart`, decided and charged.
#[tokio::test(start_paused = true)]
async fn a_failed_restart_is_decided_in_its_phase_and_charged() {
    supervisor! {
        struct Charged(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 3)]
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    fn phases(events: &mut Events) -> Vec<(Phase, u32)> {
        let mut phases = Vec::new();
        while let Some(Ok(event)) = events.try_next() {
            if let EventKind::Decided { failure, row, .. } = event.kind {
                phases.push((failure.phase(), row));
            }
        }
        phases
    }
    let journal = Journal::default();
    let charged = Charged::start(journal.clone()).await.unwrap();
    let mut events = charged.events();
    journal.plan("probe start", 1, Fault::Error);
    journal.plan("probe pre_start", 1, Fault::Error);
    journal.plan("probe post_restart", 1, Fault::Error);
    charged.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    let report = charged.join().await;
    let failure = report.ended.failure().expect("the limit");
    assert!(matches!(failure.cause(), Cause::LimitReached), "{failure}");
    assert_eq!(failure.phase(), Phase::Running, "that of the tree that failed with it");
    assert_eq!(failure.before().map(Failure::phase), Some(Phase::Restart));
    assert_eq!(
        phases(&mut events),
        [(Phase::Running, 1), (Phase::Restart, 2), (Phase::Restart, 3), (Phase::Restart, 4)],
        "one restart and two retries, the third retry is one too many"
    );
    let tries = journal.take().iter().filter(|line| *line == "probe pre_restart").count();
    assert_eq!(tries, 1, "a retry has no pre_restart");
    let _: Duration = ms(0);
}
