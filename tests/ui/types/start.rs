// A start expression gives the value of its child's type; it may `.await`, and `?` takes any error.
// Repair: write an expression of that type.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Db = 5,
        beat: task = async { 5 },
    }
}

fn main() {
    let _ = Shop::SPEC;
}
