//! The state of the program: the model, and where the user is in it. Pure: keys and answers go in, requests come out.

use std::collections::HashSet;
use std::time::Duration;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::model::{HELD, Link, Model, SLOW};
use crate::wire::{Detail, Event, Message, Node, SetPage, State};

/// The size of the terminal, in columns and rows.
pub type Size = (u16, u16);

/// The time between two reads of a page of a set.
const REFRESH: Duration = Duration::from_secs(2);

/// The time between two reads of the same thing at least.
const PAUSE: Duration = Duration::from_millis(200);

/// The time between two drawings while tenths of a second are shown.
pub const QUICK: Duration = Duration::from_millis(250);

/// The time between two drawings while seconds are shown.
pub const CALM: Duration = Duration::from_secs(1);

/// The time for which the result of an action is shown.
const FLASH: Duration = Duration::from_secs(8);

/// The events of a child that are kept while its detail is open.
const DETAIL: usize = 400;

/// From this width on, the detail is shown next to the tree.
pub const SPLIT: u16 = 110;

/// The things about the surroundings that do not change.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The address, as shown.
    pub address: String,
    /// The name of the person who acts.
    pub by: String,
    /// A control token was given, and the console allows control.
    pub control: bool,
    /// Only ASCII is drawn.
    pub ascii: bool,
    /// Colours are drawn.
    pub colour: bool,
}

/// The order of siblings, or of all nodes in the flat list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// As declared.
    #[default]
    Declared,
    /// By name.
    Name,
    /// The worst state first.
    State,
    /// The most restarts first.
    Restarts,
    /// The fullest mailbox first.
    Mailbox,
    /// The most messages a second first.
    Rate,
    /// The longest handler first.
    Busy,
}

impl Sort {
    /// All orders.
    pub const ALL: [Sort; 7] =
        [Sort::Declared, Sort::Name, Sort::State, Sort::Restarts, Sort::Mailbox, Sort::Rate, Sort::Busy];

    /// Returns the word for the order.
    pub fn word(self) -> &'static str {
        match self {
            Sort::Declared => "declared",
            Sort::Name => "name",
            Sort::State => "state",
            Sort::Restarts => "restarts",
            Sort::Mailbox => "mailbox",
            Sort::Rate => "msg/s",
            Sort::Busy => "busy",
        }
    }

    fn next(self) -> Sort {
        next_of(&Sort::ALL, self)
    }
}

fn next_of<T: Copy + PartialEq>(all: &[T], now: T) -> T {
    let at = all.iter().position(|one| *one == now).unwrap_or(0);
    all[(at + 1) % all.len()]
}

/// The order of the instances of a set, as the server knows it.
pub const SET_SORTS: [&str; 4] = ["order", "name", "restarts", "waiting"];

/// A row of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The path of the node in this row.
    pub path: String,
    /// For each level above: whether more siblings follow there.
    pub guides: Vec<bool>,
    /// The last one among its siblings.
    pub is_last: bool,
    /// Children are there: shown, or hidden (`false`).
    pub open: Option<bool>,
    /// Shown only because of a row below it.
    pub is_context: bool,
}

/// An operation on a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Stops it.
    Stop,
    /// Restarts it.
    Restart,
    /// Starts an ended child again.
    StartAgain,
    /// Kills it.
    Kill,
}

impl Operation {
    /// All operations with their keys.
    pub const ALL: [(char, Operation); 4] =
        [('s', Operation::Stop), ('r', Operation::Restart), ('a', Operation::StartAgain), ('k', Operation::Kill)];

    /// Returns the word in the JSON.
    pub fn word(self) -> &'static str {
        match self {
            Operation::Stop => "stop",
            Operation::Restart => "restart",
            Operation::StartAgain => "start_again",
            Operation::Kill => "kill",
        }
    }

    /// Returns the word for people.
    pub fn words(self) -> &'static str {
        match self {
            Operation::StartAgain => "start again",
            other => other.word(),
        }
    }
}

/// A window above the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Overlay {
    /// The list of the keys.
    Help,
    /// All warnings; the selected one.
    Warnings(usize),
    /// The events of the whole tree; the number of lines scrolled back.
    Events(usize),
    /// The nodes of the network; the first one that is shown.
    Nodes(usize),
    /// The operations for this path.
    Menu(String),
    /// The question before an operation.
    Confirm {
        /// The path.
        path: String,
        /// The operation.
        operation: Operation,
        /// The name that has to be typed; `None`: a single key confirms.
        name: Option<String>,
        /// The text typed so far.
        typed: String,
    },
}

