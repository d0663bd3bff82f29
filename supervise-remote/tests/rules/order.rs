//! S62: order over machines.

use std::time::Duration;

use crate::world::*;

supervisor! {
    struct Ordered(log: u64) {
        #![strategy(AllForOne)]
        #![on("worker", lease = 2s)]
        #[lifecycle(Permanent, shutdown = 1s)]
        first: remote Pricing = Pricing::open(1, log, 0).await?,
        local: Pricing = Pricing::open(2, log, 0).await?,
        #[lifecycle(Permanent, shutdown = 1s)]
        last: remote Pricing = Pricing::open(3, log, 0).await?,
    }
}

async fn ordered(names: &[&str]) -> (Cluster, Running<Ordered>, u64) {
    let mut cluster = Cluster::new();
    for name in names {
        cluster.node(name, Ordered::node("worker"));
    }
    let log = new_log();
    let tree = Ordered::tree(log).on(cluster.owner()).start().await.unwrap();
    (cluster, tree, log)
}

#[tokio::test(start_paused = true)]
async fn a_tree_goes_down_in_reverse_order_over_machines() {
    let (_cluster, tree, log) = ordered(&["one", "two"]).await;
    tree.first.tell(PricingMsg::Slow(1, 10)).await.unwrap();
    tree.last.tell(PricingMsg::Slow(3, 500)).await.unwrap();
    tokio::time::sleep(MS * 20).await;
    let report = tree.shutdown().await;
    assert!(report.children.iter().all(|child| child.ended.is_orderly()), "{report}");
    let ends: Vec<_> = said(log).into_iter().filter(|it| it.starts_with("done") || it == "post_stop").collect();
    assert_eq!(ends, ["done 1", "done 3", "post_stop", "post_stop", "post_stop"]);
}

#[tokio::test(start_paused = true)]
async fn a_group_restarts_over_machines() {
    let (_cluster, tree, log) = ordered(&["one", "two"]).await;
    tree.local.tell(PricingMsg::Fail("all".into())).await.unwrap();
    until("all are up again", || said(log).iter().filter(|it| *it == "start #2").count() == 3).await;
    for child in [&tree.first, &tree.last] {
        assert!(child.ask(|reply| PricingMsg::Quote(1, reply)).await.is_ok());
    }
    assert_eq!(said(log).iter().filter(|it| it.starts_with("pre_restart")).count(), 3);
}

/// An owner does not wait for the leases of a node that is silent; it waits for the time of the child, and reports.
#[tokio::test(start_paused = true)]
async fn a_shutdown_does_not_wait_for_leases() {
    let (cluster, tree, _) = ordered(&["one"]).await;
    cluster.freeze("one");
    let begun = tokio::time::Instant::now();
    let report = tree.shutdown().await;
    assert!(begun.elapsed() < 5 * SECOND, "{:?}", begun.elapsed());
    assert!(report.children.iter().any(|child| child.path == "last" && child.aborted), "{report}");
}

/// A node whose owner is gone takes down what it runs, and serves the next owner.
#[tokio::test(start_paused = true)]
async fn a_node_takes_down_what_an_owner_has_left() {
    let mut cluster = cluster(&["one"]);
    let log = new_log();
    let shop = Shop::tree(3, log).on(cluster.owner()).start().await.unwrap();
    cluster.kill("owner");
    tokio::time::sleep(10 * SECOND).await;
    assert_eq!(said(log), ["start #1", "post_stop"]);
    drop(shop);
    let again = Shop::tree(3, log).on(cluster.owner()).start().await.unwrap();
    assert!(again.pricing.ask(|reply| PricingMsg::Quote(1, reply)).await.is_ok());
}

/// Dropped in the middle, the runtime of an owner or of a node leaves nothing that acts, and nothing that panics.
#[test]
fn runtimes_are_dropped_in_the_middle() {
    for workers in [1, 2] {
        for round in 0..20 {
            let runtime =
                || tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build().unwrap();
            let (owner, node) = (runtime(), runtime());
            let network = supervise_remote::memory::Network::new();
            let served = Ordered::node("worker").serve(Net::open(network.process("one")), std::future::pending::<()>());
            node.spawn(served);
            let log = new_log();
            let net = Net::open(network.process("owner")).fresh();
            let tree = owner.block_on(Ordered::tree(log).on(net).start()).unwrap();
            let first = tree.first.clone();
            owner.spawn(async move {
                for n in 0.. {
                    if first.tell(PricingMsg::Note(n)).await.is_err() {
                        return; // ended: a loop that never waits would keep its runtime from being dropped
                    }
                }
            });
            std::thread::sleep(Duration::from_millis(round % 5));
            if round % 2 == 0 {
                drop(node);
                drop(owner);
            } else {
                drop(owner);
                drop(node);
            }
            let handled = said(log).len();
            std::thread::sleep(MS);
            assert_eq!(said(log).len(), handled, "something acts on");
            drop(tree);
        }
    }
}

supervisor! {
    struct SlowStart(log: u64, slow: u64) {
        #[on("worker", lease = 500ms)]
        #[lifecycle(Permanent, shutdown = 100ms)]
        #[backoff([10ms])]
        pricing: remote Pricing = Pricing::open(3, log, slow).await?,
    }
}

/// S57: the runtime of a node is dropped while an instance comes up there. The start fails, and does not hang.
#[test]
fn a_runtime_is_dropped_in_the_middle_of_a_start() {
    for _ in 0..3 {
        let runtime = || tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let (owner, node, second) = (runtime(), runtime(), runtime());
        let network = supervise_remote::memory::Network::new();
        node.spawn(SlowStart::node("worker").serve(Net::open(network.process("one")), std::future::pending::<()>()));
        let net = Net::open(network.process("owner")).fresh();
        let log = new_log();
        let mut tree = SlowStart::tree(log, 300).on(net);
        let mut events = tree.events();
        let starting = owner.spawn(tree.start());
        owner.block_on(async { while !matches!(events.next().await.unwrap().kind, EventKind::Placed { .. }) {} });
        drop(node);
        second.spawn(SlowStart::node("worker").serve(Net::open(network.process("two")), std::future::pending::<()>()));
        let started = owner.block_on(async { tokio::time::timeout(Duration::from_secs(30), starting).await });
        let started = started.expect("it hangs").unwrap().expect("it is tried again, on the other node");
        drop(started);
    }
}
