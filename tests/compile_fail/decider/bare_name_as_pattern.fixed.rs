// `decider/bare_name_as_pattern.rs`, repaired.
use supervise::prelude::*;

#[derive(Debug, thiserror::Error)]
#[error("too late")]
struct Timeout;

fn decides() -> Decider {
    decider! {
        _: Timeout => Stop,
        _ => Restart,
    }
}

fn main() {
    println!("{:?}", decides());
}
