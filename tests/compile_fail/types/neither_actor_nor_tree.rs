// C9. The type of a child is an actor or a tree; which of the two, the type itself says. Whatever mentions the child
// stays quiet: this is one mistake.
// Repair: make the type an actor, or name the one that is meant.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Config;

supervisor! {
    struct Shop {
        config: Config = Config, //~
        cart: Db = { let _ = config; Db },
    }
}

fn main() {
    let _ = Shop::SPEC;
}
