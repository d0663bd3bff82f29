//! The faults: how they are drawn, caused and shown.

use std::fmt;
use std::time::Duration;

use super::random::Random;
use supervise_core::base::BoxFuture;
use supervise_core::base::sync::Arc;
use supervise_core::values::failure::{Cause, Thrown};
use supervise_runtime::TreeRef;
use supervise_runtime::probe::{self, Holdup, Witness};
use supervise_runtime::{AnyRef, ChildRef};

/// A kind of fault that [`Chaos`](super::Chaos) causes.
///
/// ```
/// use supervise::testing::ChaosFault;
///
/// assert!(ChaosFault::ALL.contains(&ChaosFault::Kill));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChaosFault {
    /// A child fails with an error, as if its code had returned it.
    Error,
    /// A child fails with a panic. Nothing really unwinds.
    Panic,
    /// A child is killed.
    Kill,
    /// A child is asked to stop.
    Stop,
    /// A child is asked to stop, and is aborted after a while: `shutdown().within(..)`.
    Shutdown,
    /// An actor is asked to drain.
    Drain,
    /// A child is restarted by hand.
    Restart,
    /// A child that has ended is started again, or one that has not is asked to.
    StartAgain,
    /// The next start of a child takes longer.
    SlowStart,
    /// The next start of a child hangs, until something ends it or the chaos is over.
    HangingStart,
    /// A future is dropped after a few polls: of a wait, of a request, of the start of the tree, or a call of
    /// [`messages`](super::Chaos::messages).
    DroppedFuture,
    /// Several of these faults come in one poll, to one child or to several, so that no task runs in between.
    AtOnce,
    /// A fault of your own; see [`fault`](super::Chaos::fault).
    Own,
}

impl ChaosFault {
    /// All kinds.
    pub const ALL: [ChaosFault; 13] = [
        ChaosFault::Error,
        ChaosFault::Panic,
        ChaosFault::Kill,
        ChaosFault::Stop,
        ChaosFault::Shutdown,
        ChaosFault::Drain,
        ChaosFault::Restart,
        ChaosFault::StartAgain,
        ChaosFault::SlowStart,
        ChaosFault::HangingStart,
        ChaosFault::DroppedFuture,
        ChaosFault::AtOnce,
        ChaosFault::Own,
    ];
}

/// A future that is dropped after a few polls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Wait {
    Terminated,
    Shutdown,
    Restart,
    StartAgain,
    Ready,
    Answers,
    Join,
    /// The next call of the user's `messages`.
    Call,
    /// The start of the whole tree.
    Start,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Act {
    /// The number of the kind of error.
    Error(usize),
    Panic,
    Kill,
    Stop,
    Shutdown(Duration),
    Drain,
    Restart,
    StartAgain,
    Slow(Duration),
    Hang,
    Drop(Wait, u32),
    /// The number of the user's fault, and the seed of its random numbers.
    Own(usize, u64),
}

/// A fault at a time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fault {
    pub(super) at: Duration,
    /// Empty for a fault that concerns no child.
    pub(super) path: String,
    pub(super) act: Act,
}

/// The means to cause a fault that has no other owner.
pub(super) struct Means<'a> {
    pub(super) tree: &'a TreeRef,
    pub(super) witness: &'a Arc<Witness>,
    pub(super) errors: &'a [super::MakesError],
}

/// The choices of a user.
pub(super) struct Choices<'a> {
    pub(super) kinds: &'a [ChaosFault],
    pub(super) spared: &'a [String],
    pub(super) errors: usize,
    pub(super) own: usize,
    pub(super) calls: bool,
    /// The longest time of a slow start or of a shutdown.
    pub(super) long: Duration,
}

