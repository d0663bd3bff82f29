//! The dispatch of messages to the methods.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Generics, ReturnType, Type};

use super::argument::Argument;
use super::{Message, Messages, own};
use crate::actor::hooks::Hook;

impl Messages {
    /// Returns whether a method or a hook can fail the actor.
    fn fails(&self, hooks: &[Hook], outputs: &[(String, bool)]) -> bool {
        let returns = |hook: &Hook| {
            let called = hook.function.to_string();
            hook.kind != "supervision"
                && outputs.iter().any(|(name, returns)| *returns && called == format!("Self :: {name}"))
        };
        self.list.iter().any(|message| message.answer.throws) || hooks.iter().any(returns)
    }

    /// Emits the types of the actor, and `receive`.
    pub(in crate::actor) fn receive(
        &self,
        generics: &Generics,
        ty: &Type,
        block: &syn::ItemImpl,
        hooks: &[Hook],
    ) -> TokenStream {
        let outputs: Vec<_> = super::super::attribute::functions(block)
            .map(|function| (function.sig.ident.to_string(), !matches!(function.sig.output, ReturnType::Default)))
            .collect();
        let error = match self.fails(hooks, &outputs) {
            true => quote!(__rt::Thrown),
            false => quote!(::core::convert::Infallible),
        };
        let msg = self.msg(generics);
        let (it, cx) = (own("__msg"), own("__cx"));
        let numbers = self.numbers(&quote!(#it.0));
        let number = own("__word");
        let named = self.list.iter().zip(0_u8..u8::MAX).map(|(message, number)| {
            let word = self.word(message);
            quote!(#number => || #word,)
        });
        let at = ty.span();
        let result = quote!(::core::result::Result<(), Self::Error>);
        // A block alone would be the user's own, to be written as an `async fn`.
        let (is_async, returns) = match self.list.iter().all(|message| message.is_async) {
            true => (Some(quote!(async)), result),
            false => (None, quote!(impl ::core::future::Future<Output = #result> + ::core::marker::Send)),
        };
        let body = self.body();
        quote_spanned! {at=>
            type Msg = #msg;
            type Error = #error;
            const WORDS: bool = true;

            fn word(#it: &Self::Msg) -> u8 {
                #numbers
            }

            fn named(#number: u8) -> fn() -> &'static str {
                match #number {
                    #(#named)*
                    _ => ::core::any::type_name::<Self::Msg>,
                }
            }

            #[allow(unused_variables, deprecated, clippy::allow_attributes)]
            #is_async fn receive(
                &mut self,
                #it: Self::Msg,
                #cx: &mut __rt::Context<Self>,
            ) -> #returns
            where
                for<'a> &'a mut Self: ::core::marker::Send,
            {
                #[allow(unused_imports, clippy::allow_attributes)]
                use __rt::{AnyAnswer as _, ErrorOfAnyType as _, ResultAnswer as _};
                #body
            }
        }
    }

    /// Emits the body of `receive`. A sync method runs in the call itself: a future that runs it would have to keep the
    /// message, and each idle actor room for that future.
    fn body(&self) -> TokenStream {
        let it = own("__msg");
        let (later, now): (Vec<_>, Vec<_>) = self.list.iter().partition(|message| message.is_async);
        if later.is_empty() {
            let arms =
                now.iter().map(|message| self.arm(message, false, &|result| quote!(::core::future::ready(#result))));
            return quote!(match #it.0 { #(#arms)* });
        }
        let async_arms = later.iter().map(|message| self.arm(message, false, &|result| result));
        if now.is_empty() {
            return quote!(match #it.0 { #(#async_arms)* });
        }
        let arms = now.iter().map(|message| self.arm(message, true, &|result| quote!(__rt::Handled::now(#result))));
        quote! {
            let #it = match #it.0 {
                #(#arms)*
                #it => #it,
            };
            __rt::Handled::Later {
                future: async move {
                    match #it {
                        #(#async_arms)*
                        _ => ::core::unreachable!(),
                    }
                },
            }
        }
    }

    /// Emits the arm of a message. `done` makes the value of the arm from the result; `returns`: the arm returns it.
    fn arm(&self, message: &Message, returns: bool, done: &dyn Fn(TokenStream) -> TokenStream) -> TokenStream {
        let Message { method, name, conditions, answer, is_async, .. } = message;
        let (kind, word) = (&self.kind, self.word(message));
        let (cx, reply, answered, thrown) = (own("__cx"), own("__reply"), own("__answer"), own("__thrown"));
        let fields = message.arguments.iter().filter_map(Argument::pattern);
        let passed = message.arguments.iter().map(|argument| argument.passed(&cx, &reply));
        let at = message.at.resolved_at(self.at);
        // One span for all errors about the future of an async method, so that rustc reports one.
        let mut method = method.clone();
        if *is_async {
            method.set_span(at);
        }
        let method = quote_spanned!(method.span()=> Self::#method);
        let mut call = quote_spanned!(at=> #method(self, #(#passed),*));
        if *is_async {
            call = quote_spanned!(at=> __rt::may_move_between_threads(#call).await);
        }
        if answer.throws {
            let failed = done(quote!(::core::result::Result::Err(#thrown)));
            call = quote! {
                match #call {
                    ::core::result::Result::Ok(#answered) => #answered,
                    ::core::result::Result::Err(#thrown) => return #failed,
                }
            };
        }
        let send = match answer.later {
            true => quote!(let () = #answered;),
            // The type of the answer decides, not the name of that type, which may be an alias.
            false => {
                let at = answer.gets.span().resolved_at(self.at);
                quote_spanned! {at=>
                    __rt::answer((&&&__rt::answer_of(&#answered)).kind(), #cx, #word, #reply, #answered);
                }
            }
        };
        let ok = done(quote!(::core::result::Result::Ok(())));
        let ok = if returns { quote!(return #ok) } else { ok };
        // The marker of the parameters stands between the arguments and the reply.
        quote! {
            #(#conditions)*
            #kind::#name(#(#fields,)* .., #reply) => {
                let #answered = #call;
                #send
                #ok
            }
        }
    }
}
