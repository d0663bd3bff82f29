//! The types that a declaration makes: of children, of their handles, and of the arguments of spawns.
//!
//! Everything else in this folder uses this file, and this file uses only names.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use supervise_rules::Lifecycle;
use syn::ext::IdentExt;
use syn::{Attribute, Expr, GenericParam, Generics, Pat, Type, Visibility, WhereClause};

use super::super::check::{has_a_gap, is_method};
use super::super::crossing::first;
use super::super::model::{
    Body, Child, Item, Let, Setting, Shape, Subtree, Tree, Unit, mentions, setting, single_word, span_of, word,
};
use super::hygiene::{hidden, moved, plain};
use crate::paths::{Supervise, SuperviseRemote};
use crate::pretty::to_source;
use crate::settings::words;

/// An inline subtree, the child that it is, and the `#[cfg]`s under which there is such a child.
pub(super) struct Sub<'a> {
    pub(super) child: &'a Child,
    pub(super) subtree: &'a Subtree,
    pub(super) cfgs: Vec<&'a Attribute>,
}

/// Returns every inline subtree below a body.
pub(super) fn subtrees(body: &Body) -> Vec<Sub<'_>> {
    fn below<'a>(body: &'a Body, above: &[&'a Attribute], found: &mut Vec<Sub<'a>>) {
        for child in body.children() {
            if let Some(subtree) = child.subtree() {
                let cfgs: Vec<_> = above.iter().copied().chain(&child.cfgs).collect();
                found.push(Sub { child, subtree, cfgs: cfgs.clone() });
                below(&subtree.body, &cfgs, found);
            }
        }
    }
    let mut found = Vec::new();
    below(body, &[], &mut found);
    found
}

/// The name of the runtime's hidden items in an expansion.
#[derive(Debug, Clone, Copy)]
enum Runtime {
    /// Paths begin with `__rt`, which the anonymous constant of a tree imports.
    Imported,
    /// Paths are whole, for the struct of a handle and its functions, which are outside of that constant.
    Absolute,
}

/// The types of one tree, as they are written in one part of its expansion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Types<'a> {
    runtime: Runtime,
    generics: &'a Generics,
    /// Any type may name a parameter of the code around it.
    anywhere: bool,
    /// The first word `remote`, where rustc says that the crate is missing.
    far: Span,
}

impl<'a> Types<'a> {
    /// The types inside of the anonymous constant of this tree.
    pub(super) fn of(tree: &'a Tree) -> Self {
        let far = first(&tree.body).map_or_else(Span::call_site, Ident::span);
        Types { runtime: Runtime::Imported, generics: &tree.generics, anywhere: false, far }
    }

    /// The types in an expression of a user. The parameters of the code around it are not known.
    pub(super) fn anywhere(none: &'a Generics) -> Self {
        Types { runtime: Runtime::Imported, generics: none, anywhere: true, far: Span::call_site() }
    }

    /// The types outside of that constant.
    pub(super) fn outside(self) -> Self {
        Types { runtime: Runtime::Absolute, ..self }
    }

    /// Emits the path of the crate for remote children, which is mentioned only where there is such a child.
    pub(super) fn far_crate(self, at: Span) -> TokenStream {
        match self.runtime {
            Runtime::Imported => quote_spanned!(at=> __far),
            Runtime::Absolute => SuperviseRemote.at(self.far),
        }
    }

