//! The settings of one child (rules C4 to C6).

use core::time::Duration;

use crate::limit::{Limit, MaxRestarts, Supervision};
use crate::{Backoff, Given, Problem, Shutdown, Waits, is_time};

/// The ends after which a child is started again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lifecycle {
    /// After every end.
    #[default]
    Permanent,
    /// After a failure.
    Transient,
    /// Never.
    Temporary,
}

impl Lifecycle {
    /// The lifecycle of a child for which none is written. `spawned`: it begins at run time, so it is in a set, or its
    /// parent is an actor.
    pub const fn default_for(is_task: bool, spawned: bool) -> Self {
        if is_task || spawned { Lifecycle::Transient } else { Lifecycle::Permanent }
    }

    /// The word for it in a declaration.
    pub const fn word(self) -> &'static str {
        match self {
            Lifecycle::Permanent => "Permanent",
            Lifecycle::Transient => "Transient",
            Lifecycle::Temporary => "Temporary",
        }
    }
}

/// The size of a mailbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mailbox {
    /// At most this many messages.
    Bounded(u64),
    /// Any number.
    Unbounded,
}

/// The settings of a child, as far as they are known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Child {
    /// Whether these are the settings of the instances of a set, `[T]` or `[K => T]`. A set has no part in the
    /// limit of the tree.
    pub set: bool,
    /// The ends after which the child is started again.
    pub lifecycle: Lifecycle,
    /// The time that the child has to stop.
    pub shutdown: Given<Shutdown>,
    /// The time that a start may take.
    pub start: Given<Duration>,
    /// The time that an actor may take for each message.
    pub handler: Given<Duration>,
    /// The time that an `ask` waits.
    pub ask: Given<Duration>,
    /// Whether a stop handles the queued messages first.
    pub drain: bool,
    /// Whether the supervisor ends with the child.
    pub significant: bool,
    /// Whether the first start of the tree goes on without the child.
    pub best_effort: bool,
    /// The delay before each restart.
    pub backoff: Option<Backoff>,
    /// The delay before each restart of a child that declares none: the default of its tree.
    pub pace: Option<Backoff>,
    /// The restart limit of the child itself.
    pub limit: Limit,
    /// The number of messages that can wait.
    pub mailbox: Given<Mailbox>,
    /// Whether a restart begins with an empty mailbox.
    pub fresh: bool,
    /// Whether messages are refused while the child is down.
    pub rejects: bool,
    /// The largest number of instances of a set.
    pub max_children: Given<u64>,
    /// The largest number of instances of a set that start at the same time.
    pub max_starting: Given<u64>,
    /// The number of instances that a set begins with.
    pub initial: Given<u64>,
    /// The number of times that a message is delivered again, where `redeliver` is written.
    pub attempts: Given<u32>,
    /// Whether the child has a hook `pre_restart` of its own.
    pub pre_restart: bool,
    /// Whether the child has a hook `post_restart` of its own.
    pub post_restart: bool,
}

/// Reports problems in the settings of one child below this supervisor.
pub fn child(child: &Child, above: &Supervision, report: &mut dyn FnMut(Problem)) {
    child.times(report);
    match child.delay() {
        Some(Backoff::Exponential(backoff)) => backoff.check(report),
        Some(Backoff::Stepped(backoff)) => backoff.check(report),
        Some(Backoff::Slotted { .. }) | None => {}
    }
    child.counts(report);
    child.combinations(report);
    if child.lifecycle == Lifecycle::Temporary {
        child.about_restarts(report);
    }
    let above = if child.set { &Supervision::default() } else { above };
    let most = child.limit.max_restarts.or(above.limit.max_restarts);
    if most == Given::Is(MaxRestarts::AtMost(0)) && child.backoff.is_some() && child.lifecycle != Lifecycle::Temporary {
        report(Problem::NoRestarts);
    }
    if !above.shares_budget() {
        // The default limit is not checked with a pace: a slow pace may leave it without effect.
        let is_limited = child.pace.is_none() || most.is_given();
        let waits = (child.lifecycle != Lifecycle::Temporary && is_limited).then(|| Waits::new(child.delay()));
        child.limit.check_own(&above.limit, child.backoff.is_some(), waits, report);
    } else if child.limit.is_given() {
        report(Problem::LimitInGroup);
    }
}

/// The problem of an array of this length, if there is one.
pub const fn array(length: usize) -> Option<Problem> {
    match length {
        0 => Some(Problem::EmptyArray),
        _ => None,
    }
}

