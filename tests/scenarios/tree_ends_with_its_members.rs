//! A nightly batch: three jobs that run to completion, one of which needs a second attempt.
//!
//! Proves that a tree ends when its members have ended (S22): `Done` if each ended well, however often it was
//! restarted, otherwise `Failed` with the first failure; and that its report is the exit code (S24, S43).

use std::time::Duration;

use supervise::prelude::*;
use tokio::time::{Instant, sleep};

use crate::common::{Boom, Fault, Journal, secs};

async fn job(name: &'static str, time: Duration, journal: Journal) -> Result<(), Boom> {
    sleep(time).await;
    journal.reach(name.into()).await
}

supervisor! {
    struct Night(journal: Journal) {
        #[limit(max_restarts = 2, within = 1h, on_limit = Stop)]
        dump: task = job("dump", secs(10), journal),
        #[backoff(5s..60s, random_factor = 0)]
        index: task = job("index", secs(20), journal),
        #[lifecycle(Temporary)]
        mail: task = job("mail", secs(1), journal),
    }
}

#[tokio::test(start_paused = true)]
async fn the_night_is_over_when_all_jobs_are_done() {
    let journal = Journal::default();
    journal.plan("index", 2, Fault::Error);
    let night = Night::start(journal.clone()).await.unwrap();
    let begin = Instant::now();
    let report = night.join().await;
    assert_eq!(begin.elapsed(), secs(20 + 5 + 20 + 10 + 20));
    assert!(matches!(report.ended, Ended::Done), "{report}");
    assert!(report.is_orderly());
    assert_eq!(journal.take(), ["mail", "dump", "index", "index", "index"]);
}

#[tokio::test(start_paused = true)]
async fn a_job_that_gives_up_is_the_nights_failure_but_the_others_finish() {
    let journal = Journal::default();
    journal.plan("dump", 100, Fault::Error);
    let night = Night::start(journal.clone()).await.unwrap();
    let handle = night.handle();
    let report = night.join().await;
    let failure = report.ended.failure().unwrap();
    assert_eq!((failure.path(), failure.find()), ("dump", Some(&Boom::Planned)));
    assert!(!report.is_orderly());
    assert!(matches!(handle.dump.ended(), Some(Ended::Limit(_))));
    assert!(matches!(handle.index.ended(), Some(Ended::Done)));
    assert_eq!(journal.take(), ["mail", "dump", "index", "dump", "dump"]);
}

#[tokio::test(start_paused = true)]
async fn a_temporary_job_fails_alone_and_once() {
    let journal = Journal::default();
    journal.plan("mail", 100, Fault::Error);
    let night = Night::start(journal.clone()).await.unwrap();
    let handle = night.handle();
    let report = night.join().await;
    assert_eq!(handle.mail.incarnation(), 1);
    assert!(matches!(&report.ended, Ended::Failed(failure) if failure.path() == "mail"), "{report}");
}
