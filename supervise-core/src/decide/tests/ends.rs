//! The ends of members, and the reasons for them (S18, S22, S24, S28).

use super::super::child::Command;
use super::super::child::machine::Order;
use super::super::group::{Cut, FailureInfo, FailureRoute, GroupEffect, GroupState, Id, OwnEnd, Owner};
use super::super::member::MemberState;
use super::harness::{ALL, Harness, tree};
use super::sim::failure;
use crate::values::ended::Ended;
use crate::values::failure::Phase;
use crate::values::kind::ChildKind;
use crate::values::strategy::{Directive, Lifecycle, Strategy};

fn with_failure() -> Ended {
    Ended::by(&failure(Phase::Running))
}

/// The ends of the members that have just ended.
fn ends(harness: &mut Harness) -> Vec<(Id, &'static str)> {
    let effects = harness.group.take_effects().into_iter();
    let ends = effects.filter_map(|effect| match effect {
        GroupEffect::Tell(id, Order::Over(Ended::Done)) => Some((id, "done")),
        GroupEffect::Tell(id, Order::Over(Ended::Stopped)) => Some((id, "stopped")),
        GroupEffect::Tell(id, Order::Over(Ended::Failed(_))) => Some((id, "failed")),
        _ => None,
    });
    ends.collect()
}

/// S16, S22: a stop that arrives while the child is ending by itself, perhaps with a failure, does not replace that
/// end. Nothing replaces the reason of an end that is a failure.
#[test]
fn a_stop_does_not_hide_the_failure_that_a_child_ends_with() {
    for (others, end) in [(vec![with_failure()], "failed"), (vec![Ended::Done], "done"), (vec![], "stopped")] {
        let mut harness = tree(Strategy::OneForOne).steady();
        harness.stop_member(1);
        others.into_iter().for_each(|other| harness.group.ends_as(1, other));
        harness.group.gone(1, harness.now);
        assert_eq!(ends(&mut harness), [(1, end)]);
    }
    let mut harness = tree(Strategy::OneForOne).steady();
    harness.fails(1, Directive::Stop);
    harness.group.ends_as(1, Ended::Killed);
    harness.group.gone(1, harness.now);
    assert_eq!(ends(&mut harness), [(1, "failed")], "the first failure is the reason");
}

/// S22: a failure with which a member is ending is the failure of the tree, unless the tree was stopped before.
#[test]
fn the_failure_that_the_last_member_ends_with_is_that_of_the_tree() {
    let mut harness = tree(Strategy::OneForOne).steady();
    (0..3).for_each(|id| _ = harness.stop_member(id));
    harness.group.ends_as(1, with_failure());
    assert_eq!(harness.group.own_end(), Some(OwnEnd::Failed));
    assert!(harness.group.ending().is_some_and(|end| end.failure().is_some()));
    let mut harness = tree(Strategy::OneForOne).stops();
    harness.group.ends_as(2, with_failure());
    assert!(harness.group.ending().is_some_and(|end| end.is_orderly()), "the tree was stopped");
}

/// S18, S22: a tree ends with the failure that takes it down, and not with that of a member that had ended before.
#[test]
fn the_failure_that_takes_the_tree_down_is_its_end() {
    let mut harness = tree(Strategy::AllForOne).member(0, Lifecycle::Temporary).steady();
    harness.fails(0, Directive::Restart);
    harness.gone(0);
    harness.group.take_effects();
    let (fatal, now) = (failure(Phase::Restart), harness.now);
    assert_eq!(harness.group.failed(1, true), FailureRoute::Decide);
    harness.group.decided(1, Directive::Stop, &fatal, FailureInfo { handled: false, random: 0, now }).unwrap();
    assert!(harness.group.ending().is_some_and(|end| end.failure().is_some_and(|failure| failure.is_same(&fatal))));
}

/// S22: the failure of a member that was started again does not end the tree; that of another one does.
#[test]
fn a_failure_is_forgotten_when_its_member_is_started_again() {
    for also in [false, true] {
        let mut harness = tree(Strategy::OneForOne).steady();
        for id in if also { vec![0, 1] } else { vec![0] } {
            harness.fails(id, Directive::Stop);
            harness.gone(id);
        }
        let requested = failure(Phase::Running);
        harness.group.on_request(0, Command::StartAgain, &requested, harness.now);
        harness.up(0);
        (0..3).for_each(|id| _ = harness.stop_member(id));
        assert_eq!(harness.group.own_end(), Some(if also { OwnEnd::Failed } else { OwnEnd::Done }));
    }
}

