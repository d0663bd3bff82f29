//! The paths of the crates that an expansion names.
//!
//! A user may depend on `supervise` under another name, or through a crate that re-exports it. The declarative macros in
//! front of this crate know the path, `$crate`, and pass it as `@[$crate];`. An attribute takes it by `crate = path`.

use std::cell::RefCell;

use proc_macro2::{Delimiter, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::ParseStream;
use syn::{LitStr, Path, Token};

/// The paths of one expansion.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    supervise: Option<TokenStream>,
    remote: Option<TokenStream>,
}

thread_local! {
    static HELD: RefCell<Paths> = RefCell::default();
}

impl Paths {
    /// Returns the paths for an attribute that is given the path of `supervise`.
    pub(crate) fn told(supervise: &Path) -> Self {
        Paths { supervise: Some(quote!(#supervise)), remote: None }
    }

    /// Takes `@[supervise];` or `@[supervise][supervise_remote];` off the input, which may begin with brackets itself.
    pub(crate) fn split(input: TokenStream) -> (Self, TokenStream) {
        let mut rest = input.clone().into_iter();
        let is = |token: Option<TokenTree>, sign| matches!(token, Some(TokenTree::Punct(it)) if it.as_char() == sign);
        if !is(rest.next(), '@') {
            return (Paths::default(), input);
        }
        let mut paths = Vec::new();
        loop {
            match rest.next() {
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => paths.push(group.stream()),
                end if is(end.clone(), ';') && !paths.is_empty() => break,
                _ => return (Paths::default(), input),
            }
        }
        let mut paths = paths.into_iter();
        (Paths { supervise: paths.next(), remote: paths.next() }, rest.collect())
    }

    /// Expands with these paths.
    pub(crate) fn hold<R>(self, expand: impl FnOnce() -> R) -> R {
        /// Puts the paths from before back, also after a panic.
        struct Before(Paths);
        impl Drop for Before {
            fn drop(&mut self) {
                HELD.set(std::mem::take(&mut self.0));
            }
        }
        let _before = Before(HELD.replace(self));
        expand()
    }
}

/// Reads the value of `crate = path`.
pub(crate) fn value(input: ParseStream<'_>) -> syn::Result<Path> {
    if !input.peek(Token![=]) {
        return Err(input.error("`crate` has no path; write `crate = path`"));
    }
    input.parse::<Token![=]>()?;
    if let Ok(text) = input.fork().parse::<LitStr>() {
        let _ = input.parse::<LitStr>();
        return Err(syn::Error::new(text.span(), format!("a path is no text; write `crate = {}`", text.value())));
    }
    input.call(Path::parse_mod_style)
}

/// The path of the crate `supervise`, in a `quote!`: `#Supervise::expansion`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Supervise;

/// The path of the crate `supervise_remote`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SuperviseRemote;

impl Supervise {
    /// Returns the path at a place of the source.
    pub(crate) fn at(self, span: Span) -> TokenStream {
        at(quote!(#self), span)
    }
}

impl SuperviseRemote {
    /// Returns the path at a place of the source.
    pub(crate) fn at(self, span: Span) -> TokenStream {
        at(quote!(#self), span)
    }
}

impl ToTokens for Supervise {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        HELD.with_borrow(|held| tokens.extend(held.supervise.clone().unwrap_or_else(|| absolute("supervise"))));
    }
}

impl ToTokens for SuperviseRemote {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        HELD.with_borrow(|held| tokens.extend(held.remote.clone().unwrap_or_else(|| absolute("supervise_remote"))));
    }
}

/// Emits `::name`.
fn absolute(name: &str) -> TokenStream {
    let colon = |spacing| TokenTree::Punct(Punct::new(':', spacing));
    let name = TokenTree::Ident(Ident::new(name, Span::call_site()));
    [colon(Spacing::Joint), colon(Spacing::Alone), name].into_iter().collect()
}

/// Moves a path to a place. Its names are resolved as before, since `$crate` means something else elsewhere.
fn at(path: TokenStream, span: Span) -> TokenStream {
    let moved = path.into_iter().map(|mut token| {
        token.set_span(token.span().located_at(span));
        token
    });
    moved.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> (Paths, String) {
        let (paths, rest) = Paths::split(text.parse().unwrap());
        (paths, rest.to_string())
    }

    #[test]
    fn paths_in_front_are_taken_off() {
        let (paths, rest) = split("@[a::b]; struct Shop {}");
        assert_eq!(rest, "struct Shop { }");
        let shown = paths.hold(|| (quote!(#Supervise::Tree).to_string(), quote!(#SuperviseRemote::Net).to_string()));
        assert_eq!(shown, ("a :: b :: Tree".to_owned(), ":: supervise_remote :: Net".to_owned()));
        let (paths, rest) = split("@[a][b]; [T]");
        assert_eq!(
            (paths.hold(|| quote!(#SuperviseRemote::Net).to_string()), rest),
            ("b :: Net".to_owned(), "[T]".to_owned())
        );
    }

    #[test]
    fn brackets_of_the_input_are_no_path() {
        let (paths, rest) = split("@[a]; [\"x\" , y] . concat ()");
        assert_eq!(rest, "[\"x\" , y] . concat ()");
        assert_eq!(paths.hold(|| quote!(#SuperviseRemote).to_string()), ":: supervise_remote");
    }

    #[test]
    fn input_without_paths_is_left_alone() {
        for text in ["", "@", "@ x", "@ ; x", "@ [a] x", "[a] x", "struct Shop { }"] {
            let (paths, rest) = split(text);
            assert_eq!(rest, text);
            assert_eq!(paths.hold(|| quote!(#Supervise).to_string()), ":: supervise");
        }
    }

    #[test]
    fn the_paths_end_with_the_expansion() {
        let held = |text: &str| split(text).0;
        let panicked = std::panic::catch_unwind(|| held("@[a]; x").hold(|| panic!("oops")));
        assert!(panicked.is_err());
        assert_eq!(quote!(#Supervise).to_string(), ":: supervise");
        held("@[a]; x").hold(|| held("@[b]; x").hold(|| assert_eq!(quote!(#Supervise).to_string(), "b")));
    }
}