/// The detail of a child.
#[derive(Debug, Clone, PartialEq)]
pub struct DetailView {
    /// The path.
    pub path: String,
    /// The answer of the server.
    pub data: Option<Detail>,
    /// The error of the last request.
    pub error: Option<String>,
    /// The number of lines by which the text is scrolled down.
    pub scroll: usize,
    /// The keys go to the detail.
    pub has_focus: bool,
    read: Read,
}

/// The instances of a set.
#[derive(Debug, Clone, PartialEq)]
pub struct SetView {
    /// The path of the set.
    pub path: String,
    /// The position of the first instance of the page.
    pub from: u64,
    /// The states that are shown; `None`: all.
    pub state: Option<State>,
    /// The text in the names that are shown.
    pub name: String,
    /// The order: a position in [`SET_SORTS`].
    pub sort: usize,
    /// The answer of the server.
    pub page: Option<SetPage>,
    /// The error of the last request.
    pub error: Option<String>,
    /// The position in the page.
    pub selected: usize,
    read: Read,
}

/// The progress of reading something from the server.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Read {
    /// The number of the request on its way.
    request: Option<u64>,
    /// The time of the last request.
    at: Option<Duration>,
    /// The last answer is outdated.
    is_stale: bool,
}

impl Read {
    fn is_due(&self, every: Option<Duration>, now: Duration) -> bool {
        let Some(at) = self.at else { return true };
        let since = now.saturating_sub(at);
        self.request.is_none() && since >= PAUSE && (self.is_stale || every.is_some_and(|every| since >= every))
    }

    fn begin(&mut self, number: u64, now: Duration) {
        *self = Read { request: Some(number), at: Some(now), is_stale: false };
    }
}

/// A request to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// `detail.json` of this path.
    Detail(String),
    /// `set.json`.
    Set {
        /// The path.
        path: String,
        /// The position of the first instance.
        from: u64,
        /// The number of instances.
        count: u64,
        /// The word of a state.
        state: Option<&'static str>,
        /// A text in the names.
        name: String,
        /// A word of [`SET_SORTS`].
        sort: &'static str,
    },
    /// `control`.
    Control {
        /// The path.
        path: String,
        /// The operation.
        operation: Operation,
        /// The name of the person.
        by: String,
    },
}

/// A request with its number, which the answer repeats.
pub type Numbered = (u64, Ask);

/// Something to do for the shell around the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// End.
    Quit,
    /// Draw the whole screen anew.
    Redraw,
}

/// The state of the program.
#[derive(Debug, Clone)]
pub struct App {
    /// The tree, as far as the console has sent it.
    pub model: Model,
    /// The surroundings.
    pub setup: Setup,
    /// The size of the terminal.
    pub size: Size,
    /// The path of the selected row.
    pub selected: Option<String>,
    /// The first row that is shown.
    pub top: usize,
    /// The order of the rows.
    pub sort: Sort,
    /// All nodes in one list, without levels.
    pub is_flat: bool,
    /// Only nodes with something wrong.
    pub only_problems: bool,
    /// The filter of the tree.
    pub filter: String,
    /// The filter (of the tree, or of the set) is being typed.
    pub is_typing: bool,
    /// The set that is open.
    pub set: Option<SetView>,
    /// The detail that is open.
    pub detail: Option<DetailView>,
    /// The window above the rest.
    pub overlay: Option<Overlay>,
    /// The result of the last action: the text, whether it is an error, and its time.
    pub flash: Option<(String, bool, Duration)>,
    collapsed: HashSet<String>,
    position: usize,
    requests: u64,
    outbox: Vec<Numbered>,
}

impl App {
    /// The state at the begin.
    pub fn new(setup: Setup, size: Size) -> App {
        App {
            model: Model::default(),
            setup,
            size,
            selected: None,
            top: 0,
            sort: Sort::default(),
            is_flat: false,
            only_problems: false,
            filter: String::new(),
            is_typing: false,
            set: None,
            detail: None,
            overlay: None,
            flash: None,
            collapsed: HashSet::new(),
            position: 0,
            requests: 0,
            outbox: Vec::new(),
        }
    }

    /// Takes a message of the stream.
    pub fn apply(&mut self, message: Message, now: Duration) {
        if let Message::Event(event) = &message {
            self.note(event);
            self.model.apply(message, now); // no row is computed again: an event changes none, and thousands may come
            return;
        }
        self.model.apply(message, now);
        self.settle(now);
    }

