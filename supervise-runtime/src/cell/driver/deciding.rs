//! From a failure to its decision: the group told, the deciders asked (S7 to S9).

use rand::{Rng as _, SeedableRng as _};

use super::*;
use crate::cell::control::{SystemMessage, queue};
use crate::decide::group::{Facts as GroupFacts, FailureRoute};
use crate::decide::member::At as Stand;
use crate::strategy::{Directive, Lifecycle, default_directive};
use crate::validate::InvalidSettings;
use crate::watch::Ended;

impl Engine {
    pub(super) fn facts(&mut self, handled: bool) -> GroupFacts {
        let random = match self.common.backoff {
            None => 0,
            Some(_) => self.jitter().next_u64(),
        };
        GroupFacts { handled, random, now: Instant::now() }
    }

    fn jitter(&mut self) -> &mut SmallRng {
        let ctl = self.cell.ctl();
        self.extras.get_or_insert_default().random.get_or_insert_with(|| {
            let seed = ctl.path().bytes().fold(ctl.bus.seed ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            SmallRng::seed_from_u64(seed)
        })
    }

    /// Asks the deciders: the child's own, the supervisor's, the default (S8, S9). Of a `Temporary` child only its own
    /// is asked (S23). `None`: nobody was, or has said anything, and it ends.
    fn directive(&mut self, machine: &Machine, failure: &Failure) -> Option<Directive> {
        let own = self.common.decider.clone();
        let once = self.common.lifecycle_or(self.role) == Lifecycle::Temporary;
        if failure.error::<InvalidSettings>().is_some() {
            return (!once).then_some(Directive::Stop); // another start would find the same
        }
        let above = if once { None } else { self.parent().and_then(|(sup, _)| sup.decider()) };
        let arms = own.as_ref().is_some_and(|d| d.has_arms()) || above.as_ref().is_some_and(|d| d.has_arms());
        let declared = self.common.backoff.is_some();
        let said = self.ask(|| {
            let own = own.as_ref().and_then(|decider| decider.decide(failure));
            own.or_else(|| above.as_ref().and_then(|decider| decider.decide(failure)))
        });
        match said {
            // There is no restart to decide on.
            Ok(Some(Directive::Restart)) if once => Some(Directive::Stop),
            Ok(Some(directive)) => Some(directive),
            Ok(None) => (!once).then(|| default_directive(failure, declared, arms)),
            Err(panic) => {
                self.report(machine, Cause::Panic(panic));
                Some(Directive::Escalate)
            }
        }
    }

    /// Tells the group of a failure: what is done about it, and how many restarts in a row it would be.
    fn tell_group(&self, instance: bool) -> (FailureRoute, u32) {
        let handed_in = self.with_group(|group, id| (group.failed(id, instance), group.row(id) + 1));
        handed_in.unwrap_or((FailureRoute::ReportOnly, 1))
    }

    pub(super) fn decide_first(
        &mut self,
        machine: &Machine,
        failure: &Failure,
        instance: bool,
        hands: &mut dyn Hands,
    ) -> FailureRoute {
        let (reported, row) = self.tell_group(instance);
        self.decide(machine, failure, (reported, row), hands);
        reported
    }

    /// A kept failure is decided now.
    pub(super) fn decide_again(&mut self, machine: &Machine, failure: &Failure, hands: &mut dyn Hands) {
        let row = self.with_group(|group, id| group.row(id) + 1).unwrap_or(1);
        self.decide(machine, failure, (FailureRoute::Decide, row), hands);
    }

    fn decide(
        &mut self,
        machine: &Machine,
        failure: &Failure,
        (reported, row): (FailureRoute, u32),
        hands: &mut dyn Hands,
    ) {
        match reported {
            FailureRoute::Decide => {
                // The decider is not asked about an end (S23), nor about a bug of what runs the child (S19).
                let directive = match failure.cause() {
                    Cause::EndedByItself => Some(Directive::Restart),
                    // Code that failed in running it is not to be trusted with the next start alone.
                    Cause::Bug(_) if failure.path() == self.cell.ctl().path() => Some(Directive::Escalate),
                    _ => self.directive(machine, failure),
                };
                let facts = self.facts(hands.has_handled());
                if let Some(directive) = directive {
                    let comes_to = self.with_group(|group, id| {
                        let instance = group.at(id) == Stand::Failed;
                        group.comes_to(id, directive, instance, facts.now)
                    });
                    let told = comes_to.unwrap_or(directive);
                    let ctl = self.cell.ctl();
                    ctl.emit(EventKind::Decided { directive: told, failure: failure.clone(), row });
                }
                let directive = directive.unwrap_or(Directive::Stop);
                let decided = self.with_group(|group, id| group.decided(id, directive, failure, facts));
                if decided == Some(FailureRoute::Absorbed) {
                    self.cell.ctl().fails_late(failure.clone()); // it was asked to go down meanwhile
                }
                self.cell.ctl().bus.changed.notify_waiters(); // who waits for its start may go on
            }
            FailureRoute::Kept => {}
            FailureRoute::Absorbed | FailureRoute::ReportOnly => {
                self.cell.ctl().fails_late(failure.clone());
            }
        }
    }

    /// It has come down after a bug of this crate: that is a failure which is escalated.
    pub(super) fn tell_of_bug(&mut self, machine: &Machine, bug: &Failure, hands: &mut dyn Hands) {
        let over = self.with_group(|group, id| group.at(id) == Stand::Ended).unwrap_or(true);
        let reported = self.decide_first(machine, bug, false, hands);
        if over {
            queue(&*self.cell, SystemMessage::Order(Order::Over(Ended::by(bug)))); // what it was told of its end is lost
        }
        if matches!(reported, FailureRoute::Absorbed | FailureRoute::ReportOnly) {
            // It was asked to go down, which may be lost too.
            let now = Instant::now();
            self.with_group(|group, id| group.gone(id, now));
        }
    }
}
