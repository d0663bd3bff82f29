// `shapes/task_with_a_type.rs`, repaired.
use supervise::prelude::*;

async fn run() {}

supervisor! {
    struct Shop {
        work: task = run(),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.work.stop();
    shop.shutdown().await;
    Ok(())
}
