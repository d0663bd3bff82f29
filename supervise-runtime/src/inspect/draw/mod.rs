//! Drawings of trees, declared or live: the same nodes as text, Mermaid and Graphviz.

mod graphviz;
mod live;
mod mermaid;
mod text;

use crate::values::kind::ChildKind;

/// All nodes of a tree, each behind the one above it and in front of its later siblings. A tree may be deeper than a
/// stack, so nothing of this is nested.
pub(crate) struct Drawing {
    nodes: Vec<Placed>,
}

/// A node, and the place of the one above it.
struct Placed {
    above: Option<usize>,
    node: Drawn,
}

/// One node.
pub(crate) struct Drawn {
    /// `db: Db`.
    pub(crate) label: String,
    /// What is said behind or below the label.
    pub(crate) notes: Vec<String>,
    pub(crate) kind: ChildKind,
    pub(crate) tone: Tone,
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
    /// `draw`: what one looks like, and what is below it.
    pub(crate) fn of<T>(root: T, draw: impl Fn(T) -> (Drawn, Vec<T>)) -> Drawing {
        let mut nodes = Vec::new();
        let mut todo = vec![(None, root)];
        while let Some((above, one)) = todo.pop() {
            let (node, below) = draw(one);
            todo.extend(below.into_iter().rev().map(|child| (Some(nodes.len()), child)));
            nodes.push(Placed { above, node });
        }
        Drawing { nodes }
    }

    fn root(&self) -> &Drawn {
        &self.nodes[0].node
    }

    /// Every node with its number.
    fn numbered(&self) -> impl Iterator<Item = (usize, &Drawn)> {
        self.nodes.iter().enumerate().map(|(number, placed)| (number, &placed.node))
    }

    /// The numbers of each node and the one above it.
    fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        self.nodes.iter().enumerate().filter_map(|(number, placed)| Some((placed.above?, number)))
    }
}
