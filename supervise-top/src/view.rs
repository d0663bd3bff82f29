//! The screen: a pure function from the state, the size and the time to cells.

mod canvas;
mod detail;
mod overlay;
mod rows;

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::{App, SET_SORTS, SPLIT, SetView, Size};
use crate::model::{Link, Weight};
use crate::wire::{Ended, State, ago, time_ms, time_s};
use canvas::{Canvas, Role, Text};

/// The narrowest and lowest screen on which something can be shown.
const LEAST: Size = (12, 3);

/// Returns the number of rows above the list.
pub(crate) fn above(size: Size) -> usize {
    3 + usize::from(has_heads(size))
}

/// Returns the number of rows below the list.
pub(crate) fn below(size: Size) -> usize {
    1 + usize::from(has_note(size))
}

fn has_heads((columns, rows): Size) -> bool {
    columns >= 60 && rows >= 14
}

fn has_note((_, rows): Size) -> bool {
    rows >= 16
}

/// Draws the whole screen.
///
/// ```
/// use std::time::Duration;
/// use ratatui::{buffer::Buffer, layout::Rect};
/// use supervise_top::app::{App, Setup};
///
/// let setup = Setup { address: "127.0.0.1:9090".into(), by: "kim".into(), control: false, ascii: false, colour: true };
/// let app = App::new(setup, (80, 24));
/// let mut buffer = Buffer::empty(Rect::new(0, 0, 80, 24));
/// supervise_top::view::draw(&app, &mut buffer, Duration::ZERO);
/// ```
pub fn draw(app: &App, buffer: &mut Buffer, now: Duration) {
    let area = buffer.area;
    let mut canvas = Canvas::new(buffer, app.setup.ascii, app.setup.colour);
    let size = (area.width, area.height);
    if size.0 < LEAST.0 || size.1 < LEAST.1 {
        canvas.put(area.x, area.y, area.width, "too small", Role::Warn);
        return;
    }
    let line = |row: u16| Rect::new(area.x, area.y + row, area.width, 1);
    title(app, &mut canvas, line(0), now);
    counts(app, &mut canvas, line(1), now);
    warnings(app, &mut canvas, line(2), now);
    let (above, below) = (above(size) as u16, below(size) as u16);
    let list =
        Rect::new(area.x, area.y + above.min(area.height), area.width, area.height.saturating_sub(above + below));
    let is_full = app.detail.as_ref().is_some_and(|detail| detail.has_focus && (size.0 < SPLIT || app.set.is_some()));
    let (left, right) = match &app.detail {
        Some(_) if size.0 >= SPLIT && app.set.is_none() => {
            let width = area.width * 11 / 20;
            (width, Some(Rect { x: area.x + width + 1, width: area.width - width - 1, ..list }))
        }
        Some(_) if is_full => (area.width, Some(list)),
        _ => (area.width, None),
    };
    if !is_full {
        let heads = has_heads(size).then(|| Rect { width: left, ..line(above - 1) });
        let list = Rect { width: left, ..list };
        match &app.set {
            Some(set) => rows::set(app, set, &mut canvas, heads, list, now),
            None => rows::tree(app, &mut canvas, heads, list, now),
        }
    }
    if let Some(right) = right {
        if !is_full {
            for row in 0..right.height {
                canvas.put(right.x - 1, right.y + row, 1, canvas.glyphs().bar, Role::Dim);
            }
        }
        detail::draw(app, &mut canvas, right, now);
    }
    if has_note(size) {
        note(app, &mut canvas, line(area.height - 2), now);
    }
    foot(app, &mut canvas, line(area.height - 1));
    if let Some(open) = &app.overlay {
        overlay::draw(app, open, &mut canvas, Rect::new(area.x, area.y + 1, area.width, area.height - 2), now);
    }
}

