//! S58: a frozen process acts no more. S59: tokens.

use crate::listen::listen;
use crate::world::*;

#[tokio::test(start_paused = true)]
async fn what_thaws_past_its_time_is_dropped_without_a_hook() {
    let mut cluster = cluster(&["one"]);
    let log = new_log();
    let shop = Shop::tree(3, log).on(cluster.owner()).start().await.unwrap();
    shop.pricing.tell(PricingMsg::Slow(1, 10)).await.unwrap();
    tokio::time::sleep(5 * MS).await;
    cluster.freeze("one");
    cluster.node("two", Shop::node("worker"));
    until("the replacement is up", || said(log).contains(&"start #2".to_owned())).await;
    tokio::time::sleep(SECOND).await;
    let seen = events(shop.events());
    cluster.thaw("one");
    tokio::time::sleep(10 * SECOND).await;
    // Not "done 1", and no `post_stop`: nothing of it ran.
    let said = said(log);
    assert_eq!(said[..3], ["start #1", "slow 1", "start #2"]);
    assert!(said.len() == 4 && said[3].starts_with("post_restart"), "{said:?}");
    assert_eq!(count(&seen, |kind| matches!(kind, EventKind::Fenced)), 1, "the owner is told at the next join");
}

#[tokio::test(start_paused = true)]
async fn what_thaws_in_time_goes_down_in_order() {
    let mut cluster = cluster(&["one"]);
    let log = new_log();
    let shop = Shop::tree(3, log).on(cluster.owner()).start().await.unwrap();
    cluster.freeze("one");
    tokio::time::sleep(2 * SECOND + 100 * MS).await; // its lease is over, its time to go down is not
    cluster.thaw("one");
    tokio::time::sleep(100 * MS).await;
    assert_eq!(said(log), ["start #1", "post_stop"]);
    let _ = shop;
}

/// The clock of a lease counts the time that the machine was suspended; tokio's does not.
#[tokio::test(start_paused = true)]
async fn suspended_time_counts() {
    let mut cluster = cluster(&["one"]);
    let log = new_log();
    let shop = Shop::tree(3, log).on(cluster.owner()).start().await.unwrap();
    shop.pricing.tell(PricingMsg::Slow(1, 200)).await.unwrap();
    tokio::time::sleep(100 * MS).await;
    cluster.network().suspend("one", 3600 * SECOND);
    tokio::time::sleep(10 * SECOND).await;
    assert!(!said(log).contains(&"done 1".to_owned()), "{:?}", said(log));
}

#[tokio::test(start_paused = true)]
async fn tokens_grow_with_every_placement() {
    let mut cluster = cluster(&["one", "two"]);
    let shop = Shop::tree(3, new_log()).on(cluster.owner()).start().await.unwrap();
    let mut last = (0, 0);
    for round in 0..4 {
        let token = shop.pricing.ask(PricingMsg::Token).within(60 * SECOND).await.unwrap();
        assert!(token > last, "{token:?} after {last:?}");
        last = token;
        match round {
            0 => shop.pricing.restart().await.unwrap(),
            1 => shop.pricing.tell(PricingMsg::Panic).await.unwrap(),
            _ => {
                let name = cluster.name_of(&shop.pricing.node().unwrap());
                cluster.kill(&name);
                cluster.node(&name, Shop::node("worker"));
            }
        }
        tokio::time::sleep(5 * SECOND).await;
    }
}

/// The fence holds for the children that the instance has spawned on its node, too.
#[tokio::test(start_paused = true)]
async fn children_of_a_remote_actor_are_under_its_fence() {
    let mut cluster = Cluster::new();
    cluster.node("one", Parents::node("worker"));
    let log = new_log();
    let parents = Parents::tree(log).on(cluster.owner()).start().await.unwrap();
    tokio::time::sleep(SECOND).await;
    let ticks = |of: &str| said(log).iter().filter(|it| *it == of).count();
    let before = ticks("tick 1");
    assert!(before > 5);
    cluster.freeze("one");
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(ticks("tick 1"), before);
    cluster.thaw("one");
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(ticks("tick 1"), before, "the child ticked on");
    assert!(ticks("tick 2") > 5, "the node has joined again");
    let _ = parents;
}

