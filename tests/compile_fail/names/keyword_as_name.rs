// C2. A child is a field, and a keyword is no name of a field.
// Repair: another name, or the raw one; as part of a path it is shown without `r#`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        type: Db = Db, //~
    }
}

fn main() {}
