//! Checks that take all children of a tree together.

use std::time::Duration;

use supervise_rules::shutdown::{of_child, one_more, too_short};
use supervise_rules::{self as rules, Given, Waits};

use super::{InvalidSettings, Shutdown, SupervisorLimits, facts, first};
use crate::decide::member::Role;
use crate::options::Options;
use crate::strategy::{Lifecycle, Strategy};

/// Checks the children of a tree while the tree is built, and adds up what they need.
#[derive(Debug)]
pub(crate) struct TreeValidator {
    limits: SupervisorLimits,
    /// How the members of a group wait before they restart.
    waits: Vec<Waits>,
    /// The longest that all children can take to stop; `None` if nothing bounds it.
    need: Option<Duration>,
}

impl Default for TreeValidator {
    fn default() -> Self {
        TreeValidator { limits: SupervisorLimits::default(), waits: Vec::new(), need: Some(Duration::ZERO) }
    }
}

impl TreeValidator {
    pub(crate) fn supervision(&mut self, limits: SupervisorLimits) {
        self.limits = limits;
    }

    /// Checks the tree's own settings.
    pub(crate) fn own(&self) -> Result<(), InvalidSettings> {
        self.limits.check()
    }

    /// Checks and counts a child.
    pub(crate) fn child(&mut self, options: &Options, lifecycle: Lifecycle) -> Result<(), InvalidSettings> {
        self.count(facts::child(options, lifecycle))
    }

    /// Checks and counts a `[T]` or `[K => T]`. Its settings are those of its instances.
    pub(crate) fn set(
        &mut self,
        options: &Options,
        lifecycle: Lifecycle,
        initial: usize,
    ) -> Result<(), InvalidSettings> {
        let initial = Given::Is(facts::count(initial));
        self.count(rules::Child { set: true, initial, ..facts::child(options, lifecycle) })
    }

    fn count(&mut self, child: rules::Child) -> Result<(), InvalidSettings> {
        first(self.limits.strategy, |report| rules::child(&child, &self.limits.facts(), report))?;
        if self.limits.strategy != Strategy::OneForOne {
            self.waits.extend(child.as_member());
        }
        Ok(())
    }

    /// Adds the longest that a child can take to stop (C12). `below` is what the children of a tree can take, which
    /// holds for a tree without a time of its own.
    pub(crate) fn takes(&mut self, options: &Options, role: Role, below: Option<Duration>) {
        let shutdown = match options.common.shutdown {
            // It is dropped at its next await (S29), which `SPEC` says, too.
            None if options.common.without_context => Given::Is(rules::Shutdown::Within(Duration::ZERO)),
            shutdown => shutdown.map(rules::Shutdown::from).into(),
        };
        self.need = one_more(self.need, of_child(shutdown, role == Role::Tree, below));
    }

    pub(crate) fn need(&self) -> Option<Duration> {
        self.need
    }

    /// Checks what only all children together can exceed. `given` is the time that the tree itself has to stop.
    pub(crate) fn finish(&self, given: Option<Shutdown>) -> Result<(), InvalidSettings> {
        self.own()?;
        first(self.limits.strategy, |report| rules::group(&self.limits.facts(), &self.waits, report))?;
        match (self.need, given) {
            (Some(need), Some(Shutdown::Within(given))) if too_short(need, given) => {
                Err(InvalidSettings::ShutdownTooShort { need, given })
            }
            _ => Ok(()),
        }
    }
}
