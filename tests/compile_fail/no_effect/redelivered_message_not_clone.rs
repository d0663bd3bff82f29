// C13. For redelivery the actor keeps a copy of each message while it handles the message, so the message is `Clone`. A
// `Reply` in a message is `Clone`, too.
// Repair: Derive `Clone`.
use supervise::prelude::*;

struct Order;
struct Till;
#[actor]
impl Till {
    fn handle(&mut self, _order: Order) {}
}

supervisor! {
    struct Shop {
        #[redeliver(attempts = 3)] //~
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
