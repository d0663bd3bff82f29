//! Paths as text: the names below the root, with `/` between them.
//!
//! In a name, `/` is written `%2F`, `%` is `%25`, and `\` is `%5C`. A control character, or a character that cannot be
//! seen, is written as its Rust escape: `\n`, `\u{202e}`. So two names never have the same text (S27). Every API that
//! shows a path shows this text. [`segments`] returns the names in it, and [`of`] makes a path from names.
//!
//! ```
//! use supervise::{path, prelude::*};
//! # struct Shelf;
//! # #[actor]
//! # impl Shelf { fn handle(&mut self, _msg: ()) {} }
//!
//! supervisor! {
//!     struct House {
//!         shelves: [String => Shelf] = |_name: String| Shelf,
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let house = House::start().await?;
//! let shelf = house.shelves.spawn("jam/honey".to_owned()).await?;
//! assert_eq!(shelf.path(), "shelves/jam%2Fhoney");
//! assert!(path::segments(&shelf.path()).eq(["shelves", "jam/honey"]));
//! assert!(house.snapshot().find(&path::of(["shelves", "jam/honey"])).is_some());
//! # Ok(())
//! # }
//! ```

use std::borrow::Cow;

use crate::base::line;

/// Returns the names in a path, from the first below the root to the last: `shelves/jam%2Fhoney` has `shelves` and
/// `jam/honey`. An element of an array has two names: `shards/0` has `shards` and `0`.
pub fn segments(path: &str) -> impl Iterator<Item = Cow<'_, str>> {
    path.split('/').map(unescaped)
}

/// Makes a path from names, for [`Snapshot::find`](https://docs.rs/supervise-tree/latest/supervise/inspect/struct.Snapshot.html#method.find).
pub fn of<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> String {
    let mut path = String::new();
    for (place, name) in names.into_iter().enumerate() {
        if place > 0 {
            path.push('/');
        }
        path.push_str(&escaped(name.as_ref()));
    }
    path
}

fn is_odd(c: char) -> bool {
    matches!(c, '/' | '%' | '\\') || line::is_hidden(c)
}

/// Escapes a name for a path. A line break in a key must not look like another line of a log, and a `/` in it must not
/// look like another child.
#[doc(hidden)]
pub fn escaped(name: &str) -> Cow<'_, str> {
    if !name.contains(is_odd) {
        return Cow::Borrowed(name);
    }
    let mut shown = String::with_capacity(name.len() + 8);
    for c in name.chars() {
        match c {
            '/' => shown.push_str("%2F"),
            '%' => shown.push_str("%25"),
            '\\' => shown.push_str("%5C"),
            c if line::is_hidden(c) => shown.extend(line::escaped(c)),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Text that [`escaped`] cannot have written is left as it is.
fn unescaped(shown: &str) -> Cow<'_, str> {
    if !shown.contains(['%', '\\']) {
        return Cow::Borrowed(shown);
    }
    let mut name = String::with_capacity(shown.len());
    let mut rest = shown;
    while let Some(at) = rest.find(['%', '\\']) {
        name.push_str(&rest[..at]);
        let (c, length) = decoded(&rest[at..]);
        name.push(c);
        rest = &rest[at + length..];
    }
    name.push_str(rest);
    Cow::Owned(name)
}

/// Returns the first character, and the length of its escaped form.
fn decoded(text: &str) -> (char, usize) {
    const KNOWN: [(&str, char); 6] =
        [("%2F", '/'), ("%25", '%'), ("%5C", '\\'), ("\\n", '\n'), ("\\r", '\r'), ("\\t", '\t')];
    if let Some((shown, c)) = KNOWN.iter().find(|(shown, _)| text.starts_with(shown)) {
        return (*c, shown.len());
    }
    let number = text.strip_prefix("\\u{").and_then(|rest| rest.split_once('}')).map(|(number, _)| number);
    match number.and_then(|number| Some((char::from_u32(u32::from_str_radix(number, 16).ok()?)?, number.len() + 4))) {
        Some(found) => found,
        None => (if text.starts_with('%') { '%' } else { '\\' }, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back_and_no_two_look_the_same() {
        let pieces = [
            "a", "/", "%", "\\", "\n", "\0", "\u{1b}", "\u{85}", "\u{202e}", "\u{feff}", "n", "2F", "u{1b}", "u{202e}",
            "é", "'", "\"",
        ];
        let mut shown = std::collections::HashMap::new();
        for one in pieces {
            for two in pieces {
                for three in pieces {
                    let name = format!("{one}{two}{three}");
                    let path = of([&*name, "b"]);
                    assert!(!path.contains(line::is_hidden), "{path:?}");
                    assert!(segments(&path).eq([&*name, "b"]), "{name:?} is {path:?}");
                    let before = shown.insert(path, name.clone());
                    assert!(before.is_none_or(|before| before == name), "{name:?}");
                }
            }
        }
    }

    #[test]
    fn what_was_not_escaped_stays_as_it_is() {
        for text in ["100%", "%2f", "\\", "\\u{", "\\u{zz}", "\\u{d800}", "%é"] {
            assert!(segments(text).eq([text]), "{text}");
        }
    }
}
