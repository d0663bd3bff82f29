//! S63: a remote child is seen, and builds meet.

use crate::world::*;
use supervise::spec::{RemoteSpec, TreeSpec};
use supervise_remote::{Net, Node};

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

/// S63: a node tells its own process whether it follows an owner, and since when; the log says that it does not.
#[tokio::test(start_paused = true)]
async fn a_node_says_how_it_is() {
    let texts = Texts::default();
    let _log = tracing::subscriber::set_default(texts.clone());
    let mut cluster = Cluster::new();
    let net = Net::open(cluster.network().process("one"));
    assert!(net.nodes().is_empty(), "nothing serves yet");
    let (leaves, left) = tokio::sync::oneshot::channel::<()>();
    let node = tokio::spawn(Shop::node("worker").capacity(5).serve(net.clone(), left));
    let lonely = |texts: &Texts| texts.lines().iter().filter(|line| line.contains("the node follows no owner")).count();
    tokio::time::sleep(4 * SECOND).await;
    let health = net.nodes().remove(0);
    assert_eq!((health.is_ready(), health.children, health.owner), (false, 0, None));
    assert_eq!((health.alone, lonely(&texts)), (Some(4 * SECOND), 0));
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(lonely(&texts), 1, "after some seconds, and not each second");
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(lonely(&texts), 2, "once more after a minute");

    let of_owner = cluster.owner();
    let owner = Shop::tree(3, new_log()).on(of_owner.clone()).start().await.unwrap();
    tokio::time::sleep(3 * SECOND).await;
    let health = net.nodes().remove(0);
    let followed = health.owner.clone().expect("it follows the owner");
    assert_eq!((health.is_ready(), health.children, health.alone), (true, 1, None), "{health}");
    assert!(followed.since >= 3 * SECOND && followed.granted.is_some_and(|age| age <= SECOND), "{health}");
    let line = health.to_string();
    assert!(line.starts_with("node \"worker\" of Shop runs 1 of at most 5 children; it follows owner"), "{line}");

    // The owner stands still: it is followed, and the lease is over.
    cluster.network().freeze(of_owner.name());
    tokio::time::sleep(5 * SECOND / 2).await;
    let health = net.nodes().remove(0);
    assert_eq!((health.is_ready(), health.alone), (false, None), "{health}");
    assert!(health.to_string().ends_with("the lease is over"), "{health}");
    cluster.network().thaw(of_owner.name());
    tokio::time::sleep(10 * SECOND).await;
    assert!(net.nodes()[0].is_ready(), "{}", net.nodes()[0]);
    let said = lonely(&texts);

    // Cut off, the node knows that the owner is gone.
    cluster.cut("one");
    tokio::time::sleep(3 * SECOND).await;
    let health = net.nodes().remove(0);
    assert!(!health.is_ready(), "{health}");
    tokio::time::sleep(20 * SECOND).await;
    assert!(net.nodes()[0].alone.is_some_and(|alone| alone > 10 * SECOND), "{}", net.nodes()[0]);
    assert_eq!(lonely(&texts), said + 1);
    cluster.mend("one");
    tokio::time::sleep(5 * SECOND).await;
    assert!(net.nodes()[0].is_ready(), "the second time as the first: {}", net.nodes()[0]);

    leaves.send(()).unwrap();
    node.await.unwrap().unwrap();
    assert!(net.nodes().is_empty(), "nothing serves any more");
    drop(owner);
}

/// S59, S63: a node says why it follows no owner.
#[tokio::test(start_paused = true)]
async fn a_node_says_why_it_follows_no_owner() {
    let mut cluster = Cluster::new();
    let net = Net::open(cluster.network().process("one")).max_frame(1_000);
    let node = tokio::spawn(Shop::node("worker").serve(net.clone(), std::future::pending::<()>()));
    let starts = tokio::spawn(Shop::tree(3, new_log()).on(cluster.owner()).start());
    tokio::time::sleep(3 * SECOND).await;
    let health = net.nodes().remove(0);
    assert!(health.refused.as_ref().is_some_and(|why| why.contains("max_frame")), "{health}");
    assert!(!health.is_ready() && health.owner.is_none());
    node.abort();
    starts.abort();
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
