// C10. An arm is a pattern, followed by a `:` and the error type if the pattern does not show the type.
// Repair: Write `_: std::io::Error` for every value of that type.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        std::io::Error => Stop, //~
        std::fmt::Error(..) => Stop, //~
        _ => Restart,
    }
}

fn main() {
    println!("{:?}", decides());
}
