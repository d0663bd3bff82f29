//! Declarative supervision trees for tokio.
//!
//! Declare the parts of a service in [`supervisor!`]: which parts there are, in which order they start, what each of
//! them needs, and what happens when one fails. The compiler checks the tree and generates typed start and restart
//! code. A small runtime runs it.
//!
//! ```
//! use supervise::prelude::*;
//!
//! struct Counter(u64);
//!
//! #[actor]
//! impl Counter {
//!     #[message]
//!     fn add(&mut self, n: u64) -> Result<u64, Thrown> {
//!         self.0 += u64::from(u8::try_from(n)?); // an error fails the actor
//!         Ok(self.0)
//!     }
//! }
//!
//! supervisor! {
//!     struct App(first: u64) {
//!         counter: Counter = Counter(first),
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let app = App::start(5).await?;
//! assert_eq!(app.counter.add(1).await?, 6);
//!
//! app.counter.add(1000).forget().await?; // waits for no answer; the actor fails, and is restarted
//! assert_eq!(app.counter.add(2).await?, 7); // the handle stays the same
//!
//! app.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Further reading
//!
//! * [`supervisor!`]: the language, its shapes and settings, and the generated items.
//! * [`#[actor]`](macro@actor) and [`#[message]`](macro@message): methods that are messages, and hooks.
//!   [`Actor`](trait@Actor) is the trait below them, which [`#[derive(Actor)]`](derive@Actor) implements, too.
//! * [`decider!`] and [`Failure`]: what failed, and how the supervisor reacts.
//! * [`Context`]: the operations of an actor on itself: stop, watch other actors, spawn its own children. [`strategy!`]
//!   says how the actor supervises those children.
//! * [`ActorRef`], [`TaskRef`], [`Children`], [`Keyed`] and [`TreeRef`]: the handles. They stay valid across restarts
//!   and keep nothing alive.
//! * [`Events`](event::Events): everything that happens in a tree; [`Report`](inspect::Report): how the tree ended.
//! * [`guide`]: from a first actor to a tree on several machines, for readers who know tokio.
//! * [`recipes`]: short answers to questions that come up when you put a tree into a program.
//! * [`errors`]: each mistake that the compiler finds in a tree, with the message and the fix.
//!
//! A child can run on another machine: `remote T`, with the crate `supervise-remote`. `docs/remote.md` in the repository
//! is the manual.
//!
//! New to actors? Start with the [guide]. Numbers like S14 are the rules of `docs/semantics.md` in the repository, which
//! states the limits of each guarantee and the tests that prove it.
//!
//! # Good to know
//!
//! * Keep the value that `start` returns. It is a guard: dropping it shuts the tree down. [`Running::detach`] returns
//!   the handle without the guard.
//! * Futures that a child starts with `tokio::spawn` are not supervised. Subtasks of [`TaskContext::spawn`], futures of
//!   [`Context::run`] and actors of [`Context::spawn`] are.
//! * A panic is a failure like any other if it unwinds. With `panic = "abort"` it ends the process.
//! * Mailboxes are bounded: a `tell` waits for room. Two actors that wait for room in each other's mailbox wait
//!   forever, so use [`try_tell`](ActorRef::try_tell) in one of the two directions.
//!
//! # Under another name
//!
//! A crate of your own may re-export this one, so that your services depend on your crate alone; or `Cargo.toml` may give
//! it another name, as in `trees = { package = "supervise-tree", version = ".." }`. [`supervisor!`], [`child!`],
//! [`decider!`] and [`strategy!`] need nothing: they find their crate by themselves. The two attributes take the path:
//!
//! ```
//! mod kit {
//!     // As it stands in a crate that several services share.
//!     pub mod trees {
//!         pub use supervise::*;
//!     }
//! }
//!
//! use kit::trees::prelude::*;
//!
//! struct Db;
//!
//! #[actor(crate = kit::trees)]
//! impl Db {
//!     fn handle(&mut self, _query: String) {}
//! }
//!
//! #[derive(Actor)]
//! #[actor(msg = String, crate = kit::trees)]
//! struct Log;
//!
//! impl Log {
//!     async fn handle(&mut self, _line: String, _cx: &mut Context<Self>) {}
//! }
//!
//! kit::trees::supervisor! {
//!     struct Shop {
//!         db: Db = Db,
//!         log: Log = Log,
//!     }
//! }
//! # assert_eq!(Shop::SPEC.children.len(), 2);
//! ```
//!
//! Declare a tree with remote children by the `supervisor!` of `supervise-remote` then.
//!
//! # Features
//!
//! All are off by default.
//!
//! * `anyhow`: [`Failure::error`], [`Failure::find`] and the arms of deciders downcast an `anyhow::Error`, as they
//!   always downcast boxed errors.
//! * `metrics`: the module `metrics`, which records restarts, messages, mailboxes and budgets with the facade `metrics`.
//! * `serde`: [`Event`](event::Event), [`Snapshot`](inspect::Snapshot), [`Health`](inspect::Health) and
//!   [`Report`](inspect::Report) can be serialized; the module `json` documents the format.
//! * `signal`: `signal()`, the usual `until` argument of a tree's `run`.
//! * `systemd`: `Tree::systemd()`, which tells systemd that the tree is up, how it is, and that it lives.
//! * `testing`: the module `testing`, for the tests of your own trees.
//! * `tokio-util`: `cx.token()` of actors and tasks, a `CancellationToken` that is cancelled when they have to stop.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod reference;

