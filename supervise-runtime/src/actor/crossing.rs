//! Messages that cross to another process (S61).
//!
//! Inside of [`encode`] and [`decode`], and of what these return, a [`Reply`] is a number: the other process answers
//! with that number. Outside, it can be neither written nor read. The scope of a call is kept by its thread, so that a
//! message needs nothing but `Serialize` and `Deserialize`, and its replies may be anywhere in it.

pub mod codec;

use std::any::Any;
use std::cell::RefCell;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;

use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::actor::actor_ref::{Reply, reply};
use supervise_core::values::failure::panic_text;

/// The answer to an ask, as it crosses: bytes, or why it cannot be written, or nothing.
pub type ReplyBytes = Option<Result<Vec<u8>, String>>;

/// Takes the answer that came back, and gives it to the asker. An error says why it cannot be read.
pub type OnReply = Box<dyn FnOnce(ReplyBytes) -> Result<(), String> + Send>;

/// Waits for the answer to an ask that came from another process, and writes it.
pub type Answering = Pin<Box<dyn Future<Output = ReplyBytes> + Send>>;

/// A message as it crosses, with its replies by their numbers.
pub type Written = (Vec<u8>, Vec<(u64, OnReply)>);

/// A message that has crossed, with the answers to its replies by their numbers.
pub type Read<M> = (M, Vec<(u64, Answering)>);

/// A value for the code that writes and reads, which it finds by [`context()`].
pub type Context = Arc<dyn Any + Send + Sync>;

/// The scope of one call.
#[derive(Default)]
struct Scope {
    context: Option<Context>,
    /// Present in a message, absent in an answer: it contains no replies.
    replies: Option<Replies>,
}

/// The replies in a message.
#[derive(Default)]
struct Replies {
    /// The last number that was given.
    last: u64,
    written: Vec<(u64, OnReply)>,
    read: Vec<(u64, Answering)>,
}

thread_local! {
    static SCOPE: RefCell<Option<Scope>> = const { RefCell::new(None) };
}

/// Puts the scope of the caller back, also when user code panics.
struct Restore(Option<Scope>);

impl Drop for Restore {
    fn drop(&mut self) {
        SCOPE.set(self.0.take());
    }
}

/// Runs user code in this scope. A panic is an error, and the scope of the caller is back in any case.
fn within<T, E: ToString>(scope: Scope, run: impl FnOnce() -> Result<T, E>) -> (Result<T, String>, Scope) {
    let restore = Restore(SCOPE.replace(Some(scope)));
    let ran = catch_unwind(AssertUnwindSafe(|| run().map_err(|error| error.to_string())));
    let scope = SCOPE.take().unwrap_or_default();
    drop(restore);
    (ran.unwrap_or_else(|panic| Err(format!("panicked: {}", panic_text(panic)))), scope)
}

/// Returns the context that the present call of [`encode`] or [`decode`] was given, if it is a `T`.
pub fn context<T: Send + Sync + 'static>() -> Option<Arc<T>> {
    SCOPE.with_borrow(|scope| scope.as_ref()?.context.clone()?.downcast().ok())
}

/// Returns whether this thread writes or reads a message, or an answer, at present.
pub fn is_crossing() -> bool {
    SCOPE.with_borrow(|scope| scope.is_some())
}

/// Writes a message by reference. Its replies get numbers above `last`, which becomes the last one.
///
/// # Errors
///
/// Returns the text of the error, or of the panic, of the message's `Serialize`.
pub fn encode<M: Serialize>(msg: &M, last: &mut u64, context: Option<Context>) -> Result<Written, String> {
    let replies = Some(Replies { last: *last, ..Replies::default() });
    let (bytes, scope) = within(Scope { context, replies }, || codec::write(msg));
    let replies = scope.replies.unwrap_or_default();
    *last = replies.last.max(*last);
    Ok((bytes?, replies.written))
}

/// Reads a message, with the answers to its replies.
///
/// # Errors
///
/// Returns the text of the error, or of the panic, of the message's `Deserialize`.
pub fn decode<M: DeserializeOwned>(bytes: &[u8], context: Option<Context>) -> Result<Read<M>, String> {
    let (msg, scope) = within(Scope { context, replies: Some(Replies::default()) }, || codec::read(bytes));
    Ok((msg?, scope.replies.unwrap_or_default().read))
}

/// The error of a [`Reply`] outside of a message.
const OUTSIDE: &str = "a `Reply` crosses to another process only as a part of a message";

impl<T: DeserializeOwned + Send + 'static> Serialize for Reply<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let reply = self.clone();
        let number = SCOPE.with_borrow_mut(|scope| {
            let Scope { context, replies } = scope.as_mut()?;
            let replies = replies.as_mut()?;
            let context = context.clone();
            let on_reply: OnReply = Box::new(move |back| match back {
                None => Ok(()),
                Some(Err(why)) => Err(why),
                Some(Ok(bytes)) => {
                    let scope = Scope { context, replies: None };
                    let (value, _) = within(scope, || codec::read(&bytes));
                    value.map(|value| reply.send(value))
                }
            });
            replies.last += 1;
            replies.written.push((replies.last, on_reply));
            Some(replies.last)
        });
        match number {
            Some(number) => serializer.serialize_u64(number),
            None => Err(S::Error::custom(OUTSIDE)),
        }
    }
}

impl<'de, T: Serialize + Send + 'static> Deserialize<'de> for Reply<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u64::deserialize(deserializer)?;
        let (reply, answer) = reply::<T>();
        let known = SCOPE.with_borrow_mut(|scope| {
            let Scope { context, replies } = scope.as_mut()?;
            let replies = replies.as_mut()?;
            let context = context.clone();
            let answering: Answering = Box::pin(async move {
                let value = answer.await?;
                let (bytes, _) = within(Scope { context, replies: None }, || codec::write(&value));
                Some(bytes)
            });
            replies.read.push((number, answering));
            Some(())
        });
        match known {
            Some(()) => Ok(reply),
            None => Err(D::Error::custom(OUTSIDE)),
        }
    }
}

#[cfg(test)]
mod tests;
