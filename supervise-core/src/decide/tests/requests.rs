//! The answers of a group to the requests of a user (S26, S27).

use super::super::child::{Command, CommandOutcome};
use super::super::group::Owner;
use super::harness::tree;
use crate::values::strategy::{Directive, Lifecycle, Strategy};

/// S27, S38: the values that a `Temporary` child needs, if it was spawned at run time, were moved into its only start.
#[test]
fn only_a_temporary_child_that_was_spawned_starts_once() {
    let temporary = tree(Strategy::OneForOne).member(1, Lifecycle::Temporary);
    let set = temporary.owner(Owner::Set);
    let outcome = |setup: super::harness::Setup, id| setup.steady().on_request(id, Command::Restart);
    assert_eq!(outcome(temporary.owner(Owner::Actor), 1), CommandOutcome::StartedOnce);
    assert_eq!(outcome(temporary.owner(Owner::Guardian), 1), CommandOutcome::StartedOnce);
    assert_eq!(outcome(set, 1), CommandOutcome::StartedOnce);
    assert_eq!(outcome(set, 0), CommandOutcome::DownAlone);
    assert_eq!(outcome(temporary, 1), CommandOutcome::DownAlone);
    assert_eq!(set.steady().on_request(1, Command::Drain), CommandOutcome::Drain);
    assert_eq!(set.steady().on_request(1, Command::StartAgain), CommandOutcome::NotEnded);
    let mut harness = set.steady();
    harness.stop_member(1);
    assert_eq!(harness.on_request(1, Command::Restart), CommandOutcome::Stopping);
    harness.gone(1);
    assert_eq!(harness.on_request(1, Command::Restart), CommandOutcome::Ended);
}

/// A child that goes down to its end is stopping; a child that goes down for a restart is busy.
#[test]
fn a_restart_is_refused_with_its_reason() {
    let mut harness = tree(Strategy::OneForOne).steady();
    harness.stop_member(0);
    harness.fails(1, Directive::Restart);
    assert_eq!(harness.on_request(0, Command::Restart), CommandOutcome::Stopping);
    assert_eq!(harness.on_request(1, Command::Restart), CommandOutcome::Busy);
}

/// A member that is stopped while it starts ends as soon as it is down, and the first start goes on.
#[test]
fn a_first_start_goes_on_after_a_member_that_is_stopped() {
    for strategy in [Strategy::OneForOne, Strategy::AllForOne] {
        let mut harness = tree(strategy).first_start();
        assert_eq!((harness.stop_member(0), harness.gone(0)), (String::new(), "over 0, start 1".into()));
    }
}
