//! Any number of children: no function recurses over them, and each event looks at only a few of them.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::super::child::machine::Order;
use super::super::child::{Command, CommandOutcome};
use super::super::group::{AfterDown, FailureInfo, FailureRoute, Group, GroupEffect, GroupState, Id, Owner, is_roomy};
use super::super::member::{MemberState, Settings};
use super::sim::failure;
use crate::values::backoff::Backoff;
use crate::values::ended::Ended;
use crate::values::failure::Phase;
use crate::values::kind::ChildKind;
use crate::values::stop_reason::StopReason;
use crate::values::strategy::{Directive, Lifecycle, RestartLimit, Strategy};

const PAUSE: Duration = Duration::from_secs(60);

/// Runs the test on a small stack, which would overflow with a few frames for each child.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(test).expect("a thread");
    thread.join().expect("it goes through");
}

fn settings(lifecycle: Lifecycle) -> Arc<Settings> {
    Arc::new(Settings::new(ChildKind::Actor, lifecycle, Some(Backoff::exponential(PAUSE..PAUSE)), RestartLimit::new()))
}

struct Many {
    group: Group,
    now: Instant,
    n: Id,
}

impl Many {
    fn up(owner: Owner, strategy: Strategy, n: Id) -> Many {
        Many::of(owner, strategy, n, Lifecycle::Permanent)
    }

    fn of(owner: Owner, strategy: Strategy, n: Id, lifecycle: Lifecycle) -> Many {
        let mut many = Many { group: Group::new(owner, strategy, RestartLimit::new()), now: Instant::now(), n };
        let settings = settings(lifecycle);
        if owner != Owner::Tree {
            many.group.owner_up(many.now);
        }
        for id in 0..n {
            assert_eq!(many.group.add(settings.clone(), owner != Owner::Tree), id);
            match owner {
                Owner::Tree => many.group.reach(id, settings.clone(), many.now),
                _ => many.group.admit(id, many.now),
            }
            many.group.up(id, many.now);
        }
        if owner == Owner::Tree {
            many.group.built(many.now);
            many.group.owner_up(many.now);
        }
        assert_eq!(*many.group.mode(), GroupState::Steady);
        many.group.take_effects();
        many.group.take_steps();
        many
    }

    fn facts(&self) -> FailureInfo {
        FailureInfo { handled: true, random: 0, now: self.now }
    }

    fn fails(&mut self, id: Id) {
        assert_eq!(self.group.failed(id, false), FailureRoute::Decide);
        self.group.decided(id, Directive::Restart, &failure(Phase::Start), self.facts()).unwrap();
    }

    /// Each member has failed, and is backing off.
    fn all_wait(mut self) -> Many {
        for id in 0..self.n {
            self.fails(id);
            assert_eq!(self.group.at(id), MemberState::BackingOff);
        }
        self.group.take_effects();
        self
    }

    /// The number of members that were looked at, per member.
    fn looked_at(&self) -> u64 {
        self.group.take_steps().div_ceil(u64::from(self.n))
    }

    fn overs(&mut self) -> (Vec<Id>, Vec<GroupEffect>) {
        let acts = self.group.take_effects().into_iter();
        let (overs, others): (Vec<GroupEffect>, Vec<GroupEffect>) =
            acts.partition(|act| matches!(act, GroupEffect::Tell(_, Order::Over(_))));
        let ids = overs
            .into_iter()
            .filter_map(|act| if let GroupEffect::Tell(id, Order::Over(_)) = act { Some(id) } else { None });
        (ids.collect(), others)
    }
}

/// S16: a set whose instances are all backing off stops in one go, the last instance first.
#[test]
fn a_million_that_wait_stop() {
    on_a_small_stack(|| {
        let mut many = Many::up(Owner::Set, Strategy::OneForOne, 1_000_000).all_wait();
        many.group.stop(StopReason::Shutdown, many.now);
        let (overs, others) = many.overs();
        assert!(overs.into_iter().rev().eq(0..many.n));
        assert!(matches!(others[..], [GroupEffect::TellOwner(Order::ChildrenDown)]), "{} others", others.len());
        assert!(many.looked_at() <= 4, "{}", many.looked_at());
    });
}

/// S11: the same for a restart from above, and for the children of an actor.
#[test]
fn a_million_that_wait_end_at_a_restart_from_above() {
    on_a_small_stack(|| {
        for (owner, n) in [(Owner::Set, 1_000_000), (Owner::Actor, 200_000)] {
            let mut many = Many::up(owner, Strategy::OneForOne, n).all_wait();
            many.group.restart_from_above(&failure(Phase::Running), StopReason::FailedAbove, many.now);
            let (overs, others) = many.overs();
            assert_eq!(overs.len() as Id, n);
            assert!(matches!(others[..], [GroupEffect::TellOwner(Order::ChildrenDown)]), "{} others", others.len());
            assert!(many.looked_at() <= 4, "{owner:?}: {}", many.looked_at());
        }
    });
}

