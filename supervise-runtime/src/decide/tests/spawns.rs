//! Children that start at run time, and the first instances of a set (S7, S21, S27).

use super::super::group::{Group, Owner};
use super::super::member::MemberState;
use super::harness::{ALL, Setup, tree};
use super::sim::failure;
use crate::values::failure::Phase;
use crate::values::kind::ChildKind;
use crate::values::stop_reason::StopReason;
use crate::values::strategy::{Directive, RestartLimit, Strategy};

/// S7: the actor fails or goes down. Spawns that are not up yet end; children that were up go on, also if they are
/// being restarted.
#[test]
fn an_actor_that_goes_down_ends_the_spawns_that_are_not_up() {
    for strategy in ALL {
        let setup = tree(strategy).owner(Owner::Actor).pause(1, 20).pause(2, 20);
        let mut harness = setup.first_start();
        harness.up(0);
        assert_eq!(harness.start_fails(2, Directive::Restart), "decided: wait 2 20ms");
        assert_eq!(harness.event(|group, now| group.absorb_spawns(StopReason::Shutdown, now)), "end 1, over 2");
        assert_eq!(harness.ats(), [MemberState::Up, MemberState::GoingDown, MemberState::Ended]);
    }
    let mut harness = tree(Strategy::OneForOne).owner(Owner::Actor).pause(1, 20).steady();
    harness.fails(0, Directive::Restart);
    assert_eq!(harness.gone(0), "start 0");
    harness.fails(1, Directive::Restart);
    assert_eq!(harness.gone(1), "wait 1 20ms");
    assert_eq!(harness.event(|group, now| group.absorb_spawns(StopReason::Shutdown, now)), "", "they were up");
}

/// S21: the start of a tree waits until the first instances of a set are up, have ended, or are backing off with a
/// declared backoff; for a subtree, until it was up.
#[test]
fn a_tree_waits_for_the_first_instances_of_a_set() {
    let set = tree(Strategy::OneForOne).owner(Owner::Set);
    let fails = |setup: Setup| {
        let mut harness = setup.first_start();
        assert!(!harness.group.have_passed());
        harness.up(0);
        harness.stop_member(1);
        harness.gone(1);
        assert!(!harness.group.have_passed());
        harness.start_fails(2, Directive::Restart);
        harness.group.have_passed()
    };
    assert!(!fails(set));
    assert!(fails(set.pause(2, 20)));
    assert!(!fails(set.pause(2, 20).kind(2, Some(ChildKind::Tree))));
    let mut empty = Group::new(Owner::Set, Strategy::OneForOne, RestartLimit::new());
    assert!(!empty.have_passed(), "the set itself is not up");
    empty.owner_up(tokio::time::Instant::now());
    assert!(empty.have_passed());
}

/// S11: under `OneForOne`, a kept child that is stopped while it comes up again does not delay the next one.
#[test]
fn a_kept_child_that_is_stopped_delays_no_other() {
    let setup = tree(Strategy::OneForOne).owner(Owner::Actor);
    let mut harness = setup.steady();
    harness.group.keep(0);
    harness.group.keep(1);
    harness.restart_above();
    harness.gone(2);
    harness.group.rebuild(false);
    assert_eq!(harness.event(|group, now| group.restart_kept(&failure(Phase::Running), now)), "down 1");
    assert_eq!((harness.gone(1), harness.gone(0)), ("down 0".into(), "start 0".into()));
    assert_eq!(harness.stop_member(0), "");
    assert_eq!(harness.spawn(setup), "start 1");
}
