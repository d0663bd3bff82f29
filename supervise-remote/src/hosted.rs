//! An instance on a node: hosted by an actor that decides nothing, under a lease.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use crate::hooks::{self, Host, ReplyBytes};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use serde::de::DeserializeOwned;
use serde_bytes::ByteBuf;
use supervise_runtime::FenceToken;
use supervise_runtime::Thrown;
use supervise_runtime::error::{FarError, SpawnError};
use supervise_runtime::event::EventKind;
use supervise_runtime::extension::{AnyCell, CellCore, Extension, Gate, Pass, Raised, Role, Wants};
use supervise_runtime::policy::{ChildOptions, Directive};
use supervise_runtime::{Actor, ActorRef, Cause, Ended, Failure, Phase};
use tokio::sync::Notify;

use crate::Remote;
use crate::clock::{Clock, Moment, Term};
use crate::errors::{Errors, from_wire, guarded, to_wire, too_large};
use crate::frame::{EndKind, PlaceOrder, ToOwner, WireFailure};
use crate::lock::lock;
use crate::node::NodeInner;
use crate::wire::{Peer, Wire};

/// How often an instance that is gone is looked at, while code of what it has spawned still runs.
const OUT: Duration = Duration::from_millis(5);

/// The most failures on the way down that are reported: there are few hooks.
const MOST_FAILURES: usize = 8;

/// A command of the owner to an instance.
#[derive(Debug)]
pub(crate) enum Command {
    Msg { seq: u64, body: Vec<u8> },
    Resume { upto: u64 },
    Leave(Box<WireFailure>),
    Stop,
    Kill,
}

/// The commands of the owner that the task of an instance has not taken yet, in order. Nearly always none, so they take no
/// room.
#[derive(Debug, Default)]
pub(crate) struct Commands {
    queue: Mutex<VecDeque<Command>>,
    bell: Notify,
}

/// Room for so many commands is kept.
const KEPT: usize = 16;

impl Commands {
    pub(crate) fn push(&self, command: Command) {
        lock(&self.queue).push_back(command);
        self.bell.notify_one();
    }

    /// Waits for the next command. Cancel safe.
    async fn next(&self) -> Command {
        loop {
            let bell = self.bell.notified();
            if let Some(command) = self.take() {
                return command;
            }
            bell.await;
        }
    }

    fn take(&self) -> Option<Command> {
        let mut queue = lock(&self.queue);
        let command = queue.pop_front();
        if queue.is_empty() && queue.capacity() > KEPT {
            *queue = VecDeque::new(); // a burst leaves nothing behind
        }
        command
    }
}

/// The lease of a placement, looked at before anything of the instance is polled.
pub(crate) struct Lease {
    wire: Arc<dyn Wire>,
    clock: Clock,
    time: Duration,
    shutdown: Duration,
    token: (u64, u64),
    term: Term,
    /// Not renewed any more, whatever the owner grants.
    ended: AtomicBool,
    /// Dropped as it is.
    dropped: AtomicBool,
    /// Dropped since the time was over.
    fenced: AtomicBool,
    /// The task of the placement is gone, before the instance was known to be.
    vanished: AtomicBool,
    /// How many polls of the instance and of its children are under way.
    inside: AtomicUsize,
    changed: Notify,
    path: String,
    /// The failures of the instance on its way down.
    failures: Mutex<Vec<Failure>>,
    /// The instance has begun to end by itself.
    leaves: AtomicBool,
    /// Told of that, once the instance is up.
    left: Notify,
    /// Told after each poll, where somebody has to know what is handled.
    handles: OnceLock<Arc<Progress>>,
}

impl Lease {
    pub(crate) fn new(
        wire: Arc<dyn Wire>,
        asked: Moment,
        time: Duration,
        shutdown: Duration,
        token: (u64, u64),
        path: String,
    ) -> Arc<Lease> {
        Arc::new(Lease {
            clock: wire.clock(),
            wire,
            time,
            shutdown,
            token,
            term: Term::new(asked, time),
            ended: AtomicBool::new(false),
            dropped: AtomicBool::new(false),
            fenced: AtomicBool::new(false),
            vanished: AtomicBool::new(false),
            inside: AtomicUsize::new(0),
            changed: Notify::new(),
            path,
            failures: Mutex::default(),
            leaves: AtomicBool::new(false),
            left: Notify::new(),
            handles: OnceLock::new(),
        })
    }

    fn until(&self) -> Moment {
        self.term.until()
    }

