//! Asks the rules about settings and reports each problem at its place, with a repair (rules C4 to C6).

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use supervise_rules::{Fall, Given, Limit, Problem, Supervision};
use syn::Expr;

use super::super::model::{Body, Child, Setting, setting};
use super::{facts, group_strategy, unreachable_limit};
use crate::errors::{Errors, in_line};

/// The rules for the children of one tree.
pub(super) struct Rules<'a> {
    settings: &'a [Setting],
    above: Supervision,
    /// Whether the limit of the tree was reported as unreachable. It is the same for every child with neither a limit
    /// nor a backoff.
    reported: bool,
}

impl<'a> Rules<'a> {
    /// Reports problems in the settings of the tree itself.
    pub(super) fn of(body: &'a Body, errors: &mut Errors) -> Self {
        let rules = Rules { settings: &body.settings, above: facts::supervision(&body.settings), reported: false };
        let members: Vec<_> = body.children().filter_map(|child| facts::child(child).as_member()).collect();
        supervision(rules.settings, errors);
        let place = rules.place(None);
        supervise_rules::child(&facts::defaults(rules.settings), &Supervision::default(), &mut |problem| {
            place.report(problem, errors);
        });
        supervise_rules::group(&rules.above, &members, &mut |problem| rules.place(None).report(problem, errors));
        rules
    }

    /// The rules for a child that is spawned at run time. The settings of its supervisor are values.
    pub(super) fn at_run_time() -> Self {
        let limit = Limit { max_restarts: Given::Computed, within: Given::Computed, on_limit: false };
        Rules { settings: &[], above: Supervision { limit, ..Supervision::default() }, reported: false }
    }

    /// Reports problems in the settings of a child.
    pub(super) fn child(&mut self, child: &Child, errors: &mut Errors) {
        supervise_rules::child(&facts::child(child), &{ self.above }, &mut |problem| {
            let place = self.place(Some(child));
            let shared = matches!(problem, Problem::NeverReached { .. }) && place.limited_by().is_none();
            if !(shared && std::mem::replace(&mut self.reported, true)) {
                place.report(problem, errors);
            }
        });
    }

    fn place<'b>(&self, child: Option<&'b Child>) -> Place<'b>
    where
        'a: 'b,
    {
        Place { child, settings: child.map_or(self.settings, |child| &child.settings), above: self.settings }
    }
}

/// Asks the rules about the settings of a supervisor that stand alone.
pub(super) fn supervision(settings: &[Setting], errors: &mut Errors) {
    let place = Place { child: None, settings, above: settings };
    supervise_rules::supervision(&facts::supervision(settings), &mut |problem| place.report(problem, errors));
}

/// Settings in which a problem was found.
struct Place<'a> {
    /// The child; `None` for the tree itself.
    child: Option<&'a Child>,
    /// The settings of the child, or of the tree itself.
    settings: &'a [Setting],
    /// The settings of the tree.
    above: &'a [Setting],
}