/// S44: the time for its end begins for a tree as soon as what goes down takes it along.
#[test]
fn a_tree_hears_when_it_begins_to_end() {
    let begins = |harness: &mut Harness| {
        let effects = harness.group.take_effects();
        effects.iter().any(|effect| matches!(effect, GroupEffect::TellOwner(Order::ChildrenEnding)))
    };
    for (strategy, failed, ends) in [
        (Strategy::AllForOne, 1, true),
        (Strategy::RestForOne, 0, true),
        (Strategy::RestForOne, 1, false),
        (Strategy::OneForOne, 0, false),
    ] {
        for owner in [Owner::Tree, Owner::Actor] {
            let mut harness = tree(strategy).owner(owner).steady();
            harness.group.take_effects();
            assert_eq!(harness.group.failed(failed, true), FailureRoute::Decide);
            let facts = FailureInfo { handled: false, random: 0, now: harness.now };
            harness.group.decided(failed, Directive::Stop, &failure(Phase::Running), facts).unwrap();
            assert_eq!(begins(&mut harness), ends && owner == Owner::Tree, "{strategy:?}, {failed}, {owner:?}");
        }
    }
    let mut harness = tree(Strategy::OneForOne).member(1, Lifecycle::Transient).significant(1).steady();
    harness.group.take_effects();
    let (end, now) = (failure(Phase::Running), harness.now);
    let facts = FailureInfo { handled: false, random: 0, now };
    harness.group.owner_up(now);
    harness.group.done(1, Ended::Done, &end, facts);
    assert!(begins(&mut harness), "a significant member has ended");
}

/// S28: an optional child that is absent ends, and the start goes on. If it was asked to go down meanwhile, it is down.
#[test]
fn an_absent_child_ends_and_the_start_goes_on() {
    for strategy in ALL {
        let mut harness = tree(strategy).optional(0).first_start();
        assert_eq!(harness.event(|group, now| group.absent(0, now)), "over 0, start 1");
        let mut harness = tree(strategy).optional(0).first_start();
        assert_eq!(harness.restart_above(), "down 0");
        assert_eq!(harness.event(|group, now| group.absent(0, now)), "all down");
    }
}

/// S28: a child that was absent at the first start stays absent when its supervisor starts again.
#[test]
fn a_child_that_was_absent_stays_absent() {
    let mut harness = tree(Strategy::AllForOne).optional(1).boots_on();
    assert_eq!(harness.event(|group, now| group.absent(1, now)), "over 1, start 2");
    harness.up(2);
    let mut harness = harness.starts_over();
    harness.group.rebuild(false);
    harness.reach(0);
    harness.up(0);
    harness.group.skip(1, harness.now);
    assert_eq!(ends(&mut harness), [(1, "done")]);
    assert!(harness.group.has_passed(1));
    assert_eq!(harness.reach(2), "start 2");
    // The build skips a child that a user had stopped, and that is not there either.
    let mut harness = tree(Strategy::AllForOne).optional(1).steady().stopped(1).starts_over();
    harness.group.rebuild(false);
    harness.reach(0);
    harness.up(0);
    assert_eq!(harness.event(|group, now| group.skip(1, now)), "");
    assert_eq!(harness.reach(2), "start 2");
}

/// A key of a set is free for another instance once the present one is ending.
#[test]
fn a_member_is_ending_from_its_stop_on() {
    for owner in [Owner::Tree, Owner::Set] {
        let mut harness = tree(Strategy::OneForOne).owner(owner).steady();
        assert!(!harness.group.is_ending(1));
        harness.stop_member(1);
        assert!(harness.group.is_ending(1), "{owner:?}: going down");
        harness.gone(1);
        assert!(harness.group.is_ending(1), "{owner:?}: ended");
        assert!(!harness.group.is_ending(0));
    }
}

/// A failure that arrives after the end of the child is reported, and changes nothing.
#[test]
fn a_failure_after_the_end_is_only_reported() {
    let mut harness = tree(Strategy::OneForOne).steady().stopped(1);
    assert_eq!(harness.group.failed(1, false), FailureRoute::ReportOnly);
    assert_eq!(harness.group.at(1), MemberState::Ended);
}