    /// A renewal that was asked for then is granted.
    pub(crate) fn renew(&self, asked: Moment) {
        if self.ended.load(Ordering::SeqCst) {
            return;
        }
        // A lease that is over stays over: the instance is going down.
        self.term.extend_before_its_end(asked + self.time, self.clock.now());
    }

    /// Ends the lease now: the instance goes down within its time.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        let now = self.clock.now();
        self.term.cut(now);
        self.changed.notify_one();
    }

    /// Drops the instance as it is.
    pub(crate) fn abort(&self) {
        self.dropped.store(true, Ordering::SeqCst);
        self.changed.notify_one();
    }

    /// Drops the instance: its time is over, or its owner has given it up.
    fn drop_now(&self) {
        if !self.is_dropped() {
            self.fenced.store(true, Ordering::SeqCst);
        }
        self.abort();
    }

    /// The time at which nothing of the instance acts any more.
    pub(crate) fn last(&self) -> Moment {
        self.until() + self.shutdown
    }

    /// Code of the instance, or of what it has spawned, is running.
    fn is_entered(&self) -> bool {
        self.inside.load(Ordering::SeqCst) > 0
    }

    /// Its time is over, and code of it blocks a thread: nothing but the end of the process stops it.
    pub(crate) fn is_stuck(&self) -> bool {
        self.inside.load(Ordering::SeqCst) > 0 && self.clock.now() >= self.last()
    }

    pub(crate) fn shutdown(&self) -> Duration {
        self.shutdown
    }

    /// Returns whether it was dropped since its time was over, and not because its owner gave it up.
    pub(crate) fn was_fenced(&self) -> bool {
        self.fenced.load(Ordering::SeqCst)
    }

    /// Returns whether this node has ended or dropped it, whatever the owner grants.
    fn is_taken(&self) -> bool {
        self.is_dropped() || self.ended.load(Ordering::SeqCst)
    }

    fn is_dropped(&self) -> bool {
        self.dropped.load(Ordering::SeqCst)
    }

    fn passes(&self) -> bool {
        let now = self.clock.now();
        let until = self.until();
        if self.is_dropped() {
            return false;
        }
        if now >= until + self.shutdown {
            self.fenced.store(true, Ordering::SeqCst);
            self.abort();
            return false;
        }
        if now >= until {
            self.changed.notify_one(); // thawed: the timer of the placement's task is late
        }
        true
    }

    /// The task that watches over it is gone, and code of the instance may still run.
    pub(crate) fn has_vanished(&self) -> bool {
        self.vanished.load(Ordering::SeqCst) && !self.is_entered()
    }

    /// Waits until the lease is over.
    async fn over(&self) {
        loop {
            let changed = self.changed.notified();
            let until = self.until();
            if self.is_dropped() || self.clock.now() >= until {
                return;
            }
            tokio::select! {
                () = self.clock.sleep_until(until) => {}
                () = changed => {}
            }
        }
    }

    /// Waits until the instance has to be dropped.
    async fn dropping(&self) {
        loop {
            let changed = self.changed.notified();
            let last = self.last();
            if self.is_dropped() || self.clock.now() >= last {
                return;
            }
            tokio::select! {
                () = self.clock.sleep_until(last) => {}
                () = changed => {}
            }
        }
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Extension for Lease {
    fn role(&self) -> Role {
        Role::Fence
    }

    fn wants(&self) -> Wants {
        Wants::TASKS.and(Wants::EVENTS).and(Wants::LIVES)
    }

    fn pass(&self, _cell: &AnyCell, gate: Gate<'_, '_>) -> Pass {
        let Gate::Task(cx) = gate else { return Pass::Go };
        #[cfg(feature = "testing")]
        crate::process::polls(self.wire.name());
        match self.wire.poll_lives(cx) {
            Poll::Pending => return Pass::Hold,
            Poll::Ready(false) => return Pass::Drop,
            Poll::Ready(true) => {}
        }
        // Counted before `passes` is read: a thread that drops the instance first checks whether code is inside.
        self.inside.fetch_add(1, Ordering::SeqCst);
        if self.passes() {
            return Pass::Go;
        }
        self.inside.fetch_sub(1, Ordering::SeqCst);
        Pass::Drop
    }

    fn passed(&self) {
        self.inside.fetch_sub(1, Ordering::SeqCst);
        if let Some(progress) = self.handles.get() {
            progress.changed.notify_one(); // the message in hand may be handled
        }
    }

    fn event(&self, raised: &Raised<'_>) {
        let EventKind::Reported { failure } = raised.kind else { return };
        let mut failures = lock(&self.failures);
        // Failures of its children are not reported to the owner: this node supervises the children.
        if failure.path() == self.path && failures.len() < MOST_FAILURES {
            failures.push(failure.clone());
        }
    }

    fn leaves(&self, cell: &CellCore) {
        if cell.path() == self.path && !self.leaves.swap(true, Ordering::SeqCst) {
            self.left.notify_one();
        }
    }

    fn fence(&self) -> Option<FenceToken> {
        let (epoch, placement) = self.token;
        Some(FenceToken { epoch, placement })
    }
}

/// The order to run an instance, as the generated start function gets it.
pub struct Order {
    pub(crate) node: Arc<NodeInner>,
    pub(crate) owner: Peer,
    /// Which owner of its node that is.
    pub(crate) run: u64,
    pub(crate) order: PlaceOrder,
    pub(crate) lease: Arc<Lease>,
    pub(crate) commands: Arc<Commands>,
}

impl fmt::Debug for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Order").field("path", &self.order.path).finish_non_exhaustive()
    }
}

