//! The end of a cell's task in every case, also when the runtime drops it.

use tokio::time::Instant;

use crate::base::sync::Arc;
use crate::decide::child::machine::Order;
use crate::engine::cell::control::{Controlled, SystemMessage, closed, send};
use crate::values::ended::Ended;
use crate::values::event::EventKind;
use crate::values::failure::Failure;
use crate::values::report::ChildReport;

pub(super) struct Farewell {
    cell: Arc<dyn Controlled>,
    orderly: bool,
    /// The failure of this crate's own code, if that ended the task.
    bug: Option<Failure>,
}

impl Farewell {
    pub(super) fn new(cell: Arc<dyn Controlled>) -> Self {
        Farewell { cell, orderly: false, bug: None }
    }

    pub(super) fn is_orderly(&self) -> bool {
        self.orderly
    }

    pub(super) fn was_orderly(&mut self) {
        self.orderly = true;
    }

    pub(super) fn buries(&mut self, bug: Failure) {
        self.bug = Some(bug);
    }

    /// The task was dropped before the child ended: the supervisor must not wait for it forever. `runtime_gone`: the
    /// supervisor must not count this as an end.
    fn lost(&self, runtime_gone: bool) {
        if let Some(owner) = self.cell.ctl().supervisor()
            && let Some(sup) = owner.ctl().sup()
        {
            let now = Instant::now();
            sup.on_child(&*owner, &*self.cell, |group, id| {
                if runtime_gone {
                    group.runtime_gone();
                }
                group.lose(id, now);
            });
        }
    }

    /// The task cannot even take the child down: all watchers are notified, and the children end immediately.
    fn buried(&self, bug: Failure) {
        let ctl = self.cell.ctl();
        for child in ctl.sup().map(|sup| sup.cells()).unwrap_or_default() {
            send(&*child, SystemMessage::Order(Order::End(Ended::Stopped)));
        }
        let ended = Ended::Failed(bug);
        ctl.emit(EventKind::Ended { ended: ended.clone() });
        ctl.set_ended(ended.clone());
        let took = std::time::Duration::ZERO;
        ctl.tell_report(|path| {
            let ended = ended.clone();
            ChildReport { path, ended, took, aborted: true, stuck: false, failure: None, failures: 0 }
        });
    }
}

impl Drop for Farewell {
    fn drop(&mut self) {
        if !self.orderly {
            let ctl = self.cell.ctl();
            // First: after this, no requested start can reopen the mailbox, and an earlier one is undone here.
            self.lost(self.bug.is_none());
            self.cell.refuse();
            if ctl.ended().is_none() {
                match self.bug.take() {
                    Some(bug) => self.buried(bug),
                    None => ctl.set_ended(Ended::RuntimeGone),
                }
            }
            if ctl.parent.is_none() {
                ctl.bus.close();
            }
            closed(&*self.cell);
        }
        if let Some(sup) = self.cell.ctl().sup() {
            sup.finish();
        }
        let ctl = self.cell.ctl();
        ctl.set_supervisor(None);
        if ctl.parent.as_ref().is_none_or(|parent| parent.ctl().is_guardian()) {
            ctl.bus.spans.end();
        }
    }
}
