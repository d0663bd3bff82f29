//! The requests of a user to a single child: `restart()`, `start_again()`, `drain()` (rule S26).
//!
//! Each request is decided immediately, in the caller's task, under the lock of the child's supervisor. So the answer
//! is accurate when it is returned, and the caller does not wait for the child. The accepted request is then carried
//! out in the child's own task, like everything else.

use std::fmt;

use crate::actor::waits::Starting;
use crate::engine::cell::control::{AnyCell, SystemMessage, send};
use crate::engine::cell::driver::moves;
use crate::engine::cell::shared_wait::SharedWait;
use crate::engine::supervisor::AfterLock;
use supervise_core::base::deferred_drop::DeferDrops;
use supervise_core::base::sync::Arc;
use supervise_core::decide::child::{Command, CommandOutcome};

/// The error of `restart()` and `start_again()`: why the request was refused. A start that was accepted and then fails
/// is a [`StartingError`](crate::error::StartingError).
///
/// ```
/// use supervise::error::CommandError;
/// use supervise::prelude::*;
/// # struct Cache;
/// # #[actor]
/// # impl Cache { fn handle(&mut self, _msg: ()) {} }
///
/// /// Restarts or starts the cache, whatever state it is in.
/// fn renew(cache: &ActorRef<Cache>) -> Result<(), CommandError> {
///     let starting = match cache.restart() {
///         Err(CommandError::Busy { .. }) => return Ok(()), // a restart is already in progress
///         Err(CommandError::Ended { .. }) => cache.start_again()?,
///         done => done?,
///     };
///     println!("{starting:?}"); // or `.await` it
///     Ok(())
/// }
///
/// # supervisor! { struct App { cache: Cache = Cache, other: Cache = Cache } }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let app = App::start().await?;
/// renew(&app.cache)?;
/// app.cache.stop();
/// app.cache.terminated().await?;
/// renew(&app.cache)?;
/// # assert!(app.ready().await);
/// assert!(matches!(app.cache.start_again(), Err(CommandError::NotEnded { path }) if path == "cache"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CommandError {
    /// The child is going down to be restarted, is queued for its start, or its group is going down, waits to come up,
    /// or comes up. Then every member of the group gets this answer, also one that is up.
    Busy {
        /// The path of the child.
        path: String,
    },
    /// `start_again()` was called on a child that has not ended.
    NotEnded {
        /// The path of the child.
        path: String,
    },
    /// The child cannot be started again: a child spawned at run time is forgotten with its end, and a root has no
    /// supervisor.
    NotDeclared {
        /// The path of the child.
        path: String,
    },
    /// `restart()` was called on a `Temporary` child that was spawned at run time: an instance of a set, or a `child!`.
    /// Its arguments were moved into its only start.
    ///
    /// See rules S27, S38.
    StartedOnce {
        /// The path of the child.
        path: String,
    },
    /// The child is stopping.
    Stopping {
        /// The path of the child.
        path: String,
    },
    /// `restart()` was called on a child that has ended.
    Ended {
        /// The path of the child.
        path: String,
    },
    /// `start_again()` was called on a child that can no longer be started: its supervisor has ended, or its own task
    /// is gone, because its runtime was dropped or because two bugs of this library followed each other.
    ///
    /// See rule S19.
    SupervisorEnded {
        /// The path of the child.
        path: String,
    },
}

impl CommandError {
    /// Returns the path of the child.
    pub fn path(&self) -> &str {
        match self {
            CommandError::Busy { path }
            | CommandError::NotEnded { path }
            | CommandError::NotDeclared { path }
            | CommandError::StartedOnce { path }
            | CommandError::Stopping { path }
            | CommandError::Ended { path }
            | CommandError::SupervisorEnded { path } => path,
        }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path();
        match self {
            CommandError::Busy { .. } => {
                write!(f, "{path} or its group is going down or starting; try again when all of its members are up")
            }
            CommandError::NotEnded { .. } => {
                write!(f, "{path} has not ended, so it cannot be started again; ask for `restart()`")
            }
            CommandError::NotDeclared { .. } => write!(
                f,
                "{path} is a root, or was spawned at run time and has ended, so no supervisor can start it again; start \
                 or spawn a new one"
            ),
            CommandError::StartedOnce { .. } => {
                write!(f, "{path} is `Temporary` and was spawned, so it cannot be restarted; spawn another one")
            }
            CommandError::Stopping { .. } => {
                write!(f, "{path} is stopping; wait for its end, then ask for `start_again()`")
            }
            CommandError::Ended { .. } => {
                write!(f, "{path} has ended; ask for `start_again()` if it is declared, else spawn a new one")
            }
            CommandError::SupervisorEnded { .. } => {
                write!(
                    f,
                    "{path} has ended with its supervisor, or its task is gone; start the supervisor again, or a new tree"
                )
            }
        }
    }
}

impl std::error::Error for CommandError {}

