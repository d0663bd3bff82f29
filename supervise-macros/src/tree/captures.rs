//! Finds the local variables that the start of a `child!` uses.
//!
//! Nothing is known of the code around a `child!`, so rustc itself finds the captures of the start, which is a closure.
//! A variable that is found here is cloned in front of that closure besides: it stays usable, and a mistake is
//! reported where the variable is named. So a name counts only where it is certainly a variable from outside: a path of
//! one segment in lower case, which is no function of a call, and which nothing inside binds at that place. A variable
//! that is missed is moved into the closure.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Arm, Attribute, Block, Expr, ExprAssign, ExprCall, ExprClosure, ExprConst, ExprField, ExprForLoop, ExprIf, ExprLet,
    ExprLit, ExprPath, ExprRepeat, ExprWhile, Item, Lit, Local, Macro, Member, Pat, Stmt, Token, Type, UseTree,
};

use crate::free_names::{bindings, formatted};

/// The macros whose arguments are expressions, and whether strings among them are formats.
const MACROS: [(&str, bool); 21] = [
    ("format", true),
    ("format_args", true),
    ("print", true),
    ("println", true),
    ("eprint", true),
    ("eprintln", true),
    ("write", true),
    ("writeln", true),
    ("panic", true),
    ("todo", true),
    ("unimplemented", true),
    ("unreachable", true),
    ("assert", true),
    ("assert_eq", true),
    ("assert_ne", true),
    ("debug_assert", true),
    ("debug_assert_eq", true),
    ("debug_assert_ne", true),
    ("vec", false),
    ("dbg", false),
    ("join", false),
];

/// The names that a start uses from outside.
#[derive(Debug, Default)]
pub(super) struct Captures {
    /// The variables, each where it is first used.
    pub(super) variables: Vec<Ident>,
    /// A use of `self`, and the field that is taken from it.
    pub(super) of_self: Option<(Span, Option<Ident>)>,
    scopes: Vec<Scope>,
}

/// The names that are bound in a block, an arm, or a closure.
#[derive(Debug, Default)]
struct Scope {
    names: HashSet<String>,
    /// A glob import may bind any name.
    any: bool,
}

impl Captures {
    /// Returns the names that this expression uses.
    pub(super) fn of(start: &Expr) -> Self {
        let mut found = Captures::default();
        found.visit_expr(start);
        found
    }

    fn within(&mut self, inside: impl FnOnce(&mut Self)) {
        self.scopes.push(Scope::default());
        inside(self);
        self.scopes.pop();
    }

    fn bind(&mut self, pat: &Pat) {
        let names = bindings(pat).into_iter().map(|name| name.to_string());
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.extend(names);
        }
    }

    fn uses(&mut self, ident: &Ident) {
        let text = ident.to_string();
        if text == "self" {
            self.of_self.get_or_insert((ident.span(), None));
            return;
        }
        let is_variable = ident.unraw().to_string().starts_with(|first: char| first.is_lowercase() || first == '_');
        let is_bound = self.scopes.iter().any(|scope| scope.any || scope.names.contains(&text));
        let is_word = matches!(&*text, "super" | "crate" | "_") || text.starts_with("__");
        if is_variable && !is_word && !is_bound && !self.variables.contains(ident) {
            self.variables.push(ident.clone());
        }
    }

    fn formats(&mut self, text: &Lit, named: &HashSet<String>) {
        let Lit::Str(text) = text else { return };
        for name in formatted(&text.value().replace("{{", "")) {
            if !named.contains(&name)
                && let Ok(ident) = syn::parse_str::<Ident>(&name)
            {
                self.uses(&Ident::new(&ident.to_string(), text.span()));
            }
        }
    }

    fn look_for_self(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Ident(ident) if ident == "self" => {
                    let dot = tokens.next_if(|next| matches!(next, TokenTree::Punct(punct) if punct.as_char() == '.'));
                    let field = match tokens.peek() {
                        Some(TokenTree::Ident(field)) if dot.is_some() => Some(field.clone()),
                        _ => None,
                    };
                    self.of_self.get_or_insert((ident.span(), field));
                }
                TokenTree::Group(group) => self.look_for_self(group.stream()),
                _ => {}
            }
        }
    }
}

