//! The time that a tree has for each of its ends, and children that go down together: S44.

use std::sync::Arc;
use std::time::Duration;

use supervise::Cause;
use supervise::error::InvalidSettings;
use supervise::policy::ShutdownOrder;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, seen, settle, soon};

/// Each child would take an hour to stop.
fn slow(journal: &Journal, names: &[&str]) {
    for name in names {
        journal.plan(&format!("{name} post_stop"), 9, Fault::Slow(secs(3600)));
    }
}

supervisor! {
    struct Root(journal: Journal) {
        #![strategy(AllForOne, max_restarts = 1)]
        #![shutdown(3s)]
        #![decider(Boom::Fatal => Stop, _ => Restart)]
        #[lifecycle(Permanent, shutdown = Infinity)]
        a: Probe = Probe::start("a", journal).await?,
        #[lifecycle(Transient, shutdown = Infinity, significant)]
        b: Probe = Probe::start("b", journal).await?,
        #[lifecycle(Permanent, shutdown = Infinity)]
        c: Probe = Probe::start("c", journal).await?,
    }
}

/// Starts the tree with children that take an hour, and returns it with its journal, emptied.
async fn root() -> (Running<Root>, Journal) {
    let journal = Journal::default();
    let tree = Root::start(journal.clone()).await.unwrap();
    slow(&journal, &["a", "b", "c"]);
    journal.take();
    (tree, journal)
}

/// S44: every end is through in the time of the tree: a stop, a significant child that ends, a Stop of all, a failure
/// of the root. The rest is aborted.
#[tokio::test(start_paused = true)]
async fn every_end_is_through_in_time() {
    for end in ["stop", "significant", "decided Stop", "limit", "kill"] {
        let (tree, journal) = root().await;
        match end {
            "stop" => tree.stop(),
            "significant" => tree.b.tell(Do::Stop).await.unwrap(),
            "decided Stop" => tree.c.tell(Do::Fail(Boom::Fatal)).await.unwrap(),
            "limit" => {
                journal.plan("a post_stop", 0, Fault::Error);
                journal.plan("b post_stop", 0, Fault::Error);
                journal.plan("c post_stop", 0, Fault::Error);
                tree.c.tell(Do::Fail(Boom::Told)).await.unwrap();
                settle().await;
                slow(&journal, &["a", "b", "c"]);
                tree.c.tell(Do::Fail(Boom::Told)).await.unwrap();
            }
            _ => tree.kill(),
        }
        let before = Instant::now();
        // The significant child is on its own way down first, and then the tree ends.
        let report = if end == "significant" {
            pass(secs(3599)).await;
            assert!(tree.is_alive(), "the child has not ended yet");
            let before = Instant::now();
            let report = soon(tree.join()).await;
            assert_eq!(before.elapsed(), secs(1 + 3), "{end}: {report}");
            report
        } else {
            let report = soon(tree.join()).await;
            assert_eq!(before.elapsed(), secs(3), "{end}: {report}");
            report
        };
        assert!(report.children.iter().any(|child| child.aborted), "{end}: {report}");
        assert!(!report.is_orderly() && !report.ended.is_orderly(), "{end}: {report}");
    }
}

supervisor! {
    struct Boot(journal: Journal) {
        #![shutdown(3s)]
        #[lifecycle(Permanent, shutdown = Infinity)]
        a: Probe = Probe::start("a", journal).await?,
        #[lifecycle(Permanent, shutdown = Infinity)]
        b: Probe = Probe::start("b", journal).await?,
        c: Probe = Probe::start("c", journal).await?,
    }
}

/// S44: a failed boot is rolled back in the time of the tree.
#[tokio::test(start_paused = true)]
async fn a_boot_is_rolled_back_in_time() {
    let journal = Journal::default();
    slow(&journal, &["a", "b"]);
    journal.plan("c start", 1, Fault::Error);
    let before = Instant::now();
    let failure = Boot::start(journal.clone()).await.unwrap_err();
    assert_eq!((before.elapsed(), failure.path()), (secs(3), "c"));
    let lines = journal.take();
    assert!(["a drop", "b drop"].iter().all(|line| lines.iter().any(|other| other == line)), "{lines:?}");
}

