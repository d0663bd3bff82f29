//! The token of the lease under which a child runs.

use crate::hold::token;
use supervise_runtime::extension::{cell, cell_of_actor, cell_of_task};
use supervise_runtime::{Actor, Context, TaskContext, TreeRef};

/// Says under which lease code runs. The prelude has this trait.
///
/// ```
/// use supervise::prelude::*; // or `supervise::lease::LeaseToken`
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { db: Db = Db } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// assert_eq!(Shop::start().await?.lease_token(), None); // it runs under none
/// # Ok(())
/// # }
/// ```
pub trait LeaseToken: sealed::Sealed {
    /// Returns the token of the lease under which this tree, actor or task runs, by
    /// [`only_with`](crate::RunsUnder::only_with) or `#[only_with]`; of the innermost one, if there are several. `None` without a lease.
    ///
    /// The token stays the same until the tree has ended, also once the lease is lost: it goes along with what the tree
    /// writes, so that the place written to can refuse what comes from an older holding.
    ///
    /// ```
    /// use supervise::prelude::*;
    /// use supervise::testing::MemoryLease;
    ///
    /// struct Writer {
    ///     token: Option<u64>,
    /// }
    /// # #[actor]
    /// # impl Writer { fn handle(&mut self, reply: Reply<Option<u64>>) { reply.send(self.token) } }
    ///
    /// supervisor! {
    ///     struct Shop {
    ///         writer: Writer = Writer { token: tree.lease_token() },
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let shop = Shop::tree().only_with(MemoryLease::new("shop")).start().await?;
    /// assert_eq!(shop.writer.ask(|reply| reply).await?, Some(1));
    /// assert_eq!(Shop::start().await?.lease_token(), None);
    /// # Ok(())
    /// # }
    /// ```
    fn lease_token(&self) -> Option<u64>;
}

mod sealed {
    use super::{Actor, Context, TaskContext, TreeRef};

    pub trait Sealed {}

    impl Sealed for TreeRef {}
    impl<A: Actor> Sealed for Context<A> {}
    impl Sealed for TaskContext {}
}

impl LeaseToken for TreeRef {
    fn lease_token(&self) -> Option<u64> {
        token(cell(self).core())
    }
}

impl<A: Actor> LeaseToken for Context<A> {
    fn lease_token(&self) -> Option<u64> {
        token(cell_of_actor(self))
    }
}

impl LeaseToken for TaskContext {
    fn lease_token(&self) -> Option<u64> {
        token(cell_of_task(self))
    }
}
