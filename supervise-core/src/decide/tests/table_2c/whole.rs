//! The effects of the parent's decisions on the whole supervisor.

use super::super::harness::{ALL, GROUPS, Harness, tree};
use super::super::table::{Case, case};
use super::{DOWN, FAILED, STEADY, STOPPING, UP};
use crate::decide::group::{AfterDown, Group, GroupState};
use crate::decide::member::MemberState;
use crate::values::strategy::Directive::{Escalate, Restart};
use crate::values::strategy::Strategy::{AllForOne, OneForOne, RestForOne};

const RESUME: &str = "parent's Resume";
const ABOVE: &str = "parent's Restart, or restart from above";
const STOP: &str = "stop, shutdown, guard dropped";
const LET: &str = "a `let` fails or panics";
const HOLD: &str = "suspension / its end";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = resumes();
    cases.extend(restarts());
    cases.extend(stops());
    cases.extend(failed_lets());
    cases.extend(holds());
    cases
}

fn unchanged(mut harness: Harness, event: fn(&mut Harness) -> String) {
    let before = (harness.group.mode().clone(), harness.ats());
    assert_eq!(event(&mut harness), "");
    assert_eq!((harness.group.mode().clone(), harness.ats()), before);
}

fn resumes() -> Vec<Case> {
    vec![
        case(RESUME, UP, || unchanged(tree(AllForOne).comes_up(), Harness::resume)),
        case(RESUME, STEADY, || unchanged(tree(AllForOne).steady(), Harness::resume)),
        case(RESUME, DOWN, || {
            // Only kept members are considered again.
            let mut harness = tree(AllForOne).down();
            let before = harness.group.mode().clone();
            harness.resume();
            assert_eq!(*harness.group.mode(), before);
        }),
        case(RESUME, FAILED, || {
            for strategy in ALL {
                let mut harness = tree(strategy).failed();
                assert_eq!(harness.resume(), "resume 1");
                assert_eq!((harness.group.mode(), harness.ats()), (&GroupState::Steady, [MemberState::Up; 3]));
            }
            // A failed start counts against the budget without a check of the limit, waits, and is started again.
            let mut harness = tree(RestForOne).max(1).comes_up();
            assert_eq!(harness.start_fails(1, Restart), "decided: limit 1, owner fails");
            assert_eq!(harness.resume(), "wait 1 10ms");
            assert_eq!(harness.due(1), "start 1");
            // The range that went down continues.
            let mut harness = tree(RestForOne).down();
            harness.fails(0, Escalate);
            harness.gone(2);
            assert!(harness.resume().starts_with("resume 0"));
            assert!(matches!(harness.group.mode(), GroupState::Down { from: 1, next: AfterDown::Up }));
            assert_eq!(harness.group.at(1), MemberState::GoingDown);
        }),
        case(RESUME, STOPPING, || unchanged(tree(AllForOne).stops(), Harness::resume)),
    ]
}

/// The rest of a restart from above: this member goes down first, then those before it, then all come up.
fn down_and_up(harness: &mut Harness, last: u32) {
    for id in (0..=last).rev() {
        let next = if id == 0 { "all down".to_owned() } else { format!("down {}", id - 1) };
        assert_eq!(harness.gone(id), next);
    }
    harness.group.rebuild(false);
    assert_eq!(harness.effects(), "", "nothing starts before the supervisor does");
    assert_eq!(harness.ats(), [MemberState::Queued; 3]);
}

fn restarts() -> Vec<Case> {
    vec![
        case(ABOVE, UP, || {
            for strategy in GROUPS {
                let mut harness = tree(strategy).comes_up();
                assert_eq!(harness.restart_above(), "down 1", "the start is dropped");
                down_and_up(&mut harness, 1);
            }
        }),
        case(ABOVE, STEADY, || {
            for strategy in ALL {
                let mut harness = tree(strategy).steady();
                assert_eq!(harness.restart_above(), "down 2");
                down_and_up(&mut harness, 2);
            }
        }),
        case(ABOVE, DOWN, || {
            let mut harness = tree(RestForOne).down();
            assert_eq!(harness.restart_above(), "", "the one on its way goes on");
            assert!(matches!(harness.group.mode(), GroupState::Down { from: 0, next: AfterDown::Rebuild }));
            down_and_up(&mut harness, 2);
        }),
        case(ABOVE, FAILED, || {
            for strategy in ALL {
                let mut harness = tree(strategy).failed();
                assert_eq!(harness.restart_above(), "down 2");
                assert_eq!(harness.fails(0, Escalate), "absorbed");
                down_and_up(&mut harness, 2);
            }
        }),
        case(ABOVE, STOPPING, || {
            for strategy in ALL {
                unchanged(tree(strategy).stops(), Harness::restart_above);
            }
        }),
    ]
}

