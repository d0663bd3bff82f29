// `decider/forgotten_variant.rs`, repaired.
use supervise::prelude::*;

#[derive(Debug, thiserror::Error)]
#[error("db")]
enum DbError {
    Timeout(u64),
    Corrupt,
}

fn decides() -> Decider {
    decider! {
        DbError::Timeout(_) => Restart,
        DbError::Corrupt => Stop,
        Cause::Killed => Stop,
    }
}

fn main() {
    println!("{:?}", decides());
}
