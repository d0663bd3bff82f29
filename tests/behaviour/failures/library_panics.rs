//! A panic of the library's own code: S6, S19, S25.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use supervise::inspect::NodeState;
use supervise::prelude::*;
use supervise::testing::{Fault, Inject};

use crate::common::{Boom, Do, Journal, Probe, pass, quiet_panics, secs, seen, settle, soon};

const BUG: &str = "planned panic of the library";

fn is_bug(ended: &Ended) -> bool {
    matches!(ended.failure().map(Failure::cause), Some(Cause::Bug(text)) if text == BUG)
}

supervisor! {
    struct Works(journal: Journal, asked: Arc<AtomicU32>) {
        before: Probe = Probe::start("before", journal).await?,
        hall: struct Hall {
            #[decider(move |_: &Failure| { asked.fetch_add(1, Relaxed); Directive::Resume })]
            #[backoff(60s..120s)]
            press: Probe = Probe::start("press", journal).await?,
            lathe: Probe = Probe::start("lathe", journal).await?,
            ticker: task = std::future::pending::<()>(),
        },
    }
}

async fn works() -> (Running<Works>, Journal, Arc<AtomicU32>) {
    quiet_panics();
    let (journal, asked) = (Journal::default(), Arc::default());
    let tree = Works::start(journal.clone(), Arc::clone(&asked)).await.unwrap();
    journal.take();
    (tree, journal, asked)
}

/// S6, S19: if the library's own code panics, the child fails with `Cause::Bug`. No decider is asked: its supervisor
/// fails with it, and starts all its children again.
#[tokio::test(start_paused = true)]
async fn a_bug_is_escalated() {
    let (tree, journal, asked) = works().await;
    let mut events = tree.events();
    tree.hall.press.inject(Fault::bug(BUG));
    settle().await;
    let lines = seen(&mut events);
    let told = ["hall/press failed", "hall/press decided Escalate", "hall escalated", "hall failed"];
    assert_eq!(lines[..4], told, "{lines:?}");
    assert_eq!(asked.load(Relaxed), 0);
    assert_eq!(
        journal.take(),
        [
            "press drop", // without a hook
            "lathe pre_restart",
            "lathe post_stop",
            "lathe drop",
            "press start",
            "press pre_start",
            "press post_restart",
            "lathe start",
            "lathe pre_start",
            "lathe post_restart",
        ]
    );
    assert_eq!((tree.hall.press.incarnation(), tree.before.incarnation()), (2, 1));
    tree.hall.press.tell(Do::Add(2)).await.unwrap();
    assert_eq!(tree.hall.press.ask(Do::Get).await.unwrap(), 2);
    assert!(tree.shutdown().await.is_orderly());
}

/// S19: the same for a task, together with its subtasks.
#[tokio::test(start_paused = true)]
async fn a_bug_next_to_a_task_is_escalated() {
    let (tree, ..) = works().await;
    tree.hall.ticker.inject(Fault::bug(BUG));
    settle().await;
    assert_eq!((tree.hall.ticker.incarnation(), tree.hall.incarnation()), (2, 2));
    assert!(tree.shutdown().await.is_orderly());
}

/// S25: a top-level actor ends with the bug, and callers that wait are notified.
#[tokio::test(start_paused = true)]
async fn a_bug_ends_a_top_level_actor() {
    quiet_panics();
    let journal = Journal::default();
    let lone = spawn(child! { "lone": Probe = Probe::start("lone", journal).await? }).await.unwrap();
    let waits = tokio::spawn({
        let lone = lone.clone();
        async move { lone.ask(Do::Get).forever().await.is_err() }
    });
    lone.tell(Do::Hang).await.unwrap();
    settle().await;
    lone.inject(Fault::bug(BUG));
    assert!(is_bug(&soon(lone.terminated()).await.unwrap()));
    assert!(lone.try_tell(Do::Add(1)).is_err());
    assert!(waits.await.unwrap());
}

/// S20, S25: a root ends with the bug; its children are taken down in order, with their hooks.
#[tokio::test(start_paused = true)]
async fn a_bug_of_a_root_takes_its_children_down() {
    let (tree, journal, _) = works().await;
    tree.inject(Fault::bug(BUG));
    let report = soon(tree.join()).await;
    assert!(!report.is_orderly());
    let lines = journal.take();
    let down = ["lathe post_stop", "lathe drop", "press post_stop", "press drop", "before post_stop", "before drop"];
    assert_eq!(lines, down);
}

/// Sends its handle while it starts, and never finishes starting.
struct Slow(tokio::sync::mpsc::UnboundedSender<ActorRef<Slow>>);

