//! `lifecycle`, `pre_restart` and `post_restart`.

use std::time::Duration;

use supervise::error::SendRejection;
use supervise::prelude::*;
use tokio::time::Instant;

use super::{ended, fail};
use crate::common::{Boom, Do, Fault, Journal, Probe, pass, secs, settle};

fn dump(probe: &mut Probe) {
    probe.journal.write("dump");
}

async fn reload(probe: &mut Probe, failure: &Failure) -> Result<(), Boom> {
    probe.journal.write(format!("reload after {}", failure.cause()));
    Ok(())
}

supervisor! {
    struct Lives(journal: Journal) {
        #[lifecycle(Permanent)]
        permanent: Probe = Probe::start("permanent", journal).await?,
        #[lifecycle(Transient)]
        transient: Probe = Probe::start("transient", journal).await?,
        #[lifecycle(Temporary)]
        temporary: Probe = Probe::start("temporary", journal).await?,
        plain: Probe = Probe::start("plain", journal).await?,
    }

    struct Kept(journal: Journal) {
        #[lifecycle(Permanent)]
        kept: [Probe] = |n: u32| Probe::start(format!("k{n}"), journal).await?,
        plain: [Probe] = |n: u32| Probe::start(format!("p{n}"), journal).await?,
    }

    struct Goes(journal: Journal) {
        plain: Probe = Probe::start("plain", journal).await?,
        #[lifecycle(shutdown = 2s)]
        short: Probe = Probe::start("short", journal).await?,
        #[lifecycle(Permanent, shutdown = 20s)]
        long: Probe = Probe::start("long", journal).await?,
        #[lifecycle(shutdown = Kill)]
        killed: Probe = Probe::start("killed", journal).await?,
        #[lifecycle(shutdown = Infinity)]
        patient: Probe = Probe::start("patient", journal).await?,
    }

    struct Begins(journal: Journal) {
        #[backoff(1min..1min, random_factor = 0)]
        plain: Probe = Probe::start("plain", journal).await?,
        #[backoff(1min..1min, random_factor = 0)]
        #[lifecycle(start = 2s)]
        short: Probe = Probe::start("short", journal).await?,
    }

    struct Queues(journal: Journal) {
        plain: Probe = Probe::start("plain", journal).await?,
        #[lifecycle(drain)]
        drains: Probe = Probe::start("drains", journal).await?,
        #[lifecycle(Permanent, drain, shutdown = 2s)]
        short: Probe = Probe::start("short", journal).await?,
    }

    struct Ready(wait: bool) {
        tells: task = |cx| says_when(cx, wait),
    }

    struct Waits(wait: bool) {
        #[lifecycle(ready)]
        tells: task = |cx| says_when(cx, wait),
    }

    struct Counts(journal: Journal) {
        #[lifecycle(Transient, significant)]
        main: Probe = Probe::start("main", journal).await?,
        #[lifecycle(Transient)]
        sibling: Probe = Probe::start("sibling", journal).await?,
        rest: Probe = Probe::start("rest", journal).await?,
    }

    struct Outer(journal: Journal) {
        patient: struct Patient {
            #[lifecycle(shutdown = Infinity)]
            probe: Probe = Probe::start("patient", journal).await?,
        },
        #[lifecycle(shutdown = 3s)]
        bounded: struct Bounded {
            #[lifecycle(shutdown = Infinity)]
            probe: Probe = Probe::start("bounded", journal).await?,
        },
    }

    struct Hooks(journal: Journal) {
        plain: Probe = Probe::start("plain", journal).await?,
        #[pre_restart(dump)]
        pre: Probe = Probe::start("pre", journal).await?,
        #[post_restart(reload)]
        post: Probe = Probe::start("post", journal).await?,
    }
}

/// The incarnations after an end by itself and after a failure; `None` if the child has ended.
async fn incarnations(pick: fn(&Lives) -> &ActorRef<Probe>) -> [Option<u32>; 2] {
    let mut found = [None; 2];
    for (found, told) in found.iter_mut().zip([Do::Stop, Do::Fail(Boom::Told)]) {
        let tree = Lives::start(Journal::default()).await.unwrap();
        let child = pick(&tree);
        child.tell(told).await.unwrap();
        pass(secs(1)).await;
        *found = child.ask(Do::Incarnation).await.ok();
        assert!(tree.ended().is_none());
    }
    found
}