    fn note(&mut self, event: &Event) {
        if let Some(detail) = self.detail.as_mut().filter(|detail| detail.path == event.path) {
            detail.read.is_stale = true;
            if let Some(data) = &mut detail.data {
                data.events.push(event.clone());
                let surplus = data.events.len().saturating_sub(DETAIL);
                data.events.drain(..surplus);
            }
        }
    }

    /// Returns the rows for the tree as they are ordered and filtered now.
    pub fn rows(&self, now: Duration) -> Vec<Row> {
        let at_ms = self.model.server_now(now);
        let Some(root) = self.model.root() else { return Vec::new() };
        let terms: Vec<String> = self.filter.split_whitespace().map(str::to_lowercase).collect();
        let is_filtered = !terms.is_empty() || self.only_problems;
        let problems: HashSet<String> = match self.only_problems {
            true => self.model.warnings(now).into_iter().map(|warning| warning.path).collect(),
            false => HashSet::new(),
        };
        let matches = |path: &str| {
            let Some(entry) = self.model.get(path) else { return false };
            let is_problem = !self.only_problems || is_problem(&entry.node) || problems.contains(path);
            is_problem && (terms.is_empty() || has_terms(&entry.node, &terms))
        };
        if self.is_flat {
            let mut paths: Vec<&str> = self.model.paths().into_iter().filter(|path| matches(path)).collect();
            self.order(&mut paths, at_ms);
            let row = |path: &str| Row {
                path: path.to_owned(),
                guides: Vec::new(),
                is_last: false,
                open: None,
                is_context: false,
            };
            return paths.into_iter().map(row).collect();
        }
        // With a filter, show the rows that match and the rows above them.
        let mut shown: HashSet<&str> = HashSet::new();
        let mut hits: HashSet<&str> = HashSet::new();
        if is_filtered {
            for path in self.model.paths().into_iter().filter(|path| matches(path)) {
                hits.insert(path);
                let mut next = Some(path);
                while let Some(path) = next.filter(|path| shown.insert(path)) {
                    next = self.model.get(path).and_then(|entry| entry.parent.as_deref());
                }
            }
        }
        let mut rows = Vec::new();
        let mut todo: Vec<(&str, Vec<bool>, bool)> = vec![(root, Vec::new(), true)];
        while let Some((path, guides, is_last)) = todo.pop() {
            if is_filtered && !shown.contains(path) {
                continue;
            }
            let Some(entry) = self.model.get(path) else { continue };
            let mut children: Vec<&str> = entry.children.iter().map(String::as_str).collect();
            if is_filtered {
                children.retain(|child| shown.contains(child));
            }
            let open = match children.is_empty() {
                // The instances of a set open in pages.
                true => entry.node.instances.is_some().then_some(false),
                false => Some(is_filtered || !self.collapsed.contains(path)),
            };
            if open == Some(true) {
                self.order(&mut children, at_ms);
                let mut below = guides.clone();
                if path != root {
                    below.push(!is_last);
                }
                let count = children.len();
                let all = children.into_iter().enumerate().rev();
                todo.extend(all.map(|(index, child)| (child, below.clone(), index + 1 == count)));
            }
            let is_context = is_filtered && !hits.contains(path);
            rows.push(Row { path: path.to_owned(), guides, is_last, open, is_context });
        }
        rows
    }

    /// Sorts paths; stable, so that equal ones stay as declared.
    fn order(&self, paths: &mut [&str], at_ms: u64) {
        let entry = |path: &str| self.model.get(path).expect("the rows are made from the model");
        let by_number = |paths: &mut [&str], number: &dyn Fn(&str) -> f64| {
            paths.sort_by(|one, other| number(other).total_cmp(&number(one)));
        };
        match self.sort {
            Sort::Declared => {}
            Sort::Name => paths.sort_by_cached_key(|path| entry(path).node.name.to_lowercase()),
            Sort::State => paths.sort_by_key(|path| severity(&entry(path).node)),
            Sort::Restarts => by_number(paths, &|path| {
                let node = &entry(path).node;
                node.restarts.as_ref().map_or(0.0, |budget| budget.used as f64) + node.incarnation as f64 / 1e9
            }),
            Sort::Mailbox => by_number(paths, &|path| {
                entry(path).node.mailbox.as_ref().map_or(-1.0, |mailbox| mailbox.waiting as f64)
            }),
            Sort::Rate => by_number(paths, &|path| entry(path).rate.unwrap_or(-1.0)),
            Sort::Busy => by_number(paths, &|path| {
                entry(path).in_hand(at_ms).map_or(-1.0, |time| time as f64) + entry(path).busy.unwrap_or(0.0)
            }),
        }
    }