/// S20, S22: a significant member that ends by itself while its supervisor restarts is down with the others, and starts
/// again with them.
#[test]
fn a_significant_end_during_a_restart_from_above_counts_as_down() {
    let mut harness = tree(Strategy::AllForOne).member(2, Lifecycle::Transient).significant(2).steady();
    assert_eq!(harness.restart_above(), "down 2");
    assert_eq!(harness.done(2), "down 1");
}

/// S24: the time is up before the child's turn has come. A child that its supervisor will start again goes down for
/// that restart; a child that ends, ends.
#[test]
fn a_child_that_is_cut_goes_down_as_it_would_have() {
    let cut = |harness: &mut Harness, id| match harness.group.cut(id, harness.now) {
        Cut::Down(_) => "down",
        Cut::End => "end",
        Cut::Stay => "stay",
    };
    for strategy in ALL {
        let mut harness = tree(strategy).steady();
        harness.restart_above();
        assert_eq!(cut(&mut harness, 0), "down");
        assert_eq!(harness.group.at(0), MemberState::GoingDown);
        let mut harness = tree(strategy).stops();
        assert_eq!(cut(&mut harness, 0), "end");
        let mut harness = tree(strategy).steady();
        harness.stop_member(1);
        harness.restart_above();
        assert_eq!(cut(&mut harness, 1), "end", "a user stopped it");
    }
    // The stop takes precedence over the restart of a range.
    let mut harness = tree(Strategy::AllForOne).down();
    harness.stop();
    assert_eq!(cut(&mut harness, 0), "end");
    // The actor restarts, and keeps a child (S11); if the actor stops, the child ends too.
    let actor = tree(Strategy::OneForOne).owner(Owner::Actor);
    for (stops, kept) in [(false, "stay"), (true, "end")] {
        let mut harness = actor.steady();
        harness.group.keep(1);
        if stops {
            harness.stop()
        } else {
            harness.restart_above()
        };
        assert_eq!((cut(&mut harness, 1), cut(&mut harness, 0)), (kept, "end"));
    }
}

/// The cell of the supervisor is gone: nothing starts any more, though a backoff is over.
#[test]
fn nothing_starts_in_a_group_that_is_finished() {
    let mut harness = tree(Strategy::OneForOne).pauses().steady();
    harness.fails(1, Directive::Restart);
    harness.gone(1);
    harness.group.finish();
    assert!(harness.group.is_ended());
    assert_eq!(harness.due(1), "");
}

/// S18: AllForOne with Stop ends a tree at once, without the members that had ended before. An actor goes on without
/// children.
#[test]
fn a_stop_under_all_for_one_ends_a_tree_and_not_an_actor() {
    let mut harness = tree(Strategy::AllForOne).member(2, Lifecycle::Transient).steady();
    harness.done(2);
    assert_eq!(harness.fails(1, Directive::Stop), "decided: end 1");
    assert_eq!(harness.gone(1), "over 1, end 0");
    assert_eq!(harness.gone(0), "over 0, all ended");
    let mut harness = tree(Strategy::AllForOne).owner(Owner::Actor).steady();
    assert_eq!(harness.fails(1, Directive::Stop), "decided: end 2");
    assert_eq!((harness.gone(2), harness.gone(1)), ("over 2, end 1".into(), "over 1, end 0".into()));
    assert_eq!(harness.gone(0), "over 0");
    assert!(!harness.group.is_ended());
}

/// A suspension concerns the children that have not ended, and no kept values.
#[test]
fn a_suspension_reaches_living_children() {
    let mut harness = tree(Strategy::OneForOne).kind(1, None).steady().stopped(2);
    for suspended in [true, false] {
        if suspended {
            harness.group.suspend()
        } else {
            harness.group.end_suspension(harness.now)
        }
        let orders = harness.group.take_effects().into_iter().map(|effect| match effect {
            GroupEffect::Tell(id, Order::Suspend(suspended)) => (id, suspended),
            other => panic!("{other:?}"),
        });
        assert_eq!(orders.collect::<Vec<_>>(), [(0, suspended)]);
    }
}

