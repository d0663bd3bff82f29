//! The test kit for users' own trees (feature `testing`), on trees like theirs.

use supervise::event::EventKind;
use supervise::inspect::NodeState;
use supervise::prelude::*;
use supervise::testing::{self, Fault, Inject, Record};
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault as Planned, Journal, Probe, ms, secs, settle};

#[derive(Debug, thiserror::Error)]
#[error("the disk is full")]
struct DiskFull(u64);

supervisor! {
    struct Shop(journal: Journal) {
        #![decider(Boom::Fatal | Boom::Planned => Stop, e: DiskFull if e.0 > 100 => Escalate, Cause::Killed => Stop, _ => Restart)]
        #[backoff(3s..30s, random_factor = 0.2)]
        #[limit(max_restarts = 10, within = 1h)]
        db: Probe = Probe::start("db", journal).await?,
        below: struct Below {
            #![strategy(AllForOne)]
            cart: Probe = Probe::start("cart", journal).await?,
            #[lifecycle(Permanent, shutdown = 1s)]
            ticker: task = |cx| async move { cx.stopped().await },
        },
        #[lifecycle(Permanent)]
        plain: task = std::future::pending::<()>(),
    }
}

async fn shop(journal: &Journal) -> testing::Tested<Shop> {
    let mut shop = testing::start(Shop::tree(journal.clone())).seed(7).await.unwrap();
    shop.expect([
        "db started",
        "below/cart started",
        "below/ticker started",
        "below started",
        "plain started",
        "Shop started",
    ]);
    shop
}

/// S6: an injected error is handled like every failure: deciders match its type, it counts against the budget, and the
/// restart has its delay.
#[tokio::test]
async fn an_injected_error_is_decided_by_its_type() {
    let journal = Journal::default();
    let mut shop = shop(&journal).await;
    journal.take();
    shop.db.inject(Fault::error(DiskFull(7)));
    shop.settle().await;
    let lines = shop.record().lines();
    assert_eq!(lines[..2], ["db failed", "db decided Restart"]);
    let failure = shop.record().events().iter().find_map(|event| match &event.kind {
        EventKind::Failed { failure, .. } => Some(failure.clone()),
        _ => None,
    });
    let failure = failure.unwrap();
    assert_eq!((failure.path(), failure.phase(), failure.error::<DiskFull>().unwrap().0), ("db", Phase::Running, 7));
    assert_eq!(shop.snapshot().find("db").unwrap().restarts.unwrap().used, 1);
    assert_eq!(journal.take(), ["db pre_restart", "db post_stop", "db drop"]);
    shop.advance(secs(4)).await;
    shop.expect(["db restarted"]);
    assert_eq!(journal.take(), ["db start", "db pre_start", "db post_restart"]);
    shop.db.inject(Fault::error(Boom::Fatal));
    shop.settle().await;
    shop.expect(["db failed", "db decided Stop", "db ended Failed"]);
    // An arm with a guard, on another type. The escalation from the root ends the tree.
    shop.plain.inject(Fault::error(DiskFull(101)));
    shop.settle().await;
    assert!(matches!(shop.ended(), Some(Ended::Failed(failure)) if failure.error::<DiskFull>().is_some()));
}

/// S6: a panic and a kill are injected, each with its own cause.
#[tokio::test]
async fn panics_and_kills_are_injected_too() {
    let mut shop = shop(&Journal::default()).await;
    shop.below.cart.inject(Fault::panic("out of luck"));
    shop.settle().await;
    let text = shop.record().events().iter().find_map(|event| match &event.kind {
        EventKind::Failed { failure, .. } => Some(failure.cause().to_string()),
        _ => None,
    });
    assert_eq!(text.as_deref(), Some("panicked: out of luck"));
    shop.record().lines();
    shop.db.inject(Fault::kill());
    shop.settle().await;
    shop.expect(["db failed", "db decided Stop", "db ended Killed"]);
}

/// S6: the child's current future is dropped at its next await, and the failure names the message in hand.
#[tokio::test]
async fn what_is_in_hand_is_dropped_and_named() {
    let journal = Journal::default();
    let mut shop = shop(&journal).await;
    shop.db.tell(Do::Work(secs(60))).await.unwrap();
    shop.settle().await;
    journal.take();
    shop.db.inject(Fault::error(Boom::Told));
    shop.settle().await;
    assert_eq!(journal.take(), ["db pre_restart", "db post_stop", "db drop"]);
    let named = shop.record().events().iter().any(|event| {
        matches!(event.kind, EventKind::Failed { message: Some(message), .. } if message == std::any::type_name::<Do>())
    });
    assert!(named);
}

