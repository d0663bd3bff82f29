//! The runtime of the model checker. There is only one, which all tasks of a schedule run in.

use std::marker::PhantomData;

/// A handle to the only runtime.
#[derive(Clone, Debug)]
pub struct Handle(());

/// Ends nothing when it is dropped, since the only runtime cannot be left.
#[derive(Debug)]
#[must_use]
pub struct EnterGuard<'a>(PhantomData<&'a Handle>);

impl Handle {
    pub fn current() -> Self {
        Handle(())
    }

    pub fn enter(&self) -> EnterGuard<'_> {
        EnterGuard(PhantomData)
    }
}
