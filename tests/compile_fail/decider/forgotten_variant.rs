// C10. Without a `_` arm, a tree's decider has to cover all variants of each enum that it names. rustc checks this, so
// a variant that is added later cannot be forgotten.
// Repair: Write an arm for the variant, or `_`.
use supervise::prelude::*;

#[derive(Debug, thiserror::Error)]
#[error("db")]
enum DbError {
    Timeout(u64),
    Corrupt,
}

fn decides() -> Decider {
    decider! {
        DbError::Timeout(_) => Restart, //~
        Cause::Killed => Stop,
    }
}

fn main() {
    println!("{:?}", decides());
}
