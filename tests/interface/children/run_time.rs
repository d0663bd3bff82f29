//! `child! { .. }`: children that are spawned at run time, in the language of a tree (S38, S39).

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Weak};

use supervise::error::{CommandError, SpawnError};
use supervise::prelude::*;
use supervise::{AnyRef, ChildRef, NewChild, Task};
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, pass, secs, settle, soon};

/// Calls the methods of its context that its messages name.
struct Boss {
    journal: Journal,
    strategy: SupervisorStrategy,
    keeps: Vec<AnyRef>,
}

type Doing<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

type Act = Box<dyn for<'a> FnOnce(&'a mut Context<Boss>) -> Doing<'a, ()> + Send>;

enum Order {
    Act(Act),
    Keep(AnyRef),
    Fail,
}

#[actor]
impl Boss {
    async fn handle(&mut self, order: Order, cx: &mut Context<Self>) -> Result<(), Boom> {
        match order {
            Order::Act(act) => act(cx).await,
            Order::Keep(child) => self.keeps.push(child),
            Order::Fail => return Err(Boom::Told),
        }
        Ok(())
    }

    #[pre_restart]
    fn keep(&mut self, cx: &mut Context<Self>) {
        self.journal.write("boss pre_restart");
        self.keeps.iter().for_each(|child| cx.keep(child));
    }

    #[supervision]
    fn strategy(&self) -> SupervisorStrategy {
        self.strategy.clone()
    }
}

supervisor! {
    struct Firm(journal: Journal, strategy: SupervisorStrategy) {
        boss: Boss = Boss { journal, strategy, keeps: Vec::new() },
    }

    struct Branch(journal: Journal) {
        leaf: Probe = Probe::start("leaf", journal).await?,
    }
}

async fn firm(strategy: SupervisorStrategy) -> (Running<Firm>, Journal) {
    let journal = Journal::default();
    (Firm::start(journal.clone(), strategy).await.unwrap(), journal)
}

/// Runs this in a message of the boss.
async fn at<T: Send + 'static>(
    firm: &Firm,
    act: impl for<'a> FnOnce(&'a mut Context<Boss>) -> Doing<'a, T> + Send + 'static,
) -> T {
    let answer =
        firm.boss.ask(|reply| Order::Act(Box::new(move |cx| Box::pin(async move { reply.send(act(cx).await) }))));
    soon(answer.forever()).await.unwrap()
}

async fn spawn_at<T: supervise::Child>(firm: &Firm, child: NewChild<T>) -> Result<T::Handle, SpawnError> {
    at(firm, |cx| Box::pin(cx.spawn(child))).await
}

/// S38: the name of a child is any expression, also if it begins with brackets.
#[tokio::test(start_paused = true)]
async fn a_name_may_begin_with_brackets() {
    let (firm, journal) = firm(SupervisorStrategy::default()).await;
    let id = "7".to_owned();
    let new = child! { ["probe-", &id].concat(): Probe = Probe::start("probe", journal).await? };
    let probe: ActorRef<Probe> = spawn_at(&firm, new).await.unwrap();
    assert_eq!(probe.path(), "boss/probe-7");
}

