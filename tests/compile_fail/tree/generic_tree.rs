// C1. A tree is a concrete type: its handle, its constant `SPEC` and its drawing are made once.
// Repair: use the concrete type; what differs between two trees is a parameter in parentheses.
use supervise::prelude::*;

supervisor! {
    struct Shop<T>(every: T) { //~
        beat: task = beat(every),
    }
}

async fn beat(_every: u64) {}

fn main() {}
