//! Checks the arguments of a setting against the list of settings (rules C1 and C3).

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Expr, ExprCall, ExprUnary, Lit, UnOp};

use super::super::model::{Arg, is_list, word};
use super::unknown_word;
use crate::duration;
use crate::errors::{Errors, alternatives, did_you_mean, listed, neighbour};
use crate::pretty::to_source;
use crate::settings::{self, Value, find, flags};

/// Checks the arguments of the setting called `setting`.
pub(super) fn check(setting: &Ident, args: &[Arg], errors: &mut Errors) {
    let Some(known) = find(&setting.to_string()) else { return };
    if args.is_empty() {
        errors.at(setting.span(), format!("`{setting}` needs an argument; write at least one of {}", forms(known)));
    }
    let mut given: Vec<&'static str> = Vec::new();
    let is_list = setting == "backoff" && args.iter().any(|arg| arg.name.is_none() && is_list(&arg.value));
    for arg in args {
        // A list of delays may start over with every incarnation that comes up.
        if !(is_list && arg.name.as_ref().is_some_and(|name| name == "reset") && duration::is_zero(&arg.value)) {
            duration::check(&arg.value, errors);
        }
        let found = match &arg.name {
            Some(name) => named(name, setting, known, errors),
            None => positional(&arg.value, setting, known, errors),
        };
        let Some(found) = found else { continue };
        if given.contains(&found.name) {
            let what = arg.name.as_ref().map_or_else(|| to_source(arg.value.to_token_stream()), ToString::to_string);
            errors.on(
                arg.name.as_ref().map_or_else(|| arg.value.to_token_stream(), ToTokens::to_token_stream),
                format!("`{what}` is one value too many for `{setting}`, which has one already; keep one of them"),
            );
            continue;
        }
        given.push(found.name);
        value(&arg.value, found, setting, errors);
    }
    if matches!(setting.to_string().as_str(), "backoff")
        && !args.is_empty()
        && !args.iter().any(|arg| arg.name.is_none())
    {
        errors.at(setting.span(), "`backoff` has no range; write `backoff(MIN..MAX, ..)`");
    }
}

fn named(
    name: &Ident,
    setting: &Ident,
    known: &'static settings::Setting,
    errors: &mut Errors,
) -> Option<&'static settings::Arg> {
    let text = name.to_string();
    if let Some(arg) = known.args.iter().find(|arg| arg.name == text && !arg.value.positional()) {
        return Some(arg);
    }
    if known.args.iter().any(|arg| arg.name == text && arg.value == Value::Flag) {
        errors.reject_at(name.span(), format!("`{name}` takes no value; write `{name}` alone"));
        return None;
    }
    let names: Vec<_> = known.args.iter().filter(|arg| !arg.value.positional()).map(|arg| arg.name).collect();
    let repair = match settings::owners(&text)[..] {
        [owner] | [_, owner] if neighbour(&text, &names).is_none() => {
            format!("; write it as in `{owner}({text} = ..)`")
        }
        _ if names.is_empty() => format!("; it takes {}", forms(known)),
        _ => did_you_mean(&text, &names),
    };
    errors.reject_at(name.span(), format!("`{setting}` has no argument `{name}`{repair}"));
    None
}

fn positional(
    value: &Expr,
    setting: &Ident,
    known: &'static settings::Setting,
    errors: &mut Errors,
) -> Option<&'static settings::Arg> {
    if let Some(word) = word(value) {
        let text = word.to_string();
        if let Some(flag) = known.args.iter().find(|arg| arg.value == Value::Flag && arg.name == text) {
            return Some(flag);
        }
        // `shutdown` alone is most likely a half-typed `shutdown = ..`.
        if let Some(arg) = known.args.iter().find(|arg| arg.name == text && !arg.value.positional()) {
            errors.at(word.span(), format!("`{}` has no value; write `{} = ..`", arg.name, arg.name));
            return None;
        }
    }
    let takes = known.args.iter().find(|arg| arg.value.positional() && arg.value != Value::Flag);
    if takes.is_none() {
        let names: Vec<_> = known.args.iter().map(|arg| arg.name).collect();
        errors.on(
            value,
            format!("`{setting}` takes arguments by name; write `name = value` with one of {}", listed(&names)),
        );
    }
    takes
}

fn value(value: &Expr, arg: &settings::Arg, setting: &Ident, errors: &mut Errors) {
    match arg.value {
        Value::Word(words) | Value::Choice(words) => match word(value) {
            Some(word) if words.contains(&&*word.to_string()) => {}
            Some(word) => unknown_word(word, words, arg.name, errors),
            None => {
                errors.reject_on(value, format!("expected a word; write {}", alternatives(words)));
            }
        },
        Value::Duration(words) => duration_value(value, words, errors),
        Value::Time if word(value).is_some_and(|word| word == "Infinity") => {
            errors.reject_on(value, "the end of a tree is not limited unless a time is written; remove this");
        }
        Value::Time => duration_value(value, &flags(&setting.to_string()), errors),
        Value::Count(words) => count(value, words, arg, arg.name, errors),
        Value::Size => count(value, &[], arg, &setting.to_string(), errors),
        Value::Function if !matches!(value, Expr::Path(_)) => match value {
            Expr::Call(ExprCall { func, .. }) if matches!(**func, Expr::Path(_)) => {
                let path = to_source(func.to_token_stream());
                errors.reject_on(value, format!("expected the path of a function; write `{path}`, without a call"));
            }
            _ => errors.reject_on(value, "expected the path of a function; write it as in `Db::flush`"),
        },
        Value::Capacity => one_of(value, "Bounded", "Unbounded", "Bounded(N)", errors),
        Value::Reset => reset(value, errors),
        _ => {}
    }
}

