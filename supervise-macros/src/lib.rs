//! The macros of `supervise`. Depend on that crate instead, which documents them.
//!
//! Every macro has the same stages: tokens, repair, parse, model, check, expand. All stages collect mistakes, which
//! come last in the output.

mod actor;
mod decider;
mod duration;
mod errors;
mod free_names;
mod pretty;
mod repair;
mod settings;
#[cfg(test)]
mod snapshots;
mod strategy;
mod tree;

use proc_macro::TokenStream;

use errors::guarded;

/// Declares supervision trees.
#[proc_macro]
pub fn supervisor(input: TokenStream) -> TokenStream {
    guarded(|| tree::supervisor(input.into())).into()
}

/// Declares a child that is spawned at run time.
#[proc_macro]
pub fn child(input: TokenStream) -> TokenStream {
    guarded(|| tree::child(input.into())).into()
}

/// A decider as a value.
#[proc_macro]
pub fn decider(input: TokenStream) -> TokenStream {
    guarded(|| decider::decider(input.into())).into()
}

/// A `SupervisorStrategy` as a value.
#[proc_macro]
pub fn strategy(input: TokenStream) -> TokenStream {
    guarded(|| strategy::strategy(input.into())).into()
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
    pre_start: "Marks a method of an `#[actor] impl` that runs on every new instance.";
    post_stop: "Marks a method of an `#[actor] impl` that runs when an instance ends.";
    pre_restart: "Marks a method of an `#[actor] impl` that runs on the old instance before a restart.";
    post_restart: "Marks a method of an `#[actor] impl` that runs on the new instance after a restart.";
    terminated: "Marks a method of an `#[actor] impl` that runs when a watched actor has ended.";
    supervision: "Marks a method of an `#[actor] impl` that returns how the actor supervises its children.";
}
