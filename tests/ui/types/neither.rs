// The type of a child is an actor or a tree; the macro finds out which from the type itself.
// Repair: make the type an actor, or name the one that is meant.
use supervise::prelude::*;

struct Config;

supervisor! {
    struct Shop {
        config: Config = Config,
    }
}

fn main() {
    let _ = Shop::SPEC;
}