/// Checks that a value is a duration or `Manual`.
fn reset(value: &Expr, errors: &mut Errors) {
    match value {
        Expr::Call(ExprCall { func, args, .. }) if word(func).is_some_and(|word| word == "Auto") => {
            let time = args.first().map_or_else(|| "1min".to_owned(), |time| to_source(time.to_token_stream()));
            errors.reject_on(value, format!("`Auto` is no word here; write `reset = {time}`"));
        }
        _ => duration_value(value, &["Manual"], errors),
    }
}

fn duration_value(value: &Expr, words: &[&str], errors: &mut Errors) {
    match value {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(_) | Lit::Float(_) if duration::parse(&lit.lit).is_none() => {
                let digits = to_source(lit.to_token_stream());
                errors.on(value, format!("a duration needs a unit; write `{digits}s`"));
            }
            Lit::Int(_) | Lit::Float(_) => {}
            _ => {
                errors.reject_on(value, "expected a duration; write `5s`");
            }
        },
        _ => {
            // A word that begins with a capital, such as `Infinty`, is meant as one of ours.
            let Some(word) = word(value) else { return };
            let text = word.to_string();
            // A word of another system, such as `brutal_kill`, is hardly the name of a parameter.
            let is_foreign = neighbour(&text, words).is_some();
            let is_word = text.starts_with(char::is_uppercase) && !is_constant(word);
            if !words.contains(&&*text) && (is_word || is_foreign) {
                unknown_word(word, words, "duration", errors);
            }
        }
    }
}

pub(super) fn is_constant(word: &Ident) -> bool {
    let text = word.to_string();
    text.len() > 1 && text.chars().all(|c| c.is_uppercase() || c.is_numeric() || c == '_')
}

fn count(value: &Expr, words: &[&str], arg: &settings::Arg, name: &str, errors: &mut Errors) {
    match value {
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) if matches!(**expr, Expr::Lit(_)) => {
            let repair = match words.first() {
                Some(word) => format!("write `{word}` for no limit"),
                None => "write a number of at least 1".to_owned(),
            };
            errors.reject_on(value, format!("`{name}` is never negative; {repair}"));
        }
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(int) if duration::parse(&lit.lit).is_some() => {
                errors
                    .reject_on(value, format!("`{name}` is a number, not a duration; write `{}`", int.base10_digits()));
            }
            Lit::Int(int) if arg.value != Value::Size && int.base10_parse::<u32>().is_err() => {
                errors.reject_on(value, format!("`{name}` is at most 4294967295; write `Unlimited` for no limit"));
            }
            Lit::Int(_) => {}
            _ => {
                errors.reject_on(value, format!("`{name}` is a whole number; write `10`"));
            }
        },
        _ => {
            if let Some(word) = word(value)
                && word.to_string().starts_with(char::is_uppercase)
                && !is_constant(word)
                && !words.contains(&&*word.to_string())
            {
                unknown_word(word, words, "number", errors);
            }
        }
    }
}

/// Checks that a value is `Call(..)` or `Word`.
fn one_of(value: &Expr, call: &str, single: &str, example: &str, errors: &mut Errors) {
    let called = match value {
        Expr::Call(ExprCall { func, args, .. }) => word(func).filter(|_| args.len() == 1),
        _ => None,
    };
    match (called, word(value)) {
        (Some(word), _) if word == call => {
            if let Expr::Call(ExprCall { args, .. }) = value {
                match &args[0] {
                    Expr::Lit(lit) if duration::parse(&lit.lit).is_some() => {
                        errors.reject_on(
                            &args[0],
                            "this is a number of messages, not a duration; write it without a unit",
                        );
                    }
                    _ => {}
                }
            }
        }
        (_, Some(word)) if word == single => {}
        _ => {
            errors.reject_on(value, format!("expected `{example}` or `{single}`; write one of them"));
        }
    }
}

/// Lists the arguments in the form in which they are written.
fn forms(known: &settings::Setting) -> String {
    let forms = known.args.iter().map(|arg| match arg.value {
        Value::Word(words) => listed(words),
        Value::Function => "the path of a function".into(),
        Value::Range => "`MIN..MAX`, `[D, ..]`".into(),
        Value::Capacity => "`Bounded(N)`, `Unbounded`".into(),
        Value::Text => format!("`\"{}\"`", arg.name),
        value if value.positional() => format!("`{}`", arg.name),
        _ => format!("`{} = ..`", arg.name),
    });
    forms.collect::<Vec<_>>().join(", ")
}
