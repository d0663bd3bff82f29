//! Reads the entries of a body: children and `let`s.
//!
//! An entry is put into the list as soon as its name is known and completed afterwards, so that it keeps the parts
//! before a mistake.

use proc_macro2::TokenTree;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{End, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, Pat, Token, Type, Visibility, token};

use super::super::model::{Child, Item, Let, Shape, Unit, span_of};
use super::{begins_entry, kept, meant, settings, shape, split};
use crate::errors::{Errors, Mistake};
use crate::pretty::to_source;
use crate::settings::{Place, find};

/// Reads an entry in the braces of the tree or subtree `around`.
pub(super) fn entry(
    input: ParseStream,
    around: &Ident,
    items: &mut Vec<Item>,
    errors: &mut Errors,
) -> Result<(), Mistake> {
    let (docs, cfgs, others) = split(attributes(input, errors)?);
    if input.is_empty() && others.is_empty() && cfgs.is_empty() {
        errors.on(docs.first(), "`///` documents the child below it, and there is none; write `//`");
        return Ok(());
    }
    let vis = if input.peek(Token![pub]) { Some(input.parse()?) } else { None };
    if input.peek(Token![let]) && !(is_child(&others) && begins_let_child(input)) {
        for attribute in &others {
            let name = attribute.path().get_ident().map(ToString::to_string).unwrap_or_default();
            let message = match find(&name).map(|setting| setting.place) {
                Some(Place::Tree | Place::Both) => settings::of_the_tree(&name, Some(around)),
                _ => "a `let` takes only `#[cfg(..)]`; move this above a child, or remove it".to_owned(),
            };
            errors.on(attribute, message);
        }
        return read_let(input, (docs, cfgs, vis), items, errors);
    }
    if let Some(item) = stray_item(input) {
        let message = format!("only children and `let`s stand here; move the `{item}` out of the macro");
        errors.push(Mistake::from(syn::Error::new(item.span(), message)).hiding_body());
        skip_item(input);
        return Ok(());
    }
    let below = subtree_name(input);
    let (settings, unknown) = settings::outer(others, below.as_ref().or(Some(around)), errors);
    if input.is_empty() {
        return Err(input.error("expected a child after its settings; write `name: Type = start,`").into());
    }
    if input.peek(Token![let]) {
        let word = input.parse::<Token![let]>()?;
        errors.on(word, "a child is written without `let`; remove it");
    }
    if input.peek(Token![mut]) {
        let word = input.parse::<Token![mut]>()?;
        errors.on(word, "the handle of a child never changes; remove `mut`");
    }
    if let Some(word) = stray_flow(input) {
        let message = format!(
            "the children of a tree are fixed, so `{word}` cannot choose them; write `#[cfg(..)]` above a child, or \
             `name: Option<Type> = if .. {{ Some(..) }} else {{ None }},`"
        );
        skip_item(input);
        while input.peek(Token![else]) {
            skip_item(input);
        }
        return Err(Mistake::from(syn::Error::new(word.span(), message)).hiding_body());
    }
    meant::word_of_another_language(input, errors)?;
    let early = meant::word_in_front(input)?;
    let name = name(input, errors)?;
    let child = Child {
        docs,
        cfgs,
        settings,
        defaults: Vec::new(),
        unknown,
        vis,
        name,
        shape: None,
        start: None,
        spawned: false,
    };
    items.push(Item::Child(Box::new(child)));
    let Some(Item::Child(child)) = items.last_mut() else { return Ok(()) };
    rest(input, around, child, errors)
        .map(|()| {
            if let Some(word) = early {
                meant::word_behind(word, child, errors);
            }
        })
        .map_err(|error| match child.shape {
            Some(_) => error.into(),
            // Without a type the name cannot be declared, and each mention of it would be a second error.
            None => Mistake::from(error).hiding_body(),
        })
}

/// Reads the attributes above an entry, with a `;` after one of them.
fn attributes(input: ParseStream, errors: &mut Errors) -> syn::Result<Vec<Attribute>> {
    let mut attributes = input.call(Attribute::parse_outer)?;
    while !attributes.is_empty() && input.peek(Token![;]) {
        errors.on(input.parse::<Token![;]>()?, "a setting belongs to the child below it; remove the `;`");
        attributes.extend(input.call(Attribute::parse_outer)?);
    }
    Ok(attributes)
}

