//! Paths of cells, as linked names: the text of a path is made when it is read.
//!
//! A failure carries its path, and most paths are never read. Made in advance, each path in a deep tree would be as
//! long as the tree is deep.

use std::fmt;

use crate::base::sync::{Arc, OnceLock};
use crate::values::path::escaped;

/// The name of a cell: declared children have a text, instances of a set a number. The text is escaped as in a path.
#[derive(Debug, Clone)]
pub(crate) enum Name {
    Text(Box<str>),
    Number(u64),
    /// The name of the cell that stands above a top-level actor instead of a supervisor (S39).
    Guardian,
}

impl Name {
    /// Appends the name to a path. Each failure carries its path, so this does not use `fmt`.
    pub(crate) fn push_to(&self, path: &mut String) {
        match self {
            Name::Text(text) => path.push_str(text),
            Name::Guardian => path.push_str("guardian"),
            Name::Number(number) => {
                path.push('#');
                push_number(path, *number);
            }
        }
    }
}

fn push_number(text: &mut String, number: u64) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

impl From<&str> for Name {
    fn from(name: &str) -> Self {
        Name::Text(escaped(name).into())
    }
}

/// A cell with children, as a part of their paths.
pub(crate) struct Place {
    above: Option<Arc<Place>>,
    name: Name,
}

impl Place {
    pub(crate) fn new(above: Option<Arc<Place>>, name: Name) -> Self {
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
pub(crate) struct Path {
    above: Option<Arc<Place>>,
    name: Name,
    text: OnceLock<Box<str>>,
}

impl Path {
    pub(crate) fn new(above: Option<Arc<Place>>, name: Name) -> Self {
        Path { above, name, text: OnceLock::new() }
    }

    pub(crate) fn as_str(&self) -> &str {
        self.text.get_or_init(|| written(self.above.as_deref(), &self.name).into())
    }
}

/// Makes the text, for example `reports/daily`.
fn written(above: Option<&Place>, name: &Name) -> String {
    let above: Vec<&Place> = std::iter::successors(above, |place| place.above.as_deref()).collect();
    let mut text = String::with_capacity(32);
    for place in above.into_iter().rev() {
        place.name.push_to(&mut text);
        text.push('/');
    }
    name.push_to(&mut text);
    text
}

impl From<String> for Path {
    fn from(text: String) -> Self {
        let path = Path::new(None, Name::Guardian); // the name is not read, since the text is set
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