/// Draws the faults of one moment.
pub(super) fn draw(random: &mut Random, at: Duration, tree: &TreeRef, up: bool, choices: &Choices<'_>) -> Vec<Fault> {
    let mut all = probe::parts(tree);
    all.retain(|target| !choices.spared.iter().any(|path| is_at_or_below(&target.path, path)));
    let mut faults: Vec<Fault> = Vec::new();
    let many = choices.kinds.contains(&ChaosFault::AtOnce);
    let number = if many { [1, 1, 1, 1, 2, 2, 2, 3, 3, 4][random.below(10) as usize] } else { 1 };
    let mut same: Option<usize> = None;
    for _ in 0..number {
        let kinds: Vec<ChaosFault> = choices.kinds.iter().copied().filter(|kind| *kind != ChaosFault::AtOnce).collect();
        if kinds.is_empty() {
            break;
        }
        let mut kind = *random.pick(&kinds);
        let ended: Vec<usize> = (0..all.len()).filter(|at| all[*at].ended).collect();
        let mut target = match same {
            Some(target) if random.below(10) < 6 => Some(target),
            _ if all.is_empty() => None,
            _ => Some(random.below(all.len() as u64) as usize),
        };
        // Start ended children again now and then: otherwise most children would soon have ended for good.
        if !ended.is_empty() && kinds.contains(&ChaosFault::StartAgain) && random.one_in(4) {
            kind = ChaosFault::StartAgain;
            target = Some(*random.pick(&ended));
        }
        if kind == ChaosFault::Own || (kind == ChaosFault::DroppedFuture && random.one_in(3)) {
            let act = match kind {
                ChaosFault::Own if choices.own > 0 && up => {
                    Act::Own(random.below(choices.own as u64) as usize, random.number())
                }
                ChaosFault::Own => continue,
                _ if !up => Act::Drop(Wait::Start, 0),
                _ if choices.calls => Act::Drop(Wait::Call, random.below(6) as u32),
                _ => Act::Drop(Wait::Ready, random.below(4) as u32),
            };
            faults.push(Fault { at, path: String::new(), act });
            continue;
        }
        let Some(index) = target else { continue };
        same = target;
        let target = &all[index];
        let long = |random: &mut Random| {
            let most = choices.long.as_micros() as u64;
            Duration::from_micros(if random.one_in(2) { random.below(most) } else { random.below(most / 50) })
        };
        let act = match kind {
            ChaosFault::Error => Act::Error(random.below(choices.errors as u64) as usize),
            ChaosFault::Panic => Act::Panic,
            ChaosFault::Kill => Act::Kill,
            ChaosFault::Stop => Act::Stop,
            ChaosFault::Shutdown => Act::Shutdown(long(random)),
            ChaosFault::Drain if target.actor => Act::Drain,
            ChaosFault::Drain => Act::Stop,
            ChaosFault::Restart => Act::Restart,
            ChaosFault::StartAgain => Act::StartAgain,
            ChaosFault::SlowStart => Act::Slow(long(random)),
            ChaosFault::HangingStart => Act::Hang,
            _ => {
                let waits =
                    [Wait::Terminated, Wait::Shutdown, Wait::Restart, Wait::StartAgain, Wait::Ready, Wait::Answers];
                let wait = match random.below(8) {
                    6 | 7 if target.supervises => Wait::Join,
                    other => waits[(other % 6) as usize],
                };
                Act::Drop(wait, random.below(5) as u32)
            }
        };
        let path = target.path.clone();
        // A fault that holds up a start takes effect only if the child starts, so add a restart.
        let restarts = matches!(act, Act::Slow(_) | Act::Hang) && random.below(3) < 2;
        faults.push(Fault { at, path: path.clone(), act });
        if restarts && kinds.contains(&ChaosFault::Restart) && many {
            let act = if target.ended { Act::StartAgain } else { Act::Restart };
            faults.push(Fault { at, path, act });
        }
    }
    faults
}

