//! The pages of `docs/settings`: one for each setting of [`SETTINGS`], with its arguments, the mistakes that belong to
//! it, and an example. Only tests read this file.

use std::fmt::Write;
use std::fs;

use super::{Arg, Of, Place, SETTINGS, Setting, Value, can_be_default};

/// The part of a page that the list of settings does not have.
struct Page {
    setting: &'static str,
    /// The effect in a few words, for the index.
    short: &'static str,
    /// The effect of each argument, by its name in the list.
    args: &'static [(&'static str, &'static str)],
    /// Mistakes of `tests/compile_fail`, which say what contradicts the setting.
    mistakes: &'static [&'static str],
    example: &'static str,
}

/// The pages, in the order of [`SETTINGS`].
const PAGES: &[Page] = &[
    Page {
        setting: "strategy",
        short: "which children restart when one fails, and how many restarts are too many",
        args: &[
            (
                "strategy",
                "`OneForOne` restarts the failed child alone; `AllForOne` all children; `RestForOne` the failed one and those \
                 declared after it",
            ),
            ("max_restarts", "the restarts that are allowed in the time of `within`; the next failure is at the limit"),
            (
                "within",
                "the time in which restarts are counted; it slides. With `max_restarts` alone, the whole life of the tree",
            ),
            (
                "on_limit",
                "at the limit, the tree fails and the supervisor above decides, or the child ends as after a `Stop`",
            ),
            ("budget", "one limit for all children together"),
        ],
        mistakes: &[
            "limits/default_limit",
            "limits/slow_growth",
            "limits/unreachable_limit_of_a_group",
            "limits/unreachable_limit_without_backoff",
            "no_effect/on_limit_of_unlimited_restarts",
            "no_effect/on_limit_with_backoff_only",
            "no_effect/shared_budget_of_a_group",
            "no_effect/shared_budget_that_stops",
            "no_effect/shared_budget_without_limit",
            "no_effect/within_with_backoff_only",
            "no_effect/within_without_max_restarts",
            "settings/number_and_duration_confused",
            "settings/one_for_all_as_strategy",
            "settings/strategy_with_parentheses",
            "settings/tree_setting_above_a_child",
        ],
        example: "supervisor! {
    struct Shop {
        #![strategy(RestForOne, max_restarts = 5, within = 1min)]
        db: Db = Db,
        cache: Db = Db, // restarts with `db`
    }
}",
    },
    Page {
        setting: "decider",
        short: "the decision after a failure, by the type of the error",
        args: &[(
            "arms",
            "asked from the top; the first that fits decides. An arm matches the error itself or a cause below it",
        )],
        mistakes: &[
            "decider/arm_after_wildcard",
            "decider/arm_type_not_an_error",
            "decider/arm_without_directive",
            "decider/bare_name_as_pattern",
            "decider/causes_of_actors_above_a_task",
            "decider/contradicting_settings_in_an_arm",
            "decider/decider_not_a_function",
            "decider/decider_without_arms",
            "decider/directive_with_an_argument",
            "decider/end_by_itself_in_an_arm",
            "decider/fields_without_type",
            "decider/forgotten_variant",
            "decider/literal_without_type",
            "decider/request_in_an_arm",
            "decider/result_as_pattern",
            "decider/two_commas_between_arms",
            "decider/two_types_in_one_arm",
            "decider/type_without_pattern",
            "decider/unknown_directive",
            "no_effect/decider_of_temporary_children",
            "no_effect/restarts_of_a_temporary_child",
            "no_effect/restarts_of_temporary_by_default",
        ],
        example: "supervisor! {
    struct Shop {
        #![decider(
            e: std::io::Error if e.kind() == std::io::ErrorKind::PermissionDenied => Stop,
            Cause::Panic(_) => Escalate,
            _ => Restart,
        )]
        db: Db = Db,
    }
}",
    },
    Page {
        setting: "shutdown",
        short: "the time in which the whole tree is down, and whether its children stop at once",
        args: &[
            ("D", "the time for every end of the tree; what is left after it is aborted, without its hooks"),
            ("Together", "the children stop at the same time, and not one after the other in reverse order"),
        ],
        mistakes: &[
            "durations/zero_duration",
            "settings/shutdown_of_a_tree_above_a_child",
            "shutdown/drain_into_a_child_that_drains",
            "shutdown/infinity_for_a_whole_tree",
            "shutdown/shutdown_too_short_for_the_time_of_a_tree",
        ],
        example: "supervisor! {
    struct Shop {
        #![shutdown(20s, Together)]
        db: Db = Db,
        cache: Db = Db,
    }
}",
    },
    Page {
        setting: "limit",
        short: "a restart limit of the child's own",
        args: &[
            ("max_restarts", "the restarts of this child that are allowed in the time of `within`"),
            ("within", "the time in which restarts are counted; it slides"),
            ("on_limit", "at the limit, the supervisor fails, or the child ends as after a `Stop`"),
        ],
        mistakes: &[
            "limits/unreachable_limit_of_one_child",
            "limits/unreachable_limit_with_backoff",
            "no_effect/backoff_without_restarts",
            "no_effect/child_limit_in_a_group",
            "no_effect/child_limit_with_a_shared_budget",
            "no_effect/limit_of_temporary_children",
        ],
        example: "supervisor! {
    struct Shop {
        #[backoff(1s..30s)]
        #[limit(max_restarts = 20, within = 1h, on_limit = Stop)]
        db: Db = Db,
    }
}",
    },
    Page {
        setting: "lifecycle",
        short: "after which ends a child restarts, and how long its start, messages and stop may take",
        args: &[
            (
                "lifecycle",
                "unless the decision is `Stop`: a `Permanent` child restarts after every end but a requested stop, a `Transient` one after a failure, a `Temporary` one never",
            ),
            (
                "shutdown",
                "the time for a stop, with the current message and `post_stop`; after it the child is aborted",
            ),
            (
                "start",
                "the time for the start expression, `pre_start` and, with `ready`, the readiness; after it the start has failed",
            ),
            ("handler", "the time for each message; after it the actor fails with `Cause::TimedOut`"),
            ("drain", "a stop first handles the queued messages, and lets the futures of `cx.run` finish"),
            ("ready", "the task itself says when it is up, by `cx.ready()`; the children after it wait for that"),
            (
                "significant",
                "when the child has ended by itself, its tree ends, too; above a set, when the last instance has",
            ),
            ("best_effort", "if the first start of the child fails, the tree goes on without it"),
        ],
        mistakes: &[
            "durations/zero_duration",
            "no_effect/backoff_without_restarts",
            "no_effect/best_effort_of_a_late_handle",
            "no_effect/best_effort_of_a_set",
            "no_effect/best_effort_of_a_significant_child",
            "no_effect/drain_with_kill",
            "no_effect/drain_without_mailbox",
            "no_effect/handler_without_mailbox",
            "no_effect/ready_of_an_actor",
            "no_effect/ready_task_without_context",
            "no_effect/shutdown_of_a_task_without_context",
            "no_effect/significant_permanent_child",
            "no_effect/significant_with_only_with",
            "no_effect/start_time_of_a_task_without_ready",
            "remote/endless_shutdown",
            "shutdown/drain_into_a_child_that_drains",
            "shutdown/shutdown_too_short_across_trees",
            "shutdown/shutdown_too_short_for_a_generic_tree",
            "shutdown/shutdown_too_short_for_a_subtree",
            "shutdown/shutdown_too_short_for_an_array",
            "shutdown/shutdown_too_short_for_an_instance",
        ],
        example: "supervisor! {
    struct Shop {
        #[lifecycle(Permanent, start = 10s, handler = 30s, drain, shutdown = 20s)]
        db: Db = Db,

        #[lifecycle(Transient, significant)] // the shop closes when the import is done
        import: task = async { Ok::<(), std::io::Error>(()) },
    }
}",
    },
    Page {
        setting: "pre_restart",
        short: "a hook on the old instance, before it stops for a restart",
        args: &[("function", "takes `&mut self` and, if it wants them, the failure and the context")],
        mistakes: &[
            "hooks/hook_called_instead_of_named",
            "hooks/hook_function_missing",
            "hooks/hook_of_another_actor",
            "hooks/hook_of_the_type_above_a_child",
            "hooks/hook_takes_shared_self",
            "hooks/hook_with_wrong_parameters",
            "hooks/hook_without_its_type",
        ],
        example: "impl Db {
    async fn save(&mut self, failure: &Failure) {
        eprintln!(\"saves what it has: {failure}\");
    }
}

supervisor! {
    struct Shop {
        #[pre_restart(Db::save)]
        db: Db = Db,
    }
}",
    },
    Page {
        setting: "post_restart",
        short: "a hook on the new instance, before its first message",
        args: &[(
            "function",
            "takes `&mut self` and, if it wants them, the failure and the context; an error fails the new instance",
        )],
        mistakes: &[
            "hooks/hook_called_instead_of_named",
            "hooks/hook_function_missing",
            "hooks/hook_of_another_actor",
            "hooks/hook_of_the_type_above_a_child",
            "hooks/hook_returns_a_value",
            "hooks/hook_takes_shared_self",
            "hooks/hook_with_wrong_parameters",
            "hooks/hook_without_its_type",
        ],
        example: "impl Db {
    async fn reload(&mut self, failure: &Failure) {
        eprintln!(\"loads again, after: {failure}\");
    }
}

supervisor! {
    struct Shop {
        #[post_restart(Db::reload)]
        db: Db = Db,
    }
}",
    },
    Page {
        setting: "backoff",
        short: "the delay before each restart",
        args: &[
            ("MIN..MAX", "the first delay, and the delay at which they stop growing"),
            ("factor", "each delay is the one before it, times this"),
            (
                "random_factor",
                "each delay is made longer by a random part of itself, at most this one; 0 for no jitter",
            ),
            (
                "reset",
                "the time that the child has to be up until its delays start over; with `Manual`, the actor says so by \
                 `cx.reset_backoff()`",
            ),
        ],
        mistakes: &[
            "backoff/arguments_for_a_backoff_value",
            "backoff/backoff_of_a_temporary_child",
            "backoff/backoff_with_unbounded_mailbox",
            "backoff/closed_delay_range",
            "backoff/delays_in_another_form",
            "backoff/empty_delay_range",
            "backoff/factor_below_one",
            "backoff/factor_of_a_list",
            "backoff/function_as_a_backoff",
            "backoff/list_without_delays",
            "backoff/list_without_units",
            "backoff/random_factor_above_one",
            "backoff/reset_before_the_first_delay",
            "backoff/reset_with_auto",
            "backoff/shorter_delay_in_a_list",
            "backoff/single_delay",
            "limits/unreachable_limit_with_backoff",
            "no_effect/backoff_without_restarts",
        ],
        example: "supervisor! {
    struct Shop {
        #[backoff(1s..30s, random_factor = 0.2, reset = 1min)]
        db: Db = Db,

        #[backoff([2s, 5s, 10s])] // then 10 s again and again
        mirror: Db = Db,
    }
}",
    },
    Page {
        setting: "mailbox",
        short: "how many messages can wait, and how long an `ask` waits for its reply",
        args: &[
            ("capacity", "a sender waits while so many messages are queued; with `Unbounded` never"),
            ("ask", "the time in which a reply has to come, for each `ask` that names no other one"),
            ("fresh", "a restart begins with an empty mailbox; the queued messages become dead letters"),
        ],
        mistakes: &[
            "backoff/backoff_with_unbounded_mailbox",
            "no_effect/fresh_mailbox_with_redelivery",
            "no_effect/mailbox_bounded_to_zero",
            "settings/actor_setting_on_a_task",
            "settings/mailbox_without_a_kind",
        ],
        example: "supervisor! {
    struct Shop {
        #[mailbox(Bounded(100), ask = 500ms)]
        db: Db = Db,
    }
}",
    },
    Page {
        setting: "max_children",
        short: "how many children a set may have",
        args: &[("N", "a spawn above it is refused with an error")],
        mistakes: &[
            "no_effect/max_children_of_a_single_child",
            "no_effect/max_children_of_zero",
            "no_effect/max_starting_above_max_children",
            "no_effect/too_many_initial",
        ],
        example: "supervisor! {
    struct Shop {
        #[max_children(1000)]
        sessions: [Db] = || Db,
    }
}",
    },
    Page {
        setting: "max_starting",
        short: "how many children of a set may start at the same time",
        args: &[("M", "further spawns wait for their turn")],
        mistakes: &["no_effect/max_starting_above_max_children", "no_effect/max_starting_of_zero"],
        example: "supervisor! {
    struct Shop {
        #[max_starting(8)]
        sessions: [Db] = || Db,
    }
}",
    },
    Page {
        setting: "runtime",
        short: "the tokio runtime on which the child runs",
        args: &[("handle", "the handle of a runtime that lives as long as the tree")],
        mistakes: &["remote/runtime_of_a_remote_child", "settings/runtime_of_wrong_type"],
        example: "supervisor! {
    struct Shop(heavy: tokio::runtime::Handle) {
        #[runtime(heavy)]
        db: Db = Db,
    }
}",
    },
    Page {
        setting: "only_with",
        short: "lets a subtree run only while this process holds a lease",
        args: &[("lease", "a `Lease`: of the crate `supervise-lease`, or of your own")],
        mistakes: &[
            "no_effect/significant_with_only_with",
            "settings/only_with_above_a_set",
            "settings/only_with_above_a_task",
            "settings/only_with_above_an_inline_subtree",
        ],
        example: "supervisor! {
    struct Nightly {
        invoices: Db = Db,
    }
}

