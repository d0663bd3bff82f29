//! Parameters and `let`s, stored at their position in the tree (S30).

use std::any::Any;
use std::fmt;

use crate::engine::supervisor::Value;
use supervise_core::base::lent::Lent;
use supervise_core::base::sync::{Arc, Weak};

/// A `let` or parameter that the supervisor keeps, on any thread.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the value `{Self}` is not `Send + 'static`",
    label = "kept by the supervisor, which may run on any thread"
)]
pub trait SendValue: Send + 'static {}

#[diagnostic::do_not_recommend]
impl<T: Send + 'static> SendValue for T {}

/// A kept value that a child names, so that each start needs a clone.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is named by a child, but it is not `Clone`",
    label = "used by a child's start expression",
    note = "a start expression runs again at every restart and needs its own clone of what it names",
    note = "if it is a `Result` that was meant to be its value, write `?` at the end of its `let`",
    note = "else wrap it in an `Arc`, or make it inside the start expression"
)]
pub trait CloneForStart: Clone {}

#[diagnostic::do_not_recommend]
impl<T: Clone> CloneForStart for T {}

/// The type on which the macro checks whether a `T` can be kept. For a check on `T` itself, the compiler would suggest
/// `&T`, which is `Clone`.
#[doc(hidden)]
#[derive(Debug)]
pub struct ATree;

/// Names [`ATree`] by a trait. Such a name has its place in the source as a whole, whatever path leads to the trait, and
/// rustc shows equal errors at one place once.
pub trait NamesATree {
    /// The type that keeps values.
    type ATree;
}

impl NamesATree for () {
    type ATree = ATree;
}

/// The first half of every check of a kept type. The second half asks for `Clone`, so that an error names what is missing.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a tree cannot keep a `{T}`: it is not `Send + 'static`",
    label = "needed again at every restart, on whichever thread",
    note = "use owned types, `Arc` instead of `Rc`, a `Mutex` instead of a `RefCell`; or make it in a start expression"
)]
pub trait CanMove<T> {
    const IS: bool;
}

#[diagnostic::do_not_recommend]
impl<T: Send + 'static> CanMove<T> for ATree {
    const IS: bool = true;
}

/// A parameter of a tree.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a tree cannot keep a `{T}`: it is not `Clone`",
    label = "needed again at every restart",
    note = "derive `Clone` for it, or wrap it in an `Arc`"
)]
pub trait CanKeep<T> {
    const IS: bool;
}

#[diagnostic::do_not_recommend]
impl<T: Clone> CanKeep<T> for ATree {
    const IS: bool = true;
}

/// An argument of a set whose instances are restarted.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a set cannot keep a `{T}`: it is not `Clone`",
    label = "needed again at every restart of the instance",
    note = "under `#[lifecycle(Temporary)]` an instance is started once: its arguments are moved, and need no `Clone`",
    note = "else derive `Clone` for it, or wrap it in an `Arc`"
)]
pub trait CanKeepForInstances<T> {
    const IS: bool;
}

#[diagnostic::do_not_recommend]
impl<T: Clone> CanKeepForInstances<T> for ATree {
    const IS: bool = true;
}

/// An argument of a set that starts its instances once.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a spawn cannot take a `{T}`: it is not `Send + 'static`",
    label = "moved into the instance, which may run on any thread"
)]
pub trait CanMoveIntoInstances<T> {
    const IS: bool;
}

#[diagnostic::do_not_recommend]
impl<T: Send + 'static> CanMoveIntoInstances<T> for ATree {
    const IS: bool = true;
}

/// An argument of such a set if it has initial instances.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a set cannot keep a `{T}` of its `initial` instances: it is not `Clone`",
    label = "needed again at every restart of the set",
    note = "spawn those instances through the handle, derive `Clone` for it, or wrap it in an `Arc`"
)]
pub trait CanKeepForInitial<T> {
    const IS: bool;
}

#[diagnostic::do_not_recommend]
impl<T: Clone> CanKeepForInitial<T> for ATree {
    const IS: bool = true;
}

/// The type of a `pub let`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a handle cannot return a `{T}`: it is not `Clone + Send + 'static`",
    label = "cloned for each caller, on whichever thread",
    note = "wrap it in an `Arc`, or remove `pub`"
)]
pub trait CanReturn<T> {
    const IS: bool;

    /// Returns a clone while the supervisor keeps the value.
    fn get(of: &Published) -> Option<T>;
}

#[diagnostic::do_not_recommend]
impl<T: Clone + Send + 'static> CanReturn<T> for ATree {
    const IS: bool = true;

    fn get(of: &Published) -> Option<T> {
        of.0.upgrade()?.any().downcast::<Lent<T>>().ok()?.with(|value| value.clone())
    }
}

/// The type itself, with a constant for a check: [`CanKeep`], [`CanKeepForInstances`], [`CanBeAKey`]. If the check fails, that
/// constant is the only place where the compiler complains, as with [`ChildIf`].
#[doc(hidden)]
pub trait Checked<const IS: bool> {
    type Type;
}

impl<T> Checked<true> for T {
    type Type = T;
}

/// A parameter or `let` at its position in the tree. Clones share the value; the supervisor drops it when the members
/// after it are down.
///
/// See rule S30.
#[doc(hidden)]
pub struct SharedValue<T>(pub(super) Arc<Lent<T>>);

impl<T> fmt::Debug for SharedValue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedValue")
    }
}

impl<T> Clone for SharedValue<T> {
    fn clone(&self) -> Self {
        SharedValue(self.0.clone())
    }
}

impl<T> SharedValue<T> {
    /// Returns a clone for one start.
    pub fn clone_for_start(&self) -> T
    where
        T: CloneForStart,
    {
        self.0
            .with(|value| value.clone())
            .expect("a kept value is dropped only after the members that name it are down")
    }
}

/// A `pub let` as the handles of its tree have it, over all incarnations of the tree. It keeps nothing alive: if the
/// runtime is dropped, so are the tree and the value.
///
/// The type of the value is not named here, so a handle is `Send + Sync` whatever the value is.
#[doc(hidden)]
#[derive(Clone)]
pub struct Published(Weak<dyn Value>);

impl fmt::Debug for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Published")
    }
}

impl Published {
    pub fn of<T: SendValue>(kept: &SharedValue<T>) -> Self {
        let kept: Arc<dyn Value> = kept.0.clone();
        Published(Arc::downgrade(&kept))
    }
}

impl<T: Send + 'static> Value for Lent<T> {
    fn clear(&self) {
        self.set(None);
    }

    fn any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}
