//! Children without which the first start goes on: S21.

use supervise::error::TellError;
use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, seen, settle, soon};

/// Whether the child has ended with a failure.
fn has_failed<A: Actor>(child: &ActorRef<A>) -> bool {
    matches!(child.ended(), Some(Ended::Failed(_)))
}

/// S21: a first start that fails and is not retried ends the child alone, under every strategy; its siblings come up, and
/// its handle is that of an ended child, which can be started later.
#[tokio::test(start_paused = true)]
async fn the_first_start_goes_on_without_a_best_effort_child() {
    supervisor! {
        struct One(journal: Journal) {
            a: Probe = Probe::start("a", journal).await?,
            #[lifecycle(Permanent, best_effort)]
            extra: Probe = Probe::start("extra", journal).await?,
            b: Probe = Probe::start("b", journal).await?,
        }
        struct All(journal: Journal) {
            #![strategy(AllForOne)]
            a: Probe = Probe::start("a", journal).await?,
            #[lifecycle(Permanent, best_effort)]
            extra: Probe = Probe::start("extra", journal).await?,
            b: Probe = Probe::start("b", journal).await?,
        }
        struct Rest(journal: Journal) {
            #![strategy(RestForOne)]
            a: Probe = Probe::start("a", journal).await?,
            #[lifecycle(Permanent, best_effort)]
            extra: Probe = Probe::start("extra", journal).await?,
            b: Probe = Probe::start("b", journal).await?,
        }
    }
    macro_rules! check {
        ($tree:ident) => {
            for (place, lines) in [
                ("extra start", &["a start", "a pre_start", "extra start", "b start", "b pre_start"][..]),
                (
                    "extra pre_start",
                    &[
                        "a start",
                        "a pre_start",
                        "extra start",
                        "extra pre_start",
                        "extra drop",
                        "b start",
                        "b pre_start",
                    ],
                ),
            ] {
                let journal = Journal::default();
                journal.plan(place, 1, Fault::Error);
                let tree = soon($tree::start(journal.clone())).await.unwrap();
                assert!(soon(tree.ready()).await);
                assert_eq!(journal.take(), lines);
                let Some(Ended::Failed(failure)) = tree.extra.ended() else { panic!("{:?}", tree.extra.ended()) };
                assert_eq!((failure.phase(), failure.path()), (Phase::Start, "extra"));
                assert!(matches!(tree.extra.tell(Do::Add(1)).await, Err(TellError { .. })));
                assert_eq!((tree.a.incarnation(), tree.b.incarnation()), (1, 1));
                tree.extra.start_again().unwrap();
                assert_eq!(soon(tree.extra.ask(Do::Get)).await, Ok(0));
                assert!(soon(tree.shutdown()).await.is_orderly());
            }
        };
    }
    check!(One);
    check!(All);
    check!(Rest);
}

/// S21: tasks and members of arrays, also those that fail after they were up, but before the tree is.
#[tokio::test(start_paused = true)]
async fn tasks_and_arrays_can_be_left_out() {
    supervisor! {
        struct Tree(journal: Journal) {
            #![strategy(AllForOne)]
            #![decider(Boom::Told => Stop, Phase::Start => Default, _ => Escalate)]
            #[lifecycle(Transient, best_effort)]
            at_once: task = async { Err(Boom::Told) },
            #[lifecycle(Transient, ready, best_effort)]
            never_ready: task = |_cx| async { Err(Boom::Told) },
            #[lifecycle(Transient, best_effort)]
            later: task = async {
                tokio::time::sleep(ms(10)).await;
                Err(Boom::Told)
            },
            #[lifecycle(Permanent, best_effort)]
            three: [Probe; 3] = |i| Probe::start(format!("three {i}"), journal).await?,
            #[lifecycle(Permanent, start = 1s, best_effort)]
            slow: Probe = Probe::start("slow", journal).await?,
            last: Probe = Probe::start("last", journal).await?,
        }
    }
    let journal = Journal::default();
    journal.plan("three 1 start", 1, Fault::Error);
    journal.plan("slow start", 1, Fault::Slow(secs(60)));
    let tree = soon(Tree::start(journal)).await.unwrap();
    for task in [&tree.at_once, &tree.never_ready, &tree.later] {
        assert!(matches!(task.ended(), Some(Ended::Failed(_))), "{}", task.path());
    }
    assert!(has_failed(&tree.slow), "its time was up");
    assert!(tree.three[0].is_alive() && has_failed(&tree.three[1]) && tree.three[2].is_alive());
    assert!(tree.last.is_alive() && tree.ended().is_none());
}

