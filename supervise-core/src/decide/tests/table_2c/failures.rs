//! The effects of a failure, by directive.

use super::super::harness::{ALL, GROUPS, tree};
use super::super::table::{Case, case};
use super::{DOWN, FAILED, STEADY, STOPPING, UP};
use crate::decide::group::{AfterDown, Group, GroupState};
use crate::decide::member::MemberState;
use crate::values::strategy::Directive::{Escalate, Restart, Stop};
use crate::values::strategy::Lifecycle::{Temporary, Transient};
use crate::values::strategy::OnLimit;
use crate::values::strategy::Strategy::{AllForOne, OneForOne, RestForOne};

const OLD: &str = "old instance in the range fails";
const NEW: &str = "start or new instance fails: Restart";
const STOP: &str = ".. Stop";
const FIRST_START: &str = "first start, OneForOne, start fails, backoff declared, Restart";
const ALONE: &str = "a requested start, or one at run time, fails: Restart, Stop";
const ESCALATE: &str = ".. Escalate, limit, decider panics";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = old_instances();
    cases.extend(restarts());
    cases.extend(stops());
    cases.extend(optional_at_boot());
    cases.extend(requested_starts());
    cases.extend(escalations());
    cases
}

fn is_failed(group: &Group) -> bool {
    matches!(group.mode(), GroupState::Failed { .. })
}

fn goes_down_from(group: &Group, wanted: u64) {
    assert!(
        matches!(group.mode(), GroupState::Down { from, next: AfterDown::Up } if *from == wanted),
        "{:?}",
        group.mode()
    );
}

/// Outside a range that goes down no failure is absorbed.
fn is_decided(harness: &mut super::super::harness::Harness) {
    assert!(harness.fails(0, Restart).starts_with("decided: "));
}

fn kept() {
    for strategy in ALL {
        for directive in [Restart, Stop, Escalate] {
            let mut harness = tree(strategy).failed();
            assert_eq!(harness.fails(2, directive), "kept");
            assert_eq!(harness.ats(), [MemberState::Up, MemberState::Failed, MemberState::Failed]);
        }
    }
}

fn reported() {
    for strategy in ALL {
        for directive in [Restart, Stop, Escalate] {
            let mut harness = tree(strategy).stops();
            assert_eq!(harness.fails(2, directive), "reported");
            assert_eq!(harness.fails(0, directive), "reported: end 0", "its turn has not come");
            assert_eq!(harness.gone(0), "over 0");
            assert_eq!(harness.gone(2), "over 2, end 1");
            assert_eq!(harness.start_fails(1, directive), "reported", "its turn has come");
        }
    }
}

fn old_instances() -> Vec<Case> {
    vec![
        case(OLD, UP, || GROUPS.iter().for_each(|s| is_decided(&mut tree(*s).comes_up()))),
        case(OLD, STEADY, || GROUPS.iter().for_each(|s| is_decided(&mut tree(*s).steady()))),
        case(OLD, DOWN, || {
            let mut harness = tree(AllForOne).down();
            assert_eq!(harness.fails(0, Stop), "absorbed");
            assert_eq!(harness.fails(2, Stop), "absorbed");
            assert_eq!(harness.gone(2), "down 1");
            assert_eq!(harness.gone(1), "down 0");
            assert_eq!(harness.gone(0), "start 0");
        }),
        case(OLD, FAILED, || {
            kept();
            let mut harness = tree(RestForOne).down();
            harness.fails(0, Escalate);
            assert_eq!(harness.fails(1, Restart), "kept");
        }),
        case(OLD, STOPPING, reported),
    ]
}

