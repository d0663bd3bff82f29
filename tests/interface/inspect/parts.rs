//! Snapshots and health of parts of a tree: S42, S50.

use std::sync::{Arc, Mutex};

use supervise::inspect::{Extent, Node, NodeStateKind, Page, PageOrder};
use supervise::prelude::*;
use supervise::testing::{self, Fault, Inject};

use crate::common::{Boom, Do, Journal, Probe, ms, quiet_panics, secs};

/// Spawns children of its own.
struct Parent(Journal);

enum Order {
    Spawn(u32),
    Fail,
}

impl Actor for Parent {
    type Msg = Order;
    type Error = Boom;

    async fn receive(&mut self, order: Order, cx: &mut Context<Self>) -> Result<(), Boom> {
        match order {
            Order::Spawn(number) => {
                let (name, journal) = (format!("c/{number}"), self.0.clone());
                let _ = cx.spawn(child! { name: Probe = Probe::start("child", journal).await? }).await;
                Ok(())
            }
            Order::Fail => Err(Boom::Told),
        }
    }
}

supervisor! {
    struct Shop(journal: Journal) {
        #![decider(_ => Restart)]
        #[backoff(3s..30s, random_factor = 0)]
        db: Probe = Probe::start("db", journal).await?,
        parent: Parent = Parent(journal.clone()),
        shards: [Probe; 3] = |index: usize| Probe::start(format!("shard{index}"), journal).await?,
        reports: struct Reports {
            #![strategy(AllForOne)]
            #[mailbox(Bounded(1))]
            daily: Probe = Probe::start("daily", journal).await?,
            #[backoff(2s..2s)]
            index: Probe = Probe::start("index", journal).await?,
        },
        sessions: [Probe] = |name: String| Probe::start(name, journal).await?,
        rooms: [String => Probe] = |name: String| Probe::start(name, journal).await?,
    }
}

/// Checks that the health is that of a snapshot, for the whole tree and for each part.
fn check(shop: &Shop, at: &str) {
    let whole = shop.snapshot();
    assert_eq!(shop.health().to_string(), whole.health().to_string(), "{at}");
    for node in whole.nodes() {
        for extent in [Extent::Everything, Extent::Declared] {
            let part = shop.snapshot_of(&node.path, extent).unwrap_or_else(|| panic!("{at}: no {}", node.path));
            let health = shop.health_of(&node.path, extent).expect("a part");
            assert_eq!(health.to_string(), part.health().to_string(), "{at}, {} {extent:?}", node.path);
            assert_eq!((&part.root.path, part.root.state.kind()), (&node.path, node.state.kind()), "{at}");
            if extent == Extent::Everything {
                let mut same = whole.clone();
                same.root = node.clone();
                assert_eq!(part.render(), same.render(), "{at}");
            }
            assert_eq!(part.root.instances, node.instances, "{at}, {}", node.path);
        }
        let paths = |nodes: &[Node]| nodes.iter().map(|child| child.path.clone()).collect::<Vec<_>>();
        match shop.page_of(&node.path, &Page::new().count(usize::MAX)) {
            Some(page) => {
                assert_eq!(paths(&page.nodes), paths(&node.children), "{at}: {}", node.path);
                assert_eq!(
                    (page.total, page.matching, page.instances),
                    (node.children.len(), page.total, node.instances)
                );
                for kind in NodeStateKind::ALL {
                    let some = shop.page_of(&node.path, &Page::new().state(kind).count(2)).expect("a page");
                    let those: Vec<Node> =
                        node.children.iter().filter(|child| child.state.kind() == kind).cloned().collect();
                    assert_eq!(some.matching, those.len(), "{at}: {kind:?} below {}", node.path);
                    assert_eq!(paths(&some.nodes), paths(&those[..those.len().min(2)]), "{at}");
                }
            }
            None => assert!(node.children.is_empty(), "{at}: {}", node.path),
        }
        if let Some(instances) = node.instances {
            for (kind, number) in instances.iter() {
                let those = node.children.iter().filter(|child| child.state.kind() == kind).count();
                assert_eq!(those, number, "{at}: {kind:?} below {}", node.path);
            }
            assert_eq!(instances.total(), node.children.len(), "{at}: {}", node.path);
        }
    }
}

