use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use supervise::BoxError;
use supervise::prelude::*;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::Mutex;
use tokio::time::timeout;

use crate::config::Current;
use crate::journal::{Journal, JournalCalls};

/// The process of a child.
#[derive(Clone, Default)]
pub struct Slot(Arc<Mutex<Option<Child>>>);

/// The time between SIGTERM and SIGKILL: less than `shutdown` of the task.
const GRACE: Duration = Duration::from_secs(2);

#[derive(Debug, thiserror::Error)]
#[error("the process has ended: {0}")]
struct Exited(ExitStatus);

/// Runs the process until it ends, or the task is asked to stop. Each end by itself is a failure.
pub async fn run(cx: TaskContext, slot: Slot, config: Current, journal: ActorRef<Journal>) -> Result<(), BoxError> {
    let script = config.borrow().process.clone();
    let mut slot = slot.0.lock().await;
    bury(&mut slot).await?; // if the task before was aborted
    let mut command = Command::new("sh");
    command.args(["-c", &script]).stdin(Stdio::null()).stdout(Stdio::piped()).process_group(0).kill_on_drop(true);
    let process = slot.insert(command.spawn()?);
    tracing::info!(pid = process.id(), "the process runs");
    let mut lines = BufReader::new(process.stdout.take().ok_or("no stdout")?).lines();
    let mut open = true;
    loop {
        tokio::select! {
            line = lines.next_line(), if open => match line? {
                Some(line) => journal.tick(line).forget().await?,
                None => open = false,
            },
            status = process.wait() => return Err(Exited(status?).into()),
            _ = cx.stopped() => break,
        }
    }
    send(process, "TERM").await?;
    if timeout(GRACE, process.wait()).await.is_err() {
        bury(&mut slot).await?;
    }
    Ok(())
}

/// Kills what is left in the slot, and waits until it is gone.
async fn bury(slot: &mut Option<Child>) -> io::Result<()> {
    if let Some(process) = slot {
        send(process, "KILL").await?;
        process.wait().await?;
    }
    *slot = None;
    Ok(())
}

/// Sends a signal to the group of the process.
async fn send(process: &Child, signal: &str) -> io::Result<()> {
    let Some(id) = process.id() else { return Ok(()) };
    Command::new("kill").args([&format!("-{signal}"), "--", &format!("-{id}")]).status().await.map(drop)
}

/// Empties the slot after the process has stopped.
pub async fn bury_last(cx: TaskContext, slot: Slot) -> io::Result<()> {
    cx.stopped().await;
    bury(&mut *slot.0.lock().await).await
}
