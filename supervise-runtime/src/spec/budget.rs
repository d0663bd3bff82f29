//! The longest that an orderly stop can take, added up while compiling.

use std::time::Duration;

use supervise_rules::Given;
use supervise_rules::shutdown::{of_array, of_child, one_more};

use super::{Below, ChildSpec, DeclaredShutdown, Kind, Shape, TreeSpec};

impl TreeSpec {
    /// The longest that an orderly stop of the whole tree can take: children go down one after the other,
    /// so it is the sum of theirs (S24). What blocks its thread is not in it (S25).
    ///
    /// `None` where nothing bounds it: a child with `shutdown = Infinity`, one whose `shutdown` is no
    /// literal, or a `[Tree]` without a `shutdown` of its own.
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
    /// The longest that an orderly stop of it can take: its `shutdown` time; of a tree that declares none
    /// the sum of its children's; `N` times that for `[T; N]`, once for a `[..]`, whose instances stop all
    /// at once. `None` as for [`TreeSpec::shutdown_budget`].
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
        let one = of_child(shutdown, matches!(self.kind, Kind::Tree), below);
        match self.shape {
            Shape::Array(count) => of_array(one, count),
            _ => one,
        }
    }
}