#[actor]
impl Slow {
    #[pre_start]
    async fn show(&mut self, cx: &mut Context<Self>) {
        let _ = self.0.send(cx.actor_ref());
        std::future::pending().await
    }

    fn handle(&mut self, _msg: ()) {}
}

/// S21: a bug during a start is a failed start, and a tree starts as a whole or not at all.
#[tokio::test(start_paused = true)]
async fn a_bug_while_a_tree_starts_is_a_failed_start() {
    supervisor! {
        struct FirstStart(journal: Journal, shown: tokio::sync::mpsc::UnboundedSender<ActorRef<Slow>>) {
            before: Probe = Probe::start("before", journal).await?,
            part: struct Part {
                slow: Slow = Slow(shown),
            },
        }
    }
    quiet_panics();
    let journal = Journal::default();
    let (show, mut shown) = tokio::sync::mpsc::unbounded_channel();
    let start = tokio::spawn(FirstStart::start(journal.clone(), show));
    shown.recv().await.unwrap().inject(Fault::bug(BUG));
    let failure = soon(start).await.unwrap().unwrap_err();
    assert_eq!((failure.path(), failure.phase()), ("part/slow", Phase::Start));
    assert!(matches!(failure.cause(), Cause::Bug(text) if text == BUG), "{failure}");
    assert!(journal.take().contains(&"before post_stop".to_owned()));
}

/// S19: the same for a bug while a child backs off.
#[tokio::test(start_paused = true)]
async fn a_bug_while_it_waits_is_escalated() {
    let (tree, ..) = works().await;
    tree.hall.press.restart().unwrap();
    settle().await;
    tree.hall.lathe.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.hall.lathe.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert!(matches!(tree.snapshot().find("hall/lathe").unwrap().state, NodeState::BackingOff { .. }));
    tree.hall.lathe.inject(Fault::bug(BUG));
    settle().await;
    assert!(soon(tree.ready()).await);
    assert_eq!(tree.hall.incarnation(), 2);
}

/// S16, S24: a bug while a child goes down does not prevent its end.
#[tokio::test(start_paused = true)]
async fn a_bug_on_the_way_down_ends_there() {
    let (tree, journal, _) = works().await;
    journal.plan("lathe post_stop", 1, crate::common::Fault::Slow(secs(2)));
    tree.hall.stop();
    settle().await;
    tree.hall.lathe.inject(Fault::bug(BUG));
    soon(tree.hall.join()).await.unwrap();
    assert!(journal.take().ends_with(&["lathe drop".into(), "press post_stop".into(), "press drop".into()]));
    soon(tree.shutdown()).await;
}

/// S26: after the end of a child, a bug changes nothing, and the child can be started again.
#[tokio::test(start_paused = true)]
async fn a_bug_after_the_end_changes_nothing() {
    let (tree, ..) = works().await;
    tree.before.stop();
    soon(tree.before.terminated()).await.unwrap();
    for _ in 0..3 {
        tree.before.inject(Fault::bug(BUG));
        settle().await;
        assert!(matches!(tree.before.ended(), Some(Ended::Stopped)));
    }
    tree.before.start_again().unwrap();
    assert_eq!(soon(tree.before.ask(Do::Get)).await.unwrap(), 0);
    soon(tree.shutdown()).await;
}

/// S25: several bugs, without a child that is up in between, end the child, and its group does not wait for it.
#[tokio::test(start_paused = true)]
async fn several_bugs_in_a_row_end_the_child() {
    quiet_panics();
    supervisor! {
        struct Shaky(journal: Journal) {
            #![decider(_ => Restart)]
            #[backoff(60s..120s)]
            one: Probe = Probe::start("one", journal).await?,
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let tree = Shaky::start(Journal::default()).await.unwrap();
    tree.one.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    for _ in 0..3 {
        tree.one.inject(Fault::bug(BUG));
        settle().await;
    }
    let report = soon(tree.join()).await;
    assert!(!report.is_orderly());
}

/// S19: only a second bug before the child was up again ends it: after a successful start, a bug is escalated again,
/// also that of a task.
#[tokio::test(start_paused = true)]
async fn a_bug_after_a_start_is_escalated_again() {
    let (tree, ..) = works().await;
    for times in 1..=3 {
        tree.hall.press.inject(Fault::bug(BUG));
        pass(secs(1)).await;
        assert_eq!((tree.hall.incarnation(), tree.hall.press.incarnation()), (2 * times, 2 * times));
        tree.hall.ticker.inject(Fault::bug(BUG));
        pass(secs(1)).await;
        assert_eq!((tree.hall.incarnation(), tree.hall.ticker.incarnation()), (2 * times + 1, 2 * times + 1));
    }
    assert!(tree.shutdown().await.is_orderly());
}
