//! The context of an actor: what its functions can ask for.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::future::Future;
use std::time::Duration;

#[cfg(feature = "tokio-util")]
use tokio_util::sync::CancellationToken;

use crate::actor::actor_ref::{ActorRef, Cell, Deliver, Envelope};
use crate::actor::child_ref::{AnyRef, ChildRef, InstanceSet};
use crate::actor::follow::{Followed, Source};
use crate::actor::timers::{Every, Timer};
use crate::actor::{Actor, Watcher};
use crate::engine::background::Queue;
use crate::engine::cell::control::{AnyCell, SystemMessage, send};
use crate::engine::death_watch::Notice;
use crate::engine::supervisor::ChildTable;
use supervise_core::base::sync::Arc;
use supervise_core::decide::group::Owner;
use supervise_core::values::decider::SupervisorStrategy;
use supervise_core::values::failure::Failure;
use supervise_core::values::fence::FenceToken;
use supervise_core::values::stop_reason::StopReason;

mod background;
mod link;
mod spawn;
mod watching;

use watching::Watching;

pub(crate) use spawn::{Startup, make_actor, make_actor_healing, started, transient};

/// The context of a running actor. Every handler and hook may take it as `&mut Context<Self>`.
///
/// * **The actor itself**: [`actor_ref`](Context::actor_ref), [`path`](Context::path),
///   [`incarnation`](Context::incarnation), [`stop`](Context::stop), [`stop_with`](Context::stop_with),
///   [`stop_reason`](Context::stop_reason), [`reset_backoff`](Context::reset_backoff).
/// * **Timers and background futures**: [`send_after`](Context::send_after), [`send_every`](Context::send_every),
///   [`run`](Context::run), and with the feature `tokio-util` `token`. All of them end with this incarnation.
/// * **Others**: [`watch`](Context::watch), [`unwatch`](Context::unwatch), [`depend_on`](Context::depend_on).
///   [`watch_each`](Context::watch_each). These outlive a restart.
/// * **Its children**: [`spawn`](Context::spawn), [`children`](Context::children), [`child`](Context::child),
///   [`keep`](Context::keep), [`link`](Context::link), [`unlink`](Context::unlink). They are stopped when the actor is
///   restarted, unless they are kept.
///
/// A context belongs to one incarnation and cannot be stored. To reach the actor from elsewhere, pass on its
/// [`actor_ref`](Context::actor_ref).
///
/// ```
/// use std::time::Duration;
/// use supervise::prelude::*;
/// # async fn download(page: u32) -> String { format!("page {page}") }
///
/// struct Reader {
///     read: Vec<String>,
/// }
///
/// enum Msg {
///     Next,
///     Loaded(String),
///     Read(Reply<usize>),
/// }
///
/// #[actor]
/// impl Reader {
///     #[pre_start]
///     fn begin(&mut self, cx: &mut Context<Self>) {
///         cx.send_every(Duration::from_secs(1), || Msg::Next);
///     }
///
///     fn handle(&mut self, msg: Msg, cx: &mut Context<Self>) {
///         match msg {
///             Msg::Next => cx.run(download(self.read.len() as u32), Msg::Loaded),
///             Msg::Loaded(page) => self.read.push(page),
///             Msg::Read(reply) => reply.send(self.read.len()),
///         }
///         if self.read.len() == 3 {
///             cx.stop();
///         }
///     }
/// }
///
/// supervisor! {
///     struct Desk {
///         #[lifecycle(Transient)]
///         reader: Reader = Reader { read: Vec::new() },
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let desk = Desk::start().await?;
/// tokio::time::sleep(Duration::from_millis(2500)).await;
/// assert_eq!(desk.reader.ask(Msg::Read).await?, 2);
/// assert!(matches!(desk.reader.terminated().await?, Ended::Done));
/// # Ok(())
/// # }
/// ```
pub struct Context<A> {
    actor: ActorRef<A>,
    stopping: bool,
    /// The actor has asked for a timer or a subordinate future.
    background: bool,
    /// Kept for the message loop. Beside the other two flags they take no room.
    pub(crate) marks: Marks,
    cold: Option<Box<ColdState>>,
}

