// C8. A key finds the child and is the last part of the child's path, so it is `Clone + Eq + Hash + Display`.
// Repair: Derive the first three, and implement `Display`.
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
