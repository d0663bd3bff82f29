//! The declared tree as a constant.

mod budget;
mod enough;
mod render;

pub use enough::{Text, too_short};

use crate::strategy::{Lifecycle, Shutdown, Strategy};

/// A declared tree: `Shop::SPEC`. A constant, so that what it says can be checked while compiling:
///
/// ```
/// # use supervise_runtime::{Lifecycle, Strategy, TreeSpec};
/// # struct Shop;
/// # impl Shop { const SPEC: TreeSpec =
/// #     TreeSpec { name: "Shop", doc: "", strategy: Strategy::OneForOne, settings: &[], children: &[] }; }
/// // The process is killed 30 s after it was told to stop.
/// const _: () = assert!(matches!(Shop::SPEC.shutdown_budget(), Some(time) if time.as_secs() < 30));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct TreeSpec {
    /// The name of the handle struct.
    pub name: &'static str,
    /// The first paragraph of its documentation.
    pub doc: &'static str,
    /// Whom a restart takes along.
    pub strategy: Strategy,
    /// The settings inside the braces, as written.
    pub settings: &'static [&'static str],
    /// The children in the order of their declaration.
    pub children: &'static [ChildSpec],
}

/// A declared child.
#[derive(Debug, Clone, Copy)]
pub struct ChildSpec {
    /// Its name in the tree.
    pub name: &'static str,
    /// The first paragraph of its documentation.
    pub doc: &'static str,
    /// The type of one of them, as written; `task` for a task.
    pub item: &'static str,
    /// One child, or how many of them.
    pub shape: Shape,
    /// Actor, task or tree.
    pub kind: Kind,
    /// When it is started again.
    pub lifecycle: Lifecycle,
    /// How long it may take to go down.
    pub shutdown: DeclaredShutdown,
    /// The settings above it, as written.
    pub settings: &'static [&'static str],
    /// What is below it, if it is a tree; see [`ChildSpec::tree`].
    pub below: Below,
}

/// How many children one declaration makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// One: `db: Db`.
    One,
    /// One or none, decided at the first start: `audit: Option<Audit>`.
    Optional,
    /// So many, `name/0` and on: `shards: [Shard; 4]`.
    Array(usize),
    /// Any number, spawned through the handle: `sessions: [Session]`.
    Set,
    /// Any number by key, whose type is this: `sessions: [UserId => Session]`.
    Keyed(&'static str),
}

/// What a child is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// An actor.
    Actor,
    /// A task.
    Task,
    /// A tree of its own.
    Tree,
}

/// How long a child may take to go down, as far as its declaration tells (S24).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclaredShutdown {
    /// Nothing is written: 5 s for an actor or task, as long as its children take for a tree.
    Default,
    /// A literal or a word is written.
    Is(Shutdown),
    /// An expression, evaluated when the tree starts.
    Computed,
}

/// The tree below a child.
#[derive(Debug, Clone, Copy)]
pub enum Below {
    /// The child is this tree, or none.
    Known(Option<&'static TreeSpec>),
    /// Of an instance of a `[..]` it is a function, since a constant that contains itself does not
    /// compile, and a tree may contain any number of itself.
    Instance(fn() -> Option<&'static TreeSpec>),
}

impl ChildSpec {
    /// The declared tree that it is, or that each of its instances is.
    pub fn tree(&self) -> Option<&'static TreeSpec> {
        match self.below {
            Below::Known(tree) => tree,
            Below::Instance(tree) => tree(),
        }
    }

    /// Whether its instances are spawned at run time: `[T]` or `[K => T]`.
    pub const fn is_set(&self) -> bool {
        matches!(self.shape, Shape::Set | Shape::Keyed(_))
    }
}
