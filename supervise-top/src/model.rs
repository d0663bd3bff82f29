//! The tree as the messages of the console tell it: pure, without a clock or a connection of its own.
//!
//! Every method that depends on the time takes `now`, the time since this program began.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use crate::wire::{Ended, Event, Message, Network, Node, State, ago, time_ms};

/// The values of a sparkline, one for each second.
pub const SPARK: usize = 60;

/// The events that are kept.
pub const EVENTS: usize = 500;

/// The time between two values of a sparkline, in milliseconds. A little less than a second, since samples come about
/// twice a second and not exactly so.
const STEP: u64 = 900;

/// A handler that runs for so long is slow, in milliseconds.
pub const SLOW: u64 = 5_000;

/// A handler that runs for so long is stuck, in milliseconds.
pub const STUCK: u64 = 30_000;

/// A thread that is held for so long is blocked, in milliseconds.
pub const HELD: u64 = 1_000;

/// The time for which a mailbox is full before there is a warning, in milliseconds.
const FULL: u64 = 5_000;

/// The time for which what has happened is a warning, in milliseconds.
const RECENT: u64 = 60_000;

/// The dead letters and the cycles whose times are kept.
const MARKS: usize = 10_000;

/// The cycles of asks that are looked for.
const CYCLES: usize = 16;

/// The connection to the console.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Link {
    /// There has been no snapshot yet.
    #[default]
    Connecting,
    /// Messages arrive.
    Live,
    /// The console does not answer.
    Away {
        /// The time at which the connection was lost.
        since: Duration,
        /// The reason, for people.
        why: String,
        /// The time of the next try.
        retry: Duration,
    },
    /// The tree has ended.
    Ended(Option<Ended>),
}

/// A node with what this program has noticed about it.
#[derive(Debug, Clone, Default)]
pub struct Entry {
    /// The node.
    pub node: Node,
    /// The path of the parent; `None` for the root.
    pub parent: Option<String>,
    /// The paths of the children, in the order of declaration.
    pub children: Vec<String>,
    /// Messages a second, if they are observed.
    pub rate: Option<f64>,
    /// The part of the time in which a handler runs, from 0 to 1.
    pub busy: Option<f64>,
    /// The rates of the last seconds, oldest first.
    pub spark: VecDeque<f64>,
    /// The time of the sample that has brought this node, on the server's clock.
    pub seen_ms: u64,
    /// The time since which the mailbox is full, on the server's clock.
    full_since: Option<u64>,
    /// The numbers and the time of the last value of the sparkline.
    mark: Option<(u64, Option<u64>, u64)>,
}

impl Entry {
    /// A node that was seen once, at this time on the server's clock.
    pub fn of(node: Node, seen_ms: u64) -> Entry {
        Entry { node, seen_ms, ..Entry::default() }
    }

    /// Takes a new state of the node.
    fn update(&mut self, node: Node, at_ms: u64) {
        let is_full = node.mailbox.as_ref().is_some_and(|mailbox| {
            mailbox.blocked > 0 || mailbox.capacity.is_some_and(|capacity| mailbox.waiting >= capacity)
        });
        self.full_since = if is_full { self.full_since.or(Some(at_ms)) } else { None };
        self.seen_ms = at_ms;
        self.node = node;
    }

    /// Notes the rate of messages at this time.
    fn sample(&mut self, at_ms: u64) {
        let Some(messages) = &self.node.messages else {
            (self.rate, self.busy, self.mark) = (None, None, None);
            self.spark.clear();
            return;
        };
        let now = (messages.handled, messages.busy_us, at_ms);
        let Some((handled, busy_us, since)) = self.mark.filter(|mark| mark.0 <= now.0 && mark.2 <= at_ms) else {
            self.mark = Some(now);
            self.spark.clear();
            self.rate = None;
            return;
        };
        let took = at_ms - since;
        if took < STEP {
            return;
        }
        let rate = (now.0 - handled) as f64 * 1000.0 / took as f64;
        let busy = now.1.zip(busy_us).map(|(now, was)| now.saturating_sub(was) as f64 / 1000.0 / took as f64);
        self.rate = Some(rate);
        self.busy = busy.map(|busy| busy.min(1.0));
        self.mark = Some(now);
        let values = ((took + 500) / 1000).clamp(1, SPARK as u64) as usize;
        self.spark.extend(std::iter::repeat_n(rate, values));
        let surplus = self.spark.len().saturating_sub(SPARK);
        self.spark.drain(..surplus);
    }

