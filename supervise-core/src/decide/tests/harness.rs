//! A group of three members in a situation of table 2c, and its response to an event, as text.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::super::child::machine::Order;
use super::super::child::{Command, CommandOutcome};
use super::super::group::{FailureInfo, FailureRoute, Group, GroupEffect, GroupState, Id, Owner};
use super::super::member::{MemberState, Settings};
use super::sim::failure;
use crate::values::backoff::Backoff;
use crate::values::ended::Ended;
use crate::values::failure::Phase;
use crate::values::kind::ChildKind;
use crate::values::stop_reason::StopReason;
use crate::values::strategy::{Directive, Lifecycle, MaxRestarts, OnLimit, RestartLimit, Strategy};

pub(super) const GROUPS: [Strategy; 2] = [Strategy::AllForOne, Strategy::RestForOne];
pub(super) const ALL: [Strategy; 3] = [Strategy::OneForOne, Strategy::AllForOne, Strategy::RestForOne];
/// The pause that [`Setup::pauses`] declares.
const PAUSE: Duration = Duration::from_millis(20);

#[derive(Clone, Copy)]
pub(super) struct Setup {
    owner: Owner,
    strategy: Strategy,
    kinds: [Option<ChildKind>; 3],
    lifecycles: [Lifecycle; 3],
    pauses: [Option<Duration>; 3],
    max: Option<u32>,
    on_limit: OnLimit,
    significant: Option<Id>,
    optional: Option<Id>,
    best_effort: Option<Id>,
}

pub(super) fn tree(strategy: Strategy) -> Setup {
    let lifecycles = [Lifecycle::Permanent; 3];
    Setup {
        owner: Owner::Tree,
        strategy,
        kinds: [Some(ChildKind::Actor); 3],
        lifecycles,
        pauses: [None; 3],
        max: Some(100),
        on_limit: OnLimit::Escalate,
        significant: None,
        optional: None,
        best_effort: None,
    }
}

impl Setup {
    /// Each member declares a backoff.
    pub(super) fn pauses(self) -> Self {
        Setup { pauses: [Some(PAUSE); 3], ..self }
    }

    /// This member declares a backoff, which doubles.
    pub(super) fn pause(mut self, id: Id, millis: u64) -> Self {
        self.pauses[id as usize] = Some(Duration::from_millis(millis));
        self
    }

    /// The kind of this member. `None`: a kept value.
    pub(super) fn kind(mut self, id: Id, kind: Option<ChildKind>) -> Self {
        self.kinds[id as usize] = kind;
        self
    }

    pub(super) fn member(mut self, id: Id, lifecycle: Lifecycle) -> Self {
        self.lifecycles[id as usize] = lifecycle;
        self
    }

    pub(super) fn max(self, max: u32) -> Self {
        Setup { max: Some(max), ..self }
    }

    /// No limit is declared.
    pub(super) fn default_limit(self) -> Self {
        Setup { max: None, ..self }
    }

    pub(super) fn on_limit(self, on_limit: OnLimit) -> Self {
        Setup { on_limit, ..self }
    }

    pub(super) fn significant(self, id: Id) -> Self {
        Setup { significant: Some(id), ..self }
    }

    pub(super) fn best_effort(self, id: Id) -> Self {
        Setup { best_effort: Some(id), ..self }
    }

    pub(super) fn optional(self, id: Id) -> Self {
        Setup { optional: Some(id), ..self }
    }

    pub(super) fn owner(self, owner: Owner) -> Self {
        Setup { owner, ..self }
    }

    fn settings(&self, id: usize) -> Arc<Settings> {
        let Some(kind) = self.kinds[id] else { return Arc::new(Settings::value()) };
        let pause = |pause: Duration| Backoff::exponential(pause..pause * 4).random_factor(0.0);
        let backoff = self.pauses[id].map(pause);
        let mut settings = Settings::new(kind, self.lifecycles[id], backoff, RestartLimit::new());
        settings.significant = self.significant == Some(id as Id);
        settings.optional = self.optional == Some(id as Id);
        settings.best_effort = self.best_effort == Some(id as Id);
        Arc::new(settings)
    }

    /// The first start: member 0 starts, the others are queued.
    pub(super) fn first_start(self) -> Harness {
        let limit = match self.max {
            Some(max) => RestartLimit::new().max_restarts(MaxRestarts::AtMost(max)).on_limit(self.on_limit),
            None => RestartLimit::new(),
        };
        let mut harness =
            Harness { group: Group::new(self.owner, self.strategy, limit), now: Instant::now(), setup: self };
        if self.owner != Owner::Tree {
            harness.group.owner_up(harness.now);
        }
        for id in 0..3 {
            let added = harness.group.add(self.settings(id), self.owner != Owner::Tree);
            assert_eq!(added, id as Id);
            match self.owner {
                Owner::Tree => harness.group.reach(added, self.settings(id), harness.now),
                Owner::Actor | Owner::Set | Owner::Guardian => harness.group.admit(added, harness.now),
            }
        }
        if self.owner == Owner::Tree {
            assert_eq!(harness.effects(), "start 0");
            harness.group.built(harness.now);
        } else {
            assert_eq!(harness.effects(), "start 0, start 1, start 2");
        }
        harness
    }