supervisor! {
    struct Shop(lease: supervise::testing::MemoryLease) {
        #[only_with(lease)]
        nightly: Nightly = Nightly::tree(),
    }
}",
    },
    Page {
        setting: "while_down",
        short: "whether messages wait while the child is down",
        args: &[(
            "word",
            "`Hold` lets messages wait for the restart; `Reject` gives them back to their senders at once",
        )],
        mistakes: &["settings/actor_setting_on_a_subtree"],
        example: "supervisor! {
    struct Shop {
        #[while_down(Reject)]
        db: Db = Db,
    }
}",
    },
    Page {
        setting: "redeliver",
        short: "gives the message that failed to the next instance",
        args: &[("attempts", "the times that one message is handled again; after that it becomes a dead letter")],
        mistakes: &[
            "no_effect/fresh_mailbox_with_redelivery",
            "no_effect/redelivered_message_not_clone",
            "no_effect/zero_attempts",
        ],
        example: "#[derive(Clone)]
struct Row(u64);

struct Store;

#[actor]
impl Store {
    fn handle(&mut self, _row: Row) {}
}

supervisor! {
    struct Shop {
        #[redeliver(attempts = 3)]
        store: Store = Store,
    }
}",
    },
    Page {
        setting: "initial",
        short: "the children that a set starts with",
        args: &[("arguments", "one item for each child; a tuple if the start takes several arguments")],
        mistakes: &["no_effect/initial_of_a_single_child", "no_effect/too_many_initial"],
        example: "supervisor! {
    struct Shop(regions: Vec<String>) {
        #[initial(regions)]
        stores: [String => Db] = |_region: String| Db,
    }
}",
    },
    Page {
        setting: "on",
        short: "the machines on which a remote child runs",
        args: &[
            ("role", "the role of the nodes that may run it"),
            ("lease", "how long a node may run the child without having been heard of; at least 100 ms"),
            ("overlap", "with `Allowed`, a replacement starts while the lost instance may still act"),
            ("spread", "with `OnePerNode`, no two instances of one declaration are on one node"),
            ("window", "the messages that may be sent to the node and not begun"),
        ],
        mistakes: &[
            "remote/endless_shutdown",
            "remote/role_of_a_local_child",
            "remote/role_that_is_no_string",
            "remote/spread_of_a_single_child",
            "remote/value_of_the_decision",
            "remote/window_and_lease_too_small",
            "remote/without_a_role",
        ],
        example: "#[derive(serde::Serialize, serde::Deserialize)]
struct Query;

struct Pricing;

#[actor]
impl Pricing {
    fn handle(&mut self, _query: Query) {}
}

supervisor! {
    struct Shop {
        #[on(\"worker\", lease = 2s)]
        pricing: remote Pricing = Pricing,
    }
}",
    },
];