    /// The rows of the screen that the list of the tree has.
    pub fn list_height(&self) -> usize {
        let rows = usize::from(self.size.1);
        rows.saturating_sub(crate::view::above(self.size) + crate::view::below(self.size)).max(1)
    }

    /// Keeps the selection on a row, and the row on the screen.
    pub fn settle(&mut self, now: Duration) {
        let rows = self.rows(now);
        let at = self.selected.as_ref().and_then(|path| rows.iter().position(|row| row.path == *path));
        self.position = at.unwrap_or(self.position.min(rows.len().saturating_sub(1)));
        self.selected = rows.get(self.position).map(|row| row.path.clone());
        let height = self.list_height();
        self.top = self.top.clamp((self.position + 1).saturating_sub(height), self.position);
        self.top = self.top.min(rows.len().saturating_sub(height));
        if self.flash.as_ref().is_some_and(|(_, _, at)| now.saturating_sub(*at) >= FLASH) {
            self.flash = None;
        }
        // Next to the tree, the detail follows the selection.
        if let (Some(detail), None, Some(selected)) = (&self.detail, &self.set, &self.selected)
            && !detail.has_focus
            && detail.path != *selected
        {
            let read = Read { is_stale: true, request: None, ..detail.read };
            self.detail = Some(DetailView { read, ..DetailView::of(selected.clone(), false) });
        }
    }

    /// Takes the new size of the terminal.
    pub fn resize(&mut self, size: Size, now: Duration) {
        self.size = size;
        if let Some(detail) = &mut self.detail
            && size.0 < SPLIT
        {
            detail.has_focus = true;
        }
        self.settle(now);
    }

    /// Returns the requests that are due.
    pub fn requests(&mut self, now: Duration) -> Vec<Numbered> {
        let mut due = std::mem::take(&mut self.outbox);
        let is_here = self.model.link == Link::Live;
        let count = self.set_count();
        if let Some(detail) = self.detail.as_mut().filter(|_| is_here) {
            // The stream has no instances, so these are read again. Of a declared child, only its last events are read.
            let every = if self.model.get(&detail.path).is_some() { None } else { Some(REFRESH) };
            if detail.read.is_due(every, now) {
                self.requests += 1;
                detail.read.begin(self.requests, now);
                due.push((self.requests, Ask::Detail(detail.path.clone())));
            }
        }
        if let Some(set) = self.set.as_mut().filter(|_| is_here)
            && set.read.is_due(Some(REFRESH), now)
        {
            self.requests += 1;
            set.read.begin(self.requests, now);
            due.push((
                self.requests,
                Ask::Set {
                    path: set.path.clone(),
                    from: set.from,
                    count,
                    state: set.state.map(State::word),
                    name: set.name.clone(),
                    sort: SET_SORTS[set.sort],
                },
            ));
        }
        due
    }

    /// Returns the time after which the screen may have changed by itself, or a request is due.
    pub fn tick(&self, now: Duration) -> Duration {
        let is_reading = |read: &Read| read.is_stale && read.request.is_none();
        let reads = self.detail.iter().map(|detail| &detail.read).chain(self.set.iter().map(|set| &set.read));
        let at_ms = self.model.server_now(now);
        let is_near = |path: &str| {
            let node = self.model.get(path).map(|entry| &entry.node);
            let until = node.filter(|node| node.state == State::BackingOff).and_then(|node| node.until_ms);
            until.is_some_and(|until| until > at_ms && until - at_ms < 10_000)
        };
        let is_live = self.model.link == Link::Live;
        let is_quick = reads.into_iter().any(is_reading) || is_live && self.model.paths().into_iter().any(is_near);
        if is_quick { QUICK } else { CALM }
    }

    /// The instances on a page: as many as the screen shows.
    pub fn set_count(&self) -> u64 {
        (self.list_height() as u64).clamp(1, 500)
    }

