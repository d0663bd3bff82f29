//! S61: a value that crosses arrives as it was sent, or not at all.

use std::collections::BTreeMap;
use std::fmt::Debug;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::{MOST_LEVELS, read, write};

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Empty;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Wrapper<T>(T);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Fields {
    plain: Option<u8>,
    nested: Option<Option<u8>>,
    unit: Option<()>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left_out: Option<Option<()>>,
    inside: Option<Box<Value>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Value {
    Nothing,
    Unit(()),
    Number(i128),
    Text(Option<Option<String>>),
    Three(Option<Option<Option<()>>>),
    Result(Result<Option<()>, Option<Option<bool>>>),
    Pair(Option<()>, Option<Option<Empty>>),
    Record { wrapped: Option<Wrapper<Option<Wrapper<()>>>>, empty: Option<Empty> },
    List(Vec<Option<Option<Value>>>),
    Map(BTreeMap<String, Option<Option<()>>>),
    Fields(Fields),
    Bytes(#[serde(with = "as_bytes")] Vec<u8>),
}

/// Bytes as bytes, which may look like a mark.
mod as_bytes {
    use serde::{Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        struct Bytes;
        impl serde::de::Visitor<'_> for Bytes {
            type Value = Vec<u8>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                Ok(bytes.to_vec())
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

fn values() -> impl Strategy<Value = Value> {
    let option = || proptest::option::of(proptest::option::of(any::<u8>()));
    let units = || proptest::option::of(proptest::option::of(Just(())));
    let leaf = prop_oneof![
        Just(Value::Nothing),
        Just(Value::Unit(())),
        any::<i128>().prop_map(Value::Number),
        proptest::option::of(proptest::option::of(".{0,9}")).prop_map(Value::Text),
        proptest::option::of(units()).prop_map(Value::Three),
        prop_oneof![
            proptest::option::of(Just(())).prop_map(Ok),
            proptest::option::of(proptest::option::of(any::<bool>())).prop_map(Err)
        ]
        .prop_map(Value::Result),
        (proptest::option::of(Just(())), proptest::option::of(proptest::option::of(Just(Empty))))
            .prop_map(|(one, two)| Value::Pair(one, two)),
        (units(), proptest::option::of(Just(Empty)))
            .prop_map(|(units, empty)| Value::Record { wrapped: units.map(|unit| Wrapper(unit.map(Wrapper))), empty }),
        proptest::collection::btree_map(".{0,3}", units(), 0..4).prop_map(Value::Map),
        prop_oneof![Just(vec![0xd6, 0x53, 0, 0, 0, 1]), proptest::collection::vec(any::<u8>(), 0..9)]
            .prop_map(Value::Bytes),
    ];
    leaf.prop_recursive(4, 32, 5, move |inner| {
        let fields = (option(), units(), units(), proptest::option::of(inner.clone().prop_map(Box::new)));
        prop_oneof![
            proptest::collection::vec(proptest::option::of(proptest::option::of(inner)), 0..5).prop_map(Value::List),
            fields.prop_map(|(nested, left_out, unit, inside)| {
                let unit = unit.flatten();
                Value::Fields(Fields { plain: nested.flatten(), nested, unit, left_out, inside })
            }),
        ]
    })
}

fn arrives<T: Serialize + for<'de> Deserialize<'de> + PartialEq + Debug>(value: &T) {
    let bytes = write(value).unwrap();
    assert_eq!(read::<T>(&bytes).as_ref(), Ok(value), "{bytes:x?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Each value arrives as itself.
    #[test]
    fn every_value_arrives_as_itself(value in values()) {
        arrives(&value);
        arrives(&Some(Some(value)));
    }

    /// Bytes that nobody has written are read as some value, or refused.
    #[test]
    fn bytes_of_others_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let _ = read::<Value>(&bytes);
        let mut marked = bytes.clone();
        marked.splice(bytes.len() / 2..bytes.len() / 2, [0xd6, 0x53, 0, 0, 0, 2]);
        let _ = (read::<Value>(&marked), read::<Fields>(&marked), read::<Vec<Option<Option<u8>>>>(&marked));
    }

    /// A value that needs no mark has the bytes of MessagePack.
    #[test]
    fn all_else_is_plain_messagepack(numbers in proptest::collection::vec(proptest::option::of(any::<u64>()), 0..9), text in ".{0,40}") {
        let value = (&numbers, &text, BTreeMap::from([(text.clone(), &numbers)]), Some(Empty));
        prop_assert_eq!(write(&value).unwrap(), rmp_serde::to_vec_named(&value).unwrap());
    }
}

#[test]
fn a_some_of_nothing_arrives() {
    arrives(&Some(None::<u8>));
    arrives(&Some(()));
    arrives(&None::<()>);
    arrives(&Err::<u8, _>(Some(())));
    arrives(&vec![Some(None), None, Some(Some(()))]);
    arrives(&Some(Some(Some(Some(None::<String>)))));
    arrives(&(Some(()), 7, Some(Wrapper(Some(Wrapper(()))))));
}

/// A list that does not know its length, and a map with all fields of another struct in it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Flat {
    own: Option<Option<u8>>,
    #[serde(flatten)]
    more: More,
    #[serde(flatten)]
    rest: BTreeMap<String, Option<Option<u8>>>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct More {
    number: Option<u8>,
    list: Vec<Option<u8>>,
}

fn flat(own: Option<Option<u8>>, rest: Option<Option<u8>>) -> Flat {
    let more = More { number: Some(3), list: vec![Some(1), None] };
    Flat { own, more, rest: BTreeMap::from([("rest".to_owned(), rest)]) }
}

#[test]
fn lists_and_maps_of_unknown_length_arrive() {
    for own in [None, Some(None), Some(Some(1))] {
        arrives(&flat(own, Some(Some(2))));
    }
    struct Evens;
    impl Serialize for Evens {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq((0..9).filter(|n| n % 2 == 0).map(|n| Some(Some(n).filter(|n| *n > 2))))
        }
    }
    let evens = read::<Vec<Option<Option<u8>>>>(&write(&Evens).unwrap()).unwrap();
    assert_eq!(evens, [Some(None), Some(None), Some(Some(4)), Some(Some(6)), Some(Some(8))]);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Option { value: Option<Option<u8>> },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Tagged {
    Option { value: Option<()> },
}

/// Where serde reads a value before it knows its type, a `Some` of nothing is refused with the place, and nothing else is.
#[test]
fn where_serde_buffers_a_some_of_nothing_is_refused() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Outer<T> {
        list: Vec<T>,
    }
    fn refused<T: Serialize + for<'de> Deserialize<'de> + Debug>(value: T, place: &str) {
        let text = read::<Outer<T>>(&write(&Outer { list: vec![value] }).unwrap()).unwrap_err();
        assert!(text.starts_with(&format!("{place}: a `Some` without content")), "{text}");
    }
    refused(Untagged::Option { value: Some(None) }, "list[0].value");
    refused(Tagged::Option { value: Some(()) }, "list[0].value");
    refused(flat(None, Some(None)), "list[0].rest");
    arrives(&Untagged::Option { value: Some(Some(1)) });
    arrives(&Untagged::Option { value: None });
    arrives(&Tagged::Option { value: None });
}

/// Bytes that are read as a list have no marks in them, whatever comes after.
#[test]
fn bytes_that_are_read_as_a_list_arrive() {
    let bytes = [0x92, 0xc4, 1, 7, 0xd6, 0x53, 0, 0, 0, 1];
    assert_eq!(read::<(Vec<u8>, Option<()>)>(&bytes), Ok((vec![7], Some(()))));
}

/// A field that another build does not know is skipped.
#[test]
fn an_unknown_field_with_a_mark_is_skipped() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct New {
        gone: Option<Option<u8>>,
        kept: Option<Option<u8>>,
    }
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Old {
        kept: Option<Option<u8>>,
    }
    let bytes = write(&New { gone: Some(None), kept: Some(None) }).unwrap();
    assert_eq!(read::<Old>(&bytes), Ok(Old { kept: Some(None) }));
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Chain {
    End,
    Next(Box<Chain>),
    Named { next: Box<Chain> },
    Both(Box<Chain>, u8),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Onion(Option<Box<Onion>>);

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Bag(Vec<Bag>);

/// Values up to the limit cross on a stack of 2 MiB, and deeper ones are refused, at both ends.
#[test]
fn what_is_too_deep_is_refused_and_does_not_overflow() {
    type Around = fn(Box<Chain>) -> Chain;
    fn chain(levels: usize, around: Around) -> Chain {
        (0..levels).fold(Chain::End, |chain, _| around(Box::new(chain)))
    }
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(|| {
            let kinds: [(usize, Around); 3] =
                [(1, Chain::Next), (2, |next| Chain::Named { next }), (2, |next| Chain::Both(next, 1))];
            for (levels, around) in kinds {
                arrives(&chain(MOST_LEVELS / levels, around));
                for too_deep in [MOST_LEVELS / levels + 1, 2000] {
                    assert!(write(&chain(too_deep, around)).unwrap_err().contains("deeper than 128 levels"));
                }
            }
            let onion = |levels| (0..levels).fold(Onion(None), |onion, _| Onion(Some(Box::new(onion))));
            arrives(&onion(MOST_LEVELS));
            assert!(write(&onion(2000)).unwrap_err().contains("deeper than 128 levels"));
            let bag = |levels| (1..levels).fold(Bag(Vec::new()), |bag, _| Bag(vec![bag]));
            arrives(&bag(MOST_LEVELS));
            assert!(write(&bag(2000)).unwrap_err().contains("deeper than 128 levels"));

            for (open, length) in [(&[0x91][..], 1_000_000), (&[0x81, 0xa4, b'N', b'e', b'x', b't'], 1_000_000)] {
                let bytes = open.repeat(length);
                assert!(read::<Chain>(&bytes).unwrap_err().contains("deeper than 128 levels"));
                assert!(read::<Bag>(&bytes).unwrap_err().contains("deeper than 128 levels"));
            }
            let text = read::<Onion>(&[0xd6, 0x53, 0xff, 0xff, 0xff, 0xff]).unwrap_err();
            assert!(text.contains("deeper than 128 levels"), "{text}");
        })
        .unwrap()
        .join()
        .unwrap();
}
