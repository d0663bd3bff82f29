//! A subtree under a lease: `#[only_with(lease)]`.
//!
//! The subtree is the one instance of a set. The set is up at once, so the boot of the tree around it goes on; the
//! instance is spawned with each holding, and stopped when the lease is lost. So nothing of this is new for the decisions: a
//! set without instances is healthy, and the stop of an instance is no failure.

use std::fmt;
use std::future::Future;

use tokio::time::sleep;

use crate::hold::{self, run_under};
use crate::keeper::Keeper;
use crate::lease::Lease;
use supervise_core::base::BoxFuture;
use supervise_core::base::sync::{Arc, Mutex, lock};
use supervise_core::values::ended::Ended;
use supervise_core::values::event::EventKind;
use supervise_core::values::failure::Thrown;
use supervise_core::values::lease::Kept;
use supervise_runtime::expansion::{Builder, ChildIf, TreeDef};
use supervise_runtime::extension::{cell, launch_with};
use supervise_runtime::policy::ChildOptions;
use supervise_runtime::{Child, Children, Tree, TreeRef};

/// A child that `#[only_with]` can be written above: a tree.
#[diagnostic::on_unimplemented(
    message = "`#[only_with]` is for a subtree, and `{Self}` is none",
    label = "not a tree",
    note = "declare a tree with `{Self}` as its child, and write `#[only_with]` above that tree"
)]
#[doc(hidden)]
pub trait Subtree: Child {}

#[diagnostic::do_not_recommend]
impl<T: TreeDef + Child<Start = Tree<T>>> Subtree for T {}

/// The handle of a child with `#[only_with(lease)]`: a subtree that is here only while this process holds the lease.
///
/// The handle is there whether or not the subtree is. It is cheap to clone and keeps nothing alive. A handle of the subtree
/// itself, or of an actor in it, belongs to one holding: once that is over, it answers like that of any child that has
/// ended.
///
/// See rule S55.
///
/// ```
/// use supervise::lease::Leased;
/// use supervise::prelude::*;
/// use supervise::testing::MemoryLease;
/// # struct Billing;
/// # #[actor]
/// # impl Billing { fn handle(&mut self, _msg: ()) {} }
/// # struct Web { jobs: Leased<Jobs> }
/// # #[actor]
/// # impl Web { fn handle(&mut self, reply: Reply<bool>) { reply.send(self.jobs.here().is_some()) } }
///
/// supervisor! {
///     struct Jobs {
///         billing: Billing = Billing,
///     }
/// }
///
/// supervisor! {
///     /// Runs on several machines. The jobs run on one of them.
///     struct Shop(lease: MemoryLease) {
///         #[only_with(lease)]
///         jobs: Jobs = Jobs::tree(),
///         web: Web = Web { jobs }, // its handle, a `Leased<Jobs>`
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let lease = MemoryLease::new("jobs");
/// let (one, two) = (Shop::start(lease.clone()).await?, Shop::start(lease.clone()).await?);
/// let jobs: Jobs = one.jobs.held().await.expect("the tree lives");
/// jobs.billing.tell(()).await?;
/// assert!(two.jobs.here().is_none()); // it stands by
///
/// one.shutdown().await; // gives the lease back
/// two.jobs.held().await.expect("the tree lives").billing.tell(()).await?;
/// assert_eq!(two.jobs.lease_token(), Some(2));
/// # Ok(())
/// # }
/// ```
pub struct Leased<T: Child> {
    set: Children<T, ()>,
    /// The lease of the last build of the tree around it.
    keeper: Arc<Mutex<Arc<Keeper>>>,
}

impl<T: Child> Clone for Leased<T> {
    fn clone(&self) -> Self {
        Leased { set: self.set.clone(), keeper: self.keeper.clone() }
    }
}

impl<T: Child> fmt::Debug for Leased<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Leased({})", self.path())
    }
}

impl<T: Child> Leased<T> {
    /// Returns the handle of the subtree, if it is up here.
    pub fn here(&self) -> Option<T::Handle> {
        self.set.handles().into_iter().next()
    }

