//! A printer that is slow in every step, and a stop in each phase of its restart.
//!
//! Proves that a stop wins in every phase (S16, table 2a): a step that starts the actor is dropped at once, with
//! `post_stop` if it is due; a step that ends the actor runs to completion; and there is no further start.

use std::time::Duration;

use supervise::prelude::*;
use tokio::time::{Instant, sleep};

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, secs};

supervisor! {
    struct Office(journal: Journal) {
        #[backoff(1s..8s, random_factor = 0)]
        printer: Probe = Probe::start("printer", journal).await?,
    }

    struct House(journal: Journal) {
        office: struct Floor {
            desk: Probe = Probe::start("desk", journal).await?,
            printer: Probe = Probe::start("printer", journal).await?,
        },
    }
}

/// The slow phase (2 s), the time of the stop after the failure, the events that follow, and their duration.
type Case = (&'static str, Duration, &'static [&'static str], Duration);

const CASES: [Case; 6] = [
    ("pre_restart", ms(500), &["printer pre_restart done", "printer post_stop", "printer drop"], ms(1500)),
    ("post_stop", ms(500), &["printer post_stop done", "printer drop"], ms(1500)),
    ("waiting", ms(500), &[], ms(0)),
    ("start", ms(1500), &[], ms(0)),
    ("pre_start", ms(1500), &["printer drop"], ms(0)),
    ("post_restart", ms(1500), &["printer post_stop", "printer drop"], ms(0)),
];

#[tokio::test(start_paused = true)]
async fn stop_wins_in_every_phase_of_a_restart() {
    for shutdown in [true, false] {
        for (phase, after, trace, took) in CASES {
            let journal = Journal::default();
            let office = Office::start(journal.clone()).await.unwrap();
            journal.plan(&format!("printer {phase}"), 1, Fault::Slow(secs(2)));
            office.printer.tell(Do::Fail(Boom::Told)).await.unwrap();
            sleep(after).await;
            journal.take();
            let begin = Instant::now();
            let printer = office.printer.clone();
            if shutdown {
                let report = office.shutdown().await;
                assert!(report.is_orderly(), "{phase}: {report}");
            } else {
                printer.stop();
            }
            assert!(matches!(printer.terminated().await.unwrap(), Ended::Stopped), "{phase}");
            assert_eq!(begin.elapsed(), took, "{phase}");
            sleep(secs(60)).await;
            assert_eq!(journal.take(), trace, "{phase}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_to_go_down_begins_with_the_restart_not_with_the_stop() {
    let journal = Journal::default();
    let office = Office::start(journal.clone()).await.unwrap();
    journal.plan("printer post_stop", 1, Fault::Slow(secs(60)));
    office.printer.tell(Do::Fail(Boom::Told)).await.unwrap();
    sleep(secs(4)).await;
    let begin = Instant::now();
    let report = office.shutdown().await;
    assert_eq!(begin.elapsed(), secs(1), "4 s of 5 s had passed");
    assert!(report.children[0].aborted, "{report}");
}

#[tokio::test(start_paused = true)]
async fn stop_wins_while_a_subtree_goes_down_for_its_restart() {
    let journal = Journal::default();
    let house = House::start(journal.clone()).await.unwrap();
    journal.take();
    journal.plan("printer post_stop", 1, Fault::Slow(secs(2)));
    house.office.printer.tell(Do::Panic).await.unwrap();
    crate::common::quiet_panics();
    sleep(secs(1)).await;
    house.shutdown().await;
    sleep(secs(60)).await;
    assert_eq!(
        journal.take(),
        [
            "printer pre_restart",
            "printer post_stop",
            "printer post_stop done",
            "printer drop",
            "desk post_stop",
            "desk drop",
        ]
    );
}
