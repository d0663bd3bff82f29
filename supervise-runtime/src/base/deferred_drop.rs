//! The last of what user code threw. Dropping it is user code as well: it may panic, and it may look at the tree.
//!
//! A [`Failure`](crate::Failure) is shared, so nobody knows where the last of it goes: in a cell's loop, under a
//! group's lock, in a slot of the channel of events. Therefore the error in it is dropped by [`drop_last`], which
//! catches a panic, and waits while a [`Shelter`] lives on this thread.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::base::sync::foreign;

thread_local! {
    static SHELTERS: Cell<u32> = const { Cell::new(0) };
    static WAITING: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// While it lives, errors whose last holder lets go on this thread wait for its end.
///
/// To be made before a lock under which a failure may go: what is declared first is dropped last.
#[derive(Debug)]
pub(crate) struct Shelter(PhantomData<*const ()>); // of this thread

impl Shelter {
    pub(crate) fn new() -> Self {
        SHELTERS.set(SHELTERS.get() + 1);
        Shelter(PhantomData)
    }
}

impl Drop for Shelter {
    fn drop(&mut self) {
        // The last one stays for as long as errors are dropped: one that asks for the tree adds to these, and does not
        // drop the rest in a frame of its own.
        if SHELTERS.get() == 1 {
            while let Ok(Some(next)) = WAITING.try_with(|waiting| waiting.borrow_mut().pop()) {
                drop_quietly(next);
            }
        }
        SHELTERS.set(SHELTERS.get() - 1);
    }
}

/// Drops what may be the last of an error: outside of every lock, and a panic in it stays here.
pub(crate) fn drop_last<T: 'static>(value: T) {
    if SHELTERS.get() == 0 {
        return drop_quietly(value);
    }
    let mut value = Some(value);
    let _ = WAITING.try_with(|waiting| {
        waiting.borrow_mut().extend(value.take().map(|value| Box::new(value) as Box<dyn Any>));
    });
    if let Some(value) = value {
        drop_quietly(value); // the thread is ending
    }
}

/// A value of the user that dies beside others. A panic in its `Drop` stays here: two at once would end the process,
/// and one would leave the rest undone.
#[derive(Debug)]
pub(crate) struct Quiet<T>(Option<T>);

impl<T> Quiet<T> {
    pub(crate) fn new(value: T) -> Self {
        Quiet(Some(value))
    }
}

impl<T> Deref for Quiet<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("taken only when it is dropped")
    }
}

impl<T> DerefMut for Quiet<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("taken only when it is dropped")
    }
}

impl<T> Drop for Quiet<T> {
    fn drop(&mut self) {
        drop_quietly(self.0.take());
    }
}

/// Drops it, whatever its `Drop` does: a panic has been told by the panic hook.
#[cfg_attr(debug_assertions, track_caller)]
pub(crate) fn drop_quietly<T>(value: T) {
    foreign();
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        std::mem::forget(payload); // it may panic in its turn
    }
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
        let shelter = Shelter::new();
        let held = lock(&value);
        drop_last(error.clone());
        drop(held);
        assert_eq!(Rc::strong_count(&error), 2, "it waits");
        drop(shelter);
        assert_eq!(Rc::strong_count(&error), 1);
    }
}
