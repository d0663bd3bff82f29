//! The list of all settings and their arguments.
//!
//! The checks read this list (unknown names, wrong places, kinds of values), and `pages` makes the reference of it.
//! A setting that is not in this list is an error, so nothing is parsed and then ignored.

/// A setting: `#[name(..)]` above a child, `#![name(..)]` inside a tree's braces.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    pub(crate) place: Place,
    pub(crate) args: &'static [Arg],
    /// The behaviour without this setting.
    #[cfg_attr(not(test), allow(dead_code, reason = "for the pages"))]
    pub(crate) default: &'static str,
    /// The first lines of its page.
    #[cfg_attr(not(test), allow(dead_code, reason = "for the pages"))]
    pub(crate) doc: &'static str,
}

/// The places where a setting is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Tree,
    Both,
    /// Above a child of one of these kinds.
    Child(Of),
}

/// The children that a setting is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    /// Every kind.
    Any,
    /// Children with messages: neither tasks nor trees.
    Actors,
    /// Children of a OneForOne supervisor, and sets, which are such supervisors themselves.
    OneForOne,
    /// `[..]`
    Sets,
    /// `remote` children.
    Remote,
    /// A single child that is a tree of its own. Whether its type is a tree, only rustc can tell.
    Subtrees,
}

/// An argument of a setting.
#[derive(Debug)]
pub(crate) struct Arg {
    /// The name before the `=`. For a positional argument it is only a label.
    pub(crate) name: &'static str,
    pub(crate) value: Value,
    #[cfg_attr(not(test), allow(dead_code, reason = "for the pages"))]
    pub(crate) default: &'static str,
}

/// The values that an argument takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Value {
    /// Positional: one of these words.
    Word(&'static [&'static str]),
    /// Positional: the name itself, which turns something on.
    Flag,
    /// Positional: the path of a function.
    Function,
    /// Positional: `MIN..MAX`, a list of delays, or an expression of a `Backoff`.
    Range,
    /// Positional: `Bounded(N)` or `Unbounded`.
    Capacity,
    /// Positional: a whole number.
    Size,
    /// Positional: a duration.
    Time,
    /// Positional: a string.
    Text,
    /// Positional: an expression.
    Expression,
    /// Positional: arms, or the path of a function, or a closure.
    Arms,
    /// `name = D`, or one of these words.
    Duration(&'static [&'static str]),
    /// `name = N`, or one of these words.
    Count(&'static [&'static str]),
    /// `name = 0.2`
    Number,
    /// `name = word`
    Choice(&'static [&'static str]),
    /// `name = D` or `name = Manual`
    Reset,
}

impl Value {
    /// Returns whether the argument is written without `name =`.
    pub(crate) fn positional(self) -> bool {
        matches!(
            self,
            Value::Word(_)
                | Value::Flag
                | Value::Function
                | Value::Range
                | Value::Capacity
                | Value::Size
                | Value::Time
                | Value::Text
                | Value::Expression
                | Value::Arms
        )
    }
}

const fn arg(name: &'static str, value: Value, default: &'static str) -> Arg {
    Arg { name, value, default }
}

const STRATEGIES: Value = Value::Word(&["OneForOne", "AllForOne", "RestForOne"]);
const LIFECYCLES: Value = Value::Word(&["Permanent", "Transient", "Temporary"]);
const ON_LIMIT: Value = Value::Choice(&["Escalate", "Stop"]);
const MAX_RESTARTS: Value = Value::Count(&["Unlimited"]);