/// S38: an actor, a task and a tree are spawned alike, with the settings of a declared child.
#[tokio::test(start_paused = true)]
async fn an_actor_a_task_and_a_tree_are_spawned_alike() {
    let (firm, journal) = firm(SupervisorStrategy::default()).await;
    let (of_actor, of_task, of_tree) = (journal.clone(), journal.clone(), journal.clone());
    let actor: ActorRef<Probe> =
        spawn_at(&firm, child! { "actor": Probe = Probe::start("actor", of_actor).await? }).await.unwrap();
    let task: TaskRef = spawn_at(
        &firm,
        child! {
            #[lifecycle(Permanent, shutdown = 1s)]
            "task": task = |cx| async move {
                of_task.write("task runs");
                cx.stopped().await;
                of_task.write("task told");
            }
        },
    )
    .await
    .unwrap();
    let tree: Branch = spawn_at(&firm, child! { "tree": Branch = Branch::tree(of_tree) }).await.unwrap();
    settle().await;
    assert_eq!(
        [actor.path(), task.path(), tree.path(), tree.leaf.path()],
        ["boss/actor", "boss/task", "boss/tree", "boss/tree/leaf"]
    );
    assert_eq!([actor.name(), task.name(), tree.name(), tree.leaf.name()], ["actor", "task", "tree", "leaf"]);
    assert_eq!(
        at(&firm, |cx| Box::pin(std::future::ready(cx.children()))).await,
        [actor.any(), task.any(), tree.any()]
    );
    assert_eq!(journal.take(), ["actor start", "actor pre_start", "task runs", "leaf start", "leaf pre_start"]);

    tree.leaf.stop(); // the last child of the tree: the tree is done
    assert!(matches!(soon(tree.terminated()).await, Ok(Ended::Done)));
    // The lifecycle is `Transient`, the default of a spawned child.
    actor.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(actor.ask(Do::Incarnation).await.unwrap(), 2);
    actor.tell(Do::Stop).await.unwrap();
    assert!(matches!(soon(actor.terminated()).await, Ok(Ended::Done)));

    journal.take();
    firm.shutdown().await;
    assert_eq!(journal.take(), ["task told"]);
}

/// S38: a first start that fails is the error of the spawn, of whatever kind the child is.
#[tokio::test(start_paused = true)]
async fn a_failed_start_is_the_error_of_the_spawn() {
    let (firm, journal) = firm(SupervisorStrategy::default()).await;
    journal.plan("leaf start", 1, Fault::Error);
    let failed = |failed: SpawnError| {
        let SpawnError::Start(failure) = failed else { panic!("{failed}") };
        (failure.path().to_owned(), failure.error::<Boom>().copied())
    };
    let of_tree = journal.clone();
    let tree = spawn_at(&firm, child! { "tree": Branch = Branch::tree(of_tree) }).await.unwrap_err();
    assert_eq!(failed(tree), ("boss/tree/leaf".to_owned(), Some(Boom::Planned)));
    let task = child! {
        #[lifecycle(Transient, ready)]
        "task": task = |_cx| async { Err::<(), _>(Boom::Fatal) }
    };
    assert_eq!(failed(spawn_at(&firm, task).await.unwrap_err()), ("boss/task".to_owned(), Some(Boom::Fatal)));
    assert!(at(&firm, |cx| Box::pin(std::future::ready(cx.children()))).await.is_empty());
}

/// Counts its clones.
struct Counted(Arc<AtomicU32>);

impl Clone for Counted {
    fn clone(&self) -> Self {
        self.0.fetch_add(1, SeqCst);
        Counted(self.0.clone())
    }
}

/// S38: each start has a clone of its own of each variable that it names, and the variable stays usable.
#[tokio::test(start_paused = true)]
async fn each_start_has_its_own_clones() {
    let (clones, list, name) = (Counted(Arc::default()), vec![1_u64], "sum".to_owned());
    let of = clones.0.clone();
    struct Sum(Vec<u64>);
    #[actor]
    impl Sum {
        fn handle(&mut self, msg: Result<Reply<Vec<u64>>, u64>) {
            match msg {
                Ok(reply) => reply.send(self.0.clone()),
                Err(n) => self.0.push(n),
            }
        }
    }
    let sum = spawn(child! {
        format!("the {name}"): Sum = {
            assert_eq!(format!("{name}"), "sum");
            list.push(clones.0.load(SeqCst).into());
            Sum(list)
        }
    });
    assert_eq!((list.len(), &*name), (1, "sum"));
    assert_eq!(clones.0.load(SeqCst), 1, "captured");
    let sum = sum.await.unwrap();
    assert_eq!(of.load(SeqCst), 2, "cloned for the start");
    sum.tell(Err(7)).await.unwrap();
    assert_eq!(sum.ask(Ok).await.unwrap(), [1, 2, 7]);
    sum.restart().unwrap().await.unwrap();
    assert_eq!(sum.ask(Ok).await.unwrap(), [1, 3], "the second start had clones of its own");
    assert_eq!(sum.path(), "the sum");
    sum.stop();
}

