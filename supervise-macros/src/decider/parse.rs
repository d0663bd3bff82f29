//! Reads the arms of a decider. An arm with a mistake is reported and skipped.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::{Attribute, Expr, Pat, Token, Type};

use super::{Arm, Arms, Decider};
use crate::errors::Errors;
use crate::pretty::to_source;

/// Reads arms if there is a `=>` among the tokens, otherwise one expression.
pub(crate) fn parse(tokens: TokenStream, at: Span, errors: &mut Errors) -> Option<Decider> {
    if tokens.is_empty() {
        errors.at(at, "a decider needs arms; write `pattern => Directive`, or the path of a function");
        return None;
    }
    if !has_arrow(&tokens) {
        return match syn::parse2(tokens) {
            Ok(expr) => Some(Decider::Function(expr)),
            Err(error) => {
                errors.push(error);
                None
            }
        };
    }
    let arms = errors.read(tokens, |input, errors| {
        let mut arms = Arms::default();
        while !input.is_empty() {
            match arm(input, arms.list.len()) {
                Ok(arm) => arms.list.push(arm),
                Err(error) => {
                    errors.push(error);
                    arms.lost = true;
                    skip(input);
                }
            }
        }
        arms
    });
    arms.map(Decider::Arms)
}

fn arm(input: ParseStream, index: usize) -> syn::Result<Arm> {
    let cfgs = input.call(Attribute::parse_outer)?;
    if let Some(other) = cfgs.iter().find(|attribute| !attribute.path().is_ident("cfg")) {
        let path = to_source(other.path().to_token_stream());
        let message = format!("an arm takes only `#[cfg(..)]`; remove `{path}`");
        return Err(syn::Error::new_spanned(other, message));
    }
    let pat = Pat::parse_multi_with_leading_vert(input)?;
    let ty = if input.peek(Token![:]) {
        input.parse::<Token![:]>()?;
        Some(input.parse::<Type>()?)
    } else {
        None
    };
    let guard = if input.peek(Token![if]) {
        input.parse::<Token![if]>()?;
        Some(input.parse::<Expr>()?)
    } else {
        None
    };
    if !input.peek(Token![=>]) {
        return Err(input.error("expected `=> Directive`; write `pattern => Restart`"));
    }
    let arrow = input.parse::<Token![=>]>()?;
    if input.is_empty() || input.peek(Token![,]) {
        return Err(syn::Error::new_spanned(arrow, "this arm has no directive; write `=> Restart`"));
    }
    let answer: Expr = input.parse()?;
    if input.peek(Token![,]) {
        input.parse::<Token![,]>()?;
    } else if !input.is_empty() && !matches!(answer, Expr::Block(_)) {
        return Err(input.error("expected `,` after this arm"));
    }
    Ok(Arm { cfgs, pat, ty, guard, answer, index })
}

fn skip(input: ParseStream) {
    while !input.is_empty() && !input.peek(Token![,]) {
        let _ = input.parse::<TokenTree>();
    }
    let _ = input.parse::<Option<Token![,]>>();
}

fn has_arrow(tokens: &TokenStream) -> bool {
    let mut equals = false;
    tokens.clone().into_iter().any(|token| {
        let TokenTree::Punct(punct) = token else {
            equals = false;
            return false;
        };
        let arrow = equals && punct.as_char() == '>';
        equals = punct.as_char() == '=';
        arrow
    })
}