    /// Returns the time for which the present handler runs, in milliseconds, at this time on the server's clock.
    pub fn in_hand(&self, at_ms: u64) -> Option<u64> {
        let in_hand = self.node.messages.as_ref()?.in_hand_us? / 1000;
        Some(in_hand.saturating_add(at_ms.saturating_sub(self.seen_ms)))
    }

    /// Returns the time for which the oldest message waits, in milliseconds, at this time on the server's clock.
    pub fn oldest(&self, at_ms: u64) -> Option<u64> {
        let oldest = self.node.mailbox.as_ref()?.oldest_ms?;
        Some(oldest.saturating_add(at_ms.saturating_sub(self.seen_ms)))
    }
}

/// The weight of a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Something does not work.
    Bad,
    /// Something may stop to work.
    Warn,
}

/// A line about something that a person should look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// How bad it is.
    pub weight: Weight,
    /// The path of the child that it is about.
    pub path: String,
    /// The text, without the path.
    pub text: String,
}

/// The tree, from the messages of a console.
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// The state of the connection.
    pub link: Link,
    /// The events of the last time, oldest first.
    pub events: VecDeque<Event>,
    /// The dead letters since the start, if the server sends their number.
    pub dead_letters: Option<u64>,
    /// The network that the tree is on, and its time on the server's clock.
    pub network: Option<(Network, u64)>,
    /// The messages that could not be read, with the last error.
    pub unreadable: (u64, String),
    entries: HashMap<String, Entry>,
    root: Option<String>,
    /// The server's time, and ours at that moment.
    clock: Option<(u64, Duration)>,
    /// The totals of the dead letters in the last minute, with their times.
    letters: VecDeque<(u64, u64)>,
    /// The times of the events of dead letters.
    letter_events: VecDeque<u64>,
    /// The cycles of asks of the last minute.
    cycles: VecDeque<(u64, Vec<String>)>,
}

impl Model {
    /// Takes a message.
    pub fn apply(&mut self, message: Message, now: Duration) {
        match message {
            Message::Snapshot { at_ms, nodes, dead_letters, network } => {
                self.network = network.map(|network| (network, at_ms));
                self.replace(at_ms, nodes, dead_letters, now);
            }
            Message::Delta { at_ms, nodes, removed, dead_letters, network } => {
                if self.root.is_none() {
                    return; // without a snapshot there is nothing to change
                }
                if let Some(network) = network {
                    self.network = Some((network, at_ms));
                }
                for path in removed {
                    self.remove(&path);
                }
                for node in nodes {
                    self.put(node, at_ms);
                }
                self.tick(at_ms, dead_letters, now);
            }
            Message::Event(event) => self.note(*event),
            Message::Gap(missed) => {
                let words = format!("{missed} events were missed");
                self.note(Event { event: words, at_ms: self.server_now(now), ..Event::default() });
            }
            Message::End(ended) => self.link = Link::Ended(ended),
        }
    }

    /// Says that the connection is lost.
    pub fn lose(&mut self, why: String, retry: Duration, now: Duration) {
        match &mut self.link {
            Link::Ended(_) => {}
            Link::Away { why: last, retry: next, .. } => (*last, *next) = (why, retry),
            Link::Connecting | Link::Live => self.link = Link::Away { since: now, why, retry },
        }
    }

    /// Says that a message could not be read.
    pub fn cannot_read(&mut self, why: String) {
        self.unreadable = (self.unreadable.0 + 1, why);
    }

    fn replace(&mut self, at_ms: u64, nodes: Vec<(usize, Node)>, dead_letters: Option<u64>, now: Duration) {
        let is_older = self.clock.is_some_and(|(before, _)| at_ms < before);
        let is_other = nodes.first().is_none_or(|(_, root)| Some(&root.path) != self.root.as_ref());
        let mut before = std::mem::take(&mut self.entries);
        if is_older || is_other {
            // Another tree: times and totals begin anew.
            before.clear();
            self.events.clear();
            self.letters.clear();
            self.letter_events.clear();
            self.cycles.clear();
        }
        self.root = nodes.first().map(|(_, root)| root.path.clone());
        // A console that outlives its tree shows the end again to everybody who connects.
        if nodes.first().is_none_or(|(_, root)| root.state != State::Ended) {
            self.link = Link::Live;
        }
        let mut paths: Vec<String> = Vec::with_capacity(nodes.len());
        for (position, (parent, node)) in nodes.into_iter().enumerate() {
            let path = node.path.clone();
            paths.push(path.clone());
            if self.entries.contains_key(&path) {
                continue; // no tree has two of them
            }
            let mut entry = before.remove(&path).unwrap_or_default();
            entry.children.clear();
            entry.parent = (position > 0).then(|| paths[parent].clone());
            if let Some(above) = entry.parent.as_ref().and_then(|above| self.entries.get_mut(above)) {
                above.children.push(path.clone());
            }
            entry.update(node, at_ms);
            self.entries.insert(path, entry);
        }
        self.tick(at_ms, dead_letters, now);
    }

