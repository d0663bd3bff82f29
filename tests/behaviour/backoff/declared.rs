//! Declared backoffs: S31 to S34.

use std::time::Duration;

use supervise::event::{Event, EventKind, Events};
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, seen, settle};

supervisor! {
    struct Quiet(journal: Journal) {
        #[backoff(3s..30s, random_factor = 0, reset = Manual)]
        db: Probe = Probe::start("db", journal).await?,
    }

    struct Noisy(journal: Journal) {
        #[backoff(3s..30s, random_factor = 0.2, reset = Manual)]
        db: Probe = Probe::start("db", journal).await?,
        #[backoff(3s..30s, random_factor = 0.2, reset = Manual)]
        cart: Probe = Probe::start("cart", journal).await?,
    }

    struct Healing(journal: Journal) {
        #[backoff(3s..30s, random_factor = 0, reset = 10s)]
        db: Probe = Probe::start("db", journal).await?,
    }

    struct Steep(journal: Journal) {
        #[backoff(1ms..5s, factor = 100, random_factor = 0, reset = Manual)]
        db: Probe = Probe::start("db", journal).await?,
    }

    struct Slots(journal: Journal) {
        #[backoff(Backoff::slotted(10ms).ceiling(4))]
        turning: Probe = Probe::start("turning", journal).await?,
        #[backoff(Backoff::slotted(10ms).ceiling(4).stay_at_ceiling())]
        staying: Probe = Probe::start("staying", journal).await?,
    }

    struct High(journal: Journal) {
        #[backoff(Backoff::slotted(10ms).ceiling(20))]
        db: Probe = Probe::start("db", journal).await?,
    }

    struct Pair(journal: Journal) {
        #![strategy(AllForOne)]
        #[backoff(1s..8s, random_factor = 0, reset = Manual)]
        a: Probe = Probe::start("a", journal).await?,
        #[backoff(1s..8s, random_factor = 0, reset = Manual)]
        b: Probe = Probe::start("b", journal).await?,
    }
}

/// The delays that were announced for `path`, in order.
fn delays(events: &mut Events, path: &str) -> Vec<Duration> {
    let mut delays = Vec::new();
    while let Some(event) = events.try_next() {
        if event.path == path
            && let EventKind::RestartScheduled { after } = event.kind
        {
            delays.push(after);
        }
    }
    delays
}

/// Makes the child fail `times` times without a pause: the messages that cause it are queued in the mailbox.
async fn fail(times: u32, child: &ActorRef<Probe>) {
    for _ in 0..times {
        child.tell(Do::Fail(Boom::Told)).await.unwrap();
    }
    child.ask(Do::Get).forever().await.unwrap();
}

/// S31: the delays are 3, 6, 12, 24, 30 and 30 s, exact to the millisecond.
#[tokio::test(start_paused = true)]
async fn without_noise_the_delays_double_to_the_cap() {
    let tree = Quiet::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    let begin = Instant::now();
    fail(6, &tree.db).await;
    assert_eq!(delays(&mut events, "db"), [3, 6, 12, 24, 30, 30].map(secs));
    assert_eq!(begin.elapsed(), secs(105), "the announced delays are the real ones");
}

/// S31: a `factor` other than 2, from the smallest to the largest delay.
#[tokio::test(start_paused = true)]
async fn the_factor_multiplies_each_delay() {
    let tree = Steep::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    fail(4, &tree.db).await;
    assert_eq!(delays(&mut events, "db"), [ms(1), ms(100), secs(5), secs(5)]);
}

