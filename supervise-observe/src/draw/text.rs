//! Drawings as indented text with lines between the nodes.

use std::fmt::Write;

use super::{Drawing, Drawn};
use supervise_core::base::line::one_line;

impl Drawing {
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.root().line(&mut text);
        let last = self.last();
        // The path to the previous line: each node, with the length of the indent of its children.
        let (mut way, mut indent) = (vec![(0, 0)], String::new());
        for (above, own) in self.edges() {
            while way.pop_if(|(node, _)| *node != above).is_some() {}
            indent.truncate(way.last().map_or(0, |(_, length)| *length));
            let (branch, deeper) = if last[own] { ("└── ", "    ") } else { ("├── ", "│   ") };
            text.push_str(&indent);
            text.push_str(branch);
            self.nodes[own].node.line(&mut text);
            indent.push_str(deeper);
            way.push((own, indent.len()));
        }
        text
    }

    /// Returns for each node whether it is the last child of its parent.
    fn last(&self) -> Vec<bool> {
        let mut last = vec![true; self.nodes.len()];
        let mut seen = vec![false; self.nodes.len()];
        for (own, placed) in self.nodes.iter().enumerate().rev() {
            if let Some(above) = placed.above {
                last[own] = !std::mem::replace(&mut seen[above], true);
            }
        }
        last
    }
}

impl Drawn {
    fn line(&self, text: &mut String) {
        let _ = write!(text, "{}", one_line(&self.label)); // a string takes everything
        for note in &self.notes {
            let _ = write!(text, "  {}", one_line(note));
        }
        text.push('\n');
    }
}