    fn tick(&mut self, at_ms: u64, dead_letters: Option<u64>, now: Duration) {
        self.clock = Some((at_ms, now));
        if !matches!(self.link, Link::Ended(_)) {
            self.link = Link::Live;
        }
        for entry in self.entries.values_mut() {
            entry.sample(at_ms);
        }
        if let Some(total) = dead_letters {
            self.dead_letters = Some(total);
            if self.letters.back().is_none_or(|(_, last)| *last != total) {
                self.letters.push_back((at_ms, total));
            }
        }
        // Keep one total from before the last minute: the difference to it is the number of the last minute.
        while self.letters.get(1).is_some_and(|(at, _)| at.saturating_add(RECENT) < at_ms) {
            self.letters.pop_front();
        }
        self.letter_events.retain(|at| at.saturating_add(RECENT) >= at_ms);
        self.cycles.retain(|(at, _)| at.saturating_add(RECENT) >= at_ms);
    }

    fn put(&mut self, mut node: Node, at_ms: u64) {
        if let Some(entry) = self.entries.get_mut(&node.path) {
            entry.update(node, at_ms);
            return;
        }
        let root = self.root.clone().unwrap_or_default();
        let parent = node.parent.take().filter(|parent| self.entries.contains_key(parent)).unwrap_or(root);
        let above = self.entries.get_mut(&parent).expect("the root is there");
        let index = node.index.and_then(|index| usize::try_from(index).ok()).unwrap_or(usize::MAX);
        above.children.insert(index.min(above.children.len()), node.path.clone());
        let path = node.path.clone();
        let mut entry = Entry { parent: Some(parent), ..Entry::default() };
        entry.update(node, at_ms);
        self.entries.insert(path, entry);
    }

    fn remove(&mut self, path: &str) {
        if Some(path) == self.root.as_deref() {
            return; // a tree without its root is replaced by a snapshot
        }
        let Some(entry) = self.entries.remove(path) else { return };
        if let Some(above) = entry.parent.and_then(|parent| self.entries.get_mut(&parent)) {
            above.children.retain(|child| child != path);
        }
        let mut below = entry.children;
        while let Some(path) = below.pop() {
            if let Some(entry) = self.entries.remove(&path) {
                below.extend(entry.children);
            }
        }
    }

    fn note(&mut self, event: Event) {
        match &*event.event {
            "dead_letter" => push(&mut self.letter_events, event.at_ms, MARKS),
            "ask_cycle" => push(&mut self.cycles, (event.at_ms, event.cycle.clone()), MARKS),
            _ => {}
        }
        push(&mut self.events, event, EVENTS);
    }

