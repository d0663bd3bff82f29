//! Turns the model into Rust. This cannot fail: parts that are missing in the model are left out.
//!
//! The order of the output serves rust-analyzer. The body of `build`, with most of the user's tokens, comes first. The
//! parts that repeat those tokens as text (documentation, `SPEC`) come after it, so that their length does not move the
//! cursor.

mod build;
mod draw;
mod handle;
mod hygiene;
mod options;
mod remote;
mod scope;
mod spawned;
mod spec;
mod types;

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

pub(crate) use options::supervision;
pub(super) use spawned::spawned;

use super::model::Tree;
use crate::paths::Supervise;
use handle::Around;
use hygiene::local;
use spec::Times;
use types::{Types, subtrees};

/// Emits everything that one tree becomes. `misplaced` holds inline subtrees that are the type of another child. `failed`
/// is the type that takes the place of types that are not known.
pub(crate) fn tree(tree: &Tree, hidden: bool, misplaced: &[&Ident], failed: Option<&TokenStream>) -> TokenStream {
    let (cfgs, name) = (&tree.cfgs, &tree.name);
    let types = Types::of(tree);
    let times = spec::times(&tree.body, &within(tree), types);
    let definition = definition(tree, hidden, !times.bound.is_empty(), failed.is_some());
    let far = types.import_far(&tree.body);
    let child = as_child(name, types);
    let subtrees = subtrees(&tree.body);
    let within = within(tree);
    let specs = spec::tree_handle(name, &tree.docs, &tree.body, &within, types, hidden);
    let sub_specs = subtrees.iter().map(|sub| {
        let (cfgs, subtree) = (&sub.cfgs, sub.subtree);
        let spec = spec::tree_handle(&subtree.name, &sub.child.docs, &subtree.body, &within, types, hidden);
        quote!(#(#cfgs)* #spec)
    });
    let taken_for_trees = subtrees.iter().filter(|sub| misplaced.contains(&&sub.subtree.name)).map(|sub| {
        let (cfgs, name) = (&sub.cfgs, &sub.subtree.name);
        let (stub, child) = (
            stub(
                name,
                &quote!(
                    type Params = ();
                ),
                types,
            ),
            as_child(name, types),
        );
        quote!(#(#cfgs)* const _: () = { #stub #child };)
    });
    let around = Around { tree, within: &within, failed };
    let handle = handle::tree(around);
    let sub_handles = subtrees.iter().map(|sub| handle::subtree(sub, around));
    let Times { free, bound } = times;
    let bound = (!bound.is_empty()).then(|| {
        let head = types.inherent(name);
        quote!(#head { #[allow(dead_code)] const __TIMES: () = { #bound }; })
    });
    quote! {
        #(#cfgs)*
        #[allow(unknown_lints)]
        #[allow(
            closure_returning_async_block,
            unexpected_cfgs,
            unused_braces,
            unused_parens,
            unused_qualifications
        )]
        const _: () = {
            use #Supervise::expansion as __rt;
            #far
            #definition
            #specs
            #(#sub_specs)*
            #free
            #bound
            #child
            #(#taken_for_trees)*
        };
        #handle
        #(#sub_handles)*
    }
}

/// Returns the names of the tree and its inline subtrees.
fn within(tree: &Tree) -> Vec<&Ident> {
    std::iter::once(&tree.name).chain(subtrees(&tree.body).into_iter().map(|sub| &sub.subtree.name)).collect()
}

/// Emits `impl TreeDef`: parameters and `build`.
///
/// After a repair or a rejected name, `all(..)` replaces `not(..)`, which is as long: rust-analyzer sees the same
/// layout, and rustc sees the stub after it.
fn definition(tree: &Tree, hidden: bool, timed: bool, failed: bool) -> TokenStream {
    let (name, types) = (&tree.name, Types::of(tree));
    let params: Vec<_> = tree.params.iter().map(|param| types.checked(&param.ty, "CanKeep")).collect();
    let condition = if hidden { quote!(all(rust_analyzer)) } else { quote!(not(rust_analyzer)) };
    let build = build::tree(tree, timed, failed);
    let remote = remote::starts(tree, &condition);
    // A type that is more private than the tree is reported here.
    let at = tree.params.first().map_or(name.span(), |param| param.ty.span());
    let params = quote_spanned!(at=> type Params = (#(#params,)*););
    let stub = hidden.then(|| stub(name, &params, types));
    let head = types.implementing(&quote!(__rt::TreeDef), name);
    quote! {
        #[cfg(any(rust_analyzer, #condition))]
        #head {
            #params
            #build
        }
        #stub
        #remote
    }
}

/// Emits a stub for a `build` that rustc must not compile.
fn stub(name: &Ident, params: &TokenStream, types: Types<'_>) -> TokenStream {
    let head = types.implementing(&quote!(__rt::TreeDef), name);
    quote! {
        #[cfg(not(rust_analyzer))]
        #[automatically_derived]
        #head {
            #params
            async fn build(
                _: Self::Params,
                _: __rt::Builder,
            ) -> ::core::result::Result<Self, __rt::Thrown> {
                ::core::unreachable!()
            }
        }
    }
}

/// Emits `impl Child`, since a tree can be a child of another tree.
fn as_child(name: &Ident, types: Types<'_>) -> TokenStream {
    let (function, future) = (local("__F"), local("__Fut"));
    let (head, own) = (types.implementing(&quote!(__rt::Child), name), types.own(name));
    quote! {
        #[automatically_derived]
        #head {
            type Handle = #own;
            type Start = __rt::Tree<#own>;
            const KIND: __rt::ChildKind = __rt::ChildKind::Tree;
            const TREE: ::core::option::Option<&'static __rt::TreeSpec> =
                ::core::option::Option::Some(&<#own as __rt::TreeHandle>::SPEC);
            fn launch<#function, #future>(
                __slot: __rt::ChildSlot,
                __options: __rt::ChildOptions<Self>,
                __start: #function,
            ) -> __rt::Launched<#own>
            where
                #function: ::core::ops::FnMut() -> #future + ::core::marker::Send + 'static,
                #future: ::core::future::Future<
                        Output = ::core::result::Result<
                            __rt::Tree<#own>,
                            __rt::Thrown,
                        >,
                    > + ::core::marker::Send
                    + 'static,
            {
                __rt::launch_tree(__slot, __options, __start)
            }
        }
    }
}
