// A child is `name: Type = start,`, a value `let pattern = value;`.
// What cannot be read is skipped up to the next entry; the rest is checked all the same.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    pub struct Shop {
        let Some(limit) = Some(3) else { return };
        first = Db,
        second Db = Db,
        third: Db = Db
        fourth: Db = Db,
        pub let five = 5;
    }
}

fn uses(shop: &Shop) -> (&ActorRef<Db>, &ActorRef<Db>) {
    (&shop.third, &shop.fourth)
}

fn main() {}
