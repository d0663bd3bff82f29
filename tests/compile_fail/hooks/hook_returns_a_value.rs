// C11. A hook returns nothing, or a `Result<(), E>` whose error becomes the actor's. There is nobody to take another
// value.
// Repair: one of the two.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[post_restart(Db::load)] //~
        db: Db = Db,
    }
}

impl Db {
    fn load(&mut self) -> u32 { 5 }
}

fn main() {}
