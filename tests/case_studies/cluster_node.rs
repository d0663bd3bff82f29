//! A node of a peer-to-peer network: some twelve services of three kinds that need each other. The services exist
//! already, with an interface of their own. The node takes part in the network only as a whole.
//!
//! Requirements:
//! * The data that the services share exists before the first service, so that they may know each other in any
//!   direction. It is built once, like the database, and other parts of the program read it.
//! * The services start in order, each when the one before it is ready. The node is ready when its last service is, and
//!   then its address is known.
//! * A node that cannot come up leaves nothing running, and names the cause. A signal is obeyed during an hour of
//!   synchronization, too.
//! * When any service ends, whatever the reason, the node ends, and leaves the rest to its operator. A normal end is
//!   success.
//! * The node goes down in reverse order, each service within 5 s; the report names those that needed longer or failed.
//! * Builds for development have a profiler.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::prelude::*;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::common::{ms, pass, quiet_panics, secs, soon};

// The work: stand-ins.

/// The machine that the node runs on: a log of its services, and the planned fault.
#[derive(Clone, Default)]
struct Machine(Arc<Mutex<Inside>>);

#[derive(Default)]
struct Inside {
    log: Vec<String>,
    broken: Option<(&'static str, How)>,
    open_ports: Vec<u16>,
    databases: u32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum How {
    /// The service fails to open.
    Unable,
    /// The service takes this long to open.
    Slow(Duration),
    /// The service ends this long after it was ready, as if its work were done.
    Ends(Duration),
    Fails(Duration),
    Panics(Duration),
    /// The service never closes.
    Deaf,
    /// The service panics while it closes.
    PanicsLate,
}

#[derive(Debug, thiserror::Error)]
enum NodeError {
    #[error("{0} is broken")]
    Broken(String),
    #[error("port {0} is in use")]
    PortInUse(u16),
    #[error("the database is in use")]
    DatabaseInUse,
}

impl Machine {
    fn with<T>(&self, f: impl FnOnce(&mut Inside) -> T) -> T {
        f(&mut self.0.lock().unwrap())
    }

    fn breaks(&self, name: &'static str, how: How) {
        self.with(|inside| inside.broken = Some((name, how)));
    }

    fn how(&self, name: &str) -> Option<How> {
        self.with(|inside| inside.broken.filter(|(broken, _)| *broken == name).map(|(_, how)| how))
    }

    fn take(&self) -> Vec<String> {
        self.with(|inside| std::mem::take(&mut inside.log))
    }

    /// Returns the listener of a port that is free; 0 stands for any.
    fn listen(&self, port: u16) -> Result<Listener, NodeError> {
        let port = if port == 0 { 40_404 } else { port };
        if self.with(|inside| inside.open_ports.contains(&port)) {
            return Err(NodeError::PortInUse(port));
        }
        self.with(|inside| inside.open_ports.push(port));
        Ok(Listener { port, machine: self.clone() })
    }

    fn open_database(&self) -> Result<Database, NodeError> {
        if self.with(|inside| std::mem::replace(&mut inside.databases, 1)) == 1 {
            return Err(NodeError::DatabaseInUse);
        }
        Ok(Database(self.clone()))
    }
}

/// Exists once, and is not `Clone`.
struct Database(Machine);

impl Drop for Database {
    fn drop(&mut self) {
        self.0.with(|inside| inside.databases -= 1);
    }
}

struct Listener {
    port: u16,
    machine: Machine,
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.machine.with(|inside| inside.open_ports.retain(|port| *port != self.port));
    }
}

/// The price of a transaction: one service sets it, others read it.
#[derive(Clone, Default, Debug)]
struct Prices(Arc<watch::Sender<u64>>);

/// The interface of the services, with which they run in other programs, too.
trait Service: Send + 'static {
    fn open(&mut self, name: &str) -> impl Future<Output = Result<(), NodeError>> + Send;
    fn work(&mut self) -> impl Future<Output = Result<(), NodeError>> + Send;
    fn close(self) -> impl Future<Output = ()> + Send;
}

/// A service; it owns what it works on, and is not `Clone`.
struct Part<T> {
    of: T,
    name: String,
    machine: Machine,
}

impl<T> Part<T> {
    fn new(machine: Machine, of: T) -> Self {
        Part { of, name: String::new(), machine }
    }

