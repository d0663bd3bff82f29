// C1. An inline subtree is written in the place of a type and starts by its children; there is nothing else to
// evaluate.
// Repair: remove the expression.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        reports: struct Reports {
            daily: Db = Db,
        } = Reports::new(), //~
    }
}

fn main() {}
