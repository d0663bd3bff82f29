//! Paths of cells, as linked names: the text of a path is made when it is read.
//!
//! A failure carries its path, and most paths are never read. Made in advance, each path in a deep tree would be as
//! long as the tree is deep.

use std::fmt;
use std::iter::successors;

use crate::base::sync::{Arc, OnceLock};
use crate::values::path::escaped;

/// The name of a cell, as it is in a path.
#[derive(Debug, Clone)]
pub enum Name {
    /// A name of the declaration: an identifier, so nothing in it has to be escaped.
    Declared(&'static str),
    /// An element of a declared array. Its index is a part of the path of its own.
    Element(&'static str, u32),
    /// A name that was given at run time, escaped.
    Text(Box<str>),
    /// An instance of a set without keys. None ever has the greatest number: it stands for the guardian.
    Number(u64),
}

impl Name {
    /// The name of the cell that stands above a top-level actor instead of a supervisor (S39).
    pub const GUARDIAN: Name = Name::Number(u64::MAX);

    pub fn is_guardian(&self) -> bool {
        matches!(self, Name::Number(u64::MAX))
    }

    /// Returns what follows this name in a path that begins with it: nothing, or the names below.
    pub fn strip<'a>(&self, path: &'a str) -> Option<&'a str> {
        let rest = match self {
            Name::Declared(name) => path.strip_prefix(*name)?,
            Name::Element(name, index) => number(path.strip_prefix(*name)?.strip_prefix('/')?, (*index).into())?,
            Name::Text(text) => path.strip_prefix(&**text)?,
            Name::Number(_) if self.is_guardian() => path.strip_prefix(GUARDIAN)?,
            Name::Number(own) => number(path.strip_prefix('#')?, *own)?,
        };
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/').filter(|below| !below.is_empty()) }
    }

    fn len(&self) -> usize {
        match self {
            Name::Declared(name) => name.len(),
            Name::Element(name, index) => name.len() + 1 + digits((*index).into()),
            Name::Text(text) => text.len(),
            Name::Number(_) if self.is_guardian() => GUARDIAN.len(),
            Name::Number(number) => 1 + digits(*number),
        }
    }

    /// Writes the name before what is written.
    fn write(&self, path: &mut Backwards) {
        match self {
            Name::Declared(name) => path.push(name.as_bytes()),
            Name::Element(name, index) => {
                path.push_number((*index).into());
                path.push(b"/");
                path.push(name.as_bytes());
            }
            Name::Text(text) => path.push(text.as_bytes()),
            Name::Number(_) if self.is_guardian() => path.push(GUARDIAN.as_bytes()),
            Name::Number(number) => {
                path.push_number(*number);
                path.push(b"#");
            }
        }
    }
}

/// Returns what follows this number in a text that begins with it.
fn number(text: &str, number: u64) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let is_plain = digits == 1 || !text.starts_with('0'); // `#07` is not `#7`
    (is_plain && text[..digits].parse() == Ok(number)).then(|| &text[digits..])
}

/// Returns the length of a number as text.
fn digits(number: u64) -> usize {
    1 + number.checked_ilog10().unwrap_or(0) as usize
}

const GUARDIAN: &str = "guardian";

/// A text of known length that is written from its end, since a path is known from the child up. A list of the names
/// above would be another allocation. Each report and many failures write a path, so this does not use `fmt`.
struct Backwards {
    bytes: Vec<u8>,
    start: usize,
}

impl Backwards {
    fn push(&mut self, part: &[u8]) {
        let end = self.start;
        self.start -= part.len();
        self.bytes[self.start..end].copy_from_slice(part);
    }

    fn push_number(&mut self, mut rest: u64) {
        loop {
            self.push(&[b'0' + (rest % 10) as u8]);
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
    }
}

/// Returns a path, for example `reports/daily`. `above`: the names above, from the lowest to the highest. Walked in
/// loops, since the depth of a tree may exceed the stack.
pub fn text<'a>(name: &Name, above: impl Iterator<Item = &'a Name> + Clone) -> String {
    let len = name.len() + above.clone().map(|name| name.len() + 1).sum::<usize>();
    let mut path = Backwards { bytes: vec![0; len], start: len };
    name.write(&mut path);
    for name in above {
        path.push(b"/");
        name.write(&mut path);
    }
    String::from_utf8(path.bytes).expect("names are texts")
}

