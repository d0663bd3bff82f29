//! Emits settings as values: `ChildOptions` of a child, `SupervisorStrategy` of a body.
//!
//! The name of a setting becomes a method call with the user's own token, and a word becomes a variant. So completion,
//! hover and go-to-definition work inside the attributes.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprPath};

use super::super::model::{Arg, Args, Body, Child, Setting, setting, word};
use super::hygiene::{half_typed, local};
use super::scope::Scope;
use super::types::declaration;
use crate::decider::{self, Coverage, Decided};
use crate::duration::{lower, lower_from_zero, lower_time};
use crate::settings::{DEFAULTS, OF_NODE, is_flag, words};

/// Emits the options of a child, evaluated with the names that they use.
pub(super) fn child(child: &Child, new: TokenStream, scope: &Scope<'_>) -> TokenStream {
    let exprs: Vec<&Expr> = child.settings.iter().flat_map(|setting| setting.exprs()).collect();
    let rebind = scope.bind(&exprs).rebind;
    let settings =
        child.settings.iter().filter(|setting| matches!(&*setting.name.to_string(), "lifecycle" | "mailbox"));
    let half_typed = half_typed(&new, child.unknown.iter().chain(settings.flat_map(Setting::unknown)));
    let half_typed = (!half_typed.is_empty()).then(|| {
        quote!(
            #[cfg(rust_analyzer)]
            use __rt::HalfTyped as _;
            #half_typed
        )
    });
    let mut value = new;
    let steps: Vec<_> = match child.remote() {
        Some(_) => at_owner(child, scope),
        None => {
            let own = child.settings.iter().flat_map(|setting| methods(setting, child));
            own.chain(child.defaults.iter().flat_map(taken)).collect()
        }
    };
    let mut before = TokenStream::new();
    for (at, method) in steps {
        if let Some(at) = at {
            let options = Ident::new("__options", at);
            before.extend(quote!(let #options = #value;));
            value = options.into_token_stream();
        }
        value.extend(method);
    }
    quote!({ #rebind #half_typed #before #value })
}

/// Emits the settings of a remote child that its owner obeys. Settings of its instance are the node's.
fn at_owner(child: &Child, scope: &Scope<'_>) -> Vec<Step> {
    let is_of_node = |arg: &Arg| arg.name.as_ref().is_some_and(|name| OF_NODE.iter().any(|of| name == of));
    let split = |of: &Setting| {
        let args = of.args().iter().filter(|arg| !(of.name == "lifecycle" && is_of_node(arg))).cloned().collect();
        let args = match &of.args {
            Args::List(_) => Args::List(args),
            Args::Decider(_) => return None,
        };
        Some(Setting { name: of.name.clone(), args, text: String::new() })
    };
    let steps = |settings: &[Setting], emit: &dyn Fn(&Setting) -> Vec<Step>| -> Vec<Step> {
        let ours = settings.iter().filter(|setting| is_of_owner(setting));
        ours.flat_map(|setting| split(setting).map_or_else(|| emit(setting), |setting| emit(&setting))).collect()
    };
    let mut all = steps(&child.settings, &|setting| match setting.named("attempts") {
        Some((name, attempts)) if setting.name == "redeliver" => {
            let attempts = lower(attempts);
            vec![(Some(name.span()), quote!(.redeliver_from_owner(#attempts)))]
        }
        _ => methods(setting, child),
    });
    all.extend(steps(&child.defaults, &taken));
    let declared = declaration(child, scope.own, scope.types);
    all.push((None, quote!(.shutdown(#declared.shutdown_at_owner()))));
    all
}

/// Returns whether the settings of a child are literals and words, whose values leave no temporaries behind.
pub(super) fn are_plain(child: &Child) -> bool {
    let mut exprs = child.settings.iter().flat_map(|setting| setting.exprs());
    exprs.all(|expr| matches!(expr, Expr::Lit(_)) || word(expr).is_some())
}

/// A method call, and its place if it may have an unmet bound: it is then called on a name at that place, where rustc
/// reports the bound. Other calls follow each other, which is cheaper to compile.
pub(super) type Step = (Option<Span>, TokenStream);

/// Emits the values of a tree's defaults, which its children share, in front of the children.
pub(super) fn defaults(settings: &[Setting], scope: &Scope<'_>) -> TokenStream {
    let mut values = TokenStream::new();
    let words = DEFAULTS[..].iter().filter_map(|name| setting(settings, name));
    let words = words.filter(|default| default.name != "backoff" && default.name != "on");
    values.extend(half_typed(&quote!(__rt::ChildOptions::<()>::new()), words.flat_map(Setting::unknown)));
    for default in DEFAULTS.iter().filter_map(|name| setting(settings, name)) {
        let rebind = scope.bind(&default.exprs()).rebind;
        let (name, unknown) = (&default.name, default.unknown().collect::<Vec<_>>());
        let value = |of: &str, ty: TokenStream, value: TokenStream| {
            let local = shared(of);
            quote!(#[allow(unused_variables)] let #local: #ty = { #rebind #value };)
        };
        match (&*name.to_string(), default.first()) {
            ("backoff", Some(first)) => {
                let backoff = backoff(first, default);
                values.extend(value("backoff", quote!(__rt::Backoff), backoff));
            }
            ("backoff", None) | ("on", _) => {}
            _ => {
                let args = default.args().iter().filter(|arg| arg.name.is_some() || default.name == "mailbox");
                for arg in args {
                    let Some((_, call)) = argument(name, arg, &unknown) else { continue };
                    let (of, ty) = match arg.name.as_ref().map(ToString::to_string).as_deref() {
                        Some("shutdown") => ("shutdown", quote!(__rt::ShutdownTimeout)),
                        Some("start") => ("start", quote!(__rt::Duration)),
                        Some("ask") => ("ask", quote!(__rt::Duration)),
                        None => ("mailbox", quote!(__rt::Mailbox)),
                        Some(_) => continue,
                    };
                    let given = call.into_iter().find_map(|token| match token {
                        TokenTree::Group(group) => Some(group.stream()),
                        _ => None,
                    });
                    let given =
                        if of == "shutdown" { quote!(::core::convert::Into::into(#given)) } else { quote!(#given) };
                    values.extend(value(of, ty, given));
                }
            }
        }
    }
    values
}

/// The variable of a default's value.
fn shared(of: &str) -> Ident {
    local(&format!("__default_{of}"))
}

/// Emits the method calls of the defaults that hold for a child.
fn taken(default: &Setting) -> Vec<Step> {
    let at = default.name.span();
    let clone = |of| {
        let value = shared(of);
        quote!(__rt::Clone::clone(&#value))
    };
    let method = |arg: &Arg| {
        let (method, of) = match (&*default.name.to_string(), arg.name.as_ref().map(ToString::to_string).as_deref()) {
            ("backoff", None) => (quote!(pace), "backoff"),
            ("lifecycle", None) => return argument(&default.name, arg, &[]),
            ("lifecycle", Some("start")) => (quote!(start), "start"),
            ("lifecycle", Some("handler")) => (quote!(handler), "handler"),
            ("lifecycle", Some("shutdown")) => (quote!(or_shutdown), "shutdown"),
            ("mailbox", None) => (quote!(or_mailbox), "mailbox"),
            ("mailbox", Some("ask")) => (quote!(or_ask), "ask"),
            _ => return None,
        };
        let value = clone(of);
        Some((Some(at), quote!(.#method(#value))))
    };
    default.args().iter().filter_map(method).collect()
}

/// Emits the words inside the braces that are not settings, for an editor.
pub(super) fn half_typed_settings(body: &Body) -> TokenStream {
    half_typed(&quote!(__rt::TreeSettings), body.unknown.iter())
}

/// Emits the method calls of a setting.
pub(super) fn methods(setting: &Setting, of: &Child) -> Vec<Step> {
    let name = &setting.name;
    let args = match &setting.args {
        Args::Decider(decider) => {
            let decider = decider::expand(decider, Coverage::Partial, Decided::of(of));
            return vec![(Some(name.span()), quote!(.#name(#decider)))];
        }
        Args::List(args) => args,
    };
    let unknown: Vec<_> = setting.unknown().collect();
    let method = match (&*name.to_string(), setting.first()) {
        ("initial" | "only_with", _) => return Vec::new(), // for the set, not for its instances
        ("on", _) => return Vec::new(),                    // of the declaration
        ("lifecycle" | "mailbox", _) => {
            return args.iter().filter_map(|arg| argument(name, arg, &unknown)).collect();
        }
        ("limit", _) => {
            let new = quote_spanned!(name.span()=> __rt::RestartLimit::new());
            let words: Vec<_> = setting.first().and_then(word).into_iter().chain(unknown).collect();
            let (half_typed, limit) = (half_typed(&new, words.into_iter()), budget(new, setting));
            match half_typed.is_empty() {
                true => quote!(.#name(#limit)),
                false => quote!(.#name({ #half_typed #limit })),
            }
        }
        ("backoff", Some(first)) => {
            let backoff = backoff(first, setting);
            quote!(.#name(#backoff))
        }
        ("while_down", Some(first)) => {
            let Some(word) = word(first) else { return Vec::new() };
            quote!(.#name(__rt::WhileDown::#word))
        }
        ("redeliver", _) => match setting.named("attempts") {
            Some((_, attempts)) => {
                let attempts = lower(attempts);
                quote!(.#name(#attempts))
            }
            None => return Vec::new(),
        },
        (_, Some(first)) => {
            let value = lower(first);
            quote!(.#name(#value))
        }
        (_, None) => return Vec::new(),
    };
    vec![(Some(name.span()), method)]
}

/// Emits an argument of `lifecycle` or `mailbox`. Each of them is a method.
fn argument(setting: &Ident, arg: &Arg, unknown: &[&Ident]) -> Option<Step> {
    Some(match (&arg.name, word(&arg.value)) {
        (None, Some(flag)) if is_flag(&setting.to_string(), &flag.to_string()) => (Some(flag.span()), quote!(.#flag())),
        (None, Some(word)) if unknown.contains(&word) => return None,
        (None, Some(word)) if setting == "lifecycle" => (None, quote!(.#setting(__rt::Lifecycle::#word))),
        (None, None) if setting == "lifecycle" => return None,
        // Any other expression was reported, and does not parse after a path.
        (None, _) if !matches!(arg.value, Expr::Path(_) | Expr::Call(_)) => return None,
        (None, _) => {
            let value = variant(quote!(__rt::Mailbox), &lower(&arg.value));
            (Some(setting.span()), quote!(.#setting(#value)))
        }
        (Some(name), Some(word)) if words(&setting.to_string(), &name.to_string()).contains(&&*word.to_string()) => {
            (None, quote!(.#name(__rt::ShutdownTimeout::#word)))
        }
        (Some(name), _) => {
            let value = lower_time(&arg.value);
            let is_for_all = ["start", "shutdown"].iter().any(|all| name == all);
            ((!is_for_all).then(|| name.span()), quote!(.#name(#value)))
        }
    })
}

/// Turns `Bounded(5)` into a variant of `of`. An expression with another beginning stays as it is.
fn variant(of: TokenStream, value: &Expr) -> TokenStream {
    let head = match value {
        Expr::Call(call) if call.attrs.is_empty() => &*call.func,
        value => value,
    };
    match head {
        Expr::Path(ExprPath { attrs, qself: None, path }) if attrs.is_empty() && path.leading_colon.is_none() => {
            quote!(#of::#value)
        }
        _ => quote!(#value),
    }
}

/// Emits `MIN..MAX` or a list with its arguments, or an expression of a `Backoff`.
fn backoff(first: &Expr, setting: &Setting) -> TokenStream {
    let end = |end: Option<&Expr>| match end.map(lower_time) {
        Some(end) => quote!(#end),
        None => quote!(__rt::Duration::ZERO),
    };
    let new = match first {
        Expr::Range(range) => {
            let (min, max) = (end(range.start.as_deref()), end(range.end.as_deref()));
            quote_spanned!(first.span()=> __rt::Backoff::exponential(#min..#max))
        }
        Expr::Array(list) => {
            let delays = list.elems.iter().map(lower_time);
            quote_spanned!(first.span()=> __rt::Backoff::steps([#(#delays),*]))
        }
        Expr::Repeat(list) => {
            let (delay, len) = (lower_time(&list.expr), lower(&list.len));
            quote_spanned!(first.span()=> __rt::Backoff::steps([#delay; #len]))
        }
        value => {
            let value = lower(value);
            return quote!(#value);
        }
    };
    let Args::List(args) = &setting.args else { return new };
    let methods = args.iter().filter_map(|arg| {
        let name = arg.name.as_ref()?;
        Some(match &arg.value {
            value if name == "reset" && word(value).is_some_and(|word| word == "Manual") => {
                let manual = Ident::new("manual_reset", value.span());
                quote!(.#manual())
            }
            value if name == "reset" => {
                let value = lower_from_zero(value);
                quote!(.#name(#value))
            }
            value => {
                let value = lower(value);
                quote!(.#name(#value))
            }
        })
    });
    let half_typed = half_typed(&new, setting.unknown());
    match half_typed.is_empty() {
        true => quote!(#new #(#methods)*),
        false => quote!({ #half_typed #new #(#methods)* }),
    }
}

/// Emits the time for each end of a tree, and the order in which its children go down, as arguments.
pub(super) fn shutdown(setting: &Setting) -> TokenStream {
    let time = match setting.value() {
        Some(time) => {
            let time = lower_time(time);
            quote!(::core::option::Option::Some(#time))
        }
        None => quote!(::core::option::Option::None),
    };
    let order = match setting.says("Together") {
        Some(together) => quote!(__rt::ShutdownOrder::#together),
        None => quote!(__rt::ShutdownOrder::Reverse),
    };
    let half_typed = setting.unknown().map(|word| quote!(#[cfg(rust_analyzer)] let _ = __rt::ShutdownOrder::#word;));
    quote!({ #(#half_typed)* #time }, #order)
}

/// Emits the strategy, limit and decider of a body, or of `strategy!`.
pub(crate) fn supervision(settings: &[Setting]) -> TokenStream {
    let strategy = setting(settings, "strategy");
    let word = strategy.and_then(Setting::first).and_then(word);
    let scheme = match word {
        Some(word) => quote!(#word),
        None => quote!(OneForOne),
    };
    let new = quote! {
        __rt::SupervisorStrategy::new(__rt::Strategy::#scheme)
    };
    let value = strategy.map_or_else(|| new.clone(), |strategy| budget(new.clone(), strategy));
    let half_typed = half_typed(&new, strategy.into_iter().flat_map(Setting::unknown));
    let decider = setting(settings, "decider").and_then(|setting| match &setting.args {
        Args::Decider(decider) => {
            let (name, decider) = (&setting.name, decider::expand(decider, Coverage::Whole, Decided::Any));
            Some(quote!(.#name(#decider)))
        }
        Args::List(_) => None,
    });
    match half_typed.is_empty() {
        true => quote!(#value #decider),
        false => quote!({ #half_typed #value #decider }),
    }
}

/// Emits `max_restarts`, `within`, `on_limit` and `budget` as methods of `on`.
fn budget(on: TokenStream, setting: &Setting) -> TokenStream {
    let Args::List(args) = &setting.args else { return on };
    let methods = args.iter().filter_map(|arg| {
        let (name, value) = (arg.name.as_ref()?, lower(&arg.value));
        Some(match (&*name.to_string(), word(&value)) {
            ("max_restarts", Some(word)) if word == "Unlimited" => {
                quote!(.#name(__rt::MaxRestarts::#word))
            }
            ("max_restarts", _) => quote!(.#name(__rt::MaxRestarts::AtMost(#value))),
            ("on_limit", Some(word)) => quote!(.#name(__rt::OnLimit::#word)),
            ("budget", Some(word)) => quote!(.#name(__rt::BudgetScope::#word)),
            ("within", _) => {
                let value = lower_time(&arg.value);
                quote!(.#name(#value))
            }
            _ => quote!(.#name(#value)),
        })
    });
    quote!(#on #(#methods)*)
}

/// Returns whether a setting is a hook, which runs where the instance is.
pub(super) fn is_hook(setting: &Setting) -> bool {
    setting.name == "pre_restart" || setting.name == "post_restart"
}

/// Returns whether a setting is for the owner, as far as it is not an argument of its own.
pub(super) fn is_of_owner(setting: &Setting) -> bool {
    !is_hook(setting) && setting.name != "on"
}
