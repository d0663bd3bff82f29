//! BackgroundFuture futures: polled in the actor's own task, each only after it was woken.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll, Wake, Waker};

use super::Queue;
use supervise_core::base::sync::atomic::{AtomicBool, Ordering};
use supervise_core::base::sync::{Arc, Mutex, foreign, lock};
use supervise_core::base::{BoxFuture, Each};
use supervise_core::values::event::DeadLetterReason;
use supervise_core::values::failure::panic_text;

/// A future that resolves to the tick that carries its result to the actor.
pub(crate) type BackgroundFuture = BoxFuture<'static, Arc<dyn Queue>>;

/// A future or a source that is polled beside the actor.
pub(crate) enum Running {
    Future(BackgroundFuture),
    Source { items: BoxFuture<'static, ()>, item: Arc<dyn Queue> },
}

impl Running {
    /// Polls it. Ready with the last tick, if there is one.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Arc<dyn Queue>>> {
        match self {
            Running::Future(future) => future.as_mut().poll(cx).map(Some),
            Running::Source { items, .. } => items.as_mut().poll(cx).map(|()| None),
        }
    }

    /// Returns the item of a source that is on its way into the mailbox.
    fn item(&self) -> Option<&Arc<dyn Queue>> {
        match self {
            Running::Source { item, .. } if item.has_item() => Some(item),
            _ => None,
        }
    }
}

/// The subordinate futures and the sources of one incarnation.
pub(super) struct FutureSet {
    running: HashMap<u64, (Running, Arc<TaskWaker>)>,
    /// The number of the futures among them.
    futures: usize,
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
        FutureSet { running: HashMap::new(), futures: 0, numbers: 0, woken }
    }

    pub(super) fn has_futures(&self) -> bool {
        self.futures > 0
    }

    pub(super) fn add(&mut self, future: Running) {
        self.numbers += 1;
        self.futures += usize::from(matches!(future, Running::Future(_)));
        let number = self.numbers;
        let bell = Arc::new(TaskWaker { number, scheduled: AtomicBool::new(true), woken: self.woken.clone() });
        self.running.insert(number, (future, bell));
        lock(&self.woken.numbers).push(number);
    }

    /// Drops all futures, each in its own call of `each`.
    pub(super) fn dismantle(mut self, reason: DeadLetterReason, each: Each<'_>) {
        for running in self.take(|_| true) {
            let mut running = Some(running);
            each(&mut || {
                if let Some(Running::Source { item, .. }) = &running {
                    item.lose(reason);
                }
            });
            each(&mut || running = None);
        }
    }

    /// Removes the sources. An item that one has left stays.
    pub(super) fn take_sources(&mut self) -> Vec<Running> {
        self.take(|running| matches!(running, Running::Source { .. }))
    }

    fn take(&mut self, is_one: impl Fn(&Running) -> bool) -> Vec<Running> {
        let mut taken: Vec<_> = self.running.extract_if(|_, (running, _)| is_one(running)).collect();
        taken.sort_unstable_by_key(|(number, _)| *number); // so that a run can be repeated (S34)
        taken.into_iter().map(|(_, (running, _))| running).collect()
    }

    /// Polls the futures that were woken. A future that panics is dropped; the first panic is returned.
    pub(super) fn poll(&mut self, mut done: impl FnMut(Arc<dyn Queue>)) -> Result<(), String> {
        let woken = std::mem::take(&mut *lock(&self.woken.numbers));
        let mut panicked = Ok(());
        for number in woken {
            let Some((mut future, bell)) = self.running.remove(&number) else { continue };
            bell.scheduled.store(false, Ordering::Release);
            let waker = Waker::from(bell.clone());
            let polled = catch_unwind(AssertUnwindSafe(|| future.poll(&mut Context::from_waker(&waker))));
            let item = future.item().cloned();
            if let Ok(Poll::Pending) = polled {
                self.running.insert(number, (future, bell));
                item.into_iter().for_each(&mut done);
                continue;
            }
            self.futures -= usize::from(matches!(future, Running::Future(_)));
            item.into_iter().for_each(&mut done);
            // Outside of the catch around its poll: a second panic, in its `Drop`, would end the process.
            let dropped = catch_unwind(AssertUnwindSafe(|| drop(future)));
            match polled {
                Ok(Poll::Ready(tick)) => tick.into_iter().for_each(&mut done),
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
