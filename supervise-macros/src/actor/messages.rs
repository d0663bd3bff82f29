//! Methods that are messages: `#[message]` in an `#[actor] impl`.
//!
//! Beside the actor stand the type of its messages, `AccountMsg`, which has a constructor for each method, and the trait
//! of its handles, `AccountCalls`. A method that is not well formed still has both, so that the mistake is one error.

mod answer;
mod argument;
mod calls;
mod dispatch;
#[cfg(test)]
mod tests;

use proc_macro2::{Ident, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::{Visit, visit_trait_bound, visit_type_reference};
use syn::{
    Attribute, FnArg, GenericParam, Generics, ImplItem, ImplItemFn, ItemImpl, Lifetime, LitStr, Meta,
    ParenthesizedGenericArguments, Path, Safety, TraitBound, Type, TypeFnPtr, TypeGroup, TypeParen, TypeReference,
    Visibility,
};

use super::hooks::{Hook, cfgs};
use crate::errors::{Errors, did_you_mean, in_line};
use crate::pretty::to_source;
use answer::Answer;
use argument::Argument;

/// The attribute.
pub(super) const MESSAGE: &str = "message";

/// The names of all methods of handles. A method of a type goes before one of a trait, in silence.
const TAKEN: &[&str] = &[
    "any",
    "ask",
    "call",
    "clone",
    "cmp",
    "drain",
    "ended",
    "eq",
    "fmt",
    "hash",
    "incarnation",
    "inject",
    "into",
    "is_alive",
    "kill",
    "late_failure",
    "name",
    "node",
    "path",
    "restart",
    "serialize",
    "shutdown",
    "start_again",
    "stop",
    "tell",
    "terminated",
    "to_owned",
    "try_tell",
    "watched",
];

/// The messages of an actor.
pub(super) struct Messages {
    list: Vec<Message>,
    /// `Account`
    of: Ident,
    /// The place of the actor's type.
    at: Span,
    /// `AccountMsg`
    msg: Ident,
    /// `AccountMsgKind`, the variants.
    kind: Ident,
    /// `AccountCalls`
    calls: Ident,
    /// `AccountOwnCalls`
    own_calls: Ident,
    derives: Vec<Path>,
    conditions: Vec<Attribute>,
    /// The type of an answer that is a mistake.
    failed: TokenStream,
}

/// A method that is a message.
struct Message {
    method: Ident,
    /// The name of the variant, which crosses to other processes.
    name: Ident,
    vis: Visibility,
    /// Documentation and the like, which the methods of the handles have, too.
    told: Vec<Attribute>,
    conditions: Vec<Attribute>,
    arguments: Vec<Argument>,
    answer: Answer,
    is_async: bool,
    /// The place of a future that is not `Send`: that of `&self`, or the name.
    at: Span,
}

/// The arguments of `#[actor(..)]` for messages.
#[derive(Default)]
pub(super) struct Names {
    pub(super) derives: Vec<Path>,
    pub(super) msg: Option<Ident>,
    pub(super) calls: Option<Ident>,
}

/// Takes the marks off the methods. `None` if there are none.
pub(super) fn take(block: &mut ItemImpl, names: Names, errors: &mut Errors) -> Option<Messages> {
    let ty = block.self_ty.clone();
    let mut list: Vec<Message> = Vec::new();
    for item in &mut block.items {
        let ImplItem::Fn(function) = item else { continue };
        let (marks, others): (Vec<_>, Vec<_>) = std::mem::take(&mut function.attrs).into_iter().partition(is_mark);
        function.attrs = others;
        let Some(mark) = marks.first() else { continue };
        if let Some(word) = meant(mark) {
            errors.on(word, format!("unknown mark `{word}`; did you mean `{MESSAGE}`?"));
        }
        if let Some(second) = marks.get(1) {
            errors.on(second.path(), "this method is a message already; keep one of the marks");
        }
        let mut message = message(function, mark, &ty, errors);
        argument::mend(function, errors);
        let same = |other: &&Message| {
            other.name == message.name && (other.conditions.is_empty() || message.conditions.is_empty())
        };
        match list.iter().find(same) {
            Some(other) => {
                let first = in_line(other.method.span());
                errors.at(message.name.span(), format!("a message has this name already{first}; write another one"));
                // The call of this message is emitted under the name of its method, so that uses of it compile.
                if list.iter().all(|other| other.name != message.method) {
                    message.name = message.method.clone();
                    list.push(message);
                }
            }
            None => list.push(message),
        }
    }
    if list.is_empty() {
        return None;
    }
    let of = of(&ty);
    one_visibility(&list, errors);
    let msg = names.msg.unwrap_or_else(|| format_ident!("{of}Msg"));
    Some(Messages {
        kind: format_ident!("{msg}Kind"),
        own_calls: match &names.calls {
            Some(calls) => format_ident!("Own{calls}"),
            None => format_ident!("{of}OwnCalls"),
        },
        calls: names.calls.unwrap_or_else(|| format_ident!("{of}Calls")),
        msg,
        at: ty.span(),
        of,
        derives: names.derives,
        conditions: cfgs(&block.attrs),
        failed: errors.failed_type().unwrap_or_else(|| quote!(())),
        list,
    })
}

/// Returns the name of the actor, in front of its messages.
fn of(ty: &Type) -> Ident {
    let last = match peeled(ty) {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.clone()),
        _ => None,
    };
    last.unwrap_or_else(|| Ident::new("Actor", ty.span()))
}

