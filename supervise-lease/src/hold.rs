//! One holding of a lease, from the grant to its end (S55).

use std::fmt;
use std::sync::Once;
use std::time::Duration;

use tokio::sync::Notify;

use supervise_core::base::clock::{Moment, Term};
use supervise_core::base::sync::atomic::{AtomicBool, Ordering};
use supervise_core::base::sync::{Arc, Mutex, foreign, lock};
use supervise_core::values::network::Held;
use supervise_runtime::extension::{AnyCell, CellCore, Extension, Gate, Pass, Role, TreeShared, Wants};

/// Says of a child that was given up whether it still blocks its thread.
type IsStuck = Arc<dyn Fn() -> bool + Send + Sync>;

/// A holding of a lease, shared by its keeper and all cells that run under it. Without locks: each poll of user code in a
/// leased tree reads it.
pub(crate) struct Hold {
    pub(crate) token: u64,
    /// The holder before gave the lease back with all its children down.
    pub(crate) released: bool,
    /// The time for which the lease is known to hold, from the asking for it on.
    term: Term,
    /// True once that time was over: no later grant changes it.
    over: AtomicBool,
    /// Told when a cell finds the lease to be over.
    pub(crate) found: Notify,
    /// Children that were given up since they block their threads (S25). Hardly ever is there one.
    given_up: Mutex<Vec<IsStuck>>,
}

impl fmt::Debug for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hold").field("token", &self.token).field("left", &self.left()).finish_non_exhaustive()
    }
}

impl Hold {
    /// Makes a holding that was asked for at this moment, and lasts for this time from then on.
    pub(crate) fn new(token: u64, released: bool, asked: Moment, lasts: Duration) -> Self {
        Hold {
            token,
            released,
            term: Term::new(asked, lasts),
            over: AtomicBool::new(false),
            found: Notify::new(),
            given_up: Mutex::default(),
        }
    }

    /// A renewal that was asked for at this moment was granted. Grants may be taken in any order.
    pub(crate) fn renewed(&self, asked: Moment, lasts: Duration) {
        self.term.extend(asked + lasts);
    }

    /// A child of the tree was given up: it blocks its thread, and its tree goes on without it.
    pub(crate) fn gives_up(&self, is_stuck: impl Fn() -> bool + Send + Sync + 'static) {
        let over: Vec<_> = self.given_up().into_iter().filter(|is_stuck| !is_stuck()).collect();
        let mut given_up = lock(&self.given_up);
        given_up.retain(|known| !over.iter().any(|over| Arc::ptr_eq(known, over)));
        given_up.push(Arc::new(is_stuck));
    }

    /// Returns whether a child that was given up still blocks its thread.
    pub(crate) fn has_stuck(&self) -> bool {
        self.given_up().iter().any(|is_stuck| is_stuck())
    }

    /// Returns the children that were given up, so that they are asked outside of the lock.
    fn given_up(&self) -> Vec<IsStuck> {
        lock(&self.given_up).clone()
    }

    /// Returns the time for which the lease still holds.
    pub(crate) fn left(&self) -> Duration {
        match self.over.load(Ordering::Relaxed) {
            true => Duration::ZERO,
            false => self.term.left(Moment::now()),
        }
    }

    /// Returns whether the lease is over. From the first time on that it is, it stays so.
    pub(crate) fn is_over(&self) -> bool {
        if self.over.load(Ordering::Relaxed) {
            return true;
        }
        let over = self.left().is_zero();
        if over && !self.over.swap(true, Ordering::Relaxed) {
            foreign();
            self.found.notify_one();
        }
        over
    }
}

/// Holds the code of children whose lease is over. Attached once to a tree, whatever leases it has.
#[derive(Debug)]
struct Leases;

/// Says that a tree has [`Leases`].
#[derive(Debug)]
struct Guarded(Once);

impl Default for Guarded {
    fn default() -> Self {
        Guarded(Once::new())
    }
}

