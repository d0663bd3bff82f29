//! The one sink of errors: every stage reports into it, all are shown in one run, last in the expansion.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::Error;

/// Collects errors; nothing stops at the first one.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    errors: Vec<Error>,
}

impl Sink {
    /// An error at the tokens it is about.
    pub(crate) fn error(&mut self, at: impl ToTokens, message: impl Display) {
        self.errors.push(Error::new_spanned(at, message));
    }

    /// An error at a span, where there are no tokens to name.
    pub(crate) fn error_at(&mut self, at: Span, message: impl Display) {
        self.errors.push(Error::new(at, message));
    }

    /// An error that a parser made.
    pub(crate) fn push(&mut self, error: Error) {
        self.errors.push(error);
    }

    /// Keeps the value of a result and the error of a failed one.
    pub(crate) fn ok<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// The messages, for tests.
    #[cfg(test)]
    pub(crate) fn messages(&self) -> Vec<String> {
        self.errors.iter().flat_map(|error| error.clone().into_iter().map(|e| e.to_string())).collect()
    }

    /// `compile_error!`s, to be put behind everything else.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.errors.iter().map(Error::to_compile_error).collect()
    }
}
