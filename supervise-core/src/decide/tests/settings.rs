//! The settings of a supervisor: which members restart together, and how many restarts are allowed (S4, S15).

use std::time::Duration;

use super::super::group::{Group, GroupEffect, Owner};
use super::harness::{ALL, tree};
use crate::values::invalid_settings::SupervisorLimits;
use crate::values::strategy::{BudgetScope, Directive, MaxRestarts, OnLimit, RestartLimit, Strategy};

/// S4: each instance of a supervisor has its own settings, and a budget that is not used yet.
#[test]
fn a_new_instance_uses_its_own_settings_and_a_fresh_budget() {
    let mut harness = tree(Strategy::RestForOne).max(1).steady();
    assert_eq!(harness.fails(2, Directive::Restart), "decided: down 2");
    let used = |group: &Group, now| group.view_shared(now).map(|budget| (budget.used, budget.allowance.max));
    assert_eq!(used(&harness.group, harness.now), Some((1, Some(1))));
    let limit = RestartLimit::new().max_restarts(MaxRestarts::AtMost(7)).within(Duration::from_secs(3));
    let budget = BudgetScope::PerChild;
    harness.group.configure(SupervisorLimits { strategy: Strategy::AllForOne, limit, budget });
    assert_eq!(harness.group.strategy(), Strategy::AllForOne);
    let SupervisorLimits { strategy, limit: declared, .. } = harness.group.limits();
    assert_eq!((strategy, declared), (Strategy::AllForOne, limit));
    assert_eq!(used(&harness.group, harness.now), Some((0, Some(7))));
    harness.group.configure(SupervisorLimits { strategy: Strategy::OneForOne, limit, budget });
    assert_eq!(used(&harness.group, harness.now), None, "each member has a budget of its own");
    let shared = SupervisorLimits { strategy: Strategy::OneForOne, limit, budget: BudgetScope::Shared };
    harness.group.configure(shared);
    assert_eq!(used(&harness.group, harness.now), Some((0, Some(7))), "all members have one");
    assert_eq!(harness.group.limits().budget, BudgetScope::Shared);
}

/// S15: without a declared `on_limit`, an instance of a set ends at its limit, and any other child escalates.
#[test]
fn at_the_default_limit_an_instance_of_a_set_ends_and_others_escalate() {
    for (owner, on_limit) in
        [(Owner::Set, OnLimit::Stop), (Owner::Tree, OnLimit::Escalate), (Owner::Actor, OnLimit::Escalate)]
    {
        let harness = tree(Strategy::OneForOne).owner(owner).default_limit().steady();
        let view = harness.group.view(1, None, harness.now).expect("a living child");
        assert_eq!((view.budget.allowance.max, view.budget.allowance.on_limit), (Some(10), on_limit), "{owner:?}");
    }
}

/// S15: a group has no default limit if all of its children declare a backoff. Kept values do not count.
#[test]
fn a_group_with_only_declared_backoffs_restarts_any_number_of_times() {
    let max = |setup: super::harness::Setup| {
        let harness = setup.default_limit().steady();
        harness.group.view_shared(harness.now).expect("a group").allowance.max
    };
    assert_eq!(max(tree(Strategy::AllForOne).pause(0, 20).pause(2, 20).kind(1, None)), None);
    assert_eq!(max(tree(Strategy::AllForOne).pause(0, 20).kind(1, None)), Some(10));
}

/// S32: progress that a child reports makes its next backoff the shortest one again.
#[test]
fn progress_begins_again_with_the_shortest_backoff() {
    for (reset, wait) in [(false, "wait 1 40ms"), (true, "wait 1 20ms")] {
        let mut harness = tree(Strategy::OneForOne).pause(1, 20).steady();
        harness.fails(1, Directive::Restart);
        assert_eq!(harness.gone(1), "wait 1 20ms");
        harness.due(1);
        harness.up(1);
        if reset {
            harness.group.reset_backoff(1);
        }
        harness.fails(1, Directive::Restart);
        assert_eq!(harness.gone(1), wait);
    }
}

/// S26: only the children that a tree declares are started again by a user.
#[test]
fn only_a_tree_declares_its_children() {
    for (owner, declares) in [(Owner::Tree, true), (Owner::Actor, false), (Owner::Set, false)] {
        assert_eq!(tree(Strategy::OneForOne).owner(owner).steady().group.declares(), declares, "{owner:?}");
    }
}

/// A decision uses the list of the previous one, unless that list has become long.
#[test]
fn decisions_use_the_same_list_of_effects_again() {
    for strategy in ALL {
        let mut group = tree(strategy).steady().group;
        let list = |capacity| Vec::<GroupEffect>::with_capacity(capacity);
        group.reuse(list(64));
        assert_eq!(group.take_effects().capacity(), 64);
        group.reuse(list(65));
        assert_eq!(group.take_effects().capacity(), 0);
    }
}
