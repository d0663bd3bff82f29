//! The tree of these tests.

use std::time::Duration;

use serde::{Deserialize, Serialize};
pub(crate) use supervise::prelude::*;
pub(crate) use supervise_remote::testing::Cluster;

pub(crate) const SECOND: Duration = Duration::from_secs(1);
pub(crate) const MS: Duration = Duration::from_millis(1);

pub(crate) struct Worker;

#[derive(Serialize, Deserialize)]
pub(crate) enum Work {
    /// Takes this many milliseconds.
    Take(u64),
    Ask(Reply<()>),
}

#[actor]
impl Worker {
    async fn handle(&mut self, msg: Work) {
        match msg {
            Work::Take(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
            Work::Ask(reply) => reply.send(()),
        }
    }
}

supervisor! {
    pub(crate) struct Shop {
        #![on("worker", lease = 2s)]
        local: Worker = Worker,
        #[lifecycle(Permanent, shutdown = 1s)]
        pricing: remote Worker = Worker,
        #[on("edge")]
        sessions: [u32 => remote Worker] = |_number: u32| Worker,
    }
}

/// A shop whose `pricing` runs on the node `one`, which takes two children.
pub(crate) async fn shop() -> (Cluster, Running<Shop>) {
    let mut cluster = Cluster::new();
    cluster.node("one", Shop::node("worker").capacity(2));
    let shop = Shop::tree().on(cluster.owner()).start().await.unwrap();
    (cluster, shop)
}

/// Waits until this is true, in virtual time.
pub(crate) async fn until(what: &str, mut is: impl FnMut() -> bool) {
    for _ in 0..20_000 {
        if is() {
            return;
        }
        tokio::time::sleep(5 * MS).await;
    }
    panic!("not within 100 s: {what}");
}

/// Waits until `pricing` has lost its node, and waits for another one.
pub(crate) async fn pricing_waits(cluster: &mut Cluster, shop: &Shop) {
    cluster.kill("one");
    until("it waits for a node", || shop.snapshot().find("pricing").unwrap().waits_for_node.is_some()).await;
}
