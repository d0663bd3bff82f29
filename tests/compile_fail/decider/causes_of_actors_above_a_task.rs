// C10. A task has no watches, no children and no node, and without `start` no time limit, so it never fails by these.
// Repair: Remove the arms; a limit of its own says itself what happens, by `on_limit`.
use supervise::prelude::*;

supervisor! {
    struct Exchange {
        #[limit(max_restarts = 3)]
        #[decider(
            Cause::TimedOut => Restart, //~
            Cause::DeathPact(_) => Stop, //~
            Cause::NodeLost { .. } => Stop, //~
            Cause::LimitReached => Stop, //~
            Cause::Bug(_) => Stop, //~
            _ => Restart,
        )]
        relay: task = |cx| async move { cx.stopped().await },
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
