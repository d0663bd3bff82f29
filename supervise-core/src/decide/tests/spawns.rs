//! Children that start at run time, and the first instances of a set (S7, S21, S27).

use std::sync::Arc;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use tokio::time::Instant;

use super::super::child::machine::Order;
use super::super::child::{Command, CommandOutcome};
use super::super::group::{FailureInfo, Group, GroupEffect, Id, Owner};
use super::super::member::{MemberState, Settings};
use super::harness::{ALL, Setup, tree};
use super::sim::failure;
use crate::values::backoff::Backoff;
use crate::values::ended::Ended;
use crate::values::failure::Phase;
use crate::values::kind::ChildKind;
use crate::values::stop_reason::StopReason;
use crate::values::strategy::{Directive, Lifecycle, RestartLimit, Strategy};

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
    empty.owner_up(Instant::now());
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

/// A set in which at most two instances start at a time.
struct Limited {
    group: Group,
    settings: Arc<Settings>,
    now: Instant,
}

impl Limited {
    fn new() -> Self {
        let pause = Backoff::exponential(Duration::from_secs(1)..Duration::from_secs(8));
        let settings = Settings::new(ChildKind::Actor, Lifecycle::Transient, Some(pause), RestartLimit::new());
        let mut group = Group::new(Owner::Set, Strategy::OneForOne, RestartLimit::new());
        group.set_max_starting(Some(2));
        let now = Instant::now();
        group.owner_up(now);
        Limited { group, settings: Arc::new(settings), now }
    }

    fn spawn(&mut self) -> Id {
        let id = self.group.add(self.settings.clone(), true);
        self.group.admit(id, self.now);
        id
    }

    fn fails(&mut self, id: Id, instance: bool) {
        let failed = failure(Phase::Running);
        self.group.failed(id, instance);
        let facts = FailureInfo { handled: true, random: 0, now: self.now };
        let _ = self.group.decided(id, Directive::Restart, &failed, facts); // the failure may be kept
    }

    fn started(&mut self) -> Vec<Id> {
        let effects = self.group.take_effects().into_iter();
        effects.filter_map(|act| if let GroupEffect::Tell(id, Order::Start) = act { Some(id) } else { None }).collect()
    }
}

/// S27, S7: a place that becomes free while the set is suspended, or has failed, is given afterwards.
#[test]
fn no_place_is_given_below_a_failure() {
    let mut set = Limited::new();
    let ids: Vec<Id> = (0..5).map(|_| set.spawn()).collect();
    assert_eq!(set.started(), ids[..2]);
    set.group.suspend();
    set.group.up(0, set.now);
    assert_eq!(set.started(), []);
    set.group.end_suspension(set.now);
    assert_eq!(set.started(), ids[2..3]);

    set.group.failed(0, true);
    let facts = FailureInfo { handled: true, random: 0, now: set.now };
    set.group.decided(0, Directive::Escalate, &failure(Phase::Running), facts).unwrap();
    set.group.suspend();
    set.group.up(1, set.now);
    assert_eq!(set.started(), []);
    set.group.resume(&failure(Phase::Running), facts, false);
    assert_eq!(set.started(), ids[3..4]);
}

/// S27, S26, S7: a child that waits for a place, and is to be restarted on request below a failure, waits for the end
/// of the suspension alone.
#[test]
fn a_request_below_a_failure_waits_for_no_place() {
    let mut set = Limited::new();
    let ids: Vec<Id> = (0..3).map(|_| set.spawn()).collect();
    assert_eq!(set.started(), ids[..2]);
    set.group.suspend();
    let outcome = set.group.on_request(ids[2], Command::Restart, &failure(Phase::Running), set.now);
    assert_eq!(outcome, CommandOutcome::StartOver);
    assert_eq!(set.group.places(), (2, Vec::new()));
    let shown = set.group.view(ids[2], None, set.now).unwrap().at;
    assert_eq!((shown, set.started()), (MemberState::BackingOff, Vec::new()));
    set.group.end_suspension(set.now);
    assert_eq!(set.started(), ids[2..]);
}

/// S27: whatever happens, no more start than there are places, none waits while a place is free, and the one that was
/// spawned first is the next.
#[test]
fn places_are_given_in_order_and_none_is_lost() {
    for seed in 0..200 {
        let (mut set, mut random) = (Limited::new(), SmallRng::seed_from_u64(seed));
        let mut suspended = false;
        for _ in 0..200 {
            let slots = set.group.slots() as Id;
            let id = if slots == 0 { 0 } else { random.random_range(0..slots) };
            match (random.random_range(0..12), set.group.at(id)) {
                (0..3, _) => drop(set.spawn()),
                (3..6, MemberState::Starting) => set.group.up(id, set.now),
                (6, MemberState::Starting) => set.fails(id, false),
                (6 | 7, MemberState::Up) => set.fails(id, true),
                (8, _) => drop(set.group.stop_member(id, set.now)),
                (3..9, MemberState::GoingDown) => set.group.gone(id, set.now),
                (3..9, MemberState::BackingOff) => set.group.due(id, set.now),
                (9, MemberState::Starting) => set.group.lose(id, Ended::RuntimeGone, set.now),
                (10, _) if suspended => {
                    set.group.end_suspension(set.now);
                    suspended = false;
                }
                (11, _) if random.random_bool(0.2) => {
                    set.group.suspend();
                    suspended = true;
                }
                _ => {}
            }
            let (starting, waiting) = set.group.places();
            let started = set.started();
            assert!(starting <= 2, "seed {seed}");
            assert!(suspended || waiting.is_empty() || starting == 2, "seed {seed}");
            let first = waiting.first().map_or(u64::MAX, |id| set.group.order(*id));
            assert!(started.iter().all(|id| set.group.order(*id) < first), "seed {seed}");
        }
        set.group.stop(StopReason::Shutdown, set.now);
        for id in 0..set.group.slots() as Id {
            set.group.gone(id, set.now);
        }
        assert_eq!((set.group.living(), set.group.places()), (0, (0, Vec::new())), "seed {seed}");
    }
}
