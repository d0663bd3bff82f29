//! The end of a cell's task in every case, also when the runtime drops it.

use tokio::time::Instant;

use crate::engine::bus::extension::over;
use crate::engine::cell::control::{AnyCell, SystemMessage, closed, send};
use supervise_core::base::sync::Arc;
use supervise_core::decide::child::machine::Order;
use supervise_core::values::ended::Ended;
use supervise_core::values::event::EventKind;
use supervise_core::values::failure::Failure;
use supervise_core::values::report::ChildEnd;
use supervise_core::values::stop_reason::StopReason;

pub(super) struct CellGuard {
    cell: Arc<AnyCell>,
    /// The child has taken its last step.
    orderly: bool,
    /// The failure of this crate's own code, if that ended the task.
    bug: Option<Failure>,
}

impl CellGuard {
    pub(super) fn new(cell: Arc<AnyCell>, orderly: bool, bug: Option<Failure>) -> Self {
        CellGuard { cell, orderly, bug }
    }

    /// The runtime of this child alone is gone. Whether its supervisor lives on, the supervisor's own task finds out: if
    /// the two have the same runtime, that task is gone as well.
    fn lost_apart(&self) {
        let core = self.cell.core();
        self.cell.refuse();
        if core.ended().is_none() {
            core.emit(EventKind::Ended { ended: Ended::RuntimeGone });
            core.set_ended(Ended::RuntimeGone);
            self.report(Ended::RuntimeGone, false);
        }
        core.fail_start(&Ended::RuntimeGone);
        if let Some(owner) = core.supervisor() {
            send(&*owner, SystemMessage::Lost(self.cell.clone()));
        }
    }

    fn report(&self, ended: Ended, aborted: bool) {
        let took = std::time::Duration::ZERO;
        self.cell.core().tell_report(|| ChildEnd { ended, took, aborted, stuck: false, failure: None, failures: 0 });
    }

    /// The task was dropped before the child ended: the supervisor must not wait for it forever. `runtime_gone`: the
    /// supervisor must not count this as an end.
    fn lost(&self, runtime_gone: bool) {
        if let Some(owner) = self.cell.core().supervisor()
            && let Some(table) = owner.core().table()
        {
            let now = Instant::now();
            table.on_child(&*owner, &*self.cell, |group, id| {
                if runtime_gone {
                    group.runtime_gone();
                }
                group.lose(id, Ended::Stopped, now);
            });
        }
    }

    /// An extension has dropped the task: for its group, and for all others, the child was aborted.
    fn dropped(&self) {
        let core = self.cell.core();
        if let Some(owner) = core.supervisor()
            && let Some(table) = owner.core().table()
        {
            let now = Instant::now();
            table.on_child(&*owner, &*self.cell, |group, id| group.lose(id, Ended::Aborted, now));
        }
        self.cell.refuse();
        if core.ended().is_none() {
            core.emit(EventKind::Ended { ended: Ended::Aborted });
            core.set_ended(Ended::Aborted);
            self.report(Ended::Aborted, true);
        }
        core.fail_start(&Ended::Aborted);
        if core.parent.is_none() {
            over(core);
            core.bus.close();
        }
        closed(&*self.cell);
    }

    /// The task cannot even take the child down: all watchers are notified, and the children end immediately.
    fn buried(&self, bug: Failure) {
        let core = self.cell.core();
        for child in core.table().map(|table| table.cells()).unwrap_or_default() {
            send(&*child, SystemMessage::Order(Order::End(Ended::Stopped, StopReason::FailedAbove)));
        }
        let ended = Ended::Failed(bug);
        core.emit(EventKind::Ended { ended: ended.clone() });
        core.set_ended(ended.clone());
        self.report(ended, true);
    }
}

impl Drop for CellGuard {
    fn drop(&mut self) {
        if !self.orderly && self.bug.is_none() && self.cell.core().was_dropped() {
            self.dropped();
        } else if !self.orderly && self.bug.is_none() && self.cell.core().is_apart() {
            self.lost_apart();
        } else if !self.orderly {
            let core = self.cell.core();
            // First: after this, no requested start can reopen the mailbox, and an earlier one is undone here.
            self.lost(self.bug.is_none());
            self.cell.refuse();
            if core.ended().is_none() {
                match self.bug.take() {
                    Some(bug) => self.buried(bug),
                    None => core.set_ended(Ended::RuntimeGone),
                }
            }
            core.fail_start(&Ended::RuntimeGone);
            if core.parent.is_none() {
                over(core);
                core.bus.close();
            }
            closed(&*self.cell);
        }
        if let Some(table) = self.cell.core().table() {
            table.finish();
        }
        let core = self.cell.core();
        core.set_supervisor(None);
        let at_top = core.parent.as_ref().is_none_or(|parent| parent.core().is_guardian());
        if at_top || core.is_apart() {
            core.forget_runtime();
        }
        if at_top && core.parent.is_some() {
            over(core);
        }
    }
}
