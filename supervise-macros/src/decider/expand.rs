//! Turns arms into a closure `|failure| -> Option<Directive>`.
//!
//! All arms of one type form one `match`, so that rustc itself reports a forgotten variant. Different
//! error types cannot both match, so gathering their arms keeps the order as written. `Cause`, `Phase` and a
//! guarded `_` overlap with all of them, so no arm is moved across such an arm.
//!
//! Arms can name the failure itself, as `failure`. It is bound for each expression that does, with the span of the
//! user's word: an arm of a declarative macro and a guard that is handed in to it have names of their own.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Type};

use super::asked::{self, Decided};
use super::check::{Subject, key, subject};
use super::{Arm, Coverage, Decider};
use crate::duration::lower;
use crate::free_names::FreeNames;
use crate::pretty::to_source;
use crate::tree::model::word;

/// Arms of one type, which share a `match`; or one guarded `_`.
#[derive(Debug)]
struct Group<'a> {
    key: String,
    ty: Option<Type>,
    arms: Vec<&'a Arm>,
    by_path: bool,
}

impl Group<'_> {
    /// Whether failures that match this group may also match another one.
    fn overlaps(&self) -> bool {
        overlaps(self.ty.as_ref())
    }
}

fn overlaps(ty: Option<&Type>) -> bool {
    match ty {
        Some(Type::Path(path)) => {
            path.path.segments.last().is_some_and(|last| last.ident == "Cause" || last.ident == "Phase")
        }
        Some(_) => false,
        None => true,
    }
}

