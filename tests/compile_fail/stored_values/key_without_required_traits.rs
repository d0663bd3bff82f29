// C8. Children are found by their key, and it is the last part of their path: it is `Clone + Eq + Hash + Display`.
// Repair: derive the first three and write the last.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct User;

supervisor! {
    struct Shop {
        sessions: [User => Db] = |_user: User| Db, //~
    }
}

fn main() {}
