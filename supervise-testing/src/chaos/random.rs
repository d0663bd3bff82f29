//! Random numbers from a seed.

use std::cell::Cell;

std::thread_local! {
    /// The seed of the run on this thread.
    static OF_RUN: Cell<u64> = const { Cell::new(0) };
}

/// Random numbers that a seed decides, for the traffic of [`Chaos`](super::Chaos).
///
/// ```
/// use supervise::testing::Random;
///
/// let (mut one, mut two) = (Random::new(7), Random::new(7));
/// assert_eq!(one.below(1000), two.below(1000));
/// assert!(["a", "b"].contains(one.pick(&["a", "b"])));
/// ```
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Makes a stream of random numbers from a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Makes a stream that the seed of the run decides: to be called in the function that makes the tree of
    /// [`chaos`](super::chaos). Elsewhere the seed is 0.
    pub fn of_run() -> Self {
        Random::part(OF_RUN.get(), 3)
    }

    /// Sets the seed of the run on this thread.
    pub(super) fn begins_run(seed: u64) {
        OF_RUN.set(seed);
    }

    /// Makes a stream of its own for a part of a run.
    pub(super) fn part(seed: u64, part: u64) -> Self {
        Random(Random(seed ^ part.wrapping_mul(0xd6e8_feb8_6659_fd93)).number())
    }

    /// Returns a number of 64 random bits.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// Returns a number below `n`, or 0 if `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.number().checked_rem(n).unwrap_or(0)
    }

    /// Returns `true` once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// Returns one of these values.
    ///
    /// # Panics
    ///
    /// Panics if there is none.
    #[track_caller]
    pub fn pick<'a, V>(&mut self, values: &'a [V]) -> &'a V {
        &values[self.below(values.len() as u64) as usize]
    }
}
