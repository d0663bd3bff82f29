//! The declaration as plain data. The parser makes it, and nothing changes it afterwards.
//!
//! Parts are optional where the input may lack them. An entry that could not be read to its end keeps the parts before
//! the mistake, so that its field is still declared and no other code in the user's crate shows an error.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use supervise_rules::Lifecycle;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Generics, Pat, PatIdent, Type, TypePath, Visibility};

use crate::decider::Decider;
use crate::free_names::bindings;
use crate::settings::{is_flag, words};

/// The largest number of arguments for which the runtime has a `spawn`.
pub(crate) const MOST_ARGUMENTS: usize = 6;

/// One `struct Name(params) { .. }`.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) docs: Vec<Attribute>,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    /// Types and constants, with the `where` clause.
    pub(crate) generics: Generics,
    pub(crate) params: Vec<Param>,
    /// Whether a parameter, or its type, is not known as it is meant. A call of `start` is then no second error.
    pub(crate) unsure_params: bool,
    pub(crate) body: Body,
}

/// A parameter of a tree.
#[derive(Debug)]
pub(crate) struct Param {
    pub(crate) name: Ident,
    pub(crate) ty: Type,
}

/// The content of a tree's braces.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) settings: Vec<Setting>,
    /// Words in the place of a setting that are not settings. They may be half typed.
    pub(crate) unknown: Vec<Ident>,
    pub(crate) items: Vec<Item>,
    /// Whether an entry could not even be read up to its name.
    pub(crate) lost_entry: bool,
}

/// A child or a `let`.
#[derive(Debug)]
pub(crate) enum Item {
    Let(Box<Let>),
    Child(Box<Child>),
}

/// `let pattern: Type = value;`
#[derive(Debug)]
pub(crate) struct Let {
    pub(crate) docs: Vec<Attribute>,
    pub(crate) cfgs: Vec<Attribute>,
    /// The `pub` of a value that the handle returns.
    pub(crate) vis: Option<Visibility>,
    pub(crate) pat: Pat,
    pub(crate) ty: Option<Type>,
    pub(crate) value: Option<Expr>,
}

/// `#[setting] vis name: shape = start,`
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) docs: Vec<Attribute>,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) settings: Vec<Setting>,
    /// The parts of the tree's defaults that hold for this child.
    pub(crate) defaults: Vec<Setting>,
    /// Words in the place of a setting that are not settings, or that could not be read. They may be half typed.
    pub(crate) unknown: Vec<Ident>,
    pub(crate) vis: Option<Visibility>,
    pub(crate) name: Ident,
    pub(crate) shape: Option<Shape>,
    pub(crate) start: Option<Expr>,
    /// Whether it is the child of a `child!`, which is spawned at run time.
    pub(crate) spawned: bool,
}

/// The child of a `child!`, whose name is any expression.
#[derive(Debug)]
pub(crate) struct NewChild {
    pub(crate) name: Expr,
    pub(crate) child: Child,
}

/// The number and the kind of the children that an entry declares.
#[derive(Debug)]
pub(crate) enum Shape {
    One(Unit),
    Optional(Unit),
    Array(Unit, Expr),
    Set(Unit),
    Keyed(Type, Unit),
    Inline(Subtree),
}

/// A supervised unit: a task, or a type that is an actor or a tree. Only rustc can tell which one a type is.
#[derive(Debug)]
pub(crate) enum Unit {
    Type(Box<Type>),
    /// `remote T`: an actor whose instance is on a node.
    Remote(Ident, Box<Type>),
    Task(Span),
}

/// `struct Name { .. }` in the place of a type.
#[derive(Debug)]
pub(crate) struct Subtree {
    pub(crate) name: Ident,
    pub(crate) body: Body,
}

/// A setting with its arguments as expressions, in which durations are still literals.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) name: Ident,
    pub(crate) args: Args,
    /// The setting as it is written, for `SPEC`.
    pub(crate) text: String,
}

/// The content of a setting's parentheses.
#[derive(Debug)]
pub(crate) enum Args {
    List(Vec<Arg>),
    Decider(Decider),
}

/// `value` or `name = value`.
#[derive(Debug, Clone)]
pub(crate) struct Arg {
    pub(crate) name: Option<Ident>,
    pub(crate) value: Expr,
}

impl Tree {
    /// Returns whether the functions that start the tree, and the fields of its handle, are known as they are meant.
    pub(crate) fn has_start(&self) -> bool {
        !self.unsure_params && !self.body.has_lost_entry()
    }
}

impl Body {
    /// Returns whether all children are known, with the types of their handles.
    pub(crate) fn is_typed(&self) -> bool {
        let below = |child: &Child| child.subtree().is_none_or(|subtree| subtree.body.is_typed());
        !self.lost_entry && self.children().all(|child| child.is_typed() && below(child))
    }

    /// Returns whether an entry here or in a subtree could not even be read up to its name.
    fn has_lost_entry(&self) -> bool {
        let below = |child: &Child| child.subtree().is_some_and(|subtree| subtree.body.has_lost_entry());
        self.lost_entry || self.children().any(below)
    }

