//! The first start of a tree, and its end: S21 and S22.

use std::sync::{Arc, Mutex};

use supervise::prelude::*;
use tokio::sync::oneshot;

use crate::common::{Boom, Do, Fault, Journal, Probe, pass, secs, settle, soon};

supervisor! {
    struct Three(journal: Journal) {
        a: Probe = Probe::start("a", journal).await?,
        let _noted = journal.write("let");
        b: Probe = Probe::start("b", journal).await?,
        c: Probe = Probe::start("c", journal).await?,
    }

    struct Patient(journal: Journal) {
        #[backoff(3s..30s, random_factor = 0.0)]
        slow: Probe = Probe::start("slow", journal).await?,
        quick: Probe = Probe::start("quick", journal).await?,
    }

    struct Jobs(journal: Journal) {
        one: Probe = Probe::start("one", journal).await?,
        #[lifecycle(Transient)]
        two: Probe = Probe::start("two", journal).await?,
    }

    struct Part(journal: Journal) {
        inner: struct Inner { leaf: Probe = Probe::start("leaf", journal).await?, },
        other: Probe = Probe::start("other", journal).await?,
    }

    struct Parts(journal: Journal) {
        #[decider(_ => Restart)]
        part: [u32 => Part] = |_key: u32| Part::tree(journal),
    }

    struct Nested(journal: Journal) {
        first: Probe = Probe::start("first", journal).await?,
        inner: struct Deep { leaf: Probe = Probe::start("leaf", journal).await?, },
    }
}

/// S21: children start in order, each is awaited, and a `let` is evaluated at its position.
#[tokio::test(start_paused = true)]
async fn children_start_in_order_each_awaited() {
    let journal = Journal::default();
    journal.plan("a pre_start", 1, Fault::Slow(secs(1)));
    let _tree = Three::start(journal.clone()).await.unwrap();
    assert_eq!(
        journal.take(),
        ["a start", "a pre_start", "a pre_start done", "let", "b start", "b pre_start", "c start", "c pre_start"]
    );
}

/// S21: the first start is all or nothing: a failed start takes down the children that are up, in reverse, and returns
/// path and cause.
#[tokio::test(start_paused = true)]
async fn a_failed_start_takes_down_what_is_up_in_reverse() {
    for (place, fault) in [("c start", Fault::Error), ("c pre_start", Fault::Panic)] {
        crate::common::quiet_panics();
        let journal = Journal::default();
        journal.plan(place, 1, fault);
        let failure = Three::start(journal.clone()).await.unwrap_err();
        assert_eq!((failure.path(), failure.phase()), ("c", Phase::Start));
        let ends: Vec<_> = journal.take().into_iter().filter(|line| line.ends_with(" post_stop")).collect();
        assert_eq!(ends, ["b post_stop", "a post_stop"], "{place}");
    }
}

/// S21: the failure of a subtree's child is the failure of `start()`, with its own path.
#[tokio::test(start_paused = true)]
async fn a_failed_start_below_names_the_child() {
    let journal = Journal::default();
    journal.plan("leaf start", 1, Fault::Error);
    let failure = Nested::start(journal.clone()).await.unwrap_err();
    assert_eq!(failure.path(), "inner/leaf");
    assert_eq!(failure.error::<Boom>(), Some(&Boom::Planned));
    assert!(failure.to_string().contains("inner/leaf"), "{failure}");
    assert!(journal.take().contains(&"first post_stop".to_owned()));
}

/// S21: dropping the `start()` future takes down the children that are up.
#[tokio::test(start_paused = true)]
async fn dropping_the_start_future_takes_down_what_is_up() {
    let journal = Journal::default();
    journal.plan("b start", 1, Fault::Slow(secs(60)));
    assert!(tokio::time::timeout(secs(1), Three::start(journal.clone())).await.is_err());
    settle().await;
    assert_eq!(journal.take()[3..], ["b start", "a post_stop", "a drop"]);
}