    /// The first start: member 0 is up, member 1 starts.
    pub(super) fn boots_on(self) -> Harness {
        let mut harness = self.first_start();
        assert_eq!(harness.up(0), "start 1");
        harness
    }

    pub(super) fn steady(self) -> Harness {
        let mut harness = self.first_start();
        for id in 0..3 {
            harness.up(id);
        }
        assert_eq!(*harness.group.mode(), GroupState::Steady);
        harness
    }

    /// Member 1 has failed: the range goes down, starting with member 2.
    pub(super) fn down(self) -> Harness {
        let mut harness = self.steady();
        assert_eq!(harness.fails(1, Directive::Restart), "decided: down 2");
        harness
    }

    /// After [`Setup::down`]: the range comes up, member 1 starts.
    pub(super) fn comes_up(self) -> Harness {
        let mut harness = self.down();
        harness.gone(2);
        harness.gone(1);
        if self.strategy == Strategy::AllForOne {
            assert_eq!(harness.gone(0), "start 0");
            assert_eq!(harness.up(0), "start 1");
        }
        assert_eq!(harness.ats(), [MemberState::Up, MemberState::Starting, MemberState::Queued]);
        harness
    }

    /// Member 1 has escalated; the parent's decision is due.
    pub(super) fn failed(self) -> Harness {
        let mut harness = self.steady();
        assert_eq!(harness.fails(1, Directive::Escalate), "decided: owner fails");
        harness
    }

    /// All members are up and were ordered to end, starting with member 2.
    pub(super) fn stops(self) -> Harness {
        let mut harness = self.steady();
        assert_eq!(harness.stop(), "end 2");
        harness
    }
}

pub(super) struct Harness {
    pub(super) group: Group,
    pub(super) now: Instant,
    setup: Setup,
}

impl Harness {
    pub(super) fn effects(&mut self) -> String {
        let said = self.group.take_effects().into_iter().filter_map(|effect| match effect {
            GroupEffect::Tell(id, order) => match order {
                Order::Start => Some(format!("start {id}")),
                Order::Down(..) => Some(format!("down {id}")),
                Order::Resume => Some(format!("resume {id}")),
                Order::Wait(delay) => Some(format!("wait {id} {delay:?}")),
                Order::End(..) => Some(format!("end {id}")),
                Order::Drain => Some(format!("drain {id}")),
                Order::Over(_) => Some(format!("over {id}")),
                Order::Redecide => Some(format!("redecide {id}")),
                Order::Suspend(_) | Order::Serve => None,
                other => panic!("no order of a group: {other:?}"),
            },
            GroupEffect::TellOwner(order) => match order {
                Order::Escalated(_) => Some("owner fails".into()),
                Order::ChildrenDown => Some("all down".into()),
                Order::ChildrenEnding => None, // seen by `ends`
                Order::ChildrenEnded(_) => Some("all ended".into()),
                other => panic!("no order to a supervisor: {other:?}"),
            },
            GroupEffect::DropValue(id) => Some(format!("drop {id}")),
            GroupEffect::LimitReached(id, _) => Some(format!("limit {id}")),
            GroupEffect::Scheduled(..) => None,
        });
        said.collect::<Vec<_>>().join(", ")
    }

    pub(super) fn ats(&self) -> [MemberState; 3] {
        [0, 1, 2].map(|id| self.group.at(id))
    }

    pub(super) fn facts(&self) -> FailureInfo {
        FailureInfo { handled: false, random: 0, now: self.now }
    }

    pub(super) fn event(&mut self, event: impl FnOnce(&mut Group, Instant)) -> String {
        event(&mut self.group, self.now);
        self.effects()
    }

    pub(super) fn up(&mut self, id: Id) -> String {
        self.event(|group, now| group.up(id, now))
    }

    pub(super) fn gone(&mut self, id: Id) -> String {
        self.event(|group, now| group.gone(id, now))
    }

    pub(super) fn due(&mut self, id: Id) -> String {
        self.event(|group, now| group.due(id, now))
    }

    pub(super) fn is_suspended(&self) -> bool {
        self.group.is_suspended()
    }

    pub(super) fn suspend(&mut self) -> String {
        self.event(|group, _| group.suspend())
    }

