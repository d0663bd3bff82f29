//! The values that the start of a remote child takes along to its node.
//!
//! The expression itself does not travel: each node has it. The values that it names travel, each of them whole.

use std::borrow::Cow;

use proc_macro2::{Ident, Span};
use syn::{Arm, Block, Expr, ExprIf, ExprMatch, Pat, Stmt, Type};

use super::model::{Body, Child, Shape, word};
use super::names::{Name, Names, Origin};
use crate::free_names::{FreeNames, bindings};

/// The number of values that `serde` reads as one tuple.
pub(super) const MOST_VALUES: usize = 16;

/// A start expression that is evaluated on a node.
#[derive(Debug)]
pub(super) struct Crossing<'a> {
    pub(super) start: Cow<'a, Expr>,
    /// The values that it names.
    pub(super) values: Vec<Value<'a>>,
    /// The arguments of its closure, in order, and for each whether the expression names it.
    pub(super) arguments: Vec<(Argument<'a>, bool)>,
}

/// A value that a start expression names.
#[derive(Debug)]
pub(super) struct Value<'a> {
    pub(super) name: Ident,
    /// The first mention.
    pub(super) at: Span,
    pub(super) origin: Origin<'a>,
    /// Whether it is declared under a `#[cfg]`.
    pub(super) is_conditional: bool,
}

/// An argument of the closure that starts the child.
#[derive(Debug)]
pub(super) enum Argument<'a> {
    /// The index in a `[T; N]`.
    Index(&'a Pat),
    /// The key of a `[K => T]`.
    Key(&'a Pat, &'a Type),
    /// An argument of a spawn.
    Spawned(&'a Pat, &'a Type),
}

impl<'a> Argument<'a> {
    pub(super) fn pattern(&self) -> &'a Pat {
        match self {
            Argument::Index(pattern) | Argument::Key(pattern, _) | Argument::Spawned(pattern, _) => pattern,
        }
    }
}

impl<'a> Crossing<'a> {
    /// Finds what a remote child takes along; `None` if too little of it could be read. `ahead`: the children below.
    pub(super) fn of(
        child: &'a Child,
        names: &Names<'a>,
        ahead: impl IntoIterator<Item = &'a Child>,
    ) -> Option<Crossing<'a>> {
        let start = travels(child)?;
        let arguments = arguments(child)?;
        let free = FreeNames::of([&*start]);
        let bound: Vec<Ident> = arguments.iter().flat_map(|argument| bindings(argument.pattern())).collect();
        let named = names.mentioned(&free).filter(|(name, _)| !bound.contains(&name.ident));
        let mut values: Vec<Value<'a>> = named.map(|(name, at)| Value::of(name, at)).collect();
        for child in ahead {
            if let Some(at) = free.later(&child.name) {
                let (name, is_conditional) = (child.name.clone(), !child.cfgs.is_empty());
                values.push(Value { name, at, origin: Origin::Child(child), is_conditional });
            }
        }
        let is_named = |argument: &Argument<'_>| {
            bindings(argument.pattern()).iter().any(|name| free.value_or_call(name).is_some())
        };
        let arguments = arguments.into_iter().map(|argument| {
            let is_named = is_named(&argument);
            (argument, is_named)
        });
        let arguments = arguments.collect();
        Some(Crossing { values, arguments, start })
    }

    /// Returns the number of values that travel.
    pub(super) fn len(&self) -> usize {
        self.values.len() + self.arguments.iter().filter(|(_, is_named)| *is_named).count()
    }
}

impl<'a> Value<'a> {
    pub(super) fn of(name: &Name<'a>, at: Span) -> Self {
        Value { name: name.ident.clone(), at, origin: name.origin, is_conditional: !name.cfgs.is_empty() }
    }
}

