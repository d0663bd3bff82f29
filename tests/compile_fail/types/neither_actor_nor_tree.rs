// C9. The type of a child is an actor or a tree, and the type itself shows which of the two. Code that mentions the
// child has no further errors, because this is one mistake.
// Repair: Make the type an actor, or name the type that you mean.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Config;

supervisor! {
    struct Shop {
        config: Config = Config, //~
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
