// `decider/request_in_an_arm.rs`, repaired.
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
