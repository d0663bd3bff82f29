// C9. The start expression gives what is declared: of an actor the actor itself, of a tree `Tree<..>`. rustc says so
// at the expression.
// Repair: give that.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Db = 5, //~
        maybe: Option<Db> = Db, //~
    }
}

fn main() {}
