//! The rules of remote children, S56 to S63, on the wire in memory and the paused clock.

mod placing;
mod world;
