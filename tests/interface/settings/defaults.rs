//! Defaults inside the braces of a tree: S45.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use supervise::Cause;
use supervise::error::InvalidSettings;
use supervise::prelude::*;
use supervise::spec::DeclaredShutdown;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::{ended, fail};
use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, settle};

/// The time that a stop of this tree takes if all its actors hang.
async fn stops_in(tree: impl Future<Output = supervise::inspect::Report>) -> Duration {
    let before = Instant::now();
    let _ = tree.await;
    before.elapsed()
}

supervisor! {
    struct Times(journal: Journal, time: Duration) {
        #![lifecycle(Transient, shutdown = time, start = 3s)]
        plain: Probe = Probe::start("plain", journal).await?,
        #[lifecycle(Permanent)]
        permanent: Probe = Probe::start("permanent", journal).await?,
        #[lifecycle(shutdown = 1s)]
        short: Probe = Probe::start("short", journal).await?,
        below: struct Below {
            child: Probe = Probe::start("child", journal).await?,
        },
        other: Inner = Inner::tree(journal),
        plain_task: task = std::future::pending::<()>(),
        told: task = |cx| waits(cx),
        many: [Probe; 2] = |i| Probe::start(format!("many{i}"), journal).await?,
        set: [Probe] = |name: &'static str| Probe::start(name, journal).await?,
        maybe: Option<Probe> = Some(Probe::start("maybe", journal).await?),
    }

    struct Inner(journal: Journal) {
        leaf: Probe = Probe::start("leaf", journal).await?,
    }
}

async fn waits(cx: TaskContext) {
    cx.stopped().await;
    std::future::pending::<()>().await;
}

/// S45: the kind, `shutdown` and `start` hold for every child that says nothing else, each argument by itself; not for
/// the children of subtrees. A subtree keeps the time of its children.
#[tokio::test(start_paused = true)]
async fn a_default_lifecycle_holds_for_each_child() {
    let journal = Journal::default();
    let tree = Times::start(journal.clone(), secs(2)).await.unwrap();
    let guest = tree.set.spawn("guest").await.unwrap();
    for probe in [&tree.plain, &tree.permanent, tree.maybe.as_ref().unwrap(), &tree.many[1], &guest] {
        probe.tell(Do::Stop).await.unwrap();
    }
    tree.below.child.tell(Do::Stop).await.unwrap();
    pass(secs(1)).await;
    let again = [&tree.plain, &tree.permanent, tree.maybe.as_ref().unwrap(), &tree.many[1], &guest, &tree.below.child]
        .map(|probe| probe.is_alive());
    assert_eq!(again, [false, true, false, false, false, true], "only two are `Permanent`");
    tree.set.spawn("other guest").await.unwrap();
    for probe in [&tree.permanent, &tree.short, &tree.below.child, &tree.other.leaf, &tree.many[0]] {
        probe.tell(Do::Hang).await.unwrap();
    }
    settle().await;
    let report = tree.shutdown().await;
    let took = |path: &str| {
        let child =
            report.children.iter().find(|child| child.path == path).unwrap_or_else(|| panic!("{path}: {report}"));
        child.took.as_secs()
    };
    assert_eq!([took("permanent"), took("short"), took("many/0"), took("told")], [2, 1, 2, 2]);
    assert_eq!([took("below/child"), took("other/leaf")], [5, 5], "not the tree's own children");
    assert_eq!([took("below"), took("other")], [5, 5], "as long as its children take");
    assert_eq!(took("plain_task"), 0, "dropped at once");
}

/// S45: the time of a start is one of the defaults, also for a set and an array.
#[tokio::test(start_paused = true)]
async fn a_default_start_time_holds() {
    let journal = Journal::default();
    journal.plan("many1 start", 1, Fault::Slow(secs(60)));
    let failure = Times::start(journal.clone(), secs(2)).await.unwrap_err();
    assert!(matches!(failure.cause(), Cause::TimedOut) && failure.path() == "many/1", "{failure}");
    journal.plan("leaf start", 1, Fault::Slow(secs(60)));
    let before = Instant::now();
    let failure = Times::start(journal, secs(2)).await.unwrap_err();
    assert!(
        matches!(failure.cause(), Cause::TimedOut) && failure.path() == "other",
        "the tree has 3 s, too: {failure}"
    );
    assert!(before.elapsed() < secs(10));
}

