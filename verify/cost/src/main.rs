//! One operation, many times: `cost ROW` runs the measured phase of a row inside of the function `measured`, where
//! callgrind counts instructions and the allocator counts allocations. See README.md.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use supervise::Running;
use supervise::prelude::*;
use tokio::runtime::{Handle, Runtime};
use tokio::sync::Notify;

/// The system's allocator, with a count of what is asked of it.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static FREED: AtomicU64 = AtomicU64::new(0);
/// The number of living allocations of each size; of those that are larger, the number is not kept.
static LIVING: [AtomicU64; 4096] = [const { AtomicU64::new(0) }; 4096];

/// Notes that an allocation of this size has come (1) or gone (-1).
fn lives(size: usize, change: u64) {
    if let Some(living) = LIVING.get(size) {
        living.store(living.load(Relaxed).wrapping_add(change), Relaxed);
    }
}

/// The program has one thread: a load and a store cost less than an atomic addition, and lose nothing.
fn add(counter: &AtomicU64, n: usize) {
    counter.store(counter.load(Relaxed) + n as u64, Relaxed);
}

// SAFETY: every call is passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(&ALLOCATIONS, 1);
        add(&BYTES, layout.size());
        lives(layout.size(), 1);
        // SAFETY: the caller keeps the rules of this function, which are those of the called one.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        add(&FREED, layout.size());
        lives(layout.size(), u64::MAX);
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(&ALLOCATIONS, 1);
        add(&BYTES, size);
        add(&FREED, layout.size());
        lives(size, 1);
        lives(layout.size(), u64::MAX);
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// A number that actors count up, and that the client waits for.
struct Gate {
    count: AtomicU64,
    target: AtomicU64,
    reached: Notify,
}

impl Gate {
    const fn new() -> Gate {
        Gate { count: AtomicU64::new(0), target: AtomicU64::new(u64::MAX), reached: Notify::const_new() }
    }

    fn hit(&self) {
        add(&self.count, 1);
        if self.count.load(Relaxed) == self.target.load(Relaxed) {
            self.reached.notify_one();
        }
    }

    /// Begins to wait for so many hits.
    fn expect(&self, n: u64) {
        self.target.store(self.count.load(Relaxed) + n, Relaxed);
    }

    async fn wait(&self) {
        self.reached.notified().await;
    }
}

static STARTED: Gate = Gate::new();
static HANDLED: Gate = Gate::new();

#[derive(Debug)]
struct Failed;

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("failed on request")
    }
}

impl std::error::Error for Failed {}

struct Counter(u64);

#[derive(Clone, Copy)]
enum Fault {
    Error,
    Panic,
}

enum Msg {
    Add(u64),
    Get(Reply<u64>),
    Hit,
    Fail(Fault),
}

impl Counter {
    fn new() -> Counter {
        STARTED.hit();
        Counter(0)
    }
}

#[actor]
impl Counter {
    fn handle(&mut self, msg: Msg) -> Result<(), Failed> {
        match msg {
            Msg::Add(n) => self.0 += n,
            Msg::Get(reply) => reply.send(self.0),
            Msg::Hit => HANDLED.hit(),
            Msg::Fail(Fault::Error) => return Err(Failed),
            Msg::Fail(Fault::Panic) => panic!("panicked on request"),
        }
        Ok(())
    }
}

/// The same counter, whose methods are messages.
struct Called(u64);

#[actor]
impl Called {
    #[message]
    fn add(&mut self, n: u64) {
        self.0 += n;
    }

    #[message]
    fn get(&self) -> u64 {
        self.0
    }
}

supervisor! {
    struct Calls {
        #[mailbox(Bounded(1024))]
        called: Called = Called(0),
    }

    struct Unbounded {
        #[mailbox(Unbounded)]
        counter: Counter = Counter::new(),
    }

    struct Bounded {
        #[mailbox(Bounded(1024))]
        counter: Counter = Counter::new(),
    }

    struct Pool {
        #[lifecycle(Permanent)]
        counters: [Counter] = || Counter::new(),
    }

    struct Group {
        #![strategy(AllForOne)]
        members: [Counter; 10] = |_: usize| Counter::new(),
    }

    struct Branch {
        leaves: [Counter; 10] = |_: usize| Counter::new(),
    }

    struct Limb {
        branches: [Branch; 10] = |_: usize| Branch::tree(),
    }

    struct Whole {
        limbs: [Limb; 10] = |_: usize| Limb::tree(),
    }
}

const LEAVES: u64 = 1_000;

/// The measured phase.
type Work = Pin<Box<dyn Future<Output = ()>>>;

/// The number of operations in the measured phase, and the phase.
type Row = (u64, Work);

/// Tells `n` times. An unbounded mailbox lets the client go on for ever, so the client lets the actor run now and then.
async fn tell(counter: &ActorRef<Counter>, n: u64, yields: bool) {
    for i in 0..n {
        counter.tell(Msg::Add(i)).await.unwrap();
        if yields && i % 1024 == 1023 {
            tokio::task::yield_now().await;
        }
    }
    counter.ask(Msg::Get).await.unwrap();
}