/// S20, S22: declared members that a user stops while their group restarts end while the group comes up.
#[test]
fn members_that_were_stopped_in_their_turn_end_on_the_way_up() {
    on_a_small_stack(|| {
        let mut many = Many::up(Owner::Tree, Strategy::AllForOne, 200_000);
        let (last, now) = (many.n - 1, many.now);
        many.fails(last);
        for id in (0..last).rev() {
            assert_eq!(many.group.at(id), MemberState::GoingDown);
            many.group.stop_member(id + 1, now);
            many.group.gone(id, now);
        }
        assert_eq!(many.group.at(0), MemberState::Starting);
        many.group.take_effects();
        many.group.up(0, now);
        let (overs, others) = many.overs();
        assert!(overs.into_iter().eq(1..many.n) && others.is_empty());
        assert_eq!((many.group.mode(), many.group.living()), (&GroupState::Steady, 1));
        assert!(many.looked_at() <= 8, "{}", many.looked_at());
    });
}

/// Members that end one after the other are found without a search through all others.
#[test]
fn each_end_looks_at_few_of_them() {
    let n = 20_000;
    for owner in [Owner::Set, Owner::Actor, Owner::Tree] {
        let mut many = Many::up(owner, Strategy::OneForOne, n);
        for id in 0..n {
            many.group.stop_member(id, many.now);
            many.group.gone(id, many.now);
        }
        assert_eq!(many.group.living(), 0);
        assert!(many.looked_at() <= 2, "{owner:?}: {}", many.looked_at());
    }
}

/// S24: members are drained one at a time, and each is found by its place in the order.
#[test]
fn each_that_goes_down_in_its_turn_looks_at_few_of_them() {
    let n = 20_000;
    for strategy in [Strategy::OneForOne, Strategy::AllForOne, Strategy::RestForOne] {
        let mut many = Many::up(Owner::Actor, strategy, n);
        many.group.stop(StopReason::Shutdown, many.now);
        for id in (0..n).rev() {
            assert_eq!(many.group.at(id), MemberState::GoingDown);
            many.group.gone(id, many.now);
        }
        assert_eq!(*many.group.mode(), GroupState::Ended);
        let looked_at = many.looked_at();
        assert!((1..=4).contains(&looked_at), "{strategy:?}: {looked_at}");
    }
}

/// S17: members that a user stops in the middle of a range that goes down and comes up.
#[test]
fn a_range_finds_each_by_its_place() {
    let n = 20_000;
    let mut many = Many::up(Owner::Actor, Strategy::AllForOne, n);
    let now = many.now;
    assert_eq!(many.group.failed(0, true), FailureRoute::Decide);
    many.group.decided(0, Directive::Restart, &failure(Phase::Running), many.facts()).unwrap();
    assert!(matches!(many.group.mode(), GroupState::Down { from: 0, next: AfterDown::Up }));
    for id in (0..n).rev() {
        if id % 2 == 1 {
            many.group.stop_member(id, now);
        }
        many.group.gone(id, now);
    }
    many.group.due(0, now);
    for id in (0..n).step_by(2) {
        many.group.up(id, now);
    }
    assert_eq!((many.group.mode(), many.group.living()), (&GroupState::Steady, n / 2));
    assert!(many.looked_at() <= 8, "{}", many.looked_at());
}

/// S21: the wait for all members to be up continues at the member that was not up last time.
#[test]
fn each_look_for_one_that_is_not_up_begins_where_the_last_one_ended() {
    let n = 20_000;
    let mut many = Many::up(Owner::Set, Strategy::OneForOne, n).all_wait();
    for id in 0..n {
        assert!(!many.group.all_up());
        many.group.due(id, many.now);
        many.group.up(id, many.now);
    }
    assert!(many.group.all_up());
    assert!(many.looked_at() <= 4, "{}", many.looked_at());
    many.fails(7);
    assert!(!many.group.all_up());
}

