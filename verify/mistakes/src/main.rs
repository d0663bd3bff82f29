//! A shop whose tree, actors and uses are right. Each case of `cases.txt` types one mistake into this program.

use std::error::Error;
use std::time::Duration;

use supervise::prelude::*;

#[derive(Debug, Clone)]
struct Pool(String);

impl Pool {
    async fn connect(url: &str) -> Result<Pool, DbError> {
        if url.is_empty() { Err(DbError::Timeout) } else { Ok(Pool(url.to_owned())) }
    }
}

#[derive(Debug)]
enum DbError {
    Timeout,
    Corrupt,
}

impl std::fmt::Display for DbError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

impl Error for DbError {}

struct Db {
    pool: Pool,
    puts: u32,
}

enum DbMsg {
    Put(u32),
    Puts(Reply<u32>),
}

#[actor]
impl Db {
    fn new(pool: Pool) -> Db {
        Db { pool, puts: 0 }
    }

    async fn handle(&mut self, msg: DbMsg, _cx: &mut Context<Self>) -> Result<(), DbError> {
        match msg {
            DbMsg::Put(0) => return Err(DbError::Corrupt),
            DbMsg::Put(n) => self.puts += n,
            DbMsg::Puts(reply) => reply.send(self.puts),
        }
        Ok(())
    }

    async fn flush(&mut self, failure: &Failure) {
        println!("{} lost {failure}", self.pool.0);
    }
}

struct Cart {
    db: ActorRef<Db>,
}

enum CartMsg {
    Add(u32),
    Total(Reply<u32>),
}

#[actor]
impl Cart {
    fn new(db: ActorRef<Db>) -> Cart {
        Cart { db }
    }

    async fn handle(&mut self, msg: CartMsg) -> Result<(), Box<dyn Error + Send + Sync>> {
        match msg {
            CartMsg::Add(n) => self.db.tell(DbMsg::Put(n)).await.map_err(|_| "the database is gone")?,
            CartMsg::Total(reply) => reply.send(self.db.ask(DbMsg::Puts).await?),
        }
        Ok(())
    }
}

struct Session {
    user: String,
    cart: ActorRef<Cart>,
}

#[actor]
impl Session {
    fn new(user: String, cart: ActorRef<Cart>) -> Session {
        Session { user, cart }
    }

    async fn handle(&mut self, text: String) {
        println!("{}: {text}", self.user);
        let _ = self.cart.tell(CartMsg::Add(1)).await;
    }
}

#[derive(Actor)]
#[actor(msg = String)]
struct Audit;

impl Audit {
    async fn handle(&mut self, text: String, _cx: &mut Context<Self>) {
        println!("{text}");
    }
}

async fn serve(cx: TaskContext, cart: ActorRef<Cart>) {
    let _ = cart.tell(CartMsg::Add(2)).await;
    cx.stopped().await;
}

async fn beat(db: ActorRef<Db>) {
    loop {
        let _ = db.tell(DbMsg::Put(1)).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

#[derive(serde::Serialize, serde::Deserialize)]
enum FarMsg {
    Load(u32),
}

struct Far(u32);

#[actor]
impl Far {
    fn handle(&mut self, FarMsg::Load(more): FarMsg) {
        self.0 += more;
    }
}

supervisor! {
    struct Shop(url: String) {
        #![strategy(OneForOne, max_restarts = 10, within = 10min)]
        #![decider(
            DbError::Timeout => Restart,
            DbError::Corrupt => Stop,
            _ => Restart,
        )]

        let pool = Pool::connect(&url).await?;

        #[lifecycle(Permanent, shutdown = 5s)]
        #[backoff(3s..30s)]
        #[pre_restart(Db::flush)]
        db: Db = Db::new(pool),

        #[mailbox(Bounded(64), ask = 1s)]
        cart: Cart = Cart::new(db),

        audit: Audit = Audit,

        #[lifecycle(Permanent, shutdown = 20s)]
        server: task = |cx| serve(cx, cart),

        beat: task = beat(db),

        let share: u32 = 3;
        #[on("worker", lease = 2s)]
        far: remote Far = Far(share),

        #[max_children(100)]
        sessions: [Session] = |user: String| Session::new(user, cart),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let shop = Shop::start("db://here".to_owned()).await?;
    shop.db.tell(DbMsg::Put(3)).await?;
    shop.cart.tell(CartMsg::Add(4)).await?;
    println!("{}", shop.cart.ask(CartMsg::Total).await?);
    shop.audit.tell("started".to_owned()).await?;
    println!("{:?}", shop.far);
    let _ = FarMsg::Load(1);
    let ann = shop.sessions.spawn("ann".to_owned()).await?;
    ann.tell("hello".to_owned()).await?;
    shop.server.stop();
    println!("{}", shop.shutdown().await);
    Ok(())
}