/// Returns the name and the value of `name = value`.
fn named(arg: &Expr) -> Option<(&Ident, &Expr)> {
    match arg {
        Expr::Assign(ExprAssign { left, right, .. }) => match &**left {
            Expr::Path(path) => Some((path.path.get_ident()?, right)),
            _ => None,
        },
        _ => None,
    }
}

/// Adds the names that a `use` brings in.
fn imported(tree: &UseTree, scope: &mut Scope) {
    match tree {
        UseTree::Path(path) => imported(&path.tree, scope),
        UseTree::Name(name) => drop(scope.names.insert(name.ident.to_string())),
        UseTree::Rename(rename) => drop(scope.names.insert(rename.rename.to_string())),
        UseTree::Glob(_) => scope.any = true,
        UseTree::Group(group) => group.items.iter().for_each(|tree| imported(tree, scope)),
    }
}

impl<'ast> Visit<'ast> for Captures {
    fn visit_block(&mut self, block: &'ast Block) {
        let mut scope = Scope::default();
        for stmt in &block.stmts {
            match stmt {
                Stmt::Item(Item::Fn(item)) => drop(scope.names.insert(item.sig.ident.to_string())),
                Stmt::Item(Item::Static(item)) => drop(scope.names.insert(item.ident.to_string())),
                Stmt::Item(Item::Const(item)) => drop(scope.names.insert(item.ident.to_string())),
                Stmt::Item(Item::Use(item)) => imported(&item.tree, &mut scope),
                _ => {}
            }
        }
        self.scopes.push(scope);
        visit::visit_block(self, block);
        self.scopes.pop();
    }

    fn visit_local(&mut self, local: &'ast Local) {
        if let Some(init) = &local.init {
            self.visit_expr(&init.expr);
            if let Some((_, diverge)) = &init.diverge {
                self.visit_expr(diverge);
            }
        }
        self.bind(&local.pat);
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        self.within(|this| {
            closure.inputs.iter().for_each(|input| this.bind(input));
            this.visit_expr(&closure.body);
        });
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        self.within(|this| {
            this.bind(&arm.pat);
            if let Pat::Guard(guarded) = &arm.pat {
                this.visit_expr(&guarded.guard);
            }
            this.visit_expr(&arm.body);
        });
    }

    fn visit_expr_if(&mut self, branch: &'ast ExprIf) {
        self.within(|this| {
            this.visit_expr(&branch.cond);
            this.visit_block(&branch.then_branch);
        });
        if let Some((_, other)) = &branch.else_branch {
            self.visit_expr(other);
        }
    }

    fn visit_expr_while(&mut self, repeat: &'ast ExprWhile) {
        self.within(|this| {
            this.visit_expr(&repeat.cond);
            this.visit_block(&repeat.body);
        });
    }

    fn visit_expr_for_loop(&mut self, repeat: &'ast ExprForLoop) {
        self.visit_expr(&repeat.expr);
        self.within(|this| {
            this.bind(&repeat.pat);
            this.visit_block(&repeat.body);
        });
    }

    fn visit_expr_let(&mut self, condition: &'ast ExprLet) {
        self.visit_expr(&condition.expr);
        self.bind(&condition.pat);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        // Capturing a generic function would fix its type parameters.
        if !matches!(&*call.func, Expr::Path(_)) {
            self.visit_expr(&call.func);
        }
        call.args.iter().for_each(|arg| self.visit_expr(arg));
    }

