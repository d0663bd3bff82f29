// C10. User code fails with an error, so an arm names an error type, `Cause` or `Phase`.
// Repair: Name the error type.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        _: String => Stop, //~
        _ => Restart,
    }
}

fn main() {
    println!("{:?}", decides());
}
