//! Deciders: `decider! { .. }` and the setting `decider(..)`.
//!
//! `parse` reads the arms. `check` reports mistakes that rustc cannot see or explains badly (rule C10). `expand` groups
//! the arms by type and emits one `match` for each group.

mod check;
mod expand;
mod parse;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Pat, Type};

pub(crate) use check::check;
pub(crate) use expand::expand;
pub(crate) use parse::parse;

use crate::errors::Errors;

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
    pub(crate) pat: Pat,
    pub(crate) ty: Option<Type>,
    pub(crate) guard: Option<Expr>,
    pub(crate) answer: Expr,
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
    pub(crate) fn exprs(&self) -> Vec<&Expr> {
        match self {
            Decider::Function(expr) => vec![expr],
            Decider::Arms(arms) => arms.list.iter().flat_map(Arm::exprs).collect(),
        }
    }
}

impl Arm {
    fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.guard.iter().chain([&self.answer])
    }
}

/// Expands `decider! { .. }`.
pub(crate) fn decider(input: TokenStream) -> TokenStream {
    let mut errors = Errors::of(&input);
    let decider = parse(input, proc_macro2::Span::call_site(), &mut errors);
    let value = match decider {
        Some(decider) => {
            check(&decider, &mut errors);
            expand(&decider, Coverage::Whole)
        }
        None => expand(&Decider::Arms(Arms::default()), Coverage::Partial),
    };
    // A path is not a `Decider` yet. At its span rustc says which types can become one.
    let into = quote_spanned!(value.span()=> __rt::IntoDecider::into_decider(#value));
    let errors = errors.to_tokens();
    quote!({
        use ::supervise::__private as __rt;
        #[allow(unused_qualifications)]
        let __decider = #into;
        #errors
        __decider
    })
}
