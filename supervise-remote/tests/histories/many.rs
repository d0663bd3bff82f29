//! Many remote children on ten nodes.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use supervise::prelude::*;
use supervise_remote::RemoteRef;
use supervise_remote::testing::{Cluster, placements};

use crate::number;
use crate::world::SECOND;

struct Sheep(u32);

#[derive(Serialize, Deserialize)]
struct Count(Reply<u32>);

#[actor]
impl Sheep {
    fn handle(&mut self, Count(reply): Count) {
        reply.send(self.0);
    }
}

supervisor! {
    struct Herd {
        #[on("worker", lease = 2s)]
        #[lifecycle(Permanent, shutdown = 1s)]
        all: [u32 => remote Sheep] = |n: u32| Sheep(n),
    }
}

async fn all_answer(sheep: &[RemoteRef<Sheep>]) {
    for (n, sheep) in (0..).zip(sheep) {
        assert_eq!(sheep.ask(Count).within(60 * SECOND).await.unwrap(), n);
    }
}

/// Starts so many, asks each, kills one node of ten, asks each again, and stops all. Returns the frames for each.
async fn herd(many: u32) -> u64 {
    let begun = Instant::now();
    let mut cluster = Cluster::new();
    let names: Vec<String> = (0..10).map(|n| format!("node-{n}")).collect();
    for name in &names {
        cluster.node(name, Herd::node("worker").capacity(many as usize / 8));
    }
    let net = cluster.owner();
    let herd = Herd::tree().on(net.clone()).start().await.unwrap();
    let mut sheep = Vec::new();
    for n in 0..many {
        sheep.push(herd.all.spawn(n).await.unwrap());
    }
    let started = begun.elapsed();
    all_answer(&sheep).await;
    let asked = begun.elapsed();
    cluster.kill(&names[3]);
    all_answer(&sheep).await;
    let moved = begun.elapsed();
    assert_eq!((placements(&net), cluster.hosted()), (many as usize, many as usize));
    herd.shutdown().await;
    assert_eq!((placements(&net), cluster.hosted()), (0, 0));
    println!("{many}: started {started:?}, asked {asked:?}, moved {moved:?}, stopped {:?}", begun.elapsed());
    cluster.network().frames() / u64::from(many)
}

/// `MANY` of them, 500 by default. The frames for each do not grow with their number.
#[tokio::test(start_paused = true)]
async fn many_children_on_ten_nodes() {
    let many = number("MANY", 500) as u32;
    let (half, all) = (herd(many / 2).await, herd(many).await);
    assert!(all <= 12 && all <= half + 1, "{half} frames for each of {}, {all} for each of {many}", many / 2);
}

/// The curve: each twice as many as the one before.
#[tokio::test(start_paused = true)]
#[ignore = "takes seconds, more in a debug build"]
async fn ten_thousand_children_on_ten_nodes() {
    let mut frames = Vec::new();
    for many in [2_500, 5_000, 10_000] {
        frames.push(herd(many).await);
    }
    assert!(frames.iter().all(|frames| *frames <= 12), "{frames:?}");
}