/// S27: any number of spawns waits for a few places, and each place is given without a search.
#[test]
fn a_million_wait_for_a_few_places() {
    on_a_small_stack(|| {
        for n in [500_000, 1_000_000] {
            let now = Instant::now();
            let mut group = Group::new(Owner::Set, Strategy::OneForOne, RestartLimit::new());
            group.set_max_starting(Some(3));
            group.owner_up(now);
            let settings = settings(Lifecycle::Transient);
            let started = |group: &mut Group| -> Vec<Id> {
                let effects = group.take_effects().into_iter();
                effects.map(|act| if let GroupEffect::Tell(id, Order::Start) = act { id } else { panic!() }).collect()
            };
            for id in 0..n {
                assert_eq!(group.add(settings.clone(), true), id);
                group.admit(id, now);
            }
            assert_eq!(started(&mut group), [0, 1, 2]);
            for id in 0..n {
                group.up(id, now);
                let next = (id + 3 < n).then_some(id + 3);
                assert_eq!(started(&mut group), Vec::from_iter(next));
            }
            assert!(group.all_up() && group.have_passed());
            let looked_at = group.take_steps().div_ceil(u64::from(n));
            assert!(looked_at <= 4, "{looked_at}");
        }
    });
}

/// S27: the wait for the instances of `initial` looks at few of them, and those that wait end with their set.
#[test]
fn a_million_that_wait_for_a_place_are_passed_and_end() {
    on_a_small_stack(|| {
        let (n, now) = (1_000_000, Instant::now());
        let mut group = Group::new(Owner::Set, Strategy::OneForOne, RestartLimit::new());
        group.set_max_starting(Some(1));
        let settings = settings(Lifecycle::Transient);
        for id in 0..n {
            group.add(settings.clone(), true);
            group.admit(id, now);
        }
        group.owner_up(now);
        for id in 0..n / 2 {
            assert!(!group.have_passed());
            assert_eq!(group.at(id), MemberState::Starting);
            group.up(id, now);
        }
        let looked_at = group.take_steps().div_ceil(u64::from(n));
        assert!(looked_at <= 4, "{looked_at}");
        group.take_effects();
        group.stop(StopReason::Shutdown, now);
        for id in 0..=n / 2 {
            group.gone(id, now);
        }
        assert_eq!((group.mode(), group.living()), (&GroupState::Ended, 0));
    });
}

/// A place in the order belongs to one member: a member that takes over its slot comes after all others in the order.
#[test]
fn a_slot_that_is_used_again_is_no_place_in_the_walk() {
    let mut many = Many::of(Owner::Actor, Strategy::OneForOne, 4, Lifecycle::Transient);
    let now = many.now;
    for id in 0..4 {
        many.group.keep(id);
    }
    many.group.restart_kept(&failure(Phase::Running), now);
    // The last member goes down, the others are queued. The second ends by itself, and another is spawned.
    assert_eq!((many.group.at(3), many.group.at(1)), (MemberState::GoingDown, MemberState::Up));
    many.group.done(1, Ended::Done, &failure(Phase::Running), many.facts());
    assert_eq!(many.group.add(settings(Lifecycle::Transient), true), 1);
    many.group.admit(1, now);
    many.group.take_effects();
    for id in [3, 2, 0] {
        many.group.gone(id, now);
    }
    let mut started = Vec::new();
    while let Some(id) = many.group.take_effects().into_iter().find_map(|act| match act {
        GroupEffect::Tell(id, Order::Start) => Some(id),
        _ => None,
    }) {
        started.push(id);
        many.group.up(id, now);
    }
    assert_eq!(started, [0, 2, 3, 1]);
}

/// The table shrinks, and its free slots are used again.
#[test]
fn the_table_shrinks() {
    let mut many = Many::up(Owner::Set, Strategy::OneForOne, 10_000);
    let now = many.now;
    for id in (1..many.n).filter(|id| id % 100 != 0 || *id > 500) {
        many.group.stop_member(id, now);
        many.group.gone(id, now);
    }
    assert_eq!((many.group.living(), many.group.slots()), (6, 501));
    let again: Vec<Id> = (0..495).map(|_| many.group.add(settings(Lifecycle::Permanent), true)).collect();
    assert!(again.iter().all(|id| *id < 501), "{again:?}");
    assert_eq!((many.group.add(settings(Lifecycle::Permanent), true), many.group.slots()), (501, 502));
}

/// Memory is given back if more than three quarters of it are unused, but not for a short list.
#[test]
fn a_list_is_roomy_if_less_than_a_quarter_is_used() {
    for (len, capacity, roomy) in [(0, 64, false), (0, 65, true), (31, 128, true), (32, 128, false), (33, 128, false)] {
        assert_eq!(is_roomy(len, capacity), roomy, "{len} of {capacity}");
    }
}

