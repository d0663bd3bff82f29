//! Reads shapes: `T`, `[T]`, `[T; N]`, `[K => T]`, `Option<T>`, `task`, `struct Name { .. }`; and `remote T` for `T`.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{
    AngleBracketedGenericArguments, Generics, Path, Token, Type, TypePath, Visibility, braced, bracketed,
    parenthesized, token,
};

use super::super::model::{Shape, Subtree, Unit};
use super::{body, kept};
use crate::errors::Errors;
use crate::pretty::to_source;

/// Reads the shape of the child `name`.
pub(super) fn shape(input: ParseStream, name: impl std::fmt::Display, errors: &mut Errors) -> syn::Result<Shape> {
    if let Some(call) = call_of_the_macro(input) {
        let inside;
        braced!(inside in input);
        inside.parse::<Visibility>()?;
        let subtree = subtree(&inside, errors)?;
        let repair = format!("write `{name}: struct {} {{ .. }}`", subtree.name);
        errors.on(call, format!("a subtree is written without the macro; {repair}"));
        return Ok(Shape::Inline(subtree));
    }
    if is_remote(input)
        && let Some(shape) = behind_the_word(input, &name, errors)?
    {
        return Ok(shape);
    }
    if input.peek(Token![struct]) {
        return subtree(input, errors).map(Shape::Inline);
    }
    let is_lower = |word: Ident| word != "task" && word.to_string().starts_with(char::is_lowercase);
    let is_word = input.fork().parse::<Ident>().is_ok_and(is_lower);
    if is_word && input.peek2(syn::Ident) && input.peek3(token::Brace) && !is_remote(input) {
        let word: Ident = input.parse()?;
        let subtree = named(input, errors)?;
        errors.on(
            word,
            format!("an inline subtree begins with `struct`; write `{name}: struct {} {{ .. }}`", subtree.name),
        );
        return Ok(Shape::Inline(subtree));
    }
    if input.peek(token::Bracket) {
        return brackets(input, errors);
    }
    match optional(input)? {
        Some(unit) => Ok(Shape::Optional(unit)),
        None => unit(input).map(Shape::One),
    }
}

/// Reads `Option<T>`, if it stands here.
fn optional(input: ParseStream) -> syn::Result<Option<Unit>> {
    let ahead = input.fork();
    let is_option = |path: Path| path.segments.last().is_some_and(|last| last.ident == "Option");
    if !(ahead.call(Path::parse_mod_style).is_ok_and(is_option) && ahead.peek(Token![<])) {
        return Ok(None);
    }
    input.call(Path::parse_mod_style)?;
    input.parse::<Token![<]>()?;
    let unit = unit(input)?;
    input.parse::<Token![>]>()?;
    Ok(Some(unit))
}

/// Returns whether the word `remote` stands here in front of a type, also in capitals. A type may have this name, too.
fn is_remote(input: ParseStream) -> bool {
    let ahead = input.fork();
    let is_word = ahead.parse::<Ident>().is_ok_and(|word| word.to_string().eq_ignore_ascii_case("remote"));
    is_word && (ahead.peek(Ident::peek_any) || ahead.peek(token::Bracket) || ahead.peek(token::Paren))
}

/// Reads what cannot stand behind `remote`: `[T]` and `Option<T>` as they are meant, and a subtree as an error.
fn behind_the_word(
    input: ParseStream,
    name: impl std::fmt::Display,
    errors: &mut Errors,
) -> syn::Result<Option<Shape>> {
    let ahead = input.fork();
    let word: Ident = ahead.parse()?;
    if ahead.peek(Token![struct]) {
        let message = "a subtree cannot be remote; write an actor that spawns it, and `remote` in front of that actor";
        return Err(syn::Error::new(word.span(), message));
    }
    let is_option = ahead.fork().parse::<Ident>().is_ok_and(|word| word == "Option") && ahead.peek2(Token![<]);
    if !is_option && !ahead.peek(token::Bracket) {
        return Ok(None);
    }
    input.parse::<Ident>()?;
    let far = |unit| match unit {
        Unit::Type(ty) | Unit::Remote(_, ty) => Ok(Unit::Remote(word.clone(), ty)),
        Unit::Task(_) => Err(no_task(&word)),
    };
    let (shape, shown) = match optional(input)? {
        Some(unit) => (Shape::Optional(far(unit)?), "Option<remote Type>"),
        None => match brackets(input, errors)? {
            Shape::Array(unit, count) => (Shape::Array(far(unit)?, count), "[remote Type; N]"),
            Shape::Keyed(key, unit) => (Shape::Keyed(key, far(unit)?), "[Key => remote Type]"),
            Shape::Set(unit) | Shape::One(unit) | Shape::Optional(unit) => (Shape::Set(far(unit)?), "[remote Type]"),
            Shape::Inline(subtree) => return Ok(Some(Shape::Inline(subtree))),
        },
    };
    errors.at(word.span(), format!("`remote` stands in front of the type; write `{name}: {shown}`"));
    Ok(Some(shape))
}

