//! The checks that depend on all children of a tree together.

use std::iter::repeat_n;
use std::time::Duration;

use supervise_rules::shutdown::{of_child, of_tree, one_more, too_short};
use supervise_rules::{self as rules, Given, Waits};

use crate::actor::options::Options;
use crate::actor::validate;
use supervise_core::values::facts::count;
use supervise_core::values::invalid_settings::{InvalidSettings, SupervisorLimits, first};
use supervise_core::values::kind::ChildKind;
use supervise_core::values::strategy::{Lifecycle, ShutdownOrder, ShutdownTimeout};

/// Checks the children of a tree while the tree is built, and adds up what they need.
#[derive(Debug)]
pub(crate) struct TreeValidator {
    limits: SupervisorLimits,
    /// The time that the tree has for each of its ends.
    time: Option<Duration>,
    order: ShutdownOrder,
    /// The delays of the members of a group before they restart.
    waits: Vec<Waits>,
    /// The time that all of them may take to stop. `None`: the time is not limited.
    need: Option<Duration>,
}

impl Default for TreeValidator {
    fn default() -> Self {
        TreeValidator {
            limits: SupervisorLimits::default(),
            time: None,
            order: ShutdownOrder::default(),
            waits: Vec::new(),
            need: Some(Duration::ZERO),
        }
    }
}

impl TreeValidator {
    pub(crate) fn supervision(&mut self, limits: SupervisorLimits) {
        self.limits = limits;
    }

    pub(crate) fn shutdown(&mut self, time: Option<Duration>, order: ShutdownOrder) {
        (self.time, self.order) = (time, order);
    }

    /// Checks the tree's own settings.
    pub(crate) fn own(&self) -> Result<(), InvalidSettings> {
        self.limits.check()?;
        first(self.limits.strategy, |report| rules::time_to_end(self.time.into(), report))
    }

    /// Adds so many children with the same settings, and checks these.
    pub(crate) fn children(
        &mut self,
        options: &Options,
        lifecycle: Lifecycle,
        many: usize,
    ) -> Result<(), InvalidSettings> {
        self.count(validate::facts(options, lifecycle), many)
    }

    /// Adds a `[T]` or `[K => T]`, whose settings are those of its instances.
    pub(crate) fn set(
        &mut self,
        options: &Options,
        lifecycle: Lifecycle,
        initial: usize,
    ) -> Result<(), InvalidSettings> {
        let initial = Given::Is(count(initial));
        self.count(rules::Child { set: true, initial, ..validate::facts(options, lifecycle) }, 1)
    }

    fn count(&mut self, child: rules::Child, many: usize) -> Result<(), InvalidSettings> {
        first(self.limits.strategy, |report| rules::child(&child, &self.limits.facts(), report))?;
        if self.limits.facts().shares_budget() {
            self.waits.extend(child.as_member().into_iter().flat_map(|waits| repeat_n(waits, many)));
        }
        Ok(())
    }

    /// Adds the time that a child may take to stop (C12). `below`: the time that a tree's children may take, which
    /// counts if the tree has no time of its own.
    pub(crate) fn takes(&mut self, options: &Options, kind: ChildKind, below: Option<Duration>) {
        let shutdown = match options.common.shutdown {
            // The task is dropped at its next await (S29). `SPEC` counts no time for it either.
            None if options.common.without_context => Given::Is(rules::Shutdown::Within(Duration::ZERO)),
            shutdown => shutdown.map(rules::Shutdown::from).into(),
        };
        let one = of_child(shutdown, kind.only_supervises(), below);
        self.need = one_more(self.need, one, self.order == ShutdownOrder::Together);
    }

    /// Returns the time that an orderly stop of the tree may take.
    pub(crate) fn need(&self) -> Option<Duration> {
        of_tree(self.time.into(), self.need)
    }

    /// Checks all children together. `given`: the time that the tree itself has to stop, if it declares one.
    pub(crate) fn finish(&self, given: Option<ShutdownTimeout>) -> Result<(), InvalidSettings> {
        self.own()?;
        first(self.limits.strategy, |report| rules::group(&self.limits.facts(), &self.waits, report))?;
        match (self.need(), given) {
            (Some(need), Some(ShutdownTimeout::Within(given))) if too_short(need, given) => {
                Err(InvalidSettings::ShutdownTooShort { need, given })
            }
            _ => Ok(()),
        }
    }
}
