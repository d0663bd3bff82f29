//! Deferred drops of user errors.
//!
//! Dropping an error that user code returned is user code as well: it may panic, and it may call methods of the tree. A
//! [`Failure`](crate::values::failure::Failure) is shared, so its last reference may be dropped anywhere: in a cell's
//! loop, under a group's lock, in a slot of the event channel. Therefore the error in it is dropped by
//! [`drop_deferred`], which catches a panic, and waits while a [`DeferDrops`] exists on this thread.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Waker;

use crate::base::sync::foreign;

thread_local! {
    static SHELTERS: Cell<u32> = const { Cell::new(0) };
    static WAITING: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
    /// An error waits. Read at the end of each shelter: a flag costs less than the list, which has a destructor.
    static WAITS: Cell<bool> = const { Cell::new(false) };
}

/// A guard: while it exists, errors whose last reference is dropped on this thread wait for its end.
///
/// Create it before a lock under which a failure may be dropped: local variables are dropped in reverse order.
#[derive(Debug)]
pub struct DeferDrops(PhantomData<*const ()>); // belongs to this thread

impl DeferDrops {
    #[expect(clippy::new_without_default, reason = "a guard, not a value")]
    #[inline]
    pub fn new() -> Self {
        SHELTERS.set(SHELTERS.get() + 1);
        DeferDrops(PhantomData)
    }
}

impl Drop for DeferDrops {
    #[inline]
    fn drop(&mut self) {
        // The last shelter stays active while errors are dropped: an error whose `Drop` uses the tree adds to the list,
        // and the loop drops the addition too, without recursion.
        if SHELTERS.get() == 1 && WAITS.get() {
            drop_waiting();
        }
        SHELTERS.set(SHELTERS.get() - 1);
    }
}

#[cold]
fn drop_waiting() {
    while let Ok(Some(next)) = WAITING.try_with(|waiting| waiting.borrow_mut().pop()) {
        drop_catching_panics(next);
    }
    WAITS.set(false);
}

/// Drops a value that may be the last reference to an error: outside of every lock, and catching a panic.
pub fn drop_deferred<T: 'static>(value: T) {
    if SHELTERS.get() == 0 {
        return drop_catching_panics(value);
    }
    let mut value = Some(value);
    let _ = WAITING.try_with(|waiting| {
        waiting.borrow_mut().extend(value.take().map(|value| Box::new(value) as Box<dyn Any>));
        WAITS.set(true);
    });
    if let Some(value) = value {
        drop_catching_panics(value); // the thread is ending
    }
}

/// A user value that is dropped together with others. A panic in its `Drop` is caught: two panics at once would end the
/// process, and one would leave the other values undropped.
#[derive(Debug)]
pub struct CatchDrop<T>(Option<T>);

impl<T> CatchDrop<T> {
    pub fn new(value: T) -> Self {
        CatchDrop(Some(value))
    }
}

impl<T> Deref for CatchDrop<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("taken only when it is dropped")
    }
}

impl<T> DerefMut for CatchDrop<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("taken only when it is dropped")
    }
}

impl<T> Drop for CatchDrop<T> {
    fn drop(&mut self) {
        drop_catching_panics(self.0.take());
    }
}

/// Drops a value and catches a panic in its `Drop`. The panic hook has already reported that panic.
#[cfg_attr(debug_assertions, track_caller)]
pub fn drop_catching_panics<T>(value: T) {
    foreign();
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        std::mem::forget(payload); // its own `Drop` may panic too
    }
}

/// Calls foreign code on which nothing here depends: a subscriber of `tracing`, a waker. A panic in it ends there, and no
/// notice, child or tree with it. `None`: it has panicked.
pub fn shielded<R>(call: impl FnOnce() -> R) -> Option<R> {
    foreign();
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(out) => Some(out),
        Err(payload) => {
            std::mem::forget(payload); // its own `Drop` may panic too
            None
        }
    }
}

/// Wakes a task of any executor.
#[inline]
pub fn wake(waker: Waker) {
    shielded(|| waker.wake());
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::base::sync::{Mutex, lock};

    #[test]
    fn in_a_shelter_the_last_of_an_error_waits_for_the_end_of_every_lock() {
        let error = Rc::new("of a user");
        let value = Mutex::new(1);
        let shelter = DeferDrops::new();
        let suspended = lock(&value);
        drop_deferred(error.clone());
        drop(suspended);
        assert_eq!(Rc::strong_count(&error), 2, "it waits");
        drop(shelter);
        assert_eq!(Rc::strong_count(&error), 1);
    }
}
