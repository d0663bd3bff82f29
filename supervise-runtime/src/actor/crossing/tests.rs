//! Messages that cross, with replies anywhere in them.

use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, Waker};

use super::*;

/// A message with replies at several depths, as a derive would write and read it.
struct Ask {
    one: Reply<u32>,
    more: Option<Vec<Reply<String>>>,
}

impl Serialize for Ask {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.one, &self.more).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Ask {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (one, more) = Deserialize::deserialize(deserializer)?;
        Ok(Ask { one, more })
    }
}

fn poll<F: Future + Unpin>(mut future: F) -> Poll<F::Output> {
    Pin::new(&mut future).poll(&mut TaskContext::from_waker(Waker::noop()))
}

fn answered(answering: Answering) -> ReplyBytes {
    match poll(answering) {
        Poll::Ready(back) => back,
        Poll::Pending => panic!("no answer yet"),
    }
}

/// S61: each reply of a message is answered through its number, whatever its depth and the order of the answers.
#[test]
fn replies_cross_at_any_depth() {
    let ((one, mut first), (two, mut second), (three, mut third)) = (reply(), reply(), reply());
    let (mut last, ask) = (7, Ask { one, more: Some(vec![two, three]) });
    let (bytes, written) = encode(&ask, &mut last, None).unwrap();
    assert_eq!((last, written.iter().map(|(number, _)| *number).collect::<Vec<_>>()), (10, vec![8, 9, 10]));
    drop(ask); // the owner keeps it until it is begun
    let (there, read) = decode::<Ask>(&bytes, None).unwrap();
    let numbers: Vec<u64> = read.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [8, 9, 10]);
    there.one.send(41);
    let more = there.more.unwrap();
    more.into_iter().zip(["b", "c"]).rev().for_each(|(reply, text)| reply.send(text.to_owned()));
    for ((_, on_reply), (_, answering)) in written.into_iter().zip(read).rev() {
        on_reply(answered(answering)).unwrap();
    }
    assert_eq!(poll(&mut first), Poll::Ready(Some(41)));
    assert_eq!(poll(&mut second), Poll::Ready(Some("b".to_owned())));
    assert_eq!(poll(&mut third), Poll::Ready(Some("c".to_owned())));
}

/// S3, S61: a reply that is dropped over there tells the asker that none comes.
#[test]
fn a_reply_that_is_dropped_there_tells_the_asker_here() {
    let (one, mut answer) = reply::<u32>();
    let (bytes, mut written) = encode(&one, &mut 0, None).unwrap();
    let (there, mut read) = decode::<Reply<u32>>(&bytes, None).unwrap();
    drop((one, there));
    assert_eq!(poll(&mut answer), Poll::Pending, "the other process has not said so");
    let back = answered(read.pop().unwrap().1);
    assert_eq!(back, None);
    written.pop().unwrap().1(back).unwrap();
    assert_eq!(poll(&mut answer), Poll::Ready(None));
}

/// An asker that has gone closes the reply over there only by its own means: the answer is dropped when it comes.
#[test]
fn an_answer_that_nobody_waits_for_is_dropped() {
    let (one, answer) = reply::<u32>();
    let (_, mut written) = encode(&one, &mut 0, None).unwrap();
    drop((one, answer));
    written.pop().unwrap().1(Some(Ok(rmp_serde::to_vec_named(&1).unwrap()))).unwrap();
}

/// S61: outside of a message, and in an answer, a reply can be neither written nor read.
#[test]
fn a_reply_crosses_only_in_a_message() {
    let (one, _answer) = reply::<u32>();
    assert!(rmp_serde::to_vec_named(&one).unwrap_err().to_string().contains("only as a part of a message"));
    let bytes = rmp_serde::to_vec_named(&3u64).unwrap();
    let Err(error) = rmp_serde::from_slice::<Reply<u32>>(&bytes) else { panic!("it is read") };
    assert!(error.to_string().contains("only as a part of a message"));
    let (outer, _answer) = reply::<Reply<u32>>();
    let (bytes, _written) = encode(&outer, &mut 0, None).unwrap();
    let (there, mut read) = decode::<Reply<Reply<u32>>>(&bytes, None).unwrap();
    there.send(one);
    let back = answered(read.pop().unwrap().1).unwrap();
    assert!(back.unwrap_err().contains("only as a part of a message"));
}