/// S45: each kind of subtree takes the default time for the start, in which all of its children have to be up: one that is
/// declared inline, one of its own declaration, and one that may be absent.
#[tokio::test(start_paused = true)]
async fn every_kind_of_subtree_takes_a_default_start_time() {
    supervisor! {
        struct Slowly(journal: Journal) {
            #![lifecycle(start = 3s)]
            inline: struct Inline {
                one: Probe = Probe::start("one", journal).await?,
                two: Probe = Probe::start("two", journal).await?,
            },
            own: Inner = Inner::tree(journal),
            maybe: Option<Inner> = Some(Inner::tree(journal)),
            #[lifecycle(start = 9s)]
            patient: struct Patient {
                late: Probe = Probe::start("late", journal).await?,
            },
        }
    }
    let slow = [
        ("one", "inline", vec![("one start", 60)]),
        ("two", "inline", vec![("one start", 2), ("two start", 2)]),
        ("late", "patient", vec![("late start", 60)]),
    ];
    for (child, path, times) in slow {
        let (journal, before) = (Journal::default(), Instant::now());
        for (place, time) in times {
            journal.plan(place, 1, Fault::Slow(secs(time)));
        }
        let failure = Slowly::start(journal).await.unwrap_err();
        assert!(matches!(failure.cause(), Cause::TimedOut) && failure.path() == path, "{child}: {failure}");
        assert!((secs(3)..secs(15)).contains(&before.elapsed()), "{child}: {:?}", before.elapsed());
    }
}

/// S45: the declaration shows the times that hold.
#[test]
fn the_spec_has_the_default_times() {
    supervisor! {
        struct Shown(journal: Journal) {
            #![lifecycle(Transient, shutdown = 2s)]
            plain: Probe = Probe::start("plain", journal).await?,
            #[lifecycle(shutdown = 1s)]
            short: Probe = Probe::start("short", journal).await?,
            other: Inner = Inner::tree(journal),
            below: struct Side {
                child: Probe = Probe::start("child", journal).await?,
            },
        }
    }
    let [plain, short, other, below] = Shown::SPEC.children else { panic!("four") };
    assert_eq!([plain, short, other, below].map(|child| child.lifecycle), [Lifecycle::Transient; 4]);
    assert_eq!([plain, short].map(|child| child.shutdown_budget()), [Some(secs(2)), Some(secs(1))]);
    assert_eq!([other, below].map(|child| child.shutdown), [DeclaredShutdown::Default; 2]);
    assert_eq!(Shown::SPEC.shutdown_budget(), Some(secs(2 + 1 + 5 + 5)));
    assert_eq!(Shown::SPEC.settings, ["lifecycle(Transient, shutdown = 2s)"]);
    assert!(plain.settings.is_empty());
}

supervisor! {
    struct Paced(journal: Journal) {
        #![backoff(3s..30s, random_factor = 0)]
        paced: Probe = Probe::start("paced", journal).await?,
        #[backoff(1s..2s, random_factor = 0)]
        own: Probe = Probe::start("own", journal).await?,
        #[lifecycle(Temporary)]
        once: Probe = Probe::start("once", journal).await?,
        set: [Probe] = |name: &'static str| Probe::start(name, journal).await?,
        below: struct Unpaced {
            child: Probe = Probe::start("child", journal).await?,
        },
    }
}

