//! The methods that all handles have, with and without the type of the child: S1 to S3, S24 to S27, S37, S38, S42.

use std::collections::HashMap;
use std::fmt::Debug;

use supervise::error::{AskError, SendRejection, SpawnError, SpawnErrorKind, WaitError};
use supervise::inspect::{CauseKind, EndedKind, NodeStateKind};
use supervise::prelude::*;
use supervise::{AnyRef, ChildRef};
use tokio::time::Instant;

use crate::common::{Do, Fault, Journal, Probe, pass, secs, settle, soon};

supervisor! {
    struct Shop(journal: Journal) {
        #[lifecycle(Permanent, shutdown = Infinity)]
        actor: Probe = Probe::start("actor", journal).await?,
        #[lifecycle(Permanent, shutdown = Infinity)]
        task: task = |_cx| std::future::pending::<()>(),
        ticker: task = std::future::pending::<()>(),
        branch: struct Branch {
            #[lifecycle(Permanent, shutdown = Infinity)]
            leaf: Probe = Probe::start("leaf", journal).await?,
        },
        boss: Boss = Boss { journal },
        #[lifecycle(Temporary)]
        eye: Eye = Eye(journal),
        #[mailbox(Bounded(1))]
        narrow: Probe = Probe::start("narrow", journal).await?,
        numbered: [Probe] = |name: &'static str| Probe::start(name, journal).await?,
        branches: [Twig] = |name: &'static str| Twig::tree(name, journal),
        jobs: [task] = |_name: &'static str| std::future::pending::<()>(),
        #[initial(["first".to_owned()])]
        keyed: [String => Probe] = |key: String| Probe::start(key, journal).await?,
    }

    struct Twig(name: &'static str, journal: Journal) {
        leaf: Probe = Probe::start(name, journal).await?,
    }
}

struct Boss {
    journal: Journal,
}

enum Ask {
    Hire(&'static str, Reply<ActorRef<Probe>>),
    Children(Reply<Vec<AnyRef>>),
    /// Asks this handle to shut down, and awaits its end here.
    ShutDown(AnyRef, Reply<Result<Ended, WaitError>>),
}

#[actor]
impl Boss {
    async fn handle(&mut self, ask: Ask, cx: &mut Context<Self>) -> Result<(), supervise::BoxError> {
        match ask {
            Ask::Hire(name, reply) => {
                let journal = self.journal.clone();
                reply.send(cx.spawn(child! { name: Probe = Probe::start(name, journal).await? }).await?);
            }
            Ask::Children(reply) => reply.send(cx.children()),
            Ask::ShutDown(child, reply) => reply.send(child.shutdown().await),
        }
        Ok(())
    }
}

/// Writes down the ends of whatever it looks at.
struct Eye(Journal);

enum Look {
    At(AnyRef),
    Away(AnyRef),
    Depend(AnyRef),
}

#[actor]
impl Eye {
    fn handle(&mut self, look: Look, cx: &mut Context<Self>) {
        match look {
            Look::At(child) => cx.watch(&child),
            Look::Away(child) => cx.unwatch(&child),
            Look::Depend(child) => cx.depend_on(&child),
        }
    }

