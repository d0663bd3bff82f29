//! A server of small functions. Each path has a worker, which is an expensive thing to boot, serves many requests at the
//! same time, and has a limited life.
//!
//! Requirements:
//! * However many requests come for a path at once, one worker is booted. A boot that takes longer than 10 s, or fails,
//!   fails the requests that wait for it; the next request boots again.
//! * At half of its life a worker is retired: another one takes the next request, and the old one finishes those that it
//!   has. No request is dropped. A request that is not through at the end of the life is cut off.
//! * A worker that runs out of memory, or crashes, fails its own requests at once, and the next request gets another
//!   one. No other path notices. A worker that nobody uses ends.
//! * The log has a line for the end of every worker, with the reason.
//! * At a stop, requests that are under way are finished, for 30 s at most, and the log is written to its end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::Timer;
use supervise::error::{AskError, SpawnError};
use supervise::prelude::*;
use supervise::testing::{Fault, Inject};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::common::{ms, pass, secs, settle};

// The work: stand-ins.

type Path = &'static str;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum WorkerError {
    #[error("the function does not compile")]
    DoesNotCompile,
    #[error("out of memory")]
    OutOfMemory,
}

/// The life of a worker.
const LIFE: Duration = secs(400);
const IDLE: Duration = secs(60);

/// The functions, as planned by the test.
#[derive(Clone, Default)]
struct World(Arc<Mutex<Outside>>);

#[derive(Default)]
struct Outside {
    functions: HashMap<Path, Function>,
    log: Vec<String>,
}

#[derive(Default)]
struct Function {
    boot_time: Duration,
    is_broken: bool,
    boots: u32,
}

impl World {
    fn with<T>(&self, f: impl FnOnce(&mut Outside) -> T) -> T {
        f(&mut self.0.lock().unwrap())
    }

    fn of<T>(&self, path: Path, f: impl FnOnce(&mut Function) -> T) -> T {
        self.with(|outside| f(outside.functions.entry(path).or_default()))
    }

    fn log(&self) -> Vec<String> {
        self.with(|outside| std::mem::take(&mut outside.log))
    }
}

/// Writes down what has happened, slowly.
struct Log(World);

#[actor]
impl Log {
    #[message]
    async fn write(&mut self, line: String) {
        tokio::time::sleep(ms(10)).await;
        self.0.with(|outside| outside.log.push(line));
    }
}

/// Runs a function, with a number for each request.
struct Worker {
    served: u64,
    in_flight: u32,
    idle: Option<Timer>,
}

#[actor]
impl Worker {
    async fn boot(path: Path, world: World) -> Result<Worker, WorkerError> {
        let (boot_time, is_broken) = world.of(path, |function| {
            function.boots += 1;
            (function.boot_time, function.is_broken)
        });
        tokio::time::sleep(boot_time).await;
        if is_broken { Err(WorkerError::DoesNotCompile) } else { Ok(Worker { served: 0, in_flight: 0, idle: None }) }
    }

    #[pre_start]
    fn wait(&mut self, cx: &mut Context<Self>) {
        self.idle = Some(cx.send_after(IDLE, WorkerMsg::end_idle()));
    }

    #[message]
    fn request(&mut self, time: Duration, reply: Reply<u64>, cx: &mut Context<Self>) {
        if let Some(idle) = self.idle.take() {
            idle.cancel();
        }
        self.in_flight += 1;
        cx.run(tokio::time::sleep(time), |()| WorkerMsg::finish(reply));
    }

    #[message]
    fn finish(&mut self, reply: Reply<u64>, cx: &mut Context<Self>) {
        (self.served, self.in_flight) = (self.served + 1, self.in_flight - 1);
        reply.send(self.served);
        if self.in_flight == 0 {
            self.wait(cx);
        }
    }

    #[message]
    fn take_memory(&mut self) -> Result<(), Thrown> {
        Err(WorkerError::OutOfMemory)?
    }

    #[message]
    fn end_idle(&mut self, cx: &mut Context<Self>) {
        cx.stop_with("nobody uses it");
    }
}

/// Gives the requests for a path to its worker.
struct Gate {
    path: Path,
    current: Option<ActorRef<Worker>>,
    workers: Children<Worker, ()>,
    log: ActorRef<Log>,
}