/// Every setting, in the order of the reference.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        name: "strategy",
        place: Place::Tree,
        args: &[
            arg("strategy", STRATEGIES, "`OneForOne`"),
            arg("max_restarts", MAX_RESTARTS, "10"),
            arg("within", Value::Duration(&[]), "1 min, unless `max_restarts` is written"),
            arg("on_limit", ON_LIMIT, "`Escalate`"),
            arg("budget", Value::Choice(&["Shared"]), "one for each child; only for `OneForOne`"),
        ],
        default: "`OneForOne`, 10 restarts in 1 minute; no limit for a child with a backoff, unless one is written here",
        doc: "The children that restart when one of them fails, the number of restarts that is too many, and whether all \
              children share it. With `max_restarts = 0` every failure ends the tree, and with `Permanent` children every \
              end of one.",
    },
    Setting {
        name: "decider",
        place: Place::Both,
        args: &[arg("arms", Value::Arms, "")],
        default: "stop after a failed first start without a backoff, a kill or a death pact; otherwise restart",
        doc: "The decision after a failure: `Resume`, `Restart`, `Stop` or `Escalate`; `Default` is what happens \
              without a decider. A child's own arms come first. An error that no arm matches escalates. No decider is asked \
              about an end by itself or a restart on request, so no arm can name these.",
    },
    Setting {
        name: "shutdown",
        place: Place::Tree,
        args: &[arg("D", Value::Time, "no limit"), arg("Together", Value::Flag, "off")],
        default: "no limit; the children stop one after the other, in reverse order",
        doc: "The time in which every end of the tree is through, after which the rest is aborted; whether its children \
              go down at the same time.",
    },
    Setting {
        name: "limit",
        place: Place::Child(Of::OneForOne),
        args: &[
            arg("max_restarts", MAX_RESTARTS, "the tree's"),
            arg("within", Value::Duration(&[]), "the tree's"),
            arg("on_limit", ON_LIMIT, "the tree's; in a `[..]` `Stop`"),
        ],
        default: "the tree's",
        doc: "A restart limit of the child's own. Each argument that is not written comes from the tree.",
    },
    Setting {
        name: "lifecycle",
        place: Place::Child(Of::Any),
        args: &[
            arg("lifecycle", LIFECYCLES, "`Permanent`; for a task and in a `[..]` `Transient`"),
            arg("shutdown", Value::Duration(&["Kill", "Infinity"]), "5 s; for a tree `Infinity`"),
            arg("start", Value::Duration(&[]), "as long as it takes"),
            arg("handler", Value::Duration(&[]), "as long as it takes; only for actors"),
            arg("drain", Value::Flag, "off; only for actors"),
            arg("ready", Value::Flag, "off; only for tasks with a context"),
            arg("significant", Value::Flag, "off; not for a `Permanent` child"),
            arg("best_effort", Value::Flag, "off; only for an actor, a task, or an array of them"),
        ],
        default: "see its arguments",
        doc: "When the child is restarted, how long its start, its messages and its stop may take, and how its life and the \
              life of its tree belong together.",
    },
    Setting {
        name: "pre_restart",
        place: Place::Child(Of::Actors),
        args: &[arg("function", Value::Function, "")],
        default: "the type's own",
        doc: "Called on the old instance before it stops for a restart, instead of the type's own hook.",
    },
    Setting {
        name: "post_restart",
        place: Place::Child(Of::Actors),
        args: &[arg("function", Value::Function, "")],
        default: "the type's own",
        doc: "Called on the new instance before its first message, instead of the type's own hook.",
    },
    Setting {
        name: "backoff",
        place: Place::Child(Of::Any),
        args: &[
            arg("MIN..MAX", Value::Range, ""),
            arg("factor", Value::Number, "2"),
            arg("random_factor", Value::Number, "0.2"),
            arg("reset", Value::Reset, "`(MIN + MAX) / 2`, with the first and the last delay of a list"),
        ],
        default: "the first restart is immediate, the next ones wait 10 ms, doubling to 10 s",
        doc: "The delay before each restart: growing with jitter, from a list with jitter, or any expression of a \
              `Backoff`. With a backoff, a failed first start is tried again, too.",
    },
    Setting {
        name: "mailbox",
        place: Place::Child(Of::Actors),
        args: &[
            arg("capacity", Value::Capacity, "`Bounded(1024)`"),
            arg("ask", Value::Duration(&[]), "5 s"),
            arg("fresh", Value::Flag, "off"),
        ],
        default: "see its arguments",
        doc: "The number of messages that can wait, and the time that an `ask` waits for its reply; whether a restart \
              begins with an empty mailbox.",
    },
    Setting {
        name: "max_children",
        place: Place::Child(Of::Sets),
        args: &[arg("N", Value::Size, "")],
        default: "unlimited",
        doc: "The number of children that the set may have at the same time.",
    },
    Setting {
        name: "max_starting",
        place: Place::Child(Of::Sets),
        args: &[arg("M", Value::Size, "")],
        default: "unlimited",
        doc: "The number of children of the set that may start at the same time; the others wait, in the order of their \
              spawns.",
    },
    Setting {
        name: "runtime",
        place: Place::Child(Of::Any),
        args: &[arg("handle", Value::Expression, "")],
        default: "the tree's",
        doc: "The tokio runtime on which the child runs, with its own children unless they say otherwise: a \
              `tokio::runtime::Handle`.",
    },
    Setting {
        name: "only_with",
        place: Place::Child(Of::Subtrees),
        args: &[arg("lease", Value::Expression, "")],
        default: "always",
        doc: "Lets the subtree run only while this lease is held, a `Lease`: one of several replicas of the tree around it \
              has the subtree, and the others stand by.",
    },
    Setting {
        name: "while_down",
        place: Place::Child(Of::Actors),
        args: &[arg("word", Value::Word(&["Hold", "Reject"]), "`Hold`")],
        default: "`Hold`",
        doc: "Lets messages wait while the child is down, or sends them back to their senders at once.",
    },
    Setting {
        name: "redeliver",
        place: Place::Child(Of::Actors),
        args: &[arg("attempts", Value::Count(&[]), "")],
        default: "off",
        doc: "After a failure, puts the message that was being handled back at the front of the queue, at most N times; \
              after that it becomes a dead letter.",
    },
    Setting {
        name: "initial",
        place: Place::Child(Of::Sets),
        args: &[arg("arguments", Value::Expression, "")],
        default: "none",
        doc: "The children that a set starts with: an iterator over their arguments, or over tuples of several arguments.",
    },
    Setting {
        name: "on",
        place: Place::Child(Of::Remote),
        args: &[
            arg("role", Value::Text, ""),
            arg("lease", Value::Duration(&[]), "5 s"),
            arg("overlap", Value::Choice(&["Forbidden", "Allowed"]), "`Forbidden`"),
            arg("spread", Value::Choice(&["Any", "OnePerNode"]), "`Any`"),
            arg("window", Value::Count(&[]), "256"),
        ],
        default: "none: a remote child needs a role",
        doc: "The role of the nodes that a remote child runs on, how soon it is replaced when its node is lost, and how \
              several are spread over the nodes.",
    },
];

