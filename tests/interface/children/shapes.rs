//! `Option<T>`, `[T; N]`, tasks in every shape, a tree inside itself: S27 to S29.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};

use supervise::Ended;
use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, pass, secs, settle, soon};

#[derive(Clone, Default)]
struct Switch(Arc<AtomicBool>);

supervisor! {
    struct Maybe(journal: Journal, on: Switch) {
        first: Probe = Probe::start("first", journal.clone()).await?,
        #[lifecycle(Permanent)]
        audit: Option<Probe> =
            if on.0.load(SeqCst) { Some(Probe::start("audit", journal.clone()).await?) } else { None },
        last: Probe = Probe::start("last", journal).await?,
    }

    struct Outer(journal: Journal, on: Switch) {
        #![strategy(OneForOne, max_restarts = 5, within = 1h)]
        inner: Maybe = Maybe::tree(journal, on),
    }
}

/// S28: whether an optional child exists is decided at its first start. Where it does not exist, there is no handle,
/// and that is not a failure.
#[tokio::test(start_paused = true)]
async fn an_optional_child_is_there_or_not() {
    for on in [false, true] {
        let journal = Journal::default();
        let switch = Switch::default();
        switch.0.store(on, SeqCst);
        let tree = Maybe::start(journal.clone(), switch).await.unwrap();
        assert_eq!(tree.audit.is_some(), on);
        if let Some(audit) = &tree.audit {
            assert_eq!(audit.path(), "audit");
            audit.tell(Do::Fail(Boom::Told)).await.unwrap();
            pass(secs(1)).await;
            assert_eq!(audit.incarnation(), 2, "the optional child restarts like any other");
        }
        assert!(soon(tree.ready()).await);
        let health = tree.health();
        assert!(on || health.is_healthy(), "an absent child is not a symptom: {health}");
        let report = tree.shutdown().await;
        assert!(report.is_orderly(), "{report:?}");
    }
}

/// S28: `None` at a later start ends the child; it stays ended, whatever its lifecycle.
#[tokio::test(start_paused = true)]
async fn none_at_a_later_start_ends_the_child() {
    let switch = Switch::default();
    switch.0.store(true, SeqCst);
    let tree = Maybe::start(Journal::default(), switch.clone()).await.unwrap();
    let audit = tree.audit.clone().unwrap();
    switch.0.store(false, SeqCst);
    audit.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(soon(audit.terminated()).await.unwrap(), Ended::Done));
    switch.0.store(true, SeqCst);
    pass(secs(60)).await;
    assert!(audit.ended().is_some(), "the child stays ended");
    assert!(tree.first.ended().is_none() && tree.last.ended().is_none());
}

supervisor! {
    struct Held(value: Arc<u8>) {
        first: task = std::future::pending::<()>(),
        maybe: Option<Slow> = Some(Slow::start(value).await),
    }

    struct AboveHeld(value: Arc<u8>) {
        held: Held = Held::tree(value),
    }
}

/// An actor whose start takes a second.
struct Slow(Arc<u8>);

impl Slow {
    async fn start(value: Arc<u8>) -> Self {
        tokio::time::sleep(secs(1)).await;
        Slow(value)
    }
}

#[actor]
impl Slow {
    fn handle(&mut self, reply: Reply<u8>) {
        reply.send(*self.0);
    }
}

/// S28, S30: an optional child that existed once exists in every new incarnation of its tree, even if it was stopped
/// during a start in between. When it is started again on request, it gets the values of the current incarnation.
#[tokio::test(start_paused = true)]
async fn an_optional_child_that_was_there_is_there_whatever_stopped_it() {
    let tree = AboveHeld::start(Arc::new(7)).await.unwrap();
    let maybe = tree.held.maybe.clone().unwrap();
    maybe.stop();
    soon(maybe.terminated()).await.unwrap();
    maybe.start_again().unwrap();
    settle().await;
    maybe.stop(); // stops the child before it is up
    soon(maybe.terminated()).await.unwrap();
    for _ in 0..2 {
        tree.held.restart().unwrap();
        pass(secs(2)).await;
    }
    maybe.start_again().unwrap();
    assert_eq!(soon(maybe.ask(|reply| reply)).await.unwrap(), 7);
    tree.held.restart().unwrap();
    pass(secs(2)).await;
    assert_eq!(soon(maybe.ask(|reply| reply)).await.unwrap(), 7, "it starts with its tree");
}

