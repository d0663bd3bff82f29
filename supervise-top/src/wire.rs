//! The messages of a console, read leniently: a field of another type counts as missing, a word that is new stays a word,
//! and what is not known is passed over. So an older program can show a newer tree.

use serde_json::{Map, Value};

/// The state of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum State {
    /// Waits for its turn to start.
    Queued,
    /// Its start is running.
    Starting,
    /// Up.
    Running,
    /// Up, but handles nothing because of a failure above.
    Suspended,
    /// Failed, and not decided on yet.
    Failed,
    /// On its way down.
    GoingDown,
    /// Down until its restart.
    BackingOff,
    /// Ended.
    Ended,
    /// A state that this program does not know.
    #[default]
    Other,
}

impl State {
    /// All states that have a word.
    pub const ALL: [State; 8] = [
        State::Queued,
        State::Starting,
        State::Running,
        State::Suspended,
        State::Failed,
        State::GoingDown,
        State::BackingOff,
        State::Ended,
    ];

    /// Returns the word in the JSON.
    pub fn word(self) -> &'static str {
        match self {
            State::Queued => "queued",
            State::Starting => "starting",
            State::Running => "running",
            State::Suspended => "suspended",
            State::Failed => "failed",
            State::GoingDown => "going_down",
            State::BackingOff => "backing_off",
            State::Ended => "ended",
            State::Other => "other",
        }
    }

    /// Returns the state with this word.
    pub fn of(word: &str) -> State {
        State::ALL.into_iter().find(|state| state.word() == word).unwrap_or(State::Other)
    }
}

/// An object of JSON whose fields may be missing.
#[derive(Debug, Clone, Copy)]
struct Fields<'a>(Option<&'a Map<String, Value>>);

impl<'a> Fields<'a> {
    fn of(value: &'a Value) -> Self {
        Fields(value.as_object())
    }

    fn get(self, name: &str) -> Option<&'a Value> {
        self.0?.get(name).filter(|value| !value.is_null())
    }

    fn text(self, name: &str) -> Option<String> {
        self.get(name)?.as_str().map(str::to_owned)
    }

    fn number(self, name: &str) -> Option<u64> {
        let value = self.get(name)?;
        // A number with a fraction is cut off; a negative one is none.
        value.as_u64().or_else(|| value.as_f64().filter(|number| *number >= 0.0).map(|number| number as u64))
    }

    fn list(self, name: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
        self.get(name).and_then(Value::as_array).into_iter().flatten()
    }

    fn texts(self, name: &str) -> Vec<String> {
        self.list(name).filter_map(Value::as_str).map(str::to_owned).collect()
    }

    fn object(self, name: &str) -> Option<Fields<'a>> {
        self.get(name)?.as_object().map(|map| Fields(Some(map)))
    }
}

/// A failure, with those before it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Failure {
    /// The path of the child that failed.
    pub path: String,
    /// Its incarnation.
    pub incarnation: u64,
    /// A word: `start`, `running` or `restart`.
    pub phase: String,
    /// A word: `error`, `panic`, ..
    pub cause: String,
    /// The `let` at which the start of a tree failed.
    pub at_let: Option<String>,
    /// The text of the cause, then those of its sources.
    pub chain: Vec<String>,
    /// The failure before it.
    pub before: Option<Box<Failure>>,
    /// The number of failures between the two that were not kept.
    pub left_out: u64,
}

impl Failure {
    fn of(fields: Fields<'_>) -> Failure {
        Failure {
            path: fields.text("path").unwrap_or_default(),
            incarnation: fields.number("incarnation").unwrap_or(0),
            phase: fields.text("phase").unwrap_or_default(),
            cause: fields.text("cause").unwrap_or_default(),
            at_let: fields.text("at_let"),
            chain: fields.texts("chain"),
            before: fields.object("before").map(|before| Box::new(Failure::of(before))),
            left_out: fields.number("left_out").unwrap_or(0),
        }
    }

