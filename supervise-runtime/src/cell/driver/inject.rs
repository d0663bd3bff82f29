//! A failure that a test causes: from here on it is one like any other.

use super::*;

impl Driver {
    /// Where user code runs, it is dropped at its await, as if it had thrown there; on the way down it is a
    /// failure that nobody decides on; where nothing runs, nothing can fail.
    pub(super) fn inject(&mut self, cause: Cause) {
        if let Cause::Bug(text) = cause {
            crate::loud::inject();
            panic!("{text}"); // here, where no user code runs
        }
        if matches!(cause, Cause::Killed) {
            return self.kill(cause);
        }
        match self.now_in() {
            State::Idle | State::Waiting | State::Ended => {}
            State::Failed | State::PreRestart | State::GoingDown | State::Stopping => self.report(cause),
            _ => {
                self.asked.put_killed(cause);
                self.cut = Some(Event::Kill);
                self.interrupt();
            }
        }
    }
}
