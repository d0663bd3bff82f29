//! The reply of an ask (S3): the actor's end, and the asker's end.
//!
//! Both ends share one allocation, as in a oneshot channel. Unlike there, the sending end can be cloned, because a
//! redelivered message needs its `Reply` again (S36).
//!
//! Invariants:
//! 1. `replies` counts the living [`Reply`]s that have not answered. When it is zero without an answer, none will come.
//! 2. The first answer stays. It is dropped, like every later one, outside of the lock.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context as Cx, Poll, Waker};

use crate::engine::asks::{self, Ticket};
use crate::engine::cell::control::CellCore;
use supervise_core::base::deferred_drop::wake;
use supervise_core::base::sync::{Arc, Mutex, MutexGuard, foreign, lock};

struct Shared<T>(Mutex<State<T>>);

struct State<T> {
    value: Option<T>,
    waker: Option<Waker>,
    replies: usize,
    /// The first answer was given.
    answered: bool,
    /// The asker no longer waits.
    forsaken: bool,
    /// Present while an actor waits, if asks are observed.
    wait: Option<Ticket>,
}

impl<T> State<T> {
    fn is_over(&self) -> bool {
        self.answered || self.replies == 0
    }
}

impl<T> Shared<T> {
    /// Notes that no actor waits for the reply any more. That is done outside of the lock, so it may have to be done again.
    #[cold]
    #[inline(never)]
    fn end_wait<'a>(&'a self, mut state: MutexGuard<'a, State<T>>) -> MutexGuard<'a, State<T>> {
        let wait = state.wait.take();
        drop(state);
        if let Some(wait) = wait {
            asks::over(wait);
        }
        lock(&self.0)
    }
}

/// The sending end of the answer to an [`ask`](crate::ActorRef::ask). Dropping it notifies the asker that no reply
/// will come.
///
/// The handler that received a `Reply` need not answer it: the actor may keep it, pass it to another actor, or move it
/// into a future ([`Context::run`](crate::Context::run)).
///
/// Clones share one answer. The first answer that is sent counts, and the asker learns that none will come when all
/// clones are dropped. So a message that is delivered again (`redeliver`, S36) can still be answered.
///
/// ```
/// use supervise::prelude::*;
///
/// /// Answers everyone who knocks when it is opened.
/// struct Door {
///     waiting: Vec<Reply<&'static str>>,
/// }
///
/// enum Msg {
///     Knock(Reply<&'static str>),
///     Open,
/// }
///
/// #[actor]
/// impl Door {
///     fn handle(&mut self, msg: Msg) {
///         match msg {
///             Msg::Knock(reply) => self.waiting.push(reply),
///             Msg::Open => {
///                 self.waiting.retain(|reply| !reply.is_closed()); // drop those who gave up
///                 for reply in self.waiting.drain(..) {
///                     reply.send("come in");
///                 }
///             }
///         }
///     }
/// }
///
/// # supervisor! { struct House { door: Door = Door { waiting: Vec::new() } } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let house = House::start().await?;
/// let (answer, opened) = tokio::join!(house.door.ask(Msg::Knock), house.door.tell(Msg::Open));
/// opened?;
/// assert_eq!(answer?, "come in");
/// # Ok(())
/// # }
/// ```
pub struct Reply<T>(Option<Arc<Shared<T>>>);

/// The asker's end. Resolves to `None` if no reply will come.
#[doc(hidden)]
pub struct Answer<T> {
    shared: Arc<Shared<T>>,
    /// True if the asker's waker is stored in the shared state.
    left: bool,
    /// True if the asker knows its answer, or that none will come.
    over: bool,
}

/// Makes both ends of an ask.
pub fn reply<T>() -> (Reply<T>, Answer<T>) {
    let state = State { value: None, waker: None, replies: 1, answered: false, forsaken: false, wait: None };
    let shared = Arc::new(Shared(Mutex::new(state)));
    (Reply(Some(shared.clone())), Answer { shared, left: false, over: false })
}

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reply")
    }
}

impl<T> fmt::Debug for Answer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answer")
    }
}

impl<T> Reply<T> {
    /// A reply that nobody waits for.
    pub(crate) fn closed() -> Self {
        Reply(None)
    }

    /// Sends the answer. The value is dropped if the asker has given up, or if a clone has already answered.
    pub fn send(mut self, value: T) {
        let Some(shared) = self.0.take() else { return };
        let mut state = lock(&shared.0);
        while state.wait.is_some() {
            state = shared.end_wait(state); // the wait ends before the asker and this actor go on
        }
        state.replies -= 1;
        let waker = state.waker.take();
        let late = if state.answered || state.forsaken { Some(value) } else { state.value.replace(value) };
        state.answered = true;
        drop(state);
        foreign();
        if let Some(waker) = waker {
            wake(waker);
        }
        drop(late);
    }

