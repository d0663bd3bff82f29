//! Why a child goes down, as its own code and the events say: S46.

use std::time::Duration;

use supervise::StopReason;
use supervise::error::SpawnError;
use supervise::event::{EventKind, Events};
use supervise::prelude::*;

use crate::common::{Boom, Journal, pass, quiet_panics, secs, settle, soon};

/// Writes down why it goes down, in each hook that knows.
struct Says {
    name: &'static str,
    journal: Journal,
}

#[derive(Debug)]
enum Tell {
    Stop,
    Fail,
    Work(Duration),
}

#[actor]
impl Says {
    async fn handle(&mut self, msg: Tell, cx: &mut Context<Self>) -> Result<(), Boom> {
        match msg {
            Tell::Stop => cx.stop(),
            Tell::Fail => return Err(Boom::Told),
            Tell::Work(time) => {
                assert_eq!(cx.stop_reason(), None);
                tokio::time::sleep(time).await;
                self.say("handler", cx.stop_reason());
            }
        }
        Ok(())
    }

    #[pre_restart]
    fn leave(&mut self, _failure: &Failure, cx: &mut Context<Self>) {
        self.say("pre_restart", cx.stop_reason());
    }

    #[post_stop]
    fn close(&mut self, cx: &mut Context<Self>) {
        self.say("post_stop", cx.stop_reason());
    }
}

impl Says {
    fn say(&self, hook: &str, reason: Option<StopReason>) {
        let reason = reason.map_or("no reason".to_owned(), |reason| format!("{reason:?}"));
        self.journal.write(format!("{} {hook} {reason}", self.name));
    }
}

async fn told(cx: TaskContext, name: &'static str, journal: Journal) {
    assert!(!cx.is_stopped() && cx.stop_reason().is_none());
    let reason = cx.stopped().await;
    assert_eq!(cx.stop_reason(), Some(reason));
    journal.write(format!("{name} stopped {reason:?}"));
}

