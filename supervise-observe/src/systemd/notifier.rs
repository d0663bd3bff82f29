//! The task that notifies systemd of the state of a tree.
//!
//! The notifier stands outside of the tree, and looks at it once a second: events would cost something for each instance of a set.
//! The begin of a stop and the end wake it at once. Nothing that it does waits for systemd.

use std::future::{Future, pending, poll_fn};
use std::mem::replace;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use sd_notify::NotifyState;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::socket::{Sent, Socket};
use super::status::{Phase, Status};
use crate::deploy::TIMEOUT_STOP;
use supervise_core::base::clock::after;
use supervise_core::base::deferred_drop::shielded;
use supervise_core::decide::group::Group;
use supervise_core::values::declaration::TreeSpec;
use supervise_runtime::TreeRef;
use supervise_runtime::extension::{AnyCell, CellCore, Extension, Waiting, Wants, cell, tree_of};

/// The time after the end of the tree in which its last messages are tried.
const GIVE_UP: Duration = Duration::from_secs(10);

/// The shortest time between two messages about the status, and between two looks at the tree.
const LOOK: Duration = Duration::from_secs(1);
/// The time after which a status is sent again whose countdown alone has changed.
const COUNTDOWN: Duration = Duration::from_secs(10);
/// The time after which a message is sent again that systemd did not take. It doubles each time, up to [`LOOK`].
const RETRY: Duration = Duration::from_millis(50);
/// The time between two extensions of a stop.
const EXTEND: Duration = Duration::from_secs(5);
/// The time that one extension gives. If this task no longer runs, the stop has so long.
const EXTENSION: Duration = Duration::from_secs(15);
/// The time after the declared one, in which the program exits.
const EXIT: Duration = Duration::from_secs(1);

/// Tells systemd about a tree from its start on.
#[derive(Debug)]
pub(super) struct FromStart;

impl Extension for FromStart {
    fn begun(&self, root: &Arc<AnyCell>, tree: &'static TreeSpec) {
        begin(tree_of(root.clone()), tree);
    }
}

/// Notifies the task of a notifier that the tree begins to go down.
#[derive(Debug, Default)]
struct Ending(Notify);

impl Extension for Ending {
    fn wants(&self) -> Wants {
        Wants::ROOTS
    }

    fn ending(&self, _root: &CellCore) {
        self.0.notify_one();
    }
}

/// Begins to tell systemd about the tree, if the program runs under it.
fn begin(tree: TreeRef, spec: &'static TreeSpec) {
    let socket = match Socket::open() {
        None => return,
        Some(Ok(socket)) => socket,
        Some(Err(error)) => {
            shielded(|| {
                tracing::warn!(target: "supervise", %error, "no messages to systemd: NOTIFY_SOCKET cannot be used");
            });
            return;
        }
    };
    shielded(|| warn_of_the_timeout(spec));
    let watchdog = sd_notify::watchdog_enabled().filter(|time| !time.is_zero());
    let notifier = Notifier::new(tree, spec.shutdown_budget(), socket, watchdog);
    drop(tokio::spawn(notifier.run()));
}

/// Warns if the unit gives less time than the declaration needs. What the unit gives is known from a variable that the
/// printed unit has.
fn warn_of_the_timeout(spec: &TreeSpec) {
    let Ok(text) = std::env::var(TIMEOUT_STOP) else { return };
    let text = text.trim();
    if text == "infinity" {
        return;
    }
    let Ok(seconds) = text.strip_suffix('s').unwrap_or(text).trim_end().parse::<u64>() else {
        tracing::warn!(target: "supervise", value = text, "{TIMEOUT_STOP} is not a number of seconds");
        return;
    };
    let given = Duration::from_secs(seconds);
    match spec.shutdown_budget() {
        Some(need) if need > given => tracing::warn!(
            target: "supervise",
            path = spec.name,
            ?given,
            ?need,
            "TimeoutStopSec is shorter than an orderly stop may take; print the unit again"
        ),
        None => tracing::warn!(
            target: "supervise",
            path = spec.name,
            ?given,
            "TimeoutStopSec limits a stop whose time the declaration does not limit; print the unit again"
        ),
        Some(_) => {}
    }
}