/// Returns whether one of the attributes is a setting of a child.
fn is_child(attributes: &[Attribute]) -> bool {
    let names = attributes.iter().filter_map(|attribute| attribute.path().get_ident());
    names.into_iter().any(|name| find(&name.to_string()).is_some_and(|known| !matches!(known.place, Place::Tree)))
}

/// Returns whether a child follows that is written as a `let`: `let db: Db = start,`.
fn begins_let_child(input: ParseStream) -> bool {
    let ahead = input.fork();
    let read = || -> syn::Result<bool> {
        ahead.parse::<Token![let]>()?;
        ahead.parse::<Ident>()?;
        ahead.parse::<Token![:]>()?;
        ahead.parse::<Type>()?;
        ahead.parse::<Token![=]>()?;
        ahead.parse::<Expr>()?;
        Ok(ahead.is_empty() || ahead.peek(Token![,]))
    };
    read().unwrap_or(false)
}

/// The words with which items of Rust begin. `struct` begins a tree.
const ITEMS: [&str; 13] =
    ["async", "const", "enum", "extern", "fn", "impl", "mod", "static", "trait", "type", "union", "unsafe", "use"];

/// Returns the first word of an item of Rust, which is no name of an entry.
pub(super) fn stray_item(input: ParseStream) -> Option<Ident> {
    let is_name =
        input.peek2(Token![:]) && !input.peek2(Token![::]) || input.peek2(Token![=]) || input.peek2(Token![,]);
    let word = input.fork().call(Ident::parse_any).ok()?;
    (!is_name && !input.peek2(End) && ITEMS.iter().any(|item| word == item)).then_some(word)
}

/// Returns the first word of an expression that chooses or repeats, which is no name of a child.
fn stray_flow(input: ParseStream) -> Option<Ident> {
    let word = input.fork().call(Ident::parse_any).ok()?;
    let is_flow = ["if", "for", "while", "loop", "match"].iter().any(|flow| word == flow);
    (is_flow && !input.peek2(Token![:]) && !input.peek2(Token![=]) && !input.peek2(Token![,]) && !input.peek2(End))
        .then_some(word)
}

/// Skips an item: up to its `;` or the end of its braces.
pub(super) fn skip_item(input: ParseStream) {
    // The braces in `use a::{b, c};` do not end it.
    let is_use = input.peek(Token![use]);
    while !input.is_empty() {
        let ends = input.peek(Token![;]) || (input.peek(token::Brace) && !is_use);
        let _ = input.parse::<TokenTree>();
        if ends {
            return;
        }
    }
}

/// Returns the name of the inline subtree that the next child is.
fn subtree_name(input: ParseStream) -> Option<Ident> {
    let ahead = input.fork();
    ahead.call(Ident::parse_any).ok()?;
    ahead.parse::<Token![:]>().ok()?;
    ahead.parse::<Token![struct]>().ok()?;
    ahead.parse().ok()
}

fn rest(input: ParseStream, around: &Ident, child: &mut Child, errors: &mut Errors) -> syn::Result<()> {
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
    if input.peek(Token![pub]) {
        let vis: Visibility = input.parse()?;
        let shown = to_source(vis.to_token_stream());
        match &child.vis {
            Some(_) => errors.on(&vis, format!("`{name}` has its `pub` in front already; remove this `{shown}`")),
            None => errors.on(&vis, format!("`{shown}` stands in front of the name; write `{shown} {name}: ..`")),
        }
        child.vis.get_or_insert(vis);
    }
    if let Some(start) = meant::start_without_a_type(input) {
        let ty = meant::type_of_start(&start);
        let shown = to_source(start.to_token_stream());
        let written = ty.as_ref().map_or_else(|| "Type".to_owned(), |ty| to_source(ty.to_token_stream()));
        errors.on(&start, format!("the type of a child comes before its start; write `{name}: {written} = {shown},`"));
        child.shape = ty.map(|ty| Shape::One(Unit::Type(Box::new(ty))));
        child.start = Some(start);
        return end(input, &name, errors);
    }
    let shape = shape::shape(input, &name, errors)?;
    if let Shape::One(Unit::Type(ty)) = &shape
        && let Some(item) = meant::behind_a_remote_ref(ty)
    {
        let shown = to_source(item.to_token_stream());
        errors.on(ty, format!("the tree makes the handle; write `{name}: remote {shown}`"));
        let word = Ident::new("remote", span_of(ty));
        let shape = Shape::One(Unit::Remote(word, Box::new(item.clone())));
        return with_shape(input, child, shape, errors);
    }
    if let Some(ty) = one(&shape)
        && let Some(message) = meant::type_of_a_child(ty, &name, around, starts(input))
    {
        errors.reject_on(ty, message);
        if starts(input) {
            input.parse::<Token![=]>()?;
            child.start = Some(input.parse()?);
        }
        return end_of_field(input, &name, errors);
    }
    with_shape(input, child, shape, errors)
}

