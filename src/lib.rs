//! Declarative supervision trees for tokio.
//!
//! Declare the parts of a service in [`supervisor!`]: which there are, in which order they start, what
//! each needs, and what happens when one fails. The compiler checks the tree and makes typed spawn and
//! restart code of it. A small runtime carries out what is declared.
//!
//! ```
//! use supervise::prelude::*;
//!
//! struct Counter(u64);
//!
//! enum Msg {
//!     Add(u64),
//!     Get(Reply<u64>),
//! }
//!
//! #[actor]
//! impl Counter {
//!     fn handle(&mut self, msg: Msg) -> Result<(), std::num::TryFromIntError> {
//!         match msg {
//!             Msg::Add(n) => self.0 += u64::from(u8::try_from(n)?), // an error is a failure
//!             Msg::Get(reply) => reply.send(self.0),
//!         }
//!         Ok(())
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
//! app.counter.tell(Msg::Add(1)).await?;
//! assert_eq!(app.counter.ask(Msg::Get).await?, 6);
//!
//! app.counter.tell(Msg::Add(1000)).await?; // fails, and is restarted behind the same handle
//! assert_eq!(app.counter.ask(Msg::Get).await?, 5);
//!
//! app.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Where to read on
//!
//! * [`supervisor!`]: the language, its shapes and settings, and what is generated.
//! * [`Actor`](trait@Actor): messages and hooks; [`#[actor]`](macro@actor) and
//!   [`#[derive(Actor)]`](derive@Actor) write the trait for you.
//! * [`decider!`] and [`Failure`]: what went wrong, and what to do about it.
//! * [`Context`]: what an actor can do: stop, watch others, spawn children of its own. [`strategy!`] says
//!   how it supervises those.
//! * [`ActorRef`], [`TaskRef`], [`Children`], [`Keyed`] and [`TreeRef`]: the handles. They stay valid over restarts
//!   and keep nothing alive.
//! * [`Events`]: everything that happens in a tree; [`Report`]: how it ended.
//! * [`errors`]: each mistake that the compiler finds in a tree, with what it says and the repair.
//!
//! Whoever has never used actors begins with the guide, `docs/guide` in the repository. Numbers like S14 are the rules
//! of `docs/semantics.md`, which says of each guarantee where it ends and which tests prove it.
//!
//! # Worth knowing early
//!
//! * Keep what `start` returns. It is a guard: dropping it shuts the tree down. [`Running::detach`] gives
//!   the handle without the guard.
//! * What a child starts with `tokio::spawn` is outside of supervision. [`TaskContext::spawn`] and
//!   [`Context::spawn`] are inside.
//! * A panic is a failure like any other where it unwinds. With `panic = "abort"` it ends the process.
//! * Mailboxes are bounded: a `tell` waits for room. Two actors that wait for room in each other's mailbox
//!   wait for ever, so use [`try_tell`](ActorRef::try_tell) in one of the two directions.
//!
//! # Features
//!
//! All are off by default.
//!
//! * `anyhow`: errors that are an `anyhow::Error` are looked into by [`Failure::error`], [`Failure::find`] and
//!   the arms of deciders, as boxed errors always are.
//! * `serde`: [`Event`], [`Snapshot`], [`Health`] and [`Report`] can be serialized; the module `json` says into
//!   what.
//! * `signal`: `signal()`, the usual `until` of a tree's `run`.
//! * `testing`: the module `testing`, for the tests of your own trees.
//! * `tokio-util`: `cx.token()` of actors and tasks, a `CancellationToken` that says when to end.

mod reference;

pub use reference::*;
#[doc(inline)]
pub use supervise_runtime::*;

#[doc(hidden)]
pub use supervise_runtime::__private;

#[cfg(feature = "serde")]
#[doc = include_str!("../docs/json.md")]
pub mod json {}

// Documentation only.
#[cfg(any(doc, doctest))]
pub mod errors;

#[cfg(feature = "testing")]
pub mod testing;

/// Everything that a file with a tree in it needs.
pub mod prelude {
    #[doc(no_inline)]
    pub use crate::{
        Actor, ActorRef, Cause, Children, Context, Decider, Directive, Ended, ExponentialBackoff, Failure, Handle,
        Keyed, Lifecycle, Phase, Reply, Running, SlottedBackoff, Strategy, SupervisorStrategy, TaskContext, TaskRef,
        Tree, TreeRef, Watched, Watcher, actor, decider, post_restart, post_stop, pre_restart, pre_start, strategy,
        supervision, supervisor, terminated,
    };
}

/// The examples of the readme and of the pages are tests as well.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../docs/semantics.md")]
struct Semantics;

#[cfg(doctest)]
#[doc = include_str!("../docs/porting.md")]
struct Porting;

#[cfg(doctest)]
#[doc = include_str!("../docs/from-a-joinset.md")]
struct FromAJoinSet;

#[cfg(doctest)]
#[doc = include_str!("../docs/recipes.md")]
struct Recipes;