struct Parent {
    log: u64,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct Nothing;

#[actor]
impl Parent {
    #[pre_start]
    async fn pre_start(&mut self, cx: &mut Context<Self>) -> Result<(), supervise::error::SpawnError> {
        let (number, tick) = (self.log, format!("tick {}", cx.incarnation()));
        let ticks = cx.spawn(child! {
            "ticks": task = async move {
                loop {
                    tokio::time::sleep(100 * MS).await;
                    log(number).lock().unwrap().push(tick.clone());
                }
            }
        });
        ticks.await.map(drop)
    }

    fn handle(&mut self, _: Nothing) -> Result<(), supervise::error::SpawnError> {
        Ok(())
    }
}

supervisor! {
    struct Parents(log: u64) {
        #[on("worker", lease = 2s)]
        #[lifecycle(Permanent, shutdown = 1s)]
        parent: remote Parent = Parent { log },
    }
}

/// S57, S9: a start that its lease cuts off is no failed start: the child is placed again, at whichever moment of the start its
/// node was frozen, and for how long.
#[tokio::test(start_paused = true)]
async fn a_start_that_its_lease_cuts_is_placed_again() {
    supervisor! {
        struct Starting(log: u64) {
            #![on("worker", lease = 500ms)]
            #[lifecycle(Permanent, shutdown = 500ms)]
            declared: remote Pricing = Pricing::open(2, log, 700).await?,
            #[lifecycle(Permanent, shutdown = 500ms)]
            many: [u64 => remote Pricing] = |key: u64| Pricing::open(key, log, 700).await?,
        }
    }
    for frozen in (380..1400).step_by(20) {
        for at in [10, 150, 650] {
            let mut cluster = Cluster::new();
            cluster.node("one", Starting::node("worker"));
            let log = new_log();
            let owner = cluster.owner();
            let start = tokio::spawn(async move { Starting::tree(log).on(owner).start().await });
            tokio::time::sleep(at * MS).await;
            cluster.freeze("one");
            tokio::time::sleep(frozen * MS).await;
            cluster.thaw("one");
            let tree = start.await.unwrap().unwrap_or_else(|error| panic!("{frozen} ms, {at} ms: {error}"));
            let many = tree.many.clone();
            let spawn = tokio::spawn(async move { many.get_or_spawn(3).await });
            tokio::time::sleep(at * MS).await;
            cluster.freeze("one");
            tokio::time::sleep(frozen * MS).await;
            cluster.thaw("one");
            let three = spawn.await.unwrap().unwrap_or_else(|error| panic!("{frozen} ms, {at} ms: {error}"));
            assert_eq!(three.ask(|reply| PricingMsg::Quote(2, reply)).await.unwrap(), 6);
            tree.shutdown().await;
        }
    }
}

/// The hour by which clocks of these tests are ahead, in microseconds.
const HOUR: i64 = 3_600_000_000;

async fn token(shop: &RemoteRef<Pricing>) -> (u64, u64) {
    shop.ask(PricingMsg::Token).await.unwrap()
}

/// S59: tokens grow over each owner of which a node has heard, also if that owner's clock was ahead.
#[tokio::test(start_paused = true)]
async fn tokens_grow_over_an_owner_whose_clock_was_ahead() {
    let mut cluster = cluster(&["one", "two"]);
    let first = Shop::tree(3, new_log()).on(cluster.owner().shifted(HOUR)).start().await.unwrap();
    let before = token(&first.pricing).await;
    first.shutdown().await;
    tokio::time::sleep(SECOND).await;
    for _ in 0..3 {
        let next = Shop::tree(3, new_log()).on(cluster.owner()).start().await.unwrap();
        assert!(token(&next.pricing).await > before);
        // Each restart has a greater one, on whichever node.
        let at = token(&next.pricing).await;
        next.pricing.restart().await.unwrap();
        assert!(token(&next.pricing).await > at);
        next.shutdown().await;
        tokio::time::sleep(SECOND).await;
    }
}

/// S59: an owner that hears of a greater epoch later takes more for what it starts from then on. What runs goes on under its
/// token, and is reached as before.
#[tokio::test(start_paused = true)]
async fn an_owner_that_hears_of_a_greater_token_later_takes_more() {
    supervisor! {
        struct Pair(log: u64) {
            #![on("worker", lease = 2s)]
            #[lifecycle(Permanent, shutdown = 1s)]
            one: remote Pricing = Pricing::open(3, log, 0).await?,
            #[lifecycle(Permanent, shutdown = 1s)]
            two: remote Pricing = Pricing::open(3, log, 0).await?,
        }
    }
    let network = supervise_remote::memory::Network::new();
    let serves = |name: &str| {
        let net = Net::open(network.process(name));
        tokio::spawn(Pair::node("worker").serve(net, std::future::pending::<()>()))
    };
    // A node that has heard of an owner whose clock is ahead, and that the owner below does not meet yet.
    let old = supervise_remote::memory::Network::new();
    let heard = Net::open(Moved::new(old.process("two"), network.process("two")));
    let moved = tokio::spawn(Pair::node("worker").serve(heard, std::future::pending::<()>()));
    let ahead = Pair::tree(new_log()).on(Net::open(old.process("ahead")).fresh().shifted(HOUR)).start().await.unwrap();
    let greatest = token(&ahead.two).await;
    serves("one");
    let log = new_log();
    let pair = Pair::tree(log).on(Net::open(network.process("owner")).fresh()).start().await.unwrap();
    let before = token(&pair.one).await;
    assert!(before < greatest);
    ahead.shutdown().await;
    tokio::time::sleep(10 * SECOND).await;
    assert_eq!((token(&pair.one).await, pair.one.incarnation()), (before, Some(1)), "it runs on");
    pair.one.tell(PricingMsg::Note(7)).await.unwrap();
    assert_eq!(pair.one.ask(PricingMsg::Seen).await.unwrap(), [7]);
    pair.one.restart().await.unwrap();
    let after = token(&pair.one).await;
    assert!(after > greatest, "{after:?} {greatest:?}");
    pair.two.restart().await.unwrap();
    assert!(token(&pair.two).await > after);
    drop(moved);
}

/// A process that joins another network after its first join.
struct Moved {
    first: supervise_remote::memory::Process,
    then: supervise_remote::memory::Process,
    joins: std::sync::atomic::AtomicUsize,
}

impl Moved {
    fn new(first: supervise_remote::memory::Process, then: supervise_remote::memory::Process) -> Moved {
        Moved { first, then, joins: std::sync::atomic::AtomicUsize::new(0) }
    }
}

impl supervise_remote::wire::Wire for Moved {
    fn name(&self) -> &str {
        self.first.name()
    }

