//! Every way in which children start and end, a thousand times and more: no memory is left.
//!
//! This test needs its own process, because its allocator counts for all threads, and is a single test, because tests
//! run concurrently.

#![allow(unreachable_pub)]

#[path = "../../common/alloc.rs"]
mod alloc;
#[path = "../../common/mod.rs"]
mod common;

mod every_kind;

use std::time::Duration;

use supervise::NewChild;
use supervise::prelude::*;
use supervise::testing::{Fault, Inject};

use alloc::live;
use common::{quiet_panics, soon};
use every_kind::{Branch, Broken, Do, EveryKind, Ill, KEPT, Node, at, first_poll};

/// The number of rounds after which collections that grow by doubling have reached their size.
const WARM: u32 = 7 * SWEEP;
/// The number of rounds: `ROUNDS` in the environment, rounded up to whole sweeps.
fn rounds() -> u32 {
    let asked = std::env::var("ROUNDS").ok().and_then(|text| text.parse::<u32>().ok()).unwrap_or(63 * SWEEP);
    asked.div_ceil(SWEEP) * SWEEP
}

/// The number of cancelled timers and expired death pacts at which an actor removes them. Until then they stay.
const SWEEP: u32 = 16;

/// Waits until nothing is left to do: the paused clock advances only then.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// The growth of the memory in use over all rounds.
async fn left_by<F: AsyncFnMut(u32)>(way: &mut F) -> i64 {
    for round in 0..WARM {
        soon(way(round)).await;
    }
    settle().await;
    let before = live();
    for round in 0..rounds() {
        way(WARM + round).await;
    }
    settle().await;
    live() - before
}

