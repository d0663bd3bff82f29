//! Checks each `pub let`: the handle returns its value, by a method of its name (rule C2).

use proc_macro2::Ident;
use syn::Type;
use syn::ext::IdentExt;
use syn::visit::Visit;

use super::super::model::Let;
use crate::errors::Errors;

/// The methods that every handle and its guard have. A method of the tree itself would hide one of them.
const METHODS: [&str; 37] = [
    "answers",
    "any",
    "clone",
    "dead_letters",
    "detach",
    "ended",
    "events",
    "find",
    "handle",
    "health",
    "health_of",
    "incarnation",
    "is_alive",
    "join",
    "kill",
    "lease_token",
    "metrics",
    "name",
    "observe",
    "observed",
    "operate",
    "page_of",
    "path",
    "ready",
    "restart",
    "run",
    "seed",
    "shutdown",
    "snapshot",
    "snapshot_of",
    "spec",
    "start",
    "start_again",
    "stop",
    "terminated",
    "tree",
    "watched",
];

/// Checks a `let`, if it is a `pub let`.
pub(super) fn entry(entry: &Let, errors: &mut Errors) {
    if entry.vis.is_none() {
        return;
    }
    let Some(name) = entry.name() else {
        errors.reject_on(&entry.pat, "the handle returns a `pub let` by its name; write `pub let name: Type = value;`");
        return;
    };
    if is_method(name) {
        errors.reject_at(name.span(), format!("`{name}` is a method of the handle; use another name"));
    }
    match &entry.ty {
        None => {
            let repair = format!("write `pub let {name}: Type = value;`");
            errors
                .reject_at(name.span(), format!("the handle returns `{name}`, so its type must be written; {repair}"));
        }
        Some(ty) if has_a_gap(ty) => {
            errors.reject_on(ty, format!("the handle returns `{name}`, so its type must be written; replace the `_`"));
        }
        Some(_) => {}
    }
}

/// Returns whether the handle has a method of this name without the `let`.
pub(in crate::tree) fn is_method(name: &Ident) -> bool {
    METHODS.contains(&&*name.unraw().to_string())
}

/// Returns whether a part of the type is left to the compiler.
pub(in crate::tree) fn has_a_gap(ty: &Type) -> bool {
    struct Gap(bool);
    impl Visit<'_> for Gap {
        fn visit_type_infer(&mut self, _: &syn::TypeInfer) {
            self.0 = true;
        }
    }
    let mut gap = Gap(false);
    gap.visit_type(ty);
    gap.0
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::collections::BTreeSet;
    use syn::{ImplItem, Item, TraitItem, Type, Visibility};

    /// The public methods of a type or trait in a file of the project.
    fn methods(file: &str, of: &str) -> BTreeSet<String> {
        let path = format!("{}/../{file}", env!("CARGO_MANIFEST_DIR"));
        let file = syn::parse_file(&std::fs::read_to_string(path).unwrap()).unwrap();
        let is_it = |ty: &Type| matches!(ty, Type::Path(ty) if ty.path.segments.last().unwrap().ident == of);
        let mut found = BTreeSet::new();
        for item in file.items {
            match item {
                Item::Impl(block) if block.trait_.is_none() && is_it(&block.self_ty) => {
                    found.extend(block.items.iter().filter_map(|item| match item {
                        ImplItem::Fn(method) if matches!(method.vis, Visibility::Public(_)) => {
                            Some(method.sig.ident.to_string())
                        }
                        _ => None,
                    }));
                }
                Item::Trait(declared) if declared.ident == of => {
                    found.extend(declared.items.iter().filter_map(|item| match item {
                        TraitItem::Fn(method) => Some(method.sig.ident.to_string()),
                        _ => None,
                    }));
                }
                _ => {}
            }
        }
        assert!(!found.is_empty(), "no method of `{of}`");
        found
    }

    #[test]
    fn no_let_may_have_the_name_of_a_method_of_the_handle() {
        let mut all = BTreeSet::from(["clone", "run", "start", "tree"].map(str::to_owned));
        for (file, of) in [
            ("supervise-runtime/src/tree/find.rs", "TreeRef"),
            ("supervise-runtime/src/tree/observing.rs", "TreeRef"),
            ("supervise-runtime/src/tree/tree_ref.rs", "TreeRef"),
            ("supervise-runtime/src/tree/running.rs", "Running"),
            ("supervise-runtime/src/actor/child_ref.rs", "ChildRef"),
            ("supervise-lease/src/token.rs", "LeaseToken"),
            ("supervise-observe/src/inspect.rs", "Inspect"),
            ("supervise-observe/src/metrics/mod.rs", "Metrics"),
            ("supervise-observe/src/operate.rs", "Operate"),
        ] {
            all.extend(methods(file, of));
        }
        assert_eq!(all, METHODS.into_iter().map(str::to_owned).collect());
    }
}