    /// Returns the texts of the chain as one.
    pub fn words(&self) -> String {
        let words = match self.chain.is_empty() {
            true => self.cause.replace('_', " "),
            false => self.chain.join(": "),
        };
        match &self.at_let {
            Some(name) => format!("at `let {name}`: {words}"),
            None => words,
        }
    }
}

/// An instance of a set that has ended by a failure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FailedInstance {
    /// The last part of its path.
    pub name: String,
    /// The time of its end.
    pub at_ms: u64,
    /// The failure.
    pub failure: Failure,
}

impl FailedInstance {
    fn of(value: &Value) -> FailedInstance {
        let fields = Fields::of(value);
        FailedInstance {
            name: fields.text("name").unwrap_or_default(),
            at_ms: fields.number("at_ms").unwrap_or(0),
            failure: fields.object("failure").map(Failure::of).unwrap_or_default(),
        }
    }

    /// Returns the name and the error as one.
    pub fn words(&self) -> String {
        format!("{}: {}", self.name, self.failure.words())
    }
}

/// The end of a child.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ended {
    /// A word: `done`, `stopped`, `failed`, `limit`, `killed`, `aborted`, `runtime_gone`.
    pub why: String,
    /// The reason that the child gave.
    pub reason: Option<String>,
    /// The failure that ended it.
    pub failure: Option<Failure>,
}

impl Ended {
    fn of(fields: Fields<'_>) -> Ended {
        Ended {
            why: fields.text("why").unwrap_or_default(),
            reason: fields.text("reason"),
            failure: fields.object("failure").map(Failure::of),
        }
    }

    /// Returns the end in a few words.
    pub fn words(&self) -> String {
        let why = match &*self.why {
            "limit" => "restarted too often",
            "runtime_gone" => "the runtime is gone",
            other => other,
        };
        match (&self.failure, &self.reason) {
            // The text of the failure says whether there were too many restarts, or none was allowed.
            (Some(failure), _) if self.why == "limit" => {
                let words = failure.words();
                match failure.before.as_ref().map(|last| last.words()) {
                    Some(last) if !words.contains(&last) => format!("{words}: {last}"),
                    _ => words,
                }
            }
            (Some(failure), _) => format!("{why}: {}", failure.words()),
            (None, Some(reason)) => format!("{why}: {reason}"),
            (None, None) => why.to_owned(),
        }
    }
}

/// The restarts of a child that are used up, and how many are allowed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Budget {
    /// The number of restarts within the window.
    pub used: u64,
    /// The number of restarts that are allowed; `None`: any.
    pub max: Option<u64>,
    /// The length of the window.
    pub within_ms: Option<u64>,
    /// The time at which nothing is used any more.
    pub restored_ms: Option<u64>,
}

/// The state of a mailbox.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mailbox {
    /// The number of messages that wait.
    pub waiting: u64,
    /// The room for messages; `None`: without bound.
    pub capacity: Option<u64>,
    /// The senders that wait for room.
    pub blocked: u64,
    /// The time for which the oldest message waits.
    pub oldest_ms: Option<u64>,
}

/// The numbers of the messages of an actor.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Messages {
    /// The messages that are over.
    pub handled: u64,
    /// The time of all handlers together.
    pub busy_us: Option<u64>,
    /// The time of the longest handler.
    pub longest_us: Option<u64>,
    /// The time for which the present handler runs.
    pub in_hand_us: Option<u64>,
}

