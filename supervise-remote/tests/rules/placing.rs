//! S56: where a remote child runs.

use crate::listen::listen;
use crate::world::*;

#[tokio::test(start_paused = true)]
async fn a_remote_child_answers() {
    let mut cluster = cluster(&["one"]);
    let shop = Shop::tree(3, new_log()).on(cluster.owner()).start().await.unwrap();
    let price = shop.pricing.ask(|reply| PricingMsg::Quote(14, reply)).await.unwrap();
    assert_eq!((price, cluster.name_of(&shop.pricing.node().unwrap())), (42, "one".to_owned()));
    shop.shutdown().await;
}

async fn many(names: &[&str], edge: bool) -> (Cluster, Running<Many>, u64) {
    let mut cluster = Cluster::new();
    for name in names {
        cluster.node(name, Many::node("worker"));
    }
    if edge {
        cluster.node("edge", Many::node("edge"));
    }
    tokio::time::sleep(SECOND).await;
    let log = new_log();
    let many = Many::tree(log).on(cluster.owner()).start().await.unwrap();
    (cluster, many, log)
}

#[tokio::test(start_paused = true)]
async fn children_are_spread_over_the_nodes() {
    let (cluster, many, _) = many(&["one", "two"], true).await;
    let on = |name: &str| {
        let all = many.shards.iter().chain(&many.apart);
        all.filter(|shard| cluster.name_of(&shard.node().unwrap()) == name).count()
    };
    assert_eq!((on("one"), on("two")), (3, 3));
    many.sessions.spawn("abc".to_owned()).await.unwrap();
    let session = many.sessions.get(&"abc".to_owned()).expect("it is there");
    assert_eq!(session.ask(|reply| PricingMsg::Quote(2, reply)).await.unwrap(), 6);
    assert_eq!(cluster.name_of(&session.node().unwrap()), "edge");
}

#[tokio::test(start_paused = true)]
async fn one_per_node_waits_for_another_node() {
    let (mut cluster, starting) = {
        let mut cluster = Cluster::new();
        cluster.node("one", Many::node("worker"));
        let tree = Many::tree(new_log()).on(cluster.owner());
        (cluster, tokio::spawn(tree.start()))
    };
    tokio::time::sleep(60 * SECOND).await;
    assert!(!starting.is_finished(), "the second of `apart` has no node");
    cluster.node("two", Many::node("worker"));
    let many = starting.await.unwrap().unwrap();
    let nodes = many.apart.as_array().each_ref().map(|child| cluster.name_of(&child.node().unwrap()));
    assert_ne!(nodes[0], nodes[1]);
}

#[tokio::test(start_paused = true)]
async fn a_start_waits_for_a_node() {
    let mut cluster = Cluster::new();
    let mut tree = Shop::tree(3, new_log()).on(cluster.owner());
    let seen = events(tree.events());
    let starting = tokio::spawn(tree.start());
    tokio::time::sleep(100 * SECOND).await;
    assert!(!starting.is_finished());
    assert_eq!(count(&seen, |kind| matches!(kind, EventKind::NoNode { role } if role == "worker")), 1);
    cluster.node("one", Shop::node("worker"));
    let shop = starting.await.unwrap().unwrap();
    assert_eq!(shop.pricing.ask(|reply| PricingMsg::Quote(1, reply)).await.unwrap(), 3);
    assert_eq!(count(&seen, |kind| matches!(kind, EventKind::Placed { node } if node.starts_with("one#"))), 1);
}

#[tokio::test(start_paused = true)]
async fn a_full_node_takes_no_more() {
    let mut cluster = Cluster::new();
    cluster.node("one", Full::node("worker").capacity(3));
    cluster.node("two", Full::node("worker").capacity(1));
    let full = Full::tree(new_log()).on(cluster.owner()).start().await.unwrap();
    let first: Vec<_> = full.first.iter().map(|child| cluster.name_of(&child.node().unwrap())).collect();
    assert_eq!(first, ["one", "two", "one", "one"]);
    // There is no room for one more, until another one ends.
    let more = full.more.clone();
    let spawned = tokio::spawn(async move { more.spawn().await });
    tokio::time::sleep(60 * SECOND).await;
    assert!(!spawned.is_finished());
    full.first[1].shutdown().await.unwrap();
    let more = spawned.await.unwrap().unwrap();
    assert_eq!(cluster.name_of(&more.node().unwrap()), "two");
}

supervisor! {
    struct Full(log: u64) {
        #![on("worker", lease = 2s)]
        #[lifecycle(Transient)]
        first: [remote Pricing; 4] = |i| Pricing::open(i as u64 + 1, log, 0).await?,
        more: [remote Pricing] = || Pricing::open(1, log, 0).await?,
    }
}