/// S31: jitter is a share of the capped delay, so that children at the cap spread out. Delays are whole milliseconds.
#[tokio::test(start_paused = true)]
async fn jitter_comes_after_the_cap() {
    let tree = Noisy::tree(Journal::default()).seed(42).start().await.unwrap();
    let mut events = tree.events();
    fail(40, &tree.db).await;
    let delays = delays(&mut events, "db");
    assert_eq!(delays.len(), 40);
    for (delay, least) in delays.iter().zip([3, 6, 12, 24].into_iter().chain([30; 36]).map(secs)) {
        assert!(*delay >= least && *delay <= least * 6 / 5, "{delay:?} for {least:?}");
        assert_eq!(delay.subsec_nanos() % 1_000_000, 0, "{delay:?}");
    }
    let longest = delays.iter().max().unwrap();
    assert!(*longest > secs(34), "one of the draws comes close to 36 s: {longest:?}");
}

/// S31, S45: the default backoff of a tree has its jitter, from a range as from a list, and each child draws its own:
/// after a failure, after an end by itself, as an instance of a set, and as a subtree.
#[tokio::test(start_paused = true)]
async fn a_default_backoff_has_jitter_too() {
    supervisor! {
        struct Ranged(journal: Journal) {
            #![backoff(20s..20s, random_factor = 0.5)]
            first: Probe = Probe::start("first", journal).await?,
            second: Probe = Probe::start("second", journal).await?,
            ends: Probe = Probe::start("ends", journal).await?,
            set: [Probe] = |n: u32| Probe::start(format!("{n}"), journal).await?,
            below: struct Below {
                #[decider(_ => Escalate)]
                child: Probe = Probe::start("child", journal).await?,
            },
        }
        struct Listed(journal: Journal) {
            #![backoff([20s], random_factor = 0.5)]
            first: Probe = Probe::start("first", journal).await?,
            second: Probe = Probe::start("second", journal).await?,
        }
    }
    async fn drawn(tree: &TreeRef, children: &[&ActorRef<Probe>]) {
        let mut all = Vec::new();
        for child in children {
            let mut events = tree.events();
            let path = child.path();
            let path = path.strip_suffix("/child").unwrap_or(&path);
            for _ in 0..8 {
                child.tell(if path == "ends" { Do::Stop } else { Do::Fail(Boom::Told) }).await.unwrap();
                pass(secs(31)).await;
            }
            let delays = delays(&mut events, path);
            assert_eq!(delays.len(), 8, "{path}: {delays:?}");
            assert!(delays.iter().all(|delay| (secs(20)..=secs(30)).contains(delay)), "{path}: {delays:?}");
            assert!(delays.iter().min() < Some(&secs(24)), "{path}: {delays:?}");
            assert!(delays.iter().max() > Some(&secs(26)), "{path}: {delays:?}");
            assert!(!all.contains(&delays), "{path}: {delays:?}");
            all.push(delays);
        }
    }
    let tree = Ranged::tree(Journal::default()).seed(1).start().await.unwrap();
    let instance = tree.set.spawn(1).await.unwrap();
    drawn(&tree, &[&tree.first, &tree.second, &tree.ends, &instance, &tree.below.child]).await;
    let tree = Listed::tree(Journal::default()).seed(1).start().await.unwrap();
    drawn(&tree, &[&tree.first, &tree.second]).await;
}

