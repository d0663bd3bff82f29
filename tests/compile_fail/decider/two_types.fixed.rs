// `decider/two_types.rs`, repaired.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        Cause::Killed => Stop,
        Phase::Start => Stop,
        _ => Restart,
    }
}
