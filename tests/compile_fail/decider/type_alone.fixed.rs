// `decider/type_alone.rs`, repaired.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        _: std::io::Error => Stop,
        std::fmt::Error { .. }: std::fmt::Error => Stop,
        _ => Restart,
    }
}
