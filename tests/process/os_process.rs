//! A process of the operating system as a child, as `docs/recipes/blocking.md` has it: never two at a time, and none left, whatever
//! ends the child. With `sh`, and in real time.

#![cfg(target_os = "linux")]
#![allow(missing_docs)]

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use supervise::BoxError;
use supervise::event::EventKind;
use supervise::prelude::*;
use tokio::process::{Child, Command};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};

// ----- the recipe

#[derive(Clone, Default)]
struct Slot(Arc<Mutex<Option<Child>>>);

const GRACE: Duration = Duration::from_millis(300);

#[derive(Debug, thiserror::Error)]
#[error("the server has ended: {0}")]
struct Exited(ExitStatus);

async fn server(cx: TaskContext, slot: Slot, script: String) -> Result<(), BoxError> {
    let mut slot = slot.0.lock().await;
    bury(&mut slot).await?;
    let mut command = Command::new("sh");
    command.args(["-c", &script]).process_group(0).kill_on_drop(true);
    let process = slot.insert(command.spawn()?);
    let status = tokio::select! {
        status = process.wait() => Some(status?),
        _ = cx.stopped() => None,
    };
    let Some(status) = status else {
        send(process, "TERM").await?;
        if timeout(GRACE, process.wait()).await.is_err() {
            bury(&mut slot).await?;
        }
        return Ok(());
    };
    if status.success() { Ok(()) } else { Err(Exited(status).into()) }
}

async fn bury(slot: &mut Option<Child>) -> io::Result<()> {
    if let Some(process) = slot {
        send(process, "KILL").await?;
        process.wait().await?;
    }
    *slot = None;
    Ok(())
}

async fn send(process: &Child, signal: &str) -> io::Result<()> {
    let Some(id) = process.id() else { return Ok(()) };
    Command::new("kill").args([&format!("-{signal}"), "--", &format!("-{id}")]).status().await.map(drop)
}

async fn bury_last(cx: TaskContext, slot: Slot) -> io::Result<()> {
    cx.stopped().await;
    bury(&mut *slot.0.lock().await).await
}

supervisor! {
    struct Service(script: String) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #![decider(Cause::Killed => Restart, _ => Default)]
        let slot = Slot::default();

        undertaker: task = |cx| bury_last(cx, slot),

        #[lifecycle(Permanent, shutdown = 2s)]
        server: task = |cx| server(cx, slot, script),
    }

    /// Its time is over before the process obeys.
    struct Hasty(script: String) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        let slot = Slot::default();

        undertaker: task = |cx| bury_last(cx, slot),

        #[lifecycle(Permanent, shutdown = 20ms)]
        server: task = |cx| server(cx, slot, script),
    }
}

// ----- what the processes do

/// A folder in which each process leaves a file with its number, its worker `w` and the number, and a process that found
/// another one alive the file `two`.
struct Yard(PathBuf);

impl Yard {
    fn new(name: &str) -> Yard {
        let path = std::env::temp_dir().join(format!("supervise-process-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Yard(path)
    }

    /// A process with a worker, which is a process of its group. `on_term`: the answer of both to SIGTERM. Both end with
    /// the yard, if a test has failed.
    fn script(&self, on_term: &str) -> String {
        let yard = self.0.display();
        format!(
            "trap '{on_term}' TERM; for pid in $(ls {yard}); do kill -0 $pid 2>/dev/null && touch {yard}/two; done; \
             sh -c 'trap \"{on_term}\" TERM; touch {yard}/w$$; while [ -d {yard} ]; do sleep 0.02; done' & \
             touch {yard}/$$; while [ -d {yard} ]; do sleep 0.02; done"
        )
    }

    fn processes(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// Waits until so many processes have started, in all, each with its worker.
    async fn have_begun(&self, number: usize) {
        until(|| self.processes().len() >= 2 * number).await;
    }

    /// Checks that there were never two, and that none is left. A worker is waited for by nobody in this program.
    async fn is_clean(&self, begun: usize) {
        let processes = self.processes();
        assert_eq!(processes.len(), 2 * begun, "{processes:?}");
        for process in &processes {
            match process.strip_prefix('w') {
                Some(worker) => until(|| is_gone(worker)).await,
                None => assert!(is_gone(process), "{process} is left, of {processes:?}"),
            }
        }
    }
}

impl Drop for Yard {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns whether the process has ended, be it that nobody has asked how.
fn is_gone(process: &str) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{process}/stat")) else { return true };
    stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z'))
}

async fn until(holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(20), "it does not come");
        sleep(Duration::from_millis(5)).await;
    }
}

/// S25: a process, whether it obeys or not, is gone before the next one begins, and before the end of the tree:
/// after restarts by hand, after kills of the task, and after it has ended by itself.
#[tokio::test]
async fn there_is_one_process_at_a_time_and_none_in_the_end() {
    for (name, on_term) in [("obeys", "exit 0"), ("deaf", "")] {
        let yard = Yard::new(name);
        let service = Service::start(yard.script(on_term)).await.unwrap();
        yard.have_begun(1).await;
        for begun in 2..=3 {
            service.server.restart().unwrap().await.unwrap();
            yard.have_begun(begun).await;
        }
        for begun in 4..=5 {
            service.server.kill();
            yard.have_begun(begun).await;
        }
        let report = service.shutdown().await;
        assert!(report.is_orderly(), "{name}: {report}");
        yard.is_clean(5).await;
    }
}

/// S25: an abort drops the task, and the process is buried all the same: by the next start, and by the child above.
#[tokio::test]
async fn an_abort_leaves_no_process_beside_the_next_one() {
    let yard = Yard::new("hasty");
    let service = Hasty::start(yard.script("")).await.unwrap();
    yard.have_begun(1).await;
    for begun in 2..=4 {
        service.server.restart().unwrap().await.unwrap();
        yard.have_begun(begun).await;
    }
    let report = service.shutdown().await;
    assert!(report.children.iter().any(|child| child.path == "server" && child.aborted), "{report}");
    yard.is_clean(4).await;
}

/// S6: an exit code other than 0 is a failure of the child, which names it.
#[tokio::test]
async fn an_exit_code_is_a_failure() {
    let mut tree = Service::tree("exit 3".to_owned());
    let mut events = tree.events();
    let service = tree.start().await.unwrap();
    let failure = loop {
        if let EventKind::Failed { failure, .. } = events.next().await.unwrap().kind {
            break failure;
        }
    };
    assert_eq!(failure.find::<Exited>().unwrap().0.code(), Some(3), "{failure}");
    service.shutdown().await;
}