/// Returns the expression that is evaluated on the node.
fn travels(child: &Child) -> Option<Cow<'_, Expr>> {
    let start = child.start.as_ref()?;
    match (child.shape.as_ref()?, start) {
        (Shape::Optional(_), start) => match split(start) {
            (_, Some(inside), 1, _) => Some(Cow::Owned(inside)),
            _ => None,
        },
        (Shape::Array(..) | Shape::Set(_) | Shape::Keyed(..), Expr::Closure(closure)) => {
            Some(Cow::Borrowed(&*closure.body))
        }
        (Shape::One(_), start) => Some(Cow::Borrowed(start)),
        _ => None,
    }
}

fn arguments<'a>(child: &'a Child) -> Option<Vec<Argument<'a>>> {
    let Some(Expr::Closure(start)) = &child.start else { return Some(Vec::new()) };
    let typed = |input: &'a Pat| match input {
        Pat::Type(typed) => Some(Argument::Spawned(input, &typed.ty)),
        _ => None,
    };
    match child.shape.as_ref()? {
        Shape::Array(..) => Some(vec![Argument::Index(start.inputs.first()?)]),
        Shape::Set(_) => start.inputs.iter().map(typed).collect(),
        Shape::Keyed(key, _) => {
            let first = Argument::Key(start.inputs.first()?, key);
            std::iter::once(Some(first)).chain(start.inputs.iter().skip(1).map(typed)).collect()
        }
        _ => None,
    }
}

/// Splits the start of an optional child: the owner decides whether there is one, and the inside of `Some(..)` travels.
///
/// Returns the expression with `()` in the place of each inside, the last inside, their number, and the places that are
/// neither `Some(..)` nor `None`.
pub(super) fn split(start: &Expr) -> (Expr, Option<Expr>, usize, Vec<Expr>) {
    let mut owned = start.clone();
    let mut found = Ends { inside: None, count: 0, others: Vec::new() };
    found.expr(&mut owned, &mut |_| syn::parse_quote!(()));
    (owned, found.inside, found.count, found.others)
}

/// Returns the start of an optional child with this in the place of the inside of `Some(..)`.
pub(super) fn with_inside(start: &Expr, inside: &Expr) -> Expr {
    let mut owned = start.clone();
    let mut found = Ends { inside: None, count: 0, others: Vec::new() };
    found.expr(&mut owned, &mut |_| inside.clone());
    owned
}

/// The ends of an expression, one of which is its value.
struct Ends {
    inside: Option<Expr>,
    count: usize,
    others: Vec<Expr>,
}

impl Ends {
    fn expr(&mut self, expr: &mut Expr, put: &mut dyn FnMut(&Expr) -> Expr) {
        match expr {
            Expr::If(ExprIf { then_branch, else_branch: Some((_, other)), .. }) => {
                self.block(then_branch, put);
                self.expr(other, put);
            }
            Expr::Block(block) => self.block(&mut block.block, put),
            Expr::Match(ExprMatch { arms, .. }) => {
                arms.iter_mut().for_each(|Arm { body, .. }| self.expr(body, put));
            }
            Expr::Paren(inner) => self.expr(&mut inner.expr, put),
            Expr::Group(inner) => self.expr(&mut inner.expr, put),
            Expr::Call(call) if call.args.len() == 1 && word(&call.func).is_some_and(|word| word == "Some") => {
                let new = put(&call.args[0]);
                self.inside = Some(std::mem::replace(&mut call.args[0], new));
                self.count += 1;
            }
            Expr::Return(_) => {}
            expr if word(expr).is_some_and(|word| word == "None") => {}
            other => self.others.push(other.clone()),
        }
    }

    fn block(&mut self, block: &mut Block, put: &mut dyn FnMut(&Expr) -> Expr) {
        match block.stmts.last_mut() {
            Some(Stmt::Expr(last, None)) => self.expr(last, put),
            _ => self.others.push(syn::parse_quote!(#block)),
        }
    }
}

/// Returns the word `remote` of the first such child, also in a subtree.
pub(super) fn first(body: &Body) -> Option<&Ident> {
    body.children().find_map(|child| match child.subtree() {
        Some(subtree) => first(&subtree.body),
        None => child.remote().map(|(word, _)| word),
    })
}
