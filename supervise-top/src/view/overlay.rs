//! Windows above the rest: help, warnings, events, operations.

use std::time::Duration;

use ratatui::layout::Rect;

use super::canvas::{Canvas, Role, Text};
use super::detail::event_role;
use crate::app::{App, Operation, Overlay};
use crate::model::Weight;
use crate::wire::{ago, time_ms};

const HELP: &[(&str, &str)] = &[
    ("up down j k", "move; PgUp PgDn, Home End, g G"),
    ("Enter", "open a branch, a set, or the detail"),
    ("right left l h", "open and close a branch"),
    ("Space - +", "close or open one; all; none"),
    ("i  Tab", "inspect; move the keys to the detail"),
    ("/", "filter by path, kind, state; words are and-ed"),
    ("o", "order: declared, name, state, restarts, .."),
    ("t", "tree, or one flat list in that order"),
    ("p", "only what has a problem"),
    ("w  e  n", "warnings (Enter goes there); events; nodes"),
    ("f", "in a set: only one state"),
    ("a", "act: stop, restart, start again, kill"),
    ("Esc  q  Ctrl-L", "back; quit; draw anew"),
];

pub(super) fn draw(app: &App, overlay: &Overlay, canvas: &mut Canvas<'_>, area: Rect, now: Duration) {
    match overlay {
        Overlay::Help => {
            let mut lines: Vec<Text> = HELP
                .iter()
                .map(|(keys, what)| {
                    let mut line = Text::of(&format!("{keys:15}"), Role::Key);
                    line.push(what, Role::Normal);
                    line
                })
                .collect();
            lines.push(Text::new());
            lines.push(states(canvas));
            let mut busy = Text::of("busy", Role::Info);
            busy.push(" from 1 s  ", Role::Normal);
            busy.push("slow", Role::Warn);
            busy.push(" from 5 s  ", Role::Normal);
            busy.push("stuck", Role::Bad);
            busy.push(" from 30 s  ", Role::Normal);
            busy.push("blocks", Role::Bad);
            busy.push(" its thread", Role::Normal);
            lines.push(busy);
            window(canvas, area, "Keys", &lines);
        }
        Overlay::Warnings(selected) => {
            let warnings = app.model.warnings(now);
            let lines: Vec<Text> = warnings
                .iter()
                .map(|warning| {
                    let role = if warning.weight == Weight::Bad { Role::Bad } else { Role::Warn };
                    let mut line = Text::of(&format!("{} {}", canvas.glyphs().warning, warning.path), role);
                    line.push(&format!("  {}", warning.text), Role::Normal);
                    line
                })
                .collect();
            let lines = if lines.is_empty() { vec![Text::of("no warnings", Role::Dim)] } else { lines };
            list(canvas, area, &format!("Warnings: {}", warnings.len()), &lines, *selected);
        }
        Overlay::Nodes(selected) => {
            let Some((network, seen_ms)) = &app.model.network else { return };
            let grown = app.model.server_now(now).saturating_sub(*seen_ms);
            let waiting = network.waiting.iter().map(|(role, children)| {
                let children =
                    if *children == 1 { "1 child waits".to_owned() } else { format!("{children} children wait") };
                Text::of(&format!("{} {children} for a node with the role {role}", canvas.glyphs().warning), Role::Bad)
            });
            let nodes = network.nodes.iter().map(|node| {
                let mut line = Text::of(&node.name, Role::Title);
                line.push(&format!("  {}", node.role), Role::Normal);
                let is_full = node.capacity.is_some_and(|capacity| node.children >= capacity);
                let of = node.capacity.map_or(String::new(), |capacity| format!(" of {capacity}"));
                let children = if node.capacity.unwrap_or(node.children) == 1 { "child" } else { "children" };
                let role = if is_full { Role::Warn } else { Role::Normal };
                line.push(&format!("  {}{of} {children}", node.children), role);
                if let Some(left) = node.lease_left_ms {
                    line.push(&format!("  lease {}", time_ms(left.saturating_sub(grown))), Role::Dim);
                }
                if let Some(time) = node.round_trip_us {
                    line.push(&format!("  answers {time} us"), Role::Dim);
                }
                if let Some(build) = &node.build {
                    line.push(&format!("  build {build}"), Role::Dim);
                }
                line
            });
            let refused = network.refused.iter().map(|(name, why)| {
                let mut line = Text::of(name, Role::Title);
                line.push(&format!("  refused: {why}"), Role::Warn);
                line
            });
            // Waiting children and refused nodes come first: somebody has to see to them.
            let lines: Vec<Text> = waiting.chain(refused).chain(nodes).collect();
            let lines = if lines.is_empty() { vec![Text::of("no nodes", Role::Dim)] } else { lines };
            list(canvas, area, &format!("Nodes: {}", network.nodes.len()), &lines, *selected);
        }
        Overlay::Events(back) => {
            let at_ms = app.model.server_now(now);
            let lines: Vec<Text> = app
                .model
                .events
                .iter()
                .map(|event| {
                    let ago = ago(at_ms.saturating_sub(event.at_ms));
                    let mut line = Text::of(&format!("{ago:>10}  "), Role::Dim);
                    line.push(&event.path, Role::Title);
                    line.push(&format!(" #{} ", event.incarnation), Role::Dim);
                    line.push(&event.words(), event_role(event));
                    line
                })
                .collect();
            let lines = if lines.is_empty() { vec![Text::of("no events yet", Role::Dim)] } else { lines };
            let room = usize::from(area.height).saturating_sub(2).max(1);
            let last = lines.len().saturating_sub(room);
            let from = last.saturating_sub(*back);
            let shown = &lines[from..(from + room).min(lines.len())];
            let title = format!("Events: {}", app.model.events.len());
            window_of(canvas, area, &title, shown, area.height);
        }
        Overlay::Menu(path) => {
            let mut lines = vec![Text::of(path, Role::Title), Text::new()];
            for (key, operation) in Operation::ALL {
                let mut line = Text::of(&format!(" {key} "), Role::Key);
                line.push(operation.words(), Role::Normal);
                lines.push(line);
            }
            lines.push(Text::new());
            lines.push(Text::of(&format!("as {}; Esc: back", app.setup.by), Role::Dim));
            window(canvas, area, "Act", &lines);
        }
        Overlay::Confirm { path, operation, name, typed } => {
            let mut question = Text::of(&format!("{} ", capital(operation.words())), Role::Bad);
            question.push(path, Role::Title);
            question.push("?", Role::Normal);
            let mut lines = vec![question, Text::of(&format!("The event will say: by {}", app.setup.by), Role::Dim)];
            lines.push(Text::new());
            match name {
                Some(name) => {
                    lines.push(Text::of(
                        &format!("This takes everything below it down. Type {name}, then Enter:"),
                        Role::Normal,
                    ));
                    let mut line = Text::of(&format!("{} ", canvas.glyphs().selected), Role::Key);
                    line.push(typed, Role::Normal);
                    line.push("_", Role::Key);
                    lines.push(line);
                }
                None => {
                    let mut line = Text::of("y", Role::Key);
                    line.push(" yes  ", Role::Normal);
                    line.push("n", Role::Key);
                    line.push(" no", Role::Normal);
                    lines.push(line);
                }
            }
            window(canvas, area, "Sure", &lines);
        }
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn states(canvas: &Canvas<'_>) -> Text {
    let mut line = Text::new();
    for state in crate::wire::State::ALL {
        line.push(&format!("{} {}  ", canvas.glyphs().state(state), state.word().replace('_', " ")), Role::of(state));
    }
    line
}

/// A window as large as its lines.
fn window(canvas: &mut Canvas<'_>, area: Rect, title: &str, lines: &[Text]) {
    let height = (lines.len() as u16).saturating_add(2).min(area.height);
    window_of(canvas, area, title, lines, height);
}

/// A window with a selected line, which is always on the screen.
fn list(canvas: &mut Canvas<'_>, area: Rect, title: &str, lines: &[Text], selected: usize) {
    let room = usize::from(area.height).saturating_sub(2).max(1);
    let selected = selected.min(lines.len().saturating_sub(1));
    let from = (selected + 1).saturating_sub(room);
    let shown = &lines[from..(from + room).min(lines.len())];
    let inner = window_of(canvas, area, title, shown, area.height.min(lines.len() as u16 + 2));
    let row = inner.y + (selected - from) as u16;
    canvas.select(Rect { y: row, height: 1, ..inner });
}

fn window_of(canvas: &mut Canvas<'_>, area: Rect, title: &str, lines: &[Text], height: u16) -> Rect {
    let widest = lines.iter().map(|line| canvas.width(line)).max().unwrap_or(0);
    let width = (widest.max(30).min(usize::from(u16::MAX) - 4) as u16 + 4).min(area.width);
    let frame = Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    canvas.clear(frame);
    let glyphs = canvas.glyphs();
    let [left, right, low_right, low_left, dash] = glyphs.frame;
    let inside = usize::from(frame.width.saturating_sub(2));
    let name = canvas.fit(title, inside.saturating_sub(2));
    let used = crate::text::width(&name) + 2;
    let top = format!("{left} {name} {}{right}", dash.repeat(inside.saturating_sub(used)));
    canvas.put_own(frame.x, frame.y, &top, Role::Title);
    for row in 1..frame.height.saturating_sub(1) {
        canvas.put_own(frame.x, frame.y + row, glyphs.bar, Role::Title);
        canvas.put_own(frame.right() - 1, frame.y + row, glyphs.bar, Role::Title);
    }
    let low = format!("{low_left}{}{low_right}", dash.repeat(inside));
    canvas.put_own(frame.x, frame.bottom() - 1, &low, Role::Title);
    let inner = Rect {
        x: frame.x + 2,
        y: frame.y + 1,
        width: frame.width.saturating_sub(4),
        height: frame.height.saturating_sub(2),
    };
    for (row, line) in lines.iter().take(usize::from(inner.height)).enumerate() {
        canvas.line(inner.x, inner.y + row as u16, inner.width, line);
    }
    inner
}
