//! The failure of a `Temporary` child: the decider of the tree is not asked, a decider on the child itself is (S23).

use supervise::error::SpawnError;
use supervise::policy::SupervisorStrategy;
use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, quiet_panics, seen, settle};

supervisor! {
    struct Strict(journal: Journal) {
        #![decider(_ => Escalate)]
        #[lifecycle(Temporary)]
        actor: Probe = Probe::start("actor", journal).await?,
        #[lifecycle(Temporary)]
        job: task = async { tokio::time::sleep(ms(10)).await; Err(Boom::Told) },
        #[lifecycle(Temporary)]
        branch: struct Branch {
            #![decider(_ => Escalate)]
            leaf: Probe = Probe::start("leaf", journal).await?,
        },
        #[lifecycle(Temporary)]
        guests: [Probe] = |n: u32| Probe::start(format!("g{n}"), journal).await?,
        #[lifecycle(Temporary)]
        rooms: [u32 => task] = |_n: u32| async { tokio::time::sleep(ms(10)).await; Err(Boom::Told) },
        other: Probe = Probe::start("other", journal).await?,
    }

    struct Own(journal: Journal) {
        #![strategy(AllForOne, max_restarts = 0)]
        #![decider(_ => Restart)]
        #[lifecycle(Temporary)]
        #[decider(Boom::Told => Restart, Boom::Planned => Resume, Boom::Fatal => Escalate, Cause::Panic(_) => Stop)]
        child: Probe = Probe::start("child", journal).await?,
        #[lifecycle(Temporary)]
        #[decider(Boom::Told => Restart, Boom::Planned => Resume, Boom::Fatal => Escalate, Cause::Panic(_) => Stop)]
        guests: [Probe] = |n: u32| Probe::start(format!("g{n}"), journal).await?,
        other: Probe = Probe::start("other", journal).await?,
    }

    struct Open(journal: Journal) {
        #![decider(_ => Escalate)]
        #[lifecycle(Temporary)]
        #[decider(Boom::Fatal => Escalate)]
        child: Probe = Probe::start("child", journal).await?,
        other: Probe = Probe::start("other", journal).await?,
    }

    struct Early(journal: Journal) {
        #![decider(_ => Restart)]
        #[lifecycle(Temporary)]
        job: task = async { Err(Boom::Told) },
        slow: Probe = {
            tokio::time::sleep(ms(10)).await;
            Probe::start("slow", journal).await?
        },
    }

    struct Crowd(journal: Journal) {
        #![decider(_ => Escalate)]
        #[lifecycle(Temporary)]
        #[initial(["one", "two"])]
        guests: [Probe] = |name: &'static str| Probe::start(name, journal).await?,
        slow: Probe = {
            tokio::time::sleep(ms(10)).await;
            Probe::start("slow", journal).await?
        },
    }
}

/// S23: a child that fails has ended, and no other child is affected, whatever the tree would decide.
#[tokio::test(start_paused = true)]
async fn the_decider_of_the_tree_is_not_asked_about_a_temporary_child() {
    let journal = Journal::default();
    let tree = Strict::start(journal.clone()).await.unwrap();
    let mut events = tree.events();
    tree.actor.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(seen(&mut events), ["actor failed", "actor ended Failed"], "neither a decision nor a restart happens");

    let guest = tree.guests.spawn(1).await.unwrap();
    settle().await;
    seen(&mut events);
    guest.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    settle().await;
    assert_eq!(seen(&mut events), ["guests/#1 failed", "guests/#1 ended Failed"]);

    let room = tree.rooms.spawn(7).await.unwrap();
    assert!(room.terminated().await.unwrap().failure().is_some());
    assert!(tree.job.terminated().await.unwrap().failure().is_some());
    let lines = seen(&mut events);
    assert!(!lines.iter().any(|line| line.contains("decided")), "{lines:?}");

    // The decider of a `Temporary` subtree is asked about a child of the subtree; then it is the subtree that ends.
    tree.branch.leaf.tell(Do::Fail(Boom::Told)).await.unwrap();
    let ended = tree.branch.join().await.unwrap().ended;
    assert_eq!(ended.failure().unwrap().error::<Boom>(), Some(&Boom::Told));
    let decided = seen(&mut events).into_iter().filter(|line| line.contains("decided")).collect::<Vec<_>>();
    assert_eq!(decided, ["branch/leaf decided Escalate"]);

    assert_eq!((tree.other.incarnation(), tree.ended().is_none()), (1, true));
}

/// S23, S27: a failed first start of an instance affects only its spawn.
#[tokio::test(start_paused = true)]
async fn a_failed_first_start_of_a_temporary_instance_concerns_its_spawn_alone() {
    let journal = Journal::default();
    let tree = Strict::start(journal.clone()).await.unwrap();
    journal.plan("g1 start", 1, Fault::Error);
    let mut events = tree.events();
    assert!(matches!(tree.guests.spawn(1).await, Err(SpawnError::Start(failure)) if failure.error::<Boom>().is_some()));
    settle().await;
    assert_eq!(seen(&mut events), ["guests/#1 failed", "guests/#1 ended Failed"]);
    assert!(tree.ended().is_none());
}

