//! A failed requested start affects only that child, until it is up or has ended: S26.

use std::future::Future as _;
use std::pin::pin;
use std::task::{self, Poll, Waker};

use supervise::event::EventKind;
use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, settle, soon};

supervisor! {
    struct All(journal: Journal) {
        #![strategy(AllForOne)]
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
        #[lifecycle(Transient, significant)]
        c: Probe = Probe::start("c", journal).await?,
    }

    struct Retries(journal: Journal) {
        #![strategy(AllForOne, max_restarts = 2, within = 1min)]
        #![decider(_ => Restart)]
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
    }

    struct Ends(journal: Journal) {
        #![strategy(RestForOne, max_restarts = 2, within = 1min, on_limit = Stop)]
        #[decider(_ => Restart)]
        b: Probe = Probe::start("b", journal).await?,
        a: Probe = Probe::start("a", journal).await?,
    }

    struct Escalates(journal: Journal) {
        #![strategy(AllForOne)]
        a: Probe = Probe::start("a", journal).await?,
        #[decider(_ => Escalate)]
        b: Probe = Probe::start("b", journal).await?,
    }
}

supervisor! {
    struct Held(journal: Journal) {
        #![strategy(AllForOne)]
        #![decider(_ => Restart)]
        below: struct Below {
            a: Probe = Probe::start("a", journal).await?,
            #[decider(_ => Escalate)]
            b: Probe = Probe::start("b", journal).await?,
        },
        slow: Probe = Probe::start("slow", journal).await?,
    }
}

async fn stop(one: &ActorRef<Probe>) {
    one.stop();
    soon(one.terminated()).await.unwrap();
}

/// S26: a requested start that fails and is not retried ends only that child, in a group, and even if the child is
/// significant.
#[tokio::test(start_paused = true)]
async fn a_requested_start_that_fails_ends_that_child_alone() {
    let journal = Journal::default();
    let tree = All::start(journal.clone()).await.unwrap();
    for (one, name) in [(&tree.b, "b start"), (&tree.c, "c start")] {
        stop(one).await;
        journal.plan(name, 1, Fault::Error);
        one.start_again().unwrap();
        match soon(one.terminated()).await.unwrap() {
            Ended::Failed(failure) => assert_eq!(failure.phase(), Phase::Start),
            other => panic!("{other}"),
        }
        pass(secs(1)).await;
        assert!(tree.ended().is_none() && tree.a.ended().is_none());
        assert_eq!(tree.a.incarnation(), 1);
        one.start_again().unwrap();
        settle().await;
        assert!(one.ended().is_none(), "the next attempt succeeds");
    }
    // Once the child is up again, it is a member as before.
    tree.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(tree.a.incarnation(), 2);
}

/// S26, S15: a retry waits and counts against a budget of its own, and restarts no sibling.
#[tokio::test(start_paused = true)]
async fn a_retry_of_a_requested_start_restarts_no_other_child() {
    let journal = Journal::default();
    let tree = Retries::start(journal.clone()).await.unwrap();
    stop(&tree.b).await;
    journal.plan("b start", 2, Fault::Error);
    tree.b.start_again().unwrap();
    pass(secs(1)).await;
    assert_eq!((tree.b.incarnation(), tree.a.incarnation()), (4, 1));
    assert!(tree.b.ended().is_none());
    // The budget of the group is untouched: it allows its two restarts.
    for restarts in 1..=2 {
        tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(secs(1)).await;
        assert!(tree.ended().is_none());
        assert_eq!(tree.a.incarnation(), 1 + restarts);
    }
}

/// S26: a requested restart whose start fails is retried alone, too.
#[tokio::test(start_paused = true)]
async fn a_requested_restart_that_fails_is_retried_alone() {
    let journal = Journal::default();
    let tree = All::start(journal.clone()).await.unwrap();
    let mut events = tree.events();
    journal.plan("b start", 1, Fault::Error);
    tree.b.restart().unwrap();
    pass(ms(100)).await;
    assert_eq!((tree.b.incarnation(), tree.a.incarnation()), (3, 1), "the restart has failed once");
    while let Some(event) = events.try_next() {
        assert_eq!(event.path, "b", "{event}");
    }
}

