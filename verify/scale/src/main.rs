//! The costs of many children: see README.md.

use std::future::Future;
use std::pin::Pin;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};

use supervise::BoxError;
use supervise::NewChild;
use supervise::event::Operation;
use supervise::inspect::{NodeState, NodeStateKind, Page, PageOrder};
use supervise::prelude::*;

/// Fails, answers, or stops slowly.
struct Kid {
    slow: Duration,
}

enum Do {
    Fail,
    /// Waits until the handler is dropped.
    Hang,
    /// Replies after other tasks have run.
    Turn(Reply<u32>),
    Ping(Reply<u32>),
}

impl Kid {
    fn new() -> Kid {
        Kid { slow: Duration::ZERO }
    }
}

impl Actor for Kid {
    type Msg = Do;
    type Error = BoxError;

    async fn receive(&mut self, msg: Do, cx: &mut Context<Self>) -> Result<(), BoxError> {
        match msg {
            Do::Fail => Err("failed on request".into()),
            Do::Hang => std::future::pending().await,
            Do::Turn(reply) => {
                tokio::task::yield_now().await;
                reply.send(cx.incarnation());
                Ok(())
            }
            Do::Ping(reply) => {
                reply.send(cx.incarnation());
                Ok(())
            }
        }
    }

    async fn post_stop(&mut self, _: &mut Context<Self>) -> Result<(), BoxError> {
        if !self.slow.is_zero() {
            tokio::time::sleep(self.slow).await;
        }
        Ok(())
    }
}

/// Has a child that stops slowly.
struct Patient;

impl Actor for Patient {
    type Msg = ();
    type Error = BoxError;

    async fn pre_start(&mut self, cx: &mut Context<Self>) -> Result<(), BoxError> {
        cx.spawn(child! { "slow": Kid = Kid { slow: Duration::from_secs(3) } }).await?;
        Ok(())
    }

    async fn receive(&mut self, (): (), _: &mut Context<Self>) -> Result<(), BoxError> {
        Ok(())
    }
}

/// Spawns children by name.
struct Boss;

impl Actor for Boss {
    type Msg = (usize, Reply<Vec<ActorRef<Kid>>>);
    type Error = BoxError;

    async fn receive(&mut self, (n, reply): Self::Msg, cx: &mut Context<Self>) -> Result<(), BoxError> {
        let mut kids = Vec::with_capacity(n);
        for i in 0..n {
            kids.push(cx.spawn(child! { format!("kid-{i}"): Kid = Kid::new() }).await?);
        }
        reply.send(kids);
        Ok(())
    }
}

/// A value that children hold, so that those that are left can be counted.
type Held = Arc<()>;

/// A child with settings of its own, which holds a value for its restarts.
fn kid(name: String, held: &Held) -> NewChild<Kid> {
    let held = held.clone();
    child! {
        #[lifecycle(Transient, shutdown = 1min)]
        #[limit(max_restarts = 3, within = 1min, on_limit = Stop)]
        #[mailbox(Bounded(16))]
        name: Kid = {
            let _held = held;
            Kid::new()
        }
    }
}

/// Spawns children by `child!`.
struct Spawner {
    held: Held,
}

enum Spawns {
    Kids(usize, Reply<Vec<ActorRef<Kid>>>),
    /// Tasks that are started once, and end.
    Jobs(usize, Reply<Vec<TaskRef>>),
}

impl Actor for Spawner {
    type Msg = Spawns;
    type Error = BoxError;

    async fn receive(&mut self, msg: Spawns, cx: &mut Context<Self>) -> Result<(), BoxError> {
        match msg {
            Spawns::Kids(n, reply) => {
                let mut kids = Vec::with_capacity(n);
                for i in 0..n {
                    kids.push(cx.spawn(kid(format!("kid-{i}"), &self.held)).await?);
                }
                reply.send(kids);
            }
            Spawns::Jobs(n, reply) => {
                let mut jobs = Vec::with_capacity(n);
                for i in 0..n {
                    let held = self.held.clone();
                    let job = child! {
                        #[lifecycle(Temporary)]
                        format!("job-{i}"): task = async move { drop(held) }
                    };
                    jobs.push(cx.spawn(job).await?);
                }
                reply.send(jobs);
            }
        }
        Ok(())
    }
}