/// S13: a fault that is injected during a start is a failed start, in the phase of that start.
#[tokio::test]
async fn a_fault_during_a_restart_fails_the_restart() {
    let journal = Journal::default();
    let shop = shop(&journal).await;
    journal.plan("db pre_start", 1, Planned::Slow(secs(60)));
    shop.db.inject(Fault::error(Boom::Told));
    shop.advance(secs(4)).await;
    assert!(matches!(shop.snapshot().find("db").unwrap().state, NodeState::Starting));
    shop.db.inject(Fault::error(Boom::Told));
    shop.settle().await;
    let failure = shop.snapshot().find("db").unwrap().last_failure.clone().unwrap();
    assert_eq!(failure.phase(), Phase::Restart);
}

/// S12, S6: a fault on the way down is only reported; where no future runs, it has no effect.
#[tokio::test]
async fn a_fault_on_the_way_down_is_reported_only() {
    let journal = Journal::default();
    let mut shop = shop(&journal).await;
    journal.plan("db post_stop", 1, Planned::Slow(secs(1)));
    shop.db.stop();
    shop.settle().await;
    shop.db.inject(Fault::error(Boom::Told));
    shop.settle().await;
    shop.expect(["db stopping Asked", "db reported"]);
    shop.advance(secs(1)).await;
    shop.expect(["db ended Stopped"]);
    shop.db.inject(Fault::error(Boom::Told));
    shop.settle().await;
    shop.expect([""; 0]);
    // The child is backing off.
    shop.below.cart.inject(Fault::error(Boom::Told));
    shop.below.cart.inject(Fault::error(Boom::Told));
    shop.settle().await;
    let decided = shop.record().lines().iter().filter(|line| line.contains("decided")).count();
    assert_eq!(decided, 1);
}

/// S26, S6: a fault during a drain is reported, and the remaining messages become dead letters.
#[tokio::test]
async fn a_fault_while_draining_ends_the_draining() {
    let mut shop = shop(&Journal::default()).await;
    shop.db.tell(Do::Work(secs(3))).await.unwrap();
    shop.db.tell(Do::Add(1)).await.unwrap();
    shop.settle().await;
    shop.db.drain();
    shop.settle().await;
    shop.db.inject(Fault::error(Boom::Told));
    shop.settle().await;
    let mut lines = shop.record().lines();
    lines.sort();
    assert_eq!(lines, ["db dead letter", "db ended Stopped", "db reported", "db stopping Drain"]);
}

/// S29: a task fails as it would by a subtask: with a context it gets the stop signal and its `shutdown` time; without
/// a context it is dropped.
#[tokio::test]
async fn tasks_fail_as_by_a_subtask() {
    let mut shop = shop(&Journal::default()).await;
    shop.plain.inject(Fault::error(Boom::Told));
    shop.settle().await;
    shop.expect(["plain failed", "plain decided Restart", "plain restart in 10ms"]);
    shop.advance(ms(10)).await;
    shop.expect(["plain restarted"]);
    let begin = Instant::now();
    shop.below.ticker.inject(Fault::error(Boom::Told));
    shop.settle().await;
    assert_eq!(begin.elapsed(), ms(0), "the task returned as soon as it got the signal");
    assert_eq!(shop.record().lines()[..2], ["below/ticker failed", "below/ticker decided Restart"]);
}

/// S20: a tree can be failed as a whole through its handle, and its supervisor decides.
#[tokio::test]
async fn a_tree_fails_as_a_whole() {
    let journal = Journal::default();
    let mut shop = shop(&journal).await;
    journal.take();
    shop.below.inject(Fault::error(Boom::Told));
    shop.advance(ms(10)).await;
    let lines = shop.record().lines();
    assert_eq!(lines[..2], ["below failed", "below decided Restart"]);
    assert_eq!(lines.last().unwrap(), "below restarted");
    assert_eq!(shop.below.cart.incarnation(), 2);
}

