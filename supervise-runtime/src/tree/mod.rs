//! Trees: the tree before its start, its handle [`TreeRef`], its guard, and the builder that generated code calls.
//!
//! The `build` of a tree runs at every start of the tree. [`Builder`] finds each child of the previous run by its
//! position in the declaration, and gives it its new start expression, so that handles stay the same.

use std::future::Future;

use crate::actor::options::{ChildOptions, Reader};
use crate::engine::cell::Unbegun;
use crate::engine::cell::control::BareCell;
use crate::engine::cell::life::live;
use crate::tree::body::{HandleSlot, TreeBody};
use supervise_core::base::BoxFuture;
use supervise_core::base::sync::Arc;
use supervise_core::values::failure::Thrown;

pub(crate) mod body;
mod builder;
mod child;
pub(crate) mod children;
mod defaults;
mod field;
pub(crate) mod find;
pub(crate) mod handles;
mod kept;
pub(crate) mod observing;
mod running;
#[cfg(feature = "signal")]
pub(crate) mod signal;
pub mod spawned;
mod tree_ref;
mod validator;

use builder::with_builder;
pub use builder::{Ahead, Builder, BuiltHandle, Keep, initial, later, no_initial};
pub(crate) use child::HandleSource;
pub use child::{Child, ChildSlot, Handle, IsAChild, Launched, Start, TreeHandle};
pub use children::CanBeAKey;
pub use field::{ChildIf, Spawned};
pub use kept::{
    ATree, CanKeep, CanKeepForInitial, CanKeepForInstances, CanMove, CanMoveIntoInstances, CanReturn, Checked,
    CloneForStart, NamesATree, Published, SendValue, SharedValue,
};
pub use running::{Begun, Running, Tree};
pub use spawned::{CanCloneForStarts, Capture, IntoNewChild, NewChild, name_of_child, new_child, new_child_once};
use tree_ref::Join;
pub use tree_ref::{AfterEnd, Shutdown, TreeRef};

/// A tree with parameters: implemented by `supervisor!` for the handle struct.
#[doc(hidden)]
pub trait TreeDef: TreeHandle {
    type Params: Send + 'static;

    fn build(params: Self::Params, builder: Builder) -> impl Future<Output = Result<Self, Thrown>> + Send;
}

/// The `launch` of a tree, called by the macro's `impl Child`.
#[doc(hidden)]
pub fn launch_tree<T, F, Fut>(child_slot: ChildSlot, options: ChildOptions<T>, mut start: F) -> Launched<T>
where
    T: TreeDef,
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<Tree<T>, Thrown>> + Send + 'static,
{
    launch_build(child_slot, options, move |builder: Builder| {
        let tree = start();
        // Boxed: a tree may contain itself.
        let build: BoxFuture<'static, Result<T, Thrown>> =
            Box::pin(async move { T::build(tree.await?.params, builder).await });
        build
    })
}

fn launch_build<H, F, Fut>(child_slot: ChildSlot, options: ChildOptions<H>, build: F) -> Launched<H>
where
    H: TreeHandle,
    F: FnMut(Builder) -> Fut + Send + 'static,
    Fut: Future<Output = Result<H, Thrown>> + Send + 'static,
{
    let cell = BareCell::new(child_slot.core());
    let slot: HandleSlot<H> = Arc::default();
    cell.set_handle(&slot);
    let common = options.options.common.clone();
    let body = TreeBody::new(cell.clone(), Reader::new(options), slot.clone(), with_builder(build));
    let life = Unbegun::new(cell.clone(), || live(cell.clone(), common, body));
    Launched { cell, handle: HandleSource::Built(slot), life }
}
