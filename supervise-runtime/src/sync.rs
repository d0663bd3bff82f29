//! What cells share is shared through these: the standard library's primitives, or those of a model
//! checker in the tests of interleavings, which compile this crate a second time (`tests/interleavings`).

#[cfg(not(shuttle))]
pub(crate) use std::{
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak, atomic},
    thread_local,
};

#[cfg(shuttle)]
pub(crate) use {
    shuttle::{
        sync::{Arc, Mutex, MutexGuard, PoisonError, Weak, atomic},
        thread_local,
    },
    std::sync::OnceLock,
};
