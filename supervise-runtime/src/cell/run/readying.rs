//! A task that says itself when it counts as started (S29).
//!
//! It is polled like one that is up: told when it should end, never held. Only a failure is that of a start.

use super::*;

impl<B: Body> Run<B> {
    /// Until `cx.ready()`. `Some`: it was not to be.
    pub(super) async fn get_ready(&mut self) -> Option<After> {
        let exit = self.driver.starting(self.common.start, self.body.readying()).await;
        self.driver.begun = None;
        let going = self.asked_to_go();
        let phase = if self.was_up { Phase::Restart } else { Phase::Start };
        let failure = match exit {
            Exit::Done(Ok(Served::Ready)) if !going => return None,
            Exit::Cut(Event::TimeUp) if !going => self.driver.failure(phase, Cause::TimedOut),
            exit => match self.after_serving(exit, None) {
                Stopped::Failed(failure) => failure.in_phase(phase),
                Stopped::ByItself | Stopped::Asked => {
                    return Some(match self.driver.asked.take_down() {
                        Some(failure) if !self.driver.asked.is_end() => self.go_down(Some(failure)).await,
                        _ => self.stop().await,
                    });
                }
            },
        };
        let failure = self.behind_the_one_before(failure);
        Some(self.failed_task(failure).await)
    }
}
