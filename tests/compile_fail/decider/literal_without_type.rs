// C10. A literal does not show which error type it belongs to.
// Repair: Write a pattern with its type after a colon.
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

fn main() {
    println!("{:?}", decides());
}
