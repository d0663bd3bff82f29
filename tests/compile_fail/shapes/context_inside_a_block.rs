// C1. The context of a task comes before its code, so that a block that begins the task can await.
// Repair: Write `|cx| async move { .. }` around the whole block.
use supervise::prelude::*;

async fn address() -> String {
    "127.0.0.1:80".to_owned()
}

async fn serve(cx: TaskContext, address: String) {
    println!("{address}");
    cx.stopped().await;
}

supervisor! {
    struct Shop {
        server: task = {
            let address = address().await;
            |cx| serve(cx, address) //~
        },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.server.stop();
    shop.shutdown().await;
    Ok(())
}
