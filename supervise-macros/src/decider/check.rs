//! Rule C10: which type an arm names, and which arms are mistakes.

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Expr, Pat, PatTupleStruct, Path, PathSegment, QSelf, Token, Type, TypePath};

use super::{Arm, Decider};
use crate::duration;
use crate::errors::{Errors, alternatives, did_you_mean};
use crate::pretty::to_source;
use crate::tree::model::word;

/// The type that an arm names.
#[derive(Debug, Clone)]
pub(super) enum Subject {
    /// `_`, with or without a guard: every failure.
    Any,
    /// `pattern: Type`
    Typed(Type),
    /// `Enum::Variant`: the path without its last segment.
    Enum(Type),
}

impl Subject {
    pub(super) fn ty(&self) -> Option<&Type> {
        match self {
            Subject::Any => None,
            Subject::Typed(ty) | Subject::Enum(ty) => Some(ty),
        }
    }
}

/// Reports mistakes in the arms of a decider.
pub(crate) fn check(decider: &Decider, errors: &mut Errors) {
    for expr in decider.exprs() {
        duration::check(expr, errors);
    }
    let Decider::Arms(arms) = decider else { return };
    let mut closed = false;
    for arm in &arms.list {
        if closed {
            errors.on(&arm.pat, "this arm is never reached: `_` above it takes every failure; move `_` to the end");
            break;
        }
        if let Some(answer) = word(&arm.answer)
            && !DIRECTIVES.contains(&&*answer.to_string())
        {
            let near = did_you_mean(&answer.to_string(), &DIRECTIVES);
            let repair = match near.contains("known here") {
                true => format!("; write {}", alternatives(&DIRECTIVES)),
                false => near,
            };
            errors.reject_at(answer.span(), format!("unknown directive `{answer}`{repair}"));
        }
        if let Expr::Call(call) = &arm.answer
            && let Some(called) = word(&call.func)
            && DIRECTIVES.contains(&&*called.to_string())
        {
            let message = format!("a directive takes no argument; write `{called}`, and the delay in a `backoff(..)`");
            errors.reject_on(&arm.answer, message);
        }
        match subject(arm) {
            Ok(Subject::Any) => closed = arm.is_always(),
            Ok(_) => {}
            Err(error) => errors.push(error),
        }
    }
}

/// The words that an arm can answer.
const DIRECTIVES: [&str; 5] = ["Resume", "Restart", "Stop", "Escalate", "Default"];

/// Returns the type that an arm names.
pub(super) fn subject(arm: &Arm) -> syn::Result<Subject> {
    match &arm.ty {
        Some(ty) => Ok(Subject::Typed(ty.clone())),
        None => of_pattern(&arm.pat),
    }
}

fn of_pattern(pat: &Pat) -> syn::Result<Subject> {
    match pat {
        Pat::Wild(_) => Ok(Subject::Any),
        Pat::Path(path) => of_path(pat, path.qself.as_ref(), &path.path),
        Pat::TupleStruct(PatTupleStruct { qself: None, path, elems, .. })
            if elems.len() == 1 && ["Err", "Ok", "Some"].iter().any(|word| path.is_ident(word)) =>
        {
            let (of, inner) = (to_source(path.to_token_stream()), to_source(elems.to_token_stream()));
            let message = format!("an arm is about the error itself; write `{inner}`, without `{of}(..)`");
            Err(syn::Error::new_spanned(pat, message))
        }
        Pat::TupleStruct(tuple) => of_path(pat, tuple.qself.as_ref(), &tuple.path),
        Pat::Struct(fields) => of_path(pat, fields.qself.as_ref(), &fields.path),
        Pat::Paren(inner) => of_pattern(&inner.pat),
        Pat::Reference(inner) => of_pattern(&inner.pat),
        Pat::Ident(ident) => match &ident.subpat {
            Some((_, inner)) => of_pattern(inner),
            None => Err(bare(pat, &ident.ident.to_string(), "")),
        },
        Pat::Or(or) => of_cases(pat, &or.cases),
        _ => Err(syn::Error::new_spanned(
            pat,
            "an arm must say which type of failure it is about; write `pattern: Type`",
        )),
    }
}

fn of_cases(pat: &Pat, cases: &Punctuated<Pat, Token![|]>) -> syn::Result<Subject> {
    let mut first: Option<Subject> = None;
    for case in cases {
        let next = of_pattern(case)?;
        match &first {
            Some(first) if key(first) != key(&next) => {
                return Err(syn::Error::new_spanned(
                    pat,
                    "one arm cannot name two types; write an arm for each of them",
                ));
            }
            Some(_) => {}
            None => first = Some(next),
        }
    }
    Ok(first.unwrap_or(Subject::Any))
}

fn of_path(pat: &Pat, qself: Option<&QSelf>, path: &Path) -> syn::Result<Subject> {
    let depth = qself.map_or(0, |qself| qself.position);
    if path.segments.len() < 2 || path.segments.len() - 1 < depth {
        let name = path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        return Err(bare(pat, &name, if matches!(pat, Pat::Path(_)) { "" } else { "(..)" }));
    }
    let mut parent = path.clone();
    parent.segments.pop();
    parent.segments.pop_punct();
    // A path through a module names a type. It could name a variant that the module imports, which is very unusual.
    let module = |segment: &PathSegment| segment.ident.to_string().starts_with(|c: char| c.is_lowercase());
    if qself.is_none() && parent.segments.last().is_some_and(module) {
        return Err(alone(pat, path));
    }
    Ok(Subject::Enum(Type::Path(TypePath { attrs: Vec::new(), qself: qself.cloned(), path: parent })))
}

/// Reports a pattern of one segment. A name would match everything, and a tuple struct does not show its type.
fn bare(pat: &Pat, name: &str, fields: &str) -> syn::Error {
    let shown = to_source(pat.to_token_stream());
    let message = if fields.is_empty() {
        format!(
            "`{shown}` alone would match every failure; write `_: {name}` for an error type, or `Enum::{name}` for a \
             variant"
        )
    } else {
        format!(
            "`{shown}` does not say its type; write `{shown}: {name}` for a struct, or `Enum::{name}` for a variant"
        )
    };
    syn::Error::new_spanned(pat, message)
}

/// Reports a type in the place of a pattern.
fn alone(pat: &Pat, path: &Path) -> syn::Error {
    let (shown, ty) = (to_source(pat.to_token_stream()), to_source(path.to_token_stream()));
    let message = match pat {
        Pat::Path(_) => format!("`{shown}` is a type, and an arm begins with a pattern; write `_: {ty}`"),
        _ => format!("`{shown}` does not say its type; write `{shown}: {ty}`"),
    };
    syn::Error::new_spanned(pat, message)
}

/// Returns a key that is equal for arms that name the same type.
pub(super) fn key(subject: &Subject) -> String {
    subject.ty().map(|ty| to_source(ty.to_token_stream()).replace("::<", "<")).unwrap_or_default()
}
