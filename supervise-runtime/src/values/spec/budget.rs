//! The longest time that an orderly stop can take, added up while compiling.

use std::time::Duration;

use super::{Below, ChildSpec, DeclaredShutdown, Shape, TreeSpec};
use crate::values::kind::ChildKind;
use crate::values::settings::SHUTDOWN;
use crate::values::strategy::Shutdown;

impl TreeSpec {
    /// Returns the longest time that an orderly stop of the whole tree can take.
    ///
    /// Children go down one after the other, so this is the sum of their times (S24). Children that block their thread
    /// are not accounted for (S25).
    ///
    /// Returns `None` if the time is not limited: a child has `shutdown = Infinity`, or a `shutdown` that is not a
    /// literal, or is a `[Tree]` without a `shutdown` of its own.
    pub const fn shutdown_budget(&self) -> Option<Duration> {
        let mut sum = Duration::ZERO;
        let mut i = 0;
        while i < self.children.len() {
            match self.children[i].shutdown_budget() {
                Some(time) => sum = sum.saturating_add(time),
                None => return None,
            }
            i += 1;
        }
        Some(sum)
    }
}

impl ChildSpec {
    /// Returns the longest time that an orderly stop of this child can take.
    ///
    /// This is its `shutdown` time, or for a tree that declares none the sum of its children's times; `N` times that
    /// for `[T; N]`; once for a `[..]`, whose instances all stop at the same time. `None` as for
    /// [`TreeSpec::shutdown_budget`].
    pub const fn shutdown_budget(&self) -> Option<Duration> {
        let one = match (self.shutdown, self.kind, self.below) {
            (DeclaredShutdown::Is(Shutdown::Within(time)), ..) => time,
            (DeclaredShutdown::Is(Shutdown::Kill), ..) => Duration::ZERO,
            (DeclaredShutdown::Is(Shutdown::Infinity) | DeclaredShutdown::Computed, ..) => return None,
            (DeclaredShutdown::Default, ChildKind::Actor | ChildKind::Task, _) => SHUTDOWN,
            (DeclaredShutdown::Default, ChildKind::Tree | ChildKind::Set, Below::Known(Some(tree))) => {
                match tree.shutdown_budget() {
                    Some(time) => time,
                    None => return None,
                }
            }
            (DeclaredShutdown::Default, ChildKind::Tree | ChildKind::Set, _) => return None,
        };
        match self.shape {
            Shape::Array(count) if count > u32::MAX as usize => Some(Duration::MAX),
            Shape::Array(count) => Some(one.saturating_mul(count as u32)),
            _ => Some(one),
        }
    }
}