    #[terminated]
    fn sees(&mut self, who: &Watched, ended: &Ended) {
        self.0.write(format!("eye sees {} {ended}", who.path()));
    }
}

async fn shop() -> (Running<Shop>, Journal) {
    let journal = Journal::default();
    let shop = Shop::start(journal.clone()).await.unwrap();
    settle().await;
    journal.take();
    (shop, journal)
}

/// Lets a child of any type go through a restart, an end and another start, with the methods of the trait.
async fn goes_through_its_life<C: ChildRef>(child: &C, path: &str)
where
    C::Shutdown: Debug,
{
    assert_eq!((child.path().as_str(), child.any().path().as_str()), (path, path));
    assert_eq!(path.rsplit('/').next(), Some(child.name().as_str()));
    assert_eq!((child.incarnation(), child.is_alive()), (1, true));
    child.restart().unwrap();
    settle().await;
    assert_eq!((child.incarnation(), child.ended().is_none()), (2, true));

    child.stop();
    assert_eq!(soon(child.terminated()).await.unwrap().kind(), EndedKind::Stopped);
    assert_eq!((child.is_alive(), child.any().is_alive()), (false, false));
    child.start_again().unwrap();
    settle().await;
    assert_eq!((child.incarnation(), child.is_alive()), (3, true));
    child.kill();
    assert_eq!(soon(child.terminated()).await.unwrap().kind(), EndedKind::Killed);
}

/// S2, S26: one function does for an actor, a task, a tree, and for any of them without its type.
#[tokio::test(start_paused = true)]
async fn all_handles_have_the_same_methods() {
    let (shop, _) = shop().await;
    goes_through_its_life(&shop.actor, "actor").await;
    goes_through_its_life(&shop.ticker, "ticker").await;
    goes_through_its_life(&shop.branch, "branch").await;
    let (shop, _) = self::shop().await;
    goes_through_its_life(&TreeRef::clone(&shop.branch), "branch").await;
    goes_through_its_life(&shop.actor.any(), "actor").await;
    assert_eq!((shop.name(), shop.branch.leaf.name()), ("Shop".to_owned(), "leaf".to_owned()));
}

/// S1: a handle without the type is that of the same child, and gives the typed one back.
#[tokio::test(start_paused = true)]
#[allow(clippy::mutable_key_type)] // a handle is compared and hashed by its identity alone
async fn a_handle_without_the_type_is_of_the_same_child() {
    let (shop, _) = shop().await;
    let all = [shop.actor.any(), shop.task.any(), shop.branch.any()];
    let seen: HashMap<AnyRef, usize> = all.iter().cloned().zip(0..).collect();
    assert_eq!((seen.len(), seen[&shop.task.any()]), (3, 1));
    assert!(all[0] == shop.actor.any() && all[0] != all[1]);
    assert_eq!(all[0].actor::<Probe>(), Some(shop.actor.clone()));
    assert!(all[0].actor::<Boss>().is_none() && all[1].actor::<Probe>().is_none());
    assert_eq!(format!("{:?}", all[2]), "AnyRef(branch)");
    let by_end: HashMap<_, _> = all.iter().map(|child| (child.watched(), child.name())).collect();
    assert_eq!(by_end[&shop.branch.watched()], "branch");
}

/// S24: each handle can ask for the end and wait for it; after the given time the child is aborted.
#[tokio::test(start_paused = true)]
async fn a_shutdown_has_the_time_that_it_is_given() {
    let (shop, journal) = shop().await;
    shop.actor.tell(Do::Hang).await.unwrap();
    shop.branch.leaf.tell(Do::Hang).await.unwrap();
    settle().await;
    let began = Instant::now();
    assert_eq!(soon(shop.actor.shutdown().within(secs(1))).await.unwrap().kind(), EndedKind::Aborted);
    assert_eq!(began.elapsed(), secs(1));
    assert_eq!(soon(shop.task.shutdown().within(secs(2))).await.unwrap().kind(), EndedKind::Aborted);
    assert_eq!(began.elapsed(), secs(3));
    let report = soon(shop.branch.shutdown().within(secs(3))).await.unwrap();
    assert_eq!((report.children.len(), report.children[0].aborted), (1, true));
    assert_eq!(began.elapsed(), secs(6));
    assert_eq!(journal.take(), ["actor drop", "leaf drop"]);

    // A child that goes down within the time ends as by a stop; dropping the future of a shutdown cancels nothing.
    shop.actor.start_again().unwrap();
    settle().await;
    journal.take();
    assert_eq!(soon(shop.actor.shutdown().within(secs(1))).await.unwrap().kind(), EndedKind::Stopped);
    drop(shop.boss.shutdown());
    assert_eq!(soon(shop.boss.terminated()).await.unwrap().kind(), EndedKind::Stopped);
    assert_eq!(journal.take(), ["actor start", "actor pre_start", "actor post_stop", "actor drop"][2..]);
}

/// S24: a shutdown concerns the life that the child had when it was asked, however late it is awaited.
#[tokio::test(start_paused = true)]
async fn a_shutdown_does_not_affect_the_next_life() {
    let (shop, _) = shop().await;
    let (down, again) = (shop.actor.shutdown().within(secs(1)), shop.actor.shutdown());
    settle().await;
    let had_ended = shop.actor.shutdown().within(secs(1));
    shop.actor.start_again().unwrap();
    pass(secs(2)).await;
    for end in [down, again, had_ended] {
        assert_eq!(soon(end).await.unwrap().kind(), EndedKind::Stopped);
    }
    settle().await;
    assert_eq!((shop.actor.incarnation(), shop.actor.is_alive()), (2, true), "the next life is not aborted");
}

/// S25: a child that awaits its own end gets an error at once, and goes down all the same.
#[tokio::test(start_paused = true)]
async fn a_shutdown_of_oneself_is_an_error_and_a_shutdown() {
    let (shop, _) = shop().await;
    let answer = shop.boss.ask(|reply| Ask::ShutDown(shop.boss.any(), reply)).await.unwrap();
    assert!(answer.unwrap_err().to_string().starts_with("boss"));
    assert_eq!(soon(shop.boss.terminated()).await.unwrap().kind(), EndedKind::Stopped);
}

/// S38: an actor knows its children, in the order in which it spawned them, until they have ended.
#[tokio::test(start_paused = true)]
async fn an_actor_knows_its_children() {
    let (shop, _) = shop().await;
    assert!(shop.boss.ask(Ask::Children).await.unwrap().is_empty());
    for name in ["b", "a", "c"] {
        shop.boss.ask(|reply| Ask::Hire(name, reply)).await.unwrap();
    }
    let children = shop.boss.ask(Ask::Children).await.unwrap();
    assert_eq!(children.iter().map(ChildRef::path).collect::<Vec<_>>(), ["boss/b", "boss/a", "boss/c"]);
    let a: ActorRef<Probe> = children[1].actor().unwrap();
    a.stop();
    a.terminated().await.unwrap();
    let children = shop.boss.ask(Ask::Children).await.unwrap();
    assert_eq!(children.iter().map(ChildRef::name).collect::<Vec<_>>(), ["b", "c"]);
    shop.boss.ask(|reply| Ask::Hire("d", reply)).await.unwrap();
    let children = shop.boss.ask(Ask::Children).await.unwrap();
    assert_eq!(children.iter().map(ChildRef::name).collect::<Vec<_>>(), ["b", "c", "d"], "not by free places");
    shop.boss.restart().unwrap();
    settle().await;
    assert!(shop.boss.ask(Ask::Children).await.unwrap().is_empty(), "they ended with the previous instance");
}

/// S27: a set knows the handles of its instances, in the order of the spawns; a keyed set each with its key.
#[tokio::test(start_paused = true)]
async fn a_set_knows_its_handles() {
    let (shop, journal) = shop().await;
    assert!(shop.numbered.handles().is_empty() && shop.jobs.handles().is_empty());
    let one = shop.numbered.spawn("one").await.unwrap();
    let two = shop.numbered.spawn("two").await.unwrap();
    assert_eq!(shop.numbered.handles(), [one.clone(), two.clone()]);
    let job = shop.jobs.spawn("copy").await.unwrap();
    assert_eq!(shop.jobs.handles(), [job]);
    let twig = shop.branches.spawn("twig").await.unwrap();
    let twigs = shop.branches.handles();
    assert_eq!((twigs.len(), &twigs[0].leaf), (1, &twig.leaf));
    assert_eq!(shop.keyed.handles(), [("first".to_owned(), shop.keyed.get("first").unwrap())]);

    // The handles include an instance that is down for a restart, but none that has ended or starts for the first time.
    journal.plan("one start", 1, Fault::Slow(secs(1)));
    one.restart().unwrap();
    journal.plan("three start", 1, Fault::Slow(secs(1)));
    let three = tokio::spawn(shop.numbered.spawn("three"));
    two.stop();
    settle().await;
    assert_eq!((shop.numbered.handles(), shop.numbered.len()), (vec![one.clone()], 2));
    let three = three.await.unwrap().unwrap();
    let four = shop.numbered.spawn("four").await.unwrap();
    assert_eq!(shop.numbered.handles(), [one, three, four], "not by free places");
}

/// S27: all instances can be stopped without the set; a restart of the set starts its initial ones again.
#[tokio::test(start_paused = true)]
async fn a_set_stops_all_its_instances() {
    let (shop, journal) = shop().await;
    let one = shop.numbered.spawn("one").await.unwrap();
    journal.plan("two start", 1, Fault::Slow(secs(1)));
    let two = tokio::spawn(shop.numbered.spawn("two"));
    settle().await;
    shop.numbered.stop_all();
    assert_eq!(soon(one.terminated()).await.unwrap().kind(), EndedKind::Stopped);
    assert!(two.await.unwrap().is_err(), "its first start was cut short");
    assert!(shop.numbered.is_empty() && shop.numbered.tree().is_alive());
    let again = shop.numbered.spawn("again").await.unwrap();
    assert_eq!(again.path(), "numbered/#3");

    shop.keyed.stop_all();
    settle().await;
    assert!(shop.keyed.is_empty() && shop.keyed.get("first").is_none());
    assert!(shop.keyed.spawn("first".to_owned()).await.is_ok(), "the key is free");
    shop.keyed.stop_all();
    settle().await;
    shop.keyed.tree().restart().unwrap();
    settle().await;
    assert_eq!(shop.keyed.keys(), ["first"]);
}

/// S24, S42: the kinds of ends and states can be compared.
#[tokio::test(start_paused = true)]
async fn kinds_can_be_compared() {
    let (shop, journal) = shop().await;
    let state = |path: &str| shop.snapshot().find(path).unwrap().state.kind();
    assert_eq!(state("actor"), NodeStateKind::Running);
    drop(shop.actor.shutdown());
    settle().await;
    assert_eq!(state("actor"), NodeStateKind::Ended);
    shop.boss.kill();
    let ended = soon(shop.boss.terminated()).await.unwrap();
    assert_eq!((ended.kind(), ended.failure().map(|failure| failure.cause().kind())), (EndedKind::Killed, None));
    journal.plan("one start", 1, Fault::Error);
    let refused = shop.numbered.spawn("one").await.unwrap_err();
    assert_eq!(refused.kind(), SpawnErrorKind::Start);
    let SpawnError::Start(failure) = refused else { panic!("{refused}") };
    assert_eq!(failure.cause().kind(), CauseKind::Error);
}

/// S37: an actor watches a task, a tree or any handle as it watches an actor, and depends on it.
#[tokio::test(start_paused = true)]
async fn every_handle_can_be_watched() {
    let (shop, journal) = shop().await;
    for child in [shop.actor.any(), shop.task.any(), shop.branch.any()] {
        shop.eye.tell(Look::At(child.clone())).await.unwrap();
        shop.eye.tell(Look::At(child)).await.unwrap(); // counts once
    }
    settle().await;
    shop.task.kill();
    shop.branch.stop();
    shop.actor.stop();
    settle().await;
    let mut seen: Vec<_> = journal.take().into_iter().filter(|line| line.starts_with("eye")).collect();
    seen.sort();
    assert_eq!(seen, ["eye sees actor stopped", "eye sees branch stopped", "eye sees task killed"]);

    // Another life of the task: looked at, and then not.
    shop.task.start_again().unwrap();
    settle().await;
    shop.eye.tell(Look::At(shop.task.any())).await.unwrap();
    shop.eye.tell(Look::Depend(shop.task.any())).await.unwrap();
    shop.eye.tell(Look::Away(shop.task.any())).await.unwrap();
    settle().await;
    shop.task.kill();
    settle().await;
    assert!(!journal.take().iter().any(|line| line.starts_with("eye")));
    assert!(shop.eye.is_alive(), "the pact was taken back");

    // A pact with a tree that has ended falls due at once.
    shop.eye.tell(Look::Depend(shop.branch.any())).await.unwrap();
    let ended = soon(shop.eye.terminated()).await.unwrap();
    let cause = ended.failure().map(|failure| failure.cause().to_string());
    assert_eq!(cause.as_deref(), Some("ended with branch, which it depends on"));
}

/// S37: the identity that a watcher gets equals every handle of that child, and no other.
#[tokio::test(start_paused = true)]
async fn an_identity_equals_the_handles_of_its_child() {
    let (shop, _) = shop().await;
    let branch = shop.branch.watched();
    assert!(branch == shop.branch && branch == TreeRef::clone(&shop.branch) && branch == shop.branch.any());
    assert!(branch != shop.task && branch != shop.actor && branch != shop.branch.leaf);
    assert_eq!((branch.path(), shop.task.watched() == shop.task), ("branch", true));
}

/// S3: a question that must not wait for room is refused when the mailbox is full, and else is a question.
#[tokio::test(start_paused = true)]
async fn a_question_can_be_refused_at_once() {
    let (shop, _) = shop().await;
    assert_eq!(shop.narrow.ask(Do::Get).at_once().await, Ok(0));
    shop.narrow.tell(Do::Work(secs(1))).await.unwrap();
    settle().await;
    shop.narrow.tell(Do::Add(1)).await.unwrap();
    let began = Instant::now();
    let refused = shop.narrow.ask(Do::Get).at_once().await;
    assert!(matches!(refused, Err(AskError::Refused { reason: SendRejection::Full, .. })), "{refused:?}");
    assert_eq!(began.elapsed(), secs(0));
    assert_eq!(shop.narrow.ask(Do::Get).await, Ok(1), "which waits for room");
    shop.narrow.tell(Do::Work(secs(9))).await.unwrap();
    settle().await;
    let late = shop.narrow.ask(Do::Get).at_once().await;
    assert!(matches!(late, Err(AskError::TimedOut { .. })), "it waits for its reply as any: {late:?}");
}
