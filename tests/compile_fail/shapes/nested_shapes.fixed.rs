// `shapes/nested_shapes.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Sessions {
        all: [Db] = || Db,
    }

    struct Shop {
        sessions: Option<Sessions> = Some(Sessions::tree()),
    }
}