/// The life of an instance on this node.
pub struct Hosting(pub(crate) Pin<Box<dyn Future<Output = ()> + Send>>);

impl fmt::Debug for Hosting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hosting")
    }
}

impl Order {
    /// Runs an instance that is made of the values that its start expression names.
    pub fn host<A, C, F, Fut>(self, options: ChildOptions<A>, start: F, errors: Errors) -> Hosting
    where
        A: Actor<Msg: Remote>,
        C: DeserializeOwned + Clone + Send + 'static,
        F: FnMut(C) -> Fut + Send + 'static,
        Fut: Future<Output = Result<A, Thrown>> + Send + 'static,
    {
        let wire = self.node.wire().clone();
        let (node, lease, placement) = (self.node.clone(), self.lease.clone(), self.order.placement);
        let listed = Listed { node, lease, run: self.run, placement, told: false };
        // In a box of its own, which is free once the instance is up.
        let begins = Box::pin(begin::<A, C, F, Fut>(self, options, start, errors));
        let life = Box::pin(async move {
            let last = match begins.await {
                Ok((instance, queued)) => instance.serve(queued).await,
                Err(last) => *last,
            };
            listed.last(last);
        });
        Hosting(Box::pin(Living { wire, life }))
    }

    fn failed(&self, texts: Vec<String>) -> ToOwner {
        let failure = hooks::failure(
            Phase::Start,
            Cause::Error(FarError { texts }.into()),
            self.order.path.clone(),
            self.order.incarnation,
        );
        ToOwner::NotUp { placement: self.order.placement, failure: to_wire(&failure, Errors::TEXT) }
    }
}

/// Polls a task of a simulated process only while it lives.
struct Living {
    wire: Arc<dyn Wire>,
    life: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Future for Living {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match self.wire.poll_lives(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(false) => Poll::Ready(()),
            Poll::Ready(true) => self.life.as_mut().poll(cx),
        }
    }
}

/// How far the messages of an instance are.
#[derive(Default)]
struct Progress {
    begun: AtomicU64,
    changed: Notify,
    /// The number of the last failure.
    failures: AtomicU64,
    /// The number of the failure that is held until the owner decides; 0: none.
    held: AtomicU64,
    /// The instance has got the order to go down.
    goes_down: AtomicBool,
}

impl Progress {
    fn next_failure(&self) -> u64 {
        self.failures.fetch_add(1, Ordering::SeqCst).saturating_add(1)
    }

    fn has_begun_before(&self, seq: u64) -> bool {
        self.begun.load(Ordering::SeqCst).saturating_add(1) >= seq
    }

    /// Returns how many messages were begun, and how many handled.
    fn of<A: Actor>(&self, actor: &ActorRef<A>) -> (u64, u64) {
        let begun = self.begun.load(Ordering::SeqCst);
        (begun, if hooks::in_hand(actor) { begun.saturating_sub(1) } else { begun })
    }
}

/// The answer of the owner to a failure that is held.
type Decision = Arc<Mutex<Option<Directive>>>;

type Asks = FuturesUnordered<Pin<Box<dyn Future<Output = (u64, ReplyBytes)> + Send>>>;

/// The messages of an instance that it has not got yet, with their numbers.
type Queued = VecDeque<(u64, Vec<u8>)>;

