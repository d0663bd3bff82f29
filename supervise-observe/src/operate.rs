//! The requests of an operator, which name who asks.

use supervise_core::base::line::one_line;
use supervise_core::values::event::EventKind;
use supervise_core::values::operation::Operation;
use supervise_runtime::error::CommandError;
use supervise_runtime::extension::emit;
use supervise_runtime::{ChildRef, TreeRef};

/// The error of [`Operate::operate`]: nothing has happened.
///
/// ```
/// use supervise::error::OperateError;
/// use supervise::event::Operation;
/// use supervise::prelude::*;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
///
/// supervisor! {
///     struct Shop {
///         db: Db = Db,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// let unknown = shop.operate("database", Operation::Stop, "alice");
/// assert!(matches!(&unknown, Err(OperateError::NotFound { path }) if path == "database"));
/// let refused = shop.operate("db", Operation::StartAgain, "alice");
/// assert!(matches!(&refused, Err(OperateError::Refused(_))));
/// assert_eq!(refused.unwrap_err().to_string(), "db has not ended, so it cannot be started again; ask for `restart()`");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OperateError {
    /// The tree has no child with this path now.
    #[error("no child has the path \"{}\" now; a snapshot lists the paths", one_line(path))]
    NotFound {
        /// The path that was given.
        path: String,
    },
    /// The child cannot do this now.
    #[error(transparent)]
    Refused(#[from] CommandError),
}

/// Asks for what an operator wants. The prelude has this trait.
///
/// ```
/// use supervise::event::Operation;
/// use supervise::inspect::Operate;
/// # use supervise::{actor, supervisor};
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) {} }
/// # supervisor! { struct Shop { db: Db = Db } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shop = Shop::start().await?;
/// shop.operate("db", Operation::Restart, "alice")?;
/// # Ok(())
/// # }
/// ```
pub trait Operate: sealed::Sealed {
    /// Asks a child for this, in the name of an operator: a person, or a program that acts for one. The event
    /// [`Requested`](EventKind::Requested) says who has asked, for the record.
    ///
    /// The request itself is that of the handle: [`stop`](supervise_runtime::ChildRef::stop), [`kill`](supervise_runtime::ChildRef::kill),
    /// [`restart`](supervise_runtime::ChildRef::restart) or [`start_again`](supervise_runtime::ChildRef::start_again). The method returns
    /// immediately; the events tell what follows. `by` is written into the event as it is, so check what comes from outside.
    ///
    /// See rule S53.
    ///
    /// # Errors
    ///
    /// Returns `NotFound` if no child has this path, and then raises no event; `Refused` with the reason if the child
    /// cannot do this now. A `Stop` or a `Kill` of a child that has ended is refused too.
    ///
    /// ```
    /// use supervise::event::{EventKind, Operation};
    /// use supervise::prelude::*;
    /// # struct Db;
    /// # #[actor]
    /// # impl Db { fn handle(&mut self, _msg: ()) {} }
    ///
    /// supervisor! {
    ///     struct Shop {
    ///         db: Db = Db,
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let shop = Shop::start().await?;
    /// let mut events = shop.events();
    /// shop.operate("db", Operation::Restart, "alice")?;
    ///
    /// let asked = events.next().await.expect("the tree lives");
    /// assert_eq!(asked.to_string(), "db #1 restart requested by alice");
    /// assert!(matches!(asked.kind, EventKind::Requested { operation: Operation::Restart, .. }));
    /// # Ok(())
    /// # }
    /// ```
    fn operate(&self, path: &str, operation: Operation, by: impl Into<String>) -> Result<(), OperateError>;
}

mod sealed {
    pub trait Sealed {}

    impl Sealed for super::TreeRef {}
}

impl Operate for TreeRef {
    fn operate(&self, path: &str, operation: Operation, by: impl Into<String>) -> Result<(), OperateError> {
        let Some(child) = self.find(path) else { return Err(OperateError::NotFound { path: path.to_owned() }) };
        // First, so that it comes before the events of what it causes.
        emit(&child, EventKind::Requested { operation, by: by.into() });
        match operation {
            Operation::Restart => drop(child.restart()?),
            Operation::StartAgain => drop(child.start_again()?),
            Operation::Stop | Operation::Kill if child.ended().is_some() => {
                return Err(OperateError::Refused(CommandError::Ended { path: child.path() }));
            }
            Operation::Stop => child.stop(),
            Operation::Kill => child.kill(),
            operation => unreachable!("`{operation}` has an arm above"),
        }
        Ok(())
    }
}
