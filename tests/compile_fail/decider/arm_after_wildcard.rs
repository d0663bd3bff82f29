// C10. `_` takes every failure, so nothing below it is ever asked.
// Repair: move it to the end.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        _ => Restart,
        Cause::Killed => Stop, //~
    }
}

fn main() {}
