// C2. An inline subtree has no start of its own: it is started in its place, with the names around it. No other child, of
// this tree or another one, can have its type.
// Repair: a tree of its own, started in both places.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        stock: struct Stock { db: Db = Db },
        spare: Stock = Stock::tree(), //~
    }

    struct Mall {
        stocks: [Stock] = || Stock::tree(), //~
    }
}

fn main() {}