supervisor! {
    struct Above(journal: Journal) {
        #![strategy(AllForOne)]
        #[lifecycle(Permanent, shutdown = 4s)]
        sub: struct Sub {
            #![shutdown(3s)]
            #[lifecycle(Permanent, shutdown = Infinity)]
            a: Probe = Probe::start("a", journal).await?,
            #[lifecycle(Permanent, shutdown = Infinity)]
            b: Probe = Probe::start("b", journal).await?,
        },
        other: Probe = Probe::start("other", journal).await?,
    }
}

/// S44: a restart from above, too, takes no longer than the time of the tree; the children live on in it.
#[tokio::test(start_paused = true)]
async fn a_restart_of_the_tree_is_through_in_time() {
    let journal = Journal::default();
    let mut tree = Above::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    slow(&journal, &["a", "b"]);
    journal.take();
    tree.other.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(ms(2999)).await;
    assert_eq!(tree.sub.a.incarnation(), 1);
    pass(ms(1)).await;
    settle().await;
    assert_eq!([&tree.sub.a, &tree.sub.b, &tree.other].map(ActorRef::incarnation), [2, 2, 2]);
    assert_eq!(tree.sub.a.ask(Do::Get).await.unwrap(), 0);
    let events = seen(&mut events);
    assert!(events.contains(&"sub aborted".to_owned()), "{events:?}");
}

/// S44: of several times the shortest holds: that of the tree, that above it, and that of `within`.
#[tokio::test(start_paused = true)]
async fn the_shortest_time_holds() {
    supervisor! {
        struct Outer(journal: Journal, above: Duration, own: Duration) {
            #[lifecycle(shutdown = above)]
            sub: struct Inner {
                #![shutdown(own)]
                // The children take less than either, as long as nothing is planned.
                #[lifecycle(Permanent, shutdown = 1h)]
                a: Probe = Probe::start("a", journal).await?,
            },
        }
    }
    for (above, own, within, took) in [(9, 2, 60, 2), (9, 9, 60, 9), (9, 5, 1, 1)] {
        let journal = Journal::default();
        let tree = Outer::start(journal.clone(), secs(above), secs(own)).await.unwrap();
        slow(&journal, &["a"]);
        let before = Instant::now();
        let report = tree.shutdown().within(secs(within)).await;
        assert_eq!(before.elapsed(), secs(took), "{above}, {own}, {within}: {report}");
    }
}

/// S44: a time of zero is an error of the start, with the path of the child that comes first.
#[tokio::test(start_paused = true)]
async fn a_time_of_zero_is_refused() {
    supervisor! {
        struct Computed(journal: Journal, time: Duration) {
            #![shutdown(time)]
            a: Probe = Probe::start("a", journal).await?,
        }
    }
    let failure = Computed::start(Journal::default(), Duration::ZERO).await.unwrap_err();
    let what = failure.get::<InvalidSettings>().unwrap();
    assert_eq!(*what, InvalidSettings::NoTime("shutdown"));
    assert!(Computed::start(Journal::default(), Duration::MAX).await.is_ok());
}

/// S44, C12: the time of a tree is the most that its supervisor has to give it. A time that is computed counts when the
/// tree starts.
#[tokio::test(start_paused = true)]
async fn the_time_of_a_tree_is_all_that_it_needs() {
    supervisor! {
        struct Plain(journal: Journal, above: Duration, own: Duration) {
            #[lifecycle(shutdown = above)]
            sub: struct Limited {
                #![shutdown(own)]
                a: Probe = Probe::start("a", journal).await?,
                b: Probe = Probe::start("b", journal).await?,
            },
        }
        struct Joint(journal: Journal, above: Duration) {
            #[lifecycle(shutdown = above)]
            sub: struct Side {
                #![shutdown(Together)]
                a: Probe = Probe::start("a", journal).await?,
                #[lifecycle(shutdown = 7s)]
                b: Probe = Probe::start("b", journal).await?,
                many: [Probe; 4] = |i| Probe::start(format!("many{i}"), journal).await?,
            },
        }
    }
    let needs = |failure: Failure| match failure.get::<InvalidSettings>() {
        Some(InvalidSettings::ShutdownTooShort { need, .. }) => *need,
        other => panic!("{other:?}: {failure}"),
    };
    let plain = |above, own| Plain::start(Journal::default(), secs(above), secs(own));
    assert!(plain(3, 3).await.is_ok());
    assert_eq!(needs(plain(3, 4).await.unwrap_err()), secs(4));
    assert_eq!(needs(plain(9, 20).await.unwrap_err()), secs(10), "the children take 10 s");
    assert!(plain(10, 20).await.is_ok());
    assert!(Joint::start(Journal::default(), secs(7)).await.is_ok());
    assert_eq!(needs(Joint::start(Journal::default(), secs(6)).await.unwrap_err()), secs(7));
}

