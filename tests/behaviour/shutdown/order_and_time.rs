//! Shutdown: S24.

use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, seen, settle};

supervisor! {
    struct Pair(journal: Journal) {
        first: Probe = Probe::start("first", journal).await?,
        #[lifecycle(Permanent, shutdown = 2s)]
        second: Probe = Probe::start("second", journal).await?,
    }

    struct Killed(journal: Journal) {
        #[lifecycle(Permanent, shutdown = Kill)]
        probe: Probe = Probe::start("probe", journal).await?,
    }
}

/// S24: members go down in reverse order; for each one, the report says why it ended and how long that took.
#[tokio::test(start_paused = true)]
async fn a_shutdown_goes_in_reverse_and_reports() {
    let journal = Journal::default();
    let tree = Pair::start(journal.clone()).await.unwrap();
    journal.take();
    journal.plan("second post_stop", 1, Fault::Slow(secs(1)));
    let report = tree.shutdown().await;
    assert_eq!(
        journal.take(),
        ["second post_stop", "second post_stop done", "second drop", "first post_stop", "first drop"]
    );
    assert!(report.is_orderly(), "{report}");
    let children: Vec<_> = report.children.iter().map(|child| (&*child.path, child.took)).collect();
    assert_eq!(children, [("second", secs(1)), ("first", secs(0))]);
}

/// S24: the current message has the child's time; after that, the child is aborted without hooks, and this is reported.
#[tokio::test(start_paused = true)]
async fn past_its_time_a_child_is_aborted() {
    let journal = Journal::default();
    let mut tree = Pair::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    tree.second.tell(Do::Hang).await.unwrap();
    settle().await;
    journal.take();
    let report = tree.shutdown().await;
    let aborted: Vec<_> = report.children.iter().filter(|child| child.aborted).map(|c| (&*c.path, c.took)).collect();
    assert_eq!(aborted, [("second", secs(2))]);
    assert_eq!(journal.take(), ["second drop", "first post_stop", "first drop"], "an aborted child runs no post_stop");
    assert!(seen(&mut events).contains(&"second aborted".to_owned()));
    assert!(!report.is_orderly());
}

/// S24: `Kill` skips the wait on a stop: the future is dropped, no hook runs, and the child is not reported as aborted.
#[tokio::test(start_paused = true)]
async fn kill_skips_the_wait_and_the_hooks() {
    let journal = Journal::default();
    let tree = Killed::start(journal.clone()).await.unwrap();
    tree.probe.tell(Do::Hang).await.unwrap();
    settle().await;
    journal.take();
    let before = tokio::time::Instant::now();
    let report = tree.shutdown().await;
    assert_eq!((before.elapsed(), journal.take()), (secs(0), vec!["probe drop".to_owned()]));
    assert!(report.is_orderly(), "{report}");
}

/// S24: `within` bounds the whole shutdown.
#[tokio::test(start_paused = true)]
async fn within_bounds_the_whole_shutdown() {
    let tree = Pair::start(Journal::default()).await.unwrap();
    tree.first.tell(Do::Hang).await.unwrap();
    tree.second.tell(Do::Hang).await.unwrap();
    settle().await;
    let before = tokio::time::Instant::now();
    let report = tree.shutdown().within(ms(500)).await;
    assert_eq!(before.elapsed(), ms(500));
    assert_eq!(report.children.iter().filter(|child| child.aborted).count(), 2, "{report}");
}

/// S24: a failure while stopping is reported and not decided.
#[tokio::test(start_paused = true)]
async fn a_failure_while_stopping_is_not_decided() {
    let journal = Journal::default();
    let mut tree = Pair::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    journal.plan("second post_stop", 1, Fault::Error);
    let report = tree.shutdown().await;
    assert!(matches!(report.ended, Ended::Stopped), "{report}");
    let events = seen(&mut events);
    assert!(events.contains(&"second reported".to_owned()), "{events:?}");
    assert!(!events.iter().any(|event| event.contains("decided")), "{events:?}");
}

