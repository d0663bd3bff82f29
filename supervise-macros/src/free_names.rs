//! Finds the names that an expression uses as values.
//!
//! Each start gets clones of exactly the parameters, `let`s and siblings that it names, so the macro looks for them. A
//! path of one segment counts. The function of a call does not count (there may be a function `heartbeat` and a child
//! `heartbeat`), and neither does a field, a method or a part of a longer path. Inside a macro call, every word counts
//! that does not follow a dot, and so does a `{name}` in a string. A name too many is harmless: its clone is unused. A
//! name too few is rustc's error "cannot find value".

use std::collections::HashMap;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::visit::Visit;
use syn::{Expr, ExprCall, ExprPath, Macro, Pat, PatIdent};

/// The names that some expressions use. They are collected once and then looked up by name, since a tree with many
/// children has both many expressions and many names.
#[derive(Debug, Default)]
pub(crate) struct FreeNames {
    values: HashMap<String, Place>,
    calls: HashMap<String, Place>,
    /// The names in `later(name)`.
    later: HashMap<String, Place>,
    /// The names in format strings, which have no `r#`.
    formatted: HashMap<String, Place>,
}

/// The number of a name in the order of the source, and where it is.
type Place = (usize, Span);

impl FreeNames {
    pub(crate) fn of<'a>(exprs: impl IntoIterator<Item = &'a Expr>) -> Self {
        let mut found = FreeNames::default();
        exprs.into_iter().for_each(|expr| found.visit_expr(expr));
        found
    }

    /// Returns where `name` is first used as a value.
    pub(crate) fn value(&self, name: &Ident) -> Option<Span> {
        first([self.values.get(&name.to_string()), self.formatted.get(&name.unraw().to_string())])
    }

    /// Returns all words that may be names, without `r#`. A look at these is cheaper than a search for each name of a
    /// large tree.
    pub(crate) fn words(&self) -> Vec<String> {
        let words = [&self.values, &self.calls, &self.later, &self.formatted].into_iter().flat_map(HashMap::keys);
        words.map(|word| word.strip_prefix("r#").unwrap_or(word).to_owned()).collect()
    }

    /// Returns whether `later(..)` is written at all.
    pub(crate) fn has_later(&self) -> bool {
        !self.later.is_empty()
    }

    /// Returns where `later(name)` is first written.
    pub(crate) fn later(&self, name: &Ident) -> Option<Span> {
        self.later.get(&name.to_string()).map(|(_, span)| *span)
    }

    /// As [`FreeNames::value`], but `later(name)` counts too, for a name that is declared above.
    pub(crate) fn value_or_later(&self, name: &Ident) -> Option<Span> {
        self.value(name).or_else(|| self.later(name))
    }

    /// As [`FreeNames::value`], but a call counts too: a parameter or `let` may be a function, a handle may not.
    pub(crate) fn value_or_call(&self, name: &Ident) -> Option<Span> {
        let text = name.to_string();
        let formatted = self.formatted.get(&name.unraw().to_string());
        first([self.values.get(&text), self.calls.get(&text), self.later.get(&text), formatted])
    }

    fn next(&self, span: Span) -> Place {
        (self.values.len() + self.calls.len() + self.later.len() + self.formatted.len(), span)
    }

    fn add_later(&mut self, name: &Ident) {
        let place = self.next(name.span());
        self.later.entry(name.to_string()).or_insert(place);
    }

    fn add(&mut self, ident: &Ident) {
        let place = self.next(ident.span());
        self.values.entry(ident.to_string()).or_insert(place);
    }
}

/// Returns the name in `(name)`.
fn only_name(group: &Group) -> Option<Ident> {
    let mut tokens = group.stream().into_iter();
    match (group.delimiter(), tokens.next()?, tokens.next()) {
        (Delimiter::Parenthesis, TokenTree::Ident(name), None) => Some(name),
        _ => None,
    }
}

fn first<const N: usize>(places: [Option<&Place>; N]) -> Option<Span> {
    places.into_iter().flatten().min_by_key(|(nth, _)| *nth).map(|(_, span)| *span)
}

/// A path of one segment.
fn single(path: &ExprPath) -> Option<&Ident> {
    if path.qself.is_none() { path.path.get_ident() } else { None }
}

/// Returns the name in `later(name)`.
fn named_later(call: &ExprCall) -> Option<&Ident> {
    match (&*call.func, call.args.first()) {
        (Expr::Path(func), Some(Expr::Path(arg))) if call.args.len() == 1 && single(func)? == "later" => single(arg),
        _ => None,
    }
}

