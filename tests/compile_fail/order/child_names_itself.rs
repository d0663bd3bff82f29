// C7. A child's own handle exists only once it is up. Inside of the actor it is `cx.myself()`.
// Repair: remove it from the start.
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
        db: Db = Db,
        cart: Cart = Cart(cart.clone()), //~
    }
}

fn main() {}