/// One of two actors that name each other.
struct Named {
    other: ActorRef<Named>,
    _held: Held,
}

enum Say {
    Fail,
    /// Goes to the other this often, and then replies.
    Pass(u8, Reply<u32>),
}

impl Actor for Named {
    type Msg = Say;
    type Error = BoxError;

    async fn receive(&mut self, msg: Say, cx: &mut Context<Self>) -> Result<(), BoxError> {
        match msg {
            Say::Fail => return Err("failed on request".into()),
            Say::Pass(0, reply) => reply.send(cx.incarnation()),
            Say::Pass(times, reply) => self.other.tell(Say::Pass(times - 1, reply)).await?,
        }
        Ok(())
    }
}

/// Has a child of its own type.
struct Nested;

fn nested_in() -> NewChild<Nested> {
    child! {
        #[lifecycle(Transient, shutdown = Infinity)]
        "n": Nested = Nested
    }
}

enum Down {
    /// The number of further levels below, and the reply with all of them.
    Dig(usize, Vec<ActorRef<Nested>>, Reply<Vec<ActorRef<Nested>>>),
    Fail,
    Ping(Reply<u32>),
}

impl Actor for Nested {
    type Msg = Down;
    type Error = BoxError;

    async fn receive(&mut self, msg: Down, cx: &mut Context<Self>) -> Result<(), BoxError> {
        match msg {
            Down::Dig(left, mut all, reply) => {
                all.push(cx.actor_ref());
                if left == 0 {
                    reply.send(all);
                    return Ok(());
                }
                let below = cx.spawn(nested_in()).await?;
                below.tell(Down::Dig(left - 1, all, reply)).await?;
            }
            Down::Fail => return Err("failed on request".into()),
            Down::Ping(reply) => reply.send(cx.incarnation()),
        }
        Ok(())
    }
}

supervisor! {
    struct Sets {
        kids: [Kid] = || Kid::new(),
        #[lifecycle(Permanent, shutdown = Infinity)]
        keyed: [u64 => Kid] = |_key: u64| Kid::new(),
        #[mailbox(Bounded(16))]
        narrow: [Kid] = || Kid::new(),
        #[lifecycle(Permanent, shutdown = Infinity)]
        #[max_starting(8)]
        few: [Kid] = || Kid::new(),
        #[backoff(1h..1h)]
        #[lifecycle(Permanent, shutdown = Infinity)]
        waiting: [Kid] = || Kid::new(),
        #[lifecycle(Permanent, shutdown = Infinity, handler = 1s)]
        limited: [Kid] = || Kid::new(),
        #[lifecycle(Permanent, shutdown = 1min)]
        patients: [Patient] = || Patient,
    }

    struct Pair(held: Held) {
        left: Named = Named { other: later(right), _held: held },
        right: Named = Named { other: left, _held: held },
    }

    struct Pairs(held: Held) {
        pairs: [Pair] = || Pair::tree(held),
    }

    struct Hundred {
        #[lifecycle(Permanent, shutdown = Infinity)]
        kids: [Kid; 100] = |_i| Kid::new(),
    }

    struct Thousand {
        #[lifecycle(Permanent, shutdown = Infinity)]
        kids: [Kid; 1_000] = |_i| Kid::new(),
    }

    struct TenThousand {
        #[lifecycle(Permanent, shutdown = Infinity)]
        kids: [Kid; 10_000] = |_i| Kid::new(),
    }
}

/// Prints one line for each step.
struct Steps {
    row: &'static str,
    n: usize,
    resident: usize,
    begun: Instant,
}

impl Steps {
    fn new(row: &'static str, n: usize) -> Steps {
        Steps { row, n, resident: resident(), begun: Instant::now() }
    }

    fn begin(&mut self) {
        self.begun = Instant::now();
    }

