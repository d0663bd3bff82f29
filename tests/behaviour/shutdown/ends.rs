//! Stops from inside, from outside, and on request: S25 and S26.

use std::time::Duration;

use supervise::TreeRef;
use supervise::error::AskError;
use supervise::event::EventKind;
use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, seen, settle, soon};

supervisor! {
    struct Pair(journal: Journal) {
        first: Probe = Probe::start("first", journal).await?,
        #[lifecycle(Permanent, shutdown = 2s)]
        second: Probe = Probe::start("second", journal).await?,
    }

    struct Waiting {
        waiter: Waiter = Waiter(tree),
    }
}

struct Blocker;

#[actor]
impl Blocker {
    fn handle(&mut self, time: Option<Duration>) -> Result<(), Boom> {
        std::thread::sleep(time.ok_or(Boom::Told)?);
        Ok(())
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

/// S25: dropping the guard requests the same shutdown as `shutdown()`, and the event says where the tree was started.
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
    while let Some(event) = events.next().await {
        if let EventKind::GuardDropped { started_at } = event.kind {
            place = Some(started_at.file().to_owned());
        }
    }
    assert!(place.is_some_and(|file| file.ends_with("ends.rs")));
}

/// S25: a detached tree continues to run.
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

/// S25: a child that blocks its thread is reported as stuck. The shutdown gives up on it 5 s after its own time, or 5 s
/// after the time of `within`, whatever its own time is; meanwhile there is no new incarnation. The test uses the wall
/// clock and its own threads, because code that blocks a thread blocks a paused clock too.
#[test]
fn a_child_that_blocks_its_thread_is_given_up() {
    supervisor! {
        struct Stuck {
            #![strategy(AllForOne)]
            fails: Blocker = Blocker,
            #[lifecycle(Permanent, shutdown = 100ms)]
            blocker: Blocker = Blocker,
        }
        struct Endless {
            #[lifecycle(Permanent, shutdown = Infinity)]
            blocker: Blocker = Blocker,
        }
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_all().build().unwrap();
    runtime.block_on(async {
        let mut tree = Stuck::tree();
        let mut events = tree.events();
        let tree = tree.start().await.unwrap();
        let endless = Endless::start().await.unwrap();
        tree.blocker.tell(Some(secs(7))).await.unwrap();
        endless.blocker.tell(Some(secs(7))).await.unwrap();
        tokio::time::sleep(ms(50)).await;
        let before = tokio::time::Instant::now();
        tree.fails.tell(None).await.unwrap();
        let bounded = tokio::spawn(async move {
            let report = endless.shutdown().within(ms(100)).await;
            (report, before.elapsed())
        });
        tokio::time::sleep(ms(300)).await;
        assert_eq!(
            [tree.fails.incarnation(), tree.blocker.incarnation()],
            [1, 1],
            "the group waits for the stuck child"
        );
        let report = tree.shutdown().await;
        for (report, took) in [(report, before.elapsed()), bounded.await.unwrap()] {
            assert!(took >= secs(5) && took < ms(6500), "{took:?}");
            assert!(report.children.iter().any(|child| child.path == "blocker" && child.stuck), "{report:?}");
        }
        assert!(seen(&mut events).contains(&"blocker stuck".to_owned()));
    });
    runtime.shutdown_background();
}

/// S25: dropping the runtime ends everything without hooks, and notifies callers that wait outside.
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

/// S26: `stop()` lets the message end and runs the hooks; `kill()` drops the message, and is decided as a failure.
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

/// S25: `stop()` from inside only requests the stop: the handler runs to its end.
#[tokio::test(start_paused = true)]
async fn a_stop_from_inside_lets_the_handler_go_on() {
    struct Selfless(Journal);
    #[actor]
    impl Selfless {
        async fn handle(&mut self, all: Option<TreeRef>, cx: &mut Context<Self>) {
            match all {
                None => cx.actor_ref().stop(),
                Some(tree) => {
                    let error = tree.shutdown().await.unwrap_err();
                    self.0.write(error);
                }
            }
            tokio::time::sleep(secs(1)).await;
            self.0.write("handled");
        }
        #[post_stop]
        fn stopped(&mut self) {
            self.0.write("post_stop");
        }
    }
    supervisor! {
        struct Self_(journal: Journal) {
            one: Selfless = Selfless(journal),
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Self_::start(journal.clone()).await.unwrap();
    journal.take();
    tree.one.tell(None).await.unwrap();
    assert!(matches!(tree.one.terminated().await, Ok(Ended::Stopped)));
    assert_eq!(journal.take(), ["handled", "post_stop"]);
    tree.shutdown().await;
    let tree = Self_::start(journal.clone()).await.unwrap();
    journal.take();
    let handle = tree.handle();
    tree.one.tell(Some((**tree).clone())).await.unwrap();
    let report = tree.join().await;
    assert!(report.is_orderly(), "the shutdown was requested all the same: {report}");
    let lines = journal.take();
    assert!(lines[0].contains("Self_") && lines[0].contains("stop()"), "{lines:?}");
    assert_eq!(lines[1..], ["other post_stop", "other drop", "handled", "post_stop"]);
    assert!(handle.ended().is_some());
}

/// S25: waits in a task, a subtask, a start and a hook are inside too.
#[tokio::test(start_paused = true)]
async fn tasks_and_starts_that_wait_for_their_own_end_get_the_error() {
    async fn ask(tree: TreeRef, place: &'static str, journal: Journal) {
        let waits = tokio::time::timeout(secs(60), tree.join()).await;
        journal.write(format!("{place} {}", waits.is_ok_and(|joined| joined.is_err())));
    }
    async fn task(cx: TaskContext, tree: TreeRef, journal: Journal) {
        cx.spawn(ask(tree.clone(), "subtask", journal.clone()));
        ask(tree, "task", journal).await;
    }
    supervisor! {
        struct Inside(journal: Journal) {
            started: Probe = {
                ask(tree, "start", journal.clone()).await;
                Probe::start("started", journal).await?
            },
            job: task = |cx| task(cx, tree, journal),
        }
    }
    let journal = Journal::default();
    let tree = Inside::start(journal.clone()).await.unwrap();
    pass(secs(1)).await;
    let mut lines = journal.take();
    lines.retain(|line| !line.starts_with("started"));
    lines.sort();
    assert_eq!(lines, ["start true", "subtask true", "task true"]);
    drop(tree.detach());
}

/// S25: when the runtime is dropped, asks and waits outside of it get an error or the end, whether they began before or
/// begin later.
#[test]
fn asks_and_waits_outside_end_with_the_runtime() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let (inside, outside) = (runtime(), runtime());
    let journal = Journal::default();
    let tree = inside.block_on(async { Pair::start(journal.clone()).await.unwrap().detach() });
    let first = tree.first.clone();
    let asks = outside.spawn(async move { first.ask(Do::Get).forever().await });
    let waits = outside.spawn(tree.second.terminated());
    let joins = outside.spawn(tree.join());
    outside.block_on(settle());
    drop(inside);
    outside.block_on(async {
        assert!(matches!(asks.await.unwrap(), Err(AskError::NoReply { .. } | AskError::Refused { .. })));
        assert!(matches!(waits.await.unwrap(), Ok(Ended::RuntimeGone)));
        assert!(matches!(joins.await.unwrap().unwrap().ended, Ended::RuntimeGone));
        assert!(matches!(tree.first.terminated().await, Ok(Ended::RuntimeGone)));
        assert!(tree.first.tell(Do::Add(1)).await.is_err());
        assert!(tree.second.ask(Do::Get).await.is_err());
    });
    drop(tree);
}

/// S25: a guard may be dropped anywhere, even where there is no runtime.
#[test]
fn a_guard_may_be_dropped_outside_of_the_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let journal = Journal::default();
    let tree = runtime.block_on(async { Pair::start(journal.clone()).await.unwrap() });
    let handle = tree.handle();
    std::thread::spawn(move || drop(tree)).join().unwrap();
    assert!(matches!(runtime.block_on(handle.join()).unwrap().ended, Ended::Stopped));
    assert!(journal.take().ends_with(&["first post_stop".to_owned(), "first drop".to_owned()]));
}

/// S26: a kill is decided like any failure. The hooks of a restart run, on the instance whose future was dropped.
#[tokio::test(start_paused = true)]
async fn a_kill_can_be_decided_restart() {
    supervisor! {
        struct Killed(journal: Journal) {
            #![decider(Cause::Killed => Restart)]
            probe: Probe = Probe::start("probe", journal).await?,
            guests: [Probe] = |name: &'static str| Probe::start(name, journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Killed::start(journal.clone()).await.unwrap();
    let guest = tree.guests.spawn("guest").await.unwrap();
    for probe in [&tree.probe, &guest] {
        probe.tell(Do::Hang).await.unwrap();
        settle().await;
        journal.take();
        probe.kill();
        assert_eq!(probe.ask(Do::Incarnation).await.unwrap(), 2);
        let lines = journal.take();
        assert!(lines[0].ends_with(" pre_restart") && lines[1].ends_with(" post_stop"), "{lines:?}");
    }
    guest.stop();
    assert!(matches!(guest.terminated().await, Ok(Ended::Stopped)), "the same for children at run time");
}

/// S26, S16: a kill in `post_stop` drops the hook; the child ends as `Aborted`, and is reported as such.
#[tokio::test(start_paused = true)]
async fn a_kill_while_stopping_aborts() {
    let journal = Journal::default();
    let tree = Pair::start(journal.clone()).await.unwrap();
    let mut events = tree.events();
    journal.plan("second post_stop", 1, Fault::Slow(secs(1)));
    tree.second.stop();
    settle().await;
    journal.take();
    let before = tokio::time::Instant::now();
    tree.second.kill();
    assert!(matches!(tree.second.terminated().await, Ok(Ended::Aborted)));
    assert_eq!((before.elapsed(), journal.take()), (secs(0), vec!["second drop".to_owned()]));
    assert_eq!(seen(&mut events), ["second stopping Asked", "second aborted", "second ended Aborted"]);
}

/// S26: a subtree is stopped and killed through its handle; a kill of the root takes the tree down, and the hooks run.
#[tokio::test(start_paused = true)]
async fn trees_are_stopped_and_killed_by_their_handles() {
    supervisor! {
        struct Nested(journal: Journal) {
            one: struct One { a: Probe = Probe::start("a", journal).await?, },
            two: struct Two { b: Probe = Probe::start("b", journal).await?, },
        }
    }
    let journal = Journal::default();
    let tree = Nested::start(journal.clone()).await.unwrap();
    journal.take();
    tree.one.stop();
    assert!(matches!(tree.one.join().await.unwrap().ended, Ended::Stopped));
    assert_eq!(journal.take(), ["a post_stop", "a drop"]);
    tree.kill();
    let report = tree.join().await;
    assert!(matches!(report.ended, Ended::Killed), "{report}");
    assert_eq!(journal.take(), ["b post_stop", "b drop"]);
    let tree = Nested::start(journal.clone()).await.unwrap();
    tree.two.kill();
    assert!(matches!(tree.two.join().await.unwrap().ended, Ended::Killed));
    settle().await;
    assert_eq!(tree.one.a.ask(Do::Get).await.unwrap(), 0, "the default decider ends only the killed child");
}

/// S22: a member that was started again and then ends well leaves no failure behind; the failure that takes a tree down is
/// its end, whatever has failed before.
#[tokio::test(start_paused = true)]
async fn a_tree_ends_with_the_failure_that_ends_it() {
    supervisor! {
        struct Healed(journal: Journal) {
            #[lifecycle(Transient, best_effort)]
            first: Probe = Probe::start("first", journal).await?,
            #[lifecycle(Transient)]
            second: Probe = Probe::start("second", journal).await?,
        }
        struct Taken(journal: Journal) {
            #![strategy(AllForOne)]
            #![decider(Boom::Fatal => Stop, _ => Default)]
            #[lifecycle(best_effort)]
            first: Probe = Probe::start("first", journal).await?,
            second: Probe = Probe::start("second", journal).await?,
        }
    }
    let journal = Journal::default();
    journal.plan("first start", 1, Fault::Error);
    let tree = Healed::start(journal.clone()).await.unwrap();
    tree.first.start_again().unwrap().await.unwrap();
    tree.first.tell(Do::Stop).await.unwrap();
    tree.second.tell(Do::Stop).await.unwrap();
    let report = soon(tree.join()).await;
    assert!(matches!(report.ended, Ended::Done), "{report}");

    journal.plan("first start", 1, Fault::Error);
    let tree = Taken::start(journal).await.unwrap();
    tree.second.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    let report = soon(tree.join()).await;
    assert_eq!(report.ended.failure().map(Failure::path), Some("second"), "{report}");
}
