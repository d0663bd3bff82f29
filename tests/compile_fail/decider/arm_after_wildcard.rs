// C10. The `_` arm matches every failure, so the arms below it are never used.
// Repair: Move `_` to the end.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        _ => Restart,
        Cause::Killed => Stop, //~
    }
}

fn main() {
    println!("{:?}", decides());
}