/// S31: a list of delays, of which some are computed, or all of them. The jitter is a share of each.
#[tokio::test(start_paused = true)]
async fn a_list_gives_its_delays_and_repeats_the_last() {
    supervisor! {
        struct Listed(journal: Journal, delay: Duration, delays: Vec<Duration>) {
            #[backoff([1ms, delay, 1h], random_factor = 0)]
            literal: Probe = Probe::start("literal", journal).await?,
            #[backoff(Backoff::steps(delays).random_factor(0).manual_reset())]
            computed: Probe = Probe::start("computed", journal).await?,
            #[backoff([10s, 20s], random_factor = 0.5)]
            noisy: Probe = Probe::start("noisy", journal).await?,
            #[backoff([10s])]
            single: Probe = Probe::start("single", journal).await?,
        }
    }
    let many: Vec<Duration> = (1..=1_000).map(secs).collect();
    let tree = Listed::tree(Journal::default(), secs(9), many.clone()).seed(1).start().await.unwrap();
    let mut events = tree.events();
    fail(5, &tree.literal).await;
    assert_eq!(delays(&mut events, "literal"), [ms(1), secs(9), secs(3600), secs(3600), secs(3600)]);
    let mut listed = Vec::new();
    for _ in 0..1_002 {
        fail(1, &tree.computed).await;
        listed.extend(delays(&mut events, "computed"));
    }
    assert_eq!(listed[..1_000], many);
    assert_eq!(listed[1_000..], [secs(1_000); 2]);
    fail(40, &tree.noisy).await;
    let noisy = delays(&mut events, "noisy");
    assert!(noisy[0] >= secs(10) && noisy[0] <= secs(15), "{noisy:?}");
    assert!(noisy[1..].iter().all(|delay| (secs(20)..=secs(30)).contains(delay)), "{noisy:?}");
    assert!(noisy.iter().max().unwrap() > &secs(28) && noisy[1..].iter().min().unwrap() < &secs(22), "{noisy:?}");
    fail(40, &tree.single).await;
    let single = delays(&mut events, "single");
    assert!(single.iter().all(|delay| (secs(10)..=secs(12)).contains(delay)), "a fifth by default: {single:?}");
    assert!(single.iter().max().unwrap() > &secs(11));
}