/// Returns an expression that is a decider.
pub(crate) fn expand(decider: &Decider, coverage: Coverage, decided: Decided) -> TokenStream {
    let arms = match decider {
        // With the bound of `total` in sight, rustc infers the type of the closure's parameter.
        Decider::Function(function @ Expr::Closure(_)) => {
            let function = lower(function);
            return quote_spanned!(function.span()=> __rt::Decider::total(#function));
        }
        Decider::Function(function) => {
            let function = lower(function);
            return quote!(#function);
        }
        Decider::Arms(arms) => arms,
    };
    let last = arms.list.iter().find(|arm| arm.is_always() && matches!(subject(arm), Ok(Subject::Any)));
    let groups = group(&arms.list);
    // After a mistake the match is not checked for completeness: rustc would report the same arm again.
    let sound = !arms.lost && arms.list.iter().all(|arm| subject(arm).is_ok());
    let whole = coverage == Coverage::Whole && last.is_none() && sound;
    let matches = groups.iter().enumerate().map(|(i, group)| {
        let again = groups[i + 1..].iter().any(|later| later.key == group.key && later.ty.is_some());
        let before: Vec<_> = groups[..i].iter().filter(|earlier| earlier.key == group.key).collect();
        emit(group, &before, whole && !again, decided)
    });
    let rest = match last {
        Some(arm) => {
            let (noted, answer) = (noted(arm), answer(arm));
            quote!({ #noted ::core::option::Option::Some(#answer) })
        }
        None => quote!(::core::option::Option::None),
    };
    let named = arms.list.iter().flat_map(Arm::exprs).filter_map(|expr| {
        let span = FreeNames::of([expr]).value(&format_ident!("failure"))?;
        let name = Ident::new("failure", span);
        Some(quote!(#[allow(unused_variables)] let #name = __failure;))
    });
    let texts = arms.list.iter().map(|arm| {
        let (cfgs, index, text) = (&arm.cfgs, arm.index, to_source(arm.text()));
        quote_spanned!(arm.pat.span()=> #(#cfgs)* __rt::Arm::new(#index, #text))
    });
    quote! {
        __rt::Decider::with_arms(
            move |__failure: &__rt::Failure, __arm: &mut ::core::primitive::usize|
                -> ::core::option::Option<__rt::Directive> {
                #(#named)*
                #(#matches)*
                #rest
            },
            // Last: while somebody types, an editor compares places in front of the cursor, and these texts change.
            const { &[#(#texts),*] }
        )
    }
}

/// Groups the arms by type, in the order in which the types are first named.
fn group(arms: &[Arm]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for arm in arms {
        let Ok(subject) = subject(arm) else { continue };
        if matches!(subject, Subject::Any) && arm.is_always() {
            break;
        }
        let key = key(&subject);
        let by_path = matches!(subject, Subject::Enum(_));
        let ty = subject.ty().cloned();
        let same = groups.iter().rposition(|group| ty.is_some() && group.key == key);
        let between = |i: usize| &groups[i + 1..];
        let open = same.filter(|&i| {
            if overlaps(ty.as_ref()) { between(i).is_empty() } else { !between(i).iter().any(Group::overlaps) }
        });
        match open {
            Some(i) => {
                groups[i].arms.push(arm);
                groups[i].by_path |= by_path;
            }
            None => groups.push(Group { key, ty, arms: vec![arm], by_path }),
        }
    }
    groups
}

/// Emits one group. If it is `closed`, rustc must find every variant in it or in the groups `before` of the same type.
fn emit(group: &Group<'_>, before: &[&Group<'_>], closed: bool, decided: Decided) -> TokenStream {
    let Some(ty) = &group.ty else {
        return group
            .arms
            .iter()
            .map(|arm| {
                let (noted, answer) = (noted(arm), answer(arm));
                let cfgs = &arm.cfgs;
                let answered = quote!({ #noted return ::core::option::Option::Some(#answer); });
                let answered = match arm.guard.as_ref().map(lower) {
                    Some(guard) => quote!(if #guard #answered),
                    None => answered,
                };
                quote!(#(#cfgs)* { #answered })
            })
            .collect();
    };
    let arms = group.arms.iter().map(|arm| {
        let (pat, noted, answer) = (&arm.pat, noted(arm), answer(arm));
        let guard = arm.guard.as_ref().map(lower).map(|guard| quote!(if #guard));
        let cfgs = &arm.cfgs;
        // At the answer, behind which rustc then proposes an arm for a variant that is missing.
        let body = quote_spanned!(arm.answer.span()=> { #noted return ::core::option::Option::Some(#answer); });
        quote!(#(#cfgs)* #pat #guard => #body)
    });
    let by_path = group.by_path || before.iter().any(|earlier| earlier.by_path);
    let rest = if closed && by_path && !group.overlaps() {
        // An arm above takes these failures already. They are repeated to make the match complete.
        let taken = before.iter().flat_map(|group| &group.arms).filter(|arm| arm.guard.is_none());
        let taken = taken.map(|arm| {
            let (cfgs, pat) = (&arm.cfgs, &arm.pat);
            quote!(#(#cfgs)* #[allow(unused_variables, unreachable_patterns)] #pat => {})
        });
        quote!(#(#taken)*)
    } else {
        quote!(#[allow(unreachable_patterns)] _ => {})
    };
    // At the span of the type, where rustc then reports a missing variant.
    let it = quote_spanned!(ty.span()=> __it);
    let not_asked = group.arms.iter().map(|arm| asked::questions(arm, decided, &it));
    quote! {
        if let ::core::option::Option::Some(#it) = __rt::Failure::get::<#ty>(__failure) {
            #(#not_asked)*
            match #it { #(#arms)* #rest }
        }
    }
}

/// Emits the statement that notes the arm which answers.
fn noted(arm: &Arm) -> TokenStream {
    let index = arm.index;
    quote!(*__arm = #index;)
}

/// Turns `Restart` into `Directive::Restart`. Anything else is kept as an expression.
fn answer(arm: &Arm) -> TokenStream {
    match word(&arm.answer) {
        Some(word) => quote_spanned!(word.span()=> __rt::Directive::#word),
        None => {
            let answer = lower(&arm.answer);
            match &arm.answer {
                // Code that decides by itself names the directives, too.
                Expr::Block(_) | Expr::If(_) | Expr::Match(_) => quote!({
                    #[allow(unused_imports)]
                    use __rt::Directive::*;
                    #answer
                }),
                _ => quote!(#answer),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{check, parse};
    use super::*;
    use crate::errors::Errors;

    fn read(text: &str) -> (Decider, Vec<String>) {
        let mut errors = Errors::default();
        let decider = parse(text.parse().unwrap(), proc_macro2::Span::call_site(), &mut errors).unwrap();
        check(&decider, &mut errors);
        (decider, errors.messages())
    }

    fn groups(text: &str) -> Vec<(String, usize)> {
        let (decider, messages) = read(text);
        assert!(messages.is_empty(), "{messages:?}");
        let Decider::Arms(arms) = &decider else { panic!("no arms") };
        group(&arms.list).into_iter().map(|group| (group.key, group.arms.len())).collect()
    }

    #[test]
    fn gathers_arms_by_type() {
        let text =
            "DbError::A => Stop, e: io::Error if e.x() => Stop, DbError::B(_) | DbError::C => Restart, _ => Stop";
        assert_eq!(groups(text), [("DbError".into(), 2), ("io::Error".into(), 1)]);
        assert_eq!(groups("Gen::<u8>::A => Stop, _: Gen<u8> => Stop"), [("Gen<u8>".into(), 2)]);
    }

    #[test]
    fn gathers_nothing_across_an_arm_that_may_match_too() {
        let text = "E::A => Stop, Cause::Killed => Stop, E::B => Stop, Cause::Panic(_) => Stop";
        let names: Vec<_> = groups(text).into_iter().map(|(key, _)| key).collect();
        assert_eq!(names, ["E", "Cause", "E", "Cause"]);
        let names: Vec<_> =
            groups("E::A => Stop, _ if late() => Stop, E::B => Stop").into_iter().map(|g| g.0).collect();
        assert_eq!(names, ["E", "", "E"]);
    }

    #[test]
    fn closes_an_enum_only_without_a_last_arm() {
        let open = "_ => { }";
        let emitted = |text: &str, coverage| expand(&read(text).0, coverage, Decided::Any).to_string();
        assert!(!emitted("E::A => Stop, E::B => Stop", Coverage::Whole).contains(open));
        assert!(emitted("E::A => Stop, E::B => Stop", Coverage::Partial).contains(open));
        assert!(emitted("E::A => Stop, _ => Stop", Coverage::Whole).contains(open));
        assert!(emitted("Cause::Killed => Stop", Coverage::Whole).contains(open));
        assert!(emitted("_: Refused => Stop", Coverage::Whole).contains(open));
        for text in ["E::A => Stop, B => Stop", "E::A => Stop, E::B Stop"] {
            assert!(emitted(text, Coverage::Whole).contains(open), "{text}");
        }
        let split = emitted("E::A => Stop, Cause::Killed => Stop, E::B => Stop", Coverage::Whole);
        assert!(split.contains("E :: A => { }"), "{split}");
    }

    #[test]
    fn rejects_what_would_do_something_else() {
        for (text, part) in [
            ("Timeout => Stop", "write `_: Timeout`"),
            ("Code(5) => Stop", "write `Code(5): Code`"),
            ("_ => Stop, E::A => Stop", "never reached"),
            ("E::A | F::B => Stop", "two types"),
            ("5 => Stop", "`pattern: Type`"),
            ("E::A => Stop E::B => Stop", "expected `,`"),
            ("E::A, _ => Stop", "expected `=> Directive`"),
            ("E::A => , _ => Stop", "no directive"),
            ("E::A =>", "no directive"),
        ] {
            let (_, messages) = read(text);
            assert!(messages.len() == 1 && messages[0].contains(part), "{text}: {messages:?}");
        }
    }
}