/// Returns whether an attribute marks a message, or seems to be meant to.
pub(super) fn is_mark(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == MESSAGE) || meant(attribute).is_some()
}

/// Returns the word that seems to mean the mark.
fn meant(attribute: &Attribute) -> Option<&Ident> {
    let word = attribute.path().get_ident().filter(|word| *word != MESSAGE)?;
    (did_you_mean(&word.to_string(), &[MESSAGE]) == format!("; did you mean `{MESSAGE}`?")).then_some(word)
}

/// Reads a method. After a mistake, the message is as near to the meant one as it can be.
fn message(function: &ImplItemFn, mark: &Attribute, ty: &Type, errors: &mut Errors) -> Message {
    let signature = &function.sig;
    let method = signature.ident.clone();
    let bare = bare(&method);
    if TAKEN.contains(&&*bare) {
        let message = format!(
            "every handle has a method `{bare}` of its own, which would be called instead; write another name, such as \
             `{bare}_now`"
        );
        errors.at(method.span(), message);
    }
    receiver(function, errors);
    if let Safety::Unsafe(word) = &signature.safety {
        errors.on(word, "a message is handled by safe code; remove `unsafe`");
    }
    let generic: Vec<&Ident> = signature.generics.params.iter().filter_map(|param| generic(param, errors)).collect();
    let arguments = argument::all(function, ty, &generic, errors);
    let replies = arguments.iter().find_map(Argument::reply);
    let answer = answer::of(&signature.output, ty, replies, errors);
    Message {
        name: named(mark, errors).unwrap_or_else(|| method.clone()),
        method,
        vis: function.vis.clone(),
        told: told(&function.attrs),
        conditions: cfgs(&function.attrs),
        arguments,
        answer,
        is_async: signature.asyncness.is_some(),
        at: place(function),
    }
}

/// Returns the place where a future that is not `Send` is reported. An async `&self` lends the actor over an await.
fn place(function: &ImplItemFn) -> Span {
    match function.sig.inputs.first() {
        Some(FnArg::Receiver(this)) if to_source(this.to_token_stream()) == "&self" => this.span(),
        _ => function.sig.ident.span(),
    }
}

