//! The runtime of the model checker. There is only one, which all tasks of a schedule run in.

use std::future::Future;
use std::marker::PhantomData;

/// A handle to the only runtime.
#[derive(Clone, Debug)]
pub struct Handle(());

/// Ends nothing when it is dropped, since the only runtime cannot be left.
#[derive(Debug)]
#[must_use]
pub struct EnterGuard<'a>(PhantomData<&'a Handle>);

/// The error that there is no runtime, which never happens here.
#[derive(Debug)]
pub enum TryCurrentError {}

impl Handle {
    pub fn current() -> Self {
        Handle(())
    }

    pub fn spawn<F>(&self, future: F) -> crate::task::JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        crate::task::spawn(future)
    }

    pub fn try_current() -> Result<Self, TryCurrentError> {
        Ok(Handle(()))
    }

    pub fn enter(&self) -> EnterGuard<'_> {
        EnterGuard(PhantomData)
    }
}