/// The same seed gives the same delays, and another seed gives other delays. Without a seed, the delays are the same
/// each time.
#[tokio::test]
async fn the_seed_is_fixed() {
    async fn delay(seed: Option<u64>) -> String {
        let start = testing::start(Shop::tree(Journal::default()));
        let mut shop = match seed {
            Some(seed) => start.seed(seed).await.unwrap(),
            None => start.await.unwrap(),
        };
        shop.record().lines();
        shop.db.inject(Fault::error(Boom::Told));
        shop.settle().await;
        shop.record().lines().pop().unwrap()
    }
    assert_eq!(delay(Some(7)).await, delay(Some(7)).await);
    assert_ne!(delay(Some(7)).await, delay(Some(8)).await);
    assert_eq!(delay(None).await, delay(None).await);
    assert_eq!(delay(None).await, delay(Some(0)).await);
}

/// S21: if a tree fails to start, the record shows the failure, and how the other children went down again.
#[tokio::test]
async fn a_first_start_that_fails_is_recorded() {
    let journal = Journal::default();
    journal.plan("cart start", 1, Planned::Error);
    let mut failed = testing::start(Shop::tree(journal)).await.unwrap_err();
    assert_eq!(failed.failure.path(), "below/cart");
    let lines = failed.record.lines();
    assert_eq!(lines[..2], ["db started", "below/cart failed"]);
    assert!(lines.contains(&"db ended Stopped".to_owned()), "{lines:#?}");
}

/// A sequence that differs is shown with the missing events and the unexpected ones.
#[tokio::test]
async fn a_wrong_expectation_shows_the_difference() {
    let mut shop = shop(&Journal::default()).await;
    shop.db.inject(Fault::kill());
    shop.settle().await;
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        shop.expect(["db failed", "db decided Restart", "db ended Killed", "never"]);
    }));
    let text = *panic.unwrap_err().downcast::<String>().unwrap();
    assert_eq!(
        text,
        "other events than expected (- expected, + happened):\n  db failed\n- db decided Restart\n+ db decided Stop\n  \
         db ended Killed\n- never\n"
    );
}

/// A difference in order or in number counts as well.
#[test]
fn a_difference_is_one_of_order_and_number_too() {
    let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(testing::diff(&lines("a b"), &lines("a b")), None);
    assert_eq!(testing::diff(&lines("a b"), &lines("b a")).unwrap(), "- a\n  b\n+ a\n");
    assert_eq!(testing::diff(&lines("a"), &lines("a a")).unwrap(), "  a\n+ a\n");
    assert_eq!(testing::diff(&lines("a a"), &lines("a")).unwrap(), "  a\n- a\n");
}

/// A record that begins later contains the events from that point on, up to the end of the tree.
#[tokio::test]
async fn a_record_can_begin_at_any_time() {
    let shop = shop(&Journal::default()).await;
    shop.plain.stop();
    settle().await;
    let mut record = Record::of(shop.events());
    let (report, mut whole) = shop.shutdown().await;
    assert!(report.is_orderly());
    record.expect([
        "Shop stopping Asked",
        "below stopping Shutdown",
        "below/ticker stopping Shutdown",
        "below/ticker ended Stopped",
        "below/cart stopping Shutdown",
        "below/cart ended Stopped",
        "below ended Stopped",
        "db stopping Shutdown",
        "db ended Stopped",
        "Shop ended Stopped",
    ]);
    assert_eq!(whole.lines()[..2], ["plain stopping Asked", "plain ended Stopped"]);
}

/// `advance` panics if the clock is not paused, because it would really wait.
#[test]
#[should_panic(expected = "the clock is not paused")]
fn advance_wants_a_paused_clock() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(testing::advance(secs(1)));
}

/// S25: the event of a dropped guard names the line of the test that started the tree, not a line of the kit.
#[tokio::test]
async fn a_dropped_guard_shows_the_line_of_the_test() {
    let starting = testing::start(Shop::tree(Journal::default()));
    let line = line!() - 1;
    let tested = starting.await.unwrap();
    let mut events = tested.events();
    drop(tested);
    let mut place = None;
    while place.is_none() {
        if let EventKind::GuardDropped { started_at } = events.next().await.unwrap().kind {
            place = Some((started_at.file(), started_at.line()));
        }
    }
    assert_eq!(place, Some((file!(), line)));
}
