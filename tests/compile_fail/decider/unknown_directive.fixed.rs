// `decider/unknown_directive.rs`, repaired.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        Cause::Killed => Restart,
        _ => Restart,
    }
}

fn main() {
    println!("{:?}", decides());
}
