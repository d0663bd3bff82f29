//! S63: a remote child is seen, and builds meet.

use crate::world::*;
use supervise::spec::{RemoteSpec, TreeSpec};
use supervise_remote::Node;

#[tokio::test(start_paused = true)]
async fn a_snapshot_shows_the_node_and_the_window() {
    let mut cluster = cluster(&["one"]);
    let shop = Shop::tree(3, new_log()).on(cluster.owner()).start().await.unwrap();
    shop.pricing.tell(PricingMsg::Slow(0, 10_000)).await.unwrap();
    for n in 0..10 {
        shop.pricing.tell(PricingMsg::Note(n)).await.unwrap();
    }
    tokio::time::sleep(SECOND).await;
    let snapshot = shop.snapshot();
    let pricing = snapshot.find("pricing").expect("it is there");
    assert_eq!(pricing.runs_on, shop.pricing.node());
    assert!(pricing.runs_on.as_ref().is_some_and(|node| node.starts_with("one#")), "{pricing:?}");
    // The first one was begun; four more are under way, and the rest waits in the mailbox.
    assert_eq!((pricing.window, pricing.mailbox.map(|mailbox| mailbox.waiting)), (Some(4), Some(6)));
    assert_eq!(snapshot.root.window, None);
    cluster.kill("one");
    tokio::time::sleep(SECOND).await;
    let snapshot = shop.snapshot();
    let pricing = snapshot.find("pricing").expect("it is there");
    assert_eq!((pricing.runs_on.as_ref(), pricing.window), (None, Some(0)), "it waits for a node");
}

/// The declaration of `Many` as another build has it.
fn built_otherwise(change: impl Fn(&'static str, &mut RemoteSpec)) -> &'static TreeSpec {
    let mut children = Many::SPEC.children.to_vec();
    for child in &mut children {
        let mut remote = *child.remote.expect("all are remote");
        change(child.name, &mut remote);
        child.remote = Some(Box::leak(Box::new(remote)));
    }
    Box::leak(Box::new(TreeSpec { children: children.leak(), ..Many::SPEC }))
}

fn refused(seen: &std::sync::Mutex<Vec<Event>>, text: &str) -> usize {
    count(seen, |kind| matches!(kind, EventKind::Refused { why } if why.contains(text)))
}

/// A node runs the children whose declarations agree with those of the owner, and no others.
#[tokio::test(start_paused = true)]
async fn a_node_of_another_build_runs_what_agrees() {
    let mut cluster = Cluster::new();
    let other = built_otherwise(|name, remote| remote.build ^= u64::from(name == "apart"));
    cluster.node("old", Node::of(other, "worker"));
    tokio::time::sleep(SECOND).await;
    let mut tree = Many::tree(new_log()).on(cluster.owner());
    let seen = events(tree.events());
    let starting = tokio::spawn(tree.start());
    tokio::time::sleep(60 * SECOND).await;
    assert!(!starting.is_finished(), "`apart` has no node");
    assert_eq!(refused(&seen, "old has another build"), 1, "told once for a wait");
    cluster.node("new", Many::node("worker"));
    cluster.node("newer", Many::node("worker"));
    let many = starting.await.unwrap().unwrap();
    assert!(many.shards.iter().all(|shard| shard.node().unwrap().starts_with("old#")));
    assert!(many.apart.iter().all(|apart| apart.node().unwrap().starts_with("new")));
}

#[tokio::test(start_paused = true)]
async fn a_node_that_does_not_have_a_child_is_not_given_it() {
    let mut cluster = Cluster::new();
    let other = built_otherwise(|_, remote| remote.key = || "another place".to_owned());
    cluster.node("old", Node::of(other, "worker"));
    tokio::time::sleep(SECOND).await;
    let mut tree = Many::tree(new_log()).on(cluster.owner());
    let seen = events(tree.events());
    let starting = tokio::spawn(tree.start());
    tokio::time::sleep(60 * SECOND).await;
    assert!(!starting.is_finished());
    assert_eq!(refused(&seen, "old does not have this child"), 1);
    starting.abort();
}

/// In the order in which they happen, and with the failure and its decision between them.
#[tokio::test(start_paused = true)]
async fn a_failover_is_told_in_order() {
    let mut cluster = cluster(&["one"]);
    let shop = Shop::tree(3, new_log()).on(cluster.owner()).start().await.unwrap();
    cluster.node("two", Shop::node("worker"));
    tokio::time::sleep(SECOND).await;
    let seen = events(shop.events());
    tokio::time::sleep(MS).await;
    cluster.kill("one");
    assert_eq!(shop.pricing.ask(|reply| PricingMsg::Quote(1, reply)).within(60 * SECOND).await.unwrap(), 3);
    let kinds: Vec<&str> = seen
        .lock()
        .unwrap()
        .iter()
        .filter(|event| event.path == "pricing")
        .map(|event| match &event.kind {
            EventKind::NodeLost { node, after } if node.starts_with("one#") && *after < SECOND => "lost",
            EventKind::Failed { .. } => "failed",
            EventKind::Decided { .. } => "decided",
            EventKind::Placed { node } if node.starts_with("two#") => "placed",
            EventKind::Restarted => "restarted",
            _ => "other",
        })
        .filter(|kind| *kind != "other")
        .collect();
    assert_eq!(kinds, ["lost", "failed", "decided", "placed", "restarted"]);
}