struct Notifier {
    tree: TreeRef,
    /// The time of an orderly stop, as declared.
    budget: Option<Duration>,
    socket: Socket,
    phase: Phase,
    /// The messages that are to be sent, again and again until systemd has taken them.
    due: Due,
    status: Told,
    /// True once the tree has been up.
    was_up: bool,
    /// The interval of the watchdog.
    watchdog: Option<Duration>,
    stop: Stop,
    ending: Arc<Ending>,
}

#[derive(Default)]
struct Due {
    ready: bool,
    /// The time of a sign of life.
    watchdog: Option<Instant>,
    stopping: bool,
    extension: bool,
}

/// The status that systemd has.
#[derive(Default)]
struct Told {
    state: Option<String>,
    at: Option<Instant>,
}

#[derive(Default)]
struct Stop {
    /// True once systemd was notified.
    told: bool,
    /// The time of the next extension.
    next: Option<Instant>,
    /// The end of the declared time.
    until: Option<Instant>,
}

impl Notifier {
    fn new(tree: TreeRef, budget: Option<Duration>, socket: Socket, watchdog: Option<Duration>) -> Self {
        let ending = Arc::new(Ending::default());
        cell(&tree).core().bus().attach(ending.clone());
        let watchdog = watchdog.map(|time| (time / 2).max(Duration::from_millis(1)));
        let (due, status, stop) = (Due::default(), Told::default(), Stop::default());
        Notifier { tree, budget, socket, phase: Phase::Starting, due, status, was_up: false, watchdog, stop, ending }
    }

    async fn run(mut self) {
        let cell = cell(&self.tree).clone();
        let mut waiting = Waiting::default();
        let mut terminated = pin!(self.tree.terminated());
        let mut ended = false;
        let mut ping: Option<Pin<Box<dyn Future<Output = bool> + Send>>> = None;
        let mut next_ping = None;
        let mut next_look = Instant::now();
        let mut pause = RETRY;
        // The time after the end of the tree at which the task stops sending: systemd may no longer read.
        let mut give_up = None;
        loop {
            let now = Instant::now();
            if !ended && next_look <= now {
                next_look = after(now, LOOK);
                if self.phase != Phase::Stopping && self.is_stopping() {
                    self.stops(now);
                }
                self.look(now);
            }
            if self.stop.next.is_some_and(|next| next <= now) {
                self.due.extension = true;
                self.stop.next = Some(after(now, EXTEND)).filter(|next| self.stop.until.is_some_and(|end| *next < end));
            }
            if next_ping.is_some_and(|next| next <= now) {
                next_ping = self.watchdog.map(|interval| after(now, interval));
                // One question at a time: as long as the root does not answer, no sign of life is sent.
                ping.get_or_insert_with(|| Box::pin(self.tree.answers()));
            }
            let all_sent = self.send(now);
            if ended && (all_sent || give_up.is_some_and(|end| end <= now)) {
                return;
            }
            let retry = (!all_sent).then(|| after(now, pause));
            pause = if all_sent { RETRY } else { pause.saturating_mul(2).min(LOOK) };
            let look = (!ended).then_some(next_look);
            let next = [retry, look, self.stop.next, next_ping].into_iter().flatten().min();
            tokio::select! {
                biased;
                up = poll_fn(|cx| cell.core().poll_up(&mut waiting, cx.waker())), if self.phase == Phase::Starting => {
                    if up.is_ok() {
                        self.phase = Phase::Up;
                        self.is_up();
                        // systemd starts its watchdog when it receives READY.
                        next_ping = self.watchdog.map(|_| Instant::now());
                    } else {
                        self.stops(Instant::now());
                    }
                    next_look = Instant::now();
                }
                () = self.ending.0.notified(), if self.phase != Phase::Stopping => {
                    self.stops(Instant::now());
                }
                _ = &mut terminated, if !ended => {
                    ended = true;
                    give_up = Some(after(Instant::now(), GIVE_UP));
                    (ping, next_ping) = (None, None);
                    self.due.watchdog = None;
                    self.due.extension = false;
                    self.stop.next = None;
                    self.stops(Instant::now());
                }
                answers = answer(&mut ping), if ping.is_some() => {
                    ping = None;
                    self.due.watchdog = answers.then(Instant::now);
                }
                () = at(next) => {}
            }
        }
    }

