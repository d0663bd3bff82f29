// C10. A decider answers `Resume`, `Restart`, `Stop` or `Escalate`, or with an expression that gives one of them.
// Repair: the word.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        Cause::Killed => Restrat, //~
        _ => Restart,
    }
}

fn main() {}
