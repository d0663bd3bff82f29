//! The first stage: completes half-typed input.
//!
//! While you type, an editor sees `Db::`, `config.` and `let x = ;`. They do not parse, and then nothing around them
//! would be known. This stage inserts a name, so that the rest parses and the expansion keeps its layout up to the
//! cursor. rust-analyzer compares the expansion with and without an identifier at the cursor and finds its place by
//! text offset.

use proc_macro2::{Group, Ident, Spacing, TokenStream, TokenTree};

use crate::errors::Errors;

/// The name that is inserted where a name or an expression is missing.
pub(crate) const MISSING: &str = "__missing";

/// Inserts a name after every dangling `.`, `::` and `=`, and reports each of them.
pub(crate) fn repair(tokens: TokenStream, errors: &mut Errors) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut repaired = Vec::with_capacity(tokens.len());
    for (i, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            let mut inner = Group::new(group.delimiter(), repair(group.stream(), errors));
            inner.set_span(group.span());
            repaired.push(inner.into());
            continue;
        }
        repaired.push(token.clone());
        if let Some(expected) = dangling(&tokens, i) {
            errors.reject_at(token.span(), format!("expected {expected} after this; complete it"));
            repaired.push(Ident::new(MISSING, token.span()).into());
        }
    }
    repaired.into_iter().collect()
}

/// Returns what is missing after the token at `i`, if it dangles.
fn dangling(tokens: &[TokenTree], i: usize) -> Option<&'static str> {
    let here = punct(tokens.get(i))?;
    let before = i.checked_sub(1).and_then(|i| punct(tokens.get(i)));
    let next = punct(tokens.get(i + 1));
    let ends = i + 1 == tokens.len() || matches!(next, Some((',' | ';' | '?', _)));
    let joined = |c: char| before.is_some_and(|(b, spacing)| b == c && spacing == Spacing::Joint);
    match here.0 {
        '.' if ends && !joined('.') => Some("a name"),
        ':' if joined(':') && (ends || matches!(next, Some(('=', _)))) => Some("a name"),
        '=' if ends && !before.is_some_and(|(b, s)| s == Spacing::Joint && "=<>!+-*/%^&|.".contains(b)) => {
            Some("an expression")
        }
        _ => None,
    }
}

fn punct(token: Option<&TokenTree>) -> Option<(char, Spacing)> {
    match token {
        Some(TokenTree::Punct(punct)) => Some((punct.as_char(), punct.spacing())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(text: &str) -> (String, usize) {
        let mut errors = Errors::default();
        let tokens = repair(text.parse().unwrap(), &mut errors);
        let text: String = tokens.to_string().split_whitespace().collect();
        (text, errors.messages().len())
    }

    #[test]
    fn completes_what_dangles() {
        for (text, whole) in [
            ("db: Db = Db::,", "db:Db=Db::__missing,"),
            ("f(config.)", "f(config.__missing)"),
            ("let x = ;", "letx=__missing;"),
            ("open().await?.", "open().await?.__missing"),
            ("DbError:: => Stop", "DbError::__missing=>Stop"),
        ] {
            assert_eq!(repaired(text), (whole.to_owned(), 1));
        }
    }

    #[test]
    fn leaves_whole_code_alone() {
        for text in ["3s..", "a[..]", "x = 1 ;", "a == b", "S { .. }", "..=5", "f::<u8>()", "a ..= b"] {
            assert_eq!(repaired(text).1, 0, "{text}");
        }
    }
}