/// Reports a method that takes the actor, or none.
fn receiver(function: &ImplItemFn, errors: &mut Errors) {
    let name = &function.sig.ident;
    match function.sig.inputs.first() {
        Some(FnArg::Receiver(this)) => {
            let text = to_source(this.to_token_stream());
            if !matches!(&*text, "&self" | "&mut self") {
                errors.on(this, "an actor stays when it has handled a message; write `&mut self`");
            }
        }
        _ => {
            let message = format!("a message is handled by the actor; write `fn {name}(&mut self, ..)`");
            errors.at(name.span(), message);
        }
    }
}

/// Reports a parameter of a method. Returns the name of a type.
fn generic<'a>(param: &'a GenericParam, errors: &mut Errors) -> Option<&'a Ident> {
    match param {
        GenericParam::Lifetime(lifetime) => {
            errors.on(
                lifetime,
                "a message outlives its call; leave the lifetime out: what is borrowed arrives as a copy",
            );
            None
        }
        GenericParam::Type(param) => {
            errors.on(
                param,
                "a message has one type, so its method cannot be generic; write the type, or put the parameter on the \
                 `impl`",
            );
            Some(&param.ident)
        }
        GenericParam::Const(param) => {
            errors
                .on(param, "a message has one type, so its method cannot be generic; put the parameter on the `impl`");
            Some(&param.ident)
        }
    }
}

/// Reads `#[message(name = "..")]`.
fn named(mark: &Attribute, errors: &mut Errors) -> Option<Ident> {
    let tokens = match &mark.meta {
        Meta::List(list) => &list.tokens,
        Meta::Path(_) => return None,
        Meta::NameValue(pair) => {
            errors.on(pair, format!("a name stands in parentheses; write `message(name = {})`", text_of(&pair.value)));
            return None;
        }
    };
    if let Ok(text) = syn::parse2::<LitStr>(tokens.clone()) {
        errors.on(tokens, format!("a text has its name in front; write `name = {}`", text_of(&text)));
        return None;
    }
    let mut named = None;
    let parsed = mark.parse_nested_meta(|meta| {
        if !meta.path.is_ident("name") {
            return Err(meta.error("a message has a `name` alone; write `name = \"..\"`"));
        }
        let text: LitStr = meta.value()?.parse()?;
        match text.parse::<Ident>() {
            Ok(name) => named = Some(name),
            Err(_) => {
                return Err(syn::Error::new(text.span(), "a name is one word, as of a function; write `\"put\"`"));
            }
        }
        Ok(())
    });
    if let Err(error) = parsed {
        errors.push(error);
    }
    named
}

/// Returns tokens as they are written.
fn text_of(tokens: &impl ToTokens) -> String {
    to_source(tokens.to_token_stream())
}

/// Returns the attributes that the methods of the handles have, too.
fn told(attributes: &[Attribute]) -> Vec<Attribute> {
    let is_told =
        |attribute: &&Attribute| ["doc", "deprecated", "must_use"].iter().any(|word| attribute.path().is_ident(word));
    attributes.iter().filter(is_told).cloned().collect()
}

/// Reports messages that are not private and have several visibilities: their handles have one trait.
fn one_visibility(list: &[Message], errors: &mut Errors) {
    let mut open = list.iter().filter(|message| message.is_open());
    let Some(first) = open.next() else { return };
    let shown = |message: &Message| to_source(message.vis.to_token_stream());
    if let Some(other) = open.find(|other| shown(other) != shown(first)) {
        let message = format!(
            "`{}` is `{}` and `{}` is `{}`, and callers import one trait for both; give both the same visibility, or none",
            bare(&first.method),
            shown(first),
            bare(&other.method),
            shown(other)
        );
        errors.on(&other.vis, message);
    }
}

/// Returns a name without `r#`.
fn bare(name: &Ident) -> String {
    let text = name.to_string();
    text.strip_prefix("r#").map_or(text.clone(), str::to_owned)
}

impl Message {
    /// Returns whether other modules may send it.
    fn is_open(&self) -> bool {
        !matches!(self.vis, Visibility::Inherited)
    }

