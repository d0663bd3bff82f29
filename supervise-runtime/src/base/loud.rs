//! A bug of this crate is healed (S19), so a test could pass over it. Where tests are built it ends the process instead: in
//! debug builds with `testing`, and under the model checker. No test has to ask for that; one that wants a bug injects it.

use std::cell::Cell;
use std::io::Write;

const LOUD: bool = cfg!(all(debug_assertions, not(test), any(feature = "testing", shuttle)));

thread_local! {
    static INJECTED: Cell<bool> = const { Cell::new(false) };
}

/// The next bug on this thread is a test's.
#[cfg(feature = "testing")]
pub(crate) fn inject() {
    INJECTED.set(true);
}

/// Code of this crate has panicked with this text, or is about to.
pub(crate) fn bug(text: &str) {
    let injected = INJECTED.take();
    if LOUD && !injected {
        // Not by `eprintln`: what a test prints is kept back until it is over.
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("unnamed");
        let told = format!(
            "\na bug of supervise, on thread '{name}': {text}\n\
             Under test it is not healed. `--nocapture` shows where it is.\n"
        );
        let _ = std::io::stderr().write_all(told.as_bytes());
        std::process::abort();
    }
}
