//! The hooks of an actor: their names, and the trait methods that call them.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, DeriveInput, Generics};

use crate::errors::Errors;
use crate::paths::Supervise;

/// Every hook that can be named by an attribute.
pub(crate) const HOOKS: &[&str] =
    &["pre_start", "post_stop", "pre_restart", "post_restart", "terminated", "supervision"];

/// A hook and the path of the function that it calls.
pub(super) struct Hook {
    /// The attribute that names it.
    pub(super) kind: Ident,
    /// `Self::flush`
    pub(super) function: TokenStream,
    /// The `#[cfg(..)]`s of the function, which are not applied yet when an attribute macro runs.
    pub(super) cfgs: Vec<Attribute>,
}

/// The conditions among the attributes of an item.
pub(super) fn cfgs(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect()
}

/// Emits the methods of `impl Actor` that call the hooks.
pub(super) fn methods(hooks: &[Hook]) -> TokenStream {
    hooks.iter().filter_map(method).collect()
}

fn method(hook: &Hook) -> Option<TokenStream> {
    let Hook { kind, function, cfgs } = hook;
    // The method of the trait has the span of the macro, since the user's attribute does not define it.
    let name = format_ident!("{kind}", span = Span::call_site());
    let call = match &*kind.to_string() {
        "pre_restart" | "post_restart" => {
            let call = quote_spanned! {function.span()=>
                __rt::restart_hook::<Self, _, _>(#function, self, __failure, __cx).await
            };
            quote! {
                #(#cfgs)*
                async fn #name(
                    &mut self,
                    __failure: &__rt::Failure,
                    __cx: &mut __rt::Context<Self>,
                ) -> ::core::result::Result<(), Self::Error> { #call }
            }
        }
        "pre_start" | "post_stop" => {
            let call = quote_spanned! {function.span()=>
                __rt::start_hook::<Self, _, _>(#function, self, __cx).await
            };
            quote! {
                #(#cfgs)*
                async fn #name(
                    &mut self,
                    __cx: &mut __rt::Context<Self>,
                ) -> ::core::result::Result<(), Self::Error> { #call }
            }
        }
        "supervision" => {
            let call = quote_spanned!(function.span()=> #function(self));
            quote! {
                #(#cfgs)*
                fn #name(&self) -> __rt::SupervisorStrategy { #call }
            }
        }
        _ => return None,
    };
    Some(call)
}

/// Emits the constant that says which hooks there are. A hook with a `#[cfg]` counts as one that is there.
pub(super) fn declared(hooks: &[Hook]) -> TokenStream {
    let has = |name: &str| hooks.iter().any(|hook| hook.kind == name);
    let (pre_start, post_stop) = (has("pre_start"), has("post_stop"));
    let (pre_restart, post_restart) = (has("pre_restart"), has("post_restart"));
    quote! {
        const HOOKS: __rt::DeclaredHooks = __rt::DeclaredHooks {
            pre_start: #pre_start,
            post_stop: #post_stop,
            pre_restart: #pre_restart,
            post_restart: #post_restart,
        };
    }
}

/// Emits `impl Watcher` if there is a `terminated`.
pub(super) fn watcher(hooks: &[Hook], generics: &Generics, ty: &dyn ToTokens) -> TokenStream {
    hooks
        .iter()
        .filter(|hook| hook.kind == "terminated")
        .map(|Hook { function, cfgs, .. }| watch(function, cfgs, generics, ty))
        .collect()
}

fn watch(function: &TokenStream, cfgs: &[Attribute], generics: &Generics, ty: &dyn ToTokens) -> TokenStream {
    let (params, _, bounds) = generics.split_for_impl();
    let call = quote_spanned! {function.span()=>
        __rt::end_hook::<Self, _, _>(#function, self, __who, __ended, __cx).await
    };
    quote! {
        #(#cfgs)*
        #[automatically_derived]
        impl #params __rt::Watcher for #ty #bounds {
            async fn terminated(
                &mut self,
                __who: &__rt::Watched,
                __ended: &__rt::Ended,
                __cx: &mut __rt::Context<Self>,
            ) -> ::core::result::Result<(), <Self as __rt::Actor>::Error> { #call }
        }
    }
}

/// Emits the impls in an anonymous constant, which imports the hidden items of the runtime. `outer` holds the conditions
/// of the whole block.
pub(super) fn apart(outer: &[Attribute], traits: TokenStream) -> TokenStream {
    quote! {
        #(#outer)*
        #[allow(unused_qualifications)]
        const _: () = {
            use #Supervise::expansion as __rt;
            #traits
        };
    }
}

/// The types of an actor, as far as they are known.
#[derive(Default)]
pub(super) struct Types {
    pub(super) msg: Option<TokenStream>,
    pub(super) error: Option<TokenStream>,
}

impl Types {
    /// Emits the type of the errors.
    pub(super) fn error(&self) -> TokenStream {
        self.error.clone().unwrap_or_else(|| quote!(::core::convert::Infallible))
    }

    /// Emits the associated types. Without an `error` the actor has none.
    pub(super) fn declare(&self) -> TokenStream {
        let msg = self.msg.clone().unwrap_or_else(|| quote!(()));
        let error = self.error();
        quote! {
            type Msg = #msg;
            type Error = #error;
        }
    }
}

/// Emits the mistakes, and an `impl Actor` that keeps them the only errors: a type that is not known fails with the first
/// of them. The type
/// becomes a watcher only if it has a `terminated`: otherwise the user may have written `impl Watcher`.
pub(super) fn dummy(
    types: Types,
    errors: &Errors,
    watches: bool,
    outer: &[Attribute],
    generics: &Generics,
    ty: &dyn ToTokens,
) -> TokenStream {
    let (params, _, bounds) = generics.split_for_impl();
    let failed = errors.failed_type();
    let types = Types { msg: types.msg.or(failed.clone()), error: types.error.or(failed) }.declare();
    let errors = errors.to_tokens();
    let watcher = watches.then(|| {
        quote! {
            #[automatically_derived]
            impl #params __rt::Watcher for #ty #bounds {
                async fn terminated(
                    &mut self,
                    _: &__rt::Watched,
                    _: &__rt::Ended,
                    _: &mut __rt::Context<Self>,
                ) -> ::core::result::Result<(), <Self as __rt::Actor>::Error> {
                    ::core::unreachable!()
                }
            }
        }
    });
    let traits = quote! {
        #[automatically_derived]
        impl #params __rt::Actor for #ty #bounds {
            #types
            async fn receive(
                &mut self,
                _: Self::Msg,
                _: &mut __rt::Context<Self>,
            ) -> ::core::result::Result<(), Self::Error> {
                ::core::unreachable!()
            }
        }
        #watcher
    };
    let traits = apart(outer, traits);
    quote!(#traits #errors)
}

/// Returns whether a type derives `Actor`.
pub(super) fn derives(item: &DeriveInput) -> bool {
    let is_ours =
        |attribute: &Attribute| attribute.path().is_ident("derive") && names(attribute.to_token_stream(), "Actor");
    item.attrs.iter().any(is_ours)
}

/// Returns whether a word is among the tokens, at any depth.
pub(super) fn names(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => names(group.stream(), word),
        _ => false,
    })
}

/// Reports an attribute of a hook where nothing would call the hook (rule C14). The item stays as it is.
pub(crate) fn stray(name: &str, item: TokenStream) -> TokenStream {
    let on_struct = item
        .clone()
        .into_iter()
        .any(|token| matches!(&token, TokenTree::Ident(word) if word == "struct" || word == "enum"));
    let derived = syn::parse2::<DeriveInput>(item.clone()).is_ok_and(|item| derives(&item));
    let message = if on_struct && name == "message" {
        "a message is a method; mark methods in an `#[actor] impl`".to_owned()
    } else if name == "message" {
        "a message stands in an `#[actor] impl`; move the method there, or write `#[actor]` above this block".to_owned()
    } else if on_struct && !derived {
        format!("`#[{name}(..)]` belongs to `#[derive(Actor)]`; write `#[derive(Actor)]` above it")
    } else if on_struct {
        format!("`#[{name}(..)]` belongs to `#[derive(Actor)]`; write it below the derive")
    } else {
        format!("nothing would call this `{name}`; write `#[actor]` above the `impl` block")
    };
    quote!(#item ::core::compile_error! { #message })
}
