// C1. The closure of a task takes the context or nothing. Parameters, `let`s and earlier siblings are in scope, so the
// task can use them by name.
// Repair: Write `|cx| ..`.
use supervise::prelude::*;

supervisor! {
    struct Shop(db: u8) {
        serve: task = |cx, db| serve(cx, db), //~
    }
}

async fn serve(_cx: TaskContext, _db: u8) {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start(1).await?;
    shop.serve.stop();
    shop.shutdown().await;
    Ok(())
}