/// Returns the setting with this name.
pub(crate) fn find(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

/// Returns the settings that have an argument with this name.
pub(crate) fn owners(argument: &str) -> Vec<&'static str> {
    let has = |setting: &&Setting| setting.args.iter().any(|arg| arg.name == argument && !arg.value.positional());
    SETTINGS.iter().filter(has).map(|setting| setting.name).collect()
}

/// Returns whether the setting is one of any supervisor, and not only of a tree.
pub(crate) fn is_of_supervisors(name: &str) -> bool {
    matches!(name, "strategy" | "decider")
}

/// Returns the words that an argument takes.
pub(crate) fn words(setting: &str, argument: &str) -> &'static [&'static str] {
    let arg = find(setting).and_then(|setting| setting.args.iter().find(|arg| arg.name == argument));
    match arg.map(|arg| arg.value) {
        Some(Value::Word(words) | Value::Choice(words) | Value::Duration(words) | Value::Count(words)) => words,
        _ => &[],
    }
}

/// Returns whether this word turns on an argument of the setting.
pub(crate) fn is_flag(setting: &str, word: &str) -> bool {
    find(setting).is_some_and(|setting| setting.args.iter().any(|arg| arg.value == Value::Flag && arg.name == word))
}

/// Returns the words that turn on an argument of the setting.
pub(crate) fn flags(setting: &str) -> Vec<&'static str> {
    let args = find(setting).map_or(&[][..], |setting| setting.args);
    args.iter().filter(|arg| arg.value == Value::Flag).map(|arg| arg.name).collect()
}

/// Returns the first setting with an argument of this name, which is not a setting itself.
pub(crate) fn with_argument(name: &str) -> Option<(&'static Setting, &'static Arg)> {
    let argument = |setting: &'static Setting| {
        let arg =
            setting.args.iter().find(|arg| arg.name == name && (!arg.value.positional() || arg.value == Value::Flag));
        arg.map(|arg| (setting, arg))
    };
    SETTINGS.iter().find_map(argument)
}

/// Returns the names of all arguments that are written by name.
pub(crate) fn argument_names() -> Vec<&'static str> {
    let args = SETTINGS.iter().flat_map(|setting| setting.args);
    args.filter(|arg| !arg.value.positional() || arg.value == Value::Flag).map(|arg| arg.name).collect()
}

/// The settings of a child that can also stand inside the braces, as the default of all children.
pub(crate) const DEFAULTS: [&str; 4] = ["lifecycle", "backoff", "mailbox", "on"];

/// The arguments of `lifecycle` that hold for the instance of a remote child, which is on a node.
pub(crate) const OF_NODE: [&str; 3] = ["start", "shutdown", "handler"];

/// Returns whether the setting can be a default of all children.
pub(crate) fn can_be_default(name: &str) -> bool {
    DEFAULTS.contains(&name)
}

/// Returns the names of the settings that are allowed above a child, or inside the braces of a tree.
pub(crate) fn names(inside: bool) -> Vec<&'static str> {
    let fits = |setting: &&Setting| match setting.place {
        Place::Tree => inside,
        Place::Both => true,
        Place::Child(_) => !inside || can_be_default(setting.name),
    };
    SETTINGS.iter().filter(fits).map(|setting| setting.name).collect()
}

#[cfg(test)]
pub(crate) mod pages;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for setting in SETTINGS {
            assert_eq!(SETTINGS.iter().filter(|other| other.name == setting.name).count(), 1, "{}", setting.name);
            for arg in setting.args {
                assert_eq!(setting.args.iter().filter(|other| other.name == arg.name).count(), 1, "{}", arg.name);
            }
        }
    }

    #[test]
    fn each_place_has_its_names() {
        assert_eq!(names(true), ["strategy", "decider", "shutdown", "lifecycle", "backoff", "mailbox", "on"]);
        assert!(names(false).contains(&"decider") && !names(false).contains(&"strategy"));
    }
}
