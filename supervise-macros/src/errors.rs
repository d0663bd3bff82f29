//! The one sink for everything that is wrong with the input.
//!
//! Every stage reports here and goes on, so that one run shows all mistakes. The messages become
//! `compile_error!`s at the very end of the expansion: rust-analyzer finds its place in the expansion by
//! text offset, and an error further up would move everything behind it.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{ParseStream, Parser};

/// The mistakes found so far.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    list: Vec<Mistake>,
    hidden: bool,
    /// The last token of the input.
    end: Option<Span>,
}

#[derive(Debug)]
enum Mistake {
    /// At one place.
    One(syn::Error),
    /// At a place, and with it the one it contradicts.
    Two { at: Span, other: Span, label: &'static str, message: String },
}

impl Errors {
    /// For this input: what is missing at its end is reported at its last token.
    pub(crate) fn of(input: &TokenStream) -> Self {
        let end = input.clone().into_iter().last().map(|last| match last {
            TokenTree::Group(group) => group.span_close(),
            token => token.span(),
        });
        Errors { end, ..Errors::default() }
    }

    /// A mistake at one token.
    pub(crate) fn at(&mut self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    /// A mistake that spans all of `tokens`.
    pub(crate) fn on(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// A mistake that takes two places to see: `label`, a name, says what is at the other one.
    ///
    /// A `compile_error!` has one place. A constant that fails in a function shows where it is called and where
    /// it failed, as one error.
    pub(crate) fn both(&mut self, at: Span, other: Span, label: &'static str, message: impl Display) {
        self.list.push(Mistake::Two { at, other, label, message: message.to_string() });
    }

    /// A mistake that the parser found. What it says without a repair is about Rust's own syntax.
    pub(crate) fn push(&mut self, error: syn::Error) {
        for error in error {
            let text = error.to_string();
            let whole = text.contains("; ");
            let text = if whole { text } else { in_words(&text) };
            // At the end of the input the parser has no token to point at, and would underline the whole call.
            let nowhere = format!("{:?}", error.span()) == format!("{:?}", Span::call_site());
            self.list.push(Mistake::One(match self.end {
                Some(end) if nowhere => syn::Error::new(end, text),
                _ if whole => error,
                _ => syn::Error::new(error.span(), text),
            }));
        }
    }

    /// Reads all of `tokens`. What `read` has made is kept, also where the parser finds something left over inside of a
    /// group: that is a mistake of its own, unless one was reported there already.
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

    /// Asks that only rust-analyzer sees the body of the expansion: rustc would report a name that was
    /// rejected or made up here a second time.
    pub(crate) fn hide_body(&mut self) {
        self.hidden = true;
    }

    /// Whether a stage called [`hide_body`](Errors::hide_body) since the last time this was asked.
    pub(crate) fn take_hidden(&mut self) -> bool {
        std::mem::take(&mut self.hidden)
    }

    /// Whether nothing is wrong so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// One error for each mistake.
    pub(crate) fn to_tokens(&self) -> TokenStream {
        self.list.iter().map(Mistake::to_tokens).collect()
    }

    /// The messages, for tests of a single stage.
    #[cfg(test)]
    pub(crate) fn messages(&self) -> Vec<String> {
        let text = |mistake: &Mistake| match mistake {
            Mistake::One(error) => error.clone().into_iter().map(|each| each.to_string()).collect(),
            Mistake::Two { message, .. } => vec![message.clone()],
        };
        self.list.iter().flat_map(text).collect()
    }
}

impl Mistake {
    fn to_tokens(&self) -> TokenStream {
        match self {
            Mistake::One(error) => error.to_compile_error(),
            Mistake::Two { at, other, label, message } => {
                let here = Ident::new(label, Span::mixed_site());
                let (name, call) = (at_span(&here, *other), at_span(&here, *at));
                let fail = quote_spanned!(*other=> ::core::panic!("{}", #message));
                let call = quote_spanned!(*at=> #call());
                quote!(const _: () = { const fn #name() { #fail } #call };)
            }
        }
    }
}

/// What the parser says by listing tokens, with the repair.
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

/// The same name, shown elsewhere.
fn at_span(name: &Ident, span: Span) -> Ident {
    let mut name = name.clone();
    name.set_span(span.resolved_at(name.span()));
    name
}

/// What others call it, or another case of the same word: Akka, OTP and their relatives.
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
    ("drain", &["graceful"]),
    ("Kill", &["brutalkill", "brutal", "abort"]),
    ("Infinity", &["never", "forever", "none"]),
    ("Unlimited", &["infinity", "infinite", "never"]),
    ("Permanent", &["always"]),
    ("Transient", &["onfailure", "onerror"]),
    ("Temporary", &["never", "once"]),
    ("decider", &["directive", "onfailure", "onerror"]),
    ("limit", &["budget", "restartlimit", "ratelimit"]),
    ("pre_restart", &["beforerestart", "onrestart"]),
    ("post_restart", &["afterrestart"]),
    ("random_factor", &["jitter", "randomfactor", "noise"]),
    ("factor", &["multiplier", "base", "exponent"]),
    ("reset", &["autoreset", "resetafter", "resetbackoff"]),
    ("mailbox", &["queue", "capacity", "bounded", "inbox"]),
    ("while_down", &["replywhilestopped", "whilestopped"]),
    ("redeliver", &["retry", "resend", "atleastonce"]),
    ("max_children", &["maxconcurrent", "capacity"]),
    ("ask", &["asktimeout", "calltimeout", "timeout"]),
    ("attempts", &["times", "maxattempts", "retries"]),
    ("Escalate", &["fail", "exit", "shutdown"]),
    ("Reject", &["drop", "refuse", "fail"]),
    ("Hold", &["buffer", "stash", "queue"]),
];

/// The known word that a word of a neighbour stands for.
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

/// ``; did you mean `x`?`` with the nearest of the known words, else the list of them.
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

/// `` `a`, `b`, `c` ``
pub(crate) fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Runs a macro; a panic in it becomes an error at the call instead of rustc's bare "panicked".
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
        // Only where that word is known.
        assert_eq!(did_you_mean("intensity", &["ask"]), "; known here: `ask`");
    }

    #[test]
    fn every_word_of_a_neighbour_leads_to_one_of_ours() {
        for (ours, _) in NEIGHBOURS {
            let known = crate::settings::table().contains(&format!("`{ours}`"))
                || crate::settings::argument_names().contains(ours);
            assert!(known, "{ours}");
        }
    }

    #[test]
    fn lists_the_words_when_none_is_near() {
        assert_eq!(did_you_mean("colour", &["start", "shutdown"]), "; known here: `start`, `shutdown`");
    }

    #[test]
    fn turns_a_panic_into_an_error() {
        let tokens = guarded(|| panic!("oops")).to_string();
        assert!(tokens.contains("please report it (oops)"), "{tokens}");
    }
}
