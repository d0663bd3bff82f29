// C4. A task announces through its context that it is ready. Without a context its start would never finish.
// Repair: Write `|cx| ..`, and call `cx.ready()` in the task.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, ready)] //~
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
