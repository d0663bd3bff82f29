//! For any content of the macros, they never panic, always end, and give Rust or an error whose location is inside the
//! input.
//!
//! cargo fuzz run --sanitizer none --no-cfg-fuzzing tokens -- -max_total_time=60

#![no_main]
#![allow(dead_code, unused_imports)]

extern crate proc_macro;

#[path = "../../supervise-macros/src/actor/mod.rs"]
mod actor;
#[path = "../../supervise-macros/src/decider/mod.rs"]
mod decider;
#[path = "../../supervise-macros/src/duration.rs"]
mod duration;
#[path = "../../supervise-macros/src/errors.rs"]
mod errors;
#[path = "../../supervise-macros/src/free_names.rs"]
mod free_names;
#[path = "../generate.rs"]
mod generate;
#[path = "../../supervise-macros/src/pretty.rs"]
mod pretty;
#[path = "../../supervise-macros/src/repair.rs"]
mod repair;
#[path = "../../supervise-macros/src/settings.rs"]
mod settings;
#[path = "../../supervise-macros/src/strategy.rs"]
mod strategy;
#[path = "../../supervise-macros/src/tree/mod.rs"]
mod tree;

use std::ops::Range;

use libfuzzer_sys::fuzz_target;
use proc_macro2::{Span, TokenStream, TokenTree};

fuzz_target!(|bytes: &[u8]| {
    // Half of the inputs are edits of whole trees, the other half arbitrary text.
    let text = match bytes.split_first() {
        Some((kind, rest)) if kind % 2 == 0 => generate::tree(rest),
        Some((_, rest)) => String::from_utf8_lossy(rest).into_owned(),
        None => String::new(),
    };
    let Ok(tokens) = text.parse::<TokenStream>() else { return };
    let inside = range(&tokens);
    check(&text, inside.clone(), tree::supervisor(tokens.clone()));
    check(&text, inside.clone(), tree::child(tokens.clone()));
    check(&text, inside.clone(), decider::decider(tokens.clone()));
    check(&text, inside, strategy::strategy(tokens));
    // Otherwise the fallback of `proc_macro2` keeps every text forever.
    proc_macro2::extra::invalidate_current_thread_spans();
});

fn range(tokens: &TokenStream) -> Option<Range<usize>> {
    let spans = || tokens.clone().into_iter().map(|token| token.span().byte_range());
    Some(spans().next()?.start..spans().last()?.end)
}

fn check(text: &str, inside: Option<Range<usize>>, output: TokenStream) {
    let mut errors = Vec::new();
    spans_of_errors(output.clone(), &mut errors);
    assert!(!output.is_empty() || inside.is_none(), "no output for `{text}`");
    let Some(inside) = inside else { return };
    for span in errors {
        let at = span.byte_range();
        assert!(
            at.start < at.end && inside.start <= at.start && at.end <= inside.end,
            "an error outside of `{text}`: {at:?} of {inside:?}\n{output}"
        );
    }
}

fn spans_of_errors(tokens: TokenStream, found: &mut Vec<Span>) {
    for token in tokens {
        match token {
            TokenTree::Ident(word) if word == "compile_error" => found.push(word.span()),
            TokenTree::Group(group) => spans_of_errors(group.stream(), found),
            _ => {}
        }
    }
}
