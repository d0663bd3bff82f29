// C10. A pattern with fields does not show its type when the name is imported.
// Repair: Write `Enum::Code(..)` for a variant, or the type after a colon for a struct.
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

fn main() {
    println!("{:?}", decides());
}