/// A node without its children.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Node {
    /// The path.
    pub path: String,
    /// The last part of the path.
    pub name: String,
    /// `actor`, `task`, `tree`, `set`.
    pub kind: String,
    /// The state.
    pub state: State,
    /// The word of the state as the server wrote it.
    pub word: String,
    /// The end of a backoff.
    pub until_ms: Option<u64>,
    /// How it ended.
    pub ended: Option<Ended>,
    /// `permanent`, `transient`, `temporary`.
    pub lifecycle: String,
    /// `one_for_one`, ..
    pub strategy: Option<String>,
    /// The incarnation.
    pub incarnation: u64,
    /// The time since which it is up.
    pub up_since_ms: Option<u64>,
    /// File and line of the declaration.
    pub declared_at: Option<String>,
    /// The settings as written.
    pub settings: Vec<String>,
    /// The names of the hooks.
    pub hooks: Vec<String>,
    /// The restart budget.
    pub restarts: Option<Budget>,
    /// The restarts of the present streak.
    pub streak: u64,
    /// The mailbox.
    pub mailbox: Option<Mailbox>,
    /// The numbers of its messages.
    pub messages: Option<Messages>,
    /// The time for which its code holds a thread.
    pub runs_for_ms: Option<u64>,
    /// The path for which its start waits.
    pub starts_after: Option<String>,
    /// The paths for whose replies it waits.
    pub waits_for: Vec<String>,
    /// The node on which the instance of a remote child is.
    pub runs_on: Option<String>,
    /// The messages of a remote child that are sent and not begun.
    pub window: Option<u64>,
    /// The role for whose node a remote child waits, and for how long.
    pub waits_for_node: Option<(String, u64)>,
    /// The children spawned at run time, by state.
    pub instances: Option<Vec<(String, u64)>>,
    /// The last instances that have ended by a failure, oldest first.
    pub failed_instances: Vec<FailedInstance>,
    /// The last failure.
    pub last_failure: Option<Failure>,
    /// The path of the parent, for a node that is new in a delta.
    pub parent: Option<String>,
    /// The position among its siblings, for a node that is new in a delta.
    pub index: Option<u64>,
}

impl Node {
    /// Reads a node, without its children.
    pub fn of(value: &Value) -> Node {
        let fields = Fields::of(value);
        let path = fields.text("path").unwrap_or_default();
        let word = fields.text("state").unwrap_or_default();
        let name = fields.text("name").unwrap_or_else(|| path.rsplit('/').next().unwrap_or_default().to_owned());
        Node {
            name,
            kind: fields.text("kind").unwrap_or_default(),
            state: State::of(&word),
            word,
            until_ms: fields.number("until_ms"),
            ended: fields.object("ended").map(Ended::of),
            lifecycle: fields.text("lifecycle").unwrap_or_default(),
            strategy: fields.text("strategy"),
            incarnation: fields.number("incarnation").unwrap_or(0),
            up_since_ms: fields.number("up_since_ms"),
            declared_at: fields.text("declared_at"),
            settings: fields.texts("settings"),
            hooks: fields.texts("hooks"),
            restarts: fields.object("restarts").map(|budget| Budget {
                used: budget.number("used").unwrap_or(0),
                max: budget.number("max"),
                within_ms: budget.number("within_ms"),
                restored_ms: budget.number("restored_ms"),
            }),
            streak: fields.number("streak").unwrap_or(0),
            mailbox: fields.object("mailbox").map(|mailbox| Mailbox {
                waiting: mailbox.number("waiting").unwrap_or(0),
                capacity: mailbox.number("capacity"),
                blocked: mailbox.number("blocked").unwrap_or(0),
                oldest_ms: mailbox.number("oldest_ms"),
            }),
            messages: fields.object("messages").map(|messages| Messages {
                handled: messages.number("handled").unwrap_or(0),
                busy_us: messages.number("busy_us"),
                longest_us: messages.number("longest_us"),
                in_hand_us: messages.number("in_hand_us"),
            }),
            runs_for_ms: fields.number("runs_for_ms"),
            starts_after: fields.text("starts_after"),
            waits_for: fields.texts("waits_for"),
            runs_on: fields.text("runs_on"),
            window: fields.number("window"),
            waits_for_node: fields
                .object("waits_for_node")
                .map(|wait| (wait.text("role").unwrap_or_default(), wait.number("since_ms").unwrap_or(0))),
            instances: fields.object("instances").map(numbers),
            failed_instances: fields.list("failed_instances").map(FailedInstance::of).collect(),
            last_failure: fields.object("last_failure").map(Failure::of),
            parent: fields.text("parent"),
            index: fields.number("index"),
            path,
        }
    }