/// S24: a subtree takes as long as its children need, and the report contains every child with its path.
#[tokio::test(start_paused = true)]
async fn a_subtree_has_the_time_its_children_need() {
    supervisor! {
        struct Deep(journal: Journal) {
            inner: struct Branch {
                #[lifecycle(Permanent, shutdown = 9s)]
                a: Probe = Probe::start("a", journal).await?,
                #[lifecycle(Permanent, shutdown = Infinity)]
                b: Probe = Probe::start("b", journal).await?,
            },
            guests: [Probe] = |name: &'static str| Probe::start(name, journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Deep::start(journal.clone()).await.unwrap();
    tree.guests.spawn("guest").await.unwrap();
    journal.plan("a post_stop", 1, Fault::Slow(secs(8)));
    journal.plan("b post_stop", 1, Fault::Slow(secs(3600)));
    let report = tree.shutdown().await;
    assert!(report.is_orderly(), "{report}");
    let took: Vec<_> = report.children.iter().map(|child| (&*child.path, child.took.as_secs())).collect();
    assert_eq!(took, [("guests/#1", 0), ("guests", 0), ("inner/b", 3600), ("inner/a", 8), ("inner", 3608)]);
}

/// S24: the report of a tree that ends by itself contains its children too: those that had ended before, and those that
/// were taken down.
#[tokio::test(start_paused = true)]
async fn a_tree_that_ends_by_itself_reports_its_children() {
    supervisor! {
        struct Ends(journal: Journal) {
            #![decider(Boom::Planned => Stop, Boom::Fatal => Escalate, Boom::Told => Restart)]
            a: Probe = Probe::start("a", journal).await?,
            b: Probe = Probe::start("b", journal).await?,
            c: Probe = Probe::start("c", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Ends::start(journal.clone()).await.unwrap();
    tree.b.tell(Do::Fail(Boom::Planned)).await.unwrap();
    settle().await;
    journal.plan("c post_stop", 1, Fault::Slow(secs(1)));
    tree.a.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    let report = tree.join().await;
    let children: Vec<_> = report.children.iter().map(|c| (&*c.path, c.took, c.ended.to_string())).collect();
    let [("b", _, failed), ("c", took, _), ("a", _, _)] = &children[..] else { panic!("{children:?}") };
    assert_eq!(*took, secs(1));
    assert_eq!(failed, "b failed while running: Planned");
}

/// S24: `Kill` skips every hook of a stop, also for a child that has failed and is taken down with its tree. When the
/// child goes down for a restart, it has the default time.
#[tokio::test(start_paused = true)]
async fn kill_is_about_stops_only() {
    supervisor! {
        struct Rough(journal: Journal) {
            #![decider(Boom::Fatal => Escalate, Boom::Told | Boom::Planned => Restart)]
            #[lifecycle(Permanent, shutdown = Kill)]
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Rough::start(journal.clone()).await.unwrap();
    journal.plan("probe pre_restart", 1, Fault::Slow(secs(4)));
    journal.take();
    tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.probe.ask(Do::Get).await.unwrap(), 0);
    assert_eq!(
        journal.take(),
        [
            "probe pre_restart",
            "probe pre_restart done",
            "probe post_stop",
            "probe drop",
            "probe start",
            "probe pre_start",
            "probe post_restart",
        ]
    );
    let mut events = tree.events();
    tree.probe.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    let report = tree.join().await;
    assert_eq!(journal.take(), ["probe drop"]);
    assert!(matches!(report.ended, Ended::Failed(_)));
    assert!(!seen(&mut events).contains(&"probe aborted".to_owned()), "`Kill` is not reported as an abort");
}

/// S24: a second stop can only shorten the time.
#[tokio::test(start_paused = true)]
async fn a_second_stop_can_only_shorten_the_time() {
    for (within, expected) in [(ms(300), ms(1300)), (secs(30), secs(2))] {
        let journal = Journal::default();
        let tree = Pair::start(journal.clone()).await.unwrap();
        tree.second.tell(Do::Hang).await.unwrap();
        settle().await;
        let before = tokio::time::Instant::now();
        tree.second.stop();
        pass(secs(1)).await;
        let report = tree.shutdown().within(within).await;
        assert_eq!(before.elapsed(), expected);
        let second = report.children.iter().find(|child| child.path == "second").unwrap();
        assert!(second.aborted && second.took == expected, "{report:?}");
    }
}