/// S23: `Permanent` restarts after a failure and after an end by itself; it is the default of an actor.
#[tokio::test(start_paused = true)]
async fn lifecycle_permanent_is_obeyed() {
    assert_eq!(incarnations(|tree| &tree.permanent).await, [Some(2), Some(2)]);
    assert_eq!(incarnations(|tree| &tree.plain).await, [Some(2), Some(2)]);
    let tree = Kept::start(Journal::default()).await.unwrap();
    for (set, expected) in [(&tree.kept, Some(2)), (&tree.plain, None)] {
        let one = set.spawn(1).await.unwrap();
        one.tell(Do::Stop).await.unwrap();
        pass(secs(1)).await;
        assert_eq!(one.ask(Do::Incarnation).await.ok(), expected, "`Permanent` is not the default in a `[..]`");
    }
}

/// S23: `Transient` restarts only after a failure.
#[tokio::test(start_paused = true)]
async fn lifecycle_transient_is_obeyed() {
    assert_eq!(incarnations(|tree| &tree.transient).await, [None, Some(2)]);
}

/// S23: `Temporary` never restarts.
#[tokio::test(start_paused = true)]
async fn lifecycle_temporary_is_obeyed() {
    assert_eq!(incarnations(|tree| &tree.temporary).await, [None, None]);
}

/// The time that a stop takes while a message of `work` is in hand, why the child ended, and the lines that it wrote
/// meanwhile.
async fn stop(pick: fn(&Goes) -> &ActorRef<Probe>, work: Duration) -> (Duration, String, Vec<String>) {
    let journal = Journal::default();
    let tree = Goes::start(journal.clone()).await.unwrap();
    let child = pick(&tree);
    child.tell(Do::Work(work)).await.unwrap();
    settle().await;
    journal.take();
    let begin = Instant::now();
    child.stop();
    let why = ended(child).await;
    let took = begin.elapsed();
    settle().await;
    (took, format!("{why:?}"), journal.take())
}

/// S24: the child has that time, and is then aborted; the default is 5 s.
#[tokio::test(start_paused = true)]
async fn lifecycle_shutdown_is_obeyed() {
    let aborted = |took, name| (secs(took), "Aborted".to_owned(), vec![format!("{name} drop")]);
    assert_eq!(stop(|tree| &tree.short, secs(60)).await, aborted(2, "short"));
    assert_eq!(stop(|tree| &tree.plain, secs(60)).await, aborted(5, "plain"));
    assert_eq!(stop(|tree| &tree.long, secs(60)).await, aborted(20, "long"));
    let (took, ended, lines) = stop(|tree| &tree.long, secs(19)).await;
    assert_eq!((took, &*ended), (secs(19), "Stopped"));
    assert_eq!(lines, ["long worked", "long post_stop", "long drop"]);
}

/// S24: `Kill` gives no time and runs no hook, even if the child has no message in hand.
#[tokio::test(start_paused = true)]
async fn lifecycle_shutdown_kill_is_obeyed() {
    let (took, _, lines) = stop(|tree| &tree.killed, secs(60)).await;
    assert_eq!((took, lines), (Duration::ZERO, vec!["killed drop".to_owned()]));
    let (_, _, lines) = stop(|tree| &tree.killed, Duration::ZERO).await;
    assert_eq!(lines, ["killed drop"]);
    let (_, _, lines) = stop(|tree| &tree.plain, Duration::ZERO).await;
    assert_eq!(lines, ["plain post_stop", "plain drop"]);
}

/// S24: with `Infinity`, a stop takes as long as it needs.
#[tokio::test(start_paused = true)]
async fn lifecycle_shutdown_infinity_is_obeyed() {
    let (took, ended, lines) = stop(|tree| &tree.patient, secs(86_400)).await;
    assert_eq!((took, &*ended), (secs(86_400), "Stopped"));
    assert_eq!(lines, ["patient worked", "patient post_stop", "patient drop"]);
}