#[tokio::test(start_paused = true)]
async fn a_restart_prefers_the_node_where_it_was() {
    let (_cluster, many, _) = many(&["one", "two"], false).await;
    // The other node has fewer children afterwards, and it stays all the same.
    let on_one: Vec<_> = many.shards.iter().filter(|shard| shard.node().unwrap().starts_with("one#")).collect();
    on_one[0].shutdown().await.unwrap();
    let before = many.shards[3].node();
    many.shards[3].restart().await.unwrap();
    assert_eq!((many.shards[3].node(), many.shards[3].incarnation()), (before, Some(2)));
}

/// A role is refused where it is named, and not in the task of the node.
#[test]
fn a_role_without_children_is_a_mistake() {
    let refusal =
        |role| *std::panic::catch_unwind(|| drop(Shop::node(role))).unwrap_err().downcast::<String>().unwrap();
    let known = "Shop has no remote child of the role \"nothing\"; its roles: \"worker\"";
    assert_eq!(refusal("nothing"), known);
    for role in ["wroker", "workers", "Worker"] {
        let meant =
            format!("Shop has no remote child of the role {role:?}; did you mean \"worker\"? Its roles: \"worker\"");
        assert_eq!(refusal(role), meant);
    }
}

#[tokio::test(start_paused = true)]
async fn a_tree_without_a_network_says_so() {
    let failure = Shop::start(3, new_log()).await.unwrap_err();
    assert!(failure.to_string().contains("write `.on(net)`"), "{failure}");
}

/// The declaration of a tree as another build has it: the child is another one.
fn of_another_build() -> &'static supervise::spec::TreeSpec {
    let mut spec = Shop::SPEC;
    let mut child = spec.children[0];
    let mut remote = *child.remote.expect("a remote child");
    remote.build ^= 1;
    child.remote = Some(Box::leak(Box::new(remote)));
    spec.children = Box::leak(Box::new([child]));
    Box::leak(Box::new(spec))
}

/// S63: a rolling deploy. A node of another build gets the children that agree, and the owner says why it gets no other.
#[tokio::test(start_paused = true)]
async fn a_node_of_another_build_does_not_get_the_child() {
    let mut cluster = Cluster::new();
    cluster.node("old", supervise_remote::Node::of(of_another_build(), "worker"));
    let mut tree = Shop::tree(3, new_log()).on(cluster.owner());
    let seen = events(tree.events());
    let starting = tokio::spawn(tree.start());
    tokio::time::sleep(60 * SECOND).await;
    assert!(!starting.is_finished());
    let refused =
        |kind: &EventKind| matches!(kind, EventKind::Refused { why } if why.contains("old has another build"));
    assert_eq!(count(&seen, refused), 1, "said once");
    cluster.node("new", Shop::node("worker"));
    let shop = starting.await.unwrap().unwrap();
    assert!(shop.pricing.node().unwrap().starts_with("new#"));
}

/// Values that are too large to be sent are a failed start, and no node is lost.
#[tokio::test(start_paused = true)]
async fn values_that_are_too_large_fail_the_start() {
    let mut cluster = Cluster::new();
    cluster.node("one", Heavy::node("worker"));
    let net = Net::open(cluster.network().process("owner")).fresh().max_frame(1_000);
    let failure = Heavy::tree("x".repeat(2_000)).on(net).start().await.unwrap_err();
    assert!(failure.to_string().contains("max_frame"), "{failure}");
}

supervisor! {
    struct Heavy(text: String) {
        #[on("worker")]
        pricing: remote Pricing = Pricing::open(text.len() as u64, 0, 0).await?,
    }
}

supervisor! {
    struct Office(lease: supervise::testing::MemoryLease, log: u64) {
        #[only_with(lease)]
        shop: Shop = Shop::tree(3, log),
    }
}

/// A node follows one owner, and `#[only_with]` is for several: said, instead of children that wait for nodes for ever.
#[tokio::test(start_paused = true)]
async fn a_remote_child_below_only_with_says_so() {
    let mut cluster = cluster(&["one"]);
    let mut tree = Office::tree(supervise::testing::MemoryLease::new("shop"), new_log()).on(cluster.owner());
    let seen = events(tree.events());
    let _office = tree.start().await.unwrap();
    let says_so = |kind: &EventKind| match kind {
        EventKind::Failed { failure, .. } => failure.to_string().contains("`.on(net).only_with(lease)`"),
        _ => false,
    };
    until("it has failed", || count(&seen, says_so) > 0).await;
}

supervisor! {
    struct Crowd(log: u64) {
        #[on("worker", lease = 2s)]
        #[lifecycle(Transient, shutdown = 1s)]
        crowd: [remote Pricing] = || Pricing::open(1, log, 0).await?,
    }
}

