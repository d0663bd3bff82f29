// Children start in the order in which they are written, so each can name those above it: their handles
// exist. A child can name neither one below nor itself.
// Repair: move the child that is named further up.
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
    pub struct Shop {
        cart: Cart = Cart(db),
        db: Db = Db,
        own: Cart = Cart(own.clone()),
    }
}

fn uses(shop: &Shop) -> &ActorRef<Db> {
    &shop.db
}

fn main() {}
