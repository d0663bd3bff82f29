//! The hooks of an actor: what they are called, and the trait methods that call them.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Generics, Type};

/// Every hook that can be named by an attribute.
pub(super) const HOOKS: &[&str] =
    &["pre_start", "post_stop", "pre_restart", "post_restart", "terminated", "supervision"];

/// A hook and the function behind it, as a path.
pub(super) struct Hook {
    /// The attribute that names it.
    pub(super) kind: Ident,
    /// `Self::flush`
    pub(super) function: TokenStream,
}

/// The methods of `impl Actor` that call the hooks.
pub(super) fn methods(hooks: &[Hook]) -> TokenStream {
    hooks.iter().filter_map(method).collect()
}

fn method(hook: &Hook) -> Option<TokenStream> {
    let Hook { kind, function } = hook;
    // The trait's method keeps a name of the macro's own: the user's attribute is no definition of it.
    let name = format_ident!("{kind}", span = Span::call_site());
    let call = match &*kind.to_string() {
        "pre_restart" | "post_restart" => {
            let call = quote_spanned! {function.span()=>
                ::supervise::__private::restart_hook(#function, self, failure, cx).await
            };
            quote! {
                async fn #name(
                    &mut self,
                    failure: &::supervise::__private::Failure,
                    cx: &mut ::supervise::__private::Context<Self>,
                ) -> ::core::result::Result<(), Self::Error> { #call }
            }
        }
        "pre_start" | "post_stop" => {
            let call = quote_spanned! {function.span()=>
                ::supervise::__private::start_hook(#function, self, cx).await
            };
            quote! {
                async fn #name(
                    &mut self,
                    cx: &mut ::supervise::__private::Context<Self>,
                ) -> ::core::result::Result<(), Self::Error> { #call }
            }
        }
        "supervision" => {
            let call = quote_spanned!(function.span()=> #function(self));
            quote! {
                fn #name(&self) -> ::supervise::__private::SupervisorStrategy { #call }
            }
        }
        _ => return None,
    };
    Some(call)
}

/// `impl Watcher`, if there is a `terminated`.
pub(super) fn watcher(hooks: &[Hook], generics: &Generics, ty: &dyn ToTokens) -> Option<TokenStream> {
    let function = &hooks.iter().find(|hook| hook.kind == "terminated")?.function;
    let (params, _, bounds) = generics.split_for_impl();
    let call = quote_spanned! {function.span()=>
        ::supervise::__private::end_hook(#function, self, who, ended, cx).await
    };
    Some(quote! {
        #[automatically_derived]
        impl #params ::supervise::__private::Watcher for #ty #bounds {
            async fn terminated(
                &mut self,
                who: &::supervise::__private::Watched,
                ended: &::supervise::__private::Ended,
                cx: &mut ::supervise::__private::Context<Self>,
            ) -> ::core::result::Result<(), <Self as ::supervise::__private::Actor>::Error> { #call }
        }
    })
}

/// `impl Actor` for a type whose own could not be written: it keeps the mistake the only one.
pub(super) fn dummy(generics: &Generics, ty: &dyn ToTokens, msg: Option<&Type>, error: Option<&Type>) -> TokenStream {
    let (params, _, bounds) = generics.split_for_impl();
    let msg = msg.map_or_else(|| quote!(()), |msg| quote!(#msg));
    let error = error.map_or_else(|| quote!(::core::convert::Infallible), |error| quote!(#error));
    quote! {
        #[automatically_derived]
        impl #params ::supervise::__private::Actor for #ty #bounds {
            type Msg = #msg;
            type Error = #error;
            async fn receive(
                &mut self,
                _: Self::Msg,
                _: &mut ::supervise::__private::Context<Self>,
            ) -> ::core::result::Result<(), Self::Error> {
                ::core::unreachable!()
            }
        }
        #[automatically_derived]
        impl #params ::supervise::__private::Watcher for #ty #bounds {
            async fn terminated(
                &mut self,
                _: &::supervise::__private::Watched,
                _: &::supervise::__private::Ended,
                _: &mut ::supervise::__private::Context<Self>,
            ) -> ::core::result::Result<(), <Self as ::supervise::__private::Actor>::Error> {
                ::core::unreachable!()
            }
        }
    }
}

/// An attribute of a hook where nothing would call it (rule C14): the item stays as it is.
pub(crate) fn stray(name: &str, item: TokenStream) -> TokenStream {
    let on_struct = item
        .clone()
        .into_iter()
        .any(|token| matches!(&token, proc_macro2::TokenTree::Ident(word) if word == "struct" || word == "enum"));
    let message = if on_struct {
        format!("`#[{name}(..)]` belongs to `#[derive(Actor)]`; write it below the derive")
    } else {
        format!("nothing would call this `{name}`; write `#[actor]` above the `impl` block")
    };
    quote!(#item ::core::compile_error! { #message })
}
