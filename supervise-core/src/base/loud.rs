//! Bugs of this library in tests. The runtime recovers from its own bugs (S19), so a test could overlook one. In debug
//! builds with `testing`, and under the model checker, a bug therefore ends the process. Tests need not ask for that; a
//! test of the recovery injects its bug. The unit tests of the core itself are quiet.

use std::cell::Cell;
use std::io::Write;

const LOUD: bool = cfg!(all(debug_assertions, not(test), any(feature = "testing", shuttle)));

thread_local! {
    static INJECTED: Cell<bool> = const { Cell::new(false) };
}

/// Marks the next bug on this thread as injected by a test.
#[cfg(feature = "testing")]
pub fn inject() {
    INJECTED.set(true);
}

/// Reports that code of this library has panicked with this text, or is about to.
pub fn bug(text: &str) {
    let injected = INJECTED.take();
    if LOUD && !injected {
        // `eprintln!` would not do: the test harness captures its output until the test has finished.
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
