//! Tasks of the model checker. They are counted, so that a schedule ends when all of them have ended: a task that is
//! left over is a deadlock, which the checker reports.

use std::cell::RefCell;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

pub use shuttle::future::{JoinHandle, yield_now};

/// The number of a task, which no task has here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id(());

pub fn try_id() -> Option<Id> {
    None
}

/// Returns the future as it is: no task is forced to yield here.
pub fn unconstrained<F: Future>(future: F) -> F {
    future
}

#[derive(Default)]
struct Tasks {
    running: usize,
    waiting: Option<Waker>,
}

thread_local! {
    static TASKS: RefCell<Tasks> = const { RefCell::new(Tasks { running: 0, waiting: None }) };
}

fn with<T>(f: impl FnOnce(&mut Tasks) -> T) -> T {
    TASKS.with(|tasks| f(&mut tasks.borrow_mut()))
}

/// Resets the count. Call this first in each schedule.
pub fn begin() {
    std::mem::forget(with(std::mem::take));
}

/// Waits until every task that was spawned has ended.
pub async fn all_ended() {
    poll_fn(|cx| {
        with(|tasks| match tasks.running {
            0 => Poll::Ready(()),
            _ => {
                tasks.waiting = Some(cx.waker().clone());
                Poll::Pending
            }
        })
    })
    .await;
}

struct Running;

impl Running {
    fn new() -> Self {
        with(|tasks| tasks.running += 1);
        Running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let waiting = with(|tasks| {
            tasks.running -= 1;
            if tasks.running == 0 { tasks.waiting.take() } else { None }
        });
        waiting.into_iter().for_each(Waker::wake);
    }
}

/// Spawns a separate task, like tokio's: it continues when the handle is dropped.
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let running = Running::new();
    shuttle::future::spawn(async move {
        let _running = running;
        future.await
    })
}

/// The task was aborted. (A panic of a task fails the schedule, so a panic is never the reason.)
#[derive(Debug)]
pub struct JoinError(());

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("aborted")
    }
}

impl std::error::Error for JoinError {}

impl JoinError {
    pub fn is_panic(&self) -> bool {
        false
    }

    pub fn is_cancelled(&self) -> bool {
        true
    }

    pub fn try_into_panic(self) -> Result<Box<dyn std::any::Any + Send + 'static>, JoinError> {
        Err(self)
    }
}

/// Tasks that end with their set.
pub struct JoinSet<T> {
    tasks: Vec<JoinHandle<T>>,
}

impl<T> fmt::Debug for JoinSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinSet").field("len", &self.tasks.len()).finish()
    }
}

impl<T> Default for JoinSet<T> {
    fn default() -> Self {
        JoinSet { tasks: Vec::new() }
    }
}

impl<T: Send + 'static> JoinSet<T> {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    pub fn spawn(&mut self, future: impl Future<Output = T> + Send + 'static) {
        self.tasks.push(spawn(future));
    }

    pub fn poll_join_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, JoinError>>> {
        if self.tasks.is_empty() {
            return Poll::Ready(None);
        }
        for i in 0..self.tasks.len() {
            if let Poll::Ready(result) = Pin::new(&mut self.tasks[i]).poll(cx) {
                drop(self.tasks.remove(i));
                return Poll::Ready(Some(result.map_err(|_| JoinError(()))));
            }
        }
        Poll::Pending
    }

    pub async fn shutdown(&mut self) {
        self.tasks.iter().for_each(|task| task.abort());
        while poll_fn(|cx| self.poll_join_next(cx)).await.is_some() {}
    }
}

impl<T> Drop for JoinSet<T> {
    fn drop(&mut self) {
        self.tasks.iter().for_each(|task| task.abort());
    }
}
