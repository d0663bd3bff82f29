//! The restart budget: S15.

use supervise::Cause;
use supervise::inspect::NodeState;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::backoff::built_in_delays::waits;
use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, quiet_panics, secs, seen, settle, soon};

/// S15: by default ten restarts in a minute; the eleventh escalates with `LimitReached`.
#[tokio::test(start_paused = true)]
async fn the_default_budget_is_ten_restarts_in_a_minute() {
    supervisor! {
        struct One(journal: Journal) {
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    let one = One::start(Journal::default()).await.unwrap();
    for _ in 0..10 {
        one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(secs(5)).await;
    }
    assert_eq!(one.probe.incarnation(), 11);
    pass(secs(10)).await; // the first of them is 60 s old and does not count any more
    one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(4)).await;
    assert_eq!(one.probe.incarnation(), 12);
    one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    let report = soon(one.join()).await;
    assert!(matches!(&report.ended, Ended::Limit(failure) if matches!(failure.cause(), Cause::LimitReached)));
}

/// S15: the window slides: there are never more than `max_restarts` in any window, wherever it begins.
#[tokio::test(start_paused = true)]
async fn the_window_slides() {
    supervisor! {
        struct One(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 2, within = 1s, on_limit = Stop)]
            probe: Probe = Probe::start("probe", journal.clone()).await?,
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    // Each row: restarts at these times, and whether the last one is allowed.
    for (times, allowed) in
        [(&[0, 900, 1_000, 1_900, 2_000][..], true), (&[0, 900, 1_000, 1_899][..], false), (&[0, 900, 999][..], false)]
    {
        let one = One::start(Journal::default()).await.unwrap();
        let begun = Instant::now();
        for time in times {
            tokio::time::sleep_until(begun + ms(*time)).await;
            one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
            settle().await;
        }
        pass(ms(50)).await;
        assert_eq!(one.probe.ended().is_none(), allowed, "{times:?}");
        assert_eq!(one.other.ask(Do::Get).await.unwrap(), 0, "the budget is that of one child");
    }
}

/// S15, C6: four failures take at least 20 ms, because the first restart is immediate and the next ones are 10 ms
/// apart. A window of 20 ms does not compile.
#[tokio::test(start_paused = true)]
async fn the_shortest_window_that_compiles_can_be_reached() {
    supervisor! {
        struct One(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 3, within = 21ms)]
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    let one = One::start(Journal::default()).await.unwrap();
    one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    for _ in 0..3 {
        one.probe.ask(Do::Get).await.unwrap();
        one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    }
    let report = soon(one.join()).await;
    assert!(matches!(&report.ended, Ended::Limit(failure) if matches!(failure.cause(), Cause::LimitReached)));
}

/// S15: a declared backoff lifts the default limit; `Unlimited` states this explicitly; a declared limit applies in
/// addition to a backoff.
#[tokio::test(start_paused = true)]
async fn a_declared_backoff_has_no_budget_unless_one_is_declared() {
    supervisor! {
        struct Tree(journal: Journal) {
            #[backoff(1ms..1ms)]
            free: Probe = Probe::start("free", journal.clone()).await?,
            #[limit(max_restarts = Unlimited)]
            unlimited: Probe = Probe::start("unlimited", journal.clone()).await?,
            #[backoff(1ms..1ms)]
            #[limit(max_restarts = 3, on_limit = Stop)]
            limited: Probe = Probe::start("limited", journal).await?,
        }
    }
    let tree = Tree::start(Journal::default()).await.unwrap();
    for _ in 0..30 {
        for probe in [&tree.free, &tree.unlimited, &tree.limited] {
            let _ = probe.tell(Do::Fail(Boom::Told)).await;
        }
        pass(ms(100)).await;
    }
    assert_eq!((tree.free.incarnation(), tree.unlimited.incarnation(), tree.limited.incarnation()), (31, 31, 4));
    assert!(matches!(tree.limited.ended(), Some(Ended::Limit(_))));
}

/// S15: a group has no default budget only if every member declares a backoff.
#[tokio::test(start_paused = true)]
async fn a_group_is_free_of_the_default_budget_if_every_member_declares_a_backoff() {
    supervisor! {
        struct Free(journal: Journal) {
            #![strategy(AllForOne)]
            #[backoff(1ms..1ms)]
            first: Probe = Probe::start("first", journal.clone()).await?,
            #[backoff(1ms..1ms)]
            second: Probe = Probe::start("second", journal).await?,
        }
        struct Bound(journal: Journal) {
            #![strategy(AllForOne)]
            #[backoff(1ms..1ms)]
            first: Probe = Probe::start("first", journal.clone()).await?,
            second: Probe = Probe::start("second", journal).await?,
        }
    }
    let free = Free::start(Journal::default()).await.unwrap();
    let bound = Bound::start(Journal::default()).await.unwrap();
    for _ in 0..20 {
        free.first.tell(Do::Fail(Boom::Told)).await.unwrap();
        let _ = bound.first.tell(Do::Fail(Boom::Told)).await;
        pass(ms(100)).await;
    }
    assert_eq!((free.second.incarnation(), bound.second.incarnation()), (21, 11));
    assert!(matches!(bound.ended(), Some(Ended::Limit(_))));
}

/// S15: with 0 a child never restarts; without `within` the count covers the life of the supervisor.
#[tokio::test(start_paused = true)]
async fn a_limit_of_zero_and_a_limit_without_a_window() {
    supervisor! {
        struct Tree(journal: Journal) {
            #[limit(max_restarts = 0, on_limit = Stop)]
            never: Probe = Probe::start("never", journal.clone()).await?,
            #[limit(max_restarts = 2, on_limit = Stop)]
            twice: Probe = Probe::start("twice", journal).await?,
        }
    }
    let tree = Tree::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    tree.never.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(
        seen(&mut events),
        ["never failed", "never decided Stop", "never limit", "never ended Limit"],
        "no restart, no pre_restart"
    );
    for expected in [2, 3, 3] {
        let _ = tree.twice.tell(Do::Fail(Boom::Told)).await;
        pass(secs(24 * 3600)).await;
        assert_eq!(tree.twice.incarnation(), expected);
    }
    assert!(matches!(tree.twice.ended(), Some(Ended::Limit(_))));
}

/// S15: a child's own `limit` replaces the tree's, field by field.
#[tokio::test(start_paused = true)]
async fn each_field_of_a_childs_limit_stands_for_itself() {
    supervisor! {
        struct Tree(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 1, within = 1s, on_limit = Stop)]
            #[limit(within = 1h)]
            longer: Probe = Probe::start("longer", journal.clone()).await?,
            trees: Probe = Probe::start("trees", journal.clone()).await?,
            #[limit(max_restarts = 2)]
            twice: Probe = Probe::start("twice", journal).await?,
        }
    }
    let tree = Tree::start(Journal::default()).await.unwrap();
    for _ in 0..2 {
        tree.longer.tell(Do::Fail(Boom::Told)).await.unwrap();
        tree.trees.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(secs(2)).await;
    }
    assert!(matches!(tree.longer.ended(), Some(Ended::Limit(_))));
    assert_eq!(tree.trees.incarnation(), 3);
    // Two restarts within the tree's second, and any number in total.
    for expected in [2, 3, 4, 5] {
        tree.twice.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(ms(600)).await;
        assert_eq!(tree.twice.incarnation(), expected);
    }
    for _ in 0..2 {
        let _ = tree.twice.tell(Do::Fail(Boom::Told)).await;
        pass(ms(20)).await;
    }
    assert!(matches!(tree.twice.ended(), Some(Ended::Limit(_))));
}