/// Starts an instance. The error is the frame for its owner, with the reason why it did not come up.
async fn begin<A, C, F, Fut>(
    order: Order,
    options: ChildOptions<A>,
    mut start: F,
    errors: Errors,
) -> Result<(Instance<A>, Queued), Box<ToOwner>>
where
    A: Actor<Msg: Remote>,
    C: DeserializeOwned + Clone + Send + 'static,
    F: FnMut(C) -> Fut + Send + 'static,
    Fut: Future<Output = Result<A, Thrown>> + Send + 'static,
{
    let (node, owner) = (order.node.clone(), order.owner.clone());
    let placement = order.order.placement;
    let lease = order.lease.clone();
    let context = Some(node.clone() as Arc<dyn Any + Send + Sync>);
    let read = guarded(|| hooks::decode::<C>(&order.order.captured, context.clone())).unwrap_or_else(Err);
    let captured = match read {
        Ok((captured, _)) => captured,
        Err(why) => {
            let text = format!("the values of the start expression cannot be read: {why}");
            return Err(Box::new(order.failed(vec![text])));
        }
    };
    let progress = Arc::new(Progress::default());
    let redelivers = order.order.redelivers;
    if redelivers {
        let _ = lease.handles.set(progress.clone());
    }
    let decision = Decision::default();
    let host = Host {
        path: order.order.path.clone(),
        incarnation: order.order.incarnation,
        healing: order.order.healing.clone().map(|failure| from_wire(failure, errors)),
        options,
        extensions: vec![lease.clone()],
        standing: supervise_observe::STANDING,
    };
    let (decides, told, counted, to) = (decision.clone(), node.clone(), progress.clone(), owner.clone());
    let (actor, up) = hooks::host::<A, _, _>(
        host,
        move || start(captured.clone()),
        move |actor, failure| {
            if let Some(directive) = lock(&decides).take() {
                return Some(directive);
            }
            let number = counted.next_failure();
            counted.held.store(number, Ordering::SeqCst);
            let (begun, done) = counted.of(actor);
            told.send(&to, ToOwner::Failed { placement, number, failure: to_wire(failure, errors), begun, done });
            None
        },
    );
    let (commands, told) = (order.commands.clone(), order.commands.clone());
    let instance =
        Instance { node, owner, placement, actor, lease, progress, decision, errors, redelivers, commands, context };
    let mut up = std::pin::pin!(up);
    let mut queued = VecDeque::new();
    let came_up = loop {
        tokio::select! {
            biased;
            up = &mut up => break up,
            told = told.next() => match told {
                Command::Msg { seq, body } => queued.push_back((seq, body)),
                told => instance.obey(Some(told)),
            },
            () = instance.lease.over() => {
                instance.obey(None);
                instance.lease.dropping().await;
                instance.drop_it();
                break up.await;
            }
        }
    };
    if let Err(why) = came_up {
        if instance.lease.is_taken() {
            // The start was cut off and has not failed: the node leaves, has lost its owner, or was frozen.
            instance.until_gone().await;
            let why = "the start was cut off, since its lease is over".to_owned();
            return Err(Box::new(ToOwner::Declined { placement, why }));
        }
        let failure = match &why {
            SpawnError::Start(failure) => to_wire(failure, errors),
            _ => {
                let cause = Cause::Error(FarError { texts: vec![why.to_string()] }.into());
                let path = order.order.path.clone();
                to_wire(&hooks::failure(Phase::Start, cause, path, order.order.incarnation), Errors::TEXT)
            }
        };
        instance.until_gone().await;
        return Err(Box::new(ToOwner::NotUp { placement, failure }));
    }
    instance.send(ToOwner::Up { placement });
    Ok((instance, queued))
}

/// Takes a placement from the list of its node, however its task ends, and notifies its owner.
struct Listed {
    node: Arc<NodeInner>,
    lease: Arc<Lease>,
    run: u64,
    placement: u64,
    told: bool,
}

impl Listed {
    /// The instance has ended as this frame says.
    fn last(mut self, frame: ToOwner) {
        self.told = true;
        self.node.forget(self.run, self.placement, frame);
    }
}

/// The task may be dropped in the middle, or panic. Code of the instance may run on another thread then.
impl Drop for Listed {
    fn drop(&mut self) {
        if self.told {
            return;
        }
        self.lease.abort();
        self.lease.end();
        self.lease.vanished.store(true, Ordering::SeqCst);
        self.node.forget_vanished();
    }
}

