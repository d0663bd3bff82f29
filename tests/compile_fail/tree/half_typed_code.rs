// C1. What is being typed parses nearly never. A name is put where one is missing, so that everything else in the tree
// and around it is known, to rustc and to the editor.
// Repair: complete the expression.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(config: String) {
        let name = config.; //~
        let size = ; //~
        db: Db = Db::, //~
    }
}

fn main() {}