    fn done(&mut self, step: &str) {
        assert!(!step.contains(' '), "`measured` reads the figures by their column");
        let took = self.begun.elapsed().as_secs_f64();
        let bytes = resident().saturating_sub(self.resident) / self.n.max(1);
        let (name, each) = (format!("{}/{step}", self.row), took * 1e6 / self.n as f64);
        println!("{name:20} {:8} {took:10.3} s {each:9.2} us {bytes:7} bytes", self.n);
        self.begin();
    }
}

/// Checks that the memory in use has not grown by more than one part in twenty since an equal moment before.
fn same_memory(before: usize, after: usize) {
    assert!(after <= before + before / 20 + (1 << 20), "{before} bytes, and {after} the second time");
}

/// Bytes of memory in use.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    pages.split(' ').nth(1).and_then(|pages| pages.parse().ok()).map_or(0, |pages: usize| pages * 4096)
}

async fn fail_each(kids: &[ActorRef<Kid>]) {
    for kid in kids {
        kid.tell(Do::Fail).await.unwrap();
        assert_eq!(kid.ask(Do::Ping).await.unwrap(), 2);
    }
}

async fn stop_each(kids: &[ActorRef<Kid>]) {
    for kid in kids {
        kid.stop();
        kid.terminated().await.unwrap();
    }
}

async fn set_of(sets: &Sets, n: usize) -> Vec<ActorRef<Kid>> {
    let mut kids = Vec::with_capacity(n);
    for _ in 0..n {
        kids.push(sets.kids.spawn().await.unwrap());
    }
    kids
}

/// Each instance fails once, then they stop one after the other, the oldest first, and the same number is spawned
/// again.
async fn set(n: usize) {
    let sets = Sets::start().await.unwrap();
    let mut steps = Steps::new("set", n);
    let kids = set_of(&sets, n).await;
    steps.done("spawn");
    fail_each(&kids).await;
    steps.done("fail");
    stop_each(&kids).await;
    steps.done("stop");
    drop(kids);
    let kids = set_of(&sets, n).await;
    steps.done("again");
    let report = sets.shutdown().await;
    steps.done("shutdown");
    assert!(report.is_orderly() && report.children.len() >= n && kids.len() == n);
}

/// The view of the instances from outside, and a restart of the set as a whole.
async fn look(n: usize) {
    let sets = Sets::start().await.unwrap();
    let mut steps = Steps::new("look", n);
    let mut events = sets.events();
    let kids = set_of(&sets, n).await;
    steps.done("events");
    let snapshot = sets.snapshot();
    steps.done("snapshot");
    assert!(snapshot.health().is_healthy() && snapshot.nodes().count() > n);
    steps.done("health");
    assert!(sets.health().is_healthy());
    steps.done("probe");
    assert!(snapshot.find(&kids[n - 1].path()).is_some());
    steps.done("find");
    assert!(snapshot.render().lines().count() > n);
    steps.done("render");
    drop(snapshot);
    steps.done("drop");
    let page = |page: Page| sets.page_of("kids", &page).expect("the set is there");
    assert_eq!((page(Page::new()).nodes.len(), page(Page::new().from(n)).total), (n.min(100), n));
    steps.done("pages");
    assert_eq!(page(Page::new().name("9").order(PageOrder::Name)).total, n);
    steps.done("by-name");
    assert_eq!(page(Page::new().state(NodeStateKind::Running).order(PageOrder::Waiting)).matching, n);
    steps.done("by-state");
    assert!(sets.operate("kids/none", Operation::Stop, "scale").is_err() && sets.answers().await);
    steps.done("operate");
    assert!(sets.ready().await);
    steps.done("ready");
    sets.kids.tree().restart().unwrap();
    assert!(sets.ready().await && sets.kids.is_empty());
    steps.done("restart");
    while events.try_next().is_some() {}
    sets.shutdown().await;
}

