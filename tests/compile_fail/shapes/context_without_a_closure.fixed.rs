// `shapes/context_without_a_closure.rs`, repaired.
use supervise::prelude::*;

async fn run(cx: TaskContext, rounds: u32) {
    println!("{rounds}");
    cx.stopped().await;
}

supervisor! {
    struct Shop {
        work: task = |cx| run(cx, 3),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.work.stop();
    shop.shutdown().await;
    Ok(())
}