    /// Emits the path of the items that it has for generated code.
    pub(super) fn far_path(self, at: Span) -> TokenStream {
        let far = self.far_crate(at);
        quote_spanned!(at=> #far::expansion)
    }

    /// Emits the import of that crate, so that one error says that it is missing.
    pub(super) fn import_far(self, body: &Body) -> Option<TokenStream> {
        first(body)
            .map(|_| SuperviseRemote.at(self.far))
            .map(|far| quote_spanned!(self.far=> #[allow(unused_imports)] use #far as __far;))
    }

    fn path(self, span: Span) -> TokenStream {
        match self.runtime {
            Runtime::Imported => quote_spanned!(span=> __rt),
            Runtime::Absolute => {
                let supervise = Supervise.at(span);
                quote_spanned!(span=> #supervise::expansion)
            }
        }
    }

    /// Emits the type on which a kept type is checked. A whole path may begin with a name of another place, such as
    /// `$crate`, and rustc would report the error a second time, at the macro.
    fn keeper(self, at: Span) -> TokenStream {
        let rt = self.path(at);
        match self.runtime {
            Runtime::Imported => quote_spanned!(at=> #rt::ATree),
            Runtime::Absolute => quote_spanned!(at=> <() as #rt::NamesATree>::ATree),
        }
    }

    /// Returns the type of the tree or of an inline subtree, which has the same parameters: `Name<T, N>`.
    pub(super) fn own(self, name: &Ident) -> TokenStream {
        let (_, args, _) = self.generics.split_for_impl();
        quote!(#name #args)
    }

    /// Emits `impl<T: Row, const N: usize> Name<T, N> where ..`.
    pub(super) fn inherent(self, name: &Ident) -> TokenStream {
        let (params, args, bounds) = self.generics.split_for_impl();
        quote!(impl #params #name #args #bounds)
    }

    /// Emits the same for a trait.
    pub(super) fn implementing(self, of: &TokenStream, name: &Ident) -> TokenStream {
        let (params, args, bounds) = self.generics.split_for_impl();
        quote!(impl #params #of for #name #args #bounds)
    }

    /// Emits the parameters and the `where` clause of the struct.
    pub(super) fn declared(self) -> (&'a Generics, Option<&'a WhereClause>) {
        (self.generics, self.generics.where_clause.as_ref())
    }

    /// Returns the type of a field that names all type parameters, for a tree whose children may not. It is `Send +
    /// Sync` whatever they are.
    pub(super) fn marker(self) -> Option<TokenStream> {
        let names: Vec<_> = self.generics.type_params().map(|param| &param.ident).collect();
        (!names.is_empty())
            .then(|| quote!(::core::marker::PhantomData<fn() -> (#(::core::marker::PhantomData<#names>,)*)>))
    }

    /// Returns whether these tokens name a parameter. A constant that rustc evaluates for all types at once cannot.
    pub(super) fn is_generic(self, tokens: impl ToTokens) -> bool {
        let names = self.generics.params.iter().filter_map(|param| match param {
            GenericParam::Type(param) => Some(&param.ident),
            GenericParam::Const(param) => Some(&param.ident),
            GenericParam::Lifetime(_) => None,
        });
        let names: Vec<_> = names.collect();
        self.anywhere || !names.is_empty() && mentions(tokens.to_token_stream(), &names)
    }

    /// Returns the type of a child's field; `None` if too little of the child could be read.
    pub(super) fn field_type(self, child: &Child) -> Option<TokenStream> {
        match (child.shape.as_ref()?, child.unit()) {
            (Shape::One(_), Some(Unit::Type(ty))) if child.only_with().is_some() => {
                Some(self.if_child(ty, "Leased", TokenStream::new()))
            }
            (
                Shape::One(_) | Shape::Optional(_) | Shape::Array(..),
                Some(unit @ (Unit::Type(_) | Unit::Remote(..))),
            ) => self.around(child, self.if_unit(unit, "Handle", TokenStream::new())),
            (Shape::Set(_), Some(unit @ (Unit::Type(_) | Unit::Remote(..)))) => {
                let types = self.checked_arguments(child);
                Some(self.if_unit(unit, "Set", quote!(<(#(#types,)*)>)))
            }
            (Shape::Keyed(key, _), Some(unit @ (Unit::Type(_) | Unit::Remote(..)))) => {
                let (key, types) = (self.checked(key, "CanBeAKey"), self.checked_arguments(child));
                Some(self.if_unit(unit, "Keyed", quote!(<#key, (#(#types,)*)>)))
            }
            (Shape::Inline(subtree), _) => Some(self.own(&subtree.name)),
            (_, Some(Unit::Task(_))) => {
                let key = match &child.shape {
                    Some(Shape::Keyed(key, _)) => Some(self.checked(key, "CanBeAKey")),
                    _ => None,
                };
                self.written_type(child, key, &self.checked_arguments(child))
            }
            _ => None,
        }
    }

    /// Returns the type that documentation and editors show, if it is another one.
    pub(super) fn shown_type(self, child: &Child) -> Option<TokenStream> {
        if child.is_task() && !child.is_set() {
            return None;
        }
        let key = match &child.shape {
            Some(Shape::Keyed(key, _)) => Some(quote!(#key)),
            _ => None,
        };
        let types: Vec<_> = set_arguments(child).iter().map(ToTokens::to_token_stream).collect();
        self.written_type(child, key, &types)
    }

    fn written_type(self, child: &Child, key: Option<TokenStream>, types: &[TokenStream]) -> Option<TokenStream> {
        let unit = child.unit()?;
        let (rt, item) = (self.path(unit.span()), self.unit_type(unit));
        match child.shape.as_ref()? {
            Shape::Set(_) => Some(quote_spanned!(unit.span()=> #rt::Children<#item, (#(#types,)*)>)),
            Shape::Keyed(..) => Some(quote_spanned!(unit.span()=> #rt::Keyed<#key, #item, (#(#types,)*)>)),
            Shape::One(_) if child.only_with().is_some() => Some(quote_spanned!(unit.span()=> #rt::Leased<#item>)),
            _ => self.around(
                child,
                match unit {
                    Unit::Type(ty) => quote_spanned!(unit.span()=> #rt::Handle<#ty>),
                    Unit::Remote(_, ty) => {
                        let far = self.far_crate(unit.span());
                        quote_spanned!(unit.span()=> #far::RemoteRef<#ty>)
                    }
                    Unit::Task(span) => quote_spanned!(*span=> #rt::TaskRef),
                },
            ),
        }
    }

    /// Emits one handle, an `Option` of it, or those of an array.
    fn around(self, child: &Child, handle: TokenStream) -> Option<TokenStream> {
        Some(match child.shape.as_ref()? {
            Shape::Optional(_) => quote!(::core::option::Option<#handle>),
            Shape::Array(_, count) => {
                let rt = self.path(child.unit()?.span());
                quote!(#rt::Handles<#handle, { #count }>)
            }
            _ => handle,
        })
    }

    /// Emits an item of `ChildIf` for a type, or the one error that the type is not a child (rule C9). Of a type that
    /// names a parameter of the tree, there is an error at each mention.
    pub(super) fn if_child(self, ty: &Type, name: &str, args: TokenStream) -> TokenStream {
        let (rt, name) = (self.path(span_of(ty)), Ident::new(name, last_span(ty)));
        if self.anywhere {
            return quote_spanned!(span_of(ty)=> <#ty as #rt::Spawned<_>>::#name #args);
        }
        let is = if self.is_generic(ty) { quote!(true) } else { self.asked(ty, "IsAChild", "IS") };
        let of = if name == "Leased" { quote!(LeasedIf) } else { quote!(ChildIf) };
        quote_spanned!(span_of(ty)=> <#ty as #rt::#of<{ #is }>>::#name #args)
    }

    /// Emits an item of `ChildIf` for a unit that has a type.
    pub(super) fn if_unit(self, unit: &Unit, name: &str, args: TokenStream) -> TokenStream {
        match unit {
            Unit::Type(ty) => self.if_child(ty, name, args),
            Unit::Remote(word, ty) => {
                let (rt, name) = (self.path(span_of(ty)), Ident::new(name, last_span(ty)));
                let (is, far) = (self.far_is(ty), self.far_crate(word.span()));
                let far = quote_spanned!(word.span()=> #far::Far<#ty>);
                quote_spanned!(span_of(ty)=> <#far as #rt::ChildIf<{ #is }>>::#name #args)
            }
            Unit::Task(span) => {
                let rt = self.path(*span);
                quote_spanned!(*span=> #rt::TaskRef)
            }
        }
    }

    /// Emits whether a type can be that of a remote child, or the one error that it cannot (rule C15): it is an actor,
    /// and its messages cross.
    pub(super) fn far_is(self, ty: &Type) -> TokenStream {
        self.two_checks(ty, span_of(ty), "FarActor", "FarMessages")
    }

    /// Emits the type of a remote child, or the same error.
    pub(super) fn far_actor(self, ty: &Type) -> TokenStream {
        self.actor_if(ty, span_of(ty), self.far_is(ty))
    }

    /// Emits whether the handle of a sibling of this type can be named by a remote child, or the one error at that
    /// mention.
    pub(super) fn sibling_is(self, ty: &Type, at: Span) -> TokenStream {
        self.two_checks(ty, at, "NearActor", "NearMessages")
    }

    /// Emits the type of the sibling, or the same error.
    pub(super) fn far_sibling(self, ty: &Type, at: Span) -> TokenStream {
        self.actor_if(ty, at, self.sibling_is(ty, at))
    }

    /// Emits the type of a value that crosses, or the one error at its mention that it does not.
    pub(super) fn crossing(self, ty: &Type, at: Span) -> TokenStream {
        if self.is_generic(ty) {
            return ty.to_token_stream();
        }
        let (far, is, ty) = (self.far_path(at), self.value_is(ty, at), placed(ty, at));
        quote_spanned!(at=> <#ty as #far::ValueIf<{ #is }>>::Value)
    }

    /// Emits a reference to such a value as one that can be written, or the same error.
    pub(super) fn crosses(self, ty: &Type, at: Span, value: TokenStream) -> TokenStream {
        if self.is_generic(ty) {
            return value;
        }
        let (far, is, ty) = (self.far_path(at), self.value_is(ty, at), placed(ty, at));
        quote_spanned!(at=> <#ty as #far::ValueIf<{ #is }>>::value(#value))
    }

    fn value_is(self, ty: &Type, at: Span) -> TokenStream {
        let (far, ty) = (self.far_path(at), placed(ty, at));
        quote_spanned!(at=> <#far::Check as #far::Crosses<#ty>>::IS)
    }

    /// Emits the answer of the second trait. It has the answer of the first one for an argument: if that fails, the second
    /// has nothing to complain of.
    fn two_checks(self, ty: &Type, at: Span, first: &str, second: &str) -> TokenStream {
        if self.is_generic(ty) {
            return quote!(true);
        }
        let (far, ty) = (self.far_path(at), placed(ty, at));
        let [first, second, is] = [first, second, "IS"].map(|name| Ident::new(name, at));
        quote_spanned!(at=> <#ty as #far::#second<{ <#ty as #far::#first>::#is }>>::#is)
    }

    /// Emits the type of an actor with this answer.
    fn actor_if(self, ty: &Type, at: Span, is: TokenStream) -> TokenStream {
        if self.is_generic(ty) {
            return ty.to_token_stream();
        }
        let (far, ty) = (self.far_path(at), placed(ty, at));
        quote_spanned!(at=> <#ty as #far::ActorIf<{ #is }>>::Actor)
    }

    /// Emits the type, or the one error that it is no `CanKeep`, `CanKeepForInstances` or `CanBeAKey` (rule C8).
    pub(super) fn checked(self, ty: &Type, asked_for: &str) -> TokenStream {
        if self.is_generic(ty) {
            return ty.to_token_stream();
        }
        let (rt, is) = (self.path(span_of(ty)), Ident::new("IS", last_span(ty)));
        let keeper = self.keeper(span_of(ty));
        let asked = |of| {
            let of = Ident::new(of, span_of(ty));
            quote_spanned!(span_of(ty)=> <#keeper as #rt::#of<#ty>>::#is)
        };
        let is = match asked_for {
            "CanKeep" | "CanKeepForInstances" | "CanKeepForInitial" => {
                let (sent, cloned) = (asked("CanMove"), asked(asked_for));
                quote_spanned!(span_of(ty)=> #sent & #cloned)
            }
            _ => asked(asked_for),
        };
        let it = Ident::new("Type", last_span(ty));
        quote_spanned!(span_of(ty)=> <#ty as #rt::Checked<{ #is }>>::#it)
    }

    /// Emits the value of a `pub let`, or the same error as [`checked`](Types::checked) of its type, at the same place.
    pub(super) fn returned(self, published: Published<'_>, link: TokenStream) -> TokenStream {
        let ty = published.ty;
        let (rt, of, get) =
            (self.path(span_of(ty)), Ident::new("CanReturn", span_of(ty)), Ident::new("get", last_span(ty)));
        let keeper = self.keeper(span_of(ty));
        quote_spanned!(span_of(ty)=> <#keeper as #rt::#of<#ty>>::#get(#link))
    }

    /// Emits `<T as Trait>::NAME`, from the first to the last token of the type: rustc shows equal errors at one place
    /// once.
    pub(super) fn asked(self, ty: &Type, of: &str, name: &str) -> TokenStream {
        let (rt, of, name) = (self.path(span_of(ty)), Ident::new(of, span_of(ty)), Ident::new(name, last_span(ty)));
        quote_spanned!(span_of(ty)=> <#ty as #rt::#of>::#name)
    }

    /// Emits the types of the arguments with which a set spawns, each checked to be kept, or to be moved if nothing is
    /// kept.
    pub(super) fn checked_arguments(self, child: &Child) -> Vec<TokenStream> {
        let asked_for = match (is_started_once(child), setting(&child.settings, "initial")) {
            (false, _) => "CanKeepForInstances",
            (true, None) => "CanMoveIntoInstances",
            (true, Some(_)) => "CanKeepForInitial",
        };
        set_arguments(child).into_iter().map(|ty| self.checked(ty, asked_for)).collect()
    }

    /// Emits the type by which the runtime knows the child.
    fn unit_type(self, unit: &Unit) -> TokenStream {
        match unit {
            Unit::Type(ty) => quote!(#ty),
            Unit::Remote(word, ty) => {
                let far = self.far_crate(word.span());
                quote_spanned!(word.span()=> #far::Far<#ty>)
            }
            Unit::Task(span) => {
                let rt = self.path(*span);
                quote_spanned!(*span=> #rt::Task)
            }
        }
    }
}

/// Returns the children that have a field. Each name is there once, unless `#[cfg]`s choose between two.
pub(super) fn declared(body: &Body) -> Vec<&Child> {
    // Names as text are cheaper to compare than as `Ident`.
    let children: Vec<(String, &Child)> = body.children().map(|child| (child.name.to_string(), child)).collect();
    let mut fields = Vec::new();
    for (i, (name, child)) in children.iter().enumerate() {
        let twice =
            children[..i].iter().any(|(other, at)| other == name && (at.cfgs.is_empty() || child.cfgs.is_empty()));
        // The handle has a field `__tree` of its own; a child of that name was reported.
        let ours = name == "__tree";
        if !twice && !ours {
            fields.push(*child);
        }
    }
    fields
}

/// Returns the name of the field with the `TreeRef`. A child that is called `tree` was reported, and keeps its field.
pub(super) fn field_of_the_tree(body: &Body) -> Ident {
    let is_taken = body.children().any(|child| child.name == "tree");
    Ident::new(if is_taken { "__tree" } else { "tree" }, Span::call_site())
}

/// A `pub let`, whose value the handle returns.
#[derive(Clone, Copy)]
pub(super) struct Published<'a> {
    pub(super) entry: &'a Let,
    pub(super) vis: &'a Visibility,
    pub(super) name: &'a Ident,
    pub(super) ty: &'a Type,
}

impl Published<'_> {
    /// Returns the field of the handle, which leads to the value.
    pub(super) fn field(self) -> Ident {
        Ident::new(&format!("__let_{}", self.name.unraw()), self.name.span())
    }
}

/// Returns a `let` as the handle returns it: a `pub let` of which enough could be read.
pub(super) fn as_published(entry: &Let) -> Option<Published<'_>> {
    let (vis, name, ty) = (entry.vis.as_ref()?, entry.name()?, entry.ty.as_ref()?);
    (!is_method(name) && !has_a_gap(ty)).then_some(Published { entry, vis, name, ty })
}

/// Returns every `pub let`. Each name is there once, unless `#[cfg]`s choose between two.
pub(super) fn published(body: &Body) -> Vec<Published<'_>> {
    let mut found: Vec<Published<'_>> = Vec::new();
    for item in &body.items {
        if let Item::Let(entry) = item
            && let Some(new) = as_published(entry)
            && !found
                .iter()
                .any(|other| other.name == new.name && (other.entry.cfgs.is_empty() || new.entry.cfgs.is_empty()))
        {
            found.push(new);
        }
    }
    found
}

/// Emits the fields of the handle in the expression that makes it.
pub(super) fn initializers(body: &Body, types: Types<'_>) -> TokenStream {
    let children = declared(body).into_iter().filter(|child| child.shape.is_some()).map(|child| {
        let (cfgs, name, value) = (&child.cfgs, &child.name, hidden(&child.name));
        let value = if child.is_behind() { quote!(#value.clone_for_start()) } else { quote!(#value) };
        quote!(#(#cfgs)* #name: #value,)
    });
    let lets = published(body).into_iter().map(|published| {
        let (cfgs, field, value) = (&published.entry.cfgs, published.field(), hidden(published.name));
        quote!(#(#cfgs)* #field: __rt::Published::of(&#value),)
    });
    let marker = types.marker().map(|_| quote!(__types: ::core::marker::PhantomData,));
    children.chain(lets).chain(marker).collect()
}

fn last_span(ty: &Type) -> Span {
    if let Some(word) = single_word(ty) {
        return word.span();
    }
    match ty.to_token_stream().into_iter().last() {
        Some(TokenTree::Group(group)) => group.span_close(),
        Some(other) => other.span(),
        None => span_of(ty),
    }
}

/// Emits a type at another place than its own: at a mention of a value that has it.
fn placed(ty: &Type, at: Span) -> TokenStream {
    let is_own = format!("{at:?}") == format!("{:?}", span_of(ty));
    if is_own { ty.to_token_stream() } else { moved(ty.to_token_stream(), at) }
}

/// Returns the types of the arguments with which a set spawns, without the key.
fn set_arguments(child: &Child) -> Vec<&Type> {
    let Some(Expr::Closure(closure)) = &child.start else { return Vec::new() };
    let keys = usize::from(matches!(child.shape, Some(Shape::Keyed(..))));
    let typed = closure.inputs.iter().skip(keys).filter_map(|input| match input {
        Pat::Type(typed) => Some(&*typed.ty),
        _ => None,
    });
    typed.collect()
}

/// Returns whether the child is a set of `Temporary` instances.
pub(super) fn is_started_once(child: &Child) -> bool {
    child.is_set() && child.lifecycle() == Lifecycle::Temporary
}

/// Returns the type as it is written, without brackets; or `task`; or the name of an inline subtree.
pub(super) fn item(child: &Child) -> Option<String> {
    Some(match child.shape.as_ref()? {
        Shape::Inline(subtree) => plain(&subtree.name),
        _ => match child.unit()? {
            Unit::Type(ty) | Unit::Remote(_, ty) => to_source(ty.to_token_stream()),
            Unit::Task(_) => "task".into(),
        },
    })
}

/// Returns the strategy of a body. An unknown word was reported and must not be emitted.
pub(super) fn strategy(body: &Body) -> Ident {
    let written = setting(&body.settings, "strategy").and_then(Setting::first).and_then(word);
    let name = written.map(ToString::to_string).filter(|name| words("strategy", "strategy").contains(&&**name));
    Ident::new(name.as_deref().unwrap_or("OneForOne"), Span::call_site())
}

/// Emits the path of the declaration of a child in the tree or subtree `own`.
pub(super) fn declaration(child: &Child, own: &Ident, types: Types<'_>) -> TokenStream {
    let (name, own) = (constant(child), types.own(own));
    quote!(<#own>::#name)
}

/// Returns the name of the constant that declares a remote child.
pub(super) fn constant(child: &Child) -> Ident {
    Ident::new(&format!("__REMOTE_{}", plain(&child.name)), Span::call_site())
}
