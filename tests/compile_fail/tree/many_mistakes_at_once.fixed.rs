// `tree/many_mistakes_at_once.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(config: String) {
        #![strategy(AllForOne, max_restarts = 3)]
        #[lifecycle(Permanent)]
        db: Db = Db,
        cart: Db = Db,
        let pool = config.clone();
        #[backoff(1s..5s)]
        index: Db = Db,
        #[mailbox(Bounded(10))]
        log: Db = Db,
        sessions: [Db] = |_id: u64| { let _ = pool; Db },
        beat: task = |_cx| std::future::pending::<()>(),
    }
}

fn uses(shop: &Shop) -> [&ActorRef<Db>; 4] {
    [&shop.db, &shop.cart, &shop.index, &shop.log]
}

async fn starts() -> Result<(), Failure> {
    let shop = Shop::start(String::new()).await?;
    uses(&shop);
    let _ = Shop::tree(String::new());
    shop.shutdown().await;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(String::new()).await?;
    shop.db.tell(()).await?;
    shop.cart.tell(()).await?;
    shop.index.tell(()).await?;
    shop.log.tell(()).await?;
    shop.sessions.spawn(1).await?;
    shop.beat.stop();
    shop.shutdown().await;
    Ok(())
}
