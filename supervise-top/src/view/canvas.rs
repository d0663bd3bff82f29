//! Cells to draw on. Every text goes through [`Canvas::put`], which makes it harmless.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use crate::text::{clean, fit, width};
use crate::wire::State;

/// The meaning of a text, which has a colour. Only the 16 colours that every terminal has, as the user has set them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Normal,
    Dim,
    Title,
    Head,
    Key,
    Good,
    Info,
    Warn,
    Bad,
}

impl Role {
    /// Returns the role of a state.
    pub(super) fn of(state: State) -> Role {
        match state {
            State::Running => Role::Good,
            State::Starting => Role::Info,
            State::Queued | State::Suspended | State::GoingDown | State::BackingOff => Role::Warn,
            State::Failed => Role::Bad,
            State::Ended | State::Other => Role::Dim,
        }
    }

    fn style(self, colour: bool) -> Style {
        let plain = Style::new();
        match (self, colour) {
            (Role::Normal, _) => plain,
            // Not every terminal knows `dim`; without it the text is still there.
            (Role::Dim, false) => plain.add_modifier(Modifier::DIM),
            (Role::Dim, true) => plain.fg(Color::DarkGray),
            (Role::Title, false) => plain.add_modifier(Modifier::BOLD),
            (Role::Title, true) => plain.fg(Color::Cyan).add_modifier(Modifier::BOLD),
            (Role::Head, _) => plain.add_modifier(Modifier::BOLD),
            (Role::Key, false) => plain.add_modifier(Modifier::BOLD),
            (Role::Key, true) => plain.fg(Color::Cyan),
            (Role::Good, false) | (Role::Info, false) => plain,
            (Role::Good, true) => plain.fg(Color::Green),
            (Role::Info, true) => plain.fg(Color::Cyan),
            (Role::Warn, false) => plain.add_modifier(Modifier::BOLD),
            (Role::Warn, true) => plain.fg(Color::Yellow),
            (Role::Bad, false) => plain.add_modifier(Modifier::BOLD),
            (Role::Bad, true) => plain.fg(Color::Red).add_modifier(Modifier::BOLD),
        }
    }
}

