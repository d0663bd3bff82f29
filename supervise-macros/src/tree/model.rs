//! What was written, as plain data: the parser makes it, nothing changes it afterwards.
//!
//! Parts are optional where the input may lack them. An entry that could not be read to its end keeps what
//! came before, so that its field is still declared and nothing else in the user's crate lights up.

use proc_macro2::{Ident, Span};
use supervise_rules::Lifecycle;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Pat, Type, Visibility};

use crate::decider::Decider;
use crate::settings::{is_flag, words};

/// One `struct Name(params) { .. }`.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) docs: Vec<Attribute>,
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    pub(crate) params: Vec<Param>,
    pub(crate) body: Body,
}

/// A parameter of a tree.
#[derive(Debug)]
pub(crate) struct Param {
    pub(crate) name: Ident,
    pub(crate) ty: Type,
}

/// What stands between a tree's braces.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) settings: Vec<Setting>,
    /// Words in the place of a setting that are none: perhaps half typed.
    pub(crate) unknown: Vec<Ident>,
    pub(crate) items: Vec<Item>,
    /// Whether an entry could not be read so far as to have a name.
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
    /// Words in the place of a setting that are none: perhaps half typed.
    pub(crate) unknown: Vec<Ident>,
    pub(crate) vis: Option<Visibility>,
    pub(crate) name: Ident,
    pub(crate) shape: Option<Shape>,
    pub(crate) start: Option<Expr>,
}

/// How many children an entry makes, and of what.
#[derive(Debug)]
pub(crate) enum Shape {
    One(Unit),
    Optional(Unit),
    Array(Unit, Expr),
    Set(Unit),
    Keyed(Type, Unit),
    Inline(Subtree),
}

/// What is supervised: an actor or a tree, which the type itself tells apart, or a task.
#[derive(Debug)]
pub(crate) enum Unit {
    Type(Box<Type>),
    Task(Span),
}

/// `struct Name { .. }` in the place of a type.
#[derive(Debug)]
pub(crate) struct Subtree {
    pub(crate) name: Ident,
    pub(crate) body: Body,
}

/// A setting with its arguments as expressions; durations are still literals.
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) name: Ident,
    pub(crate) args: Args,
    /// As written, for `SPEC`.
    pub(crate) text: String,
}

/// What stands in a setting's parentheses.
#[derive(Debug)]
pub(crate) enum Args {
    List(Vec<Arg>),
    Decider(Decider),
}

/// `value` or `name = value`.
#[derive(Debug)]
pub(crate) struct Arg {
    pub(crate) name: Option<Ident>,
    pub(crate) value: Expr,
}

impl Body {
    pub(crate) fn children(&self) -> impl Iterator<Item = &Child> {
        self.items.iter().filter_map(|item| match item {
            Item::Child(child) => Some(&**child),
            Item::Let(_) => None,
        })
    }
}

impl Child {
    /// The body of an inline subtree.
    pub(crate) fn subtree(&self) -> Option<&Subtree> {
        match &self.shape {
            Some(Shape::Inline(subtree)) => Some(subtree),
            _ => None,
        }
    }

    /// The type or `task` in its shape; an inline subtree has none.
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

    /// Whether it is a task.
    pub(crate) fn is_task(&self) -> bool {
        matches!(self.unit(), Some(Unit::Task(_)))
    }

    /// Whether it is started by a closure with arguments of its own.
    pub(crate) fn takes_arguments(&self) -> bool {
        matches!(self.shape, Some(Shape::Set(_) | Shape::Keyed(..) | Shape::Array(..)))
    }

    /// Whether a task is written `|cx| ..`.
    pub(crate) fn has_context(&self) -> bool {
        match (&self.start, self.takes_arguments()) {
            // Whether there is one inside an `Option` only the compiler can see.
            _ if matches!(self.shape, Some(Shape::Optional(_))) => true,
            (Some(Expr::Closure(closure)), true) => matches!(*closure.body, Expr::Closure(_)),
            (Some(Expr::Closure(_)), false) => true,
            // What could not be read may well have one.
            (start, _) => start.is_none(),
        }
    }