fn restarts() -> Vec<Case> {
    vec![
        case(NEW, UP, || {
            // The start is dropped, and all members go down.
            let mut harness = tree(AllForOne).comes_up();
            assert_eq!(harness.fails(0, Restart), "decided: down 1");
            assert_eq!(harness.gone(1), "down 0");
            // A failed start, from that member on: nothing is up after it.
            let mut harness = tree(RestForOne).comes_up();
            assert_eq!(harness.start_fails(1, Restart), "decided: wait 1 10ms");
            assert_eq!(harness.ats(), [MemberState::Up, MemberState::Queued, MemberState::Queued]);
            assert_eq!(harness.due(1), "start 1");
            // A failure of the new instance: the range from there goes down.
            let mut harness = tree(RestForOne).comes_up();
            harness.up(1);
            assert_eq!(harness.fails(1, Restart), "decided: down 2");
            goes_down_from(&harness.group, 1);
            // The failed start counts against the budget: the second one is too many.
            let mut harness = tree(AllForOne).max(1).comes_up();
            assert_eq!(harness.start_fails(1, Restart), "decided: limit 1, owner fails");
        }),
        case(NEW, STEADY, || {
            for (strategy, from) in [(AllForOne, 0), (RestForOne, 1)] {
                let mut harness = tree(strategy).max(0).steady();
                assert_eq!(harness.fails(1, Restart), "decided: limit 1, owner fails", "it counts against the budget");
                let harness = tree(strategy).down();
                goes_down_from(&harness.group, from);
                assert_eq!(harness.ats(), [MemberState::Up, MemberState::Failed, MemberState::GoingDown]);
            }
            let mut harness = tree(OneForOne).steady();
            assert_eq!(harness.fails(1, Restart), "decided: down 1");
            assert_eq!(harness.gone(1), "start 1");
        }),
        case(NEW, DOWN, || {
            let mut harness = tree(RestForOne).down();
            assert_eq!(harness.fails(0, Restart), "decided: ");
            goes_down_from(&harness.group, 0);
            assert_eq!(harness.gone(2), "down 1");
            assert_eq!(harness.gone(1), "down 0");
            let mut harness = tree(RestForOne).max(1).down();
            assert_eq!(
                harness.fails(0, Restart),
                "decided: limit 0, owner fails",
                "the widening counts against the budget"
            );
        }),
        case(NEW, FAILED, kept),
        case(NEW, STOPPING, reported),
    ]
}

fn stops() -> Vec<Case> {
    vec![
        case(STOP, UP, || {
            // During the first start: `start()` returns an error, and the supervisor takes down the members that are
            // up. The same for a Temporary member.
            for strategy in ALL {
                for setup in [tree(strategy), tree(strategy).member(1, Temporary)] {
                    let mut harness = setup.boots_on();
                    assert_eq!(harness.start_fails(1, Stop), "decided: owner fails");
                    assert!(is_failed(&harness.group));
                    assert_eq!(harness.stop(), "over 2, over 1, end 0");
                    assert_eq!(harness.gone(0), "over 0, all down");
                }
            }
            // Not for a member that the first start can go on without: whether it is starting or up, it ends alone.
            for strategy in ALL {
                for setup in [tree(strategy), tree(strategy).member(1, Temporary)] {
                    let mut harness = setup.best_effort(1).boots_on();
                    assert_eq!(harness.start_fails(1, Stop), "decided: over 1, start 2");
                    assert_eq!(harness.ats(), [MemberState::Up, MemberState::Ended, MemberState::Starting]);
                }
                let mut harness = tree(strategy).best_effort(0).boots_on();
                assert_eq!(harness.fails(0, Stop), "decided: end 0");
                assert_eq!(harness.gone(0), "over 0");
                assert_eq!(harness.ats(), [MemberState::Ended, MemberState::Starting, MemberState::Queued]);
            }
            // After the first start.
            let mut harness = tree(AllForOne).comes_up();
            assert_eq!(harness.start_fails(1, Stop), "decided: over 2, over 1, end 0");
            assert_eq!(harness.gone(0), "over 0, all ended");
            let mut harness = tree(RestForOne).comes_up();
            assert_eq!(harness.start_fails(1, Stop), "decided: over 2, over 1");
            assert_eq!(harness.ats(), [MemberState::Up, MemberState::Ended, MemberState::Ended]);
            let mut harness = tree(RestForOne).member(2, Temporary).steady();
            assert_eq!(harness.fails(2, Stop), "decided: end 2");
            assert_eq!(harness.gone(2), "over 2");
            assert_eq!(harness.ats(), [MemberState::Up, MemberState::Up, MemberState::Ended]);
        }),
        case(STOP, STEADY, || {
            let mut harness = tree(AllForOne).steady();
            assert_eq!(harness.fails(1, Stop), "decided: end 2");
            assert_eq!(harness.gone(2), "over 2, end 1");
            assert_eq!(harness.gone(1), "over 1, end 0");
            assert_eq!(harness.gone(0), "over 0, all ended");
            let mut harness = tree(RestForOne).steady();
            assert_eq!(harness.fails(1, Stop), "decided: end 2");
            assert_eq!(harness.gone(2), "over 2, end 1");
            assert_eq!(harness.gone(1), "over 1");
            for setup in [tree(OneForOne), tree(AllForOne).member(1, Temporary)] {
                let mut harness = setup.steady();
                assert_eq!(harness.fails(1, Stop), "decided: end 1");
                assert_eq!(harness.gone(1), "over 1");
                assert_eq!(harness.ats(), [MemberState::Up, MemberState::Ended, MemberState::Up]);
            }
        }),
        case(STOP, DOWN, || {
            let mut harness = tree(RestForOne).down();
            assert_eq!(harness.fails(0, Stop), "decided: ");
            goes_down_from(&harness.group, 0);
            assert_eq!(harness.gone(2), "over 2, end 1");
            assert_eq!(harness.gone(1), "over 1, end 0");
            assert_eq!(harness.gone(0), "over 0, all ended");
        }),
        case(STOP, FAILED, kept),
        case(STOP, STOPPING, reported),
    ]
}

