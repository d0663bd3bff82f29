//! The types that a declared child has in the handle struct of its tree.

use crate::actor::options::ChildOptions;
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
