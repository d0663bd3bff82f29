//! An incarnation of a task: its future and its subtasks (S29).

use std::future::{Future, poll_fn, ready};
use std::task::{Context, Poll};

use tokio::sync::mpsc;
use tokio::task::{JoinError, JoinSet};

use crate::actor::options::Reader;
use crate::engine::bus::extension::{Advice, Entered};
use crate::engine::cell::body::{Body, Hands, Served};
use crate::engine::cell::control::{AnyCell, BareCell};
use crate::engine::cell::current;
use crate::engine::cell::stop_signal::StopSignal;
use crate::engine::settings::Common;
use crate::task::{Kept, NeverReady, ReadyDropped, Request, TaskContext, TaskStart, joined};
use supervise_core::base::BoxFuture;
use supervise_core::base::Each;
use supervise_core::base::deferred_drop::CatchDrop;
use supervise_core::base::sync::Arc;
use supervise_core::decide::child::machine::Step;
use supervise_core::values::failure::{Cause, Failure, Phase, Thrown, panic_text};
use supervise_core::values::kind::ChildKind;
use supervise_core::values::stop_reason::StopReason;

pub(crate) struct TaskBody<F> {
    cell: Arc<BareCell>,
    start: CatchDrop<F>,
    options: Reader,
    main: Kept,
    stop_signal: Option<StopSignal>,
    incoming: Option<mpsc::UnboundedReceiver<Request>>,
    ready: bool,
    /// Stored outside of the task's own future, since they are waited for in any case.
    subtasks: JoinSet<Result<(), Thrown>>,
    context: bool,
}

impl<F> TaskBody<F> {
    pub(crate) fn new(cell: Arc<BareCell>, options: Reader, start: F) -> Self {
        TaskBody {
            cell,
            start: CatchDrop::new(start),
            options,
            main: None,
            stop_signal: None,
            incoming: None,
            ready: false,
            subtasks: JoinSet::new(),
            context: false,
        }
    }

    /// Polls the task's own future. `None`: it is still running, or had finished before. A future that panics is not
    /// polled again.
    fn poll_main(&mut self, cx: &mut Context<'_>) -> Option<Result<(), Thrown>> {
        let mut main = self.main.take()?;
        match main.as_mut().poll(cx) {
            Poll::Ready(result) => Some(result),
            Poll::Pending => {
                self.main = Some(main);
                None
            }
        }
    }

    /// Says once that the call of `cx.ready()` has no effect: the task counted as started before.
    fn warn_of_vain_ready(&self) {
        let core = self.cell.core();
        // Of many instances with one declaration, each would say the same.
        if core.incarnation() == 1 && core.is_declared() {
            let path = core.path();
            core.bus.extensions.every(|extension| extension.advises(Advice::VainReady { path: &path }));
        }
    }

    /// Reports a failure on the way down, for which there is no decision.
    fn report(&self, cause: Cause) {
        let core = self.cell.core();
        let failure = Failure::new(Phase::Running, cause, core.place(), core.incarnation());
        core.fails_late(failure);
    }

    /// Returns the result of a subtask. Its failure is one of the task: the others learn why they stop.
    fn joined(&self, result: Result<Result<(), Thrown>, JoinError>) -> Result<(), Thrown> {
        let failed = match &result {
            Ok(returned) => returned.is_err(),
            Err(error) => error.is_panic(),
        };
        if failed {
            self.signal(StopReason::SubtaskFailed);
        }
        joined(result)
    }

    fn signal(&self, reason: StopReason) {
        if let Some(stop_signal) = &self.stop_signal {
            stop_signal.tell(reason);
        }
    }

    /// Handles the task's requests. True: there was one.
    fn poll_requests(&mut self, cx: &mut Context<'_>) -> bool {
        let mut some = false;
        while let Some(Poll::Ready(Some(request))) = self.incoming.as_mut().map(|incoming| incoming.poll_recv(cx)) {
            self.grant(request);
            some = true;
        }
        some
    }

    /// Whether every context of the task has been dropped, so that no request can come any more.
    fn is_mute(&self) -> bool {
        self.incoming.as_ref().is_some_and(|incoming| incoming.is_closed() && incoming.is_empty())
    }

    fn grant(&mut self, request: Request) {
        match request {
            Request::Ready => {
                if !std::mem::replace(&mut self.ready, true) && !self.options.read().common.ready {
                    self.warn_of_vain_ready();
                }
            }
            Request::Spawn(subtask) => {
                self.subtasks.spawn(inside(self.cell.clone(), subtask));
            }
        }
    }
}

impl<F, Fut> Hands for TaskBody<F>
where
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<TaskStart, Thrown>> + Send + 'static,
{
    fn common(&mut self) -> Arc<Common> {
        self.options.read().common.clone()
    }

    fn is_empty(&self, step: Step) -> bool {
        matches!(step, Step::PreStart | Step::PostRestart | Step::PreRestart | Step::PostStop)
    }

    fn signal(&self) -> Option<StopSignal> {
        self.stop_signal.clone().filter(|_| self.context)
    }

    fn drop_instance(&mut self, each: Each<'_>) {
        each(&mut || self.main = None);
        self.stop_signal = None;
        let Some(mut incoming) = self.incoming.take() else { return };
        incoming.close();
        while let Ok(request) = incoming.try_recv() {
            let mut request = Some(request); // holds a subtask that was never started
            each(&mut || request = None);
        }
    }
}

