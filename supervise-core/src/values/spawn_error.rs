//! The error of a spawn.

use crate::base::kinds::kinds;
use crate::values::failure::Failure;
use crate::values::invalid_settings::InvalidSettings;

/// Why [`Context::spawn`](https://docs.rs/supervise-tree/latest/supervise/struct.Context.html#method.spawn), [`spawn`](https://docs.rs/supervise-tree/latest/supervise/fn.spawn.html), or a spawn of [`Children`](https://docs.rs/supervise-tree/latest/supervise/struct.Children.html)
/// or [`Keyed`](https://docs.rs/supervise-tree/latest/supervise/struct.Keyed.html) failed.
///
/// ```
/// use std::io;
/// use supervise::error::SpawnError;
/// use supervise::prelude::*;
/// # struct Import;
/// # #[actor]
/// # impl Import { fn handle(&mut self, _msg: ()) {} }
///
/// async fn open(file: &str) -> io::Result<Import> {
///     Err(io::Error::new(io::ErrorKind::NotFound, format!("there is no {file}")))
/// }
///
/// supervisor! {
///     struct App {
///         imports: [Import] = |file: &'static str| open(file).await?,
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let app = App::start().await?;
/// match app.imports.spawn("a.csv").await {
///     Err(SpawnError::Start(failure)) => {
///         let error = failure.error::<io::Error>().expect("what was thrown");
///         assert_eq!(error.kind(), io::ErrorKind::NotFound);
///     }
///     other => panic!("{other:?}"),
/// }
/// assert!(app.ended().is_none()); // the failed start of an instance does not affect the rest of the tree
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The supervisor is stopping, a restart of the supervisor absorbed the spawn, the child was asked to stop before it
    /// was up, or the caller has to be down before the supervisor can start anything again.
    #[error("{path} started nothing, since it, the child or the caller goes down; a later spawn may succeed")]
    Stopping {
        /// The path of the supervisor.
        path: String,
    },
    /// The supervisor has ended.
    #[error("{path} has ended and takes no new children; spawn them elsewhere")]
    Stopped {
        /// The path of the supervisor.
        path: String,
    },
    /// `max_children` is reached.
    #[error("{path} has its {most} children; stop one, or raise `max_children`")]
    MaxChildren {
        /// The path of the set.
        path: String,
        /// The number of instances that the set may have.
        most: usize,
    },
    /// A living child has this name.
    #[error("{path} exists; choose another name, or wait for its end")]
    Exists {
        /// The path of the child.
        path: String,
    },
    /// The name, or the text of the key, is empty, so the child would have no name in its path.
    #[error("a child of {path} needs a name, and this one is empty; give it one")]
    EmptyName {
        /// The path of the supervisor.
        path: String,
    },
    /// The settings of the spawn, or those of its supervisor, contradict each other.
    #[error("{path} cannot be spawned: {what}")]
    InvalidSettings {
        /// The path of the child.
        path: String,
        /// The problem.
        what: InvalidSettings,
    },
    /// The first start failed and is not retried.
    #[error(transparent)]
    Start(Failure),
}

kinds! {
    /// The kind of a [`SpawnError`], without paths and failure.
    ///
    /// Kinds can be compared, as in `assert_eq!`. A [`SpawnError`] may contain an error, which cannot.
    ///
    /// ```
    /// use supervise::error::{SpawnError, SpawnErrorKind};
    ///
    /// let error = SpawnError::Stopped { path: "jobs".to_owned() };
    /// assert_eq!(error.kind(), SpawnErrorKind::Stopped);
    /// ```
    pub enum SpawnErrorKind of SpawnError {
        Stopping,
        Stopped,
        MaxChildren,
        Exists,
        EmptyName,
        InvalidSettings,
        Start,
    }

    /// Returns the kind of the error, without paths and failure.
    fn kind;
}