    /// Emits the parameters of a call.
    fn parameters(&self) -> Vec<TokenStream> {
        self.arguments.iter().filter_map(Argument::parameter).collect()
    }

    /// Emits the values of the variant, without the reply.
    fn values(&self) -> Vec<TokenStream> {
        self.arguments.iter().filter_map(Argument::value).collect()
    }
}

impl Messages {
    /// Reports what cannot stand beside messages in one block.
    pub(super) fn check(&self, block: &ItemImpl, hooks: &[Hook], errors: &mut Errors) {
        for item in &block.items {
            let ImplItem::Fn(function) = item else { continue };
            let name = &function.sig.ident;
            let is_message = self.list.iter().any(|message| message.method == *name);
            if name == "handle" && !is_message {
                errors.at(
                    name.span(),
                    "an actor has `handle`, or methods marked `#[message]`, not both; mark this method, or call it \
                     otherwise",
                );
            }
        }
        for message in &self.list {
            let called = format!("Self :: {}", message.method);
            if let Some(hook) = hooks.iter().find(|hook| hook.function.to_string() == called) {
                let text =
                    format!("a method is a message or the hook `{}`, not both; keep one of the marks", hook.kind);
                errors.at(hook.kind.span(), text);
            }
        }
    }

    /// Emits the type of the messages.
    pub(super) fn msg(&self, generics: &Generics) -> TokenStream {
        let (msg, (_, args, _)) = (&self.msg, generics.split_for_impl());
        quote!(#msg #args)
    }

    /// Emits the name of a message in events: `Account::deposit`.
    fn word(&self, message: &Message) -> String {
        format!("{}::{}", bare(&self.of), bare(&message.name))
    }
}

/// Returns whether a type borrows: it contains a lifetime other than `'static`, or a reference without one. The arguments
/// of functions are those of their own callers.
fn borrows(ty: &Type) -> bool {
    let mut found = Borrows(false);
    found.visit_type(ty);
    found.0
}

struct Borrows(bool);

impl<'ast> Visit<'ast> for Borrows {
    fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
        self.0 |= reference.lifetime.is_none();
        visit_type_reference(self, reference);
    }

    fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
        self.0 |= lifetime.ident != "static";
    }

    fn visit_type_fn_ptr(&mut self, _: &'ast TypeFnPtr) {}

    fn visit_parenthesized_generic_arguments(&mut self, _: &'ast ParenthesizedGenericArguments) {}

    fn visit_trait_bound(&mut self, bound: &'ast TraitBound) {
        // The lifetimes of a `for<..>` are declared by the bound itself.
        if bound.lifetimes.is_none() {
            visit_trait_bound(self, bound);
        }
    }
}

/// Takes off the invisible group around a type that a declarative macro has passed, and parentheses.
fn peeled(mut ty: &Type) -> &Type {
    while let Type::Group(TypeGroup { elem, .. }) | Type::Paren(TypeParen { elem, .. }) = ty {
        ty = elem;
    }
    ty
}

/// Replaces `Self`, which means the handle in the trait of the calls.
fn of_self(tokens: TokenStream, ty: &Type) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut made = TokenStream::new();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) if word == "Self" => {
                let is_path = matches!(
                    tokens.peek(),
                    Some(TokenTree::Punct(next)) if next.as_char() == ':' && next.spacing() == Spacing::Joint
                );
                made.extend(if is_path { quote_spanned!(word.span()=> <#ty>) } else { quote!(#ty) });
            }
            TokenTree::Group(group) => {
                let mut inner = proc_macro2::Group::new(group.delimiter(), of_self(group.stream(), ty));
                inner.set_span(group.span());
                made.extend([TokenTree::Group(inner)]);
            }
            token => made.extend([token]),
        }
    }
    made
}

/// Emits a name that no name of the user can be mistaken for.
fn own(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