/// The name of the tree, the address, and the connection.
fn title(app: &App, canvas: &mut Canvas<'_>, line: Rect, now: Duration) {
    let glyphs = canvas.glyphs();
    let age = ago(app.model.age(now).as_millis() as u64);
    let (link, role) = match &app.model.link {
        Link::Connecting => (format!("{} connecting", glyphs.state(State::Starting)), Role::Info),
        Link::Live => (format!("{} live", glyphs.state(State::Running)), Role::Good),
        Link::Away { retry, .. } => {
            let retry = time_s(retry.saturating_sub(now).as_millis() as u64 + 999);
            let away = if app.model.is_empty() { "away".to_owned() } else { format!("away, shown as it was {age}") };
            match line.width {
                60.. => (format!("{} {away}, next try in {retry}", glyphs.state(State::Ended)), Role::Bad),
                _ => (format!("{} {age}", glyphs.state(State::Ended)), Role::Bad),
            }
        }
        Link::Ended(_) => (format!("{} ended", glyphs.state(State::Ended)), Role::Bad),
    };
    let room = canvas.right(line, &link, role);
    let name = app.model.root().unwrap_or("supervise-top");
    let mut text = Text::new();
    text.push(name, Role::Title);
    text.push("  ", Role::Dim);
    text.push(&app.setup.address, Role::Dim);
    canvas.line(line.x, line.y, room, &text);
}

/// The nodes by state, messages a second, and dead letters: with words, or without if there is no room for them.
fn counts(app: &App, canvas: &mut Canvas<'_>, line: Rect, now: Duration) {
    let text = [true, false].map(|has_words| counts_of(app, canvas, has_words, now));
    let fits = line.width >= 60 && canvas.width(&text[0]) <= usize::from(line.width);
    canvas.line(line.x, line.y, line.width, &text[usize::from(!fits)]);
}

fn counts_of(app: &App, canvas: &Canvas<'_>, has_words: bool, now: Duration) -> Text {
    let model = &app.model;
    let (counts, instances) = model.counts();
    let mut text = Text::new();
    let gap = if has_words { "  " } else { " " };
    for (state, number) in counts {
        let (glyph, role) = (canvas.glyphs().state(state), Role::of(state));
        if !text.is_empty() {
            text.push(gap, Role::Dim);
        }
        match has_words {
            true => text.push(&format!("{glyph} {number} {}", state.word().replace('_', " ")), role),
            false => text.push(&format!("{glyph}{number}"), role),
        }
    }
    if model.unreadable.0 > 0 {
        text.push(&format!("{gap}{} unreadable messages: {}", model.unreadable.0, model.unreadable.1), Role::Bad);
    }
    if instances > 0 {
        text.push(&format!("{gap}{} in sets", instances), Role::Normal);
    }
    if let Some((network, _)) = &model.network {
        let nodes = if network.nodes.len() == 1 { "node" } else { "nodes" };
        let role = if network.waiting.is_empty() { Role::Normal } else { Role::Bad };
        text.push(&format!("{gap}{} {nodes}", network.nodes.len()), role);
    }
    if let Some(rate) = model.rate() {
        text.push(&format!("{gap}{} msg/s", rows::rate(rate)), Role::Normal);
    }
    let recent = model.recent_dead_letters(now);
    let total = model.dead_letters.unwrap_or(recent);
    if total > 0 {
        let role = if recent > 0 { Role::Warn } else { Role::Dim };
        let more = if recent > 0 { format!(" (+{recent} in 1 m)") } else { String::new() };
        match has_words {
            true => text.push(&format!("{gap}dead letters {total}{more}"), role),
            false => text.push(&format!("{gap}{total} dead letters{more}"), role),
        }
    }
    text
}

