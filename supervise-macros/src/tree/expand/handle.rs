//! Emits the handle struct of a tree and its functions.
//!
//! The traits are written out instead of derived. `#[derive]` would put bounds on types that may be in error, and a
//! mistake in the type of one child would be reported again for each trait.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Attribute, Ident, Visibility};

use super::super::check::plain_name;
use super::super::model::{Body, Child, Tree, Unit};
use super::hygiene::plain;
use super::types::{Published, Sub, Types, declared, field_of_the_tree, published};
use super::{draw, remote};
use crate::paths::Supervise;

/// The tree around a struct.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) tree: &'a Tree,
    /// The names of the tree and its inline subtrees.
    pub(super) within: &'a [&'a Ident],
    /// The type that fails with the first mistake of the call.
    pub(super) failed: Option<&'a TokenStream>,
}

impl Around<'_> {
    /// Returns the type of a child's field.
    fn field_type(self, child: &Child) -> Option<TokenStream> {
        // A tree that contains itself was reported. Here it would be a type of infinite size.
        let is_within = match child.unit() {
            Some(Unit::Type(ty)) if !child.is_set() => plain_name(ty).is_some_and(|name| self.within.contains(&name)),
            _ => false,
        };
        match self.failed {
            Some(failed) if is_within || !child.is_typed() => Some(failed.clone()),
            _ => Types::of(self.tree).outside().field_type(child),
        }
    }
}

