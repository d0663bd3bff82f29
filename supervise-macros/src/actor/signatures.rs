//! Mistakes in the signatures of an `#[actor] impl` that rustc would report elsewhere, or in words of the expansion.

use quote::{ToTokens, format_ident};
use syn::{
    FnArg, GenericArgument, GenericParam, ImplItem, ImplItemFn, ItemImpl, PathArguments, ReceiverKind, ReturnType,
    Signature, Type,
};

use super::hooks::{Hook, cfgs};
use crate::errors::{Errors, in_line};
use crate::pretty::to_source;

/// Reports a second `handle`. Under `#[cfg(..)]`s, which a macro cannot evaluate, several may exclude each other.
pub(super) fn only_one(found: &[&ImplItemFn], errors: &mut Errors) {
    let [first, second, ..] = found else { return };
    if cfgs(&first.attrs).is_empty() && cfgs(&second.attrs).is_empty() {
        let first = in_line(first.sig.ident.span());
        let message =
            format!("an actor has one `handle`, and the first is{first}; make the messages variants of one enum");
        errors.at(second.sig.ident.span(), message);
    }
}

/// Reports a `handle` whose parameters cannot be those of a message and a context. Returns whether its types are unknown.
pub(super) fn is_wrong(function: &Signature, msg: &syn::PatType, cx: Option<&FnArg>, errors: &mut Errors) -> bool {
    let parameter = function.generics.params.iter().find(|param| !matches!(param, GenericParam::Lifetime(_)));
    if let Some(param) = parameter {
        let name = match param {
            GenericParam::Type(param) => &param.ident,
            GenericParam::Const(param) => &param.ident,
            GenericParam::Lifetime(_) => return false,
        };
        let message = format!(
            "an actor has one type of messages, so `handle` cannot be generic; write an enum for `{name}`, or put the \
             parameter on the `impl`"
        );
        errors.on(param, message);
        return true;
    }
    if let Type::ImplTrait(ty) = &*msg.ty {
        errors.on(ty, "an actor has one type of messages; write this type, or an enum");
        return true;
    }
    if let Some(own) = of_handle(&msg.ty) {
        let message = format!(
            "the message follows after `self`, and the own handle is `cx.actor_ref()`; write `(&mut self, msg: Msg, \
             cx: &mut Context<Self>)` without `{own}`"
        );
        errors.on(msg, message);
        return true;
    }
    if let Some(FnArg::Typed(cx)) = cx
        && is_context(&cx.ty)
    {
        let name = to_source(cx.pat.to_token_stream());
        let shown = to_source(cx.ty.to_token_stream());
        errors.on(cx, format!("the context is lent to `handle`; write `{name}: &mut {shown}`"));
        return false;
    }
    if let Type::Reference(lent) = &*msg.ty
        && lent.lifetime.is_none()
        && !is_context(&lent.elem)
    {
        let (name, owned) = (to_source(msg.pat.to_token_stream()), owned(&lent.elem));
        errors.on(msg, format!("a message is owned by its actor; write `{name}: {owned}`"));
        return true;
    }
    false
}

/// Makes the block one that rustc takes, as far as a mistake that is reported would be reported again: a message that is
/// borrowed is owned, and only the first `handle` keeps its name.
pub(super) fn mend(block: &mut ItemImpl) {
    let mut first = true;
    for item in &mut block.items {
        let ImplItem::Fn(function) = item else { continue };
        if function.sig.ident != "handle" {
            continue;
        }
        if !std::mem::take(&mut first) && cfgs(&function.attrs).is_empty() {
            let name = format_ident!("__second_handle", span = function.sig.ident.span());
            function.sig.ident = name;
            function.attrs.push(syn::parse_quote!(#[allow(dead_code)]));
            continue;
        }
        if let Some(FnArg::Typed(msg)) = function.sig.inputs.iter_mut().nth(1)
            && let Type::Reference(lent) = &*msg.ty
            && !is_context(&lent.elem)
            && let Ok(ty) = syn::parse_str(&owned(&lent.elem))
        {
            *msg.ty = ty;
        }
    }
}

/// Reports hooks that take the actor itself.
pub(super) fn receivers(block: &ItemImpl, hooks: &[Hook], errors: &mut Errors) {
    for item in &block.items {
        let ImplItem::Fn(function) = item else { continue };
        let called = format!("Self :: {}", function.sig.ident);
        let Some(hook) = hooks.iter().find(|hook| hook.function.to_string() == called) else { continue };
        match function.sig.inputs.first() {
            Some(FnArg::Receiver(this)) if matches!(this.kind, ReceiverKind::Value) => {
                let message =
                    format!("`{}` borrows the actor, which is dropped after it; write `&mut self`", hook.kind);
                errors.on(this, message);
            }
            Some(FnArg::Receiver(_)) => {}
            _ if is_next_state(&function.sig.output, &block.self_ty) => {
                let message = format!(
                    "`{}` runs on an actor that is there, and this makes one; write `fn {}(&mut self)`, and call this \
                     in the start expression of the child",
                    hook.kind, hook.kind
                );
                errors.at(function.sig.ident.span(), message);
            }
            _ => {}
        }
    }
}

/// Returns whether a function returns its actor: as it is, among several values, or in a `Result`.
pub(super) fn is_next_state(output: &ReturnType, actor: &Type) -> bool {
    let ReturnType::Type(_, output) = output else { return false };
    let is_actor = |ty: &Type| {
        let text = to_source(ty.to_token_stream());
        text == "Self" || text == to_source(actor.to_token_stream())
    };
    match &**output {
        Type::Tuple(several) => several.elems.iter().any(is_actor),
        ty => is_actor(ty) || last(ty).is_some_and(|(_, first)| first.is_some_and(is_actor)),
    }
}

fn is_context(ty: &Type) -> bool {
    last(ty).is_some_and(|(name, _)| name == "Context")
}

/// Returns the handle type of an actor, as a parameter has it in other systems.
fn of_handle(ty: &Type) -> Option<String> {
    let (name, first) = last(ty)?;
    let is_own = first.is_some_and(|first| to_source(first.to_token_stream()) == "Self");
    (name == "ActorRef" && is_own).then(|| to_source(ty.to_token_stream()))
}

/// Returns the last name of a path, and its first argument.
pub(super) fn last(ty: &Type) -> Option<(String, Option<&Type>)> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let first = match &last.arguments {
        PathArguments::AngleBracketed(args) => args.args.iter().find_map(|arg| match arg {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        }),
        _ => None,
    };
    Some((last.ident.to_string(), first))
}

/// Returns the owned form of a borrowed type.
fn owned(ty: &Type) -> String {
    match (ty, &*to_source(ty.to_token_stream())) {
        (_, "str") => "String".to_owned(),
        (_, "Path") => "PathBuf".to_owned(),
        (Type::Slice(slice), _) => format!("Vec<{}>", to_source(slice.elem.to_token_stream())),
        (_, shown) => shown.to_owned(),
    }
}
