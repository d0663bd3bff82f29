// Without a `_` arm, a tree's decider names every variant of each enum that it names at all: rustc's own
// check, so a variant that is added later is not forgotten. A child's decider may leave some to the tree's.
// Repair: add the variant, or `_`.
use supervise::prelude::*;

#[derive(Debug)]
enum DbError {
    Timeout,
    Corrupt,
}
impl std::fmt::Display for DbError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("db")
    }
}
impl std::error::Error for DbError {}

fn main() {
    let _ = decider! {
        DbError::Timeout => Restart,
        Cause::Killed => Stop,
    };
    let _whole = decider! { DbError::Timeout => Restart, DbError::Corrupt => Stop };
}
