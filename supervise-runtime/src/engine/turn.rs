//! How a task that could go on lets others run.

use std::future::Future;
use std::pin::pin;
use std::task::Context;

/// Has this task polled again when no other task is ready, or after a number of polls of others that tokio sets. The
/// caller returns `Poll::Pending`.
///
/// A task that wakes itself would only go behind the tasks that are ready now, and before those that these wake: a
/// question to a neighbour would wait for a turn of this task, and its answer for another. Tasks that have used up their
/// budget on tokio's own channels wait like this as well. Until then, no other worker takes the task over.
pub(crate) fn after_others(cx: &mut Context<'_>) {
    let polled = pin!(tokio::task::yield_now()).poll(cx);
    debug_assert!(polled.is_pending(), "the first poll only asks for another");
}
