//! Hooks, and the time of a start: S12 and S13.

use supervise::BoxError;
use supervise::event::{EventKind, Events};
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, quiet_panics, secs, seen, settle, soon};

supervisor! {
    struct One(journal: Journal) {
        #[lifecycle(Permanent, shutdown = 3s)]
        probe: Probe = Probe::start("probe", journal).await?,
    }
}

// ----- S12

/// S12: errors and panics in `pre_restart`, `post_stop` and `Drop` are reported and change nothing else.
#[tokio::test(start_paused = true)]
async fn what_goes_wrong_on_the_way_down_is_reported_and_nothing_else_changes() {
    quiet_panics();
    for fault in [Fault::Error, Fault::Panic] {
        let journal = Journal::default();
        let one = One::start(journal.clone()).await.unwrap();
        let mut events = one.events();
        journal.plan("probe pre_restart", 1, fault);
        journal.plan("probe post_stop", 1, fault);
        journal.plan("probe drop", 1, Fault::Panic);
        journal.take();
        one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(ms(20)).await;
        assert_eq!(
            journal.take(),
            [
                "probe pre_restart",
                "probe post_stop",
                "probe drop",
                "probe start",
                "probe pre_start",
                "probe post_restart"
            ]
        );
        assert_eq!(
            seen(&mut events),
            [
                "probe failed",
                "probe decided Restart",
                "probe restart in 0ns",
                "probe reported",
                "probe reported",
                "probe reported",
                "probe restarted"
            ]
        );
        assert_eq!(one.probe.ask(Do::Get).await.unwrap(), 0);
        journal.plan("probe post_stop", 1, fault);
        journal.plan("probe drop", 1, Fault::Panic);
        let report = one.shutdown().await;
        let probe = &report.children[0];
        assert!(matches!(probe.ended, Ended::Stopped) && !probe.aborted, "{report}");
        assert_eq!(probe.failures, 2, "the child goes down for good, so the failure is in the report (S24): {report}");
    }
}

