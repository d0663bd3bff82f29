// `decider/two_commas_between_arms.rs`, repaired.
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