#[actor]
impl Gate {
    #[pre_start]
    fn begin(&mut self, cx: &mut Context<Self>) {
        cx.watch_each(&self.workers);
    }

    #[message]
    fn retire(&mut self, worker: ActorRef<Worker>) {
        self.current.take_if(|current| *current == worker);
        worker.drain();
    }

    #[message]
    async fn worker(&mut self, cx: &mut Context<Self>) -> Result<ActorRef<Worker>, SpawnError> {
        if let Some(worker) = self.current.as_ref().filter(|worker| worker.is_alive()) {
            return Ok(worker.clone());
        }
        let worker = self.workers.spawn().await?;
        cx.send_after(LIFE / 2, GateMsg::retire(worker.clone()));
        self.current = Some(worker.clone());
        Ok(worker)
    }

    #[terminated]
    async fn worker_ended(&mut self, _: &Watched, ended: &Ended) {
        let _ = self.log.write(format!("{}: {ended}", self.path)).forget().await;
    }
}

supervisor! {
    /// The workers of a path. The gate is asked for each request, and stops first.
    struct Service(path: Path, log: ActorRef<Log>, world: World) {
        #[lifecycle(Temporary, start = 10s, drain, shutdown = 30s)]
        workers: [Worker] = || Worker::boot(path, world).await?,
        gate: Gate = Gate { path, current: None, workers, log },
    }

    struct Server(world: World) {
        #[lifecycle(drain, shutdown = 10s)]
        log: Log = Log(world),
        services: [Path => Service] = |path: Path| Service::tree(path, log, world),
    }
}

#[derive(Debug)]
enum Refused {
    Boot(SpawnError),
    /// The worker has ended.
    Gone(#[expect(dead_code, reason = "is displayed")] AskError),
}

impl Server {
    /// A request that takes this long, and the number of the requests that its worker has served then.
    async fn request(&self, path: Path, time: Duration) -> Result<u64, Refused> {
        self.worker(path).await?.request(time).forever().await.map_err(Refused::Gone)
    }