/// S13: a start has that time; by default it may take as long as it needs.
#[tokio::test(start_paused = true)]
async fn lifecycle_start_is_obeyed() {
    for (name, incarnation) in [("short", 1), ("plain", 1)] {
        let journal = Journal::default();
        let tree = Begins::start(journal.clone()).await.unwrap();
        let child = if name == "short" { &tree.short } else { &tree.plain };
        assert_eq!(child.incarnation(), incarnation);
        journal.plan(&format!("{name} start"), 1, Fault::Slow(secs(5)));
        fail(child, 1).await;
        pass(secs(65)).await;
        let lines = journal.take();
        let done = lines.contains(&format!("{name} start done"));
        assert_eq!(done, name == "plain", "{lines:?}");
    }
}

/// S24: on a stop, of the child or of the tree, the queued messages are handled first, within the `shutdown` time. A
/// queued message that is not handled is a dead letter.
#[tokio::test(start_paused = true)]
async fn lifecycle_drain_is_obeyed() {
    for on_request in [true, false] {
        let journal = Journal::default();
        let tree = Queues::start(journal.clone()).await.unwrap();
        for child in [&tree.plain, &tree.drains, &tree.short] {
            child.tell(Do::Work(secs(3))).await.unwrap();
            child.tell(Do::Note("queued")).await.unwrap();
        }
        settle().await;
        let handle = tree.handle();
        if on_request {
            for child in [&tree.plain, &tree.drains, &tree.short] {
                child.stop();
            }
            settle().await;
            let late = handle.drains.try_tell(Do::Note("late")).unwrap_err();
            assert_eq!(late.reason(), SendRejection::Ended);
            ended(&handle.drains).await;
            ended(&handle.short).await;
            drop(tree);
        } else {
            tree.shutdown().await;
        }
        let lines = journal.take();
        let queued = |name: &str| lines.contains(&format!("{name} queued"));
        assert!(queued("drains"), "{lines:?}");
        // In reverse order: in a shutdown, `plain` has handled all its messages before its turn comes.
        assert_eq!(queued("plain"), !on_request, "{lines:?}");
        assert!(!queued("short"), "2 s are not enough: {lines:?}");
        assert!(lines.contains(&"drains post_stop".to_owned()));
        assert!(matches!(handle.short.ended(), Some(Ended::Aborted)));
        assert!(matches!(handle.drains.ended(), Some(Ended::Stopped)));
    }
}

/// Ready after 3 s if `wait` is set, otherwise at once.
async fn says_when(cx: TaskContext, wait: bool) {
    if wait {
        tokio::time::sleep(secs(3)).await;
    }
    cx.ready();
    cx.stopped().await;
}

/// S29: a task with `ready` has started when it calls `ready()`, and any other task when it is launched.
#[tokio::test(start_paused = true)]
async fn lifecycle_ready_is_obeyed() {
    let begin = Instant::now();
    let _plain = Ready::start(true).await.unwrap();
    assert_eq!(begin.elapsed(), secs(0));
    let _waits = Waits::start(false).await.unwrap();
    assert_eq!(begin.elapsed(), secs(0));
    let _waits = Waits::start(true).await.unwrap();
    assert_eq!(begin.elapsed(), secs(3));
}

/// S13: a message takes as long as it takes by default; with a time it is cut short.
#[tokio::test(start_paused = true)]
async fn lifecycle_handler_is_obeyed() {
    supervisor! {
        struct Works(journal: Journal) {
            plain: Probe = Probe::start("plain", journal).await?,
            #[lifecycle(Permanent, handler = 2s)]
            short: Probe = Probe::start("short", journal).await?,
            #[lifecycle(Permanent, handler = 1min)]
            long: Probe = Probe::start("long", journal).await?,
        }
    }
    let tree = Works::start(Journal::default()).await.unwrap();
    for (child, time, incarnation) in
        [(&tree.plain, 3_600, 1), (&tree.short, 1, 1), (&tree.short, 3, 2), (&tree.long, 59, 1), (&tree.long, 61, 2)]
    {
        child.tell(Do::Work(secs(time))).await.unwrap();
        assert_eq!(child.ask(Do::Incarnation).forever().await.unwrap(), incarnation, "{}: {time} s", child.path());
    }
}

/// S22: the tree ends together with its `significant` child.
#[tokio::test(start_paused = true)]
async fn lifecycle_significant_is_obeyed() {
    let tree = Counts::start(Journal::default()).await.unwrap();
    tree.sibling.tell(Do::Stop).await.unwrap();
    pass(secs(10)).await;
    assert!(tree.ended().is_none());
    tree.main.tell(Do::Stop).await.unwrap();
    assert!(matches!(ended(&tree.rest).await, Ended::Stopped));
    settle().await;
    assert!(matches!(tree.ended(), Some(Ended::Done)));
}

