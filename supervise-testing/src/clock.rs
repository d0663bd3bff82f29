//! The paused clock of a test.

use std::time::Duration;

use tokio::time::Instant;

/// Lets all tasks run that can run now, without moving the clock.
///
/// Every task that is ready is polled repeatedly, so that chains of up to a few hundred messages finish. Tasks that
/// wait for a timer, a thread or a socket keep waiting.
///
/// # Cancel safety
///
/// May be dropped at any time.
///
/// ```
/// use supervise::prelude::*;
/// use supervise::testing::settle;
/// # #[derive(Debug, thiserror::Error)]
/// # #[error("no answer")]
/// # struct Timeout;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> Result<(), Timeout> { Ok(()) } }
/// # supervisor! { struct Shop { db: Db = Db } }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// shop.db.tell(()).await?;
/// settle().await;
/// let depth = shop.snapshot().find("db").and_then(|db| db.mailbox).expect("an actor has a mailbox");
/// assert_eq!(depth.waiting, 0); // the message has been handled
/// # Ok(())
/// # }
/// ```
pub async fn settle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

/// Moves the paused clock forward by `time`, fires every timer on the way in order, and settles.
///
/// # Cancel safety
///
/// If the future is dropped early, the clock may have moved only a part of the way.
///
/// # Panics
///
/// Panics if the clock is not paused, since the test would really wait.
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
/// use supervise::testing::{advance, settle};
///
/// supervisor! {
///     struct App {
///         job: task = tokio::time::sleep(Duration::from_secs(3600)),
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = App::start().await?;
/// advance(Duration::from_secs(3599)).await;
/// assert!(app.job.ended().is_none());
/// advance(Duration::from_secs(1)).await;
/// assert!(app.job.ended().is_some());
/// # settle().await;
/// # Ok(())
/// # }
/// ```
pub async fn advance(time: Duration) {
    assert!(is_paused(), "the clock is not paused: #[tokio::test(start_paused = true)]");
    tokio::time::sleep(time).await;
    settle().await;
}

/// Returns whether tokio's clock stands still while real time passes.
fn is_paused() -> bool {
    let (begin, real) = (Instant::now(), std::time::Instant::now());
    while real.elapsed() < Duration::from_micros(50) {
        std::hint::spin_loop();
    }
    Instant::now() == begin
}

/// Pauses the clock.
///
/// # Panics
///
/// Panics on a multi-threaded runtime, whose clock cannot be paused.
pub(super) fn pause() {
    if !is_paused() {
        tokio::time::pause();
    }
}
