//! What only all children of a tree together can contradict.

use std::time::Duration;

use super::{Contradiction, Outer, demand, pace};
use crate::actor::options::Options;
use crate::values::backoff::Backoff;
use crate::values::kind::ChildKind;
use crate::values::strategy::{Lifecycle, MaxRestarts, Shutdown, Strategy};

/// Counts the children of a tree while it is built.
#[derive(Debug)]
pub(crate) struct Tally {
    outer: Outer,
    /// The pace of those that restart; `None` once there is one without a backoff.
    paces: Option<Vec<Backoff>>,
    /// The time that all of them may take to stop; `None` where nothing bounds it.
    need: Option<Duration>,
}

impl Default for Tally {
    fn default() -> Self {
        let outer = Outer::default();
        Tally { outer, paces: Some(Vec::new()), need: Some(Duration::ZERO) }
    }
}

impl Tally {
    pub(crate) fn supervision(&mut self, outer: Outer) {
        self.outer = outer;
    }

    /// What contradicts itself in the tree's own settings.
    pub(crate) fn own(&self) -> Result<(), Contradiction> {
        self.outer.check()
    }

    /// A child, with what contradicts itself in its own settings.
    pub(crate) fn child(&mut self, options: &Options, lifecycle: Lifecycle) -> Result<(), Contradiction> {
        Contradiction::of_child(options, lifecycle, &self.outer)?;
        self.count(lifecycle, options.common.backoff);
        Ok(())
    }

    /// A set: its settings are those of its instances, which know nothing of the tree's budget.
    pub(crate) fn set(&mut self, options: &Options, lifecycle: Lifecycle, initial: usize) -> Result<(), Contradiction> {
        Contradiction::of_child(options, lifecycle, &Outer::default())?;
        let most = options.common.max_children.unwrap_or(usize::MAX);
        demand(initial <= most, Contradiction::TooManyInitial { initial, most })?;
        self.count(lifecycle, None);
        Ok(())
    }

    fn count(&mut self, lifecycle: Lifecycle, backoff: Option<Backoff>) {
        if lifecycle == Lifecycle::Temporary {
            return;
        }
        match (&mut self.paces, backoff) {
            (Some(paces), Some(backoff)) => paces.push(backoff),
            _ => self.paces = None,
        }
    }

    /// How long it may take to stop (C12). `below`: what a tree's children may take, which holds if it has no time of
    /// its own.
    pub(crate) fn takes(&mut self, options: &Options, kind: ChildKind, below: Option<Duration>) {
        let time = match options.common.shutdown_or_default(kind) {
            Shutdown::Within(time) => Some(time),
            Shutdown::Kill => Some(Duration::ZERO),
            Shutdown::Infinity if options.common.shutdown.is_some() => None,
            Shutdown::Infinity => below,
        };
        self.need = self.need.zip(time).map(|(sum, time)| sum.saturating_add(time));
    }

    pub(crate) fn need(&self) -> Option<Duration> {
        self.need
    }

    /// All are there. `given`: the time that the tree itself has to stop, if it says so.
    pub(crate) fn finish(&self, given: Option<Shutdown>) -> Result<(), Contradiction> {
        let Outer { strategy, limit } = self.outer;
        self.own()?;
        if strategy != Strategy::OneForOne
            && let (Some(MaxRestarts::AtMost(max)), Some(within), Some(paces)) =
                (limit.max_restarts, limit.within, &self.paces)
        {
            pace::reached(paces.iter().map(Some), max, within)?;
        }
        match (self.need, given) {
            (Some(need), Some(Shutdown::Within(given))) => {
                demand(need <= given, Contradiction::ShutdownTooShort { need, given })
            }
            _ => Ok(()),
        }
    }
}
