//! The codec of what crosses: MessagePack with named fields, by `rmp-serde`, and two additions (S61).
//!
//! MessagePack has one nil, for `None` and for `()`, so `Some(None)` and `Some(())` would arrive as `None`. A `Some` whose own value
//! is written as nil is written as a mark here, with the number of `Some`s around the nil. All else has the bytes of `rmp-serde`.
//!
//! Lists, maps and variants that are nested too deeply are refused before they can overflow a stack, at both ends. A type that
//! is nothing but an option of itself is not counted where it is read.
//!
//! The extension of type 0x53 with four bytes is taken: a value of the user's own may not be that one.

mod scan;
mod some;

use std::cell::RefCell;
use std::io::{self, Write};

use rmp_serde::Serializer;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The most levels of lists, maps, variants and `Some`s.
const MOST_LEVELS: usize = 128;

/// The text of a value that is nested too deeply.
fn too_deep() -> String {
    format!("it is nested deeper than {MOST_LEVELS} levels; send it as a flat list, or as bytes")
}

/// The bytes that are written so far. Shared by the serializer and the code around it that looks at them.
#[derive(Default)]
struct Written(RefCell<Vec<u8>>);

impl Write for &Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a value.
///
/// # Errors
///
/// The text of the error of its `Serialize`, or of a value that is nested too deeply.
pub fn write<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, String> {
    write_at(value, 0).map_err(|error| error.to_string())
}

fn write_at<T: Serialize + ?Sized>(value: &T, level: usize) -> Result<Vec<u8>, rmp_serde::encode::Error> {
    let written = Written::default();
    let mut serializer = Serializer::new(&written).with_struct_map();
    value.serialize(some::Out::new(&mut serializer, &written, level))?;
    Ok(written.0.into_inner())
}

/// Reads a value.
///
/// # Errors
///
/// The text of the error of its `Deserialize`, with the path to the place if the value has a mark; or the text of a value that
/// is nested too deeply.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    match scan::scan(bytes, MOST_LEVELS) {
        scan::Found::TooDeep => Err(too_deep()),
        scan::Found::Plain => rmp_serde::from_slice(bytes).map_err(|error| error.to_string()),
        scan::Found::Marks => some::read(bytes),
    }
}

#[cfg(test)]
mod tests;
