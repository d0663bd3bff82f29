//! Trees to look at.

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex};
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

/// An error with a text of this many bytes.
#[derive(Debug)]
pub struct Long(pub usize);

impl fmt::Display for Long {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&"x".repeat(self.0))
    }
}

impl std::error::Error for Long {}

/// An error that takes this long whenever it is shown.
#[derive(Debug)]
pub struct Slow(pub Duration);

impl fmt::Display for Slow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        std::thread::sleep(self.0);
        f.write_str("slow")
    }
}

impl std::error::Error for Slow {}

/// A gate, and the errors of which nobody gets to the text while it is closed.
#[derive(Debug, Default)]
pub struct Gate(Arc<(Mutex<Inside>, Condvar)>);

#[derive(Debug, Default)]
struct Inside {
    is_closed: bool,
    now: usize,
    most: usize,
}

#[derive(Debug)]
struct Behind(Arc<(Mutex<Inside>, Condvar)>);

impl Gate {
    pub fn error(&self) -> Failed {
        Box::new(Behind(self.0.clone()))
    }

    pub fn close(&self) {
        self.0.0.lock().unwrap().is_closed = true;
    }

    pub fn open(&self) {
        self.0.0.lock().unwrap().is_closed = false;
        self.0.1.notify_all();
    }

    /// The number of those that wait for a text.
    pub fn inside(&self) -> usize {
        self.0.0.lock().unwrap().now
    }

    /// The most that have waited at once.
    pub fn most(&self) -> usize {
        self.0.0.lock().unwrap().most
    }
}

/// A runtime waits for its blocking threads.
impl Drop for Gate {
    fn drop(&mut self) {
        self.open();
    }
}

impl fmt::Display for Behind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (inside, opened) = &*self.0;
        let mut inside = inside.lock().unwrap();
        inside.now += 1;
        inside.most = inside.most.max(inside.now);
        inside = opened.wait_while(inside, |inside| inside.is_closed).unwrap();
        inside.now -= 1;
        f.write_str("the gate is open")
    }
}

impl std::error::Error for Behind {}

/// Does what its messages say.
pub struct Worker;

pub enum Do {
    Nothing,
    Fail,
    FailUnspeakably,
    FailWith(Failed),
    Sleep(Duration),
    Greet(Reply<&'static str>),
}

pub type Failed = Box<dyn std::error::Error + Send + Sync>;

#[actor]
impl Worker {
    async fn handle(&mut self, order: Do) -> Result<(), Failed> {
        match order {
            Do::Nothing => {}
            Do::Fail => return Err(DiskFull(fmt::Error).into()),
            Do::FailUnspeakably => return Err(Unspeakable.into()),
            Do::FailWith(error) => return Err(error),
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

supervisor! {
    /// A tree whose instances are started once.
    pub struct Jobs {
        #[lifecycle(Temporary)]
        pub jobs: [u32 => Worker] = |_number: u32| Worker,
        pub db: Worker = Worker,
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
