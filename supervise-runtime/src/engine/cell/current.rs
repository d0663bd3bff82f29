//! The cell whose user code runs on this thread. An actor that sends to itself, or waits for its own end, thereby gets
//! an error instead of waiting forever (S3, S25).

use std::cell::Cell;
use std::iter;
use std::mem::ManuallyDrop;

use super::control::AnyCell;
use supervise_core::base::sync::{Arc, foreign};

supervise_core::base::sync::thread_local! {
    // Only lent to the thread, so never dropped here: a thread local without a destructor is cheaper.
    static CURRENT: Cell<ManuallyDrop<Option<Arc<AnyCell>>>> = const { Cell::new(ManuallyDrop::new(None)) };
    static LEAVING: Cell<bool> = const { Cell::new(false) };
    static ASIDE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `poll` as the user code of `cell`; `leaving` is true in `pre_restart` and `post_stop`. `cell` is lent to the
/// thread and handed back, so that entering does not change the reference count.
pub(crate) fn enter<T>(cell: &mut Option<Arc<AnyCell>>, leaving: bool, poll: impl FnOnce() -> T) -> T {
    struct Leave<'a> {
        cell: &'a mut Option<Arc<AnyCell>>,
        before: Option<Arc<AnyCell>>,
        leaving: bool,
    }
    impl Drop for Leave<'_> {
        fn drop(&mut self) {
            *self.cell = swap(self.before.take());
            LEAVING.with(|now| now.set(self.leaving));
        }
    }
    foreign();
    let before = swap(cell.take());
    let leave = Leave { cell, before, leaving: LEAVING.with(|now| now.replace(leaving)) };
    let out = poll();
    drop(leave);
    out
}

/// Runs user code of `cell`. In a poll of the cell's task, the cell is entered already, which costs less than entering
/// it for each piece of user code.
pub(crate) fn within<T>(cell: &Arc<AnyCell>, leaving: bool, run: impl FnOnce() -> T) -> T {
    struct Leave(bool);
    impl Drop for Leave {
        fn drop(&mut self) {
            LEAVING.with(|now| now.set(self.0));
        }
    }
    foreign();
    if !with(|current| current.is_some_and(|current| Arc::ptr_eq(current, cell))) {
        return enter(&mut Some(cell.clone()), leaving, run);
    }
    let _leave = Leave(LEAVING.with(|now| now.replace(leaving)));
    run()
}

/// Runs code of the entered cell that is not a step of it: its subordinate futures.
pub(crate) fn aside<T>(run: impl FnOnce() -> T) -> T {
    struct Leave(bool);
    impl Drop for Leave {
        fn drop(&mut self) {
            ASIDE.with(|now| now.set(self.0));
        }
    }
    let _leave = Leave(ASIDE.with(|now| now.replace(true)));
    run()
}

/// Returns the actor whose handler or hook runs on this thread.
pub(crate) fn step() -> Option<Arc<AnyCell>> {
    if ASIDE.with(Cell::get) {
        return None;
    }
    with(|current| current.filter(|cell| cell.has_messages()).cloned())
}

fn swap(cell: Option<Arc<AnyCell>>) -> Option<Arc<AnyCell>> {
    ManuallyDrop::into_inner(CURRENT.with(|current| current.replace(ManuallyDrop::new(cell))))
}

fn with<T>(f: impl FnOnce(Option<&Arc<AnyCell>>) -> T) -> T {
    let current = swap(None);
    let out = f(current.as_ref());
    swap(current);
    out
}

/// Returns whether the code on this thread belongs to the cell with this id.
pub(crate) fn is(id: u64) -> bool {
    with(|current| current.is_some_and(|cell| cell.core().id == id))
}

/// Returns whether the code on this thread belongs to the cell with this id, or to one below it.
pub(crate) fn is_inside(id: u64) -> bool {
    with(|current| current.is_some_and(|cell| is_below(cell, id)))
}

/// Returns whether `cell` is the one with this id, or is below it.
pub(crate) fn is_below(cell: &Arc<AnyCell>, id: u64) -> bool {
    let mut next = Some(cell.clone());
    while let Some(cell) = next {
        if cell.core().id == id {
            return true;
        }
        next = cell.core().supervisor();
    }
    false
}

/// Returns whether the code on this thread runs in a child that has to be down before this set can come up again, since
/// both are in one range that goes down: that code must not wait for the set.
pub(crate) fn goes_down_with(set: &AnyCell) -> bool {
    let Some(caller) = with(|current| current.cloned()) else { return false };
    if caller.core().id == set.core().id {
        return false; // its own start begins instances, and waits for none
    }
    let above = |cell: &AnyCell| -> Vec<Arc<AnyCell>> {
        iter::successors(cell.core().supervisor(), |cell| cell.core().supervisor()).collect()
    };
    let (of_caller, of_set) = (above(&*caller), above(set));
    // From the set upwards, each supervisor with the child through which the set is below it.
    let line = || iter::once(set).chain(of_set.iter().map(|cell| &**cell));
    for (at, below) in line().zip(iter::once(None).chain(line().map(Some))) {
        let Some(depth) = of_caller.iter().position(|cell| cell.core().id == at.core().id) else { continue };
        let child = depth.checked_sub(1).map_or(&caller, |depth| &of_caller[depth]);
        return at.core().table().is_some_and(|table| table.go_down_together(&**child, below));
    }
    false // the caller is elsewhere
}

/// Returns whether `pre_restart` or `post_stop` runs, which must not wait for an actor that is down.
pub(crate) fn is_leaving() -> bool {
    LEAVING.with(Cell::get)
}
