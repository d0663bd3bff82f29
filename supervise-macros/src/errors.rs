//! The one sink for everything that is wrong with the input.
//!
//! Every stage reports here and goes on, so that one run shows all mistakes. The messages become
//! `compile_error!`s at the very end of the expansion: rust-analyzer finds its place in the expansion by
//! text offset, and an error further up would move everything behind it.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser};

/// The mistakes found so far.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    list: Vec<syn::Error>,
    hidden: bool,
    /// The last token of the input.
    end: Option<Span>,
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
        self.list.push(syn::Error::new(span, message));
    }

    /// A mistake that spans all of `tokens`.
    pub(crate) fn on(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.list.push(syn::Error::new_spanned(tokens, message));
    }

    /// A mistake that the parser found.
    pub(crate) fn push(&mut self, error: syn::Error) {
        // At the end of the input the parser has no token to point at, and would underline the whole call.
        let nowhere = format!("{:?}", error.span()) == format!("{:?}", Span::call_site());
        match self.end {
            Some(end) if nowhere => self.list.extend(error.into_iter().map(|error| syn::Error::new(end, error))),
            _ => self.list.push(error),
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

    /// Whether a stage called [`hide_body`](Errors::hide_body).
    pub(crate) fn body_hidden(&self) -> bool {
        self.hidden
    }

    /// Whether nothing is wrong so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// One `compile_error!` for each mistake.
    pub(crate) fn to_tokens(&self) -> TokenStream {
        self.list.iter().map(syn::Error::to_compile_error).collect()
    }

    /// The messages, for tests of a single stage.
    #[cfg(test)]
    pub(crate) fn messages(&self) -> Vec<String> {
        self.list.iter().flat_map(|error| error.clone().into_iter().map(|e| e.to_string())).collect()
    }
}

/// ``; did you mean `x`?`` with the nearest of the known words, else the list of them.
pub(crate) fn did_you_mean(word: &str, known: &[&str]) -> String {
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
    fn lists_the_words_when_none_is_near() {
        assert_eq!(did_you_mean("colour", &["start", "shutdown"]), "; known here: `start`, `shutdown`");
    }

    #[test]
    fn turns_a_panic_into_an_error() {
        let tokens = guarded(|| panic!("oops")).to_string();
        assert!(tokens.contains("please report it (oops)"), "{tokens}");
    }
}
