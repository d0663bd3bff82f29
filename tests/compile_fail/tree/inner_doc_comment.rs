// C1. The documentation of the handle struct stands above it, as of any struct.
// Repair: `///` above the `struct`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        //! The back end. //~
        db: Db = Db,
    }
}

fn main() {}
