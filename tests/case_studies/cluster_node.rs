//! A node of a cluster: fifteen services of three kinds that need each other. The node takes part in the cluster only
//! as a whole. The services start in order, each when those that it needs have signalled that they are ready; the node
//! reports ready when the last service is. When any of them ends, whatever the reason, the node ends and leaves the
//! rest to its operator.
//!
//! Requirements: no half-started service is visible; a node that cannot come up leaves nothing running; the node goes
//! down in reverse order, each service within its time; and the report names the service that ended.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{ms, pass, quiet_panics, secs, soon};

/// The machine that the node runs on: a log of its services, and the planned faults.
#[derive(Clone, Default)]
struct Machine {
    log: Arc<Mutex<Vec<String>>>,
    broken: Arc<Mutex<Option<(&'static str, How)>>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum How {
    /// The service fails to start.
    Unable,
    /// The service never signals that it is ready.
    Dumb,
    /// The service ends this long after it was ready, as if its work were done.
    Ends(Duration),
    /// The service fails this long after it was ready.
    Fails(Duration),
    Panics(Duration),
    /// The service ignores the stop.
    Deaf,
}

#[derive(Debug, thiserror::Error)]
#[error("{0} is broken")]
struct Broken(&'static str);

impl Machine {
    fn breaks(&self, name: &'static str, how: How) {
        *self.broken.lock().unwrap() = Some((name, how));
    }

    fn how(&self, name: &str) -> Option<How> {
        self.broken.lock().unwrap().filter(|(broken, _)| *broken == name).map(|(_, how)| how)
    }

    fn log(&self, line: String) {
        self.log.lock().unwrap().push(line);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }
}

/// The code of every service: the service opens, signals that it is ready, works, and closes when it is asked to stop.
async fn service(name: &'static str, machine: Machine, cx: TaskContext) -> Result<(), Broken> {
    let how = machine.how(name);
    tokio::time::sleep(ms(10)).await; // opening
    if how == Some(How::Unable) {
        return Err(Broken(name));
    }
    if how == Some(How::Dumb) {
        return std::future::pending().await;
    }
    machine.log(format!("+{name}"));
    cx.ready();
    tokio::select! {
        _ = cx.stopped() => {}
        result = breaks(name, how) => return result,
    }
    if how == Some(How::Deaf) {
        std::future::pending::<()>().await;
    }
    tokio::time::sleep(ms(10)).await; // closing
    machine.log(format!("-{name}"));
    Ok(())
}

async fn breaks(name: &'static str, how: Option<How>) -> Result<(), Broken> {
    match how {
        Some(How::Ends(after)) => tokio::time::sleep(after).await,
        Some(How::Fails(after)) => {
            tokio::time::sleep(after).await;
            return Err(Broken(name));
        }
        Some(How::Panics(after)) => {
            tokio::time::sleep(after).await;
            panic!("planned panic of {name}");
        }
        _ => std::future::pending().await,
    }
    Ok(())
}

supervisor! {
    /// `significant`: the node ends when any of its services ends. `Temporary`: no service is started twice.
    struct Node(machine: Machine) {
        #[lifecycle(Temporary, ready, significant, start = 30s, shutdown = 2s)]
        telemetry: task = |cx| service("telemetry", machine, cx),
        #[lifecycle(Temporary, ready, significant, start = 30s, shutdown = 2s)]
        config: task = |cx| service("config", machine, cx),
        #[lifecycle(Temporary, ready, significant, start = 30s, shutdown = 2s)]
        secrets: task = |cx| service("secrets", machine, cx),

        /// The storage on this machine's disks: it ends when any of its services ends, and the node ends with it.
        #[lifecycle(Transient, significant)]
        storage: struct Storage {
            #[lifecycle(Temporary, ready, significant, start = 30s, shutdown = 2s)]
            disk: task = |cx| service("disk", machine, cx),
            #[lifecycle(Temporary, ready, significant, start = 30s, shutdown = 2s)]
            journal: task = |cx| service("journal", machine, cx),
            #[lifecycle(Temporary, ready, significant, start = 30s, shutdown = 2s)]
            cache: task = |cx| service("cache", machine, cx),
            #[lifecycle(Temporary, ready, significant, start = 30s, shutdown = 2s)]
            replicas: task = |cx| service("replicas", machine, cx),
        },

        #[lifecycle(Temporary, ready, significant, start = 30s, shutdown = 2s)]
        membership: task = |cx| service("membership", machine, cx),
        #[lifecycle(Temporary, ready, significant, start = 30s, shutdown = 2s)]
        election: task = |cx| service("election", machine, cx),
        #[lifecycle(Temporary, ready, significant, start = 30s, shutdown = 2s)]
        scheduler: task = |cx| service("scheduler", machine, cx),
        #[lifecycle(Temporary, ready, significant, start = 30s, shutdown = 2s)]
        queries: task = |cx| service("queries", machine, cx),
        #[lifecycle(Temporary, ready, significant, start = 30s, shutdown = 2s)]
        compaction: task = |cx| service("compaction", machine, cx),
        #[lifecycle(Temporary, ready, significant, start = 30s, shutdown = 2s)]
        backups: task = |cx| service("backups", machine, cx),
        #[lifecycle(Temporary, ready, significant, start = 30s, shutdown = 2s)]
        admin: task = |cx| service("admin", machine, cx),
        #[lifecycle(Temporary, ready, significant, start = 30s, shutdown = 2s)]
        api: task = |cx| service("api", machine, cx),
    }
}

const ORDER: [&str; 15] = [
    "telemetry",
    "config",
    "secrets",
    "disk",
    "journal",
    "cache",
    "replicas",
    "membership",
    "election",
    "scheduler",
    "queries",
    "compaction",
    "backups",
    "admin",
    "api",
];

/// All services except `gone`, in reverse.
fn closed_but(gone: &str) -> Vec<String> {
    ORDER.iter().rev().filter(|name| **name != gone).map(|name| format!("-{name}")).collect()
}

fn is_stored(name: &str) -> bool {
    ["disk", "journal", "cache", "replicas"].contains(&name)
}

fn path(name: &str) -> String {
    if is_stored(name) { format!("storage/{name}") } else { name.to_owned() }
}

/// S21, S29: each service starts when the one before it has signalled that it is ready, and `start` returns after the
/// last.
#[tokio::test(start_paused = true)]
async fn the_services_start_in_order_and_the_node_is_ready_with_the_last() {
    let machine = Machine::default();
    let begin = Instant::now();
    let node = Node::start(machine.clone()).await.unwrap();
    assert_eq!(begin.elapsed(), ms(150), "the services start one after the other");
    assert!(soon(node.ready()).await);
    assert_eq!(machine.take(), ORDER.map(|name| format!("+{name}")));
    pass(secs(3600)).await;
    assert!(node.ended().is_none());
    let report = node.shutdown().await;
    assert!(report.is_orderly(), "{report}");
    assert_eq!(machine.take(), closed_but(""));
}

/// S22: when any of the fifteen services ends, in any way, the node ends in reverse order, and names that service.
#[tokio::test(start_paused = true)]
async fn the_node_ends_with_the_first_of_its_services() {
    for name in ORDER {
        for how in [How::Ends(secs(5)), How::Fails(secs(5)), How::Panics(secs(5))] {
            quiet_panics();
            let machine = Machine::default();
            machine.breaks(name, how);
            let node = Node::start(machine.clone()).await.unwrap();
            machine.take();
            let begin = Instant::now();
            let report = soon(node.join()).await;
            match (&report.ended, how) {
                (Ended::Done, How::Ends(_)) => {}
                (Ended::Failed(failure), How::Fails(_)) => {
                    assert_eq!((failure.path(), failure.error::<Broken>().unwrap().0), (path(name).as_str(), name));
                }
                (Ended::Failed(failure), How::Panics(_)) => {
                    assert_eq!(failure.path(), path(name));
                    assert!(matches!(failure.cause(), Cause::Panic(_)));
                }
                (other, how) => panic!("{name} {how:?}: {other}"),
            }
            assert!(begin.elapsed() < secs(6));
            pass(secs(60)).await;
            let closed = machine.take();
            assert!(!closed.iter().any(|line| line.starts_with('+')), "{name} {how:?}: {closed:?}");
            // If the service belongs to the storage, the storage ends first, and then the node.
            let (mut first, then): (Vec<_>, Vec<_>) =
                closed_but(name).into_iter().partition(|line| is_stored(name) && is_stored(&line[1..]));
            first.extend(then);
            assert_eq!(closed, first, "{name} {how:?}");
        }
    }
}

/// S21: a service that cannot start, or never signals that it is ready, fails the start of the node, and nothing is
/// left running.
#[tokio::test(start_paused = true)]
async fn a_node_that_cannot_come_up_leaves_nothing() {
    for (place, name) in ORDER.into_iter().enumerate() {
        for how in [How::Unable, How::Dumb] {
            let machine = Machine::default();
            machine.breaks(name, how);
            let begin = Instant::now();
            let failure = soon(Node::start(machine.clone())).await.unwrap_err();
            assert_eq!((failure.path(), failure.phase()), (path(name).as_str(), Phase::Start));
            match how {
                How::Dumb => {
                    assert!(matches!(failure.cause(), Cause::TimedOut), "{failure}");
                    // The time to start, the time to stop after the timeout, and the time that the other services take
                    // to open and close.
                    assert_eq!(begin.elapsed(), secs(30) + secs(2) + ms(20) * place as u32);
                }
                _ => assert!(failure.error::<Broken>().is_some()),
            }
            let came: Vec<_> = ORDER[..place].iter().map(|name| format!("+{name}")).collect();
            let went: Vec<_> = ORDER[..place].iter().rev().map(|name| format!("-{name}")).collect();
            assert_eq!(machine.take(), [came, went].concat());
        }
    }
}

/// S24: a service that ignores the stop is aborted after its two seconds, and named; the others close as always.
#[tokio::test(start_paused = true)]
async fn a_service_that_does_not_go_down_is_cut_off() {
    let machine = Machine::default();
    machine.breaks("queries", How::Deaf);
    let node = Node::start(machine.clone()).await.unwrap();
    machine.take();
    let begin = Instant::now();
    let report = node.shutdown().await;
    assert_eq!(begin.elapsed(), secs(2) + ms(10) * 14);
    let aborted: Vec<_> = report.children.iter().filter(|child| child.aborted).map(|child| &child.path).collect();
    assert_eq!(aborted, ["queries"]);
    assert_eq!(machine.take(), closed_but("queries"));
}
