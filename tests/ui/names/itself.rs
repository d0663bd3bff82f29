// A tree cannot be its own child: it would have no end. A `[..]` of itself can, since it begins empty.
// Repair: `[Dir]`, spawned through the handle.
use supervise::prelude::*;

supervisor! {
    pub struct Dir(depth: u32) {
        sub: Dir = Dir::tree(depth - 1),
    }
}

fn main() {}