impl Child {
    /// The waits that this child adds to a group; `None` if it is never restarted.
    ///
    /// Every child without a backoff has an immediate first restart. The backoff of a set is that of its instances, and
    /// not of the set.
    pub fn as_member(&self) -> Option<Waits> {
        match self.delay() {
            _ if self.lifecycle == Lifecycle::Temporary => None,
            Some(backoff) if !self.set => Some(Waits::new(Some(backoff))),
            _ => Some(Waits::Unknown),
        }
    }

    /// The delay that holds for the child.
    fn delay(&self) -> Option<&Backoff> {
        self.backoff.as_ref().or(self.pace.as_ref())
    }

    fn times(&self, report: &mut dyn FnMut(Problem)) {
        let shutdown = match self.shutdown {
            Given::Is(Shutdown::Within(time)) => Some(time),
            _ => None,
        };
        let backoff = match self.delay() {
            Some(Backoff::Exponential(backoff)) => backoff.min,
            Some(Backoff::Slotted { slot_time }) => Some(*slot_time),
            Some(Backoff::Stepped(backoff)) if backoff.has_zero => Some(Duration::ZERO),
            Some(Backoff::Stepped(_)) | None => None,
        };
        let times = [
            ("shutdown", shutdown),
            ("start", self.start.value()),
            ("handler", self.handler.value()),
            ("ask", self.ask.value()),
            ("backoff", backoff),
        ];
        for (setting, time) in times {
            if time.is_some_and(|time| !is_time(time)) {
                report(Problem::NoTime(setting));
            }
        }
    }

    fn counts(&self, report: &mut dyn FnMut(Problem)) {
        if self.mailbox == Given::Is(Mailbox::Bounded(0)) {
            report(Problem::NoPlaces);
        }
        if self.max_children == Given::Is(0) {
            report(Problem::NoChildren);
        } else if let (Given::Is(initial), Given::Is(most)) = (self.initial, self.max_children)
            && initial > most
        {
            report(Problem::TooManyInitial { initial, most });
        }
        if self.max_starting == Given::Is(0) {
            report(Problem::NoStarts);
        } else if let (Given::Is(starting), Given::Is(most)) = (self.max_starting, self.max_children)
            && most > 0
            && starting >= most
        {
            report(Problem::StartsNotLimited { starting, most });
        }
        if self.attempts == Given::Is(0) {
            report(Problem::NoAttempts);
        }
    }

    /// Reports settings that do not go with each other.
    fn combinations(&self, report: &mut dyn FnMut(Problem)) {
        if self.delay().is_some() && self.mailbox == Given::Is(Mailbox::Unbounded) && !self.rejects {
            report(Problem::UnboundedHold);
        }
        if self.fresh && self.attempts.is_given() {
            report(Problem::FreshRedelivers);
        }
        if self.drain && self.shutdown == Given::Is(Shutdown::Kill) {
            report(Problem::DrainWithoutTime);
        }
        if self.significant && self.lifecycle == Lifecycle::Permanent {
            report(Problem::SignificantPermanent);
        }
        if self.best_effort && self.significant && self.lifecycle == Lifecycle::Temporary {
            report(Problem::SignificantBestEffort);
        }
    }

