//! Reads the entries of a body: children and `let`s.
//!
//! An entry is put into the list as soon as its name is known and completed afterwards, so that it keeps the parts
//! before a mistake.

use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, Pat, Token, Visibility, token};

use super::super::model::{Child, Item, Let};
use super::{begins_entry, kept, settings, shape, split};
use crate::errors::{Errors, Mistake};

pub(super) fn entry(input: ParseStream, items: &mut Vec<Item>, errors: &mut Errors) -> Result<(), Mistake> {
    let (docs, cfgs, others) = split(input.call(Attribute::parse_outer)?);
    let vis = if input.peek(Token![pub]) { Some(input.parse()?) } else { None };
    if input.peek(Token![let]) {
        for attribute in &others {
            errors.on(attribute, "a `let` takes only `#[cfg(..)]`; move this above a child, or remove it");
        }
        return read_let(input, (docs, cfgs, vis), items, errors);
    }
    let (settings, unknown) = settings::outer(others, errors);
    if input.is_empty() {
        return Err(input.error("expected a child after its settings; write `name: Type = start,`").into());
    }
    let name = name(input)?;
    let child = Child { docs, cfgs, settings, defaults: Vec::new(), unknown, vis, name, shape: None, start: None };
    items.push(Item::Child(Box::new(child)));
    let Some(Item::Child(child)) = items.last_mut() else { return Ok(()) };
    rest(input, child, errors).map_err(|error| match child.shape {
        Some(_) => error.into(),
        // Without a type the name cannot be declared, and each mention of it would be a second error.
        None => Mistake::from(error).hiding_body(),
    })
}

fn rest(input: ParseStream, child: &mut Child, errors: &mut Errors) -> syn::Result<()> {
    let name = child.name.clone();
    if input.peek(Token![=]) {
        let forms = format!("`{name}: Type = start,` for a child, `let {name} = value;` for a value");
        errors.reject_at(name.span(), format!("`{name}` has no type; write {forms}"));
        input.parse::<Token![=]>()?;
        child.start = Some(input.parse()?);
        return end(input, &name, errors);
    }
    if input.peek(Token![:]) {
        input.parse::<Token![:]>()?;
    } else {
        let message = format!("expected a child; write `{name}: Type = start,`");
        if !input.peek(Ident) && !input.peek(token::Bracket) {
            return Err(syn::Error::new(name.span(), message));
        }
        // In `db Db = ..` only the colon is missing.
        errors.at(name.span(), message);
    }
    child.shape = Some(shape::shape(input, errors)?);
    if let Some(subtree) = child.subtree() {
        if input.peek(Token![=]) {
            let message = format!("the inline subtree `{}` has no start expression; remove it", subtree.name);
            return Err(input.error(message));
        }
        return end(input, &name, errors);
    }
    if !input.peek(Token![=]) {
        errors.at(name.span(), format!("`{name}` has no start expression; write `{name}: Type = start,`"));
        return end(input, &name, errors);
    }
    input.parse::<Token![=]>()?;
    let mut start: Expr = input.parse()?;
    if child.is_set() {
        kept::owned_arguments(&mut start, errors);
    }
    child.start = Some(start);
    end(input, &name, errors)
}

/// Reads the end of a child.
fn end(input: ParseStream, name: &Ident, errors: &mut Errors) -> syn::Result<()> {
    if input.peek(Token![;]) {
        errors.at(input.span(), "a child ends with `,`; only a `let` ends with `;`");
        input.parse::<Token![;]>()?;
        return Ok(());
    }
    if !input.is_empty() && !input.peek(Token![,]) && begins_entry(input) {
        errors.at(input.span(), format!("expected `,` after the child `{name}`; write it before this"));
        return Ok(());
    }
    if !input.is_empty() {
        input.parse::<Token![,]>()?;
    }
    Ok(())
}

fn read_let(
    input: ParseStream,
    (docs, cfgs, vis): (Vec<Attribute>, Vec<Attribute>, Option<Visibility>),
    items: &mut Vec<Item>,
    errors: &mut Errors,
) -> Result<(), Mistake> {
    input.parse::<Token![let]>()?;
    let pat = Pat::parse_single(input)?;
    let ty = if input.peek(Token![:]) {
        input.parse::<Token![:]>()?;
        let mut ty = input.parse()?;
        if vis.is_some() {
            kept::owned(&mut ty, errors);
        }
        Some(ty)
    } else {
        None
    };
    items.push(Item::Let(Box::new(Let { docs, cfgs, vis, pat, ty, value: None })));
    let Some(Item::Let(entry)) = items.last_mut() else { return Ok(()) };
    if !input.peek(Token![=]) {
        let error = syn::Error::new(entry.pat.span(), "this `let` has no value; write `let pattern = value;`");
        return Err(Mistake::from(error).hiding_body());
    }
    input.parse::<Token![=]>()?;
    entry.value = Some(input.parse().map_err(|error| Mistake::from(error).hiding_body())?);
    if input.peek(Token![else]) {
        let error = input.error("`let .. else` cannot be used here; use a pattern that always matches");
        return Err(Mistake::from(error).hiding_body());
    }
    if input.peek(Token![,]) {
        errors.at(input.span(), "a `let` ends with `;`; only a child ends with `,`");
        input.parse::<Token![,]>()?;
        return Ok(());
    }
    if !input.is_empty() && !input.peek(Token![;]) && begins_entry(input) {
        errors.at(input.span(), "expected `;` after this `let`; write it before this");
        return Ok(());
    }
    input.parse::<Token![;]>()?;
    Ok(())
}

/// Reads a name that a field and a variable can have (rule C2).
pub(super) fn name(input: ParseStream) -> syn::Result<Ident> {
    if input.peek(Token![_]) {
        return Err(input.error("`_` is not a name; every child and parameter needs one"));
    }
    let name = input.call(Ident::parse_any)?;
    let text = name.to_string();
    // syn does not know that `gen` is a keyword since edition 2024.
    if text.starts_with("r#") || (text != "gen" && syn::parse_str::<Ident>(&text).is_ok()) {
        return Ok(name);
    }
    let repair = match &*text {
        "self" | "Self" | "super" | "crate" => "use another name".to_owned(),
        _ => format!("use another name, or `r#{text}`"),
    };
    Err(syn::Error::new(name.span(), format!("`{text}` is a keyword; {repair}")))
}
