//! S57: at most one instance acts.

use crate::world::*;

/// A tree whose child runs on `one`, and a second node.
async fn on_one() -> (Cluster, Running<Shop>, u64) {
    let mut cluster = cluster(&["one"]);
    let log = new_log();
    let shop = Shop::tree(3, log).on(cluster.owner()).start().await.unwrap();
    cluster.node("two", Shop::node("worker"));
    tokio::time::sleep(SECOND).await;
    (cluster, shop, log)
}

async fn answers(shop: &Shop) {
    loop {
        let asked = shop.pricing.ask(|reply| PricingMsg::Quote(1, reply)).within(100 * SECOND);
        match asked.await {
            // Sent to a node that was lost: perhaps done.
            Err(supervise::error::AskError::NoReply { .. }) => {}
            answer => return assert_eq!(answer.unwrap(), 3),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_replacement_of_a_lost_node_waits_for_lease_and_shutdown() {
    let (mut cluster, shop, _) = on_one().await;
    let begun = tokio::time::Instant::now();
    cluster.kill("one");
    answers(&shop).await;
    let took = begun.elapsed();
    // The last renewal was granted up to a third of the lease ago.
    assert!(took > 3 * SECOND - 700 * MS && took < 3 * SECOND + 100 * MS, "{took:?}");
    assert!(shop.pricing.node().unwrap().starts_with("two#"));
    assert_eq!(shop.pricing.incarnation(), Some(2));
}

#[tokio::test(start_paused = true)]
async fn a_frozen_node_is_lost_with_its_lease() {
    let (cluster, shop, _) = on_one().await;
    let begun = tokio::time::Instant::now();
    cluster.freeze("one");
    answers(&shop).await;
    let took = begun.elapsed();
    assert!(took > 3 * SECOND - 700 * MS && took < 3 * SECOND + 500 * MS, "{took:?}");
    assert!(shop.pricing.node().unwrap().starts_with("two#"));
}

/// S57: a lease counts from the asking for a renewal, so the way to the owner and back is part of it.
#[tokio::test(start_paused = true)]
async fn the_way_of_a_renewal_is_part_of_the_lease() {
    let mut cluster = cluster(&["one"]);
    let log = new_log();
    let _shop = Shop::tree(3, log).on(cluster.owner()).start().await.unwrap();
    cluster.network().delay(400 * MS);
    tokio::time::sleep(5 * SECOND).await;
    cluster.network().lose("owner", "one", u64::MAX);
    // The lease granted until now was asked for at least 400 ms ago, and at most a third of the lease before that.
    tokio::time::sleep(900 * MS).await;
    assert_eq!(said(log), ["start #1"], "renewed over that way");
    tokio::time::sleep(750 * MS).await;
    assert_eq!(said(log), ["start #1", "post_stop"]);
}

#[tokio::test(start_paused = true)]
async fn a_cut_node_takes_its_children_down_before_the_replacement_starts() {
    let (cluster, shop, log) = on_one().await;
    cluster.cut("one");
    answers(&shop).await;
    let said = said(log);
    let (down, up) = (said.iter().position(|it| it == "post_stop"), said.iter().position(|it| it == "start #2"));
    assert!(down.is_some() && down < up, "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn a_cut_node_comes_back_as_a_new_one() {
    let (cluster, shop, _) = on_one().await;
    let first = shop.pricing.node().unwrap();
    cluster.cut("one");
    answers(&shop).await;
    cluster.mend("one");
    tokio::time::sleep(5 * SECOND).await;
    cluster.cut("two");
    answers(&shop).await;
    let now = shop.pricing.node().unwrap();
    assert!(now.starts_with("one#") && now != first, "{first}, {now}");
}

supervisor! {
    struct Loose(log: u64) {
        #[on("worker", lease = 60s, overlap = Allowed)]
        pricing: remote Pricing = Pricing::open(3, log, 0).await?,
    }
}

#[tokio::test(start_paused = true)]
async fn where_overlap_is_allowed_the_replacement_starts_at_once() {
    let mut cluster = Cluster::new();
    cluster.node("one", Loose::node("worker"));
    let loose = Loose::tree(new_log()).on(cluster.owner()).start().await.unwrap();
    cluster.node("two", Loose::node("worker"));
    tokio::time::sleep(SECOND).await;
    let begun = tokio::time::Instant::now();
    cluster.kill("one");
    tokio::time::sleep(MS).await;
    assert_eq!(loose.pricing.ask(|reply| PricingMsg::Quote(1, reply)).await.unwrap(), 3);
    assert!(begun.elapsed() < 100 * MS);
}

#[tokio::test(start_paused = true)]
async fn a_restart_does_not_wait_for_a_lease() {
    let (_cluster, shop, log) = on_one().await;
    let begun = tokio::time::Instant::now();
    shop.pricing.restart().await.unwrap();
    assert!(begun.elapsed() < 100 * MS, "{:?}", begun.elapsed());
    let expected =
        ["start #1", "pre_restart restart requested", "post_stop", "start #2", "post_restart restart requested"];
    assert_eq!(said(log), expected);
}

/// A node that leaves in order hands its children over: no lease is waited for, and no budget is charged.
#[tokio::test(start_paused = true)]
async fn a_node_that_leaves_hands_its_children_over() {
    let (mut cluster, shop, log) = on_one().await;
    let seen = events(shop.events());
    let begun = tokio::time::Instant::now();
    cluster.leave("one").await;
    answers(&shop).await;
    assert!(begun.elapsed() < 100 * MS, "{:?}", begun.elapsed());
    assert!(shop.pricing.node().unwrap().starts_with("two#"));
    assert_eq!(count(&seen, |kind| matches!(kind, EventKind::Failed { .. } | EventKind::NodeLost { .. })), 0);
    assert!(said(log).contains(&"post_stop".to_owned()));
}

/// Without another node the leaving one waits only for its children to be down.
#[tokio::test(start_paused = true)]
async fn the_last_node_leaves_all_the_same() {
    let mut cluster = cluster(&["one"]);
    let shop = Shop::tree(3, new_log()).on(cluster.owner()).start().await.unwrap();
    cluster.leave("one").await;
    cluster.node("two", Shop::node("worker"));
    answers(&shop).await;
}

/// A node that leaves while a child starts on it.
#[tokio::test(start_paused = true)]
async fn a_node_leaves_in_the_middle_of_a_start() {
    let mut cluster = Cluster::new();
    cluster.node("one", Slow::node("worker"));
    let log = new_log();
    let starting = tokio::spawn(Slow::tree(log).on(cluster.owner()).start());
    tokio::time::sleep(SECOND).await;
    cluster.node("two", Slow::node("worker"));
    cluster.leave("one").await;
    let slow = starting.await.unwrap().unwrap();
    until("it is on the other node", || slow.pricing.node().is_some_and(|node| node.starts_with("two#"))).await;
    assert_eq!(slow.pricing.ask(|reply| PricingMsg::Quote(1, reply)).within(60 * SECOND).await.unwrap(), 3);
}

supervisor! {
    struct Slow(log: u64) {
        #[on("worker", lease = 2s)]
        #[lifecycle(Permanent, shutdown = 1s)]
        pricing: remote Pricing = Pricing::open(3, log, 3_000).await?,
    }
}

/// An order that is given up while the node starts the child: the next one goes out when the first is down.
#[tokio::test(start_paused = true)]
async fn a_start_that_is_given_up_is_taken_down_first() {
    let mut cluster = Cluster::new();
    cluster.node("one", Slow::node("worker"));
    let log = new_log();
    let slow = Slow::tree(log).on(cluster.owner()).start().await.unwrap();
    let restart = slow.pricing.restart();
    let _ = tokio::time::timeout(4 * SECOND, restart).await;
    // In the middle of the second start.
    let begun = tokio::time::Instant::now();
    slow.pricing.restart().await.unwrap();
    assert!(begun.elapsed() < 7 * SECOND, "{:?}", begun.elapsed());
    assert_eq!(slow.pricing.ask(|reply| PricingMsg::Quote(1, reply)).await.unwrap(), 3);
}

/// A key that ends and is spawned again has a new cell; what is remembered of it is by path.
#[tokio::test(start_paused = true)]
async fn a_new_child_of_an_old_key_waits_for_the_old_instance() {
    let mut cluster = Cluster::new();
    cluster.node("one", Keys::node("worker"));
    let log = new_log();
    let keys = Keys::tree(log).on(cluster.owner()).start().await.unwrap();
    keys.sessions.spawn("a".to_owned()).await.unwrap();
    cluster.freeze("one");
    cluster.node("two", Keys::node("worker"));
    tokio::time::sleep(MS * 100).await;
    // Aborted: its node does not answer.
    let first = keys.sessions.get(&"a".to_owned()).unwrap();
    let begun = tokio::time::Instant::now();
    first.shutdown().await.unwrap();
    keys.sessions.spawn("a".to_owned()).await.unwrap();
    assert!(begun.elapsed() >= 2 * SECOND, "{:?}", begun.elapsed());
    assert!(keys.sessions.get(&"a".to_owned()).unwrap().node().unwrap().starts_with("two#"));
}

supervisor! {
    struct Keys(log: u64) {
        #[on("worker", lease = 2s)]
        #[lifecycle(Transient, shutdown = 1s)]
        sessions: [String => remote Pricing] = |name: String| Pricing::open(name.len() as u64, log, 0).await?,
    }
}

/// A tree above that is restarted makes new cells; what is not known to be down is remembered all the same.
#[tokio::test(start_paused = true)]
async fn a_restart_above_remembers_what_is_not_down() {
    let mut cluster = Cluster::new();
    cluster.node("one", Above::node("worker"));
    let log = new_log();
    let above = Above::tree(log).on(cluster.owner()).start().await.unwrap();
    cluster.freeze("one");
    cluster.node("two", Above::node("worker"));
    tokio::time::sleep(MS * 100).await;
    let begun = tokio::time::Instant::now();
    above.below.restart().unwrap().await.unwrap();
    assert!(begun.elapsed() > 2 * SECOND, "{:?}", begun.elapsed());
    cluster.thaw("one");
    tokio::time::sleep(10 * SECOND).await;
    assert_eq!(said(log).iter().filter(|it| it.starts_with("start")).count(), 2);
}

supervisor! {
    struct Above(log: u64) {
        below: struct Below {
            #[on("worker", lease = 2s)]
            #[lifecycle(Permanent, shutdown = 1s)]
            pricing: remote Pricing = Pricing::open(3, log, 0).await?,
        },
    }
}

/// A node that hangs while its link lives is lost by the owner's own count.
#[tokio::test(start_paused = true)]
async fn a_node_that_does_not_renew_is_lost() {
    let (cluster, shop, _) = on_one().await;
    let seen = events(shop.events());
    cluster.network().lose("one", "owner", 1_000_000);
    answers(&shop).await;
    assert!(shop.pricing.node().unwrap().starts_with("two#"));
    assert_eq!(count(&seen, |kind| matches!(kind, EventKind::NodeLost { node, .. } if node.starts_with("one#"))), 1);
}

/// A frame that is lost is found by its number: a gap ends the link.
#[tokio::test(start_paused = true)]
async fn a_gap_ends_the_link() {
    for (from, to) in [("owner", "one"), ("one", "owner")] {
        let (cluster, shop, _) = on_one().await;
        cluster.network().lose(from, to, 1);
        let _ = shop.pricing.ask(|reply| PricingMsg::Quote(1, reply)).within(SECOND).await;
        answers(&shop).await;
        assert_eq!(shop.pricing.incarnation(), Some(2), "{from}");
    }
}

/// Whatever happens to the nodes: at most one instance handles, tokens grow, and the child is up again afterwards.
#[tokio::test(start_paused = true)]
async fn trouble_by_seed() {
    for seed in 0..20 {
        let mut cluster = Cluster::new();
        for name in ["one", "two", "three"] {
            cluster.node(name, Tough::node("worker"));
        }
        let log = new_log();
        let tough = Tough::tree(log).on(cluster.owner()).start().await.unwrap();
        let pricing = tough.pricing.clone();
        let asks = tokio::spawn(async move {
            let mut last = (0, 0);
            loop {
                if let Ok(token) = pricing.ask(PricingMsg::Token).within(SECOND).await {
                    assert!(token >= last, "{token:?} after {last:?}");
                    last = token;
                }
                tokio::time::sleep(10 * MS).await;
            }
        });
        cluster.chaos(seed, 60 * SECOND).await;
        assert!(!asks.is_finished());
        asks.abort();
        let asked = async {
            while tough.pricing.ask(|reply| PricingMsg::Quote(1, reply)).await.is_err() {
                tokio::time::sleep(100 * MS).await;
            }
        };
        tokio::time::timeout(60 * SECOND, asked).await.unwrap_or_else(|_| panic!("seed {seed}: it is not up again"));
        assert!(tough.pricing.incarnation() > Some(1), "seed {seed} was no trouble");
    }
}

supervisor! {
    struct Tough(log: u64) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #[on("worker", lease = 2s)]
        #[lifecycle(Permanent, shutdown = 1s)]
        pricing: remote Pricing = Pricing::open(3, log, 0).await?,
    }
}

/// An instance whose node does not hear that its lease is renewed goes down there, and the owner, which has heard of the
/// node all the time, replaces it.
#[tokio::test(start_paused = true)]
async fn what_a_node_takes_down_by_itself_is_replaced() {
    let mut cluster = cluster(&["one"]);
    let log = new_log();
    let shop = Shop::tree(3, log).on(cluster.owner()).start().await.unwrap();
    cluster.network().lose("owner", "one", 1_000);
    until("it is down", || said(log).contains(&"post_stop".to_owned())).await;
    tokio::time::sleep(10 * SECOND).await;
    cluster.network().lose("owner", "one", 0);
    let asked = shop.pricing.ask(|reply| PricingMsg::Quote(1, reply)).within(60 * SECOND).await;
    assert_eq!(asked, Ok(3), "{:?}", said(log));
}

/// S57: leases do not wait behind data. A message that is under way for longer than a lease costs no node, and arrives once.
#[tokio::test(start_paused = true)]
async fn a_lease_does_not_wait_behind_data() {
    let mut cluster = cluster(&["one"]);
    let log = new_log();
    let shop = Shop::tree(3, log).on(cluster.owner()).start().await.unwrap();
    let seen = events(shop.events());
    cluster.network().lag(30 * SECOND);
    shop.pricing.tell(PricingMsg::Note(1)).await.unwrap();
    let asked = shop.pricing.ask(PricingMsg::Seen).within(100 * SECOND).await;
    assert_eq!(asked, Ok(vec![1]));
    assert_eq!(shop.pricing.incarnation(), Some(1));
    assert_eq!(count(&seen, |kind| matches!(kind, EventKind::NodeLost { .. })), 0);
    // A node that is frozen is lost all the same.
    cluster.freeze("one");
    tokio::time::sleep(10 * SECOND).await;
    assert_eq!(count(&seen, |kind| matches!(kind, EventKind::NodeLost { .. })), 1);
}

/// S57: an order that comes after its placement was given up, and ahead of which the node was granted a lease, starts nothing.
#[tokio::test(start_paused = true)]
async fn an_order_of_a_placement_that_was_given_up_starts_nothing() {
    supervisor! {
        struct Jobs(log: u64) {
            #[on("worker", lease = 2s)]
            #[lifecycle(Transient, shutdown = 1s)]
            jobs: [u64 => remote Pricing] = |_job: u64| Pricing::open(3, log, 0).await?,
        }
    }
    let mut cluster = Cluster::new();
    cluster.node("one", Jobs::node("worker").capacity(1));
    let log = new_log();
    let jobs = Jobs::tree(log).on(cluster.owner().fresh()).start().await.unwrap();
    tokio::time::sleep(SECOND).await;
    cluster.network().lag(10 * SECOND);
    let first = tokio::time::timeout(5 * SECOND, jobs.jobs.spawn(1)).await;
    assert!(first.is_err(), "its order is under way");
    let again = jobs.jobs.clone();
    let second = tokio::spawn(async move { again.get_or_spawn(1).await });
    // Meanwhile the proxy gives up, and the word of that is under way too.
    tokio::time::sleep(2 * SECOND).await;
    cluster.network().lag(std::time::Duration::ZERO);
    cluster.node("two", Jobs::node("worker"));
    let _second = tokio::time::timeout(20 * SECOND, second).await.unwrap().unwrap().unwrap();
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(said(log), ["start #1"]);
}