struct Instance<A: Actor> {
    node: Arc<NodeInner>,
    owner: Peer,
    placement: u64,
    actor: ActorRef<A>,
    lease: Arc<Lease>,
    progress: Arc<Progress>,
    decision: Decision,
    errors: Errors,
    redelivers: bool,
    commands: Arc<Commands>,
    /// For the code that reads messages.
    context: Option<Arc<dyn Any + Send + Sync>>,
}

/// Nothing watches over the lease any more, whatever the reason: what is left of the instance is dropped as it is.
impl<A: Actor> Drop for Instance<A> {
    fn drop(&mut self) {
        if self.actor.ended().is_none() {
            self.lease.abort();
            self.actor.kill(); // wakes it
            hooks::release(&self.actor);
        }
    }
}

impl<A: Actor<Msg: Remote>> Instance<A> {
    fn send(&self, frame: ToOwner) {
        self.node.send(&self.owner, frame);
    }

    fn decide(&self, directive: Directive) {
        *lock(&self.decision) = Some(directive);
        hooks::release(&self.actor);
    }

    /// Carries out an order of the owner. `None`: no further order will come.
    fn obey(&self, command: Option<Command>) {
        match command {
            Some(Command::Resume { upto }) => {
                let held = self.progress.held.load(Ordering::SeqCst);
                // A failure after this decision gets a decision of its own.
                if held != 0 && held <= upto && self.progress.held.swap(0, Ordering::SeqCst) == held {
                    self.decide(Directive::Resume);
                }
            }
            Some(Command::Leave(failure)) => {
                self.progress.goes_down.store(true, Ordering::SeqCst);
                let failure: Failure = from_wire(*failure, self.errors);
                hooks::leave(&self.actor, &failure);
            }
            Some(Command::Kill) => self.actor.kill(),
            Some(Command::Stop) | None => {
                self.progress.goes_down.store(true, Ordering::SeqCst);
                self.actor.stop();
                self.decide(Directive::Stop);
            }
            Some(Command::Msg { .. }) => {}
        }
    }

    /// Drops the instance as it is.
    fn drop_it(&self) {
        self.lease.drop_now();
        self.actor.kill(); // wakes it: an idle one is not polled, and so not dropped
        hooks::release(&self.actor);
    }

    async fn until_gone(&self) -> Option<Ended> {
        let gone = self.actor.terminated();
        let mut gone = std::pin::pin!(gone);
        let mut dropped = false;
        let ended = loop {
            tokio::select! {
                biased;
                ended = &mut gone => break ended.ok(),
                () = self.lease.dropping(), if !dropped => {
                    dropped = true;
                    self.drop_it();
                }
            }
        };
        self.until_out().await;
        ended
    }

    /// Waits until no code of the instance runs, nor of what it has spawned: a child that blocks its thread outlives the
    /// cell of its parent. The lease is over meanwhile, so that the watch over threads applies.
    async fn until_out(&self) {
        self.lease.end();
        while self.lease.is_entered() {
            tokio::time::sleep(OUT).await;
        }
    }

