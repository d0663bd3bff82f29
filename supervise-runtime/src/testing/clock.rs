//! Time that moves only when a test says so.

use std::time::Duration;

use tokio::time::Instant;

/// Lets everything happen that can happen now, without moving the clock.
///
/// Every task that is ready is polled, again and again, so that chains of up to a few hundred messages come to
/// their end. What waits for a timer, a thread or a socket goes on waiting.
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
/// assert_eq!(depth.waiting, 0); // it has been handled
/// # Ok(())
/// # }
/// ```
pub async fn settle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

/// Moves the paused clock by `time`, letting every timer on the way fire in its turn, and settles.
///
/// # Panics
///
/// On a clock that is not paused the test would really wait: that is a mistake.
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

/// Whether tokio's clock stands still while real time goes on.
fn is_paused() -> bool {
    let (begin, real) = (Instant::now(), std::time::Instant::now());
    while real.elapsed() < Duration::from_micros(50) {
        std::hint::spin_loop();
    }
    Instant::now() == begin
}

/// # Panics
///
/// On a runtime with several threads, whose clock cannot be paused.
pub(super) fn pause() {
    if !is_paused() {
        tokio::time::pause();
    }
}
