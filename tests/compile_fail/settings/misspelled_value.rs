// C1. Where a word is expected, only those of the language mean something: it is no variable and no enum of yours.
// Repair: take the word that the message proposes, or one from its list.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Permanant)] //~
        db: Db = Db,
        #[while_down(Forget)] //~
        cart: Db = Db,
    }
}

fn main() {}