    /// Returns whether the root goes down. It notifies this task of that; this is for what it does not know of yet.
    fn is_stopping(&self) -> bool {
        let core = cell(&self.tree).core();
        let ends = || core.table().is_some_and(|table| table.inspect(Group::ends_for_certain));
        core.stop_reason().is_some() || ends()
    }

    /// Notes that the tree is up, or has been. A service that ends before that has failed for systemd.
    fn is_up(&mut self) {
        if cell(&self.tree).core().was_up() && !replace(&mut self.was_up, true) {
            self.due.ready = true;
        }
    }

    /// The tree begins to stop, or has ended.
    fn stops(&mut self, now: Instant) {
        if self.phase == Phase::Stopping {
            return;
        }
        self.phase = Phase::Stopping;
        self.is_up(); // the tree may have been up for a moment only
        self.due.stopping = true;
        if self.tree.is_alive() {
            self.stop.until = self.budget.map(|budget| after(now, budget));
            self.stop.next = self.stop.until.filter(|end| *end > now).map(|_| now);
        }
    }

    /// Looks at the tree. A status that systemd does not take is dropped: the next look has a newer one.
    fn look(&mut self, now: Instant) {
        let status = Status::of(&self.tree, self.phase);
        let is_news = self.status.state.as_ref() != Some(&status.state);
        let is_old = self.status.at.is_none_or(|at| now.saturating_duration_since(at) >= COUNTDOWN);
        if (is_news || status.counts_down && is_old) && !self.due.ready {
            self.tell(status, None, now);
        }
    }

    /// Sends a status, after another line in the same message if there is one.
    fn tell(&mut self, status: Status, first: Option<NotifyState<'_>>, now: Instant) -> Sent {
        let status_line = NotifyState::Status(&status.text);
        let lines: Vec<_> = first.into_iter().chain([status_line]).collect();
        let sent = self.socket.send(&lines);
        if sent == Sent::Done {
            self.status = Told { state: Some(status.state), at: Some(now) };
        }
        sent
    }

    /// Sends what is due. Returns whether all of it is sent.
    fn send(&mut self, now: Instant) -> bool {
        if self.due.ready {
            let status = Status::of(&self.tree, self.phase);
            self.due.ready = self.tell(status, Some(NotifyState::Ready), now) != Sent::Done;
        }
        if self.due.stopping && !self.due.ready {
            let status = Status::of(&self.tree, Phase::Stopping);
            self.due.stopping = self.tell(status, Some(NotifyState::Stopping), now) != Sent::Done;
            self.stop.told |= !self.due.stopping;
        }
        if self.due.extension && !self.due.stopping {
            self.due.extension = match self.extension(now) {
                Some(usec) => {
                    self.socket.send(&[NotifyState::Custom(&format!("EXTEND_TIMEOUT_USEC={usec}"))]) != Sent::Done
                }
                None => false,
            };
        }
        // Drop a sign of life that could not be sent within the interval: it says nothing about the present.
        let interval = self.watchdog.unwrap_or_default();
        self.due.watchdog = self.due.watchdog.filter(|at| now.saturating_duration_since(*at) < interval);
        if self.due.watchdog.is_some() && !self.due.ready && self.socket.send(&[NotifyState::Watchdog]) == Sent::Done {
            self.due.watchdog = None;
        }
        !(self.due.ready || self.due.stopping || self.due.extension || self.due.watchdog.is_some())
    }

    /// Returns the microseconds that the stop may still take, as far as one message extends it.
    fn extension(&self, now: Instant) -> Option<u128> {
        let left = self.stop.until?.checked_duration_since(now).filter(|left| !left.is_zero())?;
        Some(left.saturating_add(EXIT).min(EXTENSION).as_micros())
    }
}

impl Drop for Notifier {
    /// The runtime is dropped before the end of the tree, or before this task ran again.
    fn drop(&mut self) {
        if !self.stop.told {
            self.is_up();
            if self.due.ready {
                self.socket.send(&[NotifyState::Ready]);
            }
            self.socket.send(&[NotifyState::Stopping]);
        }
    }
}

async fn answer(ping: &mut Option<Pin<Box<dyn Future<Output = bool> + Send>>>) -> bool {
    poll_fn(|cx| match ping {
        Some(ping) => ping.as_mut().poll(cx),
        None => Poll::Pending,
    })
    .await
}

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => pending().await,
    }
}