/// S21: under OneForOne a child with a backoff whose attempt failed does not hold up the others; `ready()` resolves
/// when all are up.
#[tokio::test(start_paused = true)]
async fn a_declared_backoff_does_not_hold_up_the_first_start() {
    let journal = Journal::default();
    journal.plan("slow start", 2, Fault::Error);
    let before = tokio::time::Instant::now();
    let tree = Patient::start(journal.clone()).await.unwrap();
    assert_eq!(before.elapsed(), secs(0), "`start` does not wait for the backoff");
    assert_eq!(tree.quick.ask(Do::Get).await.unwrap(), 0);
    assert!(tree.ready().await);
    assert_eq!(before.elapsed(), secs(9), "3 s and 6 s");
    assert_eq!(tree.slow.ask(Do::Get).await.unwrap(), 0);
}

/// S20, S21: a subtree that is stopped before it was ever up fails the start of its supervisor, which cannot come up without
/// its handle. The next start of the supervisor starts it again; a stop once it was up is kept.
#[tokio::test(start_paused = true)]
async fn a_subtree_that_was_stopped_before_it_was_up_starts_with_its_supervisor() {
    let journal = Journal::default();
    journal.plan("leaf start", 1, Fault::Slow(secs(10)));
    let tree = Parts::start(journal.clone()).await.unwrap();
    let parts = tree.part.clone();
    let spawned = tokio::spawn(async move { parts.spawn(0).await });
    settle().await;
    supervise::ChildRef::stop(&tree.find("part/0/inner").expect("it starts"));
    let part = soon(spawned).await.unwrap().expect("it comes up at the second start");
    assert_eq!((part.incarnation(), part.inner.is_alive()), (2, true));

    part.inner.stop();
    pass(secs(1)).await;
    part.restart().unwrap();
    pass(secs(1)).await;
    assert_eq!((part.incarnation(), part.inner.is_alive()), (3, false));
}

/// S21: `ready()` waits for children at any depth: in subtrees of subtrees, in the instances of a set, and below an
/// actor; at their first start, and when they are restarted. What is below a subtree that has ended is not waited for.
#[tokio::test(start_paused = true)]
async fn ready_waits_at_any_depth() {
    struct Parent(Journal, Option<ActorRef<Probe>>);
    #[actor]
    impl Parent {
        #[pre_start]
        async fn spawns(&mut self, cx: &mut Context<Self>) {
            let journal = self.0.clone();
            let kid = child! {
                #[backoff(3s..30s, random_factor = 0)]
                "kid": Probe = Probe::start("kid", journal).await?
            };
            self.1 = cx.spawn(kid).await.ok();
        }
        fn handle(&mut self, reply: Reply<ActorRef<Probe>>) {
            reply.send(self.1.clone().expect("it was spawned"));
        }
    }
    supervisor! {
        struct One(journal: Journal) {
            a: struct A {
                #[backoff(3s..30s, random_factor = 0)]
                late: Probe = Probe::start("late", journal).await?,
            },
        }
        struct Four(journal: Journal) {
            first: Probe = Probe::start("first", journal).await?,
            b: struct B {
                c: struct C {
                    d: One = One::tree(journal),
                    last: Probe = Probe::start("last", journal).await?,
                },
                set: [One] = |journal: Journal| One::tree(journal),
                parent: Parent = Parent(journal, None),
            },
        }
    }
    let journal = Journal::default();
    journal.plan("late start", 2, Fault::Error);
    let begun = tokio::time::Instant::now();
    let one = One::start(journal.clone()).await.unwrap();
    assert!(one.ready().await);
    assert_eq!(begun.elapsed(), secs(9), "3 s and 6 s");

    journal.plan("late start", 2, Fault::Error);
    let begun = tokio::time::Instant::now();
    let four = Four::start(journal.clone()).await.unwrap();
    assert_eq!(begun.elapsed(), secs(0), "`start` does not wait for the backoff");
    assert!(four.ready().await);
    assert_eq!(begun.elapsed(), secs(9));

    // Restarts: a child of the subtree, one below an instance of the set, and one below the actor.
    let guest = four.b.set.spawn(Journal::default()).await.unwrap();
    let kid = four.b.parent.ask(|reply| reply).await.unwrap();
    for down in [&four.b.c.d.a.late, &guest.a.late, &kid] {
        pass(secs(60)).await; // the backoff starts over
        assert!(four.ready().await);
        let begun = tokio::time::Instant::now();
        down.tell(Do::Fail(Boom::Told)).await.unwrap();
        settle().await;
        assert!(four.ready().await);
        assert_eq!(begun.elapsed(), secs(3), "{}", down.path());
    }

    // A first start, of a new instance.
    let begun = tokio::time::Instant::now();
    let unlucky = Journal::default();
    unlucky.plan("late start", 1, Fault::Error);
    four.b.set.spawn(unlucky).await.unwrap();
    assert!(four.ready().await);
    assert_eq!(begun.elapsed(), secs(3), "an instance");

    // A child restarts, and its subtree ends meanwhile.
    pass(secs(60)).await;
    let begun = tokio::time::Instant::now();
    four.b.c.d.a.late.tell(Do::Fail(Boom::Told)).await.unwrap();
    let (ready, ()) = tokio::join!(four.ready(), async {
        pass(secs(1)).await;
        four.b.c.d.stop();
    });
    assert!(ready);
    assert_eq!(begun.elapsed(), secs(1));
    settle().await;
    assert!(four.b.c.d.ended().is_some());
}