impl<'ast> Visit<'ast> for FreeNames {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Verbatim(tokens) => self.scan_tokens(tokens.clone()),
            _ => syn::visit::visit_expr(self, expr),
        }
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if let Some(name) = named_later(call) {
            return self.add_later(name);
        }
        match &*call.func {
            Expr::Path(path) => {
                if let Some(ident) = single(path) {
                    let place = self.next(ident.span());
                    self.calls.entry(ident.to_string()).or_insert(place);
                }
            }
            func => self.visit_expr(func),
        }
        call.args.iter().for_each(|arg| self.visit_expr(arg));
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        if let Some(ident) = single(path) {
            self.add(ident);
        }
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.scan_tokens(call.tokens.clone());
    }
}

impl FreeNames {
    fn scan_tokens(&mut self, tokens: TokenStream) {
        let (mut after_dot, mut after_later) = (false, false);
        for token in tokens {
            match &token {
                TokenTree::Ident(ident) if !after_dot => self.add(ident),
                TokenTree::Group(group) => match only_name(group).filter(|_| after_later) {
                    Some(name) => self.add_later(&name),
                    None => self.scan_tokens(group.stream()),
                },
                TokenTree::Literal(literal) => {
                    for name in formatted(&literal.to_string()) {
                        let place = self.next(literal.span());
                        self.formatted.entry(name).or_insert(place);
                    }
                }
                _ => {}
            }
            after_later = !after_dot && matches!(&token, TokenTree::Ident(ident) if ident == "later");
            after_dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
        }
    }
}

/// Returns the names in a format string: `{name}`, `{name:?}`.
pub(crate) fn formatted(literal: &str) -> Vec<String> {
    let inside = literal.split('{').skip(1).filter_map(|part| part.split(['}', ':']).next());
    let is_name = |text: &&str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    inside.map(str::trim_end).filter(is_name).map(str::to_owned).collect()
}

/// Returns the names that a pattern binds, in order.
pub(crate) fn bindings(pat: &Pat) -> Vec<Ident> {
    let mut found = Bindings(Vec::new());
    found.visit_pat(pat);
    found.0
}

/// Returns whether a pattern anywhere inside `expr` binds `name`.
pub(crate) fn binds(expr: &Expr, name: &Ident) -> bool {
    let mut found = Bindings(Vec::new());
    found.visit_expr(expr);
    found.0.contains(name)
}

struct Bindings(Vec<Ident>);

impl<'ast> Visit<'ast> for Bindings {
    fn visit_pat_ident(&mut self, pat: &'ast PatIdent) {
        // An upper case name is a constant or a unit struct, as in `let Unit = ..`.
        if !pat.ident.to_string().starts_with(char::is_uppercase) && !self.0.contains(&pat.ident) {
            self.0.push(pat.ident.clone());
        }
        syn::visit::visit_pat_ident(self, pat);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, name: &str) -> bool {
        let name = syn::parse_str(name).unwrap();
        let expr: Expr = syn::parse_str(text).unwrap();
        FreeNames::of([&expr]).value(&name).is_some()
    }

    #[test]
    fn finds_values() {
        for text in [
            "db",
            "Cart::new(db)",
            "Cart { db }",
            "db.ask(X)",
            "{ let x = db; x }",
            "vec![db.clone()]",
            "format!(\"{db}\")",
            "format!(\"{db:?}\")",
            "db?.await",
            "|x| db",
            "(db)(1)",
            "r#try_it(&db)",
        ] {
            assert!(names(text, "db"), "{text}");
        }
    }

    #[test]
    fn skips_what_is_no_value() {
        for text in [
            "db(1)",
            "config.db",
            "config.db()",
            "db::open()",
            "Db::db",
            "println!(\"{dbx} db\")",
            "println!(\"x\", a.db)",
            "Cart { db: 1 }",
            "<db>::X",
        ] {
            assert!(!names(text, "db"), "{text}");
        }
    }

    #[test]
    fn tells_later_names_from_values() {
        let of = |text: &str| {
            let (expr, name) = (syn::parse_str(text).unwrap(), syn::parse_str("db").unwrap());
            let free = FreeNames::of([&expr]);
            (free.value(&name).is_some(), free.later(&name).is_some(), free.value_or_later(&name).is_some())
        };
        assert_eq!(of("Cart::new(later(db))"), (false, true, true));
        assert_eq!(of("f(later(db), db)"), (true, true, true));
        assert_eq!(of("vec![later(db)]"), (false, true, true));
        assert_eq!(of("vec![later(db), db]"), (true, true, true));
        for text in [
            "later(&db)",
            "vec![later(&db)]",
            "vec![x.later(db)]",
            "later(db.x)",
            "later(db, 1)",
            "x.later(db)",
            "my::later(db)",
        ] {
            assert_eq!(of(text), (true, false, true), "{text}");
        }
    }

    #[test]
    fn knows_what_patterns_bind() {
        let expr: Expr = syn::parse_str("match x { Some((a, B)) => |c: u8| a, _ => { let d = 1; d } }").unwrap();
        for (name, bound) in [("a", true), ("B", false), ("c", true), ("d", true), ("x", false)] {
            assert_eq!(binds(&expr, &syn::parse_str(name).unwrap()), bound, "{name}");
        }
    }
}
