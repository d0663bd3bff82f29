//! Emits remote children: at the owner a start that takes values along, and for the nodes a function that starts the
//! child from them.
//!
//! Paths into the crate `supervise_remote` are emitted only for a tree that has such a child.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Type};

use super::super::check::below;
use super::super::crossing::{Argument, Crossing, Value, first, with_inside};
use super::super::model::{Body, Child, Item, Setting, Shape, Tree, Unit, setting, span_of, word};
use super::super::names::{Names, Origin};
use super::hygiene::{half_typed, local, plain, without_attributes};
use super::options::{is_hook, methods};
use super::scope::Scope;
use super::types::{Types, constant, declaration, item};
use crate::duration::{lower, lower_time};
use crate::paths::Supervise;
use crate::pretty::to_source;
use crate::settings::{OF_NODE, words};

/// The arguments of `on` that are optional, each with the method of its name.
const ARGUMENTS: [&str; 4] = ["lease", "overlap", "spread", "window"];

fn function(child: &Child) -> Ident {
    Ident::new(&format!("__start_{}", plain(&child.name)), Span::call_site())
}

/// Emits the function that makes a node of the tree, if it has a remote child.
pub(super) fn node(tree: &Tree) -> Option<TokenStream> {
    let word = first(&tree.body)?;
    let (vis, name) = (&tree.vis, &tree.name);
    let doc = format!(
        "Makes a node for `{name}`, which runs its remote children of this role for an owner. Panics if it has none."
    );
    let far = Types::of(tree).outside().far_crate(word.span());
    let path = quote_spanned!(word.span()=> #far::Node);
    Some(quote! {
        #[doc = #doc]
        #[must_use]
        #[track_caller]
        #[allow(dead_code)]
        #vis fn node(role: &str) -> #path {
            #path::of(const { &<Self as #Supervise::expansion::TreeHandle>::SPEC }, role)
        }
    })
}

/// Emits, for each remote child, its declaration and the function that starts it on a node.
pub(super) fn starts(tree: &Tree, condition: &TokenStream) -> TokenStream {
    let mut names = Names::default();
    for param in &tree.params {
        names.declare(&param.name, &[], Origin::Value(Some(&param.ty)));
    }
    let mut all = TokenStream::new();
    inside(&tree.body, &tree.name, names, &[], Types::of(tree), condition, &mut all);
    all
}

fn inside<'a>(
    body: &'a Body,
    own: &Ident,
    mut names: Names<'a>,
    cfgs: &[&Attribute],
    types: Types<'_>,
    condition: &TokenStream,
    all: &mut TokenStream,
) {
    names.declare(&local("tree"), &[], Origin::Tree);
    for (i, item) in body.items.iter().enumerate() {
        let child = match item {
            Item::Let(entry) => {
                names.declare_let(entry);
                continue;
            }
            Item::Child(child) => child,
        };
        let cfgs: Vec<_> = cfgs.iter().copied().chain(&child.cfgs).collect();
        if let Some(subtree) = child.subtree() {
            inside(&subtree.body, &subtree.name, names.clone(), &cfgs, types, condition, all);
        } else if let Some((_, ty)) = child.remote()
            && let Some(crossing) = Crossing::of(child, &names, below(&body.items[i + 1..]))
        {
            let head = types.inherent(own);
            let editor = for_editor(&names, types);
            let (declared, start) = (declare(child, body, &crossing), start(child, ty, &crossing, types, &editor));
            all.extend(quote! {
                #(#cfgs)*
                #[cfg(any(rust_analyzer, #condition))]
                #head {
                    #start
                    #declared
                }
            });
        }
        names.declare(&child.name, &child.cfgs, Origin::Child(child));
    }
}

