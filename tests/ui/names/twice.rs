// Parameters, `let`s and children share one list of names, those of an inline subtree included: an
// expression that names `db` must mean one thing.
// Repair: rename one of the two; both places are shown.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    pub struct Shop(config: u8) {
        db: Db = Db,
        inner: struct Inner {
            db: Db = Db,
        },
        config: Db = Db,
        tree: Db = Db,
        type: Db = Db,
    }
}

fn uses(shop: &Shop) -> &ActorRef<Db> {
    &shop.inner.db
}

fn main() {}
