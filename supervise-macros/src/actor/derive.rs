//! `#[derive(Actor)]`. Attributes above the struct name the messages and hooks; the functions are inherent methods.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, DeriveInput, Ident, LitStr, Meta, Path, Token, Type};

use super::hooks::{HOOKS, Hook, Types, apart, declared, dummy, methods, watcher};
use super::owned::owned;
use crate::errors::{Errors, did_you_mean, in_line};
use crate::paths::{self, Paths};
use crate::tree::generics::without;

/// Expands the whole macro.
pub(crate) fn derive(input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let mut errors = Errors::default();
    let mut types = Types::default();
    let mut hooks: Vec<Hook> = Vec::new();
    let mut watches = false;
    let mut path = None;
    for attribute in &input.attrs {
        let Some(name) = attribute.path().get_ident() else { continue };
        if name == "actor" {
            path = read(&mut types, attribute, &mut errors).or(path);
        } else if HOOKS.contains(&&*name.to_string()) {
            watches |= name == "terminated";
            if let Some(first) = hooks.iter().find(|hook| hook.kind == *name) {
                let first = in_line(first.kind.span());
                errors.at(name.span(), format!("`{name}` is given twice, first{first}; keep one of them"));
            } else if let Some(function) = hook(attribute, name, &input.ident, &mut errors) {
                hooks.push(Hook { kind: name.clone(), function, cfgs: Vec::new() });
            }
        }
    }
    match path {
        Some(path) => Paths::told(&path).hold(|| of_type(input, types, &hooks, watches, errors)),
        None => of_type(input, types, &hooks, watches, errors),
    }
}

fn of_type(mut input: DeriveInput, types: Types, hooks: &[Hook], watches: bool, mut errors: Errors) -> TokenStream {
    let name = &input.ident;
    if types.msg.is_none() && errors.is_empty() {
        errors.at(
            name.span(),
            format!("nothing says which messages `{name}` takes; write `#[actor(msg = Type)]` below the derive"),
        );
    }
    let (_, args, _) = input.generics.split_for_impl();
    let ty = quote!(#name #args);
    let lifetimes = owned(&mut input.generics, &mut errors);
    let (ty, (params, _, bounds)) = (without(ty, &lifetimes), input.generics.split_for_impl());
    if !errors.is_empty() {
        return dummy(types, &errors, watches, &[], &input.generics, &ty);
    }
    let (error, types) = (types.error(), types.declare());
    // The span of the struct's name: rustc reports there a missing `handle`, a `handle` with another signature, and a
    // struct that is not `Send`. The bound below keeps that one error.
    let handle = quote_spanned! {name.span()=>
        __rt::may_move_between_threads(__rt::call_handle(Self::handle, self, __msg, __cx)).await
    };
    let (declared, methods) = (declared(hooks), methods(hooks));
    let watcher = watcher(hooks, &input.generics, &ty);
    let fallback = quote!(
        use __rt::NoHandle as _;
    );
    let receive = quote_spanned! {name.span()=>
        async fn receive(
            &mut self,
            __msg: Self::Msg,
            __cx: &mut __rt::Context<Self>,
        ) -> ::core::result::Result<(), Self::Error>
        where
            for<'a> &'a mut Self: ::core::marker::Send,
        {
            #fallback
            __rt::Outcome::<#error>::done(#handle)
        }
    };
    let traits = quote! {
        #[automatically_derived]
        impl #params __rt::Actor for #ty #bounds {
            #types
            #receive
            #declared
            #methods
        }
        #watcher
    };
    apart(&[], traits)
}

