// C10. The arms stand one behind the other, with one comma between them.
// Repair: the pattern that is missing, or no comma.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        Cause::Killed => Stop,, //~
        _ => Restart,
    }
}

fn main() {}
