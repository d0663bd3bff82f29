//! The names that an expression can use, and how it gets them.
//!
//! Between the statements of `build`, parameters, `let`s and handles have names of mixed hygiene, which the user's code
//! cannot see. Otherwise a child `heartbeat` would hide the function `heartbeat` from everything below it. The user's
//! own name is bound, to a clone, only around an expression that uses it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Expr;

use super::super::model::Child;
use super::super::names::{Name, Names};
use super::hygiene::{hidden, local, plain};
use super::types::Types;
use crate::free_names::FreeNames;

/// The names declared so far, and the types around them.
#[derive(Debug, Clone)]
pub(super) struct Scope<'a> {
    pub(super) types: Types<'a>,
    /// The struct of the tree or subtree whose children these are.
    pub(super) own: &'a Ident,
    pub(super) names: Names<'a>,
    /// The children below, whose handles `later(..)` gives.
    pub(super) ahead: Vec<&'a Child>,
    /// Emits the options of such a child; `None` if it has no handle before its turn.
    options: OptionsAhead,
}

/// The options of a child below, as far as `later(..)` needs them.
pub(super) type OptionsAhead = fn(&Child, &Scope<'_>) -> Option<TokenStream>;

/// The code that makes the names of an expression available to it.
#[derive(Debug)]
pub(super) struct Bound {
    /// Before a closure: clones that the closure owns.
    pub(super) capture: TokenStream,
    /// The part of `capture` that is needed without a closure, too: handles of children below.
    pub(super) ahead: TokenStream,
    /// Around the expression: the user's names, bound to fresh clones.
    pub(super) rebind: TokenStream,
}

impl<'a> Scope<'a> {
    pub(super) fn new(types: Types<'a>, own: &'a Ident, options: OptionsAhead) -> Self {
        Scope { types, own, names: Names::default(), ahead: Vec::new(), options }
    }

    /// Sets the children below the next expressions.
    pub(super) fn look_ahead(&mut self, ahead: impl Iterator<Item = &'a Child>) {
        self.ahead.clear();
        self.ahead.extend(ahead);
    }

    /// Returns the code for the names that `exprs` use.
    pub(super) fn bind(&self, exprs: &[&Expr]) -> Bound {
        let free = FreeNames::of(exprs.iter().copied());
        let mut bound = Bound { capture: TokenStream::new(), ahead: TokenStream::new(), rebind: TokenStream::new() };
        for (name, at) in self.names.mentioned(&free) {
            let (inner, cfgs) = (hidden(&name.ident), &name.cfgs);
            bound.capture.extend(capture(name));
            // The whole call has one syntax context. Otherwise an error in it underlines the macro.
            let mut source = inner.clone();
            source.set_span(at.resolved_at(Span::mixed_site()));
            let value = if name.is_behind() {
                quote_spanned!(source.span()=> #source.clone_for_start())
            } else {
                quote_spanned!(source.span()=> __rt::Clone::clone(&#source))
            };
            let mut own = name.ident.clone();
            if own == "tree" {
                own.set_span(at);
            }
            bound.rebind.extend(quote!(#(#cfgs)* #[allow(unused_variables)] let #own = #value;));
        }
        self.bind_later(&free, &mut bound);
        bound
    }

    /// Binds the names in `later(..)`, and `later` itself.
    fn bind_later(&self, free: &FreeNames, bound: &mut Bound) {
        if !free.has_later() {
            return; // nearly every expression ends here
        }
        let builder = local("__b");
        for child in &self.ahead {
            let (ident, cfgs) = (&child.name, &child.cfgs);
            let Some(at) = free.later(ident) else { continue };
            let Some(options) = (self.options)(child, self) else { continue };
            if bound.ahead.is_empty() {
                bound.rebind.extend(quote!(
                    #[allow(unused_imports)]
                    use __rt::later;
                ));
            }
            let (inner, name) = (hidden(ident), plain(ident));
            // The variable has the span of the mention, where rustc then reports that the child is a tree.
            let mut given = local("__options");
            given.set_span(at.resolved_at(given.span()));
            let handle = quote_spanned!(given.span()=> __rt::Builder::later(&#builder, #name, #given));
            bound.ahead.extend(quote!(#(#cfgs)* let #inner = { let #given = #options; #handle };));
            bound.rebind.extend(quote!(#(#cfgs)* let #ident = __rt::Clone::clone(&#inner);));
        }
        bound.capture.extend(bound.ahead.clone());
    }

    /// Emits clones of all names that `exprs` use, under the hidden names, for the closure of a subtree.
    pub(super) fn pass_on(&self, exprs: &[&Expr]) -> TokenStream {
        let free = FreeNames::of(exprs.iter().copied());
        // A subtree has a `tree` of its own.
        let names = self.names.mentioned(&free).filter(|(name, _)| name.ident != "tree");
        names.map(|(name, _)| capture(name)).collect()
    }
}

/// Emits a clone of a name, where there is such a name.
fn capture(name: &Name<'_>) -> TokenStream {
    let (cfgs, name) = (&name.cfgs, hidden(&name.ident));
    quote!(#(#cfgs)* let #name = __rt::Clone::clone(&#name);)
}