    /// Returns the path of the root.
    pub fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// Returns the entry with this path.
    pub fn get(&self, path: &str) -> Option<&Entry> {
        self.entries.get(path)
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there is no tree.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the time on the server's clock, in milliseconds. It stands still while the console is away, or after the end.
    pub fn server_now(&self, now: Duration) -> u64 {
        let Some((at_ms, then)) = self.clock else { return 0 };
        let until = match &self.link {
            Link::Away { since, .. } => *since,
            Link::Ended(_) => then,
            Link::Connecting | Link::Live => now,
        };
        at_ms.saturating_add(until.saturating_sub(then).as_millis() as u64)
    }

    /// Returns the age of what is shown.
    pub fn age(&self, now: Duration) -> Duration {
        self.clock.map_or(Duration::ZERO, |(_, then)| now.saturating_sub(then))
    }

    /// Returns every path, parents before children, in the order of declaration.
    pub fn paths(&self) -> Vec<&str> {
        let mut paths = Vec::with_capacity(self.entries.len());
        let mut todo: Vec<&str> = self.root.as_deref().into_iter().collect();
        while let Some(path) = todo.pop() {
            let Some((path, entry)) = self.entries.get_key_value(path) else { continue };
            paths.push(path.as_str());
            todo.extend(entry.children.iter().rev().map(String::as_str));
        }
        paths
    }

    /// Returns the number of declared nodes in each state, in the order of the states, and that of the instances.
    pub fn counts(&self) -> (Vec<(State, u64)>, u64) {
        let mut counts: HashMap<State, u64> = HashMap::new();
        let mut instances = 0_u64;
        for entry in self.entries.values() {
            *counts.entry(entry.node.state).or_default() += 1;
            instances = instances.saturating_add(entry.node.total());
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_unstable();
        (counts, instances)
    }

    /// Returns the messages a second of all nodes together, if any are observed.
    pub fn rate(&self) -> Option<f64> {
        let mut rates = self.entries.values().filter_map(|entry| entry.rate);
        let first = rates.next()?;
        Some(first + rates.sum::<f64>())
    }

    /// Returns the dead letters of the last minute.
    pub fn recent_dead_letters(&self, now: Duration) -> u64 {
        let since = self.server_now(now).saturating_sub(RECENT);
        match (self.letters.front(), self.dead_letters) {
            (Some((_, first)), Some(total)) => {
                let before = self.letters.iter().rev().find(|(at, _)| *at <= since).map_or(*first, |(_, total)| *total);
                total.saturating_sub(before)
            }
            _ => self.letter_events.iter().filter(|at| **at > since).count() as u64,
        }
    }

    /// Returns the cycles of actors that wait for each other now.
    pub fn cycles(&self) -> Vec<Vec<String>> {
        let mut cycles: Vec<Vec<String>> = Vec::new();
        let mut done: HashSet<&str> = HashSet::new();
        let waiting = self.paths().into_iter().filter(|path| !self.entries[*path].node.waits_for.is_empty());
        for start in waiting {
            // The path from the start to the present node, with the number of edges that were followed from each node.
            let mut way: Vec<(&str, usize)> = vec![(start, 0)];
            let mut on_way: HashSet<&str> = HashSet::from([start]);
            while let Some((path, next)) = way.last_mut() {
                let edges = self.entries.get(*path).map(|entry| &*entry.node.waits_for).unwrap_or_default();
                let Some(to) = edges.get(*next).filter(|_| !done.contains(path)) else {
                    done.insert(path);
                    on_way.remove(path);
                    way.pop();
                    continue;
                };
                *next += 1;
                if on_way.contains(to.as_str()) {
                    let cycle = way.iter().skip_while(|(path, _)| path != to);
                    cycles.push(cycle.map(|(path, _)| (*path).to_owned()).collect());
                    if cycles.len() >= CYCLES {
                        return cycles;
                    }
                } else if !done.contains(to.as_str()) {
                    on_way.insert(to);
                    way.push((to, 0));
                }
            }
        }
        cycles
    }

    /// Returns the warnings: the bad ones first, then in the order of declaration.
    pub fn warnings(&self, now: Duration) -> Vec<Warning> {
        let at_ms = self.server_now(now);
        let mut warnings = Vec::new();
        let mut say = |weight, path: &str, text: String| warnings.push(Warning { weight, path: path.to_owned(), text });
        let present = self.cycles();
        for cycle in &present {
            say(Weight::Bad, &cycle[0], format!("asks in a circle: {} > {}", cycle.join(" > "), cycle[0]));
        }
        let mut told: Vec<Vec<&str>> = present.iter().map(|cycle| sorted(cycle)).collect();
        for (at, cycle) in self.cycles.iter().rev().filter(|(at, _)| at.saturating_add(RECENT) > at_ms) {
            let members = sorted(cycle);
            if told.contains(&members) || told.len() >= CYCLES {
                continue;
            }
            told.push(members);
            let first = cycle.first().map(String::as_str).unwrap_or_default();
            let ago = ago(at_ms.saturating_sub(*at));
            say(Weight::Warn, first, format!("asked in a circle {ago}: {} > {first}", cycle.join(" > ")));
        }
        let mut shared: HashSet<&str> = HashSet::new();
        let mut told_waits: HashMap<&str, u64> = HashMap::new();
        for path in self.paths() {
            let entry = &self.entries[path];
            let node = &entry.node;
            match node.state {
                State::BackingOff => {
                    let left = node.until_ms.unwrap_or(0).saturating_sub(at_ms);
                    let failure = node.last_failure.as_ref().map(|failure| format!(": {}", failure.words()));
                    say(Weight::Bad, path, format!("backing off, {}{}", time_ms(left), failure.unwrap_or_default()));
                }
                State::Failed => say(Weight::Bad, path, "failed".to_owned()),
                State::Ended if node.has_ended_wrongly() => {
                    let ended = node.ended.as_ref().map(Ended::words).unwrap_or_default();
                    say(Weight::Bad, path, format!("ended: {ended}"));
                }
                _ => {}
            }
            if let Some((role, _)) = &node.waits_for_node {
                *told_waits.entry(role).or_default() += 1;
                say(Weight::Bad, path, node.place(at_ms.saturating_sub(entry.seen_ms)).unwrap_or_default());
            }
            if let Some(held) = node.runs_for_ms.filter(|held| *held >= HELD) {
                say(Weight::Bad, path, format!("holds its thread for {}", time_ms(held)));
            }
            match entry.in_hand(at_ms) {
                Some(time) if time >= STUCK => {
                    say(Weight::Bad, path, format!("stuck: a handler runs for {}", time_ms(time)))
                }
                Some(time) if time >= SLOW => {
                    say(Weight::Warn, path, format!("slow: a handler runs for {}", time_ms(time)))
                }
                _ => {}
            }
            if let (Some(since), Some(mailbox)) = (entry.full_since, &node.mailbox)
                && entry.seen_ms.max(at_ms).saturating_sub(since) >= FULL
            {
                let blocked = match mailbox.blocked {
                    0 => String::new(),
                    1 => ", a sender waits".to_owned(),
                    many => format!(", {many} senders wait"),
                };
                say(Weight::Warn, path, format!("mailbox full for {}{blocked}", time_ms(at_ms.saturating_sub(since))));
            }
            if let Some((used, max)) = node.restarts.as_ref().and_then(|budget| Some((budget.used, budget.max?)))
                && is_nearly_used(used, max)
                && node.state != State::Ended
            {
                // One warning for a group, whose members share their budget.
                let above = entry.parent.as_deref().and_then(|parent| self.entries.get_key_value(parent));
                let group = above.filter(|(_, above)| {
                    above.node.strategy.as_deref().is_some_and(|strategy| strategy != "one_for_one")
                });
                if group.is_none_or(|(group, _)| shared.insert(group)) {
                    say(Weight::Warn, path, format!("{used} of {max} restarts used"));
                }
            }
            if let Some(instances) = &node.instances {
                let ill: Vec<_> = instances
                    .iter()
                    .filter(|(word, number)| matches!(&**word, "backing_off" | "failed") && *number > 0)
                    .map(|(word, number)| format!("{number} {}", word.replace('_', " ")))
                    .collect();
                if !ill.is_empty() {
                    say(Weight::Warn, path, format!("{} of {}", ill.join(", "), node.total()));
                }
            }
        }
        // The instances of sets are no nodes here.
        for (role, children) in self.network.iter().flat_map(|(network, _)| &network.waiting) {
            let others = children.saturating_sub(told_waits.get(role.as_str()).copied().unwrap_or(0));
            if others > 0 {
                let children = if others == 1 { "instance waits" } else { "instances wait" };
                let root = self.root().unwrap_or_default();
                say(Weight::Bad, root, format!("{others} {children} for a node with the role {role}"));
            }
        }
        let letters = self.recent_dead_letters(now);
        if letters > 0 {
            let last = self.events.iter().rev().find(|event| event.event == "dead_letter");
            let path = last.map(|event| &*event.path).or(self.root()).unwrap_or_default();
            let letters = if letters == 1 { "1 dead letter".to_owned() } else { format!("{letters} dead letters") };
            say(Weight::Warn, path, format!("{letters} in the last minute"));
        }
        warnings.sort_by_key(|warning| warning.weight); // stable
        warnings
    }
}

/// Returns whether so little is left of a restart budget that one or two failures more use it up.
pub fn is_nearly_used(used: u64, max: u64) -> bool {
    let left = max.saturating_sub(used);
    used > 0 && (left == 0 || left <= 2 && used.saturating_mul(5) >= max.saturating_mul(4))
}

fn sorted(cycle: &[String]) -> Vec<&str> {
    let mut members: Vec<&str> = cycle.iter().map(String::as_str).collect();
    members.sort_unstable();
    members.dedup();
    members
}

fn push<T>(queue: &mut VecDeque<T>, value: T, most: usize) {
    if queue.len() >= most {
        queue.pop_front();
    }
    queue.push_back(value);
}