/// All instances are backing off when their tree stops.
async fn waiting(n: usize) {
    let sets = Sets::start().await.unwrap();
    let mut steps = Steps::new("waiting", n);
    let mut kids = Vec::with_capacity(n);
    for _ in 0..n {
        kids.push(sets.waiting.spawn().await.unwrap());
    }
    steps.done("spawn");
    for kid in &kids {
        kid.tell(Do::Fail).await.unwrap();
    }
    for _ in 0..n / 16 + 1_000 {
        tokio::task::yield_now().await;
    }
    steps.done("fail");
    let waits = |state: &NodeState| matches!(state, NodeState::BackingOff { .. });
    assert_eq!(sets.snapshot().nodes().filter(|node| waits(&node.state)).count(), n);
    steps.done("look");
    assert!(sets.shutdown().await.is_orderly());
    steps.done("shutdown");
}

/// All instances wait for one of a few places to start: first for their spawn, then for a restart, then until their tree
/// stops.
async fn starting(n: usize) {
    let sets = Sets::start().await.unwrap();
    let mut steps = Steps::new("starting", n);
    let all: Vec<_> = (0..n).map(|_| tokio::spawn(sets.few.spawn())).collect();
    let mut kids = Vec::with_capacity(n);
    for one in all {
        kids.push(one.await.unwrap().unwrap());
    }
    steps.done("spawn");
    for kid in &kids {
        kid.tell(Do::Fail).await.unwrap();
    }
    for kid in &kids {
        assert_eq!(kid.ask(Do::Ping).forever().await.unwrap(), 2);
    }
    steps.done("fail");
    drop(kids);
    sets.few.stop_all();
    let all: Vec<_> = (0..n).map(|_| tokio::spawn(sets.few.spawn())).collect();
    tokio::task::yield_now().await;
    assert!(sets.shutdown().await.is_orderly());
    drop(all);
    steps.done("shutdown");
}

/// Children of a keyed set.
async fn keyed(n: usize) {
    let sets = Sets::start().await.unwrap();
    let mut steps = Steps::new("keyed", n);
    let mut kids = Vec::with_capacity(n);
    for key in 0..n as u64 {
        kids.push(sets.keyed.spawn(key).await.unwrap());
    }
    steps.done("spawn");
    assert!((0..n as u64).all(|key| sets.keyed.get(&key).is_some()));
    steps.done("get");
    fail_each(&kids).await;
    steps.done("fail");
    stop_each(&kids).await;
    steps.done("stop");
    sets.shutdown().await;
}

/// Children that an actor spawns by name, which fail and stop one after the other.
async fn named(n: usize) {
    let boss = supervise::spawn(child! {
        #[lifecycle(Transient, shutdown = Infinity)]
        "boss": Boss = Boss
    });
    let boss = boss.await.unwrap();
    let mut steps = Steps::new("named", n);
    let kids = boss.ask(|reply| (n, reply)).forever().await.unwrap();
    steps.done("spawn");
    fail_each(&kids).await;
    steps.done("fail");
    stop_each(&kids).await;
    steps.done("stop");
    drop(kids);
    let kids = boss.ask(|reply| (n, reply)).forever().await.unwrap();
    steps.done("again");
    boss.restart().unwrap();
    boss.ask(|reply| (0, reply)).forever().await.unwrap();
    steps.done("restart");
    assert!(kids.iter().all(|kid| kid.ended().is_some()));
    boss.stop();
    boss.terminated().await.unwrap();
}

/// Children that an actor spawns by `child!`, which fail and stop one after the other, and tasks that it spawns for one
/// start.
async fn spawned(n: usize) {
    let held = Held::default();
    let spawner = supervise::spawn(child! {
        #[lifecycle(Transient, shutdown = Infinity)]
        "spawner": Spawner = Spawner { held }
    });
    let spawner = spawner.await.unwrap();
    let mut steps = Steps::new("spawned", n);
    let kids = spawner.ask(|reply| Spawns::Kids(n, reply)).forever().await.unwrap();
    steps.done("spawn");
    fail_each(&kids).await;
    steps.done("fail");
    let before = resident();
    stop_each(&kids).await;
    steps.done("stop");
    drop(kids);
    let kids = spawner.ask(|reply| Spawns::Kids(n, reply)).forever().await.unwrap();
    steps.done("again");
    same_memory(before, resident());
    spawner.restart().unwrap();
    let none = spawner.ask(|reply| Spawns::Kids(0, reply)).forever().await.unwrap();
    steps.done("restart");
    assert!(none.is_empty() && kids.iter().all(|kid| kid.ended().is_some()));
    drop(kids);
    let jobs = spawner.ask(|reply| Spawns::Jobs(n, reply)).forever().await.unwrap();
    for job in &jobs {
        job.terminated().await.unwrap();
    }
    steps.done("jobs");
    drop(jobs);
    same_memory(before, resident());
    spawner.stop();
    spawner.terminated().await.unwrap();
    drop(spawner);
    assert_eq!(Arc::strong_count(&held), 1, "a child is left");
}

