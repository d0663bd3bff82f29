// C10. A name alone would be a new variable, and match every failure: the classic trap of `match`.
// Repair: `Enum::Timeout` for a variant, `_: Timeout` for an error type.
use supervise::prelude::*;

#[derive(Debug, thiserror::Error)]
#[error("too late")]
struct Timeout;

fn decides() -> Decider {
    decider! {
        Timeout => Stop, //~
        _ => Restart,
    }
}

fn main() {}
