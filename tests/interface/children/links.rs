//! `link` and `unlink`: an actor takes over a top-level actor, or releases a child (S38).

use supervise::error::{CommandError, LinkError, SpawnError};
use supervise::inspect::EndedKind;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, pass, secs, settle, soon};

/// Links and unlinks probes.
struct Boss {
    journal: Journal,
    strategy: SupervisorStrategy,
}

enum Order {
    Spawn(&'static str, Reply<Result<ActorRef<Probe>, SpawnError>>),
    /// With a backoff that only the child resets.
    SpawnManual(Reply<ActorRef<Probe>>),
    Link(ActorRef<Probe>, Reply<Result<(), LinkError>>),
    Unlink(ActorRef<Probe>, Reply<Result<(), LinkError>>),
    LinkBoss(ActorRef<Boss>, Reply<Result<(), LinkError>>),
    Keep(ActorRef<Probe>),
    Fail,
}

impl Actor for Boss {
    type Msg = Order;
    type Error = Boom;

    async fn receive(&mut self, msg: Order, cx: &mut Context<Self>) -> Result<(), Boom> {
        match msg {
            Order::Spawn(name, reply) => {
                let journal = self.journal.clone();
                reply.send(cx.spawn(child! { name: Probe = Probe::start(name, journal).await? }).await);
            }
            Order::SpawnManual(reply) => {
                let journal = self.journal.clone();
                let kid = cx.spawn(child! {
                    #[backoff(1s..60s, random_factor = 0, reset = Manual)]
                    "manual": Probe = Probe::start("manual", journal).await?
                });
                reply.send(kid.await.unwrap());
            }
            Order::Link(other, reply) => reply.send(cx.link(&other).await),
            Order::Unlink(other, reply) => reply.send(cx.unlink(&other).await),
            Order::LinkBoss(other, reply) => reply.send(cx.link(&other).await),
            Order::Keep(kid) => cx.keep(&kid),
            Order::Fail => return Err(Boom::Told),
        }
        Ok(())
    }

    fn supervision(&self) -> SupervisorStrategy {
        self.strategy.clone()
    }
}

supervisor! {
    struct WithBoss(journal: Journal, strategy: SupervisorStrategy) {
        boss: Boss = Boss { journal, strategy },
        declared: Probe = Probe::start("declared", journal).await?,
    }
}

async fn with_boss(strategy: SupervisorStrategy) -> (Running<WithBoss>, Journal) {
    let journal = Journal::default();
    (WithBoss::start(journal.clone(), strategy).await.unwrap(), journal)
}

async fn top(name: &'static str, journal: &Journal) -> ActorRef<Probe> {
    let journal = journal.clone();
    spawn(child! { name: Probe = Probe::start(name, journal).await? }).await.unwrap()
}

async fn link(boss: &ActorRef<Boss>, who: &ActorRef<Probe>) -> Result<(), LinkError> {
    boss.ask(|reply| Order::Link(who.clone(), reply)).forever().await.unwrap()
}

async fn unlink(boss: &ActorRef<Boss>, who: &ActorRef<Probe>) -> Result<(), LinkError> {
    boss.ask(|reply| Order::Unlink(who.clone(), reply)).forever().await.unwrap()
}

/// S38: a linked actor is a child like any other: the strategy of its supervisor decides, and it stops together with
/// the supervisor. Instance, path and mailbox stay the same.
#[tokio::test(start_paused = true)]
async fn a_linked_actor_is_a_child() {
    let (tree, journal) = with_boss(SupervisorStrategy::STOPPING).await;
    let (one, two) = (top("one", &journal).await, top("two", &journal).await);
    one.tell(Do::Add(5)).await.unwrap();
    one.tell(Do::Work(secs(1))).await.unwrap();
    settle().await;
    one.tell(Do::Add(1)).await.unwrap();
    link(&tree.boss, &one).await.unwrap(); // `one` is handling a message, so it is running
    link(&tree.boss, &two).await.unwrap();
    assert_eq!(one.path(), "one");
    assert_eq!(one.ask(Do::Get).await.unwrap(), 6);
    assert_eq!(one.incarnation(), 1);
    one.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(soon(one.terminated()).await.unwrap(), Ended::Failed(_)), "the boss's strategy decides");
    assert!(two.ended().is_none());
    journal.take();
    tree.boss.stop();
    assert!(matches!(soon(two.terminated()).await.unwrap(), Ended::Stopped));
    assert_eq!(journal.take(), ["two post_stop", "two drop"]);
}

