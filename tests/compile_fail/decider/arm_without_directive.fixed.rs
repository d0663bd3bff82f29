// `decider/arm_without_directive.rs`, repaired.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        Cause::Killed => Stop,
        Cause::TimedOut => Stop,
        _ => Restart,
    }
}

fn main() {
    println!("{:?}", decides());
}
