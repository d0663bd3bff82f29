//! Counts bytes: those that are in use, and those that a thread has asked for.

#![allow(unsafe_code)] // an allocator is nothing else
#![allow(dead_code, unreachable_pub)] // not all of it in every test crate

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

static LIVE: AtomicI64 = AtomicI64::new(0);

/// Allocated and not freed.
pub fn live() -> i64 {
    LIVE.load(Relaxed)
}

thread_local! {
    static TAKEN: Cell<u64> = const { Cell::new(0) };
}

/// Allocated by this thread since it began, freed or not: a measure of work that is the same in every run.
pub fn taken() -> u64 {
    TAKEN.get()
}

fn take(size: usize) {
    // (A thread may allocate when its locals are gone.)
    let _ = TAKEN.try_with(|taken| taken.set(taken.get() + size as u64));
}

struct Counting;

// SAFETY: the system's allocator does all of it, with what it is given.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size() as i64, Relaxed);
        take(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as i64, Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_add(size as i64 - layout.size() as i64, Relaxed);
        take(size);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;
