// C1. The context of a task is the argument of its closure.
// Repair: Write `|cx|` in front.
use supervise::prelude::*;

async fn run(cx: TaskContext, rounds: u32) {
    println!("{rounds}");
    cx.stopped().await;
}

supervisor! {
    struct Shop {
        work: task = run(cx, 3), //~
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.work.stop();
    shop.shutdown().await;
    Ok(())
}
