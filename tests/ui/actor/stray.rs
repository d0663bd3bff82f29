// A marker where nothing would call the function is an error, not silence: hooks are marked inside an
// `#[actor] impl`.
// Repair: add `#[actor]` above the block; above a struct write `#[derive(Actor)]`.
use supervise::prelude::*;

struct Db;
impl Db {
    #[pre_restart]
    fn flush(&mut self) {}
}

#[actor]
struct Index;

fn main() {
    let _ = (Db, Index);
}