impl Name {
    /// Returns the name of a cell whose path this is, with its names escaped: that of a child of another process.
    pub fn of_path(path: String) -> Self {
        Name::Text(path.into())
    }
}

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Name::Text(escaped(name).into())
    }
}

/// A cell with children, as a part of their paths.
#[expect(missing_debug_implementations, reason = "only the crates beside this one see it")]
pub struct Place {
    above: Option<Arc<Place>>,
    name: Name,
}

impl Place {
    pub fn new(above: Option<Arc<Place>>, name: Name) -> Self {
        Place { above, name }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // A loop, since recursion over a deep tree could exhaust the stack.
        let mut next = self.above.take();
        while let Some(place) = next {
            next = Arc::into_inner(place).and_then(|mut last| last.above.take());
        }
    }
}

/// The path of one cell.
#[derive(Clone)]
pub struct Path {
    above: Option<Arc<Place>>,
    name: Name,
    text: OnceLock<Box<str>>,
}

impl Path {
    pub fn new(above: Option<Arc<Place>>, name: Name) -> Self {
        Path { above, name, text: OnceLock::new() }
    }

    pub fn as_str(&self) -> &str {
        self.text.get_or_init(|| self.written().into())
    }

    /// Returns the text, without keeping it.
    pub fn to_text(&self) -> String {
        self.text.get().map_or_else(|| self.written(), |text| text.to_string())
    }

    fn written(&self) -> String {
        let above = successors(self.above.as_deref(), |place| place.above.as_deref());
        text(&self.name, above.map(|place| &place.name))
    }
}

impl From<String> for Path {
    fn from(text: String) -> Self {
        let path = Path::new(None, Name::GUARDIAN); // the name is not read, since the text is set
        let _ = path.text.set(text.into());
        path
    }
}

impl From<&str> for Path {
    fn from(text: &str) -> Self {
        Path::from(text.to_owned())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_ends_with_a_name_or_a_number() {
        let above = [Name::from("daily"), Name::GUARDIAN, Name::Number(10)];
        for (number, expected) in [(0, "#0"), (9, "#9"), (10, "#10"), (u64::MAX - 1, "#18446744073709551614")] {
            assert_eq!(text(&Name::Number(number), above.iter()), format!("#10/guardian/daily/{expected}"));
        }
        for (index, expected) in [(0, "jam/0"), (9, "jam/9"), (10, "jam/10"), (u32::MAX, "jam/4294967295")] {
            assert_eq!(text(&Name::Element("jam", index), above.iter()), format!("#10/guardian/daily/{expected}"));
        }
        assert_eq!(text(&Name::from("one"), [].into_iter()), "one");
    }

    #[test]
    fn a_name_is_stripped_from_the_paths_that_begin_with_it() {
        for name in
            [Name::Declared("jam"), Name::Element("jam", 10), Name::from("a/b"), Name::Number(7), Name::GUARDIAN]
        {
            let own = text(&name, [].into_iter());
            assert_eq!(name.strip(&own), Some(""), "{own}");
            assert_eq!(name.strip(&format!("{own}/below/1")), Some("below/1"), "{own}");
            for other in [
                format!("{own}x"),
                format!("{own}/"),
                format!("x{own}"),
                format!("{own}0"),
                own[..own.len() - 1].to_owned(),
            ] {
                assert_eq!(name.strip(&other), None, "{own} is not {other}");
            }
        }
        assert_eq!((Name::Number(7).strip("#07"), Name::Number(0).strip("#0")), (None, Some("")));
    }

    /// S6: a path of any depth is made, written and dropped without recursion.
    #[test]
    fn a_path_of_any_depth_is_written_once_it_is_read() {
        let test = || {
            let mut above = None;
            for _ in 0..100_000 {
                above = Some(Arc::new(Place::new(above, Name::from("n"))));
            }
            let path = Path::new(above, Name::Number(7));
            assert!(path.text.get().is_none());
            assert!(path.as_str().starts_with("n/n/") && path.as_str().ends_with("/n/#7"));
            assert_eq!(path.as_str().len(), 200_002);
        };
        let thread = std::thread::Builder::new().stack_size(128 * 1024).spawn(test).expect("a thread");
        thread.join().expect("it goes through");
    }
}
