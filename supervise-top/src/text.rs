//! Texts that come from elsewhere: made harmless for a terminal, and measured in columns.
//!
//! Names, keys of sets and errors belong to the users of the program that is shown. An escape sequence in one of them must
//! not reach the terminal, nor a mark that turns the direction of the text.

use std::fmt::Write;

use unicode_width::UnicodeWidthChar;

/// The combining characters that one cell may have.
const MARKS: usize = 4;

/// Returns the text with control characters written as in Rust, and without those that change the direction or have no
/// width. With `ascii`, every other character outside of ASCII is a question mark.
///
/// ```
/// use supervise_top::text::clean;
///
/// assert_eq!(clean("a\u{1b}[2Jb\n", false), "a\\u{1b}[2Jb\\n");
/// assert_eq!(clean("żółw\u{202e}", false), "żółw");
/// assert_eq!(clean("żółw", true), "???w");
/// ```
pub fn clean(text: &str, ascii: bool) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut marks = 0;
    for letter in text.chars() {
        match letter {
            ' '..='~' => clean.push(letter),
            _ if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}') => {
                _ = write!(clean, "{}", letter.escape_default()); // a string takes everything
            }
            _ if is_invisible(letter) => continue,
            _ => match letter.width() {
                // A mark needs a letter to sit on.
                Some(0) if ascii || clean.is_empty() || marks >= MARKS => continue,
                Some(0) => {
                    clean.push(letter);
                    marks += 1;
                    continue;
                }
                _ if ascii => clean.push('?'),
                _ => clean.push(letter),
            },
        }
        marks = 0;
    }
    clean
}

/// Returns whether the character is one of those that join, select a variant, or set the direction: terminals disagree
/// about their widths, or reorder what follows.
fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Returns the columns that a clean text takes.
pub fn width(text: &str) -> usize {
    text.chars().map(|letter| letter.width().unwrap_or(0)).sum()
}

/// Returns a clean text cut to this many columns, with a mark at the end if something is missing.
///
/// ```
/// use supervise_top::text::fit;
///
/// assert_eq!(fit("thumbnails", 6, "…"), "thumb…");
/// assert_eq!(fit("李雷和韩梅梅", 6, "…"), "李雷…"); // each takes two columns
/// ```
pub fn fit(text: &str, columns: usize, mark: &str) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut room = columns.saturating_sub(width(mark));
    let mut fitted = String::new();
    for letter in text.chars() {
        let wide = letter.width().unwrap_or(0);
        if wide > room {
            break;
        }
        room -= wide;
        fitted.push(letter);
    }
    if width(mark) <= columns {
        fitted.push_str(mark);
    }
    fitted
}

/// Returns the lines of a clean text, broken between words where that is possible.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let mut word = word;
        if !line.is_empty() && width(&line) + 1 + width(word) > columns {
            lines.push(std::mem::take(&mut line));
        } else if !line.is_empty() {
            line.push(' ');
        }
        while width(&line) + width(word) > columns {
            let mut end = 0;
            let mut room = columns.saturating_sub(width(&line));
            for (at, letter) in word.char_indices() {
                let wide = letter.width().unwrap_or(0);
                if wide > room && at + line.len() > 0 {
                    break;
                }
                room = room.saturating_sub(wide);
                end = at + letter.len_utf8();
            }
            line.push_str(&word[..end]);
            lines.push(std::mem::take(&mut line));
            word = &word[end..];
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}
