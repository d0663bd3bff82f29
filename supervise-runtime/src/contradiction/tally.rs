//! Contradictions that only all children of a tree together can have.

use std::time::Duration;

use super::{Contradiction, Outer, demand, pace};
use crate::actor::options::Options;
use crate::values::backoff::Backoff;
use crate::values::kind::ChildKind;
use crate::values::strategy::{Lifecycle, MaxRestarts, Shutdown, Strategy};

/// Sums up the children of a tree while the tree is built.
#[derive(Debug)]
pub(crate) struct Tally {
    outer: Outer,
    /// The backoffs of the children that restart; `None` as soon as a child without a backoff is added.
    paces: Option<Vec<Backoff>>,
    /// The time that all children together may take to stop; `None` if it is not limited.
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

    /// Checks the tree's own settings.
    pub(crate) fn own(&self) -> Result<(), Contradiction> {
        self.outer.check()
    }

    /// Adds a child, and checks its settings.
    pub(crate) fn child(&mut self, options: &Options, lifecycle: Lifecycle) -> Result<(), Contradiction> {
        Contradiction::of_child(options, lifecycle, &self.outer)?;
        self.count(lifecycle, options.common.backoff);
        Ok(())
    }

    /// Adds a set. Its settings are those of its instances, to which the tree's budget does not apply.
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

    /// Adds the time that the child may take to stop (C12). `below`: the time of a tree's children, which counts if the
    /// tree declares no time.
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

    /// Checks the sums once all children are added. `given`: the declared time in which the tree itself has to stop.
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