/// S21: the handles of a subtree and of an optional child exist only once the child was up, so the start waits for
/// their backoff. It does not wait for that of other children, nor once the handle exists.
#[test]
fn a_start_waits_for_the_backoff_of_a_child_with_a_late_handle() {
    let first = |setup: super::harness::Setup| setup.pauses().first_start();
    let fails = |mut harness: Harness| {
        let effects = harness.start_fails(0, Directive::Restart);
        assert_eq!(harness.group.has_passed(0), effects.contains("start 1"));
        effects
    };
    let setup = tree(Strategy::OneForOne);
    let (goes_on, waits) = ("decided: wait 0 20ms, start 1", "decided: wait 0 20ms");
    assert_eq!(fails(first(setup)), goes_on);
    assert_eq!(fails(first(setup.optional(0))), waits);
    assert_eq!(fails(first(setup.kind(0, Some(ChildKind::Tree)))), waits);
    for setup in [setup.optional(0), setup.kind(0, Some(ChildKind::Tree))] {
        let mut harness = setup.pauses().steady().starts_over();
        assert_eq!(harness.rebuild(), "start 0");
        assert_eq!(fails(harness), goes_on, "it was up before");
    }
}

/// S21: a child that was up, and is being restarted, does not delay those after it.
#[test]
fn a_start_does_not_wait_for_a_child_that_was_up() {
    let mut harness = tree(Strategy::OneForOne).first_start();
    harness.suspend();
    assert_eq!(harness.up(0), "");
    assert_eq!((harness.restart(0), harness.gone(0)), ("down 0".into(), String::new()));
    assert_eq!(harness.end_suspension(), "start 0, start 1");
}

/// S22: a significant member has ended, and the supervisor ends once its range has come up. The range waits for a task
/// whose failure a suspension has kept, so that failure is decided first.
#[test]
fn a_kept_failure_is_decided_before_the_supervisor_ends() {
    let setup = tree(Strategy::RestForOne).owner(Owner::Actor).member(0, Lifecycle::Temporary).significant(0);
    let mut harness = setup.steady();
    assert_eq!(harness.fails(2, Directive::Restart), "decided: down 2");
    assert_eq!(harness.gone(2), "start 2");
    harness.fails(0, Directive::Stop);
    harness.suspend();
    assert_eq!(harness.start_fails(1, Directive::Restart), "kept");
    assert_eq!((harness.gone(0), harness.up(2)), ("over 0".into(), String::new()));
    assert_eq!(harness.end_suspension(), "redecide 1");
}

/// S7, S22: a supervisor that ends after its walk up begins the start that a suspension has delayed, for which that walk
/// waits. Otherwise it would never end.
#[test]
fn a_delayed_start_begins_before_the_supervisor_ends() {
    let setup = tree(Strategy::RestForOne).owner(Owner::Actor).member(0, Lifecycle::Temporary).significant(0);
    let mut harness = setup.pause(1, 20).steady();
    assert_eq!(harness.restart(1), "down 1");
    assert_eq!(harness.gone(1), "start 1");
    assert_eq!(harness.start_fails(1, Directive::Restart), "decided: wait 1 20ms");
    assert_eq!(harness.fails(2, Directive::Restart), "decided: down 2");
    assert_eq!(harness.gone(2), "");
    harness.suspend();
    assert_eq!((harness.due(1), harness.done(0)), (String::new(), "over 0".into()));
    assert_eq!(harness.end_suspension(), "start 1");
    assert_eq!(harness.up(1), "start 2");
    assert_eq!(harness.up(2), "end 2");
}

/// S22: a significant set ends when its last instance has ended by itself, unless a place is held for another one, or
/// another one is on its way.
#[test]
fn a_significant_set_ends_with_its_last_instance() {
    let ended = |harness: &Harness| *harness.group.mode() == GroupState::Ended;
    let set = || {
        let setup = tree(Strategy::OneForOne).owner(Owner::Set);
        let setup = (0..3).fold(setup, |setup, id| setup.member(id, Lifecycle::Transient));
        let mut harness = setup.steady();
        harness.group.set_significant(true);
        harness.done(0);
        harness.done(1);
        assert!(!ended(&harness));
        (setup, harness)
    };
    let (_, mut harness) = set();
    assert_eq!(harness.done(2), "over 2, all ended");

    let (setup, mut harness) = set();
    harness.group.set_held(1);
    harness.done(2);
    assert!(!ended(&harness), "a place is held");
    harness.group.set_held(0);
    assert_eq!(harness.spawn(setup), "start 0");
    assert_eq!(harness.start_fails(0, Directive::Stop), "decided: over 0, all ended");

    let (_, mut harness) = set();
    harness.stop_member(2);
    harness.gone(2);
    assert!(!ended(&harness), "the last one was stopped");
}
