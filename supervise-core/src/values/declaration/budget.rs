//! The longest time that an orderly stop can take, added up while compiling.

use std::time::Duration;

use supervise_rules::Given;
use supervise_rules::shutdown::{of_array, of_child, of_tree, one_more};

use super::{Below, ChildSpec, DeclaredShutdown, Shape, TreeSpec};
use crate::values::kind::ChildKind;
use crate::values::strategy::{ShutdownOrder, ShutdownTimeout};

impl TreeSpec {
    /// Returns the longest time that an orderly stop of the whole tree can take.
    ///
    /// Children go down one after the other, so this is the sum of their times (S24); under `Together` it is the longest
    /// of them. A tree that says `#![shutdown(D)]` takes no longer than D (S44). Children that block their thread are not
    /// accounted for (S25).
    ///
    /// Returns `None` if the time is not limited: a child has `shutdown = Infinity`, or a `shutdown` that is not a
    /// literal, or is a `[Tree]` without a `shutdown` of its own; or if the tree's own `shutdown` is not a literal.
    pub const fn shutdown_budget(&self) -> Option<Duration> {
        let together = matches!(self.shutdown_order, ShutdownOrder::Together);
        let mut need = Some(Duration::ZERO);
        let mut i = 0;
        while i < self.children.len() {
            let child = &self.children[i];
            need = one_more(need, if together { child.one() } else { child.shutdown_budget() }, together);
            i += 1;
        }
        let own = match self.shutdown {
            DeclaredShutdown::Is(ShutdownTimeout::Within(time)) => Given::Is(time),
            DeclaredShutdown::Computed => Given::Computed,
            DeclaredShutdown::Is(_) | DeclaredShutdown::Default => Given::Absent,
        };
        of_tree(own, need)
    }
}

/// The time of a child whose tree has this default: a tree keeps that of its children.
#[doc(hidden)]
pub const fn default_shutdown(kind: ChildKind, default: DeclaredShutdown) -> DeclaredShutdown {
    if kind.only_supervises() { DeclaredShutdown::Default } else { default }
}

impl ChildSpec {
    /// Returns the longest time that an orderly stop of this child can take.
    ///
    /// This is its `shutdown` time, or for a tree that declares none what [`TreeSpec::shutdown_budget`] says; `N` times that
    /// for `[T; N]`; once for a `[..]`, whose instances all stop at the same time. A remote child has one second
    /// more, for the way to its node. `None` as for [`TreeSpec::shutdown_budget`].
    pub const fn shutdown_budget(&self) -> Option<Duration> {
        match self.shape {
            Shape::Array(count) => of_array(self.one(), count),
            _ => self.one(),
        }
    }

    /// The time of one child, also of an array.
    const fn one(&self) -> Option<Duration> {
        if let Some(remote) = self.remote {
            return remote.down_within();
        }
        let shutdown = match self.shutdown {
            DeclaredShutdown::Default => Given::Absent,
            DeclaredShutdown::Is(shutdown) => Given::Is(shutdown.facts()),
            DeclaredShutdown::Computed => Given::Computed,
        };
        let below = match self.below {
            Below::Known(Some(tree)) => tree.shutdown_budget(),
            _ => None,
        };
        of_child(shutdown, self.kind.only_supervises(), below)
    }
}
