//! Members that end or join during all these events, and the timer.

use super::super::harness::{ALL, GROUPS, tree};
use super::super::table::{Case, case};
use super::{DOWN, FAILED, STEADY, STOPPING, UP};
use crate::decide::group::{AfterDown, GroupState, Owner};
use crate::decide::member::MemberState;
use crate::values::strategy::Directive::{Escalate, Restart, Stop};
use crate::values::strategy::Lifecycle::{Temporary, Transient};
use crate::values::strategy::Strategy::{AllForOne, OneForOne, RestForOne};

const STOPPED: &str = "a member is stopped from outside";
const WAITED: &str = ".. and it is the one waited for";
const DONE: &str = "a member ends by itself, not restarted";
const AGAIN: &str = "a member ends by itself and is restarted (S23)";
const TIMER: &str = "wait timer";
const SPAWN: &str = "spawn in a set";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = stopped();
    cases.extend(waited_for());
    cases.extend(done());
    cases.extend(done_and_again());
    cases.extend(timers());
    cases.extend(spawns());
    cases
}

fn stopped() -> Vec<Case> {
    vec![
        case(STOPPED, UP, || {
            for strategy in GROUPS {
                let mut harness = tree(strategy).comes_up();
                assert_eq!(harness.stop_member(2), "over 2", "it was not up");
                assert_eq!(harness.stop_member(1), "");
                assert_eq!(harness.gone(1), "over 1", "no start failure");
                assert_eq!(
                    (harness.group.mode(), harness.ats()),
                    (&GroupState::Steady, [MemberState::Up, MemberState::Ended, MemberState::Ended])
                );
                let mut harness = tree(strategy).comes_up();
                assert_eq!(harness.stop_member(0), "");
                assert_eq!(harness.gone(0), "over 0");
                assert_eq!(harness.up(1), "start 2", "it goes alone, and Up goes on");
            }
        }),
        case(STOPPED, STEADY, || {
            for strategy in ALL {
                let mut harness = tree(strategy).steady();
                assert_eq!(harness.stop_member(1), "");
                assert_eq!(harness.gone(1), "over 1");
                assert_eq!(
                    (harness.group.mode(), harness.ats()),
                    (&GroupState::Steady, [MemberState::Up, MemberState::Ended, MemberState::Up])
                );
            }
        }),
        case(STOPPED, DOWN, || {
            let mut harness = tree(AllForOne).down();
            assert_eq!(harness.stop_member(1), "in its turn");
            assert_eq!(harness.gone(2), "end 1");
            assert_eq!(harness.gone(1), "over 1, down 0");
            assert_eq!(harness.gone(0), "start 0");
            assert_eq!(harness.up(0), "start 2", "no Up for it");
        }),
        case(STOPPED, FAILED, || {
            for strategy in ALL {
                let mut harness = tree(strategy).failed();
                assert_eq!(harness.stop_member(2), "");
                assert_eq!(harness.gone(2), "over 2");
                assert_eq!(harness.ats(), [MemberState::Up, MemberState::Failed, MemberState::Ended]);
            }
        }),
        case(STOPPED, STOPPING, || {
            let mut harness = tree(AllForOne).stops();
            assert_eq!(harness.stop_member(1), "");
            assert_eq!(harness.gone(2), "over 2, end 1", "it has to know that its supervisor stops");
            assert_eq!(harness.gone(1), "over 1, end 0");
        }),
    ]
}

fn waited_for() -> Vec<Case> {
    vec![
        case(WAITED, UP, || {
            let mut harness = tree(RestForOne).pauses().down();
            harness.gone(2);
            assert_eq!(harness.gone(1), "wait 1 20ms");
            assert_eq!(harness.stop_member(1), "over 1, start 2");
        }),
        // The backoff begins when the range is down.
        case(WAITED, STEADY, || assert!(!tree(AllForOne).pauses().steady().group.waits_for(1))),
        case(WAITED, DOWN, || {
            let mut harness = tree(RestForOne).pauses().down();
            assert!(harness.group.waits_for(1));
            assert_eq!(harness.stop_member(1), "in its turn");
            assert_eq!(harness.gone(2), "end 1");
            assert_eq!(harness.gone(1), "over 1, start 2", "nothing is waited for any more");
        }),
        case(WAITED, FAILED, || {
            let mut harness = tree(RestForOne).pauses().down();
            harness.gone(2);
            harness.gone(1);
            harness.fails(0, Escalate);
            assert_eq!(harness.stop_member(1), "over 1");
            assert_eq!(harness.group.at(2), MemberState::Queued);
            assert_eq!(harness.resume(), "resume 0, start 2");
        }),
        case(WAITED, STOPPING, || {
            let mut harness = tree(RestForOne).pauses().down();
            harness.stop();
            assert!(!harness.group.waits_for(1), "a stop waits for nothing");
        }),
    ]
}