/// S15: a restart after an end by itself and each retry count against the budget; a group restart counts once.
#[tokio::test(start_paused = true)]
async fn ends_and_retries_count_and_a_group_restart_counts_once() {
    supervisor! {
        struct Group(journal: Journal) {
            #![strategy(AllForOne, max_restarts = 4)]
            first: Probe = Probe::start("first", journal.clone()).await?,
            second: Probe = Probe::start("second", journal.clone()).await?,
            third: Probe = Probe::start("third", journal).await?,
        }
    }
    let journal = Journal::default();
    let group = Group::start(journal.clone()).await.unwrap();
    group.second.tell(Do::Fail(Boom::Told)).await.unwrap(); // 1
    pass(secs(1)).await;
    group.first.tell(Do::Stop).await.unwrap(); // 2
    pass(secs(1)).await;
    journal.plan("third start", 1, Fault::Error);
    group.third.tell(Do::Fail(Boom::Told)).await.unwrap(); // 3, and 4 for the retry
    pass(secs(1)).await;
    assert!(group.ended().is_none());
    assert_eq!((group.first.incarnation(), group.third.incarnation()), (5, 5));
    group.first.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(soon(group.join()).await.ended, Ended::Limit(_)));
}

/// S15: restarts from above and absorbed failures do not count against the budget, and a new incarnation of the
/// supervisor has fresh budgets and backoffs.
#[tokio::test(start_paused = true)]
async fn a_new_incarnation_of_the_supervisor_has_fresh_budgets_and_backoffs() {
    supervisor! {
        struct Top(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 2)]
            inner: struct Inner {
                #![strategy(OneForOne, max_restarts = 1)]
                #[backoff(1s..64s, random_factor = 0)]
                paced: Probe = Probe::start("paced", journal.clone()).await?,
                probe: Probe = Probe::start("probe", journal).await?,
            },
        }
    }
    let top = Top::start(Journal::default()).await.unwrap();
    let (mut events, mut limits) = (top.events(), top.events());
    for _ in 0..2 {
        top.inner.paced.tell(Do::Fail(Boom::Told)).await.unwrap(); // its only restart
        pass(secs(5)).await;
        top.inner.probe.tell(Do::Fail(Boom::Told)).await.unwrap(); // its only restart
        pass(secs(5)).await;
        top.inner.probe.tell(Do::Fail(Boom::Told)).await.unwrap(); // one too many: `inner` restarts
        pass(secs(5)).await;
    }
    assert!(top.ended().is_none());
    assert_eq!(top.inner.probe.incarnation(), 5);
    assert_eq!(waits(&mut events, "inner/paced"), [1_000, 1_000], "a fresh backoff");
    assert_eq!(seen(&mut limits).iter().filter(|line| *line == "inner/probe limit").count(), 2);
    // The budget of `inner` itself, in its own supervisor, is used up by now.
    top.inner.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(5)).await;
    top.inner.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(soon(top.join()).await.ended, Ended::Limit(_)));
}

