// C10. Settings that contradict each other do so at each start, so the child ends, and no decider is asked.
// Repair: Remove the arm; `start()` and `spawn` return the error.
use supervise::error::InvalidSettings;
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        _: InvalidSettings => Escalate, //~
        _ => Restart,
    }
}

fn main() {
    println!("{:?}", decides());
}
