//! Emits `SPEC`, the tree as a constant.

use std::time::Duration;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use supervise_rules::{Held, MaxRestarts, Outage};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, Type};

use super::super::check::{Limited, limit, plain_name};
use super::super::model::{Body, Child, Setting, Shape, Unit, setting, span_of, word};
use super::hygiene::plain;
use super::types::{Types, declaration, item, strategy};
use crate::duration;
use crate::pretty::to_source;
use crate::settings::words;

/// Emits `impl TreeHandle` with the constant. `within` holds the names of the tree and its inline subtrees. `hidden`: rustc
/// does not see the starts of the tree.
pub(super) fn tree_handle(
    name: &Ident,
    docs: &[Attribute],
    body: &Body,
    within: &[&Ident],
    types: Types<'_>,
    hidden: bool,
) -> TokenStream {
    let (text, doc) = (plain(name), first_paragraph(docs));
    let strategy = strategy(body);
    let (shutdown, order) = time_to_end(body);
    let settings = body.settings.iter().map(|setting| &setting.text);
    let children = body
        .children()
        .filter(|entry| entry.is_typed())
        .filter_map(|entry| child(entry, body, name, within, types, hidden));
    let head = types.implementing(&quote!(__rt::TreeHandle), name);
    let at = place(name);
    quote! {
        #[automatically_derived]
        #head {
            const SPEC: __rt::TreeSpec = __rt::TreeSpec {
                name: #text,
                doc: #doc,
                strategy: __rt::Strategy::#strategy,
                shutdown: __rt::DeclaredShutdown::#shutdown,
                shutdown_order: __rt::ShutdownOrder::#order,
                settings: &[#(#settings),*],
                at: #at,
                module: ::core::module_path!(),
                version: ::core::option_env!("CARGO_PKG_VERSION"),
                children: &[#(#children)*],
            };
        }
    }
}

fn child(
    child: &Child,
    tree: &Body,
    own: &Ident,
    within: &[&Ident],
    types: Types<'_>,
    hidden: bool,
) -> Option<TokenStream> {
    let remote = match child.remote().filter(|_| !hidden) {
        Some(_) => {
            let declared = declaration(child, own, types);
            quote!(::core::option::Option::Some(#declared))
        }
        None => quote!(::core::option::Option::None),
    };
    let (cfgs, name, doc) = (&child.cfgs, plain(&child.name), first_paragraph(&child.docs));
    let item = item(child)?;
    let shape = match child.shape.as_ref()? {
        Shape::One(_) if child.only_with().is_some() => quote!(Only),
        Shape::One(_) | Shape::Inline(_) => quote!(One),
        Shape::Optional(_) => quote!(Optional),
        Shape::Array(_, count) => quote!(Array(__rt::number::<{ #count }>())),
        Shape::Set(_) => quote!(Set),
        Shape::Keyed(key, _) => {
            let key = to_source(key.to_token_stream());
            quote!(Keyed(#key))
        }
    };
    let (kind, below) = match child.unit() {
        // A tree may contain a set of itself, but a constant may not contain itself.
        Some(Unit::Type(ty)) if child.is_set() || child.only_with().is_some() => {
            let tree = types.asked(ty, "IsAChild", "TREE");
            (types.asked(ty, "IsAChild", "KIND"), quote_spanned!(span_of(ty)=> __rt::Below::Instance(|| #tree)))
        }
        // A tree that contains itself was reported. Here rustc would report it again, as an infinite constant.
        Some(Unit::Type(ty)) if is_one_of(ty, within) => {
            (quote!(__rt::ChildKind::Tree), quote!(__rt::Below::Known(::core::option::Option::None)))
        }
        Some(Unit::Type(ty)) => {
            let tree = types.asked(ty, "IsAChild", "TREE");
            (types.asked(ty, "IsAChild", "KIND"), quote_spanned!(span_of(ty)=> __rt::Below::Known(#tree)))
        }
        Some(Unit::Remote(..)) => {
            (quote!(__rt::ChildKind::Actor), quote!(__rt::Below::Known(::core::option::Option::None)))
        }
        Some(Unit::Task(_)) => {
            (quote!(__rt::ChildKind::Task), quote!(__rt::Below::Known(::core::option::Option::None)))
        }
        None => {
            let name = types.own(&child.subtree()?.name);
            (
                quote!(__rt::ChildKind::Tree),
                quote!(__rt::Below::Known(::core::option::Option::Some(
                    &<#name as __rt::TreeHandle>::SPEC
                ))),
            )
        }
    };
    let lifecycle = Ident::new(child.lifecycle().word(), proc_macro2::Span::call_site());
    let declared = shutdown(child);
    let shutdown = match default_shutdown(child) {
        // A default is not for a tree, and only rustc can tell whether the child is one.
        Some(default) => quote!(__rt::default_shutdown(#kind, __rt::DeclaredShutdown::#default)),
        None => quote!(__rt::DeclaredShutdown::#declared),
    };
    let limit = limited(limit(child, tree), child.is_task());
    let settings = child.settings.iter().map(|setting| &setting.text);
    let at = place(&child.name);
    Some(quote! {
        #(#cfgs)*
        __rt::ChildSpec {
            name: #name,
            doc: #doc,
            item: #item,
            shape: __rt::Shape::#shape,
            kind: #kind,
            lifecycle: __rt::Lifecycle::#lifecycle,
            limit: #limit,
            shutdown: #shutdown,
            settings: &[#(#settings),*],
            at: #at,
            below: #below,
            remote: #remote,
        },
    })
}

/// Emits the restart limit of a child. Most children have the default, which is a short call.
fn limited(limit: Limited, is_task: bool) -> TokenStream {
    let time = |time: Duration| duration::tokens(time, proc_macro2::Span::call_site()).into_token_stream();
    let optional = |of: Option<TokenStream>| match of {
        Some(of) => quote!(::core::option::Option::Some(#of)),
        None => quote!(::core::option::Option::None),
    };
    let (held, stops) = match limit {
        Limited::Never => return quote!(__rt::DeclaredLimit::Never),
        Limited::Computed => return quote!(__rt::DeclaredLimit::Computed),
        Limited::By(held, stops) => (held, stops),
    };
    let MaxRestarts::AtMost(restarts) = held.max else { return quote!(__rt::DeclaredLimit::Unlimited) };
    let (within, shared) = (optional(held.within.map(time)), held.shared);
    let on_limit = if stops { quote!(Stop) } else { quote!(Escalate) };
    if held == Held::by_default(shared, is_task) {
        return quote!(__rt::default_limit(__rt::OnLimit::#on_limit, #shared, #is_task));
    }
    let outage = optional(held.outage.map(|outage| match outage {
        Outage::Survived => quote!(__rt::Outage::Survived),
        Outage::UsesUp { least, most } => {
            let (least, most) = (time(least), optional(most.map(time)));
            quote!(__rt::Outage::UsesUp { least: #least, most: #most })
        }
    }));
    quote! {
        __rt::DeclaredLimit::AtMost {
            restarts: #restarts,
            within: #within,
            shared: #shared,
            on_limit: __rt::OnLimit::#on_limit,
            outage: #outage,
        }
    }
}

/// Emits the place of a name in the source, as rustc knows it.
fn place(name: &Ident) -> TokenStream {
    quote_spanned!(name.span()=> ::core::panic::Location::caller())
}

/// Checks that the `shutdown` time of each subtree is enough for its children, where it is a literal (rule C12).
#[derive(Debug, Default)]
pub(super) struct Times {
    /// Constants.
    pub(super) free: TokenStream,
    /// Statements of a constant of the tree, for times that depend on its type parameters. They are checked once for
    /// each choice of types.
    pub(super) bound: TokenStream,
}

/// Emits these checks. A set of the tree itself is not checked: its time would have to be longer than itself.
pub(super) fn times(body: &Body, within: &[&Ident], types: Types<'_>) -> Times {
    let mut all = Times::default();
    for child in body.children() {
        let written = setting(&child.settings, "lifecycle").and_then(|setting| setting.named("shutdown"));
        let tree = match child.unit() {
            Some(Unit::Type(ty)) if is_one_of(ty, within) => None,
            Some(Unit::Type(ty)) => Some(types.asked(ty, "IsAChild", "TREE")),
            Some(Unit::Remote(..) | Unit::Task(_)) => None,
            None => child.subtree().map(|subtree| {
                let name = types.own(&subtree.name);
                quote! {
                    ::core::option::Option::Some(&<#name as __rt::TreeHandle>::SPEC)
                }
            }),
        };
        if let (Some((_, value)), Some(tree)) = (written, tree)
            && let Some(time) = duration::literal(value)
        {
            let (cfgs, time) = (&child.cfgs, duration::parts(time));
            let check = quote_spanned!(value.span()=> __rt::shutdown_suffices(#tree, #time));
            match types.is_generic(&tree) {
                true => all.bound.extend(quote!(#(#cfgs)* { #check })),
                false => all.free.extend(quote!(#(#cfgs)* const _: () = #check;)),
            }
        }
        if let Some(subtree) = child.subtree() {
            let (cfgs, Times { free, bound }) = (&child.cfgs, times(&subtree.body, within, types));
            if !free.is_empty() {
                all.free.extend(quote!(#(#cfgs)* const _: () = { #free };));
            }
            if !bound.is_empty() {
                all.bound.extend(quote!(#(#cfgs)* { #bound }));
            }
        }
    }
    all
}

fn is_one_of(ty: &Type, names: &[&Ident]) -> bool {
    plain_name(ty).is_some_and(|name| names.contains(&name))
}

/// Emits the `shutdown` time: a literal, a word, or `Computed` if only the start knows it.
fn shutdown(child: &Child) -> TokenStream {
    let time = |time| duration::tokens(time, proc_macro2::Span::call_site());
    let written = setting(&child.settings, "lifecycle").and_then(|setting| setting.named("shutdown"));
    let Some((_, value)) = written else {
        // A task without a context is dropped at its next await (rule S29).
        return if child.is_task() && !child.has_context() {
            let none = time(Duration::ZERO);
            quote!(Is(__rt::ShutdownTimeout::Within(#none)))
        } else {
            quote!(Default)
        };
    };
    declared(value)
}

/// Emits the `shutdown` time that the child has by default.
fn default_shutdown(child: &Child) -> Option<TokenStream> {
    Some(declared(setting(&child.defaults, "lifecycle")?.named("shutdown")?.1))
}

fn declared(value: &Expr) -> TokenStream {
    if let Some(literal) = duration::literal(value) {
        let time = duration::tokens(literal, proc_macro2::Span::call_site());
        return quote!(Is(__rt::ShutdownTimeout::Within(#time)));
    }
    match word(value).filter(|word| words("lifecycle", "shutdown").contains(&&*word.to_string())) {
        Some(word) => quote!(Is(__rt::ShutdownTimeout::#word)),
        None => quote!(Computed),
    }
}

/// Emits the time that the tree has for each of its ends, and the order in which its children go down.
fn time_to_end(body: &Body) -> (TokenStream, TokenStream) {
    let written = setting(&body.settings, "shutdown");
    let order = match written.and_then(|written| written.says("Together")) {
        Some(_) => quote!(Together),
        None => quote!(Reverse),
    };
    let time = match written.and_then(Setting::value).map(duration::literal) {
        Some(Some(literal)) => {
            let time = duration::tokens(literal, proc_macro2::Span::call_site());
            quote!(Is(__rt::ShutdownTimeout::Within(#time)))
        }
        Some(None) => quote!(Computed),
        None => quote!(Default),
    };
    (time, order)
}

/// Returns the first paragraph of the documentation, as one line.
fn first_paragraph(docs: &[Attribute]) -> String {
    let lines = docs.iter().filter_map(|doc| match &doc.meta {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let paragraph = text.lines().map(str::trim).skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    paragraph.collect::<Vec<_>>().join(" ")
}
