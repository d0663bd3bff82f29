//! Arms about failures that no decider is asked about (rule C10).
//!
//! Only the words of an arm are known here, and a user's enum may have the same ones, also the name `Cause`. So each is
//! emitted as a question about its type, and rustc, which knows the type, complains only about that of the library.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Pat, PatIdent, Path, Type};

use super::Arm;
use super::check::{Subject, subject};
use crate::tree::model::{Child, Setting, Unit, setting};

/// The child whose failures a decider decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decided {
    /// Any child: the decider is that of a tree, or a value; or too little is known of the child.
    Any,
    /// A task.
    Task {
        /// Whether its start has a time limit.
        timed: bool,
    },
    /// An actor on another machine.
    Remote,
}

impl Decided {
    pub(crate) fn of(child: &Child) -> Self {
        match child.unit() {
            Some(Unit::Task(_)) => {
                let lifecycle = setting(&child.settings, "lifecycle");
                let is_ready = lifecycle.is_some_and(|lifecycle| lifecycle.says("ready").is_some());
                // A misspelt argument may be meant as the time.
                let unsure = lifecycle.is_some_and(Setting::misspelt);
                Decided::Task { timed: unsure || is_ready && child.argument("lifecycle", "start").is_some() }
            }
            Some(Unit::Remote(..)) => Decided::Remote,
            Some(Unit::Type(_)) | None => Decided::Any,
        }
    }

    /// Returns the trait that says why an arm with this variant of `Cause` is never used.
    fn reason(self, variant: &Ident) -> Option<&'static str> {
        Some(match (&*variant.to_string(), self) {
            ("EndedByItself", _) => "EndIsAsked",
            ("Requested", _) => "RequestIsAsked",
            ("DeathPact", Decided::Task { .. }) => "PactOfTaskIsAsked",
            ("NodeLost", Decided::Task { .. }) => "NodeOfTaskIsAsked",
            ("LimitReached", Decided::Task { .. }) => "LimitOfTaskIsAsked",
            ("Bug", Decided::Task { .. }) => "BugOfTaskIsAsked",
            ("TimedOut", Decided::Task { timed: false }) => "TimeOfTaskIsAsked",
            ("LimitReached", Decided::Remote) => "LimitOfRemoteIsAsked",
            ("Bug", Decided::Remote) => "BugOfRemoteIsAsked",
            _ => return None,
        })
    }
}

