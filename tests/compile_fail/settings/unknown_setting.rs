// C1. Where no name is near, the message lists those that can stand at this place. The list above a child is another
// than the one inside the braces.
// Repair: take one from the list; a name of your own goes into the documentation.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[colour(red)] //~
        db: Db = Db,
    }
}

fn main() {}
