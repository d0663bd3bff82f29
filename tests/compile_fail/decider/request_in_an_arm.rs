// C10. A restart that somebody asked for always takes place; only its hooks get a failure, with the cause `Requested`.
// Repair: Look for the cause in the hook, and remove the arm.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        Cause::Killed | Cause::Requested => Stop, //~
        at @ supervise::Cause::Requested if at.to_string().is_empty() => Stop, //~
        _ => Restart,
    }
}

fn main() {
    println!("{:?}", decides());
}
