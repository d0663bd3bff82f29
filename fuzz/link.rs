//! All that a process reads of foreign text and bytes before frames come: greetings, batches, keys, the rights in certificates,
//! and its own settings. Shared by the fuzzer and a test of `supervise-remote-zenoh`; the modules are those of that crate.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use supervise_remote::wire::Side;

use crate::batch::{self, Body};
use crate::greeting::{Greeted, greet};
use crate::rights::Granted;
use crate::{Settings, key};

/// The longest frame in batches here.
const MAX_FRAME: usize = 300;

/// Input that is right, for each reader.
const SEEDS: [&[u8]; 14] = [
    b"supervis\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x09\x01",
    b"supervis\x01\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x07",
    b"supervis\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0",
    b"\x01\0\x07\0\0\0\0\0\0\0\x02\0\0\0ab\0\0\0\0\x01\0\0\0c",
    b"\x01\x01\x07\0\0\0\0\0\0\0it left",
    b"\x01\x02\x07\0\0\0\0\0\0\0some bytes",
    b"\x01\x03\x08\0\0\0\0\0\0\0the rest",
    b"supervise/prod/live/node/host-7/00a1b2c3d4e5f607.12",
    b"supervise/prod/to/shop/00a1.0/from/node/host_7.eu/00b1.3",
    b"supervise://host-7@prod/node/worker\nhttps://host\nsupervise://*@prod/node/spot\nsupervise://shop@*/owner/*",
    b"name = 'shop'\nlisten = ['127.0.0.1:7447', '[::1]:7447']\nnetwork = 'prod'\nlease = '1m 30s'\nmax_frame = 4096\n",
    b"name = 'a'\nconnect = ['h:1']\nlease = 2.5\n[tls]\ncert = 'c'\nkey = 'k'\nca = 'a'\nrevoked = ['r']\n",
    b"A_NAME=shop\nA_LISTEN=0.0.0.0:1,[::]:2\nA_NETWORK=prod\nA_LEASE=500ms\nA_MAX_FRAME=9\nA_INSECURE=true\nB=1",
    b"A_NAME=a\nA_CONNECT=h:1\nA_TLS_CERT=c\nA_TLS_KEY=k\nA_TLS_CA=a\nA_TLS_REVOKED=r,s\nA_LEASE=2.5",
];

/// Input with mistakes: a seed that the first byte chooses, and an edit for each three bytes behind it.
#[allow(unreachable_pub)] // in a test
pub fn mutated(bytes: &[u8]) -> Vec<u8> {
    let Some((&choice, edits)) = bytes.split_first() else { return Vec::new() };
    let mut input = SEEDS[usize::from(choice) % SEEDS.len()].to_vec();
    for edit in edits.chunks_exact(3) {
        let (at, byte) = (usize::from(edit[1]) % (input.len() + 1), edit[2]);
        match edit[0] % 8 {
            0 if at < input.len() => drop(input.remove(at)),
            1 | 2 if at < input.len() => input[at] = byte,
            3 if at < input.len() => input[at] ^= 1 << (byte % 8),
            4 => input.truncate(at),
            5 => input.extend_from_within(at.saturating_sub(usize::from(byte))..at),
            6 => input.extend_from_slice(SEEDS[usize::from(byte) % SEEDS.len()]),
            _ => input.insert(at, byte),
        }
    }
    input
}

/// Reads these bytes in each way. Returns, for each reader, whether it took them.
#[allow(unreachable_pub)] // in a test
pub fn read(bytes: &[u8]) -> [bool; 6] {
    let text = String::from_utf8_lossy(bytes);
    [greeting(bytes), batch(bytes), peer(&text), rights(&text), file(&text), environment(bytes)]
}

/// Greets a process that says this and ends.
fn greeting(bytes: &[u8]) -> bool {
    let mut taken = false;
    for me in [0, 7, u128::MAX] {
        let mut stream = tokio::io::join(bytes, tokio::io::sink());
        let greeted = pin!(greet(&mut stream, me, |process| process % 2 == 1, || 3));
        let Poll::Ready(greeted) = greeted.poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("a greeting waits for an end that has come");
        };
        match greeted {
            Ok(Greeted::Stays(process, number)) => {
                assert_eq!(bytes[..25], [&b"supervis\x01"[..], &process.to_be_bytes()].concat());
                assert!(process != me && number != 0);
                taken = true;
            }
            Ok(Greeted::Another(process)) => assert_ne!(process, me),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    taken
}

/// A batch has one form.
fn batch(bytes: &[u8]) -> bool {
    match batch::decode(bytes, MAX_FRAME) {
        Ok(batch) => {
            let again = match &batch.body {
                Body::Frames(frames) => {
                    assert!(frames.iter().all(|frame| frame.len() <= MAX_FRAME));
                    batch::frames(batch.number, frames).0
                }
                Body::Piece { bytes: piece, last } => {
                    assert_eq!(bytes[1], if *last { 3 } else { 2 });
                    [&bytes[..10], piece].concat()
                }
                Body::End { why } => batch::end(batch.number, why),
            };
            assert_eq!(again, bytes);
            true
        }
        Err(bad) => {
            assert!(!bad.to_string().is_empty());
            false
        }
    }
}

/// The peer of a key has a name that a process can have, and is the peer of its own keys.
fn peer(text: &str) -> bool {
    let Some(peer) = key::peer(text) else { return false };
    assert!(key::is_name(peer.name()), "{peer:?} in {text:?}");
    for own in [key::token("prod", Side::Node, &peer), key::batches("prod", &peer, Side::Owner, &peer)] {
        assert_eq!(key::peer(&own), Some(peer.clone()));
    }
    true
}

/// Nobody is granted what no line says.
fn rights(text: &str) -> bool {
    let Ok(granted) = Granted::read(text.lines()) else { return false };
    for (name, network) in [("host-7", "prod"), ("shop", "test"), ("*", "*"), ("", "")] {
        for side in [Side::Owner, Side::Node] {
            if let Some(rights) = granted.of(network, side, name) {
                let mut words = [name, "*"].into_iter().flat_map(|name| [network, "*"].map(|network| (name, network)));
                let right = |of: &str| {
                    words.any(|(name, network)| {
                        text.contains(&format!("supervise://{name}@{network}/{}/{of}", key::word(side)))
                    })
                };
                assert!({ right }(""), "{rights:?} for `{name}` of `{network}` out of {text:?}");
                assert!(!rights.allows("\n") || text.contains("/*"), "{rights:?} out of {text:?}");
            }
        }
    }
    true
}

/// Settings that are read open a network, as far as they are concerned.
fn file(text: &str) -> bool {
    match toml::from_str::<Settings>(text) {
        Ok(settings) => settings.check().map_err(|error| panic!("{error} out of {text:?}")).is_ok(),
        Err(_) => false,
    }
}

/// The same of variables; a mistake names its variable.
fn environment(bytes: &[u8]) -> bool {
    let pairs = bytes.split(|byte| *byte == b'\n').filter_map(|line| {
        let at = line.iter().position(|byte| *byte == b'=')?;
        Some((OsStr::from_bytes(&line[..at]), OsStr::from_bytes(&line[at + 1..])))
    });
    match Settings::from_vars("A_", pairs) {
        Ok(settings) => settings.check().map_err(|error| panic!("{error} out of {bytes:?}")).is_ok(),
        Err(error) => {
            assert!(error.variable().starts_with("A_") && error.to_string().starts_with(error.variable()));
            false
        }
    }
}
