// C4. A task without a context cannot learn that it should stop. It is dropped at its next await, regardless of the
// shutdown time.
// Repair: Write `|cx| ..`, or remove `shutdown`.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 5s)] //~
        serve: task = serve(),
    }
}

async fn serve() {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.serve.stop();
    shop.shutdown().await;
    Ok(())
}
