//! Reads `child! { .. }`: settings, and `name: shape = start`, where the name is an expression.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, LitStr, Token, token};

use super::super::model::{Child, NewChild};
use super::{settings, shape, split};
use crate::errors::{Errors, Mistake};
use crate::pretty::to_source;

/// Reads the child of one call.
pub(in crate::tree) fn spawned(input: TokenStream, errors: &mut Errors) -> Option<NewChild> {
    let read = errors.read(input, |input, errors| match head(input, errors) {
        Ok(mut new) => {
            let written = to_source(new.name.to_token_stream());
            if let Err(error) = rest(input, &mut new.child, &written, errors) {
                errors.push(Mistake::from(error).hiding_body());
            }
            Some(new)
        }
        Err(error) => {
            errors.push(Mistake::from(error).hiding_body());
            None
        }
    });
    read.flatten()
}

/// Reads up to the name.
fn head(input: ParseStream, errors: &mut Errors) -> syn::Result<NewChild> {
    if input.peek(Token![#]) && input.peek2(Token![!]) {
        let message = "`#![..]` governs the children of a tree; write `#[..]`, or declare a tree and name it here";
        return Err(input.error(message));
    }
    let (docs, cfgs, others) = split(input.call(Attribute::parse_outer)?);
    for doc in &docs {
        errors.on(doc, "`///` documents a field of a handle, and this child has none; write `//`");
    }
    for cfg in &cfgs {
        errors.on(cfg, "`#[cfg(..)]` cannot be used in `child!`; write it above the statement");
    }
    let (settings, unknown) = settings::outer(others, None, errors);
    if input.is_empty() {
        return Err(syn::Error::new(Span::call_site(), "expected a child; write `\"name\": Type = start`"));
    }
    if input.peek(Token![pub]) {
        return Err(input.error("this child has no field that could be `pub`; remove it"));
    }
    if input.peek(Token![let]) {
        return Err(input.error("a `child!` holds one child; move this `let` in front of it"));
    }
    let name: Expr = input.parse()?;
    if let Expr::Assign(assign) = &name {
        let written = to_source(assign.left.to_token_stream());
        let message = format!("`{written}` has no type; write `{written}: Type = start`");
        return Err(syn::Error::new_spanned(&assign.left, message));
    }
    let child = Child {
        docs,
        cfgs,
        settings,
        defaults: Vec::new(),
        unknown,
        vis: None,
        name: Ident::new("child", name.span()),
        shape: None,
        start: None,
        spawned: true,
    };
    Ok(NewChild { name, child })
}

/// Reads what follows the name.
fn rest(input: ParseStream, child: &mut Child, written: &str, errors: &mut Errors) -> syn::Result<()> {
    if input.peek(Token![:]) {
        input.parse::<Token![:]>()?;
    } else {
        let message = format!("expected a child; write `{written}: Type = start`");
        if !input.peek(syn::Ident) && !input.peek(token::Bracket) {
            return Err(syn::Error::new(child.name.span(), message));
        }
        // Only the colon is missing.
        errors.at(child.name.span(), message);
    }
    if let Ok(text) = input.fork().parse::<LitStr>() {
        let shown = to_source(text.to_token_stream());
        let message = format!("a child is written as in a tree; write `child! {{ {shown}: Type = start }}`");
        return Err(syn::Error::new(text.span(), message));
    }
    child.shape = Some(shape::shape(input, written, errors)?);
    if child.subtree().is_none() {
        if !input.peek(Token![=]) {
            let message = format!("`{written}` has no start expression; write `{written}: Type = start`");
            return Err(syn::Error::new(child.name.span(), message));
        }
        input.parse::<Token![=]>()?;
        child.start = Some(input.parse()?);
    }
    input.parse::<Option<Token![,]>>()?;
    if !input.is_empty() {
        return Err(input.error("a `child!` holds one child; remove this, or write a `child!` of its own for it"));
    }
    Ok(())
}