/// The signs, in Unicode or in ASCII.
#[derive(Debug)]
pub(super) struct Glyphs {
    states: [&'static str; 9],
    pub(super) open: &'static str,
    pub(super) shut: &'static str,
    pub(super) bar: &'static str,
    pub(super) branch: &'static str,
    pub(super) last: &'static str,
    pub(super) dash: &'static str,
    pub(super) full: &'static str,
    pub(super) empty: &'static str,
    pub(super) spark: [&'static str; 8],
    pub(super) cut: &'static str,
    pub(super) warning: &'static str,
    pub(super) selected: &'static str,
    /// The corners from the top left on, clockwise, then a horizontal line.
    pub(super) frame: [&'static str; 5],
}

impl Glyphs {
    /// Returns the sign of a state.
    pub(super) fn state(&self, state: State) -> &'static str {
        let at = State::ALL.iter().position(|one| *one == state).unwrap_or(State::ALL.len());
        self.states[at]
    }
}

static UNICODE: Glyphs = Glyphs {
    states: ["○", "◐", "●", "◌", "✗", "▼", "↻", "■", "?"],
    open: "▾",
    shut: "▸",
    bar: "│",
    branch: "├",
    last: "└",
    dash: "─",
    full: "█",
    empty: "░",
    spark: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
    cut: "…",
    warning: "▲",
    selected: "›",
    frame: ["┌", "┐", "┘", "└", "─"],
};

static ASCII: Glyphs = Glyphs {
    states: [".", "~", "*", "=", "!", "v", "@", "x", "?"],
    open: "-",
    shut: "+",
    bar: "|",
    branch: "|",
    last: "`",
    dash: "-",
    full: "#",
    empty: ".",
    spark: ["_", ".", ":", "-", "=", "+", "*", "#"],
    cut: "~",
    warning: "!",
    selected: ">",
    frame: ["+", "+", "+", "+", "-"],
};

/// A line of pieces with roles.
#[derive(Debug, Clone, Default)]
pub(super) struct Text(Vec<(String, Role)>);

impl Text {
    pub(super) fn new() -> Text {
        Text::default()
    }

    pub(super) fn of(text: &str, role: Role) -> Text {
        Text(vec![(text.to_owned(), role)])
    }

    pub(super) fn push(&mut self, text: &str, role: Role) {
        self.0.push((text.to_owned(), role));
    }

    pub(super) fn append(&mut self, mut other: Text) {
        self.0.append(&mut other.0);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A screen to draw on.
#[derive(Debug)]
pub(super) struct Canvas<'a> {
    buffer: &'a mut Buffer,
    ascii: bool,
    colour: bool,
}

impl<'a> Canvas<'a> {
    pub(super) fn new(buffer: &'a mut Buffer, ascii: bool, colour: bool) -> Self {
        Canvas { buffer, ascii, colour }
    }

    pub(super) fn glyphs(&self) -> &'static Glyphs {
        if self.ascii { &ASCII } else { &UNICODE }
    }

    /// Returns the text as it is drawn.
    fn clean(&self, text: &str) -> String {
        // The own signs are not foreign; names are.
        clean(text, self.ascii)
    }

    /// Returns the text as it is drawn, cut to this many columns.
    pub(super) fn fit(&self, text: &str, columns: usize) -> String {
        fit(&self.clean(text), columns, self.glyphs().cut)
    }

    /// Draws a text, cut to this many columns. Returns the columns that it takes.
    pub(super) fn put(&mut self, x: u16, y: u16, columns: u16, text: &str, role: Role) -> u16 {
        let area = self.buffer.area;
        if !area.contains((x, y).into()) {
            return 0;
        }
        let columns = columns.min(area.right() - x);
        let text = self.fit(text, usize::from(columns));
        self.buffer.set_stringn(x, y, &text, usize::from(columns), role.style(self.colour));
        width(&text).min(usize::from(columns)) as u16
    }

    /// Draws an own text, which fits.
    pub(super) fn put_own(&mut self, x: u16, y: u16, text: &str, role: Role) {
        self.put(x, y, self.buffer.area.width, text, role);
    }

    /// Draws a text at the right end of the columns.
    pub(super) fn put_right(&mut self, x: u16, y: u16, columns: u16, text: &str, role: Role) {
        let text = self.fit(text, usize::from(columns));
        let free = columns.saturating_sub(width(&text) as u16);
        self.put(x + free, y, columns - free, &text, role);
    }

    /// Draws a text at the right end of a line. Returns the columns that are left before it.
    pub(super) fn right(&mut self, line: Rect, text: &str, role: Role) -> u16 {
        let columns = (width(&self.clean(text)) as u16).min(line.width);
        self.put(line.right() - columns, line.y, columns, text, role);
        line.width.saturating_sub(columns + 1)
    }

    /// Returns the columns that a line takes.
    pub(super) fn width(&self, text: &Text) -> usize {
        text.0.iter().map(|(piece, _)| width(&self.clean(piece))).sum()
    }

    /// Draws a line, cut to this many columns.
    pub(super) fn line(&mut self, x: u16, y: u16, columns: u16, text: &Text) {
        let mut used = 0;
        for (piece, role) in &text.0 {
            if used >= columns {
                return;
            }
            used += self.put(x + used, y, columns - used, piece, *role);
        }
    }

    /// Marks a row as the selected one.
    pub(super) fn select(&mut self, row: Rect) {
        self.buffer.set_style(row, Style::new().add_modifier(Modifier::REVERSED));
    }

    /// Clears a rectangle.
    pub(super) fn clear(&mut self, area: Rect) {
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                if let Some(cell) = self.buffer.cell_mut((x, y)) {
                    cell.reset();
                }
            }
        }
    }
}
