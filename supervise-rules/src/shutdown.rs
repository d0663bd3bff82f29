//! The time that an orderly stop can take (rule C12). All of it works in constants.

use core::time::Duration;

use crate::{Given, Problem, is_time};

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

/// Reports a time for the ends of a tree in which nothing can be done.
pub fn time_to_end(time: Given<Duration>, report: &mut dyn FnMut(Problem)) {
    if time.value().is_some_and(|time| !is_time(time)) {
        report(Problem::NoTime("shutdown"));
    }
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

/// The longest that children can take to stop, one after the other or `together`: `before` for those before, `next` for
/// one more.
pub const fn one_more(before: Option<Duration>, next: Option<Duration>, together: bool) -> Option<Duration> {
    match (before, next) {
        (Some(before), Some(next)) if together => Some(longer(before, next)),
        (Some(before), Some(next)) => Some(before.saturating_add(next)),
        _ => None,
    }
}

/// The longest that a tree can take to stop, whose own time for that is `own`, and whose children can take `children`.
pub const fn of_tree(own: Given<Duration>, children: Option<Duration>) -> Option<Duration> {
    match (own, children) {
        (Given::Is(own), Some(children)) if too_short(children, own) => Some(own),
        (Given::Is(own), None) => Some(own),
        (Given::Is(_) | Given::Absent, children) => children,
        (Given::Computed, _) => None,
    }
}

const fn longer(one: Duration, other: Duration) -> Duration {
    if too_short(one, other) { one } else { other }
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
        assert_eq!(one_more(Some(secs(2)), Some(secs(3)), false), Some(secs(5)));
        assert_eq!(one_more(Some(Duration::MAX), Some(secs(3)), false), Some(Duration::MAX));
        assert_eq!(one_more(None, Some(secs(3)), false), None);
        assert_eq!(one_more(Some(secs(2)), None, false), None);
    }

    #[test]
    fn children_that_stop_together_take_as_long_as_the_slowest() {
        assert_eq!(one_more(Some(secs(2)), Some(secs(3)), true), Some(secs(3)));
        assert_eq!(one_more(Some(secs(3)), Some(secs(2)), true), Some(secs(3)));
        assert_eq!(one_more(None, Some(secs(3)), true), None);
        assert_eq!(one_more(Some(secs(2)), None, true), None);
    }

    #[test]
    fn a_tree_takes_no_longer_than_its_own_time() {
        assert_eq!(of_tree(Given::Absent, Some(secs(7))), Some(secs(7)));
        assert_eq!(of_tree(Given::Absent, None), None);
        assert_eq!(of_tree(Given::Is(secs(5)), Some(secs(7))), Some(secs(5)));
        assert_eq!(of_tree(Given::Is(secs(9)), Some(secs(7))), Some(secs(7)));
        assert_eq!(of_tree(Given::Is(secs(9)), None), Some(secs(9)));
        assert_eq!(of_tree(Given::Computed, Some(secs(7))), None);
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
        const SUM: Option<Duration> = one_more(Some(Duration::ZERO), of_array(Some(secs(2)), 2), false);
        assert_eq!(SUM, Some(secs(4)));
    }
}
