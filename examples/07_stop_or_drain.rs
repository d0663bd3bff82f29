//! Two ways to stop an actor that has messages waiting: `stop` and `drain`.
//!
//! A kitchen takes a second for each order. Orders 1 to 5 are in the kitchen (4 and 5 were sent with `ask`) when it is
//! stopped, in the middle of the first order. Orders 6 and 7 come too late. Look at the sum of each line: however the
//! kitchen ends, an order was handled, or was cut off or became a dead letter, both of which are events, or was
//! returned to its sender. The rules are S5 (no message is lost in silence), S24 and S26 (drain).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use anyhow::ensure;
use supervise::error::{AskError, TellError};
use supervise::event::EventKind;
use supervise::prelude::*;
use tokio::time::{Instant, sleep};

supervisor! {
    struct Restaurant(handled: Arc<AtomicU64>) {
        // The default: 5 s to stop.
        kitchen: Kitchen = Kitchen { handled },

        #[lifecycle(Permanent, shutdown = 3s)]
        hasty: Kitchen = Kitchen { handled },

        // Every stop is a drain, wherever it comes from.
        #[lifecycle(Permanent, shutdown = 10s, drain)]
        orderly: Kitchen = Kitchen { handled },
    }
}

struct Kitchen {
    handled: Arc<AtomicU64>,
}

struct Order {
    number: u32,
    /// Set if a sender waits for the order.
    served: Option<Reply<()>>,
}

#[actor]
impl Kitchen {
    async fn handle(&mut self, order: Order) {
        sleep(Duration::from_secs(1)).await;
        self.handled.fetch_add(1, Relaxed);
        if let Some(served) = order.served {
            served.send(());
        }
    }
}

// A paused clock jumps to the next timer when no task can run: the times are exact, and no real time passes.
#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> anyhow::Result<()> {
    println!("A kitchen is stopped in the middle of order 1, while orders 2 to 5 wait; orders 6 and 7 come later.");
    println!("                             handled  cut off  dead letters  returned  ended after");
    let (restaurant, handled) = start().await?;
    let stop = end(&restaurant, &restaurant.kitchen, || restaurant.kitchen.stop()).await?;
    row(restaurant, &handled, "stop()", &stop, [1, 0, 4, 2]).await?;

    let (restaurant, handled) = start().await?;
    let drain = end(&restaurant, &restaurant.kitchen, || restaurant.kitchen.drain()).await?;
    row(restaurant, &handled, "drain()", &drain, [5, 0, 0, 2]).await?;

    let (restaurant, handled) = start().await?;
    let hasty = end(&restaurant, &restaurant.hasty, || restaurant.hasty.drain()).await?;
    row(restaurant, &handled, "drain(), but 3 s at most", &hasty, [3, 1, 1, 2]).await?;

    let (restaurant, handled) = start().await?;
    let orderly = end(&restaurant, &restaurant.orderly, || restaurant.stop()).await?;
    row(restaurant, &handled, "lifecycle(drain), tree stops", &orderly, [5, 0, 0, 2]).await?;

    for (how, fate) in [("stop()", stop), ("drain()", drain)] {
        println!("the results for the senders after {how}:");
        match fate.asked {
            Ok(()) => println!("  order 4: the sender is served"),
            Err(error) => println!("  order 4: {error}"),
        }
        if let Some(error) = fate.late.into_iter().next() {
            let reason = error.to_string();
            println!("  order {}: {reason}", error.into_message().number);
        }
    }
    Ok(())
}

async fn start() -> anyhow::Result<(Running<Restaurant>, Arc<AtomicU64>)> {
    let handled = Arc::default();
    Ok((Restaurant::start(Arc::clone(&handled)).await?, handled))
}

/// The outcome of the seven orders.
struct Fate {
    /// The result of order 4.
    asked: Result<(), AskError>,
    late: Vec<TellError<Order>>,
    /// Orders that were dropped halfway.
    cut_off: u64,
    took: Duration,
}

/// Sends the orders to the kitchen, and ends the kitchen.
async fn end(restaurant: &Restaurant, kitchen: &ActorRef<Kitchen>, end: impl FnOnce()) -> anyhow::Result<Fate> {
    let mut events = restaurant.events();
    let begun = Instant::now();
    for number in 1..=3 {
        kitchen.tell(Order { number, served: None }).await?;
    }
    let mut late = Vec::new();
    let (four, _, ended) = tokio::join!(
        kitchen.ask(|reply| Order { number: 4, served: Some(reply) }).forever(),
        kitchen.ask(|reply| Order { number: 5, served: Some(reply) }).forever(),
        async {
            sleep(Duration::from_millis(500)).await;
            end();
            // `drain()` refuses messages from this moment on, `stop()` as soon as the actor has noticed it.
            sleep(Duration::from_millis(100)).await;
            for number in 6..=7 {
                late.extend(kitchen.tell(Order { number, served: None }).await.err());
            }
            kitchen.terminated().await
        }
    );
    ended?;
    let took = begun.elapsed();
    let mut cut_off = 0;
    while let Some(event) = events.try_next() {
        if let EventKind::Aborted { message: Some(_) } = event.kind {
            cut_off += 1;
        }
    }
    Ok(Fate { asked: four, late, cut_off, took })
}

async fn row(
    restaurant: Running<Restaurant>,
    handled: &AtomicU64,
    how: &str,
    fate: &Fate,
    expected: [u64; 4],
) -> anyhow::Result<()> {
    let counts = [handled.load(Relaxed), fate.cut_off, restaurant.dead_letters(), fate.late.len() as u64];
    let [handled, cut_off, dead, returned] = counts;
    let took = fate.took.as_secs_f64();
    println!("{how:28} {handled:>7}  {cut_off:>7}  {dead:>12}  {returned:>8}  {took:>9.1} s");
    ensure!(counts == expected, "the counts after {how} should be {expected:?}");
    ensure!(counts.iter().sum::<u64>() == 7, "an order was lost");
    restaurant.shutdown().await;
    Ok(())
}