/// S44: the times are in `SPEC`, where the check of a subtree's `shutdown` finds them.
#[test]
fn the_spec_knows_the_time_of_a_tree() {
    supervisor! {
        struct Both(journal: Journal) {
            #![shutdown(6s, Together)]
            a: Probe = Probe::start("a", journal).await?,
            many: [Probe; 3] = |i| Probe::start(format!("many{i}"), journal).await?,
        }
        struct Sum(journal: Journal) {
            #![shutdown(6s)]
            a: Probe = Probe::start("a", journal).await?,
            many: [Probe; 3] = |i| Probe::start(format!("many{i}"), journal).await?,
        }
        struct Open(journal: Journal) {
            #![shutdown(6s)]
            #[lifecycle(Permanent, shutdown = Infinity)]
            a: Probe = Probe::start("a", journal).await?,
        }
        struct Later(journal: Journal, time: Duration) {
            #![shutdown(time)]
            a: Probe = Probe::start("a", journal).await?,
        }
        struct Above(journal: Journal) {
            sum: Sum = Sum::tree(journal),
            both: Both = Both::tree(journal),
        }
    }
    let budgets = [Both::SPEC, Sum::SPEC, Open::SPEC, Later::SPEC, Above::SPEC].map(|spec| spec.shutdown_budget());
    assert_eq!(budgets, [Some(secs(5)), Some(secs(6)), Some(secs(6)), None, Some(secs(11))]);
    assert_eq!(Both::SPEC.shutdown_order, ShutdownOrder::Together);
    assert_eq!(Both::SPEC.children[1].shutdown_budget(), Some(secs(15)), "an array by itself");
}

// ----- together

supervisor! {
    struct Joint(journal: Journal) {
        #![strategy(AllForOne)]
        #![shutdown(Together)]
        let first: Arc<Noisy> = Arc::new(Noisy("first", journal));
        a: Probe = Probe::start("a", journal).await?,
        let second: Arc<Noisy> = Arc::new(Noisy("second", journal));
        #[lifecycle(Permanent, shutdown = 2s)]
        b: Probe = Probe::start("b", journal).await?,
        c: task = |cx| waits(cx, journal),
    }
}

