//! The types that a declared child has in the handle struct of its tree.

use crate::actor::Actor;
use crate::actor::options::ChildOptions;
use crate::tree::TreeDef;
use crate::tree::child::Child;
use crate::tree::children::{Children, Keyed};

/// A declared type, with a constant that is true if the type is a child.
///
/// If the type is not a child, that constant is the only place where the compiler complains. Everything else about the
/// type depends on a constant that has failed, so the compiler reports nothing more.
#[doc(hidden)]
pub trait ChildIf<const IS: bool>: Sized {
    type Handle;
    type Start;
    type Set<Args>;
    type Keyed<K, Args>;
    type Options;

    fn options() -> Self::Options;
}

/// The type of a `child!`, in which any type may name a parameter of the code around it, so that no constant can check
/// it.
///
/// `M` is inferred from the implementations. For a type that is no child none is left, so the types here are unknown,
/// and the compiler reports nothing more.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an actor nor a supervision tree",
    label = "cannot be supervised",
    note = "an actor: `#[derive(Actor)]`, `#[actor] impl {Self}` or `impl Actor for {Self}`",
    note = "a tree: declare it with `supervisor!`"
)]
pub trait Spawned<M>: Sized {
    type Start;
    type Options;

    fn options() -> Self::Options;
}

/// Marks a [`Spawned`] actor.
#[doc(hidden)]
#[derive(Debug)]
pub struct OfActor;

/// Marks a [`Spawned`] tree.
#[doc(hidden)]
#[derive(Debug)]
pub struct OfTree;

#[diagnostic::do_not_recommend]
impl<A: Actor> Spawned<OfActor> for A {
    type Start = A;
    type Options = ChildOptions<A>;

    fn options() -> ChildOptions<A> {
        ChildOptions::new()
    }
}

#[diagnostic::do_not_recommend]
impl<T: TreeDef + Child> Spawned<OfTree> for T {
    type Start = T::Start;
    type Options = ChildOptions<T>;

    fn options() -> ChildOptions<T> {
        ChildOptions::new()
    }
}

#[diagnostic::do_not_recommend]
impl<T: Child> ChildIf<true> for T {
    type Handle = T::Handle;
    type Start = T::Start;
    type Set<Args> = Children<T, Args>;
    type Keyed<K, Args> = Keyed<K, T, Args>;
    type Options = ChildOptions<T>;

    fn options() -> ChildOptions<T> {
        ChildOptions::new()
    }
}
