//! Members that have ended by themselves when their group is restarted: S17, S22.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, pass, secs, settle, soon};

supervisor! {
    struct All(journal: Journal, there: Arc<AtomicBool>) {
        #![strategy(AllForOne)]
        main: Probe = Probe::start("main", journal).await?,
        #[lifecycle(Transient)]
        actor: Probe = Probe::start("actor", journal).await?,
        job: task = async {},
        part: struct Part {
            only: task = async {},
        },
        #[lifecycle(Temporary)]
        once: task = async {},
        #[lifecycle(Temporary)]
        temporary: Probe = Probe::start("temporary", journal).await?,
        #[lifecycle(Transient)]
        stopped: Probe = Probe::start("stopped", journal).await?,
        #[lifecycle(Permanent)]
        maybe: Option<Probe> = there.load(SeqCst).then(|| Probe { name: "maybe".into(), journal, sum: 0 }),
    }

    struct Rest(journal: Journal) {
        #![strategy(RestForOne)]
        #[lifecycle(Transient)]
        before: Probe = Probe::start("before", journal).await?,
        main: Probe = Probe::start("main", journal).await?,
        #[lifecycle(Transient)]
        after: Probe = Probe::start("after", journal).await?,
        #[decider(_ => Stop)]
        #[lifecycle(Transient)]
        last: Probe = Probe::start("last", journal).await?,
    }

    struct Job(journal: Journal) {
        #![strategy(AllForOne)]
        #[lifecycle(Transient, significant)]
        main: Probe = Probe::start("main", journal).await?,
        helper: Probe = Probe::start("helper", journal).await?,
    }
}

/// S17: members that had ended by themselves come up with their group again: actors, tasks and subtrees. This does not
/// include a `Temporary` one, one that a user has stopped, or an optional child that was `None`.
#[tokio::test(start_paused = true)]
async fn a_member_that_ended_by_itself_comes_up_with_its_group() {
    let journal = Journal::default();
    let there = Arc::new(AtomicBool::new(true));
    let tree = All::start(journal.clone(), there.clone()).await.unwrap();
    tree.actor.tell(Do::Stop).await.unwrap();
    tree.temporary.tell(Do::Stop).await.unwrap();
    tree.stopped.stop();
    pass(secs(1)).await;
    assert!(matches!(tree.part.ended(), Some(Ended::Done)));
    assert!(matches!(tree.job.ended(), Some(Ended::Done)));

    there.store(false, SeqCst);
    tree.main.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(tree.main.incarnation(), 2);
    assert_eq!([tree.actor.incarnation(), tree.job.incarnation(), tree.part.only.incarnation()], [2, 2, 2]);
    assert!(tree.actor.ended().is_none());
    assert_eq!(tree.actor.ask(Do::Incarnation).await.unwrap(), 2, "the handle is valid again");
    assert_eq!([tree.once.incarnation(), tree.temporary.incarnation(), tree.stopped.incarnation()], [1, 1, 1]);
    assert!(tree.once.ended().is_some() && tree.temporary.ended().is_some() && tree.stopped.ended().is_some());

    // A child that was `None` once stays absent.
    let maybe = tree.maybe.as_ref().unwrap();
    assert!(maybe.ended().is_some());
    there.store(true, SeqCst);
    tree.main.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(tree.main.incarnation(), 3);
    assert!(maybe.ended().is_some());
}

/// S17, S18: only members in the range come up, including those that end while it goes down; a member that was ended by
/// Stop does not.
#[tokio::test(start_paused = true)]
async fn only_a_range_that_comes_up_brings_them_along() {
    let journal = Journal::default();
    let tree = Rest::start(journal.clone()).await.unwrap();
    tree.before.tell(Do::Stop).await.unwrap();
    settle().await;
    journal.plan("last pre_restart", 1, Fault::Slow(secs(2)));
    tree.main.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.after.tell(Do::Stop).await.unwrap(); // this member serves until its turn
    pass(secs(1)).await;
    assert!(matches!(tree.after.ended(), Some(Ended::Done)));
    pass(secs(2)).await;
    assert_eq!([tree.main.incarnation(), tree.after.incarnation(), tree.last.incarnation()], [2, 2, 2]);
    assert!(tree.before.ended().is_some() && tree.after.ended().is_none());

    // A member that was ended by a Stop does not come up with the group.
    tree.last.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.main.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    assert_eq!([tree.main.incarnation(), tree.after.incarnation(), tree.last.incarnation()], [3, 3, 2]);
    assert!(matches!(tree.last.ended(), Some(Ended::Failed(_))));
}