/// S20, S28: when its supervisor restarts, the start of an optional child is evaluated again, unless the child never
/// existed.
#[tokio::test(start_paused = true)]
async fn with_its_supervisor_it_is_asked_again_unless_it_never_was() {
    for on in [false, true] {
        let journal = Journal::default();
        let switch = Switch::default();
        switch.0.store(on, SeqCst);
        let tree = Outer::start(journal.clone(), switch.clone()).await.unwrap();
        journal.take();
        tree.inner.restart().unwrap();
        pass(secs(1)).await;
        let starts: Vec<_> = journal.take().into_iter().filter(|line| line.ends_with(" start")).collect();
        let expected: &[_] =
            if on { &["first start", "audit start", "last start"] } else { &["first start", "last start"] };
        assert_eq!(starts, expected);
        switch.0.store(!on, SeqCst);
        tree.inner.restart().unwrap();
        pass(secs(1)).await;
        let starts: Vec<_> = journal.take().into_iter().filter(|line| line.ends_with(" start")).collect();
        assert_eq!(starts, ["first start", "last start"], "{on}");
        assert!(soon(tree.ready()).await);
    }
}

/// S21, S28: a failed start of an optional child is a failed start.
#[tokio::test(start_paused = true)]
async fn an_optional_child_that_fails_to_start_fails_the_first_start() {
    let (journal, switch) = (Journal::default(), Switch::default());
    switch.0.store(true, SeqCst);
    journal.plan("audit start", 1, Fault::Error);
    let failure = Maybe::start(journal.clone(), switch).await.unwrap_err();
    assert_eq!(failure.path(), "audit");
    assert!(!journal.take().contains(&"last start".to_owned()));
}

supervisor! {
    struct Row(journal: Journal) {
        #![strategy(RestForOne)]
        shards: [Probe; 3] = |i: usize| Probe::start(format!("shard {i}"), journal.clone()).await?,
        last: Probe = {
            let _ = &shards[2];
            Probe::start("last", journal).await?
        },
    }
}

/// S21, S28: an optional child holds up the others until it has been up once; after that, they do not wait for its
/// backoff.
#[tokio::test(start_paused = true)]
async fn an_optional_child_that_fails_at_once_does_not_block_the_first_start() {
    supervisor! {
        struct Hasty(journal: Journal) {
            #[lifecycle(Permanent)]
            #[backoff(1s..2s, random_factor = 0)]
            hasty: Option<task> = Some(async { Err::<(), _>(Boom::Told) }),
            last: Probe = Probe::start("last", journal).await?,
        }
    }
    let tree = soon(Hasty::start(Journal::default())).await.unwrap();
    assert!(tree.hasty.is_some());
    assert_eq!(tree.last.ask(Do::Get).await.unwrap(), 0);
}

/// S28, S21: an optional child that was up once has a handle: at a later start of its tree, it does not hold up the
/// others while it backs off.
#[tokio::test(start_paused = true)]
async fn an_optional_child_that_was_there_does_not_block_a_later_first_start() {
    supervisor! {
        struct Outer(journal: Journal) {
            inner: struct Inner {
                #[backoff(10s..20s, random_factor = 0)]
                hasty: Option<Probe> = Some(Probe::start("hasty", journal).await?),
                last: Probe = Probe::start("last", journal).await?,
            },
        }
    }
    let journal = Journal::default();
    let tree = soon(Outer::start(journal.clone())).await.unwrap();
    journal.plan("hasty start", 1, Fault::Error);
    tree.inner.restart().unwrap();
    pass(secs(1)).await;
    assert_eq!(tree.inner.last.incarnation(), 2);
    assert_eq!(tree.inner.last.ask(Do::Get).await.unwrap(), 0);
}

/// S28: `[T; N]` is N members in the order of their index: for start, stop, group strategy and path.
#[tokio::test(start_paused = true)]
async fn an_array_is_so_many_members_in_order() {
    let journal = Journal::default();
    let tree = Row::start(journal.clone()).await.unwrap();
    let starts: Vec<_> = journal.take().into_iter().filter(|line| line.ends_with(" start")).collect();
    assert_eq!(starts, ["shard 0 start", "shard 1 start", "shard 2 start", "last start"]);
    assert_eq!(tree.shards.as_array().each_ref().map(ActorRef::path), ["shards/0", "shards/1", "shards/2"]);
    tree.shards[1].tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    let incarnations: Vec<_> = tree.shards.iter().map(ActorRef::incarnation).collect();
    assert_eq!((incarnations, tree.last.incarnation()), (vec![1, 2, 2], 2));
    journal.take();
    tree.shutdown().await;
    let stops: Vec<_> = journal.take().into_iter().filter(|line| line.ends_with(" post_stop")).collect();
    assert_eq!(stops, ["last post_stop", "shard 2 post_stop", "shard 1 post_stop", "shard 0 post_stop"]);
}

