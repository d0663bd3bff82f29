// C9. A task gives nothing, never ends, or may fail: `()`, `!` or `Result<(), E>`. There is nobody to take another
// value.
// Repair: send it where it is needed.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        count: task = async { 5 }, //~
    }
}

fn main() {}