/// S15: at its limit, an instance of a `[..]` ends alone, and each instance has its own budget.
#[tokio::test(start_paused = true)]
async fn an_instance_of_a_set_at_its_limit_ends_alone() {
    supervisor! {
        struct Tree(journal: Journal) {
            #[limit(max_restarts = 1)]
            probes: [Probe] = |name: &'static str| Probe::start(name, journal.clone()).await?,
        }
    }
    quiet_panics();
    let tree = Tree::start(Journal::default()).await.unwrap();
    let (one, other) = (tree.probes.spawn("one").await.unwrap(), tree.probes.spawn("other").await.unwrap());
    for _ in 0..2 {
        one.tell(Do::Panic).await.unwrap();
        pass(secs(1)).await;
    }
    assert!(matches!(one.ended(), Some(Ended::Limit(_))));
    other.tell(Do::Panic).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(other.incarnation(), 2);
}

/// S15: with a shared budget, the restarts of all children count together, and only the failed child restarts. A set is
/// one member, and its instances have budgets of their own.
#[tokio::test(start_paused = true)]
async fn a_shared_budget_counts_the_restarts_of_all_children() {
    supervisor! {
        struct Tree(journal: Journal, max: u32) {
            #![strategy(OneForOne, max_restarts = max, within = 1min, budget = Shared)]
            a: Probe = Probe::start("a", journal).await?,
            pair: [Probe; 2] = |i| Probe::start(format!("pair {i}"), journal).await?,
            #[decider(_ => Restart)]
            #[limit(max_restarts = 1, within = 1min)]
            set: [Probe] = || Probe::start("instance", journal).await?,
        }
    }
    let tree = Tree::start(Journal::default(), 3).await.unwrap();
    let one = soon(tree.set.spawn()).await.unwrap();
    let fail = async |child: &ActorRef<Probe>| {
        child.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(secs(1)).await;
    };
    fail(&one).await;
    for child in [&tree.a, &tree.pair[0], &tree.pair[1]] {
        fail(child).await;
    }
    let incarnations = [&tree.a, &tree.pair[0], &tree.pair[1], &one].map(ActorRef::incarnation);
    assert_eq!(incarnations, [2; 4], "each of them restarted alone");
    fail(&one).await; // the limit of the instance ends it, and nothing else
    assert!(matches!(one.ended(), Some(Ended::Limit(_))));
    pass(ms(56_500)).await; // one restart has left the window
    tree.pair[0].tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(tree.pair[0].incarnation(), 3);
    assert!(tree.ended().is_none());
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    let report = soon(tree.join()).await;
    let failure = report.ended.failure().expect("the limit fails the tree");
    assert!(matches!(failure.cause(), Cause::LimitReached), "{failure}");
    assert_eq!(failure.path(), "a");
}

