//! `strategy! { #![strategy(..)] #![decider(..)] }`: the settings of a tree as a value, for actors that
//! spawn children of their own.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Attribute;

use crate::errors::Errors;
use crate::paths::Supervise;
use crate::repair::repair;
use crate::settings::is_of_supervisors;
use crate::tree::{check_supervision, model::Body, parse, supervision};

/// Expands the whole macro.
pub(crate) fn strategy(input: TokenStream) -> TokenStream {
    let mut errors = Errors::of(&input);
    let input = repair(input, &mut errors);
    let mut body = Body::default();
    errors.read(input, |input, errors| {
        match Attribute::parse_inner(input) {
            Ok(attributes) => parse::inner(attributes, &mut body, errors),
            Err(error) => errors.push(error),
        }
        if !input.is_empty() {
            errors.at(
                input.span(),
                "only settings of a tree can be used here; write `#![strategy(..)]` or `#![decider(..)]`",
            );
            let _ = input.parse::<TokenStream>();
        }
    });
    for setting in body.settings.extract_if(.., |setting| !is_of_supervisors(&setting.name.to_string())) {
        let name = &setting.name;
        errors.at(
            name.span(),
            format!("`{name}` is a setting of a tree; here only `strategy` and `decider` have a meaning; remove it"),
        );
    }
    check_supervision(&body.settings, &mut errors);
    let value = if errors.take_hidden() { supervision(&[]) } else { supervision(&body.settings) };
    let errors = errors.to_tokens();
    quote!({
        use #Supervise::expansion as __rt;
        #[allow(unused_qualifications)]
        let __strategy = #value;
        #errors
        __strategy
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn becomes_a_value() {
        let text = "#![strategy(AllForOne, max_restarts = 3, within = 1min)] #![decider(_ => Stop)]";
        let tokens = strategy(text.parse().unwrap());
        assert!(syn::parse2::<syn::Expr>(tokens.clone()).is_ok(), "{tokens}");
        let text = tokens.to_string();
        assert!(text.contains("Strategy :: AllForOne") && !text.contains("compile_error"), "{text}");
    }

    #[test]
    fn asks_the_rules() {
        let text = strategy("#![strategy(OneForOne, within = 1s)]".parse().unwrap()).to_string();
        assert!(text.contains("`within` does nothing without `max_restarts`"), "{text}");
    }

    #[test]
    fn takes_nothing_else() {
        let text = strategy("#![strategy(OneForOne)] db: Db = Db,".parse().unwrap()).to_string();
        assert!(text.contains("only settings of a tree can be used here"), "{text}");
        let text = strategy("#![limit(max_restarts = 3)]".parse().unwrap()).to_string();
        assert!(text.contains("governs one child"), "{text}");
        let text = strategy("#![shutdown(5s)]".parse().unwrap()).to_string();
        assert!(text.contains("`shutdown` is a setting of a tree"), "{text}");
    }
}