/// S50: whatever happens to a tree, the quick health is that of a snapshot, and each part is as in the whole.
#[tokio::test(start_paused = true)]
async fn the_health_of_each_part_is_that_of_a_snapshot() {
    quiet_panics();
    for seed in 1..16u64 {
        let shop = testing::start(Shop::tree(Journal::default())).seed(seed).await.unwrap();
        let mut random = seed;
        let mut next = move |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        for step in 0..60 {
            let paths: Vec<String> = shop.snapshot().nodes().skip(1).map(|node| node.path.clone()).collect();
            let path = &paths[next(paths.len() as u64) as usize];
            let what = next(12);
            let number = next(100) as u32;
            match what {
                0 => drop(shop.sessions.spawn(format!("s{number}")).await),
                1 => drop(shop.rooms.spawn(format!("r/{number}")).await),
                2 => drop(shop.parent.try_tell(Order::Spawn(number))),
                3 if number < 20 => drop(shop.parent.try_tell(Order::Fail)),
                4 => {
                    let daily = shop.reports.daily.clone();
                    tokio::spawn(async move {
                        let _ = daily.tell(Do::Work(secs(2))).await;
                        let _ = daily.tell(Do::Add(1)).await;
                        let _ = daily.tell(Do::Add(1)).await;
                        let _ = daily.tell(Do::Add(1)).await;
                    });
                }
                5..8 => {
                    let fault =
                        if number.is_multiple_of(2) { Fault::error(Boom::Told) } else { Fault::panic("planned panic") };
                    match number % 4 {
                        0 => shop.db.inject(fault),
                        1 => shop.shards[next(3) as usize].inject(fault),
                        2 => shop.reports.index.inject(fault),
                        _ => shop
                            .sessions
                            .handles()
                            .iter()
                            .take(1)
                            .for_each(|session| session.inject(Fault::panic("planned panic"))),
                    }
                }
                8 if number < 10 => shop.shards[next(3) as usize].stop(),
                9 if number < 5 => shop.reports.kill(),
                10 => shop.advance(ms(next(4000))).await,
                _ => shop.settle().await,
            }
            check(&shop, &format!("seed {seed}, step {step}, {what} at {path}"));
        }
        shop.shutdown().await;
    }
}

/// S50: a part that is queued says for whose start it waits, as in the whole.
#[tokio::test(start_paused = true)]
async fn a_part_says_for_whom_it_waits() {
    supervisor! {
        struct Queue(journal: Journal) {
            #![strategy(RestForOne)]
            #[backoff(30s..30s, random_factor = 0)]
            first: Probe = Probe::start("first", journal).await?,
            second: Probe = Probe::start("second", journal).await?,
        }
    }

    quiet_panics();
    let queue = Queue::start(Journal::default()).await.unwrap();
    queue.first.tell(Do::Fail(Boom::Told)).await.unwrap();
    crate::common::pass(secs(1)).await;
    let whole = queue.snapshot();
    assert_eq!(whole.find("second").unwrap().starts_after.as_deref(), Some("first"));
    let part = queue.snapshot_of("second", Extent::Everything).unwrap();
    assert_eq!(part.root.starts_after.as_deref(), Some("first"));
}

/// S42: a child that is suspended while its supervisor decides is not up.
#[tokio::test(start_paused = true)]
async fn a_suspended_child_is_not_up() {
    type Seen = Arc<Mutex<Vec<(NodeStateKind, bool)>>>;

    supervisor! {
        struct Held(journal: Journal, seen: Seen) {
            #![decider(move |_: &Failure| {
                let snapshot = tree.snapshot();
                let leaf = snapshot.find("sub/leaf").unwrap();
                seen.lock().unwrap().push((leaf.state.kind(), leaf.up_since.is_some()));
                Directive::Resume
            })]
            sub: struct Sub {
                leaf: Probe = Probe::start("leaf", journal).await?,
            },
        }
    }

    quiet_panics();
    let seen = Seen::default();
    let held = Held::start(Journal::default(), seen.clone()).await.unwrap();
    assert!(held.snapshot().find("sub/leaf").unwrap().up_since.is_some());
    held.sub.kill();
    crate::common::settle().await;
    assert_eq!(*seen.lock().unwrap(), [(NodeStateKind::Suspended, false)]);
}

