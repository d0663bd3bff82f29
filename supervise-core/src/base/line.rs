//! Text of users on one line.
//!
//! An error, a key or the name of an operator may contain a line break, a sequence that a terminal obeys, or a mark that
//! reverses the text after it. Shown as it is, it would look like another line of a log, or like another name.

use std::fmt::{self, Write};

/// Returns whether the character ends a line, controls a terminal, or changes how the text around it looks without being
/// seen itself: control characters, the separators of lines and paragraphs, marks of annotations, and those that Unicode
/// calls `Default_Ignorable_Code_Point`, which contain the marks of direction and all that join letters or have no width.
pub fn is_hidden(c: char) -> bool {
    c.is_control() || !c.is_ascii() && is_invisible(c)
}

fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Returns a hidden character as Rust writes it: `\n`, `\u{202e}`.
pub fn escaped(c: char) -> impl Iterator<Item = char> + fmt::Display {
    c.escape_default()
}

/// Returns a text of unknown origin as one line: control characters, and those that cannot be seen, such as marks that
/// reverse the text after them, are written as Rust writes them. Nothing else is changed, so a text that is one line
/// already stays the same.
///
/// Each value of this crate that shows a text of user code is displayed in this way: failures, events, symptoms, reports.
///
/// ```
/// use supervise::inspect::one_line;
///
/// let key = "anna\nERROR all is lost \u{202e}";
/// assert_eq!(format!("hello {}", one_line(key)), r"hello anna\nERROR all is lost \u{202e}");
/// ```
pub fn one_line<T: fmt::Display>(text: T) -> impl fmt::Display {
    OneLine(text)
}

/// A text that is displayed on one line.
struct OneLine<T>(T);

impl<T: fmt::Display> fmt::Display for OneLine<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let alternate = f.alternate();
        let mut line = Line(f);
        if alternate { write!(line, "{:#}", self.0) } else { write!(line, "{}", self.0) }
    }
}

/// Escapes what is written to it.
struct Line<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl Write for Line<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| is_hidden(*c)) {
            self.0.write_str(&rest[..at])?;
            write!(self.0, "{}", escaped(c))?;
            rest = &rest[at + c.len_utf8()..];
        }
        self.0.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S6: hidden characters are escaped wherever in the text they are, and however often.
    #[test]
    fn hidden_characters_are_escaped_once() {
        let nasty = "\nlate\r\n\u{1b}[31m\0\t\u{85}\u{2028}\u{2029}\u{202e}\u{2066}\u{feff}\u{200b}\u{ad}\u{e0041}end";
        let line = one_line(nasty).to_string();
        let expected = "\\nlate\\r\\n\\u{1b}[31m\\u{0}\\t\\u{85}\\u{2028}\\u{2029}\\u{202e}\\u{2066}\\u{feff}\\u{200b}\
                        \\u{ad}\\u{e0041}end";
        assert_eq!(line, expected);
        assert_eq!(one_line(&line).to_string(), line);
        assert_eq!(one_line(one_line(nasty)).to_string(), line);
    }

    #[test]
    fn visible_text_stays_as_it_is() {
        for text in ["", "a b", "O'Brien \"x\" \\n", "żółw", "李雷", "مرحبا", "\u{a0}\u{3000}", "e\u{301}", "🦀"]
        {
            assert_eq!(one_line(text).to_string(), text);
        }
    }

    #[test]
    fn the_alternate_form_of_a_text_is_kept() {
        assert_eq!(format!("{:#}", one_line(Both)), "long\\n");
        assert_eq!(format!("{}", one_line(Both)), "short\\n");
    }

    struct Both;

    impl fmt::Display for Both {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(if f.alternate() { "long\n" } else { "short\n" })
        }
    }

    /// The fillers of Hangul count as letters, and have no glyph.
    #[test]
    fn no_letter_that_can_be_seen_is_hidden() {
        let letters = ('\0'..=char::MAX).filter(|c| is_hidden(*c) && c.is_alphanumeric());
        assert_eq!(letters.collect::<Vec<_>>(), ['\u{115f}', '\u{1160}', '\u{3164}', '\u{ffa0}']);
    }
}
