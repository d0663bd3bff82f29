//! Children that are restarted together: `AllForOne` and `RestForOne`.

mod ended_members;
mod failures;
pub mod strategies;
mod waits;
