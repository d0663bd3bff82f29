//! A look over written bytes that reads no value, takes no stack, and no more steps than there are values.

use super::some;

/// The outcome of a [`scan`].
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// MessagePack without a mark. Bytes that are cut off or wrong are this too: their reader says so.
    Plain,
    /// MessagePack with a mark at least.
    Marks,
    TooDeep,
}

/// Looks for marks, and for lists and maps that are nested deeper than this.
pub(super) fn scan(bytes: &[u8], most: usize) -> Found {
    let mut found = Found::Plain;
    let mut at = 0;
    // The numbers of values that are still to come, by level.
    let mut open: Vec<u64> = Vec::new();
    while let Some(&first) = bytes.get(at) {
        let Some((length, inside)) = header(first, &bytes[at + 1..]) else { return found };
        if some::mark(&bytes[at..]).is_some() {
            found = Found::Marks;
        }
        at = usize::try_from(length).map_or(usize::MAX, |length| at.saturating_add(1).saturating_add(length));
        if inside > 0 {
            if open.len() == most {
                return Found::TooDeep;
            }
            open.push(inside);
            continue;
        }
        while let Some(left) = open.last_mut() {
            *left -= 1;
            if *left > 0 {
                break;
            }
            open.pop();
        }
    }
    found
}

/// Returns the bytes of a value after its first one, without those of the values in it, and the number of these. `None`: the
/// value is cut off.
fn header(first: u8, rest: &[u8]) -> Option<(u64, u64)> {
    let number = |size: usize| Some(rest.get(..size)?.iter().fold(0, |sum, byte| (sum << 8) | u64::from(*byte)));
    Some(match first {
        0x80..=0x8f => (0, 2 * u64::from(first & 0x0f)),
        0x90..=0x9f => (0, u64::from(first & 0x0f)),
        0xa0..=0xbf => (u64::from(first & 0x1f), 0),
        0xc4 | 0xd9 => (1 + number(1)?, 0),
        0xc5 | 0xda => (2 + number(2)?, 0),
        0xc6 | 0xdb => (4 + number(4)?, 0),
        0xc7 => (2 + number(1)?, 0),
        0xc8 => (3 + number(2)?, 0),
        0xc9 => (5 + number(4)?, 0),
        0xcc | 0xd0 => (1, 0),
        0xcd | 0xd1 => (2, 0),
        0xca | 0xce | 0xd2 => (4, 0),
        0xcb | 0xcf | 0xd3 => (8, 0),
        0xd4..=0xd8 => (1 + (1 << (first - 0xd4)), 0),
        0xdc => (2, number(2)?),
        0xdd => (4, number(4)?),
        0xde => (2, 2 * number(2)?),
        0xdf => (4, 2 * number(4)?),
        _ => (0, 0),
    })
}
