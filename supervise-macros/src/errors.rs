//! Collects everything that is wrong with the input.
//!
//! Every stage reports its mistakes here and continues, so that one run shows all of them. The messages become
//! `compile_error!`s at the very end of the expansion: rust-analyzer finds its place in the expansion by text offset,
//! and an error further up would move everything after it.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser};

use crate::paths::Supervise;

/// The mistakes found so far.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    list: Vec<Mistake>,
    /// The number of them when [`take_hidden`](Errors::take_hidden) was last called.
    seen: usize,
    /// The last token of the input.
    end: Option<Span>,
}

/// Something that is wrong with the input.
#[derive(Debug)]
pub(crate) struct Mistake {
    error: syn::Error,
    /// Whether only rust-analyzer may see the body of the expansion: rustc would report a name that was rejected or
    /// made up a second time.
    hides_body: bool,
}

/// A mistake after which rustc may see the body.
impl From<syn::Error> for Mistake {
    fn from(error: syn::Error) -> Self {
        Mistake { error, hides_body: false }
    }
}

impl Errors {
    /// Starts with no mistakes. A part that is missing at the end of the input is reported at its last token.
    pub(crate) fn of(input: &TokenStream) -> Self {
        let end = input.clone().into_iter().last().map(|last| match last {
            TokenTree::Group(group) => group.span_close(),
            token => token.span(),
        });
        Errors { end, ..Errors::default() }
    }

