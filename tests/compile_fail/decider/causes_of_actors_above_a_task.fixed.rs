// `decider/causes_of_actors_above_a_task.rs`, repaired.
use supervise::prelude::*;

supervisor! {
    struct Exchange {
        #[limit(max_restarts = 3, on_limit = Stop)]
        #[lifecycle(Permanent, ready, start = 5s)]
        #[decider(
            Cause::TimedOut => Stop,
            _ => Restart,
        )]
        relay: task = |cx| async move { cx.ready(); cx.stopped().await },
        feeds: [task] = |_name: String| |cx| async move { cx.stopped().await },
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let exchange = Exchange::start().await?;
    exchange.relay.restart()?;
    exchange.feeds.spawn("one".to_owned()).await?;
    exchange.shutdown().await;
    Ok(())
}
