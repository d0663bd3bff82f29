//! The detail of a child: what it is, how it is, why it failed, and what has happened.

use std::time::Duration;

use ratatui::layout::Rect;

use super::canvas::{Canvas, Role, Text};
use super::rows;
use crate::app::{App, DetailView};
use crate::model::{Entry, SPARK};
use crate::text;
use crate::wire::{Event, Failure, Node, ago, time_ms, time_s};

/// Lines that grow, broken to the width of the pane.
struct Lines<'a> {
    canvas: &'a Canvas<'a>,
    columns: usize,
    lines: Vec<Text>,
}

/// The columns of the names on the left.
const NAMES: usize = 12;

impl Lines<'_> {
    fn head(&mut self, text: &str) {
        if !self.lines.is_empty() {
            self.lines.push(Text::new());
        }
        self.lines.push(Text::of(text, Role::Head));
    }

    /// Adds a text with a name on the left, in as many lines as it takes.
    fn field(&mut self, name: &str, value: &str, role: Role) {
        let columns = self.columns.saturating_sub(NAMES).max(8);
        let mut name = name;
        for paragraph in value.split('\n') {
            let clean = self.canvas.fit(paragraph, usize::MAX);
            for line in text::wrap(&clean, columns) {
                let mut text = Text::of(&format!("{:NAMES$}", std::mem::take(&mut name)), Role::Dim);
                text.push(&line, role);
                self.lines.push(text);
            }
        }
    }

    fn line(&mut self, name: &str, value: Text) {
        let mut text = Text::of(&format!("{name:NAMES$}"), Role::Dim);
        text.append(value);
        self.lines.push(text);
    }
}

pub(super) fn draw(app: &App, canvas: &mut Canvas<'_>, area: Rect, now: Duration) {
    let Some(view) = &app.detail else { return };
    let lines = lines(app, view, canvas, usize::from(area.width), now);
    let height = usize::from(area.height);
    let scroll = view.scroll.min(lines.len().saturating_sub(height));
    for (row, line) in lines.iter().skip(scroll).take(height).enumerate() {
        canvas.line(area.x, area.y + row as u16, area.width, line);
    }
    let rest = lines.len().saturating_sub(scroll + height);
    if rest > 0 && height > 1 {
        let more = format!(" {rest} more lines ");
        canvas.put_right(area.x, area.bottom() - 1, area.width, &more, Role::Key);
    }
}

fn lines(app: &App, view: &DetailView, canvas: &Canvas<'_>, columns: usize, now: Duration) -> Vec<Text> {
    let at_ms = app.model.server_now(now);
    let mut lines = Lines { canvas, columns, lines: Vec::new() };
    lines.head(&view.path);
    // The stream knows the newest state of a declared child; an instance is only in the answers.
    let data = view.data.as_ref();
    let in_set = || {
        let page = app.set.as_ref()?.page.as_ref()?;
        let node = page.nodes.iter().find(|node| node.path == view.path)?;
        Some(Entry::of(node.clone(), page.at_ms))
    };
    let answered = || data.map(|data| Entry::of(data.node.clone(), data.at_ms));
    if let Some(error) = &view.error {
        lines.field("", error, Role::Bad);
    }
    let Some(entry) = app.model.get(&view.path).cloned().or_else(answered).or_else(in_set) else {
        if view.error.is_none() {
            lines.field("", "reading", Role::Dim);
        }
        return lines.lines;
    };
    let node = &entry.node;
    now_lines(&mut lines, &entry, at_ms);
    if let Some(failure) = &node.last_failure {
        lines.head("Last failure");
        failure_lines(&mut lines, failure);
    }
    if !node.failed_instances.is_empty() {
        lines.head("Failed instances");
        for gone in node.failed_instances.iter().rev() {
            lines.field(&format!(" {}", ago(at_ms.saturating_sub(gone.at_ms))), &gone.words(), Role::Bad);
        }
    }
    let decision = data.and_then(|data| data.events.iter().rev().find(|event| event.event == "decided"));
    if let Some(decision) = decision {
        decision_lines(&mut lines, decision);
    }
    lines.head("Declared");
    declared_lines(&mut lines, view, node);
    lines.head("Events");
    let events = data.map(|data| &*data.events).unwrap_or_default();
    if events.is_empty() {
        lines.field("", if data.is_some() { "none that are kept" } else { "reading" }, Role::Dim);
    }
    let mut incarnation = None;
    for event in events.iter().rev() {
        if incarnation != Some(event.incarnation) {
            incarnation = Some(event.incarnation);
            lines.lines.push(Text::of(&format!("incarnation {}", event.incarnation), Role::Head));
        }
        lines.field(&format!(" {}", ago(at_ms.saturating_sub(event.at_ms))), &event.words(), event_role(event));
    }
    lines.lines
}