/// S12: `post_stop` runs once on each instance whose `pre_start` succeeded, and on no other.
#[tokio::test(start_paused = true)]
async fn post_stop_runs_once_after_each_successful_pre_start() {
    supervisor! {
        struct Retry(journal: Journal) {
            #![decider(|_| Directive::Restart)]
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    quiet_panics();
    let journal = Journal::default();
    journal.plan("probe pre_start", 1, Fault::Error);
    let retry = Retry::start(journal.clone()).await.unwrap();
    assert_eq!(
        journal.take(),
        ["probe start", "probe pre_start", "probe drop", "probe start", "probe pre_start"],
        "no post_stop and no post_restart, because the child was never up"
    );
    journal.plan("probe start", 1, Fault::Panic);
    retry.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    journal.take();
    journal.plan("probe pre_start", 1, Fault::Panic);
    journal.plan("probe post_restart", 1, Fault::Error);
    retry.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(
        journal.take(),
        [
            "probe pre_restart",
            "probe post_stop",
            "probe drop", // the instance that failed
            "probe start",
            "probe pre_start",
            "probe drop", // `post_stop` is not due
            "probe start",
            "probe pre_start",
            "probe post_restart",
            "probe post_stop",
            "probe drop",
            "probe start",
            "probe pre_start",
            "probe post_restart"
        ],
        "a retry has no pre_restart"
    );
    retry.shutdown().await;
    assert_eq!(journal.take(), ["probe post_stop", "probe drop"]);
}

/// S12: an instance that is aborted loses its `post_stop`, a stopped one has no `pre_restart`.
#[tokio::test(start_paused = true)]
async fn an_aborted_instance_loses_its_post_stop() {
    let journal = Journal::default();
    let one = One::start(journal.clone()).await.unwrap();
    one.probe.tell(Do::Hang).await.unwrap();
    settle().await;
    journal.take();
    let begun = Instant::now();
    one.probe.stop();
    assert!(matches!(soon(one.probe.terminated()).await, Ok(Ended::Aborted)));
    assert_eq!((begun.elapsed(), journal.take()), (secs(3), vec!["probe drop".to_owned()]));
    let other = One::start(journal.clone()).await.unwrap();
    journal.take();
    other.probe.stop();
    soon(other.probe.terminated()).await.unwrap();
    assert_eq!(journal.take(), ["probe post_stop", "probe drop"]);
}

/// S12: `pre_start` and `post_stop` still run if the restart hooks are replaced, and the restart hooks if
/// those two are.
#[tokio::test(start_paused = true)]
async fn hooks_do_not_switch_each_other_off() {
    struct Own(Journal);
    #[actor]
    impl Own {
        fn handle(&mut self, _: ()) -> Result<(), Boom> {
            Err(Boom::Told)
        }
        #[pre_restart]
        fn before(&mut self) {
            self.0.write("own pre_restart");
        }
        #[post_stop]
        fn stopped(&mut self) {
            self.0.write("own post_stop");
        }
        #[pre_start]
        fn begin(&mut self) {
            self.0.write("own pre_start");
        }
        fn instead(&mut self, failure: &Failure) {
            self.0.write(format!("instead {}", failure.cause()));
        }
    }
    /// Has no hook of its own.
    struct Bare(Journal);
    #[actor]
    impl Bare {
        fn handle(&mut self, _: ()) -> Result<(), Boom> {
            Err(Boom::Told)
        }
        fn instead(&mut self, failure: &Failure) {
            self.0.write(format!("instead {}", failure.cause()));
        }
    }
    supervisor! {
        struct Trees(journal: Journal) {
            plain: Own = Own(journal.clone()),
            #[pre_restart(Bare::instead)]
            bare: Bare = Bare(journal.clone()),
            #[pre_restart(Own::instead)]
            #[post_restart(Own::instead)]
            replaced: Own = Own(journal),
        }
    }
    let journal = Journal::default();
    let trees = Trees::start(journal.clone()).await.unwrap();
    journal.take();
    trees.plain.tell(()).await.unwrap();
    settle().await;
    assert_eq!(journal.take(), ["own pre_restart", "own post_stop", "own pre_start"]);
    trees.replaced.tell(()).await.unwrap();
    settle().await;
    assert_eq!(journal.take(), ["instead Told", "own post_stop", "own pre_start", "instead Told"]);
    trees.bare.tell(()).await.unwrap();
    settle().await;
    assert_eq!(journal.take(), ["instead Told"]);
}

/// S12: every hook may return a boxed error, also one that is not async.
#[tokio::test(start_paused = true)]
async fn a_hook_that_is_not_async_may_return_a_boxed_error() {
    struct Clerk {
        journal: Journal,
        other: ActorRef<Probe>,
    }
    #[actor]
    impl Clerk {
        fn handle(&mut self, boom: Boom) -> Result<(), BoxError> {
            Err(boom.into())
        }
        fn note(&self, place: &str) -> Result<(), BoxError> {
            self.journal.write(place);
            Err(Boom::Told.into())
        }
        #[pre_start]
        fn begin(&mut self, cx: &mut Context<Self>) -> Result<(), BoxError> {
            if cx.incarnation() == 1 {
                cx.watch(&self.other);
            }
            Ok(())
        }
        #[pre_restart]
        fn flush(&mut self, _failure: &Failure) -> Result<(), BoxError> {
            self.note("pre_restart")
        }
        #[post_restart]
        fn reload(&mut self, _failure: &Failure, cx: &mut Context<Self>) -> Result<(), BoxError> {
            if cx.incarnation() > 2 { Ok(()) } else { self.note("post_restart") }
        }
        #[post_stop]
        fn end(&mut self) -> Result<(), BoxError> {
            self.note("post_stop")
        }
        #[terminated]
        fn lost(&mut self, _who: &Watched, _ended: &Ended) -> Result<(), BoxError> {
            self.note("terminated")
        }
    }
    supervisor! {
        struct Office(journal: Journal) {
            probe: Probe = Probe::start("probe", journal).await?,
            clerk: Clerk = Clerk { journal, other: probe },
        }
    }
    let journal = Journal::default();
    let office = Office::start(journal.clone()).await.unwrap();
    office.clerk.tell(Boom::Told).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(office.clerk.incarnation(), 3);
    journal.take();
    office.probe.stop();
    pass(secs(1)).await;
    let notes = journal.take();
    let clerk: Vec<_> = notes.iter().filter(|line| !line.starts_with("probe")).collect();
    assert_eq!(clerk, ["terminated", "pre_restart", "post_stop"]);
    assert_eq!(office.clerk.incarnation(), 4);
    let report = office.shutdown().await;
    assert!(!report.is_orderly(), "post_stop has failed");
}

// ----- S13

/// S13: by default a start has no time limit; every 10 s an event says that it is still starting.
#[tokio::test(start_paused = true)]
async fn a_slow_start_is_announced_every_ten_seconds() {
    let journal = Journal::default();
    for place in ["start", "pre_start"] {
        journal.plan(&format!("probe {place}"), 1, Fault::Slow(secs(35)));
        let mut tree = One::tree(journal.clone());
        let mut events = tree.events();
        let begun = Instant::now();
        let one = tree.start().await.unwrap();
        assert_eq!(begun.elapsed(), secs(35));
        let said: Vec<_> = seen(&mut events).into_iter().filter(|line| line.starts_with("probe still")).collect();
        let times = ["probe still starting 10s", "probe still starting 20s", "probe still starting 30s"];
        assert_eq!(said, times, "in {place}");
        one.shutdown().await;
    }
}

/// S13: the time of a start covers all its steps together.
#[tokio::test(start_paused = true)]
async fn the_steps_of_a_start_share_one_time() {
    let journal = Journal::default();
    let one = One::start(journal.clone()).await.unwrap();
    let mut events = one.events();
    for place in ["start", "pre_start", "post_restart"] {
        journal.plan(&format!("probe {place}"), 1, Fault::Slow(secs(4)));
    }
    one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    let begun = Instant::now();
    assert_eq!(one.probe.ask(Do::Incarnation).forever().await.unwrap(), 2);
    assert_eq!(begun.elapsed(), secs(12));
    let said: Vec<_> = seen(&mut events).into_iter().filter(|line| line.contains("still")).collect();
    assert_eq!(said, ["probe still starting 10s"]);
}

/// S13: a failing step of a restart is a failure with `Phase::Restart`; it is decided, and counts against the budget.
#[tokio::test(start_paused = true)]
async fn a_failed_restart_is_decided_in_its_phase_and_counts() {
    supervisor! {
        struct Counted(journal: Journal) {
            #![strategy(OneForOne, max_restarts = 3)]
            probe: Probe = Probe::start("probe", journal).await?,
        }
    }
    fn phases(events: &mut Events) -> Vec<(Phase, u32)> {
        let mut phases = Vec::new();
        while let Some(event) = events.try_next() {
            if let EventKind::Decided { failure, streak, .. } = event.kind {
                phases.push((failure.phase(), streak));
            }
        }
        phases
    }
    let journal = Journal::default();
    let counted = Counted::start(journal.clone()).await.unwrap();
    let mut events = counted.events();
    journal.plan("probe start", 1, Fault::Error);
    journal.plan("probe pre_start", 1, Fault::Error);
    journal.plan("probe post_restart", 1, Fault::Error);
    counted.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    let report = soon(counted.join()).await;
    let failure = report.ended.failure().expect("the limit");
    assert!(matches!(failure.cause(), Cause::LimitReached), "{failure}");
    assert_eq!(failure.phase(), Phase::Running, "the failure of the tree contains the limit");
    assert_eq!(failure.before().map(Failure::phase), Some(Phase::Restart));
    assert_eq!(
        phases(&mut events),
        [(Phase::Running, 1), (Phase::Restart, 2), (Phase::Restart, 3), (Phase::Restart, 4)],
        "one restart and two retries are allowed, and the third retry is too many"
    );
    let tries = journal.take().iter().filter(|line| *line == "probe pre_restart").count();
    assert_eq!(tries, 1, "a retry has no pre_restart");
}
