//! Counts how often the random walks reached each cell.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::super::child::{Command, State};
use super::super::group::{Group, GroupState};
use super::table::{NOTHING, cells};

type Hits = BTreeMap<(&'static str, &'static str, &'static str), u64>;

thread_local!(static HITS: RefCell<Hits> = RefCell::default());

fn hit(table: &'static str, row: &'static str, column: &'static str) {
    HITS.with_borrow_mut(|hits| *hits.entry((table, row, column)).or_default() += 1);
}

pub(super) fn row_2a(state: State) -> &'static str {
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

fn row_2d(state: State, moves: bool) -> &'static str {
    match state {
        State::Draining | State::Stopping => "draining, stopping",
        State::Ended => "ended",
        _ if moves => "any, while its group goes down or up",
        State::Running | State::Handling => "running, handling",
        State::Failed => "failed, awaiting decision",
        State::AwaitingRestart | State::Idle => "down (backoff)",
        State::Starting | State::StartAgain | State::PostRestart => "starting, start again, pre_start, post_restart",
        State::PreRestart | State::GoingDown => "pre_restart, children stopping, post_stop",
    }
}

/// The columns of table 2a.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Failure,
    Down,
    Suspend,
    Release,
    Stop,
    Kill,
    TimeUp,
}

impl Column {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Column::Failure => "own failure; second failure in a hook",
            Column::Down => "Down reaches it (group, or parent restart)",
            Column::Suspend => "suspension",
            Column::Release => "suspension ends",
            Column::Stop => "stop (own, parent's)",
            Column::Kill => "kill",
            Column::TimeUp => "its time is up",
        }
    }
}

pub(super) fn hit_2a(state: State, column: Column) {
    hit("2a", row_2a(state), column.name());
}

pub(super) fn hit_2b(state: State, column: &'static str) {
    hit("2b", row_2b(state), column);
}

/// The column of table 2c that matches the state of a group.
pub(super) fn column_2c(group: &Group) -> &'static str {
    match group.mode() {
        _ if group.is_stopping() => "stopping",
        GroupState::Up => "Up (also first start)",
        GroupState::Steady => "steady",
        GroupState::Down { .. } | GroupState::AwaitingOwner => "Down (range)",
        GroupState::Failed { .. } => "failed, parent to decide",
        GroupState::Ended => "stopping",
    }
}

pub(super) fn hit_2c(row: &'static str, column: &'static str) {
    hit("2c", row, column);
}

pub(super) fn hit_2d(state: State, moves: bool, command: Command) {
    let column = match command {
        Command::Restart => "`restart()`",
        Command::StartAgain => "`start_again()`",
        Command::Drain => "`drain()`",
    };
    hit("2d", row_2d(state, moves), column);
}

/// A cell that only the cases of its table can reach: in the random walks, children do not have children.
fn is_of_one(table: &str, row: &str, column: &str) -> bool {
    let columns = ["ask pending", "watch", "spawn request to it", "failure of a child of its own"];
    table == "2b" && columns.contains(&column) || (table, row, column) == ("2a", "running", "its time is up")
}

/// Prints the counts and returns the cells that demand something but were never reached.
pub(super) fn report() -> Vec<String> {
    let hits = HITS.with_borrow(Clone::clone);
    let mut never = Vec::new();
    for table in ["2a", "2b", "2c", "2d"] {
        let (mut counts, mut dashes, mut all) = (Vec::new(), 0, 0);
        for cell in cells(table) {
            let key =
                hits.iter().find(|((t, row, column), _)| *t == table && *row == cell.row && *column == cell.column);
            let count = key.map_or(0, |(_, count)| *count);
            all += 1;
            match (count, cell.text == NOTHING || is_of_one(table, &cell.row, &cell.column)) {
                (0, true) => dashes += 1,
                (0, false) => never.push(format!("{table}: {} × {}", cell.row, cell.column)),
                _ => counts.push((count, format!("{} × {}", cell.row, cell.column))),
            }
        }
        counts.sort();
        println!("table {table}: {} of {all} cells reached, {dashes} with – or of one child were not", counts.len());
        for (count, name) in &counts {
            println!("  {count:>8} {name}");
        }
    }
    never
}