fn optional_at_boot() -> Vec<Case> {
    vec![
        case(FIRST_START, UP, || {
            let mut harness = tree(OneForOne).pauses().first_start();
            assert_eq!(harness.start_fails(0, Restart), "decided: wait 0 20ms, start 1");
            assert_eq!(harness.up(1), "start 2");
            assert_eq!(harness.due(0), "start 0");
            // The failed start counts against the budget.
            let mut harness = tree(OneForOne).pauses().max(0).first_start();
            assert_eq!(harness.start_fails(0, Restart), "decided: limit 0, owner fails");
            // Without a backoff the failed start delays the other members.
            let mut harness = tree(OneForOne).first_start();
            assert_eq!(harness.start_fails(0, Restart), "decided: wait 0 10ms");
            assert!(!harness.group.has_passed(0));
            // A member that was up before does not delay them.
            let mut harness = tree(OneForOne).boots_on();
            assert_eq!(harness.fails(0, Restart), "decided: down 0");
            assert_eq!(harness.gone(0), "start 0");
            assert_eq!(harness.start_fails(0, Restart), "decided: wait 0 10ms");
            assert!(harness.group.has_passed(0) && !tree(AllForOne).comes_up().group.has_passed(1));
        }),
        // In these states there is no first start.
        case(FIRST_START, STEADY, || assert_eq!(tree(OneForOne).pauses().steady().due(0), "")),
        case(FIRST_START, DOWN, || assert_eq!(tree(AllForOne).pauses().down().due(0), "")),
        case(FIRST_START, FAILED, || assert_eq!(tree(OneForOne).pauses().failed().due(0), "")),
        case(FIRST_START, STOPPING, || assert_eq!(tree(OneForOne).pauses().stops().due(0), "")),
    ]
}

