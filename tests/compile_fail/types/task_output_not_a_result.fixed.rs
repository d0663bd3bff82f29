// `types/task_output_not_a_result.rs`, repaired.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        count: task = async { println!("{}", 5) },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.count.stop();
    shop.shutdown().await;
    Ok(())
}
