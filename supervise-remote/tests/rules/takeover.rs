//! S60: a new owner.

use std::sync::Arc;

use supervise::TreeRef;
use supervise::extension::{AnyCell, Extension, Start, attach, tree_of};

use crate::listen::listen;
use crate::world::*;

#[tokio::test(start_paused = true)]
async fn a_new_owner_waits_for_the_leases_of_the_old_one() {
    let mut cluster = cluster(&["one"]);
    let log = new_log();
    let first = Shop::tree(3, log).on(cluster.owner()).start().await.unwrap();
    cluster.freeze("owner");
    let begun = tokio::time::Instant::now();
    let second = Shop::tree(3, log).on(cluster.owner()).start().await.unwrap();
    assert!(begun.elapsed() >= 3 * SECOND, "{:?}", begun.elapsed());
    assert_eq!(second.pricing.ask(|reply| PricingMsg::Quote(1, reply)).await.unwrap(), 3);
    // The node has taken down what it held for the older one.
    assert_eq!(said(log), ["start #1", "post_stop", "start #1"]);
    drop(first);
}

/// S63: a child that waits for its first place is shown as a remote one.
#[tokio::test(start_paused = true)]
async fn a_child_without_a_place_is_shown_as_remote() {
    #[derive(Debug, Default)]
    struct Root(std::sync::OnceLock<TreeRef>);

    impl Extension for Root {
        fn starts(&self, root: &Arc<AnyCell>, _start: Start) -> Result<(), String> {
            self.0.set(tree_of(root.clone())).map_err(|_| "started twice".to_owned())
        }
    }

    let mut cluster = cluster(&["one"]);
    let log = new_log();
    let _first = Shop::tree(3, log).on(cluster.owner()).start().await.unwrap();
    cluster.freeze("owner");
    let root = Arc::new(Root::default());
    let second = tokio::spawn(attach(Shop::tree(3, log).on(cluster.owner()), root.clone()).start());
    tokio::time::sleep(SECOND).await;
    let snapshot = root.0.get().unwrap().snapshot();
    assert_eq!(snapshot.find("pricing").unwrap().window, Some(0));
    drop(second.await.unwrap().unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_new_owner_waits_once_for_the_whole_tree() {
    let mut cluster = cluster(&["one"]);
    let _first = cluster.owner();
    tokio::time::sleep(SECOND).await;
    let begun = tokio::time::Instant::now();
    let _second = Two::tree(new_log()).on({
        cluster.node("two", Two::node("worker"));
        cluster.owner()
    });
    let two = _second.start().await.unwrap();
    let took = begun.elapsed();
    assert!(took >= 3 * SECOND && took < 3 * SECOND + 500 * MS, "{took:?}");
    drop(two);
}

supervisor! {
    struct Two(log: u64) {
        #![on("worker", lease = 2s)]
        #[lifecycle(Permanent, shutdown = 1s)]
        one: remote Pricing = Pricing::open(3, log, 0).await?,
        #[lifecycle(Permanent, shutdown = 1s)]
        two: remote Pricing = Pricing::open(3, log, 0).await?,
    }
}

#[tokio::test(start_paused = true)]
async fn a_new_owner_that_knows_all_nodes_does_not_wait() {
    let mut cluster = cluster(&["one", "two"]);
    let _first = cluster.owner();
    let net = cluster.owner().peers(["one", "two"]);
    let begun = tokio::time::Instant::now();
    let shop = Shop::tree(3, new_log()).on(net).start().await.unwrap();
    assert!(begun.elapsed() < 100 * MS, "{:?}", begun.elapsed());
    drop(shop);
}

/// One of the list that still holds something is waited for, until it has said that it does not.
#[tokio::test(start_paused = true)]
async fn a_new_owner_waits_until_each_node_is_free() {
    let mut cluster = cluster(&["one"]);
    let log = new_log();
    let first = Shop::tree(3, log).on(cluster.owner()).start().await.unwrap();
    first.pricing.tell(PricingMsg::Slow(1, 800)).await.unwrap();
    tokio::time::sleep(100 * MS).await;
    cluster.freeze("owner");
    let begun = tokio::time::Instant::now();
    let net = cluster.owner().peers(["one"]);
    let second = Shop::tree(3, log).on(net).start().await.unwrap();
    let took = begun.elapsed();
    assert!(took >= 600 * MS && took < SECOND, "{took:?}");
    assert_eq!(said(log), ["start #1", "slow 1", "done 1", "post_stop", "start #1"]);
    drop((first, second));
}

/// A node of the list that is not there may be cut off, and run something: the owner waits for the leases.
#[tokio::test(start_paused = true)]
async fn a_new_owner_waits_for_a_node_that_is_missing() {
    let mut cluster = cluster(&["one"]);
    let _first = cluster.owner();
    let net = cluster.owner().peers(["one", "two"]);
    let begun = tokio::time::Instant::now();
    let shop = Shop::tree(3, new_log()).on(net).start().await.unwrap();
    assert!(begun.elapsed() >= 3 * SECOND, "{:?}", begun.elapsed());
    drop(shop);
}

#[tokio::test(start_paused = true)]
async fn an_older_owner_is_not_followed() {
    let mut cluster = cluster(&["one"]);
    let log = new_log();
    let first = Shop::tree(3, log).on(cluster.owner()).start().await.unwrap();
    let seen = events(first.events());
    cluster.freeze("owner");
    let second = Shop::tree(3, log).on(cluster.owner()).start().await.unwrap();
    cluster.thaw("owner");
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(second.pricing.ask(|reply| PricingMsg::Quote(1, reply)).await.unwrap(), 3);
    assert_eq!(
        (second.pricing.incarnation(), said(log).iter().filter(|it| it.starts_with("start")).count()),
        (Some(1), 2)
    );
    let refused = |kind: &EventKind| matches!(kind, EventKind::Refused { why } if why.contains("newer owner"));
    assert!(
        count(&seen, refused) > 0,
        "{:?}",
        seen.lock().unwrap().iter().map(ToString::to_string).collect::<Vec<_>>()
    );
    drop(first);
}

/// A second tree on the same network is another tree: its nodes are its own.
#[tokio::test(start_paused = true)]
async fn two_trees_share_a_network() {
    let mut cluster = cluster(&["one"]);
    cluster.node("two", Two::node("worker"));
    let net = cluster.owner();
    let shop = Shop::tree(3, new_log()).on(net.clone()).start().await.unwrap();
    let two = Two::tree(new_log()).on(net).start().await.unwrap();
    assert!(shop.pricing.node().unwrap().starts_with("one#"));
    assert!(two.one.node().unwrap().starts_with("two#"));
}

/// A tree under a lease: its token is the epoch, and who got a lease that was given back in order need not wait.
#[tokio::test(start_paused = true)]
async fn the_lease_of_a_tree_gives_the_epoch() {
    let mut cluster = cluster(&["one"]);
    let lease = supervise::testing::MemoryLease::new("shop");
    let log = new_log();
    let _first_owner = cluster.owner();
    let mut first = Shop::tree(3, log).on(cluster.owner()).only_with(lease.clone());
    let begun = tokio::time::Instant::now();
    let shop = first.start().await.unwrap();
    assert!(begun.elapsed() >= 3 * SECOND, "nobody held it before: {:?}", begun.elapsed());
    let token = shop.pricing.ask(PricingMsg::Token).await.unwrap();
    assert_eq!(token.0, shop.lease_token().unwrap() | 1 << 62);
    shop.shutdown().await;

    let mut second = Shop::tree(3, log).on(cluster.owner()).only_with(lease.clone());
    let begun = tokio::time::Instant::now();
    let shop = second.start().await.unwrap();
    assert!(begun.elapsed() < 500 * MS, "it was given back: {:?}", begun.elapsed());
    let newer = shop.pricing.ask(PricingMsg::Token).await.unwrap();
    assert!(newer > token, "{newer:?} after {token:?}");

    // A node that does not answer may still act: then the lease is not given back, but runs out.
    cluster.freeze("one");
    tokio::time::sleep(100 * MS).await;
    shop.shutdown().await;
    cluster.node("two", Shop::node("worker"));
    let mut third = Shop::tree(3, log).on(cluster.owner()).only_with(lease);
    let begun = tokio::time::Instant::now();
    let shop = third.start().await.unwrap();
    assert!(begun.elapsed() >= 3 * SECOND, "{:?}", begun.elapsed());
    drop(shop);
}

/// An owner that ends before the leases of the one before it are over does not know that nothing acts: its lease is not
/// given back, so that the next owner waits as well.
#[tokio::test(start_paused = true)]
async fn an_owner_that_has_not_waited_gives_no_lease_back() {
    let mut cluster = cluster(&["one"]);
    let lease = supervise::testing::MemoryLease::new("shop");
    let _first_owner = cluster.owner();
    let net = cluster.owner();
    let report = Shop::tree(3, new_log()).on(net).only_with(lease.clone()).run(tokio::time::sleep(SECOND)).await;
    assert!(report.is_ok(), "{report:?}");
    assert_eq!(lease.holder(), Some(1), "it runs out");

    tokio::time::sleep(60 * SECOND).await;
    let net = cluster.owner();
    let report = Shop::tree(3, new_log()).on(net).only_with(lease.clone()).run(tokio::time::sleep(10 * SECOND)).await;
    assert!(report.is_ok(), "{report:?}");
    assert_eq!(lease.holder(), None, "nothing acts");
}

/// A child that waits for leases says so once for each wait, with the time that is left, and who is missing.
#[tokio::test(start_paused = true)]
async fn who_waits_for_leases_says_so() {
    let texts = Texts::default();
    let _guard = listen(texts.clone());
    let said_once = |text: &str| texts.lines().iter().filter(|it| it.contains(text)).count() == 1;
    let mut cluster = cluster(&["one", "two"]);
    let _first = cluster.owner();
    let net = cluster.owner().peers(["one", "absent"]);
    let shop = Shop::tree(3, new_log()).on(net).start().await.unwrap();
    assert!(
        said_once("waits until nothing of an owner before can act") && said_once("absent"),
        "{texts:?}",
        texts = texts.lines()
    );
    let name = cluster.name_of(&shop.pricing.node().unwrap());
    cluster.kill(name);
    let asked = shop.pricing.ask(|reply| PricingMsg::Quote(1, reply)).within(60 * SECOND).await;
    assert_eq!(asked, Ok(3));
    assert!(said_once("waits until its instance before cannot act any more"), "{texts:?}", texts = texts.lines());
}

supervisor! {
    struct Long(log: u64) {
        #[on("worker", lease = 20s)]
        #[lifecycle(Permanent, shutdown = 1s)]
        pricing: remote Pricing = Pricing::open(3, log, 0).await?,
    }
}

/// A lease that an owner got and did not use is not given back as if nothing acted.
#[tokio::test(start_paused = true)]
async fn a_lease_that_was_not_used_says_nothing_of_the_owner_before() {
    use supervise::testing::{LeaseFault, MemoryLease};
    let mut cluster = Cluster::new();
    cluster.node("one", Long::node("worker"));
    let lease = MemoryLease::new("shop").ttl(3 * SECOND);
    let log = new_log();
    let first = Long::tree(log).on(cluster.owner()).only_with(lease.clone()).start().await.unwrap();
    let begun = tokio::time::Instant::now();
    first.pricing.tell(PricingMsg::Slow(7, 20_000)).await.unwrap();
    tokio::time::sleep(100 * MS).await;
    cluster.freeze("one"); // for less than its lease
    lease.set_fault(LeaseFault::Cut);
    drop(first);
    until("the lease is free", || lease.holder().is_none()).await;
    cluster.node("two", Long::node("worker"));
    // The second owner is told to end while its lease is on the way.
    let second = lease.contender();
    second.set_fault(LeaseFault::Delay(100 * MS));
    Long::tree(log).on(cluster.owner()).only_with(second).run(tokio::time::sleep(150 * MS)).await.unwrap();
    let third = Long::tree(log).on(cluster.owner()).only_with(lease.contender()).start().await.unwrap();
    third.pricing.tell(PricingMsg::Note(1)).await.unwrap();
    assert!(begun.elapsed() >= 20 * SECOND, "two may act: {:?}", begun.elapsed());
}

mod other {
    use super::*;

    supervisor! {
        pub(super) struct Shop(log: u64) {
            #[on("worker")]
            prices: remote Pricing = Pricing::open(1, log, 0).await?,
        }
    }
}

/// Trees in functions have the path of the module around these.
macro_rules! inside {
    ($name:ident) => {
        async fn $name(net: &Net) -> Result<Box<dyn std::any::Any>, String> {
            supervisor! {
                struct Twin(log: u64) {
                    #[on("worker")]
                    many: [u64 => remote Pricing] = |key: u64| Pricing::open(key, log, 0).await?,
                }
            }
            let tree = Twin::tree(new_log()).on(net.clone()).start().await;
            tree.map(|tree| Box::new(tree) as Box<dyn std::any::Any>).map_err(|error| error.to_string())
        }
    };
}

inside!(one);
inside!(other_one);

/// S60: on one network, a tree is refused where it begins while it runs there already, and the first one keeps its nodes. After
/// its end, and on a network of its own, it starts. A tree of another module is another tree.
#[tokio::test(start_paused = true)]
async fn a_tree_that_runs_already_is_refused() {
    let mut cluster = cluster(&["one"]);
    let net = cluster.owner();
    let first = Shop::tree(3, new_log()).on(net.clone()).start().await.unwrap();
    let again = Shop::tree(3, new_log()).on(net.clone()).start();
    let again = tokio::time::timeout(SECOND, again).await.map(|started| started.map(drop));
    let text = again.expect("it waits for nothing").unwrap_err().to_string();
    assert_eq!(
        text,
        "Shop failed while starting: the tree `rules::world::Shop` runs on this network already, and its nodes follow one \
         owner; open another network for this one"
    );
    let namesake = other::Shop::tree(new_log()).on(net.clone()).start();
    assert!(tokio::time::timeout(SECOND, namesake).await.is_err(), "it waits for nodes of its own");
    let _twin = one(&net).await.unwrap();
    let refused = other_one(&net).await.unwrap_err();
    assert!(refused.contains("the tree `rules::takeover::Twin` runs on this network already"), "{refused}");
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(first.pricing.ask(|reply| PricingMsg::Quote(1, reply)).await.unwrap(), 3);
    assert_eq!(first.pricing.incarnation(), Some(1));
    first.shutdown().await;
    let second = Shop::tree(5, new_log()).on(net).start().await.unwrap();
    assert_eq!(second.pricing.ask(|reply| PricingMsg::Quote(1, reply)).await.unwrap(), 5);
}

/// Two begins at once, on two threads: one of them is refused.
#[test]
fn of_two_trees_of_one_name_that_begin_at_once_one_is_refused() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    for _ in 0..100 {
        let both = runtime.block_on(async {
            let net = Net::open(supervise_remote::memory::Network::new().process("owner"));
            let start = |net: Net| async move {
                let start = Shop::tree(3, 0).on(net).start();
                tokio::time::timeout(20 * MS, start).await.map(|started| started.is_ok()).ok()
            };
            let one = tokio::spawn(start(net.clone()));
            let two = tokio::spawn(start(net.clone()));
            (one.await.unwrap(), two.await.unwrap())
        });
        // No node is there, so the tree that is not refused waits for one.
        assert!(matches!(both, (Some(false), None) | (None, Some(false))), "{both:?}");
    }
}

/// S60: the end of a tree makes its name free at once, on whichever thread the next one begins.
#[test]
fn a_tree_that_has_ended_is_in_nobodys_way() {
    supervisor! {
        struct Waiting(log: u64) {
            #[on("worker")]
            many: [u64 => remote Pricing] = |key: u64| Pricing::open(key, log, 0).await?,
            local: [task] = |_n: u32| std::future::pending::<()>(),
        }
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    runtime.block_on(async {
        let net = Net::open(supervise_remote::memory::Network::new().process("owner"));
        for round in 0..300 {
            let tree = Waiting::tree(0).on(net.clone()).start().await;
            let tree = tree.unwrap_or_else(|error| panic!("{round}: {error}"));
            for _ in 0..50 {
                drop(tree.local.spawn(0).await.unwrap());
            }
            let (handle, ends) = (tree.handle(), tokio::spawn(tree.shutdown()));
            handle.join().await.unwrap();
            drop(ends); // the next begins while this one may still be told of its end
        }
    });
}
