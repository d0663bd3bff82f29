// `decider/contradicting_settings_in_an_arm.rs`, repaired.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        _: std::io::Error => Escalate,
        _ => Restart,
    }
}

fn main() {
    println!("{:?}", decides());
}
