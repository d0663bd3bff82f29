// `types/task_that_is_not_send.rs`, repaired.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        beat: task = beat(),
    }
}

async fn beat() {
    let beats = std::sync::Arc::new(3);
    tokio::task::yield_now().await;
    println!("{beats}");
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.beat.terminated().await?;
    shop.shutdown().await;
    Ok(())
}
