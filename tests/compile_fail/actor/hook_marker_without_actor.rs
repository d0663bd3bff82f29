// C14. Hooks are marked inside an `#[actor] impl`. In any other block no macro would read the marker, and the function
// would never be called.
// Repair: Write `#[actor]` above the block.
use supervise::prelude::*;

struct Cart;
impl Cart {
    #[pre_restart] //~
    fn flush(&mut self) {}
}

fn main() {
    Cart.flush();
}