fn ends_in_reverse(harness: &mut Harness, last: u32) {
    assert_eq!(harness.ats()[last as usize], MemberState::GoingDown);
    for id in (0..=last).rev() {
        let next = if id == 0 { "over 0, all down".to_owned() } else { format!("over {id}, end {}", id - 1) };
        assert_eq!(harness.gone(id), next);
    }
    assert!(harness.group.is_ended());
}

fn stops() -> Vec<Case> {
    vec![
        case(STOP, UP, || {
            for strategy in ALL {
                let mut harness = tree(strategy).boots_on();
                assert_eq!(harness.stop(), "over 2, end 1", "the start is dropped");
                ends_in_reverse(&mut harness, 1);
            }
        }),
        case(STOP, STEADY, || {
            for strategy in ALL {
                ends_in_reverse(&mut tree(strategy).stops(), 2);
            }
        }),
        case(STOP, DOWN, || {
            let mut harness = tree(RestForOne).down();
            assert_eq!(harness.stop(), "end 2", "told to go down for a restart before");
            assert!(matches!(harness.group.mode(), GroupState::Down { from: 0, next: AfterDown::End }));
            ends_in_reverse(&mut harness, 2);
        }),
        case(STOP, FAILED, || {
            for strategy in ALL {
                let mut harness = tree(strategy).failed();
                assert_eq!(harness.stop(), "end 2");
                ends_in_reverse(&mut harness, 2);
            }
        }),
        // The driver, not the group, shortens the time that is left.
        case(STOP, STOPPING, || unchanged(tree(AllForOne).stops(), Harness::stop)),
    ]
}

fn failed_lets() -> Vec<Case> {
    vec![
        case(LET, UP, || {
            // The supervisor takes down the members that are up; no decider is asked, and nothing counts against the
            // budget.
            let mut harness = tree(AllForOne).boots_on();
            harness.up(1);
            assert_eq!(harness.stop(), "end 2");
            ends_in_reverse(&mut harness, 2);
        }),
        // A `let` runs only in the supervisor's own start. The supervisor has started again by then, and is Up.
        case(LET, STEADY, || assert!(!is_up(&tree(AllForOne).steady().group))),
        case(LET, DOWN, || assert!(!is_up(&tree(AllForOne).down().group))),
        case(LET, FAILED, || assert!(!is_up(&tree(AllForOne).failed().group))),
        case(LET, STOPPING, || assert!(!is_up(&tree(AllForOne).stops().group))),
    ]
}

fn is_up(group: &Group) -> bool {
    *group.mode() == GroupState::Up
}

fn holds() -> Vec<Case> {
    vec![
        case(HOLD, UP, || {
            for strategy in GROUPS {
                let mut harness = tree(strategy).comes_up();
                assert_eq!(harness.suspend(), "");
                assert_eq!(harness.up(1), "");
                assert_eq!(harness.end_suspension(), "start 2");
            }
        }),
        case(HOLD, STEADY, || {
            for strategy in ALL {
                let mut harness = tree(strategy).steady();
                assert_eq!(harness.suspend(), "");
                assert_eq!(harness.fails(1, Restart), "kept");
                assert_eq!(harness.end_suspension(), "redecide 1");
                // A member that is backing off continues to wait.
                let mut harness = tree(OneForOne).pauses().steady();
                harness.fails(1, Restart);
                assert_eq!(harness.gone(1), "wait 1 20ms");
                assert_eq!(harness.suspend(), "");
                assert_eq!(harness.due(1), "");
                assert_eq!(harness.end_suspension(), "start 1");
            }
        }),
        case(HOLD, DOWN, || {
            let mut harness = tree(AllForOne).down();
            assert_eq!(harness.suspend(), "");
            assert_eq!(harness.gone(2), "down 1");
            assert_eq!(harness.gone(1), "down 0");
            assert_eq!(harness.gone(0), "", "no Up");
            assert_eq!(harness.end_suspension(), "start 0");
        }),
        case(HOLD, FAILED, || {
            let mut harness = tree(AllForOne).failed();
            assert_eq!(harness.suspend(), "");
            assert!(harness.is_suspended());
            assert_eq!(harness.end_suspension(), "");
            assert!(!harness.is_suspended());
            assert_eq!(harness.ats(), [MemberState::Up, MemberState::Failed, MemberState::Up]);
        }),
        case(HOLD, STOPPING, || {
            let mut harness = tree(AllForOne).stops();
            harness.suspend();
            harness.end_suspension();
            ends_in_reverse(&mut harness, 2);
        }),
    ]
}
