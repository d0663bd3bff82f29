// C9. A mistake that leaves one tree half understood hides nothing of the others.
// Repair: each at its own word.
use supervise::prelude::*;

struct Db(u32);
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

fn size(_db: &ActorRef<Db>) -> u32 {
    1
}

supervisor! {
    struct Shop {
        first: Db = Db(size(&second)), //~
        second: Db = Db(2),
    }
    struct Yard {
        only: Db = Db("three"), //~
    }
}

fn main() {}
