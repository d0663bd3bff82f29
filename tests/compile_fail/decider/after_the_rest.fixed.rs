// `decider/after_the_rest.rs`, repaired.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        Cause::Killed => Stop,
        _ => Restart,
    }
}
