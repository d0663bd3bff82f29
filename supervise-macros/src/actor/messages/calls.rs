//! The items beside the actor: the type of the messages with its constructors, and the trait of the handles.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Generics, Type};

use super::answer::Answer;
use super::argument::{Argument, checked};
use super::{Message, Messages, of_self, own};
use crate::actor::hooks::names;
use crate::paths::Supervise;

/// Names the actor in bounds on `Self`, which means another type in the items.
fn without_self(generics: &Generics, ty: &Type) -> Generics {
    let mut generics = generics.clone();
    if let Some(clause) = &generics.where_clause
        && let Ok(named) = syn::parse2(of_self(clause.to_token_stream(), ty))
    {
        generics.where_clause = Some(named);
    }
    generics
}

impl Messages {
    /// Emits the items beside the actor.
    pub(in crate::actor) fn items(&self, generics: &Generics, ty: &Type) -> TokenStream {
        let (msg, kind, of, outer) = (&self.msg, &self.kind, &self.of, &self.conditions);
        let generics = &without_self(generics, ty);
        let (params, args, bounds) = generics.split_for_impl();
        let derives = &self.derives;
        let derives = (!derives.is_empty()).then(|| quote!(#[derive(#(#derives),*)]));
        let variants = self.list.iter().map(|message| self.variant(message, generics));
        let constructors = self.list.iter().map(|message| self.constructor(message, generics));
        let doc = format!(
            "A message of `{of}`. Its functions make messages whose answer nobody waits for, for timers and the like. A \
             function for a message with a `Reply` takes the `Reply` of somebody who waits, or `None`."
        );
        let debug = self.debug(generics);
        let calls = self.calls(generics, ty);
        quote! {
            #(#outer)*
            #[doc = #doc]
            #derives
            #[allow(unreachable_pub, clippy::allow_attributes)]
            pub struct #msg #generics (#kind #args) #bounds;

            #(#outer)*
            #derives
            #[doc(hidden)]
            #[allow(non_camel_case_types, clippy::allow_attributes, clippy::large_enum_variant, clippy::enum_variant_names)]
            enum #kind #generics #bounds { #(#variants)* }

            #(#outer)*
            #[allow(dead_code, deprecated, clippy::allow_attributes, clippy::impl_trait_in_params)]
            #[automatically_derived]
            impl #params #msg #args #bounds { #(#constructors)* }

            #debug
            #calls
        }
    }

    /// Emits a marker for the parameters of the actor, which the arguments of a message need not use.
    fn marker(generics: &Generics) -> Option<TokenStream> {
        let types: Vec<_> = generics.type_params().map(|param| &param.ident).collect();
        (!types.is_empty())
            .then(|| quote!(::core::marker::PhantomData<(#(::core::marker::PhantomData<fn() -> #types>,)*)>,))
    }

    fn variant(&self, message: &Message, generics: &Generics) -> TokenStream {
        let Message { name, conditions, answer, .. } = message;
        let fields = message.arguments.iter().filter_map(|argument| argument.field(generics));
        let (gets, marker) = (self.gets(answer), Self::marker(generics));
        let gets = if answer.is_wrong { gets } else { checked("IsAnswer", &gets, generics) };
        quote! {
            #(#conditions)*
            #name(#(#fields,)* #marker ::core::option::Option<#Supervise::Reply<#gets>>),
        }
    }

    /// Emits the type that a caller gets.
    fn gets(&self, answer: &Answer) -> TokenStream {
        if answer.is_wrong { self.failed.clone() } else { answer.gets.clone() }
    }

    /// Emits the message with these values, and with this place for its reply.
    fn made(&self, message: &Message, generics: &Generics, reply: &TokenStream) -> TokenStream {
        let (msg, kind, name, values) = (&self.msg, &self.kind, &message.name, message.values());
        let marker = Self::marker(generics).map(|_| quote!(::core::marker::PhantomData,));
        quote!(#msg(#kind::#name(#(#values,)* #marker #reply)))
    }

    fn constructor(&self, message: &Message, generics: &Generics) -> TokenStream {
        let Message { method, vis, told, conditions, .. } = message;
        let parameters = message.arguments.iter().filter_map(Argument::given);
        let reply = message.arguments.iter().find_map(|argument| match argument {
            Argument::Reply { name, .. } => Some(quote!(::core::convert::Into::into(#name))),
            _ => None,
        });
        let made = self.made(message, generics, &reply.unwrap_or_else(|| quote!(::core::option::Option::None)));
        let takes_reply = message.arguments.iter().any(|argument| argument.reply().is_some());
        let doc = takes_reply.then(|| {
            let doc = "Takes the `Reply` of somebody who waits, or `None`.";
            quote!(#[doc = ""] #[doc = #doc])
        });
        quote! {
            #(#conditions)*
            #(#told)*
            #doc
            #vis fn #method(#(#parameters),*) -> Self { #made }
        }
    }

    /// Emits `Debug`, which shows the name of the message, unless the user derives another one.
    fn debug(&self, generics: &Generics) -> Option<TokenStream> {
        let is_derived = |path: &syn::Path| path.segments.last().is_some_and(|last| last.ident == "Debug");
        if self.derives.iter().any(is_derived) {
            return None;
        }
        let (msg, outer) = (&self.msg, &self.conditions);
        let (params, args, bounds) = generics.split_for_impl();
        let (it, to) = (own("__it"), own("__f"));
        let words = self.words(&quote!(#it.0));
        Some(quote! {
            #(#outer)*
            #[automatically_derived]
            impl #params ::core::fmt::Debug for #msg #args #bounds {
                fn fmt(&self, #to: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    let #it = self;
                    #to.write_str(#words)
                }
            }
        })
    }

    /// Emits a `match` of a message to its name.
    fn words(&self, of: &TokenStream) -> TokenStream {
        self.matched(of, self.list.iter().map(|message| self.word(message)))
    }

    /// Emits a `match` of a message to the number of its name.
    pub(super) fn numbers(&self, of: &TokenStream) -> TokenStream {
        self.matched(of, (0..u8::MAX).chain(std::iter::repeat(u8::MAX)))
    }

    fn matched(&self, of: &TokenStream, to: impl IntoIterator<Item: ToTokens>) -> TokenStream {
        let kind = &self.kind;
        let arms = self.list.iter().zip(to).map(|(message, to)| {
            let Message { name, conditions, .. } = message;
            quote!(#(#conditions)* #kind::#name(..) => #to,)
        });
        quote!(match #of { #(#arms)* })
    }

    /// Emits the traits of the handles: one for the messages of everybody, and one for those of this module.
    fn calls(&self, generics: &Generics, ty: &Type) -> TokenStream {
        let (open, own): (Vec<_>, Vec<_>) = self.list.iter().partition(|message| message.is_open());
        let open = (&self.calls, open, format!("The messages of `{}`, as methods of its handles.", self.of));
        let own = (
            &self.own_calls,
            own,
            format!("The private messages of `{}`, as methods of its handles in this module.", self.of),
        );
        [open, own].iter().filter_map(|(name, list, doc)| self.calls_of(name, list, doc, generics, ty)).collect()
    }

    fn calls_of(
        &self,
        calls: &Ident,
        list: &[&Message],
        doc: &str,
        generics: &Generics,
        ty: &Type,
    ) -> Option<TokenStream> {
        let (vis, outer) = (&list.first()?.vis, &self.conditions);
        let (_, args, bounds) = generics.split_for_impl();
        let methods = list.iter().map(|message| self.call(message, generics, ty));
        let handle = own("__Handle");
        let mut all = generics.clone();
        all.params.push(syn::parse_quote!(#handle: #Supervise::CallTo<#ty> + ?::core::marker::Sized));
        let (all, _, _) = all.split_for_impl();
        let all = all.to_token_stream();
        Some(quote! {
            #(#outer)*
            #[doc = #doc]
            #[allow(
                dead_code, unreachable_pub, private_bounds, private_interfaces, irrefutable_let_patterns, deprecated,
                clippy::allow_attributes, clippy::impl_trait_in_params, clippy::missing_errors_doc, clippy::too_many_arguments
            )]
            #vis trait #calls #generics: #Supervise::CallTo<#ty> #bounds { #(#methods)* }

            #(#outer)*
            #[allow(private_bounds, clippy::allow_attributes)]
            #[automatically_derived]
            impl #all #calls #args for #handle #bounds {}
        })
    }

    fn call(&self, message: &Message, generics: &Generics, ty: &Type) -> TokenStream {
        let Message { method, name, told, conditions, answer, .. } = message;
        let (msg, kind, mut gets) = (&self.msg, &self.kind, self.gets(answer));
        // A checked type is one error in the enum and here, and would be hard to read in the documentation of each call.
        if !answer.is_wrong && seems_to_stay(&gets) {
            gets = checked("IsAnswer", &gets, generics);
        }
        let none = quote!(::core::option::Option::None);
        let (parameters, made) = (message.parameters(), self.made(message, generics, &none));
        let (it, slot, reply) = (own("__msg"), own("__slot"), own("__reply"));
        quote! {
            #(#conditions)*
            #(#told)*
            #[inline]
            fn #method(&self, #(#parameters),*) -> Self::Call<'_, #gets> {
                <Self as #Supervise::CallTo<#ty>>::call(self, #made, |#it, #reply| {
                    if let #msg(#kind::#name(.., #slot)) = #it {
                        *#slot = ::core::option::Option::Some(#reply);
                    }
                })
            }
        }
    }
}

/// Returns whether a type may not leave its thread.
fn seems_to_stay(ty: &TokenStream) -> bool {
    let names = |word| names(ty.clone(), word);
    names("Rc") || (names("dyn") && !names("Send"))
}
