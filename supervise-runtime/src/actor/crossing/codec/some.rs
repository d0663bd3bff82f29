//! A serializer and a deserializer around those of `rmp-serde`, for a `Some` whose own value is written as nil.

mod read;
mod write;

pub(super) use read::read;
pub(super) use write::Out;

/// The type of the extension that marks a nil inside of `Some`s.
const TYPE: u8 = 0x53;

const NIL: u8 = 0xc0;

/// The number of bytes of a mark.
const LENGTH: usize = 6;

/// Returns the mark of a nil inside of so many `Some`s: an extension of four bytes.
fn marked(somes: u32) -> [u8; LENGTH] {
    let [a, b, c, d] = somes.to_be_bytes();
    [0xd6, TYPE, a, b, c, d]
}

/// Returns the number of `Some`s if these bytes begin with a mark.
pub(super) fn mark(bytes: &[u8]) -> Option<u32> {
    match *bytes {
        [0xd6, TYPE, a, b, c, d, ..] => Some(u32::from_be_bytes([a, b, c, d])),
        _ => None,
    }
}
