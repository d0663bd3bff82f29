//! Names and tokens as the expansion needs them: seen by the user's code or not, at another place, without attributes.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::quote;
use syn::ext::IdentExt;
use syn::{Pat, PatType};

/// Returns the name of mixed hygiene under which `build` keeps a value. The user's own word may be the name of a
/// constant or a variant, which a `let` cannot bind.
pub(super) fn hidden(ident: &Ident) -> Ident {
    Ident::new(&format!("__of_{}", ident.unraw()), ident.span().resolved_at(Span::mixed_site()))
}

/// Binds the user's own word as well, but only for an editor: a half-typed expression does not use the name yet.
pub(super) fn for_editor(ident: &Ident, is_behind: bool) -> TokenStream {
    let inner = hidden(ident);
    let mut own = ident.clone();
    own.set_span(inner.span());
    let value = if is_behind { quote!(#inner.clone_for_start()) } else { quote!(__rt::Clone::clone(&#inner)) };
    quote!(#[cfg(rust_analyzer)] let #own = #value;)
}

/// Returns a name that only the expansion can use.
pub(super) fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// Returns the name of a child as a string, with `r#type` as `type`.
pub(super) fn plain(ident: &Ident) -> String {
    ident.unraw().to_string()
}

/// Returns the tokens with another place.
pub(super) fn moved(tokens: TokenStream, at: Span) -> TokenStream {
    let moved = tokens.into_iter().map(|mut token| {
        let place = at.resolved_at(token.span());
        match &mut token {
            TokenTree::Group(group) => {
                let mut inner = proc_macro2::Group::new(group.delimiter(), moved(group.stream(), at));
                inner.set_span(place);
                TokenTree::Group(inner)
            }
            _ => {
                token.set_span(place);
                token
            }
        }
    });
    moved.collect()
}

/// Turns the argument of a closure into the pattern of a `let`, which cannot have attributes.
pub(super) fn without_attributes(input: &Pat) -> TokenStream {
    let mut tokens = match input {
        Pat::Type(PatType { pat, ty, .. }) => quote!(#pat: #ty),
        other => quote!(#other),
    }
    .into_iter()
    .peekable();
    while tokens.next_if(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '#')).is_some() {
        tokens.next();
    }
    tokens.collect()
}

/// Emits words that are neither settings nor arguments as methods, so that an editor offers the methods that exist.
pub(super) fn half_typed<'a>(on: &TokenStream, words: impl Iterator<Item = &'a Ident>) -> TokenStream {
    let can_be = |word: &&Ident| syn::parse2::<Ident>(quote!(#word)).is_ok(); // not a keyword
    words.filter(can_be).map(|word| quote!(#[cfg(rust_analyzer)] let _ = #on.#word();)).collect()
}