/// S21: a `Temporary` child, a limit that stops, and a decider that stops, while a later child still starts.
#[tokio::test(start_paused = true)]
async fn it_ends_alone_however_it_is_not_restarted() {
    supervisor! {
        struct Tree(journal: Journal) {
            #![decider(Boom::Told => Restart, Boom::Planned | Boom::Fatal => Stop)]
            #[lifecycle(Temporary, best_effort)]
            once: Probe = Probe::start("once", journal).await?,
            #[lifecycle(Transient, best_effort)]
            #[limit(max_restarts = 1, within = 1min, on_limit = Stop)]
            limited: Probe = Probe::start("limited", journal).await?,
            #[lifecycle(Permanent, best_effort)]
            stopped: Probe = Probe::start("stopped", journal).await?,
            #[lifecycle(Permanent, best_effort)]
            #[backoff(1s..2s, random_factor = 0)]
            #[decider(_ if failure.in_a_row() >= 2 => Stop, _ => Default)]
            impatient: Probe = Probe::start("impatient", journal).await?,
            breaks: task = {
                let (once, limited, stopped) = (once, limited, stopped);
                async move {
                    once.tell(Do::Fail(Boom::Told)).await?;
                    limited.tell(Do::Fail(Boom::Told)).await?;
                    limited.tell(Do::Fail(Boom::Told)).await?;
                    stopped.tell(Do::Fail(Boom::Fatal)).await?;
                    Ok::<_, supervise::BoxError>(())
                }
            },
            last: Probe = {
                tokio::time::sleep(secs(10)).await;
                Probe::start("last", journal).await?
            },
        }
    }
    let journal = Journal::default();
    journal.plan("impatient start", 9, Fault::Error);
    let tree = soon(Tree::start(journal)).await.unwrap();
    assert!(soon(tree.ready()).await);
    assert!(has_failed(&tree.once) && has_failed(&tree.stopped) && has_failed(&tree.impatient));
    assert!(matches!(tree.limited.ended(), Some(Ended::Limit(_))));
    assert_eq!((tree.limited.incarnation(), tree.impatient.incarnation()), (2, 3));
    assert!(tree.last.is_alive() && tree.ended().is_none());
}

/// S21: an Escalate, a limit that escalates, and a decider that panics fail the first start as ever. So does any other
/// child.
#[tokio::test(start_paused = true)]
async fn an_escalation_ends_the_first_start_as_ever() {
    supervisor! {
        struct Escalates(journal: Journal) {
            first: Probe = Probe::start("first", journal).await?,
            #[lifecycle(Permanent, best_effort)]
            #[decider(_ => Escalate)]
            extra: Probe = Probe::start("extra", journal).await?,
        }
        struct Limited(journal: Journal) {
            first: Probe = Probe::start("first", journal).await?,
            #[lifecycle(Permanent, best_effort)]
            #[backoff(1s..2s)]
            #[limit(max_restarts = 2)]
            extra: Probe = Probe::start("extra", journal).await?,
            slow: Probe = {
                tokio::time::sleep(secs(60)).await;
                Probe::start("slow", journal).await?
            },
        }
        struct Other(journal: Journal) {
            #[lifecycle(Permanent, best_effort)]
            first: Probe = Probe::start("first", journal).await?,
            extra: Probe = Probe::start("extra", journal).await?,
        }
    }
    let journal = Journal::default();
    journal.plan("extra start", 99, Fault::Error);
    let failures = [
        soon(Escalates::start(journal.clone())).await.unwrap_err(),
        soon(Limited::start(journal.clone())).await.unwrap_err(),
        soon(Other::start(journal.clone())).await.unwrap_err(),
    ];
    assert!(failures.iter().all(|failure| failure.path() == "extra"));
    assert!(matches!(failures[1].cause(), Cause::LimitReached));
}

/// S18, S20, S21: once the tree is up, the child is one like any other; after a restart of its tree the first start
/// goes on without it again.
#[tokio::test(start_paused = true)]
async fn once_the_tree_is_up_it_is_a_child_like_any_other() {
    supervisor! {
        struct Group(journal: Journal) {
            #![strategy(AllForOne)]
            #![decider(Boom::Fatal => Stop, _ => Default)]
            a: Probe = Probe::start("a", journal).await?,
            #[lifecycle(Permanent, best_effort)]
            extra: Probe = Probe::start("extra", journal).await?,
        }
        struct Outer(journal: Journal) {
            inner: struct Inner {
                #[lifecycle(Permanent, best_effort)]
                #[decider(Phase::Restart => Stop, _ => Default)]
                extra: Probe = Probe::start("inner extra", journal).await?,
                #[decider(_ => Escalate)]
                b: Probe = Probe::start("inner b", journal).await?,
            },
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let tree = soon(Group::start(Journal::default())).await.unwrap();
    tree.extra.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    let report = soon(tree.join()).await;
    assert!(matches!(report.ended, Ended::Failed(_)), "a Stop in a group ends it: {}", report.ended);

    let journal = Journal::default();
    journal.plan("inner extra start", 1, Fault::Error);
    let tree = soon(Outer::start(journal.clone())).await.unwrap();
    assert!(has_failed(&tree.inner.extra));
    let mut events = tree.events();
    tree.inner.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(tree.inner.b.incarnation(), 2);
    assert!(tree.inner.extra.is_alive(), "it starts again with its tree");
    assert!(!seen(&mut events).is_empty());
    journal.plan("inner extra start", 1, Fault::Error);
    tree.inner.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(10)).await;
    settle().await;
    assert_eq!(tree.inner.b.incarnation(), 3);
    assert!(tree.inner.extra.ended().is_some(), "its restart has failed, and Inner came up without it");
}

/// S22: a tree of which nothing came up has failed.
#[tokio::test(start_paused = true)]
async fn a_tree_without_any_child_left_has_failed() {
    supervisor! {
        struct Tree(journal: Journal) {
            #[lifecycle(Permanent, best_effort)]
            pair: [Probe; 2] = |_| Probe::start("pair", journal).await?,
        }
    }
    let journal = Journal::default();
    journal.plan("pair start", 2, Fault::Error);
    match soon(Tree::start(journal)).await {
        Ok(tree) => assert!(matches!(soon(tree.join()).await.ended, Ended::Failed(_))),
        Err(failure) => assert_eq!(failure.path(), "pair/0"),
    }
}
