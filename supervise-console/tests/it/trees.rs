//! Trees to look at.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use supervise::prelude::*;
use supervise_console::{Address, Serve, serve};
use tokio::sync::watch;

pub const LOOK: &str = "look-0123456789abcdef";
pub const ACT: &str = "act-fedcba9876543210";

/// An error with a source.
#[derive(Debug, thiserror::Error)]
#[error("the disk is full")]
pub struct DiskFull(#[source] pub fmt::Error);

/// An error that panics when it is shown.
#[derive(Debug)]
pub struct Unspeakable;

impl fmt::Display for Unspeakable {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("this error does not want to be shown")
    }
}

impl std::error::Error for Unspeakable {}

/// Does what its messages say.
pub struct Worker;

pub enum Do {
    Nothing,
    Fail,
    FailUnspeakably,
    Sleep(Duration),
    Greet(Reply<&'static str>),
}

type Failed = Box<dyn std::error::Error + Send + Sync>;

#[actor]
impl Worker {
    async fn handle(&mut self, order: Do) -> Result<(), Failed> {
        match order {
            Do::Nothing => {}
            Do::Fail => return Err(DiskFull(fmt::Error).into()),
            Do::FailUnspeakably => return Err(Unspeakable.into()),
            Do::Sleep(time) => tokio::time::sleep(time).await,
            Do::Greet(reply) => reply.send("hello"),
        }
        Ok(())
    }
}

supervisor! {
    /// A tree without a console of its own.
    pub struct Plain {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        /// Keeps everything.
        #[lifecycle(Permanent, shutdown = 2s)]
        pub db: Worker = Worker,
        pub parts: struct Parts {
            pub left: Worker = Worker,
            pub right: Worker = Worker,
        },
        pub shards: [Worker; 2] = |_index| Worker,
        #[limit(max_restarts = Unlimited)]
        pub sessions: [u32 => Worker] = |_number: u32| Worker,
    }
}

type Setup = Arc<dyn Fn(Serve) -> Serve + Send + Sync>;

supervisor! {
    /// A tree that shows itself.
    pub struct Shop(address: Address, setup: Setup, bound: watch::Sender<Option<Address>>) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #[lifecycle(Permanent, ready)]
        #[decider(_ => Restart)]
        pub console: task = |cx| setup(serve(cx, address.clone(), tree.clone())).on_bound(move |address| {
            bound.send_replace(Some(address.clone()));
        }),
        pub db: Worker = Worker,
        pub cart: Worker = Worker,
    }
}

supervisor! {
    /// A tree that ends if its console does not start.
    pub struct Strict(address: Address, setup: Setup) {
        #[lifecycle(Permanent, ready)]
        pub console: task = |cx| setup(serve(cx, address, tree.clone())),
    }
}

/// A running shop, and where its console listens.
pub struct Open {
    pub shop: Running<Shop>,
    pub bound: watch::Receiver<Option<Address>>,
}

impl Open {
    pub async fn at(address: &str, setup: impl Fn(Serve) -> Serve + Send + Sync + 'static) -> Open {
        let (sender, bound) = watch::channel(None);
        let shop = Shop::start(address.parse().unwrap(), Arc::new(setup), sender).await.unwrap();
        Open { shop, bound }
    }

    pub async fn new(setup: impl Fn(Serve) -> Serve + Send + Sync + 'static) -> Open {
        Open::at("127.0.0.1:0", setup).await
    }

    pub fn address(&self) -> SocketAddr {
        match &*self.bound.borrow() {
            Some(Address::Tcp(address)) => *address,
            other => panic!("not at a TCP address: {other:?}"),
        }
    }
}

/// The handle of a running tree, as a declaration has it under the name `tree`.
pub fn tree<T>(running: &Running<T>) -> TreeRef
where
    T: std::ops::Deref<Target = TreeRef>,
{
    TreeRef::clone(running)
}
