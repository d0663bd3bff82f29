//! How a drain begins (S24, S26), and how long it is held.

use super::*;
use crate::cell::body::Served;
use crate::failure::Thrown;

impl Driver {
    /// Its group has taken it out already: it handles what is queued, or it stops (S26).
    pub(super) fn drain_by_hand(&mut self) {
        match self.state {
            State::Idle | State::Waiting | State::Ended => {} // it was on its way: its end is coming
            State::Running if !self.asked_to_go() => {
                self.asked.end_for(Ended::Stopped);
                self.begin_drain();
            }
            _ => {
                self.asked.end_for(Ended::Stopped);
                self.event(Event::Stop);
            }
        }
    }

    /// New messages are refused, the queued ones handled within the time it has. Timers are over, subordinate futures
    /// are waited for.
    pub(super) fn begin_drain(&mut self) {
        self.state = State::Draining;
        self.cell.refuse_new();
        self.stop_timers();
        self.begin_down(Event::Down);
        self.interrupt();
    }

    /// Nothing is queued: it waits for its subordinate futures. `Drained`: none is left; `Interrupted`: a result is
    /// queued, or something else is to be looked at.
    pub(crate) async fn until_handed_in(&mut self) -> Exit<Result<Served, Thrown>> {
        poll_fn(|cx| {
            loop {
                if self.cell.ctl().has_control() {
                    self.serve_control();
                }
                if let Some(event) = self.cut.take() {
                    return Poll::Ready(Exit::Cut(event));
                }
                let asked = &self.asked;
                let woken = asked.finish || asked.is_killed() || asked.is_escalated();
                if woken || self.held || self.state != State::Draining {
                    return Poll::Ready(Exit::Done(Ok(Served::Interrupted)));
                }
                self.poll_watchdog(cx);
                if let Some(deadline) = self.deadline
                    && self.poll_timer(cx, deadline)
                {
                    return Poll::Ready(Exit::Cut(Event::TimeUp));
                }
                if self.poll_asides(cx) || self.cell.ctl().has_control() {
                    continue;
                }
                if self.cell.mailbox().is_some_and(|mailbox| mailbox.waiting > 0) {
                    return Poll::Ready(Exit::Done(Ok(Served::Interrupted)));
                }
                if !self.has_futures() {
                    return Poll::Ready(Exit::Done(Ok(Served::Drained)));
                }
                return Poll::Pending;
            }
        })
        .await
    }

    /// One that drains is held: until that is over, or its patience.
    pub(crate) async fn until_released(&mut self) -> Result<(), Event> {
        poll_fn(|cx| {
            loop {
                if self.cell.ctl().has_control() {
                    self.serve_control();
                }
                if let Some(event) = self.cut.take() {
                    return Poll::Ready(Err(event));
                }
                if !self.held || self.state != State::Draining || self.asked.finish {
                    return Poll::Ready(Ok(()));
                }
                self.poll_watchdog(cx);
                if let Some(deadline) = self.deadline
                    && self.poll_timer(cx, deadline)
                {
                    return Poll::Ready(Err(Event::TimeUp));
                }
                if !self.cell.ctl().has_control() {
                    return self.pending();
                }
            }
        })
        .await
    }
}