/// A value that notes when it is dropped.
struct Noisy(&'static str, Journal);

impl Drop for Noisy {
    fn drop(&mut self) {
        self.1.write(format!("{} gone", self.0));
    }
}

async fn waits(cx: TaskContext, journal: Journal) -> Result<(), Boom> {
    cx.stopped().await;
    journal.write("c stops");
    Ok(())
}

/// S44: all get the stop at the same instant, each has its own time from then on, and the values are dropped last.
#[tokio::test(start_paused = true)]
async fn children_go_down_together_and_values_after_them() {
    let journal = Journal::default();
    let tree = Joint::start(journal.clone()).await.unwrap();
    journal.take();
    journal.plan("a post_stop", 1, Fault::Slow(secs(3)));
    tree.b.tell(Do::Hang).await.unwrap();
    settle().await;
    let before = Instant::now();
    let report = tree.shutdown().await;
    assert_eq!(before.elapsed(), secs(3));
    let took: Vec<_> =
        report.children.iter().map(|child| (&*child.path, child.took.as_secs(), child.aborted)).collect();
    assert_eq!(took, [("c", 0, false), ("b", 2, true), ("a", 3, false)]);
    let lines = journal.take();
    let place =
        |line: &str| lines.iter().position(|other| other == line).unwrap_or_else(|| panic!("{line}: {lines:?}"));
    assert!(place("c stops") < place("b drop") && place("a post_stop") < place("b drop"), "{lines:?}");
    assert_eq!(lines[lines.len() - 3..], ["a drop", "second gone", "first gone"]);
}

/// S44: a restart of the group takes its members down together, and up in their order.
#[tokio::test(start_paused = true)]
async fn a_group_goes_down_together_and_comes_up_in_order() {
    let journal = Journal::default();
    let tree = Joint::start(journal.clone()).await.unwrap();
    journal.take();
    journal.plan("b post_stop", 1, Fault::Slow(secs(1)));
    journal.plan("a post_stop", 1, Fault::Slow(ms(1500)));
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(ms(1499)).await;
    assert_eq!(tree.b.incarnation(), 1);
    pass(ms(1)).await;
    settle().await;
    assert_eq!((tree.a.incarnation(), tree.b.incarnation()), (2, 2));
    let lines = journal.take();
    let place =
        |line: &str| lines.iter().position(|other| other == line).unwrap_or_else(|| panic!("{line}: {lines:?}"));
    assert!(place("a post_stop") < place("b post_stop done"), "{lines:?}");
    assert!(place("b post_stop") < place("b post_stop done"), "{lines:?}");
    assert!(place("a start") < place("b start"), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("gone")), "values stay for a restart of the children: {lines:?}");
    let _ = tree.shutdown().await;
}

/// S44: under `RestForOne` only the members of the range go down, and together.
#[tokio::test(start_paused = true)]
async fn a_range_goes_down_together() {
    supervisor! {
        struct Range(journal: Journal) {
            #![strategy(RestForOne)]
            #![shutdown(Together)]
            a: Probe = Probe::start("a", journal).await?,
            b: Probe = Probe::start("b", journal).await?,
            let kept = Arc::new(Noisy("kept", journal));
            c: Probe = Probe::start("c", journal).await?,
            d: Probe = Probe::start("d", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Range::start(journal.clone()).await.unwrap();
    for name in ["b", "c", "d"] {
        journal.plan(&format!("{name} post_stop"), 1, Fault::Slow(secs(2)));
    }
    let before = Instant::now();
    tree.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(tree.d.ask(Do::Get).await.unwrap(), 0);
    assert_eq!(before.elapsed(), secs(2));
    assert_eq!([&tree.a, &tree.b, &tree.c, &tree.d].map(ActorRef::incarnation), [1, 2, 2, 2]);
}

/// S44: the time of the tree cuts those that go down together, too.
#[tokio::test(start_paused = true)]
async fn together_and_a_time() {
    supervisor! {
        struct Cut(journal: Journal) {
            #![shutdown(2s, Together)]
            a: Probe = Probe::start("a", journal).await?,
            #[lifecycle(Permanent, shutdown = 1s)]
            b: Probe = Probe::start("b", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Cut::start(journal.clone()).await.unwrap();
    slow(&journal, &["a", "b"]);
    let before = Instant::now();
    let report = tree.shutdown().await;
    let took: Vec<_> = report.children.iter().map(|child| (&*child.path, child.took, child.aborted)).collect();
    assert_eq!((before.elapsed(), took), (secs(2), vec![("b", secs(1), true), ("a", secs(2), true)]));
}

/// S44: a failure of a member that goes down together with the others is absorbed or reported, as any other.
#[tokio::test(start_paused = true)]
async fn failures_on_the_way_down_together_are_reported() {
    let journal = Journal::default();
    let mut tree = Joint::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    journal.plan("a post_stop", 1, Fault::Panic);
    journal.plan("b post_stop", 1, Fault::Error);
    let report = tree.shutdown().await;
    let failed: Vec<_> = report.children.iter().filter(|child| child.failure.is_some()).map(|c| &*c.path).collect();
    assert_eq!(failed, ["b", "a"], "{report}");
    assert!(seen(&mut events).iter().all(|event| !event.contains("decided")));
    let causes: Vec<_> =
        report.children.iter().filter_map(|child| child.failure.as_ref()).map(Failure::cause).collect();
    assert!(matches!(causes[..], [Cause::Error(_), Cause::Panic(_)]), "{causes:?}");
}