    /// Reports a mistake at one token. rustc can compile the rest of the tree.
    pub(crate) fn at(&mut self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    /// Reports a mistake that spans all of `tokens`. rustc can compile the rest of the tree.
    pub(crate) fn on(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// As [`at`](Errors::at), but rustc would complain about the same token, so it must not see the body.
    pub(crate) fn reject_at(&mut self, span: Span, message: impl Display) {
        self.push(Mistake::from(syn::Error::new(span, message)).hiding_body());
    }

    /// As [`on`](Errors::on), but rustc would complain about the same tokens, so it must not see the body.
    pub(crate) fn reject_on(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.push(Mistake::from(syn::Error::new_spanned(tokens, message)).hiding_body());
    }

    /// Reports a mistake. A message of the parser without a repair is about Rust's own syntax and gets one.
    pub(crate) fn push(&mut self, mistake: impl Into<Mistake>) {
        let Mistake { error, hides_body } = mistake.into();
        for error in error {
            let text = error.to_string();
            let whole = text.contains("; ");
            let text = if whole { text } else { in_words(&text) };
            // At the end of the input the parser has no token to point at, and would underline the whole call.
            let nowhere = format!("{:?}", error.span()) == format!("{:?}", Span::call_site());
            let error = match self.end {
                Some(end) if nowhere => syn::Error::new(end, text),
                _ if whole => error,
                _ => syn::Error::new(error.span(), text),
            };
            self.list.push(Mistake { error, hides_body });
        }
    }

    /// Reads all of `tokens` and returns the result of `read`, even if the parser finds leftover tokens inside a group.
    /// Leftover tokens are a separate mistake, unless `read` has reported one already.
    pub(crate) fn read<T>(
        &mut self,
        tokens: TokenStream,
        read: impl FnOnce(ParseStream<'_>, &mut Errors) -> T,
    ) -> Option<T> {
        let before = self.list.len();
        let mut made = None;
        let reader = |input: ParseStream<'_>| {
            made = Some(read(input, self));
            Ok(())
        };
        match reader.parse2(tokens) {
            Err(error) if self.list.len() == before => self.push(error),
            _ => {}
        }
        made
    }

    /// Returns whether a mistake that was found since the last call hides the body.
    pub(crate) fn take_hidden(&mut self) -> bool {
        let seen = std::mem::replace(&mut self.seen, self.list.len());
        self.list[seen..].iter().any(|mistake| mistake.hides_body)
    }

    /// Returns whether nothing is wrong so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Emits a type that fails with the first mistake, in the place of a type that is not known. Uses of it are no errors
    /// of their own, and rustc shows equal errors at one place once.
    pub(crate) fn failed_type(&self) -> Option<TokenStream> {
        let first = self.list.first()?.to_tokens();
        Some(quote!(<() as #Supervise::expansion::ChildIf<{ #first }>>::Handle))
    }

    /// Emits one error for each mistake.
    pub(crate) fn to_tokens(&self) -> TokenStream {
        self.list.iter().map(Mistake::to_tokens).collect()
    }

    /// Returns the messages, for tests of a single stage.
    #[cfg(test)]
    pub(crate) fn messages(&self) -> Vec<String> {
        self.list.iter().flat_map(|mistake| mistake.error.clone()).map(|each| each.to_string()).collect()
    }
}

impl Mistake {
    /// Hides the body of the tree from rustc, which would report this mistake again.
    pub(crate) fn hiding_body(self) -> Self {
        Mistake { hides_body: true, ..self }
    }

    fn to_tokens(&self) -> TokenStream {
        self.error.to_compile_error()
    }
}

/// Returns ` in line 12`, the line of another place that a mistake is about; nothing outside of a compiler.
///
/// A `compile_error!` has one place.
pub(crate) fn in_line(of: Span) -> String {
    if proc_macro::is_available() { format!(" in line {}", of.unwrap().line()) } else { String::new() }
}

/// Rewrites a message of the parser that lists tokens, and adds the repair.
fn in_words(text: &str) -> String {
    let wanted = text.rsplit_once("expected ").map_or("", |(_, wanted)| wanted);
    let one = match wanted {
        "" => return format!("{text}; remove it"),
        list if list.starts_with("one of: ") && list.contains("lifetime") => "a type",
        list if list.starts_with("one of: ") && list.contains("`..`") => "a pattern",
        "ident" | "identifier" => "a name",
        other => other,
    };
    format!("expected {one}; write one here")
}

/// The words of Akka, OTP and similar systems for our words, without underscores and in lower case.
const NEIGHBOURS: &[(&str, &[&str])] = &[
    ("AllForOne", &["oneforall", "allforall", "all"]),
    ("OneForOne", &["one"]),
    ("RestForOne", &["restforall", "rest", "oneforrest"]),
    ("strategy", &["restartstrategy", "supervisorstrategy", "supervisionstrategy", "supervisor", "scheme"]),
    ("max_restarts", &["intensity", "maxr", "maxretries", "maxnrofretries", "retries", "restarts"]),
    ("within", &["period", "maxt", "withintimerange", "timerange", "maxseconds", "window"]),
    ("on_limit", &["onexceeded", "onmaxrestarts", "onmaxrestartsexceeded", "onintensity"]),
    ("lifecycle", &["restart", "restarttype", "restartpolicy", "childtype"]),
    ("shutdown", &["shutdowntimeout", "stoptimeout", "gracetime", "grace"]),
    ("start", &["starttimeout", "inittimeout"]),
    ("handler", &["timeout", "handlertimeout", "messagetimeout", "receivetimeout"]),
    ("drain", &["graceful"]),
    ("Kill", &["brutalkill", "brutal", "abort"]),
    ("Infinity", &["never", "forever", "none"]),
    ("Unlimited", &["infinity", "infinite", "never"]),
    ("Permanent", &["always"]),
    ("Transient", &["onfailure", "onerror"]),
    ("Temporary", &["never", "once"]),
    ("decider", &["directive", "onfailure", "onerror"]),
    ("limit", &["budget", "restartlimit", "ratelimit"]),
    ("pre_restart", &["beforerestart", "onrestart", "onpanic", "onerror"]),
    ("post_restart", &["afterrestart"]),
    ("pre_start", &["onstart", "started", "poststart", "beforestart", "init", "setup"]),
    ("post_stop", &["onstop", "stopped", "stopping", "prestop", "afterstop", "terminate", "cleanup", "teardown"]),
    (
        "handle",
        &[
            "receive",
            "onreceive",
            "onmessage",
            "handlemessage",
            "handlemsg",
            "handlecall",
            "handlecast",
            "process",
            "processmessage",
            "call",
            "dispatch",
        ],
    ),
    ("message", &["handler", "messagehandler", "rpc", "request", "msg"]),
    ("terminated", &["handleinfo", "onlinkdied", "onterminated", "handlesupervisorevt", "onexit", "ondown"]),
    ("random_factor", &["jitter", "randomfactor", "noise"]),
    ("factor", &["multiplier", "base", "exponent"]),
    ("reset", &["autoreset", "resetafter", "resetbackoff"]),
    ("mailbox", &["queue", "capacity", "bounded", "inbox"]),
    ("while_down", &["replywhilestopped", "whilestopped"]),
    ("redeliver", &["retry", "resend", "atleastonce"]),
    ("max_children", &["maxconcurrent", "capacity"]),
    ("max_starting", &["concurrency", "maxconcurrency", "maxstarts"]),
    ("runtime", &["dispatcher", "executor", "scheduler"]),
    ("only_with", &["singleton", "clustersingleton", "leader", "leaderelection", "lease", "when"]),
    ("ask", &["asktimeout", "calltimeout", "timeout"]),
    ("attempts", &["times", "maxattempts", "retries"]),
    ("Resume", &["ignore", "continue", "keep"]),
    ("Restart", &["retry", "again", "restartone", "restartchild"]),
    ("Stop", &["kill", "terminate", "shutdown", "giveup"]),
    ("Escalate", &["fail", "exit", "raise", "propagate", "panic"]),
    ("Reject", &["drop", "refuse", "fail"]),
    ("Hold", &["buffer", "stash", "queue"]),
    ("on", &["node", "nodes", "role", "place", "placement", "at", "host"]),
    ("lease", &["ttl", "leasetime", "timeout"]),
    ("window", &["inflight", "prefetch", "credit"]),
    ("overlap", &["duplicates", "splitbrain"]),
    ("spread", &["affinity", "antiaffinity"]),
    ("OnePerNode", &["distinct", "exclusive", "antiaffinity"]),
];

/// Returns the known word for a word of another system.
pub(crate) fn neighbour<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let bare = |word: &str| word.to_lowercase().replace('_', "");
    let word = bare(word);
    let same = known.iter().find(|candidate| bare(candidate) == word);
    let meant = || {
        let fits = |(ours, theirs): &&(&str, &[&str])| known.contains(ours) && theirs.contains(&&*word);
        let (ours, _) = NEIGHBOURS.iter().find(fits)?;
        known.iter().find(|candidate| *candidate == ours)
    };
    same.or_else(meant).copied()
}

/// Returns ``; did you mean `x`?`` with the nearest known word, or the list of known words if none is near.
pub(crate) fn did_you_mean(word: &str, known: &[&str]) -> String {
    if let Some(meant) = neighbour(word, known) {
        return format!("; did you mean `{meant}`?");
    }
    let nearest = known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word.to_lowercase(), &candidate.to_lowercase()), candidate))
        .min_by_key(|(distance, _)| *distance);
    match nearest {
        Some((distance, candidate)) if distance <= 1 + candidate.len() / 4 => format!("; did you mean `{candidate}`?"),
        _ if known.is_empty() => String::new(),
        _ => format!("; known here: {}", listed(known)),
    }
}