/// Emits the struct of a tree, its traits, and `SPEC`, `tree`, `start` and `run`.
pub(super) fn tree(around: Around<'_>) -> TokenStream {
    let tree = around.tree;
    let (cfgs, vis, name) = (&tree.cfgs, &tree.vis, &tree.name);
    let drawing = draw::docs(name, &tree.body);
    let types = Types::of(tree).outside();
    let handle = item(&tree.cfgs, &tree.docs, drawing, vis, name, &tree.body, around);
    let head = types.inherent(name);
    let params: Vec<_> = tree.params.iter().map(|param| &param.name).collect();
    let param_types: Vec<_> = tree.params.iter().map(|param| &param.ty).collect();
    let start_doc = format!("Starts `{name}`: its children in order, each awaited.");
    let errors_doc = "The failure of the child that could not start. Children that were up are stopped again.";
    let tree_doc =
        format!("`{name}` with these parameters, not yet started. Start it, or make it a child of another tree.");
    let run_doc = format!(
        "Starts `{name}`, waits until `until` has finished or the tree has ended by itself, and shuts the tree down."
    );
    // A mixed-site name: a parameter of the tree may be called `until` too.
    let until = Ident::new("until", Span::mixed_site());
    // The span of the name makes rustc report wrong types of children there, not at the whole macro call.
    let supervise = Supervise.at(name.span());
    let spec = quote_spanned!(name.span()=> <Self as #supervise::expansion::TreeHandle>::SPEC);
    let failed = around.failed.filter(|_| !tree.has_start());
    let failed = failed.map(|failed| {
        let names = ["tree", "start", "run"].map(|name| Ident::new(name, Span::call_site()));
        quote! {
            #(
                #[cfg(not(any(doc, rust_analyzer)))]
                #[allow(dead_code, non_upper_case_globals)]
                #vis const #names: #failed = loop {};
            )*
        }
    });
    let node = remote::node(tree);
    // Readers see the functions with the parameters that are known. A call of them would be a second error.
    let shown = failed.is_some().then(|| quote!(#[cfg(any(doc, rust_analyzer))]));
    let allow = failed.is_some().then(|| quote!(#[allow(unexpected_cfgs)]));
    quote! {
        #handle
        #(#cfgs)*
        #allow
        #head {
            /// The tree as it is declared.
            #[allow(dead_code)]
            #vis const SPEC: #Supervise::expansion::TreeSpec = #spec;

            #shown
            #[doc = #tree_doc]
            #[must_use]
            #[allow(clippy::self_named_constructors)] // a tree may be called `Tree`
            #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
            #vis fn tree(#(#params: #param_types),*) -> #Supervise::expansion::Tree<Self> {
                #Supervise::expansion::tree((#(#params,)*))
            }

            #shown
            #[doc = #start_doc]
            #[doc = ""]
            #[doc = "# Errors"]
            #[doc = ""]
            #[doc = #errors_doc]
            #[track_caller]
            #[allow(clippy::self_named_constructors)] // a tree may be called `Start`
            #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
            #vis fn start(#(#params: #param_types),*) -> #Supervise::expansion::BoxFuture<
                'static,
                ::core::result::Result<#Supervise::expansion::Running<Self>, #Supervise::expansion::Failure>,
            > {
                #Supervise::expansion::Tree::start(Self::tree(#(#params),*))
            }

            #shown
            #[doc = #run_doc]
            #[doc = ""]
            #[doc = "The report is an exit code for `main`."]
            #[doc = ""]
            #[doc = "# Errors"]
            #[doc = ""]
            #[doc = #errors_doc]
            #[track_caller]
            #[allow(dead_code, clippy::impl_trait_in_params, clippy::too_many_arguments, clippy::type_complexity)]
            #vis fn run<'__until>(
                #(#params: #param_types,)*
                #until: impl ::core::future::Future + ::core::marker::Send + '__until,
            ) -> #Supervise::expansion::BoxFuture<
                '__until,
                ::core::result::Result<#Supervise::expansion::Report, #Supervise::expansion::Failure>,
            > {
                #Supervise::expansion::Tree::run(Self::tree(#(#params),*), #until)
            }

            #node
            #failed
        }
    }
}

/// Emits the struct of an inline subtree: a type with the visibility of the tree's struct.
pub(super) fn subtree(sub: &Sub<'_>, around: Around<'_>) -> TokenStream {
    let tree = around.tree;
    let Sub { child, subtree, cfgs } = sub;
    let docs = if child.docs.is_empty() {
        let text = format!("The subtree `{}` of [`{}`].", plain(&child.name), tree.name);
        quote!(#[doc = #text])
    } else {
        let docs = &child.docs;
        quote!(#(#docs)*)
    };
    let drawing = draw::docs(&subtree.name, &subtree.body);
    let cfgs: Vec<_> = tree.cfgs.iter().chain(cfgs.iter().copied()).cloned().collect();
    item(&cfgs, &[], quote!(#docs #drawing), &tree.vis, &subtree.name, &subtree.body, around)
}

fn item(
    cfgs: &[Attribute],
    docs: &[Attribute],
    drawing: TokenStream,
    vis: &Visibility,
    name: &Ident,
    body: &Body,
    around: Around<'_>,
) -> TokenStream {
    let types = Types::of(around.tree).outside();
    let typed: Vec<_> =
        declared(body).into_iter().filter_map(|child| Some((child, around.field_type(child)?))).collect();
    let fields = typed.iter().map(|(child, ty)| {
        let (cfgs, name) = (&child.cfgs, &child.name);
        let vis = child.vis.as_ref().unwrap_or(vis);
        let docs = if child.docs.is_empty() {
            let text = format!("The child `{}`.", plain(name));
            quote!(#[doc = #text])
        } else {
            let docs = &child.docs;
            quote!(#(#docs)*)
        };
        let field = |ty: &TokenStream| quote!(#(#cfgs)* #docs #[allow(dead_code)] #vis #name: #ty,);
        // Readers see the type as a programmer would write it. rustc sees the type that reports a mistake once.
        match types.shown_type(child) {
            Some(shown) => {
                let (told, checked) = (field(&shown), field(ty));
                quote! {
                    #[cfg(any(doc, rust_analyzer))]
                    #told
                    #[cfg(not(any(doc, rust_analyzer)))]
                    #checked
                }
            }
            None if child.is_typed() => field(ty),
            None => {
                let checked = field(ty);
                quote!(#[cfg(not(any(doc, rust_analyzer)))] #checked)
            }
        }
    });
    let lets = published(body);
    let links = lets.iter().map(|published| {
        let (cfgs, name) = (&published.entry.cfgs, published.field());
        quote!(#(#cfgs)* #[doc(hidden)] #name: #Supervise::expansion::Published,)
    });
    // This `self` is made here, so it is that of the method also if a macro has passed the name of the child.
    let this = quote!(self);
    let clones = typed.iter().map(|(child, _)| {
        let (cfgs, name) = (&child.cfgs, &child.name);
        let shown = (child.shape.is_none()).then(|| quote!(#[cfg(not(any(doc, rust_analyzer)))]));
        let span = child.unit().map_or(name.span(), Unit::span);
        let clone = quote_spanned!(span=> ::core::clone::Clone::clone(&#this.#name));
        quote!(#(#cfgs)* #shown #name: #clone,)
    });
    let link_clones = lets.iter().map(|published| {
        let (cfgs, name) = (&published.entry.cfgs, published.field());
        quote!(#(#cfgs)* #name: ::core::clone::Clone::clone(&self.#name),)
    });
    let methods = (!lets.is_empty()).then(|| {
        let methods = lets.iter().map(|published| method(*published, types));
        let head = types.inherent(name);
        quote!(#(#cfgs)* #head { #(#methods)* })
    });
    let allow = typed.iter().any(|(child, _)| child.shape.is_none()).then(|| quote!(#[allow(unexpected_cfgs)]));
    let (params, bounds) = types.declared();
    // With parameters of no place in the source, rustc does not propose an unknown type of a child as a new parameter,
    // which would be a second error.
    let params = if params.params.is_empty() { quote_spanned!(Span::mixed_site()=> <>) } else { quote!(#params) };
    let marker = types.marker().map(|ty| quote!(#[doc(hidden)] __types: #ty,));
    let marker_clone = types.marker().map(|_| quote!(__types: ::core::marker::PhantomData));
    let [clone, debug, deref] = [quote!(::core::clone::Clone), quote!(::core::fmt::Debug), quote!(::core::ops::Deref)]
        .map(|of| types.implementing(&of, name));
    let own = field_of_the_tree(body);
    // The span of the name: rustc points to it in a message about the tree.
    let keyword = quote_spanned!(name.span()=> struct);
    let content = quote! {
        #(#fields)*
        #(#links)*
        #[doc(hidden)]
        #own: #Supervise::expansion::TreeRef,
        #marker
    };
    let content = quote_spanned!(name.span()=> { #content });
    quote! {
        #(#cfgs)*
        #(#docs)*
        #drawing
        #[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
        #vis #keyword #name #params #bounds #content
        #(#cfgs)*
        #[automatically_derived]
        #allow
        #clone {
            fn clone(&self) -> Self {
                #name { #(#clones)* #(#link_clones)* #own: ::core::clone::Clone::clone(&self.#own), #marker_clone }
            }
        }
        #(#cfgs)*
        #[automatically_derived]
        #debug {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(&self.#own, f)
            }
        }
        #(#cfgs)*
        #[automatically_derived]
        #deref {
            type Target = #Supervise::expansion::TreeRef;
            fn deref(&self) -> &#Supervise::expansion::TreeRef {
                &self.#own
            }
        }
        #methods
    }
}

/// Emits the method that returns the value of a `pub let`.
fn method(published: Published<'_>, types: Types<'_>) -> TokenStream {
    let Published { entry, vis, name, ty } = published;
    let (cfgs, field) = (&entry.cfgs, published.field());
    let docs = if entry.docs.is_empty() {
        let text = format!("The value of `let {}`.", plain(name));
        quote!(#[doc = #text])
    } else {
        let docs = &entry.docs;
        quote!(#(#docs)*)
    };
    let get = types.returned(published, quote!(&self.#field));
    quote! {
        #(#cfgs)*
        #docs
        #[doc = ""]
        #[doc = "Returns a clone while the tree keeps the value, and `None` before that and after it."]
        #[must_use]
        #[allow(dead_code, clippy::type_complexity)]
        #vis fn #name(&self) -> ::core::option::Option<#ty> {
            #get
        }
    }
}