/// S38, S26: a `Temporary` child owns what it names, and a requested restart is refused.
#[tokio::test(start_paused = true)]
async fn a_temporary_child_owns_what_it_names() {
    struct Socket(#[expect(dead_code, reason = "counted from outside")] Arc<()>);
    struct Conn(#[expect(dead_code, reason = "held as long as it lives")] Socket);
    #[actor]
    impl Conn {
        fn handle(&mut self, (): ()) -> Result<(), Boom> {
            Err(Boom::Told)
        }
    }
    fn socket() -> (Socket, Weak<()>) {
        let counted = Arc::new(());
        let weak = Arc::downgrade(&counted);
        (Socket(counted), weak)
    }
    let (firm, _) = firm(SupervisorStrategy::default()).await;
    let ((a, of_a), (b, of_b), (c, of_c)) = (socket(), socket(), socket());
    let conn = spawn_at(&firm, child! { #[lifecycle(Temporary)] "conn": Conn = Conn(a) }).await.unwrap();
    let task = child! {
        #[lifecycle(Temporary)]
        "task": task = async move {
            let _held = b;
            std::future::pending::<()>().await
        }
    };
    let task = spawn_at(&firm, task).await.unwrap();
    assert_eq!([&of_a, &of_b].map(Weak::strong_count), [1, 1], "nothing else has it");
    assert_eq!(conn.restart(), Err(CommandError::StartedOnce { path: "boss/conn".to_owned() }));
    assert_eq!(
        task.restart().unwrap_err().to_string(),
        "boss/task is `Temporary` and was spawned, so it cannot be restarted; spawn another one"
    );
    // A refused spawn drops the connection.
    let refused = spawn_at(&firm, child! { #[lifecycle(Temporary)] "conn": Conn = Conn(c) }).await;
    assert!(matches!(refused, Err(SpawnError::Exists { .. })));
    assert_eq!(of_c.strong_count(), 0);

    conn.tell(()).await.unwrap();
    assert!(matches!(soon(conn.terminated()).await, Ok(Ended::Failed(_))));
    task.kill();
    assert!(matches!(soon(task.terminated()).await, Ok(Ended::Killed)));
    settle().await;
    assert_eq!([&of_a, &of_b].map(Weak::strong_count), [0, 0]);
}

/// S38, S17: in a group, a `Temporary` child is never started a second time: it ends with a restart of the group, also
/// in the middle of its start. A child that was still queued starts then.
#[tokio::test(start_paused = true)]
async fn a_temporary_child_of_a_group_is_started_once() {
    let (firm, journal) = firm(SupervisorStrategy::new(Strategy::AllForOne)).await;
    let of = journal.clone();
    let other = spawn_at(&firm, child! { "other": Probe = Probe::start("other", of).await? }).await.unwrap();
    let held = Arc::new(());
    let of = journal.clone();
    let up = child! {
        #[lifecycle(Temporary)]
        "up": task = async move {
            of.write("up begins");
            let _held = held;
            std::future::pending::<()>().await
        }
    };
    let up = spawn_at(&firm, up).await.unwrap();
    journal.plan("slow start", 1, Fault::Slow(secs(60)));
    journal.plan("other post_stop", 1, Fault::Slow(secs(5)));
    let (of, late) = (journal.clone(), journal.clone());
    let slow = at(&firm, |cx| {
        let slow = child! {
            #[lifecycle(Temporary)]
            "slow": Probe = Probe::start("slow", of).await?
        };
        Box::pin(std::future::ready(tokio::spawn(cx.spawn(slow))))
    });
    let slow = slow.await;
    settle().await;
    other.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert!(matches!(soon(slow).await.unwrap(), Err(SpawnError::Stopping { .. })), "its start was dropped");
    assert!(matches!(soon(up.terminated()).await, Ok(Ended::Stopped)));
    // The group is down and waits for `other`, so the new child has not been started yet.
    let queued = at(&firm, |cx| {
        let late = child! {
            #[lifecycle(Temporary)]
            "late": Probe = Probe::start("late", late).await?
        };
        Box::pin(std::future::ready(tokio::spawn(cx.spawn(late))))
    });
    let queued = queued.await;
    settle().await;
    assert!(!queued.is_finished());
    pass(secs(5)).await;
    let queued = soon(queued).await.unwrap().unwrap();
    assert_eq!((queued.incarnation(), other.incarnation()), (1, 2));
    let starts: Vec<_> =
        journal.take().into_iter().filter(|line| line.ends_with("start") || line.ends_with("begins")).collect();
    assert_eq!(
        starts,
        [
            "other start",
            "other pre_start",
            "up begins",
            "slow start",
            "other pre_restart",
            "other start",
            "other pre_start",
            "other post_restart",
            "late start",
            "late pre_start"
        ]
    );
}

/// S38, S19: a `Temporary` task whose own decider escalates is not started again by a Resume from above: it ends.
#[tokio::test(start_paused = true)]
async fn a_resume_does_not_start_a_temporary_task_again() {
    supervisor! {
        struct Calm(journal: Journal) {
            #![decider(_ => Resume)]
            firm: Firm = Firm::tree(journal, SupervisorStrategy::default()),
        }
    }
    let calm = Calm::start(Journal::default()).await.unwrap();
    let starts = Arc::new(AtomicU32::new(0));
    let of = starts.clone();
    let task = child! {
        #[lifecycle(Temporary)]
        #[decider(_ => Escalate)]
        "task": task = async move {
            of.fetch_add(1, SeqCst);
            tokio::time::sleep(secs(1)).await;
            Err::<(), _>(Boom::Told)
        }
    };
    let task = spawn_at(&calm.firm, task).await.unwrap();
    pass(secs(60)).await;
    assert_eq!(starts.load(SeqCst), 1);
    assert!(task.ended().is_some(), "{}", calm.snapshot().render());
}

/// S11, S38: a kept task and a kept tree survive a restart of the actor and are restarted with it; the new instance
/// finds them by their names and types. A kept `Temporary` child, which cannot be started again, ends.
#[tokio::test(start_paused = true)]
async fn tasks_and_trees_are_kept() {
    let (firm, journal) = firm(SupervisorStrategy::default()).await;
    let (of_task, of_tree, of_once) = (journal.clone(), journal.clone(), journal.clone());
    let task = child! {
        "task": task = |cx| async move {
            of_task.write(format!("task {}", cx.incarnation()));
            cx.stopped().await;
        }
    };
    let task = spawn_at(&firm, task).await.unwrap();
    let tree = spawn_at(&firm, child! { "tree": Branch = Branch::tree(of_tree) }).await.unwrap();
    let once = child! {
        #[lifecycle(Temporary)]
        "once": Probe = Probe::start("once", of_once).await?
    };
    let once = spawn_at(&firm, once).await.unwrap();
    let gone = spawn_at(&firm, child! { "gone": task = std::future::pending::<()>() }).await.unwrap();
    let found = |firm: &Firm| {
        let firm = firm.clone();
        async move {
            at(&firm, |cx| {
                let task = cx.child::<Task>("task");
                let tree = cx.child::<Branch>("tree");
                let wrong = (cx.child::<Branch>("task"), cx.child::<Task>("tree"), cx.child::<Probe>("task"));
                assert!(matches!(wrong, (None, None, None)), "{wrong:?}");
                assert!(cx.child::<Task>("once").is_none());
                Box::pin(std::future::ready((task, tree.map(|tree| tree.leaf))))
            })
            .await
        }
    };
    assert_eq!(found(&firm).await, (Some(task.clone()), Some(tree.leaf.clone())));
    for kept in [task.any(), tree.any(), once.any()] {
        firm.boss.tell(Order::Keep(kept)).await.unwrap();
    }
    settle().await;
    journal.take();
    firm.boss.tell(Order::Fail).await.unwrap();
    settle().await;
    assert_eq!(found(&firm).await, (Some(task.clone()), Some(tree.leaf.clone())));
    assert_eq!((task.incarnation(), tree.leaf.incarnation()), (2, 2));
    assert!(matches!((once.ended(), gone.ended()), (Some(Ended::Stopped), Some(Ended::Stopped))));
    assert_eq!(
        journal.take(),
        [
            "boss pre_restart",
            "once post_stop",
            "once drop",
            "leaf pre_restart",
            "leaf post_stop",
            "leaf drop",
            "task 2",
            "leaf start",
            "leaf pre_start",
            "leaf post_restart",
        ]
    );
}

/// S39: a top-level task or tree decides on its own failures, and ends alone at the limit.
#[tokio::test(start_paused = true)]
async fn tasks_and_trees_can_be_top_level() {
    let journal = Journal::default();
    let tree = spawn(child! { "tree": Branch = Branch::tree(journal) }).await.unwrap();
    assert_eq!((tree.path(), tree.leaf.path()), ("tree".to_owned(), "tree/leaf".to_owned()));
    tree.kill(); // the default decider stops a killed child
    assert!(matches!(soon(tree.terminated()).await, Ok(Ended::Killed)));

    let starts = Arc::new(AtomicU32::new(0));
    let begun = Instant::now();
    let task = spawn(child! {
        #[limit(max_restarts = 3)]
        #[backoff(1s..8s, random_factor = 0.0)]
        "task": task = {
            starts.fetch_add(1, SeqCst);
            async { Err::<(), _>(Boom::Told) }
        }
    });
    let ended = soon(task.await.unwrap().terminated()).await.unwrap();
    assert!(matches!(ended, Ended::Limit(_)), "{ended:?}");
    assert_eq!((starts.load(SeqCst), begun.elapsed()), (4, secs(1 + 2 + 4)));
}

/// S38: nothing has begun before the first poll. A spawn that is given up stops its child, and a detached one does not.
#[tokio::test(start_paused = true)]
async fn a_spawn_can_be_given_up() {
    for detached in [false, true] {
        let (firm, journal) = firm(SupervisorStrategy::default()).await;
        journal.plan("leaf start", 1, Fault::Slow(secs(5)));
        let of = journal.clone();
        let spawning = at(&firm, move |cx| {
            drop(cx.spawn(child! { "never": Branch = Branch::tree(of) }));
            let spawn = cx.spawn(child! { "tree": Branch = Branch::tree(of) });
            let spawn = if detached { spawn.detached() } else { spawn };
            Box::pin(async { tokio::time::timeout(secs(1), spawn).await.is_err() })
        });
        assert!(spawning.await);
        pass(secs(10)).await;
        let left = at(&firm, |cx| Box::pin(std::future::ready(cx.child::<Branch>("tree").is_some()))).await;
        assert_eq!(left, detached);
        let starts = journal.take().iter().filter(|line| *line == "leaf start").count();
        assert_eq!(starts, 1);
    }
}

/// S38, S39: the name of a spawned child is an expression, and its start may fail with any error.
#[tokio::test(start_paused = true)]
async fn a_name_is_an_expression_and_a_start_may_fail() {
    struct Number(u32);
    #[actor]
    impl Number {
        fn handle(&mut self, reply: Reply<u32>) {
            reply.send(self.0);
        }
    }
    let owned = spawn(child! { String::from("owned"): Number = Number(3) }).await.unwrap();
    let fallible = spawn(child! { "fallible": Number = Number("4".parse()?) }).await.unwrap();
    assert_eq!(owned.ask(|reply| reply).await.unwrap() + fallible.ask(|reply| reply).await.unwrap(), 7);
    let failed = spawn(child! { "failed": Number = Number("four".parse()?) }).await.unwrap_err();
    let SpawnError::Start(failure) = failed else { panic!("{failed}") };
    assert!(failure.error::<std::num::ParseIntError>().is_some());
    let (firm, _) = firm(SupervisorStrategy::default()).await;
    let child = at(&firm, |cx| Box::pin(cx.spawn(child! { format!("kid {}", 1): Number = Number(5) }))).await.unwrap();
    assert_eq!(child.path(), "boss/kid 1");
    [owned, fallible].iter().for_each(ActorRef::stop);
}
