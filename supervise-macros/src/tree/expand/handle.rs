//! The handle struct of a tree and its functions.
//!
//! The traits are written out, not derived: `#[derive]` would put bounds on types that may be in error, and
//! a mistake in one child's type would be reported again for each of them.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, Pat, Type, Visibility};

use super::super::model::{Body, Child, Shape, Tree, Unit, setting};
use super::build::unit_type;
use super::scope::{hidden, plain};
use super::{Sub, draw};

/// The struct of a tree, its traits, and `SPEC`, `tree`, `start` and `run`.
pub(super) fn tree(tree: &Tree) -> TokenStream {
    let (cfgs, vis, name) = (&tree.cfgs, &tree.vis, &tree.name);
    let drawing = draw::docs(name, &tree.body);
    let handle = item(&tree.cfgs, &tree.docs, drawing, vis, name, &tree.body);
    let params: Vec<_> = tree.params.iter().map(|param| &param.name).collect();
    let types = tree.params.iter().map(|param| &param.ty);
    let types: Vec<_> = types.collect();
    let start_doc = format!("Starts `{name}`: its children in order, each awaited.");
    let errors_doc = "The failure of a child that could not be started; what was up by then is stopped again.";
    let tree_doc =
        format!("`{name}` with these parameters, not yet started: to start it, or as the child of another tree.");
    let run_doc =
        format!("Starts `{name}`, waits until `until` is through or the tree has ended by itself, shuts down.");
    // A parameter of the tree may have this name too.
    let until = Ident::new("until", Span::mixed_site());
    // At the name: what is wrong with the type of a child is reported there too, not over the whole macro.
    let spec = quote_spanned!(name.span()=> <Self as ::supervise::__private::TreeHandle>::SPEC);
    quote! {
        #handle
        #(#cfgs)*
        impl #name {
            /// The tree as it is declared.
            #[allow(dead_code)]
            #vis const SPEC: ::supervise::__private::TreeSpec = #spec;

            #[doc = #tree_doc]
            #[must_use]
            #[allow(clippy::self_named_constructors)] // a tree may be called `Tree`
            #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
            #vis fn tree(#(#params: #types),*) -> ::supervise::__private::Tree<Self> {
                ::supervise::__private::Tree::new((#(#params,)*))
            }

            #[doc = #start_doc]
            #[doc = ""]
            #[doc = "# Errors"]
            #[doc = ""]
            #[doc = #errors_doc]
            #[track_caller]
            #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
            #vis fn start(#(#params: #types),*) -> impl ::core::future::Future<
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
                #(#params: #types,)*
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

/// The struct of an inline subtree: a type beside the tree's, as visible as the child.
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
    item(&cfgs, &[], quote!(#docs #drawing), &tree.vis, &subtree.name, &subtree.body)
}

fn item(
    cfgs: &[Attribute],
    docs: &[Attribute],
    drawing: TokenStream,
    vis: &Visibility,
    name: &Ident,
    body: &Body,
) -> TokenStream {
    let fields = declared(body).map(|(child, ty)| {
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
        // To a reader the type as it would be written; to rustc the one that complains once.
        match shown_type(child) {
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
    let clones = declared(body).map(|(child, _)| {
        let (cfgs, name) = (&child.cfgs, &child.name);
        let span = child.unit().map_or(name.span(), Unit::span);
        let clone = quote_spanned!(span=> ::core::clone::Clone::clone(&self.#name));
        quote!(#(#cfgs)* #name: #clone,)
    });
    quote! {
        #(#cfgs)*
        #(#docs)*
        #drawing
        #[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
        #vis struct #name {
            #(#fields)*
            #[doc(hidden)]
            __tree: ::supervise::__private::TreeRef,
        }
        #(#cfgs)*
        #[automatically_derived]
        impl ::core::clone::Clone for #name {
            fn clone(&self) -> Self {
                #name { #(#clones)* __tree: ::core::clone::Clone::clone(&self.__tree) }
            }
        }
        #(#cfgs)*
        #[automatically_derived]
        impl ::core::fmt::Debug for #name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Debug::fmt(&self.__tree, f)
            }
        }
        #(#cfgs)*
        #[automatically_derived]
        impl ::core::ops::Deref for #name {
            type Target = ::supervise::__private::TreeRef;
            fn deref(&self) -> &::supervise::__private::TreeRef {
                &self.__tree
            }
        }
    }
}

/// The children that have a field, with its type: each name once, unless `#[cfg]`s choose between two.
fn declared(body: &Body) -> impl Iterator<Item = (&Child, TokenStream)> {
    let children: Vec<&Child> = body.children().collect();
    let mut fields = Vec::new();
    for (i, child) in children.iter().enumerate() {
        let twice = children[..i]
            .iter()
            .any(|other| other.name == child.name && (other.cfgs.is_empty() || child.cfgs.is_empty()));
        // Reported; the handle has a field of that name itself.
        let ours = child.name == "__tree";
        if !twice
            && !ours
            && let Some(ty) = field_type(child)
        {
            fields.push((*child, ty));
        }
    }
    fields.into_iter()
}

/// The fields of the handle in the expression that makes it.
pub(super) fn initializers(body: &Body) -> TokenStream {
    declared(body)
        .map(|(child, _)| {
            let (cfgs, name, value) = (&child.cfgs, &child.name, hidden(&child.name));
            quote!(#(#cfgs)* #name: #value,)
        })
        .collect()
}

/// The type of a child's field; `None` where too little of the child could be read.
pub(super) fn field_type(child: &Child) -> Option<TokenStream> {
    match (child.shape.as_ref()?, child.unit()) {
        (Shape::One(_) | Shape::Optional(_) | Shape::Array(..), Some(Unit::Type(ty))) => {
            around(child, if_child(ty, "Handle", TokenStream::new()))
        }
        (Shape::Set(_), Some(Unit::Type(ty))) => {
            let types = checked_arguments(child);
            Some(if_child(ty, "Set", quote!(<(#(#types,)*)>)))
        }
        (Shape::Keyed(key, _), Some(Unit::Type(ty))) => {
            let (key, types) = (checked(key, "AsKey"), checked_arguments(child));
            Some(if_child(ty, "Keyed", quote!(<#key, (#(#types,)*)>)))
        }
        (Shape::Inline(subtree), _) => Some(subtree.name.to_token_stream()),
        (_, Some(Unit::Task(_))) => {
            let key = match &child.shape {
                Some(Shape::Keyed(key, _)) => Some(checked(key, "AsKey")),
                _ => None,
            };
            written_type(child, key, &checked_arguments(child))
        }
        _ => None,
    }
}

/// The same for documentation and editors, if that is another.
fn shown_type(child: &Child) -> Option<TokenStream> {
    if child.is_task() && !child.is_set() {
        return None;
    }
    let key = match &child.shape {
        Some(Shape::Keyed(key, _)) => Some(quote!(#key)),
        _ => None,
    };
    let types: Vec<_> = set_arguments(child).iter().map(ToTokens::to_token_stream).collect();
    written_type(child, key, &types)
}

fn written_type(child: &Child, key: Option<TokenStream>, types: &[TokenStream]) -> Option<TokenStream> {
    let unit = child.unit()?;
    let item = unit_type(unit);
    match child.shape.as_ref()? {
        Shape::Set(_) => Some(quote_spanned!(unit.span()=> ::supervise::__private::Children<#item, (#(#types,)*)>)),
        Shape::Keyed(..) => {
            Some(quote_spanned!(unit.span()=> ::supervise::__private::Keyed<#key, #item, (#(#types,)*)>))
        }
        _ => around(
            child,
            match unit {
                Unit::Type(ty) => quote_spanned!(unit.span()=> ::supervise::__private::Handle<#ty>),
                Unit::Task(span) => quote_spanned!(*span=> ::supervise::__private::TaskRef),
            },
        ),
    }
}

/// One handle, an `Option` of it, or an array.
fn around(child: &Child, handle: TokenStream) -> Option<TokenStream> {
    Some(match child.shape.as_ref()? {
        Shape::Optional(_) => quote!(::core::option::Option<#handle>),
        Shape::Array(_, count) => quote!([#handle; #count]),
        _ => handle,
    })
}

/// What `ChildIf` says about a type, or the one error that it is no child (rule C9).
pub(super) fn if_child(ty: &Type, name: &str, args: TokenStream) -> TokenStream {
    let (is, name) = (asked(ty, "Declared", "IS"), Ident::new(name, last_span(ty)));
    quote_spanned!(ty.span()=> <#ty as ::supervise::__private::ChildIf<{ #is }>>::#name #args)
}

/// The type, or the one error that it is no `Param`, `Argument` or `AsKey` (rule C8).
pub(super) fn checked(ty: &Type, asked_for: &str) -> TokenStream {
    let (of, is) = (Ident::new(asked_for, ty.span()), Ident::new("IS", last_span(ty)));
    let is = quote_spanned!(ty.span()=> <::supervise::__private::Keeper as ::supervise::__private::#of<#ty>>::#is);
    let it = Ident::new("It", last_span(ty));
    quote_spanned!(ty.span()=> <#ty as ::supervise::__private::It<{ #is }>>::#it)
}

/// `<T as Trait>::NAME`, from the first to the last token of the type: equal complaints at one place are told once.
pub(super) fn asked(ty: &Type, of: &str, name: &str) -> TokenStream {
    let (of, name) = (Ident::new(of, ty.span()), Ident::new(name, last_span(ty)));
    quote_spanned!(ty.span()=> <#ty as ::supervise::__private::#of>::#name)
}

fn last_span(ty: &Type) -> Span {
    match ty.to_token_stream().into_iter().last() {
        Some(TokenTree::Group(group)) => group.span_close(),
        Some(other) => other.span(),
        None => ty.span(),
    }
}

/// The types of the arguments with which a set spawns, without the key.
pub(super) fn set_arguments(child: &Child) -> Vec<&Type> {
    let Some(Expr::Closure(closure)) = &child.start else { return Vec::new() };
    let keys = usize::from(matches!(child.shape, Some(Shape::Keyed(..))));
    let typed = closure.inputs.iter().skip(keys).filter_map(|input| match input {
        Pat::Type(typed) => Some(&*typed.ty),
        _ => None,
    });
    typed.collect()
}

/// The same, each with the question whether it can be kept, or moved where nothing is.
pub(super) fn checked_arguments(child: &Child) -> Vec<TokenStream> {
    let asked_for = match (is_started_once(child), setting(&child.settings, "initial")) {
        (false, _) => "Argument",
        (true, None) => "Moved",
        (true, Some(_)) => "First",
    };
    set_arguments(child).into_iter().map(|ty| checked(ty, asked_for)).collect()
}

/// The instances of a `Temporary` set.
pub(super) fn is_started_once(child: &Child) -> bool {
    child.is_set() && child.lifecycle() == supervise_rules::Lifecycle::Temporary
}
