//! Subtrees: S28.

use supervise::prelude::*;

use crate::common::{Boom, Do, Journal, Probe, pass, secs, seen, settle};

supervisor! {
    struct Outer(journal: Journal) {
        #![strategy(AllForOne, max_restarts = 0)]
        #![decider(_ => Stop)]
        inner: struct Inner {
            a: Probe = Probe::start("a", journal).await?,
            b: Probe = Probe::start("b", journal).await?,
        },
        c: Probe = Probe::start("c", journal).await?,
    }

    struct Limits(journal: Journal) {
        permanent: struct Permanent {
            #![strategy(OneForOne, max_restarts = 1, within = 1min)]
            a: Probe = Probe::start("pa", journal).await?,
            b: Probe = Probe::start("pb", journal).await?,
        },
        #[lifecycle(Temporary)]
        temporary: struct Temporary {
            #![strategy(OneForOne, max_restarts = 0)]
            a: Probe = Probe::start("ta", journal).await?,
        },
    }

    struct Ending(journal: Journal) {
        #![strategy(RestForOne)]
        first: Probe = Probe::start("first", journal).await?,
        #[lifecycle(Permanent)]
        inner: struct Short {
            #[lifecycle(Transient)]
            a: Probe = Probe::start("a", journal).await?,
            #[lifecycle(Transient)]
            b: Probe = Probe::start("b", journal).await?,
        },
        last: Probe = Probe::start("last", journal).await?,
    }

    struct Roof(journal: Journal) {
        #![decider(_ => Restart)]
        house: Ending = Ending::tree(journal),
    }

    struct Wired(journal: Journal) {
        live: struct Live {
            listener: Probe = Probe::start("listener", journal).await?,
            deep: struct Deep {
                probe: Probe = named(&listener, "deep", journal).await?,
            },
        },
        user: Probe = named(&live.deep.probe, "user", journal).await?,
        apart: Apart = Apart::tree(user, journal),
        end: Probe = named(&apart.inside, "end", journal).await?,
    }

    struct Apart(of: ActorRef<Probe>, journal: Journal) {
        inside: Probe = named(&of, "inside", journal).await?,
    }
}

/// Records the path of the handle that it was given.
async fn named(other: &ActorRef<Probe>, name: &'static str, journal: Journal) -> Result<Probe, Boom> {
    journal.write(format!("{name} has {} with {:?}", other.path(), other.ask(Do::Get).await));
    Ok(Probe { name: name.into(), journal, sum: 0 })
}

/// S28: a subtree inherits no setting: neither strategy nor decider nor budget.
#[tokio::test(start_paused = true)]
async fn a_subtree_inherits_no_setting() {
    let tree = Outer::start(Journal::default()).await.unwrap();
    for _ in 0..3 {
        tree.inner.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    }
    assert_eq!(
        tree.inner.a.ask(Do::Incarnation).await.unwrap(),
        4,
        "the child was restarted although the outer budget is 0"
    );
    assert_eq!(tree.inner.b.incarnation(), 1, "alone");
    tree.c.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(tree.join().await.ended, Ended::Failed(_)), "the outer tree has its own strategy");
}

/// S28: a subtree at its limit has failed, and is restarted with the same handles and a fresh budget.
#[tokio::test(start_paused = true)]
async fn a_subtree_at_its_limit_is_restarted_as_any_child() {
    let tree = Limits::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    tree.permanent.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.permanent.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.permanent.a.ask(Do::Incarnation).await.unwrap(), 3);
    assert_eq!([tree.permanent.incarnation(), tree.permanent.b.incarnation()], [2, 2]);
    let lines = seen(&mut events);
    for line in ["permanent/a limit", "permanent failed", "permanent decided Restart", "permanent restarted"] {
        assert!(lines.contains(&line.into()), "{line} is not in {lines:?}");
    }
    tree.permanent.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.permanent.a.ask(Do::Incarnation).await.unwrap(), 4, "a fresh budget");
    assert_eq!(tree.permanent.incarnation(), 2);
}

/// S28: a `Temporary` subtree that fails has ended with `RestartLimit`, and its siblings are untouched.
#[tokio::test(start_paused = true)]
async fn a_temporary_subtree_at_its_limit_ends() {
    let tree = Limits::start(Journal::default()).await.unwrap();
    tree.temporary.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    let Ended::Limit(failure) = tree.temporary.join().await.unwrap().ended else { panic!("not the limit") };
    assert_eq!(failure.find(), Some(&Boom::Told));
    settle().await;
    assert_eq!(tree.permanent.incarnation(), 1);
    assert!(tree.temporary.a.ended().is_some());
    assert!(tree.ended().is_none());
}

/// S28, S22, S17: a subtree whose members have all ended stays ended although it is `Permanent`, until its group is
/// restarted.
#[tokio::test(start_paused = true)]
async fn a_subtree_that_has_ended_stays_ended() {
    let tree = Ending::start(Journal::default()).await.unwrap();
    tree.inner.a.tell(Do::Stop).await.unwrap();
    tree.inner.a.terminated().await.unwrap();
    settle().await;
    assert!(tree.inner.ended().is_none(), "one member is left");
    tree.inner.b.tell(Do::Stop).await.unwrap();
    assert!(matches!(tree.inner.join().await.unwrap().ended, Ended::Done));
    tree.last.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(60)).await;
    assert!(tree.inner.ended().is_some(), "the subtree is not in that range");
    tree.first.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.first.ask(Do::Incarnation).await.unwrap(), 2);
    pass(secs(60)).await;
    assert!(tree.inner.ended().is_none() && tree.inner.a.ended().is_none() && tree.inner.b.ended().is_none());
    assert_eq!((tree.inner.a.incarnation(), tree.last.incarnation()), (2, 3));
}

/// S28, S20: a subtree that has ended starts again with its supervisor, under the same handles; a child that was
/// stopped from outside does not.
#[tokio::test(start_paused = true)]
async fn a_subtree_that_has_ended_starts_again_with_its_supervisor() {
    let roof = Roof::start(Journal::default()).await.unwrap();
    let house = &roof.house;
    house.inner.a.tell(Do::Stop).await.unwrap();
    house.inner.b.tell(Do::Stop).await.unwrap();
    house.inner.join().await.unwrap();
    house.last.stop();
    house.last.terminated().await.unwrap();
    house.kill();
    settle().await;
    assert_eq!([house.incarnation(), house.first.incarnation()], [2, 2]);
    assert!(house.inner.ended().is_none());
    assert_eq!(house.inner.a.ask(Do::Incarnation).await.unwrap(), 2);
    assert!(house.last.ended().is_some());
}

/// S28: the handles of a subtree, inline or declared separately, are in scope of later siblings.
#[tokio::test(start_paused = true)]
async fn handles_of_subtrees_are_in_scope_of_later_siblings() {
    let journal = Journal::default();
    let tree = Wired::start(journal.clone()).await.unwrap();
    let wired: Vec<_> = journal.take().into_iter().filter(|line| line.contains(" has ")).collect();
    assert_eq!(
        wired,
        [
            "deep has live/listener with Ok(0)",
            "user has live/deep/probe with Ok(0)",
            "inside has user with Ok(0)",
            "end has apart/inside with Ok(0)",
        ]
    );
    // A restart gets the handles again.
    tree.user.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.user.ask(Do::Get).await.unwrap();
    assert_eq!(journal.take().iter().filter(|line| line.contains(" has ")).count(), 1);
}