/// Room for one child wakes one of those that wait: the looks of all are linear in their number.
#[tokio::test(start_paused = true)]
async fn room_for_one_wakes_one() {
    let mut looks = Vec::new();
    for children in [100, 200, 400] {
        let mut cluster = Cluster::new();
        cluster.node("one", Crowd::node("worker").capacity(1));
        let net = cluster.owner();
        let crowd = Crowd::tree(new_log()).on(net.clone()).start().await.unwrap();
        let spawned: Vec<_> = (0..children)
            .map(|_| {
                let crowd = crowd.crowd.clone();
                tokio::spawn(async move { crowd.spawn().await.unwrap().shutdown().await })
            })
            .collect();
        for one in spawned {
            one.await.unwrap().unwrap();
        }
        looks.push(supervise_remote::testing::looks(&net));
    }
    assert!(looks[2] < 400 * 6, "{looks:?}");
    assert!(looks[2] < looks[1] * 3 && looks[1] < looks[0] * 3, "{looks:?}");
}

/// A node that was silent for longer than the lease of a child, and had none that could be lost, is used again as soon as
/// it renews.
#[tokio::test(start_paused = true)]
async fn a_node_that_renews_again_is_used() {
    let mut cluster = Cluster::new();
    cluster.node("one", Mixed::node("worker"));
    let mixed = Mixed::tree(new_log()).on(cluster.owner()).start().await.unwrap();
    tokio::time::sleep(SECOND).await;
    cluster.freeze("one");
    tokio::time::sleep(2_200 * MS).await;
    let other = mixed.other.clone();
    let spawned = tokio::spawn(async move { other.spawn("x".to_owned()).await.map(drop) });
    tokio::time::sleep(300 * MS).await;
    assert!(!spawned.is_finished());
    cluster.thaw("one");
    tokio::time::sleep(10 * SECOND).await;
    assert!(spawned.is_finished(), "it waits beside a node that renews");
}

/// Room that the first of those that wait cannot use goes to the next one.
#[tokio::test(start_paused = true)]
async fn room_is_passed_on() {
    let mut cluster = Cluster::new();
    cluster.node("one", Mixed::node("worker").capacity(2));
    let mixed = Mixed::tree(new_log()).on(cluster.owner()).start().await.unwrap();
    mixed.apart.spawn("a".to_owned()).await.unwrap();
    let room = mixed.other.spawn("x".to_owned()).await.unwrap();
    for n in 0..3 {
        let apart = mixed.apart.clone();
        tokio::spawn(async move { apart.spawn(format!("b{n}")).await.map(drop) });
        tokio::time::sleep(SECOND).await;
    }
    let other = mixed.other.clone();
    let spawned = tokio::spawn(async move { other.spawn("y".to_owned()).await.map(drop) });
    tokio::time::sleep(SECOND).await;
    room.shutdown().await.unwrap();
    tokio::time::sleep(100 * SECOND).await;
    assert!(spawned.is_finished());
}

supervisor! {
    struct Mixed(log: u64) {
        #![on("worker", lease = 2s)]
        keep: Pricing = Pricing::open(1, log, 0).await?,
        #[on(spread = OnePerNode)]
        #[lifecycle(Temporary, shutdown = 1s)]
        apart: [String => remote Pricing] = |name: String| Pricing::open(name.len() as u64, log, 0).await?,
        #[lifecycle(Temporary, shutdown = 1s)]
        other: [String => remote Pricing] = |name: String| Pricing::open(name.len() as u64, log, 0).await?,
    }
}

supervisor! {
    struct Terms(log: u64) {
        #[on("worker", lease = 1s)]
        #[lifecycle(Permanent, shutdown = 100ms)]
        short: [String => remote Pricing] = |name: String| Pricing::open(name.len() as u64, log, 0).await?,
        #[on("worker", lease = 60s)]
        #[lifecycle(Permanent, shutdown = 100ms)]
        long: [String => remote Pricing] = |name: String| Pricing::open(name.len() as u64, log, 0).await?,
    }
}

/// A child that waits for the leases of an owner before lets another one have the room.
#[tokio::test(start_paused = true)]
async fn room_is_passed_on_by_those_who_wait_for_leases() {
    let mut cluster = Cluster::new();
    let _first = cluster.owner();
    cluster.node("one", Terms::node("worker").capacity(1));
    let terms = Terms::tree(new_log()).on(cluster.owner()).start().await.unwrap();
    tokio::time::sleep(2 * SECOND).await;
    let one = terms.short.spawn("one".to_owned()).await.unwrap();
    let long = terms.long.clone();
    tokio::spawn(async move { long.spawn("longer".to_owned()).await.map(drop) });
    tokio::time::sleep(100 * MS).await;
    let short = terms.short.clone();
    let two = tokio::spawn(async move { short.spawn("two".to_owned()).await.map(drop) });
    tokio::time::sleep(100 * MS).await;
    one.shutdown().await.unwrap();
    let up = tokio::time::timeout(20 * SECOND, two).await;
    assert!(up.is_ok(), "the room is free, and nobody takes it");
}