/// Reads `#[actor(msg = T, error = E, crate = path)]`, and returns the path.
fn read(types: &mut Types, attribute: &Attribute, errors: &mut Errors) -> Option<Path> {
    // `#[actor]` without arguments is treated as if it were missing.
    if matches!(attribute.meta, Meta::Path(_)) {
        return None;
    }
    let (mut path, mut quoted) = (None, Vec::new());
    let read = attribute.parse_nested_meta(|meta| {
        let Some(name) = meta.path.get_ident().cloned() else {
            return Err(meta.error("expected `msg = Type`, `error = Type` or `crate = path`"));
        };
        if name == "crate" {
            let twice = path.replace(paths::value(meta.input)?).is_some();
            return if twice { Err(meta.error("`crate` is given twice; keep one of them")) } else { Ok(()) };
        }
        let place = match &*name.to_string() {
            "msg" => &mut types.msg,
            "error" => &mut types.error,
            other => {
                let repair = did_you_mean(other, &["msg", "error", "crate"]);
                return Err(meta.error(format!("`actor` has no argument `{other}`{repair}")));
            }
        };
        if !meta.input.peek(Token![=]) {
            return Err(meta.error(format!("`{name}` has no type; write `{name} = Type`")));
        }
        let value = meta.value()?;
        let ty: Type = match value.fork().parse::<LitStr>() {
            Ok(text) => {
                value.parse::<LitStr>()?;
                let message = format!("a type stands without quotes; write `{name} = {}`", text.value());
                quoted.push(syn::Error::new(text.span(), message));
                text.parse()?
            }
            Err(_) => value.parse()?,
        };
        if place.replace(quote!(#ty)).is_some() {
            return Err(meta.error(format!("`{name}` is given twice; keep one of them")));
        }
        Ok(())
    });
    if let Err(error) = read {
        errors.push(error);
    }
    quoted.into_iter().for_each(|error| errors.push(error));
    path
}

/// Turns `#[pre_restart(flush)]` into the method `Self::flush`. A longer path is kept as it is.
fn hook(attribute: &Attribute, kind: &Ident, ty: &Ident, errors: &mut Errors) -> Option<TokenStream> {
    let path: Path = match attribute.parse_args() {
        Ok(path) => path,
        Err(_) => {
            errors.on(attribute, format!("`{kind}` names a function; write `#[{kind}(method)]`"));
            return None;
        }
    };
    let last = &path.segments.last()?.ident;
    let of = path.segments.iter().nth_back(1).map(|segment| &segment.ident);
    let own = of.is_none_or(|of| of == "Self" || of == ty);
    // Without an inherent method of that name, `Self::pre_start` is the method of the trait, which would call itself
    // forever.
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
        for part in [
            "< Self , _ , _ > (Self :: open",
            "(Self :: lost",
            "start_hook :: < Self , _ , _ > (free :: close",
            "where T : Sync",
        ] {
            assert!(text.contains(part), "no `{part}` in {text}");
        }
    }

    #[test]
    fn takes_the_path_of_the_crate() {
        let text = expand("#[actor(msg = (), crate = kit::trees)] struct Db;");
        assert!(text.contains("use kit :: trees :: expansion as __rt"), "{text}");
        assert!(expand("#[actor(msg = ())] struct Db;").contains("use :: supervise :: expansion as __rt"));
        assert!(expand("#[actor(msg = (), crate)] struct Db;").contains("write `crate = path`"));
    }

    #[test]
    fn stays_an_actor_after_a_mistake() {
        for (text, part) in [
            ("struct Db;", "nothing says which messages `Db` takes"),
            ("#[actor(mesg = ())] struct Db;", "did you mean `msg`?"),
            ("#[actor(msg)] struct Db;", "`msg` has no type"),
            ("#[actor(msg = \"Vec<u8>\")] struct Db;", "write `msg = Vec<u8>`"),
            ("#[actor(msg = ())] #[pre_start] struct Db;", "write `#[pre_start(method)]`"),
            ("#[actor(msg = ())] #[pre_start(pre_start)] struct Db;", "would call itself"),
            ("#[actor(msg = ())] #[supervision(crate::db::Db::supervision)] struct Db;", "would call itself"),
            ("#[actor] struct Db;", "nothing says which messages `Db` takes"),
            ("#[actor(msg = ())] #[pre_start(a)] #[pre_start(b)] struct Db;", "given twice"),
        ] {
            let text = expand(text);
            assert!(text.contains(part) && text.contains("Actor for Db"), "no `{part}` in {text}");
        }
    }

    #[test]
    fn takes_a_free_function_of_any_name() {
        let text = expand("#[actor(msg = ())] #[pre_start(db::pre_start)] struct Db;");
        assert!(text.contains("(db :: pre_start ,"), "{text}");
    }

    #[test]
    fn leaves_a_manual_watcher_alone() {
        let text = expand("#[actor(mesg = ())] struct Db;");
        assert!(!text.contains("Watcher"), "{text}");
        assert!(expand("#[actor(mesg = ())] #[terminated(lost)] struct Db;").contains("Watcher for Db"));
    }

    #[test]
    fn keeps_the_types_after_a_mistake() {
        let text = expand("#[actor(msg = Msg, eror = E)] struct Db;");
        assert!(text.contains("type Msg = Msg ;"), "{text}");
    }
}
