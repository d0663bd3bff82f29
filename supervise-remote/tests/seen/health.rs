//! S63: a child without a node is a symptom.

use serde::{Deserialize, Serialize};
use supervise::inspect::{Health, SymptomKind};

use crate::world::*;

fn told(health: &Health) -> Vec<String> {
    health.symptoms().iter().map(ToString::to_string).collect()
}

#[tokio::test(start_paused = true)]
async fn a_child_without_a_node_is_a_symptom() {
    let (mut cluster, shop) = shop().await;
    assert!(shop.health().is_healthy());
    pricing_waits(&mut cluster, &shop).await;
    tokio::time::sleep(3 * SECOND).await;
    let health = shop.health();
    assert!(matches!(&health.symptoms()[0].reason, SymptomKind::NoNode { role, since }
        if role == "worker" && *since >= 3 * SECOND));
    assert_eq!(told(&health), ["pricing has waited 3s for a node with the role worker"]);
    assert_eq!(told(&shop.snapshot().health()), told(&health));

    cluster.node("two", Shop::node("worker"));
    shop.pricing.ask(Work::Ask).await.unwrap();
    assert!(shop.health().is_healthy(), "{}", shop.health());
}

/// S63: also of a child that is spawned, whose first start is no symptom else.
#[tokio::test(start_paused = true)]
async fn a_spawned_child_without_a_node_is_a_symptom() {
    let (_cluster, shop) = shop().await;
    let spawning = tokio::spawn({
        let sessions = shop.sessions.clone();
        async move { sessions.spawn(7).await }
    });
    tokio::time::sleep(5 * SECOND).await;
    assert_eq!(told(&shop.health()), ["sessions/7 has waited 5s for a node with the role edge"]);
    assert_eq!(told(&shop.snapshot().health()), told(&shop.health()));
    spawning.abort();
}

/// S63: a node that is late with its renewal is none, until its lease is over.
#[tokio::test(start_paused = true)]
async fn a_lease_that_is_nearly_over_is_no_symptom() {
    let (cluster, shop) = shop().await;
    cluster.freeze("one");
    let mut least = 2 * SECOND;
    loop {
        match shop.snapshot().remote_nodes().first().and_then(|node| node.lease_left) {
            Some(left) => least = least.min(left),
            None => break,
        }
        if shop.snapshot().find("pricing").unwrap().runs_on.is_some() {
            assert!(shop.health().is_healthy(), "{}", shop.health());
        }
        tokio::time::sleep(10 * MS).await;
    }
    assert!(least < SECOND, "{least:?}");
}

struct Lost;

#[derive(Serialize, Deserialize)]
struct Fail;

#[actor]
impl Lost {
    fn handle(&mut self, _msg: Fail) -> std::io::Result<()> {
        Err(std::io::ErrorKind::TimedOut.into())
    }
}

supervisor! {
    struct Lossy {
        #![on("worker", lease = 2s)]
        #![decider(_ => Stop)]
        jobs: [u32 => remote Lost] = |_number: u32| Lost,
        local: Worker = Worker,
    }
}

/// S42: a set of remote children shows those that have ended by a failure, also by that of their node.
#[tokio::test(start_paused = true)]
async fn a_set_shows_the_remote_instances_that_it_has_lost() {
    let mut cluster = Cluster::new();
    cluster.node("one", Lossy::node("worker"));
    let lossy = Lossy::tree().on(cluster.owner()).start().await.unwrap();
    let job = lossy.jobs.spawn(1).await.unwrap();
    job.tell(Fail).await.unwrap();
    until("the first is gone", || lossy.jobs.is_empty()).await;
    lossy.jobs.spawn(2).await.unwrap();
    cluster.kill("one");
    until("the second is gone", || lossy.jobs.is_empty()).await;
    let jobs = lossy.snapshot().find("jobs").unwrap().failed_instances.clone();
    let texts: Vec<String> = jobs.iter().map(ToString::to_string).collect();
    assert_eq!(texts[0], "jobs/1 failed while running: timed out");
    assert!(texts[1].starts_with("jobs/2 failed while running: the node one#"), "{texts:?}");
    assert!(lossy.health().is_healthy() && lossy.health().notes().len() == 1, "{}", lossy.health());
}