/// `Ok` says that the request was accepted.
fn answer(cell: &AnyCell, verdict: CommandOutcome) -> Result<(), CommandError> {
    let path = || cell.core().path();
    match verdict {
        CommandOutcome::DownAlone
        | CommandOutcome::StartNow
        | CommandOutcome::StartOver
        | CommandOutcome::FirstStart
        | CommandOutcome::Drain
        | CommandOutcome::Stop
        | CommandOutcome::NoStart
        | CommandOutcome::End
        | CommandOutcome::Nothing => Ok(()),
        CommandOutcome::Busy => Err(CommandError::Busy { path: path() }),
        CommandOutcome::NotEnded => Err(CommandError::NotEnded { path: path() }),
        CommandOutcome::Stopping => Err(CommandError::Stopping { path: path() }),
        CommandOutcome::Ended => Err(CommandError::Ended { path: path() }),
        CommandOutcome::StartedOnce => Err(CommandError::StartedOnce { path: path() }),
        CommandOutcome::SupervisorEnded => Err(CommandError::SupervisorEnded { path: path() }),
    }
}

/// Returns the start that was accepted.
fn starting(
    cell: &Arc<AnyCell>,
    verdict: CommandOutcome,
    start: Option<Arc<SharedWait>>,
) -> Result<Starting, CommandError> {
    answer(&**cell, verdict)?;
    let start = start.expect("an accepted start is registered with its decision");
    Ok(Starting::of(cell.clone(), start))
}

fn ask<'a, R>(
    owner: &'a Option<Arc<AnyCell>>,
    cell: &AnyCell,
    command: Command,
    then: impl FnOnce(CommandOutcome) -> R,
) -> Option<(CommandOutcome, R, AfterLock<'a>)> {
    let owner = owner.as_ref()?;
    owner.core().table()?.on_request(&**owner, cell, command, then)
}

/// Asks the child's present supervisor for a decision.
fn decide<R>(cell: &AnyCell, command: Command, then: impl Fn(CommandOutcome) -> R) -> Option<(CommandOutcome, R)> {
    let _shelter = DeferDrops::new();
    let owner = cell.core().supervisor();
    if let Some((verdict, out, after_lock)) = ask(&owner, cell, command, &then) {
        after_lock.done();
        return Some((verdict, out));
    }
    // This supervisor does not know the child: the child has ended, or is moving to another supervisor (S38). Under the
    // lock of moves the second look is final.
    let owner;
    let still = moves();
    owner = cell.core().supervisor();
    let decided = ask(&owner, cell, command, &then);
    drop(still);
    let (verdict, out, after_lock) = decided?;
    after_lock.done();
    Some((verdict, out))
}

/// Carries out `restart()`.
pub(crate) fn restart(cell: &Arc<AnyCell>) -> Result<Starting, CommandError> {
    let core = cell.core();
    if core.parent.is_none() {
        return Err(CommandError::NotDeclared { path: core.path() });
    }
    let register = |verdict| match verdict {
        CommandOutcome::DownAlone | CommandOutcome::StartNow | CommandOutcome::StartOver => Some(core.expect_start()),
        _ => None,
    };
    match decide(&**cell, Command::Restart, register) {
        Some((verdict, start)) => starting(cell, verdict, start),
        None => Err(CommandError::Ended { path: core.path() }),
    }
}

/// Carries out `start_again()`.
pub(crate) fn start_again(cell: &Arc<AnyCell>) -> Result<Starting, CommandError> {
    let core = cell.core();
    let Some(owner) = core.supervisor() else { return Err(CommandError::NotDeclared { path: core.path() }) };
    let (declares, is_over) =
        owner.core().table().map_or((true, true), |table| table.inspect(|group| (group.declares(), group.is_ended())));
    if core.ended().is_some() && !declares {
        return Err(CommandError::NotDeclared { path: core.path() });
    }
    if core.ended().is_some() && is_over {
        return Err(CommandError::SupervisorEnded { path: core.path() });
    }
    // The cell is revived under the supervisor's lock, so that every later request refers to the new life.
    let revive = |verdict| {
        if verdict != CommandOutcome::FirstStart {
            return (Vec::new(), None);
        }
        core.revive();
        cell.reopen();
        // The requests are returned, so that the caller drops them after the lock.
        (core.forget_requests(), Some(core.expect_start()))
    };
    match decide(&**cell, Command::StartAgain, revive) {
        Some((verdict, (_, start))) => starting(cell, verdict, start),
        // The table of a supervisor is dropped when the supervisor ends.
        None if declares => Err(CommandError::SupervisorEnded { path: core.path() }),
        None => Err(CommandError::NotDeclared { path: core.path() }),
    }
}

/// Carries out `drain()`: from this moment on the mailbox accepts nothing new.
pub(crate) fn drain(cell: &AnyCell) {
    let shut = |verdict| (verdict == CommandOutcome::Drain).then(|| cell.mail.drain_gate());
    match decide(cell, Command::Drain, shut) {
        // Senders that waited for room are woken here, after the lock.
        Some((CommandOutcome::Drain, refused)) => drop(refused),
        Some((CommandOutcome::Nothing, _)) => {}
        Some((CommandOutcome::NoStart, _)) => send(cell, SystemMessage::Drain),
        Some(_) | None => send(cell, SystemMessage::Stop),
    }
}