    /// Returns where the instance of a remote child is, or what it waits for, in a few words. The wait has grown since the
    /// node was seen, by so many milliseconds.
    pub fn place(&self, grown: u64) -> Option<String> {
        if let Some((role, since)) = &self.waits_for_node {
            return Some(format!("no node with the role {role} for {}", time_s(since.saturating_add(grown))));
        }
        let sent = self.window.filter(|sent| *sent > 0).map_or(String::new(), |sent| format!(", {sent} sent"));
        Some(format!("on {}{sent}", self.runs_on.as_ref()?))
    }

    /// Returns whether the node is a set, or another one whose children are spawned at run time only.
    pub fn is_set(&self) -> bool {
        self.kind == "set" || self.instances.is_some() && self.kind != "actor"
    }

    /// Returns whether the node has ended although its lifecycle would have it run.
    pub fn has_ended_wrongly(&self) -> bool {
        let why = self.ended.as_ref().map(|ended| &*ended.why);
        self.state == State::Ended
            && matches!(&*self.lifecycle, "permanent" | "transient")
            && !matches!(why, Some("done" | "stopped"))
    }

    /// Returns the number of instances.
    pub fn total(&self) -> u64 {
        self.instances.iter().flatten().fold(0, |sum, (_, number)| sum.saturating_add(*number))
    }
}

/// A node of the network that the tree is on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RemoteNode {
    /// The name.
    pub name: String,
    /// The role.
    pub role: String,
    /// The children of the tree that are there.
    pub children: u64,
    /// The children that it takes at most; `None`: any number.
    pub capacity: Option<u64>,
    /// The time until its lease is over.
    pub lease_left_ms: Option<u64>,
    /// The time of its last answer, in microseconds.
    pub round_trip_us: Option<u64>,
    /// The build of its program.
    pub build: Option<String>,
}

/// The network that the tree is on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Network {
    /// The nodes.
    pub nodes: Vec<RemoteNode>,
    /// The nodes that do not follow the owner, or get no children, and why.
    pub refused: Vec<(String, String)>,
    /// The number of children that wait for a node, by role.
    pub waiting: Vec<(String, u64)>,
}

impl Network {
    fn of(fields: Fields<'_>) -> Network {
        let nodes = fields.list("nodes").map(Fields::of).map(|node| RemoteNode {
            name: node.text("name").unwrap_or_default(),
            role: node.text("role").unwrap_or_default(),
            children: node.number("children").unwrap_or(0),
            capacity: node.number("capacity"),
            lease_left_ms: node.number("lease_left_ms"),
            round_trip_us: node.number("round_trip_us"),
            build: node.text("build").filter(|build| !build.is_empty()),
        });
        let refused = fields.list("refused").map(Fields::of);
        let refused = refused.map(|node| (node.text("name").unwrap_or_default(), node.text("why").unwrap_or_default()));
        let waiting = fields.list("waiting").map(Fields::of);
        let waiting = waiting.map(|wait| (wait.text("role").unwrap_or_default(), wait.number("children").unwrap_or(0)));
        Network { nodes: nodes.collect(), refused: refused.collect(), waiting: waiting.collect() }
    }
}

fn numbers(fields: Fields<'_>) -> Vec<(String, u64)> {
    let all = fields.0.into_iter().flatten();
    all.filter_map(|(word, _)| Some((word.clone(), fields.number(word)?))).collect()
}