/// The default of a setting that has none as a whole.
const OF_ARGUMENTS: &str = "see its arguments";

const BEFORE: &str = "# Settings

Settings of the tree go inside its braces as `#![..]`, settings of a child above it as `#[..]`. Settings above a `[..]`
apply to each instance. Values may be expressions over the parameters, and over the `let`s before. Contradictions between
literals are compile errors. For other expressions, the start of the tree fails with an `InvalidSettings` at the path of
the child.

";

/// The index, with one row for each setting.
fn index() -> String {
    let mut text = format!("{BEFORE}| setting | effect | default |\n|---|---|---|\n");
    for (setting, page) in SETTINGS.iter().zip(PAGES) {
        let name = setting.name;
        let _ = writeln!(text, "| [`{name}`][setting {name}] | {} | {} |", page.short, setting.default);
    }
    text.push('\n');
    for Setting { name, .. } in SETTINGS {
        let _ = writeln!(text, "[setting {name}]: settings/{name}.md");
    }
    text
}

fn place(setting: &Setting) -> String {
    let name = setting.name;
    let child = match setting.place {
        Place::Tree => return format!("Inside the braces of a tree, as `#![{name}(..)]`."),
        Place::Both => {
            return format!(
                "Above a child, as `#[{name}(..)]`. Inside the braces of a tree, `#![{name}(..)]` is for all its children."
            );
        }
        Place::Child(Of::Any) => "a child",
        Place::Child(Of::Actors) => "a child that is an actor",
        Place::Child(Of::OneForOne) => "a child of a tree with `OneForOne`, or above a set of any tree",
        Place::Child(Of::Sets) => "a set, `[..]`",
        Place::Child(Of::Remote) => "a `remote` child",
        Place::Child(Of::Subtrees) => "a single child that is a tree",
    };
    let inside = if can_be_default(name) {
        format!(" Inside the braces of a tree, `#![{name}(..)]` is the default of all its children.")
    } else {
        String::new()
    };
    format!("Above {child}, as `#[{name}(..)]`.{inside}")
}

