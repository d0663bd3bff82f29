// C10. What is thrown is an error, so an arm names an error type, `Cause` or `Phase`.
// Repair: name the error.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        _: String => Stop, //~
        _ => Restart,
    }
}

fn main() {}
