//! The state with which a supervisor's new incarnation begins: S20, and S21, S22, S28, S35 there.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use supervise::error::CommandError;
use supervise::event::{EventKind, Events};
use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, pass, secs, settle};

/// Delays of 1 s, 7 s, 13 s and so on.
#[derive(Clone, Default)]
struct Waits(Arc<AtomicU64>);

impl Waits {
    fn next(&self) -> Duration {
        secs(1 + self.0.fetch_add(6, Ordering::Relaxed))
    }
}

fn note(journal: &Journal) {
    journal.write("let");
}

supervisor! {
    struct Above(journal: Journal, waits: Waits) {
        short: struct Short {
            #[lifecycle(Transient)]
            a: Probe = Probe::start("a", journal).await?,
            #[lifecycle(Temporary)]
            b: Probe = Probe::start("b", journal).await?,
        },
        lead: struct Lead {
            #[lifecycle(Transient, significant)]
            leader: Probe = Probe::start("leader", journal).await?,
            last: Probe = Probe::start("last", journal).await?,
        },
        all: struct All {
            #![strategy(AllForOne)]
            #![decider(Boom::Fatal => Stop, Boom::Told | Boom::Planned => Restart)]
            one: Probe = Probe::start("one", journal).await?,
            two: Probe = Probe::start("two", journal).await?,
        },
        paced: struct Paced {
            let wait = waits.next();
            #[backoff(Backoff::exponential(wait..secs(60)).random_factor(0.0))]
            patient: Probe = Probe::start("patient", journal).await?,
            let _noted = note(&journal);
        },
    }
}

async fn above() -> (Running<Above>, Journal, Events) {
    let journal = Journal::default();
    let mut tree = Above::tree(journal.clone(), Waits::default());
    let events = tree.events();
    (tree.start().await.unwrap(), journal, events)
}

/// S20, S35: a child that had ended is started again with its supervisor; messages wait for it from then on.
#[tokio::test(start_paused = true)]
async fn messages_wait_for_what_is_started_again_from_above() {
    let (tree, journal, _) = above().await;
    tree.short.a.tell(Do::Stop).await.unwrap();
    settle().await;
    assert!(matches!(tree.short.a.ended(), Some(Ended::Done)));
    journal.plan("a pre_start", 1, Fault::Slow(secs(1)));
    tree.short.restart().unwrap();
    settle().await;
    tree.short.a.try_tell(Do::Note("waited")).unwrap();
    pass(secs(1)).await;
    assert_eq!(journal.take().iter().filter(|line| *line == "a waited").count(), 1);
}

/// S20, S22: a failure that ended a child belongs to that incarnation: the end of the next one does not name it.
#[tokio::test(start_paused = true)]
async fn an_old_failure_is_forgotten_with_its_incarnation() {
    let (tree, _, _) = above().await;
    tree.short.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert!(matches!(tree.short.b.ended(), Some(Ended::Failed(_))));
    tree.short.restart().unwrap();
    settle().await;
    tree.short.a.tell(Do::Stop).await.unwrap();
    tree.short.b.tell(Do::Stop).await.unwrap();
    settle().await;
    assert!(matches!(tree.short.ended(), Some(Ended::Done)), "{:?}", tree.short.ended());
}

/// S20, S22: if a significant child ends by itself while its supervisor goes down for a restart, the supervisor does
/// not end: both are started again.
#[tokio::test(start_paused = true)]
async fn a_significant_end_during_a_restart_is_covered_by_it() {
    let (tree, journal, _) = above().await;
    journal.plan("last post_stop", 1, Fault::Slow(secs(2)));
    tree.lead.restart().unwrap();
    settle().await;
    tree.lead.leader.tell(Do::Stop).await.unwrap();
    settle().await;
    assert!(matches!(tree.lead.leader.ended(), Some(Ended::Done)));
    pass(secs(3)).await;
    assert_eq!((tree.lead.incarnation(), tree.lead.ended().is_none()), (2, true));
    assert_eq!(tree.lead.leader.ask(Do::Incarnation).await.unwrap(), 2);
}

