//! Checks remote children (rule C15): they have a role, what their nodes have to know is known while compiling, and what
//! they name can cross.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use supervise_rules::LEAST_LEASE;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit};

use super::super::crossing::{Crossing, MOST_VALUES, Value, split};
use super::super::model::{Body, Child, Item, Setting, Shape, Tree, Unit, setting, word};
use super::super::names::{Names, Origin};
use super::published::has_a_gap;
use super::{below, facts};
use crate::duration;
use crate::errors::{Errors, in_line};
use crate::free_names::{FreeNames, bindings};
use crate::pretty::to_source;
use crate::settings::OF_NODE;

/// Checks the names that remote children use.
pub(super) fn tree(tree: &Tree, errors: &mut Errors) {
    if !has_remote(&tree.body) {
        return; // most trees have no remote child
    }
    let mut names = Names::default();
    for param in &tree.params {
        names.declare(&param.name, &[], Origin::Value(Some(&param.ty)));
    }
    body(&tree.body, names, errors);
}

fn has_remote(body: &Body) -> bool {
    body.children().any(|child| child.remote().is_some() || child.subtree().is_some_and(|sub| has_remote(&sub.body)))
}

fn body<'a>(body: &'a Body, mut names: Names<'a>, errors: &mut Errors) {
    names.declare(&Ident::new("tree", Span::call_site()), &[], Origin::Tree);
    let far: Vec<&Child> = body.children().filter(|child| child.remote().is_some()).collect();
    for default in &body.settings {
        let taken = |child: &&Child| setting(&child.defaults, &default.name.to_string()).is_some();
        if far.iter().any(taken) {
            constant(default, &names, errors);
        }
    }
    for (i, item) in body.items.iter().enumerate() {
        match item {
            Item::Let(entry) => names.declare_let(entry),
            Item::Child(child) => {
                if let Some(subtree) = child.subtree() {
                    self::body(&subtree.body, names.clone(), errors);
                }
                if child.remote().is_some() {
                    child.settings.iter().for_each(|setting| constant(setting, &names, errors));
                    optional(child, errors);
                    if let Some(crossing) = Crossing::of(child, &names, below(&body.items[i + 1..])) {
                        crosses(child, &crossing, body, errors);
                    }
                }
                names.declare(&child.name, &child.cfgs, Origin::Child(child));
            }
        }
    }
}

/// Checks that the values of a setting are the same in every process.
fn constant(setting: &Setting, names: &Names<'_>, errors: &mut Errors) {
    let is_of_node = |name: &Option<Ident>| name.as_ref().is_some_and(|name| OF_NODE.iter().any(|of| name == of));
    for arg in setting.args() {
        if !(setting.name == "on" || setting.name == "lifecycle" && is_of_node(&arg.name)) {
            continue;
        }
        let free = FreeNames::of([&arg.value]);
        // A choice of `on`, such as `Allowed`, names no child, also if a child is called so.
        if let Some((name, at)) = names.mentioned(&free).next().filter(|_| !is_choice(setting, &arg.value)) {
            let what = arg.name.as_ref().map_or_else(|| "the role".to_owned(), |name| format!("`{name}`"));
            let message = format!(
                "{what} of a remote child holds on its nodes, too, and there is no `{}` there; write a literal or a constant",
                name.ident
            );
            errors.reject_at(at, message);
        }
    }
}

fn is_choice(setting: &Setting, value: &Expr) -> bool {
    setting.name == "on" && word(value).is_some_and(|word| word.to_string().starts_with(char::is_uppercase))
}

/// Checks that the owner can see whether an optional child is there.
fn optional(child: &Child, errors: &mut Errors) {
    let (Some(Shape::Optional(_)), Some(start)) = (&child.shape, &child.start) else { return };
    if matches!(start, Expr::Closure(_)) {
        return; // reported
    }
    let form = "write `if condition { Some(start) } else { None }`";
    let (decision, inside, count, others) = split(start);
    if let Some(other) = others.first() {
        errors.reject_on(
            other,
            format!("the owner decides whether there is this child, and only `start` runs on a node; {form}"),
        );
    } else if count != 1 {
        errors.reject_on(start, format!("an optional remote child has one start; {form}"));
    } else if let Some(inside) = inside {
        let free = FreeNames::of([&inside]);
        let made = bound_in(&decision);
        if let Some((name, at)) = made.iter().find_map(|name| Some((name, free.value_or_call(name)?))) {
            let message = format!(
                "`{name}` is made by the decision, and only parameters, `let`s and children cross to the node; write \
                 `let {name}: Type = ..;` above"
            );
            errors.reject_at(at, message);
        }
    }
}

/// Returns the names that the patterns of an expression bind.
fn bound_in(expr: &Expr) -> Vec<Ident> {
    use syn::visit::Visit;
    struct All(Vec<Ident>);
    impl<'ast> Visit<'ast> for All {
        fn visit_pat(&mut self, pat: &'ast syn::Pat) {
            self.0.extend(bindings(pat));
        }
    }
    let mut all = All(Vec::new());
    all.visit_expr(expr);
    all.0
}

