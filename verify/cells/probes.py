"""The places of the probes: (file, anchor, text). The text follows the anchor, which must occur exactly once.

`(file, anchor, text, BEFORE)` puts the text before the anchor, and `(.., INSTEAD)` replaces the anchor.
"""

BEFORE, INSTEAD = "before", "instead"

CORE = "supervise-core/src/"
RUNTIME = "supervise-runtime/src/"
MACHINE = CORE + "decide/child/machine.rs"
ON_REQUEST = CORE + "decide/child/on_request.rs"
MEMBER = CORE + "decide/member.rs"
GROUP = CORE + "decide/group/"
TESTS = CORE + "decide/tests/"
DRIVER = RUNTIME + "engine/cell/driver/"
CONTROL = RUNTIME + "engine/cell/control.rs"
SUPERVISOR = RUNTIME + "engine/supervisor/mod.rs"
MAILBOX = RUNTIME + "engine/mailbox.rs"
PUSH = RUNTIME + "actor/actor_ref/push.rs"
WATCHING = RUNTIME + "actor/context/watching.rs"

# The copy of `machine.state` that every thread can read.
SET_ROW = "self.engine.cell.core().probe.set(self.machine.probe_state());\n"

PROBES = [
    (CORE + "lib.rs", "#[doc(hidden)]\npub mod decide;\n", "#[doc(hidden)]\npub mod probe;\n"),
    # ----- the machine: 2a, the timer of 2b, and the failed build of 2c
    (
        MACHINE,
        "    /// Returns the row of the tables. Only the message loop knows whether a message is in hand.\n",
        """    pub fn probe_state(&self) -> State {
        self.state
    }

    pub fn probe_row(&self, busy: bool) -> State {
        if busy && self.state == State::Running { State::Handling } else { self.state }
    }

""",
        BEFORE,
    ),
    (
        MACHINE,
        "    pub fn order(&mut self, order: Order, port: &mut impl Port) {\n",
        "        crate::probe::order(self.row(port), &order);\n",
    ),
    (
        MACHINE,
        "    pub fn finished(&mut self, end: StepEnd, port: &mut impl Port) {\n",
        "        crate::probe::finished(self.row(port), &end);\n",
    ),
    (
        MACHINE,
        "    pub fn fails_alongside(&mut self, failure: Failure, port: &mut impl Port) {\n",
        "        crate::probe::fails_alongside(self.row(port));\n",
    ),
    (MACHINE, "    pub fn time_is_up(&mut self) {\n", "        crate::probe::time_is_up(self.state);\n"),
    (
        MACHINE,
        "    pub fn wait_is_over(&mut self, port: &mut impl Port) {\n",
        "        crate::probe::wait_timer(self.state);\n",
    ),
    (
        MACHINE,
        "    fn start_failed(&mut self, end: StepEnd, port: &mut impl Port) {\n",
        """        let escalated = self.cold.as_ref().is_some_and(|cold| cold.escalated.is_some());
        crate::probe::build_fails(self.kind, &end, escalated);
""",
    ),
    # ----- 2d
    (
        ON_REQUEST,
        "pub fn on_request(state: State, group_moves: bool, command: Command) -> CommandOutcome {\n",
        "    crate::probe::on_request(state, group_moves, command);\n",
    ),
    # ----- a member knows the state of its cell
    (
        MEMBER,
        "    pub down_since: Option<Instant>,\n",
        "    /// The state of its cell.\n    pub probe: Option<crate::probe::Row>,\n",
    ),
    (GROUP + "mod.rs", "            down_since: None,\n", "            probe: None,\n"),
    # ----- the group: 2c, and the parts of 2a that it decides without the machine
    (
        GROUP + "mod.rs",
        "    // ----- reading\n",
        """    pub fn probe_row(&mut self, id: Id, row: &crate::probe::Row) {
        self.roster.member(id).probe = Some(row.clone());
    }

    /// The column of table 2c.
    pub fn probe_column(&self) -> &'static str {
        match self.mode {
            GroupState::Up => "Up (also first start)",
            GroupState::Steady => "steady",
            GroupState::Down { next: AfterDown::End, .. } => "stopping",
            GroupState::Down { .. } | GroupState::AwaitingOwner => "Down (range)",
            GroupState::Failed { .. } => "failed, parent to decide",
            GroupState::Ended => crate::probe::ENDED,
        }
    }

    /// In the last two columns no decider is asked: the event stands for all its rows.
    fn probe_failed(&self, id: Id, instance: bool) {
        let Some(member) = self.roster.get(id) else { return };
        let column = self.probe_column();
        let old = match &self.mode {
            GroupState::Failed { back, .. } => matches!(**back, GroupState::Down { from, .. } if member.order >= from),
            _ => self.in_range(id) || self.is_stopping(),
        };
        if instance && old {
            crate::probe::group(crate::probe::OLD, column);
        } else if matches!(self.mode, GroupState::Failed { .. }) || self.is_stopping() {
            match member.alone && !instance {
                true => crate::probe::group(crate::probe::ON_REQUEST, column),
                false => {
                    crate::probe::group(crate::probe::RESTART, column);
                    crate::probe::group(crate::probe::STOPS, column);
                }
            }
            crate::probe::group(crate::probe::ESCALATE, column);
        }
    }

    fn probe_decided(&self, id: Id, directive: Directive, instance: bool) {
        let Some(member) = self.roster.get(id) else { return };
        let first_start = !self.all_were_up && !instance && !self.is_group() && member.settings.backoff.is_some();
        let alone = member.alone && !instance;
        let row = match directive {
            Directive::Resume if instance => return,
            Directive::Restart | Directive::Resume | Directive::Stop if alone => crate::probe::ON_REQUEST,
            Directive::Restart | Directive::Resume if first_start => crate::probe::FIRST_START,
            Directive::Restart | Directive::Resume | Directive::Default => crate::probe::RESTART,
            Directive::Stop => crate::probe::STOPS,
            Directive::Escalate => crate::probe::ESCALATE,
        };
        crate::probe::group(row, self.probe_column());
    }

    fn probe_stopped(&self, id: Id) {
        // A task that is lost with its runtime is not stopped by a request.
        if self.roster.get(id).is_some_and(|member| !member.lost) {
            let row = match self.wait == Some(id) {
                true => ".. and it is the one waited for",
                false => "a member is stopped from outside",
            };
            crate::probe::group(row, self.probe_column());
        }
    }

""",
        BEFORE,
    ),
    (
        GROUP + "mod.rs",
        "    pub fn failed(&mut self, id: Id, instance: bool) -> FailureRoute {\n",
        "        self.probe_failed(id, instance);\n",
    ),
    (
        GROUP + "mod.rs",
        "        let outcome = self.comes_to(id, directive, facts.now)?;\n"
        "        let instance = self.at(id) == MemberState::Failed;\n",
        "        self.probe_decided(id, directive, instance);\n",
    ),
    (
        GROUP + "mod.rs",
        "    pub fn done(&mut self, id: Id, ended: Ended, failure: &Failure, facts: FailureInfo) {\n",
        "        let probe_column = self.probe_column();\n",
    ),
    (
        GROUP + "mod.rs",
        "        let significant_end = member.settings.significant && by_itself;\n",
        "        crate::probe::done(restarted, probe_column);\n",
    ),
    (
        GROUP + "mod.rs",
        "    pub fn due(&mut self, id: Id, now: Instant) {\n",
        '        crate::probe::group("wait timer", self.probe_column());\n',
    ),
    (
        GROUP + "mod.rs",
        "        if self.wait == Some(id) {\n            // The child is down; its range is down too, or still going down, which continues unchanged.",
        "        self.probe_stopped(id);\n",
        BEFORE,
    ),
    (
        GROUP + "mod.rs",
        "            self.effects.push(GroupEffect::LimitReached(id, max));\n",
        """            crate::probe::group(crate::probe::ESCALATE, self.probe_column());
            crate::probe::limit(failure);
""",
    ),
    (
        GROUP + "mod.rs",
        "    pub fn suspend(&mut self) {\n",
        '        crate::probe::group("suspension / its end", self.probe_column());\n',
    ),
    (
        GROUP + "mod.rs",
        "    pub fn end_suspension(&mut self, now: Instant) {\n",
        '        crate::probe::group("suspension / its end", self.probe_column());\n',
    ),
    (
        GROUP + "mod.rs",
        "        if let GroupState::Failed { back, by } = self.mode.clone() {\n",
        '            crate::probe::group("parent\'s Resume", self.probe_column());\n',
    ),
    (
        GROUP + "mod.rs",
        "    pub fn restart_from_above(&mut self, failure: &Failure, reason: StopReason, now: Instant) {\n",
        '        crate::probe::group("parent\'s Restart, or restart from above", self.probe_column());\n',
    ),
    (
        GROUP + "mod.rs",
        "    pub fn stop(&mut self, reason: StopReason, now: Instant) {\n",
        '        crate::probe::group("stop, shutdown, guard dropped", self.probe_column());\n',
    ),
    (
        GROUP + "mod.rs",
        "                    if !member.in_walk {\n",
        "                        crate::probe::joins(member.probe.as_ref(), next);\n",
    ),
    (
        GROUP + "mod.rs",
        "                    let ends = member.ending.is_some() || ends && member.at == MemberState::FailedStart;\n",
        """                    if member.at != MemberState::FailedStart {
                        crate::probe::is_down(member.was_up, ends);
                    }
""",
    ),
    (
        GROUP + "mod.rs",
        "                MemberState::Ended => {}\n",
        "                MemberState::Ended => crate::probe::has_ended(next),\n",
        INSTEAD,
    ),
    # ----- the engine: the state of a cell for other threads
    (
        CONTROL,
        "    /// True if the cell goes down after the message in hand.\n    leaving: AtomicBool,\n",
        "    pub(crate) probe: supervise_core::probe::Row,\n",
    ),
    (
        CONTROL,
        "/// A cell without a mailbox: a task, a tree, a set.\n",
        """impl supervise_core::probe::Probed for CellCore {
    fn row(&self) -> Option<supervise_core::decide::child::State> {
        (!self.is_guardian()).then(|| self.probe.get())
    }
}

""",
        BEFORE,
    ),
    (
        CONTROL,
        "            suspended: AtomicBool::new(false),\n            leaving: AtomicBool::new(false),\n",
        "            probe: supervise_core::probe::Row::new(),\n",
    ),
    (
        DRIVER + "mod.rs",
        "        let out = event(&mut self.machine, &mut At { engine: &mut self.engine, hands, own });\n",
        "        " + SET_ROW,
    ),
    (
        DRIVER + "mod.rs",
        "        self.machine.order(order, &mut At { engine: &mut self.engine, hands: None, own });\n",
        "        " + SET_ROW,
    ),
    (
        DRIVER + "engine.rs",
        "        machine.begin(settings, was_up);\n",
        "        self.cell.core().probe.set(machine.probe_state());\n",
    ),
    (
        DRIVER + "engine.rs",
        "        let hands = || hands.expect(\"between two steps the instance is at hand\");\n",
        "        self.cell.core().probe.set(machine.probe_state());\n",
        BEFORE,
    ),
    (
        DRIVER + "mod.rs",
        "            self.machine.breaks_after_its_end(self.engine.cell.core().ended().is_some());\n",
        "            " + SET_ROW,
    ),
    (
        SUPERVISOR,
        "        let id = inner.group.add(settings.clone(), false);\n",
        "        inner.group.probe_row(id, &cell.core().probe);\n",
    ),
    (
        SUPERVISOR,
        "        let id = inner.group.add(settings, true);\n",
        "        inner.group.probe_row(id, &cell.core().probe);\n",
    ),
    # ----- the engine: requests to it
    (
        DRIVER + "mod.rs",
        "    fn take_stop(&mut self, reason: StopReason) {\n",
        "        supervise_core::probe::request(self.machine.probe_row(self.engine.cell.is_busy()), false);\n",
    ),
    (
        DRIVER + "mod.rs",
        "    fn take_kill(&mut self, cause: Cause) {\n",
        "        supervise_core::probe::request(self.machine.probe_row(self.engine.cell.is_busy()), true);\n",
    ),
    (
        DRIVER + "engine.rs",
        "    pub(super) fn tell_group(&mut self, failure: Failure, instance: bool, handled: bool, own: &OwnEvent) -> Failure {\n",
        """        if let Some((_, owner)) = self.parent() {
            supervise_core::probe::fails_below(owner.core());
        }
""",
    ),
    (
        DRIVER + "engine.rs",
        "        let over = self.look(|group, id| group.at(id) == MemberState::Ended).unwrap_or(true);\n",
        """        if let Some((_, owner)) = self.parent() {
            supervise_core::probe::fails_below(owner.core());
        }
""",
    ),
    (
        SUPERVISOR,
        "    ) -> Result<AfterLock<'a>, Refused> {\n        let _shelter = DeferDrops::new();\n"
        "        let now = Instant::now();\n        let mut inner = lock(&self.inner);\n",
        "        supervise_core::probe::spawn(owner.core(), inner.group.probe_column());\n",
    ),
    (
        MAILBOX,
        "    pub(crate) fn offer(&self, take: impl FnOnce() -> Option<T::Message>) -> bool {\n",
        "        supervise_core::probe::message(self.core());\n",
    ),
    (
        MAILBOX,
        "    pub(crate) fn try_push(&self, msg: &mut Option<T::Message>, patience: Patience) -> Result<(), Rejected> {\n",
        "        supervise_core::probe::message(self.core());\n",
    ),
    (
        MAILBOX,
        "        // Cloned and dropped outside of the lock: a waker may be user code.\n        let mut fresh = None;\n",
        "        supervise_core::probe::message(self.core());\n",
    ),
    (
        PUSH,
        "        if !*this.sent {\n",
        "        supervise_core::probe::ask(this.to.any().core());\n",
        BEFORE,
    ),
    (
        CONTROL,
        "    pub(crate) fn poll_ended(&self, waiting: &mut Waiting, waker: &Waker) -> Poll<Ended> {\n",
        "        supervise_core::probe::watch(self);\n",
    ),
    (
        WATCHING,
        "        let other = self.other(other);\n        if other.watch.is_none() {\n",
        "            supervise_core::probe::watch(other.cell.core());\n",
    ),
    (
        WATCHING,
        "        let pact = Arc::new(Pact::new(other.cell.core().path()));\n",
        "        supervise_core::probe::watch(other.cell.core());\n",
    ),
    # ----- the tests of the core report which cells they reach
    (
        TESTS + "coverage.rs",
        "fn hit(table: &'static str, row: &'static str, column: &'static str) {\n",
        "    crate::probe::cell(table, row, column);\n",
    ),
    (
        TESTS + "table.rs",
        "    for case in cases {\n        if std::panic::catch_unwind(case.check).is_err() {\n",
        """    let table: &'static str = String::leak(table.to_owned());
    for case in cases {
        crate::probe::cell(table, case.row, case.column);
        if std::panic::catch_unwind(case.check).is_err() {
""",
        INSTEAD,
    ),
]