/// S16, S17, S23: a `Permanent` member that a caller has stopped, and that ends by itself before its turn to go down comes,
/// has ended as `Stopped`: without the caller it would be restarted. It does not come up with its group.
#[tokio::test(start_paused = true)]
async fn a_stop_that_waits_for_its_turn_is_the_end_of_a_member_that_ends_by_itself() {
    let journal = Journal::default();
    let tree = Rest::start(journal.clone()).await.unwrap();
    journal.plan("last pre_restart", 1, Fault::Slow(secs(2)));
    tree.before.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.main.tell(Do::Stop).await.unwrap();
    tree.main.stop();
    pass(secs(1)).await;
    assert!(matches!(tree.main.ended(), Some(Ended::Stopped)), "{:?}", tree.main.ended());
    pass(secs(2)).await;
    assert_eq!([tree.before.incarnation(), tree.main.incarnation(), tree.after.incarnation()], [2, 1, 2]);
    assert!(matches!(tree.main.ended(), Some(Ended::Stopped)), "{:?}", tree.main.ended());
}

/// S22, S17: if a significant member ends by itself while its group goes down, the supervisor ends: no member comes up
/// only to end.
#[tokio::test(start_paused = true)]
async fn a_significant_end_on_the_way_down_goes_first() {
    let journal = Journal::default();
    let tree = Job::start(journal.clone()).await.unwrap();
    journal.plan("helper pre_restart", 1, Fault::Slow(secs(2)));
    tree.helper.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    journal.take();
    tree.main.tell(Do::Stop).await.unwrap();
    assert!(matches!(soon(tree.join()).await.ended, Ended::Done));
    let starts = journal.take().into_iter().filter(|line| line.ends_with(" start")).collect::<Vec<_>>();
    assert!(starts.is_empty(), "{starts:?}");
}

supervisor! {
    struct Upper(journal: Journal) {
        #![strategy(AllForOne)]
        main: Probe = Probe::start("main", journal).await?,
        mid: struct Mid {
            #![strategy(OneForOne)]
            keeps: Probe = Probe::start("keeps", journal).await?,
            #[decider(_ => Stop)]
            #[lifecycle(Transient)]
            part: struct Branch {
                #![strategy(OneForOne, max_restarts = 1)]
                #![decider(Boom::Fatal => Escalate, _ => Restart)]
                #[lifecycle(Transient)]
                works: Probe = Probe::start("works", journal).await?,
                #[lifecycle(Transient)]
                stopped: Probe = Probe::start("stopped", journal).await?,
                #[lifecycle(Transient)]
                inner: struct Twig {
                    #[lifecycle(Transient)]
                    deep: Probe = Probe::start("deep", journal).await?,
                },
            },
        },
    }
}

/// S20, S17: a subtree that had ended starts again with the supervisor above it, however it ended, and with the group
/// above that. A child in it that was stopped from outside stays ended, be it an actor or a tree.
#[tokio::test(start_paused = true)]
async fn a_subtree_that_comes_back_keeps_what_was_stopped_in_it_ended() {
    for end in ["by itself", "by Stop", "at the limit", "not at all"] {
        for above in ["mid", "group"] {
            let journal = Journal::default();
            let tree = Upper::start(journal.clone()).await.unwrap();
            let part = &tree.mid.part;
            part.stopped.stop();
            part.inner.stop();
            settle().await;
            let orders = match end {
                "by itself" => vec![Do::Stop],
                "by Stop" => vec![Do::Fail(Boom::Fatal)],
                "at the limit" => vec![Do::Fail(Boom::Told), Do::Fail(Boom::Told)],
                _ => vec![],
            };
            for order in orders {
                part.works.tell(order).await.unwrap();
            }
            pass(secs(1)).await;
            assert_eq!(part.ended().is_some(), end != "not at all", "{end}: {:?}", part.ended());
            let before = part.works.incarnation();
            match above {
                "mid" => tree.mid.restart().unwrap().await.unwrap(),
                _ => tree.main.tell(Do::Fail(Boom::Told)).await.unwrap(),
            }
            pass(secs(1)).await;
            assert_eq!((tree.mid.incarnation(), part.is_alive()), (2, true), "{end}, {above}");
            assert_eq!((part.works.incarnation(), part.works.is_alive()), (before + 1, true), "{end}, {above}");
            let stopped = [part.stopped.ended(), part.inner.ended(), part.inner.deep.ended()];
            assert!(stopped.iter().all(|ended| matches!(ended, Some(Ended::Stopped))), "{end}, {above}: {stopped:?}");
        }
    }
}