    /// Takes the answer to a request: the body, or an error for people.
    pub fn answer(&mut self, (number, ask): &Numbered, answer: Result<String, String>, now: Duration) {
        match ask {
            Ask::Detail(_) => {
                let Some(detail) = self.detail.as_mut().filter(|detail| detail.read.request == Some(*number)) else {
                    return; // another one is open by now
                };
                detail.read.request = None;
                match answer.map(|body| Detail::of(&body)) {
                    Ok(Some(data)) => (detail.data, detail.error) = (Some(data), None),
                    Ok(None) => detail.error = Some("the answer of the console cannot be read".to_owned()),
                    Err(error) => detail.error = Some(error),
                }
            }
            Ask::Set { .. } => {
                let Some(set) = self.set.as_mut().filter(|set| set.read.request == Some(*number)) else { return };
                set.read.request = None;
                match answer.map(|body| SetPage::of(&body)) {
                    Ok(Some(page)) => {
                        set.selected = set.selected.min(page.nodes.len().saturating_sub(1));
                        // The set has shrunk meanwhile.
                        if page.nodes.is_empty() && page.matching > 0 && set.from >= page.matching {
                            set.from = 0;
                            set.read_again();
                        }
                        (set.page, set.error) = (Some(page), None);
                    }
                    Ok(None) => set.error = Some("the answer of the console cannot be read".to_owned()),
                    Err(error) => set.error = Some(error),
                }
            }
            Ask::Control { path, operation, .. } => {
                let text = match &answer {
                    Ok(_) => format!("{}: {path}: accepted", operation.words()),
                    Err(error) => format!("{}: {path}: {error}", operation.words()),
                };
                self.flash = Some((text, answer.is_err(), now));
                if let Some(set) = &mut self.set {
                    set.read.is_stale = true;
                }
            }
        }
    }

    /// Says something in the last line for a while.
    pub fn say(&mut self, text: impl Into<String>, is_error: bool, now: Duration) {
        self.flash = Some((text.into(), is_error, now));
    }

    /// Returns the path on which an operation would act: the open detail, the selected instance, or the selected row.
    pub fn target(&self) -> Option<String> {
        if let Some(detail) = self.detail.as_ref().filter(|detail| detail.has_focus) {
            return Some(detail.path.clone());
        }
        match &self.set {
            Some(set) => set.page.as_ref()?.nodes.get(set.selected).map(|node| node.path.clone()),
            None => self.selected.clone(),
        }
    }

    /// Returns the node with this path, wherever it is shown.
    pub fn node(&self, path: &str) -> Option<&Node> {
        let in_set = || self.set.as_ref()?.page.as_ref()?.nodes.iter().find(|node| node.path == path);
        let in_detail = || {
            let detail = self.detail.as_ref().filter(|detail| detail.path == path)?;
            detail.data.as_ref().map(|data| &data.node)
        };
        self.model.get(path).map(|entry| &entry.node).or_else(in_set).or_else(in_detail)
    }

    /// Takes a key.
    pub fn key(&mut self, key: KeyEvent, now: Duration) -> Option<Effect> {
        let effect = self.pressed(key, now);
        self.settle(now);
        effect
    }