    fn visit_expr_field(&mut self, field: &'ast ExprField) {
        match (&*field.base, &field.member) {
            (Expr::Path(base), Member::Named(name)) if base.path.is_ident("self") => {
                self.of_self.get_or_insert((base.span(), Some(name.clone())));
            }
            (base, _) => self.visit_expr(base),
        }
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        if path.qself.is_none()
            && let Some(ident) = path.path.get_ident()
        {
            self.uses(ident);
        }
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.look_for_self(call.tokens.clone());
        let name = call.path.segments.last().map(|last| last.ident.to_string());
        let Some((_, formats)) = MACROS.iter().find(|(known, _)| name.as_deref() == Some(known)) else { return };
        let args = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(call.tokens.clone());
        let Ok(args) = args else { return };
        let names: HashSet<String> = args.iter().filter_map(|arg| Some(named(arg)?.0.to_string())).collect();
        for arg in &args {
            match (arg, named(arg)) {
                (_, Some((_, value))) => self.over(value),
                (Expr::Lit(ExprLit { lit, .. }), None) if *formats => self.formats(lit, &names),
                (arg, None) => self.over(arg),
            }
        }
    }

    // A constant captures nothing.

    fn visit_expr_const(&mut self, _: &'ast ExprConst) {}

    fn visit_expr_repeat(&mut self, repeat: &'ast ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    // An item inside has names of its own; patterns and types name no variables.

    fn visit_item(&mut self, _: &'ast Item) {}

    fn visit_pat(&mut self, _: &'ast Pat) {}

    fn visit_type(&mut self, _: &'ast Type) {}

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

impl Captures {
    /// Goes on with an expression that was parsed from the tokens of a macro.
    fn over(&mut self, expr: &Expr) {
        Visit::visit_expr(self, expr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> String {
        let found = Captures::of(&syn::parse_str(text).unwrap());
        let names: Vec<_> = found.variables.iter().map(ToString::to_string).collect();
        let of_self = found.of_self.map(|(_, field)| field.map_or(" self".into(), |field| format!(" self.{field}")));
        format!("{}{}", names.join(" "), of_self.unwrap_or_default())
    }

    #[test]
    fn finds_variables() {
        for (text, names) in [
            ("Fetcher { service, target: open(&target).await?, n: 1 }", "service target"),
            ("f(x.y, [z; 3], (w, !v))", "x z w v"),
            ("format!(\"{a} {b:?} {{c}} {d} {}\", e, d = f)", "a b e f"),
            ("{ println!(\"{a}\"); vec![b, c.d] }", "a b c"),
            ("xs.iter().map(|x| double(*x) + y).sum::<u32>()", "xs y"),
            ("r#type", "r#type"),
            ("_held", "_held"),
        ] {
            assert_eq!(found(text), names, "{text}");
        }
    }

    #[test]
    fn skips_what_may_be_something_else() {
        for text in [
            "LIMIT + Db + super::limit",
            "open(1)",
            "other!(x, y)",
            "vec![n; x]",
            "matches!(1, x)",
            "{ fn help() {} run(help) }",
            "{ use util::help; run(help) }",
            "{ use util::*; run(help) }",
            "{ const n: u8 = 1; static m: u8 = 1; f(n, m) }",
            "const { n }",
        ] {
            let names = found(text).replace("run", "");
            assert_eq!(names.trim(), "", "{text}");
        }
    }

    #[test]
    fn knows_what_is_bound_where() {
        for (text, names) in [
            ("{ let inner = 1; inner }", ""),
            ("{ let x = x; x }", "x"),
            ("{ { let x = 1; } x }", "x"),
            ("{ let Some(y) = x else { return z }; y }", "x z"),
            ("match a { Some(b) if b > c => b, other => d }", "a c d"),
            ("if let Some(a) = b && a > c { a } else { a }", "b c a"),
            ("while let Some(a) = b.pop() { a; }", "b"),
            ("for a in b { a; }", "b"),
            ("|a, (b, c): (u8, u8)| a + b + c + d", "d"),
            ("async move { let a = 1; a + b }", "b"),
        ] {
            assert_eq!(found(text), names, "{text}");
        }
    }

    #[test]
    fn finds_self() {
        for (text, of_self) in [
            ("X { a: self.a }", " self.a"),
            ("X::new(self)", " self"),
            ("other!(self.x.y)", " self.x"),
            ("format!(\"{}\", self.x)", " self.x"),
            ("self.all[0].name", " self.all"),
            ("async { self.run() }", " self"),
        ] {
            assert_eq!(found(text), of_self, "{text}");
        }
        assert_eq!(found("{ impl X { fn f(&self) { self.x } } X }"), "");
    }
}
