// C10. An end by itself is no failure: its lifecycle says whether the child is restarted, and no decider is asked.
// Repair: To make each end a failure, allow no restart of a `Permanent` child.
use supervise::prelude::*;

async fn relay(cx: TaskContext) {
    cx.stopped().await;
}

supervisor! {
    struct Exchange {
        #![decider(
            Cause::EndedByItself => Escalate, //~
            _ => Restart,
        )]
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
