//! BackgroundFuture futures: polled in the actor's own task, each only after it was woken.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll, Wake, Waker};

use super::Queue;
use crate::base::sync::atomic::{AtomicBool, Ordering};
use crate::base::sync::{Arc, Mutex, foreign, lock};
use crate::base::{BoxFuture, Each};
use crate::values::failure::panic_text;

/// A future that resolves to the tick that carries its result to the actor.
pub(crate) type BackgroundFuture = BoxFuture<'static, Arc<dyn Queue>>;

/// The subordinate futures of one incarnation.
pub(super) struct FutureSet {
    running: HashMap<u64, (BackgroundFuture, Arc<TaskWaker>)>,
    numbers: u64,
    woken: Arc<ReadyQueue>,
}

/// The numbers of the futures that were woken since the last poll.
struct ReadyQueue {
    /// Wakes the actor's task.
    task: Waker,
    numbers: Mutex<Vec<u64>>,
}

/// The waker of one future.
struct TaskWaker {
    number: u64,
    scheduled: AtomicBool,
    woken: Arc<ReadyQueue>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.scheduled.swap(true, Ordering::AcqRel) {
            lock(&self.woken.numbers).push(self.number);
            foreign();
            self.woken.task.wake_by_ref();
        }
    }
}

impl FutureSet {
    /// `task` is woken when one of them can go on.
    pub(super) fn new(task: Waker) -> Self {
        let woken = Arc::new(ReadyQueue { task, numbers: Mutex::default() });
        FutureSet { running: HashMap::new(), numbers: 0, woken }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    pub(super) fn add(&mut self, future: BackgroundFuture) {
        self.numbers += 1;
        let number = self.numbers;
        let bell = Arc::new(TaskWaker { number, scheduled: AtomicBool::new(true), woken: self.woken.clone() });
        self.running.insert(number, (future, bell));
        lock(&self.woken.numbers).push(number);
    }

    /// Drops all futures, each in its own call of `each`.
    pub(super) fn dismantle(self, each: Each<'_>) {
        let mut running: Vec<_> = self.running.into_iter().collect();
        running.sort_unstable_by_key(|(number, _)| *number); // so that a run can be repeated (S34)
        for (_, (future, bell)) in running {
            let mut future = Some(future);
            each(&mut || future = None);
            drop(bell);
        }
    }

    /// Polls the futures that were woken. A future that panics is dropped; the first panic is returned.
    pub(super) fn poll(&mut self, mut done: impl FnMut(Arc<dyn Queue>)) -> Result<(), String> {
        let woken = std::mem::take(&mut *lock(&self.woken.numbers));
        let mut panicked = Ok(());
        for number in woken {
            let Some((mut future, bell)) = self.running.remove(&number) else { continue };
            bell.scheduled.store(false, Ordering::Release);
            let waker = Waker::from(bell.clone());
            let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut Context::from_waker(&waker))));
            if let Ok(Poll::Pending) = polled {
                self.running.insert(number, (future, bell));
                continue;
            }
            // Outside of the catch around its poll: a second panic, in its `Drop`, would end the process.
            let dropped = catch_unwind(AssertUnwindSafe(|| drop(future)));
            match polled {
                Ok(Poll::Ready(tick)) => done(tick),
                Ok(Poll::Pending) => {}
                Err(panic) => panicked = panicked.and(Err(panic_text(panic))),
            }
            if let Err(panic) = dropped {
                panicked = panicked.and(Err(panic_text(panic)));
            }
        }
        panicked
    }
}