/// S57: a lease that is shorter than the way to the node and back is named as the reason for which the child comes up nowhere,
/// at the owner and on the node; a lease that leaves little room is named on the node.
#[tokio::test(start_paused = true)]
async fn a_lease_that_is_shorter_than_the_way_is_told() {
    supervisor! {
        struct Far(log: u64) {
            #![on("worker", lease = 1s)]
            #[lifecycle(Permanent, shutdown = 500ms)]
            pricing: remote Pricing = Pricing::open(3, log, 0).await?,
        }
    }
    let warning = "answers of the owner take a third of a lease or more";
    for (way, warned, refused) in [(100, 0, false), (200, 1, false), (700, 1, true)] {
        let texts = Texts::default();
        let _guard = listen(texts.clone());
        let mut cluster = Cluster::new();
        cluster.network().delay(way * MS);
        cluster.node("one", Far::node("worker"));
        let owner = cluster.owner();
        let starting = Far::tree(new_log()).on(owner).start();
        let started = tokio::time::timeout(10 * SECOND, starting).await;
        assert_eq!(started.is_err(), refused, "{way}");
        tokio::time::sleep(10 * SECOND).await;
        let lines = texts.lines();
        let has = |text: &str| lines.iter().filter(|line| line.contains(text)).count();
        assert_eq!(has(warning), warned, "{way}: once, not with each answer: {lines:#?}");
        let why = "an answer of the owner takes 1.4s, and a lease is 1s; give a lease of three times an answer or more";
        assert_eq!(has(why) > 0, refused, "{way}: {lines:#?}");
    }
}

/// S61: an owner and a node with different limits of a message do not go together: both say so at once, with both values, and no
/// message ends a link later. The tree starts when a node of its own limit comes.
#[tokio::test(start_paused = true)]
async fn limits_that_differ_are_told_when_a_node_joins() {
    const MIB: usize = 1 << 20;
    let texts = Texts::default();
    let _guard = listen(texts.clone());
    for (owner, node) in [(40, 16), (16, 40)] {
        let mut cluster = Cluster::new();
        let net = cluster.owner().max_frame(owner * MIB);
        let serves = |cluster: &Cluster, name: &str, most: usize| {
            let net = Net::open(cluster.network().process(name)).max_frame(most * MIB);
            tokio::spawn(Shop::node("worker").serve(net, std::future::pending::<()>()))
        };
        let _first = serves(&cluster, "one", node);
        let mut starting = std::pin::pin!(Shop::tree(3, new_log()).on(net).start());
        assert!(tokio::time::timeout(SECOND, &mut starting).await.is_err());
        let lines = std::mem::take(&mut *texts.0.lock().unwrap());
        let both = |us, ours: usize, theirs: usize| {
            let (theirs, ours) = (theirs * MIB, ours * MIB);
            let why =
                format!("takes messages of at most {theirs} bytes, this {us} of {ours}; set `Net::max_frame` alike");
            lines.iter().filter(|line| line.contains(&why)).count()
        };
        assert_eq!(both("node", node, owner), 1, "{lines:#?}");
        assert!(both("owner", owner, node) >= 1, "{lines:#?}");
        let _second = serves(&cluster, "two", owner);
        let shop = starting.await.unwrap();
        assert_eq!(shop.pricing.ask(|reply| PricingMsg::Quote(1, reply)).await.unwrap(), 3);
        shop.shutdown().await;
    }
}

/// S60, S61: a node that does not go with a newer owner is no node of the older one either: what it runs goes down, and it says that
/// it is free only when that is done.
#[tokio::test(start_paused = true)]
async fn a_node_that_refuses_a_newer_owner_runs_nothing_of_an_older_one() {
    let mut cluster = cluster(&["one"]);
    let log = new_log();
    let first = Shop::tree(3, log).on(cluster.owner()).start().await.unwrap();
    first.pricing.tell(PricingMsg::Slow(1, 800)).await.unwrap();
    tokio::time::sleep(100 * MS).await;
    let net = Net::open(cluster.network().process("second")).max_frame(1 << 20).peers(["one"]);
    let mut starting = std::pin::pin!(Shop::tree(3, log).on(net).start());
    // Another node, with the limit of the second owner.
    let other = Net::open(cluster.network().process("two")).max_frame(1 << 20);
    tokio::spawn(Shop::node("worker").serve(other, std::future::pending::<()>()));
    assert!(tokio::time::timeout(500 * MS, &mut starting).await.is_err(), "the first instance is at work");
    let second = starting.await.unwrap();
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(said(log), ["start #1", "slow 1", "done 1", "post_stop", "start #1"], "never two");
    drop((first, second));
}
