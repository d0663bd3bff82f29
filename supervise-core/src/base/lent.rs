//! A value on which user code runs: start closures, kept values, the arguments of initial instances.
//!
//! The value is taken out of its lock while user code runs on it, so that no lock is held meanwhile (see `sync.rs`).
//! One thread has the value at a time, since it need not be `Sync`; other threads wait until it is back, and hold no
//! lock either. So user code can be delayed here only by user code: by a `Clone` that blocks its thread until a child
//! is up whose start needs a clone of the same value. A `Clone` that asks for the value that it clones panics.

use crate::base::deferred_drop::drop_catching_panics;
use crate::base::sync::{Monitor, foreign};

#[expect(missing_debug_implementations, reason = "only the crates beside this one see it")]
pub struct Lent<T> {
    slot: Monitor<Slot<T>>,
}

struct Slot<T> {
    value: Option<T>,
    /// The thread that has taken the value out; 0: none.
    out: usize,
    waiting: u32,
    /// The value was replaced while it was out.
    stale: bool,
}

impl<T> Lent<T> {
    pub fn new(value: T) -> Self {
        let slot = Slot { value: Some(value), out: 0, waiting: 0, stale: false };
        Lent { slot: Monitor::new(slot) }
    }

    /// Runs user code on the value. Returns `None` if the value was removed.
    pub fn with<R>(&self, run: impl FnOnce(&mut T) -> R) -> Option<R> {
        foreign();
        let value = {
            let mut slot = self.slot.lock();
            while slot.out != 0 {
                if slot.out == this_thread() {
                    drop(slot);
                    panic!("the `Clone` of a kept value asks for the value that it clones");
                }
                slot.waiting += 1;
                slot = self.slot.wait(slot);
                slot.waiting -= 1;
            }
            let Some(value) = slot.value.take() else {
                drop(slot);
                self.slot.notify_one(); // the next thread has to see this too
                return None;
            };
            slot.out = this_thread();
            value
        };
        let mut loan = Loan { of: self, value: Some(value) };
        loan.value.as_mut().map(run)
    }

    /// Replaces or removes the value. The previous one is dropped, outside of the lock.
    pub fn set(&self, value: Option<T>) {
        let before = {
            let mut slot = self.slot.lock();
            slot.stale = slot.out != 0;
            std::mem::replace(&mut slot.value, value)
        };
        foreign();
        drop(before);
    }
}

/// The value while it is out. It is put back even if user code panics.
struct Loan<'a, T> {
    of: &'a Lent<T>,
    value: Option<T>,
}

impl<T> Drop for Loan<'_, T> {
    fn drop(&mut self) {
        let mut slot = self.of.slot.lock();
        slot.out = 0;
        if !std::mem::take(&mut slot.stale) {
            slot.value = self.value.take();
        }
        let wanted = slot.waiting > 0;
        drop(slot);
        if wanted {
            self.of.slot.notify_one();
        }
        // A value that was replaced meanwhile is dropped here. Its panic must not reach the caller on this thread.
        drop_catching_panics(self.value.take());
    }
}

/// Returns a number that no other living thread has, and that is not 0.
#[cfg(not(shuttle))]
#[inline]
fn this_thread() -> usize {
    std::thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| std::ptr::from_ref(here).addr())
}

/// Returns a new number: in the model checker all threads have one address.
#[cfg(shuttle)]
#[inline]
fn this_thread() -> usize {
    static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(1);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;

    use std::sync::{Arc, mpsc};
    use std::thread;

    #[test]
    fn one_thread_has_it_at_a_time() {
        let lent = Arc::new(Lent::new(0_u32));
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let lent = lent.clone();
                thread::spawn(move || {
                    for _ in 0..1000 {
                        lent.with(|value| {
                            let before = *value;
                            thread::yield_now();
                            *value = before + 1;
                        });
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(lent.with(|value| *value), Some(4000));
    }

    #[test]
    fn what_is_replaced_while_it_is_out_does_not_come_back() {
        let lent = Lent::new("old");
        lent.with(|value| {
            assert_eq!(*value, "old");
            lent.set(Some("new"));
        });
        assert_eq!(lent.with(|value| *value), Some("new"));
        lent.with(|_| lent.set(None));
        assert_eq!(lent.with(|value| *value), None);
    }

    #[test]
    fn a_thread_that_has_the_value_cannot_wait_for_it() {
        let lent = Lent::new(7);
        let nested =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| lent.with(|_| lent.with(|value| *value))));
        assert!(nested.is_err());
        assert_eq!(lent.with(|value| *value), Some(7), "it came back");
    }

    #[test]
    fn a_panic_in_the_drop_of_a_replaced_value_reaches_no_caller() {
        struct Loud(bool);
        impl Drop for Loud {
            fn drop(&mut self) {
                assert!(!self.0, "in user code");
            }
        }
        let lent = Lent::new(Loud(true));
        assert_eq!(lent.with(|_| lent.set(None)), Some(()));
        assert!(lent.with(|_| ()).is_none());
    }

    #[test]
    fn the_value_comes_back_after_a_panic_and_a_waiting_caller_gets_it() {
        let lent = Arc::new(Lent::new(7));
        let (begun, has_begun) = mpsc::channel();
        let other = lent.clone();
        let first = thread::spawn(move || {
            other.with(|_| {
                begun.send(()).unwrap();
                thread::yield_now();
                panic!("in user code");
            })
        });
        has_begun.recv().unwrap();
        assert_eq!(lent.with(|value| *value), Some(7));
        assert!(first.join().is_err());
    }
}

impl<T> Drop for Lent<T> {
    /// Reached with a value only if the runtime was dropped. A panic must not reach the values that are dropped with
    /// this one.
    fn drop(&mut self) {
        let value = self.slot.lock().value.take();
        drop_catching_panics(value);
    }
}
