// `decider/two_types_in_one_arm.rs`, repaired.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        Cause::Killed => Stop,
        Phase::Start => Stop,
        _ => Restart,
    }
}

fn main() {
    println!("{:?}", decides());
}