/// Has the leases of this tree asked, from now on.
pub(crate) fn guard(tree: &TreeShared) {
    // Another part of the tree may begin at the same time: it waits until its lease is asked.
    tree.slot_or_default::<Guarded>().0.call_once(|| {
        tree.attach(Arc::new(Leases));
    });
}

/// Puts a tree, or a part of one, under a holding. To be called before it begins.
pub(crate) fn run_under(root: &AnyCell, hold: Arc<Hold>) {
    let core = root.core();
    let over = hold.clone();
    drop(core.set_slot(Arc::new(Held::new(hold.token, hold.released, move || over.is_over()))));
    core.set_part(hold);
    guard(core.bus());
}

/// Returns the holdings under which this cell runs, the innermost first.
fn holds(core: &CellCore) -> impl Iterator<Item = &Hold> {
    core.parts().filter_map(|(_, part)| part.downcast_ref())
}

/// Returns the token of the innermost holding under which this cell runs.
pub(crate) fn token(core: &CellCore) -> Option<u64> {
    holds(core).next().map(|hold| hold.token)
}

impl Extension for Leases {
    fn role(&self) -> Role {
        Role::Lease
    }

    fn wants(&self) -> Wants {
        Wants::CODE
    }

    fn pass(&self, cell: &AnyCell, gate: Gate<'_, '_>) -> Pass {
        match gate {
            Gate::Code if holds(cell.core()).any(Hold::is_over) => Pass::Hold,
            Gate::Code | Gate::Task(_) => Pass::Go,
        }
    }

    fn gives_up(&self, child: &Arc<AnyCell>) {
        if let Some(hold) = holds(child.core()).next() {
            let child = Arc::downgrade(child);
            hold.gives_up(move || child.upgrade().is_some_and(|child| !child.core().has_ended()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_holding_counts_from_the_asking() {
        let second = Duration::from_secs(1);
        let first = Moment::now();
        tokio::time::advance(second).await;
        let hold = Hold::new(7, false, first, 3 * second);
        assert_eq!(hold.left(), 2 * second);
        let asked = Moment::now();
        tokio::time::advance(second).await;
        hold.renewed(asked, 3 * second);
        assert_eq!(hold.left(), 2 * second);
        hold.renewed(first, 3 * second);
        assert_eq!(hold.left(), 2 * second, "an older grant takes nothing away");
        tokio::time::advance(2 * second).await;
        assert!(hold.is_over());
        hold.renewed(Moment::now(), 3 * second);
        assert!(hold.is_over() && hold.left().is_zero(), "what is over stays over");
    }

    /// S55: a tree that gives up stuck children again and again remembers those that are stuck still.
    #[tokio::test]
    async fn a_child_that_is_stuck_no_more_is_forgotten() {
        let hold = Hold::new(7, false, Moment::now(), Duration::from_secs(3));
        let stuck = Arc::new(AtomicBool::new(true));
        for _ in 0..1_000 {
            hold.gives_up(|| false);
        }
        let still = stuck.clone();
        hold.gives_up(move || still.load(Ordering::Relaxed));
        hold.gives_up(|| false);
        assert!(hold.has_stuck());
        assert_eq!(hold.given_up().len(), 2);
        stuck.store(false, Ordering::Relaxed);
        assert!(!hold.has_stuck());
    }

    #[tokio::test(start_paused = true)]
    async fn a_holding_counts_the_time_of_a_suspension() {
        let hold = Hold::new(7, false, Moment::now(), Duration::from_secs(3));
        supervise_core::base::clock::pretend_suspended(Duration::from_secs(2));
        // The clock of suspensions is read from the machine, to the microsecond.
        let left = hold.left();
        assert!(left.abs_diff(Duration::from_secs(1)) < Duration::from_millis(100), "{left:?}");
        supervise_core::base::clock::pretend_suspended(Duration::from_millis(1_100));
        assert!(hold.is_over());
    }
}
