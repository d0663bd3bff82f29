//! Emits the handle struct of a tree and its functions.
//!
//! The traits are written out instead of derived. `#[derive]` would put bounds on types that may be in error, and a
//! mistake in the type of one child would be reported again for each trait.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Attribute, Ident, Visibility};

use super::super::model::{Body, Tree, Unit};
use super::draw;
use super::scope::plain;
use super::types::{Published, Sub, Types, declared, published};

/// Emits the struct of a tree, its traits, and `SPEC`, `tree`, `start` and `run`.
pub(super) fn tree(tree: &Tree) -> TokenStream {
    let (cfgs, vis, name) = (&tree.cfgs, &tree.vis, &tree.name);
    let drawing = draw::docs(name, &tree.body);
    let types = Types::of(tree).outside();
    let handle = item(&tree.cfgs, &tree.docs, drawing, vis, name, &tree.body, types);
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
    // A parameter of the tree may have this name too.
    let until = Ident::new("until", Span::mixed_site());
    // At the name, where rustc then reports mistakes in the types of children instead of at the whole macro call.
    let spec = quote_spanned!(name.span()=> <Self as ::supervise::__private::TreeHandle>::SPEC);
    quote! {
        #handle
        #(#cfgs)*
        #head {
            /// The tree as it is declared.
            #[allow(dead_code)]
            #vis const SPEC: ::supervise::__private::TreeSpec = #spec;

            #[doc = #tree_doc]
            #[must_use]
            #[allow(clippy::self_named_constructors)] // a tree may be called `Tree`
            #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
            #vis fn tree(#(#params: #param_types),*) -> ::supervise::__private::Tree<Self> {
                ::supervise::__private::Tree::new((#(#params,)*))
            }

            #[doc = #start_doc]
            #[doc = ""]
            #[doc = "# Errors"]
            #[doc = ""]
            #[doc = #errors_doc]
            #[track_caller]
            #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
            #vis fn start(#(#params: #param_types),*) -> impl ::core::future::Future<
                Output = ::core::result::Result<
                    ::supervise::__private::Running<Self>,
                    ::supervise::__private::Failure,
                >,
            > + ::core::marker::Send {
                ::supervise::__private::Tree::start(Self::tree(#(#params),*))
            }

            #[doc = #run_doc]
            #[doc = ""]
            #[doc = "The report is an exit code for `main`."]
            #[doc = ""]
            #[doc = "# Errors"]
            #[doc = ""]
            #[doc = #errors_doc]
            #[track_caller]
            #[allow(dead_code, clippy::impl_trait_in_params, clippy::too_many_arguments, clippy::type_complexity)]
            #vis fn run(
                #(#params: #param_types,)*
                #until: impl ::core::future::Future + ::core::marker::Send,
            ) -> impl ::core::future::Future<
                Output = ::core::result::Result<
                    ::supervise::__private::Report,
                    ::supervise::__private::Failure,
                >,
            > + ::core::marker::Send {
                ::supervise::__private::Tree::run(Self::tree(#(#params),*), #until)
            }
        }
    }
}

/// Emits the struct of an inline subtree: a type with the visibility of the tree's struct.
pub(super) fn subtree(sub: &Sub<'_>, tree: &Tree) -> TokenStream {
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
    let types = Types::of(tree).outside();
    item(&cfgs, &[], quote!(#docs #drawing), &tree.vis, &subtree.name, &subtree.body, types)
}

fn item(
    cfgs: &[Attribute],
    docs: &[Attribute],
    drawing: TokenStream,
    vis: &Visibility,
    name: &Ident,
    body: &Body,
    types: Types<'_>,
) -> TokenStream {
    let fields = declared(body, types).map(|(child, ty)| {
        let (cfgs, name) = (&child.cfgs, &child.name);
        let vis = child.vis.as_ref().unwrap_or(vis);
        let docs = if child.docs.is_empty() {
            let text = format!("The child `{}`.", plain(name));
            quote!(#[doc = #text])
        } else {
            let docs = &child.docs;
            quote!(#(#docs)*)
        };
        let field = |ty| quote!(#(#cfgs)* #docs #[allow(dead_code)] #vis #name: #ty,);
        // Readers see the type as a programmer would write it. rustc sees the type that reports a mistake once.
        match types.shown_type(child) {
            Some(shown) => {
                let (told, checked) = (field(shown), field(ty));
                quote! {
                    #[cfg(any(doc, rust_analyzer))]
                    #told
                    #[cfg(not(any(doc, rust_analyzer)))]
                    #checked
                }
            }
            None => field(ty),
        }
    });
    let lets = published(body);
    let links = lets.iter().map(|published| {
        let (cfgs, name) = (&published.entry.cfgs, published.field());
        quote!(#(#cfgs)* #[doc(hidden)] #name: ::supervise::__private::Published,)
    });
    let clones = declared(body, types).map(|(child, _)| {
        let (cfgs, name) = (&child.cfgs, &child.name);
        let span = child.unit().map_or(name.span(), Unit::span);
        let clone = quote_spanned!(span=> ::core::clone::Clone::clone(&self.#name));
        quote!(#(#cfgs)* #name: #clone,)
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
    let (params, bounds) = types.declared();
    let marker = types.marker().map(|ty| quote!(#[doc(hidden)] __types: #ty,));
    let marker_clone = types.marker().map(|_| quote!(__types: ::core::marker::PhantomData));
    let [clone, debug, deref] = [quote!(::core::clone::Clone), quote!(::core::fmt::Debug), quote!(::core::ops::Deref)]
        .map(|of| types.implementing(&of, name));
    quote! {
        #(#cfgs)*
        #(#docs)*
        #drawing
        #[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
        #vis struct #name #params #bounds {
            #(#fields)*
            #(#links)*
            #[doc(hidden)]
            __tree: ::supervise::__private::TreeRef,
            #marker
        }
        #(#cfgs)*
        #[automatically_derived]
        #clone {
            fn clone(&self) -> Self {
                #name { #(#clones)* #(#link_clones)* __tree: ::core::clone::Clone::clone(&self.__tree), #marker_clone }
            }
        }
        #(#cfgs)*
        #[automatically_derived]
        #debug {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(&self.__tree, f)
            }
        }
        #(#cfgs)*
        #[automatically_derived]
        #deref {
            type Target = ::supervise::__private::TreeRef;
            fn deref(&self) -> &::supervise::__private::TreeRef {
                &self.__tree
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