/// An event.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Event {
    /// The path of the child.
    pub path: String,
    /// The time.
    pub at_ms: u64,
    /// The incarnation.
    pub incarnation: u64,
    /// A word: `started`, `failed`, ..
    pub event: String,
    /// The failure, of several kinds.
    pub failure: Option<Failure>,
    /// How the child ended.
    pub ended: Option<Ended>,
    /// The directive of a decision.
    pub directive: Option<String>,
    /// The decider that answered, or the name of the person who asks.
    pub by: Option<String>,
    /// The arm that answered: index, text, place.
    pub arm: Option<(u64, String, String)>,
    /// The paths of a cycle of asks.
    pub cycle: Vec<String>,
    /// Of a lease: its name, what has changed, and the token.
    pub lease: Option<(String, String, Option<u64>)>,
    /// The delay of a restart.
    pub after_ms: Option<u64>,
    /// The time since which it is blocked or starts.
    pub since_ms: Option<u64>,
    /// Whether a start waits for a task to say that it is ready.
    pub ready: bool,
    /// The name of a message.
    pub message: Option<String>,
    /// The type of an error that nobody reads.
    pub error: Option<String>,
    /// A word: of a dead letter, or of a child that stops.
    pub reason: Option<String>,
    /// The operation of a request.
    pub operation: Option<String>,
    /// The node on which a remote child was placed, or that was lost.
    pub node: Option<String>,
    /// The role for which there is no node.
    pub role: Option<String>,
    /// The reason of a node that does not take a child, or of a message that cannot be sent.
    pub why: Option<String>,
    /// The build of a node.
    pub build: Option<String>,
    /// The number of restarts in the streak.
    pub streak: u64,
    /// The number of restarts that a limit allows.
    pub max_restarts: Option<u64>,
}

impl Event {
    /// Reads an event.
    pub fn of(value: &Value) -> Event {
        let fields = Fields::of(value);
        Event {
            path: fields.text("path").unwrap_or_default(),
            at_ms: fields.number("at_ms").unwrap_or(0),
            incarnation: fields.number("incarnation").unwrap_or(0),
            event: fields.text("event").unwrap_or_default(),
            failure: fields.object("failure").map(Failure::of),
            ended: fields.object("ended").map(Ended::of),
            directive: fields.text("directive"),
            by: fields.text("by"),
            arm: fields.object("arm").map(|arm| {
                (
                    arm.number("index").unwrap_or(0),
                    arm.text("text").unwrap_or_default(),
                    arm.text("at").unwrap_or_default(),
                )
            }),
            cycle: fields.texts("cycle"),
            lease: fields
                .text("lease")
                .map(|lease| (lease, fields.text("change").unwrap_or_default(), fields.number("token"))),
            after_ms: fields.number("after_ms"),
            since_ms: fields.number("since_ms"),
            ready: fields.get("ready").and_then(Value::as_bool).unwrap_or(false),
            message: fields.text("message"),
            error: fields.text("error"),
            reason: fields.text("reason"),
            operation: fields.text("operation"),
            node: fields.text("node"),
            role: fields.text("role"),
            why: fields.text("why"),
            build: fields.text("build"),
            streak: fields.number("streak").unwrap_or(0),
            max_restarts: fields.number("max_restarts"),
        }
    }

    /// Returns whether the event reports something bad.
    pub fn is_bad(&self) -> bool {
        match &*self.event {
            "failed" | "reported" | "escalated" | "limit_reached" | "aborted" | "stuck" | "ask_cycle" | "node_lost"
            | "fenced" => true,
            "ended" => self.ended.as_ref().is_some_and(|ended| !matches!(&*ended.why, "done" | "stopped")),
            _ => false,
        }
    }

