// C1. All mistakes of a tree are reported in one run, each at its own place. Code that uses the tree has no errors,
// because the handle struct, `tree` and `start` always exist.
// Repair: Follow each message.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop(config: String) {
        #![strategy(OneForAll, max_restarts = 3)] //~
        #[lifecycle(Permanant)] //~
        db: Db = Db,
        cart: Db, //~
        let pool = config.clone(), //~
        #[backoff(5s..1s)] //~
        index: Db = Db; //~
        #[mailbox(Bounded(0))] //~
        log: Db = Db,
        sessions: [Db] = |id| Db, //~
        beat: task = |a, b| std::future::pending::<()>(), //~
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