/// Joins words as `` `a`, `b`, `c` ``.
pub(crate) fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Joins words as `` `a`, `b` or `c` ``.
pub(crate) fn alternatives(words: &[&str]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} or `{last}`", listed(first)),
        words => listed(words),
    }
}

/// Runs a macro. A panic in it becomes an error at the call that asks for a report.
pub(crate) fn guarded(expand: impl FnOnce() -> TokenStream) -> TokenStream {
    catch_unwind(AssertUnwindSafe(expand)).unwrap_or_else(|payload| {
        let text = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        let message = format!("this is a bug in supervise; please report it ({text})");
        quote!(::core::compile_error! { #message })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_nearest_word() {
        assert_eq!(did_you_mean("shutdwon", &["start", "shutdown"]), "; did you mean `shutdown`?");
        assert_eq!(did_you_mean("onefor_one", &["OneForOne"]), "; did you mean `OneForOne`?");
    }

    #[test]
    fn knows_the_words_of_the_neighbours() {
        for (word, known, meant) in [
            ("OneForAll", &["OneForOne", "AllForOne", "RestForOne"][..], "AllForOne"),
            ("one_for_one", &["OneForOne", "AllForOne"], "OneForOne"),
            ("restart_strategy", &["strategy", "decider"], "strategy"),
            ("intensity", &["max_restarts", "within", "on_limit"], "max_restarts"),
            ("on_exceeded", &["max_restarts", "within", "on_limit"], "on_limit"),
            ("brutal_kill", &["Kill", "Infinity"], "Kill"),
        ] {
            assert_eq!(did_you_mean(word, known), format!("; did you mean `{meant}`?"));
        }
        // The repair is proposed only where that word is known.
        assert_eq!(did_you_mean("intensity", &["ask"]), "; known here: `ask`");
    }

    #[test]
    fn every_word_of_a_neighbour_leads_to_one_of_ours() {
        for (ours, _) in NEIGHBOURS {
            let forms = crate::settings::pages::forms();
            let known = [format!("`{ours}`"), format!(" = {ours}`")].iter().any(|form| forms.contains(form))
                || crate::settings::argument_names().contains(ours)
                || crate::actor::HOOKS.contains(ours)
                || ["handle", "message"].contains(ours);
            assert!(known, "{ours}");
        }
    }

    #[test]
    fn the_last_alternative_has_an_or() {
        assert_eq!(alternatives(&["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(alternatives(&["a"]), "`a`");
    }

    #[test]
    fn lists_the_words_when_none_is_near() {
        assert_eq!(did_you_mean("colour", &["start", "shutdown"]), "; known here: `start`, `shutdown`");
    }

    #[test]
    fn a_rejected_token_hides_the_body_once() {
        let mut errors = Errors::default();
        errors.at(Span::call_site(), "one; remove it");
        assert!(!errors.take_hidden());
        errors.reject_at(Span::call_site(), "two; remove it");
        errors.at(Span::call_site(), "three; remove it");
        assert!(errors.take_hidden());
        assert!(!errors.take_hidden(), "it was asked already");
        errors.push(Mistake::from(syn::Error::new(Span::call_site(), "four; remove it")).hiding_body());
        assert!(errors.take_hidden());
    }

    #[test]
    fn turns_a_panic_into_an_error() {
        let tokens = guarded(|| panic!("oops")).to_string();
        assert!(tokens.contains("please report it (oops)"), "{tokens}");
    }
}