    /// Returns the event in words, without path and time.
    pub fn words(&self) -> String {
        let failure = self.failure.as_ref().map(Failure::words).unwrap_or_default();
        let reason = self.reason.as_deref().unwrap_or_default().replace('_', " ");
        let message = self.message.as_deref().unwrap_or("message");
        match &*self.event {
            "failed" => match &self.message {
                Some(message) => format!("failed with {message} in hand: {failure}"),
                None => format!("failed: {failure}"),
            },
            "reported" => format!("failed on its way down: {failure}"),
            "escalated" => format!("escalated: {failure}"),
            "decided" => {
                let by = match self.by.as_deref() {
                    Some("child") => "the child's decider",
                    Some("supervisor") => "the supervisor's decider",
                    Some("default") => "the default",
                    Some(other) => other,
                    None => "?",
                };
                let directive = self.directive.as_deref().unwrap_or("?");
                match &self.arm {
                    Some((index, text, at)) => format!("decided: {directive}, by {by}, arm {index}: {text} ({at})"),
                    None => format!("decided: {directive}, by {by}"),
                }
            }
            "restart_scheduled" => format!("restart in {}", time_ms(self.after_ms.unwrap_or(0))),
            "requested" => format!(
                "{} requested by {}",
                self.operation.as_deref().unwrap_or("?").replace('_', " "),
                self.by.as_deref().unwrap_or("?"),
            ),
            "stopping" => format!("stopping: {reason}"),
            "ended" => format!("ended: {}", self.ended.as_ref().map(Ended::words).unwrap_or_default()),
            "aborted" => match &self.message {
                Some(message) => format!("aborted with {message} in hand"),
                None => "aborted".to_owned(),
            },
            "still_starting" => {
                let waits = if self.ready { ", has not called `cx.ready()`" } else { "" };
                format!("still starting, for {}{waits}", time_ms(self.since_ms.unwrap_or(0)))
            }
            "blocked" => format!("a sender is blocked for {}", time_ms(self.since_ms.unwrap_or(0))),
            "lease" => match &self.lease {
                Some((lease, change, Some(token))) => format!("lease {lease}: {change}, token {token}"),
                Some((lease, change, None)) => format!("lease {lease}: {change}"),
                None => "lease".to_owned(),
            },
            "limit_reached" if self.max_restarts == Some(0) => "no restart is allowed".to_owned(),
            "ask_cycle" => format!("asks in a circle: {}", self.cycle.join(" > ")),
            "unread" => {
                format!("{message} has returned an error that nobody reads: {}", self.error.as_deref().unwrap_or("?"))
            }
            "dead_letter" => format!("dead letter: {message} ({reason})"),
            "placed" => format!("placed on {}", self.node.as_deref().unwrap_or("?")),
            "node_lost" => format!(
                "its node {} is lost, last heard of {} before",
                self.node.as_deref().unwrap_or("?"),
                time_ms(self.after_ms.unwrap_or(0))
            ),
            "no_node" => format!("no node with the role {}", self.role.as_deref().unwrap_or("?")),
            "fenced" => "an instance was fenced: its lease was over".to_owned(),
            "refused" => format!("a node does not take it: {}", self.why.as_deref().unwrap_or("?")),
            "node_joined" => format!(
                "node {} joined as {}, build {}",
                self.node.as_deref().unwrap_or("?"),
                self.role.as_deref().unwrap_or("?"),
                self.build.as_deref().unwrap_or("?")
            ),
            "node_left" => format!("node {} left", self.node.as_deref().unwrap_or("?")),
            "node_refused" => format!(
                "node {} is refused: {}",
                self.node.as_deref().unwrap_or("?"),
                self.why.as_deref().unwrap_or("?")
            ),
            "not_written" => format!("a message cannot be sent: {}", self.why.as_deref().unwrap_or("?")),
            other => other.replace('_', " "),
        }
    }
}

/// Writes a time: `40 ms`, `2.4 s`, `43 s`, `12m 03s`, `3h 20m`, `5d 02h`.
pub fn time_ms(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds {
        0 if ms < 100 => format!("{ms} ms"),
        0..10 => format!("{}.{} s", seconds, ms % 1000 / 100),
        10..60 => format!("{seconds} s"),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
        _ => format!("{}d {:02}h", seconds / 86_400, seconds / 3600 % 24),
    }
}

