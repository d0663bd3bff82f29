//! S57: an instance that blocks its thread past its time ends its process. In processes of their own, and real time.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use supervise::prelude::*;
use supervise_remote::memory::{Network, Process};
use supervise_remote::wire::{Joining, Side, Wire};
use supervise_remote::{Net, Node};

struct Worker;

#[derive(Serialize, Deserialize)]
enum Work {
    Block(u64),
    /// Lets a child that it spawns block.
    Below(u64),
    Sleep(u64),
}

#[actor]
impl Worker {
    async fn handle(&mut self, work: Work, cx: &mut Context<Self>) -> Result<(), supervise::error::SpawnError> {
        match work {
            Work::Below(ms) => {
                let blocks = child! {
                    "below": task = async move {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        std::thread::sleep(Duration::from_millis(ms));
                    }
                };
                cx.spawn(blocks).await?;
            }
            Work::Block(ms) => std::thread::sleep(Duration::from_millis(ms)),
            Work::Sleep(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
        }
        Ok(())
    }
}

supervisor! {
    struct Shop {
        #[on("worker", lease = 200ms)]
        #[lifecycle(Permanent, shutdown = 100ms)]
        worker: remote Worker = Worker,
    }
}

/// A process in memory with a real clock.
struct Real(Process);

impl Wire for Real {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn join(&self, side: Side) -> Joining<'_> {
        self.0.join(side)
    }
}

/// Runs as a process of its own: `cut` ends the link of the node, `block` lets the handler block.
fn child(how: &str) {
    let runtime = || tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (owner, node) = (runtime(), runtime());
    let network = Network::new();
    let served: Node = Shop::node("worker");
    node.spawn(served.serve(Net::open(Real(network.process("one"))), std::future::pending::<()>()));
    let net = Net::open(Real(network.process("owner"))).fresh();
    let shop = owner.block_on(Shop::tree().on(net).start()).unwrap();
    let work = match how {
        _ if how.contains("below") => Work::Below(3_000),
        _ if how.contains("block") => Work::Block(3_000),
        _ => Work::Sleep(3_000),
    };
    owner.block_on(shop.worker.tell(work)).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    if how.contains("cut") {
        network.cut("owner", "one");
    }
    std::thread::sleep(Duration::from_millis(1_500));
    println!("lives");
    std::process::exit(0);
}

fn run(how: &str) -> (bool, Duration) {
    let begun = Instant::now();
    let this = std::env::current_exe().unwrap();
    let child = Command::new(this)
        .args(["--exact", "an_instance_that_blocks_ends_its_process", "--nocapture"])
        .env("STUCK_AS", how)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .output()
        .unwrap();
    (String::from_utf8_lossy(&child.stdout).contains("lives"), begun.elapsed())
}

#[test]
fn an_instance_that_blocks_ends_its_process() {
    if let Ok(how) = std::env::var("STUCK_AS") {
        return child(&how);
    }
    let (lives, took) = run("cut, block");
    assert!(!lives && took < Duration::from_millis(1_500), "{took:?}");
    let (lives, took) = run("cut, below");
    assert!(!lives && took < Duration::from_millis(1_500), "a child that it has spawned: {took:?}");
    assert!(run("cut, sleep").0, "what awaits is dropped, and the process goes on");
    assert!(run("block").0, "its lease is renewed meanwhile");
}
