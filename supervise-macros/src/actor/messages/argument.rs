//! The arguments of a message.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, Generics, ImplItemFn, Pat, PatType, Type, parse_quote};

use super::{borrows, of_self, own, peeled};
use crate::actor::hooks::names;
use crate::actor::signatures::last;
use crate::errors::Errors;
use crate::paths::Supervise;
use crate::pretty::to_source;

/// An argument of a method.
pub(super) enum Argument {
    /// Travels as it is.
    Owned { name: Ident, ty: TokenStream },
    /// `&T`: owned on the way, and lent to the method. `into`: the sender gives anything that becomes it.
    Lent { name: Ident, owned: TokenStream, into: bool },
    /// The caller's own `Reply<R>`, with this `R`.
    Reply { name: Ident, of: TokenStream },
    /// `&mut Context<Self>`
    Context,
    /// A mistake. A call has the type that is written, if it has one.
    Wrong { name: Ident, ty: TokenStream },
}

/// Reads the arguments behind `self`. `generic`: the parameters of the method, which are a mistake.
pub(super) fn all(function: &ImplItemFn, ty: &Type, generic: &[&Ident], errors: &mut Errors) -> Vec<Argument> {
    let typed = function.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(typed),
        FnArg::Receiver(_) => None,
    });
    let (mut has_reply, mut has_context) = (false, false);
    let read = |(at, argument): (usize, &PatType)| {
        let read = one(at, argument, ty, generic, errors);
        let twice = match &read {
            Argument::Reply { .. } => std::mem::replace(&mut has_reply, true).then_some("a message has one reply"),
            Argument::Context => std::mem::replace(&mut has_context, true).then_some("a method has one context"),
            _ => None,
        };
        if let Some(what) = twice {
            errors.on(argument, format!("{what}; remove this argument"));
        }
        read
    };
    typed.enumerate().map(read).collect()
}

fn one(at: usize, argument: &PatType, actor: &Type, generic: &[&Ident], errors: &mut Errors) -> Argument {
    let name = match &*argument.pat {
        Pat::Ident(pattern) => pattern.ident.clone(),
        _ => own(&format!("argument_{at}")),
    };
    if let Some(condition) = argument.attrs.iter().find(|attribute| attribute.path().is_ident("cfg")) {
        errors.on(condition, "an argument of a message is there or not; write the condition above the method");
    }
    let ty = peeled(&argument.ty);
    let owned = |ty: &Type| of_self(ty.to_token_stream(), actor);
    let wrong = |name| Argument::Wrong { name, ty: owned(ty) };
    if generic.iter().any(|generic| names(ty.to_token_stream(), &generic.to_string())) {
        return Argument::Wrong { name, ty: quote!(impl ::core::marker::Sized) };
    }
    match ty {
        Type::Reference(lent) if is_context(&lent.elem) => Argument::Context,
        Type::Reference(lent) if is_reply(&lent.elem) => {
            let reply = to_source(lent.elem.to_token_stream());
            errors.on(ty, format!("an answer uses up its reply, which is not lent; write `{reply}`"));
            let of = last(&lent.elem).and_then(|(_, of)| of).map(owned).unwrap_or_else(|| quote!(()));
            Argument::Reply { name, of }
        }
        Type::Reference(lent) if lent.mutability.is_some() => {
            errors.on(ty, "a message cannot change what its sender has; take the value, and return the new one");
            wrong(name)
        }
        Type::Reference(lent) if lent.lifetime.as_ref().is_some_and(|lifetime| lifetime.ident == "static") => {
            Argument::Owned { name, ty: owned(ty) }
        }
        Type::Reference(lent) if matches!(*lent.elem, Type::TraitObject(_) | Type::ImplTrait(_)) => {
            errors.on(ty, format!("a message owns its arguments; write `{}`", boxed(&lent.elem)));
            wrong(name)
        }
        Type::Reference(lent) if borrows(&lent.elem) => {
            errors.on(ty, NO_BORROW);
            wrong(name)
        }
        Type::Reference(lent) => {
            let (owned, into) = of_lent(&lent.elem, actor);
            Argument::Lent { name, owned, into }
        }
        Type::ImplTrait(_) => {
            let repair = match to_source(ty.to_token_stream()) {
                text if text.starts_with("impl Fn") => format!("write `{}`", boxed(ty)),
                _ => "write the type itself".to_owned(),
            };
            errors.on(ty, format!("a message has one type; {repair}"));
            wrong(name)
        }
        ty if is_context(ty) => {
            let context = to_source(ty.to_token_stream());
            errors.on(argument, format!("the context is lent to a method; write `{name}: &mut {context}`"));
            Argument::Context
        }
        ty if is_reply(ty) => match last(ty) {
            Some((_, Some(of))) => Argument::Reply { name, of: owned(of) },
            _ => {
                errors.on(ty, "a reply has a type; write `Reply<u64>` with the type of the answer");
                Argument::Reply { name, of: errors.failed_type().unwrap_or_default() }
            }
        },
        ty if borrows(ty) => {
            errors.on(ty, NO_BORROW);
            wrong(name)
        }
        ty => Argument::Owned { name, ty: owned(ty) },
    }
}

