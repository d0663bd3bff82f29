// C10. Without a `_`, a tree's decider names every variant of an enum that it names at all. rustc itself checks it, so
// a variant that is added later is not forgotten.
// Repair: an arm for it, or `_`.
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

fn main() {}