/// S15: the default of a shared budget is 10 restarts in a minute, unless every member declares a backoff. A snapshot
/// shows it for each member. A requested start has a budget of its own.
#[tokio::test(start_paused = true)]
async fn a_shared_budget_has_the_defaults_of_a_group() {
    supervisor! {
        struct Patient(journal: Journal) {
            #![strategy(OneForOne, budget = Shared)]
            #[backoff(1ms..2ms)]
            a: Probe = Probe::start("a", journal).await?,
            #[backoff(1ms..2ms)]
            b: Probe = Probe::start("b", journal).await?,
        }
        struct Mixed(journal: Journal) {
            #![strategy(OneForOne, budget = Shared)]
            #[backoff(1ms..2ms)]
            a: Probe = Probe::start("a", journal).await?,
            b: Probe = Probe::start("b", journal).await?,
        }
    }
    let tree = Patient::start(Journal::default()).await.unwrap();
    for _ in 0..100 {
        tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(ms(10)).await;
    }
    assert_eq!((tree.a.incarnation(), tree.b.incarnation()), (101, 1));
    let journal = Journal::default();
    let tree = Mixed::start(journal.clone()).await.unwrap();
    tree.b.stop();
    soon(tree.b.terminated()).await.unwrap();
    journal.plan("b start", 1, Fault::Error);
    tree.b.start_again().unwrap();
    pass(secs(1)).await;
    assert!(matches!(tree.b.ended(), Some(Ended::Failed(_))), "a first start without a backoff");
    tree.b.start_again().unwrap();
    pass(secs(1)).await;
    for n in 1..=10 {
        let child = if n % 2 == 0 { &tree.a } else { &tree.b };
        child.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(secs(1)).await;
        for node in &tree.snapshot().root.children {
            let restarts = node.restarts.as_ref().expect("a child has a budget");
            assert_eq!((restarts.used, restarts.max), (n, Some(10)), "{}", node.path);
        }
    }
    assert!(tree.ended().is_none());
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    let report = soon(tree.join()).await;
    assert!(matches!(report.ended.failure().map(Failure::cause), Some(Cause::LimitReached)));
}