/// S50: a part is found by its path, from the handle of any tree around it.
#[tokio::test(start_paused = true)]
async fn a_part_is_found_by_its_path() {
    let shop = Shop::start(Journal::default()).await.unwrap();
    shop.rooms.spawn("a/b".into()).await.unwrap();
    shop.parent.tell(Order::Spawn(7)).await.unwrap();
    crate::common::settle().await;
    let root =
        |tree: &TreeRef, path: &str| tree.snapshot_of(path, Extent::Everything).map(|part| part.root.path.clone());
    for path in ["Shop", "db", "shards/2", "reports", "reports/daily", "rooms", "rooms/a%2Fb", "parent/c%2F7"] {
        assert_eq!(root(&shop, path).as_deref(), Some(path));
    }
    for path in ["", "shop", "d", "dbx", "db/", "shards/3", "shards/02", "shards", "rooms/a/b", "/db", "reports/"] {
        assert_eq!(root(&shop, path), None, "{path:?}");
    }
    let below = [("reports", true), ("reports/index", true), ("index", false), ("db", false), ("Shop", false)];
    for (path, found) in below {
        assert_eq!(root(&shop.reports, path).is_some(), found, "{path}");
    }
    let rooms = shop.snapshot_of("Shop", Extent::Declared).unwrap();
    assert!(rooms.find("rooms/a%2Fb").is_none() && rooms.find("parent/c%2F7").is_none());
    let counted = |path: &str| rooms.find(path).unwrap().instances.map(|all| all.of(NodeStateKind::Running));
    assert_eq!(["rooms", "parent", "db", "reports"].map(counted), [Some(1), Some(1), None, None]);
}

/// S50: a page has the children that match, in the order that it asks for, and each node is as in a snapshot.
#[tokio::test(start_paused = true)]
async fn a_page_is_filtered_and_in_order() {
    let shop = Shop::start(Journal::default()).await.unwrap();
    for name in ["10", "9", "Blue", "red", "2", "bluebell"] {
        shop.rooms.spawn(name.into()).await.unwrap();
    }
    shop.rooms.get(&"9".to_owned()).unwrap().restart().unwrap().await.unwrap();
    let red = shop.rooms.get(&"red".to_owned()).unwrap();
    red.tell(Do::Hang).await.unwrap();
    crate::common::settle().await;
    red.tell(Do::Add(1)).await.unwrap();
    let names = |page: Page| {
        let page = shop.page_of("rooms", &page).unwrap();
        (page.matching, page.nodes.iter().map(|node| node.name.clone()).collect::<Vec<_>>().join(" "))
    };
    assert_eq!(names(Page::new()), (6, "10 9 Blue red 2 bluebell".into()));
    assert_eq!(names(Page::new().order(PageOrder::Name)), (6, "2 9 10 Blue bluebell red".into()));
    assert_eq!(names(Page::new().order(PageOrder::Restarts)).1.split(' ').next(), Some("9"));
    assert_eq!(names(Page::new().order(PageOrder::Waiting).count(1)), (6, "red".into()));
    assert_eq!(names(Page::new().name("BLUE")), (2, "Blue bluebell".into()));
    assert_eq!(names(Page::new().name("b").order(PageOrder::Name).from(1).count(5)), (2, "bluebell".into()));
    assert_eq!(names(Page::new().state(NodeStateKind::Ended)), (0, "".into()));
    assert_eq!(names(Page::new().from(6)), (6, "".into()));
    let page = shop.page_of("rooms", &Page::new().from(1).count(1)).unwrap();
    assert_eq!((page.nodes[0].incarnation, page.nodes[0].declared.map(|spec| spec.name)), (2, Some("rooms")));
    assert!(shop.page_of("db", &Page::new()).is_none(), "an actor without children");
    assert!(shop.page_of("none", &Page::new()).is_none());
}

/// S50: children that are equal in the order of a page keep the order of their spawning, also if there are many.
#[tokio::test(start_paused = true)]
async fn equal_children_of_a_page_stay_in_the_order_of_their_spawning() {
    let shop = Shop::start(Journal::default()).await.unwrap();
    let names: Vec<String> = (0..90).map(|n| format!("room {}", n * 7 % 90)).collect();
    for name in &names {
        shop.rooms.spawn(name.clone()).await.unwrap();
    }
    for name in names.iter().step_by(3) {
        shop.rooms.get(name).unwrap().restart().unwrap().await.unwrap();
    }
    let restarted =
        |yes: bool| names.iter().enumerate().filter(move |(n, _)| (n % 3 == 0) == yes).map(|(_, name)| name);
    let page = shop.page_of("rooms", &Page::new().order(PageOrder::Restarts).count(90)).unwrap();
    let shown: Vec<_> = page.nodes.iter().map(|node| &node.name).collect();
    assert_eq!(shown, restarted(true).chain(restarted(false)).collect::<Vec<_>>());
    let page = shop.page_of("rooms", &Page::new().order(PageOrder::Waiting).count(90)).unwrap();
    assert_eq!(page.nodes.iter().map(|node| &node.name).collect::<Vec<_>>(), names.iter().collect::<Vec<_>>());
}
