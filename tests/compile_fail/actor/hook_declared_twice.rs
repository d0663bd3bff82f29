// C14. Each hook is one function: of two, the order would be a guess. Both places are shown.
// Repair: keep one, and let it call the other.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Cart {
    fn handle(&mut self, _msg: ()) {}
    #[post_stop]
    fn save(&mut self) {}
    #[post_stop] //~
    fn close(&mut self) {}
}

fn main() {}
