//! Reports a `mut` in a `let`, which would have no effect: each expression that names the value has its own clone (C8).

use syn::visit::{Visit, visit_pat_ident};
use syn::{Pat, PatIdent};

use crate::errors::Errors;

/// Checks the pattern of a `let`.
pub(super) fn pattern(pat: &Pat, errors: &mut Errors) {
    Mutable(errors).visit_pat(pat);
}

struct Mutable<'a>(&'a mut Errors);

impl Visit<'_> for Mutable<'_> {
    fn visit_pat_ident(&mut self, pat: &PatIdent) {
        if let Some(mutability) = &pat.mutability {
            let why = format!("each start gets a clone of `{}`, so `mut` has no effect", pat.ident);
            // Hide the body: rustc would report each change of the value too.
            self.0.reject_on(mutability, format!("{why}; remove it, and keep what changes in an `Arc`"));
        }
        visit_pat_ident(self, pat);
    }
}