/// Returns the type of a value of a trait, `Box<dyn Fn(u32) + Send>`.
fn boxed(ty: &Type) -> String {
    let text = to_source(ty.to_token_stream());
    let bounds = text.trim_start_matches("impl ").trim_start_matches("dyn ");
    let send = if bounds.contains("Send") { "" } else { " + Send" };
    format!("Box<dyn {bounds}{send}>")
}

/// Lends the context to a method that takes it, and gives a `Reply` without a type one, so that rustc does not report
/// again what was reported.
pub(super) fn mend(function: &mut ImplItemFn, errors: &Errors) {
    for input in &mut function.sig.inputs {
        let FnArg::Typed(argument) = input else { continue };
        let ty = &argument.ty;
        if is_context(ty) {
            *argument.ty = parse_quote!(&mut #ty);
        } else if is_reply(ty)
            && !matches!(last(ty), Some((_, Some(_))))
            && let Some(failed) = errors.failed_type()
        {
            *argument.ty = Type::Verbatim(failed);
        }
    }
}

const NO_BORROW: &str =
    "a message owns its arguments; write an owned type, such as `Option<String>` for `Option<&str>`, or `&str` alone";

fn is(ty: &Type, name: &str) -> bool {
    last(ty).is_some_and(|(last, _)| last == name)
}

/// Returns whether a type is the context of an actor. A type of another library has no argument, or a path.
fn is_context(ty: &Type) -> bool {
    is(ty, "Context") && is_ours(ty)
}

fn is_reply(ty: &Type) -> bool {
    is(ty, "Reply") && is_ours(ty)
}

fn is_ours(ty: &Type) -> bool {
    let has_path = matches!(ty, Type::Path(path) if path.path.segments.len() > 1);
    !has_path || matches!(last(ty), Some((_, Some(_))))
}

/// Returns the owned form of a type that is lent to a method, and whether other types become it.
fn of_lent(ty: &Type, actor: &Type) -> (TokenStream, bool) {
    let shown = of_self(ty.to_token_stream(), actor);
    match ty {
        Type::Slice(slice) => {
            let each = of_self(slice.elem.to_token_stream(), actor);
            (quote_spanned!(ty.span()=> ::std::vec::Vec<#each>), true)
        }
        ty if is(ty, "str") => (quote_spanned!(ty.span()=> ::std::string::String), true),
        ty if ["Path", "OsStr", "CStr"].iter().any(|name| is(ty, name)) => {
            (quote_spanned!(ty.span()=> <#shown as ::std::borrow::ToOwned>::Owned), true)
        }
        _ => (shown, false),
    }
}

impl Argument {
    /// Returns the type of the answer that is given through a `Reply`.
    pub(super) fn reply(&self) -> Option<&TokenStream> {
        match self {
            Argument::Reply { of, .. } => Some(of),
            _ => None,
        }
    }

    /// Emits the parameter of a call.
    pub(super) fn parameter(&self) -> Option<TokenStream> {
        match self {
            Argument::Owned { name, ty } => Some(quote!(#name: #ty)),
            Argument::Lent { name, owned, into: false } => Some(quote!(#name: #owned)),
            Argument::Lent { name, owned, into: true } => Some(quote!(#name: impl ::core::convert::Into<#owned>)),
            Argument::Wrong { name, ty } => Some(quote!(#name: #ty)),
            Argument::Reply { .. } | Argument::Context => None,
        }
    }

    /// Emits the parameter of a constructor, which takes the reply, too: the one of a message that is handled, or none.
    pub(super) fn given(&self) -> Option<TokenStream> {
        match self {
            Argument::Reply { name, of } => {
                Some(quote!(#name: impl ::core::convert::Into<::core::option::Option<#Supervise::Reply<#of>>>))
            }
            _ => self.parameter(),
        }
    }

    /// Emits the value of the variant, from the parameter of a call.
    pub(super) fn value(&self) -> Option<TokenStream> {
        match self {
            Argument::Owned { name, .. } | Argument::Lent { name, into: false, .. } => Some(quote!(#name)),
            Argument::Lent { name, into: true, .. } => Some(quote!(::core::convert::Into::into(#name))),
            Argument::Wrong { name, .. } => Some(quote!({ let _ = #name; })),
            Argument::Reply { .. } | Argument::Context => None,
        }
    }

    /// Emits the type of the variant's field. A type that cannot be sent is reported where it is written.
    pub(super) fn field(&self, generics: &Generics) -> Option<TokenStream> {
        match self {
            Argument::Owned { ty, .. } | Argument::Lent { owned: ty, .. } => Some(checked("IsSent", ty, generics)),
            Argument::Wrong { .. } => Some(quote!(())),
            Argument::Reply { .. } | Argument::Context => None,
        }
    }

    /// Emits the pattern that takes the field.
    pub(super) fn pattern(&self) -> Option<&Ident> {
        match self {
            Argument::Owned { name, .. } | Argument::Lent { name, .. } | Argument::Wrong { name, .. } => Some(name),
            Argument::Reply { .. } | Argument::Context => None,
        }
    }

    /// Emits what the method gets.
    pub(super) fn passed(&self, cx: &Ident, reply: &Ident) -> TokenStream {
        match self {
            Argument::Owned { name, .. } | Argument::Wrong { name, .. } => quote!(#name),
            Argument::Lent { name, .. } => quote!(&#name),
            Argument::Context => quote!(&mut *#cx),
            Argument::Reply { .. } => quote!(__rt::reply_of(#reply)),
        }
    }
}

/// Emits a type by way of a trait that it has to have, so that rustc reports a wrong one where it is written. A constant
/// inside a type cannot name a parameter; where there is none, a constant makes rustc check the type only once.
pub(super) fn checked(by: &str, ty: &TokenStream, generics: &Generics) -> TokenStream {
    let at = ty.span();
    let (supervise, plain) = (Supervise.at(at), format_ident!("{by}", span = at));
    let is_generic =
        generics.type_params().map(|param| &param.ident).any(|param| names(ty.clone(), &param.to_string()))
            || generics.const_params().map(|param| &param.ident).any(|param| names(ty.clone(), &param.to_string()));
    if is_generic {
        return quote_spanned!(at=> <#ty as #supervise::expansion::#plain>::As);
    }
    let checked = format_ident!("{by}If", span = at);
    quote_spanned!(at=> <#ty as #supervise::expansion::#checked<{ <#ty as #supervise::expansion::#plain>::IS }>>::As)
}