/// S23: a decider on the child is asked: Restart and Stop end the child, Resume lets it go on, and Escalate makes the
/// tree fail.
#[tokio::test(start_paused = true)]
async fn a_decider_above_a_temporary_child_is_obeyed() {
    quiet_panics();
    for (order, decided) in [(Do::Fail(Boom::Told), "child decided Stop"), (Do::Panic, "child decided Stop")] {
        let tree = Own::start(Journal::default()).await.unwrap();
        let mut events = tree.events();
        tree.child.tell(order).await.unwrap();
        settle().await;
        assert_eq!(seen(&mut events), ["child failed", decided, "child ended Failed"]);
        assert_eq!((tree.other.incarnation(), tree.ended().is_none()), (1, true));
    }

    let tree = Own::start(Journal::default()).await.unwrap();
    let guest = tree.guests.spawn(1).await.unwrap();
    for probe in [&tree.child, &guest] {
        probe.tell(Do::Add(3)).await.unwrap();
        probe.tell(Do::Fail(Boom::Planned)).await.unwrap();
        assert_eq!((probe.ask(Do::Get).await.unwrap(), probe.incarnation()), (3, 1), "resumed");
    }
    guest.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    assert!(tree.join().await.ended.failure().is_some(), "the set failed, because its budget is zero");

    let tree = Own::start(Journal::default()).await.unwrap();
    tree.child.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    let ended = tree.join().await.ended;
    assert_eq!(ended.failure().unwrap().error::<Boom>(), Some(&Boom::Fatal));
}

/// S23: a failure that the arms on the child do not match is not decided by any other decider: the child has ended.
#[tokio::test(start_paused = true)]
async fn what_the_decider_of_a_temporary_child_leaves_open_ends_it() {
    let tree = Open::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    tree.child.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(seen(&mut events), ["child failed", "child ended Failed"]);
    assert!(tree.ended().is_none());
}

/// S21, S23: until the tree is up such an end is a failed start, and still no decider is asked.
#[tokio::test(start_paused = true)]
async fn a_temporary_child_that_fails_before_the_tree_is_up_fails_the_first_start() {
    let mut tree = Early::tree(Journal::default());
    let mut events = tree.events();
    let failure = tree.start().await.unwrap_err();
    assert_eq!((failure.path(), failure.error::<Boom>()), ("job", Some(&Boom::Told)));
    let lines = seen(&mut events);
    assert!(!lines.iter().any(|line| line.contains("decided")), "{lines:?}");
}

/// S21, S27: an instance of a set never affects the first start of the tree.
#[tokio::test(start_paused = true)]
async fn a_temporary_instance_that_fails_during_the_first_start_ends_alone() {
    let journal = Journal::default();
    journal.plan("one start", 1, Fault::Error);
    let tree = Crowd::start(journal).await.unwrap();
    assert_eq!((tree.guests.len(), tree.ended().is_none()), (1, true));
}

struct Boss(Journal);

#[actor]
impl Boss {
    async fn handle(&mut self, reply: Reply<Vec<ActorRef<Probe>>>, cx: &mut Context<Self>) -> Result<(), SpawnError> {
        let mut children = Vec::new();
        for (name, strict) in [("plain", false), ("strict", true)] {
            let journal = self.0.clone();
            let child = match strict {
                true => child! {
                    #[lifecycle(Temporary)]
                    #[decider(|_: &Failure| Directive::Escalate)]
                    name: Probe = Probe::start(name, journal).await?
                },
                false => child! {
                    #[lifecycle(Temporary)]
                    name: Probe = Probe::start(name, journal).await?
                },
            };
            children.push(cx.spawn(child).await?);
        }
        reply.send(children);
        Ok(())
    }

    #[supervision]
    fn supervision(&self) -> SupervisorStrategy {
        SupervisorStrategy::default().decider(|_: &Failure| Directive::Escalate)
    }
}

/// S23, S38: for the children of an actor, `supervision()` has the role of the tree's decider; a decider on the child
/// is asked.
#[tokio::test(start_paused = true)]
async fn the_decider_of_an_actor_is_not_asked_about_its_temporary_children() {
    supervisor! {
        struct Firm(journal: Journal) {
            boss: Boss = Boss(journal),
        }
    }

    let tree = Firm::start(Journal::default()).await.unwrap();
    let children = tree.boss.ask(|reply| reply).await.unwrap();
    let mut events = tree.events();
    children[0].tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(seen(&mut events), ["boss/plain failed", "boss/plain ended Failed"]);
    assert_eq!(tree.boss.incarnation(), 1);

    children[1].tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(tree.boss.incarnation(), 2, "its own decider escalates");
}
