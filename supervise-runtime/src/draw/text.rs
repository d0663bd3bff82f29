//! Indented text with lines between the nodes.

use super::Drawing;

impl Drawing {
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        self.line(&mut text);
        self.below(&mut text, "");
        text
    }

    fn line(&self, text: &mut String) {
        text.push_str(&one_line(&self.label));
        for note in &self.notes {
            text.push_str("  ");
            text.push_str(&one_line(note));
        }
        text.push('\n');
    }

    fn below(&self, text: &mut String, indent: &str) {
        for (i, child) in self.children.iter().enumerate() {
            let (branch, deeper) =
                if i + 1 == self.children.len() { ("└── ", "    ") } else { ("├── ", "│   ") };
            text.push_str(indent);
            text.push_str(branch);
            child.line(text);
            child.below(text, &format!("{indent}{deeper}"));
        }
    }
}

/// A line stays a line whatever a name or an error's text brings along.
fn one_line(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}