/// Top-level children by `child!`.
async fn top(n: usize) {
    let held = Held::default();
    let mut steps = Steps::new("top", n);
    let mut before = None;
    for step in ["spawn", "again"] {
        let all: Vec<_> =
            (0..n).map(|i| tokio::spawn(supervise::spawn(kid(format!("kid-{i}"), &held)).into_future())).collect();
        let mut kids = Vec::with_capacity(n);
        for one in all {
            kids.push(one.await.unwrap().unwrap());
        }
        steps.done(step);
        fail_each(&kids).await;
        steps.done("fail");
        same_memory(*before.get_or_insert_with(resident), resident());
        stop_each(&kids).await;
        steps.done("stop");
    }
    assert_eq!(Arc::strong_count(&held), 1, "a child is left");
}

/// Trees of two actors that name each other, one of them by `later`.
async fn later(n: usize) {
    let held = Held::default();
    let tree = Pairs::start(held.clone()).await.unwrap();
    let mut steps = Steps::new("later", n);
    let mut pairs = Vec::with_capacity(n);
    for _ in 0..n {
        pairs.push(tree.pairs.spawn().await.unwrap());
    }
    steps.done("spawn");
    for pair in &pairs {
        assert_eq!(pair.right.ask(|reply| Say::Pass(2, reply)).await.unwrap(), 1);
    }
    steps.done("pass");
    for pair in &pairs {
        pair.right.tell(Say::Fail).await.unwrap();
        assert_eq!(pair.left.ask(|reply| Say::Pass(1, reply)).await.unwrap(), 2);
    }
    steps.done("fail");
    let before = resident();
    for pair in pairs.drain(..) {
        pair.stop();
        pair.join().await.unwrap();
    }
    steps.done("stop");
    for _ in 0..n {
        pairs.push(tree.pairs.spawn().await.unwrap());
    }
    steps.done("again");
    same_memory(before, resident());
    assert!(tree.shutdown().await.is_orderly());
    steps.done("shutdown");
    drop(pairs);
    assert_eq!(Arc::strong_count(&held), 1, "a pair is left");
}

/// Actors with a time for their messages: some wait within it, and then each of them waits too long.
async fn handler(n: usize) {
    let sets = Sets::start().await.unwrap();
    let mut steps = Steps::new("handler", n);
    let mut kids = Vec::with_capacity(n);
    for _ in 0..n {
        kids.push(sets.limited.spawn().await.unwrap());
    }
    steps.done("spawn");
    for kid in &kids {
        assert_eq!(kid.ask(Do::Turn).await.unwrap(), 1);
    }
    steps.done("wait");
    tokio::time::pause();
    for incarnation in 2..4 {
        for kid in &kids {
            kid.tell(Do::Hang).await.unwrap();
        }
        for kid in &kids {
            assert_eq!(kid.ask(Do::Ping).forever().await.unwrap(), incarnation);
        }
        steps.done(if incarnation == 2 { "cut" } else { "cut-again" });
    }
    stop_each(&kids).await;
    steps.done("stop");
    assert!(sets.shutdown().await.is_orderly());
}