/// A counter that tasks share.
#[derive(Clone, Default)]
struct Count(Arc<AtomicU32>);

impl Count {
    fn up(&self) -> u32 {
        self.0.fetch_add(1, SeqCst) + 1
    }
}

async fn works(count: Count) -> Result<(), Boom> {
    count.up();
    std::future::pending().await
}

async fn serves(cx: TaskContext, count: Count) {
    count.up();
    cx.stopped().await;
    count.up();
}

supervisor! {
    struct Tasks(count: Count, which: u32) {
        plain: Option<task> = if which == 1 { Some(works(count.clone())) } else { None },
        told: Option<task> =
            if which == 2 { Some(move |cx: TaskContext| serves(cx, count.clone())) } else { None },
        row: [task; 2] = |i: usize| |cx| { let _ = i; serves(cx, count.clone()) },
        any: [task] = |count: Count| works(count),
        by_key: [String => task] = |key: String, count: Count| |cx| { let _ = key; serves(cx, count) },
    }
}

/// S29: tasks can have every shape, with a context and without.
#[tokio::test(start_paused = true)]
async fn tasks_come_in_every_shape() {
    for which in 0..3 {
        let count = Count::default();
        let tree = Tasks::start(count.clone(), which).await.unwrap();
        assert_eq!([tree.plain.is_some(), tree.told.is_some()], [which == 1, which == 2]);
        let own = Count::default();
        tree.any.spawn(own.clone()).await.unwrap();
        let keyed = tree.by_key.spawn("a".to_owned(), own.clone()).await.unwrap();
        settle().await;
        assert_eq!(keyed.path(), "by_key/a");
        assert_eq!((count.0.load(SeqCst), own.0.load(SeqCst)), (if which == 0 { 2 } else { 3 }, 2));
        let report = tree.shutdown().await;
        assert!(report.is_orderly(), "{report:?}");
        // The tasks with a context have received the stop signal.
        assert_eq!((count.0.load(SeqCst), own.0.load(SeqCst)), ([4, 5, 6][which as usize], 3));
    }
}

supervisor! {
    struct Dir(journal: Journal, name: String) {
        file: Probe = Probe::start(name, journal.clone()).await?,
        dirs: [Dir] = |name: String| Dir::tree(journal.clone(), name),
        named: [u32 => Dir] = |key: u32| Dir::tree(journal, key.to_string()),
    }
}

/// S27: a tree may contain any number of instances of itself.
#[tokio::test(start_paused = true)]
async fn a_tree_may_contain_itself() {
    let journal = Journal::default();
    let root = Dir::start(journal.clone(), "root".to_owned()).await.unwrap();
    let usr = root.dirs.spawn("usr".to_owned()).await.unwrap();
    let bin = usr.dirs.spawn("bin".to_owned()).await.unwrap();
    let seven = bin.named.get_or_spawn(7).await.unwrap();
    assert_eq!(seven.file.path(), "dirs/#1/dirs/#1/named/7/file");
    assert_eq!(bin.named.keys(), [7]);
    journal.take();
    root.shutdown().await;
    let stops: Vec<_> = journal.take().into_iter().filter(|line| line.ends_with(" post_stop")).collect();
    assert_eq!(stops, ["7 post_stop", "bin post_stop", "usr post_stop", "root post_stop"]);
}

/// S2: two running trees of one type are independent of each other.
#[tokio::test(start_paused = true)]
async fn one_tree_type_runs_twice() {
    let (a, b) = (Journal::default(), Journal::default());
    let first = Row::start(a.clone()).await.unwrap();
    let second = Row::start(b.clone()).await.unwrap();
    b.take();
    first.shards[0].tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    first.shutdown().await;
    assert_eq!(b.take(), Vec::<String>::new());
    assert_eq!(second.last.incarnation(), 1);
}