/// S45: a default backoff is the pace of the restarts of every child that declares none.
#[tokio::test(start_paused = true)]
async fn a_default_backoff_is_the_pace() {
    let mut tree = Paced::tree(Journal::default());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    let guest = tree.set.spawn("guest").await.unwrap();
    for _ in 0..2 {
        for probe in [&tree.paced, &tree.own, &tree.once, &guest, &tree.below.child] {
            let _ = probe.try_tell(Do::Fail(Boom::Told));
        }
        settle().await;
        pass(secs(20)).await;
        settle().await;
    }
    assert_eq!(tree.paced.incarnation(), 3);
    let mut seen = std::collections::BTreeMap::<String, Vec<Duration>>::new();
    while let Some(event) = events.try_next() {
        if let supervise::event::EventKind::RestartScheduled { after } = event.kind {
            seen.entry(event.path.to_string()).or_default().push(after);
        }
    }
    let seen: Vec<_> = seen.iter().map(|(path, delays)| (&**path, &**delays)).collect();
    assert_eq!(
        seen,
        [
            ("below/child", &[ms(0), ms(0)][..]),
            ("own", &[secs(1), secs(1)]),
            ("paced", &[secs(3), secs(3)]),
            ("set/#1", &[secs(3), secs(3)]),
        ]
    );
    assert!(matches!(tree.once.ended(), Some(Ended::Failed(_))));
}

/// S45: a pace declares no backoff: a failed first start is not tried again.
#[tokio::test(start_paused = true)]
async fn a_pace_retries_no_first_start() {
    let journal = Journal::default();
    journal.plan("paced start", 1, Fault::Error);
    let failure = Paced::start(journal.clone()).await.unwrap_err();
    assert_eq!(failure.path(), "paced");
    journal.plan("own start", 1, Fault::Error);
    assert!(Paced::start(journal).await.is_ok(), "a declared backoff does");
}

/// S45: a pace lifts no limit.
#[tokio::test(start_paused = true)]
async fn a_pace_lifts_no_limit() {
    supervisor! {
        struct Quick(journal: Journal) {
            #![backoff(10ms..20ms, random_factor = 0)]
            #[limit(on_limit = Stop)]
            paced: Probe = Probe::start("paced", journal).await?,
            #[backoff(10ms..20ms, random_factor = 0)]
            own: Probe = Probe::start("own", journal).await?,
        }
    }
    let tree = Quick::start(Journal::default()).await.unwrap();
    for _ in 0..11 {
        let _ = tree.own.tell(Do::Fail(Boom::Told)).await;
        let _ = tree.paced.tell(Do::Fail(Boom::Told)).await;
        pass(ms(30)).await;
        settle().await;
    }
    assert!(matches!(ended(&tree.paced).await, Ended::Limit(_)));
    assert_eq!(tree.own.incarnation(), 12);
}

/// S45: the waits of a group count the pace.
#[tokio::test(start_paused = true)]
async fn a_group_waits_at_the_pace() {
    supervisor! {
        struct Grouped(journal: Journal) {
            #![strategy(AllForOne)]
            #![backoff(3s..30s, random_factor = 0)]
            a: Probe = Probe::start("a", journal).await?,
            b: Probe = Probe::start("b", journal).await?,
        }
    }
    let tree = Grouped::start(Journal::default()).await.unwrap();
    fail(&tree.b, 1).await;
    pass(ms(2999)).await;
    assert_eq!((tree.a.incarnation(), tree.b.incarnation()), (1, 1));
    pass(ms(2)).await;
    settle().await;
    assert_eq!((tree.a.incarnation(), tree.b.incarnation()), (2, 2));
}

supervisor! {
    struct Boxes(room: usize, wait: Duration) {
        #![mailbox(Bounded(room), ask = wait)]
        small: Probe = Probe::start("small", Journal::default()).await?,
        #[mailbox(Bounded(7))]
        large: Probe = Probe::start("large", Journal::default()).await?,
        #[mailbox(Unbounded, ask = 9s)]
        both: Probe = Probe::start("both", Journal::default()).await?,
        #[mailbox(ask = 3s)]
        patient: Probe = Probe::start("patient", Journal::default()).await?,
        set: [Probe] = |name: &'static str| Probe::start(name, Journal::default()).await?,
        work: task = std::future::pending::<()>(),
        below: struct Deep {
            child: Probe = Probe::start("child", Journal::default()).await?,
        },
        other: Inner = Inner::tree(Journal::default()),
    }
}

