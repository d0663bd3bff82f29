// `tree/generic_tree.rs`, repaired.
use supervise::prelude::*;

supervisor! {
    struct Shop(every: u64) {
        beat: task = beat(every),
    }
}

async fn beat(_every: u64) {}
