// C10. An arm is a pattern, and behind a `:` the type of the error where the pattern does not say it.
// Repair: `_: std::io::Error` for every value of that type.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        std::io::Error => Stop, //~
        std::fmt::Error(..) => Stop, //~
        _ => Restart,
    }
}

fn main() {}
