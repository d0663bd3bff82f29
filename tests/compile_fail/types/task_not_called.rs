// C9. A task starts from a future, and a function gives its future when it is called.
// Repair: Call the function, in a closure if it needs the context.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        server: task = serve, //~
    }
}

async fn serve(cx: TaskContext) {
    cx.stopped().await;
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.server.stop();
    shop.shutdown().await;
    Ok(())
}
