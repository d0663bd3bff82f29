// `decider/type_without_pattern.rs`, repaired.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        _: std::io::Error => Stop,
        std::fmt::Error { .. }: std::fmt::Error => Stop,
        _ => Restart,
    }
}

fn main() {
    println!("{:?}", decides());
}
