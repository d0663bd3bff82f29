//! Probes of the cells of `docs/semantics-table.md`. `run.py` puts this file into a copy of the runtime.
//!
//! [`cell`] is called where a decision is requested. With `CELL_HITS` it appends each cell once for each thread to that
//! file: libtest runs a test in a thread named after the test. With `CELL_ABORT=TABLE|ROW|COLUMN` it ends the process
//! when that cell is reached. With neither it does nothing.

use std::cell::RefCell;
use std::collections::HashSet;
use std::io::Write as _;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use crate::decide::child::machine::{Cut, Order, StepEnd};
use crate::decide::child::{Command, State};
use crate::decide::group::AfterDown;
use crate::values::failure::{Cause, Failure, Phase};
use crate::values::kind::ChildKind;

type Cell = (&'static str, &'static str, &'static str);

enum Mode {
    Off,
    /// Appends to this file.
    Record(std::fs::File),
    /// Ends the process at this cell.
    Abort(String, String, String),
}

static MODE: OnceLock<Mode> = OnceLock::new();

thread_local!(static SEEN: RefCell<HashSet<Cell>> = RefCell::default());

fn mode() -> &'static Mode {
    MODE.get_or_init(|| {
        if let Ok(cell) = std::env::var("CELL_ABORT") {
            let mut parts = cell.split('|').map(str::to_owned);
            let mut part = || parts.next().expect("CELL_ABORT=TABLE|ROW|COLUMN");
            return Mode::Abort(part(), part(), part());
        }
        match std::env::var("CELL_HITS") {
            Ok(file) => {
                let file = std::fs::OpenOptions::new().append(true).create(true).open(file);
                Mode::Record(file.expect("the file of CELL_HITS can be written"))
            }
            Err(_) => Mode::Off,
        }
    })
}

/// Records that a decision is requested in this cell.
pub fn cell(table: &'static str, row: &'static str, column: &'static str) {
    match mode() {
        Mode::Off => {}
        Mode::Record(file) => {
            let is_new = SEEN.try_with(|seen| seen.borrow_mut().insert((table, row, column)));
            if is_new == Ok(true) {
                let thread = std::thread::current();
                let line = format!("{table}|{row}|{column}|{}\n", thread.name().unwrap_or("?"));
                let mut file = file;
                file.write_all(line.as_bytes()).expect("the file of CELL_HITS can be written");
            }
        }
        Mode::Abort(t, r, c) => {
            if t == table && r == row && c == column {
                std::process::abort();
            }
        }
    }
}

// ----- the state of a child, for code that does not run its machine

/// The state of the machine of one cell, as last seen by its driver.
#[derive(Debug, Clone)]
pub struct Row(Arc<AtomicU8>);

const STATES: [State; 13] = [
    State::Idle,
    State::Starting,
    State::Running,
    State::Handling,
    State::Failed,
    State::PreRestart,
    State::GoingDown,
    State::AwaitingRestart,
    State::StartAgain,
    State::PostRestart,
    State::Stopping,
    State::Draining,
    State::Ended,
];

impl Row {
    pub fn new() -> Row {
        Row(Arc::new(AtomicU8::new(0)))
    }

    pub fn set(&self, state: State) {
        let number = STATES.iter().position(|known| *known == state).expect("every state is in the list");
        self.0.store(number as u8, Ordering::Relaxed);
    }

    pub fn get(&self) -> State {
        STATES[usize::from(self.0.load(Ordering::Relaxed))]
    }
}

// ----- 2a

const FAILURE: &str = "own failure; second failure in a hook";
const DOWN: &str = "Down reaches it (group, or parent restart)";
const SUSPEND: &str = "suspension";
const RELEASE: &str = "suspension ends";
const STOP: &str = "stop (own, parent's)";
const KILL: &str = "kill";
const TIME: &str = "its time is up";

fn row_2a(state: State) -> &'static str {
    match state {
        State::Idle => "never started / queued",
        State::Starting => "starting (first)",
        State::Running => "running",
        State::Handling => "handling",
        State::Failed => "failed, awaiting decision",
        State::PreRestart => "pre_restart",
        State::GoingDown => "children stopping, post_stop",
        State::AwaitingRestart => "down (backoff, group)",
        State::StartAgain => "start again, pre_start",
        State::PostRestart => "post_restart",
        State::Stopping => "stopping",
        State::Draining => "draining",
        State::Ended => "ended",
    }
}

/// The machine receives an order.
pub fn order(state: State, order: &Order) {
    let column = match order {
        Order::Down(..) => DOWN,
        Order::End(..) | Order::Stop { .. } => STOP,
        Order::Suspend(true) => SUSPEND,
        Order::Suspend(false) => RELEASE,
        Order::Kill(_) => KILL,
        _ => return,
    };
    cell("2a", row_2a(state), column);
}

/// The machine is notified of the end of a step.
pub fn finished(state: State, end: &StepEnd) {
    match end {
        StepEnd::Failed { .. } => cell("2a", row_2a(state), FAILURE),
        StepEnd::Cut(Cut::TimeUp) => time_is_up(state),
        _ => {}
    }
}

/// A future of `cx.run` has panicked.
pub fn fails_alongside(state: State) {
    cell("2a", row_2a(state), FAILURE);
}

