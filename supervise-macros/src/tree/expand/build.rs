//! Emits `build`, with one statement for each `let` and child, in order.
//!
//! `build` runs at every start of the supervisor. It contains the user's tokens once, as arguments of generic functions
//! of the runtime.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprClosure, Pat, PatType, Type};

use super::super::check::{below, inside, is_ahead, rejects};
use super::super::model::{Body, Child, Item, Let, Setting, Shape, Subtree, Tree, Unit, setting};
use super::super::names::Origin;
use super::hygiene::{for_editor, hidden, local, plain, without_attributes};
use super::scope::Scope;
use super::types::{Types, as_published, field_of_the_tree, initializers, is_started_once};
use super::{options, remote};
use crate::free_names::{FreeNames, bindings};

/// Emits the function `build` of a tree.
///
/// `timed`: there is a constant to be evaluated for each choice of types (rule C12). `failed`: a mistake is reported.
pub(super) fn tree(tree: &Tree, timed: bool, failed: bool) -> TokenStream {
    let builder = local("__b");
    let names: Vec<_> = tree.params.iter().map(|param| hidden(&param.name)).collect();
    let mut scope = Scope::new(Types::of(tree), &tree.name, ahead);
    for param in &tree.params {
        scope.names.declare(&param.name, &[], Origin::Value(Some(&param.ty)));
    }
    let body = body(&tree.name, &tree.body, scope);
    let editor = tree.params.iter().map(|param| for_editor(&param.name, false));
    let used = FreeNames::of(inside(&tree.body));
    // After a mistake, no warning of a parameter that only the mistake uses. Both names of lints have one length.
    let lint = Ident::new(if failed { "unused_variables" } else { "unreachable_code" }, Span::call_site());
    let unused = tree.params.iter().filter(|param| used.value_or_call(&param.name).is_none()).map(|param| {
        let (name, inner) = (&param.name, hidden(&param.name));
        quote!(#[allow(#lint)] let #name = &#inner;)
    });
    let times = timed.then(|| quote!(let () = Self::__TIMES;));
    // Methods keep and clone the values, here and in `Scope::bind`: if the type of a parameter is wrong, so is their
    // result, and rustc reports no second error.
    let keep = (!names.is_empty()).then(|| {
        quote!(
            use __rt::Keep as _;
        )
    });
    quote! {
        async fn build(
            (#(#names,)*): Self::Params,
            #builder: __rt::Builder,
        ) -> ::core::result::Result<Self, __rt::Thrown> {
            #times
            #keep
            #(let #names = #names.keep_for_the_tree(&#builder);)*
            #(#unused)*
            #(#editor)*
            #body
        }
    }
}

/// Emits the statements of a body. They end in the handle.
fn body<'a>(name: &'a Ident, body: &'a Body, mut scope: Scope<'a>) -> TokenStream {
    scope.own = name;
    let name_of_tree = local("tree");
    let (builder, tree) = (local("__b"), hidden(&name_of_tree));
    scope.names.declare(&name_of_tree, &[], Origin::Tree);
    let exprs: Vec<&Expr> = body.settings.iter().flat_map(|setting| setting.exprs()).collect();
    let rebind = scope.bind(&exprs).rebind;
    let supervision = options::supervision(&body.settings);
    let editor = for_editor(&name_of_tree, false);
    let mut statements = quote! {
        let #tree = __rt::Builder::tree_ref(&#builder);
        #editor
        __rt::Builder::supervision(&#builder, { #rebind #supervision });
    };
    if let Some(written) = setting(&body.settings, "shutdown") {
        let (name, rebind, shutdown) = (&written.name, scope.bind(&written.exprs()).rebind, options::shutdown(written));
        statements.extend(quote!({ #rebind __rt::Builder::#name(&#builder, #shutdown); }));
    }
    statements.extend(options::half_typed_settings(body));
    statements.extend(options::defaults(&body.settings, &scope));
    for (i, item) in body.items.iter().enumerate() {
        scope.look_ahead(below(&body.items[i + 1..]));
        match item {
            Item::Let(entry) => {
                statements.extend(binding(entry, &scope));
                scope.names.declare_let(entry);
            }
            Item::Child(child) => {
                statements.extend(statement(child, &scope));
                scope.names.declare(&child.name, &child.cfgs, Origin::Child(child));
            }
        }
    }
    let (fields, own) = (initializers(body, scope.types), field_of_the_tree(body));
    quote! {
        #statements
        #[allow(unreachable_code)]
        __rt::Ok::<_, __rt::Thrown>(#name { #fields #own: #tree })
    }
}

/// Emits the options of a child below, as far as `later(..)` needs them; `None` if the child has no handle before its
/// turn.
fn ahead(child: &Child, scope: &Scope<'_>) -> Option<TokenStream> {
    let unit = child.unit().filter(|_| is_ahead(child))?;
    let new = new_options(child, unit, scope);
    let rejects = (!child.is_task() && rejects(child)).then(|| quote!(.while_down(__rt::WhileDown::Reject)));
    Some(quote!(#new #rejects))
}

/// Emits a `let`, whose value the supervisor keeps at this place.
fn binding(entry: &Let, scope: &Scope<'_>) -> TokenStream {
    let Let { cfgs, pat, ty, value, .. } = entry;
    let Some(value) = value else { return TokenStream::new() };
    let bound = scope.bind(&[value]);
    let (ahead, rebind) = (bound.ahead, bound.rebind);
    let names = bindings(pat);
    let inner = names.iter().map(hidden);
    let editor = names.iter().map(|name| {
        let editor = for_editor(name, false);
        quote!(#(#cfgs)* #editor)
    });
    let keep = names.iter().map(|name| {
        let mut builder = local("__b");
        builder.set_span(name.span().resolved_at(builder.span()));
        quote_spanned!(name.span()=> __rt::Builder::keep(&#builder, #name))
    });
    // Names the `let` in a failure of its value (S6).
    let at = names.first().filter(|_| !matches!(value, Expr::Lit(_) | Expr::Path(_))).map(|name| {
        let (builder, name) = (local("__b"), plain(name));
        quote!(__rt::Builder::at_let(&#builder, #name);)
    });
    // `let () = ..` keeps nothing, and clippy reports a `()` at the end of a block.
    let kept = (!names.is_empty()).then(|| quote!((#(#keep,)*)));
    let ty = match as_published(entry) {
        Some(published) => Some(scope.types.checked(published.ty, "CanReturn")),
        None => ty.as_ref().map(ToTokens::to_token_stream),
    };
    let ty = ty.map(|ty| quote!(: #ty));
    quote! {
        #(#cfgs)*
        #[allow(unused_variables)]
        let (#(#inner,)*) = { #ahead #rebind #at let #pat #ty = #value; #kept };
        #(#editor)*
    }
}

/// Emits a child: its options, and the closure that starts it.
fn statement<'a>(child: &'a Child, scope: &Scope<'a>) -> TokenStream {
    let (cfgs, name) = (&child.cfgs, hidden(&child.name));
    let call = match (&child.shape, &child.start) {
        (Some(Shape::One(unit)), Some(start)) => one(child, unit, start, scope),
        (Some(Shape::Optional(unit)), Some(start)) => optional(child, unit, start, scope),
        (Some(Shape::Array(unit, count)), Some(Expr::Closure(start))) => array(child, unit, count, start, scope),
        (Some(Shape::Set(unit)), Some(Expr::Closure(start))) => set(child, None, unit, start, scope),
        (Some(Shape::Keyed(key, unit)), Some(Expr::Closure(start))) => set(child, Some(key), unit, start, scope),
        (Some(Shape::Inline(subtree)), _) => inline(child, subtree, scope),
        _ => {
            // The child is not complete. Declare its name with the type, so that the expressions below compile.
            let Some(ty) = scope.types.field_type(child) else { return TokenStream::new() };
            let ty = if child.is_behind() { quote!(__rt::BuiltHandle<#ty>) } else { ty };
            return quote!(#(#cfgs)* let #name: #ty = ::core::unreachable!(););
        }
    };
    // The await is outside of the block, where the names of the block are out of scope: rustc compares every pair of
    // values that live across an await, and a tree has an await for each child.
    let span = child.unit().map_or(child.name.span(), Unit::span);
    let (handle, error) = (local("__handle"), local("__error"));
    let editor = for_editor(&child.name, child.is_behind());
    quote_spanned! {span=>
        #(#cfgs)*
        #[allow(unreachable_code)]
        let #name = match #call.await {
            __rt::Ok(#handle) => #handle,
            __rt::Err(#error) => return __rt::Err(#error),
        };
        #(#cfgs)*
        #editor
    }
}

fn one(child: &Child, unit: &Unit, start: &Expr, scope: &Scope<'_>) -> TokenStream {
    let (builder, name) = (local("__b"), plain(&child.name));
    let options = options::child(child, new_options(child, unit, scope), scope);
    let bound = scope.bind(&[start]);
    let (capture, rebind) = (bound.capture, bound.rebind);
    let value = match remote::crossing(child, scope) {
        Some(crossing) => far(unit, &remote::at_owner(child, &crossing, &[], scope), scope),
        None => started(unit, start, scope),
    };
    if let Some(setting) = child.only_with() {
        let Some(lease) = setting.first() else {
            // The missing value is reported elsewhere. Keep the type of the name, so that later uses compile.
            return quote!(::core::future::pending::<::core::result::Result<_, __rt::Thrown>>());
        };
        let (start_names, rebind) = (rebind, scope.bind(&[lease]).rebind);
        let only = Ident::new("only", setting.name.span());
        // The span of the lease makes rustc report a value that is no lease there.
        let (given, own) = (quote_spanned!(lease.span()=> __lease), quote_spanned!(unit.span()=> __options));
        let taken = quote_spanned!(lease.span()=> __rt::lease_of(#lease));
        let call = quote_spanned! {start.span()=>
            __rt::#only(&#builder, #name, #own, #given, move |()| { #start_names async move { #value } })
        };
        return quote_spanned!(unit.span()=> { #capture let #own = #options; let #own = __rt::of_subtree(#own); let #given = { #rebind #taken }; #call });
    }
    // Temporaries of the options must not live across the await.
    let given = local("__options");
    let (named, options) = match options::are_plain(child) {
        true => (None, options),
        false => (Some(quote_spanned!(unit.span()=> let #given = #options;)), quote!(#given)),
    };
    // The span of the start expression makes rustc report a future that is not `Send` there.
    let call = quote_spanned! {start.span()=>
        __rt::Builder::child(&#builder, #name, #options, move || { #rebind async move { #value } })
    };
    quote_spanned!(unit.span()=> { #capture #named #call })
}

/// Emits `Option<T>`, whose start expression returns an `Option` too.
fn optional(child: &Child, unit: &Unit, start: &Expr, scope: &Scope<'_>) -> TokenStream {
    let (builder, name) = (local("__b"), plain(&child.name));
    let options = options::child(child, new_options(child, unit, scope), scope);
    let bound = scope.bind(&[start]);
    let (capture, rebind) = (bound.capture, bound.rebind);
    let value = match unit {
        Unit::Type(_) => quote!(#start),
        Unit::Remote(..) => match remote::crossing(child, scope) {
            Some(crossing) => remote::optional_at_owner(start, remote::at_owner(child, &crossing, &[], scope)),
            None => quote!(#start),
        },
        Unit::Task(span) => quote_spanned!(*span=> __rt::optional_task(#start)),
    };
    let it = start_type(unit, scope);
    quote_spanned! {unit.span()=> {
        #capture
        let __options = #options;
        __rt::Builder::optional(&#builder, #name, __options, move || {
            #rebind
            async move {
                let __it: ::core::option::Option<#it> = #value;
                __rt::Ok::<_, __rt::Thrown>(__it)
            }
        })
    }}
}

/// Emits `[T; N]`, whose closure takes the index.
fn array(child: &Child, unit: &Unit, count: &Expr, start: &ExprClosure, scope: &Scope<'_>) -> TokenStream {
    let (builder, name) = (local("__b"), plain(&child.name));
    let options = options::child(child, new_options(child, unit, scope), scope);
    let whole = Expr::Closure(start.clone());
    let bound = scope.bind(&[&whole]);
    let (capture, rebind) = (bound.capture, bound.rebind);
    let pattern = start.inputs.first();
    let mut index = local("__i");
    index.set_span(pattern.map_or(index.span(), Spanned::span).resolved_at(index.span()));
    let (value, bind) = match remote::crossing(child, scope) {
        Some(crossing) => {
            let arguments = std::slice::from_ref(&index);
            let value = far(unit, &remote::at_owner(child, &crossing, arguments, scope), scope);
            (value, Some(remote::unused(&crossing, arguments)))
        }
        None => {
            let quiet = quiet();
            let bind = pattern.map(|pattern| {
                let pattern = without_attributes(pattern);
                quote!(#quiet let #pattern = #index;)
            });
            (started(unit, &start.body, scope), bind)
        }
    };
    quote_spanned! {unit.span()=> {
        #capture
        let __options = #options;
        __rt::Builder::array::<_, { #count }, _, _>(
            &#builder,
            #name,
            __options,
            move |#index: ::core::primitive::usize| {
                #rebind
                #bind
                async move { #value }
            },
        )
    }}
}

/// Emits `[T]` and `[Key => T]`.
fn set(child: &Child, key: Option<&Type>, unit: &Unit, start: &ExprClosure, scope: &Scope<'_>) -> TokenStream {
    let (builder, name) = (local("__b"), plain(&child.name));
    let options = options::child(child, new_options(child, unit, scope), scope);
    let whole = Expr::Closure(start.clone());
    let bound = scope.bind(&[&whole]);
    let (capture, rebind) = (bound.capture, bound.rebind);
    let types = scope.types.checked_arguments(child);
    let args = local("__args");
    // Arguments are bound one by one, so that a wrong pattern is reported at its own argument. They are bound after the
    // names of the tree: an argument hides a parameter of the same name, as in any closure.
    let mut inputs = start.inputs.iter();
    let (mut first, mut key_bound, mut names) = (TokenStream::new(), TokenStream::new(), Vec::new());
    if key.is_some()
        && let Some(input) = inputs.next()
    {
        // The type of the argument may differ from the type in the brackets.
        let mut name = local("__key");
        name.set_span(input.span().resolved_at(name.span()));
        let (input, quiet) = (without_attributes(input), quiet());
        (first, key_bound) = (quote!(#name,), quote!(#quiet let #input = #name;));
        names.push(name);
    }
    let patterns = inputs.map(|input| match input {
        Pat::Type(PatType { pat, .. }) => quote!(#pat),
        other => quote!(#other),
    });
    let mut pattern = quote!((#(#patterns,)*));
    let value = match remote::crossing(child, scope) {
        Some(crossing) => {
            names.extend((names.len()..start.inputs.len()).map(|i| local(&format!("__a{i}"))));
            let spawned = &names[usize::from(key.is_some())..];
            pattern = quote!((#(#spawned,)*));
            key_bound = remote::unused(&crossing, &names);
            far(unit, &remote::at_owner(child, &crossing, &names, scope), scope)
        }
        None => started(unit, &start.body, scope),
    };
    let key = key.map(|key| scope.types.checked(key, "CanBeAKey"));
    let once = if is_started_once(child) { "_once" } else { "" };
    let function = |name| Ident::new(&format!("{name}{once}"), unit.span());
    let (function, all, pattern) = match &key {
        Some(key) => {
            let function = function("keyed");
            (
                quote_spanned!(unit.span()=> #function::<#key, _, (#(#types,)*), _, _>),
                quote!((#key, (#(#types,)*))),
                quote!((#first #pattern)),
            )
        }
        None => {
            let function = function("set");
            (quote_spanned!(unit.span()=> #function::<_, (#(#types,)*), _, _>), quote!((#(#types,)*)), pattern)
        }
    };
    let initial = initial(child, key.is_some(), &all, scope);
    quote_spanned! {unit.span()=> {
        #capture
        let __options = #options;
        let __initial = #initial;
        __rt::Builder::#function(
            &#builder,
            #name,
            __options,
            __initial,
            move |#args: #all| {
                #rebind
                let #pattern: #all = #args;
                #key_bound
                async move { #value }
            },
        )
    }}
}

/// Emits the children that a set starts with. Each item becomes the arguments of a spawn.
fn initial(child: &Child, keyed: bool, all: &TokenStream, scope: &Scope<'_>) -> TokenStream {
    let Some(items) = setting(&child.settings, "initial").and_then(Setting::first) else {
        return quote!(__rt::no_initial());
    };
    let rebind = scope.bind(&[items]).rebind;
    let Some(Expr::Closure(start)) = &child.start else { return TokenStream::new() };
    let types: Vec<_> = start.inputs.iter().map(argument_type).collect();
    let names: Vec<_> = (0..types.len()).map(|i| local(&format!("__a{i}"))).collect();
    let one = |all: &[TokenStream]| match all {
        [only] => only.clone(),
        all => quote!((#(#all,)*)),
    };
    let item_type = one(&types);
    let item = one(&names.iter().map(|name| quote!(#name)).collect::<Vec<_>>());
    let args = match (&names[..], keyed) {
        ([key, rest @ ..], true) => quote!((#key, (#(#rest,)*))),
        (names, _) => quote!((#(#names,)*)),
    };
    // The type of an item is given, so that a wrong item is reported where it is written.
    let items = quote_spanned!(items.span()=> __rt::initial::<#item_type, #all, _>(#items, |#item| #args));
    quote!({ #rebind #items })
}

/// Emits the attribute of a `let` that stands for an argument of a closure, where `_name` is no mistake.
fn quiet() -> TokenStream {
    quote!(#[allow(clippy::no_effect_underscore_binding)])
}

fn argument_type(input: &Pat) -> TokenStream {
    match input {
        Pat::Type(PatType { ty, .. }) => quote!(#ty),
        _ => quote!(_),
    }
}

fn inline<'a>(child: &Child, subtree: &'a Subtree, scope: &Scope<'a>) -> TokenStream {
    let (builder, name, ty) = (local("__b"), plain(&child.name), scope.types.own(&subtree.name));
    let new = quote_spanned!(child.name.span()=> __rt::ChildOptions::<#ty>::new());
    let options = options::child(child, new, scope);
    let pass_on = scope.pass_on(&inside(&subtree.body));
    let body = body(&subtree.name, &subtree.body, scope.clone());
    quote_spanned! {child.name.span()=> {
        #pass_on
        let __options = #options;
        __rt::Builder::inline::<#ty, _, _>(
            &#builder,
            #name,
            __options,
            move |#builder: __rt::Builder| {
                #pass_on
                async move { #body }
            },
        )
    }}
}

/// Emits the content of the start block: the user's expression with its type.
pub(super) fn started(unit: &Unit, start: &Expr, scope: &Scope<'_>) -> TokenStream {
    let value = match (unit, start) {
        (Unit::Type(_) | Unit::Remote(..), start) => quote!(#start),
        (Unit::Task(_), Expr::Closure(closure)) => with_context(unit, closure),
        (Unit::Task(_), start) => {
            let output = polled(&quote!(#start), start.span());
            let done = quote_spanned! {unit.span()=>
                #[allow(unreachable_code)]
                __rt::TaskOutput::done(#output)
            };
            // The span of the start expression makes rustc report a future that is not `Send` there.
            quote_spanned!(start.span()=> __rt::future_of(async move { #done }))
        }
    };
    let it = start_type(unit, scope);
    quote_spanned! {unit.span()=>
        let __it: #it = #value;
        __rt::Ok::<_, __rt::Thrown>(__it)
    }
}

/// Emits the content of the start block of a remote child at its owner.
fn far(unit: &Unit, value: &TokenStream, scope: &Scope<'_>) -> TokenStream {
    let it = start_type(unit, scope);
    quote_spanned! {unit.span()=>
        let __it: #it = #value;
        __rt::Ok::<_, __rt::Thrown>(__it)
    }
}

/// Emits the output of a task's future, or the error that the tree cannot poll it.
fn polled(future: &TokenStream, at: Span) -> TokenStream {
    quote_spanned! {at=> {
        #[allow(unused_imports)] // by a future that is reported
        use __rt::Polled as _;
        __rt::Poll(#future).polled()
    }.await}
}

/// Emits `|cx| future`. The body of the closure moves into the block that owns the context, so that the future can
/// borrow the context, which the future of a real closure cannot.
fn with_context(unit: &Unit, closure: &ExprClosure) -> TokenStream {
    let (context, body) = (local("__cx"), &closure.body);
    let pattern = match closure.inputs.first() {
        Some(Pat::Type(PatType { pat, ty, .. })) if matches!(**ty, Type::Reference(_)) => {
            quote!(let #pat: #ty = &#context;)
        }
        Some(pattern) => {
            let (pattern, quiet) = (without_attributes(pattern), quiet());
            quote!(#quiet let #pattern = #context;)
        }
        None => TokenStream::new(),
    };
    let body = match closure.asyncness {
        Some(_) => quote!(async move { #body }),
        None => quote!(#body),
    };
    let output = polled(&body, closure.body.span());
    let done = quote_spanned! {unit.span()=>
        #pattern
        #[allow(unreachable_code)]
        __rt::TaskOutput::done(#output)
    };
    quote_spanned!(closure.body.span()=> __rt::task_of(move |#context: __rt::TaskContext| async move { #done }))
}

/// Emits the type of the start expression.
fn start_type(unit: &Unit, scope: &Scope<'_>) -> TokenStream {
    match unit {
        Unit::Type(_) | Unit::Remote(..) => scope.types.if_unit(unit, "Start", TokenStream::new()),
        Unit::Task(span) => quote_spanned!(*span=> __rt::TaskStart),
    }
}

/// Emits the options without settings. They fix the type of the child for everything that follows (rule C9).
pub(super) fn new_options(child: &Child, unit: &Unit, scope: &Scope<'_>) -> TokenStream {
    match unit {
        Unit::Type(_) | Unit::Remote(..) => {
            let at = unit.span();
            scope.types.if_unit(unit, "options", quote_spanned!(at=> ()))
        }
        Unit::Task(span) => {
            let new = Ident::new(if child.has_context() { "new" } else { "without_context" }, *span);
            quote_spanned!(*span=> __rt::ChildOptions::<__rt::Task>::#new())
        }
    }
}