/// S45: the size of the mailbox and the time of an `ask` are defaults by argument, for actors.
#[tokio::test(start_paused = true)]
async fn a_default_mailbox_holds_for_each_actor() {
    let tree = Boxes::start(2, secs(1)).await.unwrap();
    let guest = tree.set.spawn("guest").await.unwrap();
    let leaf = tree.other.leaf.clone();
    let probes = [&tree.small, &tree.large, &tree.both, &tree.patient, &guest, &tree.below.child, &leaf];
    let mut rooms = Vec::new();
    let mut waits = Vec::new();
    for probe in probes {
        probe.tell(Do::Hang).await.unwrap();
        settle().await;
        let before = Instant::now();
        probe.ask(Do::Get).await.unwrap_err();
        waits.push(before.elapsed().as_secs());
        let fits = (0..2_000).take_while(|_| probe.try_tell(Do::Note("fits")).is_ok()).count();
        rooms.push(fits + 1); // the unanswered question takes a place too
    }
    assert_eq!(waits, [1, 1, 9, 3, 1, 5, 5]);
    assert_eq!(rooms, [2, 7, 2_001, 2, 2, 1024, 1024]);
}

/// S45: a default is evaluated once for each start of the tree, before its children.
#[tokio::test(start_paused = true)]
async fn a_default_is_evaluated_once() {
    #[derive(Clone, Default)]
    struct Counted(Arc<AtomicU32>);
    impl Counted {
        fn time(&self) -> Duration {
            self.0.fetch_add(1, Ordering::Relaxed);
            secs(1)
        }
    }
    supervisor! {
        struct Once(counted: Counted) {
            #![lifecycle(shutdown = counted.time())]
            a: Probe = Probe::start("a", Journal::default()).await?,
            b: Probe = Probe::start("b", Journal::default()).await?,
            c: [Probe; 5] = |i| Probe::start(format!("c{i}"), Journal::default()).await?,
        }
    }
    let counted = Counted::default();
    let tree = Once::start(counted.clone()).await.unwrap();
    assert_eq!(counted.0.load(Ordering::Relaxed), 1);
    tree.c[4].tell(Do::Hang).await.unwrap();
    settle().await;
    assert_eq!(stops_in(tree.shutdown()).await, secs(1));
}

/// S45: `Temporary` as a default is a set's word, too: arguments are moved into the only start.
#[tokio::test(start_paused = true)]
async fn a_default_temporary_moves_arguments() {
    struct Socket(u32); // not `Clone`
    supervisor! {
        struct Conns {
            #![lifecycle(Temporary)]
            conns: [task] = |socket: Socket, out: oneshot::Sender<u32>| async move { out.send(socket.0).unwrap() },
            #[lifecycle(Permanent)]
            keeper: task = std::future::pending::<()>(),
        }
    }
    let tree = Conns::start().await.unwrap();
    let (out, answer) = oneshot::channel();
    tree.conns.spawn(Socket(7), out).await.unwrap();
    assert_eq!(answer.await.unwrap(), 7);
}

/// S45: a default that is computed is checked where it meets the child, at the start of the tree.
#[tokio::test(start_paused = true)]
async fn a_computed_default_is_checked_with_each_child() {
    supervisor! {
        struct Drains(time: ShutdownTimeout) {
            #![lifecycle(shutdown = time)]
            plain: Probe = Probe::start("plain", Journal::default()).await?,
            #[lifecycle(drain)]
            drains: Probe = Probe::start("drains", Journal::default()).await?,
        }
        struct Grows(backoff: Backoff) {
            #![backoff(backoff)]
            plain: Probe = Probe::start("plain", Journal::default()).await?,
        }
    }
    use supervise::policy::ShutdownTimeout;
    let failure = Drains::start(ShutdownTimeout::Kill).await.unwrap_err();
    assert_eq!((failure.path(), failure.get()), ("drains", Some(&InvalidSettings::DrainWithoutTime)));
    let failure = Boxes::start(0, secs(1)).await.unwrap_err();
    assert_eq!((failure.path(), failure.get()), ("small", Some(&InvalidSettings::NoPlaces)));
    let failure = Grows::start(Backoff::exponential(secs(2)..secs(1))).await.unwrap_err();
    assert!(matches!(failure.get(), Some(InvalidSettings::EmptyRange { .. })), "{failure}");
    assert_eq!(failure.path(), "plain");
}
