// C10. Every arm has a directive.
// Repair: Write `=> Directive`.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        Cause::Killed, //~
        Cause::TimedOut => , //~
        _ => Restart,
    }
}

fn main() {
    println!("{:?}", decides());
}