    /// Reports the settings that have no effect on a child that is never restarted.
    fn about_restarts(&self, report: &mut dyn FnMut(Problem)) {
        let allows_none = matches!(self.limit.max_restarts, Given::Absent | Given::Is(MaxRestarts::AtMost(0)));
        let written = [
            ("limit", !allows_none),
            ("backoff", self.backoff.is_some()),
            ("pre_restart", self.pre_restart),
            ("post_restart", self.post_restart),
            ("redeliver", self.attempts.is_given()),
            ("fresh", self.fresh),
        ];
        for (setting, _) in written.into_iter().filter(|(_, is_written)| *is_written) {
            report(Problem::NeverRestarted(setting));
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::vec::Vec;

    use super::*;
    use crate::{Exponential, Reset};

    const fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    fn problems(child: &Child) -> Vec<Problem> {
        below(child, &Supervision::default())
    }

    fn below(child: &Child, above: &Supervision) -> Vec<Problem> {
        let mut found = Vec::new();
        super::child(child, above, &mut |problem| found.push(problem));
        found
    }

    fn most(max: u32, within: Duration) -> Limit {
        Limit { max_restarts: Given::Is(MaxRestarts::AtMost(max)), within: Given::Is(within), ..Limit::default() }
    }

    const BACKOFF: Backoff = Backoff::Exponential(Exponential {
        min: Some(secs(1)),
        max: Some(secs(8)),
        factor: Given::Absent,
        random_factor: Given::Absent,
        reset: Given::Is(Reset::Auto(secs(60))),
    });

    #[test]
    fn a_pace_delays_and_declares_nothing() {
        let paced = Child { pace: Some(BACKOFF), ..Child::default() };
        assert_eq!(problems(&paced), []);
        assert_eq!(problems(&Child { mailbox: Given::Is(Mailbox::Unbounded), ..paced }), [Problem::UnboundedHold]);
        // The default limit still holds, so a window alone has a meaning. A written limit must be reachable.
        let window = Limit { within: Given::Is(secs(9)), ..Limit::default() };
        assert_eq!(problems(&Child { limit: window, ..paced }), []);
        assert!(matches!(problems(&Child { limit: most(9, secs(9)), ..paced })[..], [Problem::NeverReached { .. }]));
        let above = Supervision { limit: most(9, secs(9)), ..Supervision::default() };
        assert!(matches!(below(&paced, &above)[..], [Problem::NeverReached { .. }]));
        assert_eq!(problems(&Child { lifecycle: Lifecycle::Temporary, ..paced }), [], "it is never restarted");
        assert!(paced.as_member() == Child { backoff: Some(BACKOFF), ..Child::default() }.as_member());
    }

    #[test]
    fn by_default_what_is_declared_is_permanent() {
        assert_eq!(Lifecycle::default_for(false, false), Lifecycle::Permanent);
        assert_eq!(Lifecycle::default_for(true, false), Lifecycle::Transient);
        assert_eq!(Lifecycle::default_for(false, true), Lifecycle::Transient);
        assert_eq!(Lifecycle::default_for(true, true), Lifecycle::Transient);
    }

    #[test]
    fn the_word_is_the_name() {
        for lifecycle in [Lifecycle::Permanent, Lifecycle::Transient, Lifecycle::Temporary] {
            assert_eq!(std::format!("{lifecycle:?}"), lifecycle.word());
        }
    }

    #[test]
    fn defaults_are_sound() {
        for lifecycle in [Lifecycle::Permanent, Lifecycle::Transient, Lifecycle::Temporary] {
            assert_eq!(problems(&Child { lifecycle, ..Child::default() }), []);
        }
    }

    #[test]
    fn every_time_is_longer_than_zero() {
        let (one, none) = (secs(1), Duration::ZERO);
        let with = |shutdown, start, ask, slot_time| Child {
            shutdown: Given::Is(Shutdown::Within(shutdown)),
            start: Given::Is(start),
            ask: Given::Is(ask),
            backoff: Some(Backoff::Slotted { slot_time }),
            ..Child::default()
        };
        assert_eq!(problems(&with(one, one, one, one)), []);
        assert_eq!(problems(&with(none, one, one, one)), [Problem::NoTime("shutdown")]);
        assert_eq!(problems(&with(one, none, one, one)), [Problem::NoTime("start")]);
        assert_eq!(problems(&with(one, one, none, one)), [Problem::NoTime("ask")]);
        assert_eq!(problems(&with(one, one, one, none)), [Problem::NoTime("backoff")]);
        let handling = Child { handler: Given::Is(none), ..Child::default() };
        assert_eq!(problems(&handling), [Problem::NoTime("handler")]);
        let backoff = Exponential { min: Some(none), max: Some(one), ..Exponential::default() };
        let growing = Child { backoff: Some(Backoff::Exponential(backoff)), ..Child::default() };
        assert_eq!(problems(&growing), [Problem::NoTime("backoff")]);
    }

    #[test]
    fn numbers_of_a_backoff_are_checked() {
        let backoff = Exponential { factor: Given::Is(0.5), ..Exponential::default() };
        let child = Child { backoff: Some(Backoff::Exponential(backoff)), ..Child::default() };
        assert_eq!(problems(&child), [Problem::Factor(0.5)]);
    }

    #[test]
    fn counts_are_at_least_1() {
        let of = |places| problems(&Child { mailbox: Given::Is(Mailbox::Bounded(places)), ..Child::default() });
        assert_eq!((of(0), of(1)), ([Problem::NoPlaces].into(), [].into()));
        let of = |attempts| problems(&Child { attempts: Given::Is(attempts), ..Child::default() });
        assert_eq!((of(0), of(1)), ([Problem::NoAttempts].into(), [].into()));
        let of = |most| problems(&Child { set: true, max_children: Given::Is(most), ..Child::default() });
        assert_eq!((of(0), of(1)), ([Problem::NoChildren].into(), [].into()));
        assert_eq!((array(0), array(1)), (Some(Problem::EmptyArray), None));
    }

    #[test]
    fn a_limit_of_starts_is_below_that_of_children() {
        let of = |starting, most| {
            problems(&Child { set: true, max_starting: Given::Is(starting), max_children: most, ..Child::default() })
        };
        assert_eq!(of(1, Given::Absent), []);
        assert_eq!(of(0, Given::Absent), [Problem::NoStarts]);
        assert_eq!(of(1, Given::Is(2)), []);
        assert_eq!(of(2, Given::Is(2)), [Problem::StartsNotLimited { starting: 2, most: 2 }]);
        assert_eq!(of(2, Given::Is(0)), [Problem::NoChildren], "one mistake");
        assert_eq!(of(2, Given::Computed), []);
    }

    #[test]
    fn a_set_does_not_begin_too_full() {
        let of = |initial, most| {
            problems(&Child {
                set: true,
                initial: Given::Is(initial),
                max_children: Given::Is(most),
                ..Child::default()
            })
        };
        assert_eq!(of(2, 2), []);
        assert_eq!(of(3, 2), [Problem::TooManyInitial { initial: 3, most: 2 }]);
        assert_eq!(of(3, 0), [Problem::NoChildren]);
    }

    #[test]
    fn an_unbounded_mailbox_does_not_wait_for_a_backoff() {
        let of = |backoff, mailbox, rejects| {
            problems(&Child { backoff, mailbox: Given::Is(mailbox), rejects, ..Child::default() })
        };
        assert_eq!(of(Some(BACKOFF), Mailbox::Unbounded, false), [Problem::UnboundedHold]);
        assert_eq!(of(None, Mailbox::Unbounded, false), []);
        assert_eq!(of(Some(BACKOFF), Mailbox::Bounded(1), false), []);
        assert_eq!(of(Some(BACKOFF), Mailbox::Unbounded, true), []);
    }

    #[test]
    fn a_drain_needs_time() {
        let of = |drain, shutdown| problems(&Child { drain, shutdown: Given::Is(shutdown), ..Child::default() });
        assert_eq!(of(true, Shutdown::Kill), [Problem::DrainWithoutTime]);
        assert_eq!(of(false, Shutdown::Kill), []);
        assert_eq!(of(true, Shutdown::Infinity), []);
    }

    #[test]
    fn what_the_tree_ends_with_is_no_best_effort() {
        let of =
            |significant, lifecycle| problems(&Child { best_effort: true, significant, lifecycle, ..Child::default() });
        assert_eq!(of(true, Lifecycle::Temporary), [Problem::SignificantBestEffort]);
        assert_eq!(of(true, Lifecycle::Transient), [], "its failure does not end the tree");
        assert_eq!(of(false, Lifecycle::Temporary), []);
    }

    #[test]
    fn only_what_ends_by_itself_is_significant() {
        let of = |significant, lifecycle| problems(&Child { significant, lifecycle, ..Child::default() });
        assert_eq!(of(true, Lifecycle::Permanent), [Problem::SignificantPermanent]);
        assert_eq!(of(true, Lifecycle::Transient), []);
        assert_eq!(of(false, Lifecycle::Permanent), []);
    }

    #[test]
    fn a_temporary_child_is_never_restarted() {
        let temporary = Child { lifecycle: Lifecycle::Temporary, ..Child::default() };
        let limit = |max_restarts| Limit { max_restarts, ..Limit::default() };
        for (child, setting) in [
            (Child { limit: limit(Given::Is(MaxRestarts::AtMost(1))), ..temporary }, "limit"),
            (Child { limit: limit(Given::Is(MaxRestarts::Unlimited)), ..temporary }, "limit"),
            (Child { limit: limit(Given::Computed), ..temporary }, "limit"),
            (Child { backoff: Some(BACKOFF), ..temporary }, "backoff"),
            (Child { pre_restart: true, ..temporary }, "pre_restart"),
            (Child { post_restart: true, ..temporary }, "post_restart"),
            (Child { attempts: Given::Computed, ..temporary }, "redeliver"),
        ] {
            assert_eq!(problems(&child), [Problem::NeverRestarted(setting)]);
            assert_eq!(problems(&Child { lifecycle: Lifecycle::Transient, ..child }), []);
        }
        assert_eq!(problems(&Child { limit: limit(Given::Is(MaxRestarts::AtMost(0))), ..temporary }), []);
    }

    #[test]
    fn a_backoff_needs_a_restart() {
        let none = Limit { max_restarts: Given::Is(MaxRestarts::AtMost(0)), ..Limit::default() };
        let child = Child { backoff: Some(BACKOFF), ..Child::default() };
        assert_eq!(problems(&Child { limit: none, ..child }), [Problem::NoRestarts]);
        assert_eq!(problems(&Child { limit: none, set: true, ..child }), [Problem::NoRestarts]);
        assert_eq!(problems(&Child { limit: none, pace: Some(BACKOFF), backoff: None, ..child }), []);
        assert_eq!(problems(&Child { limit: none, backoff: None, ..child }), []);
        let above = Supervision { limit: none, ..Supervision::default() };
        assert_eq!(below(&child, &above), [Problem::NoRestarts]);
        assert_eq!(below(&child, &Supervision { group: true, ..above }), [Problem::NoRestarts]);
        assert_eq!(below(&Child { set: true, ..child }, &above), [], "a set has a limit of its own");
        let once = Limit { max_restarts: Given::Is(MaxRestarts::AtMost(1)), ..Limit::default() };
        assert_eq!(below(&Child { limit: once, ..child }, &above), []);
        let temporary = Child { lifecycle: Lifecycle::Temporary, ..child };
        assert_eq!(below(&temporary, &above), [Problem::NeverRestarted("backoff")]);
    }

    #[test]
    fn a_limit_is_checked_with_that_of_the_supervisor() {
        let above = Supervision { limit: most(3, secs(7)), ..Supervision::default() };
        let never = Problem::NeverReached { failures: 4, least: secs(7), within: secs(7) };
        let child = Child { backoff: Some(BACKOFF), ..Child::default() };
        assert_eq!(below(&child, &above), [never]);
        assert_eq!(below(&Child { backoff: None, ..child }, &above), []);
        assert_eq!(below(&Child { set: true, ..child }, &above), []);
        assert_eq!(below(&Child { lifecycle: Lifecycle::Temporary, backoff: None, ..child }, &above), []);
        let within = Limit { within: Given::Is(secs(9)), ..Limit::default() };
        assert_eq!(below(&Child { limit: within, ..child }, &above), []);
        let alone = below(&Child { limit: within, ..child }, &Supervision::default());
        assert_eq!(alone, [Problem::NoLimit { setting: "within", unlimited: false }]);
    }

    #[test]
    fn a_temporary_child_reaches_no_limit() {
        let limit = most(0, secs(1));
        let above = Supervision { limit: most(1000, Duration::from_millis(1)), ..Supervision::default() };
        assert_eq!(below(&Child { lifecycle: Lifecycle::Temporary, limit, ..Child::default() }, &above), []);
        let inherits = Child { lifecycle: Lifecycle::Temporary, ..Child::default() };
        assert_eq!(below(&inherits, &above), []);
    }

    #[test]
    fn children_of_a_group_share_a_limit() {
        let above = Supervision { group: true, limit: most(3, secs(7)), ..Supervision::default() };
        let own = Child { limit: most(1, secs(1)), ..Child::default() };
        assert_eq!(below(&own, &above), [Problem::LimitInGroup]);
        let shared = Supervision { group: false, shared: true, ..above };
        assert_eq!(below(&own, &shared), [Problem::LimitInGroup]);
        assert_eq!(below(&Child { set: true, ..own }, &shared), []);
        assert_eq!(below(&Child { set: true, ..own }, &above), []);
        assert_eq!(below(&Child { backoff: Some(BACKOFF), ..Child::default() }, &above), []);
    }

    #[test]
    fn members_of_a_group_wait_for_their_backoff() {
        let child = Child { backoff: Some(BACKOFF), ..Child::default() };
        assert_eq!(child.as_member(), Some(Waits::Growing { min: 1e9, cap: 8e9, factor: 2.0 }));
        assert_eq!(Child { set: true, ..child }.as_member(), Some(Waits::Unknown));
        assert_eq!(Child { backoff: None, ..child }.as_member(), Some(Waits::Unknown));
        assert_eq!(Child { lifecycle: Lifecycle::Temporary, ..child }.as_member(), None);
    }
}
