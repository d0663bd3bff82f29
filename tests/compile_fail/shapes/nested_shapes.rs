// C1. A shape holds an actor, a tree or `task`, and no other shape: an optional set would be a set, a set of sets has
// no name for the inner ones.
// Repair: put what is inside into a tree of its own.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        sessions: Option<[Db]> = Some(|| Db), //~
    }
}

fn main() {}
