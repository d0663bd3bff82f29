//! The lock for a few instructions: a spin lock whose waiters soon sleep.
//!
//! A thread that finds the lock taken spins for about as long as most sections take. If the lock is still taken then, the
//! holder was preempted or has much to do (a group of 100,000 members is restarted in one section). So the waiter lets
//! other threads run a few times, and then sleeps, each time for longer. A waiter therefore costs no core, also with one
//! core, and a thread of higher priority does not keep the holder from running. The price is that nobody wakes the
//! waiter: it notices the release late, but in at most as much time again as it has waited, plus a sleep.
//!
//! The lock knows no poison: the guard gives it back when a panic unwinds. A panic under a lock is an error of this
//! crate, since no foreign code runs there.
//!
//! Neither this lock nor that of the standard library promises an order among waiters. With two and with four threads and
//! sections of up to 5 ms, this lock lets through about as many sections as that of the standard library, as long as it
//! is free half of the time. A waiter that sleeps may then wait for some milliseconds instead of a tenth of one. If the
//! lock is never free, a waiter may wait ten to twenty times as long. No lock of the runtime is used so, therefore all of
//! them are of this kind, also that of a group.

use std::hint::spin_loop;
use std::thread;
use std::time::Duration;

pub(super) use spin::mutex::SpinMutex as Mutex;
pub(super) use spin::mutex::SpinMutexGuard as MutexGuard;

/// The number of rounds in which a waiter spins: 32, 64, 128 and 256 times.
const SPINS: u32 = 4;

/// The number of rounds after those in which it lets other threads run.
const YIELDS: u32 = 8;

/// The first sleep; each further one is twice as long, up to the longest.
const SLEEP: Duration = Duration::from_micros(50);
const LONGEST: Duration = Duration::from_micros(800);

#[inline(always)]
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    match mutex.try_lock() {
        Some(guard) => guard,
        None => wait(mutex, pause),
    }
}

/// Tries until the lock is taken, with a pause before each attempt.
#[cold]
#[inline(never)]
fn wait<T>(mutex: &Mutex<T>, mut pause: impl FnMut(u32)) -> MutexGuard<'_, T> {
    let mut round = 0;
    loop {
        pause(round);
        round = round.saturating_add(1);
        // A load first: a failed attempt to write would take the cache line from the holder.
        if !mutex.is_locked()
            && let Some(guard) = mutex.try_lock()
        {
            return guard;
        }
    }
}

/// How a waiter spends a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pause {
    /// Spins so many times.
    Spin(u32),
    /// Lets other threads run.
    Yield,
    Sleep(Duration),
}

fn pause(round: u32) {
    match pause_of(round) {
        Pause::Spin(times) => (0..times).for_each(|_| spin_loop()),
        Pause::Yield => thread::yield_now(),
        Pause::Sleep(time) => thread::sleep(time),
    }
}

fn pause_of(round: u32) -> Pause {
    match round {
        0..SPINS => Pause::Spin(32 << round),
        _ if round < SPINS + YIELDS => Pause::Yield,
        _ => Pause::Sleep(sleep_of(round)),
    }
}

fn sleep_of(round: u32) -> Duration {
    let doublings = round.saturating_sub(SPINS + YIELDS);
    1_u32.checked_shl(doublings).map_or(LONGEST, |times| SLEEP.saturating_mul(times).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc;
    use std::time::Instant;

    #[test]
    fn one_thread_holds_it_at_a_time() {
        const TIMES: u64 = 1_000_000;
        let count = Mutex::new(0_u64);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..TIMES).for_each(|_| *lock(&count) += 1));
            }
        });
        assert_eq!(count.into_inner(), 4 * TIMES);
    }

    #[test]
    fn a_waiter_sleeps_while_the_holder_takes_long() {
        let mutex = Mutex::new(());
        let guard = lock(&mutex);
        let (asleep, is_asleep) = mpsc::channel();
        thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                let begun = Instant::now();
                let mut rounds = 0;
                drop(wait(&mutex, |round| {
                    rounds += 1;
                    if round == SPINS + YIELDS + 10 {
                        asleep.send(()).unwrap();
                    }
                    pause(round);
                }));
                (rounds, begun.elapsed())
            });
            is_asleep.recv().unwrap();
            drop(guard);
            let (rounds, waited) = waiter.join().unwrap();
            let asleep = (SPINS + YIELDS..rounds).map(sleep_of).sum();
            assert!(rounds > SPINS + YIELDS + 10, "the rounds of one wait are counted on");
            assert!(waited >= asleep, "after the first rounds, {asleep:?} of {waited:?} asleep");
        });
    }

    #[test]
    fn a_waiter_spins_lets_others_run_and_then_sleeps() {
        let sleep = |micros| Pause::Sleep(Duration::from_micros(micros));
        assert_eq!([0, 1, 2, 3].map(pause_of), [32, 64, 128, 256].map(Pause::Spin));
        assert_eq!([4, 11].map(pause_of), [Pause::Yield; 2]);
        assert_eq!([12, 13, 16, 43, 44, u32::MAX].map(pause_of), [50, 100, 800, 800, 800, 800].map(sleep));
    }

    #[test]
    fn a_panic_of_the_holder_gives_it_back() {
        let mutex = Mutex::new(7);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _guard = lock(&mutex);
            panic!("under the lock");
        }));
        assert!(panicked.is_err());
        assert_eq!(*lock(&mutex), 7);
    }
}
