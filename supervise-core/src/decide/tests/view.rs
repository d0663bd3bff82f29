//! The view of a group and its members from outside (S42).

use super::super::child::machine::Order;
use super::super::group::{FailureRoute, GroupState, Id, OwnEnd};
use super::super::member::MemberState;
use super::harness::{GROUPS, Harness, tree};
use super::sim::failure;
use crate::values::failure::{Phase, Row};
use crate::values::strategy::{Directive, Lifecycle, Strategy};

fn waited_for(harness: &Harness) -> Vec<Id> {
    let shared = harness.group.view_shared(harness.now);
    let waits = |id: &Id| harness.group.view(*id, shared, harness.now).expect("a living child").holds_up;
    (0..3).filter(waits).collect()
}

/// The wait of a range is shown at the member whose backoff it is, once the range is down.
#[test]
fn a_range_that_is_down_shows_the_member_it_waits_for() {
    for strategy in GROUPS {
        let mut harness = tree(strategy).pauses().steady();
        harness.fails(1, Directive::Restart);
        harness.gone(2);
        assert_eq!(waited_for(&harness), [], "{strategy:?}: members are still going down");
        harness.gone(1);
        harness.gone(0);
        assert_eq!(waited_for(&harness), [1], "{strategy:?}");
        harness.due(1);
        assert_eq!(waited_for(&harness), [], "{strategy:?}: the backoff is over");
    }
}

/// A kept value is a part of the supervisor, not a child.
#[test]
fn a_kept_value_is_not_shown() {
    let harness = tree(Strategy::OneForOne).kind(1, None).steady();
    let shown: Vec<Id> = (0..4).filter(|id| harness.group.view(*id, None, harness.now).is_some()).collect();
    assert_eq!(shown, [0, 2]);
    assert_eq!(harness.group.living(), 2);
}

/// A member that was asked to end is leaving; a member that goes down for a restart is not, nor one that failed.
#[test]
fn a_member_that_was_stopped_is_leaving() {
    let mut harness = tree(Strategy::OneForOne).steady();
    harness.stop_member(0);
    harness.fails(1, Directive::Restart);
    harness.fails(2, Directive::Stop);
    let leaving = [0, 1, 2].map(|id| harness.group.view(id, None, harness.now).expect("a living child").leaving);
    assert_eq!(leaving, [true, false, false]);
}

/// S22: a tree whose last members are ending is about to end, with a failure if one of them ends with a failure.
#[test]
fn a_tree_is_about_to_end_when_its_last_members_end() {
    let mut harness = tree(Strategy::OneForOne).kind(1, None).member(2, Lifecycle::Temporary).steady();
    harness.stop_member(0);
    assert_eq!(harness.group.own_end(), None, "one member goes on");
    let mut stopped = tree(Strategy::OneForOne).steady();
    (0..3).for_each(|id| _ = stopped.stop_member(id));
    assert_eq!(stopped.group.own_end(), Some(OwnEnd::Done));
    harness.fails(2, Directive::Restart);
    assert_eq!(harness.group.own_end(), Some(OwnEnd::Failed));
    assert!(harness.group.ending().is_some_and(|end| end.failure().is_some()));
}

/// S17, S22: a restart of the range ends its `Temporary` members, and starts those that had ended by themselves again.
#[test]
fn a_restart_of_the_range_decides_whether_a_tree_is_about_to_end() {
    let last_two_are_stopped = |mut harness: Harness| {
        assert_eq!(harness.fails(1, Directive::Restart), "decided: down 2");
        (1..3).for_each(|id| _ = harness.stop_member(id));
        let own_end = harness.group.own_end();
        harness.gone(2);
        (own_end, harness.gone(1))
    };
    let (all, rest) = (tree(Strategy::AllForOne), tree(Strategy::RestForOne));
    assert_eq!(last_two_are_stopped(all.steady()), (None, "over 1, down 0".into()));
    let temporary = all.member(0, Lifecycle::Temporary).steady();
    assert_eq!(last_two_are_stopped(temporary), (Some(OwnEnd::Done), "over 1, end 0".into()));
    let outside = rest.member(0, Lifecycle::Temporary).steady();
    assert_eq!(last_two_are_stopped(outside), (None, "over 1".into()));
    for (setup, expected) in [(all, (None, "over 1, start 0")), (rest, (Some(OwnEnd::Done), "over 1, all ended"))] {
        let mut harness = setup.member(0, Lifecycle::Transient).steady();
        harness.done(0);
        assert_eq!(last_two_are_stopped(harness), (expected.0, expected.1.into()));
    }
}

/// The supervisor's task is woken for events of its members only while it builds, not while they come up again later.
#[test]
fn a_supervisor_is_built_until_it_is_up() {
    for strategy in GROUPS {
        let mut harness = tree(strategy).first_start();
        assert!(harness.group.is_being_built(), "{strategy:?}: the first start");
        (0..3).for_each(|id| drop(harness.up(id)));
        let now = harness.now;
        harness.group.owner_up(now);
        assert!(!harness.group.is_being_built(), "{strategy:?}: up");
        harness.fails(1, Directive::Restart);
        harness.gone(2);
        harness.gone(1);
        harness.gone(0);
        assert_eq!(*harness.group.mode(), GroupState::Up, "{strategy:?}: the range comes up again");
        assert!(!harness.group.is_being_built(), "{strategy:?}: the build is over");
        harness.group.rebuild(false);
        assert!(harness.group.is_being_built(), "{strategy:?}: the supervisor starts again");
    }
}

/// S9: a failure is told with the restarts in a row before it, which are those of the child alone.
#[test]
fn a_failure_comes_after_a_number_of_restarts() {
    let mut harness = tree(Strategy::OneForOne).steady();
    for restarts in 0..4 {
        assert_eq!(harness.group.row(1, harness.now).restarts, restarts);
        harness.fails(1, Directive::Restart);
        harness.gone(1);
        if harness.group.at(1) == MemberState::BackingOff {
            harness.due(1);
        }
        harness.up(1);
    }
    assert_eq!(harness.group.row(0, harness.now), Row::default());
}

/// The order to start, or to go down for a restart, that is all that follows for a child from its own event is handed back
/// to it. A watchdog that has to be told of the child keeps the order to go down.
#[test]
fn an_order_for_the_child_itself_is_handed_back() {
    let mut harness = tree(Strategy::OneForOne).pauses().steady();
    let (now, facts) = (harness.now, harness.facts());
    let group = &mut harness.group;
    assert_eq!(group.failed(1, true), FailureRoute::Decide);
    group.decided(1, Directive::Restart, &failure(Phase::Running), facts).unwrap();
    assert!(group.concerns_only(1) && !group.concerns_only(0));
    assert!(group.take_order(false).is_none() && group.concerns_only(1), "the watchdog is told");
    let down = group.take_order(true);
    assert!(matches!(down, Some((Some(_), Order::Down(..)))), "{down:?}");
    assert!(!group.has_effects());
    group.gone(1, now);
    group.take_effects();
    group.due(1, now);
    assert!(group.concerns_only(1));
    let start = group.take_order(false);
    assert!(matches!(start, Some((None, Order::Start))), "{start:?}");
    assert!(!group.has_effects() && group.take_order(true).is_none());
}
