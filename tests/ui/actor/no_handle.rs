// An actor has one inherent `handle`. `#[actor]` takes the types of messages and errors from it, the derive
// has them in an attribute.
// Repair: write `handle`; name the messages. What uses the actor stays whole meanwhile.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handel(&mut self, _msg: ()) {}
}

#[derive(Actor)]
struct Cart;

#[derive(Actor)]
#[actor(msg = ())]
struct Index;

supervisor! {
    struct Shop {
        db: Db = Db,
        cart: Cart = Cart,
    }
}

fn main() {
    let _ = (Shop::SPEC, Index);
}
