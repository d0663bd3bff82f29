// C14. A marker where nobody looks for it would mark a function that is never called, in silence. Hooks are marked
// inside an `#[actor] impl`.
// Repair: `#[actor]` above the block.
use supervise::prelude::*;

struct Cart;
impl Cart {
    #[pre_restart] //~
    fn flush(&mut self) {}
}

fn main() {}
