//! The ground below all floors: locks, drops of user values, times, turns, mirrors of enums.

pub(crate) mod clock;
pub(crate) mod deferred_drop;
pub(crate) mod kinds;
pub(crate) mod lent;
pub(crate) mod line;
pub(crate) mod loud;
pub(crate) mod sync;
pub(crate) mod turn;

use std::fmt;

/// A boxed future that may move between threads: what the functions return that start, run and end a tree.
///
/// ```
/// use supervise::future::BoxFuture;
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { db: Db = Db } }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let start: BoxFuture<'static, Result<Running<Shop>, Failure>> = Shop::start();
/// let shop = start.await?; // nothing has begun before
/// # shop.shutdown().await;
/// # Ok(())
/// # }
/// ```
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Runs the drop of one user value under its own catch. A panic in it is reported. It does not keep other values from
/// being dropped, and does not meet a second panic, which would end the process.
pub(crate) type Each<'a> = &'a mut dyn FnMut(&mut dyn FnMut());

/// A text that is written when it is displayed.
pub(crate) struct DisplayFn<F>(pub(crate) F);

impl<F: Fn(&mut fmt::Formatter<'_>) -> fmt::Result> fmt::Display for DisplayFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0)(f)
    }
}
