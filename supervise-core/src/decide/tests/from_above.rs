//! A supervisor that is restarted, resumed or started again (S11, S20, S26).

use super::super::group::{GroupState, Owner};
use super::super::member::MemberState;
use super::harness::{GROUPS, tree};
use super::sim::failure;
use crate::values::failure::Phase;
use crate::values::strategy::{Directive, Lifecycle, Strategy};

/// S20: a member whose end was decided, and that is still going down, goes down for the restart with the others.
#[test]
fn a_restart_from_above_covers_an_end_that_was_decided() {
    let mut harness = tree(Strategy::OneForOne).steady();
    assert_eq!(harness.fails(1, Directive::Stop), "decided: end 1");
    assert_eq!(harness.restart_above(), "down 2");
    assert_eq!(harness.gone(2), "");
    assert_eq!(harness.gone(1), "down 0");
    assert_eq!(harness.gone(0), "all down");
}

/// S20: members that had ended by themselves start again with their supervisor; those that a user stopped do not.
#[test]
fn what_had_ended_by_itself_starts_again_with_its_supervisor() {
    let mut harness = tree(Strategy::OneForOne).member(1, Lifecycle::Transient).steady().stopped(2);
    assert_eq!(harness.done(1), "over 1");
    let mut harness = harness.starts_over();
    assert_eq!(harness.rebuild(), "start 0");
    assert_eq!((harness.up(0), harness.up(1)), ("start 1".into(), String::new()));
    assert_eq!(harness.ats(), [MemberState::Up, MemberState::Up, MemberState::Ended]);
    assert_eq!(harness.group.living(), 2);
    // A supervisor that a user starts again starts all its children.
    let mut harness = harness.starts_over();
    harness.group.forget_stops();
    harness.rebuild();
    (0..3).for_each(|id| _ = harness.up(id));
    assert_eq!(harness.ats(), [MemberState::Up; 3]);
    assert_eq!(harness.group.living(), 3);
}

/// S26: a requested start concerns no other member. The next start of the supervisor is not requested.
#[test]
fn a_start_of_the_supervisor_is_no_requested_start_of_its_children() {
    for strategy in GROUPS {
        let mut harness = tree(strategy).steady().stopped(1);
        assert_eq!(harness.start_again(1), "start 1");
        let mut harness = harness.starts_over();
        assert_eq!((harness.rebuild(), harness.up(0)), ("start 0".into(), "start 1".into()));
        harness.start_fails(1, Directive::Restart);
        assert!(matches!(harness.group.mode(), GroupState::Up | GroupState::Down { .. }));
        assert!(harness.group.waits_for(1), "{strategy:?}: the group restarts, and waits for this member");
    }
}

/// S21: a supervisor that was up when it failed has finished its first start. What is decided on later ends alone.
#[test]
fn a_supervisor_that_was_resumed_has_finished_its_first_start() {
    let mut harness = tree(Strategy::OneForOne).boots_on();
    assert_eq!(harness.fails(0, Directive::Escalate), "decided: owner fails");
    assert_eq!(harness.resume(), "resume 0");
    assert_eq!(harness.start_fails(1, Directive::Stop), "decided: over 1, start 2");
}

/// S11: the children that an actor keeps restart in the order of their spawns, also if a slot was used again.
#[test]
fn kept_children_restart_in_the_order_of_their_spawns() {
    let setup = tree(Strategy::OneForOne).owner(Owner::Actor);
    let mut harness = setup.steady().stopped(0);
    assert_eq!(harness.spawn(setup), "start 0", "after the others, in the first slot");
    harness.up(0);
    (0..3).for_each(|id| harness.group.keep(id));
    assert_eq!(harness.restart_above(), "all down");
    harness.group.rebuild(false);
    let mut trace = vec![harness.event(|group, now| group.restart_kept(&failure(Phase::Running), now))];
    trace.extend([0, 2, 1].map(|id| harness.gone(id)));
    trace.extend([1, 2, 0].map(|id| harness.up(id)));
    assert_eq!(trace, ["down 0", "down 2", "down 1", "start 1", "start 2", "start 0", ""]);
}

/// S11: a child that the actor's new instance has spawned before it is up does not restart with the kept children.
#[test]
fn a_restart_of_kept_children_leaves_new_ones_alone() {
    let setup = tree(Strategy::AllForOne).owner(Owner::Actor);
    let mut harness = setup.steady();
    (0..2).for_each(|id| harness.group.keep(id));
    assert_eq!(harness.restart_above(), "end 2");
    assert_eq!(harness.gone(2), "over 2, all down");
    harness.group.rebuild(false);
    assert_eq!(harness.spawn(setup), "start 2");
    harness.up(2);
    assert_eq!(harness.event(|group, now| group.restart_kept(&failure(Phase::Running), now)), "down 1");
    assert_eq!((harness.gone(1), harness.gone(0)), ("down 0".into(), "start 0".into()));
    assert_eq!((harness.up(0), harness.up(1), harness.group.at(2)), ("start 1".into(), String::new(), MemberState::Up));
}

/// S23: a member that ended by itself restarts with its group. That is not decided a second time, if a suspension ends
/// while later members still go down.
#[test]
fn a_restarted_end_is_decided_once() {
    let mut harness = tree(Strategy::AllForOne).steady();
    assert_eq!(harness.done(1), "down 2");
    assert_eq!((harness.suspend(), harness.end_suspension()), (String::new(), String::new()));
    assert_eq!(harness.gone(2), "down 0");
}
