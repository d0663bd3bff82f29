//! The frames that wait for one peer. Senders add to it and never wait; one thread of this peer's writes them.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(crate) struct Outbox {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    /// A peer that cannot be reached until then is lost.
    reached_by: Instant,
}

#[derive(Debug)]
struct Waiting {
    frames: Vec<Vec<u8>>,
    reachable: bool,
    end: End,
}

/// How far the pair has come to its end. Each one excludes those before it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    Not,
    /// The link is dropped: all that waits is written, then the end, and the peer's answer shows that it has come.
    Leave,
    /// The pair is over: only the reason is still written to the peer, and no frame that waits.
    Tell(String),
    /// The peer knows, or is not there.
    Silent,
}

/// The next thing that the thread of a peer does.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Write,
    Leave,
    Tell(String),
    Finish,
    /// The peer is up, and yet nothing can be sent to it.
    Unreachable,
}

impl Outbox {
    pub(crate) fn new(reached_by: Instant) -> Outbox {
        let waiting = Waiting { frames: Vec::new(), reachable: false, end: End::Not };
        Outbox { waiting: Mutex::new(waiting), changed: Condvar::new(), reached_by }
    }

    /// Only code of this file runs under the lock, and it does not panic.
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, frame: Vec<u8>) {
        let mut waiting = self.lock();
        if waiting.end == End::Not {
            waiting.frames.push(frame);
            if waiting.frames.len() == 1 {
                self.changed.notify_all();
            }
        }
    }

    pub(crate) fn reachable(&self, reachable: bool) {
        self.lock().reachable = reachable;
        self.changed.notify_all();
    }

    pub(crate) fn end(&self, end: End) {
        let mut waiting = self.lock();
        if end > waiting.end {
            if end != End::Leave {
                waiting.frames = Vec::new();
            }
            waiting.end = end;
            self.changed.notify_all();
        }
    }

    /// Whether what was taken out is still worth writing.
    pub(crate) fn writes(&self) -> bool {
        self.lock().end <= End::Leave
    }

    /// Waits until there is something to do. `frames` is empty, and takes what is to be written.
    pub(crate) fn next(&self, frames: &mut Vec<Vec<u8>>) -> Next {
        let mut waiting = self.lock();
        loop {
            match &waiting.end {
                End::Silent => return Next::Finish,
                End::Tell(why) if waiting.reachable => return Next::Tell(why.clone()),
                _ if waiting.reachable && !waiting.frames.is_empty() => {
                    std::mem::swap(frames, &mut waiting.frames);
                    return Next::Write;
                }
                End::Leave if waiting.reachable => return Next::Leave,
                _ => {}
            }
            if waiting.reachable {
                waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let left = self.reached_by.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Next::Unreachable;
            }
            waiting = self.changed.wait_timeout(waiting, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until the peer has answered the end, or is not there any more.
    pub(crate) fn until_silent(&self, most: Duration) {
        let guard = self.changed.wait_timeout_while(self.lock(), most, |waiting| waiting.end != End::Silent);
        drop(guard.unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outbox(reach: Duration) -> Outbox {
        Outbox::new(Instant::now() + reach)
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn all_that_waits_is_taken_at_once() {
        let outbox = outbox(LONG);
        outbox.push(vec![1]);
        outbox.push(vec![2]);
        outbox.reachable(true);
        let mut frames = Vec::new();
        assert_eq!(outbox.next(&mut frames), Next::Write);
        assert_eq!(frames, [[1], [2]]);
    }

    #[test]
    fn a_peer_that_cannot_be_reached_is_found_out() {
        let outbox = outbox(Duration::ZERO);
        outbox.push(vec![1]);
        assert_eq!(outbox.next(&mut Vec::new()), Next::Unreachable);
    }

    #[test]
    fn one_that_was_reached_later_is_not_missed() {
        let outbox = outbox(LONG);
        outbox.push(vec![1]);
        std::thread::scope(|scope| {
            scope.spawn(|| assert_eq!(outbox.next(&mut Vec::new()), Next::Write));
            outbox.reachable(true);
        });
    }

    #[test]
    fn one_that_is_over_is_told_when_it_can_be_reached() {
        let outbox = outbox(LONG);
        outbox.end(End::Tell("it left".into()));
        std::thread::scope(|scope| {
            scope.spawn(|| assert_eq!(outbox.next(&mut Vec::new()), Next::Tell("it left".into())));
            outbox.reachable(true);
        });
    }

    #[test]
    fn one_that_leaves_writes_the_rest_first() {
        let outbox = outbox(LONG);
        outbox.reachable(true);
        outbox.push(vec![1]);
        outbox.end(End::Leave);
        outbox.push(vec![2]);
        assert!(outbox.writes());
        let mut frames = Vec::new();
        assert_eq!(outbox.next(&mut frames), Next::Write);
        assert_eq!(frames, [[1]]);
        assert_eq!(outbox.next(&mut Vec::new()), Next::Leave);
        outbox.end(End::Silent);
        outbox.until_silent(LONG);
        assert_eq!(outbox.next(&mut Vec::new()), Next::Finish);
    }

    #[test]
    fn one_that_is_over_writes_nothing_more_than_why() {
        let outbox = outbox(LONG);
        outbox.reachable(true);
        outbox.push(vec![1]);
        outbox.end(End::Tell("a gap".into()));
        outbox.end(End::Leave);
        assert!(!outbox.writes());
        assert_eq!(outbox.next(&mut Vec::new()), Next::Tell("a gap".into()));
        outbox.end(End::Silent);
        outbox.end(End::Tell("later".into()));
        assert_eq!(outbox.next(&mut Vec::new()), Next::Finish);
    }
}
