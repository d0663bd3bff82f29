// `decider/arm_type_not_an_error.rs`, repaired.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        _: std::num::ParseIntError => Stop,
        _ => Restart,
    }
}

fn main() {
    println!("{:?}", decides());
}
