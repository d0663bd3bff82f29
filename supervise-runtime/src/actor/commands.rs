//! What a user asks of one child by hand: `restart()`, `start_again()`, `drain()` (rule S26).
//!
//! Decided at once, under the lock of its supervisor, whoever asks from wherever: so the answer is true at
//! the time it is given, and nobody waits for the child. What was asked is then carried out in the child's
//! own task, like everything else.

use std::fmt;

use crate::actor::actor_ref::{Cell, Envelope};
use crate::base::deferred_drop::Shelter;
use crate::base::sync::Arc;
use crate::decide::child::{ByHand, Command};
use crate::engine::cell::control::{Controlled, SystemMessage, send};
use crate::engine::cell::driver::moves;
use crate::engine::mailbox::MailCell;
use crate::engine::supervisor::Behind;

/// Why what was asked of a child by hand is not done (S26).
///
/// ```
/// use supervise::{CommandError, prelude::*};
/// # struct Cache;
/// # #[actor]
/// # impl Cache { fn handle(&mut self, _msg: ()) {} }
///
/// /// A fresh cache, whatever state it is in.
/// fn renew(cache: &ActorRef<Cache>) -> Result<(), CommandError> {
///     match cache.restart() {
///         Err(CommandError::Busy { .. }) => Ok(()), // it is being restarted as it is
///         Err(CommandError::Ended { .. }) => cache.start_again(),
///         done => done,
///     }
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
    /// The child is on its way down to be started again, awaits its turn, or its group is going down, waits to come up,
    /// or comes up: all of its members have this answer then, also one that is up.
    Busy {
        /// The child.
        path: String,
    },
    /// `start_again()` of one that has not ended.
    NotEnded {
        /// The child.
        path: String,
    },
    /// Nobody knows how to start it again: a child spawned at run time is forgotten with its end, and a root
    /// has no supervisor.
    NotDeclared {
        /// The child.
        path: String,
    },
    /// `restart()` of an instance of a `Temporary` set: its arguments were moved into its one start (S27).
    StartedOnce {
        /// The child.
        path: String,
    },
    /// It is on its way to its end.
    Stopping {
        /// The child.
        path: String,
    },
    /// `restart()` of one that has ended.
    Ended {
        /// The child.
        path: String,
    },
    /// `start_again()` of one that nobody can start any more: its supervisor has ended, or its own task is gone, with
    /// its runtime or by two bugs of the library in a row (S19).
    SupervisorEnded {
        /// The child.
        path: String,
    },
}

impl CommandError {
    /// The path of the child.
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
                write!(f, "{path} is on its way, or its group is going down or coming up; try again when they are up")
            }
            CommandError::NotEnded { .. } => {
                write!(f, "{path} has not ended, so it cannot be started again; ask for `restart()`")
            }
            CommandError::NotDeclared { .. } => write!(
                f,
                "{path} is a root, or was spawned at run time and has ended: no supervisor can start it again; start \
                 or spawn a new one"
            ),
            CommandError::StartedOnce { .. } => {
                write!(f, "{path} is of a `Temporary` set, so it is started once; spawn another one")
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
                    "{path} has ended with its supervisor, or its task is gone; start the supervisor again, or its tree anew"
                )
            }
        }
    }
}

impl std::error::Error for CommandError {}

/// `Ok`: it is being done.
fn answer(cell: &dyn Controlled, verdict: ByHand) -> Result<(), CommandError> {
    let path = || cell.ctl().path();
    match verdict {
        ByHand::DownAlone
        | ByHand::StartNow
        | ByHand::StartOver
        | ByHand::FirstStart
        | ByHand::Drain
        | ByHand::Stop
        | ByHand::NoStart
        | ByHand::End
        | ByHand::Nothing => Ok(()),
        ByHand::Busy => Err(CommandError::Busy { path: path() }),
        ByHand::NotEnded => Err(CommandError::NotEnded { path: path() }),
        ByHand::Stopping => Err(CommandError::Stopping { path: path() }),
        ByHand::Ended => Err(CommandError::Ended { path: path() }),
        ByHand::StartedOnce => Err(CommandError::StartedOnce { path: path() }),
        ByHand::SupervisorEnded => Err(CommandError::SupervisorEnded { path: path() }),
    }
}

fn ask<'a, R>(
    owner: &'a Option<Arc<dyn Controlled>>,
    cell: &dyn Controlled,
    command: Command,
    then: impl FnOnce(ByHand) -> R,
) -> Option<(ByHand, R, Behind<'a>)> {
    let owner = owner.as_ref()?;
    owner.ctl().sup()?.by_hand(&**owner, cell, command, then)
}

/// Asks the child's supervisor, whoever that is now.
fn decide<R>(cell: &dyn Controlled, command: Command, then: impl Fn(ByHand) -> R) -> Option<(ByHand, R)> {
    let _shelter = Shelter::new();
    let owner = cell.ctl().supervisor();
    if let Some((verdict, out, behind)) = ask(&owner, cell, command, &then) {
        behind.done();
        return Some((verdict, out));
    }
    // Not known there: it is over, or on its way to another one (S38).
    let owner;
    let still = moves();
    owner = cell.ctl().supervisor();
    let decided = ask(&owner, cell, command, &then);
    drop(still);
    let (verdict, out, behind) = decided?;
    behind.done();
    Some((verdict, out))
}

/// `restart()`.
pub(crate) fn restart(cell: &dyn Controlled) -> Result<(), CommandError> {
    let ctl = cell.ctl();
    if ctl.parent.is_none() {
        return Err(CommandError::NotDeclared { path: ctl.path() });
    }
    match decide(cell, Command::Restart, drop) {
        Some((verdict, ())) => answer(cell, verdict),
        None => Err(CommandError::Ended { path: ctl.path() }),
    }
}

/// `start_again()`.
pub(crate) fn start_again(cell: &dyn Controlled) -> Result<(), CommandError> {
    let ctl = cell.ctl();
    let Some(owner) = ctl.supervisor() else { return Err(CommandError::NotDeclared { path: ctl.path() }) };
    let (declares, is_over) =
        owner.ctl().sup().map_or((true, true), |sup| sup.look(|group| (group.declares(), group.is_ended())));
    if ctl.ended().is_some() && !declares {
        return Err(CommandError::NotDeclared { path: ctl.path() });
    }
    if ctl.ended().is_some() && is_over {
        return Err(CommandError::SupervisorEnded { path: ctl.path() });
    }
    // Whoever asks from now on asks about the life to come.
    let revive = |verdict| {
        if verdict != ByHand::FirstStart {
            return Vec::new();
        }
        ctl.revive();
        cell.reopen();
        ctl.forget_requests() // to be dropped behind the lock
    };
    match decide(cell, Command::StartAgain, revive) {
        Some((verdict, _)) => answer(cell, verdict),
        // With the supervisor's end its table is gone.
        None if declares => Err(CommandError::SupervisorEnded { path: ctl.path() }),
        None => Err(CommandError::NotDeclared { path: ctl.path() }),
    }
}

/// `drain()`: from this moment on nothing new is taken in.
pub(crate) fn drain<A: crate::actor::Actor>(cell: &Cell<A>) {
    let cell: &MailCell<Envelope<A>> = cell;
    let shut = |verdict| (verdict == ByHand::Drain).then(|| cell.drain_gate());
    match decide(cell, Command::Drain, shut) {
        // Senders that waited for room are told here, behind the lock.
        Some((ByHand::Drain, refused)) => drop(refused),
        Some((ByHand::Nothing, _)) => {}
        Some(_) | None => send(cell, SystemMessage::Stop),
    }
}