/// S24, S38: the report of a tree has a linked actor as it has every child, with its end and the failure of its last
/// hook; one that was released is not in it.
#[tokio::test(start_paused = true)]
async fn a_linked_actor_is_in_the_report() {
    let (tree, journal) = with_boss(SupervisorStrategy::default()).await;
    let (one, two) = (top("one", &journal).await, top("two", &journal).await);
    for who in [&one, &two] {
        link(&tree.boss, who).await.unwrap();
    }
    unlink(&tree.boss, &two).await.unwrap();
    journal.plan("one post_stop", 1, Fault::Error);
    let report = soon(tree.shutdown()).await;
    let children: Vec<_> = report.children.iter().map(|child| (&*child.path, child.ended.kind())).collect();
    let stopped = EndedKind::Stopped;
    assert_eq!(children, [("declared", stopped), ("one", stopped), ("boss", stopped)], "{report}");
    assert_eq!(report.children[1].failure.as_ref().map(Failure::path), Some("one"));
    assert!(two.is_alive());
}

/// S38: the other direction: a child that was released outlives its parent, and decides for itself (S39).
#[tokio::test(start_paused = true)]
async fn an_unlinked_child_is_a_top_level_actor() {
    let (tree, journal) = with_boss(SupervisorStrategy::STOPPING).await;
    let kid = tree.boss.ask(|reply| Order::Spawn("kid", reply)).await.unwrap().unwrap();
    kid.tell(Do::Add(5)).await.unwrap();
    unlink(&tree.boss, &kid).await.unwrap();
    assert_eq!((kid.path(), kid.ask(Do::Get).await.unwrap()), ("boss/kid".to_owned(), 5));
    assert_eq!(unlink(&tree.boss, &kid).await, Err(LinkError::NotOwn { path: "boss/kid".into() }));
    tree.boss.tell(Order::Fail).await.unwrap();
    settle().await;
    assert_eq!(
        (tree.boss.incarnation(), kid.incarnation()),
        (2, 1),
        "a restart of the boss does not affect the released child"
    );
    kid.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(kid.ask(Do::Incarnation).await.unwrap(), 2, "the guardian's strategy decides");
    tree.shutdown().await;
    kid.tell(Do::Add(1)).await.unwrap();
    assert_eq!(kid.ask(Do::Get).await.unwrap(), 1);
    journal.take();
    kid.stop();
    assert!(matches!(soon(kid.terminated()).await.unwrap(), Ended::Stopped));
    assert_eq!(journal.take(), ["kid post_stop", "kid drop"]);
}

/// S38: the budget moves with the actor: its earlier restarts count.
#[tokio::test(start_paused = true)]
async fn a_linked_actor_keeps_its_restart_budget() {
    let (tree, journal) = with_boss(SupervisorStrategy::default()).await;
    let one = top("one", &journal).await;
    for n in 0..10 {
        assert_eq!(one.ask(Do::Incarnation).forever().await.unwrap(), n + 1);
        match n {
            3 => link(&tree.boss, &one).await.unwrap(),
            6 => unlink(&tree.boss, &one).await.unwrap(),
            _ => {}
        }
        one.tell(Do::Fail(Boom::Told)).await.unwrap();
    }
    assert_eq!(one.ask(Do::Incarnation).forever().await.unwrap(), 11);
    one.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(soon(one.terminated()).await.unwrap(), Ended::Limit(_)), "the eleventh restart in a minute");
}

/// S38: only a running actor can change its supervisor.
#[tokio::test(start_paused = true)]
async fn only_a_running_actor_changes_its_supervisor() {
    let (tree, journal) = with_boss(SupervisorStrategy::default()).await;
    let one = top("one", &journal).await;
    journal.plan("one start", 1, Fault::Slow(secs(1)));
    one.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(link(&tree.boss, &one).await, Err(LinkError::Busy { path: "one".into() }), "the actor is starting");
    pass(secs(2)).await;
    link(&tree.boss, &one).await.unwrap();
    journal.plan("one post_stop", 1, Fault::Slow(secs(1)));
    one.stop();
    settle().await;
    assert_eq!(unlink(&tree.boss, &one).await, Err(LinkError::Busy { path: "one".into() }), "the actor is stopping");
    soon(one.terminated()).await.unwrap();
    assert_eq!(unlink(&tree.boss, &one).await, Err(LinkError::Ended { path: "one".into() }));
    assert_eq!(link(&tree.boss, &one).await, Err(LinkError::Ended { path: "one".into() }));
}