fn requested_starts() -> Vec<Case> {
    vec![
        case(ALONE, UP, || {
            // The start began before the group moved: later members wait for it, and no other member restarts.
            for strategy in GROUPS {
                for (directive, next) in [(Restart, "wait 1 10ms"), (Stop, "over 1, start 2")] {
                    let mut harness = tree(strategy).steady().stopped(1);
                    assert_eq!(harness.start_again(1), "start 1");
                    assert_eq!(harness.fails(0, Restart), "decided: down 2");
                    harness.gone(2);
                    assert_eq!(harness.gone(1), "down 0");
                    assert_eq!(harness.gone(0), "start 0");
                    assert_eq!(harness.up(0), "start 1");
                    assert_eq!(harness.start_fails(1, directive), format!("decided: {next}"));
                    assert_eq!(harness.group.at(0), MemberState::Up);
                }
            }
            // During the first start it is a failed start like any other.
            let mut harness = tree(OneForOne).boots_on();
            assert_eq!((harness.restart(0), harness.gone(0)), ("down 0".into(), "start 0".into()));
            assert_eq!(harness.start_fails(0, Stop), "decided: owner fails");
        }),
        case(ALONE, STEADY, || {
            for strategy in ALL {
                let setup = tree(strategy).member(1, Transient).significant(1);
                let mut harness = setup.steady().stopped(1);
                assert_eq!(harness.start_again(1), "start 1");
                assert_eq!(harness.start_fails(1, Restart), "decided: wait 1 10ms");
                assert_eq!(harness.due(1), "start 1");
                assert_eq!(harness.start_fails(1, Stop), "decided: over 1");
                assert_eq!(harness.ats(), [MemberState::Up, MemberState::Ended, MemberState::Up]);
                // The same for a significant member that ends by its failure.
                let mut harness = tree(strategy).member(1, Temporary).significant(1).steady().stopped(1);
                harness.start_again(1);
                assert_eq!(harness.start_fails(1, Restart), "decided: over 1");
                assert_eq!(harness.ats(), [MemberState::Up, MemberState::Ended, MemberState::Up]);
                // The failure counts against a budget of its own. A limit with Stop ends this member alone; a limit
                // that escalates fails the supervisor.
                let limits = [(OnLimit::Stop, "limit 1, over 1"), (OnLimit::Escalate, "limit 1, owner fails")];
                for (on_limit, at_limit) in limits {
                    let mut harness = tree(strategy).max(1).on_limit(on_limit).steady().stopped(1);
                    harness.start_again(1);
                    harness.start_fails(1, Restart);
                    harness.due(1);
                    assert_eq!(harness.start_fails(1, Restart), format!("decided: {at_limit}"));
                }
                // Once it is up, it is a member like the others again.
                let mut harness = tree(AllForOne).max(1).steady().stopped(1);
                harness.start_again(1);
                harness.start_fails(1, Restart);
                harness.due(1);
                harness.up(1);
                assert_eq!(harness.fails(1, Restart), "decided: down 2", "the budget of the group is untouched");
            }
            // The same after `restart()`.
            let mut harness = tree(AllForOne).steady();
            assert_eq!((harness.restart(1), harness.gone(1)), ("down 1".into(), "start 1".into()));
            assert_eq!(harness.start_fails(1, Stop), "decided: over 1");
        }),
        case(ALONE, DOWN, || {
            for (directive, next) in [(Restart, "wait 0 10ms"), (Stop, "over 0")] {
                let mut harness = tree(RestForOne).steady().stopped(0);
                harness.start_again(0);
                assert_eq!(harness.fails(1, Restart), "decided: down 2");
                assert_eq!(harness.start_fails(0, directive), format!("decided: {next}"));
                goes_down_from(&harness.group, 1);
            }
        }),
        case(ALONE, FAILED, || {
            let mut harness = tree(AllForOne).steady().stopped(1);
            harness.start_again(1);
            harness.fails(0, Escalate);
            assert_eq!(harness.start_fails(1, Stop), "kept");
            assert_eq!(harness.resume(), "resume 0, redecide 1");
        }),
        case(ALONE, STOPPING, || {
            let mut harness = tree(AllForOne).steady().stopped(1);
            harness.start_again(1);
            harness.stop();
            harness.gone(2);
            assert_eq!(harness.start_fails(1, Restart), "reported");
        }),
    ]
}

fn escalations() -> Vec<Case> {
    vec![
        case(ESCALATE, UP, || {
            for strategy in ALL {
                let mut harness = tree(strategy).boots_on();
                assert_eq!(harness.start_fails(1, Escalate), "decided: owner fails");
            }
            for strategy in GROUPS {
                // The start in progress continues, and nothing new begins.
                let mut harness = tree(strategy).comes_up();
                assert_eq!(harness.fails(0, Escalate), "decided: owner fails");
                assert_eq!(harness.up(1), "");
                assert_eq!(harness.ats(), [MemberState::Failed, MemberState::Up, MemberState::Queued]);
            }
        }),
        case(ESCALATE, STEADY, || {
            for strategy in ALL {
                let harness = tree(strategy).failed();
                assert!(is_failed(&harness.group));
                assert_eq!(harness.ats(), [MemberState::Up, MemberState::Failed, MemberState::Up]);
                let mut harness = tree(strategy).max(0).steady();
                assert_eq!(harness.fails(1, Restart), "decided: limit 1, owner fails");
            }
        }),
        case(ESCALATE, DOWN, || {
            let mut harness = tree(RestForOne).down();
            assert_eq!(harness.fails(0, Escalate), "decided: owner fails");
            assert_eq!(harness.gone(2), "", "nothing new begins");
            assert_eq!(harness.ats(), [MemberState::Failed, MemberState::Failed, MemberState::Queued]);
        }),
        case(ESCALATE, FAILED, kept),
        case(ESCALATE, STOPPING, reported),
    ]
}
