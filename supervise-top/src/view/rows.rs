//! The list: the tree, or a page of a set, in columns that depend on the width.

use std::collections::HashSet;
use std::time::Duration;

use ratatui::layout::Rect;

use super::canvas::{Canvas, Role, Text};
use crate::app::{App, Row, SetView};
use crate::model::{Entry, HELD, SLOW, STUCK, is_nearly_used};
use crate::wire::{Budget, Ended, Failure, Mailbox, Node, State};

/// A column, from left to right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Name,
    State,
    Incarnation,
    Up,
    Budget,
    Mailbox,
    Rate,
    Spark,
    Note,
}

/// Returns the columns for this width, each with its own.
fn columns(width: u16, in_set: bool) -> Vec<(Column, u16)> {
    let name = (width / 4).clamp(12, 32);
    let is_wide = width >= 110;
    let all = [
        (Column::Name, name, 0),
        (Column::State, 11, 32),
        (Column::Incarnation, 4, 90),
        (Column::Up, 6, 58),
        (Column::Budget, if is_wide { 15 } else { 8 }, 50),
        (Column::Mailbox, if is_wide { 16 } else { 10 }, 64),
        (Column::Rate, 5, if in_set { u16::MAX } else { 76 }),
        (Column::Spark, if width >= 150 { 24 } else { 10 }, if in_set { u16::MAX } else { 100 }),
    ];
    let mut columns: Vec<_> =
        all.into_iter().filter(|(_, _, from)| width >= *from).map(|(column, own, _)| (column, own)).collect();
    let used: u16 = columns.iter().map(|(_, own)| own + 1).sum();
    if width > used + 5 {
        columns.push((Column::Note, width - used));
    }
    columns
}

fn heads(canvas: &mut Canvas<'_>, line: Rect, columns: &[(Column, u16)]) {
    let mut x = line.x;
    for (column, own) in columns {
        let head = match column {
            Column::Name => "NAME",
            Column::State => "STATE",
            Column::Incarnation => "INC",
            Column::Up => "UP",
            Column::Budget => "RESTARTS",
            Column::Mailbox => "MAILBOX",
            Column::Rate => "MSG/S",
            Column::Spark => "TREND",
            Column::Note => "NOTE",
        };
        match column {
            Column::Incarnation | Column::Up | Column::Rate => canvas.put_right(x, line.y, *own, head, Role::Head),
            _ => _ = canvas.put(x, line.y, *own, head, Role::Head),
        }
        x += own + 1;
    }
}

/// Draws the tree.
pub(super) fn tree(app: &App, canvas: &mut Canvas<'_>, head: Option<Rect>, list: Rect, now: Duration) {
    let columns = columns(list.width, false);
    if let Some(head) = head {
        heads(canvas, head, &columns);
    }
    let rows = app.rows(now);
    if rows.is_empty() {
        let text = match app.model.is_empty() {
            true => "no tree yet",
            false => "nothing matches; Esc shows all",
        };
        canvas.put(list.x, list.y, list.width, text, Role::Dim);
    }
    let circle: HashSet<String> = app.model.cycles().into_iter().flatten().collect();
    for (line, row) in rows.iter().skip(app.top).take(usize::from(list.height)).enumerate() {
        let Some(entry) = app.model.get(&row.path) else { continue };
        let area = Rect { y: list.y + line as u16, height: 1, ..list };
        let name = name(app, canvas, row, &entry.node);
        draw(app, canvas, area, &columns, &name, (entry, circle.contains(&row.path)), now);
        if app.selected.as_deref() == Some(&row.path) {
            canvas.select(area);
        }
    }
}

fn name(app: &App, canvas: &Canvas<'_>, row: &Row, node: &Node) -> Text {
    let glyphs = canvas.glyphs();
    let mut guides = String::new();
    for follows in &row.guides {
        guides.push_str(if *follows { glyphs.bar } else { " " });
    }
    let is_root = app.model.root() == Some(&row.path);
    if !app.is_flat && !is_root {
        guides.push_str(if row.is_last { glyphs.last } else { glyphs.branch });
    }
    guides.push_str(match row.open {
        Some(true) => glyphs.open,
        Some(false) => glyphs.shut,
        None if app.is_flat => "",
        None => glyphs.dash,
    });
    let mut text = Text::of(&guides, Role::Dim);
    text.push(glyphs.state(node.state), state_role(node));
    text.push(" ", Role::Normal);
    let role = if row.is_context { Role::Dim } else { Role::Normal };
    text.push(if app.is_flat { &node.path } else { &node.name }, role);
    text
}

