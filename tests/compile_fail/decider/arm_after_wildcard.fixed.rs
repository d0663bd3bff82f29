// `decider/arm_after_wildcard.rs`, repaired.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        Cause::Killed => Stop,
        _ => Restart,
    }
}

fn main() {
    println!("{:?}", decides());
}
