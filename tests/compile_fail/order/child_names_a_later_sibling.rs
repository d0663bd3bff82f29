// C7. Children start in the order in which they are written, so each can name those above it: their handles exist.
// Repair: move the one that is named further up.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Cart(ActorRef<Db>);
#[actor]
impl Cart {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        cart: Cart = Cart(db), //~
        db: Db = Db,
    }
}

fn main() {}