/// Marks of the items that are handled.
pub(crate) struct Marks {
    /// The next item has to be noted, before it is handled or after it: the first message, a notice, and each message
    /// if the actor uses `redeliver`.
    pub(crate) due: bool,
    /// This incarnation has handled a message.
    pub(crate) handled: bool,
    /// A notice is in hand, or a tick that has not given its message yet.
    pub(crate) aside: bool,
    /// The actor has been asked whether it takes the next item. Only for those that are asked ([`Actor::TURNS`]).
    pub(crate) asked: bool,
    /// The actor runs under a lease: it is asked before each message whether that still holds.
    pub(crate) guarded: bool,
    /// The number of the name of the message in hand.
    pub(crate) word: u8,
}

/// State that most actors never use.
#[derive(Default)]
struct ColdState {
    strategy: SupervisorStrategy,
    watching: Watching,
    /// The source of the item in hand.
    item: Option<Arc<dyn Queue>>,
    /// The words of `stop_with`.
    words: Option<Cow<'static, str>>,
    /// The failure that this incarnation heals. Only for actors that ask.
    healing: Option<Failure>,
    /// The token of this incarnation.
    #[cfg(feature = "tokio-util")]
    token: Option<CancellationToken>,
}

impl<A> fmt::Debug for Context<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("path", &self.actor.path()).finish_non_exhaustive()
    }
}

impl<A: Actor> Context<A> {
    pub(crate) fn new(cell: Arc<Cell<A>>) -> Self {
        let marks = Marks { due: true, handled: false, aside: false, asked: false, guarded: false, word: 0 };
        Context { actor: ActorRef::of(cell), stopping: false, background: false, marks, cold: None }
    }

    pub(crate) fn begin(&mut self) {
        self.stopping = false;
        self.background = false;
        if let Some(cold) = &mut self.cold {
            cold.words = None;
            cold.item = None;
            #[cfg(feature = "tokio-util")]
            {
                cold.token = None;
            }
        }
    }

    pub(crate) fn set_healing(&mut self, failure: Option<Failure>) {
        if failure.is_some() || self.cold.is_some() {
            self.cold.get_or_insert_default().healing = failure;
        }
    }

    /// Returns the failure that this incarnation heals, if it replaces another.
    pub(crate) fn healing(&self) -> Option<&Failure> {
        self.cold.as_ref()?.healing.as_ref()
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping
    }