/// S26, S15: a limit with `Stop` ends only the child; a limit that escalates, or an Escalate, makes the supervisor fail
/// as usual.
#[tokio::test(start_paused = true)]
async fn a_limit_and_an_escalate_of_a_requested_start() {
    let journal = Journal::default();
    let tree = Ends::start(journal.clone()).await.unwrap();
    stop(&tree.b).await;
    journal.plan("b start", 9, Fault::Error);
    tree.b.start_again().unwrap();
    assert!(matches!(soon(tree.b.terminated()).await, Ok(Ended::Limit(_))));
    pass(secs(1)).await;
    assert!(tree.ended().is_none() && tree.a.ended().is_none());
    assert_eq!(tree.a.incarnation(), 1);

    let journal = Journal::default();
    let tree = Retries::start(journal.clone()).await.unwrap();
    stop(&tree.b).await;
    journal.plan("b start", 9, Fault::Error);
    tree.b.start_again().unwrap();
    assert!(matches!(soon(tree.join()).await.ended, Ended::Limit(_)));

    let tree = Escalates::start(journal.clone()).await.unwrap_err();
    assert_eq!(tree.path(), "b", "the remaining planned failures");
    let journal = Journal::default();
    let tree = Escalates::start(journal.clone()).await.unwrap();
    stop(&tree.b).await;
    journal.plan("b start", 1, Fault::Error);
    tree.b.start_again().unwrap();
    assert!(matches!(soon(tree.join()).await.ended, Ended::Failed(_)));
}

/// S26, S17: if the group is restarted while such a child starts, the child is started when its turn comes, and its
/// failure still affects only that child.
#[tokio::test(start_paused = true)]
async fn a_group_restart_does_not_take_it_in() {
    let journal = Journal::default();
    let tree = All::start(journal.clone()).await.unwrap();
    let mut events = tree.events();
    stop(&tree.b).await;
    journal.plan("b start", 1, Fault::Slow(secs(5)));
    tree.b.start_again().unwrap();
    settle().await;
    journal.plan("b start", 1, Fault::Error);
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(10)).await;
    assert!(matches!(tree.b.ended(), Some(Ended::Failed(_))));
    assert_eq!((tree.a.incarnation(), tree.c.incarnation()), (2, 2));
    assert!(tree.ended().is_none() && tree.c.ended().is_none(), "the other members are up");
    let mut stops = 0;
    while let Some(event) = events.try_next() {
        stops += u32::from(matches!(event.kind, EventKind::Ended { .. }));
    }
    assert_eq!(stops, 2, "`b` failed twice");
}

/// S26, S7: a requested start is kept while the supervisor is suspended. If the child is then stopped or killed, it has
/// ended: callers that wait for it are notified, and its mailbox refuses messages.
#[tokio::test(start_paused = true)]
async fn a_kept_requested_start_that_is_stopped_has_ended() {
    for kill in [false, true] {
        let journal = Journal::default();
        let tree = Held::start(journal.clone()).await.unwrap();
        let a = &tree.below.a;
        stop(a).await;
        // `below` is suspended for a second: it has failed, and goes down after `slow`.
        journal.plan("slow post_stop", 1, Fault::Slow(secs(1)));
        tree.below.b.tell(Do::Fail(Boom::Told)).await.unwrap();
        settle().await;
        journal.take();
        a.start_again().unwrap();
        assert!(a.ended().is_none() && a.try_tell(Do::Note("kept")).is_ok());
        match kill {
            true => a.kill(),
            false => a.stop(),
        }
        assert!(matches!(soon(a.terminated()).await.unwrap(), Ended::Stopped));
        assert!(a.try_tell(Do::Note("late")).is_err());
        assert_eq!(
            a.start_again().map(drop).map_err(|error| error.to_string()),
            Ok(()),
            "the requested start is kept again"
        );
        pass(secs(3)).await;
        assert!(journal.take().iter().all(|line| !line.contains("kept") && !line.contains("late")));
        assert_eq!((a.ended().is_none(), tree.slow.incarnation()), (true, 2));
        a.tell(Do::Note("served")).await.unwrap();
        settle().await;
        assert!(journal.take().contains(&"a served".to_owned()));
    }
}

