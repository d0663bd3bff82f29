// `decider/end_by_itself_in_an_arm.rs`, repaired.
use supervise::prelude::*;

async fn relay(cx: TaskContext) {
    cx.stopped().await;
}

supervisor! {
    struct Exchange {
        #![strategy(OneForOne, max_restarts = 0)]
        #![lifecycle(Permanent)]
        relay: task = |cx| relay(cx),
        feed: task = |cx| relay(cx),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let exchange = Exchange::start().await?;
    exchange.relay.restart()?;
    exchange.feed.stop();
    exchange.shutdown().await;
    Ok(())
}