/// Checks what a remote child takes along.
fn crosses(child: &Child, crossing: &Crossing<'_>, around: &Body, errors: &mut Errors) {
    for value in &crossing.values {
        if let Some((at, message)) = stays(child, value, around) {
            errors.reject_at(at.unwrap_or(value.at), message);
        } else if value.is_conditional {
            let name = &value.name;
            let message = format!(
                "`{name}` is there only under a `#[cfg(..)]`, and what crosses is the same in every build; choose inside of \
                 its value, or write the `#[cfg(..)]` above `{}`",
                child.name
            );
            errors.reject_at(value.at, message);
        }
    }
    let count = crossing.len();
    if count > MOST_VALUES {
        let message =
            format!("this start takes {count} values along, and {MOST_VALUES} are the most; put some into a struct");
        errors.reject_at(child.name.span(), message);
    }
}

/// Returns the error of a value that cannot cross, and its place if it is not at the mention.
fn stays(child: &Child, value: &Value<'_>, around: &Body) -> Option<(Option<Span>, String)> {
    let (name, far) = (&value.name, &child.name);
    let what = match value.origin {
        Origin::Value(Some(ty)) if !has_a_gap(ty) => return None,
        Origin::Value(_) => {
            let message = format!("`{name}` crosses to the node of `{far}`, so its type must be written; ");
            return Some((declared_in(around, name), format!("{message}write `let {name}: Type = value;`")));
        }
        Origin::Tree => "`tree` is the handle of a tree".to_owned(),
        Origin::Child(other) => match &other.shape {
            Some(Shape::Set(_) | Shape::Keyed(..)) => format!("`{name}` is the handle of a set"),
            Some(Shape::Inline(_)) => format!("`{name}` is the handle of a subtree"),
            Some(Shape::One(unit) | Shape::Optional(unit) | Shape::Array(unit, _)) => match unit {
                Unit::Task(_) => format!("`{name}` is the handle of a task"),
                Unit::Type(_) | Unit::Remote(..) => return None,
            },
            None => return None, // reported
        },
    };
    let message = format!(
        "{what}, and only handles of actors cross to the node of `{far}`; name an actor that does it for `{far}`"
    );
    Some((None, message))
}

/// Returns the place of a `let`.
fn declared_in(body: &Body, name: &Ident) -> Option<Span> {
    body.items.iter().find_map(|item| match item {
        Item::Let(entry) => bindings(&entry.pat).into_iter().find(|bound| bound == name).map(|bound| bound.span()),
        Item::Child(_) => None,
    })
}

/// Checks the settings of one child.
pub(super) fn child(child: &Child, errors: &mut Errors) {
    let Some((far, _)) = child.remote() else { return };
    if *far != "remote" {
        errors.at(far.span(), "this word has no capitals; write `remote`");
    }
    let own = setting(&child.settings, "on");
    if child.all("on").all(|on| on.value().is_none()) {
        match own {
            Some(on) if on.misspelt() || on.args().is_empty() => {} // reported
            Some(on) => errors.reject_at(on.name.span(), "`on` has no role; write `on(\"role\", ..)`"),
            // A word that is not known may be meant as `on`.
            None if !child.unknown.is_empty() => {}
            None => {
                let message = "a remote child says on which nodes it runs; write `#[on(\"role\")]` above it";
                errors.reject_at(far.span(), message);
            }
        }
    }
    if let Some(on) = own {
        values(on, errors);
        if let Some((spread, _)) = on.named("spread")
            && matches!(child.shape, Some(Shape::One(_) | Shape::Optional(_)))
        {
            errors.at(spread.span(), "a single child is on one node at a time; remove `spread`");
        }
    }
    if let Some(runtime) = setting(&child.settings, "runtime") {
        let message = "a remote child runs on the runtime of its node; remove `runtime`";
        errors.reject_at(runtime.name.span(), message);
    }
    let allows =
        child.argument("on", "overlap").is_some_and(|(_, overlap)| word(overlap).is_some_and(|it| it == "Allowed"));
    if let Some((_, value)) = child.argument("lifecycle", "shutdown")
        && word(value).is_some_and(|word| word == "Infinity")
        && !allows
    {
        let own = setting(&child.settings, "lifecycle").is_some_and(|own| own.named("shutdown").is_some());
        let message = "a lost node has to be waited for until its lease and this time are over, which is never; write a \
                       time, or `overlap = Allowed`";
        match own {
            true => errors.on(value, message),
            false => errors.on(far, format!("with the default{}, {message}", in_line(value.span()))),
        }
    }
}

/// Checks the values of `on`, above a child or as a default.
pub(super) fn values(on: &Setting, errors: &mut Errors) {
    if let Some(role) = on.value() {
        self::role(role, errors);
    }
    if let Some((_, lease)) = on.named("lease")
        && duration::literal(lease).is_some_and(|lease| lease < LEAST_LEASE)
    {
        errors.reject_on(
            lease,
            "a node asks for the next lease after a third of this one, over a network; write at least `100ms`",
        );
    }
    if let Some((_, window)) = on.named("window")
        && facts::integer::<u64>(window) == Some(0)
    {
        errors.reject_on(window, "with a window of 0 no message is ever sent; write at least 1");
    }
}

fn role(role: &Expr, errors: &mut Errors) {
    match role {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if text.value().trim().is_empty() => {
            errors.reject_on(role, "a role has a name; write `\"worker\"`");
        }
        Expr::Lit(ExprLit { lit: Lit::Str(_), .. }) => {}
        Expr::Lit(_) => errors.reject_on(role, "a role is a string; write `\"worker\"`"),
        role => {
            // A constant is a role, too.
            if let Some(word) = word(role).filter(|word| !super::arguments::is_constant(word)) {
                let shown = to_source(word.to_token_stream()).to_lowercase();
                errors.reject_on(role, format!("a role is a string; write `\"{shown}\"`"));
            }
        }
    }
}
