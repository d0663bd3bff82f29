// C7. A `let` is evaluated in its place among the children and sees what is above it.
// Repair: move it below what it names.
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
        let copy = db.clone(); //~
        db: Db = Db,
        cart: Cart = Cart(copy),
    }
}

fn main() {}
