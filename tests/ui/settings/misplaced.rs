// What governs all children stands inside the braces (`#![..]`), what governs one stands above it (`#[..]`).
// Settings of the tree come first: they hold for every child, whatever its place.
// Repair: move the line to where the message says.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    pub struct Shop {
        #![backoff(1s..2s)]
        #[strategy(AllForOne)]
        db: Db = Db,
        #![strategy(OneForOne)]
    }
}

fn main() {}