    fn join(&self, side: supervise_remote::wire::Side) -> supervise_remote::wire::Joining<'_> {
        match self.joins.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => self.first.join(side),
            _ => self.then.join(side),
        }
    }
}

/// S59: an owner whose clock is more than a day ahead is not followed, and both say why. Its epoch is not taken over either.
#[tokio::test(start_paused = true)]
async fn a_clock_that_is_a_day_ahead_is_refused() {
    let texts = Texts::default();
    let _guard = listen(texts.clone());
    let mut cluster = cluster(&["one"]);
    let ahead = cluster.owner().fresh().shifted(25 * HOUR);
    let starting = Shop::tree(3, new_log()).on(ahead).start();
    assert!(tokio::time::timeout(20 * SECOND, starting).await.is_err());
    let lines = texts.lines();
    let told = lines.iter().filter(|line| line.contains("is more than a day ahead of the one of this node")).count();
    assert!(told >= 2, "{lines:#?}");
    let right = Shop::tree(3, new_log()).on(cluster.owner()).start().await.unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_micros() as u64;
    assert!(token(&right.pricing).await.0 <= now);
}

/// S59: two runs of one process never share a token, however soon they follow each other.
#[tokio::test(start_paused = true)]
async fn runs_of_one_process_never_share_a_token() {
    let mut cluster = cluster(&["one"]);
    let mut before = (0, 0);
    for _ in 0..20 {
        let shop = Shop::tree(3, new_log()).on(cluster.owner()).start().await.unwrap();
        let next = token(&shop.pricing).await;
        assert!(next > before, "{next:?} after {before:?}");
        before = next;
        shop.shutdown().await;
    }
}
