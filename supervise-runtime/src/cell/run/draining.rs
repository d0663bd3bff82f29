//! Draining: what is queued is handled, what is begun is finished, what is new is refused (S24, S26; the rows
//! "draining" of tables 2a and 2b).

use super::*;

impl<B: Body> Run<B> {
    /// The queued messages and what their futures give, then the end. A failure, a kill, the time or a Down of its group cut it short.
    pub(super) async fn drain(&mut self) -> After {
        while self.driver.state == State::Draining && !self.driver.asked.finish {
            self.driver.clear_interrupt();
            let exit = match self.driver.until_released().await {
                Ok(()) if self.driver.state == State::Draining => self.serve_body().await,
                Ok(()) => break,
                Err(event) => Exit::Cut(event),
            };
            let exit = match exit {
                Exit::Done(Ok(Served::Drained)) => self.driver.until_handed_in().await,
                exit => exit,
            };
            let message = self.body.in_hand();
            let more = matches!(exit, Exit::Done(Ok(Served::Interrupted)));
            self.after_serving(exit, message);
            if let Some(failure) = self.driver.asked.take_escalated() {
                let ctl = self.driver.cell.ctl();
                ctl.emit(EventKind::Escalated { failure: failure.clone() });
                ctl.fails_late(failure);
                break;
            }
            if !more {
                break;
            }
        }
        // `shutdown = Kill`: it has been given the time to drain, but its hooks do not run.
        self.driver.aborted |= self.driver.shutdown == Shutdown::Kill;
        self.stop().await
    }
}
