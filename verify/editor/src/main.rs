//! A program with everything that a user types in a tree. It compiles; the cases in `cases.txt` replace single lines of
//! it.

use std::time::Duration;

use supervise::prelude::*;

#[derive(Clone)]
pub struct Config {
    url: String,
    grace_time: Duration,
}

#[derive(Clone)]
pub struct Pool;

impl Pool {
    async fn connect(_url: &str) -> Result<Pool, std::io::Error> {
        Ok(Pool)
    }

    fn lease(&self) -> Lease {
        Lease
    }
}

pub struct Lease;

pub struct Db;

#[actor]
impl Db {
    fn handle(&mut self, _: u32) {}
}

impl Db {
    async fn open(_pool: Pool) -> Result<Db, std::io::Error> {
        Ok(Db)
    }

    fn dump(&mut self) {}
}

pub struct Cart;

#[actor]
impl Cart {
    fn early(_status: TaskRef) -> Cart {
        Cart
    }

    fn handle(&mut self, _: Reply<u32>) {}
}

impl Cart {
    fn build(_db: ActorRef<Db>) -> Cart {
        Cart
    }
}

async fn serve(cx: TaskContext) {
    cx.stopped().await;
}

supervisor! {
    /// Keeps the shop's back end alive.
    pub struct Shop(config: Config) {
        #![strategy(OneForOne, max_restarts = 10, within = 10min)]
        #![decider(
            Cause::Killed => Stop,
            _ => Restart,
        )]

        let pool = Pool::connect(&config.url).await?;
        let count = 1;
        /// How long the shop may close.
        pub let closing: Duration = config.grace_time;

        #[lifecycle(Permanent, shutdown = config.grace_time)]
        #[backoff(3s..30s, factor = 2.0)]
        #[pre_restart(Db::dump)]
        db: Db = Db::open(pool.clone()).await?,

        #[mailbox(Bounded(10))]
        cart: Cart = Cart::build(db),

        http: task = |cx| serve(cx),

        early: Cart = Cart::early(later(status_task)),

        reports: struct Reports {
            #![strategy(AllForOne, max_restarts = 3, within = 100ms)]
            daily: Db = Db::open(pool).await?,
            index: Cart = Cart::build(daily),
        },

        #[max_children(3)]
        sessions: [Cart] = |number: u64| { let _ = (number, count); Cart::build(db) },

        status: task = async move { let _ = cart; },

        status_task: task = std::future::pending::<()>(),

        let grace: Duration = config.grace_time;
        far_db: Far = Far,

        #[on("worker", lease = 2s, overlap = Forbidden)]
        far: remote Far = Far::near(far_db, grace),
    }
}

pub struct Far;

#[actor]
impl Far {
    fn near(_far: supervise_remote::RemoteRef<Far>, _time: Duration) -> Far {
        Far
    }

    fn handle(&mut self, _: u32) {}
}

pub struct Till(u64);

#[actor]
impl Till {
    /// Puts money in.
    #[message]
    fn deposit(&mut self, amount: u64) -> u64 {
        self.0 += amount;
        self.0
    }
}

supervisor! {
    pub struct Bank {
        till: Till = Till(0),
    }
}

async fn deposits(bank: Running<Bank>) {
    let _ = bank.till.deposit(5).await;
    let _ = bank.till.tell(TillMsg::deposit(5)).await;
}

pub struct Loader<T>(T);

#[actor]
impl<T: Clone + Send + 'static> Loader<T> {
    fn handle(&mut self, _: Reply<T>) {}
}

impl<T> Loader<T> {
    fn of(first: T) -> Self {
        Loader(first)
    }
}

supervisor! {
    pub struct Cache<T: Clone + Send, const N: usize>(first: T) {
        loader: Loader<T> = Loader::of(first),
        shards: [Loader<T>; N] = |_index| Loader::of(first),
    }
}

async fn spawns(first: Pool) {
    let spawned = spawn(child! {
        #[lifecycle(Transient, shutdown = 7s)]
        "spawned": Db = Db::open(first).await?
    });
    let _ = spawned.await;
}

async fn user(shop: Running<Shop>) {
    let _ = shop.cart.ask(|reply| reply).await;
    shop.shutdown().await;
    let cache = Cache::<u8, 2>::start(1).await;
    drop(cache);
}

fn main() {
    let _ = (user, spawns, deposits, Pool::lease);
}