    /// When it is started again: as written, or the default of its kind (rule S23).
    pub(crate) fn lifecycle(&self) -> Lifecycle {
        match setting(&self.settings, "lifecycle").and_then(Setting::kind) {
            Some(kind) if kind == "Permanent" => Lifecycle::Permanent,
            Some(kind) if kind == "Transient" => Lifecycle::Transient,
            Some(_) => Lifecycle::Temporary,
            None => Lifecycle::default_for(self.is_task(), self.is_set()),
        }
    }

    /// Whether it stands for any number of children.
    pub(crate) fn is_set(&self) -> bool {
        matches!(self.shape, Some(Shape::Set(_) | Shape::Keyed(..)))
    }
}

impl Unit {
    pub(crate) fn span(&self) -> Span {
        match self {
            Unit::Type(ty) => ty.span(),
            Unit::Task(span) => *span,
        }
    }
}

impl Setting {
    fn args(&self) -> &[Arg] {
        match &self.args {
            Args::List(args) => args,
            Args::Decider(_) => &[],
        }
    }

    /// The value of `name = value`.
    pub(crate) fn named(&self, name: &str) -> Option<(&Ident, &Expr)> {
        self.args().iter().find_map(|arg| match &arg.name {
            Some(ident) if ident == name => Some((ident, &arg.value)),
            _ => None,
        })
    }

    /// Whether an argument has a name that is none: then what seems to be missing may be meant by it.
    pub(crate) fn misspelt(&self) -> bool {
        let known = crate::settings::find(&self.name.to_string()).map_or(&[][..], |setting| setting.args);
        let named = self.args().iter().filter_map(|arg| arg.name.as_ref());
        named.into_iter().any(|name| known.iter().all(|arg| name != arg.name))
    }

    /// The word among the values without a name, if it is there: `Permanent`, `drain`.
    pub(crate) fn says(&self, text: &str) -> Option<&Ident> {
        let unnamed = self.args().iter().filter(|arg| arg.name.is_none());
        unnamed.filter_map(|arg| word(&arg.value)).find(|word| *word == text)
    }

    /// Words without a name after the first, which are not arguments: perhaps half typed.
    pub(crate) fn unknown(&self) -> impl Iterator<Item = &Ident> {
        let unnamed = self.args().iter().filter(|arg| arg.name.is_none()).skip(1);
        unnamed.filter_map(|arg| word(&arg.value)).filter(|word| {
            let text = word.to_string();
            !is_flag(&self.name.to_string(), &text) && !lifecycles().contains(&&*text)
        })
    }

    /// The lifecycle that is written, if there is one.
    pub(crate) fn kind(&self) -> Option<&Ident> {
        lifecycles().iter().find_map(|kind| self.says(kind))
    }

    /// The first value without a name.
    pub(crate) fn first(&self) -> Option<&Expr> {
        self.args().iter().find(|arg| arg.name.is_none()).map(|arg| &arg.value)
    }

    /// Every expression in it, for the names that it mentions.
    pub(crate) fn exprs(&self) -> Vec<&Expr> {
        match &self.args {
            Args::List(args) => args.iter().map(|arg| &arg.value).collect(),
            Args::Decider(decider) => decider.exprs(),
        }
    }
}

fn lifecycles() -> &'static [&'static str] {
    words("lifecycle", "lifecycle")
}

/// The setting of that name in a list of them.
pub(crate) fn setting<'a>(settings: &'a [Setting], name: &str) -> Option<&'a Setting> {
    settings.iter().find(|setting| setting.name == name)
}

/// A single word: `Permanent`, `Kill`.
pub(crate) fn word(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Path(path) if path.qself.is_none() && path.attrs.is_empty() => path.path.get_ident(),
        _ => None,
    }
}
