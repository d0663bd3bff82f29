//! The signals that end a program (rule S43).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

/// True after the first signal: the next one aborts.
static CAME: AtomicBool = AtomicBool::new(false);

/// Waits for SIGINT or SIGTERM (on systems other than Unix: Ctrl-C). Pass it to the `run` of a tree:
/// `Shop::run(config, supervise::signal())`.
///
/// After the first signal, a second one aborts every shutdown that is being awaited: children that are not down yet are
/// dropped, leaves first, and reported as aborted. With the feature `signal` (S43).
///
/// # Cancel safety
///
/// The future may be dropped and the function called again. The process does not return to ending at a signal: once
/// this future was polled, a signal that nothing waits for has no effect.
///
/// # Panics
///
/// Panics if it is awaited outside of a tokio runtime with I/O enabled, or if the system refuses the handler.
///
/// ```no_run
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// tokio::select! {
///     () = supervise::signal() => println!("asked to end"),
///     () = tokio::time::sleep(Duration::from_secs(3600)) => println!("an hour is enough"),
/// }
/// # }
/// ```
pub async fn signal() {
    next().await;
    CAME.store(true, Ordering::Relaxed);
}

/// The handlers are installed once this is polled.
#[cfg(unix)]
async fn next() {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = match (signal(SignalKind::interrupt()), signal(SignalKind::terminate())) {
        (Ok(interrupt), Ok(terminate)) => (interrupt, terminate),
        (Err(error), _) | (_, Err(error)) => panic!("no handler for signals: {error}"),
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

#[cfg(not(unix))]
async fn next() {
    if let Err(error) = tokio::signal::ctrl_c().await {
        panic!("no handler for signals: {error}");
    }
}

/// The wait for the second signal.
pub(crate) struct Again(Option<Pin<Box<dyn Future<Output = ()> + Send + Sync>>>);

impl fmt::Debug for Again {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Again")
    }
}

/// Returns `true` once, when a second signal has arrived.
pub(crate) fn poll_again(again: &mut Option<Again>, cx: &mut Context<'_>) -> bool {
    if !CAME.load(Ordering::Relaxed) {
        return false;
    }
    let Again(wait) = again.get_or_insert_with(|| Again(Some(Box::pin(next()))));
    match wait.as_mut().map(|wait| wait.as_mut().poll(cx)) {
        Some(Poll::Ready(())) => {
            *wait = None;
            true
        }
        _ => false,
    }
}