    fn log(&self, sign: char) {
        self.machine.with(|inside| inside.log.push(format!("{sign}{}", self.name)));
    }
}

impl<T: Send + Sync + 'static> Service for Part<T> {
    async fn open(&mut self, name: &str) -> Result<(), NodeError> {
        self.name = name.to_owned();
        tokio::time::sleep(ms(10)).await;
        match self.machine.how(&self.name) {
            Some(How::Unable) => return Err(NodeError::Broken(self.name.clone())),
            Some(How::Slow(time)) => tokio::time::sleep(time).await,
            _ => {}
        }
        self.log('+');
        Ok(())
    }

    async fn work(&mut self) -> Result<(), NodeError> {
        let how = self.machine.how(&self.name);
        match how {
            Some(How::Ends(after) | How::Fails(after) | How::Panics(after)) => tokio::time::sleep(after).await,
            _ => std::future::pending().await,
        }
        match how {
            Some(How::Fails(_)) => Err(NodeError::Broken(self.name.clone())),
            Some(How::Panics(_)) => panic!("planned panic of {}", self.name),
            _ => Ok(()),
        }
    }

    async fn close(self) {
        match self.machine.how(&self.name) {
            Some(How::Deaf) => std::future::pending().await,
            Some(How::PanicsLate) => panic!("planned panic of {}", self.name),
            _ => tokio::time::sleep(ms(10)).await,
        }
        self.log('-');
        drop(self.of);
    }
}

// glue: runs a service of the existing interface as a task.
async fn run(cx: TaskContext, mut service: impl Service) -> Result<(), NodeError> {
    service.open(cx.path().rsplit('/').next().unwrap_or_default()).await?;
    cx.ready();
    tokio::select! {
        _ = cx.stopped() => {}
        ended = service.work() => return ended,
    }
    service.close().await;
    Ok(())
}
// end of glue

#[derive(Clone)]
struct Config {
    port: u16,
    /// Whether blocks of another chain are followed.
    sync: bool,
}

supervisor! {
    /// `significant`: the node ends when any of its services ends. `Temporary`: no service is started twice.
    struct Node(config: Config, machine: Machine) {
        #![lifecycle(Temporary, start = 30s, shutdown = 5s)]

        let database = Arc::new(machine.open_database()?);
        /// The price of a transaction.
        pub let prices: Prices = Prices::default();
        #[cfg(debug_assertions)]
        let profile = watch::Sender::new(0);

        #[lifecycle(ready, significant)]
        telemetry: task = |cx| run(cx, Part::new(machine, ())),
        #[cfg(debug_assertions)]
        #[lifecycle(ready, significant)]
        profiler: task = |cx| run(cx, Part::new(machine, profile)),

        /// The storage on this machine's disks: it ends when any of its services ends, and the node ends with it.
        #[lifecycle(significant, start = 2min)]
        storage: struct Storage {
            #![lifecycle(Temporary, start = 30s, shutdown = 5s)]
            #[lifecycle(ready, significant)]
            disk: task = |cx| run(cx, Part::new(machine, database)),
            #[lifecycle(ready, significant)]
            journal: task = |cx| run(cx, Part::new(machine, database)),
            #[lifecycle(ready, significant)]
            replicas: task = |cx| run(cx, Part::new(machine, ())),
        },

        #[lifecycle(ready, significant)]
        fees: task = |cx| run(cx, Part::new(machine, prices)),
        #[lifecycle(ready, significant)]
        importer: task = |cx| run(cx, Part::new(machine, database)),
        #[lifecycle(ready, significant)]
        pool: task = |cx| run(cx, Part::new(machine, prices)),
        #[lifecycle(ready, significant, start = 2h)]
        sync: Option<task> = config.sync.then_some(|cx: TaskContext| run(cx, Part::new(machine, database))),
        #[lifecycle(ready, significant)]
        network: task = |cx| run(cx, Part::new(machine, ())),

        let listener = Arc::new(machine.listen(config.port)?);
        /// The port that the machine has chosen, or that of the configuration.
        pub let port: u16 = listener.port;
        #[lifecycle(ready, significant)]
        api: task = |cx| run(cx, Part::new(machine, (listener, prices))),

        /// Produces blocks: only when all others are ready.
        #[lifecycle(ready, significant)]
        producer: task = |cx| run(cx, Part::new(machine, ())),
    }
}

