//! The macros of `supervise`. Depend on that crate instead, which documents them.
//!
//! `supervisor!`, `child!`, `decider!` and `strategy!` are called by declarative macros of the same names, which pass the
//! path of their crate.
//!
//! Every macro has the same stages: tokens, repair, parse, model, check, expand. All stages collect mistakes, which
//! come last in the output.

mod actor;
mod decider;
mod duration;
mod errors;
mod free_names;
mod paths;
mod pretty;
mod repair;
mod settings;
#[cfg(test)]
mod snapshots;
mod strategy;
mod tree;

use proc_macro::TokenStream;

use errors::guarded;
use paths::Paths;

/// Expands a macro with the paths that the declarative macro in front of it passes.
fn expand(input: TokenStream, to: impl FnOnce(proc_macro2::TokenStream) -> proc_macro2::TokenStream) -> TokenStream {
    let (paths, input) = Paths::split(input.into());
    paths.hold(|| guarded(|| to(input))).into()
}

/// Declares supervision trees.
#[proc_macro]
pub fn supervisor(input: TokenStream) -> TokenStream {
    expand(input, tree::supervisor)
}

/// Declares a child that is spawned at run time.
#[proc_macro]
pub fn child(input: TokenStream) -> TokenStream {
    expand(input, tree::child)
}

/// A decider as a value.
#[proc_macro]
pub fn decider(input: TokenStream) -> TokenStream {
    expand(input, decider::decider)
}

/// A `SupervisorStrategy` as a value.
#[proc_macro]
pub fn strategy(input: TokenStream) -> TokenStream {
    expand(input, strategy::strategy)
}

/// Makes a struct with an inherent `handle` an actor.
#[proc_macro_derive(Actor, attributes(actor, pre_start, post_stop, pre_restart, post_restart, terminated, supervision))]
pub fn derive_actor(input: TokenStream) -> TokenStream {
    guarded(|| actor::derive(input.into())).into()
}

/// Makes the type of an `impl` block with `handle` an actor.
#[proc_macro_attribute]
pub fn actor(args: TokenStream, item: TokenStream) -> TokenStream {
    guarded(|| actor::attribute(args.into(), item.into())).into()
}

macro_rules! markers {
    ($($name:ident: $doc:literal;)*) => {$(
        #[doc = $doc]
        #[proc_macro_attribute]
        pub fn $name(_: TokenStream, item: TokenStream) -> TokenStream {
            guarded(|| actor::stray(stringify!($name), item.into())).into()
        }
    )*};
}

markers! {
    message: "Marks a method of an `#[actor] impl` that is a message.";
    pre_start: "Marks a method of an `#[actor] impl` that runs on every new instance.";
    post_stop: "Marks a method of an `#[actor] impl` that runs when an instance ends.";
    pre_restart: "Marks a method of an `#[actor] impl` that runs on the old instance before a restart.";
    post_restart: "Marks a method of an `#[actor] impl` that runs on the new instance after a restart.";
    terminated: "Marks a method of an `#[actor] impl` that runs when a watched actor has ended.";
    supervision: "Marks a method of an `#[actor] impl` that returns how the actor supervises its children.";
}
