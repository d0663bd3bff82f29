//! The time that an orderly stop can take (rule C12). All of it works in constants.

use core::time::Duration;

use crate::Given;

/// The time that an actor or a task has to stop, if nothing is written.
pub const DEFAULT: Duration = Duration::from_secs(5);

/// The time that a child has to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shutdown {
    /// This time; then the child is killed.
    Within(Duration),
    /// No time: the child is killed at once.
    Kill,
    /// No limit.
    Infinity,
}

/// The longest that one child can take to stop; `None` if nothing bounds it.
///
/// `below` is what the children of a tree can take. It holds for a tree without a time of its own.
pub const fn of_child(shutdown: Given<Shutdown>, is_tree: bool, below: Option<Duration>) -> Option<Duration> {
    match shutdown {
        Given::Is(Shutdown::Within(time)) => Some(time),
        Given::Is(Shutdown::Kill) => Some(Duration::ZERO),
        Given::Is(Shutdown::Infinity) | Given::Computed => None,
        Given::Absent if is_tree => below,
        Given::Absent => Some(DEFAULT),
    }
}

/// The longest that children can take to stop one after the other: `sum` for those before, `next` for one more.
pub const fn one_more(sum: Option<Duration>, next: Option<Duration>) -> Option<Duration> {
    match (sum, next) {
        (Some(sum), Some(next)) => Some(sum.saturating_add(next)),
        _ => None,
    }
}

/// The longest that this many equal children can take to stop one after the other.
pub const fn of_array(one: Option<Duration>, count: usize) -> Option<Duration> {
    match one {
        Some(one) if count > u32::MAX as usize && !one.is_zero() => Some(Duration::MAX),
        Some(one) => Some(one.saturating_mul(count as u32)),
        None => None,
    }
}

/// Whether a tree has less time to stop than its children can take.
pub const fn too_short(need: Duration, given: Duration) -> bool {
    need.as_nanos() > given.as_nanos()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    #[test]
    fn a_child_takes_its_own_time() {
        for is_tree in [false, true] {
            let of = |shutdown| of_child(Given::Is(shutdown), is_tree, Some(secs(7)));
            assert_eq!(of(Shutdown::Within(secs(3))), Some(secs(3)));
            assert_eq!(of(Shutdown::Kill), Some(Duration::ZERO));
            assert_eq!(of(Shutdown::Infinity), None);
            assert_eq!(of_child(Given::Computed, is_tree, Some(secs(7))), None);
        }
    }

    #[test]
    fn by_default_a_tree_takes_as_long_as_its_children() {
        assert_eq!(of_child(Given::Absent, false, Some(secs(7))), Some(secs(5)));
        assert_eq!(of_child(Given::Absent, true, Some(secs(7))), Some(secs(7)));
        assert_eq!(of_child(Given::Absent, true, None), None);
    }

    #[test]
    fn children_stop_one_after_the_other() {
        assert_eq!(one_more(Some(secs(2)), Some(secs(3))), Some(secs(5)));
        assert_eq!(one_more(Some(Duration::MAX), Some(secs(3))), Some(Duration::MAX));
        assert_eq!(one_more(None, Some(secs(3))), None);
        assert_eq!(one_more(Some(secs(2)), None), None);
    }

    #[test]
    fn an_array_takes_as_long_as_all_of_it() {
        const MOST: usize = u32::MAX as usize;
        assert_eq!(of_array(Some(secs(5)), 3), Some(secs(15)));
        assert_eq!(of_array(Some(Duration::from_nanos(1)), MOST), Some(Duration::from_nanos(u64::from(u32::MAX))));
        assert_eq!(of_array(Some(secs(5)), MOST + 2), Some(Duration::MAX));
        assert_eq!(of_array(Some(Duration::ZERO), MOST + 2), Some(Duration::ZERO));
        assert_eq!(of_array(None, 3), None);
    }

    #[test]
    fn as_much_time_as_needed_is_enough() {
        assert!(!too_short(secs(5), secs(5)));
        assert!(too_short(secs(5), Duration::from_millis(4999)));
        assert!(!too_short(secs(5), secs(6)));
    }

    #[test]
    fn constants_can_ask() {
        const SUM: Option<Duration> = one_more(Some(Duration::ZERO), of_array(Some(secs(2)), 2));
        assert_eq!(SUM, Some(secs(4)));
    }
}
