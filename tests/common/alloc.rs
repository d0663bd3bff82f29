//! Counts bytes: those in use, and those that a thread has allocated.

#![allow(unsafe_code)] // an allocator needs it
#![allow(dead_code, unreachable_pub)] // no test crate uses all of it

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

static LIVE: AtomicI64 = AtomicI64::new(0);

/// The bytes that are allocated and not freed.
pub fn live() -> i64 {
    LIVE.load(Relaxed)
}

thread_local! {
    static TAKEN: Cell<u64> = const { Cell::new(0) };
}

/// The bytes that this thread has allocated since it began, freed or not: a measure of work that is the same in every
/// run.
pub fn taken() -> u64 {
    TAKEN.get()
}

fn take(size: usize) {
    // (A thread may allocate after its locals have been dropped.)
    let _ = TAKEN.try_with(|taken| taken.set(taken.get() + size as u64));
}

struct Counting;

// SAFETY: every call is passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size() as i64, Relaxed);
        take(layout.size());
        // SAFETY: the caller guarantees it.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as i64, Relaxed);
        // SAFETY: the caller guarantees it.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_add(size as i64 - layout.size() as i64, Relaxed);
        take(size);
        // SAFETY: the caller guarantees it.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;
