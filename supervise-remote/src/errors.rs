//! Failures on their way from one process to another.

use std::any::Any;
use std::error::Error as StdError;
use std::io;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::hooks::{self, codec};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_bytes::ByteBuf;
use supervise_runtime::Thrown;
use supervise_runtime::error::FarError;
use supervise_runtime::{Cause, Ended, Failure, Phase};

use crate::frame::{WireCause, WireEnded, WireError, WireFailure, WirePhase};

/// How the error type of a child crosses.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Errors {
    write: fn(&Thrown) -> Option<Vec<u8>>,
    read: fn(&[u8]) -> Option<Thrown>,
}

impl std::fmt::Debug for Errors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Errors")
    }
}

impl Errors {
    /// The way of errors that cross as text.
    pub const TEXT: Errors = Errors { write: |_| None, read: |_| None };
}

/// Names an error type for [`errors!`](crate::expansion::errors).
#[doc(hidden)]
#[derive(Debug)]
pub struct Crossing<E>(pub PhantomData<E>);

/// An error type that crosses as itself.
#[doc(hidden)]
pub trait CrossesTyped {
    fn errors(&self) -> Errors;
}

/// Any other error type. Found by method resolution after [`CrossesTyped`], since it needs one reference more.
#[doc(hidden)]
pub trait CrossesAsText {
    fn errors(&self) -> Errors {
        Errors::TEXT
    }
}

impl<E> CrossesTyped for Crossing<E>
where
    E: StdError + Serialize + DeserializeOwned + Send + Sync + 'static,
{
    fn errors(&self) -> Errors {
        Errors {
            write: |error| codec::write(error.get::<E>()?).ok(),
            read: |bytes| codec::read::<E>(bytes).ok().map(Thrown::from),
        }
    }
}

impl<E> CrossesAsText for &Crossing<E> {}

/// Runs code of the user, whose panic is an error.
pub(crate) fn guarded<R>(run: impl FnOnce() -> R) -> Result<R, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic_text(&*panic);
        // The payload is a value of the user, whose drop may panic as well.
        let _ = catch_unwind(AssertUnwindSafe(move || drop(panic)));
        format!("panicked: {text}")
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "a value that is not a text".to_owned(),
    }
}

/// The most texts of an error and its sources that cross.
const MOST_TEXTS: usize = 32;

fn texts_of(error: &(dyn StdError + 'static)) -> Vec<String> {
    let mut texts = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        if texts.len() == MOST_TEXTS {
            break;
        }
        texts.push(guarded(|| error.to_string()).unwrap_or_else(|why| format!("an error whose text {why}")));
        next = guarded(|| error.source()).ok().flatten();
    }
    texts
}

pub(crate) fn to_wire(failure: &Failure, errors: Errors) -> WireFailure {
    let cause = match failure.cause() {
        Cause::Error(error) => WireCause::Error(WireError {
            typed: guarded(|| (errors.write)(error)).ok().flatten().map(ByteBuf::from),
            io: error.get::<io::Error>().map(|error| format!("{:?}", error.kind())),
            texts: texts_of(error.as_error()),
        }),
        Cause::Panic(text) => WireCause::Panic(text.clone()),
        Cause::Killed => WireCause::Killed,
        Cause::DeathPact(path) => WireCause::DeathPact(path.clone()),
        Cause::TimedOut => WireCause::TimedOut,
        Cause::EndedByItself => WireCause::EndedByItself,
        Cause::LimitReached => WireCause::LimitReached(vec![failure.to_string()]),
        Cause::Requested => WireCause::Requested,
        Cause::NodeLost { node } => WireCause::NodeLost(node.clone()),
        Cause::Bug(text) => WireCause::Bug(text.clone()),
        other => WireCause::Error(WireError { typed: None, io: None, texts: vec![other.to_string()] }),
    };
    let phase = match failure.phase() {
        Phase::Start => WirePhase::Start,
        Phase::Running => WirePhase::Running,
        Phase::Restart => WirePhase::Restart,
    };
    WireFailure { phase, cause, path: failure.path().to_owned(), incarnation: failure.incarnation() }
}

