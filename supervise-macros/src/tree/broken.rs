//! Property test with half-typed trees: the macros never panic, always end, and return Rust or an error.

use proc_macro2::TokenStream;
use proptest::prelude::*;

#[path = "../../../fuzz/generate.rs"]
mod generate;

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_broken_tree_gives_items_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let text = generate::tree(&bytes);
        // Text that the lexer rejects never reaches a macro.
        if let Ok(tokens) = text.parse::<TokenStream>() {
            let is_empty = tokens.is_empty();
            let child = super::child(tokens.clone());
            prop_assert!(syn::parse2::<syn::Expr>(child.clone()).is_ok(), "no expression comes of {text}: {child}");
            let output = super::supervisor(tokens);
            prop_assert!(is_empty || !output.is_empty(), "nothing comes of {text}");
            // The output parses in any case. Otherwise rustc would complain about code that the user did not write.
            let parsed = syn::parse2::<syn::File>(output);
            prop_assert!(parsed.is_ok(), "no Rust comes of {text}: {:?}", parsed.err());
        }
    }
}
