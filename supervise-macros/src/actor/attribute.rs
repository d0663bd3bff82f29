//! `#[actor] impl Db { .. }`. The types of messages and errors come from `handle`; marked methods are the hooks.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{
    Attribute, DeriveInput, FnArg, ImplItem, ImplItemFn, ItemImpl, Meta, Path, ReceiverKind, ReturnType, Token, Type,
};

use super::hooks::{HOOKS, Hook, Types, apart, cfgs, declared, derives, dummy, methods, names, watcher};
use super::messages::{self, Messages, Names};
use super::owned::owned;
use super::signatures;
use crate::errors::{Errors, did_you_mean, in_line, neighbour};
use crate::paths::{self, Paths};
use crate::tree::generics::without;

/// Expands the whole macro.
pub(crate) fn attribute(args: TokenStream, item: TokenStream) -> TokenStream {
    let block: ItemImpl = match syn::parse2(item.clone()) {
        Ok(block) => block,
        Err(_) => return no_impl(&args, item),
    };
    let mut errors = Errors::default();
    let (path, names) = arguments(args, &block, &mut errors);
    match path {
        Some(path) => Paths::told(&path).hold(|| of_block(block, names, errors)),
        None => of_block(block, names, errors),
    }
}

/// Reads the arguments: `crate = path`, and those for messages.
fn arguments(args: TokenStream, block: &ItemImpl, errors: &mut Errors) -> (Option<Path>, Names) {
    let (mut path, mut names) = (None, Names::default());
    let has_messages = functions(block).any(|function| function.attrs.iter().any(messages::is_mark));
    let is_ours =
        |word: &Ident| word == "crate" || (has_messages && ["derive", "msg", "calls"].iter().any(|it| word == it));
    let known: &[&str] = if has_messages { &["crate", "derive", "msg", "calls"] } else { &["crate"] };
    let mut rest = args.clone().into_iter();
    match rest.next() {
        None => return (path, names),
        Some(TokenTree::Ident(word)) if is_ours(&word) => {}
        Some(TokenTree::Ident(word)) if has_messages => {
            errors.on(&word, format!("unknown argument `{word}`{}", did_you_mean(&word.to_string(), known)));
            return (path, names);
        }
        Some(_) => {
            errors.on(
                &args,
                "`#[actor]` takes no arguments on an `impl` block, except `crate = path`; the types are those of \
                 `handle`",
            );
            return (path, names);
        }
    }
    let read = |input: ParseStream<'_>| {
        while !input.is_empty() {
            let word = input.call(Ident::parse_any)?;
            match &*word.to_string() {
                "crate" => path = Some(paths::value(input)?),
                "derive" if has_messages => {
                    let inside;
                    syn::parenthesized!(inside in input);
                    names.derives.extend(inside.parse_terminated(Path::parse_mod_style, Token![,])?);
                }
                "msg" if has_messages => names.msg = Some(name(input, "msg = Command")?),
                "calls" if has_messages => names.calls = Some(name(input, "calls = Api")?),
                _ if has_messages => {
                    let near = did_you_mean(&word.to_string(), known);
                    return Err(syn::Error::new(word.span(), format!("unknown argument `{word}`{near}")));
                }
                _ => {
                    let message = "`#[actor]` takes `crate = path` alone on an `impl` block; the types are those of \
                                   `handle`";
                    return Err(syn::Error::new(word.span(), message));
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    };
    if let Err(error) = read.parse2(args) {
        errors.push(error);
    }
    (path, names)
}

/// Reads `= Name`.
fn name(input: ParseStream<'_>, form: &str) -> syn::Result<Ident> {
    input.parse::<Token![=]>()?;
    input.parse().map_err(|error| syn::Error::new(error.span(), format!("this is no name; write `{form}`")))
}

fn of_block(mut block: ItemImpl, names: Names, mut errors: Errors) -> TokenStream {
    if let Some((path, _)) = &block.trait_ {
        errors.on(path, "`#[actor]` belongs on an inherent `impl`; remove it, or the trait");
        let is_ours =
            |function: &ImplItemFn| function.sig.ident == "handle" || function.attrs.iter().any(messages::is_mark);
        if !functions(&block).any(is_ours) {
            let errors = errors.to_tokens();
            return quote!(#block #errors);
        }
        // The trait is written by this macro, so that rustc need not miss what `impl Actor` would need.
        block.trait_ = None;
        block.items.retain(|item| matches!(item, ImplItem::Fn(_)));
    }
    let lifetimes = owned(&mut block.generics, &mut errors);
    if !lifetimes.is_empty()
        && let Ok(owned) = syn::parse2(without(block.to_token_stream(), &lifetimes))
    {
        block = owned;
    }
    let messages = messages::take(&mut block, names, &mut errors);
    let hooks = take_hooks(&mut block, &mut errors);
    signatures::receivers(&block, &hooks, &mut errors);
    if let Some(messages) = messages {
        return of_messages(block, &messages, &hooks, errors);
    }
    let handles = handles(&block, &mut errors);
    let (generics, ty, outer) = (&block.generics, &block.self_ty, cfgs(&block.attrs));
    if !errors.is_empty() {
        let types = handles.first().map(Handle::types).unwrap_or_default();
        let watches = hooks.iter().any(|hook| hook.kind == "terminated");
        let dummy = dummy(types, &errors, watches, &outer, generics, ty);
        signatures::mend(&mut block);
        return quote!(#block #dummy);
    }
    let (params, _, bounds) = generics.split_for_impl();
    let receive: TokenStream = handles.iter().map(Handle::receive).collect();
    let (declared, methods) = (declared(&hooks), methods(&hooks));
    let watcher = watcher(&hooks, generics, ty);
    let traits = apart(
        &outer,
        quote! {
            #[automatically_derived]
            impl #params __rt::Actor for #ty #bounds {
                #receive
                #declared
                #methods
            }
            #watcher
        },
    );
    quote!(#block #traits)
}

/// Expands a block whose methods are messages.
fn of_messages(block: ItemImpl, messages: &Messages, hooks: &[Hook], mut errors: Errors) -> TokenStream {
    messages.check(&block, hooks, &mut errors);
    let (generics, ty, outer) = (&block.generics, &block.self_ty, cfgs(&block.attrs));
    let items = messages.items(generics, ty);
    if !errors.is_empty() {
        let types = Types { msg: Some(messages.msg(generics)), error: Some(quote!(__rt::Thrown)) };
        let watches = hooks.iter().any(|hook| hook.kind == "terminated");
        let dummy = dummy(types, &errors, watches, &outer, generics, ty);
        return quote!(#block #items #dummy);
    }
    let (params, _, bounds) = generics.split_for_impl();
    let receive = messages.receive(generics, ty, &block, hooks);
    let (declared, methods) = (declared(hooks), methods(hooks));
    let watcher = watcher(hooks, generics, ty);
    let traits = apart(
        &outer,
        quote! {
            #[automatically_derived]
            impl #params __rt::Actor for #ty #bounds {
                #receive
                #declared
                #methods
            }
            #watcher
        },
    );
    quote!(#block #items #traits)
}

/// Reports `#[actor]` on anything except an `impl` block (rule C14). A type is an actor all the same, unless a derive
/// makes it one.
fn no_impl(args: &TokenStream, item: TokenStream) -> TokenStream {
    let message = if args.is_empty() {
        "`#[actor]` belongs on an `impl` block with `handle`; above a struct write `#[derive(Actor)]`"
    } else {
        "`#[actor(..)]` belongs to `#[derive(Actor)]`; write it below the derive"
    };
    let ty: Result<DeriveInput, _> = syn::parse2(item.clone());
    match ty {
        Ok(ty) if !derives(&ty) => {
            let mut errors = Errors::default();
            errors.at(Span::call_site(), message);
            let (name, (_, of, _)) = (&ty.ident, ty.generics.split_for_impl());
            let dummy = dummy(Types::default(), &errors, false, &cfgs(&ty.attrs), &ty.generics, &quote!(#name #of));
            quote!(#item #dummy)
        }
        _ => quote!(#item ::core::compile_error! { #message }),
    }
}

/// The signature of `handle`.
struct Handle<'a> {
    function: &'a ImplItemFn,
    /// Whether the block has parameters.
    generic: bool,
    /// The type of the actor.
    ty: &'a Type,
    msg: &'a Type,
    takes_cx: bool,
    cfgs: Vec<Attribute>,
}

/// Finds every `handle`. Several are possible under `#[cfg(..)]`, which this macro cannot evaluate.
fn handles<'a>(block: &'a ItemImpl, errors: &mut Errors) -> Vec<Handle<'a>> {
    let found: Vec<_> = functions(block).filter(|function| function.sig.ident == "handle").collect();
    if let (true, Some(other)) = (found.is_empty(), functions(block).find(|function| takes_messages(function))) {
        let name = &other.sig.ident;
        errors.on(name, format!("the messages of an actor come to `handle`; write `handle` for `{name}`"));
    } else if found.is_empty() {
        errors.on(
            &block.self_ty,
            "there is no `handle` in this `#[actor] impl`; add `async fn handle(&mut self, msg: Msg, cx: &mut \
             Context<Self>) -> Result<(), Error>`",
        );
    }
    signatures::only_one(&found, errors);
    let generic = !block.generics.params.is_empty();
    let whole = found.iter().any(|function| cfgs(&function.attrs).is_empty());
    let one = if whole { 1 } else { usize::MAX };
    found.into_iter().take(one).filter_map(|it| handle(it, generic, &block.self_ty, errors)).collect()
}

/// Returns whether this is the method for messages in another system.
fn takes_messages(function: &ImplItemFn) -> bool {
    let (name, inputs) = (&function.sig.ident, &function.sig.inputs);
    let takes = matches!((inputs.first(), inputs.get(1)), (Some(FnArg::Receiver(_)), Some(FnArg::Typed(_))));
    takes && neighbour(&name.to_string(), &["handle"]).is_some()
}

fn handle<'a>(function: &'a ImplItemFn, generic: bool, ty: &'a Type, errors: &mut Errors) -> Option<Handle<'a>> {
    let inputs: Vec<&FnArg> = function.sig.inputs.iter().collect();
    let (Some(FnArg::Receiver(this)), Some(FnArg::Typed(msg)), None) = (inputs.first(), inputs.get(1), inputs.get(3))
    else {
        let message = "`handle` takes `&mut self`, a message, and perhaps the context; write `(&mut self, msg: Msg, \
                       cx: &mut Context<Self>)`";
        // Without arguments the name is the only token to point at.
        if inputs.is_empty() {
            errors.at(function.sig.ident.span(), message);
        } else {
            errors.on(&function.sig.inputs, message);
        }
        return None;
    };
    if signatures::is_wrong(&function.sig, msg, inputs.get(2).copied(), errors) {
        return None;
    }
    if matches!(this.kind, ReceiverKind::Value) {
        if signatures::is_next_state(&function.sig.output, ty) {
            let message =
                "`handle` borrows its actor and returns no next state; write `&mut self`, and change the fields";
            errors.on(this, message);
            return None;
        }
        errors.on(this, "an actor handles one message after the other, so `handle` cannot take it; write `&mut self`");
    } else if let Type::Reference(first) = &*msg.ty
        && inputs.get(2).is_some()
        && let Type::Path(of) = &*first.elem
        && of.path.segments.last().is_some_and(|last| last.ident == "Context")
    {
        let repair = "write `(&mut self, msg: Msg, cx: &mut Context<Self>)`";
        errors.on(msg, format!("the message comes before the context; {repair}"));
        return None;
    }
    Some(Handle { function, generic, ty, msg: &msg.ty, takes_cx: inputs.get(2).is_some(), cfgs: cfgs(&function.attrs) })
}

impl Handle<'_> {
    /// The return type of `handle`. Without one, errors point at the name.
    fn output(&self) -> TokenStream {
        match &self.function.sig.output {
            ReturnType::Type(_, ty) => quote!(#ty),
            ReturnType::Default => quote_spanned!(self.function.sig.ident.span()=> ()),
        }
    }

    /// The trait that checks the return type. A constant inside a type cannot name a generic parameter; where there is
    /// none, a constant makes rustc check the type only once.
    fn via(&self) -> TokenStream {
        let output = self.output();
        let span = output.span();
        let plain = quote_spanned!(span=> __rt::HandleOutput);
        if self.generic || names(output.clone(), "Self") {
            return plain;
        }
        quote_spanned!(span=> __rt::OutputIf<{ <#output as #plain>::IS }>)
    }

    fn types(&self) -> Types {
        let (msg, output) = (self.msg, self.output());
        // The span of the written type makes rustc report a type that is not allowed there.
        let via = self.via();
        let error = quote_spanned!(output.span()=> <#output as #via>::Error);
        Types { msg: Some(quote!(#msg)), error: Some(error) }
    }

    /// Emits the associated types and `receive`.
    fn receive(&self) -> TokenStream {
        let Types { msg, error } = self.types();
        let cfgs = &self.cfgs;
        // The span of the type: rustc reports there that it is not `Send`. The bound below keeps that one error.
        let at = self.ty.span();
        let span = self.function.sig.ident.span().resolved_at(at);
        let cx = self.takes_cx.then(|| quote_spanned!(at=> , __cx));
        let call = quote_spanned!(span=> Self::handle(self, __msg #cx));
        let (output, via) = (self.output(), self.via());
        let done = quote_spanned!(output.span()=> <#output as #via>::done);
        let result = quote_spanned!(at=> ::core::result::Result<(), Self::Error>);
        // A sync `handle` runs in the call of `receive`, which is made where the message is handled: a future that runs
        // it would have to keep the message, and each idle actor room for that future.
        let (is_async, returns, body) = match self.function.sig.asyncness {
            // A future that is not `Send` is reported at `handle`, and that of `receive` is `Send` in any case.
            Some(_) => {
                let called = quote_spanned!(span=> __rt::may_move_between_threads(#call).await);
                (Some(quote_spanned!(at=> async)), result, quote!(#done(#called)))
            }
            None => {
                let future = quote_spanned!(at=> impl ::core::future::Future<Output = #result> + ::core::marker::Send);
                (None, future, quote!(::core::future::ready(#done(#call))))
            }
        };
        quote_spanned! {at=>
            #(#cfgs)*
            type Msg = #msg;
            #(#cfgs)*
            type Error = #error;
            #(#cfgs)*
            #[allow(unused_variables)]
            #is_async fn receive(
                &mut self,
                __msg: Self::Msg,
                __cx: &mut __rt::Context<Self>,
            ) -> #returns
            where
                for<'a> &'a mut Self: ::core::marker::Send,
            {
                #body
            }
        }
    }
}

/// Removes the markers from the methods.
fn take_hooks(block: &mut ItemImpl, errors: &mut Errors) -> Vec<Hook> {
    let mut hooks: Vec<Hook> = Vec::new();
    for item in &mut block.items {
        let ImplItem::Fn(function) = item else { continue };
        let name = function.sig.ident.clone();
        let is_hook = |attribute: &Attribute| marker(attribute).is_some() || meant(attribute).is_some();
        let (markers, others): (Vec<_>, Vec<_>) = std::mem::take(&mut function.attrs).into_iter().partition(is_hook);
        function.attrs = others;
        let conditions = cfgs(&function.attrs);
        let mut kinds: Vec<Ident> = Vec::new();
        for attribute in &markers {
            if !matches!(attribute.meta, Meta::Path(_)) {
                errors.on(attribute, "a marker on a method takes no arguments; write its name alone");
            }
            if let Some((word, hook)) = meant(attribute) {
                errors.on(attribute.path(), format!("unknown hook `{word}`; did you mean `{hook}`?"));
                kinds.push(Ident::new(hook, word.span()));
            }
            kinds.extend(marker(attribute));
        }
        if name == "terminated" && kinds.iter().all(|kind| kind != "terminated") {
            kinds.push(name.clone());
        }
        for kind in kinds {
            // Two methods under `#[cfg(..)]` may exclude each other, which only rustc knows.
            let twice = |hook: &Hook| hook.kind == kind && (hook.cfgs.is_empty() || conditions.is_empty());
            if let Some(first) = hooks.iter().find(|hook| twice(hook)) {
                let first = in_line(first.kind.span());
                errors.at(kind.span(), format!("this actor already has a `{kind}`{first}; keep one of them"));
                continue;
            }
            hooks.push(Hook { kind, function: quote_spanned!(name.span()=> Self::#name), cfgs: conditions.clone() });
        }
    }
    hooks
}

/// Returns the hook that an attribute marks. Its path may be written in any form.
fn marker(attribute: &Attribute) -> Option<Ident> {
    let last = &attribute.path().segments.last()?.ident;
    HOOKS.contains(&&*last.to_string()).then(|| last.clone())
}

/// Returns the hook that an attribute seems to mean, by the word of another system or a misspelt one.
fn meant(attribute: &Attribute) -> Option<(Ident, &'static str)> {
    let word = attribute.path().get_ident().filter(|word| marker(attribute).is_none() && *word != "cfg")?;
    let near = did_you_mean(&word.to_string(), HOOKS);
    let misspelt = || HOOKS.iter().find(|hook| near == format!("; did you mean `{hook}`?")).copied();
    let hook = neighbour(&word.to_string(), HOOKS).or_else(misspelt)?;
    Some((word.clone(), hook))
}

pub(super) fn functions(block: &ItemImpl) -> impl Iterator<Item = &ImplItemFn> {
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
        assert!(text.contains("(Self :: handle (self , __msg , __cx)) . await"), "{text}");
        let text = expand("impl<T: Send> Db<T> { fn handle(&mut self, m: T) {} }");
        assert!(text.contains("Self :: handle (self , __msg))") && text.contains("Actor for Db < T >"), "{text}");
    }

    #[test]
    fn takes_the_path_of_the_crate() {
        let item = "impl Db { fn handle(&mut self, m: ()) {} }";
        let expand = |args: &str| attribute(args.parse().unwrap(), item.parse().unwrap()).to_string();
        assert!(expand("crate = kit::trees").contains("use kit :: trees :: expansion as __rt"));
        assert!(expand("").contains("use :: supervise :: expansion as __rt"), "the path is not kept");
        for (args, message) in [
            ("crate", "`crate` has no path; write `crate = path`"),
            ("crate = \"kit::trees\"", "a path is no text; write `crate = kit::trees`"),
            ("msg = ()", "takes no arguments on an `impl` block, except `crate = path`"),
            ("crate = kit, msg = ()", "takes `crate = path` alone on an `impl` block; the types are those of `handle`"),
        ] {
            let text = expand(args);
            assert!(text.contains(message) && text.contains("Actor for Db"), "no `{message}` in {text}");
        }
    }

    #[test]
    fn strips_markers() {
        let text =
            expand("impl Db { fn handle(&mut self, m: ()) {} #[pre_restart] #[supervise::post_stop] fn x(&self) {} }");
        assert!(!text.contains("# [pre_restart]") && !text.contains("# [supervise"), "{text}");
        assert!(
            text.contains("restart_hook :: < Self , _ , _ > (Self :: x")
                && text.contains("start_hook :: < Self , _ , _ > (Self :: x"),
            "{text}"
        );
    }

    #[test]
    fn stays_an_actor_after_a_mistake() {
        for text in ["impl Db { fn handel(&mut self, m: ()) {} }", "impl Db { fn handle(&mut self) {} }"] {
            let text = expand(text);
            assert!(text.contains("Actor for Db") && text.contains("compile_error"), "{text}");
        }
    }

    #[test]
    fn keeps_conditions() {
        let text = expand(
            "#[cfg(a)] impl Db { #[cfg(b)] fn handle(&mut self, m: u8) {} #[cfg(not(b))] fn handle(&mut self, m: u16) {}
             #[cfg(c)] #[pre_start] fn x(&mut self) {} #[cfg(not(c))] #[pre_start] fn y(&mut self) {} }",
        );
        assert!(!text.contains("compile_error"), "{text}");
        assert_eq!(text.matches("# [cfg (a)]").count(), 2, "{text}");
        assert!(text.contains("# [cfg (not (b))] type Msg = u16"), "{text}");
        assert!(text.contains("# [cfg (c)] async fn pre_start"), "{text}");
    }

    #[test]
    fn reports_a_marker_given_twice_and_keeps_the_types() {
        let text = expand(
            "impl Db { fn handle(&mut self, m: Msg) {} #[pre_start] fn a(&mut self) {} #[pre_start] fn b(&mut self) {} }",
        );
        assert!(text.contains("already has a `pre_start`") && text.contains("type Msg = Msg ;"), "{text}");
    }
}