/// Draws a page of a set.
pub(super) fn set(app: &App, set: &SetView, canvas: &mut Canvas<'_>, head: Option<Rect>, list: Rect, now: Duration) {
    let columns = columns(list.width, true);
    let Some(page) = &set.page else {
        let text = set.error.as_deref().unwrap_or("reading the instances");
        canvas.put(list.x, list.y, list.width, text, if set.error.is_some() { Role::Bad } else { Role::Dim });
        return;
    };
    if let Some(head) = head {
        // The heads of the columns give way to the part of the set that is shown.
        let mut text = Text::of(&set.path, Role::Title);
        let until = page.from + page.nodes.len() as u64;
        let from = if page.nodes.is_empty() { page.from } else { page.from + 1 };
        text.push(&format!("  {from} to {until} of {}", page.matching), Role::Head);
        if page.matching != page.total {
            text.push(&format!(" that match, {} in all", page.total), Role::Head);
        }
        for (word, number) in page.instances.iter().filter(|(_, number)| *number > 0) {
            let state = State::of(word);
            let text_of = format!("  {} {number} {}", canvas.glyphs().state(state), word.replace('_', " "));
            text.push(&text_of, Role::of(state));
        }
        if let Some(error) = &set.error {
            text.push(&format!("  {error}"), Role::Bad);
        }
        canvas.line(head.x, head.y, head.width, &text);
    }
    if page.nodes.is_empty() {
        canvas.put(list.x, list.y, list.width, "no instance matches", Role::Dim);
    }
    for (line, node) in page.nodes.iter().take(usize::from(list.height)).enumerate() {
        let area = Rect { y: list.y + line as u16, height: 1, ..list };
        let mut name = Text::of(canvas.glyphs().state(node.state), state_role(node));
        name.push(" ", Role::Normal);
        name.push(&node.name, Role::Normal);
        let entry = Entry::of(node.clone(), page.at_ms);
        draw(app, canvas, area, &columns, &name, (&entry, false), now);
        if line == set.selected.min(page.nodes.len() - 1) {
            canvas.select(area);
        }
    }
}

fn draw(
    app: &App,
    canvas: &mut Canvas<'_>,
    area: Rect,
    columns: &[(Column, u16)],
    name: &Text,
    (entry, is_in_circle): (&Entry, bool),
    now: Duration,
) {
    let at_ms = app.model.server_now(now);
    let node = &entry.node;
    let mut x = area.x;
    for (column, own) in columns {
        let (y, own) = (area.y, *own);
        match column {
            Column::Name => canvas.line(x, y, own, name),
            Column::State => {
                // An actor in an ask cycle waits for itself, which is more important than the time of its handler.
                let (text, role) = match is_in_circle {
                    true => ("ask cycle".to_owned(), Role::Bad),
                    false => activity(entry, at_ms),
                };
                canvas.put(x, y, own, &text, role);
            }
            Column::Incarnation if node.incarnation > 0 => {
                let role = if node.incarnation > 1 { Role::Normal } else { Role::Dim };
                canvas.put_right(x, y, own, &format!("#{}", node.incarnation), role);
            }
            Column::Up => {
                // The times count from the start of the tree.
                let since_begin = entry.parent.is_none() && node.state == State::Running && node.kind == "tree";
                if let Some(since) = node.up_since_ms.or(since_begin.then_some(0)) {
                    canvas.put_right(x, y, own, &short(at_ms.saturating_sub(since), false), Role::Normal);
                }
            }
            Column::Budget => {
                if let Some(budget) = &node.restarts {
                    canvas.line(x, y, own, &budget_bar(canvas, budget, own, at_ms));
                }
            }
            Column::Mailbox => {
                if let Some(mailbox) = &node.mailbox {
                    canvas.line(x, y, own, &mailbox_bar(canvas, mailbox, entry.oldest(at_ms), own));
                }
            }
            Column::Rate => {
                if let Some(number) = entry.rate {
                    let role = if number > 0.0 { Role::Normal } else { Role::Dim };
                    canvas.put_right(x, y, own, &rate(number), role);
                }
            }
            Column::Spark => {
                let text = spark(canvas, entry, usize::from(own));
                canvas.put_right(x, y, own, &text, Role::Info);
            }
            Column::Note => {
                let (text, role) = note(entry, at_ms);
                canvas.put(x, y, own, &text, role);
            }
            Column::Incarnation => {}
        }
        x += own + 1;
    }
}

