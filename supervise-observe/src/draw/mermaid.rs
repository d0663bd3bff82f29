//! Drawings as a Mermaid flowchart.

use std::fmt::Write;

use super::{Drawing, Tone};
use supervise_core::base::line::one_line;
use supervise_core::values::kind::ChildKind;

impl Drawing {
    pub(crate) fn mermaid(&self) -> String {
        let mut text = String::from("flowchart TD\n");
        for (i, node) in self.numbered() {
            let (open, close) = match node.kind {
                ChildKind::Actor if node.is_remote => ("([", "])"),
                ChildKind::Actor => ("(", ")"),
                ChildKind::Task => ("[/", "/]"),
                ChildKind::Tree => ("[[", "]]"),
                ChildKind::Set => ("{{", "}}"),
                _ => ("[", "]"),
            };
            let lines: Vec<_> = std::iter::once(&node.label).chain(&node.notes).map(|line| escaped(line)).collect();
            let class = match node.tone {
                Tone::Plain => "",
                Tone::Up => ":::up",
                Tone::Down => ":::down",
                Tone::Ended => ":::ended",
            };
            let _ = writeln!(text, "    n{i}{open}\"{}\"{close}{class}", lines.join("<br/>"));
        }
        for (above, i) in self.edges() {
            let _ = writeln!(text, "    n{above} --> n{i}");
        }
        if self.root().tone != Tone::Plain {
            text.push_str("    classDef up fill:#d5f0d5,stroke:#2d7a2d,color:#000\n");
            text.push_str("    classDef down fill:#fbe3b5,stroke:#a86b00,color:#000\n");
            text.push_str("    classDef ended fill:#e4e4e4,stroke:#777,color:#000\n");
        }
        text
    }
}

/// Escapes text for a quoted label: quotes, entities, tags, backslashes and Markdown backticks are written as entities.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).to_string().chars() {
        match c {
            '"' | '#' | '&' | '<' | '>' | '`' | '\\' => {
                let _ = write!(out, "#{};", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}
