//! The declared tree as a constant.

mod budget;
mod limit;
mod remote;
mod shutdown_check;

pub use budget::default_shutdown;
pub use limit::at_limit;
pub use limit::{DeclaredLimit, default_limit};
pub use remote::{RemoteSpec, remote_key};
pub use shutdown_check::shutdown_suffices;

use std::panic::Location;

use crate::values::kind::ChildKind;
use crate::values::strategy::{Lifecycle, ShutdownOrder, ShutdownTimeout, Strategy};

/// The declaration of a tree, as a constant: `Shop::SPEC`. Its values can be checked while compiling.
///
/// ```
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
/// /// Keeps the shop's back end alive.
///     struct Shop {
///         #![strategy(AllForOne)]
///         #[lifecycle(Permanent, shutdown = 20s)]
///         db: Db = Db,
///         cart: Db = Db,
///     }
/// }
///
/// // The process is killed 30 s after the request to stop.
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
    /// The first paragraph of the tree's documentation.
    pub doc: &'static str,
    /// The children that restart when one of them fails.
    pub strategy: Strategy,
    /// The time for each end of the tree: `Default` if it is not limited.
    pub shutdown: DeclaredShutdown,
    /// The order in which the children go down.
    pub shutdown_order: ShutdownOrder,
    /// The settings inside the braces, as written.
    pub settings: &'static [&'static str],
    /// The place of the declaration in the source.
    pub at: &'static Location<'static>,
    /// The path of the module with the declaration. Two trees of one name are told apart by it.
    pub module: &'static str,
    /// The version of the package with the declaration, if cargo has compiled it.
    pub version: Option<&'static str>,
    /// The children in the order of their declaration.
    pub children: &'static [ChildSpec],
}

/// The declaration of a child.
///
/// ```
/// use supervise::inspect::ChildKind;
/// use supervise::prelude::*;
/// use supervise::spec::Shape;
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
/// assert_eq!((shards.shape, shards.kind, shards.lifecycle), (Shape::Array(24), ChildKind::Actor, Lifecycle::Permanent));
/// assert_eq!(shards.settings, ["backoff(3s..30s)"]);
/// assert_eq!(shards.shutdown_budget().map(|time| time.as_secs()), Some(24 * 5));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ChildSpec {
    /// The name in the tree.
    pub name: &'static str,
    /// The first paragraph of the child's documentation.
    pub doc: &'static str,
    /// The type of one child, as written; `task` for a task.
    pub item: &'static str,
    /// One child, or several.
    pub shape: Shape,
    /// Actor, task or tree.
    pub kind: ChildKind,
    /// The ends after which the child is restarted.
    pub lifecycle: Lifecycle,
    /// The restart limit that holds for the child; for a set, the limit of each instance.
    pub limit: DeclaredLimit,
    /// The time that the child may take to go down.
    pub shutdown: DeclaredShutdown,
    /// The settings above the child, as written.
    pub settings: &'static [&'static str],
    /// The place of the declaration in the source.
    pub at: &'static Location<'static>,
    /// The tree below the child, if the child is a tree; see [`ChildSpec::tree`].
    pub below: Below,
    /// Where the child runs, if it is a `remote` one.
    pub remote: Option<&'static RemoteSpec>,
}

/// The number of children that one declaration makes.
///
/// ```
/// use supervise::prelude::*;
/// use supervise::spec::Shape;
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
    /// One child: `db: Db`.
    One,
    /// One child or none, decided at the first start: `audit: Option<Audit>`.
    Optional,
    /// This many children, `name/0` and so on: `shards: [Shard; 4]`.
    Array(usize),
    /// Any number of children, spawned through the handle: `sessions: [Session]`.
    Set,
    /// Any number of children, indexed by a key of this type: `sessions: [UserId => Session]`.
    Keyed(&'static str),
    /// One subtree, here only while a lease is held: `#[only_with(lease)] jobs: Jobs`. It is spawned anew with each holding,
    /// as `jobs/#1` and so on.
    Only,
}

/// The time that a child or a tree may take to go down, as far as the declaration says.
///
/// See rules S24 and S44.
///
/// ```
/// use std::time::Duration;
/// use supervise::policy::ShutdownTimeout;
/// use supervise::prelude::*;
/// use supervise::spec::DeclaredShutdown;
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
/// assert_eq!(written.shutdown, DeclaredShutdown::Is(ShutdownTimeout::Within(Duration::from_secs(2))));
/// assert_eq!(given.shutdown, DeclaredShutdown::Computed);
/// assert_eq!(Shop::SPEC.shutdown_budget(), None); // not known while compiling
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclaredShutdown {
    /// Nothing is declared: 5 s for an actor or task, as long as its children take for a tree.
    Default,
    /// A literal, or `Kill` or `Infinity`, is declared.
    Is(ShutdownTimeout),
    /// An expression is declared, which is evaluated when the tree starts.
    Computed,
}

/// The tree below a child.
///
/// [`ChildSpec::tree`] returns the tree in both cases:
///
/// ```
/// use supervise::prelude::*;
/// use supervise::spec::Below;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Company {
///         db: Db = Db,
/// /// Has any number of itself below it.
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
    /// The child is this tree, or not a tree.
    Known(Option<&'static TreeSpec>),
    /// The instances of a `[..]` are the tree that this function returns, or not a tree. It is a function because a
    /// tree may contain any number of itself, and a constant that contains itself does not compile.
    Instance(fn() -> Option<&'static TreeSpec>),
}

impl ChildSpec {
    /// Returns the declaration of the tree that this child is, or that each of its instances is.
    pub fn tree(&self) -> Option<&'static TreeSpec> {
        match self.below {
            Below::Known(tree) => tree,
            Below::Instance(tree) => tree(),
        }
    }

    /// Returns `true` if the instances are spawned at run time: `[T]`, `[K => T]`, or a subtree with `#[only_with]`.
    pub const fn is_set(&self) -> bool {
        matches!(self.shape, Shape::Set | Shape::Keyed(_) | Shape::Only)
    }
}
