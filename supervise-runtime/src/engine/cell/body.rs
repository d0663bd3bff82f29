//! The differences between actors, tasks and trees: how an instance is made, served and taken down.

use std::borrow::Cow;
use std::future::{Future, ready};
use std::time::Duration;

use crate::engine::settings::Common;
use supervise_core::base::sync::Arc;
use supervise_core::base::{BoxFuture, Each};
use supervise_core::decide::child::machine::Step;
use supervise_core::decide::member::Settings;
use supervise_core::values::decider::SupervisorStrategy;
use supervise_core::values::failure::{Failure, Thrown};
use supervise_core::values::kind::ChildKind;

/// The result of an instance's loop, if it is not a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Served {
    /// A start, a hook or the remaining work of a task has finished.
    Hook,
    /// The child ended by itself.
    Done,
    /// The task's own future has returned; its subtasks have their time.
    Returned,
    /// The task has reported that it is ready.
    Ready,
    /// The queue is empty, and no new messages are accepted.
    Drained,
    /// An order has to be handled first.
    Interrupted,
}

/// The name of a type: `type_name`, which takes half the room of the name itself.
pub(crate) type TypeName = fn() -> &'static str;

/// The operations on an instance between two steps, independent of its type.
pub(crate) trait Hands: Send + 'static {
    /// Returns the present settings; read for each new incarnation.
    fn common(&mut self) -> Arc<Common>;

    /// Returns whether the step has nothing to run here: it is over at once. Hooks that no type and no setting
    /// declares, and the steps of tasks, cost an actor nothing.
    fn is_empty(&self, step: Step) -> bool;

    /// An incarnation begins. `failure`: the one that it heals, if it replaces another.
    fn heals(&mut self, _failure: Option<&Failure>) {}

    /// Returns the strategy of an instance that has just been made.
    fn supervision(&mut self) -> Option<SupervisorStrategy> {
        None
    }

    /// Returns the way to tell a task with a context that it should end.
    fn signal(&self) -> Option<crate::engine::cell::stop_signal::StopSignal> {
        None
    }

    /// Unwatches the children that a restart is about to stop (S37).
    fn unwatch_children(&mut self) {}

    /// Returns whether the instance has called `cx.stop()` in this incarnation.
    fn has_stopped(&self) -> bool {
        false
    }

    /// Takes the words of an instance that has called `cx.stop_with(..)`.
    fn last_words(&mut self) -> Option<Cow<'static, str>> {
        None
    }

    /// Forgets the message in hand, because its failure was resumed. User code.
    fn forgive(&mut self) {}

    /// Drops the instance and its values, each in its own call of `each`. User code.
    fn drop_instance(&mut self, _each: Each<'_>) {}

    /// Opens the mailbox: messages are handled from now on.
    fn open(&mut self) {}

    /// Shuts the mailbox: messages wait from now on.
    fn shut(&mut self) {}

    /// Empties the mailbox for a restart: queued messages become dead letters. User code.
    fn renew(&mut self) {}

    /// Closes the mailbox at the end: messages are refused, and queued ones become dead letters.
    fn close(&mut self) {}

    /// Returns whether the present incarnation has handled a message.
    fn has_handled(&self) -> bool {
        false
    }

    /// Returns the type of the message in hand.
    fn in_hand(&self) -> Option<TypeName> {
        None
    }
}

/// The typed half of a cell: its steps of user code.
///
/// The hooks have empty defaults, for tasks and trees. They are boxed: each runs once in an incarnation, if it is declared
/// at all, and an idle actor would keep room for the largest.
pub(crate) trait Body: Hands {
    const KIND: ChildKind;

    /// Runs the start expression and keeps the instance.
    fn start(&mut self) -> impl Future<Output = Result<(), Thrown>> + Send;

    fn pre_start(&mut self) -> BoxFuture<'_, Result<(), Thrown>> {
        Box::pin(ready(Ok(())))
    }

    fn post_restart<'a>(&'a mut self, _failure: &'a Failure) -> BoxFuture<'a, Result<(), Thrown>> {
        Box::pin(ready(Ok(())))
    }

    /// Runs a task with `ready` until it has reported that it is ready.
    fn readying(&mut self) -> impl Future<Output = Result<Served, Thrown>> + Send {
        async { Ok(Served::Ready) }
    }

    fn serve(&mut self) -> impl Future<Output = Result<Served, Thrown>> + Send;

    /// The message loop has returned for any reason: messages that were taken out and not begun go back to the queue.
    fn served(&mut self) {}

    fn pre_restart<'a>(&'a mut self, _failure: &'a Failure) -> BoxFuture<'a, Result<(), Thrown>> {
        Box::pin(ready(Ok(())))
    }

    fn post_stop(&mut self) -> BoxFuture<'_, Result<(), Thrown>> {
        Box::pin(ready(Ok(())))
    }

    /// Waits for the subtasks that the instance left running; aborts them if `now`.
    fn settle(&mut self, _now: bool) -> impl Future<Output = ()> + Send {
        async {}
    }
}

/// Makes the settings of a member for decisions and the watchdog. All instances of a set share theirs.
pub(crate) fn settings(common: &Common, kind: ChildKind) -> Arc<Settings> {
    let mut settings = Settings::new(kind, common.lifecycle_or(kind), common.backoff.clone(), common.limit);
    (settings.drain, settings.significant) = (common.drain, common.significant);
    (settings.optional, settings.best_effort) = (common.optional, common.best_effort);
    settings.pace = common.pace.clone();
    settings.shutdown = stop_timeout(common, kind);
    Arc::new(settings)
}

/// Returns the time after which the watchdog checks the child; `None`: as long as it takes.
fn stop_timeout(common: &Common, kind: ChildKind) -> Option<Duration> {
    use supervise_core::values::strategy::ShutdownTimeout;
    match common.shutdown_or_default(kind) {
        ShutdownTimeout::Within(time) => Some(time),
        ShutdownTimeout::Kill => Some(Duration::from_secs(5)),
        ShutdownTimeout::Infinity => None,
    }
}