/// Actors in a chain, each below the one before.
async fn nested(n: usize) {
    let top = supervise::spawn(nested_in()).await.unwrap();
    let mut steps = Steps::new("nested", n);
    let all = top.ask(|reply| Down::Dig(n, Vec::new(), reply)).forever().await.unwrap();
    steps.done("spawn");
    for one in all.iter().rev() {
        one.tell(Down::Fail).await.unwrap();
        assert_eq!(one.ask(Down::Ping).await.unwrap(), 2);
    }
    steps.done("fail");
    drop(all);
    steps.done("drop");
    let all = top.ask(|reply| Down::Dig(n, Vec::new(), reply)).forever().await.unwrap();
    steps.done("again");
    top.stop();
    top.terminated().await.unwrap();
    steps.done("stop");
    drop(all);
    steps.done("drop");
}

/// Instances that wait for their own children, while a watchdog checks them.
async fn patient(n: usize) {
    let sets = Sets::start().await.unwrap();
    let mut steps = Steps::new("patient", n);
    for _ in 0..n {
        sets.patients.spawn().await.unwrap();
    }
    steps.done("spawn");
    tokio::time::pause();
    assert!(sets.shutdown().await.is_orderly());
    steps.done("shutdown");
}

/// An actor that watches another one, or depends on it.
struct Watching(ActorRef<Kid>, bool);

impl Actor for Watching {
    type Msg = ();
    type Error = BoxError;

    async fn pre_start(&mut self, cx: &mut Context<Self>) -> Result<(), BoxError> {
        if self.1 {
            cx.depend_on(&self.0)
        } else {
            cx.watch(&self.0)
        }
        Ok(())
    }

    async fn receive(&mut self, (): (), _: &mut Context<Self>) -> Result<(), BoxError> {
        Ok(())
    }
}

impl Watcher for Watching {
    async fn terminated(&mut self, _: &Watched, _: &Ended, _: &mut Context<Self>) -> Result<(), BoxError> {
        Ok(())
    }
}

/// Many actors watch and many depend on one child; half of them end before it, the others are notified of its end.
async fn watchers(n: usize) {
    let one = supervise::spawn(child! { "one": Kid = Kid::new() }).await.unwrap();
    let mut steps = Steps::new("watchers", n);
    let mut all = Vec::with_capacity(n);
    for i in 0..n {
        all.push(supervise::spawn(child! { "w": Watching = Watching(one, i % 2 == 0) }));
    }
    let mut watching = Vec::with_capacity(n);
    for spawn in all {
        watching.push(spawn.await.unwrap());
    }
    steps.done("spawn");
    for one in watching.drain(..n / 2) {
        one.stop();
        one.terminated().await.unwrap();
    }
    steps.done("stop");
    one.stop();
    one.terminated().await.unwrap();
    for watcher in &watching {
        watcher.stop();
        watcher.terminated().await.unwrap();
    }
    steps.done("notify");
}

/// Senders wait for room in one mailbox, and all of them get it.
async fn blocked(n: usize) {
    let sets = Sets::start().await.unwrap();
    let one = sets.narrow.spawn().await.unwrap();
    let mut steps = Steps::new("blocked", n);
    let tells: Vec<_> = (0..n)
        .map(|_| {
            let one = one.clone();
            tokio::spawn(async move { one.ask(Do::Ping).forever().await.unwrap() })
        })
        .collect();
    for tell in tells {
        assert_eq!(tell.await.unwrap(), 1);
    }
    steps.done("let-in");
    assert!(sets.shutdown().await.is_orderly());
}

/// The same few children fail and are restarted, and start and end, again and again: memory must not grow by more than
/// one part in a hundred from a quarter of the time on.
async fn soak(n: usize) {
    let sets = Sets::start().await.unwrap();
    let kids = set_of(&sets, 100).await;
    let mut steps = Steps::new("soak", n);
    let mut before = 0;
    tokio::time::pause();
    for round in 0..n {
        let kid = &kids[round % kids.len()];
        kid.tell(Do::Fail).await.unwrap();
        kid.ask(Do::Ping).await.unwrap();
        let guest = sets.kids.spawn().await.unwrap();
        guest.stop();
        guest.terminated().await.unwrap();
        tokio::time::advance(Duration::from_secs(7)).await; // the budget of a child is 10 in a minute
        if round == n / 4 {
            before = resident();
        }
    }
    steps.done("round");
    let after = resident();
    assert!(after <= before + before / 100 + (64 << 10), "{before} bytes at a quarter, {after} at the end");
    assert!(sets.shutdown().await.is_orderly());
}