supervisor! {
    struct Plain(journal: Journal) {
        #[decider(_ => Restart)]
        one: Says = Says { name: "one", journal },
        #[decider(_ => Stop)]
        ends: Says = Says { name: "ends", journal },
        #[lifecycle(Transient)]
        free: Says = Says { name: "free", journal },
        job: task = |cx| told(cx, "job", journal),
        #[limit(max_restarts = 0)]
        below: struct Below {
            #![strategy(RestForOne, max_restarts = 1)]
            left: Says = Says { name: "left", journal },
            right: Says = Says { name: "right", journal },
            late: task = |cx| told(cx, "late", journal),
        },
    }

    struct Stops(journal: Journal) {
        #![strategy(AllForOne)]
        #[decider(_ => Stop)]
        bad: Says = Says { name: "bad", journal },
        good: Says = Says { name: "good", journal },
    }

    struct Significant(journal: Journal) {
        #[lifecycle(Transient, significant)]
        main: Says = Says { name: "main", journal },
        other: task = |cx| told(cx, "other", journal),
        inner: struct Inner {
            deep: Says = Says { name: "deep", journal },
        },
    }

    struct Instances(journal: Journal) {
        #[limit(max_restarts = 1)]
        set: [&'static str => Says] = |name: &'static str| Says { name, journal },
    }

    struct Overtaken(journal: Journal) {
        below: struct Restarting {
            first: Says = Says { name: "first", journal },
            second: Says = Says { name: "second", journal },
        },
    }

    struct Boot(journal: Journal) {
        first: Says = Says { name: "first", journal },
        bad: Says = { Err::<(), _>(Boom::Planned)?; Says { name: "bad", journal } },
    }

    struct Above(journal: Journal) {
        #[decider(_ => Restart)]
        below: Stumbles = Stumbles::tree(journal),
    }

    struct Stumbles(journal: Journal) {
        #![decider(_ => Escalate)]
        fails: Says = Says { name: "fails", journal },
        next: Says = Says { name: "next", journal },
    }
}

/// S46: a caller's stop is `Asked` for the child, and `Shutdown` for all below; a restart by hand is `Restart`.
#[tokio::test(start_paused = true)]
async fn a_stop_and_a_restart_by_hand() {
    let journal = Journal::default();
    let tree = Plain::start(journal.clone()).await.unwrap();
    settle().await;
    tree.one.stop();
    soon(tree.one.terminated()).await.unwrap();
    tree.job.restart().unwrap();
    settle().await;
    assert_eq!(journal.take(), ["one post_stop Asked", "job stopped Restart"]);
    tree.below.stop();
    soon(tree.below.terminated()).await.unwrap();
    assert_eq!(journal.take(), ["late stopped Shutdown", "right post_stop Shutdown", "left post_stop Shutdown"]);
    tree.free.drain();
    soon(tree.free.terminated()).await.unwrap();
    assert_eq!(journal.take(), ["free post_stop Drain"]);
    soon(tree.shutdown()).await;
    assert_eq!(journal.take(), ["job stopped Shutdown", "ends post_stop Shutdown"]);
}

/// S46: the failures of a child itself, its own end, and a group that restarts with it.
#[tokio::test(start_paused = true)]
async fn a_failure_and_an_end_of_its_own() {
    let journal = Journal::default();
    let tree = Plain::start(journal.clone()).await.unwrap();
    settle().await;
    tree.one.tell(Tell::Fail).await.unwrap();
    tree.ends.tell(Tell::Fail).await.unwrap();
    tree.free.tell(Tell::Stop).await.unwrap();
    settle().await;
    let mut lines = journal.take();
    lines.sort();
    assert_eq!(
        lines,
        ["ends post_stop Failed", "free post_stop Done", "one post_stop Restart", "one pre_restart Restart"]
    );

    tree.below.left.tell(Tell::Fail).await.unwrap();
    settle().await;
    let group = ["late stopped Restart", "right pre_restart Restart", "right post_stop Restart"];
    assert_eq!(journal.take(), [&group[..], &["left pre_restart Restart", "left post_stop Restart"]].concat());
    tree.below.left.tell(Tell::Fail).await.unwrap(); // the budget of the group, and with it that of the root
    soon(tree.join()).await;
    let lines = journal.take();
    assert_eq!(lines[..2], ["late stopped Limit", "right post_stop Limit"], "{lines:?}");
    assert_eq!(lines[2..5], ["left post_stop Limit", "job stopped Limit", "one post_stop Limit"], "{lines:?}");
}

/// S46, S23: a `Permanent` child that ends by itself restarts its group: that is a `Restart` for the children of a
/// subtree beside it too, at any depth, since nothing has failed.
#[tokio::test(start_paused = true)]
async fn below_a_group_that_restarts_after_an_end_nothing_has_failed() {
    async fn ends(cx: TaskContext, early: bool) {
        if early && cx.incarnation() == 1 {
            tokio::time::sleep(secs(1)).await;
        } else {
            cx.stopped().await;
        }
    }
    supervisor! {
        struct All(journal: Journal, early: bool) {
            #![strategy(AllForOne)]
            beside: struct Beside {
                near: Says = Says { name: "near", journal },
                deeper: struct Deeper {
                    #[lifecycle(Permanent)]
                    deep: task = |cx| told(cx, "deep", journal),
                },
            },
            ends: Says = Says { name: "ends", journal },
            #[lifecycle(Permanent)]
            job: task = |cx| ends(cx, early),
        }
        struct Rest(journal: Journal) {
            #![strategy(RestForOne)]
            ends: Says = Says { name: "ends", journal },
            beside: struct After {
                near: Says = Says { name: "near", journal },
                deeper: struct Below {
                    #[lifecycle(Permanent)]
                    deep: task = |cx| told(cx, "deep", journal),
                },
            },
        }
    }
    fn beside(journal: &Journal) -> Vec<String> {
        journal.take().into_iter().filter(|line| !line.starts_with("ends ")).collect()
    }
    let below = ["deep stopped Restart", "near pre_restart Restart", "near post_stop Restart"];
    for by in ["an actor", "a task", "RestForOne"] {
        let journal = Journal::default();
        let (all, rest);
        let group: &TreeRef = if by == "RestForOne" {
            rest = Rest::start(journal.clone()).await.unwrap();
            rest.ends.tell(Tell::Stop).await.unwrap();
            &rest.beside
        } else {
            all = All::start(journal.clone(), by == "a task").await.unwrap();
            if by == "an actor" {
                all.ends.tell(Tell::Stop).await.unwrap();
            }
            &all.beside
        };
        pass(secs(2)).await;
        assert_eq!((beside(&journal), group.incarnation()), (below.map(String::from).to_vec(), 2), "{by}");
    }
}

/// S46: a child that fails restarts its group. Below a subtree beside it that is a `Restart` too, since the supervisor above
/// has not failed; below the subtree that has failed it is `FailedAbove`.
#[tokio::test(start_paused = true)]
async fn below_a_group_that_restarts_after_a_failure_beside_it() {
    supervisor! {
        struct Both(journal: Journal) {
            #![strategy(AllForOne)]
            #![decider(_ => Restart)]
            beside: struct Sound {
                near: Says = Says { name: "near", journal },
                deeper: struct Deep {
                    deep: task = |cx| told(cx, "deep", journal),
                },
            },
            fails: struct Failing {
                #![decider(_ => Escalate)]
                bad: Says = Says { name: "bad", journal },
                good: Says = Says { name: "good", journal },
            },
        }
    }
    let journal = Journal::default();
    let both = Both::start(journal.clone()).await.unwrap();
    for incarnation in 2..4 {
        both.fails.bad.tell(Tell::Fail).await.unwrap();
        pass(secs(2)).await;
        assert_eq!(both.beside.incarnation(), incarnation);
        let mut lines = journal.take();
        lines.retain(|line| !line.contains("post_stop") && !line.starts_with("bad"));
        lines.sort();
        assert_eq!(lines, ["deep stopped Restart", "good pre_restart FailedAbove", "near pre_restart Restart"]);
    }
}

/// S46: the siblings of a child whose failure was decided `Stop`, and those of a significant one that has ended.
#[tokio::test(start_paused = true)]
async fn a_sibling_that_has_ended() {
    let journal = Journal::default();
    let tree = Stops::start(journal.clone()).await.unwrap();
    tree.bad.tell(Tell::Fail).await.unwrap();
    soon(tree.join()).await;
    assert_eq!(journal.take(), ["good post_stop SiblingEnded", "bad post_stop Failed"]);

    let tree = Significant::start(journal.clone()).await.unwrap();
    settle().await;
    tree.main.tell(Tell::Stop).await.unwrap();
    soon(tree.join()).await;
    assert_eq!(journal.take(), ["main post_stop Done", "deep post_stop Shutdown", "other stopped SiblingEnded"]);
}

/// S46: an instance whose own budget is used up ends with `Limit`; `stop_all` is `Asked`.
#[tokio::test(start_paused = true)]
async fn an_instance_of_a_set() {
    let journal = Journal::default();
    let tree = Instances::start(journal.clone()).await.unwrap();
    let kid = tree.set.spawn("kid").await.unwrap();
    kid.tell(Tell::Fail).await.unwrap();
    settle().await;
    journal.take();
    kid.tell(Tell::Fail).await.unwrap();
    soon(kid.terminated()).await.unwrap();
    assert_eq!(journal.take(), ["kid post_stop Limit"]);
    tree.set.spawn("kid").await.unwrap();
    tree.set.stop_all();
    settle().await;
    assert_eq!(journal.take(), ["kid post_stop Asked"]);
}

/// S46: children that were up go down with `FailedAbove` when a boot fails, and when a supervisor above is restarted
/// after a failure.
#[tokio::test(start_paused = true)]
async fn a_supervisor_that_has_failed() {
    let journal = Journal::default();
    Boot::start(journal.clone()).await.unwrap_err();
    assert_eq!(journal.take(), ["first post_stop FailedAbove"]);

    let above = Above::start(journal.clone()).await.unwrap();
    above.below.fails.tell(Tell::Fail).await.unwrap();
    settle().await;
    let all = ["next pre_restart", "next post_stop", "fails pre_restart", "fails post_stop"];
    assert_eq!(journal.take(), all.map(|hook| format!("{hook} FailedAbove")));
    above.below.restart().unwrap();
    settle().await;
    assert_eq!(journal.take(), all.map(|hook| format!("{hook} Restart")));
}

/// S11, S46: children that their actor keeps get the reason `Restart` when it is restarted by hand.
#[tokio::test(start_paused = true)]
async fn children_that_are_kept() {
    struct Keeps(Journal);
    #[actor]
    impl Keeps {
        #[pre_start]
        async fn spawns(&mut self, cx: &mut Context<Self>) {
            let journal = self.0.clone();
            // Refused if the child of the instance before was kept.
            let _ = cx.spawn(child! { "kept": Says = Says { name: "kept", journal } }).await;
        }
        fn handle(&mut self, _: Tell) -> Result<(), Boom> {
            Err(Boom::Told)
        }
        #[pre_restart]
        fn keep(&mut self, _: &Failure, cx: &mut Context<Self>) {
            let kept = cx.child::<Says>("kept").expect("it was spawned");
            cx.keep(&kept);
        }
    }
    supervisor! {
        struct Kept(journal: Journal) {
            keeps: Keeps = Keeps(journal),
        }
    }
    let journal = Journal::default();
    let tree = Kept::start(journal.clone()).await.unwrap();
    tree.keeps.restart().unwrap();
    settle().await;
    assert_eq!(journal.take(), ["kept pre_restart Restart", "kept post_stop Restart"]);
}

/// S46: a request to end replaces one to restart; the first of either stays.
#[tokio::test(start_paused = true)]
async fn an_end_replaces_a_restart() {
    let journal = Journal::default();
    let tree = Plain::start(journal.clone()).await.unwrap();
    tree.one.tell(Tell::Work(secs(1))).await.unwrap();
    settle().await;
    let mut events = tree.events();
    tree.one.restart().unwrap();
    settle().await;
    tree.one.stop();
    settle().await;
    let rest = tree.shutdown();
    soon(rest).await;
    assert_eq!(
        journal.take().iter().filter(|line| line.starts_with("one")).collect::<Vec<_>>(),
        ["one handler Asked", "one post_stop Asked"]
    );
    assert_eq!(stopping(&mut events)[..2], ["one Restart", "one Asked"]);
}

/// S46: a task learns the same: an end replaces a restart, and a later request of the task itself replaces nothing.
#[tokio::test(start_paused = true)]
async fn an_end_replaces_the_restart_of_a_task() {
    async fn lingers(cx: TaskContext, journal: Journal) {
        let reason = cx.stopped().await;
        tokio::time::sleep(secs(2)).await;
        journal.write(format!("{reason:?}, then {:?}", cx.stop_reason()));
        let beside = cx.clone();
        cx.spawn(async move {
            tokio::time::sleep(secs(1)).await; // by then the own future of the task has returned
            journal.write(format!("{:?}", beside.stop_reason()));
        });
    }
    supervisor! {
        struct Work(journal: Journal) {
            #[lifecycle(Transient)]
            work: task = |cx| lingers(cx, journal),
        }
    }
    let journal = Journal::default();
    let tree = Work::start(journal.clone()).await.unwrap();
    settle().await;
    tree.work.restart().unwrap();
    pass(secs(1)).await;
    tree.work.stop();
    soon(tree.work.terminated()).await.unwrap();
    assert_eq!(journal.take(), ["Restart, then Some(Asked)", "Some(Asked)"]);
}

/// S46: each incarnation begins without a reason.
#[tokio::test(start_paused = true)]
async fn each_incarnation_has_its_own_reason() {
    let journal = Journal::default();
    let tree = Plain::start(journal.clone()).await.unwrap();
    soon(tree.free.restart().unwrap()).await.unwrap();
    tree.free.tell(Tell::Work(secs(0))).await.unwrap();
    tree.free.tell(Tell::Stop).await.unwrap();
    soon(tree.free.terminated()).await.unwrap();
    let restarted = ["free pre_restart Restart", "free post_stop Restart"];
    assert_eq!(journal.take(), [restarted, ["free handler no reason", "free post_stop Done"]].concat());
}

/// S46: `stopped()` of a subtask says whether another one has failed, or the task itself has returned.
#[tokio::test(start_paused = true)]
async fn a_subtask_learns_what_its_task_does() {
    async fn serve(cx: TaskContext, journal: Journal, by: &'static str) -> Result<(), Boom> {
        if cx.incarnation() > 1 {
            cx.stopped().await;
            return Ok(());
        }
        cx.spawn(told(cx.clone(), "beside", journal.clone()));
        if by != "end" {
            cx.spawn(async move {
                tokio::task::yield_now().await;
                assert!(by == "error", "planned panic of a subtask");
                Err::<(), _>(Boom::Planned)
            });
            told(cx, "main", journal).await;
            return Ok(());
        }
        tokio::time::sleep(secs(1)).await;
        Ok(())
    }
    supervisor! {
        struct Works(journal: Journal, by: &'static str) {
            #[lifecycle(Transient)]
            work: task = |cx| serve(cx, journal, by),
            other: Says = Says { name: "other", journal },
        }
    }
    quiet_panics();
    for by in ["error", "panic"] {
        let journal = Journal::default();
        let _tree = Works::start(journal.clone(), by).await.unwrap();
        pass(secs(1)).await;
        let mut lines = journal.take();
        lines.sort();
        assert_eq!(lines, ["beside stopped SubtaskFailed", "main stopped SubtaskFailed"], "{by}");
    }
    let journal = Journal::default();
    let tree = Works::start(journal.clone(), "end").await.unwrap();
    soon(tree.work.terminated()).await.unwrap();
    assert!(journal.take().contains(&"beside stopped Done".to_owned()));
}

/// S46: one event for each child that is asked to go down while it is up, and none after its own failure or end.
#[tokio::test(start_paused = true)]
async fn the_event_comes_before_the_end() {
    let journal = Journal::default();
    let tree = Significant::start(journal.clone()).await.unwrap();
    let mut events = tree.events();
    soon(tree.shutdown()).await;
    let all = ["inner Shutdown", "inner/deep Shutdown", "other Shutdown", "main Shutdown"];
    assert_eq!(stopping(&mut events), [&["Significant Asked"], &all[..]].concat());

    let tree = Plain::start(journal.clone()).await.unwrap();
    let mut events = tree.events();
    for (child, tell) in [(&tree.one, Tell::Fail), (&tree.ends, Tell::Fail), (&tree.free, Tell::Stop)] {
        child.tell(tell).await.unwrap();
    }
    settle().await;
    assert_eq!(stopping(&mut events), [""; 0]);
    drop(tree);
}

/// Returns the events of stops, in order.
fn stopping(events: &mut Events) -> Vec<String> {
    std::iter::from_fn(|| events.try_next())
        .filter_map(|event| match event {
            event if matches!(event.kind, EventKind::Stopping { .. }) => {
                let EventKind::Stopping { reason } = event.kind else { unreachable!() };
                assert!(!reason.to_string().is_empty());
                Some(format!("{} {reason:?}", event.path))
            }
            _ => None,
        })
        .collect()
}

/// S46, S24: a stop that comes while a subtree goes down for its restart is an end for all below: also for a child whose
/// message is still in hand.
#[tokio::test(start_paused = true)]
async fn a_stop_replaces_the_restart_of_a_subtree() {
    let journal = Journal::default();
    let tree = Overtaken::start(journal.clone()).await.unwrap();
    tree.below.second.tell(Tell::Work(secs(2))).await.unwrap();
    settle().await;
    tree.below.restart().unwrap();
    pass(secs(1)).await;
    assert_eq!(journal.take(), [""; 0]);
    let report = soon(tree.shutdown()).await;
    assert!(report.is_orderly(), "{report}");
    assert_eq!(journal.take(), ["second handler Shutdown", "second post_stop Shutdown", "first post_stop Shutdown"]);
    let ended: Vec<_> = report.children.iter().map(|child| child.path.clone()).collect();
    assert_eq!(ended, ["below/second", "below/first", "below"]);
}

/// S46: the same under a group that restarts: the end of the supervisor replaces the restart of its members.
#[tokio::test(start_paused = true)]
async fn a_stop_replaces_the_restart_of_a_group() {
    let journal = Journal::default();
    let tree = Plain::start(journal.clone()).await.unwrap();
    tree.below.right.tell(Tell::Work(secs(2))).await.unwrap();
    settle().await;
    tree.below.left.tell(Tell::Fail).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(journal.take(), ["late stopped Restart"]);
    tree.below.stop();
    soon(tree.below.terminated()).await.unwrap();
    assert_eq!(journal.take(), ["right handler Shutdown", "right post_stop Shutdown", "left post_stop Shutdown"]);
    soon(tree.shutdown()).await;
}

/// Spawns a task that is never ready, and waits for it in the handler.
struct Parent(Journal);

#[derive(Debug)]
enum Order {
    SpawnAndWait,
    SpawnOneThatEscalates(Reply<ActorRef<Says>>),
}

#[actor]
impl Parent {
    async fn handle(&mut self, order: Order, cx: &mut Context<Self>) {
        let journal = self.0.clone();
        match order {
            Order::SpawnAndWait => {
                let kid = cx.spawn(child! {
                    #[lifecycle(Transient, ready)]
                    "kid": task = |cx| told(cx, "kid", journal)
                });
                let refused = kid.await.unwrap_err();
                assert!(matches!(refused, SpawnError::Stopping { .. }), "{refused}");
            }
            Order::SpawnOneThatEscalates(reply) => {
                let bad = cx.spawn(child! {
                    #[decider(_ => Escalate)]
                    "bad": Says = Says { name: "bad", journal }
                });
                reply.send(bad.await.unwrap());
            }
        }
    }
}

supervisor! {
    struct Parents(journal: Journal) {
        #![strategy(AllForOne)]
        parent: Parent = Parent(journal),
        keyed: [u32 => Parent] = |_key: u32| Parent(journal),
        #[decider(Boom::Told => Restart, _ => Stop)]
        sibling: Stumble = Stumble,
    }
}

struct Stumble;

#[actor]
impl Stumble {
    fn handle(&mut self, boom: Boom) -> Result<(), Boom> {
        Err(boom)
    }
}

/// S38, S46: a child that is still starting when its actor has to go down gets the same reason as a child that is up:
/// the reason for children of a supervisor that ends, is restarted, or has failed.
#[tokio::test(start_paused = true)]
async fn a_spawn_that_is_given_up_hears_the_reason_from_above() {
    let cases = [
        ("stop", "Shutdown"),
        ("stop all", "Shutdown"),
        ("replace", "Shutdown"),
        ("shutdown", "Shutdown"),
        ("sibling stops", "Shutdown"),
        ("restart", "Restart"),
        ("group", "Restart"),
        ("escalation", "FailedAbove"),
    ];
    for (by, reason) in cases {
        let journal = Journal::default();
        let tree = Parents::start(journal.clone()).await.unwrap();
        let parent = match by {
            "replace" | "stop all" => tree.keyed.spawn(1).await.unwrap(),
            _ => tree.parent.clone(),
        };
        let bad = match by {
            "escalation" => Some(parent.ask(Order::SpawnOneThatEscalates).await.unwrap()),
            _ => None,
        };
        let mut events = tree.events();
        parent.tell(Order::SpawnAndWait).await.unwrap();
        settle().await;
        match by {
            "stop" => parent.stop(),
            "stop all" => tree.keyed.stop_all(),
            "replace" => drop(soon(tree.keyed.replace(1)).await.unwrap()),
            "shutdown" => tree.stop(),
            "sibling stops" => tree.sibling.tell(Boom::Fatal).await.unwrap(),
            "restart" => drop(parent.restart().unwrap()),
            "group" => tree.sibling.tell(Boom::Told).await.unwrap(),
            _ => bad.unwrap().tell(Tell::Fail).await.unwrap(),
        }
        pass(secs(20)).await;
        let lines = journal.take().into_iter().filter(|line| line.starts_with("kid ")).collect::<Vec<_>>();
        assert_eq!(lines, [format!("kid stopped {reason}")], "{by}");
        let kid = format!("{}/kid", parent.path());
        let told: Vec<_> = stopping(&mut events).into_iter().filter(|line| line.starts_with(&kid)).collect();
        assert_eq!(told, [format!("{kid} {reason}")], "{by}");
    }
}