/// The bytes that each leaking way leaves.
#[derive(Default)]
struct Left(Vec<(&'static str, i64)>);

impl Left {
    async fn by<F: AsyncFnMut(u32)>(&mut self, name: &'static str, mut way: F) {
        // A leak grows with the rounds, by at least a byte in each, every time. A cache of a fixed size may be at
        // another point once, such as a hash table that has moved its entries.
        let grows = |left: i64| left.unsigned_abs() >= u64::from(rounds()) / 4;
        let left = left_by(&mut way).await;
        if grows(left) && grows(left_by(&mut way).await) {
            self.0.push((name, left));
        }
    }
}

#[test]
fn no_way_to_come_and_go_leaves_a_byte() {
    quiet_panics();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let left = runtime.block_on(async {
        let mut left = Left::default();
        let tree = EveryKind::start().await.unwrap();
        children(&tree, &mut left).await;
        spawned(&tree, &mut left).await;
        spawned_at_the_top(&mut left).await;
        friends(&tree, &mut left).await;
        limited(&tree, &mut left).await;
        keeps(&tree, &mut left).await;
        restarts(&tree, &mut left).await;
        messages(&tree, &mut left).await;
        watches(&tree, &mut left).await;
        asides(&tree, &mut left).await;
        given_up(&tree, &mut left).await;
        outside(&tree, &mut left).await;
        tree.shutdown().await;
        trees(&mut left).await;
        left.0
    });
    assert_eq!(left, [], "bytes after {} rounds of each", rounds());
}

async fn ended(node: &ActorRef<Node>) {
    node.terminated().await.unwrap();
}

async fn top() -> ActorRef<Node> {
    spawn(child! { "top": Node = Node }).await.unwrap()
}

async fn children(tree: &EveryKind, left: &mut Left) {
    left.by("top-level", async |_| {
        let top = top().await;
        top.stop();
        ended(&top).await;
    })
    .await;
    left.by("child of an actor", async |_| {
        let child =
            at(&tree.host, |cx| Box::pin(async { cx.spawn(child! { "child": Node = Node }).await.unwrap() })).await;
        child.stop();
        ended(&child).await;
    })
    .await;
    left.by("child that ends by itself", async |_| {
        let child =
            at(&tree.host, |cx| Box::pin(async { cx.spawn(child! { "child": Node = Node }).await.unwrap() })).await;
        child.tell(Do::Stop).await.unwrap();
        ended(&child).await;
    })
    .await;
    left.by("children that are stopped with a restart", async |_| {
        at(&tree.host, |cx| {
            Box::pin(async {
                cx.spawn(child! { "a": Node = Node }).await.unwrap();
                cx.spawn(child! { "b": Node = Node }).await.unwrap();
            })
        })
        .await;
        tree.host.restart().unwrap();
        at(&tree.host, |_| Box::pin(async {})).await;
    })
    .await;
    left.by("instance of a set", async |_| {
        let one = tree.set.spawn().await.unwrap();
        one.stop();
        ended(&one).await;
    })
    .await;
    left.by("instance that is killed", async |_| {
        let one = tree.set.spawn().await.unwrap();
        one.tell(Do::Hang).await.unwrap();
        settle().await;
        one.kill();
        ended(&one).await;
    })
    .await;
    left.by("instance that is drained", async |_| {
        let one = tree.set.spawn().await.unwrap();
        one.tell(Do::Nothing).await.unwrap();
        one.drain();
        ended(&one).await;
    })
    .await;
    left.by("instance of a keyed set", async |round| {
        let one = tree.keyed.spawn(round).await.unwrap();
        one.stop();
        ended(&one).await;
    })
    .await;
    left.by("get_or_spawn", async |round| {
        let one = tree.keyed.get_or_spawn(round).await.unwrap();
        assert_eq!(tree.keyed.get_or_spawn(round).await.unwrap(), one);
        one.stop();
        ended(&one).await;
    })
    .await;
    left.by("instance of a temporary set", async |_| {
        let one = tree.once.spawn(vec![0; 64]).await.unwrap();
        one.stop();
        ended(&one).await;
    })
    .await;
    left.by("instance of a temporary set that fails", async |round| {
        let one = tree.once.spawn(vec![0; 64]).await.unwrap();
        one.tell(if round % 2 == 0 { Do::Fail } else { Do::Panic }).await.unwrap();
        ended(&one).await;
    })
    .await;
    left.by("instance of a temporary set that ends by itself", async |_| {
        let one = tree.once.spawn(vec![0; 64]).await.unwrap();
        one.tell(Do::Stop).await.unwrap();
        ended(&one).await;
    })
    .await;
    left.by("instance of a temporary keyed set", async |round| {
        let one = tree.once_keyed.get_or_spawn(round, vec![0; 64]).await.unwrap();
        one.tell(Do::Fail).await.unwrap();
        ended(&one).await;
    })
    .await;
    left.by("task of a temporary set", async |round| {
        let job = tree.once_jobs.spawn(vec![0; round as usize % 2]).await.unwrap();
        job.terminated().await.unwrap();
    })
    .await;
    left.by("temporary set that is restarted", async |_| {
        let one = tree.once.spawn(vec![0; 64]).await.unwrap();
        tree.once.tree().restart().unwrap();
        ended(&one).await;
        assert!(tree.ready().await);
    })
    .await;
    left.by("task of a set", async |_| {
        let job = tree.jobs.spawn().await.unwrap();
        job.stop();
        job.terminated().await.unwrap();
    })
    .await;
    left.by("task with subtasks", async |_| {
        let job = tree.busy.spawn().await.unwrap();
        job.stop();
        job.terminated().await.unwrap();
    })
    .await;
    left.by("subtree of a set", async |_| {
        let branch = tree.branches.spawn().await.unwrap();
        branch.stop();
        branch.join().await.unwrap();
    })
    .await;
    left.by("link and unlink", async |_| {
        let top = top().await;
        let other = top.clone();
        at(&tree.host, move |cx| {
            Box::pin(async move {
                cx.link(&other).await.unwrap();
                cx.unlink(&other).await.unwrap();
                cx.link(&other).await.unwrap();
            })
        })
        .await;
        top.stop();
        ended(&top).await;
    })
    .await;
    left.by("link, and an end above", async |_| {
        let top = top().await;
        let other = top.clone();
        at(&tree.host, move |cx| Box::pin(async move { cx.link(&other).await.unwrap() })).await;
        tree.host.restart().unwrap();
        ended(&top).await;
    })
    .await;
    left.by("declared child that is started again", async |_| {
        tree.db.stop();
        ended(&tree.db).await;
        tree.db.start_again().unwrap();
        assert!(tree.ready().await);
    })
    .await;
    left.by("subtree that is started again", async |_| {
        tree.trio.stop();
        tree.trio.join().await.unwrap();
        tree.trio.start_again().unwrap();
        assert!(tree.ready().await);
    })
    .await;
}

/// A child with settings of its own, which keeps these bytes for its restarts.
fn declared(name: &'static str) -> NewChild<Node> {
    let held = vec![0; 64];
    child! {
        #[lifecycle(Transient, handler = 1s)]
        #[backoff([1ms, 2ms], random_factor = 0)]
        #[limit(max_restarts = Unlimited)]
        #[mailbox(Bounded(4), fresh)]
        name: Node = if held.is_empty() { Err(Ill)? } else { Node }
    }
}

/// A child that is started once, with these bytes.
fn once(name: &'static str) -> NewChild<Node> {
    let held = vec![0; 64];
    child! {
        #[lifecycle(Temporary)]
        name: Node = if held.is_empty() { Err(Ill)? } else { drop(held); Node }
    }
}

/// Children that an actor spawns by `child!`.
async fn spawned(tree: &EveryKind, left: &mut Left) {
    let host = &tree.host;
    left.by("child!", async |_| {
        let child = at(host, |cx| Box::pin(async { cx.spawn(declared("child")).await.unwrap() })).await;
        child.stop();
        ended(&child).await;
    })
    .await;
    left.by("child! that fails, and ends by itself", async |_| {
        let child = at(host, |cx| Box::pin(async { cx.spawn(declared("child")).await.unwrap() })).await;
        child.tell(Do::Fail).await.unwrap();
        tokio::time::sleep(Duration::from_millis(9)).await; // a restart would forget the next message
        child.tell(Do::Stop).await.unwrap();
        ended(&child).await;
    })
    .await;
    left.by("child! of an actor that restarts", async |_| {
        at(host, |cx| {
            Box::pin(async {
                cx.spawn(declared("a")).await.unwrap();
                cx.spawn(once("b")).await.unwrap();
                cx.spawn(child! { "c": task = std::future::pending::<()>() }).await.unwrap();
                cx.spawn(child! { "d": Branch = Branch::tree() }).await.unwrap();
            })
        })
        .await;
        host.restart().unwrap();
        at(host, |_| Box::pin(async {})).await;
    })
    .await;
    left.by("temporary child!", async |round| {
        let child = at(host, |cx| Box::pin(async { cx.spawn(once("once")).await.unwrap() })).await;
        match round % 3 {
            0 => child.stop(),
            1 => child.tell(Do::Fail).await.unwrap(),
            _ => child.tell(Do::Stop).await.unwrap(),
        }
        ended(&child).await;
    })
    .await;
    left.by("task by child!", async |round| {
        let task = at(host, move |cx| {
            Box::pin(async move {
                let held = vec![0; round as usize % 2];
                let task = child! {
                    #[lifecycle(Temporary)]
                    "task": task = async move { if held.is_empty() { Err(Ill) } else { Ok(()) } }
                };
                cx.spawn(task).await.unwrap()
            })
        })
        .await;
        task.terminated().await.unwrap();
    })
    .await;
    left.by("task with subtasks by child!", async |_| {
        let task = at(host, |cx| {
            Box::pin(async {
                let task = child! {
                    "task": task = |cx| async move {
                        cx.spawn(std::future::pending::<()>());
                        cx.stopped().await
                    }
                };
                cx.spawn(task).await.unwrap()
            })
        })
        .await;
        task.restart().unwrap().await.unwrap();
        task.stop();
        task.terminated().await.unwrap();
    })
    .await;
    left.by("tree by child!", async |_| {
        let branch =
            at(host, |cx| Box::pin(async { cx.spawn(child! { "branch": Branch = Branch::tree() }).await.unwrap() }))
                .await;
        branch.restart().unwrap().await.unwrap();
        branch.stop();
        branch.join().await.unwrap();
    })
    .await;
    left.by("child! that is refused, given up, or not spawned", async |_| {
        at(host, |cx| {
            Box::pin(async {
                let child = cx.spawn(declared("child")).await.unwrap();
                assert!(cx.spawn(declared("child")).await.is_err());
                assert!(cx.spawn(once("child")).await.is_err());
                drop(first_poll(cx.spawn(once("given up")).into_future()).await);
                drop(first_poll(cx.spawn(child! { "also": Branch = Branch::tree() }).into_future()).await);
                drop((declared("never"), once("never")));
                assert!(cx.spawn(child! { "ill": Broken = Broken::tree() }).await.is_err());
                child.stop();
            })
        })
        .await;
        settle().await;
    })
    .await;
}

/// Top-level children by `child!`.
async fn spawned_at_the_top(left: &mut Left) {
    left.by("top-level child!", async |_| {
        let child = spawn(declared("child")).await.unwrap();
        child.tell(Do::Fail).await.unwrap();
        settle().await;
        child.stop();
        ended(&child).await;
    })
    .await;
    left.by("top-level temporary child!", async |round| {
        let child = spawn(once("once")).await.unwrap();
        child.tell(if round % 2 == 0 { Do::Fail } else { Do::Stop }).await.unwrap();
        ended(&child).await;
    })
    .await;
    left.by("top-level task and tree", async |_| {
        let task = spawn(child! { "task": task = |cx| async move { cx.stopped().await } }).await.unwrap();
        let branch = spawn(child! { "branch": Branch = Branch::tree() }).await.unwrap();
        task.stop();
        branch.stop();
        task.terminated().await.unwrap();
        branch.join().await.unwrap();
    })
    .await;
    left.by("top-level child! that is given up, or does not start", async |_| {
        first_poll(spawn(declared("given up")).into_future()).await;
        first_poll(spawn(once("given up")).into_future()).await;
        drop(spawn(once("not polled")));
        assert!(spawn(child! { "ill": Broken = Broken::tree() }).await.is_err());
        settle().await;
    })
    .await;
}

/// Actors that name each other by `later`: they hold each other's handles.
async fn friends(tree: &EveryKind, left: &mut Left) {
    left.by("later", async |_| {
        let friends = tree.friends.spawn().await.unwrap();
        friends.first.ask(Do::Sync).await.unwrap();
        friends.stop();
        friends.join().await.unwrap();
    })
    .await;
    left.by("later, and restarts", async |_| {
        let friends = tree.friends.spawn().await.unwrap();
        friends.second.tell(Do::Fail).await.unwrap();
        friends.first.ask(Do::Sync).await.unwrap();
        friends.restart().unwrap().await.unwrap();
        friends.second.ask(Do::Sync).await.unwrap();
        friends.stop();
        friends.join().await.unwrap();
    })
    .await;
    left.by("later, and a start that fails", async |_| {
        assert!(tree.lonely.spawn().await.is_err());
        first_poll(tree.lonely.spawn()).await;
        first_poll(tree.friends.spawn()).await;
        settle().await;
    })
    .await;
}

/// Times, places and ends that settings declare.
async fn limited(tree: &EveryKind, left: &mut Left) {
    left.by("message that takes too long", async |_| {
        tree.timed.tell(Do::Hang).await.unwrap();
        tree.timed.ask(Do::Sync).await.unwrap();
    })
    .await;
    left.by("instance whose message takes too long", async |_| {
        let one = tree.all_timed.spawn().await.unwrap();
        one.tell(Do::Hang).await.unwrap();
        one.ask(Do::Sync).await.unwrap();
        one.tell(Do::Hang).await.unwrap();
        settle().await;
        one.stop();
        ended(&one).await;
    })
    .await;
    left.by("messages that a restart forgets", async |_| {
        (0..5).for_each(|_| tree.forgetful.try_tell(Do::Nothing).unwrap());
        let forgotten = tree.forgetful.ask(Do::Sync);
        tree.forgetful.restart().unwrap();
        drop(forgotten.await);
        tree.forgetful.ask(Do::Sync).await.unwrap();
    })
    .await;
    left.by("spawn that waits for its turn to start", async |_| {
        let (mut first, mut second) = (Box::pin(tree.few.spawn()), Box::pin(tree.few.spawn()));
        assert!(first_poll(first.as_mut()).await.is_none() && first_poll(second.as_mut()).await.is_none());
        first_poll(tree.few.spawn()).await;
        let (first, second) = (first.await.unwrap(), second.await.unwrap());
        tree.few.stop_all();
        ended(&first).await;
        ended(&second).await;
        settle().await;
        assert!(tree.few.is_empty());
    })
    .await;
    left.by("replace", async |round| {
        let old = tree.keyed.replace(round).await.unwrap();
        let new = tree.keyed.replace(round).await.unwrap();
        assert!(old.ended().is_some());
        assert!(tree.ill_keyed.replace(round).await.is_err());
        first_poll(tree.keyed.replace(round)).await;
        settle().await;
        tree.keyed.stop_all();
        ended(&new).await;
        settle().await;
        assert!(tree.keyed.is_empty());
    })
    .await;
    left.by("tree that ends with the last of a set", async |_| {
        let jobs = tree.ending.spawn().await.unwrap();
        jobs.jobs.spawn().await.unwrap();
        jobs.join().await.unwrap();
    })
    .await;
}

/// Spawns a child below `node` that is kept over its restarts.
async fn kept(node: &ActorRef<Node>) -> ActorRef<Node> {
    at(node, |cx| Box::pin(async { cx.spawn(child! { KEPT: Node = Node }).await.unwrap() })).await
}

async fn keeps(tree: &EveryKind, left: &mut Left) {
    left.by("child that is kept, and ends", async |_| {
        let child = kept(&tree.host).await;
        tree.host.restart().unwrap();
        let found = at(&tree.host, |cx| Box::pin(async { cx.child::<Node>(KEPT) })).await;
        assert_eq!(found.as_ref(), Some(&child));
        child.stop();
        ended(&child).await;
    })
    .await;
    left.by("child that is kept, and ends with its actor", async |_| {
        let one = tree.set.spawn().await.unwrap();
        let child = kept(&one).await;
        one.tell(Do::Fail).await.unwrap();
        one.ask(Do::Sync).await.unwrap();
        assert!(child.ended().is_none());
        one.stop();
        ended(&one).await;
        assert!(child.ended().is_some());
    })
    .await;
    let child = kept(&tree.host).await;
    left.by("child that is kept again and again", async |_| {
        tree.host.restart().unwrap();
        tree.host.ask(Do::Sync).await.unwrap();
        child.ask(Do::Sync).await.unwrap();
    })
    .await;
    child.stop();
    ended(&child).await;
}

async fn restarts(tree: &EveryKind, left: &mut Left) {
    left.by("restart by failure", async |_| {
        tree.db.tell(Do::Fail).await.unwrap();
        tree.db.ask(Do::Sync).await.unwrap();
    })
    .await;
    left.by("restart by panic", async |_| {
        tree.db.tell(Do::Panic).await.unwrap();
        tree.db.ask(Do::Sync).await.unwrap();
    })
    .await;
    left.by("requested restart", async |_| {
        tree.db.restart().unwrap();
        tree.db.ask(Do::Sync).await.unwrap();
    })
    .await;
    left.by("restart of a group", async |_| {
        tree.trio.a.tell(Do::Fail).await.unwrap();
        tree.trio.b.ask(Do::Sync).await.unwrap();
        tree.trio.a.ask(Do::Sync).await.unwrap();
    })
    .await;
    left.by("resume", async |_| {
        tree.meek.tell(Do::Fail).await.unwrap();
        tree.meek.ask(Do::Sync).await.unwrap();
    })
    .await;
    left.by("escalation", async |_| {
        tree.trio.a.tell(Do::Escalate).await.unwrap();
        settle().await;
        assert!(tree.ready().await);
    })
    .await;
    left.by("requested restart of a tree", async |_| {
        tree.trio.restart().unwrap();
        settle().await;
        assert!(tree.ready().await);
    })
    .await;
    left.by("restart of a task", async |_| {
        tree.worker.restart().unwrap();
        assert!(tree.ready().await);
    })
    .await;
    left.by("redelivery", async |_| {
        tree.zealous.tell(Do::Fail).await.unwrap();
        tree.zealous.ask(Do::Sync).await.unwrap();
    })
    .await;
    left.by("bug", async |_| {
        tree.trio.b.inject(Fault::bug("planned panic of the library"));
        settle().await;
        assert!(tree.ready().await);
    })
    .await;
}

async fn messages(tree: &EveryKind, left: &mut Left) {
    left.by("tell and ask", async |_| {
        tree.db.tell(Do::Nothing).await.unwrap();
        tree.db.ask(Do::Sync).await.unwrap();
    })
    .await;
    left.by("ask that takes too long", async |_| {
        assert!(tree.silent.ask(Do::Sync).within(Duration::from_millis(1)).await.is_err());
        tree.silent.restart().unwrap();
        tokio::time::sleep(Duration::from_millis(9)).await;
    })
    .await;
    left.by("ask that is given up", async |_| {
        first_poll(tree.db.ask(Do::Sync)).await;
        settle().await;
    })
    .await;
    left.by("ask that is not answered", async |_| assert!(tree.db.ask(Do::Drop).await.is_err())).await;
    left.by("tell that waits, and is given up", async |_| {
        fill(&tree.narrow).await;
        first_poll(tree.narrow.tell(Do::Nothing)).await;
        tree.narrow.restart().unwrap();
        tree.narrow.ask(Do::Sync).await.unwrap();
    })
    .await;
    left.by("tell that waits, and gets in", async |_| {
        fill(&tree.narrow).await;
        let mut waits = Box::pin(tree.narrow.tell(Do::Nothing));
        assert!(first_poll(waits.as_mut()).await.is_none());
        tree.narrow.restart().unwrap();
        waits.await.unwrap();
        tree.narrow.ask(Do::Sync).await.unwrap();
    })
    .await;
    left.by("dead letters", async |_| {
        let one = tree.set.spawn().await.unwrap();
        one.tell(Do::Hang).await.unwrap();
        (0..5).for_each(|_| one.try_tell(Do::Nothing).unwrap());
        one.stop();
        settle().await;
        one.kill();
        ended(&one).await;
        assert!(one.try_tell(Do::Nothing).is_err());
    })
    .await;
}

/// Makes the actor hang in a handler, and fills its mailbox.
async fn fill(narrow: &ActorRef<Node>) {
    narrow.tell(Do::Hang).await.unwrap();
    settle().await;
    while narrow.try_tell(Do::Nothing).is_ok() {}
}

async fn watches(tree: &EveryKind, left: &mut Left) {
    left.by("watcher that ends first", async |_| {
        let one = tree.set.spawn().await.unwrap();
        let (db, top) = (tree.db.clone(), tree.meek.clone());
        at(&one, move |cx| {
            Box::pin(async move {
                cx.watch(&db);
                cx.watch(&top);
            })
        })
        .await;
        one.stop();
        ended(&one).await;
    })
    .await;
    left.by("an actor that depends on another and ends first", async |_| {
        let one = tree.set.spawn().await.unwrap();
        let db = tree.db.clone();
        at(&one, move |cx| Box::pin(async move { cx.depend_on(&db) })).await;
        one.stop();
        ended(&one).await;
    })
    .await;
    left.by("a watched actor that ends", async |_| {
        let one = tree.set.spawn().await.unwrap();
        let other = one.clone();
        at(&tree.host, move |cx| Box::pin(async move { cx.watch(&other) })).await;
        one.stop();
        ended(&one).await;
        settle().await;
    })
    .await;
    left.by("an actor with a dependent actor ends", async |_| {
        let one = tree.set.spawn().await.unwrap();
        let other = one.clone();
        at(&tree.meek, move |cx| Box::pin(async move { cx.depend_on(&other) })).await;
        one.stop();
        ended(&one).await;
        settle().await;
    })
    .await;
    left.by("watch and unwatch", async |_| {
        let (db, meek) = (tree.db.clone(), tree.meek.clone());
        at(&tree.host, move |cx| {
            Box::pin(async move {
                cx.watch(&db);
                cx.depend_on(&db);
                cx.watch(&meek);
                cx.unwatch(&db);
                cx.unwatch(&meek);
            })
        })
        .await;
    })
    .await;
    left.by("the same pact again and again", async |_| {
        let db = tree.db.clone();
        at(&tree.host, move |cx| {
            Box::pin(async move {
                cx.depend_on(&db);
                cx.watch(&db);
            })
        })
        .await;
    })
    .await;
    left.by("watch of one that has ended", async |_| {
        let one = tree.set.spawn().await.unwrap();
        one.stop();
        ended(&one).await;
        at(&tree.host, move |cx| Box::pin(async move { cx.watch(&one) })).await;
        settle().await;
    })
    .await;
}

async fn asides(tree: &EveryKind, left: &mut Left) {
    left.by("run", async |_| {
        at(&tree.db, |cx| Box::pin(async { cx.run(async {}, |()| Do::Nothing) })).await;
        settle().await;
    })
    .await;
    left.by("run that a restart drops", async |_| {
        at(&tree.db, |cx| Box::pin(async { cx.run(std::future::pending(), |()| Do::Nothing) })).await;
        tree.db.restart().unwrap();
        tree.db.ask(Do::Sync).await.unwrap();
    })
    .await;
    left.by("timer", async |_| {
        at(&tree.db, |cx| Box::pin(async { drop(cx.send_after(Duration::from_millis(1), Do::Nothing)) })).await;
        tokio::time::sleep(Duration::from_millis(3)).await;
    })
    .await;
    left.by("timer that is cancelled", async |_| {
        at(&tree.db, |cx| Box::pin(async { cx.send_after(Duration::from_secs(9), Do::Nothing).cancel() })).await;
    })
    .await;
    left.by("timer that a restart drops", async |_| {
        at(&tree.db, |cx| Box::pin(async { drop(cx.send_every(Duration::from_secs(9), || Do::Nothing)) })).await;
        tree.db.restart().unwrap();
        tree.db.ask(Do::Sync).await.unwrap();
    })
    .await;
    left.by("token", async |_| {
        at(&tree.db, |cx| Box::pin(async { drop(cx.token()) })).await;
    })
    .await;
}

async fn given_up(tree: &EveryKind, left: &mut Left) {
    left.by("spawn that is given up", async |_| {
        first_poll(spawn(child! { "top": Node = Node }).into_future()).await;
        first_poll(tree.set.spawn()).await;
        first_poll(tree.once.spawn(vec![0; 64])).await;
        first_poll(tree.keyed.spawn(1)).await;
        first_poll(tree.once_keyed.get_or_spawn(1, vec![0; 64])).await;
        first_poll(tree.keyed.get_or_spawn(2)).await;
        at(&tree.host, |cx| {
            Box::pin(async { drop(first_poll(cx.spawn(child! { "child": Node = Node }).into_future()).await) })
        })
        .await;
        settle().await;
        assert_eq!((tree.set.len(), tree.keyed.len()), (0, 0));
        assert_eq!((tree.once.len(), tree.once_keyed.len()), (0, 0));
    })
    .await;
    left.by("start that never comes, given up", async |_| {
        let never = spawn(child! { "never": Node = std::future::pending().await });
        first_poll(never.into_future()).await;
        settle().await;
    })
    .await;
    left.by("spawn that is refused", async |_| {
        let one = tree.single.spawn().await.unwrap();
        assert!(tree.single.spawn().await.is_err());
        one.stop();
        ended(&one).await;
    })
    .await;
    left.by("key that is taken", async |_| {
        let one = tree.keyed.spawn(1).await.unwrap();
        assert!(tree.keyed.spawn(1).await.is_err());
        one.stop();
        ended(&one).await;
    })
    .await;
    left.by("start that fails", async |_| {
        assert!(spawn(child! { "ill": Node = Err(Ill)? }).await.is_err());
        assert!(tree.ill.spawn().await.is_err());
        assert!(tree.ill_keyed.spawn(1).await.is_err());
        assert!(tree.ill_keyed.get_or_spawn(1).await.is_err());
    })
    .await;
}

async fn outside(tree: &Running<EveryKind>, left: &mut Left) {
    left.by("events", async |_| {
        let mut events = tree.events();
        tree.db.restart().unwrap();
        tree.db.ask(Do::Sync).await.unwrap();
        assert!(events.try_next().is_some());
        drop(tree.events());
    })
    .await;
    left.by("waits that are given up", async |_| {
        first_poll(tree.db.terminated()).await;
        first_poll(tree.worker.terminated()).await;
        first_poll(tree.trio.join()).await;
        first_poll(tree.ready()).await;
    })
    .await;
    left.by("snapshot and health", async |_| {
        drop((tree.snapshot(), tree.health()));
    })
    .await;
    left.by("clones of handles", async |_| {
        drop((tree.handle(), tree.db.clone(), tree.set.clone(), tree.keyed.clone()));
    })
    .await;
}

async fn trees(left: &mut Left) {
    left.by("tree", async |_| {
        let tree = EveryKind::start().await.unwrap();
        tree.set.spawn().await.unwrap();
        tree.keyed.spawn(1).await.unwrap();
        tree.shutdown().await;
    })
    .await;
    left.by("tree whose guard is dropped", async |_| {
        let tree = EveryKind::start().await.unwrap();
        let handle = tree.handle();
        drop(tree);
        handle.join().await.unwrap();
    })
    .await;
    left.by("tree that is killed", async |_| {
        let tree = EveryKind::start().await.unwrap();
        tree.kill();
        tree.join().await;
    })
    .await;
    left.by("tree that does not start", async |_| {
        Broken::start().await.unwrap_err();
    })
    .await;
    left.by("tree whose start is given up", async |_| {
        first_poll(EveryKind::start()).await;
        settle().await;
    })
    .await;
    left.by("tree that is run", async |_| {
        EveryKind::run(async {}).await.unwrap();
    })
    .await;
    left.by("runtime that is dropped", async |_| {
        let inner = std::thread::spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let tree = runtime.block_on(EveryKind::start()).unwrap().detach();
            drop(runtime);
            assert!(tree.ended().is_some());
        });
        inner.join().unwrap();
    })
    .await;
}