/// S15, S38: the children that an actor spawns can share a budget.
#[tokio::test(start_paused = true)]
async fn the_children_of_an_actor_can_share_a_budget() {
    struct Boss(Journal);
    #[actor]
    impl Boss {
        async fn handle(&mut self, reply: Reply<[ActorRef<Probe>; 2]>, cx: &mut Context<Self>) {
            let mut spawned = Vec::new();
            for name in ["a", "b"] {
                let journal = self.0.clone();
                spawned.push(cx.spawn(child! { name: Probe = Probe::start(name, journal).await? }).await.unwrap());
            }
            let journal = self.0.clone();
            let limited = cx.spawn(child! {
                #[limit(max_restarts = 1)]
                "limited": Probe = Probe::start("limited", journal).await?
            });
            assert!(
                limited.await.unwrap_err().to_string().contains("with a shared budget all children share one limit")
            );
            reply.send(spawned.try_into().unwrap());
        }
        #[supervision]
        fn children(&self) -> SupervisorStrategy {
            strategy! { #![strategy(OneForOne, max_restarts = 2, within = 1min, budget = Shared)] }
        }
    }
    supervisor! {
        struct Tree(journal: Journal) {
            #![decider(_ => Stop)]
            boss: Boss = Boss(journal),
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let tree = Tree::start(Journal::default()).await.unwrap();
    let spawns_two_that_fail = async || {
        let [a, b] = soon(tree.boss.ask(|reply| reply)).await.unwrap();
        for child in [&a, &b] {
            child.tell(Do::Fail(Boom::Told)).await.unwrap();
            pass(secs(1)).await;
        }
        assert_eq!((a.incarnation(), b.incarnation()), (2, 2));
        b
    };
    spawns_two_that_fail().await;
    soon(tree.boss.restart().unwrap()).await.unwrap(); // the next instance has the same strategy
    let b = spawns_two_that_fail().await;
    b.tell(Do::Fail(Boom::Told)).await.unwrap();
    let ended = soon(tree.boss.terminated()).await.unwrap();
    assert!(matches!(ended.failure().map(Failure::cause), Some(Cause::LimitReached)), "{ended}");
}

/// S15, S6: with a budget of no restart the texts say so. Nothing was restarted, and so not too often either.
#[tokio::test(start_paused = true)]
async fn a_limit_of_no_restart_says_that_none_is_allowed() {
    supervisor! {
        struct Exchange(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 0)]
            #![lifecycle(Permanent)]
            relay: Probe = Probe::start("relay", journal).await?,
            pump: task = |cx| async move { cx.stopped().await },
        }
    }
    quiet_panics();
    for (order, why) in [
        (Do::Stop, "ended by itself, and no restart is allowed"),
        (Do::Fail(Boom::Told), "Told, and no restart is allowed"),
        (Do::Panic, "panicked: planned panic, and no restart is allowed"),
    ] {
        let exchange = Exchange::start(Journal::default()).await.unwrap();
        let mut events = exchange.events();
        exchange.relay.tell(order).await.unwrap();
        let report = soon(exchange.join()).await;
        let text = format!("relay failed while running: {why}");
        assert_eq!(report.to_string(), text);
        let Ended::Limit(failure) = &report.ended else { panic!("{report}") };
        assert!(matches!(failure.cause(), Cause::LimitReached));
        assert!(failure.before().is_some() && std::error::Error::source(failure).is_none(), "all is said already");

        let mut lines = Vec::new();
        while let Some(event) = events.try_next() {
            lines.push(event.to_string());
        }
        let is_there = |line: &str| assert!(lines.iter().any(|each| each == line), "{line}: {lines:#?}");
        is_there("relay #1 may not be restarted");
        is_there(&format!("Exchange #1 escalates: {text}"));
        is_there(&format!("Exchange #1 failed: {why}"));
        is_there(&format!("Exchange #1 ended: {text}"));
        assert!(lines.iter().all(|line| !line.contains("often") && !line.contains("used up its")), "{lines:#?}");
    }
}

/// S15, S42: so do health and a snapshot, with the words of a child that ended by itself; each level says it once, and a
/// limit that was used up says what it was.
#[tokio::test(start_paused = true)]
async fn a_limit_of_no_restart_is_told_once_at_any_depth() {
    struct Sold;
    #[actor]
    impl Sold {
        fn handle(&mut self, _msg: (), cx: &mut Context<Self>) {
            cx.stop_with("sold out");
        }
    }
    supervisor! {
        struct Market {
            #![strategy(OneForOne, max_restarts = 1)]
            #[limit(max_restarts = 0, on_limit = Stop)]
            stall: Sold = Sold,
            #[limit(max_restarts = 0, on_limit = Stop)]
            hall: struct Hall {
                #![strategy(OneForOne, max_restarts = 0)]
                table: Sold = Sold,
            },
            #[limit(max_restarts = 0, on_limit = Stop)]
            yard: struct Yard {
                #![strategy(OneForOne, max_restarts = 1)]
                cart: Sold = Sold,
            },
            #[limit(max_restarts = 1, on_limit = Stop)]
            roof: struct Roof {
                #![strategy(OneForOne, max_restarts = 0)]
                bird: Sold = Sold,
            },
            last: Sold = Sold,
        }
    }
    let market = Market::start().await.unwrap();
    market.stall.tell(()).await.unwrap();
    market.hall.table.tell(()).await.unwrap();
    for _ in 0..2 {
        market.yard.cart.tell(()).await.unwrap();
        market.roof.bird.tell(()).await.unwrap();
        pass(secs(1)).await;
    }
    let none = "ended by itself: sold out, and no restart is allowed";
    let ended = |path: &str| match &market.snapshot().find(path).expect("a node").state {
        NodeState::Ended(ended) => ended.to_string(),
        other => panic!("{path} is {other}"),
    };
    assert_eq!(ended("stall"), format!("stall failed while running: {none}"));
    assert_eq!(ended("hall"), format!("hall/table failed while running: {none}"));
    assert_eq!(
        ended("yard"),
        "yard/cart failed while running: restarted too often (last: yard/cart failed while running: ended by itself: \
         sold out), and no restart is allowed"
    );
    assert_eq!(
        ended("roof"),
        format!("roof/bird failed while running: restarted too often (last: roof/bird failed while running: {none})")
    );
    let health = market.health().to_string();
    assert!(health.contains(&format!("stall has ended: failed while running: {none}")), "{health}");
}
