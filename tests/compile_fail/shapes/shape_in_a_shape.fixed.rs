// `shapes/shape_in_a_shape.rs`, repaired.
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