fn done() -> Vec<Case> {
    vec![
        case(DONE, UP, || {
            for strategy in ALL {
                let mut harness = tree(strategy).member(0, Transient).boots_on();
                assert_eq!(harness.done(0), "over 0");
                assert_eq!(harness.up(1), "start 2");
            }
        }),
        case(DONE, STEADY, || {
            for strategy in ALL {
                let mut harness =
                    tree(strategy).member(0, Transient).member(1, Transient).member(2, Transient).steady();
                assert_eq!(harness.done(1), "over 1");
                assert_eq!(harness.done(0), "over 0");
                assert_eq!(harness.done(2), "over 2, all ended");
            }
        }),
        case(DONE, DOWN, || {
            let mut harness = tree(AllForOne).member(2, Transient).down();
            assert_eq!(harness.done(2), "down 1", "it was asked to go down: that covers it");
            let mut harness = tree(AllForOne).member(0, Transient).down();
            assert_eq!(harness.done(0), "over 0");
            harness.gone(2);
            assert_eq!(harness.gone(1), "start 0", "it counts as down, and comes up with its group");
            // A member that had ended before is started again too, if the range includes it.
            let mut harness = tree(RestForOne).member(2, Transient).steady();
            assert_eq!(harness.done(2), "over 2");
            assert_eq!(harness.fails(1, Restart), "decided: down 1");
            assert_eq!(harness.gone(1), "start 1");
            assert_eq!(harness.up(1), "start 2");
            let mut harness = tree(RestForOne).member(0, Transient).steady();
            harness.done(0);
            harness.fails(1, Restart);
            harness.gone(2);
            assert_eq!(harness.gone(1), "start 1");
            assert_eq!(harness.group.at(0), MemberState::Ended);
            // Not a `Temporary` member, not one that a user has stopped, and not after a Stop.
            let mut harness = tree(AllForOne).member(0, Temporary).member(1, Transient).steady();
            harness.done(0);
            harness.stop_member(1);
            harness.gone(1);
            harness.fails(2, Restart);
            assert_eq!(harness.gone(2), "start 2");
            let mut harness = tree(RestForOne).member(2, Transient).steady();
            harness.done(2);
            harness.fails(1, Stop);
            assert_eq!(harness.gone(1), "over 1");
            assert_eq!(harness.ats(), [MemberState::Up, MemberState::Ended, MemberState::Ended]);
            // A significant member goes first: the supervisor ends, and nothing comes up for that.
            let mut harness = tree(AllForOne).member(0, Transient).significant(0).down();
            harness.group.owner_up(harness.now);
            assert_eq!(harness.done(0), "over 0");
            assert_eq!(harness.gone(2), "down 1");
            assert_eq!(harness.gone(1), "over 2, over 1, all ended");
            let mut harness = tree(RestForOne).member(2, Transient).significant(2).down();
            harness.group.owner_up(harness.now);
            assert_eq!(harness.done(2), "over 2, down 1", "though it was asked to go down");
            assert_eq!(harness.gone(1), "over 1, end 0");
            assert_eq!(harness.gone(0), "over 0, all ended");
        }),
        case(DONE, FAILED, || {
            let mut harness = tree(AllForOne).member(0, Transient).failed();
            assert_eq!(harness.done(0), "over 0");
            assert_eq!(harness.resume(), "resume 1");
            assert_eq!(harness.ats(), [MemberState::Ended, MemberState::Up, MemberState::Up]);
        }),
        case(DONE, STOPPING, || {
            let mut harness = tree(AllForOne).member(0, Transient).member(2, Transient).stops();
            assert_eq!(harness.done(2), "over 2, end 1");
            assert_eq!(harness.done(0), "over 0");
            assert_eq!(harness.gone(1), "over 1, all down");
        }),
    ]
}