const ANY: Config = Config { port: 0, sync: true };

const ORDER: &[&str] = &[
    "telemetry",
    #[cfg(debug_assertions)]
    "profiler",
    "disk",
    "journal",
    "replicas",
    "fees",
    "importer",
    "pool",
    "sync",
    "network",
    "api",
    "producer",
];

fn opened(of: &[&str]) -> Vec<String> {
    of.iter().map(|name| format!("+{name}")).collect()
}

/// All of these services except `gone`, in reverse.
fn closed_but(gone: &str, of: &[&str]) -> Vec<String> {
    of.iter().rev().filter(|name| **name != gone).map(|name| format!("-{name}")).collect()
}

fn is_stored(name: &str) -> bool {
    ["disk", "journal", "replicas"].contains(&name)
}

fn path(name: &str) -> String {
    if is_stored(name) { format!("storage/{name}") } else { name.to_owned() }
}

/// S21, S29, S30, S45: each service starts when the one before it is ready, and `start` returns after the last. The
/// handle has the port and what the services share.
#[tokio::test(start_paused = true)]
async fn the_services_start_in_order_and_the_node_is_ready_with_the_last() {
    let machine = Machine::default();
    let begin = Instant::now();
    let node = Node::start(ANY, machine.clone()).await.unwrap();
    assert_eq!(begin.elapsed(), ms(10) * ORDER.len() as u32, "the services start one after the other");
    assert!(soon(node.ready()).await);
    assert_eq!(machine.take(), opened(ORDER));
    assert_eq!(node.port(), Some(40_404));
    node.prices().unwrap().0.send_replace(7);
    pass(secs(3600)).await;
    assert_eq!(*node.prices().unwrap().0.borrow(), 7, "one value, which all share");
    let handle = node.handle();
    let report = node.shutdown().await;
    assert!(report.is_orderly(), "{report}");
    assert_eq!(machine.take(), closed_but("", ORDER));
    assert!(handle.port().is_none() && handle.prices().is_none());
    assert_eq!(machine.with(|inside| (inside.open_ports.len(), inside.databases)), (0, 0));
}

/// S28: a node that follows no other chain has no such service.
#[tokio::test(start_paused = true)]
async fn a_service_that_is_not_wanted_is_not_there() {
    let machine = Machine::default();
    let node = Node::start(Config { sync: false, ..ANY }, machine.clone()).await.unwrap();
    assert!(node.sync.is_none());
    assert!(!machine.take().contains(&"+sync".to_owned()));
    assert!(node.shutdown().await.is_orderly());
}

/// S22: when any of the services ends, in any way, the node ends in reverse order, and names that service.
#[tokio::test(start_paused = true)]
async fn the_node_ends_with_the_first_of_its_services() {
    for &name in ORDER {
        for how in [How::Ends(secs(5)), How::Fails(secs(5)), How::Panics(secs(5))] {
            quiet_panics();
            let machine = Machine::default();
            machine.breaks(name, how);
            let node = Node::start(ANY, machine.clone()).await.unwrap();
            machine.take();
            let begin = Instant::now();
            let report = soon(node.join()).await;
            match (&report.ended, how) {
                (Ended::Done, How::Ends(_)) => {}
                (Ended::Failed(failure), How::Fails(_)) => {
                    assert_eq!(failure.path(), path(name));
                    assert!(matches!(failure.error(), Some(NodeError::Broken(broken)) if broken == name));
                }
                (Ended::Failed(failure), How::Panics(_)) => {
                    assert_eq!(failure.path(), path(name));
                    assert!(matches!(failure.cause(), Cause::Panic(_)));
                }
                (other, how) => panic!("{name} {how:?}: {other}"),
            }
            assert!(begin.elapsed() < secs(6));
            pass(secs(60)).await;
            // If the service belongs to the storage, the storage ends first, and then the node.
            let (mut first, then): (Vec<_>, Vec<_>) =
                closed_but(name, ORDER).into_iter().partition(|line| is_stored(name) && is_stored(&line[1..]));
            first.extend(then);
            assert_eq!(machine.take(), first, "{name} {how:?}");
        }
    }
}