macro_rules! array {
    ($n:expr, $tree:ident) => {{
        let mut steps = Steps::new("array", $n);
        let tree = $tree::start().await.unwrap();
        steps.done("start");
        fail_each(&tree.kids).await;
        steps.done("fail");
        let half = tree.kids.len() / 2;
        stop_each(&tree.kids[..half]).await;
        steps.done("stop");
        assert!(tree.shutdown().await.is_orderly());
        steps.done("shutdown");
    }};
}

/// A declared array has its length in its type.
async fn array(n: usize) {
    match n {
        0..=100 => array!(100, Hundred),
        101..=1_000 => array!(1_000, Thousand),
        _ => array!(10_000, TenThousand),
    }
}

type Row = fn(usize) -> Pin<Box<dyn Future<Output = ()>>>;

const ROWS: [(&str, Row); 16] = [
    ("set", |n| Box::pin(set(n))),
    ("look", |n| Box::pin(look(n))),
    ("waiting", |n| Box::pin(waiting(n))),
    ("starting", |n| Box::pin(starting(n))),
    ("keyed", |n| Box::pin(keyed(n))),
    ("named", |n| Box::pin(named(n))),
    ("spawned", |n| Box::pin(spawned(n))),
    ("top", |n| Box::pin(top(n))),
    ("later", |n| Box::pin(later(n))),
    ("handler", |n| Box::pin(handler(n))),
    ("nested", |n| Box::pin(nested(n))),
    ("patient", |n| Box::pin(patient(n))),
    ("array", |n| Box::pin(array(n))),
    ("watchers", |n| Box::pin(watchers(n))),
    ("blocked", |n| Box::pin(blocked(n))),
    ("soak", |n| Box::pin(soak(n))),
];

fn run(row: Row, n: usize) {
    let life = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(row(n));
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(life).expect("a thread");
    if thread.join().is_err() {
        std::process::exit(1);
    }
}

/// Returns the step and the microseconds for each child of a run in a separate process.
fn measured(row: &str, n: usize) -> Option<Vec<(String, f64)>> {
    let out = Command::new(std::env::current_exe().ok()?).args([row, &n.to_string()]).output().ok()?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    print!("{text}");
    let steps = text.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        Some((words.first()?.to_string(), words.get(4)?.parse().ok()?))
    });
    out.status.success().then(|| steps.collect())
}

/// The minimum for a meaningful step, in seconds.
const LEAST: f64 = 0.05;

fn doubling(row: &str, n: usize) -> bool {
    let [Some(first), Some(_), Some(last)] = [n / 4, n / 2, n].map(|n| measured(row, n)) else {
        println!("{row}: a run has failed");
        return false;
    };
    let mut linear = true;
    for ((step, before), (_, after)) in first.iter().zip(&last) {
        if after * n as f64 / 1e6 > LEAST && after / before.max(LEAST * 4e6 / n as f64) > 3.0 {
            println!("{step}: {before} us for each of {}, {after} us for each of {n}", n / 4);
            linear = false;
        }
    }
    linear
}

/// The benchmarks with this name.
fn rows(name: &str) -> Vec<(&'static str, Row)> {
    ROWS.into_iter().filter(|(row, _)| name == "all" || *row == name).collect()
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let n = args.get(1).and_then(|n| n.replace('_', "").parse().ok());
    match (args.first().map(String::as_str), n) {
        (Some("list"), _) => ROWS.iter().for_each(|(row, _)| println!("{row}")),
        (Some(name), Some(n)) if !rows(name).is_empty() => {
            if args.get(2).is_some_and(|arg| arg == "--doubling") {
                let bent = rows(name).into_iter().filter(|(row, _)| !doubling(row, n)).count();
                return if bent == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE };
            }
            rows(name).into_iter().for_each(|(_, row)| run(row, n));
        }
        _ => {
            eprintln!("scale ROW N [--doubling]   (`scale list` names the rows; `all` is each of them)");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
