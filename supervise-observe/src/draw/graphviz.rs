//! Drawings in the language of Graphviz.

use std::fmt::Write;

use super::{Drawing, Tone};
use supervise_core::base::line::one_line;
use supervise_core::values::kind::ChildKind;

impl Drawing {
    pub(crate) fn graphviz(&self) -> String {
        let mut text = format!("digraph \"{}\" {{\n", escaped(&self.root().label));
        // `ordering`: children are drawn from left to right in declaration order.
        text.push_str("    graph [rankdir = TB, ordering = out];\n");
        text.push_str("    node [fontname = \"sans-serif\", style = filled, fillcolor = white];\n");
        for (i, node) in self.numbered() {
            let shape = match node.kind {
                ChildKind::Actor => "ellipse",
                ChildKind::Task => "parallelogram",
                ChildKind::Tree => "box",
                ChildKind::Set => "hexagon",
                _ => "box3d",
            };
            let colour = match node.tone {
                Tone::Plain => "",
                Tone::Up => ", fillcolor = \"#d5f0d5\"",
                Tone::Down => ", fillcolor = \"#fbe3b5\"",
                Tone::Ended => ", fillcolor = \"#e4e4e4\"",
            };
            let style = if node.is_remote { ", style = \"filled,dashed\"" } else { "" };
            let lines: Vec<_> = std::iter::once(&node.label).chain(&node.notes).map(|line| escaped(line)).collect();
            let _ = writeln!(text, "    n{i} [label = \"{}\", shape = {shape}{style}{colour}];", lines.join("\\n"));
        }
        for (above, i) in self.edges() {
            let _ = writeln!(text, "    n{above} -> n{i};");
        }
        text.push_str("}\n");
        text
    }
}

/// Escapes text for a quoted string, in which `\n`, `\N` and the like have a meaning.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).to_string().chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c => out.push(c),
        }
    }
    out
}
