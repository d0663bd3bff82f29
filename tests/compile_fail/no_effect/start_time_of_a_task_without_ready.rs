// C4. A task counts as started as soon as it is launched, unless it is declared `ready`. Its start cannot take too
// long.
// Repair: Add `ready`, and call `cx.ready()` in the task.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, start = 5s)] //~
        serve: task = |cx| serve(cx),
    }
}

async fn serve(cx: TaskContext) {
    cx.ready();
    cx.stopped().await;
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await?;
    shop.serve.stop();
    shop.shutdown().await;
    Ok(())
}
