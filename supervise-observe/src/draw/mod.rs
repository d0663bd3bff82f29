//! Drawings of trees, declared or live: the same nodes as text, Mermaid and Graphviz.

mod graphviz;
mod live;
mod mermaid;
mod text;

use supervise_core::values::kind::ChildKind;

/// All nodes of a tree as a list: each after its parent, and before its later siblings. The depth of a tree may exceed
/// the stack, so nothing here is nested.
pub(crate) struct Drawing {
    nodes: Vec<Placed>,
}

/// A node, and the position of its parent.
struct Placed {
    above: Option<usize>,
    node: Drawn,
}

/// A node of a drawing.
pub(crate) struct Drawn {
    /// For example `db: Db`.
    pub(crate) label: String,
    /// The notes after or below the label.
    pub(crate) notes: Vec<String>,
    pub(crate) kind: ChildKind,
    pub(crate) tone: Tone,
    /// Whether its instances are on nodes.
    pub(crate) is_remote: bool,
}

/// The colour of a node; the nodes of a declaration are plain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Up,
    Down,
    Ended,
}

impl Drawing {
    /// Makes a drawing. `draw` returns a node and its children.
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

    /// Returns every node with its number.
    fn numbered(&self) -> impl Iterator<Item = (usize, &Drawn)> {
        self.nodes.iter().enumerate().map(|(number, placed)| (number, &placed.node))
    }

    /// Returns the numbers of each parent and its child.
    fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        self.nodes.iter().enumerate().filter_map(|(number, placed)| Some((placed.above?, number)))
    }
}