pub(super) fn event_role(event: &Event) -> Role {
    match &*event.event {
        _ if event.is_bad() => Role::Bad,
        "started" | "restarted" | "placed" | "node_joined" => Role::Good,
        "requested" => Role::Key,
        "dead_letter" | "unread" | "blocked" | "still_starting" | "restart_scheduled" | "no_node" | "refused"
        | "node_refused" | "not_written" => Role::Warn,
        _ => Role::Normal,
    }
}

fn now_lines(lines: &mut Lines<'_>, entry: &Entry, at_ms: u64) {
    let node = &entry.node;
    let (activity, role) = rows::activity(entry, at_ms);
    let mut state = Text::of(&format!("{} {activity}", lines.canvas.glyphs().state(node.state)), role);
    state.push(&format!("  incarnation {}", node.incarnation), Role::Normal);
    if let Some(since) = node.up_since_ms {
        state.push(&format!("  up {}", time_s(at_ms.saturating_sub(since))), Role::Normal);
    }
    lines.line("state", state);
    if let Some(ended) = &node.ended {
        lines.field("ended", &ended.words(), if node.has_ended_wrongly() { Role::Bad } else { Role::Normal });
    }
    if let Some(budget) = &node.restarts {
        let mut text = rows::budget_bar(lines.canvas, budget, 8, at_ms);
        if let Some(within) = budget.within_ms {
            text.push(&format!(" in {}", time_ms(within)), Role::Normal);
        }
        if let Some(restored) = budget.restored_ms {
            let left = time_s(restored.saturating_sub(at_ms));
            text.push(&format!(", restored in {left}"), Role::Normal);
        }
        lines.line("restarts", text);
    }
    if node.streak > 0 {
        lines.field("streak", &format!("{} restarts in a row", node.streak), Role::Warn);
    }
    if let Some(mailbox) = &node.mailbox {
        let mut text = rows::mailbox_bar(lines.canvas, mailbox, None, 16);
        text.push(if mailbox.capacity.is_some() { " wait" } else { " wait, no bound" }, Role::Normal);
        if let Some(oldest) = entry.oldest(at_ms) {
            text.push(&format!(", the oldest for {}", time_ms(oldest)), Role::Normal);
        }
        if mailbox.blocked > 0 {
            text.push(&format!(", {} senders wait for room", mailbox.blocked), Role::Bad);
        }
        lines.line("mailbox", text);
    }
    if let Some(place) = &node.runs_on {
        let window = node.window.filter(|window| *window > 0);
        let text = window.map_or(place.clone(), |window| format!("{place}, {window} messages on their way"));
        lines.field("runs on", &text, Role::Normal);
    }
    if let Some(messages) = &node.messages {
        let mut text = format!("{} handled", messages.handled);
        if let Some(rate) = entry.rate {
            text.push_str(&format!(", {} a second", rows::rate(rate)));
        }
        if let Some(busy) = entry.busy {
            text.push_str(&format!(", busy {:.0} % of the time", busy * 100.0));
        }
        if let Some(longest) = messages.longest_us {
            text.push_str(&format!(", the longest {}", micros(longest)));
        }
        lines.field("messages", &text, Role::Normal);
        if let Some(time) = entry.in_hand(at_ms) {
            lines.field("in hand", &format!("a message for {}", time_ms(time)), Role::Normal);
        }
        if !entry.spark.is_empty() {
            let room = lines.columns.saturating_sub(NAMES).min(SPARK);
            lines.line("last 60 s", Text::of(&rows::spark(lines.canvas, entry, room), Role::Info));
        }
    }
    if let Some(held) = node.runs_for_ms {
        lines.field("thread", &format!("held for {}", time_ms(held)), Role::Warn);
    }
    if let Some(place) = node.place(at_ms.saturating_sub(entry.seen_ms)) {
        lines.field("node", &place, if node.waits_for_node.is_some() { Role::Bad } else { Role::Normal });
    }
    if let Some(above) = &node.starts_after {
        lines.field("starts after", above, Role::Warn);
    }
    if !node.waits_for.is_empty() {
        lines.field("asks", &node.waits_for.join(", "), Role::Info);
    }
    if let Some(instances) = &node.instances {
        let states: Vec<_> = instances
            .iter()
            .filter(|(_, number)| *number > 0)
            .map(|(word, number)| format!("{number} {}", word.replace('_', " ")))
            .collect();
        let states = if states.is_empty() { "none".to_owned() } else { states.join(", ") };
        lines.field("instances", &states, Role::Normal);
    }
}

