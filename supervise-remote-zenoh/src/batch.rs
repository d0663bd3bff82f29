//! The bytes of one put: a run of frames, or the word that nothing more follows.
//!
//! ```text
//! version 1 | kind 1 | number 8 | body            all numbers are little-endian
//!   kind 0, frames: (length 4 | bytes)+
//!   kind 1, end:    why, as UTF-8
//!   kind 2, piece:  bytes of a long frame, of which more follow
//!   kind 3, last:   the last bytes of a long frame
//! ```
//!
//! zenoh gives each put one lease to be taken. A long frame goes in pieces, so that this is no limit for a slow connection.
//!
//! Each batch has one form only, so what decodes is what was encoded.

use std::fmt;

/// Frames are put together until a batch has this length. A longer frame goes in pieces of this length.
const FULL: usize = 128 << 10;

/// The longest reason of an end.
const MAX_WHY: usize = 256;

const VERSION: u8 = 1;
const HEADER: usize = 10;
const LENGTH: usize = 4;

/// The length of the longest batch.
pub(crate) fn most() -> usize {
    HEADER + LENGTH + FULL
}

/// A decoded batch. The number of a batch is one more than that of the batch before it, for one sender and receiver.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) number: u64,
    pub(crate) body: Body,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Body {
    Frames(Vec<Vec<u8>>),
    /// Bytes of a long frame.
    Piece {
        bytes: Vec<u8>,
        last: bool,
    },
    /// The sender has ended this pair. Nothing more is sent.
    End {
        why: String,
    },
}

/// Bytes that are no batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadBatch {
    Version(u8),
    Kind(u8),
    TooShort,
    Empty,
    FrameTooLong(usize),
    NoPiece,
    Text,
}

impl fmt::Display for BadBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadBatch::Version(version) => write!(f, "a batch of version {version}, and this is version {VERSION}"),
            BadBatch::Kind(kind) => write!(f, "a batch of the unknown kind {kind}"),
            BadBatch::TooShort => f.write_str("a batch that is cut off"),
            BadBatch::Empty => f.write_str("a batch without frames"),
            BadBatch::FrameTooLong(length) => write!(f, "a frame of {length} bytes, which is too long"),
            BadBatch::NoPiece => f.write_str("a frame within the pieces of another one"),
            BadBatch::Text => f.write_str("an end whose reason is no text, or too long"),
        }
    }
}

fn header(kind: u8, number: u64, body: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + body);
    bytes.extend([VERSION, kind]);
    bytes.extend(number.to_le_bytes());
    bytes
}

/// The first frames of `rest` as one batch, and the frames behind them. A frame is shorter than 4 GiB.
pub(crate) fn frames(number: u64, rest: &[Vec<u8>]) -> (Vec<u8>, &[Vec<u8>]) {
    let mut body = 0;
    let fits = rest
        .iter()
        .take_while(|frame| {
            let before = body;
            body += LENGTH + frame.len();
            before == 0 || body <= FULL
        })
        .count();
    let (first, behind) = rest.split_at(fits);
    let mut bytes = header(0, number, first.iter().map(|frame| LENGTH + frame.len()).sum());
    for frame in first {
        let length = u32::try_from(frame.len()).expect("a frame is shorter than 4 GiB");
        bytes.extend(length.to_le_bytes());
        bytes.extend_from_slice(frame);
    }
    (bytes, behind)
}

/// The first frame of `rest` in pieces, if it is longer than a batch, with the number of the first one; and the frames behind it.
pub(crate) fn pieces(number: u64, rest: &[Vec<u8>]) -> Option<(impl Iterator<Item = Vec<u8>>, &[Vec<u8>])> {
    let (frame, behind) = rest.split_first().filter(|(frame, _)| frame.len() > FULL)?;
    let last = (frame.len() - 1) / FULL;
    let pieces = (number..).zip(frame.chunks(FULL).enumerate()).map(move |(number, (at, piece))| {
        let mut bytes = header(if at == last { 3 } else { 2 }, number, piece.len());
        bytes.extend_from_slice(piece);
        bytes
    });
    Some((pieces, behind))
}

