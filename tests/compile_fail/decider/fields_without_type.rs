// C10. A pattern with fields does not say its type when the name is imported.
// Repair: `Enum::Code(..)` for a variant, the type behind a colon for a struct.
use supervise::prelude::*;

#[derive(Debug, thiserror::Error)]
#[error("code {0}")]
struct Code(u16);

fn decides() -> Decider {
    decider! {
        Code(500..) => Stop, //~
        _ => Restart,
    }
}

fn main() {}