/// A row of tells, after some rounds that let the queues grow.
async fn tells<T: 'static>(tree: Running<T>, counter: ActorRef<Counter>, yields: bool) -> Row {
    let n = 100 * 1024;
    tell(&counter, 4 * 1024, yields).await;
    let work = async move {
        tell(&counter, n, yields).await;
        drop(counter);
        std::mem::forget(tree);
    };
    (n, Box::pin(work))
}

/// The trees of a row whose second argument is `metered` record their metrics.
#[cfg(feature = "metrics")]
mod metered {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use metrics::{Counter, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder, SharedString, Unit};
    use supervise::Tree;
    use supervise::metrics::Metrics as _;

    /// A recorder as fast as one can be: it adds a number to another one.
    struct Fast;

    #[derive(Default)]
    struct Sum(AtomicU64);

    impl HistogramFn for Sum {
        fn record(&self, value: f64) {
            self.0.fetch_add(value as u64, Relaxed);
        }
    }

    impl Recorder for Fast {
        fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
        fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

        fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
            Counter::from_arc(Arc::<AtomicU64>::default())
        }

        fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
            Gauge::from_arc(Arc::<AtomicU64>::default())
        }

        fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
            Histogram::from_arc(Arc::<Sum>::default())
        }
    }

    fn is_wanted() -> bool {
        std::env::args().nth(2).is_some_and(|how| how == "metered")
    }

    pub fn install() {
        if is_wanted() {
            assert!(metrics::set_global_recorder(Fast).is_ok());
        }
    }

    pub fn of<T: supervise::expansion::TreeDef>(tree: Tree<T>) -> Tree<T> {
        if is_wanted() { tree.metrics() } else { tree }
    }
}

#[cfg(not(feature = "metrics"))]
mod metered {
    pub fn install() {}

    pub fn of<T>(tree: T) -> T {
        tree
    }
}

async fn tell_unbounded() -> Row {
    let tree = metered::of(Unbounded::tree().seed(1)).start().await.unwrap();
    let counter = tree.counter.clone();
    tells(tree, counter, true).await
}

async fn tell_bounded() -> Row {
    let tree = metered::of(Bounded::tree().seed(1)).start().await.unwrap();
    let counter = tree.counter.clone();
    tells(tree, counter, false).await
}

/// The client is a task, as clients are: the runtime polls the future that it blocks on in another way.
async fn ask() -> Row {
    let n = 20_000;
    let tree = metered::of(Bounded::tree().seed(1)).start().await.unwrap();
    for _ in 0..1_000 {
        tree.counter.ask(Msg::Get).await.unwrap();
    }
    let work = async move {
        let client = async move {
            for _ in 0..n {
                tree.counter.ask(Msg::Get).await.unwrap();
            }
            std::mem::forget(tree);
        };
        tokio::spawn(client).await.unwrap();
    };
    (n, Box::pin(work))
}

/// A row with the work of `tell_bounded`, by messages to a method that nobody waits for.
macro_rules! called {
    ($name:ident, |$called:ident, $i:ident| $send:expr) => {
        async fn $name() -> Row {
            async fn send($called: &ActorRef<Called>, n: u64) {
                for $i in 0..n {
                    $send.await.unwrap();
                }
                $called.get().await.unwrap();
            }
            let n = 100 * 1024;
            let tree = metered::of(Calls::tree().seed(1)).start().await.unwrap();
            send(&tree.called, 4 * 1024).await;
            let work = async move {
                send(&tree.called, n).await;
                std::mem::forget(tree);
            };
            (n, Box::pin(work))
        }
    };
}

called!(told, |called, i| called.tell(CalledMsg::add(i)));
called!(forget, |called, i| called.add(i).forget());

/// The work of `ask`, by a method that returns nothing.
async fn call() -> Row {
    let n = 20_000;
    let tree = metered::of(Calls::tree().seed(1)).start().await.unwrap();
    for i in 0..1_000 {
        tree.called.add(i).await.unwrap();
    }
    let work = async move {
        let client = async move {
            for i in 0..n {
                tree.called.add(i).await.unwrap();
            }
            std::mem::forget(tree);
        };
        tokio::spawn(client).await.unwrap();
    };
    (n, Box::pin(work))
}

/// A number of instances at which the tables have just grown.
const INSTANCES: u64 = 2_048;

async fn pool(n: u64) -> (Running<Pool>, Vec<ActorRef<Counter>>) {
    let tree = metered::of(Pool::tree().seed(1)).start().await.unwrap();
    let mut counters = Vec::with_capacity(n as usize);
    for _ in 0..n {
        counters.push(tree.counters.spawn().await.unwrap());
    }
    (tree, counters)
}

async fn spawn() -> Row {
    let (tree, mut counters) = pool(INSTANCES).await;
    counters.reserve_exact(INSTANCES as usize);
    let work = async move {
        for _ in 0..INSTANCES {
            counters.push(tree.counters.spawn().await.unwrap());
        }
        std::mem::forget((tree, counters));
    };
    (INSTANCES, Box::pin(work))
}