    pub(crate) fn children(&self) -> impl Iterator<Item = &Child> {
        self.items.iter().filter_map(|item| match item {
            Item::Child(child) => Some(&**child),
            Item::Let(_) => None,
        })
    }
}

impl Let {
    /// Returns the name, if the pattern is nothing but a name.
    pub(crate) fn name(&self) -> Option<&Ident> {
        match &self.pat {
            Pat::Ident(PatIdent { by_ref: None, mutability: None, ident, subpat: None, .. })
                if bindings(&self.pat).contains(ident) =>
            {
                Some(ident)
            }
            _ => None,
        }
    }
}

impl Child {
    /// Returns whether enough could be read to know the type of the handle. A child without a start may be meant as
    /// another kind of entry.
    pub(crate) fn is_typed(&self) -> bool {
        match (&self.shape, &self.start) {
            (Some(Shape::Inline(_)), _) => true,
            (Some(Shape::Set(_) | Shape::Keyed(..)), Some(Expr::Closure(closure))) => {
                let is_typed = |input: &Pat| matches!(input, Pat::Type(typed) if !matches!(*typed.ty, Type::Infer(_)));
                let keys = usize::from(matches!(self.shape, Some(Shape::Keyed(..))));
                closure.inputs.iter().all(is_typed) && closure.inputs.len() <= keys + MOST_ARGUMENTS
            }
            (Some(Shape::Set(_) | Shape::Keyed(..)), _) => false,
            (shape, start) => shape.is_some() && start.is_some(),
        }
    }

    /// Returns the inline subtree that this child is.
    pub(crate) fn subtree(&self) -> Option<&Subtree> {
        match &self.shape {
            Some(Shape::Inline(subtree)) => Some(subtree),
            _ => None,
        }
    }

    /// Returns the type or `task` in the shape. An inline subtree has neither.
    pub(crate) fn unit(&self) -> Option<&Unit> {
        match self.shape.as_ref()? {
            Shape::One(unit)
            | Shape::Optional(unit)
            | Shape::Array(unit, _)
            | Shape::Set(unit)
            | Shape::Keyed(_, unit) => Some(unit),
            Shape::Inline(_) => None,
        }
    }

    /// Returns the word `remote` and the type behind it.
    pub(crate) fn remote(&self) -> Option<(&Ident, &Type)> {
        match self.unit()? {
            Unit::Remote(word, ty) => Some((word, ty)),
            Unit::Type(_) | Unit::Task(_) => None,
        }
    }

    /// Returns the expressions of a setting's argument `name`, or of its first value: as it is written above the child,
    /// or else in the default of the tree.
    pub(crate) fn argument(&self, of: &str, name: &str) -> Option<(&Ident, &Expr)> {
        self.all(of).find_map(|setting| setting.named(name))
    }

    /// Returns whether `build` holds the handle behind a type that names nothing of the child: a type of a user may have
    /// parameters, also behind an alias.
    pub(crate) fn is_behind(&self) -> bool {
        matches!(self.shape, Some(Shape::One(_))) && self.only_with().is_none()
    }

    /// Returns whether the child is a task.
    pub(crate) fn is_task(&self) -> bool {
        matches!(self.unit(), Some(Unit::Task(_)))
    }

    /// Returns whether the child starts from a closure with arguments.
    pub(crate) fn takes_arguments(&self) -> bool {
        matches!(self.shape, Some(Shape::Set(_) | Shape::Keyed(..) | Shape::Array(..)))
    }

    /// Returns whether the task is written `|cx| ..`.
    pub(crate) fn has_context(&self) -> bool {
        match (&self.start, self.takes_arguments()) {
            // Only the compiler can see whether there is a context inside an `Option`.
            _ if matches!(self.shape, Some(Shape::Optional(_))) => true,
            (Some(Expr::Closure(closure)), true) => matches!(*closure.body, Expr::Closure(_)),
            (Some(Expr::Closure(_)), false) => true,
            // A start expression that could not be read may have one.
            (start, _) => start.is_none(),
        }
    }

    /// Returns when the child is started again: as it is written, or the default of its kind (S23).
    pub(crate) fn lifecycle(&self) -> Lifecycle {
        match self.all("lifecycle").find_map(Setting::kind) {
            Some(kind) if kind == "Permanent" => Lifecycle::Permanent,
            Some(kind) if kind == "Transient" => Lifecycle::Transient,
            Some(_) => Lifecycle::Temporary,
            None => Lifecycle::default_for(self.is_task(), self.is_set() || self.spawned),
        }
    }

    /// Returns whether the child is never restarted.
    pub(crate) fn is_temporary(&self) -> bool {
        self.lifecycle() == Lifecycle::Temporary
    }

    /// Returns the setting of this name as it is written above the child, and then the default of the tree.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &Setting> {
        setting(&self.settings, name).into_iter().chain(setting(&self.defaults, name))
    }

    /// Returns the lease of a subtree that is here only while that is held.
    pub(crate) fn only_with(&self) -> Option<&Setting> {
        setting(&self.settings, "only_with").filter(|_| matches!(self.shape, Some(Shape::One(Unit::Type(_)))))
    }

    /// Returns whether the child is a set, which has any number of instances.
    pub(crate) fn is_set(&self) -> bool {
        matches!(self.shape, Some(Shape::Set(_) | Shape::Keyed(..)))
    }
}

