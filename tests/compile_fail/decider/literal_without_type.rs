// C10. A literal has no error type of its own.
// Repair: a pattern with its type behind a colon.
use supervise::prelude::*;

#[derive(Debug, thiserror::Error)]
#[error("code {0}")]
struct Code(u16);

fn decides() -> Decider {
    decider! {
        500 => Stop, //~
        _ => Restart,
    }
}

fn main() {}