/// Emits the questions about the type of an arm, which is that of the value `it`.
pub(super) fn questions(arm: &Arm, decided: Decided, it: &TokenStream) -> TokenStream {
    let question = |is: &str, reason: &str, at: Span| {
        let (is, reason) = (Ident::new(is, at), Ident::new(reason, at));
        quote_spanned!(at=> __rt::#reason::asks(__rt::arm_of(#it).#is());)
    };
    let mut variants = Vec::new();
    of_pattern(&arm.pat, &mut variants);
    let about = |variant: &Ident| Some(question("is_cause", decided.reason(variant)?, variant.span()));
    let mut questions: TokenStream = variants.into_iter().filter_map(about).collect();
    let ty = subject(arm).ok().and_then(|subject| match subject {
        Subject::Typed(ty) | Subject::Enum(ty) => Some(ty),
        Subject::Any => None,
    });
    if let Some(Type::Path(ty)) = ty
        && let Some(last) = ty.path.segments.last()
        && last.ident == "InvalidSettings"
    {
        questions.extend(question("is_invalid_settings", "InvalidSettingsAreAsked", last.ident.span()));
    }
    match questions.is_empty() {
        true => questions,
        false => quote!({
            #[allow(unused_imports)]
            use __rt::OtherArm as _;
            #questions
        }),
    }
}

/// Finds the variants that a pattern names, each of which is one of the alternatives.
fn of_pattern<'a>(pat: &'a Pat, variants: &mut Vec<&'a Ident>) {
    let mut of_path = |path: &'a Path| variants.extend(path.segments.last().map(|last| &last.ident));
    match pat {
        Pat::Path(path) => of_path(&path.path),
        Pat::TupleStruct(tuple) => of_path(&tuple.path),
        Pat::Struct(fields) => of_path(&fields.path),
        // A variant that is imported, if there is a type behind it.
        Pat::Ident(PatIdent { ident, subpat: None, .. }) => variants.push(ident),
        Pat::Ident(PatIdent { subpat: Some((_, inner)), .. }) => of_pattern(inner, variants),
        Pat::Paren(inner) => of_pattern(&inner.pat, variants),
        Pat::Reference(inner) => of_pattern(&inner.pat, variants),
        Pat::Or(or) => or.cases.iter().for_each(|case| of_pattern(case, variants)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Decider, parse};
    use super::*;
    use crate::errors::Errors;

    /// The reasons for which rustc is asked about the types of the arms.
    fn reasons(text: &str, decided: Decided) -> Vec<String> {
        let mut errors = Errors::default();
        let decider = parse(text.parse().unwrap(), Span::call_site(), &mut errors);
        let Some(Decider::Arms(arms)) = decider else { panic!("no arms: {text}") };
        let tokens: TokenStream = arms.list.iter().map(|arm| questions(arm, decided, &quote!(it))).collect();
        let text = tokens.to_string();
        text.split("__rt :: ").filter_map(|part| Some(part.split_once(" :: asks")?.0.to_owned())).collect()
    }

    /// C10: an arm is found however it is written.
    #[test]
    fn an_arm_is_found_in_each_form() {
        for text in [
            "Cause::Requested => Stop",
            "supervise::Cause::Requested => Stop",
            "::supervise::Cause::Requested if soon() => Stop",
            "(Cause::Requested) => Stop",
            "&Cause::Requested => Stop",
            "cause @ Cause::Requested => Stop",
            "cause @ (Cause::Killed | Cause::Requested) => Stop",
            "| Cause::Killed | Cause::Requested => Stop",
            "Requested: Cause => Stop",
            "C::Requested => Stop",
        ] {
            assert_eq!(reasons(text, Decided::Any), ["RequestIsAsked"], "{text}");
        }
        let both = "Cause::EndedByItself | Cause::Requested => Stop, _: InvalidSettings => Stop";
        assert_eq!(reasons(both, Decided::Any), ["EndIsAsked", "RequestIsAsked", "InvalidSettingsAreAsked"]);
        assert_eq!(reasons("error::InvalidSettings::NoPlaces => Stop", Decided::Any), ["InvalidSettingsAreAsked"]);
    }

    /// C10: only an arm that is certainly about such a failure is looked at.
    #[test]
    fn an_arm_that_may_be_used_is_left_alone() {
        for text in [
            "_ => Stop",
            "_: Cause => Stop",
            "cause: Cause => Stop",
            "cause: Cause if matches!(cause, Cause::Requested) => Stop",
            "_ if requested(Cause::Requested) => Stop",
            "MyError::Failed(Cause::Requested) => Stop",
            "Phase::Start => Stop",
        ] {
            assert_eq!(reasons(text, Decided::Task { timed: false }), [] as [&str; 0], "{text}");
        }
    }

    /// C10: the causes of actors are looked at only above a task, or a remote child, of which the macro is certain.
    #[test]
    fn the_causes_of_actors_depend_on_the_child() {
        let text = "Cause::TimedOut => Stop, Cause::DeathPact(_) => Stop, Cause::NodeLost { .. } => Stop, \
                    Cause::LimitReached => Stop, Cause::Bug(_) => Stop, Cause::Killed => Stop, Cause::Panic(_) => Stop";
        assert_eq!(reasons(text, Decided::Any), [] as [&str; 0]);
        assert_eq!(reasons(text, Decided::Remote), ["LimitOfRemoteIsAsked", "BugOfRemoteIsAsked"]);
        let of_task = ["PactOfTaskIsAsked", "NodeOfTaskIsAsked", "LimitOfTaskIsAsked", "BugOfTaskIsAsked"];
        assert_eq!(reasons(text, Decided::Task { timed: true }), of_task);
        assert_eq!(reasons(text, Decided::Task { timed: false })[..], [&["TimeOfTaskIsAsked"], &of_task[..]].concat());
    }
}