/// S22: a tree whose members have all ended ends too; it is `Done` if each ended by itself or was stopped.
#[tokio::test(start_paused = true)]
async fn a_tree_ends_when_its_members_have_ended() {
    let tree = Jobs::start(Journal::default()).await.unwrap();
    tree.one.stop();
    pass(secs(1)).await;
    assert!(tree.ended().is_none());
    tree.two.tell(Do::Stop).await.unwrap();
    let report = tree.join().await;
    assert!(matches!(report.ended, Ended::Done), "{report}");
}

/// S22: the tree is `Failed` with the first failure otherwise.
#[tokio::test(start_paused = true)]
async fn a_tree_fails_with_the_first_failure_of_its_members() {
    let tree = Jobs::start(Journal::default()).await.unwrap();
    tree.one.kill();
    settle().await;
    let report = {
        tree.two.tell(Do::Stop).await.unwrap();
        tree.join().await
    };
    assert!(report.ended.failure().is_some_and(|failure| failure.path() == "one"), "{report}");
}

/// S21: `start()` returns its error once all children are down and their hooks have run.
#[tokio::test(start_paused = true)]
async fn a_failed_first_start_is_over_only_when_all_is_down() {
    let journal = Journal::default();
    journal.plan("c start", 1, Fault::Error);
    journal.plan("a post_stop", 1, Fault::Slow(secs(3)));
    let before = tokio::time::Instant::now();
    Three::start(journal.clone()).await.unwrap_err();
    assert_eq!(before.elapsed(), secs(3));
    assert_eq!(journal.take().last().unwrap(), "a drop");
}

/// S21: earlier children are supervised, and serve, while a later one is still starting.
#[tokio::test(start_paused = true)]
async fn earlier_children_are_supervised_during_the_first_start() {
    let journal = Journal::default();
    journal.plan("b start", 1, Fault::Slow(secs(9)));
    let tree = Asked::start(journal.clone()).await.unwrap();
    assert_eq!((tree.a.incarnation(), tree.b.incarnation()), (2, 1));
    let lines = journal.take();
    let again = lines.iter().rposition(|line| line == "a start").unwrap();
    let done = lines.iter().position(|line| line == "b start done").unwrap();
    assert!(again < done, "a was restarted while b was starting: {lines:?}");
}

supervisor! {
    struct Asked(journal: Journal) {
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = {
            a.tell(Do::Fail(Boom::Told)).await?;
            Probe::start("b", journal).await?
        },
    }

    struct Strict(journal: Journal) {
        #![strategy(AllForOne)]
        a: Probe = Probe::start("a", journal).await?,
        #[backoff(3s..30s, random_factor = 0.0)]
        b: Probe = Probe::start("b", journal).await?,
        c: Probe = Probe::start("c", journal).await?,
    }

    struct Mortal(journal: Journal) {
        a: Probe = Probe::start("a", journal).await?,
        #[lifecycle(Temporary)]
        b: Probe = Probe::start("b", journal).await?,
    }

    struct Retried(journal: Journal) {
        #[backoff(3s..30s, random_factor = 0.0)]
        inner: struct Branch {
            leaf: Probe = Probe::start("leaf", journal).await?,
            other: Probe = Probe::start("other", journal).await?,
        },
        last: Probe = Probe::start("last", journal).await?,
    }
}

