//! How often a child has been restarted in a row, and for how long: S32, as deciders see it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::event::EventKind;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, settle, soon};

/// Remembers what deciders were asked about: the path, the restarts in a row, and their time in milliseconds.
#[derive(Clone, Default)]
struct Rows(Arc<Mutex<Vec<(String, u32, u64)>>>);

impl Rows {
    fn default_for(&self, failure: &Failure) -> Directive {
        let row = (failure.path().to_owned(), failure.in_a_row(), failure.failing_for().as_millis() as u64);
        self.0.lock().unwrap().push(row);
        Directive::Default
    }

    /// The rows of this child since the last call, whose place is dropped from the list.
    fn of(&self, path: &str) -> Vec<(u32, u64)> {
        let mut all = self.0.lock().unwrap();
        let found = all.iter().filter(|(of, ..)| of == path).map(|(_, n, time)| (*n, *time)).collect();
        all.retain(|(of, ..)| of != path);
        found
    }
}

async fn fail(child: &ActorRef<Probe>) {
    child.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
}

/// Fails, and lets the time pass.
async fn fail_and(child: &ActorRef<Probe>, time: Duration) {
    fail(child).await;
    pass(time).await;
}

/// S32: a decider gives up after a number of restarts or a time, written as literals or computed.
#[tokio::test(start_paused = true)]
async fn a_decider_gives_up_after_a_number_or_a_time() {
    supervisor! {
        struct Tree(journal: Journal, patience: Duration, retries: u32) {
            #![decider(_ => Escalate)]
            #[backoff(1min..10min, random_factor = 0, reset = Manual)]
            #[decider(_ if failure.failing_for() >= 2h => Stop, _ => Default)]
            literal: Probe = Probe::start("literal", journal).await?,
            #[backoff(1min..10min, random_factor = 0, reset = Manual)]
            #[decider(_: Boom if failure.failing_for() >= patience => Stop, Boom::Told => Default)]
            computed: Probe = Probe::start("computed", journal).await?,
            #[backoff(1s..2s)]
            #[decider(Boom::Told if failure.in_a_row() >= 5 => Stop, _ => Default)]
            number: Probe = Probe::start("number", journal).await?,
            #[decider(_ => match failure.in_a_row() { n if n >= retries => Directive::Stop, _ => Directive::Default })]
            computed_number: Probe = Probe::start("computed_number", journal).await?,
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let tree = Tree::start(Journal::default(), secs(2 * 3600), 3).await.unwrap();
    for child in [&tree.literal, &tree.computed] {
        let begun = Instant::now();
        while begun.elapsed() < secs(4 * 3600) && child.tell(Do::Fail(Boom::Told)).await.is_ok() {
            settle().await;
            pass(secs(20)).await;
        }
        // Restarts after 1, 2, 4, 8, and then every 10 minutes: the first failure after two hours stops the child.
        assert!(matches!(soon(child.terminated()).await, Ok(Ended::Failed(_))));
        assert_eq!(begun.elapsed().as_secs() / 60, 125, "{}", child.path());
        assert_eq!(child.incarnation(), 16);
    }
    for (child, incarnations) in [(&tree.number, 6), (&tree.computed_number, 4)] {
        for _ in 0..100 {
            let _ = child.tell(Do::Fail(Boom::Told)).await;
            settle().await;
        }
        assert!(matches!(soon(child.terminated()).await, Ok(Ended::Failed(_))));
        assert_eq!(child.incarnation(), incarnations, "{}", child.path());
    }
    assert!(tree.ended().is_none());
}

/// S32: an incarnation that was up for the `reset` of the backoff ends the row, and a message that was handled does
/// not. Without a backoff it is 10 s; with `Manual` the actor says so.
#[tokio::test(start_paused = true)]
async fn the_row_ends_with_the_reset_of_the_backoff() {
    supervisor! {
        struct Tree(journal: Journal, rows: Rows) {
            #![decider(move |failure: &Failure| rows.default_for(failure))]
            plain: Probe = Probe::start("plain", journal).await?,
            #[backoff(1s..2s, random_factor = 0, reset = 5s)]
            auto: Probe = Probe::start("auto", journal).await?,
            #[backoff(1s..2s, random_factor = 0, reset = Manual)]
            manual: Probe = Probe::start("manual", journal).await?,
            #[backoff(Backoff::slotted(1ms).ceiling(3))]
            slotted: Probe = Probe::start("slotted", journal).await?,
        }
    }
    let rows = Rows::default();
    let tree = Tree::start(Journal::default(), rows.clone()).await.unwrap();

    pass(secs(3600)).await;
    for time in [ms(9_000), ms(9_999), ms(10_000), ms(0)] {
        tree.plain.tell(Do::Add(1)).await.unwrap();
        fail_and(&tree.plain, time).await;
    }
    // The restarts were immediate, since each incarnation had handled a message.
    assert_eq!(rows.of("plain"), [(0, 0), (1, 9_000), (2, 18_999), (0, 0)]);

    fail_and(&tree.auto, secs(1)).await;
    pass(ms(4_999)).await;
    fail_and(&tree.auto, secs(2)).await;
    pass(secs(5)).await;
    fail(&tree.auto).await;
    assert_eq!(rows.of("auto"), [(0, 0), (1, 5_999), (0, 0)]);

    for _ in 0..2 {
        fail_and(&tree.manual, secs(3600)).await;
    }
    tree.manual.tell(Do::Reset).await.unwrap();
    fail_and(&tree.manual, secs(2)).await;
    fail(&tree.manual).await;
    assert_eq!(rows.of("manual"), [(0, 0), (1, 3_600_000), (0, 0), (1, 2_000)]);

    for _ in 0..2 {
        fail_and(&tree.slotted, secs(3600)).await;
    }
    tree.slotted.tell(Do::Reset).await.unwrap();
    fail(&tree.slotted).await;
    assert_eq!(rows.of("slotted"), [(0, 0), (1, 3_600_000), (0, 0)]);
}

/// S32: each member of an array and each instance of a set has a row of its own.
#[tokio::test(start_paused = true)]
async fn each_member_and_each_instance_has_its_own_row() {
    supervisor! {
        struct Tree(journal: Journal, rows: Rows) {
            #![decider(move |failure: &Failure| rows.default_for(failure))]
            pair: [Probe; 2] = |i| Probe::start(format!("pair {i}"), journal).await?,
            set: [u32 => Probe] = |key: u32| Probe::start(format!("set {key}"), journal).await?,
        }
    }
    let rows = Rows::default();
    let tree = Tree::start(Journal::default(), rows.clone()).await.unwrap();
    let one = soon(tree.set.spawn(1)).await.unwrap();
    let two = soon(tree.set.spawn(2)).await.unwrap();
    for child in [&tree.pair[0], &tree.pair[1], &tree.pair[0], &one, &two, &one, &one] {
        fail_and(child, secs(1)).await;
    }
    assert_eq!(rows.of(&tree.pair[0].path()), [(0, 0), (1, 2_000)]);
    assert_eq!(rows.of(&tree.pair[1].path()), [(0, 0)]);
    assert_eq!(rows.of(&one.path()), [(0, 0), (1, 2_000), (2, 3_000)]);
    assert_eq!(rows.of(&two.path()), [(0, 0)]);
    assert_eq!(rows.0.lock().unwrap().len(), 0);
}

/// S32: in a group each member counts its own failures, and not the restarts together with others. A good run ends the
/// row also if it ended together with others.
#[tokio::test(start_paused = true)]
async fn in_a_group_each_member_counts_its_own_failures() {
    supervisor! {
        struct Tree(journal: Journal, rows: Rows) {
            #![strategy(AllForOne, max_restarts = Unlimited)]
            #![decider(move |failure: &Failure| rows.default_for(failure))]
            a: Probe = Probe::start("a", journal).await?,
            b: Probe = Probe::start("b", journal).await?,
        }
    }
    let rows = Rows::default();
    let tree = Tree::start(Journal::default(), rows.clone()).await.unwrap();
    for child in [&tree.a, &tree.a, &tree.b, &tree.a] {
        fail_and(child, secs(1)).await;
    }
    assert_eq!((rows.of("a"), rows.of("b")), (vec![(0, 0), (1, 1_000), (2, 3_000)], vec![(0, 0)]));
    pass(secs(10)).await;
    fail(&tree.b).await; // ends a good run of both
    fail(&tree.a).await;
    assert_eq!((rows.of("a"), rows.of("b")), (vec![(0, 0)], vec![(0, 0)]));
}

/// S26, S32: a restart by hand does not count, and ends the row only after a good run. After `start_again()` the row
/// begins anew.
#[tokio::test(start_paused = true)]
async fn restarts_by_hand_do_not_count() {
    supervisor! {
        struct Tree(journal: Journal, rows: Rows) {
            #![decider(move |failure: &Failure| rows.default_for(failure))]
            probe: Probe = Probe::start("probe", journal).await?,
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let rows = Rows::default();
    let tree = Tree::start(Journal::default(), rows.clone()).await.unwrap();
    fail_and(&tree.probe, secs(1)).await;
    tree.probe.restart().unwrap();
    settle().await;
    fail_and(&tree.probe, secs(9)).await;
    assert_eq!(rows.of("probe"), [(0, 0), (1, 1_000)]);
    pass(secs(2)).await;
    tree.probe.restart().unwrap();
    settle().await;
    fail_and(&tree.probe, secs(1)).await;
    fail_and(&tree.probe, secs(1)).await;
    assert_eq!(rows.of("probe"), [(0, 0), (1, 1_000)], "the run before the restart was a good one");
    tree.probe.stop();
    settle().await;
    tree.probe.start_again().unwrap();
    settle().await;
    fail(&tree.probe).await;
    assert_eq!(rows.of("probe"), [(0, 0)]);
}

/// S21, S32: starts that fail behind a backoff count, also before the child was up for the first time.
#[tokio::test(start_paused = true)]
async fn failed_starts_count() {
    supervisor! {
        struct Tree(journal: Journal, rows: Rows) {
            #![decider(_ => Escalate)]
            #[backoff(1s..4s, random_factor = 0, reset = 1min)]
            #[decider(move |failure: &Failure| rows.default_for(failure))]
            probe: Probe = Probe::start("probe", journal).await?,
        }
        struct Impatient(journal: Journal) {
            #[backoff(1s..4s, random_factor = 0)]
            #[decider(Phase::Start if failure.in_a_row() == 3 => Stop, _ => Default)]
            probe: Option<Probe> = Some(Probe::start("probe", journal).await?),
        }
    }
    let (journal, rows) = (Journal::default(), Rows::default());
    journal.plan("probe start", 3, Fault::Error);
    let tree = Tree::start(journal.clone(), rows.clone()).await.unwrap();
    assert!(tree.ready().await);
    assert_eq!(rows.of("probe"), [(0, 0), (1, 1_000), (2, 3_000)]);
    journal.plan("probe start", 1, Fault::Error);
    fail_and(&tree.probe, secs(8)).await;
    assert_eq!(rows.of("probe"), [(3, 7_000), (4, 11_000)], "up for less than a minute");

    journal.plan("probe start", 9, Fault::Error);
    let begun = Instant::now();
    let failure = soon(Impatient::start(journal)).await.unwrap_err();
    assert_eq!((failure.in_a_row(), failure.failing_for()), (3, secs(7)));
    assert_eq!(begun.elapsed(), secs(7));
    let before: Vec<u32> =
        std::iter::successors(failure.before(), |failure| failure.before()).map(Failure::in_a_row).collect();
    assert_eq!(before, [2, 1, 0], "those before keep their own");
}

/// S19, S32: an escalated failure has the row of the supervisor that is decided on. Events and ends have the row that
/// the decider saw.
#[tokio::test(start_paused = true)]
async fn an_escalated_failure_has_the_row_of_the_supervisor() {
    supervisor! {
        struct Tree(journal: Journal, rows: Rows) {
            #![decider(move |failure: &Failure| rows.default_for(failure))]
            below: struct Below {
                #![decider(_ if failure.in_a_row() >= 2 => Escalate, _ => Restart)]
                probe: Probe = Probe::start("probe", journal).await?,
            },
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let rows = Rows::default();
    let tree = Tree::start(Journal::default(), rows.clone()).await.unwrap();
    let mut events = tree.events();
    for _ in 0..6 {
        fail_and(&tree.below.probe, secs(1)).await;
    }
    // The path is that of the probe; each third failure is one of the subtree.
    assert_eq!(rows.of("below/probe"), [(0, 0), (1, 3_000)]);
    let (mut failed, mut decided) = (Vec::new(), Vec::new());
    while let Some(event) = events.try_next() {
        match event.kind {
            EventKind::Failed { failure, .. } => failed.push((event.path.to_string(), failure.in_a_row())),
            EventKind::Decided { failure, .. } => decided.push((event.path.to_string(), failure.in_a_row())),
            _ => {}
        }
    }
    let probe = |n| ("below/probe".to_owned(), n);
    let below = |n| ("below".to_owned(), n);
    let all = [probe(0), probe(1), probe(2), below(0), probe(0), probe(1), probe(2), below(1)];
    assert_eq!((failed, decided), (all.to_vec(), all.to_vec()));
}

/// S8: an arm can name the failure in its guard and in its answer. What its pattern binds goes first, and a declarative
/// macro may hand the arm in.
#[tokio::test(start_paused = true)]
async fn an_arm_can_name_the_failure() {
    macro_rules! give_up {
        ($guard:expr) => {
            decider! { _ if $guard => Stop, Boom::Fatal if failure.in_a_row() > 0 => Stop, _ => Default }
        };
    }
    fn told(failure: &Boom) -> bool {
        *failure == Boom::Told
    }
    let deciders = [
        decider! { failure: Boom if told(failure) => Stop, _ => Restart },
        decider! { _ if format!("{failure}").contains("Told") => Stop, _ => Restart },
        decider! { _: Boom => if failure.error() == Some(&Boom::Told) { Directive::Stop } else { Directive::Restart } },
        give_up!(matches!(failure.error(), Some(Boom::Told))),
    ];
    for decider in deciders {
        supervisor! {
            struct Tree(journal: Journal, decider: Decider) {
                #![decider(decider)]
                probe: Probe = Probe::start("probe", journal).await?,
                other: Probe = Probe::start("other", journal).await?,
            }
        }
        let tree = Tree::start(Journal::default(), decider).await.unwrap();
        tree.probe.tell(Do::Fail(Boom::Fatal)).await.unwrap();
        settle().await;
        assert_eq!(tree.probe.incarnation(), 2);
        tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
        assert!(matches!(soon(tree.probe.terminated()).await, Ok(Ended::Failed(_))));
    }
}
