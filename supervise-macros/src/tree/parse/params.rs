//! Reads the parameters of a tree.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::ParseStream;
use syn::visit::Visit;
use syn::{Expr, Ident, Token, Type, TypeImplTrait, Visibility, parse_quote};

use super::super::model::Param;
use super::{child, kept};
use crate::errors::{Errors, Mistake};
use crate::pretty::to_source;

/// Reads the parameters of `tree`, and returns whether one of them is not known as it is meant.
pub(super) fn params(input: ParseStream, tree: &Ident, errors: &mut Errors) -> (Vec<Param>, bool) {
    let (mut params, mut unsure) = (Vec::new(), false);
    while !input.is_empty() {
        match param(input, tree, &mut unsure, errors) {
            Ok(param) => params.push(param),
            Err(error) => {
                unsure = true;
                errors.push(Mistake::from(error).hiding_body());
                while !input.is_empty() && !input.peek(Token![,]) {
                    let _ = input.parse::<TokenTree>();
                }
            }
        }
        if input.is_empty() {
            break;
        }
        if input.peek(Ident) && (input.peek2(Token![:]) || input.peek2(Ident)) {
            let next = input.fork().parse::<Ident>().map_or_else(|_| String::new(), |word| word.to_string());
            errors.at(input.span(), format!("expected `,` between parameters; write it before `{next}`"));
        } else if let Err(error) = input.parse::<Token![,]>() {
            unsure = true;
            errors.push(Mistake::from(error).hiding_body());
            let _ = input.parse::<TokenStream>();
        }
    }
    (params, unsure)
}

/// Returns whether a word is a type of the language.
fn is_primitive(word: &Ident) -> bool {
    let word = word.to_string();
    let number =
        word.strip_prefix(['u', 'i', 'f']).is_some_and(|bits| ["8", "16", "32", "64", "128", "size"].contains(&bits));
    number || ["bool", "char", "str"].contains(&&*word)
}

fn param(input: ParseStream, tree: &Ident, unsure: &mut bool, errors: &mut Errors) -> syn::Result<Param> {
    if input.peek(Token![pub]) {
        let vis: Visibility = input.parse()?;
        let word = to_source(vis.to_token_stream());
        errors.on(vis, format!("a parameter has no `{word}`; remove it"));
    }
    if input.peek(Token![mut]) {
        errors.on(input.parse::<Token![mut]>()?, "each start gets its own clone of a parameter; remove `mut`");
    }
    let name = child::name(input, errors)?;
    if input.peek(Token![:]) {
        input.parse::<Token![:]>()?;
    } else {
        let is_type = name.to_string().starts_with(char::is_uppercase) || is_primitive(&name);
        if is_type && (input.is_empty() || input.peek(Token![,])) {
            return Err(syn::Error::new(name.span(), format!("a parameter has a name; write `name: {name}`")));
        }
        let ty = input.fork().parse::<Type>().ok().map(|ty| to_source(ty.to_token_stream()));
        let shown = ty.clone().unwrap_or_else(|| "Type".to_owned());
        let error = syn::Error::new(name.span(), format!("`{name}` has no type; write `{name}: {shown}`"));
        // In `url String` only the colon is missing.
        if ty.is_none() {
            return Err(error);
        }
        errors.push(error);
    }
    let mut ty = input.parse()?;
    if input.peek(Token![=]) {
        let sign = input.parse::<Token![=]>()?;
        let value: Expr = input.parse()?;
        let (sign, shown) = (quote!(#sign #value), to_source(value.to_token_stream()));
        errors.on(sign, format!("a parameter has no default; pass `{shown}` to `{tree}::start(..)`, and remove this"));
    }
    *unsure |= kept::owned(&mut ty, errors);
    if let Some(bounds) = unnamed(&ty) {
        let shown = to_source(bounds.to_token_stream());
        let message = match &ty {
            Type::ImplTrait(_) => format!("write `struct {tree}<T: {shown}>({name}: T)`"),
            _ => format!("write `struct {tree}<T: {shown}>(..)`"),
        };
        let error = syn::Error::new_spanned(
            &ty,
            format!("a parameter of `impl Trait` has no type that a tree can name; {message}"),
        );
        errors.push(Mistake::from(error).hiding_body());
        *unsure = true;
        ty = parse_quote!(());
    }
    Ok(Param { name, ty })
}

/// Returns the bounds of the first `impl Trait` in a type.
fn unnamed(ty: &Type) -> Option<impl ToTokens + use<>> {
    struct Unnamed(Option<TypeImplTrait>);
    impl<'ast> Visit<'ast> for Unnamed {
        fn visit_type_impl_trait(&mut self, ty: &'ast TypeImplTrait) {
            self.0.get_or_insert_with(|| ty.clone());
        }
    }
    let mut found = Unnamed(None);
    found.visit_type(ty);
    found.0.map(|ty| ty.bounds)
}
