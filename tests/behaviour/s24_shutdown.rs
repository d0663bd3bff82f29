//! Shutdown, what cannot be ended, and commands by hand: S24 to S26.

use std::time::Duration;

use supervise::prelude::*;
use supervise::{EventKind, TreeRef};

use crate::kit::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, seen, settle};

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


    struct Waiting {
        waiter: Waiter = Waiter(tree),
    }
}

struct Blocker;

#[actor]
impl Blocker {
    fn handle(&mut self, time: Duration) {
        std::thread::sleep(time);
    }
}

struct Waiter(TreeRef);

#[actor]
impl Waiter {
    async fn handle(&mut self, reply: Reply<(String, String)>, cx: &mut Context<Self>) {
        let own = cx.actor_ref().terminated().await.unwrap_err().to_string();
        let above = self.0.join().await.unwrap_err().to_string();
        reply.send((own, above));
    }
}

/// S24: members go down in reverse order; the report says of each why it ended and how long it took.
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

/// S24: the current message has the child's time, then it is aborted, loses its hooks, and is reported.
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
    assert_eq!(journal.take(), ["second drop", "first post_stop", "first drop"], "no post_stop of the aborted");
    assert!(seen(&mut events).contains(&"second aborted".to_owned()));
    assert!(!report.is_orderly());
}

/// S24: `Kill` skips the wait on a stop: future dropped, no hooks, not reported as aborted.
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

/// S24: a failure while stopping is reported only.
#[tokio::test(start_paused = true)]
async fn a_failure_while_stopping_is_reported_only() {
    let journal = Journal::default();
    let mut tree = Pair::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    journal.plan("second post_stop", 1, Fault::Error);
    let report = tree.shutdown().await;
    assert!(report.is_orderly(), "{report}");
    let events = seen(&mut events);
    assert!(events.contains(&"second reported".to_owned()), "{events:?}");
    assert!(!events.iter().any(|event| event.contains("decided")), "{events:?}");
}

/// S25: dropping the guard asks for the same shutdown and says where the tree was started.
#[tokio::test(start_paused = true)]
async fn dropping_the_guard_shuts_down_and_says_so() {
    let journal = Journal::default();
    let mut tree = Pair::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    let handle = tree.handle();
    drop(tree);
    let report = handle.join().await.unwrap();
    assert!(matches!(report.ended, Ended::Stopped));
    let mut place = None;
    while let Some(Ok(event)) = events.next().await {
        if let EventKind::GuardDropped { started_at } = event.kind {
            place = Some(started_at.file().to_owned());
        }
    }
    assert!(place.is_some_and(|file| file.ends_with("s24_shutdown.rs")));
}

/// S25: a detached tree runs on.
#[tokio::test(start_paused = true)]
async fn a_detached_tree_runs_on() {
    let handle = Pair::start(Journal::default()).await.unwrap().detach();
    pass(secs(60)).await;
    assert_eq!(handle.first.ask(Do::Get).await.unwrap(), 0);
    handle.shutdown().await.unwrap();
}

/// S25: awaiting one's own or an ancestor's end from inside is an error at once.
#[tokio::test(start_paused = true)]
async fn waiting_for_the_own_end_is_an_error() {
    let tree = Waiting::start().await.unwrap();
    let (own, above) = tree.waiter.ask(|reply| reply).await.unwrap();
    assert!(own.contains("waiter") && own.contains("stop()"), "{own}");
    assert!(above.contains("Waiting"), "{above}");
}

/// S25: a child that blocks its thread is reported as stuck, and the shutdown gives up on it 5 s after its
/// time. On the wall clock, since what blocks a thread blocks a paused clock too.
#[test]
fn a_child_that_blocks_its_thread_is_given_up() {
    supervisor! {
        struct Stuck {
            #[lifecycle(Permanent, shutdown = 100ms)]
            blocker: Blocker = Blocker,
        }
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let mut tree = Stuck::tree();
        let mut events = tree.events();
        let tree = tree.start().await.unwrap();
        tree.blocker.tell(secs(7)).await.unwrap();
        tokio::time::sleep(ms(50)).await;
        let before = tokio::time::Instant::now();
        let report = tree.shutdown().await;
        let took = before.elapsed();
        assert!(took >= secs(5) && took < ms(6500), "{took:?}");
        assert!(report.children.iter().any(|child| child.path == "blocker" && child.stuck), "{report:?}");
        assert!(seen(&mut events).contains(&"blocker stuck".to_owned()));
    });
    runtime.shutdown_background();
}

/// S25: dropping the runtime ends all without hooks; who waits outside is told.
#[test]
fn dropping_the_runtime_ends_all_without_hooks() {
    let journal = Journal::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let handle = runtime.block_on(async { Pair::start(journal.clone()).await.unwrap().detach() });
    journal.take();
    drop(runtime);
    assert!(matches!(handle.first.ended(), Some(Ended::RuntimeGone)));
    let mut drops = journal.take();
    drops.sort();
    assert_eq!(drops, ["first drop", "second drop"]);
}

/// S26: `stop()` lets the message end and runs the hooks; `kill()` drops it and is decided as a failure.
#[tokio::test(start_paused = true)]
async fn stop_lets_the_message_end_and_kill_drops_it() {
    let journal = Journal::default();
    let tree = Pair::start(journal.clone()).await.unwrap();
    for probe in [&tree.first, &tree.second] {
        probe.tell(Do::Work(secs(1))).await.unwrap();
    }
    settle().await;
    journal.take();
    tree.first.stop();
    tree.second.kill();
    assert!(matches!(tree.second.terminated().await, Ok(Ended::Killed)));
    assert_eq!(journal.take(), ["second post_stop", "second drop"]);
    assert!(matches!(tree.first.terminated().await, Ok(Ended::Stopped)));
    assert_eq!(journal.take(), ["first worked", "first post_stop", "first drop"]);
    assert_eq!(tree.first.tell(Do::Fail(Boom::Told)).await.unwrap_err().path(), "first");
}
