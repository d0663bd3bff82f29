// An arm says which type of failure it is about: `Enum::Variant ..`, or `pattern: Type`. A bare name would be a
// new variable that matches everything.
// Repair: write the path of the variant, or the type behind a colon; `_` stands last.
use supervise::prelude::*;

fn main() {
    let _ = decider! {
        Timeout => Restart,
        Code(500) => Restart,
        Cause::Killed | Phase::Start => Stop,
        _ => Restart,
        Cause::TimedOut => Stop,
    };
}