/// Writes the end of a child for a node. An error in it crosses as its text: a node has many types of children.
pub(crate) fn to_wire_ended(ended: &Ended) -> WireEnded {
    match ended {
        Ended::Done => WireEnded::Done,
        Ended::DoneWith(words) => WireEnded::DoneWith(words.to_string()),
        Ended::Stopped => WireEnded::Stopped,
        Ended::Failed(failure) => WireEnded::Failed(to_wire(failure, Errors::TEXT)),
        Ended::Limit(failure) => WireEnded::Limit(to_wire(failure, Errors::TEXT)),
        Ended::Killed => WireEnded::Killed,
        Ended::Aborted => WireEnded::Aborted,
        Ended::RuntimeGone => WireEnded::RuntimeGone,
        other => WireEnded::DoneWith(other.to_string()),
    }
}

pub(crate) fn from_wire_ended(ended: WireEnded) -> Ended {
    match ended {
        WireEnded::Done => Ended::Done,
        WireEnded::DoneWith(words) => Ended::DoneWith(words.into()),
        WireEnded::Stopped => Ended::Stopped,
        WireEnded::Failed(failure) => Ended::Failed(from_wire(failure, Errors::TEXT)),
        WireEnded::Limit(failure) => Ended::Limit(from_wire(failure, Errors::TEXT)),
        WireEnded::Killed => Ended::Killed,
        WireEnded::Aborted => Ended::Aborted,
        WireEnded::RuntimeGone => Ended::RuntimeGone,
    }
}

pub(crate) fn from_wire(failure: WireFailure, errors: Errors) -> Failure {
    let cause = match failure.cause {
        WireCause::Error(error) => Cause::Error(error_of(error, errors)),
        WireCause::Panic(text) => Cause::Panic(text),
        WireCause::Killed => Cause::Killed,
        WireCause::DeathPact(path) => Cause::DeathPact(path),
        WireCause::TimedOut => Cause::TimedOut,
        WireCause::EndedByItself => Cause::EndedByItself,
        WireCause::LimitReached(texts) => Cause::Error(Thrown::from(FarError { texts })),
        WireCause::Requested => Cause::Requested,
        WireCause::NodeLost(node) => Cause::NodeLost { node },
        WireCause::Bug(text) => Cause::Error(Thrown::from(FarError { texts: vec![text] })),
    };
    let phase = match failure.phase {
        WirePhase::Start => Phase::Start,
        WirePhase::Running => Phase::Running,
        WirePhase::Restart => Phase::Restart,
    };
    hooks::failure(phase, cause, failure.path, failure.incarnation)
}

fn error_of(error: WireError, errors: Errors) -> Thrown {
    if let Some(bytes) = &error.typed
        && let Ok(Some(typed)) = guarded(|| (errors.read)(bytes))
    {
        return typed;
    }
    match error.io.as_deref().and_then(io_kind) {
        Some(kind) => Thrown::from(io::Error::new(kind, error.texts.join(": "))),
        None => Thrown::from(FarError { texts: error.texts }),
    }
}

/// The kind of an `io::Error` by its name. A kind that this list does not have crosses as text.
fn io_kind(name: &str) -> Option<io::ErrorKind> {
    use io::ErrorKind::*;
    [
        NotFound,
        PermissionDenied,
        ConnectionRefused,
        ConnectionReset,
        HostUnreachable,
        NetworkUnreachable,
        ConnectionAborted,
        NotConnected,
        AddrInUse,
        AddrNotAvailable,
        NetworkDown,
        BrokenPipe,
        AlreadyExists,
        WouldBlock,
        NotADirectory,
        IsADirectory,
        DirectoryNotEmpty,
        ReadOnlyFilesystem,
        StaleNetworkFileHandle,
        InvalidInput,
        InvalidData,
        TimedOut,
        WriteZero,
        StorageFull,
        NotSeekable,
        QuotaExceeded,
        FileTooLarge,
        ResourceBusy,
        ExecutableFileBusy,
        Deadlock,
        TooManyLinks,
        ArgumentListTooLong,
        Interrupted,
        Unsupported,
        UnexpectedEof,
        OutOfMemory,
        Other,
    ]
    .into_iter()
    .find(|kind| format!("{kind:?}") == name)
}

/// Returns why something is not sent that is larger than a frame.
pub(crate) fn too_large(bytes: usize, most: usize) -> String {
    format!("it has {bytes} bytes, and a frame has {most} at most; send less, or raise `Net::max_frame`")
}