/// S26: a kill right after a requested start takes effect, however early it arrives.
#[tokio::test(start_paused = true)]
async fn a_kill_right_after_a_requested_start_is_heard() {
    let journal = Journal::default();
    let tree = All::start(journal.clone()).await.unwrap();
    stop(&tree.b).await;
    tree.b.start_again().unwrap();
    tree.b.kill();
    assert!(matches!(soon(tree.b.terminated()).await.unwrap(), Ended::Stopped));
    pass(secs(1)).await;
    assert!(tree.b.ended().is_some());
    assert_eq!(tree.a.incarnation(), 1);
}

/// S26: a stop or kill of the previous life that was not processed does not apply to the life that is started on
/// request.
#[tokio::test(start_paused = true)]
async fn an_older_stop_or_kill_does_not_end_the_next_life() {
    let journal = Journal::default();
    let tree = All::start(journal.clone()).await.unwrap();
    for kill in [false, true] {
        stop(&tree.b).await;
        match kill {
            true => tree.b.kill(),
            false => tree.b.stop(),
        }
        tree.b.start_again().unwrap();
        pass(secs(1)).await;
        assert!(tree.b.ended().is_none());
        tree.b.tell(Do::Note("served")).await.unwrap();
        settle().await;
        assert!(journal.take().contains(&"b served".to_owned()));
    }
}

/// S26, S24: a life that ends before it began was not aborted, even if the previous one was.
#[tokio::test(start_paused = true)]
async fn the_end_of_a_life_that_never_began_is_its_own() {
    let journal = Journal::default();
    let tree = Held::start(journal.clone()).await.unwrap();
    let a = &tree.below.a;
    journal.plan("a post_stop", 1, Fault::Slow(secs(60)));
    a.stop();
    assert!(matches!(soon(a.terminated()).await.unwrap(), Ended::Aborted));
    journal.plan("slow post_stop", 1, Fault::Slow(secs(1)));
    tree.below.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    a.start_again().unwrap();
    a.stop();
    assert!(matches!(soon(a.terminated()).await.unwrap(), Ended::Stopped));
}

/// S37, S26: all callers that waited for an end are notified, even if the first of them starts the child again at once.
#[tokio::test(start_paused = true)]
async fn a_waiter_hears_of_the_end_after_a_requested_start() {
    let tree = All::start(Journal::default()).await.unwrap();
    let again = |one: ActorRef<Probe>| async move {
        let ended = one.terminated().await.unwrap();
        drop(one.start_again());
        ended
    };
    let waits = [tokio::spawn(again(tree.b.clone())), tokio::spawn(again(tree.b.clone()))];
    settle().await;
    tree.b.stop();
    for wait in waits {
        assert!(matches!(soon(wait).await.unwrap(), Ended::Stopped));
    }
    settle().await;
    assert!(tree.b.ended().is_none(), "started once");
    // A new wait is for the end of the new life.
    assert!(tokio::time::timeout(secs(1), tree.b.terminated()).await.is_err());
}

/// S37, S26: the same for a caller that has not polled since the child was up again.
#[tokio::test(start_paused = true)]
async fn a_waiter_over_a_restart_hears_of_the_end_after_a_requested_start() {
    let tree = All::start(Journal::default()).await.unwrap();
    let mut waits = pin!(tree.b.terminated());
    let mut look = task::Context::from_waker(Waker::noop());
    assert!(waits.as_mut().poll(&mut look).is_pending());
    tree.b.restart().unwrap();
    settle().await;
    tree.b.stop();
    settle().await;
    assert!(tree.b.ended().is_some() && tree.b.incarnation() == 2);
    tree.b.start_again().unwrap();
    settle().await;
    let told = waits.as_mut().poll(&mut look);
    assert!(matches!(told, Poll::Ready(Ok(Ended::Stopped))), "{told:?}");
}
