//! The longest that an orderly stop can take, added up while compiling.

use std::time::Duration;

use super::{Below, ChildSpec, DeclaredShutdown, Shape, TreeSpec};
use crate::values::kind::ChildKind;
use crate::values::settings::SHUTDOWN;
use crate::values::strategy::Shutdown;

impl TreeSpec {
    /// The longest that an orderly stop of the whole tree can take: children go down one after the other,
    /// so it is the sum of theirs (S24). What blocks its thread is not in it (S25).
    ///
    /// `None` where nothing bounds it: a child with `shutdown = Infinity`, one whose `shutdown` is no
    /// literal, or a `[Tree]` without a `shutdown` of its own.
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
    /// The longest that an orderly stop of it can take: its `shutdown` time; of a tree that declares none
    /// the sum of its children's; `N` times that for `[T; N]`, once for a `[..]`, whose instances stop all
    /// at once. `None` as for [`TreeSpec::shutdown_budget`].
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
