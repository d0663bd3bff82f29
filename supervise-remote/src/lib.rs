//! Remote children of supervision trees: one tree, one owner, children on other machines.
//!
//! A child that is declared as `remote T` runs on a **node**: another process, on this machine or another one, that runs
//! the same program. The process that started the tree **owns** every decision about it: decider, budget, backoff, order
//! and handle are declared in the same place as for any other child. A node that dies is a failure of its children,
//! [`Cause::NodeLost`](supervise_runtime::Cause::NodeLost), and they are restarted on another node.
//!
//! [`testing::Cluster`](https://docs.rs/supervise-remote/latest/supervise_remote/testing/struct.Cluster.html) has a whole
//! example, with a machine that dies.
//!
//! * [`Net`] is the network of a process. The owner writes `Shop::tree(config).on(net)`.
//! * [`Node`] runs children for an owner: `Shop::node("worker").serve(net, until)`.
//! * [`RemoteRef`] is the handle of a remote child, and may be sent to other processes inside of messages.
//! * [`Remote`] is the bound on messages: `Serialize` and `Deserialize`. A [`Reply`](supervise_runtime::Reply) may stand anywhere
//!   in a message.
//! * [`wire`] is the transport. [`memory::Network`] is one inside of a process; the crate `supervise-remote-zenoh` has
//!   one for real networks.
//! * With the feature `metrics`, a node records metrics of its own.
//! * `testing::Cluster`, with the feature `testing`, runs an owner and its nodes in one test, on the paused clock.
//!
//! The rules are S56 to S63 in `docs/semantics/remote.md`; `docs/remote.md` is the manual.

#![cfg_attr(docsrs, feature(doc_cfg))]

/// Writes a line of the log. A subscriber that panics harms no link and no node.
macro_rules! say {
    ($level:ident, $($arg:tt)+) => {
        drop($crate::errors::guarded(|| tracing::$level!($($arg)+)))
    };
}

mod clock;
mod crossing;
#[allow(missing_docs, reason = "what it has is for generated code")]
mod declared;
mod epoch;
mod errors;
mod far;
mod frame;
mod health;
#[doc(hidden)]
pub mod hooks;
mod hosted;
mod inlet;
mod lock;
pub mod memory;
#[cfg(feature = "metrics")]
mod metered;
mod net;
mod node;
mod outbox;
mod place;
#[cfg(test)]
mod played;
#[cfg(feature = "testing")]
mod process;
mod proxy;
mod refs;
mod run;
mod specs;
#[cfg(feature = "testing")]
#[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
pub mod testing;
pub mod wire;

#[doc(hidden)]
pub mod expansion;

pub use far::{Far, FarStart};
pub use health::{Followed, NodeHealth};
pub use net::{MAX_FRAME, Net};
pub use node::Node;
pub use proxy::Proxy;
pub use refs::{RemoteAsk, RemoteError, RemoteRef, RemoteTell};

/// [`supervisor!`](macro@supervise_macros::supervisor), for a tree with remote children in a program that has no dependency
/// `supervise_remote`.
///
/// The macro of `supervise` looks for the crate `supervise_remote` by that name. A program that has it under another name,
/// or through a crate of its own, declares its trees with this macro, which names everything by its own path:
///
/// ```
/// mod kit {
///     // As it stands in a crate that several services share.
///     pub use supervise_remote::supervisor;
/// }
/// # use supervise::prelude::*;
/// # struct Thumbnails;
/// # #[actor]
/// # impl Thumbnails { fn handle(&mut self, _: String) {} }
///
/// kit::supervisor! {
///     struct Shop {
///         #[on("worker")]
///         thumbnails: remote Thumbnails = Thumbnails,
///     }
/// }
/// # assert_eq!(Shop::SPEC.children.len(), 1);
/// ```
#[macro_export]
macro_rules! supervisor {
    ($($tokens:tt)*) => {
        $crate::expansion::supervisor! { @[$crate::expansion::trees][$crate]; $($tokens)* }
    };
}

/// A message that may cross to another process: it is `Serialize` and `DeserializeOwned`, and `Send` as every message is.
///
/// Derive `Serialize` and `Deserialize`; there is nothing to implement. [`Reply`](supervise_runtime::Reply) and [`RemoteRef`] may
/// be parts of a message, at any depth. The codec writes the names of fields and variants, so that two builds understand
/// each other as far as the names agree.
///
/// A `Serialize` or `Deserialize` that fails or panics costs this one message, and is an event (rule S61).
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use supervise::prelude::*;
/// use supervise_remote::Remote;
///
/// #[derive(Serialize, Deserialize)]
/// enum PricingMsg {
///     Quote { item: String, reply: Reply<Option<u64>> },
///     Reload,
/// }
///
/// fn crosses<M: Remote>() {}
/// crosses::<PricingMsg>();
/// # let _ = (PricingMsg::Reload, |reply| PricingMsg::Quote { item: String::new(), reply });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot cross to another process",
    label = "the messages of a remote child cross to its node",
    note = "derive `serde::Serialize` and `serde::Deserialize` for it, above its type or as `#[actor(derive(..))]`; `Reply` and `RemoteRef` may be parts of it"
)]
// Without `Send`, which `Actor::Msg` has anyway: a message that contains a reference to its own actor would need itself to
// be `Remote` to be `Send`, and `Send` to be `Remote`.
pub trait Remote: serde::Serialize + serde::de::DeserializeOwned + 'static {}

#[diagnostic::do_not_recommend]
impl<M: serde::Serialize + serde::de::DeserializeOwned + 'static> Remote for M {}

/// Runs the examples of the manual.
#[cfg(all(doctest, feature = "testing"))]
#[doc = include_str!("../../docs/remote.md")]
struct Manual;
