//! `run`: start, wait, shut down, report: S43.

use std::future::{pending, poll_fn};
use std::process::{ExitCode, Termination};
use std::task::Poll;

use supervise::prelude::*;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, secs, settle, soon};

supervisor! {
    struct Shop(journal: Journal, until: u32) { // a parameter may have the same name as a parameter of `run`
        one: Probe = Probe::start(format!("one{until}"), journal).await?,
        #[lifecycle(Temporary)]
        two: Probe = Probe::start("two", journal).await?,
    }
}

/// S43: `run` shuts the tree down, in order, when `until` has finished, and returns the report.
#[tokio::test(start_paused = true)]
async fn run_shuts_down_when_until_has_finished() {
    let journal = Journal::default();
    let begun = Instant::now();
    let report = Shop::run(journal.clone(), 1, sleep(secs(3))).await.unwrap();
    assert_eq!(begun.elapsed(), secs(3));
    assert!(matches!(report.ended, Ended::Stopped));
    assert_eq!(report.children.iter().map(|child| &*child.path).collect::<Vec<_>>(), ["two", "one"]);
    assert_eq!(journal.take()[4..], ["two post_stop", "two drop", "one1 post_stop", "one1 drop"]);
    assert_eq!(report.report(), ExitCode::SUCCESS);
}

/// S43: the output of `until` is ignored, so `until` may be any future.
#[tokio::test(start_paused = true)]
async fn until_may_be_any_future() {
    let (end, until) = oneshot::channel::<u32>();
    let run = tokio::spawn(Shop::run(Journal::default(), 1, until));
    settle().await;
    assert!(!run.is_finished());
    end.send(7).unwrap();
    assert!(soon(run).await.unwrap().unwrap().is_orderly());
}

/// S43: `until` is polled before any part of the tree has begun, so that a signal has its handlers by then.
#[tokio::test(start_paused = true)]
async fn until_is_heard_before_the_tree_is_begun() {
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let mut before = None;
    let until = poll_fn(|_| {
        before.get_or_insert_with(tasks);
        Poll::<()>::Pending
    });
    let run = Shop::run(Journal::default(), 1, until);
    assert!(tokio::time::timeout(secs(1), run).await.is_err());
    assert_eq!(before, Some(0));
}

/// S43: with an `until` that has finished at once, the tree does not come up.
#[tokio::test(start_paused = true)]
async fn until_may_be_over_at_once() {
    let journal = Journal::default();
    let report = Shop::run(journal.clone(), 1, std::future::ready(())).await.unwrap();
    assert!(matches!(report.ended, Ended::Stopped));
    assert!(!journal.take().contains(&"two start".to_owned()));
}

/// S43: `run` also ends when the tree itself ends. The report is that of this end, and a failed tree has the exit code
/// of a failure.
#[tokio::test(start_paused = true)]
async fn run_ends_with_the_tree_itself() {
    supervisor! {
        struct Fragile(journal: Journal) {
            #![decider(_ => Escalate)]
            one: Probe = Probe::start("one", journal).await?,
            breaks: task = {
                let one = one.clone();
                async move {
                    sleep(ms(1)).await;
                    one.tell(Do::Fail(Boom::Fatal)).await.map_err(|_| Boom::Planned)
                }
            },
        }
        struct Short {
            only: task = async {},
        }
    }
    let report = soon(Fragile::run(Journal::default(), pending::<()>())).await.unwrap();
    let Ended::Failed(failure) = &report.ended else { panic!("{report}") };
    assert_eq!((failure.path(), failure.error::<Boom>()), ("one", Some(&Boom::Fatal)));
    assert_eq!(report.report(), ExitCode::FAILURE);
    let report = soon(Short::run(pending::<()>())).await.unwrap();
    assert!(matches!(report.ended, Ended::Done));
    assert_eq!(report.report(), ExitCode::SUCCESS);
}

/// S43, S24: a child that did not go down within its time leads to the exit code of a failure.
#[tokio::test(start_paused = true)]
async fn an_aborted_child_is_a_failure_of_the_program() {
    let journal = Journal::default();
    journal.plan("two post_stop", 1, Fault::Slow(secs(3600)));
    let report = Shop::run(journal, 1, sleep(ms(1))).await.unwrap();
    assert!(report.children.iter().any(|child| child.aborted), "{report}");
    assert_eq!(report.report(), ExitCode::FAILURE);
}

/// S43, S21: a start that fails is an error; a start that `until` interrupts is taken back in order.
#[tokio::test(start_paused = true)]
async fn run_does_not_outwait_a_first_start() {
    let journal = Journal::default();
    journal.plan("two start", 1, Fault::Error);
    let failure = Shop::run(journal.clone(), 1, pending::<()>()).await.unwrap_err();
    assert_eq!((failure.path(), failure.phase()), ("two", Phase::Start));
    journal.take();
    journal.plan("two start", 1, Fault::Slow(secs(3600)));
    let begun = Instant::now();
    let report = soon(Shop::run(journal.clone(), 1, sleep(ms(100)))).await.unwrap();
    assert_eq!(begun.elapsed(), ms(100));
    assert!(matches!(report.ended, Ended::Stopped), "{report}");
    assert_eq!(journal.take(), ["one1 start", "one1 pre_start", "two start", "one1 post_stop", "one1 drop"]);
}

/// S43, S25: dropping the future requests the shutdown.
#[tokio::test(start_paused = true)]
async fn dropping_run_asks_for_the_shutdown() {
    let journal = Journal::default();
    let run = tokio::time::timeout(secs(1), Shop::run(journal.clone(), 1, pending::<()>()));
    assert!(run.await.is_err());
    settle().await;
    assert_eq!(journal.take()[4..], ["two post_stop", "two drop", "one1 post_stop", "one1 drop"]);
}
