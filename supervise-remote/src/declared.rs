//! The checks of a declaration: each asks once, at the user's own tokens, and everything else depends on the answer.
//!
//! A check that fails is a constant that fails. What depends on it is silent, as with `ChildIf` of the runtime.

use serde::Serialize;
use serde::de::DeserializeOwned;
use supervise_runtime::Actor;

use crate::Remote;
use crate::crossing::Export;

/// The type behind `remote`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a remote child: it is not an actor",
    label = "runs on a node",
    note = "an actor: `#[derive(Actor)]`, `#[actor] impl {Self}` or `impl Actor for {Self}`",
    note = "for a tree, write an actor that spawns it, and `remote` in front of that actor"
)]
pub trait FarActor {
    const IS: bool;
}

#[diagnostic::do_not_recommend]
impl<A: Actor> FarActor for A {
    const IS: bool = true;
}

/// Its messages, of which is asked only if it is an actor.
pub trait FarMessages<const IS: bool> {
    const IS: bool;
}

impl<A: Actor<Msg: Remote>> FarMessages<true> for A {
    const IS: bool = true;
}

/// The type of a sibling that a remote child names.
#[diagnostic::on_unimplemented(
    message = "the handle of `{Self}` cannot cross to another process: it is not an actor",
    label = "named by a remote child",
    note = "name an actor of that tree, or send the remote child what it needs"
)]
pub trait NearActor {
    const IS: bool;
}

#[diagnostic::do_not_recommend]
impl<A: Actor> NearActor for A {
    const IS: bool = true;
}

/// Its messages, of which is asked only if it is an actor.
pub trait NearMessages<const IS: bool> {
    const IS: bool;
}

impl<A: Actor<Msg: Remote>> NearMessages<true> for A {
    const IS: bool = true;
}

/// An actor of which is known that its messages cross.
pub trait ActorIf<const IS: bool> {
    type Actor: Actor<Msg: Remote>;
}

#[diagnostic::do_not_recommend]
impl<A: Actor<Msg: Remote>> ActorIf<true> for A {
    type Actor = A;
}

/// The type on which the macro checks whether a value crosses. For a check on the type itself, the compiler would
/// suggest a reference to it.
#[derive(Debug)]
pub struct Check;

/// A value that the start of a remote child names.
#[diagnostic::on_unimplemented(
    message = "a `{T}` cannot cross to another process: it is not `Serialize + DeserializeOwned`",
    label = "named by a remote child, so it is sent to the node",
    note = "derive `Serialize` and `Deserialize` for it, or name only the part that is needed: `let part: Type = whole.part;`"
)]
pub trait Crosses<T> {
    const IS: bool;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Crosses<T> for Check {
    const IS: bool = true;
}

/// A value of which is known that it crosses.
pub trait ValueIf<const IS: bool>: Sized {
    type Value: Serialize + DeserializeOwned;

    fn value(of: &Self) -> &Self::Value;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> ValueIf<true> for T {
    type Value = T;

    fn value(of: &T) -> &T {
        of
    }
}

/// A handle of which is known that it crosses.
pub trait ExportIf<const IS: bool> {
    type Far: Serialize + DeserializeOwned;

    fn export_if(&self) -> Self::Far;
}

#[diagnostic::do_not_recommend]
impl<H: Export> ExportIf<true> for H {
    type Far = H::Far;

    fn export_if(&self) -> H::Far {
        self.export()
    }
}

/// Returns a handle as it is sent.
pub fn exported<const IS: bool, H: ExportIf<IS>>(handle: &H) -> H::Far {
    handle.export_if()
}
