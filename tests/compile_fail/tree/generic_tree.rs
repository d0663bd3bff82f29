// C1. A tree is a concrete type, because its handle, its constant `SPEC` and its drawing exist once.
// Repair: Use the concrete type. If two trees differ in a value, make it a parameter in parentheses.
use supervise::prelude::*;

supervisor! {
    struct Shop<T>(every: T) { //~
        beat: task = beat(every),
    }
}

async fn beat(_every: u64) {}

fn main() {}