/// The last batch of a pair. A reason that is too long is cut.
pub(crate) fn end(number: u64, why: &str) -> Vec<u8> {
    let cut = (0..=why.len().min(MAX_WHY)).rev().find(|&at| why.is_char_boundary(at)).unwrap_or(0);
    let mut bytes = header(1, number, cut);
    bytes.extend_from_slice(&why.as_bytes()[..cut]);
    bytes
}

/// Reads one batch. Allocates no more than the bytes that are there.
pub(crate) fn decode(bytes: &[u8], max_frame: usize) -> Result<Batch, BadBatch> {
    let (&[version, kind], rest) = bytes.split_first_chunk().ok_or(BadBatch::TooShort)?;
    if version != VERSION {
        return Err(BadBatch::Version(version));
    }
    let (number, mut rest) = rest.split_first_chunk().ok_or(BadBatch::TooShort)?;
    let body = match kind {
        0 => {
            let mut frames = Vec::new();
            while !rest.is_empty() {
                let (length, behind) = rest.split_first_chunk().ok_or(BadBatch::TooShort)?;
                let length = u32::from_le_bytes(*length) as usize;
                if length > max_frame {
                    return Err(BadBatch::FrameTooLong(length));
                }
                let (frame, behind) = behind.split_at_checked(length).ok_or(BadBatch::TooShort)?;
                frames.push(frame.to_vec());
                rest = behind;
            }
            if frames.is_empty() {
                return Err(BadBatch::Empty);
            }
            Body::Frames(frames)
        }
        1 => match std::str::from_utf8(rest) {
            Ok(why) if why.len() <= MAX_WHY => Body::End { why: why.to_owned() },
            _ => return Err(BadBatch::Text),
        },
        2 | 3 if rest.is_empty() => return Err(BadBatch::Empty),
        2 | 3 => Body::Piece { bytes: rest.to_vec(), last: kind == 3 },
        kind => return Err(BadBatch::Kind(kind)),
    };
    Ok(Batch { number: u64::from_le_bytes(*number), body })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The length of a batch of one frame of this length, or of several that fill it.
    fn longest(max_frame: usize) -> usize {
        HEADER + FULL.max(LENGTH + max_frame)
    }

    const MAX_FRAME: usize = 1 << 20;

    fn decode(bytes: &[u8]) -> Result<Batch, BadBatch> {
        super::decode(bytes, MAX_FRAME)
    }

    /// A small generator: the same values for the same seed.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % end
        }

        fn bytes(&mut self, most: u64) -> Vec<u8> {
            (0..self.below(most + 1)).map(|_| self.below(256) as u8).collect()
        }
    }

    fn encode(batch: &Batch) -> Vec<u8> {
        match &batch.body {
            Body::Frames(all) => {
                let (bytes, behind) = frames(batch.number, all);
                assert!(behind.is_empty());
                bytes
            }
            Body::Piece { bytes, last } => {
                [&header(if *last { 3 } else { 2 }, batch.number, bytes.len()), &bytes[..]].concat()
            }
            Body::End { why } => end(batch.number, why),
        }
    }

    fn some(random: &mut Random) -> Batch {
        let number = random.below(u64::MAX >> 33);
        let body = match random.below(6) {
            1 => Body::Piece { bytes: [random.bytes(40), vec![7]].concat(), last: random.below(2) == 0 },
            0 => Body::End { why: String::from_utf8_lossy(&random.bytes(40)).into_owned() },
            _ => Body::Frames((0..=random.below(6)).map(|_| random.bytes(30)).collect()),
        };
        Batch { number, body }
    }

    #[test]
    fn a_batch_decodes_to_what_was_encoded() {
        let mut random = Random(1);
        for _ in 0..20_000 {
            let batch = some(&mut random);
            assert_eq!(decode(&encode(&batch)), Ok(batch));
        }
    }

    #[test]
    fn any_bytes_are_refused_or_have_this_one_form() {
        let mut random = Random(2);
        let mut decoded = 0;
        for round in 0..200_000 {
            let mut bytes = if round % 4 == 0 { random.bytes(60) } else { encode(&some(&mut random)) };
            for _ in 0..random.below(4) {
                match random.below(3) {
                    0 => bytes.truncate(random.below(bytes.len() as u64 + 1) as usize),
                    1 => bytes.extend(random.bytes(5)),
                    _ if bytes.is_empty() => {}
                    _ => {
                        let at = random.below(bytes.len() as u64) as usize;
                        bytes[at] = random.below(256) as u8;
                    }
                }
            }
            if let Ok(batch) = decode(&bytes) {
                assert_eq!(encode(&batch), bytes);
                decoded += 1;
            }
        }
        assert!((20_000..180_000).contains(&decoded), "{decoded} of 200,000 decode, so one side is hardly tried");
    }

    #[test]
    fn each_mistake_is_named() {
        let good = encode(&Batch { number: 7, body: Body::Frames(vec![b"ab".to_vec()]) });
        for cut in 0..good.len() {
            let expected = if cut == HEADER { BadBatch::Empty } else { BadBatch::TooShort };
            assert_eq!(decode(&good[..cut]), Err(expected), "cut at {cut}");
        }
        let with = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            decode(&bytes)
        };
        assert_eq!(with(0, 2), Err(BadBatch::Version(2)));
        assert_eq!(with(1, 9), Err(BadBatch::Kind(9)));
        assert_eq!(with(HEADER + 3, 2), Err(BadBatch::FrameTooLong((2 << 24) + 2)));
        let mut end = end(7, "because");
        *end.last_mut().unwrap() = 0xff;
        assert_eq!(decode(&end), Err(BadBatch::Text));
    }

    #[test]
    fn a_batch_is_full_at_a_length_and_no_frame_is_lost() {
        let all: Vec<_> = (0..100_u8).map(|n| vec![n; 5_000]).chain([vec![7; MAX_FRAME], vec![8]]).collect();
        let (mut rest, mut number, mut back) = (&all[..], 0, Vec::new());
        while !rest.is_empty() {
            let (bytes, behind) = frames(number, rest);
            assert_eq!(bytes.len(), bytes.capacity(), "one allocation for each batch");
            assert!(bytes.len() <= if rest[0].len() == MAX_FRAME { longest(MAX_FRAME) } else { longest(0) });
            let batch = decode(&bytes).unwrap();
            assert_eq!(batch.number, number);
            let Body::Frames(frames) = batch.body else { panic!("an end") };
            back.extend(frames);
            (rest, number) = (behind, number + 1);
        }
        assert_eq!(back, all);
        assert_eq!(number, 6);
    }

    #[test]
    fn a_long_frame_goes_in_pieces() {
        assert!(pieces(7, &[vec![1; FULL], vec![2; MAX_FRAME]]).is_none());
        for length in [FULL + 1, 2 * FULL, 2 * FULL + 1, MAX_FRAME] {
            let frame: Vec<_> = (0..length).map(|n| (n % 251) as u8).collect();
            let rest = [frame.clone(), vec![9]];
            let (pieces, behind) = pieces(7, &rest).unwrap();
            assert_eq!(behind, [vec![9]]);
            let (mut back, mut ended) = (Vec::new(), false);
            for (number, piece) in (7..).zip(pieces) {
                assert!(piece.len() <= longest(0) && !ended);
                let batch = decode(&piece).unwrap();
                let Body::Piece { bytes, last } = batch.body else { panic!("no piece") };
                assert_eq!(batch.number, number);
                back.extend(bytes);
                ended = last;
            }
            assert!(ended && back == frame, "{length}");
        }
    }

    #[test]
    fn a_long_reason_is_cut_between_characters() {
        let why = "ü".repeat(200);
        let Body::End { why } = decode(&end(0, &why)).unwrap().body else { panic!("frames") };
        assert_eq!(why, "ü".repeat(128));
    }
}
