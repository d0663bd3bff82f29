// `shapes/context_inside_a_block.rs`, repaired.
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
        server: task = |cx| async move {
            let address = address().await;
            serve(cx, address).await;
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