impl<F, Fut> Body for TaskBody<F>
where
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<TaskStart, Thrown>> + Send + 'static,
{
    const KIND: ChildKind = ChildKind::Task;

    async fn start(&mut self) -> Result<(), Thrown> {
        self.main = None;
        let stop_signal = StopSignal::new();
        let (requests, incoming) = mpsc::unbounded_channel();
        let begin = (self.start)().await?;
        let cx = TaskContext::new(&stop_signal, requests, self.cell.clone());
        self.context = begin.context;
        self.main = Some((begin.begin)(cx));
        self.stop_signal = Some(stop_signal);
        self.incoming = Some(incoming);
        self.ready = false;
        Ok(())
    }

    /// Runs the task's own future and its subtasks concurrently, until the task reports that it is ready.
    async fn readying(&mut self) -> Result<Served, Thrown> {
        poll_fn(|cx| {
            let returned = self.poll_main(cx);
            loop {
                let mut moved = self.poll_requests(cx);
                if self.ready {
                    // A result that is already there is handled once the task counts as started.
                    if let Some(result) = returned {
                        self.main = Some(Box::pin(ready(result)));
                    }
                    return Poll::Ready(Ok(Served::Ready));
                }
                if let Some(result) = returned {
                    result?;
                    // A task that obeys a stop need not become ready first.
                    let told = self.stop_signal.as_ref().is_some_and(StopSignal::is_told);
                    return Poll::Ready(if told { Ok(Served::Done) } else { Err(Thrown::from(NeverReady)) });
                }
                while let Poll::Ready(Some(result)) = self.subtasks.poll_join_next(cx) {
                    self.joined(result)?;
                    moved = true;
                }
                if !moved {
                    if self.is_mute() {
                        return Poll::Ready(Err(Thrown::from(ReadyDropped)));
                    }
                    return Poll::Pending;
                }
            }
        })
        .await
    }

    /// Runs the task's own future and its subtasks concurrently, until the first failure or the last end.
    async fn serve(&mut self) -> Result<Served, Thrown> {
        poll_fn(|cx| {
            // Poll it once in each poll: a future that returns `Pending` gives the thread back.
            let returned = self.poll_main(cx).transpose()?.is_some();
            if returned {
                // The task's own future has returned: its subtasks are asked to stop.
                self.signal(StopReason::Done);
            }
            let mut moved = true;
            while moved {
                moved = self.poll_requests(cx);
                while let Poll::Ready(Some(result)) = self.subtasks.poll_join_next(cx) {
                    self.joined(result)?;
                    moved = true;
                }
            }
            match () {
                () if self.main.is_none() && self.subtasks.is_empty() => Poll::Ready(Ok(Served::Done)),
                () if returned => Poll::Ready(Ok(Served::Returned)),
                () => Poll::Pending,
            }
        })
        .await
    }

    /// After a failure, the task's own future and the other subtasks are asked to stop, and have the rest of the time.
    async fn settle(&mut self, now: bool) {
        self.signal(StopReason::Failed);
        if now || !self.context {
            self.main = None;
            self.subtasks.shutdown().await;
            return;
        }
        poll_fn(|cx| {
            if let Some(Err(thrown)) = self.poll_main(cx) {
                self.report(Cause::Error(thrown));
            }
            self.poll_requests(cx);
            while let Poll::Ready(Some(result)) = self.subtasks.poll_join_next(cx) {
                match result.map_err(JoinError::try_into_panic) {
                    Ok(Ok(())) | Err(Err(_)) => {}
                    Ok(Err(thrown)) => self.report(Cause::Error(thrown)),
                    Err(Ok(panic)) => self.report(Cause::Panic(panic_text(panic))),
                }
            }
            if self.main.is_none() && self.subtasks.is_empty() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

/// Wraps a subtask, which has its own tokio task, so that its code counts as this task's code (S25).
fn inside(
    cell: Arc<BareCell>,
    mut subtask: BoxFuture<'static, Result<(), Thrown>>,
) -> impl Future<Output = Result<(), Thrown>> + Send + 'static {
    let mut around = Vec::new(); // of the task, which spawns this subtask
    cell.core().bus.extensions.every(|extension| around.extend(extension.around()));
    let mut current: Option<Arc<AnyCell>> = Some(cell);
    poll_fn(move |cx| {
        if current.as_ref().is_some_and(|cell| cell.is_held()) {
            return Poll::Pending; // an abort drops the subtask
        }
        let _entered = Entered::of(&around);
        current::enter(&mut current, false, || subtask.as_mut().poll(cx))
    })
}