    async fn serve(&self, mut queued: Queued) -> ToOwner {
        let placement = self.placement;
        let mut asks = Asks::new();
        let mut said = (0, 0);
        // True while no message is started: an unreadable message is not decided yet, or the instance leaves.
        let mut held = false;
        // The number of the failure that was reported for the unreadable message.
        let mut told_unread = None;
        // The number of the unreadable message and the reason, until the messages before it are handled.
        let mut unread: Option<(u64, String)> = None;
        let mut over = false;
        let mut dropped = false;
        let mut gone = std::pin::pin!(self.actor.terminated());
        let ended = loop {
            while !held && let Some((seq, body)) = queued.pop_front() {
                if let Err(why) = self.deliver(seq, &body, &mut asks) {
                    let _ = self.lease.handles.set(self.progress.clone()); // its failure comes after earlier messages
                    (held, unread) = (true, Some((seq, why)));
                }
            }
            let is_next = |seq| self.progress.has_begun_before(seq) && !hooks::in_hand(&self.actor);
            if let Some((seq, why)) = unread.take_if(|(seq, _)| is_next(*seq)) {
                let (begun, done) = self.progress.of(&self.actor);
                self.progress.begun.fetch_max(seq, Ordering::SeqCst);
                said = (seq, done);
                let number = self.progress.next_failure();
                told_unread = Some(number);
                self.send(ToOwner::NotRead { placement, number, seq, why, begun, done });
            }
            tokio::select! {
                biased;
                ended = &mut gone => break ended.ok(),
                Some((ask, back)) = asks.next(), if !asks.is_empty() => {
                    said = self.progress.of(&self.actor);
                    self.reply(ask, back, said);
                }
                () = self.progress.changed.notified() => {
                    let (upto, done) = self.progress.of(&self.actor);
                    // The number of handled messages is sent only if messages may be redelivered.
                    if upto > said.0 || (self.redelivers && done > said.1) {
                        said = (upto, done);
                        self.send(ToOwner::Begun { placement, upto, done, ends: false });
                    }
                }
                () = self.lease.left.notified() => {
                    let (upto, done) = self.progress.of(&self.actor);
                    said = (upto, done);
                    self.send(ToOwner::Begun { placement, upto, done, ends: true });
                }
                next = self.commands.next(), if !over => match next {
                    Command::Msg { seq, body } => queued.push_back((seq, body)),
                    Command::Resume { upto } => {
                        if told_unread.is_some_and(|number| number <= upto) {
                            (held, told_unread) = (false, None);
                        }
                        self.obey(Some(Command::Resume { upto }));
                    }
                    Command::Leave(failure) => {
                        held = true; // no further message is started
                        self.obey(Some(Command::Leave(failure)));
                    }
                    next => self.obey(Some(next)),
                },
                () = self.lease.over(), if !over => {
                    over = true;
                    self.obey(None);
                }
                () = self.lease.dropping(), if over && !dropped => {
                    dropped = true;
                    self.drop_it();
                }
            }
        };
        self.until_out().await;
        let (begun, done) = self.progress.of(&self.actor);
        let how = match ended {
            _ if self.lease.is_dropped() => EndKind::Dropped,
            Some(Ended::Done) => EndKind::Itself(None),
            Some(Ended::DoneWith(commands)) => EndKind::Itself(Some(commands.into_owned())),
            Some(Ended::Aborted) => EndKind::Aborted,
            _ if self.progress.goes_down.load(Ordering::SeqCst) => EndKind::Told,
            Some(Ended::Failed(failure) | Ended::Limit(failure)) => EndKind::Failed(to_wire(&failure, self.errors)),
            _ => EndKind::Told,
        };
        // A reply from just before the end still reaches its asker.
        while let Some(Some((ask, back))) = futures_util::FutureExt::now_or_never(asks.next()) {
            self.reply(ask, back, (begun, done));
        }
        let failures = std::mem::take(&mut *lock(&self.lease.failures));
        let failures = failures.iter().map(|failure| to_wire(failure, self.errors)).collect();
        ToOwner::Ended { placement, how, failures, begun, done }
    }

    fn reply(&self, ask: u64, back: ReplyBytes, (begun, done): (u64, u64)) {
        let most = self.node.max_frame();
        let back = back.map(|back| match back {
            Ok(bytes) if bytes.len() > most => Err(too_large(bytes.len(), most)),
            back => back.map(ByteBuf::from),
        });
        self.send(ToOwner::Reply { placement: self.placement, ask, back, begun, done });
    }

    /// Reads a message, and gives it to the instance.
    fn deliver(&self, seq: u64, body: &[u8], asks: &mut Asks) -> Result<(), String> {
        let read = guarded(|| hooks::decode::<A::Msg>(body, self.context.clone())).unwrap_or_else(Err);
        let (msg, answers) = read?;
        for (ask, answer) in answers {
            asks.push(Box::pin(async move {
                let mut answer = answer;
                // The reply is written by code of the user.
                let back = poll_fn(|cx| match guarded(|| answer.as_mut().poll(cx)) {
                    Ok(polled) => polled,
                    Err(why) => Poll::Ready(Some(Err(why))),
                })
                .await;
                (ask, back)
            }));
        }
        let progress = self.progress.clone();
        hooks::deliver(&self.actor, move || {
            progress.begun.store(seq, Ordering::SeqCst);
            progress.changed.notify_one();
            msg
        });
        Ok(())
    }
}

/// Calls a generated start function, whose types only it knows.
#[doc(hidden)]
pub fn erased(order: Box<dyn Any + Send>, start: fn(Order) -> Hosting) -> Box<dyn Any + Send> {
    match order.downcast::<Order>() {
        Ok(order) => Box::new(start(*order)),
        Err(other) => other,
    }
}
