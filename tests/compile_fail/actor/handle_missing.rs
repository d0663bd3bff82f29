// C14. An actor has one inherent `handle`: `#[actor]` takes the types of messages and errors from it. What uses the
// actor stays quiet.
// Repair: write it, or correct its name.
use supervise::prelude::*;

struct Cart;
#[actor]
impl Cart { //~
    fn handel(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        cart: Cart = Cart,
    }
}

fn main() {}
