// C10. Two arms are separated by one comma.
// Repair: Write the missing pattern, or remove a comma.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        Cause::Killed => Stop,, //~
        _ => Restart,
    }
}

fn main() {
    println!("{:?}", decides());
}
