//! Turns tokens into the model, leniently: a part that cannot be read is reported and skipped, and the parts around it
//! are kept.

mod child;
mod circles;
mod defaults;
pub(crate) mod generics;
mod kept;
mod meant;
mod params;
mod settings;
mod shape;
mod spawned;

use proc_macro2::Delimiter::Parenthesis;
use proc_macro2::{TokenStream, TokenTree};
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Attribute, Generics, Ident, Token, Visibility, WhereClause, braced, parenthesized, token};

pub(crate) use settings::inner;
pub(super) use spawned::spawned;

use super::model::{Body, Item, Shape, Tree};
use crate::errors::{Errors, Mistake, in_line};

/// Reads every tree of one call.
pub(crate) fn trees(input: TokenStream, errors: &mut Errors) -> Vec<Tree> {
    let trees = errors.read(input, |input, errors| {
        let mut trees = Vec::new();
        while !input.is_empty() {
            if let Some(item) = child::stray_item(input).filter(|item| item != "fn" && item != "enum") {
                let message = format!("only trees stand here; move the `{item}` out of the macro");
                errors.push(Mistake::from(syn::Error::new(item.span(), message)).hiding_body());
                child::skip_item(input);
                continue;
            }
            match tree(input, errors) {
                Ok(tree) => trees.push(tree),
                Err(error) => {
                    errors.push(error);
                    skip_tree(input);
                }
            }
            if input.peek(Token![;]) {
                let message = "a tree ends with its braces; remove the `;`";
                errors.at(input.span(), message);
                let _ = input.parse::<Token![;]>();
            }
        }
        circles::broken(&mut trees, errors);
        trees
    });
    trees.unwrap_or_default()
}

fn tree(input: ParseStream, errors: &mut Errors) -> syn::Result<Tree> {
    let (docs, cfgs, others) = split(input.call(Attribute::parse_outer)?);
    let mut above = Vec::new();
    for attribute in others {
        match attribute.path().get_ident() {
            // Above a tree that is declared on its own, these settings can only be meant for the tree.
            Some(name) if ["strategy", "decider", "shutdown"].iter().any(|of_a_tree| name == of_a_tree) => {
                above.push(attribute);
            }
            Some(name) if crate::settings::names(true).contains(&&*name.to_string()) => {
                errors.on(
                    &attribute,
                    format!("`{name}` governs the children of a tree; write `#![{name}(..)]` inside the braces"),
                );
            }
            Some(name) if name == "derive" => {
                let message = "the handle of a tree is `Clone`, `Debug`, `Eq` and `Hash` already; remove this `derive`";
                errors.on(&attribute, message);
            }
            _ => errors.on(&attribute, "only `///` and `#[cfg(..)]` are allowed above a tree; remove this attribute"),
        }
    }
    let vis: Visibility = input.parse()?;
    if !input.peek(Token![struct]) {
        return Err(input.error("expected a tree; write `struct Name(parameters) { .. }`"));
    }
    input.parse::<Token![struct]>()?;
    let name: Ident = input.parse()?;
    let mut generics: Generics = input.parse()?;
    let lifetimes = generics::lifetimes(&mut generics, "a tree may outlive its caller", errors);
    let head =
        Tree { docs, cfgs, vis, name, generics, params: Vec::new(), unsure_params: false, body: Body::default() };
    let mut tree = if lifetimes.is_empty() {
        rest(input, head, errors)?
    } else {
        let head = Tree { unsure_params: true, ..head };
        let tokens = generics::without(tokens_of_tree(input), &lifetimes);
        errors.read(tokens, |input, errors| rest(input, head, errors)).unwrap_or_else(|| Err(input.error(NO_BODY)))?
    };
    settings::above(above, &mut tree.body, errors);
    Ok(tree)
}

const NO_BODY: &str = "expected `{ .. }` with the children of the tree";

/// Reads a tree from its parameters on.
fn rest(input: ParseStream, mut tree: Tree, errors: &mut Errors) -> syn::Result<Tree> {
    let (at, ahead) = (input.span(), input.fork());
    let misplaced = || syn::Error::new(at, "this `where` clause stands after the parameters; move it behind the `)`");
    let early: Option<WhereClause> = input.parse().map_err(|error| {
        // In `T: Send (first: T)` the parameters look like those of `Fn(u8)`.
        let has_parameters = |token| matches!(token, TokenTree::Group(group) if group.delimiter() == Parenthesis);
        if tokens_of_tree(&ahead).into_iter().any(has_parameters) { misplaced() } else { error }
    })?;
    if input.peek(token::Paren) {
        let inside;
        parenthesized!(inside in input);
        let unsure;
        (tree.params, unsure) = params::params(&inside, &tree.name, errors);
        tree.unsure_params |= unsure;
        if early.is_some() {
            errors.push(misplaced());
        }
    }
    let late: Option<WhereClause> = input.parse()?;
    tree.generics.where_clause = late.or(early);
    generics::bounds(&mut tree, errors);
    if !input.peek(token::Brace) {
        return Err(input.error(NO_BODY));
    }
    let inside;
    braced!(inside in input);
    tree.body = body(&inside, &tree.name, errors);
    let names: Vec<Ident> = tree.params.iter().map(|param| param.name.clone()).collect();
    meant::names(&mut tree.body, &names, errors);
    told_apart(&mut tree.body, &mut vec![tree.name.clone()], errors);
    Ok(tree)
}

