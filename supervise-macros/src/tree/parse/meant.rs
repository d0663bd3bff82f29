//! Reads parts that are written in another form as the parts that are meant, and reports them.
//!
//! The rest of the macro, and rustc, then see a tree without a mistake, so that nothing is reported twice.

use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{
    BinOp, Expr, ExprCall, ExprField, ExprLit, GenericArgument, Lit, Member, Path, PathArguments, Stmt, Token, Type,
    TypePath, parse_quote, token,
};

use super::super::model::{Arg, Body, Child, Item, Shape, Unit, word};
use crate::duration;
use crate::errors::Errors;
use crate::free_names::{FreeNames, bindings};
use crate::pretty::to_source;
use crate::settings::{self, Setting, Value};

/// Reads `5 s` as `5s`, at any depth. The first of them is reported.
pub(super) fn whole_durations(tokens: TokenStream, errors: &mut Errors) -> TokenStream {
    let mut first = None;
    let tokens = joined(tokens, &mut first);
    if let Some((whole, at)) = first {
        errors.on(at, format!("a duration is one word; write `{whole}`"));
    }
    tokens
}

fn joined(tokens: TokenStream, first: &mut Option<(Literal, TokenStream)>) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut whole = TokenStream::new();
    while let Some(token) = tokens.next() {
        if let TokenTree::Group(group) = &token {
            let mut inside = Group::new(group.delimiter(), joined(group.stream(), first));
            inside.set_span(group.span());
            whole.extend([TokenTree::Group(inside)]);
        } else if let (TokenTree::Literal(digits), Some(TokenTree::Ident(unit))) = (&token, tokens.peek())
            && let Some(literal) = one_word(digits, unit)
        {
            first.get_or_insert_with(|| (literal.clone(), quote!(#digits #unit)));
            whole.extend([TokenTree::Literal(literal)]);
            tokens.next();
        } else {
            whole.extend([token]);
        }
    }
    whole
}

/// Returns `5s` for `5` and `s`.
fn one_word(digits: &Literal, unit: &Ident) -> Option<Literal> {
    let mut whole: Literal = format!("{digits}{unit}").parse().ok()?;
    whole.set_span(digits.span());
    duration::parse(&Lit::new(whole.clone()))?.ok()?;
    Some(whole)
}

/// Returns the arguments of a setting as they are meant.
pub(super) fn args(known: &'static Setting, args: Vec<Arg>, errors: &mut Errors) -> Vec<Arg> {
    let args = if known.name == "backoff" { range(args, errors) } else { split(known, args, errors) };
    let mut meant: Vec<Arg> = Vec::with_capacity(args.len());
    let mut nameless = Vec::new();
    for arg in args {
        let arg = bounded(known, unquoted(known, with_unit(arg, errors), errors), errors);
        let arg = match (&arg.name, slot(known, &meant, &arg.value)) {
            (Some(name), _) => unnamed(known, name.clone(), arg, errors),
            (None, Some(slot)) => {
                let arg = Arg { name: Some(Ident::new(slot, Span::call_site())), ..arg };
                nameless.push(arg.clone());
                arg
            }
            (None, None) => arg,
        };
        meant.push(arg);
    }
    if let Some(first) = nameless.first().map(|arg| &arg.value) {
        let shown: Vec<_> = nameless.iter().map(|arg| to_source(written(arg))).collect();
        let (value, shown) = (to_source(first.to_token_stream()), shown.join(", "));
        errors.on(first, format!("`{value}` has no name; write `{shown}`"));
    }
    meant
}

/// The names that other systems have for the ends of a range.
const ENDS: [[&str; 2]; 8] = [
    ["min", "max"],
    ["initial", "max"],
    ["from", "to"],
    ["minbackoff", "maxbackoff"],
    ["mindelay", "maxdelay"],
    ["initialdelay", "maxdelay"],
    ["initialinterval", "maxinterval"],
    ["base", "cap"],
];

/// Reads `3s, 30s`, `min = 3s, max = 30s` and `3s-30s` as `3s..30s`.
fn range(mut args: Vec<Arg>, errors: &mut Errors) -> Vec<Arg> {
    let bare = |name: &Ident| name.to_string().to_lowercase().replace('_', "");
    let at_name = |name: &str| args.iter().position(|arg| arg.name.as_ref().is_some_and(|arg| bare(arg) == name));
    let ends = ENDS.iter().find_map(|[min, max]| Some((at_name(min)?, at_name(max)?)));
    let is_time = |arg: &Arg| arg.name.is_none() && is_duration(&arg.value);
    let ends = ends.or_else(|| (args.len() > 1 && is_time(&args[0]) && is_time(&args[1])).then_some((0, 1)));
    let (at, whole, min, max) = match (ends, args.first()) {
        (Some((min, max)), _) => {
            let (at, rest) = (min.min(max), args.remove(min.max(max)));
            let first = args.remove(at);
            let whole = [&first, &rest].map(written);
            let (min, max) = if min < max { (first, rest) } else { (rest, first) };
            (at, whole.into_iter().collect(), min.value, max.value)
        }
        (None, Some(Arg { name: None, value: Expr::Binary(minus) }))
            if matches!(minus.op, BinOp::Sub(_)) && is_duration(&minus.left) && is_duration(&minus.right) =>
        {
            let (min, max) = ((*minus.left).clone(), (*minus.right).clone());
            (0, args.remove(0).value.to_token_stream(), min, max)
        }
        _ => return args,
    };
    let value: Expr = parse_quote!(#min..#max);
    let shown = to_source(value.to_token_stream());
    errors.on(whole, format!("a backoff is a range from its least to its greatest delay; write `{shown}`"));
    args.insert(at, Arg { name: None, value });
    args
}

/// Reads `OneForOne(10, 1min)` as `OneForOne, 10, 1min`.
fn split(known: &Setting, args: Vec<Arg>, errors: &mut Errors) -> Vec<Arg> {
    let mut meant = Vec::with_capacity(args.len());
    for arg in args {
        let called = match (&arg.name, &arg.value) {
            (None, Expr::Call(ExprCall { func, args, .. })) => {
                word(func).filter(|word| has_word(known, word)).zip(Some(args))
            }
            _ => None,
        };
        let Some((word, inside)) = called else {
            meant.push(arg);
            continue;
        };
        let mut these = vec![Arg { name: None, value: parse_quote!(#word) }];
        for value in inside.clone() {
            let name = slot(known, &these, &value).map(|slot| Ident::new(slot, Span::call_site()));
            these.push(Arg { name, value });
        }
        let shown: Vec<_> = these.iter().map(|arg| to_source(written(arg))).collect();
        errors.on(&arg.value, format!("`{word}` has no parentheses; write `{}`", shown.join(", ")));
        meant.extend(these);
    }
    meant
}

/// Reads `10.minutes` as `10min`, which is a field of a number in Rust.
fn with_unit(arg: Arg, errors: &mut Errors) -> Arg {
    let Expr::Field(ExprField { base, member: Member::Named(unit), .. }) = &arg.value else { return arg };
    let Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) = &**base else { return arg };
    let unit = match unit.to_string().trim_end_matches('s') {
        "millisecond" | "milli" => "ms",
        "second" | "sec" => "s",
        "minute" | "min" => "min",
        "hour" => "h",
        "day" => "d",
        _ => return arg,
    };
    let Ok(mut whole) = format!("{number}{unit}").parse::<Literal>() else { return arg };
    whole.set_span(number.span());
    errors.on(&arg.value, format!("a duration is one word; write `{whole}`"));
    Arg { value: Expr::Lit(ExprLit { attrs: Vec::new(), lit: Lit::new(whole) }), ..arg }
}

/// Reads `max_restarts = "3"` as `max_restarts = 3`, and `"Permanent"` as `Permanent`.
fn unquoted(known: &Setting, arg: Arg, errors: &mut Errors) -> Arg {
    let Expr::Lit(lit) = &arg.value else { return arg };
    let Lit::Str(text) = &lit.lit else { return arg };
    let Ok(mut value) = text.parse::<Expr>() else { return arg };
    let slot = known.args.iter().find(|slot| match &arg.name {
        Some(name) => *name == slot.name,
        None => slot.value.positional() && slot.value != Value::Flag,
    });
    let fits = slot.is_some_and(|slot| match slot.value {
        Value::Duration(_) | Value::Time => is_duration(&value),
        Value::Count(_) | Value::Size => is_number(&value),
        Value::Number => matches!(&value, Expr::Lit(lit) if matches!(lit.lit, Lit::Float(_) | Lit::Int(_))),
        _ => false,
    });
    let is_word = |value: &Expr| {
        word(value).is_some_and(|word| slot.is_some_and(|slot| words(slot.value).contains(&&*word.to_string())))
    };
    if !fits && !is_word(&value) {
        return arg;
    }
    errors.on(
        text,
        format!("a setting takes its value as it is; write `{}`, without quotes", to_source(value.to_token_stream())),
    );
    if let Expr::Lit(lit) = &mut value {
        lit.lit.set_span(text.span());
    }
    Arg { value, ..arg }
}

/// Reads `restart = Permanent` as `Permanent`.
fn unnamed(known: &Setting, name: Ident, arg: Arg, errors: &mut Errors) -> Arg {
    let is_known = known.args.iter().any(|slot| name == slot.name && !slot.value.positional());
    let arg = match as_word(known, &arg.value) {
        Some(value) if !is_known => Arg { value, ..arg },
        _ => arg,
    };
    let fits = known.args.iter().any(|slot| match slot.value {
        Value::Word(words) => word(&arg.value).is_some_and(|word| words.contains(&&*word.to_string())),
        Value::Capacity => capacity(&arg.value),
        Value::Range => matches!(arg.value, Expr::Range(_)),
        Value::Time => is_duration(&arg.value),
        Value::Size => is_number(&arg.value),
        Value::Function => matches!(arg.value, Expr::Path(_)),
        Value::Text => matches!(&arg.value, Expr::Lit(lit) if matches!(lit.lit, Lit::Str(_))),
        _ => false,
    });
    if is_known || !fits {
        return arg;
    }
    let shown = to_source(arg.value.to_token_stream());
    errors
        .at(name.span(), format!("this argument of `{}` has no name; write `{shown}`, without `{name} =`", known.name));
    Arg { name: None, ..arg }
}

/// Reads `permanent` as `Permanent`.
fn as_word(known: &Setting, value: &Expr) -> Option<Expr> {
    let written = word(value)?;
    let words = known.args.iter().filter_map(|slot| match slot.value {
        Value::Word(words) => Some(words),
        _ => None,
    });
    let meant = words.flatten().find(|known| known.eq_ignore_ascii_case(&written.to_string()))?;
    let meant = Ident::new(meant, written.span());
    Some(parse_quote!(#meant))
}

/// Reads `restart: Permanent` as `Permanent`, for an argument that has no name of its own here.
pub(super) fn unnamed_by_colon(known: &Setting, name: &Ident, value: &Expr, errors: &mut Errors) -> Option<Expr> {
    if known.args.iter().any(|slot| name == slot.name) {
        return None;
    }
    let value = as_word(known, value)?;
    let shown = to_source(value.to_token_stream());
    let message = format!("this argument of `{}` has no name; write `{shown}`, without `{name}:`", known.name);
    errors.at(name.span(), message);
    Some(value)
}

/// Reads `64` as `Bounded(64)`.
fn bounded(known: &Setting, arg: Arg, errors: &mut Errors) -> Arg {
    let number = &arg.value;
    if arg.name.is_some() || !is_number(number) || known.args.iter().all(|slot| slot.value != Value::Capacity) {
        return arg;
    }
    let shown = to_source(number.to_token_stream());
    errors.on(number, format!("a mailbox is `Bounded` or `Unbounded`; write `Bounded({shown})`"));
    Arg { name: None, value: parse_quote!(Bounded(#number)) }
}

/// Returns the argument that a literal without a name is meant for, where it can only be one with a name: `10` in
/// `strategy(OneForOne, 10)`. The first of its kind that is not written yet.
fn slot(known: &Setting, before: &[Arg], value: &Expr) -> Option<&'static str> {
    let takes = |slot: Value| match slot {
        Value::Size => is_number(value),
        Value::Time | Value::Range => is_duration(value),
        Value::Expression | Value::Arms => true,
        _ => false,
    };
    if known.args.iter().any(|slot| slot.value.positional() && takes(slot.value)) {
        return None;
    }
    let fits = |slot: &&settings::Arg| match slot.value {
        Value::Count(_) => is_number(value),
        Value::Duration(_) => is_duration(value),
        _ => false,
    };
    let is_free =
        |slot: &&settings::Arg| before.iter().all(|arg| arg.name.as_ref().is_none_or(|name| name != slot.name));
    known.args.iter().filter(fits).find(is_free).map(|slot| slot.name)
}

fn written(arg: &Arg) -> TokenStream {
    let (name, value) = (&arg.name, &arg.value);
    let name = name.as_ref().map(|name| quote!(#name =));
    quote!(#name #value)
}

fn has_word(known: &Setting, word: &Ident) -> bool {
    known.args.iter().any(|slot| matches!(slot.value, Value::Word(words) if words.contains(&&*word.to_string())))
}

fn words(value: Value) -> &'static [&'static str] {
    match value {
        Value::Word(words) | Value::Choice(words) | Value::Duration(words) | Value::Count(words) => words,
        _ => &[],
    }
}

fn capacity(value: &Expr) -> bool {
    let called = match value {
        Expr::Call(call) => word(&call.func),
        value => word(value),
    };
    called.is_some_and(|word| word == "Bounded" || word == "Unbounded")
}

fn is_duration(value: &Expr) -> bool {
    duration::literal(value).is_some()
}

fn is_number(value: &Expr) -> bool {
    matches!(value, Expr::Lit(lit) if matches!(lit.lit, Lit::Int(_)) && duration::parse(&lit.lit).is_none())
}

/// Returns the error of a type that cannot be that of a child, with the shape or the entry that is meant.
pub(super) fn type_of_a_child(ty: &Type, name: &Ident, tree: &Ident, starts: bool) -> Option<String> {
    let (word, args) = plain(ty)?;
    let shown = to_source(ty.to_token_stream());
    let text = |ty: &Type| to_source(ty.to_token_stream());
    let is_value = is_value(ty);
    let message = match (&*word, &args[..]) {
        ("Vec" | "VecDeque" | "LinkedList" | "HashSet" | "BTreeSet", [item]) => {
            let item = text(item);
            format!(
                "`{shown}` is a value, and any number of children is `[{item}]`; write `{name}: [{item}] = |..| start`"
            )
        }
        ("HashMap" | "BTreeMap" | "IndexMap" | "DashMap", [key, item]) => {
            let (key, item) = (text(key), text(item));
            format!(
                "`{shown}` is a value, and children with keys are `[{key} => {item}]`; write \
                 `{name}: [{key} => {item}] = |key: {key}| start`"
            )
        }
        ("ActorRef", [item]) => {
            format!("the tree makes the handle; write `{}`, the type of the child", text(item))
        }
        ("TaskRef", []) if is_ours(ty) => format!("the tree makes the handle; write `{name}: task = start`"),
        ("Handles", [item, rest @ ..]) if is_ours(ty) && (constant(ty).is_some() || !rest.is_empty()) => {
            let (item, many) = (text(behind_a_handle(item)), constant(ty).or_else(|| rest.first().map(|ty| text(ty))));
            let many = many.unwrap_or_else(|| "N".to_owned());
            format!("the tree makes the handles; write `{name}: [{item}; {many}] = |i| start`")
        }
        ("Children", [item, Type::Tuple(_)]) => {
            format!("the tree makes the set; write `{name}: [{}] = |..| start`", text(item))
        }
        ("Keyed", [key, item, Type::Tuple(_)]) => {
            let (key, item) = (text(key), text(item));
            format!("the tree makes the set; write `{name}: [{key} => {item}] = |key: {key}| start`")
        }
        _ if is_value && starts => format!("`{shown}` is a value and no child; write `let {name}: {shown} = ..;`"),
        _ if is_value => {
            format!("a field of a tree is a child, and a value is a parameter; write `struct {tree}({name}: {shown})`")
        }
        (word, [_]) if SHARED.contains(&word) => {
            let item = text(shared(ty));
            format!("the tree makes the handle, which can be shared; write `{item}`, the type of the child")
        }
        _ => return None,
    };
    Some(message)
}

/// Returns whether a path may be that of this crate: a name alone, or one of `supervise`.
fn is_ours(ty: &Type) -> bool {
    let Type::Path(TypePath { path, .. }) = ty else { return false };
    path.segments.len() == 1 || path.segments.first().is_some_and(|first| first.ident == "supervise")
}

/// Returns the last name of a path, and its arguments.
fn plain(ty: &Type) -> Option<(String, Vec<&Type>)> {
    let Type::Path(TypePath { qself: None, path, .. }) = ty else { return None };
    let last = path.segments.last()?;
    let args = match &last.arguments {
        PathArguments::AngleBracketed(args) => args.args.iter().filter_map(|arg| match arg {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        }),
        _ => return Some((last.ident.to_string(), Vec::new())),
    };
    Some((last.ident.to_string(), args.collect()))
}

/// Returns the constant among the arguments of a type, as it is written.
fn constant(ty: &Type) -> Option<String> {
    let Type::Path(TypePath { path, .. }) = ty else { return None };
    let PathArguments::AngleBracketed(args) = &path.segments.last()?.arguments else { return None };
    args.args.iter().find_map(|arg| match arg {
        GenericArgument::Const(value) => Some(to_source(value.to_token_stream())),
        _ => None,
    })
}

/// Returns the type of the child to which a handle leads.
fn behind_a_handle(ty: &Type) -> &Type {
    match plain(ty) {
        Some((word, args)) if matches!(&*word, "ActorRef" | "Handle") && args.len() == 1 => args[0],
        _ => ty,
    }
}

/// Types that share a value of another type.
const SHARED: [&str; 4] = ["Arc", "Rc", "Mutex", "RwLock"];

/// Returns the type that is shared.
fn shared(ty: &Type) -> &Type {
    match plain(ty) {
        Some((word, args)) if SHARED.contains(&&*word) && args.len() == 1 => shared(args[0]),
        _ => ty,
    }
}

/// Returns whether this is a type of values in the standard library, or one that shares such a value.
fn is_value(ty: &Type) -> bool {
    const VALUES: [&str; 22] = [
        "String",
        "str",
        "bool",
        "char",
        "u8",
        "u16",
        "u32",
        "u64",
        "u128",
        "usize",
        "i8",
        "i16",
        "i32",
        "i64",
        "i128",
        "isize",
        "f32",
        "f64",
        "Duration",
        "Instant",
        "PathBuf",
        "SocketAddr",
    ];
    plain(shared(ty)).is_some_and(|(word, args)| args.is_empty() && VALUES.contains(&&*word))
}

/// Reads `Task` as `task`, if the start is that of a task with a context.
pub(super) fn task(child: &mut Child, start: &Expr, errors: &mut Errors) {
    if let Some(Shape::One(Unit::Type(ty))) = &child.shape
        && let Type::Path(TypePath { qself: None, path, .. }) = &**ty
        && (path.is_ident("Task") || path.is_ident("Future"))
        && matches!(start, Expr::Closure(_))
    {
        let word = to_source(path.to_token_stream());
        errors.on(path, format!("`{word}` is a type, and a task is written in lower case; write `task`"));
        child.shape = Some(Shape::One(Unit::Task(path.span())));
    }
}

/// Reports names that mean something else where they stand: the length of an array that is known only when the tree
/// starts, which is read as any number, and the context of a task without its closure.
pub(super) fn names(body: &mut Body, outer: &[Ident], errors: &mut Errors) {
    let mut names = outer.to_vec();
    let children: Vec<Ident> = body.children().map(|child| child.name.clone()).collect();
    for item in &mut body.items {
        match item {
            Item::Let(entry) => names.extend(bindings(&entry.pat)),
            Item::Child(child) => {
                match &mut child.shape {
                    Some(Shape::Array(unit, count)) => length(unit, count, &names, errors),
                    Some(Shape::Inline(subtree)) => self::names(&mut subtree.body, &names, errors),
                    Some(Shape::One(Unit::Task(_))) if !children.iter().any(|name| name == "cx") => {
                        context(child, &names, errors);
                    }
                    _ => {}
                }
                names.push(child.name.clone());
            }
        }
    }
}

/// Reads `serve(cx, cart)` as `|cx| serve(cx, cart)`.
fn context(child: &mut Child, names: &[Ident], errors: &mut Errors) {
    let Some(start) = &mut child.start else { return };
    let args = match start {
        Expr::Call(call) => &call.args,
        Expr::MethodCall(call) => &call.args,
        _ => return,
    };
    let Some(cx) = args.iter().filter_map(word).find(|arg| *arg == "cx" && !names.contains(arg)).cloned() else {
        return;
    };
    let shown = to_source(start.to_token_stream());
    errors.at(cx.span(), format!("the context of a task is the argument of a closure; write `|cx| {shown}`"));
    *start = parse_quote!(|#cx| #start);
}

fn length(unit: &Unit, count: &mut Expr, names: &[Ident], errors: &mut Errors) {
    let free = FreeNames::of([&*count]);
    let Some(name) = names.iter().find(|name| free.value(name).is_some()) else { return };
    let item = match unit {
        Unit::Type(ty) => to_source(ty.to_token_stream()),
        Unit::Remote(word, ty) => to_source(quote!(#word #ty)),
        Unit::Task(_) => "task".to_owned(),
    };
    let message = format!(
        "`{name}` is known only when the tree starts, and the length of an array must be known before; write a number or \
         a constant, or `[{item}]` with `#[initial(0..{name})]`"
    );
    errors.on(&*count, message);
    // A length above every index that the user may write, so that no index is a second error.
    *count = parse_quote!(4096);
}

/// Takes a word in front of the name of a child, as `val` in other languages.
pub(super) fn word_of_another_language(input: ParseStream, errors: &mut Errors) -> syn::Result<()> {
    let ours = |word: &Ident| ["remote", "task"].iter().any(|known| word.to_string().eq_ignore_ascii_case(known));
    let ahead = input.fork();
    let named = ahead.call(Ident::parse_any).is_ok() && ahead.parse::<Ident>().is_ok();
    let typed = named && ahead.peek(Token![:]) && !ahead.peek(Token![::]);
    if typed && !input.fork().call(Ident::parse_any).is_ok_and(|word| ours(&word)) {
        let word = input.call(Ident::parse_any)?;
        errors.at(word.span(), format!("a child begins with its name; remove `{word}`"));
    }
    Ok(())
}

/// Reads `T?` as `Option<T>`.
pub(super) fn question_mark(input: ParseStream, child: &mut Child, errors: &mut Errors) -> syn::Result<()> {
    if !input.peek(Token![?]) {
        return Ok(());
    }
    let mark = input.parse::<Token![?]>()?;
    let unit = match child.shape.take() {
        Some(Shape::One(unit)) => unit,
        other => {
            let is_optional = matches!(other, Some(Shape::Optional(_)));
            let why = if is_optional { "this child is optional already" } else { "only a single child is optional" };
            errors.on(mark, format!("{why}; remove the `?`"));
            child.shape = other;
            return Ok(());
        }
    };
    let shown = match &unit {
        Unit::Type(ty) => to_source(ty.to_token_stream()),
        Unit::Remote(word, ty) => to_source(quote!(#word #ty)),
        Unit::Task(_) => "task".to_owned(),
    };
    errors.on(mark, format!("a child that may be missing is an `Option`; write `{}: Option<{shown}>`", child.name));
    child.shape = Some(Shape::Optional(unit));
    Ok(())
}

/// Takes the word `remote` in front of a start.
pub(super) fn remote_in_front_of_the_start(input: ParseStream) -> syn::Result<Option<Ident>> {
    let is_word = input.fork().parse::<Ident>().is_ok_and(|word| word == "remote");
    if is_word && input.peek2(syn::Ident) { input.parse().map(Some) } else { Ok(None) }
}

/// Takes an `if` behind a start, and its condition.
pub(super) fn condition(
    input: ParseStream,
    name: &Ident,
    (shape, ty): (Option<&Shape>, &str),
    start: &Expr,
    errors: &mut Errors,
) -> syn::Result<()> {
    if !input.peek(Token![if]) {
        return Ok(());
    }
    let word = input.parse::<Token![if]>()?;
    let condition = input.call(Expr::parse_without_eager_brace)?;
    if input.peek(token::Brace) {
        let message = format!("the child `{name}` ends with `,` in front of this; the children of a tree are fixed");
        return Err(syn::Error::new(word.span(), message));
    }
    if !matches!(shape, Some(Shape::One(_))) {
        errors.on(word, "a condition belongs into the start; remove this `if`");
        return Ok(());
    }
    let (condition, start) = (to_source(condition.to_token_stream()), to_source(start.to_token_stream()));
    errors.on(
        word,
        format!(
            "a child that may be missing is an `Option`; write `{name}: Option<{ty}> = if {condition} {{ Some({start}) \
             }} else {{ None }},`"
        ),
    );
    Ok(())
}

/// Takes the word `remote` or `task` that stands in front of the name of a child.
pub(super) fn word_in_front(input: ParseStream) -> syn::Result<Option<Ident>> {
    let ahead = input.fork();
    let Ok(word) = ahead.parse::<Ident>() else { return Ok(None) };
    let is_word = ["remote", "task"].iter().any(|known| word.to_string().eq_ignore_ascii_case(known));
    if !is_word || ahead.call(Ident::parse_any).is_err() || !(ahead.peek(Token![:]) || ahead.peek(Token![=])) {
        return Ok(None);
    }
    if ahead.peek(Token![=]) && word == "remote" {
        return Ok(None); // a missing type is reported elsewhere
    }
    input.parse::<Ident>()?;
    // `task beat = start`: the type is the word.
    Ok(Some(word))
}

/// Reports a word that stood in front of the name, and reads it where it belongs.
pub(super) fn word_behind(word: Ident, child: &mut Child, errors: &mut Errors) {
    let name = &child.name;
    if word.to_string().eq_ignore_ascii_case("task") {
        errors.on(&word, format!("`task` stands in the place of the type; write `{name}: task = ..`"));
        child.shape = Some(Shape::One(Unit::Task(word.span())));
        return;
    }
    if let Some(Shape::One(Unit::Remote(..))) = &child.shape {
        errors.on(&word, "`remote` stands in front of the type already; remove this");
        return;
    }
    let far = |ty: &Type| Unit::Remote(word.clone(), Box::new(ty.clone()));
    let (shape, shown) = match &child.shape {
        Some(Shape::One(Unit::Type(ty))) => (Shape::One(far(ty)), quote!(remote #ty)),
        Some(Shape::Optional(Unit::Type(ty))) => (Shape::Optional(far(ty)), quote!(Option<remote #ty>)),
        Some(Shape::Set(Unit::Type(ty))) => (Shape::Set(far(ty)), quote!([remote #ty])),
        _ => {
            errors.on(&word, format!("`remote` stands in front of the type; write `{name}: remote Type`"));
            return;
        }
    };
    errors.on(&word, format!("`remote` stands in front of the type; write `{name}: {} = ..`", to_source(shown)));
    child.shape = Some(shape);
}

/// Reads `Db::new(pool)` or `Db { pool }` in the place of a type, as in a struct literal.
pub(super) fn start_without_a_type(input: ParseStream) -> Option<Expr> {
    let ahead = input.fork();
    let path = ahead.call(Path::parse_mod_style).ok()?;
    let is_task = path.is_ident("task") || path.segments.first().is_some_and(|first| first.ident == "remote");
    if is_task || !(ahead.peek(token::Paren) || ahead.peek(token::Brace) && !path.is_ident("struct")) {
        return None;
    }
    let ahead = input.fork();
    let start = ahead.parse::<Expr>().ok()?;
    if !(ahead.is_empty() || ahead.peek(Token![,])) || matches!(start, Expr::Assign(_)) {
        return None;
    }
    input.parse().ok()
}

/// Returns the type that such a start makes, as far as it is written: `Db` of `Db::new(..)`, `Db { .. }` and `Db(..)`.
pub(super) fn type_of_start(start: &Expr) -> Option<Type> {
    let path = match start {
        Expr::Try(inner) => return type_of_start(&inner.expr),
        Expr::Await(inner) => return type_of_start(&inner.base),
        Expr::MethodCall(call) => return type_of_start(&call.receiver),
        Expr::Struct(literal) => &literal.path,
        Expr::Call(call) => match &*call.func {
            Expr::Path(func) => &func.path,
            _ => return None,
        },
        _ => return None,
    };
    let is_type = |name: &Ident| name.to_string().starts_with(char::is_uppercase);
    let mut path = path.clone();
    while path.segments.last().is_some_and(|last| !is_type(&last.ident)) {
        path.segments.pop();
        path.segments.pop_punct();
    }
    (!path.segments.is_empty()).then(|| parse_quote!(#path))
}

/// Returns `T` of `RemoteRef<T>`.
pub(super) fn behind_a_remote_ref(ty: &Type) -> Option<&Type> {
    match plain(ty)? {
        (word, args) if word == "RemoteRef" && args.len() == 1 => Some(args[0]),
        _ => None,
    }
}

/// Reads the start of a task that is no future as the future that is meant.
pub(super) fn start_of_a_task(start: &mut Expr, errors: &mut Errors) {
    match start {
        Expr::Closure(closure) if closure.asyncness.is_none() => {
            // A block outside of a closure may await what makes the future.
            if let Some(last @ Expr::Await(_)) = end_of_block(&mut closure.body) {
                start_of_a_task(last, errors);
            } else {
                start_of_a_task(&mut closure.body, errors);
            }
        }
        Expr::Block(_) => {
            if let Some(last) = end_of_block(start).filter(|last| diverges(last)) {
                *last = in_async(last);
            }
        }
        Expr::Await(awaited) => {
            let (dot, word) = (awaited.dot_token, awaited.await_token);
            errors.on(quote!(#dot #word), "the tree polls the future of a task itself; remove the `.await`");
            *start = (*awaited.base).clone();
        }
        Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => {
            let word = match start {
                Expr::While(_) => "while ..",
                Expr::ForLoop(_) => "for ..",
                _ => "loop",
            };
            let message = format!("a task is a future; write `async move {{ {word} {{ .. }} }}`");
            errors.at(first_span(start), message);
            *start = in_async(start);
        }
        // Not reported: `todo!()` as the start is usual while a program is being written.
        _ if diverges(start) => *start = in_async(start),
        Expr::Call(call) if spawns(&call.func) => {
            let Some(inner) = call.args.first().filter(|_| call.args.len() == 1) else { return };
            let (func, shown) = (&call.func, to_source(inner.to_token_stream()));
            let func = to_source(func.to_token_stream());
            let message = format!("the tree runs the future of a task itself; write `{shown}`, without `{func}`");
            errors.on(&call.func, message);
            *start = inner.clone();
        }
        _ => {}
    }
}

fn in_async(start: &Expr) -> Expr {
    let at = first_span(start);
    syn::parse_quote_spanned!(at=> async move { #start })
}

fn first_span(tokens: &Expr) -> Span {
    tokens.to_token_stream().into_iter().next().map_or_else(Span::call_site, |first| first.span())
}

/// Returns the last expression of a block.
fn end_of_block(block: &mut Expr) -> Option<&mut Expr> {
    match block {
        Expr::Block(block) => match block.block.stmts.last_mut() {
            Some(Stmt::Expr(last, None)) => Some(last),
            _ => None,
        },
        _ => None,
    }
}

/// Returns whether this is a macro or a function of the standard library that never returns.
fn diverges(expr: &Expr) -> bool {
    let names = |path: &Path| path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>();
    match expr {
        Expr::Macro(call) => {
            let last = names(&call.mac.path).pop();
            matches!(last.as_deref(), Some("todo" | "unimplemented" | "panic" | "unreachable"))
        }
        Expr::Call(call) => {
            let Expr::Path(func) = &*call.func else { return false };
            let names = names(&func.path);
            matches!(&names[..], [.., module, func] if module == "process" && (func == "exit" || func == "abort"))
        }
        _ => false,
    }
}

/// Returns whether this function spawns a future: `tokio::spawn`, `tokio::task::spawn`.
fn spawns(func: &Expr) -> bool {
    let Expr::Path(func) = func else { return false };
    let names: Vec<_> = func.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    matches!(&names[..], [tokio, .., spawn] if tokio == "tokio" && spawn == "spawn")
        || matches!(&names[..], [task, spawn] if task == "task" && spawn == "spawn")
}
