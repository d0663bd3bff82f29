//! The tests of `testing::chaos` itself.