/// S21: a `Temporary` child whose first start fails makes the start of the tree fail too.
#[tokio::test(start_paused = true)]
async fn a_temporary_child_that_does_not_start_fails_the_first_start() {
    let journal = Journal::default();
    journal.plan("b start", 1, Fault::Error);
    let failure = Mortal::start(journal.clone()).await.unwrap_err();
    assert_eq!((failure.path(), failure.error::<Boom>()), ("b", Some(&Boom::Planned)));
    assert_eq!(journal.take()[2..], ["b start", "a post_stop", "a drop"]);
}

/// S21: in a group every member waits for a start that is retried; AllForOne takes down the members that were up
/// before.
#[tokio::test(start_paused = true)]
async fn in_a_group_every_member_waits_for_a_start_that_is_retried() {
    let journal = Journal::default();
    journal.plan("b start", 1, Fault::Error);
    let before = tokio::time::Instant::now();
    let tree = Strict::start(journal.clone()).await.unwrap();
    assert_eq!(before.elapsed(), secs(3));
    assert_eq!((tree.a.incarnation(), tree.b.incarnation(), tree.c.incarnation()), (2, 2, 1));
    let starts: Vec<_> = journal.take().into_iter().filter(|line| line.ends_with(" start")).collect();
    assert_eq!(starts, ["a start", "b start", "a start", "b start", "c start"]);
}

/// S21: a first start that reaches the limit fails: the error contains the limit, and the failures before it.
#[tokio::test(start_paused = true)]
async fn a_first_start_at_its_limit_gives_the_failures_before_it() {
    supervisor! {
        struct Limited(journal: Journal) {
            #![strategy(AllForOne, max_restarts = 2)]
            a: Probe = Probe::start("a", journal).await?,
            #[backoff(3s..30s, random_factor = 0.0)]
            b: Probe = Probe::start("b", journal).await?,
        }
    }
    let journal = Journal::default();
    journal.plan("b start", 9, Fault::Error);
    let before = tokio::time::Instant::now();
    let failure = Limited::start(journal.clone()).await.unwrap_err();
    assert_eq!(before.elapsed(), secs(3 + 6));
    assert!(matches!(failure.cause(), Cause::LimitReached), "{failure}");
    assert_eq!((failure.path(), failure.phase()), ("b", Phase::Start));
    assert_eq!(failure.find::<Boom>(), Some(&Boom::Planned));
    let lines = journal.take();
    assert_eq!(lines.iter().filter(|line| *line == "b start").count(), 3);
    assert_eq!(lines.last().unwrap(), "a drop");
}

/// S21: the first start is over when each child is up, has ended, or waits for its backoff, and so is all or nothing: a
/// limit that is reached later ends what `on_limit` says, also if the child was never up.
#[tokio::test(start_paused = true)]
async fn a_limit_after_the_first_start_ends_only_its_child() {
    supervisor! {
        struct Behind(journal: Journal) {
            a: Probe = Probe::start("a", journal).await?,
            #[backoff(3s..30s, random_factor = 0.0)]
            #[limit(max_restarts = 3, on_limit = Stop)]
            b: Probe = Probe::start("b", journal).await?,
        }
    }
    let (journal, before) = (Journal::default(), tokio::time::Instant::now());
    journal.plan("b start", 9, Fault::Error);
    let tree = Behind::start(journal).await.unwrap();
    assert_eq!(before.elapsed(), secs(0));
    assert!(matches!(tree.b.terminated().await.unwrap(), Ended::Limit(_)));
    assert_eq!(before.elapsed(), secs(3 + 6 + 12));
    assert!(tree.ready().await && tree.a.is_alive());
    assert!(tree.shutdown().await.is_orderly());
}

/// S21: the parent retries a subtree whose start failed; `start()` waits for the subtree, because its handles exist
/// only then.
#[tokio::test(start_paused = true)]
async fn a_subtree_that_does_not_start_is_retried_by_its_parent() {
    let journal = Journal::default();
    journal.plan("other start", 1, Fault::Error);
    let before = tokio::time::Instant::now();
    let tree = Retried::start(journal.clone()).await.unwrap();
    assert_eq!(before.elapsed(), secs(3));
    assert_eq!(tree.inner.other.ask(Do::Get).await.unwrap(), 0);
    assert_eq!(
        journal.take(),
        [
            "leaf start",
            "leaf pre_start",
            "other start",
            "leaf post_stop",
            "leaf drop",
            "leaf start",
            "leaf pre_start",
            "other start",
            "other pre_start",
            "last start",
            "last pre_start",
        ]
    );
}

