//! A bell for futures of any executor. A waker that panics keeps no other future from hearing it, which tokio's `Notify`
//! does not promise.

use std::fmt;
use std::future::Future;
use std::mem::take;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::engine::cell::waitlist::Wakers;
use supervise_core::base::sync::{Mutex, foreign, lock};

#[derive(Default)]
pub(crate) struct Bell(Mutex<Rung>);

#[derive(Default)]
struct Rung {
    /// How often it was rung.
    times: u64,
    tickets: u64,
    waiting: Wakers,
}

impl Bell {
    /// Wakes all that wait. To be called without a lock.
    pub(crate) fn ring(&self) {
        let mut rung = lock(&self.0);
        rung.times += 1;
        let waiting = take(&mut rung.waiting);
        drop(rung);
        foreign();
        waiting.wake();
    }

    /// Returns the wait for the first ring from now on, even if that comes before the wait is polled.
    pub(crate) fn next(&self) -> NextRing<'_> {
        NextRing { bell: self, since: lock(&self.0).times, ticket: None }
    }
}

impl fmt::Debug for Bell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bell")
    }
}

pub(crate) struct NextRing<'a> {
    bell: &'a Bell,
    since: u64,
    ticket: Option<u64>,
}

impl Future for NextRing<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut fresh = None;
        loop {
            let mut rung = lock(&self.bell.0);
            if rung.times != self.since {
                return Poll::Ready(()); // `fresh` is dropped after the guard
            }
            let known = self.ticket.and_then(|ticket| rung.waiting.get(ticket));
            if known.is_some_and(|waker| waker.will_wake(cx.waker())) {
                return Poll::Pending;
            }
            if let Some(fresh) = fresh.take() {
                let ticket = self.ticket.unwrap_or_else(|| {
                    rung.tickets += 1;
                    rung.tickets
                });
                let before = rung.waiting.insert(ticket, fresh);
                drop(rung);
                foreign();
                drop(before); // a waker may be user code
                self.ticket = Some(ticket);
                return Poll::Pending;
            }
            drop(rung);
            foreign();
            fresh = Some(cx.waker().clone());
        }
    }
}

impl Drop for NextRing<'_> {
    fn drop(&mut self) {
        let Some(ticket) = self.ticket else { return };
        let left = lock(&self.bell.0).waiting.remove(ticket);
        foreign();
        drop(left); // a waker may be user code
    }
}
