// C10. As in a `match`, a bare name would be a new variable that matches every failure.
// Repair: Write `Enum::Timeout` for a variant, or `_: Timeout` for an error type.
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

fn main() {
    println!("{:?}", decides());
}
