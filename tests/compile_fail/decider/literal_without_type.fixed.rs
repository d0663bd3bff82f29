// `decider/literal_without_type.rs`, repaired.
use supervise::prelude::*;

#[derive(Debug, thiserror::Error)]
#[error("code {0}")]
struct Code(u16);

fn decides() -> Decider {
    decider! {
        Code(500): Code => Stop,
        _ => Restart,
    }
}

fn main() {
    println!("{:?}", decides());
}
