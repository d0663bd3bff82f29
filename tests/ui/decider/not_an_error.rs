// An arm names an error type, `Cause` or `Phase`, and answers with one of four directives.
// Repair: name the error that is thrown; correct the word.
use supervise::prelude::*;

struct Plain;

fn main() {
    let _ = decider! { _: Plain => Stop, _ => Restart };
    let _ = decider! { Cause::Killed => Restrat, _ => Restart };
}
