//! Children whose instances are elsewhere: they leave for a start elsewhere, are lost with their node, and wait for a
//! decision that comes from elsewhere (S57).

use super::super::group::{Id, Owner};
use super::harness::{ALL, GROUPS, Harness, tree};
use super::sim::failure;
use crate::decide::member::MemberState;
use crate::values::failure::Phase;
use crate::values::strategy::{Directive, OnLimit, Strategy};

impl Harness {
    fn leave(&mut self, id: Id) -> String {
        self.event(|group, now| group.leave_for_good(id, &failure(Phase::Running), now))
    }

    fn ask_again(&mut self, id: Id) -> String {
        self.event(|group, _| group.ask_again(id))
    }

    /// The instance of this member is lost.
    fn is_lost(&mut self, id: Id, directive: Directive) -> String {
        self.group.spends(id);
        self.fails(id, directive)
    }

    /// The instance of this member has failed, and nobody decides.
    fn has_failed(mut self, id: Id, instance: bool) -> Self {
        self.group.failed(id, instance);
        assert_eq!(self.effects(), "");
        self
    }
}

fn hosted() -> Harness {
    tree(Strategy::OneForOne).owner(Owner::Guardian).first_start()
}

/// A child that leaves goes down with its hooks, from wherever it is, and does not come up again.
#[test]
fn one_that_leaves_goes_down_as_for_a_restart_and_ends() {
    let mut up = hosted();
    up.up(0);
    for mut harness in [hosted(), up] {
        assert_eq!((harness.leave(0), harness.gone(0)), ("down 0".into(), "over 0".into()));
        assert_eq!((harness.leave(0), harness.ats()[0]), (String::new(), MemberState::Ended));
    }
    let mut harness = hosted();
    harness.up(0);
    let mut harness = harness.has_failed(0, true);
    assert_eq!((harness.leave(0), harness.gone(0)), ("down 0".into(), "over 0".into()));
}

/// Nothing of it is up, so nothing has to be told: it ends.
#[test]
fn one_that_is_not_up_ends_when_it_leaves() {
    assert_eq!(hosted().has_failed(0, false).leave(0), "over 0");
    let mut waits = tree(Strategy::OneForOne).pauses().steady();
    assert_eq!((waits.fails(0, Directive::Restart), waits.gone(0)), ("decided: down 0".into(), "wait 0 20ms".into()));
    assert_eq!(waits.leave(0), "over 0");
}

/// A way down that has begun leads to the end, with no second order.
#[test]
fn one_that_goes_down_only_ends_when_it_leaves() {
    let mut harness = tree(Strategy::OneForOne).steady();
    assert_eq!(harness.fails(0, Directive::Restart), "decided: down 0");
    assert_eq!((harness.leave(0), harness.gone(0)), (String::new(), "over 0".into()));
    let mut harness = tree(Strategy::OneForOne).steady();
    assert_eq!(harness.drain(0), "drain 0");
    assert_eq!((harness.leave(0), harness.gone(0)), (String::new(), "over 0".into()));
}

/// In a range that goes down, it goes when its turn comes, and the range comes up without it.
#[test]
fn one_that_leaves_keeps_its_turn() {
    let mut harness = tree(Strategy::AllForOne).down();
    assert_eq!(harness.leave(0), "");
    assert_eq!((harness.gone(2), harness.gone(1)), ("down 1".into(), "end 0".into()));
    assert_eq!(harness.gone(0), "over 0, start 1");
}

/// A walk up that has passed it waits until it is down.
#[test]
fn a_group_that_comes_up_waits_for_one_that_leaves() {
    for strategy in GROUPS {
        let mut harness = tree(strategy).boots_on();
        assert_eq!((harness.leave(0), harness.up(1)), ("down 0".into(), String::new()), "{strategy:?}");
        assert_eq!(harness.gone(0), "over 0, start 2", "{strategy:?}");
    }
}

/// Asked again is only who has failed and is undecided.
#[test]
fn only_an_undecided_failure_is_asked_about_again() {
    let mut harness = tree(Strategy::OneForOne).steady();
    assert_eq!(harness.ask_again(0), "");
    let mut harness = harness.has_failed(0, true);
    assert_eq!((harness.ask_again(0), harness.ask_again(1)), ("redecide 0".into(), String::new()));
    assert_eq!(harness.stop_member(0), "");
    assert_eq!(harness.ask_again(0), "", "it goes down");
}

/// S8: nothing of a lost instance can be resumed, so Resume is a restart that counts.
#[test]
fn a_lost_instance_is_restarted_instead_of_resumed() {
    for strategy in ALL {
        let mut harness = tree(strategy).max(1).on_limit(OnLimit::Escalate).steady();
        harness.group.spends(2);
        assert_eq!(harness.comes_to(2, Directive::Resume), Ok(Directive::Restart), "{strategy:?}");
        assert_eq!(harness.comes_to(1, Directive::Resume), Ok(Directive::Resume), "{strategy:?}");
        assert_eq!(harness.fails(2, Directive::Resume), "decided: down 2", "{strategy:?}");
        let mut harness = tree(Strategy::OneForOne).max(1).on_limit(OnLimit::Escalate).steady();
        assert_eq!(harness.is_lost(0, Directive::Resume), "decided: down 0");
        assert_eq!((harness.gone(0), harness.up(0)), ("start 0".into(), String::new()));
        assert_eq!(harness.is_lost(0, Directive::Resume), "decided: limit 0, owner fails", "it was charged");
    }
}

/// S8: the next instance is another one, which can be resumed.
#[test]
fn only_the_lost_instance_cannot_be_resumed() {
    let mut harness = tree(Strategy::OneForOne).steady();
    assert_eq!(harness.is_lost(0, Directive::Restart), "decided: down 0");
    assert_eq!((harness.gone(0), harness.up(0)), ("start 0".into(), String::new()));
    assert_eq!(harness.fails(0, Directive::Resume), "decided: resume 0");
}

/// S8, S19: a supervisor above resumes, and the lost instance below is restarted.
#[test]
fn a_resume_from_above_restarts_a_lost_instance() {
    for strategy in ALL {
        let mut harness = tree(strategy).steady();
        assert_eq!(harness.is_lost(1, Directive::Escalate), "decided: owner fails");
        let first = if strategy == Strategy::OneForOne { "down 1" } else { "down 2" };
        assert_eq!(harness.resume(), first, "{strategy:?}");
        let mut harness = tree(strategy).steady();
        assert_eq!(harness.fails(1, Directive::Escalate), "decided: owner fails");
        assert_eq!(harness.resume(), "resume 1", "{strategy:?}");
    }
}
