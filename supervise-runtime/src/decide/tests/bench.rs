//! A group in a situation.
