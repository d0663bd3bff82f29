//! `#[derive(Actor)]`: messages and hooks are named above the struct, the functions are inherent.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, DeriveInput, Ident, Path, Token, Type};

use super::hooks::{HOOKS, Hook, dummy, methods, watcher};
use crate::errors::{Errors, did_you_mean};

/// The whole macro.
pub(crate) fn derive(input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let mut errors = Errors::default();
    let mut types = Types::default();
    let mut hooks: Vec<Hook> = Vec::new();
    for attribute in &input.attrs {
        let Some(name) = attribute.path().get_ident() else { continue };
        if name == "actor" {
            types.read(attribute, &mut errors);
        } else if HOOKS.contains(&&*name.to_string()) {
            if hooks.iter().any(|hook| hook.kind == *name) {
                errors.at(name.span(), format!("`{name}` is given twice; keep one of them"));
            } else if let Some(function) = hook(attribute, name, &input.ident, &mut errors) {
                hooks.push(Hook { kind: name.clone(), function });
            }
        }
    }
    let name = &input.ident;
    if types.msg.is_none() && errors.is_empty() {
        errors.at(
            name.span(),
            format!("which messages does `{name}` take? write `#[actor(msg = Type)]` below the derive"),
        );
    }
    let (params, args, bounds) = input.generics.split_for_impl();
    let ty = quote!(#name #args);
    if !errors.is_empty() {
        let mut output = dummy(&input.generics, &ty, types.msg.as_ref(), types.error.as_ref());
        output.extend(errors.to_tokens());
        return output;
    }
    let msg = types.msg;
    let error = types.error.map_or_else(|| quote!(::core::convert::Infallible), |error| quote!(#error));
    // On the name of the struct: that is where rustc says that `handle` is missing.
    let handle = quote_spanned!(name.span()=> Self::handle(self, msg, cx).await);
    let methods = methods(&hooks);
    let watcher = watcher(&hooks, &input.generics, &ty);
    quote! {
        #[automatically_derived]
        impl #params ::supervise::__private::Actor for #ty #bounds {
            type Msg = #msg;
            type Error = #error;
            async fn receive(
                &mut self,
                msg: Self::Msg,
                cx: &mut ::supervise::__private::Context<Self>,
            ) -> ::core::result::Result<(), Self::Error> {
                ::supervise::__private::Outcome::<Self::Error>::done(#handle)
            }
            #methods
        }
        #watcher
    }
}

/// `#[actor(msg = T, error = E)]`
#[derive(Default)]
struct Types {
    msg: Option<Type>,
    error: Option<Type>,
}

impl Types {
    fn read(&mut self, attribute: &Attribute, errors: &mut Errors) {
        let read = attribute.parse_nested_meta(|meta| {
            let Some(name) = meta.path.get_ident().cloned() else {
                return Err(meta.error("expected `msg = Type` or `error = Type`"));
            };
            let place = match &*name.to_string() {
                "msg" => &mut self.msg,
                "error" => &mut self.error,
                other => {
                    let repair = did_you_mean(other, &["msg", "error"]);
                    return Err(meta.error(format!("`actor` has no argument `{other}`{repair}")));
                }
            };
            if !meta.input.peek(Token![=]) {
                return Err(meta.error(format!("`{name}` has no type; write `{name} = Type`")));
            }
            let ty = meta.value()?.parse()?;
            if place.replace(ty).is_some() {
                return Err(meta.error(format!("`{name}` is given twice; keep one of them")));
            }
            Ok(())
        });
        if let Err(error) = read {
            errors.push(error);
        }
    }
}

/// `#[pre_restart(flush)]` is the method `Self::flush`; a longer path is taken as it is.
fn hook(attribute: &Attribute, kind: &Ident, ty: &Ident, errors: &mut Errors) -> Option<TokenStream> {
    let path: Path = match attribute.parse_args() {
        Ok(path) => path,
        Err(_) => {
            errors.on(attribute, format!("`{kind}` names a function; write `#[{kind}(method)]`"));
            return None;
        }
    };
    let first = &path.segments.first()?.ident;
    let own = path.segments.len() == 1 || (path.segments.len() == 2 && (first == "Self" || first == ty));
    let last = &path.segments.last()?.ident;
    // `Self::pre_start` is the trait's own method if there is no other: it would call itself for ever.
    if own && (HOOKS.contains(&&*last.to_string()) || last == "receive") {
        errors.on(
            &path,
            format!("`{last}` is also the name of a method of the trait, which would call itself; rename the function"),
        );
        return None;
    }
    Some(match path.get_ident() {
        Some(name) => quote_spanned!(path.span()=> Self::#name),
        None => quote!(#path),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(text: &str) -> String {
        let tokens = derive(text.parse().unwrap());
        assert!(syn::parse2::<syn::File>(tokens.clone()).is_ok(), "{tokens}");
        tokens.to_string()
    }

    #[test]
    fn calls_what_is_named() {
        let text = expand(
            "#[actor(msg = Vec<u8>, error = DbError)] #[pre_start(open)] #[terminated(Self::lost)] #[post_stop(free::close)]
             struct Db<T: Send>(T) where T: Sync;",
        );
        assert!(text.contains("type Msg = Vec < u8 > ;") && text.contains("type Error = DbError ;"), "{text}");
        for part in
            ["start_hook (Self :: open", "end_hook (Self :: lost", "start_hook (free :: close", "where T : Sync"]
        {
            assert!(text.contains(part), "no `{part}` in {text}");
        }
    }

    #[test]
    fn stays_an_actor_after_a_mistake() {
        for (text, part) in [
            ("struct Db;", "which messages does `Db` take?"),
            ("#[actor(mesg = ())] struct Db;", "did you mean `msg`?"),
            ("#[actor(msg)] struct Db;", "`msg` has no type"),
            ("#[actor(msg = ())] #[pre_start] struct Db;", "write `#[pre_start(method)]`"),
            ("#[actor(msg = ())] #[pre_start(pre_start)] struct Db;", "would call itself"),
            ("#[actor(msg = ())] #[pre_start(a)] #[pre_start(b)] struct Db;", "given twice"),
        ] {
            let text = expand(text);
            assert!(text.contains(part) && text.contains("Actor for Db"), "no `{part}` in {text}");
        }
    }
}