fn done_and_again() -> Vec<Case> {
    vec![
        case(AGAIN, UP, || {
            let mut harness = tree(AllForOne).comes_up();
            assert_eq!(harness.done(0), "down 1");
            let mut harness = tree(RestForOne).comes_up();
            harness.up(1);
            assert_eq!(harness.done(1), "down 2", "what came up after it goes down too");
            assert_eq!(harness.gone(2), "wait 1 10ms");
        }),
        case(AGAIN, STEADY, || {
            for (strategy, first) in [(AllForOne, "down 2"), (RestForOne, "down 2"), (OneForOne, "wait 1 10ms")] {
                let mut harness = tree(strategy).steady();
                assert_eq!(harness.done(1), first);
                let mut harness = tree(strategy).max(0).steady();
                assert_eq!(harness.done(1), "limit 1, owner fails", "it counts against the budget");
            }
        }),
        case(AGAIN, DOWN, || {
            let mut harness = tree(AllForOne).max(1).down();
            assert_eq!(harness.done(0), "", "absorbed, and does not count against the budget");
            harness.gone(2);
            assert_eq!(harness.gone(1), "start 0", "and it comes up again");
            let mut harness = tree(RestForOne).down();
            assert_eq!(harness.done(0), "");
            assert!(matches!(harness.group.mode(), GroupState::Down { from: 0, next: AfterDown::Up }));
            assert_eq!(tree(RestForOne).max(1).down().done(0), "limit 0, owner fails");
        }),
        case(AGAIN, FAILED, || {
            for strategy in ALL {
                let mut harness = tree(strategy).failed();
                assert_eq!(harness.done(0), "");
                assert_eq!(harness.group.at(0), MemberState::FailedStart);
                assert!(harness.resume().contains("redecide 0"));
            }
        }),
        case(AGAIN, STOPPING, || {
            let mut harness = tree(AllForOne).stops();
            assert_eq!(harness.done(2), "over 2, end 1");
            assert_eq!(harness.done(0), "over 0");
            assert_eq!(harness.gone(1), "over 1, all down");
        }),
    ]
}

fn timers() -> Vec<Case> {
    vec![
        case(TIMER, UP, || {
            let mut harness = tree(AllForOne).pauses().down();
            harness.gone(2);
            harness.gone(1);
            assert_eq!(harness.gone(0), "wait 1 20ms");
            assert_eq!(harness.due(0), "", "of an earlier wait");
            assert_eq!(harness.due(1), "start 0");
        }),
        case(TIMER, STEADY, || {
            for strategy in ALL {
                assert_eq!(tree(strategy).pauses().steady().due(1), "");
            }
        }),
        case(TIMER, DOWN, || {
            // A member that was backing off alone restarts together with the range, and no timer starts it.
            let mut harness = tree(OneForOne).pauses().steady();
            harness.fails(0, Restart);
            assert_eq!(harness.gone(0), "wait 0 20ms");
            assert_eq!(harness.restart_above(), "down 2");
            assert_eq!(harness.due(0), "");
            assert_eq!(harness.gone(2), "down 1");
        }),
        case(TIMER, FAILED, || {
            let mut harness = tree(OneForOne).pauses().steady();
            harness.fails(0, Restart);
            harness.gone(0);
            harness.fails(1, Escalate);
            assert_eq!(harness.due(0), "");
            assert_eq!(harness.resume(), "resume 1, start 0");
        }),
        case(TIMER, STOPPING, || {
            let mut harness = tree(OneForOne).pauses().steady();
            harness.fails(0, Restart);
            harness.gone(0);
            assert_eq!(harness.stop(), "end 2");
            assert_eq!(harness.due(0), "");
        }),
    ]
}

fn spawns() -> Vec<Case> {
    vec![
        case(SPAWN, UP, || {
            let set = tree(OneForOne).owner(Owner::Set);
            let mut harness = set.first_start();
            harness.restart_above();
            for id in 0..3 {
                harness.gone(id);
            }
            assert_eq!(harness.spawn(set), "", "it waits until the set is up");
            harness.group.rebuild(false);
            harness.group.owner_up(harness.now);
            assert_eq!(harness.effects(), "start 0");
        }),
        case(SPAWN, STEADY, || {
            let set = tree(OneForOne).owner(Owner::Set);
            assert_eq!(set.steady().spawn(set), "start 3");
        }),
        case(SPAWN, DOWN, || {
            let actor = tree(AllForOne).owner(Owner::Actor);
            let mut harness = actor.down();
            assert_eq!(harness.spawn(actor), "");
            for (id, next) in [(2, "down 1"), (1, "down 0"), (0, "start 0")] {
                assert_eq!(harness.gone(id), next);
            }
            for (id, next) in [(0, "start 1"), (1, "start 2"), (2, "start 3")] {
                assert_eq!(harness.up(id), next);
            }
        }),
        case(SPAWN, FAILED, || {
            let set = tree(OneForOne).owner(Owner::Set);
            let mut harness = set.failed();
            assert_eq!(harness.spawn(set), "");
            assert_eq!(harness.resume(), "resume 1, start 3");
        }),
        case(SPAWN, STOPPING, || {
            let set = tree(OneForOne).owner(Owner::Set);
            let mut harness = set.steady();
            harness.stop();
            assert!(harness.group.is_stopping(), "the spawn gets this answer");
        }),
    ]
}