/// The argument as it is written.
fn form(arg: &Arg) -> String {
    let words = |words: &[&str]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    let or = |of: &[&str]| of.iter().map(|word| format!(", `{} = {word}`", arg.name)).collect::<String>();
    match arg.value {
        Value::Word(of) => words(of),
        Value::Flag => format!("`{}`", arg.name),
        Value::Function => "path of a function".into(),
        Value::Range => "`MIN..MAX`, a list `[D, ..]` whose last delay repeats, or an expression of the type Backoff".into(),
        Value::Capacity => "`Bounded(N)`, `Unbounded`".into(),
        Value::Size => "`N`".into(),
        Value::Time => "`D`".into(),
        Value::Text => format!("`\"{}\"`", arg.name),
        Value::Expression => "expression".into(),
        Value::Arms => {
            "arms `Enum::Variant ..`, `pattern: Type`, `Cause::..`, `Phase::..`, `_`, each with an optional guard that may \
             name the failure, `=> Directive`; or a path or closure `Fn(&Failure) -> Directive`"
                .into()
        }
        Value::Duration(of) => format!("`{} = D`{}", arg.name, or(of)),
        Value::Count(of) => format!("`{} = N`{}", arg.name, or(of)),
        Value::Number => format!("`{} = X`", arg.name),
        Value::Choice(of) => of.iter().map(|word| format!("`{} = {word}`", arg.name)).collect::<Vec<_>>().join(", "),
        Value::Reset => format!("`{0} = D`, `{0} = Manual`", arg.name),
    }
}