/// Renames the second of two structs with one name, since everything that is generated for them would conflict (rule
/// C2).
fn told_apart(body: &mut Body, taken: &mut Vec<Ident>, errors: &mut Errors) {
    for item in &mut body.items {
        let Item::Child(child) = item else { continue };
        let Some(Shape::Inline(subtree)) = &mut child.shape else { continue };
        let conditional = !child.cfgs.is_empty();
        if let Some(first) = taken.iter().find(|name| **name == subtree.name && !conditional) {
            let (name, first) = (&subtree.name, in_line(first.span()));
            let message = format!("`{name}` is already the name of the tree{first}; give this one another name");
            errors.at(name.span(), message);
            subtree.name = Ident::new(&format!("__{}_{}", subtree.name, taken.len()), subtree.name.span());
        }
        taken.push(subtree.name.clone());
        told_apart(&mut subtree.body, taken, errors);
    }
}

/// Reads the content of the braces of the tree or subtree `name`.
pub(crate) fn body(input: ParseStream, name: &Ident, errors: &mut Errors) -> Body {
    let mut body = Body::default();
    while !input.is_empty() {
        if input.peek(Token![#]) && input.peek2(Token![!]) {
            match Attribute::parse_inner(input) {
                Ok(attributes) => {
                    inner(attributes, &mut body, errors);
                    if let Ok(Some(semicolon)) = input.parse::<Option<Token![;]>>() {
                        errors.on(semicolon, "a setting ends with its brackets; remove the `;`");
                    }
                }
                Err(error) => {
                    errors.push(error);
                    resync(input);
                }
            }
        } else {
            let before = body.items.len();
            if let Err(error) = child::entry(input, name, &mut body.items, errors) {
                body.lost_entry |= body.items.len() == before;
                errors.push(error);
                resync(input);
            }
        }
    }
    defaults::hand_out(&mut body);
    body
}

/// Splits attributes into documentation, `cfg`s, and the rest.
fn split(attributes: Vec<Attribute>) -> (Vec<Attribute>, Vec<Attribute>, Vec<Attribute>) {
    let (docs, others): (Vec<_>, Vec<_>) = attributes.into_iter().partition(|a| a.path().is_ident("doc"));
    let (cfgs, others) = others.into_iter().partition(|a| a.path().is_ident("cfg"));
    (docs, cfgs, others)
}

/// Skips to the next entry: after a `,` or `;`, or where an entry clearly begins.
fn resync(input: ParseStream) {
    while !input.is_empty() {
        if input.peek(Token![,]) || input.peek(Token![;]) {
            let _ = input.parse::<TokenTree>();
            if begins_entry(input) {
                return;
            }
        } else if input.peek(Token![let]) || (input.peek(Token![#]) && input.peek2(token::Bracket)) {
            return;
        } else {
            let _ = input.parse::<TokenTree>();
        }
    }
}

/// Returns whether a child or a `let` can begin here.
fn begins_entry(input: ParseStream) -> bool {
    if input.is_empty() || input.peek(Token![let]) || input.peek(Token![#]) || input.peek(Token![pub]) {
        return true;
    }
    let assigned = input.peek2(Token![=]) && !input.peek2(Token![==]) && !input.peek2(Token![=>]);
    let typed = input.peek2(Token![:]) && !input.peek2(Token![::]);
    if !(input.peek(Ident) && (typed || assigned)) {
        return false;
    }
    // `b: B|` is a parameter of a closure, not a child.
    let ahead = input.fork();
    while !(ahead.is_empty() || ahead.peek(Token![=]) || ahead.peek(Token![,])) {
        if ahead.peek(Token![|]) {
            return false;
        }
        let _ = ahead.parse::<TokenTree>();
    }
    true
}

fn skip_tree(input: ParseStream) {
    drop(tokens_of_tree(input));
}

/// Takes the tokens up to the end of the next braces.
fn tokens_of_tree(input: ParseStream) -> TokenStream {
    let mut tokens = TokenStream::new();
    while !input.is_empty() {
        let whole = input.peek(token::Brace);
        tokens.extend(input.parse::<TokenTree>());
        if whole {
            break;
        }
    }
    tokens
}

/// Returns whether the body has an entry already, after which settings of the tree come too late.
fn started(items: &[Item]) -> bool {
    !items.is_empty()
}

/// Returns the place of a whole attribute.
fn whole(attribute: &Attribute) -> proc_macro2::Span {
    attribute.pound_token.span.join(attribute.bracket_token.span.close()).unwrap_or_else(|| attribute.span())
}
