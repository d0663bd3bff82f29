//! `later(sibling)`: the handle of an actor or task that is declared below (S47).

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::{Boxed, Builder, StartRecipe, replace};
use crate::actor::Actor;
use crate::actor::child_ref::AnyRef;
use crate::actor::options::{ChildOptions, Source};
use crate::task::Task;
use crate::tree::child::{Child, HandleSource, Launched};
use supervise_core::base::lent::Lent;
use supervise_core::base::sync::{Arc, Mutex, lock};
use supervise_core::values::ended::Ended;
use supervise_core::values::failure::Thrown;
use supervise_core::values::place::Name;

/// A child whose handle exists before its turn.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the handle of a tree exists only once it is up, so `later` cannot give it; name a child of `{Self}`",
    label = "`{Self}` is a tree",
    note = "or declare the tree above this child"
)]
pub trait Ahead: Child {}

#[diagnostic::do_not_recommend]
impl<A: Actor> Ahead for A {}

#[diagnostic::do_not_recommend]
impl Ahead for Task {}

/// Returns the handle that `later(sibling)` names.
#[doc(hidden)]
pub fn later<H>(handle: H) -> H {
    handle
}

/// The children that were named before their turn, by name. Those whose turn never comes end with this build.
pub(super) type EarlyChildren = Arc<Mutex<BTreeMap<&'static str, Box<dyn Any + Send>>>>;

/// The parts of a child whose turn has come.
type Made<T> = (Arc<StartRecipe<T>>, Launched<<T as Child>::Handle>);

/// A child that is made and waits for its turn.
pub(super) struct EarlyChild<T: Child> {
    recipe: Arc<StartRecipe<T>>,
    /// Present until the turn of the child.
    launched: Option<Launched<T::Handle>>,
}

impl<T: Child> EarlyChild<T> {
    fn of(&self) -> Arc<StartRecipe<T>> {
        self.recipe.clone()
    }

    /// Returns the parts of the child at its turn.
    pub(super) fn take(mut self) -> Option<Made<T>> {
        Some((self.recipe.clone(), self.launched.take()?))
    }
}

impl<T: Child> Drop for EarlyChild<T> {
    fn drop(&mut self) {
        if let Some(Launched { cell, life, .. }) = self.launched.take() {
            cell.core().set_ended(Ended::Stopped);
            drop(life); // its messages become dead letters
        }
    }
}

impl Builder {
    /// Does the work of `Builder::later`.
    pub(super) fn handle_ahead<T: Ahead>(&self, name: &'static str, options: ChildOptions<T>) -> T::Handle {
        let known = self.table().cells().into_iter().find(|cell| cell.core().name() == name);
        if let Some(handle) = known.and_then(|cell| T::handle_of(&AnyRef::of(cell))) {
            return handle;
        }
        let early =
            lock(&self.early).get(name).and_then(|early| early.downcast_ref::<EarlyChild<T>>()).map(EarlyChild::of);
        let recipe = early.unwrap_or_else(|| {
            let early = self.early_child(name, options);
            let recipe = early.of();
            let before = lock(&self.early).insert(name, Box::new(early));
            drop(before);
            recipe
        });
        recipe.handle().expect("the handle of an actor or task is there at once")
    }

    fn early_child<T: Child>(&self, name: &'static str, options: ChildOptions<T>) -> EarlyChild<T> {
        let start: Boxed<T::Start> =
            Box::new(|| Box::pin(async { Err(Thrown::from("a child is started when its turn has come")) }));
        let options_of: Source = Arc::new(Mutex::new(options.options.clone()));
        let recipe = Arc::new(StartRecipe {
            start: Lent::new(start),
            options: options_of.clone(),
            handle: Mutex::default(),
            there: OnceLock::new(),
        });
        let slot = self.slot(Name::Declared(name)).early();
        let launched = T::launch(slot, options.source(options_of), recipe.clone().starter());
        replace(&recipe.handle, Some(HandleSource::clone(&launched.handle)));
        EarlyChild { recipe, launched: Some(launched) }
    }

    /// Takes the child with this name, if it was named before its turn.
    pub(super) fn take_early<T: Child>(&self, name: &Name) -> Option<Made<T>> {
        let Name::Declared(name) = name else { return None };
        let early = lock(&self.early).remove(name);
        let early = early?;
        early.downcast::<EarlyChild<T>>().ok()?.take()
    }
}