async fn stop() -> Row {
    let (tree, counters) = pool(INSTANCES).await;
    let work = async move {
        for counter in &counters {
            counter.shutdown().await.unwrap();
        }
        std::mem::forget((tree, counters));
    };
    (INSTANCES, Box::pin(work))
}

/// Each child of a pool fails once: a child that fails again within 10 ms would wait (S14).
async fn restart(n: u64, fault: Fault) -> Row {
    let (tree, counters) = pool(n).await;
    // The first panic of a process loads more than the next, and the queues of the runtime grow.
    let (others, first) = pool(n).await;
    fail(&first, fault, 1).await;
    let work = async move {
        fail(&counters, fault, 1).await;
        std::mem::forget((tree, counters, others, first));
    };
    (n, Box::pin(work))
}

/// Lets these fail, ten at a time, waits until so many children for each of them have started, and lets each handle a
/// message.
async fn fail(counters: &[ActorRef<Counter>], fault: Fault, each: u64) {
    for some in counters.chunks(10) {
        let n = some.len() as u64;
        STARTED.expect(n * each);
        for counter in some {
            counter.tell(Msg::Fail(fault)).await.unwrap();
        }
        STARTED.wait().await;
        HANDLED.expect(n);
        for counter in some {
            counter.tell(Msg::Hit).await.unwrap();
        }
        HANDLED.wait().await;
    }
}

async fn restart_error() -> Row {
    restart(1_000, Fault::Error).await
}

async fn restart_panic() -> Row {
    restart(500, Fault::Panic).await
}

async fn restart_group() -> Row {
    let groups = 50; // well under a second, see below
    let (mut trees, mut firsts, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..2 * groups {
        let tree = Group::tree().seed(1).start().await.unwrap();
        // The last member is the last to come up.
        if i % 2 == 0 { &mut firsts } else { &mut others }.push(tree.members[9].clone());
        trees.push(tree);
    }
    fail(&others, Fault::Error, 10).await;
    // A supervisor checks its children a second after it has asked them to start or go down. These checks are over
    // before the measured phase begins, and the checks of that phase come after its end.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let work = async move {
        fail(&firsts, Fault::Error, 10).await;
        std::mem::forget((trees, firsts, others));
    };
    (groups * 10, Box::pin(work))
}

async fn whole() -> Running<Whole> {
    Whole::tree().seed(1).start().await.unwrap()
}

/// Waits until no task of the trees is left: those of declared children end after the report of their tree.
async fn gone() {
    while Handle::current().metrics().num_alive_tasks() > 0 {
        tokio::task::yield_now().await;
    }
}

async fn tree_start() -> Row {
    whole().await.shutdown().await;
    gone().await;
    let work = async {
        std::mem::forget(whole().await);
    };
    (LEAVES, Box::pin(work))
}

async fn tree_stop() -> Row {
    whole().await.shutdown().await;
    gone().await;
    let tree = whole().await;
    let work = async {
        tree.shutdown().await;
        gone().await;
    };
    (LEAVES, Box::pin(work))
}

/// Runs the measured phase. Callgrind counts between the entry of this function and its end.
#[unsafe(no_mangle)]
#[inline(never)]
fn measured(runtime: &Runtime, work: Work) {
    runtime.block_on(work);
}

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    metered::install();
    if name == "restart_panic" {
        std::panic::set_hook(Box::new(|_| ()));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let row = runtime.block_on(async {
        Some(match name.as_str() {
            "tell_unbounded" => tell_unbounded().await,
            "tell_bounded" => tell_bounded().await,
            "ask" => ask().await,
            "told" => told().await,
            "forget" => forget().await,
            "call" => call().await,
            "spawn" | "idle" | "bill" => spawn().await,
            "stop" => stop().await,
            "restart_error" => restart_error().await,
            "restart_panic" => restart_panic().await,
            "restart_group" => restart_group().await,
            "tree_start" => tree_start().await,
            "tree_stop" => tree_stop().await,
            _ => return None,
        })
    });
    let Some((n, work)) = row else {
        eprintln!("usage: cost ROW; run.py names the rows");
        return ExitCode::from(2);
    };
    let (allocations, bytes, freed) = (ALLOCATIONS.load(Relaxed), BYTES.load(Relaxed), FREED.load(Relaxed));
    let living = LIVING.each_ref().map(|living| living.load(Relaxed));
    measured(&runtime, work);
    let (allocations, bytes) = (ALLOCATIONS.load(Relaxed) - allocations, BYTES.load(Relaxed) - bytes);
    match name.as_str() {
        "idle" => println!("{n} {}", bytes - (FREED.load(Relaxed) - freed)),
        "bill" => {
            for (size, before) in living.into_iter().enumerate() {
                let came = LIVING[size].load(Relaxed).wrapping_sub(before) as i64;
                if came > n as i64 / 2 {
                    println!("{:.2} x {size}", came as f64 / n as f64);
                }
            }
        }
        _ => println!("{n} {allocations} {bytes}"),
    }
    // The trees are left as they are: their end is not measured.
    std::process::exit(0)
}
