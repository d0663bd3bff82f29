//! The restart of one child, step by step: S11.

use supervise::event::EventKind;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, seen, settle};

supervisor! {
    struct One(journal: Journal) {
        #[lifecycle(Permanent, shutdown = 3s)]
        probe: Probe = Probe::start("probe", journal).await?,
    }
}

/// An actor with two children; `keep` is the name of the one that it keeps over a restart.
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
                        self.children
                            .push(cx.spawn(child! { name: Probe = Probe::start(name, journal).await? }).await.unwrap());
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

/// S11: the whole sequence, with children and a delay; the delay begins when everything is down.
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
    while let Some(event) = events.try_next() {
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

/// S11: a child named by `cx.keep` is suspended while its parent is down, and is restarted after it, with its handle
/// and its mailbox.
#[tokio::test(start_paused = true)]
async fn a_kept_child_is_suspended_and_restarted_after_its_parent() {
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

/// S11: going down has the child's `shutdown` time in total. After that, the rest is dropped and reported as `Aborted`,
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

/// S11: a restart keeps the handle, the mailbox, the watches, the watchers and the budget, and discards the state.
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
        "the watch of the first instance still applies, once"
    );
    let ends = tokio::spawn(pair.mourner.terminated());
    for _ in 0..2 {
        pair.mourner.tell(false).await.unwrap();
        pass(secs(30)).await;
    }
    assert!(pair.mourner.ended().is_none(), "three restarts");
    pair.mourner.tell(false).await.unwrap();
    settle().await;
    assert!(ends.is_finished(), "the budget belongs to the child, not to the instance");
}

/// S16: a stop that the start expression itself asks for is in time, though no step follows that has anything to run: the
/// child does not come up.
#[tokio::test(start_paused = true)]
async fn a_stop_in_the_start_is_in_time() {
    use std::sync::{Arc, OnceLock};
    use supervise::error::{KeyedError, SpawnError};

    struct Brief;

    #[actor]
    impl Brief {
        fn handle(&mut self, _: ()) {}
    }

    type Briefs = Keyed<u32, Brief, ()>;

    impl Brief {
        fn start(number: u32, all: &OnceLock<Briefs>) -> Brief {
            all.get().expect("the tree is up").stop(&number);
            Brief
        }
    }

    supervisor! {
        struct Tree(all: Arc<OnceLock<Briefs>>) {
            briefs: [u32 => Brief] = |number: u32| Brief::start(number, &all),
        }
    }

    let all = Arc::new(OnceLock::new());
    let tree = Tree::start(all.clone()).await.unwrap();
    all.set(tree.briefs.clone()).unwrap();
    let mut events = tree.events();
    let refused = tree.briefs.spawn(1).await.unwrap_err();
    assert!(matches!(refused, KeyedError::Spawn(SpawnError::Stopping { .. })), "{refused:?}");
    let lines = seen(&mut events);
    assert!(!lines.iter().any(|line| line.contains("started")), "{lines:?}");
}
