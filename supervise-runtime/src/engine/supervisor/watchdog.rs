//! Children that do not go down within their time. They abort themselves; if they block their thread, they are
//! reported, and after a while no longer waited for (S24, S25).

use std::time::Duration;

use tokio::time::Instant;

use super::{ChildTable, Entry, Inner};
use crate::engine::cell::control::{AnyCell, SystemMessage, send};
use supervise_core::base::clock::after;
use supervise_core::base::deferred_drop::DeferDrops;
use supervise_core::base::sync::{Arc, lock};
use supervise_core::decide::group::Id;
use supervise_core::decide::member::MemberState;
use supervise_core::values::ended::Ended;
use supervise_core::values::event::EventKind;
use supervise_core::values::report::ChildEnd;

/// After its time, a child gets this long before it counts as stuck.
const STUCK_AFTER: Duration = Duration::from_millis(500);
/// A shutdown stops waiting for a stuck child this long after its time.
const GIVE_UP_AFTER: Duration = Duration::from_secs(5);
/// The interval in which a stuck child is reported.
const STUCK_EVERY: Duration = Duration::from_secs(10);

/// The reports about a child that is going down.
#[derive(Debug, Default)]
pub(super) struct Stuck {
    since: Option<Instant>,
    reports: u32,
    given_up: bool,
}

impl Stuck {
    pub(super) fn is_given_up(&self) -> bool {
        self.given_up
    }
}

impl ChildTable {
    /// Aborts all children that are still up, whatever time they have. The watchdog finds those that do not go down.
    pub(crate) fn abort(&self, owner: &AnyCell, now: Instant) {
        for cell in self.cells() {
            send(&*cell, SystemMessage::Abort);
        }
        let mut inner = lock(&self.inner);
        if inner.aborted.is_none() {
            inner.aborted = Some(now);
            inner.watched = true;
            drop(inner);
            send(owner, SystemMessage::Watchdog);
        }
    }

    /// Reports the children whose time is over; if `stopping`, stops waiting for them. Returns the time of the next
    /// check.
    pub(crate) fn watchdog(&self, owner: &AnyCell, stopping: bool, now: Instant) -> Option<Instant> {
        // A child that waits for its own children is not stuck: it runs its own watchdog.
        let patient: Vec<Id> = {
            let cells = lock(&self.inner).cells_going_down();
            cells
                .into_iter()
                .filter(|(_, cell)| cell.core().table().is_some_and(ChildTable::is_waiting))
                .map(|(id, _)| id)
                .collect()
        };
        let _shelter = DeferDrops::new();
        let mut inner = lock(&self.inner);
        let aborted = inner.aborted;
        let going: Vec<(Id, Instant)> = inner.group.going_down().collect();
        let mut next: Option<Instant> = None;
        let mut given_up = Vec::new();
        let mut said = Vec::new();
        for (id, since) in going {
            let shutdown = inner.group.shutdown_time(id);
            let Some(Some(Entry::Child { cell, cold })) = inner.entries.get_mut(id as usize) else {
                continue;
            };
            let own = shutdown.map(|time| after(since, time));
            let stuck = &mut cold.get_or_insert_default().stuck;
            // The time at which the child's time is, or was, over.
            let Some(over) = own.into_iter().chain(aborted.map(|at| at.max(since))).min() else { continue };
            let stuck_at = |reports| after(after(over, STUCK_AFTER), STUCK_EVERY.saturating_mul(reports));
            let give_up_at = after(over, GIVE_UP_AFTER);
            // Both lists are in the order of the slots.
            let look = if patient.binary_search(&id).is_ok() {
                after(now, STUCK_AFTER)
            } else {
                if stuck.since != Some(since) {
                    *stuck = Stuck { since: Some(since), ..Stuck::default() };
                }
                if now >= stuck_at(stuck.reports) {
                    stuck.reports += 1;
                    said.push(cell.clone());
                }
                if stopping && now >= give_up_at {
                    stuck.given_up = true;
                    given_up.push((id, cell.clone(), since));
                    continue;
                }
                let look = stuck_at(stuck.reports);
                if stopping { look.min(give_up_at) } else { look }
            };
            next = Some(next.map_or(look, |next| next.min(look)));
        }
        inner.watched = next.is_some();
        drop(inner);
        for (_, cell, since) in &given_up {
            cell.core().bus.extensions.every(|extension| extension.gives_up(cell));
            // The report goes up through other groups, so not under the lock of this one.
            cell.core().tell_report(|| ChildEnd {
                ended: Ended::Aborted,
                took: now.duration_since(*since),
                aborted: true,
                stuck: true,
                failure: None,
                failures: 0,
            });
        }
        let mut inner = lock(&self.inner);
        for (id, cell, _) in &given_up {
            // The child may have come down after all.
            if inner.id_of(&**cell) == Some(*id) && inner.group.at(*id) == MemberState::GoingDown {
                inner.group.gone(*id, now);
            }
        }
        Inner::carry_out(inner, owner).done();
        for cell in said {
            cell.core().emit(EventKind::Stuck);
        }
        next
    }

    /// Returns whether a child was asked to go down and is not down yet.
    fn is_waiting(&self) -> bool {
        self.inspect(|group| group.going_down().next().is_some())
    }
}

impl Inner {
    fn cells_going_down(&self) -> Vec<(Id, Arc<AnyCell>)> {
        self.group.going_down().filter_map(|(id, _)| Some((id, self.cell(id)?))).collect()
    }
}