/// S24: a tree has no time limit by default. With one, everything below it is aborted when the time is over.
#[tokio::test(start_paused = true)]
async fn a_subtree_obeys_its_shutdown_time() {
    for (bounded, expected) in [(true, 3), (false, 3_600)] {
        let tree = Outer::start(Journal::default()).await.unwrap();
        let probe = if bounded { &tree.bounded.probe } else { &tree.patient.probe };
        probe.tell(Do::Work(secs(3_600))).await.unwrap();
        settle().await;
        let begin = Instant::now();
        tree.shutdown().await;
        assert_eq!(begin.elapsed(), secs(expected));
    }
}

/// The journal lines of one restart.
async fn restart_lines(pick: fn(&Hooks) -> &ActorRef<Probe>) -> Vec<String> {
    let journal = Journal::default();
    let tree = Hooks::start(journal.clone()).await.unwrap();
    journal.take();
    fail(pick(&tree), 1).await;
    journal.take()
}

/// S11: this function runs instead of the type's own hook, which still runs for a sibling.
#[tokio::test(start_paused = true)]
async fn pre_restart_path_is_obeyed() {
    assert_eq!(restart_lines(|tree| &tree.plain).await[0], "plain pre_restart");
    assert_eq!(restart_lines(|tree| &tree.pre).await[0], "dump");
}

/// S11: this function runs instead of the type's own hook, which still runs for a sibling. It gets the failure, and may
/// return a `Result`.
#[tokio::test(start_paused = true)]
async fn post_restart_path_is_obeyed() {
    assert_eq!(restart_lines(|tree| &tree.plain).await.last().unwrap(), "plain post_restart");
    assert_eq!(restart_lines(|tree| &tree.post).await.last().unwrap(), "reload after Told");
}

/// S11: a function is called for a type without hooks of its own, also if the other one is not declared.
#[tokio::test(start_paused = true)]
async fn a_declared_hook_is_called_for_a_type_without_hooks() {
    struct Bare(Journal);
    #[actor]
    impl Bare {
        fn handle(&mut self, _: ()) -> Result<(), Boom> {
            Err(Boom::Told)
        }
    }
    fn before(bare: &mut Bare) {
        bare.0.write("before");
    }
    fn after(bare: &mut Bare) {
        bare.0.write("after");
    }
    supervisor! {
        struct Bares(journal: Journal) {
            none: Bare = Bare(journal),
            #[pre_restart(before)]
            pre: Bare = Bare(journal),
            #[post_restart(after)]
            post: Bare = Bare(journal),
            #[pre_restart(before)]
            #[post_restart(after)]
            both: Bare = Bare(journal),
        }
    }
    let journal = Journal::default();
    let tree = Bares::start(journal.clone()).await.unwrap();
    let expected: [(_, &[&str]); 4] =
        [(&tree.none, &[]), (&tree.pre, &["before"]), (&tree.post, &["after"]), (&tree.both, &["before", "after"])];
    for (child, lines) in expected {
        child.tell(()).await.unwrap();
        pass(secs(1)).await;
        assert_eq!(child.incarnation(), 2);
        assert_eq!(journal.take(), lines, "{}", child.path());
    }
}

/// S21: the first start goes on without a `best_effort` child that fails.
#[tokio::test(start_paused = true)]
async fn lifecycle_best_effort_is_obeyed() {
    supervisor! {
        struct With(journal: Journal) {
            #[lifecycle(Permanent, best_effort)]
            extra: Probe = Probe::start("extra", journal).await?,
            main: Probe = Probe::start("main", journal).await?,
        }
        struct Without(journal: Journal) {
            extra: Probe = Probe::start("extra", journal).await?,
            main: Probe = Probe::start("main", journal).await?,
        }
    }
    let journal = Journal::default();
    journal.plan("extra start", 2, Fault::Error);
    let tree = With::start(journal.clone()).await.unwrap();
    assert!(matches!(tree.extra.ended(), Some(Ended::Failed(_))) && tree.main.is_alive());
    assert!(Without::start(journal).await.is_err());
}