impl Place<'_> {
    fn report(&self, problem: Problem, errors: &mut Errors) {
        if self.is_of_the_default(&problem) {
            return;
        }
        let (place, message) = match problem {
            // These two are reported at the literal, or at the length of the array.
            Problem::NoTime(_) | Problem::EmptyArray => return,
            Problem::EmptyRange { .. } => {
                (self.first("backoff"), "this range is empty; write the shorter delay first".into())
            }
            Problem::NoDelays => {
                (self.first("backoff"), "this list has no delays; write at least one, such as `[2s, 5s, 10s]`".into())
            }
            Problem::ShorterDelay(Fall { at, from, .. }) => (
                self.delay(at),
                format!("a backoff never gets shorter, and a delay before this one is {from:?}; sort the delays"),
            ),
            Problem::RandomFactor(_) => (
                self.argument("backoff", "random_factor"),
                "`random_factor` is a share of the delay, from 0 to 1; write `0.2`".into(),
            ),
            Problem::Factor(_) => (
                self.argument("backoff", "factor"),
                "`factor` below 1 would shorten the delay; write at least 1".into(),
            ),
            Problem::ResetTooEarly { .. } => (
                self.value("backoff", "reset"),
                "`reset` comes before the first delay is over, so the delay would never grow; make it longer".into(),
            ),
            Problem::UnboundedHold => (
                self.unbounded_hold(),
                "an unbounded mailbox grows for as long as the backoff waits; add `while_down(Reject)`, or write \
                 `Bounded(N)`"
                    .into(),
            ),
            Problem::NoPlaces => {
                (self.capacity(), "the mailbox capacity must be at least 1; write `Bounded(1)` or more".into())
            }
            Problem::NoChildren => {
                (self.first("max_children"), "a set of at most 0 children has no effect; write at least 1".into())
            }
            Problem::TooManyInitial { initial, most } => (
                self.first("initial"),
                format!(
                    "`initial` gives {initial} children, and `max_children` allows {most}; allow more, or give fewer"
                ),
            ),
            Problem::NoStarts => {
                (self.first("max_starting"), "with 0 starts at a time no child ever starts; write at least 1".into())
            }
            Problem::StartsNotLimited { starting, most } => (
                self.first("max_starting"),
                format!(
                    "`max_starting` allows {starting} starts at a time, and `max_children` {most} children, so it has no \
                     effect; write less, or remove it"
                ),
            ),
            Problem::NoAttempts => (
                self.value("redeliver", "attempts"),
                "0 attempts have no effect; write at least 1, or remove `redeliver`".into(),
            ),
            Problem::FreshRedelivers => (
                self.word("mailbox", "fresh"),
                "`fresh` empties the mailbox at a restart, and `redeliver` puts a message back into it; remove one of them"
                    .into(),
            ),
            Problem::DrainWithoutTime => (
                self.word("lifecycle", "drain"),
                "`drain` needs time to handle messages; write a `shutdown` other than `Kill`".into(),
            ),
            Problem::SignificantPermanent => (
                self.word("lifecycle", "significant"),
                "a `Permanent` child never ends by itself; write `Transient`, or remove `significant`".into(),
            ),
            Problem::SignificantBestEffort => (
                self.word("lifecycle", "best_effort"),
                "the tree ends when this child fails, so its first start cannot go on without it; remove `best_effort` \
                 or `significant`"
                    .into(),
            ),
            Problem::NeverRestarted(setting) => {
                let place = match setting {
                    "fresh" => self.word("mailbox", setting),
                    setting => self.name(setting),
                };
                (place, format!("a `Temporary` child is never restarted; remove `{setting}`"))
            }
            Problem::NoRestarts => (
                self.name("backoff"),
                "with `max_restarts = 0` the child is never restarted; allow restarts, or remove `backoff`".into(),
            ),
            Problem::NoLimit { setting, unlimited } => self.no_limit(setting, unlimited),
            Problem::LimitInGroup => {
                let message = match group_strategy(self.above) {
                    Some(strategy) => format!(
                        "`limit` is for a child under `OneForOne` or a `[..]`; under `{strategy}` all children share \
                         one budget, that of `strategy`; remove it"
                    ),
                    None => "`limit` is for a child with a budget of its own or a `[..]`; with `budget = Shared` all \
                             children share one, that of `strategy`; remove it"
                        .to_owned(),
                };
                (self.name("limit"), message)
            }
            Problem::SharedInGroup => {
                let strategy = group_strategy(self.settings).map_or_else(String::new, ToString::to_string);
                let message = format!("under `{strategy}` all children share one budget anyway; remove `budget`");
                (self.argument("strategy", "budget"), message)
            }
            Problem::StopAtSharedLimit => (
                self.value("strategy", "on_limit"),
                "at a shared limit, `Stop` would end only the child that failed last; remove `on_limit`, and the tree \
                 fails"
                    .into(),
            ),
            Problem::NeverReached { failures, least, within } => {
                let whose = self.child.map_or("of the children".into(), |child| format!("of `{}`", child.name));
                let at = self.limited_by().or_else(|| setting(self.above, "strategy"));
                let at = at.map(|setting| setting.name.to_token_stream()).unwrap_or_default();
                (at, unreachable_limit::message(&whose, failures, least, within))
            }
        };
        match self.default_in(&problem) {
            Some(default) => errors.on(place, format!("with the default{}, {message}", in_line(default))),
            None => errors.on(place, message),
        }
    }

    /// Returns whether the problem is one of the values of a default. The tree has reported it once.
    fn is_of_the_default(&self, problem: &Problem) -> bool {
        let paced = |child: &Child| setting(&child.settings, "backoff").is_none();
        let places = |child: &Child| setting(&child.settings, "mailbox").and_then(Setting::value).is_none();
        self.child.is_some_and(|child| match problem {
            Problem::EmptyRange { .. }
            | Problem::RandomFactor(_)
            | Problem::Factor(_)
            | Problem::ResetTooEarly { .. } => paced(child),
            Problem::NoPlaces => places(child),
            _ => false,
        })
    }

    /// Returns the place of the tree's default that has a part in the problem of a child.
    fn default_in(&self, problem: &Problem) -> Option<Span> {
        let child = self.child?;
        let own = |name| setting(&child.settings, name);
        let default = |name| setting(&child.defaults, name);
        let backoff =
            || own("backoff").is_none().then(|| default("backoff")).flatten().map(|backoff| backoff.name.span());
        match problem {
            Problem::UnboundedHold => match own("mailbox").and_then(Setting::value) {
                None => Some(default("mailbox")?.name.span()),
                Some(_) => backoff(),
            },
            Problem::DrainWithoutTime => Some(default("lifecycle")?.named("shutdown")?.0.span()),
            Problem::SignificantPermanent | Problem::NeverRestarted(_) => Some(default("lifecycle")?.kind()?.span()),
            Problem::NeverReached { .. } => backoff(),
            _ => None,
        }
    }

    /// The part of the child that makes an unbounded mailbox grow.
    fn unbounded_hold(&self) -> TokenStream {
        let own =
            [self.part("mailbox", Setting::value), self.name("backoff")].into_iter().find(|part| !part.is_empty());
        own.unwrap_or_else(|| self.child.map(|child| child.name.to_token_stream()).unwrap_or_default())
    }

    fn no_limit(&self, name: &str, unlimited: bool) -> (TokenStream, String) {
        let setting = if self.child.is_some() { "limit" } else { "strategy" };
        let message = match (unlimited, self.child) {
            (true, _) => format!("`{name}` does nothing with `Unlimited`; remove it"),
            (false, Some(_)) => "a child with a backoff has no limit by default; add `max_restarts`".into(),
            (false, None) => format!("`{name}` does nothing without `max_restarts`; add `max_restarts = N`"),
        };
        (self.argument(setting, name), message)
    }

    /// The setting of the child that decides whether a limit can be reached, if it has one.
    fn limited_by(&self) -> Option<&Setting> {
        self.child?;
        setting(self.settings, "limit").or_else(|| setting(self.settings, "backoff"))
    }

    /// The name of a setting.
    fn name(&self, name: &str) -> TokenStream {
        self.part(name, |setting| Some(&setting.name))
    }

    /// The first value of a setting that has no name.
    fn first(&self, name: &str) -> TokenStream {
        self.part(name, Setting::first)
    }

    /// The name of an argument.
    fn argument(&self, name: &str, argument: &str) -> TokenStream {
        self.part(name, |setting| Some(setting.named(argument)?.0))
    }

    /// The value of an argument.
    fn value(&self, name: &str, argument: &str) -> TokenStream {
        self.part(name, |setting| Some(setting.named(argument)?.1))
    }

    /// A word among the values of a setting.
    fn word(&self, name: &str, word: &str) -> TokenStream {
        self.part(name, |setting| setting.says(word))
    }

    /// The number in `Bounded(0)`.
    fn capacity(&self) -> TokenStream {
        self.part("mailbox", |setting| match setting.value() {
            Some(Expr::Call(bounded)) => Some(&bounded.args),
            _ => None,
        })
    }

    /// A delay in the list of a backoff.
    fn delay(&self, at: usize) -> TokenStream {
        self.part("backoff", |setting| match setting.first() {
            Some(Expr::Array(list)) => list.elems.iter().nth(at),
            _ => None,
        })
    }

    fn part<'a, T: ToTokens + 'a>(&'a self, name: &str, part: impl Fn(&'a Setting) -> Option<&'a T>) -> TokenStream {
        setting(self.settings, name).and_then(part).map(ToTokens::to_token_stream).unwrap_or_default()
    }
}
