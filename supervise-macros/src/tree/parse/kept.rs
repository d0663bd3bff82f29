//! Checks the types of values that a tree keeps: parameters, keys, and the arguments of spawns (rule C8).

use syn::visit_mut::VisitMut;
use syn::{Expr, Lifetime, Pat, ReturnType, Type, TypeFnPtr, TypeReference};

use crate::errors::Errors;

/// Reports a borrow and makes it `'static`, because generated code cannot contain a reference without a lifetime.
/// Returns whether there was one.
pub(super) fn owned(ty: &mut Type, errors: &mut Errors) -> bool {
    let mut owned = Owned { errors, borrows: false };
    owned.visit_type_mut(ty);
    owned.borrows
}

/// The same for the written types of a closure's arguments.
pub(super) fn owned_arguments(start: &mut Expr, errors: &mut Errors) {
    let Expr::Closure(closure) = start else { return };
    for input in &mut closure.inputs {
        if let Pat::Type(typed) = input {
            owned(&mut typed.ty, errors);
        }
    }
}

struct Owned<'a> {
    errors: &'a mut Errors,
    borrows: bool,
}

impl VisitMut for Owned<'_> {
    fn visit_type_reference_mut(&mut self, ty: &mut TypeReference) {
        if ty.lifetime.is_none() {
            let message = "a tree keeps this for its restarts, so it cannot be borrowed; write an owned type";
            self.borrows = true;
            self.errors.at(ty.and_token.span, message);
            ty.lifetime = Some(Lifetime::new("'static", ty.and_token.span));
        }
        syn::visit_mut::visit_type_reference_mut(self, ty);
    }

    // A tree keeps no argument of a function type.
    fn visit_type_fn_ptr_mut(&mut self, _: &mut TypeFnPtr) {}
    fn visit_parenthesized_generic_arguments_mut(&mut self, _: &mut syn::ParenthesizedGenericArguments) {}
    fn visit_return_type_mut(&mut self, _: &mut ReturnType) {}
}