/// Emits the declaration as a constant.
fn declare(child: &Child, body: &Body, crossing: &Crossing<'_>) -> TokenStream {
    let (name, function, path) = (constant(child), function(child), plain(&child.name));
    let build = build(child, crossing);
    let on: Vec<&Setting> = child.all("on").collect();
    let name_of_setting = on.first().map_or_else(|| Ident::new("on", Span::call_site()), |on| on.name.clone());
    let role = on.iter().find_map(|setting| setting.value());
    let at = role.map_or(child.name.span(), Spanned::span);
    let role = role.map_or_else(|| quote!("none"), |role| lower(role).into_token_stream());
    let new = quote_spanned! {at=>
        __rt::RemoteSpec::#name_of_setting(#role, || __rt::remote_key::<Self>(::core::module_path!(), #path), #build, Self::#function)
    };
    let arguments = ARGUMENTS.iter().filter_map(|name| child.argument("on", name)).map(|(name, value)| {
        let value = match (&*name.to_string(), word(value)) {
            ("overlap", Some(word)) => quote!(__rt::Overlap::#word),
            ("spread", Some(word)) => quote!(__rt::Spread::#word),
            ("lease", _) => lower_time(value).into_token_stream(),
            _ => lower(value).into_token_stream(),
        };
        // The span of the name makes rustc report a value of a wrong type at the argument, not at the whole macro.
        quote_spanned!(name.span()=> .#name(#value))
    });
    let shutdown = child.argument("lifecycle", "shutdown").map(|(name, value)| {
        let value = timeout(value);
        quote!(.#name(#value))
    });
    let start = child.argument("lifecycle", "start").map(|(name, value)| {
        let value = lower_time(value);
        quote!(.#name(#value))
    });
    // An editor offers the methods for a word that is half typed, also in the default of the tree.
    let own = setting(&child.settings, "on").into_iter().chain(setting(&body.settings, "on"));
    let unknown: Vec<&Ident> = own.flat_map(half_typed_words).collect();
    let half_typed = half_typed(&quote!(__rt::RemoteSpec::on("", || ::core::todo!(), 0, |it| it)), unknown.into_iter());
    let value = quote!(#new #(#arguments)* #shutdown #start);
    let value = if half_typed.is_empty() { value } else { quote!({ #half_typed #value }) };
    quote! {
        #[doc(hidden)]
        #[allow(dead_code, non_upper_case_globals)]
        const #name: &'static __rt::RemoteSpec = &#value;
    }
}

/// Returns the words in an `on` that may be arguments.
fn half_typed_words(on: &Setting) -> Vec<&Ident> {
    let unnamed = on.args().iter().filter(|arg| arg.name.is_none());
    let is_role = |word: &&Ident| !word.to_string().starts_with(char::is_uppercase);
    unnamed.filter_map(|arg| word(&arg.value)).filter(is_role).collect()
}

/// Emits a `shutdown` as a value.
fn timeout(value: &Expr) -> TokenStream {
    match word(value).filter(|word| words("lifecycle", "shutdown").contains(&&*word.to_string())) {
        Some(word) => quote!(__rt::ShutdownTimeout::#word),
        None => {
            let value = lower_time(value);
            quote!(__rt::ShutdownTimeout::Within(#value))
        }
    }
}

/// Emits a hash of what owner and nodes have to agree on: FNV-1a of the source. As a literal it is always as long, since an
/// editor finds its place in the expansion by text offset.
fn build(child: &Child, crossing: &Crossing<'_>) -> TokenStream {
    let unit = child.remote().map(|(_, ty)| to_source(ty.to_token_stream())).unwrap_or_default();
    let shape = match &child.shape {
        Some(Shape::Optional(_)) => "?".to_owned(),
        Some(Shape::Array(_, count)) => to_source(count.to_token_stream()),
        Some(Shape::Keyed(key, _)) => to_source(key.to_token_stream()),
        _ => String::new(),
    };
    let start = child.start.as_ref().map(|start| to_source(start.to_token_stream())).unwrap_or_default();
    let settings = child.settings.iter().map(|setting| setting.text.clone());
    let defaults = child.defaults.iter().flat_map(|setting| {
        let name = &setting.name;
        setting.args().iter().map(move |arg| {
            let (of, value) = (&arg.name, &arg.value);
            to_source(quote!(#name #of #value))
        })
    });
    let values = crossing.values.iter().map(|value| {
        let ty = match value.origin {
            Origin::Value(ty) => ty.map(ToTokens::to_token_stream),
            Origin::Child(child) => item(child).map(ToTokens::into_token_stream),
            Origin::Tree => None,
        };
        format!("{}: {}", plain(&value.name), to_source(ty.unwrap_or_default()))
    });
    let arguments = crossing.arguments.iter().map(|(argument, is_named)| format!("{is_named} {}", written(argument)));
    let all = [unit, shape, start].into_iter().chain(settings).chain(defaults).chain(values).chain(arguments);
    let bytes = all.flat_map(|text| text.into_bytes().into_iter().chain([0xff]));
    let hash: u64 =
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let [a, b, c, d] = [48, 32, 16, 0].map(|shift| (hash >> shift) & 0xffff);
    // Groups of four digits: a lint of clippy reports long literals without them.
    format!("0x{a:04x}_{b:04x}_{c:04x}_{d:04x}").parse().unwrap_or_default()
}

/// Emits the function that starts the child on a node.
fn start(child: &Child, ty: &Type, crossing: &Crossing<'_>, types: Types<'_>, editor: &TokenStream) -> TokenStream {
    let function = function(child);
    let far = types.far_path(span_of(ty));
    let actor = types.far_actor(ty);
    let (order, captured, it) = (local("__order"), local("__captured"), local("__it"));
    let values = crossing.values.iter().map(|value| (far_pattern(value, types), far_type(value, types)));
    let mut parts: Vec<(TokenStream, TokenStream)> = values.collect();
    let mut patterns = TokenStream::new();
    for (i, (argument, is_named)) in crossing.arguments.iter().enumerate() {
        if !is_named {
            continue;
        }
        let mut name = local(&format!("__a{i}"));
        name.set_span(argument.pattern().span().resolved_at(name.span()));
        let pattern = without_attributes(argument.pattern());
        patterns.extend(quote!(let #pattern = #name;));
        parts.push((quote!(#name), argument_type(argument, types)));
    }
    let (names, all): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    let options = options(child, &actor);
    let start = &crossing.start;
    let later = crossing.start.to_token_stream();
    let later = super::super::model::mentions(later, &[&Ident::new("later", Span::call_site())]);
    let later = later.then(|| {
        quote!(
            #[allow(unused_imports)]
            use __rt::later;
        )
    });
    // The span of the start expression makes rustc report a future that is not `Send` there.
    let host = quote_spanned! {start.span()=>
        #far::Order::host(
            #order,
            #options,
            |#captured: (#(#all,)*)| async move {
                #editor
                #[allow(unused_variables)]
                let (#(#names,)*) = #captured;
                #patterns
                #later
                let #it: #actor = #start;
                __rt::Ok::<_, __rt::Thrown>(#it)
            },
            #far::errors!(<#actor as __rt::Actor>::Error),
        )
    };
    let boxed = quote!(::std::boxed::Box<dyn ::core::any::Any + ::core::marker::Send>);
    quote! {
        #[doc(hidden)]
        #[allow(dead_code, non_snake_case, unreachable_code, clippy::type_complexity)]
        fn #function(#order: #boxed) -> #boxed {
            #far::erased(#order, |#order: #far::Order| #host)
        }
    }
}

/// Binds all names that could cross, but only for an editor: a half-typed start does not use the name yet.
fn for_editor(names: &Names<'_>, types: Types<'_>) -> TokenStream {
    let values = names.iter().map(|name| Value::of(name, name.ident.span()));
    let typed = values.filter(|value| match value.origin {
        Origin::Value(ty) => ty.is_some(),
        Origin::Child(child) => child.unit().is_some_and(|unit| !matches!(unit, Unit::Task(_))) && !child.is_set(),
        Origin::Tree => false,
    });
    typed
        .map(|value| {
            let (pattern, ty) = (far_pattern(&value, types), far_type(&value, types));
            quote!(#[cfg(rust_analyzer)] let #pattern: #ty = ::core::todo!();)
        })
        .collect()
}

/// Emits the settings that hold on the node.
fn options(child: &Child, actor: &TokenStream) -> TokenStream {
    let times = OF_NODE.into_iter().filter_map(|name| {
        let (name, value) = child.argument("lifecycle", name)?;
        let value = if name == "shutdown" { timeout(value) } else { lower_time(value).into_token_stream() };
        Some(quote!(.#name(#value)))
    });
    let drain = setting(&child.settings, "lifecycle").and_then(|lifecycle| lifecycle.says("drain"));
    let drain = drain.map(|drain| quote!(.#drain()));
    let hooks = child.settings.iter().filter(|setting| is_hook(setting)).flat_map(|setting| methods(setting, child));
    let hooks = hooks.map(|(_, method)| method);
    quote!(__rt::ChildOptions::<#actor>::new() #(#times)* #drain #(#hooks)*)
}

/// Returns the pattern that binds the name of a value on the node.
fn far_pattern(value: &Value<'_>, types: Types<'_>) -> TokenStream {
    let name = &value.name;
    match value.origin {
        Origin::Child(Child { shape: Some(Shape::Array(..)), .. }) => {
            let far = types.far_path(value.at);
            quote!(#far::Several(#name))
        }
        _ => quote!(#name),
    }
}

/// Returns the type of a value as the node sees it.
fn far_type(value: &Value<'_>, types: Types<'_>) -> TokenStream {
    match value.origin {
        Origin::Value(Some(ty)) => types.crossing(ty, value.at),
        Origin::Child(child) => {
            let rest = match child.unit() {
                Some(Unit::Type(ty)) => types.far_sibling(ty, value.at),
                Some(Unit::Remote(_, ty)) => types.far_actor(ty),
                _ => return quote!(()), // the mistake is reported elsewhere
            };
            let far = types.far_crate(value.at);
            let one = quote_spanned!(value.at=> #far::RemoteRef<#rest>);
            match &child.shape {
                Some(Shape::Optional(_)) => quote!(::core::option::Option<#one>),
                Some(Shape::Array(_, count)) => {
                    let far = types.far_path(value.at);
                    quote!(#far::Several<#one, { #count }>)
                }
                _ => one,
            }
        }
        Origin::Value(None) | Origin::Tree => quote!(()), // the mistake is reported elsewhere
    }
}

fn written(argument: &Argument<'_>) -> String {
    match argument {
        Argument::Index(_) => String::new(),
        Argument::Key(_, ty) | Argument::Spawned(_, ty) => to_source(ty.to_token_stream()),
    }
}

fn argument_type(argument: &Argument<'_>, types: Types<'_>) -> TokenStream {
    match argument {
        Argument::Index(_) => quote!(::core::primitive::usize),
        Argument::Key(_, ty) | Argument::Spawned(_, ty) => types.crossing(ty, span_of(ty)),
    }
}

/// Emits the start at the owner: the child's declaration, and the values that the names stand for.
///
/// `arguments` has the value of each argument of the closure.
pub(super) fn at_owner(child: &Child, crossing: &Crossing<'_>, arguments: &[Ident], scope: &Scope<'_>) -> TokenStream {
    let Some((_, ty)) = child.remote() else { return TokenStream::new() };
    let types = scope.types;
    let far = types.far_path(crossing.start.span());
    let mut parts: Vec<TokenStream> = crossing.values.iter().map(|value| exported(value, types)).collect();
    for ((argument, is_named), name) in crossing.arguments.iter().zip(arguments) {
        if *is_named {
            parts.push(match argument {
                Argument::Index(_) => quote!(&#name),
                Argument::Key(_, ty) | Argument::Spawned(_, ty) => types.crosses(ty, span_of(ty), quote!(&#name)),
            });
        }
    }
    let declared = declaration(child, scope.own, types);
    let (start, actor) = (crossing.start.span(), types.far_actor(ty));
    quote_spanned!(start=> #far::far_start(#declared, &(#(#parts,)*), #far::errors!(<#actor as __rt::Actor>::Error))?)
}

/// Emits a value as it is sent.
fn exported(value: &Value<'_>, types: Types<'_>) -> TokenStream {
    let mut name = value.name.clone();
    name.set_span(value.at.resolved_at(name.span()));
    match value.origin {
        Origin::Value(Some(ty)) => types.crosses(ty, value.at, quote!(&#name)),
        Origin::Child(child) => {
            let is = match child.unit() {
                Some(Unit::Type(ty)) => types.sibling_is(ty, value.at),
                Some(Unit::Remote(_, ty)) => types.far_is(ty),
                _ => return quote!(()), // the mistake is reported elsewhere
            };
            let far = types.far_path(value.at);
            quote_spanned!(value.at=> #far::exported::<{ #is }, _>(&#name))
        }
        Origin::Value(None) | Origin::Tree => quote!(()), // the mistake is reported elsewhere
    }
}

/// Emits the arguments that the start does not name, for rustc to say so.
pub(super) fn unused(crossing: &Crossing<'_>, arguments: &[Ident]) -> TokenStream {
    let unused = crossing.arguments.iter().zip(arguments).filter(|((_, is_named), _)| !is_named);
    unused
        .map(|((argument, _), name)| {
            let pattern: TokenStream = without_attributes(argument.pattern());
            quote!(#[allow(clippy::no_effect_underscore_binding)] let #pattern = #name;)
        })
        .collect()
}

/// Emits the start of an optional child at the owner, which decides whether there is one.
pub(super) fn optional_at_owner(start: &Expr, inside: TokenStream) -> TokenStream {
    with_inside(start, &Expr::Verbatim(inside)).into_token_stream()
}

/// Returns what a start at the owner is emitted from.
pub(super) fn crossing<'a>(child: &'a Child, scope: &Scope<'a>) -> Option<Crossing<'a>> {
    child.remote()?;
    Crossing::of(child, &scope.names, scope.ahead.iter().copied())
}