    /// Returns `true` if the asker no longer waits, or already has its answer from a clone.
    pub fn is_closed(&self) -> bool {
        self.0.as_ref().is_none_or(|shared| {
            let state = lock(&shared.0);
            state.answered || state.forsaken
        })
    }
}

impl<T> Clone for Reply<T> {
    fn clone(&self) -> Self {
        if let Some(shared) = &self.0 {
            lock(&shared.0).replies += 1;
        }
        Reply(self.0.clone())
    }
}

impl<T> Drop for Reply<T> {
    fn drop(&mut self) {
        let Some(shared) = self.0.take() else { return };
        let mut state = lock(&shared.0);
        while state.replies == 1 && state.wait.is_some() {
            state = shared.end_wait(state);
        }
        state.replies -= 1;
        let waker = if state.replies == 0 { state.waker.take() } else { None };
        drop(state);
        if let Some(waker) = waker {
            wake(waker);
        }
    }
}

impl<T> Answer<T> {
    /// Notes that the step on this thread waits for the reply of this cell, since asks are observed.
    #[cold]
    pub(super) fn waits_for(&self, asked: &CellCore) {
        let step = asks::step(asked);
        let mut state = lock(&self.shared.0);
        if state.is_over() {
            return;
        }
        let waited = asks::wait(state.wait, step);
        state.wait = waited.ticket;
        drop(state);
        if let Some(cycle) = waited.cycle {
            cycle.report();
        }
    }

    /// Notes that nobody waits any more, though the future may exist.
    #[cold]
    pub(super) fn is_given_up(&self) {
        drop(self.shared.end_wait(lock(&self.shared.0)));
    }
}

impl<T> Future for Answer<T> {
    type Output = Option<T>;

    /// Resolves to `None` if no reply will come.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Cx<'_>) -> Poll<Option<T>> {
        // Usually the first poll waits and the second has the answer. The waker is cloned before the lock is taken,
        // since it may be user code.
        let mut fresh = (!self.left).then(|| cx.waker().clone());
        loop {
            let mut state = lock(&self.shared.0);
            if state.is_over() {
                let value = state.value.take();
                drop(state);
                self.over = true;
                return Poll::Ready(value);
            }
            if state.waker.as_ref().is_some_and(|known| known.will_wake(cx.waker())) {
                return Poll::Pending;
            }
            if let Some(fresh) = fresh.take() {
                let before = state.waker.replace(fresh);
                drop(state);
                drop(before);
                self.left = true;
                return Poll::Pending;
            }
            drop(state);
            foreign();
            fresh = Some(cx.waker().clone());
        }
    }
}

impl<T> Drop for Answer<T> {
    fn drop(&mut self) {
        if self.over {
            return; // whoever answered last has taken the waker
        }
        let mut state = lock(&self.shared.0);
        while state.wait.is_some() {
            state = self.shared.end_wait(state);
        }
        state.forsaken = true;
        let left = (state.value.take(), state.waker.take());
        drop(state);
        foreign();
        drop(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::task::Context;

    fn poll<T>(answer: &mut Answer<T>) -> Poll<Option<T>> {
        Pin::new(answer).poll(&mut Context::from_waker(Waker::noop()))
    }

    /// S36: clones share one answer; the first counts.
    #[test]
    fn the_first_answer_counts() {
        let (first, mut answer) = reply();
        let second = first.clone();
        assert_eq!(poll(&mut answer), Poll::Pending);
        second.send(2);
        assert!(first.is_closed());
        first.send(1);
        assert_eq!(poll(&mut answer), Poll::Ready(Some(2)));
    }

    /// S36: the reply stays open until the last clone is dropped.
    #[test]
    fn no_reply_comes_once_all_clones_are_dropped() {
        let (first, mut answer) = reply::<()>();
        let second = first.clone();
        drop(first);
        assert_eq!(poll(&mut answer), Poll::Pending);
        assert!(!second.is_closed());
        drop(second);
        assert_eq!(poll(&mut answer), Poll::Ready(None));
    }

    #[test]
    fn an_asker_that_has_gone_closes_it() {
        let (reply, answer) = reply::<Arc<()>>();
        drop(answer);
        assert!(reply.is_closed());
        let value = Arc::new(());
        reply.send(value.clone());
        assert_eq!(Arc::strong_count(&value), 1, "the value is dropped");
    }
}
