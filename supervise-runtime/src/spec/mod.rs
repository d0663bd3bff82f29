//! The declared tree as a constant.

mod budget;
mod render;
mod shutdown_check;

pub use shutdown_check::{Text, shutdown_too_short};

use crate::strategy::{Lifecycle, Shutdown, Strategy};

/// A declared tree: `Shop::SPEC`. A constant, so that what it says can be checked while compiling.
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     /// Keeps the shop's back end alive.
///     struct Shop {
///         #![strategy(AllForOne)]
///         #[lifecycle(Permanent, shutdown = 20s)]
///         db: Db = Db,
///         cart: Db = Db,
///     }
/// }
///
/// // The process is killed 30 s after it was told to stop.
/// const _: () = assert!(matches!(Shop::SPEC.shutdown_budget(), Some(time) if time.as_secs() < 30));
///
/// assert_eq!((Shop::SPEC.name, Shop::SPEC.strategy), ("Shop", Strategy::AllForOne));
/// assert_eq!(Shop::SPEC.doc, "Keeps the shop's back end alive.");
/// assert_eq!(Shop::SPEC.children.iter().map(|child| child.name).collect::<Vec<_>>(), ["db", "cart"]);
/// println!("{}", Shop::SPEC.render());
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
///
/// ```
/// use supervise::{Kind, Shape, prelude::*};
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         /// One for each hour.
///         #[backoff(3s..30s)]
///         shards: [Db; 24] = |_hour| Db,
///     }
/// }
///
/// let shards = &Shop::SPEC.children[0];
/// assert_eq!((shards.name, shards.doc, shards.item), ("shards", "One for each hour.", "Db"));
/// assert_eq!((shards.shape, shards.kind, shards.lifecycle), (Shape::Array(24), Kind::Actor, Lifecycle::Permanent));
/// assert_eq!(shards.settings, ["backoff(3s..30s)"]);
/// assert_eq!(shards.shutdown_budget().map(|time| time.as_secs()), Some(24 * 5));
/// ```
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
///
/// ```
/// use supervise::{Shape, prelude::*};
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///         audit: Option<Db> = None,
///         shards: [Db; 4] = |_index| Db,
///         sessions: [Db] = || Db,
///         rooms: [String => Db] = |_name: String| Db,
///     }
/// }
///
/// let shapes: Vec<Shape> = Shop::SPEC.children.iter().map(|child| child.shape).collect();
/// assert_eq!(shapes, [Shape::One, Shape::Optional, Shape::Array(4), Shape::Set, Shape::Keyed("String")]);
/// ```
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
///
/// ```
/// use supervise::{Kind, prelude::*};
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///         ticker: task = std::future::pending::<()>(),
///         reports: struct Reports { daily: Db = Db },
///     }
/// }
///
/// let kinds: Vec<Kind> = Shop::SPEC.children.iter().map(|child| child.kind).collect();
/// assert_eq!(kinds, [Kind::Actor, Kind::Task, Kind::Tree]);
/// ```
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
///
/// ```
/// use std::time::Duration;
/// use supervise::{DeclaredShutdown, ShutdownTime, prelude::*};
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop(grace: Duration) {
///         plain: Db = Db,
///         #[lifecycle(shutdown = 2s)]
///         written: Db = Db,
///         #[lifecycle(shutdown = grace)]
///         given: Db = Db,
///     }
/// }
///
/// let [plain, written, given] = Shop::SPEC.children else { panic!("three") };
/// assert_eq!(plain.shutdown, DeclaredShutdown::Default);
/// assert_eq!(written.shutdown, DeclaredShutdown::Is(ShutdownTime::Within(Duration::from_secs(2))));
/// assert_eq!(given.shutdown, DeclaredShutdown::Computed);
/// assert_eq!(Shop::SPEC.shutdown_budget(), None); // nobody knows while compiling
/// ```
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
///
/// [`ChildSpec::tree`] looks through both:
///
/// ```
/// use supervise::{Below, prelude::*};
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Company {
///         db: Db = Db,
///         /// It has any number of itself below it.
///         branches: [Company] = || Company::tree(),
///     }
/// }
///
/// let [db, branches] = Company::SPEC.children else { panic!("two") };
/// assert!(matches!(db.below, Below::Known(None)) && db.tree().is_none());
/// assert!(matches!(branches.below, Below::Instance(_)));
/// assert_eq!(branches.tree().map(|tree| tree.name), Some("Company"));
/// ```
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