    pub(crate) fn take_words(&mut self) -> Option<Cow<'static, str>> {
        self.cold.as_mut()?.words.take()
    }

    pub(crate) fn set_strategy(&mut self, strategy: SupervisorStrategy) {
        if self.cell().core().table().is_some() || self.cold.is_some() || !strategy.is_default() {
            self.cold.get_or_insert_default().strategy = strategy;
        }
    }

    /// Returns the actor's own handle, which can be given to others.
    pub fn actor_ref(&self) -> ActorRef<A> {
        self.actor.clone()
    }

    /// Returns the path of the task below the root.
    pub fn path(&self) -> String {
        self.cell().core().path()
    }

    /// Returns the number of this incarnation, counted from 1.
    pub fn incarnation(&self) -> u32 {
        self.cell().core().incarnation()
    }

    /// Returns the fencing token of this placement; `None` unless the actor, or one above it, is a remote child.
    ///
    /// Send it along with what the actor writes to a resource that many instances may write to. See [`FenceToken`], rule
    /// S59.
    ///
    /// ```
    /// # use supervise::{Actor, Context};
    /// # struct Ledger;
    /// # impl Ledger { async fn put(&self, _line: String, _token: (u64, u64)) -> std::io::Result<()> { Ok(()) } }
    /// struct Writer {
    ///     ledger: Ledger,
    /// }
    ///
    /// # impl Actor for Writer { type Msg = String; type Error = std::io::Error;
    /// async fn receive(&mut self, line: String, cx: &mut Context<Self>) -> Result<(), Self::Error> {
    ///     let token = cx.fence().map_or((0, 0), |token| (token.epoch, token.placement)); // (0, 0): it runs locally
    ///     self.ledger.put(line, token).await
    /// }
    /// # }
    /// ```
    pub fn fence(&self) -> Option<FenceToken> {
        let mut token = None;
        self.cell().core().bus.extensions.every(|extension| token = token.or_else(|| extension.fence()));
        token
    }

    /// Ends this actor by itself after the present message: a `Permanent` child is started again, any other stays
    /// ended.
    ///
    /// An error or a panic that follows in the same message is reported and changes nothing else. The same holds in
    /// `pre_start`, where this call ends an actor that has just come up (S23).
    pub fn stop(&mut self) {
        if std::mem::replace(&mut self.stopping, true) {
            return;
        }
        let cell: &AnyCell = self.cell();
        let owner = cell.core().supervisor();
        cell.leaves(owner.as_deref().and_then(|owner| Some((owner.core().table()?, owner))));
    }

    /// Does the same as [`stop`](Context::stop), and says why.
    ///
    /// The end is [`Ended::DoneWith`](crate::Ended::DoneWith), and [`Ended::reason`](crate::Ended::reason) returns the
    /// words. If the child is started again, [`Failure::reason`](crate::Failure::reason) has them, in `post_restart`
    /// and at a limit (S23). Of several calls the last one counts. A stop from outside that comes first keeps the end
    /// `Stopped`.
    ///
    /// ```
    /// use supervise::prelude::*;
    ///
    /// struct Crawler {
    ///     pages: u32,
    /// }
    ///
    /// #[actor]
    /// impl Crawler {
    ///     fn handle(&mut self, _next: (), cx: &mut Context<Self>) {
    ///         match self.pages {
    ///             0 => cx.stop_with("no more pages"),
    ///             _ => self.pages -= 1,
    ///         }
    ///     }
    /// }
    ///
    /// supervisor! {
    ///     struct App {
    ///         #[lifecycle(Transient)]
    ///         crawler: Crawler = Crawler { pages: 1 },
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let app = App::start().await?;
    /// app.crawler.tell(()).await?;
    /// app.crawler.tell(()).await?;
    /// let ended = app.crawler.terminated().await?;
    /// assert_eq!(ended.reason(), Some("no more pages"));
    /// assert_eq!(ended.to_string(), "done: no more pages");
    /// # Ok(())
    /// # }
    /// ```
    pub fn stop_with(&mut self, reason: impl Into<Cow<'static, str>>) {
        self.cold.get_or_insert_default().words = Some(reason.into());
        self.stop();
    }

    /// Returns why this actor goes down; `None` until it was asked to, has failed, or has ended by itself.
    ///
    /// Present in `pre_restart` and `post_stop`, and in a handler after the request has come. A request to end replaces
    /// an earlier one to restart. See [`StopReason`], rule S46.
    pub fn stop_reason(&self) -> Option<StopReason> {
        self.cell().core().stop_reason()
    }

    /// Lets the declared backoff start over, because the actor has made progress.
    ///
    /// See rule S32.
    pub fn reset_backoff(&mut self) {
        let core = self.cell().core();
        if let Some(owner) = core.supervisor()
            && let Some(table) = owner.core().table()
        {
            table.on_child(&*owner, self.cell(), |group, id| group.reset_backoff(id));
        }
    }

    // ----- watching

    /// Asks for one call of [`Watcher::terminated`] when `other` has ended, also if it already has: an actor, a task or
    /// a tree, by its handle.
    ///
    /// Restarts of `other` are not reported, and the watch outlives restarts of this actor. The notice is queued in the
    /// mailbox after the messages that are already there, even if the mailbox is full (S37).
    #[doc(alias("monitor"))]
    pub fn watch(&mut self, other: &impl ChildRef)
    where
        A: Watcher,
    {
        let who = other.watched();
        let deliver: Deliver<A> =
            |actor, notice, cx| Box::pin(async move { actor.terminated(&notice.who, &notice.ended, cx).await });
        let me = Arc::downgrade(&self.actor.to_cell());
        let watching = &mut self.cold.get_or_insert_default().watching;
        watching.watch(other.any().cell(), move |watch, ended| {
            if let Some(me) = me.upgrade() {
                let notice = Notice { watch, set: None, who, ended: ended.clone() };
                me.push_past_bound(Envelope::Notice(Box::new((notice, deliver))));
            }
        });
    }

    /// Asks for one call of [`Watcher::terminated`] for each instance of this set that ends from now on, whoever
    /// spawned it: `sessions: [Session]`, or `rooms: [String => Room]`, where [`Watched::key`](crate::Watched::key)
    /// gives the key.
    ///
    /// Restarts of an instance are not reported. The watch outlives restarts of this actor and of the set. A second
    /// call for the same set changes nothing. See rule S37.
    ///
    /// ```
    /// use supervise::prelude::*;
    /// # struct Room;
    /// # #[actor]
    /// # impl Room { fn handle(&mut self, _msg: ()) {} }
    ///
    /// struct Porter {
    ///     rooms: Keyed<String, Room, ()>,
    ///     closed: Vec<String>,
    /// }
    ///
    /// #[actor]
    /// impl Porter {
    ///     #[pre_start]
    ///     fn begin(&mut self, cx: &mut Context<Self>) {
    ///         cx.watch_each(&self.rooms);
    ///     }
    ///
    ///     #[terminated]
    ///     fn closed(&mut self, room: &Watched) {
    ///         self.closed.extend(room.key::<String>().cloned());
    ///     }
    ///
    ///     fn handle(&mut self, reply: Reply<Vec<String>>) {
    ///         reply.send(self.closed.clone());
    ///     }
    /// }
    ///
    /// supervisor! {
    ///     struct House {
    ///         rooms: [String => Room] = |_name: String| Room,
    ///         porter: Porter = Porter { rooms, closed: Vec::new() },
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let house = House::start().await?;
    /// house.rooms.spawn("hall".to_owned()).await?.shutdown().await?;
    /// assert_eq!(house.porter.ask(|reply| reply).await?, ["hall"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn watch_each(&mut self, set: &impl InstanceSet)
    where
        A: Watcher,
    {
        let deliver: Deliver<A> =
            |actor, notice, cx| Box::pin(async move { actor.terminated(&notice.who, &notice.ended, cx).await });
        let (me, (set, keyed)) = (Arc::downgrade(&self.actor.to_cell()), set.set());
        let id = set.cell().core().id;
        let watching = &mut self.cold.get_or_insert_default().watching;
        watching.watch_each(set.cell(), keyed, |watch| {
            Arc::new(move |who, ended| {
                if let Some(me) = me.upgrade() {
                    let notice = Notice { watch, set: Some(id), who, ended: ended.clone() };
                    me.push_past_bound(Envelope::Notice(Box::new((notice, deliver))));
                }
            })
        });
    }

    /// Cancels a watch of all instances, even if notices are already in the mailbox.
    pub fn unwatch_each(&mut self, set: &impl InstanceSet) {
        if let Some(cold) = &mut self.cold {
            cold.watching.unwatch_each(set.set().0.cell().core().id);
        }
    }

    /// Cancels a watch, even if its notice is already in the mailbox, and a death pact made by
    /// [`depend_on`](Context::depend_on) with the same child.
    pub fn unwatch(&mut self, other: &impl ChildRef) {
        if let Some(cold) = &mut self.cold {
            cold.watching.forget(other.any().cell().core().id);
        }
    }

    /// Makes a death pact: when `other` has ended, this actor fails with [`Cause::DeathPact`](crate::Cause::DeathPact),
    /// immediately if `other` already has.
    ///
    /// A second call for the same child changes nothing. The pact outlives restarts of this actor. It ends with this
    /// actor, or by [`unwatch`](Context::unwatch).
    #[doc(alias("link", "death_pact"))]
    pub fn depend_on(&mut self, other: &impl ChildRef) {
        let me = Arc::downgrade(&self.actor.to_cell());
        let watching = &mut self.cold.get_or_insert_default().watching;
        watching.depend_on(other.any().cell(), move |pact| {
            if let Some(me) = me.upgrade() {
                send(&*me, SystemMessage::DeathPact(pact));
            }
        });
    }

    /// Returns whether to deliver the notice: once, and only while the watch exists that it belongs to.
    pub(crate) fn hears_of(&mut self, notice: &Notice) -> bool {
        self.cold.as_mut().is_some_and(|cold| match notice.set {
            Some(set) => cold.watching.hears_of_each(set, notice.watch),
            None => cold.watching.hears_of(notice.who.id, notice.watch),
        })
    }

    /// Before a restart stops children, they are unwatched (S37).
    pub(crate) fn unwatch_children(&mut self) {
        let (Some(cold), Some(table)) = (&mut self.cold, self.actor.core().table()) else { return };
        if cold.watching.is_empty() {
            return;
        }
        let kept: HashSet<u64> = table.kept_ids().into_iter().collect();
        let me = self.actor.id();
        cold.watching.forget_stopped(|id, other| {
            let mine = other.core().supervisor().is_some_and(|supervisor| supervisor.core().id == me);
            mine && !kept.contains(&id)
        });
    }

    pub(crate) fn forget_watches(&mut self) {
        if let Some(cold) = &mut self.cold {
            cold.watching.forget_those(|_, _| true);
            cold.watching.forget_sets();
        }
    }

    // ----- children

    /// Returns the children of this actor that have not ended, in the order in which they were spawned or linked.
    ///
    /// See [`AnyRef`] for an example.
    pub fn children(&self) -> Vec<AnyRef> {
        self.cell().core().table().map_or_else(Vec::new, |table| table.living().into_iter().map(AnyRef::of).collect())
    }

    /// Returns the cell of this actor, as the supervisor of a child that is about to be spawned.
    pub(crate) fn as_supervisor(&mut self) -> Arc<AnyCell> {
        self.supervise();
        self.actor.to_any()
    }

    /// Returns the cell of this actor.
    pub(crate) fn cell(&self) -> &AnyCell {
        self.actor.cell()
    }

    /// Makes this actor a supervisor, if it is not one yet.
    fn supervise(&mut self) {
        let strategy = self.cold.as_ref().map(|cold| cold.strategy.clone()).unwrap_or_default();
        let table = self.cell().core().table_or_init(|| ChildTable::new(Owner::Actor, &strategy));
        if self.cell().core().is_suspended() {
            table.on(self.cell(), |group| group.suspend()); // new: missed the suspension (S7)
        }
    }

    /// Lets a child survive the next restart of this actor: an actor, a task or a tree. Call this in `pre_restart`.
    ///
    /// The child is suspended while the actor is down, and restarted after the actor has been restarted. The new
    /// instance finds it with [`child`](Context::child), and does not wait for its restart. A task goes on while the
    /// actor is down. A `Temporary` child is never started again: it ends where the others are restarted (S11).
    pub fn keep(&mut self, child: &impl ChildRef) {
        if let Some(table) = self.cell().core().table() {
            table.on_child(self.cell(), &**child.any().cell(), |group, id| group.keep(id));
        }
    }

    // Declared in the module of `Context`: rustc then calls them `Context::run` in an error about a bound.

    /// Sends a message to this actor once in every `period`, for the first time after one period.
    ///
    /// `msg` is a message that is `Clone`, or a closure that makes one. The closure is called when the tick is handled;
    /// a panic in it is a failure of the actor, and ends the timer. While a tick waits in the mailbox, the same timer
    /// queues no second one, and missed ticks are not made up for. A period below 1 ms counts as 1 ms. As with
    /// [`send_after`](Context::send_after), all ticks are dropped when the actor is restarted or stops, so set a timer
    /// that should always run in `pre_start`. A drain ends all timers when it begins (S11, S26).
    ///
    /// ```
    /// # use supervise::{Actor, Context};
    /// # use std::time::Duration;
    /// struct Poller;
    ///
    /// # impl Actor for Poller { type Msg = &'static str; type Error = std::convert::Infallible;
    /// async fn pre_start(&mut self, cx: &mut Context<Self>) -> Result<(), Self::Error> {
    ///     cx.send_every(Duration::from_secs(5), "poll");
    ///     let mut round = 0;
    ///     cx.send_every(Duration::from_secs(60), move || {
    ///         round += 1;
    ///         if round % 60 == 0 { "hour" } else { "minute" }
    ///     });
    ///     Ok(())
    /// }
    /// #   async fn receive(&mut self, _: &'static str, _: &mut Context<Self>) -> Result<(), Self::Error> { Ok(()) }
    /// # }
    /// ```
    #[doc(alias("interval", "schedule", "periodic", "tick"))]
    pub fn send_every<Kind>(&mut self, period: Duration, msg: impl Every<A::Msg, Kind>) -> Timer {
        self.every(period, msg.every())
    }

    /// Makes each item of a source a message of this actor, one after the other.
    ///
    /// A source is a `Stream`, or a receiver of tokio: `watch`, `broadcast` or `mpsc`; [`Source`](crate::bound::Source)
    /// lists their items. The next item is asked for when the one before is handled. So a source has at most one message in
    /// the mailbox, needs no bound, and cannot keep others waiting. A message that finds no room waits, as a tick does.
    ///
    /// The source is polled in the actor's own task, also while a handler waits: it must not block. A panic in it, or in
    /// `message`, is a failure of the actor, after the message in hand. The source ends with the incarnation, and when a
    /// drain begins; an item that it has given is then handled, or becomes a dead letter. Follow a source in `pre_start`, so
    /// that each new instance follows it again. A `watch` then gives its present value first: a value that fails the actor
    /// fails it again, until it changes. On the way down nothing is followed any more (S65).
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    ///
    /// use supervise::prelude::*;
    /// use tokio::sync::{mpsc, watch};
    ///
    /// struct Pump {
    ///     speed: watch::Receiver<u32>,
    ///     jobs: Option<mpsc::Receiver<String>>,
    ///     done: Vec<String>,
    /// }
    ///
    /// #[actor]
    /// impl Pump {
    ///     #[pre_start]
    ///     fn begin(&mut self, cx: &mut Context<Self>) {
    ///         cx.follow(self.speed.clone(), PumpMsg::set_speed);
    ///         if let Some(jobs) = self.jobs.take() {
    ///             cx.follow(jobs, PumpMsg::pump).ended(PumpMsg::rest);
    ///         }
    ///     }
    ///
    ///     #[message]
    ///     fn set_speed(&mut self, speed: u32) {
    ///         self.done.push(format!("speed {speed}"));
    ///     }
    ///
    ///     #[message]
    ///     fn pump(&mut self, job: String) {
    ///         self.done.push(job);
    ///     }
    ///
    ///     #[message]
    ///     fn rest(&mut self) {
    ///         self.done.push("no more jobs".to_owned());
    ///     }
    ///
    ///     #[message]
    ///     pub fn done(&self) -> Vec<String> {
    ///         self.done.clone()
    ///     }
    /// }
    ///
    /// supervisor! {
    ///     struct House(speed: watch::Receiver<u32>, jobs: Arc<Mutex<Option<mpsc::Receiver<String>>>>) {
    ///         // The first instance gets the receiver: it cannot be had twice.
    ///         pump: Pump = Pump { speed, jobs: jobs.lock().unwrap().take(), done: Vec::new() },
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (speed, changes) = watch::channel(1);
    /// let (job, jobs) = mpsc::channel(1);
    /// let house = House::start(changes, Arc::new(Mutex::new(Some(jobs)))).await?;
    /// job.send("the well".to_owned()).await?;
    /// job.send("the cellar".to_owned()).await?;
    /// drop(job);
    /// tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    /// assert_eq!(house.pump.done().await?, ["speed 1", "the well", "the cellar", "no more jobs"]);
    /// # drop(speed);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias("stream", "attach_stream", "add_stream", "subscribe"))]
    pub fn follow<S: Source<Kind>, Kind>(
        &mut self,
        source: S,
        message: impl FnMut(S::Item) -> A::Msg + Send + 'static,
    ) -> Followed<A> {
        self.followed(source, message)
    }

    /// Runs `future` while the actor handles messages; `message` turns its result into a message, which is queued like
    /// any other.
    ///
    /// The future is polled in the actor's own task, also while a handler waits: it must not block. It is dropped when
    /// the actor is restarted or stops, together with a result that is still in the mailbox. A drain waits for the
    /// future and its message, so a future without an end has to watch a token. A panic in the future is a failure of
    /// the actor, after the message in hand (S11, S26).
    ///
    /// ```
    /// # use supervise::{Actor, Context};
    /// # async fn fetch(url: String) -> std::io::Result<String> { Ok(url) }
    /// struct Crawler;
    /// enum Msg { Fetch(String), Fetched(std::io::Result<String>) }
    ///
    /// # impl Actor for Crawler { type Msg = Msg; type Error = std::io::Error;
    /// async fn receive(&mut self, msg: Msg, cx: &mut Context<Self>) -> Result<(), Self::Error> {
    ///     match msg {
    ///         Msg::Fetch(url) => cx.run(fetch(url), Msg::Fetched), // the next message need not wait for the result
    ///         Msg::Fetched(page) => println!("{}", page?),
    ///     }
    ///     Ok(())
    /// }
    /// # }
    /// ```
    #[doc(alias("pipe_to_self", "pipe_to"))]
    pub fn run<F>(&mut self, future: F, message: impl FnOnce(F::Output) -> A::Msg + Send + 'static)
    where
        F: Future + Send + 'static,
    {
        self.beside(future, message);
    }
}
