//! Deciders: `decider! { .. }` and the setting `decider(..)`.
//!
//! `parse` reads the arms. `check` reports mistakes that rustc cannot see or explains badly (rule C10). `expand` groups
//! the arms by type and emits one `match` for each group. `asked` knows the failures that no decider is asked about.

mod asked;
mod check;
mod expand;
mod parse;

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Pat, Type};

pub(crate) use asked::Decided;
pub(crate) use check::check;
pub(crate) use expand::expand;
pub(crate) use parse::parse;

use crate::errors::Errors;
use crate::paths::Supervise;
use crate::tree::model::word;

/// The content of a decider's parentheses.
#[derive(Debug)]
pub(crate) enum Decider {
    Arms(Arms),
    /// A path or closure `Fn(&Failure) -> Directive`, or a `Decider`.
    Function(Expr),
}

/// The arms that could be read.
#[derive(Debug, Default)]
pub(crate) struct Arms {
    pub(crate) list: Vec<Arm>,
    /// Whether an arm could not be read, so that its type is not known.
    pub(crate) lost: bool,
}

/// `pattern: Type if guard => answer`
#[derive(Debug)]
pub(crate) struct Arm {
    /// The `#[cfg(..)]`s above it.
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) pat: Pat,
    pub(crate) ty: Option<Type>,
    pub(crate) guard: Option<Expr>,
    pub(crate) answer: Expr,
    /// The position among the arms that could be read.
    pub(crate) index: usize,
}

/// The variants that a list of arms must cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// Every variant of an enum that is named by path, unless there is a `_` arm: for a tree or a value.
    Whole,
    /// Any part of them: failures that a child's decider does not match go to the tree's decider.
    Partial,
}

impl Decider {
    /// Returns whether each answer is a word that ends the child.
    pub(crate) fn only_ends(&self) -> bool {
        self.only_answers(&["Stop", "Escalate"]).is_some()
    }

    /// Returns the first answer, if each of them is one of these words.
    pub(crate) fn only_answers(&self, words: &[&str]) -> Option<&Ident> {
        let Decider::Arms(arms) = self else { return None };
        let is_one = |arm: &Arm| word(&arm.answer).is_some_and(|word| words.iter().any(|one| word == one));
        if arms.lost || !arms.list.iter().all(is_one) {
            return None;
        }
        word(&arms.list.first()?.answer)
    }

    /// Returns whether there is an arm for every failure.
    pub(crate) fn is_total(&self) -> bool {
        let is_any = |arm: &Arm| arm.is_always() && arm.ty.is_none() && matches!(arm.pat, Pat::Wild(_));
        matches!(self, Decider::Arms(arms) if arms.list.iter().any(is_any))
    }

    pub(crate) fn exprs(&self) -> Vec<&Expr> {
        match self {
            Decider::Function(expr) => vec![expr],
            Decider::Arms(arms) => arms.list.iter().flat_map(Arm::exprs).collect(),
        }
    }
}

impl Arm {
    /// Returns whether the arm takes each failure of its pattern, in every build.
    fn is_always(&self) -> bool {
        self.guard.is_none() && self.cfgs.is_empty()
    }

    fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.guard.iter().chain([&self.answer])
    }

    /// Returns the arm as it was written.
    fn text(&self) -> TokenStream {
        let Arm { pat, ty, guard, answer, .. } = self;
        let ty = ty.as_ref().map(|ty| quote!(: #ty));
        let guard = guard.as_ref().map(|guard| quote!(if #guard));
        quote!(#pat #ty #guard => #answer)
    }
}

/// Expands `decider! { .. }`.
pub(crate) fn decider(input: TokenStream) -> TokenStream {
    let mut errors = Errors::of(&input);
    let decider = parse(input, proc_macro2::Span::call_site(), &mut errors);
    let empty = expand(&Decider::Arms(Arms::default()), Coverage::Partial, Decided::Any);
    let value = match decider {
        Some(decider) => {
            check(&decider, &mut errors);
            let value = expand(&decider, Coverage::Whole, Decided::Any);
            match errors.take_hidden() {
                // An editor completes the word that rustc must not see.
                true => quote!({
                    #[allow(unexpected_cfgs)]
                    let __decider = {
                        #[cfg(rust_analyzer)] { #value }
                        #[cfg(not(rust_analyzer))] { #empty }
                    };
                    __decider
                }),
                false => value,
            }
        }
        None => empty,
    };
    // A path is not a `Decider` yet. At its span rustc says which types can become one.
    let into = quote_spanned!(value.span()=> __rt::IntoDecider::into_decider(#value));
    let errors = errors.to_tokens();
    quote!({
        use #Supervise::expansion as __rt;
        #[allow(unused_qualifications)]
        let __decider = #into;
        #errors
        __decider
    })
}