/// S32: a list starts over after a time that may be shorter than its first delay, also zero: then each incarnation that
/// was up starts over, and a start that fails does not.
#[tokio::test(start_paused = true)]
async fn a_list_may_start_over_before_its_first_delay_is_over() {
    supervisor! {
        struct Listed(journal: Journal, zero: Duration) {
            #[backoff([2s, 5s, 10s], random_factor = 0, reset = 0s)]
            literal: Probe = Probe::start("literal", journal).await?,
            #[backoff([2s, 5s, 10s], random_factor = 0, reset = zero)]
            computed: Probe = Probe::start("computed", journal).await?,
            #[backoff([2s, 5s, 10s], random_factor = 0, reset = 1s)]
            short: Probe = Probe::start("short", journal).await?,
            #[backoff([2s, 5s, 10s], random_factor = 0)]
            middle: Probe = Probe::start("middle", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Listed::start(journal.clone(), Duration::ZERO).await.unwrap();
    let mut events = tree.events();
    for child in [&tree.literal, &tree.computed] {
        fail(2, child).await;
        assert_eq!(delays(&mut events, &child.path()), [secs(2); 2]);
        journal.plan(&format!("{} start", child.path()), 3, Fault::Error);
        fail(1, child).await;
        assert_eq!(delays(&mut events, &child.path()), [2, 5, 10, 10].map(secs));
        fail(1, child).await;
        assert_eq!(delays(&mut events, &child.path()), [secs(2)]);
    }
    for (child, time) in [(&tree.short, secs(1)), (&tree.middle, secs(6))] {
        fail(1, child).await;
        pass(time - ms(1)).await;
        fail(1, child).await;
        pass(time).await;
        fail(1, child).await;
        assert_eq!(delays(&mut events, &child.path()), [2, 5, 2].map(secs));
    }
}

/// S31: a member that is restarted together with another keeps its own exponent.
#[tokio::test(start_paused = true)]
async fn being_restarted_along_does_not_count() {
    let tree = Pair::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    for child in [&tree.a, &tree.a, &tree.a, &tree.b, &tree.a] {
        fail(1, child).await;
        settle().await;
    }
    assert_eq!([tree.a.incarnation(), tree.b.incarnation()], [6, 6]);
    assert_eq!(
        seen(&mut events).into_iter().filter(|line| line.contains("restart in")).collect::<Vec<_>>(),
        ["a restart in 1s", "a restart in 2s", "a restart in 4s", "b restart in 1s", "a restart in 8s"]
    );
}

/// S31: a failed start of a restart counts like a failure while running.
#[tokio::test(start_paused = true)]
async fn a_failed_start_grows_the_delay_too() {
    let journal = Journal::default();
    let tree = Quiet::start(journal.clone()).await.unwrap();
    let mut events = tree.events();
    journal.plan("db start", 1, Fault::Error);
    journal.plan("db post_restart", 1, Fault::Panic);
    crate::common::quiet_panics();
    fail(1, &tree.db).await;
    assert_eq!(delays(&mut events, "db"), [3, 6, 12].map(secs));
}

/// S32: n is 0 again once an incarnation has been up for D, and not before.
#[tokio::test(start_paused = true)]
async fn auto_starts_over_after_the_time_of_good_service() {
    let tree = Healing::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    fail(2, &tree.db).await;
    pass(ms(9_999)).await;
    fail(1, &tree.db).await;
    assert_eq!(delays(&mut events, "db"), [3, 6, 12].map(secs));
    pass(secs(10)).await;
    fail(2, &tree.db).await;
    assert_eq!(delays(&mut events, "db"), [3, 6].map(secs), "up for exactly 10 s");
}

/// S32: `Manual` resets only when the actor calls `reset_backoff()`, however long the child has been up.
#[tokio::test(start_paused = true)]
async fn manual_starts_over_when_the_actor_says_so() {
    let tree = Quiet::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    fail(2, &tree.db).await;
    pass(secs(1_000_000)).await;
    fail(1, &tree.db).await;
    assert_eq!(delays(&mut events, "db"), [3, 6, 12].map(secs));
    tree.db.tell(Do::Reset).await.unwrap();
    fail(2, &tree.db).await;
    assert_eq!(delays(&mut events, "db"), [3, 6].map(secs));
}

/// S33: slot k waits a power of two, less one, of slot times, for a random power up to k. The ceiling then waits 0 (at
/// least 1 ms), and slot 1 follows.
#[tokio::test(start_paused = true)]
async fn slots_grow_and_turn_over_at_the_ceiling() {
    let tree = Slots::tree(Journal::default()).seed(7).start().await.unwrap();
    let mut events = tree.events();
    fail(80, &tree.turning).await;
    let delays = delays(&mut events, "turning");
    let slots = [&[0, 1][..], &[0, 1, 3], &[0, 1, 3, 7], &[0]];
    let mut drawn = [const { Vec::new() }; 4];
    for (i, delay) in delays.iter().enumerate() {
        let allowed: Vec<_> = slots[i % 4].iter().map(|k| (ms(10) * *k).max(ms(1))).collect();
        assert!(allowed.contains(delay), "restart {i}: {delay:?} is not one of {allowed:?}");
        drawn[i % 4].push(*delay);
    }
    assert_eq!(drawn.map(|slot| slot.into_iter().max().unwrap()), [ms(10), ms(30), ms(70), ms(1)]);
}

/// S33: with `stay_at_ceiling()` the backoff stays at the ceiling forever, until the actor resets it.
#[tokio::test(start_paused = true)]
async fn a_staying_slot_stays_at_the_ceiling() {
    let tree = Slots::tree(Journal::default()).seed(7).start().await.unwrap();
    let mut events = tree.events();
    fail(40, &tree.staying).await;
    let before = delays(&mut events, "staying");
    assert_eq!(before[4..].iter().max(), Some(&ms(150)), "the highest draw of slot 4");
    tree.staying.tell(Do::Reset).await.unwrap();
    fail(3, &tree.staying).await;
    let after = delays(&mut events, "staying");
    assert!(after[0] <= ms(10) && after[1] <= ms(30) && after[2] <= ms(70), "{after:?}");
}

/// The delays of both children of `Noisy` with this seed.
async fn drawn(seed: u64, order: [&str; 2]) -> [Vec<Duration>; 2] {
    let tree = Noisy::tree(Journal::default()).seed(seed).start().await.unwrap();
    let mut events = [tree.events(), tree.events()];
    for name in order {
        fail(5, if name == "db" { &tree.db } else { &tree.cart }).await;
    }
    let [db, cart] = &mut events;
    [delays(db, "db"), delays(cart, "cart")]
}

/// S34: the seed and the path determine the stream: it is the same in each run, in whatever order the children fail,
/// and different for another child or seed.
#[tokio::test(start_paused = true)]
async fn each_child_has_its_own_stream_from_the_trees_seed() {
    let [db, cart] = drawn(42, ["db", "cart"]).await;
    assert_eq!(drawn(42, ["db", "cart"]).await, [db.clone(), cart.clone()]);
    assert_eq!(drawn(42, ["cart", "db"]).await, [db.clone(), cart.clone()], "the two children have different streams");
    assert_ne!(db, cart);
    assert_ne!(drawn(43, ["db", "cart"]).await[0], db);
}

/// S34: the path determines the stream, not the name: children of one name in two subtrees, and elements of two arrays
/// with one index, have different streams.
#[tokio::test(start_paused = true)]
async fn children_of_one_name_have_their_own_streams() {
    supervisor! {
        struct Coasts(journal: Journal) {
            east: struct East {
                #[backoff(3s..30s, random_factor = 0.2, reset = Manual)]
                db: Probe = Probe::start("east", journal).await?,
            },
            west: struct West {
                #[backoff(3s..30s, random_factor = 0.2, reset = Manual)]
                db: Probe = Probe::start("west", journal).await?,
            },
            #[backoff(3s..30s, random_factor = 0.2, reset = Manual)]
            north: [Probe; 2] = |i| Probe::start(format!("north{i}"), journal).await?,
            #[backoff(3s..30s, random_factor = 0.2, reset = Manual)]
            south: [Probe; 2] = |i| Probe::start(format!("south{i}"), journal).await?,
        }
    }
    let tree = Coasts::tree(Journal::default()).seed(42).start().await.unwrap();
    let children = [&tree.east.db, &tree.west.db, &tree.north[1], &tree.south[1]];
    let mut drawn = Vec::new();
    for child in children {
        let mut events = tree.events();
        fail(3, child).await;
        drawn.push(delays(&mut events, &child.path()));
    }
    assert!(drawn.iter().all(|delays| delays.len() == 3), "{drawn:?}");
    drawn.sort();
    drawn.dedup();
    assert_eq!(drawn.len(), children.len(), "{drawn:?}");
}

/// S34: the seed appears in the `Started` event of the root, and only there, so that a run can be repeated.
#[tokio::test(start_paused = true)]
async fn the_root_shows_its_seed() {
    let mut blueprint = Quiet::tree(Journal::default());
    let mut events = blueprint.events();
    let tree = blueprint.start().await.unwrap();
    settle().await;
    let mut seeds = Vec::new();
    while let Some(Event { path, kind: EventKind::Started { seed }, .. }) = events.try_next() {
        seeds.push((path, seed));
    }
    assert_eq!(seeds, [("db".into(), None), ("Quiet".into(), Some(tree.seed()))]);
    let mut other = Quiet::tree(Journal::default()).seed(42);
    let mut events = other.events();
    let _tree = other.start().await.unwrap();
    settle().await;
    assert!(matches!(events.try_next(), Some(Event { kind: EventKind::Started { seed: None }, .. })));
    assert!(matches!(events.try_next(), Some(Event { kind: EventKind::Started { seed: Some(42) }, .. })));
}

/// S32, S33: `reset_backoff()` also resets slots: the next slot is the first one.
#[tokio::test(start_paused = true)]
async fn a_reset_begins_with_the_first_slot() {
    let tree = High::tree(Journal::default()).seed(7).start().await.unwrap();
    let mut events = tree.events();
    for _ in 0..8 {
        fail(8, &tree.db).await;
        tree.db.tell(Do::Reset).await.unwrap();
        delays(&mut events, "db");
        fail(1, &tree.db).await;
        let delay = delays(&mut events, "db")[0];
        assert!(delay <= ms(10), "expected at most one slot of 10 ms, got {delay:?}");
    }
}
