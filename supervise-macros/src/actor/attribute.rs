//! `#[actor] impl Db { .. }`: messages and errors are those of `handle`, hooks are marked methods.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Attribute, FnArg, ImplItem, ImplItemFn, ItemImpl, Meta, ReturnType};

use super::hooks::{HOOKS, Hook, dummy, methods, watcher};
use crate::errors::Errors;

/// The whole macro.
pub(crate) fn attribute(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut block: ItemImpl = match syn::parse2(item.clone()) {
        Ok(block) => block,
        Err(_) => return no_impl(&args, item),
    };
    let mut errors = Errors::default();
    if !args.is_empty() {
        errors.on(&args, "`#[actor]` takes no arguments on an `impl` block; the types are those of `handle`");
    }
    if let Some((path, _)) = &block.trait_ {
        errors.on(path, "`#[actor]` stands on an inherent `impl`; remove it, or the trait");
        let errors = errors.to_tokens();
        return quote!(#block #errors);
    }
    let hooks = take_hooks(&mut block, &mut errors);
    let receive = receive(&block, &mut errors);
    let (generics, ty) = (&block.generics, &block.self_ty);
    let Some(receive) = receive.filter(|_| errors.is_empty()) else {
        let dummy = dummy(generics, ty, None, None);
        let errors = errors.to_tokens();
        return quote!(#block #dummy #errors);
    };
    let (params, _, bounds) = generics.split_for_impl();
    let methods = methods(&hooks);
    let watcher = watcher(&hooks, generics, ty);
    quote! {
        #block
        #[automatically_derived]
        impl #params ::supervise::__private::Actor for #ty #bounds {
            #receive
            #methods
        }
        #watcher
    }
}

/// On anything but an `impl` block (rule C14).
fn no_impl(args: &TokenStream, item: TokenStream) -> TokenStream {
    let message = if args.is_empty() {
        "`#[actor]` stands on an `impl` block with `handle`; above a struct write `#[derive(Actor)]`"
    } else {
        "`#[actor(..)]` belongs to `#[derive(Actor)]`; write it below the derive"
    };
    quote!(#item ::core::compile_error! { #message })
}

/// The associated types and `receive`, from `handle`.
fn receive(block: &ItemImpl, errors: &mut Errors) -> Option<TokenStream> {
    let Some(handle) = functions(block).find(|function| function.sig.ident == "handle") else {
        errors.on(
            &block.self_ty,
            "there is no `handle` in this `#[actor] impl`; add `async fn handle(&mut self, msg: Msg, cx: &mut \
             Context<Self>) -> Result<(), Error>`",
        );
        return None;
    };
    let inputs: Vec<&FnArg> = handle.sig.inputs.iter().collect();
    let (Some(FnArg::Receiver(_)), Some(FnArg::Typed(msg)), None) = (inputs.first(), inputs.get(1), inputs.get(3))
    else {
        errors.on(
            &handle.sig.inputs,
            "`handle` takes `&mut self`, a message, and perhaps the context; write `(&mut self, msg: Msg, cx: &mut \
             Context<Self>)`",
        );
        return None;
    };
    let msg = &msg.ty;
    let output: TokenStream = match &handle.sig.output {
        ReturnType::Type(_, ty) => quote!(#ty),
        ReturnType::Default => quote!(()),
    };
    let span = handle.sig.ident.span();
    let cx = inputs.get(2).map(|_| quote!(, cx));
    let wait = handle.sig.asyncness.map(|_| quote!(.await));
    let call = quote_spanned!(span=> Self::handle(self, msg #cx) #wait);
    Some(quote! {
        type Msg = #msg;
        type Error = <#output as ::supervise::__private::HandleOutput>::Error;
        #[allow(unused_variables)]
        async fn receive(
            &mut self,
            msg: Self::Msg,
            cx: &mut ::supervise::__private::Context<Self>,
        ) -> ::core::result::Result<(), Self::Error> {
            ::supervise::__private::HandleOutput::done(#call)
        }
    })
}

/// Takes the markers off the methods.
fn take_hooks(block: &mut ItemImpl, errors: &mut Errors) -> Vec<Hook> {
    let mut hooks: Vec<Hook> = Vec::new();
    for item in &mut block.items {
        let ImplItem::Fn(function) = item else { continue };
        let name = function.sig.ident.clone();
        let (markers, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut function.attrs).into_iter().partition(|attribute| marker(attribute).is_some());
        function.attrs = others;
        let mut kinds: Vec<Ident> = Vec::new();
        for attribute in &markers {
            if !matches!(attribute.meta, Meta::Path(_)) {
                errors.on(attribute, "a marker on a method takes no arguments; write its name alone");
            }
            kinds.extend(marker(attribute));
        }
        if name == "terminated" && kinds.iter().all(|kind| kind != "terminated") {
            kinds.push(name.clone());
        }
        for kind in kinds {
            if hooks.iter().any(|hook| hook.kind == kind) {
                errors.at(kind.span(), format!("this actor has a `{kind}` already; keep one of them"));
                continue;
            }
            hooks.push(Hook { kind, function: quote_spanned!(name.span()=> Self::#name) });
        }
    }
    hooks
}

/// The hook that an attribute marks, however its path is written.
fn marker(attribute: &Attribute) -> Option<Ident> {
    let last = &attribute.path().segments.last()?.ident;
    HOOKS.contains(&&*last.to_string()).then(|| last.clone())
}

fn functions(block: &ItemImpl) -> impl Iterator<Item = &ImplItemFn> {
    block.items.iter().filter_map(|item| match item {
        ImplItem::Fn(function) => Some(function),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(text: &str) -> String {
        let tokens = attribute(TokenStream::new(), text.parse().unwrap());
        assert!(syn::parse2::<syn::File>(tokens.clone()).is_ok(), "{tokens}");
        tokens.to_string()
    }

    #[test]
    fn takes_types_from_handle() {
        let text = expand("impl Db { async fn handle(&mut self, m: Msg, cx: &mut Context<Self>) -> R { x() } }");
        assert!(text.contains("type Msg = Msg ;") && text.contains("< R as"), "{text}");
        assert!(text.contains("Self :: handle (self , msg , cx) . await"), "{text}");
        let text = expand("impl<T: Send> Db<T> { fn handle(&mut self, m: T) {} }");
        assert!(text.contains("Self :: handle (self , msg))") && text.contains("Actor for Db < T >"), "{text}");
    }

    #[test]
    fn strips_markers() {
        let text =
            expand("impl Db { fn handle(&mut self, m: ()) {} #[pre_restart] #[supervise::post_stop] fn x(&self) {} }");
        assert!(!text.contains("# [pre_restart]") && !text.contains("# [supervise"), "{text}");
        assert!(text.contains("restart_hook (Self :: x") && text.contains("start_hook (Self :: x"), "{text}");
    }

    #[test]
    fn stays_an_actor_after_a_mistake() {
        for text in ["impl Db { fn handel(&mut self, m: ()) {} }", "impl Db { fn handle(&mut self) {} }"] {
            let text = expand(text);
            assert!(text.contains("Actor for Db") && text.contains("compile_error"), "{text}");
        }
    }
}
