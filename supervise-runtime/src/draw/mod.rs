//! Drawings of trees, declared or live: the same nodes as text, Mermaid and Graphviz.

mod graphviz;
mod live;
mod mermaid;
mod text;

use crate::spec::Kind;

/// A node with what is below it.
pub(crate) struct Drawing {
    /// `db: Db`.
    pub(crate) label: String,
    /// What is said behind or below the label.
    pub(crate) notes: Vec<String>,
    pub(crate) figure: Figure,
    pub(crate) tone: Tone,
    pub(crate) children: Vec<Drawing>,
}

/// What outline a node has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Figure {
    Actor,
    Task,
    Tree,
    Set,
}

impl Figure {
    pub(crate) fn of(kind: Kind) -> Self {
        match kind {
            Kind::Actor => Figure::Actor,
            Kind::Task => Figure::Task,
            Kind::Tree => Figure::Tree,
        }
    }
}

/// What colour a node has; a declaration has none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Up,
    Down,
    Ended,
}

impl Drawing {
    /// Every node with its number and that of its supervisor, from the root down.
    fn numbered(&self) -> Vec<(Option<usize>, &Drawing)> {
        let mut all = vec![(None, self)];
        self.number(0, &mut all);
        all
    }

    fn number<'a>(&'a self, own: usize, all: &mut Vec<(Option<usize>, &'a Drawing)>) {
        for child in &self.children {
            all.push((Some(own), child));
            child.number(all.len() - 1, all);
        }
    }
}