/// An answer that cannot be read here is an error, and the asker gets none.
#[test]
fn an_answer_that_cannot_be_read_is_an_error() {
    let (one, mut answer) = reply::<u32>();
    let (_, mut written) = encode(&one, &mut 0, None).unwrap();
    drop(one);
    let wrong = rmp_serde::to_vec_named("text").unwrap();
    assert!(written.pop().unwrap().1(Some(Ok(wrong))).is_err());
    assert_eq!(poll(&mut answer), Poll::Ready(None));
    let (two, _answer) = reply::<u32>();
    let (_, mut written) = encode(&two, &mut 0, None).unwrap();
    assert_eq!(written.pop().unwrap().1(Some(Err("not written".into()))), Err("not written".into()));
    assert!(decode::<Ask>(&[0xc1], None).is_err(), "no MessagePack at all");
}

/// A value that calls back: it reads its context, and writes another message while it is written.
struct Nested(Reply<u32>);

impl Serialize for Nested {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (inner, _answer) = reply::<u8>();
        let mut last = 100;
        let (_, written) = encode(&inner, &mut last, None).map_err(S::Error::custom)?;
        assert_eq!((written[0].0, context::<String>().is_some()), (101, true), "its own scope is back");
        self.0.serialize(serializer)
    }
}

/// S61: the scope of one message is not that of another, nor of what comes after it.
#[test]
fn scopes_nest_and_end() {
    let (one, mut answer) = reply::<u32>();
    assert!(context::<String>().is_none());
    let (_, written) = encode(&Nested(one), &mut 0, Some(Arc::new("here".to_owned()))).unwrap();
    assert_eq!((written.len(), written[0].0), (1, 1));
    assert!(context::<String>().is_none());
    drop(written);
    assert_eq!(poll(&mut answer), Poll::Ready(None));
}

/// A value whose code panics, also in an answer.
struct Panics;

impl Serialize for Panics {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        std::panic::resume_unwind(Box::new("planned"))
    }
}

impl<'de> Deserialize<'de> for Panics {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        std::panic::resume_unwind(Box::new("planned"))
    }
}

/// S61: a panic of a message's own code is an error, and leaves no scope behind.
#[test]
fn a_panic_of_a_message_is_an_error() {
    let context_of = || Some(Arc::new(1u8) as Context);
    assert_eq!(encode(&Panics, &mut 0, context_of()).err(), Some("panicked: planned".to_owned()));
    assert_eq!(decode::<Panics>(&[0xc0], context_of()).err(), Some("panicked: planned".to_owned()));
    let (one, mut answer) = reply::<Panics>();
    let (bytes, mut written) = encode(&one, &mut 0, context_of()).unwrap();
    let (there, mut read) = decode::<Reply<Panics>>(&bytes, context_of()).unwrap();
    drop(one);
    there.send(Panics);
    let back = answered(read.pop().unwrap().1);
    assert_eq!(back, Some(Err("panicked: planned".to_owned())));
    assert_eq!(written.pop().unwrap().1(Some(Ok(vec![0xc0]))), Err("panicked: planned".to_owned()));
    assert!(matches!(poll(&mut answer), Poll::Ready(None)));
    assert!(context::<u8>().is_none() && SCOPE.with_borrow(Option::is_none));
}

/// A number that takes the context of the call.
struct Number(u8);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.0 + *context::<u8>().expect("a context")).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Number(u8::deserialize(deserializer)? * *context::<u8>().expect("a context")))
    }
}

/// S61: answers have the context of their message, on both sides.
#[test]
fn an_answer_has_the_context_of_its_message() {
    let (one, mut answer) = reply::<Number>();
    let (bytes, mut written) = encode(&one, &mut 0, Some(Arc::new(2u8))).unwrap();
    let (there, mut read) = decode::<Reply<Number>>(&bytes, Some(Arc::new(10u8))).unwrap();
    there.send(Number(5));
    let back = answered(read.pop().unwrap().1);
    written.pop().unwrap().1(back).unwrap();
    assert!(matches!(poll(&mut answer), Poll::Ready(Some(Number(30)))), "(5 + 10) * 2");
}
