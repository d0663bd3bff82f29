// C10. A decider answers `Resume`, `Restart`, `Stop`, `Escalate` or `Default`, or an expression that evaluates to one of them.
// Repair: Correct the word.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        Cause::Killed => Restrat, //~
        _ => Restart,
    }
}

fn main() {
    println!("{:?}", decides());
}