/// S38: an actor that has a supervisor cannot be linked, and a declared child cannot be released.
#[tokio::test(start_paused = true)]
async fn only_top_level_actors_are_linked_and_only_run_time_children_let_go() {
    let (tree, journal) = with_boss(SupervisorStrategy::default()).await;
    let kid = tree.boss.ask(|reply| Order::Spawn("kid", reply)).await.unwrap().unwrap();
    let supervised = |path: &str| Err(LinkError::Supervised { path: path.into() });
    assert_eq!(link(&tree.boss, &kid).await, supervised("boss/kid"));
    assert_eq!(link(&tree.boss, &tree.declared).await, supervised("declared"));
    assert_eq!(unlink(&tree.boss, &tree.declared).await, Err(LinkError::NotOwn { path: "declared".into() }));
    let one = top("one", &journal).await;
    assert_eq!(unlink(&tree.boss, &one).await, Err(LinkError::NotOwn { path: "one".into() }));
    link(&tree.boss, &one).await.unwrap();
    assert_eq!(link(&tree.boss, &one).await, supervised("one"));
}

/// S38: no actor becomes a child of itself or of an actor below it, not even in two steps.
#[tokio::test(start_paused = true)]
async fn no_cell_is_above_itself() {
    let boss = |name: &'static str| {
        spawn(child! {
            name: Boss = Boss { journal: Journal::default(), strategy: SupervisorStrategy::default() }
        })
    };
    let (high, low) = (boss("high").await.unwrap(), boss("low").await.unwrap());
    let to = |boss: &ActorRef<Boss>, other: &ActorRef<Boss>| {
        let (boss, other) = (boss.clone(), other.clone());
        async move { boss.ask(|reply| Order::LinkBoss(other, reply)).forever().await.unwrap() }
    };
    assert_eq!(to(&high, &high).await, Err(LinkError::Above { path: "high".into() }));
    to(&high, &low).await.unwrap();
    assert_eq!(to(&low, &high).await, Err(LinkError::Above { path: "high".into() }));
    high.stop();
    assert!(
        matches!(soon(low.terminated()).await.unwrap(), Ended::Stopped),
        "the actor stops together with the one above"
    );
    let (one, two) = (boss("one").await.unwrap(), boss("two").await.unwrap());
    let (a, b) = soon(async { tokio::join!(to(&one, &two), to(&two, &one)) }).await;
    assert!(a.is_ok() != b.is_ok(), "one of the two links is made: {a:?} {b:?}");
}

/// S26: requested commands reach an actor under its new supervisor.
#[tokio::test(start_paused = true)]
async fn commands_reach_one_that_has_moved() {
    let (tree, journal) = with_boss(SupervisorStrategy::STOPPING).await;
    let one = top("one", &journal).await;
    link(&tree.boss, &one).await.unwrap();
    one.restart().unwrap();
    assert_eq!(one.ask(Do::Incarnation).await.unwrap(), 2);
    assert!(matches!(one.start_again(), Err(CommandError::NotEnded { .. })));
    journal.take();
    one.tell(Do::Note("queued")).await.unwrap();
    one.drain();
    assert!(matches!(soon(one.terminated()).await.unwrap(), Ended::Stopped));
    assert_eq!(journal.take(), ["one queued", "one post_stop", "one drop"]);
    assert!(matches!(one.start_again(), Err(CommandError::NotDeclared { .. })));
}

