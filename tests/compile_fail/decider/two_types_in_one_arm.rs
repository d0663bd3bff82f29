// C10. An arm is about one type of failure, because rustc matches the arm against a value of that type.
// Repair: Write one arm for each type.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        Cause::Killed | Phase::Start => Stop, //~
        _ => Restart,
    }
}

fn main() {
    println!("{:?}", decides());
}