/// Writes a time in whole seconds: `0 s`, `7 s`, `12m 03s`.
pub fn time_s(ms: u64) -> String {
    match ms / 1000 {
        seconds @ 0..10 => format!("{seconds} s"),
        _ => time_ms(ms),
    }
}

/// Writes how long ago something was: `now`, `7 s ago`.
pub fn ago(ms: u64) -> String {
    if ms < 1000 { "now".to_owned() } else { format!("{} ago", time_s(ms)) }
}

/// A message of the stream `live`.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// The whole tree: each node with the position of its parent, which comes earlier. The parent of the root is 0.
    Snapshot {
        /// The time.
        at_ms: u64,
        /// The nodes, parents before children.
        nodes: Vec<(usize, Node)>,
        /// The number of dead letters since the start.
        dead_letters: Option<u64>,
        /// The network; `None`: the tree is on none.
        network: Option<Network>,
    },
    /// The nodes that have changed.
    Delta {
        /// The time.
        at_ms: u64,
        /// The nodes, whole.
        nodes: Vec<Node>,
        /// The paths of those that are gone.
        removed: Vec<String>,
        /// The number of dead letters since the start.
        dead_letters: Option<u64>,
        /// The network, if it has changed.
        network: Option<Network>,
    },
    /// An event.
    Event(Box<Event>),
    /// Some messages were lost; a snapshot follows.
    Gap(u64),
    /// The tree has ended.
    End(Option<Ended>),
}

/// The error of a message that is not JSON, or lacks what it is about.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the message `{kind}` of the console cannot be read: {why}")]
pub struct Unreadable {
    kind: String,
    why: String,
}

impl Message {
    /// Reads a message of this kind. `None` for a kind that this program does not know.
    ///
    /// # Errors
    ///
    /// Returns an error for data that are not JSON, and for a snapshot without a root.
    pub fn of(kind: &str, data: &str) -> Result<Option<Message>, Unreadable> {
        let unreadable = |why: String| Unreadable { kind: kind.to_owned(), why };
        if !matches!(kind, "snapshot" | "delta" | "event" | "gap" | "end") {
            return Ok(None);
        }
        let value: Value = serde_json::from_str(data).map_err(|error| unreadable(error.to_string()))?;
        let fields = Fields::of(&value);
        let at_ms = fields.number("at_ms").unwrap_or(0);
        let dead_letters = fields.number("dead_letters");
        let network = fields.object("network").map(Network::of);
        Ok(Some(match kind {
            "snapshot" => {
                let root = fields.get("root").filter(|root| root.is_object());
                let nodes = flatten(root.ok_or_else(|| unreadable("there is no root".to_owned()))?);
                Message::Snapshot { at_ms, nodes, dead_letters, network }
            }
            "delta" => {
                let nodes = fields.list("nodes").map(Node::of).collect();
                Message::Delta { at_ms, nodes, removed: fields.texts("removed"), dead_letters, network }
            }
            "event" => Message::Event(Box::new(Event::of(&value))),
            "gap" => Message::Gap(fields.number("missed").unwrap_or(0)),
            _ => Message::End(fields.object("ended").map(Ended::of)),
        }))
    }

    /// Reads `tree.json`, which has the form of a snapshot.
    ///
    /// # Errors
    ///
    /// As [`of`](Self::of).
    pub fn tree(data: &str) -> Result<Message, Unreadable> {
        let message = Message::of("snapshot", data)?;
        Ok(message.expect("the kind is known"))
    }
}

