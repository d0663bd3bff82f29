//! What differs between actors, tasks and trees: how an instance is made, served and taken down.

use std::future::Future;
use std::time::Duration;

use crate::base::Each;
use crate::base::sync::Arc;
use crate::decide::member::Settings;
use crate::values::failure::{Failure, Thrown};
use crate::values::kind::ChildKind;
use crate::values::settings::Common;
use crate::values::strategy::SupervisorStrategy;

/// Why the loop of an instance came back without a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Served {
    /// A start, a hook or what a task had left running is through.
    Hook,
    /// It ended by itself.
    Done,
    /// A task's own future has returned; its subtasks have their time.
    Returned,
    /// A task says that it has started.
    Ready,
    /// Nothing is queued any more, and nothing new is taken in.
    Drained,
    /// Control wants to be heard.
    Interrupted,
}

/// What is done to an instance between two steps, whatever its type.
pub(crate) trait Hands: Send + 'static {
    /// Settings as of now; read at each new incarnation.
    fn common(&mut self) -> Arc<Common>;

    /// Of one that has just been made: how it supervises its children.
    fn supervision(&mut self) -> Option<SupervisorStrategy> {
        None
    }

    /// How a task with a context is told to end.
    fn signal(&self) -> Option<crate::engine::cell::stop_signal::Told> {
        None
    }

    /// The children that a restart is about to stop are not watched any more (S37).
    fn unwatch_children(&mut self) {}

    /// True if it has said in this incarnation that it ends: `cx.stop()`.
    fn has_stopped(&self) -> bool {
        false
    }

    /// Its failure is forgiven: the message that was in hand is gone. User code.
    fn forgive(&mut self) {}

    /// Drops the instance and what belongs to it, `each` of these by itself. User code.
    fn drop_instance(&mut self, _each: Each<'_>) {}

    /// Messages are handled from now on.
    fn open(&mut self) {}

    /// Messages wait from now on.
    fn shut(&mut self) {}

    /// It ends: messages go back to their senders, what is queued becomes dead letters.
    fn close(&mut self) {}

    /// The present incarnation has handled a message.
    fn has_handled(&self) -> bool {
        false
    }

    /// The type of the message in hand.
    fn in_hand(&self) -> Option<&'static str> {
        None
    }
}

/// The typed half of a cell: its steps of user code.
///
/// The hooks have defaults that do nothing, for tasks and trees.
pub(crate) trait Body: Hands {
    const KIND: ChildKind;

    /// Runs the start expression and keeps the instance.
    fn start(&mut self) -> impl Future<Output = Result<(), Thrown>> + Send;

    fn pre_start(&mut self) -> impl Future<Output = Result<(), Thrown>> + Send {
        async { Ok(()) }
    }

    fn post_restart(&mut self, _failure: &Failure) -> impl Future<Output = Result<(), Thrown>> + Send {
        async { Ok(()) }
    }

    /// Of a task that says itself when it has started: until then.
    fn readying(&mut self) -> impl Future<Output = Result<Served, Thrown>> + Send {
        async { Ok(Served::Ready) }
    }

    fn serve(&mut self) -> impl Future<Output = Result<Served, Thrown>> + Send;

    /// The loop over messages has come back, whatever the way: what it has taken and not begun waits with the rest.
    fn give_back(&mut self) {}

    fn pre_restart(&mut self, _failure: &Failure) -> impl Future<Output = Result<(), Thrown>> + Send {
        async { Ok(()) }
    }

    fn post_stop(&mut self) -> impl Future<Output = Result<(), Thrown>> + Send {
        async { Ok(()) }
    }

    /// Waits for what the instance has left running (subtasks); aborts it if `now`.
    fn settle(&mut self, _now: bool) -> impl Future<Output = ()> + Send {
        async {}
    }
}

/// The settings of a member as decisions and the watchdog need them.
pub(crate) fn settings(common: &Common, kind: ChildKind) -> Arc<Settings> {
    let mut settings = Settings::new(kind, common.lifecycle_or(kind), common.backoff, common.limit);
    (settings.drain, settings.significant) = (common.drain, common.significant);
    settings.optional = common.optional;
    Arc::new(settings)
}

/// How long the supervisor waits for it before it looks: `None` for as long as it takes.
pub(crate) fn patience(common: &Common, kind: ChildKind) -> Option<Duration> {
    use crate::values::strategy::Shutdown;
    match common.shutdown_or_default(kind) {
        Shutdown::Within(time) => Some(time),
        Shutdown::Kill => Some(Duration::from_secs(5)),
        Shutdown::Infinity => None,
    }
}
