// `names/drawing_without_the_prelude.rs`, repaired.
use supervise::spec::Render;
use supervise::{actor, supervisor};

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        db: Db = Db,
    }
}

fn main() {
    print!("{}", Shop::SPEC.render());
}