    fn pressed(&mut self, key: KeyEvent, now: Duration) -> Option<Effect> {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return match key.code {
                KeyCode::Char('c') => Some(Effect::Quit),
                KeyCode::Char('l') => Some(Effect::Redraw),
                _ => None,
            };
        }
        // Esc and a key right after it are the same bytes as that key with Alt.
        if key.modifiers.contains(KeyModifiers::ALT) {
            let escape = self.pressed(KeyCode::Esc.into(), now);
            return escape
                .or_else(|| self.pressed(KeyEvent { modifiers: key.modifiers - KeyModifiers::ALT, ..key }, now));
        }
        if self.is_typing {
            self.typed(key.code);
            return None;
        }
        if let Some(overlay) = self.overlay.take() {
            return self.in_overlay(overlay, key.code, now);
        }
        match key.code {
            KeyCode::Char('q') => return Some(Effect::Quit),
            KeyCode::Char('?') | KeyCode::F(1) => self.overlay = Some(Overlay::Help),
            KeyCode::Char('w') => self.overlay = Some(Overlay::Warnings(0)),
            KeyCode::Char('e') => self.overlay = Some(Overlay::Events(0)),
            KeyCode::Char('n') if self.model.network.is_some() => self.overlay = Some(Overlay::Nodes(0)),
            KeyCode::Char('a') => self.menu(now),
            KeyCode::Esc => self.back(),
            code if self.detail.as_ref().is_some_and(|detail| detail.has_focus) => self.in_detail(code),
            code if self.set.is_some() => self.in_set(code),
            code => self.in_tree(code, now),
        }
        None
    }

    fn back(&mut self) {
        if self.detail.is_some() {
            self.detail = None;
        } else if self.set.is_some() {
            self.set = None;
        } else if !self.filter.is_empty() || self.only_problems {
            self.filter.clear();
            self.only_problems = false;
        }
    }

    fn typed(&mut self, code: KeyCode) {
        let text = match &mut self.set {
            Some(set) => &mut set.name,
            None => &mut self.filter,
        };
        match code {
            KeyCode::Enter => self.is_typing = false,
            KeyCode::Esc => {
                text.clear();
                self.is_typing = false;
            }
            KeyCode::Backspace => _ = text.pop(),
            KeyCode::Char(letter) if text.chars().count() < 200 => text.push(letter),
            _ => return,
        }
        if let Some(set) = &mut self.set {
            set.restart();
        }
    }

    fn menu(&mut self, now: Duration) {
        match self.target() {
            _ if !self.setup.control => self.say(
                "no control: start with --control-token-file, and the program with .allow_control(..)",
                true,
                now,
            ),
            Some(path) => self.overlay = Some(Overlay::Menu(path)),
            None => {}
        }
    }

    fn in_overlay(&mut self, overlay: Overlay, code: KeyCode, now: Duration) -> Option<Effect> {
        match (overlay, code) {
            // While a question is shown, a letter answers it.
            (Overlay::Confirm { path, operation, name, typed }, code) => {
                self.confirm(path, operation, name, typed, code)
            }
            (_, KeyCode::Esc) => {}
            (Overlay::Menu(path), KeyCode::Char(letter)) => {
                match Operation::ALL.into_iter().find(|(key, _)| *key == letter) {
                    Some((_, operation)) => {
                        let name =
                            self.node(&path).filter(|node| needs_name(node, operation)).map(|node| node.name.clone());
                        self.overlay = Some(Overlay::Confirm { path, operation, name, typed: String::new() });
                    }
                    None => self.overlay = Some(Overlay::Menu(path)),
                }
            }
            (_, KeyCode::Char('q')) => return Some(Effect::Quit),
            (Overlay::Warnings(at), code) => {
                let warnings = self.model.warnings(now);
                if code == KeyCode::Enter {
                    if let Some(warning) = warnings.get(at) {
                        self.reveal(&warning.path.clone());
                    }
                } else {
                    let at = moved(at, warnings.len(), self.list_height(), code);
                    self.overlay = (code != KeyCode::Char('w')).then_some(Overlay::Warnings(at));
                }
            }
            (Overlay::Nodes(at), code) => {
                let all =
                    self.model.network.as_ref().map_or(0, |(network, _)| network.nodes.len() + network.waiting.len());
                let at = moved(at, all, self.list_height(), code);
                self.overlay = (code != KeyCode::Char('n')).then_some(Overlay::Nodes(at));
            }
            (Overlay::Events(at), code) => {
                // The newest event is at the bottom, so "up" leads to older ones.
                let code = match code {
                    KeyCode::Up | KeyCode::Char('k') => KeyCode::Down,
                    KeyCode::Down | KeyCode::Char('j') => KeyCode::Up,
                    KeyCode::PageUp => KeyCode::PageDown,
                    KeyCode::PageDown => KeyCode::PageUp,
                    KeyCode::Home | KeyCode::Char('g') => KeyCode::End,
                    KeyCode::End | KeyCode::Char('G') => KeyCode::Home,
                    other => other,
                };
                let at = moved(at, self.model.events.len(), self.list_height(), code);
                self.overlay = (code != KeyCode::Char('e')).then_some(Overlay::Events(at));
            }
            (Overlay::Help, _) => {}
            (menu @ Overlay::Menu(_), _) => self.overlay = Some(menu),
        }
        None
    }

    fn confirm(&mut self, path: String, operation: Operation, name: Option<String>, mut typed: String, code: KeyCode) {
        let is_confirmed = match (&name, code) {
            (_, KeyCode::Esc) => return,
            (None, KeyCode::Char('y')) => true,
            (None, KeyCode::Char('n')) => return,
            (Some(name), KeyCode::Enter) => typed == *name,
            (Some(_), KeyCode::Backspace) => {
                typed.pop();
                false
            }
            (Some(_), KeyCode::Char(letter)) if typed.chars().count() < 200 => {
                typed.push(letter);
                false
            }
            _ => false,
        };
        if is_confirmed {
            self.requests += 1;
            let by = self.setup.by.clone();
            self.outbox.push((self.requests, Ask::Control { path, operation, by }));
        } else {
            self.overlay = Some(Overlay::Confirm { path, operation, name, typed });
        }
    }

    /// Selects this node, and shows it.
    fn reveal(&mut self, path: &str) {
        self.set = None;
        self.detail = None;
        // The model has no row for an instance, so look for the set that contains it.
        let mut known = path;
        while self.model.get(known).is_none() {
            match known.rsplit_once('/') {
                Some((above, _)) => known = above,
                None => return,
            }
        }
        let mut above = self.model.get(known).and_then(|entry| entry.parent.as_deref());
        while let Some(path) = above {
            self.collapsed.remove(path);
            above = self.model.get(path).and_then(|entry| entry.parent.as_deref());
        }
        self.filter.clear();
        self.only_problems = false;
        self.selected = Some(known.to_owned());
    }

    fn in_tree(&mut self, code: KeyCode, now: Duration) {
        let rows = self.rows(now);
        let row = rows.get(self.position);
        match code {
            KeyCode::Char('/') => self.is_typing = true,
            KeyCode::Char('o') => self.sort = self.sort.next(),
            KeyCode::Char('t') => self.is_flat = !self.is_flat,
            KeyCode::Char('p') => self.only_problems = !self.only_problems,
            KeyCode::Char('-') => {
                let root = self.model.root().unwrap_or_default();
                let with_children = rows.iter().filter(|row| row.open == Some(true) && row.path != root);
                self.collapsed.extend(with_children.map(|row| row.path.clone()));
            }
            KeyCode::Char('+') => self.collapsed.clear(),
            KeyCode::Char('i') => self.inspect(),
            KeyCode::Tab => {
                if let Some(detail) = &mut self.detail {
                    detail.has_focus = true;
                }
            }
            KeyCode::Enter | KeyCode::Right | KeyCode::Char('l' | ' ') => {
                let Some(row) = row else { return };
                let has_declared = self.model.get(&row.path).is_some_and(|entry| !entry.children.is_empty());
                match row.open {
                    Some(false) if has_declared => _ = self.collapsed.remove(&row.path),
                    Some(false) => self.set = Some(SetView::of(row.path.clone())),
                    Some(true) if code == KeyCode::Char(' ') => _ = self.collapsed.insert(row.path.clone()),
                    _ if code == KeyCode::Enter => self.inspect(),
                    _ => {}
                }
            }
            KeyCode::Left | KeyCode::Char('h') => {
                let Some(row) = row else { return };
                let has_declared = self.model.get(&row.path).is_some_and(|entry| !entry.children.is_empty());
                if row.open == Some(true) && has_declared && self.filter.is_empty() {
                    self.collapsed.insert(row.path.clone());
                } else if let Some(parent) = self.model.get(&row.path).and_then(|entry| entry.parent.clone()) {
                    self.selected = Some(parent);
                }
            }
            code => {
                self.position = moved(self.position, rows.len(), self.list_height(), code);
                self.selected = rows.get(self.position).map(|row| row.path.clone());
            }
        }
    }

    /// Opens the detail of the target, or closes it.
    fn inspect(&mut self) {
        self.detail = match (&self.detail, self.target()) {
            (None, Some(path)) => Some(DetailView::of(path, self.size.0 < SPLIT || self.set.is_some())),
            _ => None,
        };
    }

    fn in_detail(&mut self, code: KeyCode) {
        let page = self.list_height();
        let is_wide = self.size.0 >= SPLIT && self.set.is_none();
        let Some(detail) = &mut self.detail else { return };
        match code {
            KeyCode::Char('i') | KeyCode::Enter | KeyCode::Left | KeyCode::Char('h') => self.detail = None,
            KeyCode::Tab => detail.has_focus = !is_wide,
            // The view knows how many lines there are, and shows the last ones.
            KeyCode::End | KeyCode::Char('G') => detail.scroll = 10_000,
            code => detail.scroll = moved(detail.scroll, 10_001, page, code),
        }
    }

    fn in_set(&mut self, code: KeyCode) {
        let count = self.set_count();
        let Some(set) = &mut self.set else { return };
        let (shown, matching) = set.page.as_ref().map_or((0, 0), |page| (page.nodes.len(), page.matching));
        match code {
            KeyCode::Char('/') => self.is_typing = true,
            KeyCode::Char('o') => {
                set.sort = (set.sort + 1) % SET_SORTS.len();
                set.restart();
            }
            KeyCode::Char('f') => {
                set.state = match set.state {
                    None => Some(State::ALL[0]),
                    Some(state) if state == State::ALL[State::ALL.len() - 1] => None,
                    Some(state) => Some(next_of(&State::ALL, state)),
                };
                set.restart();
            }
            KeyCode::Char('p') => {
                set.state = if set.state.is_some() { None } else { Some(State::BackingOff) };
                set.restart();
            }
            KeyCode::Enter | KeyCode::Char('i') => self.inspect(),
            KeyCode::Left | KeyCode::Char('h') => self.set = None,
            KeyCode::PageDown | KeyCode::Right | KeyCode::Char('l' | ' ') => {
                set.go(set.from.saturating_add(count), matching, count)
            }
            KeyCode::PageUp => set.go(set.from.saturating_sub(count), matching, count),
            KeyCode::Home | KeyCode::Char('g') => {
                set.selected = 0;
                set.go(0, matching, count);
            }
            KeyCode::End | KeyCode::Char('G') => {
                set.go(u64::MAX, matching, count);
                set.selected = usize::MAX;
            }
            KeyCode::Down | KeyCode::Char('j') if set.selected + 1 >= shown => {
                let before = set.from;
                set.go(before.saturating_add(count), matching, count);
                if set.from != before {
                    set.selected = 0;
                }
            }
            KeyCode::Up | KeyCode::Char('k') if set.selected == 0 => {
                let before = set.from;
                set.go(before.saturating_sub(count), matching, count);
                if set.from != before {
                    set.selected = usize::MAX;
                }
            }
            code => set.selected = moved(set.selected, shown, shown, code),
        }
    }
}

