//! `ReliableNetwork`: how to keep the message that made an actor fail.
//!
//! In Akka that message is lost, and a well-known post showed two ways to recover it. This example has both of them, a
//! better form of the first, and the setting that makes them unnecessary:
//!
//! * `told_to_itself.rs`: the next instance sends the packet to itself. Only the order is lost;
//! * `resent.rs`: the next instance sends the packet before its first message, which keeps the order;
//! * `queued.rs`: the network does not fail but replies that it could not send, and a parent keeps a queue;
//! * `redelivered.rs`: `#[redeliver(attempts = 50)]`.
//!
//! Look at the amount of code in each: the lines of these files are counted.

// In a program, only its other modules can reach the public items of a module.
#![allow(unreachable_pub)]

mod line;
mod queued;
mod redelivered;
mod resent;
mod told_to_itself;

use std::error::Error;
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use supervise::prelude::*;
use tokio::sync::mpsc;
use tokio::time::timeout;

use line::{Line, Packet};

const PACKETS: u32 = 20;

/// Sends all packets at once and waits until each was sent.
async fn try_out<A>(name: &str, lines: usize, network: &ActorRef<A>, line: &Line) -> Result<Vec<u32>, Box<dyn Error>>
where
    A: Actor<Msg: From<Packet>>,
{
    let (commander, mut sent) = mpsc::unbounded_channel();
    for id in 1..=PACKETS {
        let packet = Packet { id, commander: commander.clone() };
        network.tell(packet.into()).await?;
    }
    // Waits until nothing has arrived for ten minutes, which pass at once on a simulated clock.
    let mut order = Vec::new();
    while let Ok(Some(id)) = timeout(Duration::from_secs(600), sent.recv()).await {
        order.push(id);
    }
    let dropped = line.tries.load(Relaxed) - order.len() as u32;
    let restarts = network.incarnation() - 1;
    println!("{name:<15} {lines:>3} lines {dropped:>3} dropped {restarts:>3} restarts   sent: {order:?}");
    Ok(order)
}

/// The number of lines, without comments and empty lines.
fn lines(source: &str) -> usize {
    source.lines().filter(|line| !line.trim().is_empty() && !line.trim().starts_with("//")).count()
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("12_reliable_network: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Starts the tree of each module and tries it out. The trees have different types, so a loop is not possible.
macro_rules! orders_of {
    ($($version:ident),*) => {
        [$({
            let line = Line::default();
            let tree = $version::Tree::start(line.clone()).await?;
            let code = lines(include_str!(concat!(stringify!($version), ".rs")));
            let order = try_out(stringify!($version), code, &tree.network, &line).await?;
            tree.shutdown().await;
            order
        }),*]
    };
}

async fn run() -> Result<(), Box<dyn Error>> {
    println!("{PACKETS} packets, in order, to each network; the line drops about every second attempt\n");
    let [mut shuffled, in_order @ ..] = orders_of!(told_to_itself, resent, queued, redelivered);

    let all: Vec<u32> = (1..=PACKETS).collect();
    shuffled.sort();
    if shuffled != all || in_order.iter().any(|order| *order != all) {
        return Err("a packet was lost, sent twice, or out of order".into());
    }
    println!("\nall four sent each packet once; the last three in order");
    Ok(())
}