/// S21: an Escalate makes the first start fail, even if a backoff is declared.
#[tokio::test(start_paused = true)]
async fn an_escalate_fails_the_first_start() {
    supervisor! {
        struct Proud(journal: Journal) {
            #![decider(|_: &Failure| Directive::Escalate)]
            a: Probe = Probe::start("a", journal).await?,
            #[backoff(3s..30s, random_factor = 0.0)]
            b: Probe = Probe::start("b", journal).await?,
        }
    }
    let journal = Journal::default();
    journal.plan("b start", 1, Fault::Error);
    let before = tokio::time::Instant::now();
    let failure = Proud::start(journal.clone()).await.unwrap_err();
    assert_eq!((before.elapsed(), failure.path()), (secs(0), "b"));
    assert_eq!(journal.take()[2..], ["b start", "a post_stop", "a drop"]);
}

/// S21 and table 2c: a child that is stopped while it starts has not failed: the first start goes on with the next
/// child.
#[tokio::test(start_paused = true)]
async fn a_child_that_is_stopped_while_it_starts_does_not_fail_the_first_start() {
    type HandOut = Arc<Mutex<Option<oneshot::Sender<ActorRef<Given>>>>>;
    struct Given(HandOut);
    #[actor]
    impl Given {
        fn handle(&mut self, _: ()) {}
        #[pre_start]
        async fn hands_itself_out(&mut self, cx: &mut Context<Self>) {
            let hand_out = self.0.lock().unwrap().take().unwrap();
            let _ = hand_out.send(cx.actor_ref());
            std::future::pending::<()>().await;
        }
    }
    supervisor! {
        struct Interrupted(hand_out: HandOut, journal: Journal) {
            given: Given = Given(hand_out),
            after: Probe = Probe::start("after", journal).await?,
        }
    }
    let (hand_out, given) = oneshot::channel::<ActorRef<Given>>();
    let hand_out = Arc::new(Mutex::new(Some(hand_out)));
    let stops = tokio::spawn(async move {
        let given = given.await.unwrap();
        pass(secs(1)).await;
        given.stop();
    });
    let before = tokio::time::Instant::now();
    let tree = Interrupted::start(hand_out, Journal::default()).await.unwrap();
    assert_eq!(before.elapsed(), secs(1));
    stops.await.unwrap();
    assert!(matches!(tree.given.ended(), Some(Ended::Stopped)));
    assert_eq!(tree.after.ask(Do::Get).await.unwrap(), 0);
}

/// S22: a `[..]` can still spawn, so its tree does not end; an actor goes on without children.
#[tokio::test(start_paused = true)]
async fn a_tree_with_a_set_goes_on_when_all_others_have_ended() {
    supervisor! {
        struct Open(journal: Journal) {
            one: Probe = Probe::start("one", journal).await?,
            guests: [Probe] = |name: &'static str| Probe::start(name, journal).await?,
        }
    }
    let tree = Open::start(Journal::default()).await.unwrap();
    let guest = tree.guests.spawn("guest").await.unwrap();
    tree.one.stop();
    guest.stop();
    pass(secs(60)).await;
    assert!(tree.ended().is_none() && tree.guests.is_empty());
    assert!(tree.guests.spawn("another").await.is_ok());
}

/// S22: the end of a subtree's last member is the end of the subtree, and so on upwards.
#[tokio::test(start_paused = true)]
async fn the_end_of_the_last_member_goes_up() {
    let tree = Nested::start(Journal::default()).await.unwrap();
    tree.first.stop();
    tree.inner.leaf.kill();
    let report = tree.join().await;
    assert!(matches!(report.ended, Ended::Failed(_)), "a kill is not an end by itself: {report}");
    let tree = Nested::start(Journal::default()).await.unwrap();
    tree.first.stop();
    tree.inner.leaf.stop();
    let report = tree.join().await;
    assert!(matches!(report.ended, Ended::Done), "{report}");
}