/// S20, S18: a restart from above replaces an end that a `Stop` has begun: the next incarnation of the supervisor can
/// restart its own children.
#[tokio::test(start_paused = true)]
async fn an_end_that_was_decided_is_covered_by_a_restart() {
    supervisor! {
        struct Group(journal: Journal) {
            #![strategy(AllForOne)]
            all: struct Part {
                #![strategy(AllForOne)]
                #![decider(Boom::Fatal => Stop, Boom::Told | Boom::Planned => Restart)]
                one: Probe = Probe::start("one", journal).await?,
                two: Probe = Probe::start("two", journal).await?,
            },
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Group::start(journal.clone()).await.unwrap();
    journal.plan("two post_stop", 1, Fault::Slow(secs(2)));
    tree.all.one.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    settle().await;
    tree.other.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(3)).await;
    assert_eq!((tree.all.incarnation(), tree.all.ended().is_none()), (2, true));
    tree.all.one.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    assert!(tree.all.ended().is_none(), "{:?}", tree.all.ended());
    assert_eq!(tree.all.two.ask(Do::Incarnation).await.unwrap(), 3);
}

/// S26, S18: a supervisor that a `Stop` ends is stopping, and is not restarted by hand. Started again, it can restart
/// its own children.
#[tokio::test(start_paused = true)]
async fn an_end_that_was_decided_is_not_covered_by_a_restart_by_hand() {
    let (tree, journal, _) = above().await;
    journal.plan("two post_stop", 1, Fault::Slow(secs(2)));
    tree.all.one.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    settle().await;
    assert!(matches!(tree.all.restart().map(drop), Err(CommandError::Stopping { .. })));
    pass(secs(3)).await;
    assert!(matches!(tree.all.ended(), Some(Ended::Failed(_))));
    tree.all.start_again().unwrap();
    settle().await;
    assert_eq!((tree.all.incarnation(), tree.all.ended().is_none()), (2, true));
    tree.all.one.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    assert!(tree.all.ended().is_none(), "{:?}", tree.all.ended());
    assert_eq!(tree.all.two.ask(Do::Incarnation).await.unwrap(), 3);
}

/// S28, S30: the settings of a child are those of the latest build of its supervisor.
#[tokio::test(start_paused = true)]
async fn settings_are_those_of_the_last_build() {
    let (tree, _, mut events) = above().await;
    let mut waits = Vec::new();
    for _ in 0..2 {
        tree.paced.patient.tell(Do::Fail(Boom::Told)).await.unwrap();
        settle().await;
        while let Some(event) = events.try_next() {
            if let EventKind::RestartScheduled { after } = event.kind {
                waits.push(after);
            }
        }
        tree.paced.restart().unwrap();
        settle().await;
    }
    assert_eq!(waits, [secs(1), secs(7)]);
}

/// S21: a start that an earlier start of the tree did not wait for is awaited by the next one.
#[tokio::test(start_paused = true)]
async fn each_first_start_awaits_its_own_starts() {
    let journal = Journal::default();
    journal.plan("patient start", 1, Fault::Error);
    let tree = Above::start(journal.clone(), Waits::default()).await.unwrap();
    assert_eq!(journal.take().last().unwrap(), "let", "the start continued after the backoff");
    pass(secs(2)).await;
    assert_eq!(tree.paced.patient.ask(Do::Get).await.unwrap(), 0);
    journal.take();
    journal.plan("patient pre_start", 1, Fault::Slow(secs(2)));
    tree.paced.restart().unwrap();
    pass(secs(1)).await;
    assert_eq!(journal.take().last().unwrap(), "patient pre_start");
    pass(secs(1)).await;
    assert_eq!(journal.take().last().unwrap(), "let");
}