    pub(super) fn end_suspension(&mut self) -> String {
        self.event(Group::end_suspension)
    }

    pub(super) fn stop(&mut self) -> String {
        self.event(|group, now| group.stop(StopReason::Shutdown, now))
    }

    pub(super) fn restart_above(&mut self) -> String {
        self.event(|group, now| group.restart_from_above(&failure(Phase::Running), StopReason::FailedAbove, now))
    }

    /// The supervisor begins its next incarnation, and the build reaches all members.
    pub(super) fn rebuild(&mut self) -> String {
        let setup = self.setup;
        self.event(|group, now| {
            group.rebuild(false);
            (0..3).for_each(|id| group.reach(id, setup.settings(id as usize), now));
            group.built(now);
        })
    }

    /// The build reaches this member.
    pub(super) fn reach(&mut self, id: Id) -> String {
        let settings = self.setup.settings(id as usize);
        self.event(|group, now| group.reach(id, settings, now))
    }

    /// A restart of the supervisor from above: the members go down.
    pub(super) fn starts_over(mut self) -> Self {
        self.restart_above();
        (0..3).rev().for_each(|id| _ = self.gone(id));
        assert_eq!(*self.group.mode(), GroupState::AwaitingOwner);
        self
    }

    pub(super) fn resume(&mut self) -> String {
        let facts = self.facts();
        self.event(|group, _| group.resume(&failure(Phase::Running), facts, false))
    }

    /// A user stops the member. The text begins with `in its turn` if the member goes down as part of a range.
    pub(super) fn stop_member(&mut self, id: Id) -> String {
        let alone = self.group.stop_member(id, self.now);
        let acts = self.effects();
        if alone { acts } else { format!("in its turn{acts}") }
    }

    pub(super) fn done(&mut self, id: Id) -> String {
        let facts = self.facts();
        self.event(|group, _| group.done(id, Ended::Done, &failure(Phase::Running), facts))
    }

    /// An instance fails.
    pub(super) fn fails(&mut self, id: Id, directive: Directive) -> String {
        self.failure(id, true, directive)
    }

    /// A start fails.
    pub(super) fn start_fails(&mut self, id: Id, directive: Directive) -> String {
        self.failure(id, false, directive)
    }

    fn failure(&mut self, id: Id, instance: bool, directive: Directive) -> String {
        let reported = self.group.failed(id, instance);
        let acts = self.effects();
        match reported {
            FailureRoute::Decide => {
                assert_eq!(acts, "");
                let facts = self.facts();
                let announced = self.group.comes_to(id, directive, self.now);
                let outcome = self.group.decided(id, directive, &failure(Phase::Running), facts);
                assert_eq!(outcome, announced);
                format!("decided: {}", self.effects())
            }
            FailureRoute::Kept => format!("kept{acts}"),
            FailureRoute::Absorbed => format!("absorbed{acts}"),
            FailureRoute::ReportOnly => {
                self.group.ends_before_its_turn(id, self.now);
                let ends = self.effects();
                format!("reported{acts}{}{ends}", if ends.is_empty() { "" } else { ": " })
            }
        }
    }

    /// A user drains the member.
    pub(super) fn drain(&mut self, id: Id) -> String {
        assert_eq!(self.on_request(id, Command::Drain), CommandOutcome::Drain);
        self.effects()
    }

    /// The outcome of a directive for an instance that has failed.
    pub(super) fn comes_to(&self, id: Id, directive: Directive) -> Result<Directive, FailureRoute> {
        let mut group = self.group.clone();
        group.failed(id, true);
        group.comes_to(id, directive, self.now)
    }

    /// A user requests something of the member.
    pub(super) fn on_request(&mut self, id: Id, command: Command) -> CommandOutcome {
        self.group.on_request(id, command, &failure(Phase::Running), self.now)
    }

    /// A user restarts the member, which is up.
    pub(super) fn restart(&mut self, id: Id) -> String {
        assert_eq!(self.on_request(id, Command::Restart), CommandOutcome::DownAlone);
        self.effects()
    }

    /// A user starts the member again.
    pub(super) fn start_again(&mut self, id: Id) -> String {
        assert_eq!(self.on_request(id, Command::StartAgain), CommandOutcome::FirstStart);
        self.effects()
    }

    /// A user stops the member, and the member goes down.
    pub(super) fn stopped(mut self, id: Id) -> Self {
        self.stop_member(id);
        assert_eq!(self.gone(id), format!("over {id}"));
        self
    }

    /// A spawn at run time.
    pub(super) fn spawn(&mut self, setup: Setup) -> String {
        let id = self.group.add(setup.settings(0), true);
        self.event(|group, now| group.admit(id, now))
    }
}
