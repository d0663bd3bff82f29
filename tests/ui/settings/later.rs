// Parts of the language that are not there yet say so, and are never read and then ignored.
// Repair: remove the word for now.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    pub struct Shop {
        db: Db = Db,
        audit: Option<Db> = None,
    }
}

fn uses(shop: &Shop) {
    let _ = shop.audit.as_ref().map(|audit| audit.path());
}

fn main() {}