/// A table that has become much shorter keeps memory for twice its members, and no list of slots that are gone.
#[test]
fn the_table_gives_memory_back() {
    let mut many = Many::up(Owner::Set, Strategy::OneForOne, 1000);
    let mut shrunk = 0;
    for id in (0..many.n).rev() {
        let (before, _) = many.group.room();
        many.group.stop_member(id, many.now);
        many.group.gone(id, many.now);
        let (room, free) = many.group.room();
        if room < before {
            assert_eq!((room, free), (2 * many.group.slots(), 0));
            shrunk += 1;
        }
    }
    assert!(shrunk > 2 && many.group.room().0 <= 64);
}

/// Another thread may send a request while the last member ends, after that thread checked whether the group has ended.
#[test]
fn nothing_is_started_on_request_after_the_end_of_a_group() {
    let mut many = Many::of(Owner::Tree, Strategy::AllForOne, 2, Lifecycle::Transient);
    for id in 0..2 {
        many.group.done(id, Ended::Done, &failure(Phase::Running), many.facts());
    }
    assert!(many.group.is_ended());
    many.group.take_effects();
    let again = many.group.on_request(0, Command::StartAgain, &failure(Phase::Running), many.now);
    assert_eq!(again, CommandOutcome::SupervisorEnded, "its mailbox must stay closed");
    assert!(many.group.take_effects().is_empty());
}

/// The supervisor's own task may still run on another worker while its members are dropped.
#[test]
fn a_group_that_goes_with_its_runtime_has_not_ended_by_itself() {
    let mut many = Many::of(Owner::Tree, Strategy::OneForOne, 2, Lifecycle::Permanent);
    for id in 0..2 {
        many.group.runtime_gone();
        many.group.lose(id, Ended::Stopped, many.now);
    }
    assert!(
        many.group.take_effects().iter().all(|act| !matches!(act, GroupEffect::TellOwner(Order::ChildrenEnded(_))))
    );
    let again = many.group.on_request(0, Command::StartAgain, &failure(Phase::Running), many.now);
    assert_eq!(again, CommandOutcome::SupervisorEnded, "its task is gone");
}

/// A member that is lost may be starting on another thread, with a value of the tree.
#[test]
fn a_group_that_goes_with_its_runtime_drops_no_values() {
    for gone in [false, true] {
        let mut many = Many::of(Owner::Tree, Strategy::OneForOne, 1, Lifecycle::Permanent);
        let settings = Settings::value();
        let value = many.group.add(Arc::new(settings), false);
        if gone {
            many.group.runtime_gone();
        }
        many.group.stop_member(0, many.now);
        many.group.gone(0, many.now);
        many.group.take_effects();
        many.group.stop(StopReason::Shutdown, many.now);
        let acts = many.group.take_effects();
        assert_eq!(acts.iter().any(|act| matches!(act, GroupEffect::DropValue(id) if *id == value)), !gone, "{acts:?}");
        assert_eq!(acts.iter().any(|act| matches!(act, GroupEffect::TellOwner(Order::ChildrenDown))), gone, "{acts:?}");
    }
}

/// A dropped task serves nothing: a start would wait forever.
#[test]
fn a_lost_member_is_never_started_again() {
    let mut many = Many::of(Owner::Tree, Strategy::OneForOne, 2, Lifecycle::Permanent);
    many.group.lose(0, Ended::Stopped, many.now);
    let again = many.group.on_request(0, Command::StartAgain, &failure(Phase::Running), many.now);
    assert_eq!(again, CommandOutcome::SupervisorEnded);
    let again = many.group.on_request(1, Command::StartAgain, &failure(Phase::Running), many.now);
    assert_eq!(again, CommandOutcome::NotEnded, "the other goes on");
    // The supervisor does not start it either, after a restart from above or on request.
    for on_request in [false, true] {
        many.group.restart_from_above(&failure(Phase::Running), StopReason::FailedAbove, many.now);
        many.group.gone(1, many.now);
        if on_request {
            many.group.forget_stops();
        }
        many.group.rebuild(false);
        assert_eq!((many.group.at(0), many.group.at(1)), (MemberState::Ended, MemberState::Queued));
        many.group.take_effects();
        many.group.reach(0, settings(Lifecycle::Permanent), many.now);
        many.group.reach(1, settings(Lifecycle::Permanent), many.now);
        many.group.built(many.now);
        let started = many
            .group
            .take_effects()
            .into_iter()
            .filter(|act| matches!(act, GroupEffect::Tell(_, Order::Start)))
            .count();
        assert_eq!(started, 1);
        many.group.up(1, many.now);
        many.group.owner_up(many.now);
    }
}
