//! The declared tree as a constant, and how it is drawn.

use std::fmt::Write;

use crate::strategy::{Lifecycle, Shutdown, Strategy};

/// A declared tree: `Shop::SPEC`.
#[derive(Debug, Clone, Copy)]
pub struct TreeSpec {
    /// The name of the handle struct.
    pub name: &'static str,
    /// The first paragraph of its documentation.
    pub doc: &'static str,
    /// Whom a restart takes along.
    pub strategy: Strategy,
    /// The settings inside the braces, as written.
    pub settings: &'static [&'static str],
    /// The children in the order of their declaration.
    pub children: &'static [ChildSpec],
}

/// A declared child.
#[derive(Debug, Clone, Copy)]
pub struct ChildSpec {
    /// Its name in the tree.
    pub name: &'static str,
    /// The first paragraph of its documentation.
    pub doc: &'static str,
    /// Its type, as written; `task` for a task.
    pub item: &'static str,
    /// One child, or any number of them.
    pub shape: Shape,
    /// Actor, task or tree.
    pub kind: Kind,
    /// When it is started again.
    pub lifecycle: Lifecycle,
    /// How long it may take to go down, if the declaration says so in a literal.
    pub shutdown: Option<Shutdown>,
    /// The settings above it, as written.
    pub settings: &'static [&'static str],
}

/// How many children one declaration makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// One: `db: Db`.
    One,
    /// Any number, spawned through the handle: `sessions: [Session]`.
    Set,
}

/// What a child is.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Kind {
    /// An actor.
    Actor,
    /// A task.
    Task,
    /// A tree of its own. For an instance of a `[Tree]` this is a function, since a constant that
    /// contains itself does not compile.
    Tree(fn() -> &'static TreeSpec),
}

impl TreeSpec {
    /// The tree as indented text, one line a child, settings behind it.
    ///
    /// ```text
    /// Shop  OneForOne  strategy(OneForOne, max_restarts = 10, within = 10min)
    /// ├── db: Db  Permanent  backoff(3s..30s)
    /// └── reports: Reports  AllForOne
    ///     └── daily: Report  Permanent
    /// ```
    pub fn render(&self) -> String {
        let mut text = format!("{}  {:?}", self.name, self.strategy);
        push_settings(&mut text, self.settings);
        text.push('\n');
        self.render_children(&mut text, "");
        text
    }

    fn render_children(&self, text: &mut String, indent: &str) {
        for (i, child) in self.children.iter().enumerate() {
            let last = i + 1 == self.children.len();
            let branch = if last { "└── " } else { "├── " };
            let (open, close) = if child.shape == Shape::Set { ("[", "]") } else { ("", "") };
            let _ = write!(text, "{indent}{branch}{}: {open}{}{close}", child.name, child.item);
            match child.kind {
                Kind::Tree(spec) if child.shape == Shape::One => {
                    let _ = write!(text, "  {:?}  {:?}", child.lifecycle, spec().strategy);
                    push_settings(text, spec().settings);
                    push_settings(text, child.settings);
                    text.push('\n');
                    let deeper = format!("{indent}{}", if last { "    " } else { "│   " });
                    spec().render_children(text, &deeper);
                }
                _ => {
                    let _ = write!(text, "  {:?}", child.lifecycle);
                    push_settings(text, child.settings);
                    text.push('\n');
                }
            }
        }
    }
}

fn push_settings(text: &mut String, settings: &[&str]) {
    for setting in settings {
        let _ = write!(text, "  {setting}");
    }
}