fn state_role(node: &Node) -> Role {
    if node.has_ended_wrongly() { Role::Bad } else { Role::of(node.state) }
}

/// Returns what the node does, in a few letters: its state, the countdown to the next try, or how long it is busy.
pub(super) fn activity(entry: &Entry, at_ms: u64) -> (String, Role) {
    let node = &entry.node;
    match node.state {
        State::Running => {
            if let Some(held) = node.runs_for_ms.filter(|held| *held >= HELD) {
                return (format!("blocks {}", short(held, true)), Role::Bad);
            }
            match entry.in_hand(at_ms) {
                Some(time) if time >= STUCK => (format!("stuck {}", short(time, true)), Role::Bad),
                Some(time) if time >= SLOW => (format!("slow {}", short(time, true)), Role::Warn),
                Some(time) if time >= 1000 => (format!("busy {}", short(time, true)), Role::Info),
                _ => ("running".to_owned(), Role::Good),
            }
        }
        State::BackingOff => {
            let left = node.until_ms.unwrap_or(0).saturating_sub(at_ms);
            (format!("retry {}", short(left, true)), Role::Warn)
        }
        State::Other => (node.word.replace('_', " "), Role::Dim),
        state => (state.word().replace('_', " "), state_role(node)),
    }
}

/// Returns the remarkable thing about a node.
fn note(entry: &Entry, at_ms: u64) -> (String, Role) {
    let node = &entry.node;
    let place = || node.place(at_ms.saturating_sub(entry.seen_ms));
    let failure = || node.last_failure.as_ref().map(Failure::words);
    if let (State::Ended, Some(ended)) = (node.state, &node.ended) {
        return (Ended::words(ended), if node.has_ended_wrongly() { Role::Bad } else { Role::Dim });
    }
    if let Some(above) = &node.starts_after {
        return (format!("waits for {above}"), Role::Warn);
    }
    if let Some((role, _)) = &node.waits_for_node {
        return (format!("no node: {role}"), Role::Bad);
    }
    if node.state != State::Running
        && let Some(failure) = failure()
    {
        return (failure, Role::Bad);
    }
    if !node.waits_for.is_empty() {
        return (format!("asks {}", node.waits_for.join(", ")), Role::Info);
    }
    if let Some(mailbox) = node.mailbox.as_ref().filter(|mailbox| mailbox.blocked > 0) {
        let senders = if mailbox.blocked == 1 { "sender waits" } else { "senders wait" };
        return (format!("{} {senders}", mailbox.blocked), Role::Warn);
    }
    if let Some(instances) = node.instances.as_ref().filter(|_| node.total() > 0 || !node.failed_instances.is_empty()) {
        let states = instances.iter().filter(|(_, number)| *number > 0);
        let mut states: Vec<_> = states.map(|(word, number)| format!("{number} {}", word.replace('_', " "))).collect();
        if let Some(last) = node.failed_instances.last() {
            states.push(match node.failed_instances.len() {
                1 => format!("lost {}", last.words()),
                some => format!("lost {some}, the last {}", last.words()),
            });
        }
        return (states.join(", "), if node.failed_instances.is_empty() { Role::Normal } else { Role::Warn });
    }
    if let Some(place) = place() {
        return (place, Role::Normal);
    }
    (failure().map(|failure| format!("last: {failure}")).unwrap_or_default(), Role::Dim)
}

/// Returns a bar of this many columns.
pub(super) fn bar(canvas: &Canvas<'_>, part: f64, columns: usize) -> (String, String) {
    let full = (part.clamp(0.0, 1.0) * columns as f64).ceil() as usize;
    let glyphs = canvas.glyphs();
    (glyphs.full.repeat(full), glyphs.empty.repeat(columns - full.min(columns)))
}