pub use reference::*;
// Named for itself, so that rustc says which feature is missing.
#[doc(inline)]
pub use supervise_lease::Lease;
#[doc(inline)]
pub use supervise_observe::spawn;
#[cfg(feature = "signal")]
#[doc(inline)]
pub use supervise_runtime::signal;
#[doc(inline)]
pub use supervise_runtime::*;

/// Leases: trees that run only while this process holds a lease, so that of several replicas one acts.
///
/// See rule S55, and `docs/leases.md`.
pub mod lease {
    #[doc(inline)]
    pub use supervise_lease::{Acquired, Lease, LeaseCall, LeaseChange, LeaseToken, Leased, OnlyWith, RunsUnder};
}

/// Errors of calls, and the error types of user code.
pub mod error {
    #[doc(inline)]
    pub use supervise_observe::OperateError;
    #[doc(inline)]
    pub use supervise_runtime::error::*;
}

/// Views of a running tree from outside: snapshots, health and the report of a shutdown.
pub mod inspect {
    #[cfg(feature = "systemd")]
    #[cfg_attr(docsrs, doc(cfg(feature = "systemd")))]
    #[doc(inline)]
    pub use supervise_observe::Systemd;
    #[doc(inline)]
    pub use supervise_observe::{
        Extent, FailedInstance, Health, Inspect, Instances, Messages, Node, NodePage, NodeState, NodeStateKind,
        NodeWait, Note, NoteKind, Operate, Page, PageOrder, RestartBudget, Snapshot, Symptom, SymptomKind,
    };
    #[doc(inline)]
    pub use supervise_runtime::inspect::*;
}

#[cfg(feature = "metrics")]
#[cfg_attr(docsrs, doc(cfg(feature = "metrics")))]
#[doc(inline)]
pub use supervise_observe::metrics;

/// The declaration of a tree as a constant.
pub mod spec {
    #[doc(inline)]
    pub use supervise_observe::{PodSnippet, Render, SystemdUnit};
    #[doc(inline)]
    pub use supervise_runtime::spec::*;
}

#[doc(hidden)]
pub mod expansion {
    pub use supervise_lease::expansion::*;
    pub use supervise_macros::{child, decider, strategy, supervisor};
    pub use supervise_observe::expansion::*;
    pub use supervise_runtime::expansion::*;
}

#[cfg(feature = "serde")]
#[doc = include_str!("../docs/json.md")]
pub mod json {}

// Documentation only.
#[cfg(any(doc, doctest))]
pub mod errors;

// The chapters build packages of their own, which `verify/guide/run.py` runs.
#[cfg(all(doc, not(doctest)))]
pub mod guide;

#[cfg(any(doc, doctest))]
pub mod recipes;

#[cfg(any(doc, doctest))]
pub mod settings;

#[cfg(feature = "testing")]
pub mod testing;

/// The items that a file with a tree needs.
///
/// Among them are functions with common names, such as [`spawn`](crate::spawn()). An item of your own file goes first; of
/// two globs that have the same name, as in `use supervise::prelude::*; use kit::*;`, neither does, and rustc calls the
/// name ambiguous: import the item that you mean by name, `use kit::spawn;`.
pub mod prelude {
    #[cfg(feature = "systemd")]
    #[doc(no_inline)]
    pub use crate::inspect::Systemd as _;
    #[doc(no_inline)]
    pub use crate::inspect::{Inspect as _, Operate as _};
    #[doc(no_inline)]
    pub use crate::lease::{LeaseToken as _, RunsUnder as _};
    #[cfg(feature = "metrics")]
    #[doc(no_inline)]
    pub use crate::metrics::Metrics as _;
    #[doc(no_inline)]
    pub use crate::policy::{Backoff, Decider, Directive, Lifecycle, Strategy, SupervisorStrategy};
    #[cfg(feature = "signal")]
    #[doc(no_inline)]
    pub use crate::signal;
    #[doc(no_inline)]
    pub use crate::spec::Render as _;
    #[doc(no_inline)]
    pub use crate::{
        Actor, ActorRef, Cause, Children, Context, Ended, Failure, Handle, Handles, Keyed, Phase, Reply, Running,
        TaskContext, TaskRef, Thrown, Tree, TreeRef, Watched, Watcher, actor, child, decider, message, post_restart,
        post_stop, pre_restart, pre_start, spawn, strategy, supervision, supervisor, terminated,
    };
}

/// Runs the examples of the README; the items below run those of the pages.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(all(doctest, feature = "metrics"))]
#[doc = include_str!("../docs/metrics.md")]
struct Metrics;

#[cfg(doctest)]
#[doc = include_str!("../docs/porting.md")]
struct Porting;

#[cfg(doctest)]
#[doc = include_str!("../docs/from-a-joinset.md")]
struct FromAJoinSet;

#[cfg(doctest)]
#[doc = include_str!("../docs/logs.md")]
struct Logs;
