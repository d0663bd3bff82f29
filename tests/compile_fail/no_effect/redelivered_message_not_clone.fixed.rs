// `no_effect/redelivered_message_not_clone.rs`, repaired.
use supervise::prelude::*;

#[derive(Clone)]
struct Order;
struct Till;
#[actor]
impl Till {
    fn handle(&mut self, _order: Order) {}
}

supervisor! {
    struct Shop {
        #[redeliver(attempts = 3)]
        till: Till = Till,
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.till.tell(Order).await?;
    shop.shutdown().await;
    Ok(())
}
