// C10. One arm is about one type of failure: rustc matches it against a value of that type.
// Repair: an arm for each.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        Cause::Killed | Phase::Start => Stop, //~
        _ => Restart,
    }
}

fn main() {}