/// Returns the nodes, each before its children, with the positions of their parents.
fn flatten(root: &Value) -> Vec<(usize, Node)> {
    let mut nodes = Vec::new();
    let mut todo = vec![(0, root)];
    while let Some((parent, value)) = todo.pop() {
        let position = nodes.len();
        nodes.push((parent, Node::of(value)));
        let children: Vec<_> = Fields::of(value).list("children").collect();
        todo.extend(children.into_iter().rev().map(|child| (position, child)));
    }
    nodes
}

/// The answer of a console about itself: `info.json`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Info {
    /// The name of the tree.
    pub name: String,
    /// A token is needed to look.
    pub needs_token: bool,
    /// Control is allowed, with a token.
    pub control: bool,
    /// The version of the server.
    pub version: String,
    /// The version of the protocol.
    pub protocol: u64,
}

impl Info {
    /// Reads `info.json`; `None` if it is something else.
    pub fn of(data: &str) -> Option<Info> {
        let value: Value = serde_json::from_str(data).ok()?;
        let fields = Fields::of(&value);
        Some(Info {
            name: fields.text("name")?,
            needs_token: fields.text("look").is_some_and(|look| look != "open"),
            control: fields.get("control").and_then(Value::as_bool).unwrap_or(false),
            version: fields.text("version").unwrap_or_default(),
            protocol: fields.number("protocol")?,
        })
    }
}

/// A page of a set: `set.json`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SetPage {
    /// The time.
    pub at_ms: u64,
    /// The number of instances.
    pub total: u64,
    /// The number of those that match.
    pub matching: u64,
    /// The position of the first node among those that match.
    pub from: u64,
    /// All instances by state.
    pub instances: Vec<(String, u64)>,
    /// The nodes.
    pub nodes: Vec<Node>,
}

impl SetPage {
    /// Reads `set.json`; `None` if it is no object.
    pub fn of(data: &str) -> Option<SetPage> {
        let value: Value = serde_json::from_str(data).ok()?;
        let fields = Fields(Some(value.as_object()?));
        Some(SetPage {
            at_ms: fields.number("at_ms").unwrap_or(0),
            total: fields.number("total").unwrap_or(0),
            matching: fields.number("matching").unwrap_or(0),
            from: fields.number("from").unwrap_or(0),
            instances: fields.object("instances").map(numbers).unwrap_or_default(),
            nodes: fields.list("nodes").map(Node::of).collect(),
        })
    }
}

/// The detail of a node: `detail.json`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Detail {
    /// The time.
    pub at_ms: u64,
    /// The node.
    pub node: Node,
    /// The type or the start expression.
    pub item: Option<String>,
    /// The doc comment.
    pub doc: Option<String>,
    /// `one`, `set`, ..
    pub shape: Option<String>,
    /// The time to stop.
    pub shutdown: Option<String>,
    /// The last events of this path, oldest first.
    pub events: Vec<Event>,
}

impl Detail {
    /// Reads `detail.json`; `None` if it has no node.
    pub fn of(data: &str) -> Option<Detail> {
        let value: Value = serde_json::from_str(data).ok()?;
        let fields = Fields::of(&value);
        let node = fields.get("node").filter(|node| node.is_object()).map(Node::of)?;
        let spec = fields.object("spec").unwrap_or(Fields(None));
        // A tree has no declaration in its node: take it from the spec.
        let node = Node {
            declared_at: node.declared_at.or_else(|| spec.text("declared_at")),
            settings: if node.settings.is_empty() { spec.texts("settings") } else { node.settings },
            ..node
        };
        Some(Detail {
            at_ms: fields.number("at_ms").unwrap_or(0),
            node,
            item: spec.text("item"),
            doc: spec.text("doc"),
            shape: spec.text("shape"),
            shutdown: spec.text("shutdown"),
            events: fields.list("events").map(Event::of).collect(),
        })
    }
}

/// Returns the text of an error in the body of an answer.
pub fn error_of(data: &str) -> Option<String> {
    let value: Value = serde_json::from_str(data).ok()?;
    Fields::of(&value).text("error")
}