/// As many warnings as there is room for, and the number of the others.
fn warnings(app: &App, canvas: &mut Canvas<'_>, line: Rect, now: Duration) {
    if let Link::Away { why, .. } = &app.model.link {
        canvas.put(line.x, line.y, line.width, why, Role::Bad);
        return;
    }
    if let Link::Ended(ended) = &app.model.link {
        let ended = ended.as_ref().map_or_else(|| "with the program".to_owned(), Ended::words);
        canvas.put(line.x, line.y, line.width, &format!("the tree has ended: {ended}"), Role::Bad);
        return;
    }
    let warnings = app.model.warnings(now);
    if app.model.is_empty() || warnings.is_empty() {
        let text = if app.model.is_empty() { "" } else { "no warnings" };
        canvas.put(line.x, line.y, line.width, text, Role::Dim);
        return;
    }
    let mut text = Text::new();
    let mut shown = 0;
    for warning in &warnings {
        let role = if warning.weight == Weight::Bad { Role::Bad } else { Role::Warn };
        let mut piece = format!("{} {}: {}", canvas.glyphs().warning, warning.path, warning.text);
        let more = warnings.len() - shown - 1;
        let tail = if more > 0 { 12 } else { 0 };
        let room = usize::from(line.width).saturating_sub(canvas.width(&text) + tail);
        // The first warning is always shown, and a further one if at least 24 columns are left for it.
        if shown > 0 {
            piece.insert_str(0, "  ");
            if room < 24 {
                break;
            }
        }
        let piece = canvas.fit(&piece, room.min(60));
        text.push(&piece, role);
        shown += 1;
    }
    let more = warnings.len() - shown;
    if more > 0 {
        text.push(&format!("  +{more} (w)"), Role::Warn);
    }
    canvas.line(line.x, line.y, line.width, &text);
}

/// The selected node in one line: the last failure whole, and who decided.
fn note(app: &App, canvas: &mut Canvas<'_>, line: Rect, now: Duration) {
    let Some(path) = app.target() else { return };
    let mut text = Text::new();
    text.push(&path, Role::Title);
    let Some(node) = app.node(&path) else { return };
    if let Some(restored) = node.restarts.as_ref().and_then(|budget| budget.restored_ms) {
        let left = time_s(restored.saturating_sub(app.model.server_now(now)));
        text.push(&format!("  budget restored in {left}"), Role::Normal);
    }
    if let Some(oldest) = app.model.get(&path).and_then(|entry| entry.oldest(app.model.server_now(now))) {
        text.push(&format!("  oldest message {}", time_ms(oldest)), Role::Normal);
    }
    if let Some(failure) = &node.last_failure {
        text.push(&format!("  #{} {}", failure.incarnation, failure.words()), Role::Bad);
    } else if let Some(place) = &node.declared_at {
        text.push(&format!("  {place}"), Role::Dim);
    }
    canvas.line(line.x, line.y, line.width, &text);
}

/// The keys, what is typed, or the result of the last action.
fn foot(app: &App, canvas: &mut Canvas<'_>, line: Rect) {
    if app.is_typing {
        let filter = app.set.as_ref().map_or(&app.filter, |set: &SetView| &set.name);
        let mut text = Text::new();
        text.push("/", Role::Key);
        text.push(filter, Role::Normal);
        text.push("_", Role::Key);
        text.push("  Enter: keep  Esc: clear", Role::Dim);
        canvas.line(line.x, line.y, line.width, &text);
        return;
    }
    if let Some((said, is_error, _)) = &app.flash {
        canvas.put(line.x, line.y, line.width, said, if *is_error { Role::Bad } else { Role::Good });
        return;
    }
    let mut text = Text::new();
    let mut key = |key: &str, word: &str| {
        if !text.is_empty() {
            text.push(" ", Role::Dim);
        }
        text.push(key, Role::Key);
        text.push(&format!(" {word}"), Role::Dim);
    };
    let act = app.setup.control;
    if app.detail.as_ref().is_some_and(|detail| detail.has_focus) {
        key("Esc", "back");
        key("?", "help");
        key("j/k", "scroll");
    } else if let Some(set) = &app.set {
        key("Esc", "back");
        key("?", "help");
        key("PgDn", "page");
        key("f", set.state.map_or("state", State::word));
        key("/", if set.name.is_empty() { "name" } else { &set.name });
        key("o", SET_SORTS[set.sort]);
        key("i", "detail");
    } else {
        key("q", "quit");
        key("?", "help");
        key("i", "detail");
        key("/", if app.filter.is_empty() { "filter" } else { &app.filter });
        key("o", app.sort.word());
        key("t", if app.is_flat { "flat" } else { "tree" });
        key("p", if app.only_problems { "only problems" } else { "problems" });
        key("e", "log");
        key("w", "warn");
    }
    if act {
        key("a", "act");
    }
    if app.model.network.is_some() && app.set.is_none() {
        key("n", "nodes");
    }
    canvas.line(line.x, line.y, line.width, &text);
}
