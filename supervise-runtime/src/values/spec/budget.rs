//! The longest time that an orderly stop can take, added up while compiling.

use std::time::Duration;

use supervise_rules::Given;
use supervise_rules::shutdown::{of_array, of_child, one_more};

use super::{Below, ChildSpec, DeclaredShutdown, Shape, TreeSpec};

impl TreeSpec {
    /// Returns the longest time that an orderly stop of the whole tree can take.
    ///
    /// Children go down one after the other, so this is the sum of their times (S24). Children that block their thread
    /// are not accounted for (S25).
    ///
    /// Returns `None` if the time is not limited: a child has `shutdown = Infinity`, or a `shutdown` that is not a
    /// literal, or is a `[Tree]` without a `shutdown` of its own.
    pub const fn shutdown_budget(&self) -> Option<Duration> {
        let mut sum = Some(Duration::ZERO);
        let mut i = 0;
        while i < self.children.len() {
            sum = one_more(sum, self.children[i].shutdown_budget());
            i += 1;
        }
        sum
    }
}

impl ChildSpec {
    /// Returns the longest time that an orderly stop of this child can take.
    ///
    /// This is its `shutdown` time, or for a tree that declares none the sum of its children's times; `N` times that
    /// for `[T; N]`; once for a `[..]`, whose instances all stop at the same time. `None` as for
    /// [`TreeSpec::shutdown_budget`].
    pub const fn shutdown_budget(&self) -> Option<Duration> {
        let shutdown = match self.shutdown {
            DeclaredShutdown::Default => Given::Absent,
            DeclaredShutdown::Is(shutdown) => Given::Is(shutdown.facts()),
            DeclaredShutdown::Computed => Given::Computed,
        };
        let below = match self.below {
            Below::Known(Some(tree)) => tree.shutdown_budget(),
            _ => None,
        };
        let one = of_child(shutdown, self.kind.only_supervises(), below);
        match self.shape {
            Shape::Array(count) => of_array(one, count),
            _ => one,
        }
    }
}
