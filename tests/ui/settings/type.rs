// The value of a setting is a Rust expression; rustc checks its type, at the value.
// Repair: write a value of the type that the message expects.
use supervise::prelude::*;

#[derive(Clone)]
struct Config {
    grace: u32,
}

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(config: Config) {
        #[mailbox(Bounded(64), ask = config.grace)]
        db: Db = Db,
    }
}

fn main() {
    let _ = Shop::SPEC;
}
