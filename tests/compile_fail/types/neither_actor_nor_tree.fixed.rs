// `types/neither_actor_nor_tree.rs`, repaired.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Config;
#[actor]
impl Config {
    fn handle(&mut self, _msg: u8) {}
}

supervisor! {
    struct Shop {
        config: Config = Config,
        cart: Db = { let _ = config; Db },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.config.tell(5).await?;
    shop.cart.tell(()).await?;
    shop.shutdown().await;
    Ok(())
}
