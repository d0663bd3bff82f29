// C10. Every arm has an answer.
// Repair: write `=> Directive`.
use supervise::prelude::*;

fn decides() -> Decider {
    decider! {
        Cause::Killed, //~
        Cause::TimedOut => , //~
        _ => Restart,
    }
}

fn main() {}
