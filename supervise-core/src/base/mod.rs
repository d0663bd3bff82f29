//! The ground below all floors: locks, drops of user values, times, mirrors of enums.

pub mod clock;
pub mod deferred_drop;
pub mod kinds;
pub mod lent;
pub mod line;
pub mod loud;
pub mod sync;

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
pub type Each<'a> = &'a mut dyn FnMut(&mut dyn FnMut());

/// A text that is written when it is displayed.
#[expect(missing_debug_implementations, reason = "only the crates beside this one see it")]
pub struct DisplayFn<F>(pub F);

impl<F: Fn(&mut fmt::Formatter<'_>) -> fmt::Result> fmt::Display for DisplayFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0)(f)
    }
}
