// C14. `#[actor]` reads the methods of an `impl` block; a struct has none.
// Repair: `#[derive(Actor)]`, or `#[actor]` above the `impl`.
use supervise::prelude::*;

#[actor] //~
struct Cart {
    _items: Vec<String>,
}

fn main() {}
