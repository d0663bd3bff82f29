//! The ground below all floors: locks, drops of user values, times.

pub(crate) mod clock;
pub(crate) mod deferred_drop;
pub(crate) mod lent;
pub(crate) mod loud;
pub(crate) mod sync;

/// A boxed future of user code.
pub(crate) type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Runs one drop of a user's value under a catch of its own: a panic in it is reported, and neither keeps the others
/// from being dropped nor meets a second one, which would end the process.
pub(crate) type Each<'a> = &'a mut dyn FnMut(&mut dyn FnMut());
