//! Which names an expression uses as values.
//!
//! Each start gets clones of exactly the parameters, `let`s and siblings that it names. So the macro looks
//! for them: a path of one segment is a mention; the function of a call is not (`heartbeat(..)` beside a
//! child `heartbeat`), nor is a field, a method or a part of a longer path. Inside a macro call every word
//! counts that does not follow a dot, and so does a `{name}` in a string. To see too much is harmless, the
//! clone is then unused; to see too little is rustc's "cannot find value".

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::visit::Visit;
use syn::{Expr, ExprCall, ExprPath, Macro, Pat, PatIdent};

/// Where `expr` uses `name` as a value for the first time.
pub(crate) fn mention(expr: &Expr, name: &Ident) -> Option<Span> {
    let mut scan = Scan { name, calls: false, found: None };
    scan.visit_expr(expr);
    scan.found
}

/// As [`mention`], but a call counts too: a parameter or `let` may be a function, a handle is none.
pub(crate) fn mention_or_call(expr: &Expr, name: &Ident) -> Option<Span> {
    let mut scan = Scan { name, calls: true, found: None };
    scan.visit_expr(expr);
    scan.found
}

struct Scan<'a> {
    name: &'a Ident,
    calls: bool,
    found: Option<Span>,
}

impl<'ast> Visit<'ast> for Scan<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Verbatim(tokens) => self.scan_tokens(tokens.clone()),
            _ => syn::visit::visit_expr(self, expr),
        }
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if self.calls || !matches!(&*call.func, Expr::Path(_)) {
            self.visit_expr(&call.func);
        }
        call.args.iter().for_each(|arg| self.visit_expr(arg));
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        if path.qself.is_none()
            && let Some(ident) = path.path.get_ident()
            && ident == self.name
        {
            self.found.get_or_insert(ident.span());
        }
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.scan_tokens(call.tokens.clone());
    }
}

impl Scan<'_> {
    fn scan_tokens(&mut self, tokens: TokenStream) {
        let mut after_dot = false;
        for token in tokens {
            match &token {
                TokenTree::Ident(ident) if ident == self.name && !after_dot => {
                    self.found.get_or_insert(ident.span());
                }
                TokenTree::Group(group) => self.scan_tokens(group.stream()),
                TokenTree::Literal(literal) if formats(&literal.to_string(), &self.name.unraw().to_string()) => {
                    self.found.get_or_insert(literal.span());
                }
                _ => {}
            }
            after_dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
        }
    }
}

/// Whether a format string names it: `{name}`, `{name:?}`.
fn formats(literal: &str, name: &str) -> bool {
    literal.match_indices(&format!("{{{name}")).any(|(at, found)| {
        let behind = literal[at + found.len()..].trim_start();
        behind.starts_with(['}', ':'])
    })
}

/// The names that a pattern binds, in order.
pub(crate) fn bindings(pat: &Pat) -> Vec<Ident> {
    let mut found = Bindings(Vec::new());
    found.visit_pat(pat);
    found.0
}

/// Whether a pattern somewhere inside `expr` binds `name`.
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
        mention(&syn::parse_str(text).unwrap(), &name).is_some()
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
    fn knows_what_patterns_bind() {
        let expr: Expr = syn::parse_str("match x { Some((a, B)) => |c: u8| a, _ => { let d = 1; d } }").unwrap();
        for (name, bound) in [("a", true), ("B", false), ("c", true), ("d", true), ("x", false)] {
            assert_eq!(binds(&expr, &syn::parse_str(name).unwrap()), bound, "{name}");
        }
    }
}