impl Unit {
    pub(crate) fn span(&self) -> Span {
        match self {
            Unit::Type(ty) | Unit::Remote(_, ty) => span_of(ty),
            Unit::Task(span) => *span,
        }
    }
}

/// Returns the place of a type. Nearly every type is a single word, which needs no look at its tokens.
pub(crate) fn span_of(ty: &Type) -> Span {
    match single_word(ty) {
        Some(word) => word.span(),
        None => ty.span(),
    }
}

/// Returns the word that the type consists of.
pub(crate) fn single_word(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Path(TypePath { qself: None, path, .. }) => path.get_ident(),
        _ => None,
    }
}

impl Setting {
    pub(crate) fn args(&self) -> &[Arg] {
        match &self.args {
            Args::List(args) => args,
            Args::Decider(_) => &[],
        }
    }

    /// Returns the name and the value of `name = value`.
    pub(crate) fn named(&self, name: &str) -> Option<(&Ident, &Expr)> {
        self.args().iter().find_map(|arg| match &arg.name {
            Some(ident) if ident == name => Some((ident, &arg.value)),
            _ => None,
        })
    }

    /// Returns whether an argument has an unknown name. It may be meant as one of the arguments that seem to be
    /// missing.
    pub(crate) fn misspelt(&self) -> bool {
        let known = crate::settings::find(&self.name.to_string()).map_or(&[][..], |setting| setting.args);
        let named = self.args().iter().filter_map(|arg| arg.name.as_ref());
        named.into_iter().any(|name| known.iter().all(|arg| name != arg.name))
    }

    /// Returns this word if it is one of the values without a name, such as `Permanent` or `drain`.
    pub(crate) fn says(&self, text: &str) -> Option<&Ident> {
        let unnamed = self.args().iter().filter(|arg| arg.name.is_none());
        unnamed.filter_map(|arg| word(&arg.value)).find(|word| *word == text)
    }

    /// Returns the words after the first value that are not arguments. They may be half typed.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = &Ident> {
        let unnamed = self.args().iter().filter(|arg| arg.name.is_none()).skip(1);
        unnamed.filter_map(|arg| word(&arg.value)).filter(|word| {
            let text = word.to_string();
            !is_flag(&self.name.to_string(), &text) && !lifecycles().contains(&&*text)
        })
    }

    /// Returns the lifecycle that is written, if there is one.
    pub(crate) fn kind(&self) -> Option<&Ident> {
        lifecycles().iter().find_map(|kind| self.says(kind))
    }

    /// Returns the first value without a name.
    pub(crate) fn first(&self) -> Option<&Expr> {
        self.args().iter().find(|arg| arg.name.is_none()).map(|arg| &arg.value)
    }

    /// Returns the first value without a name that does not turn something on.
    pub(crate) fn value(&self) -> Option<&Expr> {
        let setting = self.name.to_string();
        let unnamed = self.args().iter().filter(|arg| arg.name.is_none()).map(|arg| &arg.value);
        unnamed.into_iter().find(|value| !word(value).is_some_and(|word| is_flag(&setting, &word.to_string())))
    }

    /// Returns every expression in the setting, to look for the names that they use. A word that turns something on uses
    /// none: a child may be called `drain`, too.
    pub(crate) fn exprs(&self) -> Vec<&Expr> {
        let setting = self.name.to_string();
        let is_flag =
            |arg: &Arg| arg.name.is_none() && word(&arg.value).is_some_and(|word| is_flag(&setting, &word.to_string()));
        match &self.args {
            Args::List(args) => args.iter().filter(|arg| !is_flag(arg)).map(|arg| &arg.value).collect(),
            Args::Decider(decider) => decider.exprs(),
        }
    }
}

fn lifecycles() -> &'static [&'static str] {
    words("lifecycle", "lifecycle")
}

/// Returns whether one of the names is among the tokens, at any depth.
pub(crate) fn mentions(tokens: TokenStream, names: &[&Ident]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => names.iter().any(|name| **name == ident),
        TokenTree::Group(group) => mentions(group.stream(), names),
        _ => false,
    })
}

/// Returns the setting with this name from a list of settings.
pub(crate) fn setting<'a>(settings: &'a [Setting], name: &str) -> Option<&'a Setting> {
    settings.iter().find(|setting| setting.name == name)
}

/// Returns an expression that is a single word, such as `Permanent` or `Kill`.
pub(crate) fn word(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Path(path) if path.qself.is_none() && path.attrs.is_empty() => path.path.get_ident(),
        _ => None,
    }
}

/// Returns whether the value of a `backoff` is a list of delays: `[2s, 5s]` or `[2s; 3]`.
pub(crate) fn is_list(value: &Expr) -> bool {
    matches!(value, Expr::Array(_) | Expr::Repeat(_))
}