fn no_task(word: &Ident) -> syn::Error {
    let message = "a task cannot be remote; write an actor that runs it, and `remote` in front of that actor";
    syn::Error::new(word.span(), message)
}

/// Takes the tokens `supervisor!`, with or without a path, if braces follow.
fn call_of_the_macro(input: ParseStream) -> Option<TokenStream> {
    let read = |input: ParseStream| -> syn::Result<(Path, Token![!])> {
        let path = input.call(Path::parse_mod_style)?;
        let is_ours = path.segments.last().is_some_and(|last| last.ident == "supervisor");
        if is_ours { Ok((path, input.parse()?)) } else { Err(input.error("another macro")) }
    };
    let ahead = input.fork();
    if read(&ahead).is_err() || !ahead.peek(token::Brace) {
        return None;
    }
    read(input).ok().map(|(path, bang)| quote!(#path #bang))
}

fn brackets(input: ParseStream, errors: &mut Errors) -> syn::Result<Shape> {
    let inside;
    bracketed!(inside in input);
    let ahead = inside.fork();
    let typed = ahead.parse::<Type>().is_ok();
    let arrow = ahead.peek(Token![=>]);
    let shape = if typed && (arrow || ahead.peek(Token![->]) || ahead.peek(Token![:])) {
        let mut key: Type = inside.parse()?;
        kept::owned(&mut key, errors);
        let shown = to_source(key.to_token_stream());
        if arrow {
            inside.parse::<Token![=>]>()?;
            Shape::Keyed(key, unit(&inside)?)
        } else {
            let sign = match inside.parse::<Option<Token![->]>>()? {
                Some(arrow) => arrow.to_token_stream(),
                None => inside.parse::<Token![:]>()?.to_token_stream(),
            };
            let unit = unit(&inside)?;
            let item = match &unit {
                Unit::Type(ty) => to_source(ty.to_token_stream()),
                Unit::Remote(word, ty) => to_source(quote!(#word #ty)),
                Unit::Task(_) => "task".to_owned(),
            };
            errors.on(sign, format!("a key stands before `=>`; write `[{shown} => {item}]`"));
            Shape::Keyed(key, unit)
        }
    } else {
        let unit = unit(&inside)?;
        if inside.peek(Token![;]) {
            inside.parse::<Token![;]>()?;
            Shape::Array(unit, inside.parse()?)
        } else {
            Shape::Set(unit)
        }
    };
    if !inside.is_empty() {
        return Err(inside.error("expected `[Type]`, `[Type; N]` or `[Key => Type]`"));
    }
    Ok(shape)
}

fn unit(input: ParseStream) -> syn::Result<Unit> {
    let word = if is_remote(input) { Some(input.parse::<Ident>()?) } else { None };
    let ahead = input.fork();
    if ahead.parse::<Ident>().is_ok_and(|word| word == "task") && !ahead.peek(Token![::]) {
        let task: Ident = input.parse()?;
        if input.peek(Token![<]) {
            let output: AngleBracketedGenericArguments = input.parse()?;
            return Err(syn::Error::new_spanned(output, "a task has no type of its own; write `task`"));
        }
        return word.map_or(Ok(Unit::Task(task.span())), |word| Err(no_task(&word)));
    }
    let ty: Type = input.parse()?;
    let is_option = |path: &TypePath| {
        path.path.segments.last().is_some_and(|last| last.ident == "Option" && !last.arguments.is_none())
    };
    match &ty {
        Type::Slice(_) | Type::Array(_) => {}
        Type::Path(path) if path.qself.is_none() && is_option(path) => {}
        _ => {
            let ty = Box::new(ty);
            return Ok(word.map_or_else(|| Unit::Type(ty.clone()), |word| Unit::Remote(word, ty.clone())));
        }
    }
    // A shape inside a shape ends here, for example.
    Err(syn::Error::new_spanned(
        &ty,
        "a shape holds an actor, a tree or `task`; declare it as a separate tree, and use that tree here",
    ))
}

fn subtree(input: ParseStream, errors: &mut Errors) -> syn::Result<Subtree> {
    input.parse::<Token![struct]>()?;
    named(input, errors)
}

/// Reads a subtree from its name on.
fn named(input: ParseStream, errors: &mut Errors) -> syn::Result<Subtree> {
    let name: Ident = input.parse()?;
    if input.peek(Token![<]) {
        let generics: Generics = input.parse()?;
        errors.on(&generics, "an inline subtree has the type parameters of the tree around it; remove these");
    }
    if input.peek(token::Paren) {
        let inside;
        let parens = parenthesized!(inside in input);
        errors.at(parens.span.open(), "an inline subtree takes no parameters; it may name those of the tree around it");
        let _ = inside.parse::<TokenStream>();
    }
    if input.peek(Token![=]) && input.peek2(token::Brace) {
        errors.on(input.parse::<Token![=]>()?, "an inline subtree has its children in braces; remove the `=`");
    }
    if !input.peek(token::Brace) {
        return Err(input.error(format!("expected `{{ .. }}` with the children of `{name}`")));
    }
    let inside;
    braced!(inside in input);
    let body = body(&inside, &name, errors);
    Ok(Subtree { name, body })
}
