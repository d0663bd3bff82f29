//! The backoff of a range: the members wait together, for the longest delay (S17).

use super::super::child::machine::Order;
use super::super::group::{FailureRoute, GroupEffect, Id};
use super::harness::{GROUPS, Harness, tree};
use crate::values::failure::{Cause, Failure, Phase};
use crate::values::strategy::{Directive, Lifecycle, Strategy};

/// Member 1 and then member 0 fail, with these backoffs in milliseconds, and their range goes down.
fn two_fail(later: u64, earlier: u64) -> Harness {
    let mut harness = tree(Strategy::RestForOne).pause(1, later).pause(0, earlier).steady();
    assert_eq!(harness.fails(1, Directive::Restart), "decided: down 2");
    assert_eq!(harness.fails(0, Directive::Restart), "decided: ");
    assert_eq!((harness.gone(2), harness.gone(1)), ("down 1".into(), "down 0".into()));
    harness
}

#[test]
fn a_range_waits_once_for_the_longest_delay() {
    for (later, earlier, wait) in [(20, 30, "wait 0 30ms"), (30, 20, "wait 1 30ms"), (20, 20, "wait 1 20ms")] {
        assert_eq!(two_fail(later, earlier).gone(0), wait);
    }
}

/// A member that a user stops is not waited for, whether its range is still going down or waits already. The stop of
/// another member does not end the wait.
#[test]
fn a_range_does_not_wait_for_a_member_that_was_stopped() {
    for stopped in [1, 2] {
        let waits = stopped == 2;
        let setup = tree(Strategy::AllForOne).pause(1, 20);
        let down = || {
            let mut harness = setup.down();
            assert_eq!((harness.gone(2), harness.gone(1)), ("down 1".into(), "down 0".into()));
            harness
        };
        let mut harness = down();
        harness.stop_member(stopped);
        assert_eq!(harness.gone(0), if waits { "wait 1 20ms" } else { "start 0" });
        let mut harness = down();
        assert_eq!(harness.gone(0), "wait 1 20ms");
        assert_eq!(harness.stop_member(stopped), if waits { "over 2" } else { "over 1, start 0" });
        assert_eq!(harness.due(1), if waits { "start 0" } else { "" });
    }
}

/// A member that a user has stopped while its range went down ends when its turn comes, also if a suspension begins and
/// ends before that.
#[test]
fn a_member_that_was_stopped_on_the_way_down_ends_in_its_turn() {
    let mut harness = tree(Strategy::AllForOne).down();
    harness.gone(2);
    assert_eq!(harness.stop_member(2), "");
    harness.gone(1);
    assert_eq!(harness.gone(0), "start 0");
    harness.suspend();
    assert_eq!(harness.end_suspension(), "");
    assert_eq!((harness.up(0), harness.up(1)), ("start 1".into(), "over 2".into()));
}

/// A member that restarts alone, and comes down while a range after it goes down, starts in its turn: once the range
/// is down.
#[test]
fn a_member_before_the_range_that_is_down_starts_with_the_range() {
    let mut harness = tree(Strategy::RestForOne).steady();
    assert_eq!(harness.restart(0), "down 0");
    assert_eq!(harness.fails(1, Directive::Restart), "decided: down 2");
    assert_eq!(harness.gone(0), "");
    assert_eq!((harness.gone(2), harness.gone(1)), ("down 1".into(), "start 0".into()));
    assert_eq!((harness.up(0), harness.up(1)), ("start 1".into(), "start 2".into()));
}

fn because(path: &'static str) -> Failure {
    Failure::new(Phase::Running, Cause::Panic("test".into()), path, 1)
}

/// The member fails and restarts. Returns the paths of the failures with which members go down.
fn down_with(harness: &mut Harness, id: Id, instance: bool, failure: &Failure) -> Vec<String> {
    assert_eq!(harness.group.failed(id, instance), FailureRoute::Decide);
    let facts = harness.facts();
    harness.group.decided(id, Directive::Restart, failure, facts).unwrap();
    going_down(harness)
}

fn going_down(harness: &mut Harness) -> Vec<String> {
    let effects = harness.group.take_effects().into_iter();
    let down = effects.filter_map(|effect| match effect {
        GroupEffect::Tell(_, Order::Down(failure, _)) => Some(failure.path().into()),
        _ => None,
    });
    down.collect()
}

/// All members that restart together get the failure that began the restart. A start that fails on the way up belongs
/// to the same restart; a failure of an instance that is up again does not.
#[test]
fn the_members_of_a_range_get_the_failure_that_began_the_restart() {
    let mut harness = tree(Strategy::RestForOne).steady();
    assert_eq!(down_with(&mut harness, 1, true, &because("first")), ["first"]);
    assert_eq!(down_with(&mut harness, 0, true, &because("widens")), [""; 0]);
    harness.group.gone(2, harness.now);
    assert_eq!(going_down(&mut harness), ["first"]);
    for (id, instance, cause) in [(1, false, "first"), (0, true, "second")] {
        let mut harness = tree(Strategy::AllForOne).steady();
        assert_eq!(down_with(&mut harness, 1, true, &because("first")), ["first"]);
        (0..3).rev().for_each(|id| harness.group.gone(id, harness.now));
        harness.group.up(0, harness.now);
        harness.group.take_effects();
        assert_eq!(down_with(&mut harness, id, instance, &because("second")), [cause]);
    }
    let mut harness = tree(Strategy::AllForOne).boots_on();
    assert_eq!(down_with(&mut harness, 1, false, &because("of the first start")), ["of the first start"]);
    let mut harness = tree(Strategy::AllForOne).steady();
    (0..2).for_each(|_| {
        assert_eq!(down_with(&mut harness, 1, true, &because("again")), ["again"]);
        (0..3).rev().for_each(|id| harness.group.gone(id, harness.now));
        (0..3).for_each(|id| harness.group.up(id, harness.now));
        harness.group.take_effects();
    });
}

/// S17: a member of the range that had ended by itself comes up with the others.
#[test]
fn a_member_that_had_ended_by_itself_comes_up_with_its_range() {
    for strategy in GROUPS {
        let mut harness = tree(strategy).member(2, Lifecycle::Transient).steady();
        assert_eq!(harness.done(2), "over 2");
        harness.fails(0, Directive::Restart);
        assert_eq!((harness.gone(1), harness.gone(0)), ("down 0".into(), "start 0".into()));
        assert_eq!((harness.group.living(), harness.up(0), harness.up(1)), (3, "start 1".into(), "start 2".into()));
    }
}