/// S25: a linked actor that waits for the end of its new supervisor gets an error, because that wait would be in vain.
#[tokio::test(start_paused = true)]
async fn waiting_for_the_end_of_the_new_supervisor_is_an_error() {
    struct Waiter;
    #[actor]
    impl Waiter {
        async fn handle(&mut self, (above, reply): (ActorRef<Adopts>, Reply<bool>)) {
            let waited = tokio::time::timeout(secs(1), above.terminated()).await;
            reply.send(matches!(waited, Ok(Err(_))));
        }
    }
    struct Adopts(ActorRef<Waiter>);
    #[actor]
    impl Adopts {
        async fn handle(&mut self, reply: Reply<Result<(), LinkError>>, cx: &mut Context<Self>) {
            reply.send(cx.link(&self.0).await);
        }
    }
    let waiter = spawn(child! { "waiter": Waiter = Waiter }).await.unwrap();
    let child = waiter.clone();
    let above = spawn(child! { "above": Adopts = Adopts(child) }).await.unwrap();
    let waits = || waiter.ask(|reply| (above.clone(), reply)).forever();
    assert!(!waits().await.unwrap(), "an unrelated task may wait");
    above.ask(|reply| reply).await.unwrap().unwrap();
    assert!(waits().await.unwrap());
}

/// S26, S38: a spawned child cannot be started again, wherever it has ended, and even if its parent has ended too.
#[tokio::test(start_paused = true)]
async fn what_was_spawned_is_not_declared_when_its_parent_has_ended_too() {
    let (tree, _) = with_boss(SupervisorStrategy::default()).await;
    let spawn = |name| tree.boss.ask(move |reply| Order::Spawn(name, reply));
    let (kid, free) = (spawn("kid").await.unwrap().unwrap(), spawn("free").await.unwrap().unwrap());
    unlink(&tree.boss, &free).await.unwrap();
    tree.shutdown().await;
    assert!(free.ended().is_none(), "the actor is a top-level actor by now");
    free.stop();
    soon(free.terminated()).await.unwrap();
    for child in [&kid, &free] {
        assert_eq!(child.start_again(), Err(CommandError::NotDeclared { path: child.path() }));
    }
}

/// S38: a child that its parent named with `cx.keep` and then released is not kept when it is linked again.
#[tokio::test(start_paused = true)]
async fn a_child_kept_by_another_parent_is_not_kept_here() {
    let (tree, journal) = with_boss(SupervisorStrategy::default()).await;
    let one = top("one", &journal).await;
    link(&tree.boss, &one).await.unwrap();
    tree.boss.tell(Order::Keep(one.clone())).await.unwrap();
    unlink(&tree.boss, &one).await.unwrap();
    link(&tree.boss, &one).await.unwrap();
    tree.boss.tell(Order::Fail).await.unwrap();
    settle().await;
    assert_eq!(tree.boss.incarnation(), 2);
    assert!(matches!(one.ended(), Some(Ended::Stopped)), "{:?}", one.ended());
}

/// The time until the actor is up again after this failure.
async fn delay(one: &ActorRef<Probe>) -> u64 {
    let before = Instant::now();
    one.tell(Do::Fail(Boom::Told)).await.unwrap();
    one.ask(Do::Incarnation).forever().await.unwrap();
    before.elapsed().as_secs()
}

/// S32, S38: `cx.reset_backoff()` reaches the backoff under each supervisor: after a link, and after an unlink of a linked
/// and of a spawned actor.
#[tokio::test(start_paused = true)]
async fn one_that_has_moved_resets_its_backoff() {
    let (tree, journal) = with_boss(SupervisorStrategy::default()).await;
    let linked = spawn(child! {
        #[backoff(1s..60s, random_factor = 0, reset = Manual)]
        "one": Probe = Probe::start("one", journal).await?
    });
    let linked = linked.await.unwrap();
    let kid = tree.boss.ask(Order::SpawnManual).await.unwrap();
    for (one, links) in [(linked, true), (kid, false)] {
        assert_eq!([delay(&one).await, delay(&one).await], [1, 2]);
        one.tell(Do::Reset).await.unwrap();
        assert_eq!([delay(&one).await, delay(&one).await], [1, 2], "{}", one.path());
        if links {
            link(&tree.boss, &one).await.unwrap();
            one.tell(Do::Reset).await.unwrap();
            assert_eq!([delay(&one).await, delay(&one).await], [1, 2], "{}: linked", one.path());
        }
        unlink(&tree.boss, &one).await.unwrap();
        one.tell(Do::Reset).await.unwrap();
        assert_eq!([delay(&one).await, delay(&one).await], [1, 2], "{}: released", one.path());
    }
}
