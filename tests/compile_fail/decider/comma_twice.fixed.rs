// `decider/comma_twice.rs`, repaired.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        Cause::Killed => Stop,
        _ => Restart,
    }
}