pub(super) fn is_at_or_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Fault {
    /// Causes the fault. Returns what is to be polled for it.
    pub(super) fn cause(&self, by: &Means<'_>) -> Option<BoxFuture<'static, ()>> {
        if let Act::Slow(time) = self.act {
            by.witness.holds_up(&self.path, Holdup::For(time));
        }
        if let Act::Hang = self.act {
            by.witness.holds_up(&self.path, Holdup::Forever);
        }
        if let Act::Drop(Wait::Ready, polls) = self.act {
            let tree = by.tree.clone();
            return Some(Box::pin(super::crowd::dropped_after(polls, async move {
                let _ = tree.ready().await;
            })));
        }
        let child = by.tree.find(&self.path)?;
        self.act.on(&child, by)
    }
}

impl Act {
    fn on(self, child: &AnyRef, by: &Means<'_>) -> Option<BoxFuture<'static, ()>> {
        let inject = |cause| probe::inject(child, cause);
        match self {
            Act::Error(kind) => inject(Cause::Error(match by.errors.get(kind) {
                Some(error) => error(),
                None => Thrown::from(ChaosError),
            })),
            Act::Panic => inject(Cause::Panic("chaos".into())),
            Act::Kill => child.kill(),
            Act::Stop => child.stop(),
            Act::Shutdown(time) => {
                let going = child.shutdown().within(time);
                return Some(Box::pin(async move { drop(going.await) }));
            }
            Act::Drain => probe::drain(child),
            Act::Restart => drop(child.restart()),
            Act::StartAgain => drop(child.start_again()),
            Act::Slow(_) | Act::Hang | Act::Own(..) => {}
            Act::Drop(wait, polls) => {
                let wait: BoxFuture<'static, ()> = match wait {
                    Wait::Terminated => {
                        let wait = child.terminated();
                        Box::pin(async move { drop(wait.await) })
                    }
                    Wait::Shutdown => {
                        let wait = child.shutdown().within(Duration::from_millis(10));
                        Box::pin(async move { drop(wait.await) })
                    }
                    Wait::Restart => {
                        let wait = child.restart().ok()?;
                        Box::pin(async move { drop(wait.await) })
                    }
                    Wait::StartAgain => {
                        let wait = child.start_again().ok()?;
                        Box::pin(async move { drop(wait.await) })
                    }
                    Wait::Answers => {
                        let wait = by.tree.answers();
                        Box::pin(async move {
                            let _ = wait.await;
                        })
                    }
                    Wait::Join => Box::pin(probe::join(child)),
                    Wait::Ready | Wait::Call | Wait::Start => return None,
                };
                return Some(Box::pin(super::crowd::dropped_after(polls, wait)));
            }
        }
        None
    }

    /// Returns whether the child is to end and stay so.
    pub(super) fn stops(self) -> bool {
        matches!(self, Act::Stop | Act::Shutdown(_) | Act::Drain | Act::Drop(Wait::Shutdown, _))
    }
}

/// The error of a child that fails by chaos, unless the test has errors of its own.
#[derive(Debug)]
struct ChaosError;

impl fmt::Display for ChaosError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("chaos")
    }
}

impl std::error::Error for ChaosError {}

impl Fault {
    /// Returns the fault as a line, with the names of the user's own faults. `at_once`: no task has run since the last one.
    pub(super) fn line(&self, own: &[String], at_once: bool) -> String {
        let at = match at_once {
            true => format!("{:>11}", "at once"),
            false => format!("{:>10.6}s", self.at.as_secs_f64()),
        };
        match self.act {
            Act::Own(which, _) => format!("{at}  {}", own.get(which).map_or("", |name| name)),
            act if self.path.is_empty() => format!("{at}  {act}"),
            act => format!("{at}  {}: {act}", self.path),
        }
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Act::Error(0) => f.write_str("fails with an error"),
            Act::Error(kind) => write!(f, "fails with error number {kind}"),
            Act::Panic => f.write_str("panics"),
            Act::Kill => f.write_str("is killed"),
            Act::Stop => f.write_str("is asked to stop"),
            Act::Shutdown(time) => write!(f, "is asked to stop within {time:?}"),
            Act::Drain => f.write_str("is asked to drain"),
            Act::Restart => f.write_str("is restarted by hand"),
            Act::StartAgain => f.write_str("is started again by hand"),
            Act::Slow(time) => write!(f, "its next start takes {time:?} longer"),
            Act::Hang => f.write_str("its next start hangs"),
            Act::Own(..) => f.write_str("a fault of the test"),
            Act::Drop(Wait::Call, polls) => write!(f, "the next call of `messages` is dropped after {polls} polls"),
            Act::Drop(Wait::Start, _) => f.write_str("the start of the tree is dropped"),
            Act::Drop(wait, polls) => {
                let of = match wait {
                    Wait::Terminated => "terminated()",
                    Wait::Shutdown => "shutdown().within(10ms)",
                    Wait::Restart => "restart()",
                    Wait::StartAgain => "start_again()",
                    Wait::Ready => "ready()",
                    Wait::Answers => "answers()",
                    Wait::Join | Wait::Call | Wait::Start => "join()",
                };
                write!(f, "`{of}` is dropped after {polls} polls")
            }
        }
    }
}
