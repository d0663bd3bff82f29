// C9. A task moves between the threads of its runtime at each `.await`, with all that lives across it.
// Repair: Write `Arc` for `Rc`, or drop the value before the `.await`.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        beat: task = beat(), //~
    }
}

async fn beat() {
    let beats = std::rc::Rc::new(3);
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
