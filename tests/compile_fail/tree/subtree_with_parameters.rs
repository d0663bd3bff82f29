// C1. An inline subtree is a part of the tree around it and sees the parameters of that; nobody could pass it others.
// Repair: remove the parentheses, or declare a tree of its own.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(size: usize) {
        reports: struct Reports(size: usize) { //~
            daily: [Db; 2] = |_i: usize| { let _ = size; Db },
        },
    }
}

fn main() {}