/// S13, S21: a service that cannot start, or is never ready, fails the start of the node, and nothing is left running.
#[tokio::test(start_paused = true)]
async fn a_node_that_cannot_come_up_leaves_nothing() {
    for (place, &name) in ORDER.iter().enumerate() {
        for how in [How::Unable, How::Slow(Duration::MAX)] {
            let machine = Machine::default();
            machine.breaks(name, how);
            let begin = Instant::now();
            let failure = soon(Node::start(ANY, machine.clone())).await.unwrap_err();
            assert_eq!((failure.path(), failure.phase()), (path(name).as_str(), Phase::Start));
            match how {
                How::Unable => assert!(matches!(failure.error(), Some(NodeError::Broken(_)))),
                _ => {
                    assert!(matches!(failure.cause(), Cause::TimedOut), "{failure}");
                    let limit = if name == "sync" { secs(7200) } else { secs(30) };
                    // The time to start, the time to stop after the timeout, and the time that the other services take
                    // to open and close.
                    assert_eq!(begin.elapsed(), limit + secs(5) + ms(20) * place as u32);
                }
            }
            assert_eq!(machine.take(), [opened(&ORDER[..place]), closed_but("", &ORDER[..place])].concat());
            assert_eq!(machine.with(|inside| (inside.open_ports.len(), inside.databases)), (0, 0));
        }
    }
}

/// S21, S30: a port that is in use is found when all that stands before it is up, and is rolled back in reverse.
#[tokio::test(start_paused = true)]
async fn a_port_in_use_takes_the_node_down_again() {
    let machine = Machine::default();
    let _other = machine.listen(8080).unwrap();
    let failure = Node::start(Config { port: 8080, ..ANY }, machine.clone()).await.unwrap_err();
    assert!(matches!(failure.error(), Some(NodeError::PortInUse(8080))), "{failure}");
    let up = &ORDER[..ORDER.len() - 2];
    assert_eq!(machine.take(), [opened(up), closed_but("", up)].concat());
}

/// S21, S43: a signal during an hour of synchronization is obeyed at once, and what is up goes down in reverse.
#[tokio::test(start_paused = true)]
async fn a_signal_is_heard_while_the_node_still_starts() {
    let machine = Machine::default();
    machine.breaks("sync", How::Slow(secs(3600)));
    let begin = Instant::now();
    let report = Node::run(ANY, machine.clone(), tokio::time::sleep(secs(60))).await.unwrap();
    // The service that still opens does not listen for the stop, and is cut off.
    assert!(begin.elapsed() <= secs(60 + 6), "{:?}", begin.elapsed());
    assert!(matches!(report.ended, Ended::Stopped), "{report}");
    let up = &ORDER[..ORDER.iter().position(|name| *name == "sync").unwrap()];
    assert_eq!(machine.take(), [opened(up), closed_but("", up)].concat());
}

/// S24: a service that ignores the stop is aborted after its five seconds, and named; the others close as always.
#[tokio::test(start_paused = true)]
async fn a_service_that_does_not_go_down_is_cut_off() {
    let machine = Machine::default();
    machine.breaks("pool", How::Deaf);
    let node = Node::start(ANY, machine.clone()).await.unwrap();
    machine.take();
    let begin = Instant::now();
    let report = node.shutdown().await;
    assert_eq!(begin.elapsed(), secs(5) + ms(10) * (ORDER.len() as u32 - 1));
    let aborted: Vec<_> = report.children.iter().filter(|child| child.aborted).map(|child| &child.path).collect();
    assert_eq!(aborted, ["pool"]);
    assert_eq!(machine.take(), closed_but("pool", ORDER));
}

/// S24: a panic in a shutdown harms no other service, and the program does not report success.
#[tokio::test(start_paused = true)]
async fn a_panic_in_a_shutdown_harms_nobody_and_is_reported() {
    quiet_panics();
    let machine = Machine::default();
    machine.breaks("network", How::PanicsLate);
    let node = Node::start(ANY, machine.clone()).await.unwrap();
    machine.take();
    let report = node.shutdown().await;
    assert_eq!(machine.take(), closed_but("network", ORDER));
    assert!(matches!(report.ended, Ended::Stopped) && !report.is_orderly());
    assert!(report.to_string().contains("network"), "{report}");
}