impl DetailView {
    fn of(path: String, has_focus: bool) -> DetailView {
        DetailView { path, data: None, error: None, scroll: 0, has_focus, read: Read::default() }
    }
}

impl SetView {
    fn of(path: String) -> SetView {
        SetView {
            path,
            from: 0,
            state: None,
            name: String::new(),
            sort: 0,
            page: None,
            error: None,
            selected: 0,
            read: Read::default(),
        }
    }

    /// Reads from the begin, with another filter or order.
    fn restart(&mut self) {
        self.from = 0;
        self.selected = 0;
        self.read_again();
    }

    /// Whatever is on its way is not wanted any more.
    fn read_again(&mut self) {
        (self.read.request, self.read.is_stale) = (None, true);
    }

    /// Goes to the page with this position, or to the last one.
    fn go(&mut self, from: u64, matching: u64, count: u64) {
        let last = matching.saturating_sub(1) / count * count;
        let from = from.min(last);
        if from != self.from {
            self.from = from;
            self.read_again();
        }
    }
}

/// Returns the position after a key that moves.
fn moved(at: usize, count: usize, page: usize, code: KeyCode) -> usize {
    let last = count.saturating_sub(1);
    match code {
        KeyCode::Down | KeyCode::Char('j') => at.saturating_add(1).min(last),
        KeyCode::Up | KeyCode::Char('k') => at.saturating_sub(1),
        KeyCode::PageDown => at.saturating_add(page).min(last),
        KeyCode::PageUp => at.saturating_sub(page),
        KeyCode::Home | KeyCode::Char('g') => 0,
        KeyCode::End | KeyCode::Char('G') => last,
        _ => at,
    }
}