fn failure_lines(lines: &mut Lines<'_>, failure: &Failure) {
    let mut next = Some(failure);
    while let Some(failure) = next {
        let phase = match &*failure.phase {
            "start" => "while it started",
            "restart" => "while it restarted",
            "running" => "while it ran",
            other => other,
        };
        let cause = failure.cause.replace('_', " ");
        let whose = format!("{} #{} {phase}: {cause}", failure.path, failure.incarnation);
        lines.field("", &whose, Role::Normal);
        for (depth, link) in failure.chain.iter().enumerate() {
            let name = if depth == 0 { " error" } else { " because" };
            lines.field(name, link, Role::Bad);
        }
        if failure.left_out > 0 {
            lines.field("", &format!("{} failures are left out here", failure.left_out), Role::Dim);
        }
        next = failure.before.as_deref();
        if next.is_some() {
            lines.field("before", "", Role::Normal);
        }
    }
}

fn decision_lines(lines: &mut Lines<'_>, event: &Event) {
    let directive = event.directive.as_deref().unwrap_or("?");
    let by = match event.by.as_deref() {
        Some("child") => "the decider of the child",
        Some("supervisor") => "the decider of the supervisor",
        Some("default") => "the default",
        Some(other) => other,
        None => "?",
    };
    lines.field("decided", &format!("{directive}, by {by}"), Role::Normal);
    if let Some((index, arm, at)) = &event.arm {
        lines.field(" arm", &format!("{index}: {arm}"), Role::Normal);
        lines.field(" at", at, Role::Dim);
    }
}

fn declared_lines(lines: &mut Lines<'_>, view: &DetailView, node: &Node) {
    let data = view.data.as_ref();
    let mut kind = node.kind.clone();
    for part in [Some(&node.lifecycle), node.strategy.as_ref()].into_iter().flatten().filter(|part| !part.is_empty()) {
        kind.push_str(&format!(", {}", part.replace('_', " ")));
    }
    lines.field("kind", &kind, Role::Normal);
    if let Some(item) = data.and_then(|data| data.item.as_deref()) {
        let shape = data.and_then(|data| data.shape.as_deref()).filter(|shape| !matches!(*shape, "one" | "tree"));
        let shape = shape.map(|shape| format!(" ({shape})")).unwrap_or_default();
        lines.field("item", &format!("{item}{shape}"), Role::Normal);
    }
    if let Some(doc) = data.and_then(|data| data.doc.as_deref()).filter(|doc| !doc.trim().is_empty()) {
        lines.field("doc", doc.trim(), Role::Normal);
    }
    let declared = data.and_then(|data| data.node.declared_at.as_ref()).or(node.declared_at.as_ref());
    if let Some(place) = declared {
        lines.field("at", place, Role::Normal);
    }
    let settings =
        data.map(|data| &data.node.settings).filter(|settings| !settings.is_empty()).unwrap_or(&node.settings);
    for (index, setting) in settings.iter().enumerate() {
        lines.field(if index == 0 { "settings" } else { "" }, setting, Role::Normal);
    }
    if !node.hooks.is_empty() {
        lines.field("hooks", &node.hooks.join(", "), Role::Normal);
    }
    if let Some(shutdown) = data.and_then(|data| data.shutdown.as_deref()) {
        lines.field("stops in", shutdown, Role::Normal);
    }
}

fn micros(us: u64) -> String {
    if us < 1000 { format!("{us} us") } else { time_ms(us / 1000) }
}