pub fn time_is_up(state: State) {
    cell("2a", row_2a(state), TIME);
}

/// A caller stops or kills a child that is not up: the machine has no order for that, so its group decides.
pub fn request(state: State, kills: bool) {
    if matches!(state, State::Idle | State::AwaitingRestart | State::Ended) {
        cell("2a", row_2a(state), if kills { KILL } else { STOP });
    }
}

/// A range that goes down reaches a child on its way down already: the child joins, and its machine gets no order.
pub fn joins(row: Option<&Row>, next: AfterDown) {
    let state = row.map(Row::get);
    if next != AfterDown::End
        && let Some(state @ (State::PreRestart | State::GoingDown | State::Stopping)) = state
    {
        cell("2a", row_2a(state), DOWN);
    }
}

/// A range that goes down reaches a child that is down: its machine gets no Down. `ends`: the child does not come up
/// again.
pub fn is_down(was_up: bool, ends: bool) {
    let state = if was_up { State::AwaitingRestart } else { State::Idle };
    cell("2a", row_2a(state), if ends { STOP } else { DOWN });
}

/// A range that goes down reaches a child that has ended.
pub fn has_ended(next: AfterDown) {
    if next != AfterDown::End {
        cell("2a", row_2a(State::Ended), DOWN);
    }
}

// ----- 2b

fn row_2b(state: State) -> &'static str {
    match state {
        State::Idle => "never started / queued",
        State::Running | State::Handling => "running, handling",
        State::Failed => "failed",
        State::AwaitingRestart => "down",
        State::StartAgain | State::PostRestart => "start again, pre_start; post_restart",
        other => row_2a(other),
    }
}

/// A cell of the runtime, which the core does not know. A guardian has no machine, and so no row.
pub trait Probed {
    fn row(&self) -> Option<State>;
}

fn of_cell(core: &impl Probed, column: &'static str) {
    if let Some(row) = core.row() {
        cell("2b", row_2b(row), column);
    }
}

/// The budget is used up. A child that ended by itself has no row in the table.
pub fn limit(failure: &Failure) {
    if matches!(failure.cause(), Cause::EndedByItself) {
        return;
    }
    let row = match failure.phase() {
        Phase::Start => State::Starting,
        Phase::Restart => State::StartAgain,
        _ => State::Failed,
    };
    cell("2b", row_2b(row), "limit reached at its decision");
}

pub fn message(core: &impl Probed) {
    of_cell(core, "message arrives");
}

pub fn ask(core: &impl Probed) {
    of_cell(core, "ask pending");
}

pub fn watch(core: &impl Probed) {
    of_cell(core, "watch");
}

pub fn spawn(owner: &impl Probed, column: &'static str) {
    if owner.row().is_some() {
        of_cell(owner, "spawn request to it");
        group("spawn in a set", column);
    }
}

pub fn fails_below(owner: &impl Probed) {
    of_cell(owner, "failure of a child of its own");
}

pub fn wait_timer(state: State) {
    cell("2b", row_2b(state), "wait timer");
}

// ----- 2c

pub const OLD: &str = "old instance in the range fails";
pub const RESTART: &str = "start or new instance fails: Restart";
pub const STOPS: &str = ".. Stop";
pub const FIRST_START: &str = "first start, OneForOne, start fails, backoff declared, Restart";
pub const ESCALATE: &str = ".. Escalate, limit, decider panics";
pub const ON_REQUEST: &str = "a requested start, or one at run time, fails: Restart, Stop";

/// All members have ended, for which the page has no column.
pub const ENDED: &str = "ended";

/// A group receives an event.
pub fn group(row: &'static str, column: &'static str) {
    if column != ENDED {
        cell("2c", row, column);
    }
}

/// A member has ended by itself.
pub fn done(restarted: bool, column: &'static str) {
    group(
        match restarted {
            true => "a member ends by itself and is restarted (S23)",
            false => "a member ends by itself, not restarted",
        },
        column,
    );
}

/// The start of a tree has failed. `escalated`: because of one of its children.
pub fn build_fails(kind: ChildKind, end: &StepEnd, escalated: bool) {
    if kind == ChildKind::Tree && !escalated && matches!(end, StepEnd::Failed { .. }) {
        group("a `let` fails or panics", "Up (also first start)");
    }
}

// ----- 2d

pub fn on_request(state: State, moves: bool, command: Command) {
    let column = match command {
        Command::Restart => "`restart()`",
        Command::StartAgain => "`start_again()`",
        Command::Drain => "`drain()`",
    };
    let row = match state {
        State::Draining | State::Stopping => "draining, stopping",
        // The group decides first.
        State::Ended if moves && command == Command::StartAgain => "any, while its group goes down or up",
        State::Ended => "ended",
        _ if moves => "any, while its group goes down or up",
        State::Running | State::Handling => "running, handling",
        State::Failed => "failed, awaiting decision",
        State::AwaitingRestart => "down (backoff)",
        State::Starting | State::StartAgain | State::PostRestart => "starting, start again, pre_start, post_restart",
        State::PreRestart | State::GoingDown => "pre_restart, children stopping, post_stop",
        State::Idle => return, // not in the table
    };
    cell("2d", row, column);
}