/// Returns whether an operation on this node takes a typed name: a slip of the finger would stop many.
fn needs_name(node: &Node, operation: Operation) -> bool {
    matches!(operation, Operation::Stop | Operation::Kill)
        && (matches!(&*node.kind, "tree" | "set") || node.total() > 0)
}

fn has_terms(node: &Node, terms: &[String]) -> bool {
    let text = format!("{} {} {}", node.path, node.kind, node.word.replace('_', " ")).to_lowercase();
    terms.iter().all(|term| text.contains(term))
}

/// Returns whether something is wrong with this node now.
fn is_problem(node: &Node) -> bool {
    match node.state {
        State::Running | State::Ended => node.has_ended_wrongly() || node.streak > 0,
        _ => true,
    }
}

/// Returns a number by which the worst states come first.
fn severity(node: &Node) -> u8 {
    match node.state {
        State::Ended if node.has_ended_wrongly() => 0,
        State::Failed => 1,
        State::BackingOff => 2,
        State::GoingDown => 3,
        State::Suspended => 4,
        State::Starting => 5,
        State::Queued => 6,
        State::Other => 7,
        State::Running => {
            let in_hand = node.messages.as_ref().and_then(|messages| messages.in_hand_us).unwrap_or(0) / 1000;
            let is_busy = in_hand >= SLOW || node.runs_for_ms.is_some_and(|held| held >= HELD);
            if is_busy { 8 } else { 9 }
        }
        State::Ended => 10,
    }
}