    /// Waits until the subtree is up here, and returns its handle. `None`: the tree around it has ended, or this part of it.
    ///
    /// # Cancel safety
    ///
    /// The future may be dropped and the method called again.
    pub fn held(&self) -> BoxFuture<'_, Option<T::Handle>> {
        Box::pin(async move {
            let tree = self.tree();
            let core = cell(&tree).core();
            let found = || match self.here() {
                Some(here) => Some(Some(here)),
                None => core.ended().is_some().then_some(None),
            };
            core.bus().until(found).await
        })
    }

    /// Returns the token of the holding under which the subtree is here; `None` if it is not.
    pub fn lease_token(&self) -> Option<u64> {
        hold::token(cell(&self.tree()).core().table()?.living().first()?.core())
    }

    /// Returns the path.
    pub fn path(&self) -> String {
        self.set.path()
    }

    /// Returns the [`TreeRef`] of the place of the subtree, to stop it for good, to restart it or to join it. It is there
    /// whether or not the subtree is.
    ///
    /// See rule S26.
    pub fn tree(&self) -> TreeRef {
        self.set.tree()
    }

    /// Makes the handle, with the lease of this build.
    fn new(set: Children<T, ()>, keeper: Arc<Mutex<Arc<Keeper>>>) -> Self {
        Leased { set, keeper }
    }

    /// Looks after the subtree from a start of its place to the end of that incarnation.
    fn begin(&self) {
        let keeper = lock(&self.keeper).clone();
        let incarnation = cell(&self.tree()).core().incarnation();
        tokio::spawn(look_after(self.set.clone(), keeper, incarnation));
    }
}

/// Takes the options of a subtree, or gives the one error that the child is none.
#[doc(hidden)]
pub fn of_subtree<T: Subtree>(options: ChildOptions<T>) -> ChildOptions<T> {
    options
}

/// The lease of a subtree, of any type: a value that is no lease gives one error, where it is written.
#[doc(hidden)]
#[derive(Debug)]
pub struct LeaseOf(Arc<Keeper>);

/// Takes the lease of a subtree.
#[doc(hidden)]
pub fn lease_of(lease: impl Lease) -> LeaseOf {
    LeaseOf(Keeper::new(lease, false))
}

async fn look_after<T: Child>(set: Children<T, ()>, keeper: Arc<Keeper>, incarnation: u32) {
    let cell = cell(&set.tree()).clone();
    let is_over = || {
        let core = cell.core();
        core.ended().is_some() || core.incarnation() != incarnation || core.stop_reason().is_some()
    };
    let tell = |kind: EventKind| cell.core().emit(kind);
    let over = cell.core().bus().until(|| is_over().then_some(()));
    tokio::pin!(over);
    loop {
        let grant = tokio::select! {
            biased;
            () = &mut over => return,
            grant = keeper.acquire(&tell) => grant,
        };
        if is_over() {
            return;
        }
        let hold = grant.hold.clone();
        let Ok(instance) = launch_with(&set, (), |root| run_under(root, hold.clone())) else { return };
        grant.begins();
        let Kept { ended, lost } = keeper.keep(&hold, &instance, &tell).await;
        match ended {
            _ if lost => {}
            // The subtree has finished or was stopped on request, so this program does not start it again.
            Ended::Done | Ended::DoneWith(_) | Ended::Stopped => return,
            _ => tokio::select! {
                biased;
                () = &mut over => return,
                () = sleep(keeper.turn_of_others()) => {}
            },
        }
    }
}

/// Adds a subtree with `#[only_with]`.
#[doc(hidden)]
pub fn only<'a, T, F, Fut>(
    builder: &'a Builder,
    name: &'static str,
    options: ChildOptions<T>,
    lease: LeaseOf,
    start: F,
) -> BoxFuture<'a, Result<Leased<T>, Thrown>>
where
    T: Child,
    F: Fn(()) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T::Start, Thrown>> + Send + 'static,
{
    let LeaseOf(keeper) = lease;
    let new = keeper.clone();
    let known = move |known: &Leased<T>| {
        let before = std::mem::replace(&mut *lock(&known.keeper), new);
        drop(before); // runs user code
    };
    let make = move |set| Leased::new(set, Arc::new(Mutex::new(keeper)));
    Box::pin(builder.set_behind(name, options, start, known, make, Leased::begin))
}

/// A declared type that may be the type of a [`Leased`] subtree, with a constant that is true if the type is a child.
#[doc(hidden)]
pub trait LeasedIf<const IS: bool>: ChildIf<IS> {
    type Leased;
}

#[diagnostic::do_not_recommend]
impl<T: Child> LeasedIf<true> for T {
    type Leased = Leased<T>;
}