/// Reads a child from the end of its shape on.
fn with_shape(input: ParseStream, child: &mut Child, shape: Shape, errors: &mut Errors) -> syn::Result<()> {
    let name = child.name.clone();
    child.shape = Some(shape);
    meant::question_mark(input, child, errors)?;
    if let Some(subtree) = child.subtree() {
        if starts(input) {
            let message = format!("the inline subtree `{}` has no start expression; remove it", subtree.name);
            return Err(input.error(message));
        }
        return end(input, &name, errors);
    }
    let ty = child.shape.as_ref().and_then(one).map_or_else(|| "Type".to_owned(), |ty| to_source(ty.to_token_stream()));
    let ty = if child.remote().is_some() { format!("remote {ty}") } else { ty };
    if input.peek(Token![=>]) {
        errors.on(input.parse::<Token![=>]>()?, "the start of a child follows `=`; write `=` for `=>`");
    } else if starts(input) {
        input.parse::<Token![=]>()?;
    } else if is_start(input) {
        let start = input.parse::<Expr>()?;
        let shown = to_source(start.to_token_stream());
        errors.on(&start, format!("the start of a child follows `=`; write `{name}: {ty} = {shown},`"));
        child.start = Some(start);
        return end(input, &name, errors);
    } else {
        errors.at(name.span(), format!("`{name}` has no start expression; write `{name}: {ty} = start,`"));
        return end_of_field(input, &name, errors);
    }
    if let Some(word) = meant::remote_in_front_of_the_start(input)? {
        meant::word_behind(word, child, errors);
    }
    let mut start: Expr = input.parse()?;
    let shown = if child.is_task() { "task" } else { &*ty };
    meant::condition(input, &name, (child.shape.as_ref(), shown), &start, errors)?;
    if child.is_set() {
        kept::owned_arguments(&mut start, errors);
    }
    meant::task(child, &start, errors);
    if child.is_task() {
        meant::start_of_a_task(&mut start, errors);
    }
    child.start = Some(start);
    end(input, &name, errors)
}

/// Returns the type of a single child.
fn one(shape: &Shape) -> Option<&Type> {
    match shape {
        Shape::One(Unit::Type(ty) | Unit::Remote(_, ty)) => Some(ty),
        _ => None,
    }
}

fn starts(input: ParseStream) -> bool {
    input.peek(Token![=]) && !input.peek(Token![=>])
}

/// Returns whether an expression follows after the type of a child, and no other entry.
fn is_start(input: ParseStream) -> bool {
    if input.is_empty() || input.peek(Token![,]) || input.peek(Token![;]) || begins_entry(input) {
        return false;
    }
    let ahead = input.fork();
    ahead.parse::<Expr>().is_ok() && (ahead.is_empty() || ahead.peek(Token![,]))
}

/// Reads the end of a child that is not whole, which may end as a field does elsewhere.
fn end_of_field(input: ParseStream, name: &Ident, errors: &mut Errors) -> syn::Result<()> {
    match input.parse::<Option<Token![;]>>()? {
        Some(_) => Ok(()),
        None => end(input, name, errors),
    }
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
pub(super) fn name(input: ParseStream, errors: &mut Errors) -> syn::Result<Ident> {
    if input.peek(Token![_]) {
        return Err(input.error("`_` is not a name; every child and parameter needs one"));
    }
    let name = input.call(Ident::parse_any)?;
    let text = name.to_string();
    // syn does not know that `gen` is a keyword since edition 2024.
    if text.starts_with("r#") || (text != "gen" && syn::parse_str::<Ident>(&text).is_ok()) {
        return Ok(name);
    }
    if let "self" | "Self" | "super" | "crate" = &*text {
        return Err(syn::Error::new(name.span(), format!("`{text}` is a keyword; use another name")));
    }
    errors.at(name.span(), format!("`{text}` is a keyword; use another name, or `r#{text}`"));
    Ok(Ident::new_raw(&text, name.span()))
}