    async fn worker(&self, path: Path) -> Result<ActorRef<Worker>, Refused> {
        let service = self.services.get_or_spawn(path).await.map_err(Refused::Boot)?;
        service.gate.worker().forever().await.map_err(Refused::Gone)?.map_err(Refused::Boot)
    }
}

async fn server() -> (Running<Server>, World) {
    let world = World::default();
    (Server::start(world.clone()).await.unwrap(), world)
}

/// Sends so many requests at once.
fn requests(server: &Server, path: Path, count: u32, time: Duration) -> JoinSet<Result<u64, Refused>> {
    let mut requests = JoinSet::new();
    for _ in 0..count {
        let server = server.clone();
        requests.spawn(async move { server.request(path, time).await });
    }
    requests
}

/// S27: twenty requests at once boot one worker, which serves them at the same time.
#[tokio::test(start_paused = true)]
async fn twenty_requests_boot_one_worker() {
    let (server, world) = server().await;
    world.of("/shop", |function| function.boot_time = secs(2));
    let begin = Instant::now();
    let mut served: Vec<_> =
        requests(&server, "/shop", 20, secs(1)).join_all().await.into_iter().map(Result::unwrap).collect();
    served.sort_unstable();
    assert_eq!(served, (1..=20).collect::<Vec<_>>());
    assert_eq!((begin.elapsed(), world.of("/shop", |function| function.boots)), (secs(3), 1));
}

/// S13: a boot that takes too long, or fails, fails the requests that wait for it with the reason; it is not tried again
/// behind their backs.
#[tokio::test(start_paused = true)]
async fn a_boot_that_fails_is_heard_of() {
    let (server, world) = server().await;
    world.of("/slow", |function| function.boot_time = secs(3600));
    let begin = Instant::now();
    let Err(Refused::Boot(SpawnError::Start(failure))) = server.request("/slow", secs(1)).await else { panic!() };
    assert!(matches!(failure.cause(), Cause::TimedOut), "{failure}");
    assert_eq!((begin.elapsed(), world.of("/slow", |function| function.boots)), (secs(10), 1));
    world.of("/slow", |function| function.boot_time = secs(9));
    assert_eq!(server.request("/slow", secs(1)).await.unwrap(), 1);

    world.of("/wrong", |function| function.is_broken = true);
    let Err(Refused::Boot(SpawnError::Start(failure))) = server.request("/wrong", secs(1)).await else { panic!() };
    assert_eq!(failure.find(), Some(&WorkerError::DoesNotCompile));
    pass(secs(60)).await;
    assert_eq!(world.of("/wrong", |function| function.boots), 1);
}

/// S26: a worker that is retired finishes what it has, while another one takes the next request. What is not through at
/// the end of its time is cut off.
#[tokio::test(start_paused = true)]
async fn a_worker_is_retired_without_dropping_a_request() {
    let (server, world) = server().await;
    let mut long = requests(&server, "/shop", 5, secs(215));
    let old = server.worker("/shop").await.unwrap();
    let begin = Instant::now();
    let mut short = 0;
    while begin.elapsed() < secs(250) {
        server.request("/shop", secs(1)).await.unwrap();
        short += 1;
    }
    assert_eq!(short, 250);
    while let Some(served) = long.join_next().await {
        assert!(served.unwrap().is_ok());
    }
    assert!(!old.is_alive());
    assert_eq!(world.of("/shop", |function| function.boots), 2);

    let mut endless = requests(&server, "/shop", 1, secs(3600));
    pass(secs(250)).await;
    assert!(matches!(endless.join_next().await, Some(Ok(Err(Refused::Gone(_))))));
}

/// S6, S27: a worker that fails ends with its own requests, which get an error at once; the next request gets another
/// worker, and no other path notices.
#[tokio::test(start_paused = true)]
async fn a_worker_that_fails_is_replaced_with_the_next_request() {
    let (server, world) = server().await;
    let other = server.worker("/blog").await.unwrap();
    for memory in [true, false] {
        let mut under_way = requests(&server, "/shop", 3, secs(100));
        settle().await;
        let (worker, begin) = (server.worker("/shop").await.unwrap(), Instant::now());
        if memory {
            worker.take_memory().forget().await.unwrap();
        } else {
            worker.inject(Fault::panic("a bug"));
        }
        while let Some(served) = under_way.join_next().await {
            assert!(matches!(served.unwrap(), Err(Refused::Gone(_))));
        }
        assert_eq!(begin.elapsed(), Duration::ZERO);
        assert_eq!(server.request("/shop", ms(10)).await.unwrap(), 1);
    }
    pass(secs(1)).await;
    assert_eq!(world.of("/shop", |function| function.boots), 3);
    assert!(other.is_alive());
    let log = world.log();
    assert!(log[0].contains("/shop") && log[0].contains("out of memory"), "{log:?}");
    assert!(log[1].contains("/shop") && log[1].contains("a bug"), "{log:?}");
    assert_eq!(log.len(), 2);
}

/// S23: a worker that nobody uses ends, and the log says why.
#[tokio::test(start_paused = true)]
async fn a_worker_that_nobody_uses_ends() {
    let (server, world) = server().await;
    server.request("/shop", secs(100)).await.unwrap();
    pass(secs(59)).await;
    assert_eq!(world.log(), Vec::<String>::new());
    pass(secs(2)).await;
    assert_eq!(world.log(), ["/shop: done: nobody uses it"]);
    assert_eq!(server.request("/shop", secs(1)).await.unwrap(), 1, "another worker");
}

/// S24, S26: at a stop, requests that are under way are finished; after 30 s what is left is cut off and named, and the
/// log is written to its end.
#[tokio::test(start_paused = true)]
async fn a_stop_waits_for_requests_that_are_under_way() {
    for (longest, is_orderly) in [(20, true), (100, false)] {
        let (server, world) = server().await;
        let mut quick = requests(&server, "/shop", 10, secs(5));
        let mut slow = requests(&server, "/blog", 1, secs(longest));
        settle().await;
        let begin = Instant::now();
        let report = server.shutdown().await;
        assert_eq!((report.is_orderly(), begin.elapsed() < ms(30_100)), (is_orderly, true), "{report}");
        while let Some(served) = quick.join_next().await {
            assert!(served.unwrap().is_ok());
        }
        assert_eq!(slow.join_next().await.unwrap().unwrap().is_ok(), is_orderly);
        let cut: Vec<_> = report.children.iter().filter(|child| child.aborted).map(|child| &*child.path).collect();
        assert_eq!(cut, if is_orderly { vec![] } else { vec!["services/%2Fblog/workers/#1"] });
        assert!(world.log().len() <= 2);
    }
}