/// Every setting with its arguments as they are written, and with the words of its first lines.
pub(crate) fn forms() -> String {
    let names = SETTINGS.iter().map(|setting| format!("`{}` {} ", setting.name, setting.doc));
    names.chain(SETTINGS.iter().flat_map(|setting| setting.args).map(form)).collect()
}

/// The message of the compiler for a mistake, as the problem and its repair: the first line of its output, which has the
/// repair behind a semicolon, or else the repair that the mistake itself names.
fn message(mistake: &str) -> (String, String) {
    let read = |ending: &str| {
        let path = format!("{}/../tests/compile_fail/{mistake}.{ending}", env!("CARGO_MANIFEST_DIR"));
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    let text = read("stderr");
    let line = text.lines().next().unwrap_or_default();
    let line = line.split_once("]: ").or_else(|| line.split_once(": ")).map_or(line, |(_, rest)| rest);
    let line = line.trim_start_matches("evaluation panicked: ");
    // Not a semicolon in a piece of code.
    let at = line.match_indices("; ").map(|(at, _)| at).find(|at| line[..*at].matches('`').count().is_multiple_of(2));
    let (problem, repair) = at.map_or((line, ""), |at| (&line[..at], &line[at + 2..]));
    if !repair.is_empty() {
        return (problem.to_owned(), repair.to_owned());
    }
    let source = read("rs");
    let comment: Vec<_> = source.lines().map_while(|line| line.strip_prefix("// ")).collect();
    let comment = comment.join(" ");
    let repair = comment.split_once("Repair: ").map_or("", |(_, repair)| repair).trim_end_matches('.');
    let mut letters = repair.chars();
    let repair = letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default();
    (problem.to_owned(), repair)
}

/// The page of the mistake in `docs/errors`: its file there, whose first line has the number of the rule.
fn error_page(mistake: &str) -> String {
    let folder = format!("{}/../docs/errors", env!("CARGO_MANIFEST_DIR"));
    let heading = format!("# `{mistake}`\n");
    let mut pages: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    let page = pages.into_iter().find(|page| fs::read_to_string(page).unwrap().contains(&heading));
    let page = page.unwrap_or_else(|| panic!("docs/errors has no {mistake}"));
    let anchor: String = mistake.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect();
    format!("../errors/{}#{anchor}", page.file_name().unwrap().to_str().unwrap())
}

fn page(setting: &Setting, page: &Page) -> String {
    let name = setting.name;
    let mut text = format!("# `{name}`\n\n{}\n\n{}\n\n", setting.doc, place(setting));
    if setting.default != OF_ARGUMENTS {
        let _ = write!(text, "Default: {}.\n\n", setting.default);
    }
    text.push_str("| argument | default | effect |\n|---|---|---|\n");
    for (arg, (_, effect)) in setting.args.iter().zip(page.args) {
        let default = if arg.default.is_empty() { "none: it is needed" } else { arg.default };
        let _ = writeln!(text, "| {} | {default} | {effect} |", form(arg));
    }
    let first = "use supervise::prelude::*;\n\n";
    let db = "struct Db;\n\n#[actor]\nimpl Db {\n    fn handle(&mut self, _query: String) {}\n}\n\n";
    let db = if page.example.contains("Db") { db } else { "" };
    let _ = write!(text, "\n## Example\n\n```rust\n{first}{db}{}\n```\n\n## Mistakes\n\n", page.example);
    text.push_str("| the compiler says | and proposes |\n|---|---|\n");
    for mistake in page.mistakes {
        let (problem, repair) = message(mistake);
        let cell = |text: String| text.replace('|', "\\|");
        let _ = writeln!(text, "| [{}][{mistake}] | {} |", cell(problem), cell(repair));
    }
    text.push('\n');
    for mistake in page.mistakes {
        let _ = writeln!(text, "[{mistake}]: {}", error_page(mistake));
    }
    text
}

/// `UPDATE=1 cargo test -p supervise-macros reference` writes the files.
#[test]
fn reference_is_the_list() {
    if !std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").exists() {
        return; // the packaged crate has no `docs`
    }
    let mut files = vec![("docs/settings.md".to_owned(), index())];
    for (setting, of) in SETTINGS.iter().zip(PAGES) {
        files.push((format!("docs/settings/{}.md", setting.name), page(setting, of)));
    }
    for (file, new) in files {
        let path = format!("{}/../{file}", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("UPDATE").is_some() {
            fs::create_dir_all(std::path::Path::new(&path).parent().unwrap()).unwrap();
            fs::write(path, new).unwrap();
        } else {
            let written = fs::read_to_string(path).unwrap_or_default();
            assert_eq!(written, new, "{file} is out of date; run this test with UPDATE=1");
        }
    }
}

/// Causes and calls that a page names are in the runtime.
#[test]
fn the_causes_and_calls_that_a_page_names_exist() {
    let runtime = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../supervise-runtime/src");
    let Ok(failure) = fs::read_to_string(runtime.join("../../supervise-core/src/values/failure.rs")) else { return };
    let contexts = ["actor/context/mod.rs", "task/mod.rs", "actor/context/background.rs", "actor/context/spawn.rs"];
    let contexts: String = contexts.iter().map(|file| fs::read_to_string(runtime.join(file)).unwrap()).collect();
    let mut named = 0;
    for (setting, of) in SETTINGS.iter().zip(PAGES) {
        let text: String = of.args.iter().map(|(_, effect)| *effect).chain([setting.doc, of.short]).collect();
        for code in text.split('`').skip(1).step_by(2) {
            let is_there = match (code.strip_prefix("Cause::"), code.strip_prefix("cx.")) {
                (Some(cause), _) => failure.contains(&format!("\n    {cause}")),
                (_, Some(call)) => contexts.contains(&format!("pub fn {}", call.trim_end_matches("()"))),
                _ => continue,
            };
            named += 1;
            assert!(is_there, "{}: there is no `{code}`", setting.name);
        }
    }
    assert!(named > 3, "{named}");
}

/// Each setting has a page, each argument a line on it, and each mistake of these kinds is on a page.
#[test]
fn every_setting_argument_and_contradiction_is_on_a_page() {
    assert_eq!(
        PAGES.iter().map(|page| page.setting).collect::<Vec<_>>(),
        SETTINGS.iter().map(|s| s.name).collect::<Vec<_>>()
    );
    for (setting, page) in SETTINGS.iter().zip(PAGES) {
        let names: Vec<_> = setting.args.iter().map(|arg| arg.name).collect();
        assert_eq!(page.args.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names, "{}", setting.name);
        assert!(page.short.len() < 90, "{}: the index has one line for each setting", setting.name);
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/compile_fail");
    if !root.exists() {
        return; // the packaged crate has no `tests`
    }
    let mut missing = Vec::new();
    for kind in ["backoff", "decider", "hooks", "limits", "no_effect", "shutdown"] {
        for entry in fs::read_dir(root.join(kind)).unwrap() {
            let file = entry.unwrap().file_name().into_string().unwrap();
            let Some(name) = file.strip_suffix(".stderr") else { continue };
            let mistake = format!("{kind}/{name}");
            // About the shape of a child, and a hook of the type itself.
            let other = ["no_effect/array_of_zero_children", "hooks/hook_with_another_error_type"].contains(&&*mistake);
            if !other && !PAGES.iter().any(|page| page.mistakes.contains(&&*mistake)) {
                missing.push(mistake);
            }
        }
    }
    assert!(missing.is_empty(), "on no page: {missing:?}");
}
