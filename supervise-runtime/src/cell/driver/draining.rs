//! How a drain begins (S24, S26), and how long it is held.

use super::*;

impl Driver {
    /// Its group has taken it out already: it handles what is queued, or it stops (S26).
    pub(super) fn drain_by_hand(&mut self) {
        match self.state {
            State::Idle | State::Waiting | State::Ended => {} // it was on its way: its end is coming
            State::Running if !self.asked.is_down() => {
                self.asked.end_for(Ended::Stopped);
                self.begin_drain();
            }
            _ => {
                self.asked.end_for(Ended::Stopped);
                self.event(Event::Stop);
            }
        }
    }

    /// New messages are refused, the queued ones handled within the time it has.
    pub(super) fn begin_drain(&mut self) {
        self.state = State::Draining;
        self.cell.refuse_new();
        self.begin_down(Event::Down);
        self.interrupt();
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
                    return Poll::Pending;
                }
            }
        })
        .await
    }
}
