//! The answer of a message: the kinds of values that a method returns, distinguished by their types alone.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{GenericArgument, PathArguments, PathSegment, ReturnType, Type};

use super::{borrows, of_self, peeled};
use crate::errors::Errors;
use crate::pretty::to_source;

/// The answer of a method.
pub(super) struct Answer {
    /// The type that the caller gets.
    pub(super) gets: TokenStream,
    /// Whether the method may fail its actor, by a `Thrown`.
    pub(super) throws: bool,
    /// Whether the type is a mistake.
    pub(super) is_wrong: bool,
    /// Whether the method answers by itself, through a `Reply`.
    pub(super) later: bool,
}

/// Reads the return type. `reply`: the type of the answer that the method gives through a `Reply`.
pub(super) fn of(output: &ReturnType, actor: &Type, reply: Option<&TokenStream>, errors: &mut Errors) -> Answer {
    let mut answer = Answer { gets: quote!(()), is_wrong: false, throws: false, later: reply.is_some() };
    if let ReturnType::Type(_, ty) = output {
        let mut inner = peeled(ty);
        if let Some((ok, Some(error))) = result(ty)
            && is_thrown(error)
        {
            (inner, answer.throws) = (peeled(ok), true);
        }
        if let Some((ok, error)) = result(inner) {
            not_told_apart(inner, ok, error, answer.throws, errors);
        }
        answer.is_wrong = cannot_leave(inner, errors);
        if answer.later && !is_unit(inner) {
            errors.on(inner, "a method with a `Reply` answers through it; return nothing, or `Result<(), Thrown>`");
        }
        answer.gets = of_self(inner.to_token_stream(), actor);
    }
    if let Some(reply) = reply {
        (answer.gets, answer.is_wrong) = (reply.clone(), false);
    }
    answer
}

/// Reports an answer that borrows from the actor, or has no type. Returns whether it is one.
fn cannot_leave(ty: &Type, errors: &mut Errors) -> bool {
    let message = match ty {
        Type::ImplTrait(_) => "an answer has one type; write it, and `async fn` for a future",
        Type::Never(_) => "a message is answered, or fails its actor; return nothing, or `Result<(), Thrown>`",
        ty if borrows(ty) => "an answer leaves the actor; return an owned value, such as `String` for `&str`",
        _ => return false,
    };
    errors.on(ty, message);
    true
}

/// Reports an error of any type, which may be meant for the caller or for the supervisor.
fn not_told_apart(ty: &Type, ok: &Type, error: Option<&Type>, throws: bool, errors: &mut Errors) {
    let question = |thrown: &str| {
        format!(
            "this error may be for the caller or for the supervisor; write `{thrown}` if the actor has failed, or an error \
             type of your own if the caller gets it"
        )
    };
    let text = |ty: &Type| to_source(ty.to_token_stream());
    match error {
        Some(error) if is_thrown(error) && throws => {
            errors.on(
                error,
                "this error is a failure of the actor, and so is the outer one; write `Result<.., Thrown>` once",
            );
        }
        Some(error) if is_any(error, &text(error)) => errors.on(error, question("Thrown")),
        // `anyhow::Result<T>`
        None if text(ty).contains("anyhow::") || text(ty).contains("eyre::") => {
            errors.on(ty, question(&format!("Result<{}, Thrown>", text(ok))));
        }
        _ => {}
    }
}

/// Returns whether an error can be any error.
fn is_any(error: &Type, text: &str) -> bool {
    let boxed =
        segment(error).is_some_and(|last| last.ident == "Box") && text.contains("dyn ") && text.contains("Error");
    segment(error).is_some_and(|last| last.ident == "BoxError")
        || boxed
        || text.ends_with("anyhow::Error")
        || text.ends_with("eyre::Report")
}

fn is_thrown(ty: &Type) -> bool {
    segment(ty).is_some_and(|last| last.ident == "Thrown")
}

fn is_unit(ty: &Type) -> bool {
    matches!(ty, Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// Returns the types of a `Result`.
fn result(ty: &Type) -> Option<(&Type, Option<&Type>)> {
    let last = segment(ty).filter(|last| last.ident == "Result")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    Some((types.next()?, types.next()))
}

fn segment(ty: &Type) -> Option<&PathSegment> {
    match peeled(ty) {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}
