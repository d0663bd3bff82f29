//! Names that the expansion could confuse with its own.

#![allow(
    clippy::missing_const_for_fn,
    clippy::needless_pass_by_ref_mut,
    clippy::unnecessary_wraps,
    clippy::unused_self,
    dead_code,
    missing_copy_implementations,
    missing_debug_implementations,
    missing_docs,
    unnameable_types,
    unreachable_pub,
    unused_macros,
    reason = "names are all that counts here"
)]

use supervise::{ActorRef, Failure, actor, supervisor};

/// The user's own type, which is neither the standard library's nor the prelude's.
pub struct Result;
pub struct Option;
pub struct Some;
pub struct Ok;
pub struct Err;
pub struct Box;
pub struct Vec;
pub struct String;
pub struct Arc;
pub struct Duration;
pub struct Restart;
pub struct Stop;
pub struct Cause;
pub struct Phase;
pub struct Directive;
pub struct Strategy;
pub struct OneForOne;
pub struct Lifecycle;
pub struct Permanent;
pub struct Backoff;
pub struct Tree;
pub struct TreeRef;
pub struct Builder;
pub struct Thrown;
pub trait Clone {}
pub trait Send {}
pub trait Sync {}
pub trait From {}
pub trait Into {}
pub trait Future {}
pub trait FnMut {}
pub trait Debug {}
pub trait Actor {}
pub trait Child {}
mod core {}
mod std {}
mod alloc {}
mod tokio {}

/// Macros of names that are used everywhere.
macro_rules! unreachable {
    () => {
        compile_error!("the user's own")
    };
}
macro_rules! panic {
    () => {
        compile_error!("the user's own")
    };
}
macro_rules! matches {
    () => {
        compile_error!("the user's own")
    };
}

/// An actor with such a name.
pub struct Bell {
    rings: u32,
}

#[actor]
impl Bell {
    fn handle(&mut self, ring: u32) -> ::core::result::Result<(), ::std::io::Error> {
        self.rings += ring;
        ::core::result::Result::Ok(())
    }

    #[post_restart]
    fn silent(&mut self, _failure: &Failure) {
        self.rings = 0;
    }
}

fn start(rings: u32) -> Bell {
    Bell { rings }
}

async fn heartbeat(bell: ActorRef<Bell>) {
    ::core::mem::drop(bell.tell(1).await);
}

fn b(a: u32) -> u32 {
    a
}

supervisor! {
    pub struct Names(r#type: u32, options: u32, builder: u32, f: fn(u32) -> Bell) {
        #![strategy(RestForOne, max_restarts = 5, within = 1min)]
        #![decider(_: ::std::io::Error => Restart, _ => Stop)]
        let name = options;
        let (error, handle) = (name, builder);
        /// A child named like the function that starts it.
        start: Bell = start(error),
        self_: Bell = start(handle),
        r#struct: Bell = start(r#type),
        r#async: Bell = f(b(options)),
        b: Bell = start(b(1)),
        #[lifecycle(Permanent)]
        heartbeat: task = heartbeat(start),
        shutdown: Bell = ::core::clone::Clone::clone(&f)(2),
        events: Bell = start(3),
        run: Bell = start(4),
        seed: [Bell] = |seed: u32| start(seed),
        core: struct Core {
            std: Bell = start(r#type),
            tokio: Bell = start(b(name)),
        },
    }
}

/// A tree named like the expansion's own traits.
pub mod traits {
    use supervise::{actor, supervisor};

    pub struct Plain;

    #[actor]
    impl Plain {
        fn handle(&mut self, (): ()) {}
    }

    supervisor! {
        pub struct Tree {
            pub child: Plain = Plain,
        }
        pub struct TreeDef {
            pub child: Plain = Plain,
        }
        pub struct Child {
            pub tree_def: TreeDef = TreeDef::tree(),
        }
    }
}

/// A spawn among such names.
pub async fn spawned(name: u32, options: u32, start: u32, child: u32) {
    let bell = supervise::spawn(supervise::child! {
        #[lifecycle(Temporary)]
        "bell": Bell = Bell { rings: name + options + start + child }
    });
    drop(bell.await);
    let bell = supervise::spawn(supervise::child! {
        #[backoff(1s..2s)]
        "bell": Bell = Bell { rings: name + options + start + child }
    });
    drop(bell.await);
    drop(supervise::spawn(supervise::child! { "task": task = async {} }).await);
}