/// Returns the used part of a restart budget, and the time at which all of it is restored if there is room.
pub(super) fn budget_bar(canvas: &Canvas<'_>, budget: &Budget, columns: u16, at_ms: u64) -> Text {
    let Some(max) = budget.max else { return Text::of("no limit", Role::Dim) };
    let role = match budget.used {
        0 => Role::Dim,
        used if used >= max => Role::Bad,
        used if is_nearly_used(used, max) || used * 2 > max => Role::Warn,
        _ => Role::Good,
    };
    let (full, empty) = bar(canvas, budget.used as f64 / max.max(1) as f64, if columns >= 12 { 5 } else { 3 });
    let mut text = Text::of(&full, role);
    text.push(&empty, Role::Dim);
    text.push(&format!(" {}/{max}", budget.used), role);
    if let Some(restored) = budget.restored_ms.filter(|_| columns >= 12) {
        text.push(&format!(" {}", short(restored.saturating_sub(at_ms), false)), Role::Dim);
    }
    text
}

/// Returns how full a mailbox is: green below half, yellow, then red from four fifths on.
pub(super) fn mailbox_bar(canvas: &Canvas<'_>, mailbox: &Mailbox, oldest: Option<u64>, columns: u16) -> Text {
    let mut text = Text::new();
    let part = mailbox.capacity.map(|capacity| mailbox.waiting as f64 / capacity.max(1) as f64);
    let role = match part {
        _ if mailbox.blocked > 0 => Role::Bad,
        Some(0.0) => Role::Dim,
        Some(part) if part >= 0.8 => Role::Bad,
        Some(part) if part >= 0.5 => Role::Warn,
        Some(_) => Role::Good,
        None if mailbox.waiting > 0 => Role::Normal,
        None => Role::Dim,
    };
    match (part, mailbox.capacity) {
        (Some(part), Some(capacity)) => {
            let (full, empty) = bar(canvas, part, if columns >= 14 { 4 } else { 3 });
            text.push(&full, role);
            text.push(&empty, Role::Dim);
            let (waiting, capacity) = (amount(mailbox.waiting), amount(capacity));
            // In a narrow column the bar says how much room there is.
            let fits = columns >= 14 || 3 + 1 + waiting.len() + 1 + capacity.len() <= usize::from(columns);
            let numbers = if fits { format!(" {waiting}/{capacity}") } else { format!(" {waiting}") };
            text.push(&numbers, role);
        }
        _ => text.push(&amount(mailbox.waiting), role),
    }
    if let Some(oldest) = oldest.filter(|_| columns >= 14 && mailbox.waiting > 0) {
        text.push(&format!(" {}", short(oldest, true)), role);
    }
    text
}

/// Returns the last values of a sparkline, scaled by the largest of all that are kept.
pub(super) fn spark(canvas: &Canvas<'_>, entry: &Entry, columns: usize) -> String {
    let most = entry.spark.iter().copied().fold(0.0, f64::max);
    let from = entry.spark.len().saturating_sub(columns);
    let levels = &canvas.glyphs().spark;
    let level = |value: &f64| {
        if most <= 0.0 || *value <= 0.0 {
            return levels[0];
        }
        levels[((value / most * 7.0).ceil() as usize).clamp(1, 7)]
    };
    entry.spark.iter().skip(from).map(level).collect()
}

/// Writes messages a second in at most five letters.
pub(super) fn rate(rate: f64) -> String {
    match rate {
        ..=0.0 => "0".to_owned(),
        ..9.95 => format!("{rate:.1}"),
        ..9_999.5 => format!("{rate:.0}"),
        ..999_500.0 => format!("{:.0}k", rate / 1e3),
        _ => format!("{:.0}M", rate / 1e6),
    }
}

/// Writes a number in at most four letters.
fn amount(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{}k", number / 1_000),
        1_000_000..1_000_000_000 => format!("{}M", number / 1_000_000),
        _ => format!("{}G", number / 1_000_000_000),
    }
}

/// Writes a time in at most six letters; with `tenths`, below ten seconds too.
pub(super) fn short(ms: u64, tenths: bool) -> String {
    let seconds = ms / 1000;
    match seconds {
        0..10 if tenths => format!("{}.{}s", seconds, ms % 1000 / 100),
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}", seconds / 60, seconds % 60),
        3600..86_400 => format!("{}h{:02}", seconds / 3600, seconds / 60 % 60),
        _ => format!("{}d{:02}h", seconds / 86_400, seconds / 3600 % 24),
    }
}
