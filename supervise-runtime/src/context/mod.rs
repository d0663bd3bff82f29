//! What an actor's functions are given: itself, its children, its watches.

use std::collections::HashSet;
use std::fmt;
use std::future::{Future, IntoFuture, poll_fn};
use std::marker::PhantomData;
use std::task::Poll;
use std::time::Duration;

#[cfg(feature = "tokio-util")]
use tokio_util::sync::CancellationToken;

use crate::actor::{Actor, Watcher};
use crate::actor_ref::{ActorRef, Cell, Deliver, Envelope};
use crate::backoff::Backoff;
use crate::cell::actor_body::ActorBody;
use crate::cell::body::{patience, settings};
use crate::cell::control::{Controlled, Ctl, Name, SystemMessage, Waiting, send};
use crate::cell::current;
use crate::decide::group::Owner;
use crate::decide::member::Role;
use crate::failure::{Cause, Failure, Phase, Thrown};
use crate::hook::RestartHook;
use crate::mailbox::MailCell;
use crate::options::{BoxFuture, ChildOptions, Common, Reader, Redeliver};
use crate::strategy::{IntoDecider, Lifecycle, Limit, Mailbox, Shutdown, SupervisorStrategy, WhileDown};
use crate::supervisor::{Refused, Sup};
use crate::sync::Arc;
use crate::validate::InvalidSettings;
use crate::watch::{Ended, Notice};

mod asides;
mod link;
mod spawn;
mod watching;

use watching::Watching;

pub use link::LinkError;
pub use spawn::{SpawnChild, SpawnError};

pub(crate) use link::Move;
pub(crate) use spawn::{Startup, make_actor, started, transient};

/// What an actor can do besides handling its message: every handler and hook may ask for `&mut Context<Self>`.
///
/// * **Itself**: [`actor_ref`](Context::actor_ref), [`path`](Context::path), [`incarnation`](Context::incarnation),
///   [`stop`](Context::stop), [`reset_backoff`](Context::reset_backoff).
/// * **Later, and beside its messages**: [`send_after`](Context::send_after), [`send_every`](Context::send_every),
///   [`run`](Context::run), and with the feature `tokio-util` `token`. All of it ends with this incarnation.
/// * **Others**: [`watch`](Context::watch), [`unwatch`](Context::unwatch), [`depend_on`](Context::depend_on). These outlive
///   a restart.
/// * **Children of its own**: [`spawn`](Context::spawn), [`keep`](Context::keep), [`link`](Context::link),
///   [`unlink`](Context::unlink). They are stopped when it is restarted, unless they are kept.
///
/// The context is of one incarnation, and is not to be kept: what wants to reach the actor from elsewhere takes its
/// [`actor_ref`](Context::actor_ref) along.
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
pub struct Context<A: Actor> {
    cell: Arc<Cell<A>>,
    stopping: bool,
    /// It has asked for a timer or a subordinate future.
    asides: bool,
    rare: Option<Box<Rare>>,
}

/// What most actors never use.
#[derive(Default)]
struct Rare {
    strategy: SupervisorStrategy,
    watching: Watching,
    /// Of this incarnation.
    #[cfg(feature = "tokio-util")]
    token: Option<CancellationToken>,
}

impl<A: Actor> fmt::Debug for Context<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("path", &self.path()).finish_non_exhaustive()
    }
}

impl<A: Actor> Context<A> {
    pub(crate) fn new(cell: Arc<Cell<A>>) -> Self {
        Context { cell, stopping: false, asides: false, rare: None }
    }

    pub(crate) fn begin(&mut self) {
        self.stopping = false;
        self.asides = false;
        #[cfg(feature = "tokio-util")]
        if let Some(rare) = &mut self.rare {
            rare.token = None;
        }
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping
    }

    pub(crate) fn set_strategy(&mut self, strategy: SupervisorStrategy) {
        if self.cell.ctl().sup().is_some() || self.rare.is_some() || !strategy.is_default() {
            self.rare.get_or_insert_default().strategy = strategy;
        }
    }

    /// Its own handle, to be given to others.
    pub fn actor_ref(&self) -> ActorRef<A> {
        ActorRef { cell: self.cell.clone() }
    }

    /// Its path below the root.
    pub fn path(&self) -> String {
        self.cell.ctl().path()
    }

    /// Which incarnation this is, counted from 1.
    pub fn incarnation(&self) -> u32 {
        self.cell.ctl().incarnation()
    }

    /// Ends this actor by itself after the present message (S23): a `Permanent` child is started
    /// again, any other stays ended. An error or a panic behind it is reported and changes nothing else; in
    /// `pre_start`, where it ends an actor that has just come up, likewise.
    pub fn stop(&mut self) {
        self.stopping = true;
    }

    /// All is well: the declared backoff starts over (S32).
    pub fn reset_backoff(&mut self) {
        let ctl = self.cell.ctl();
        if let Some(owner) = ctl.supervisor()
            && let Some(sup) = owner.ctl().sup()
        {
            sup.on_child(&*owner, &*self.cell, |group, id| group.reset_backoff(id));
        }
    }

    // ----- watching

    /// Asks to be told when `other` has ended, once, by [`Watcher::terminated`], also if it already
    /// has. Restarts of `other` are invisible; the watch outlives restarts of this actor (S37).
    ///
    /// The notice queues in the mailbox behind what came before it, past the mailbox's bound.
    pub fn watch<B: Actor>(&mut self, other: &ActorRef<B>)
    where
        A: Watcher,
    {
        let who = other.watched();
        let deliver: Deliver<A> =
            |actor, notice, cx| Box::pin(async move { actor.terminated(&notice.who, &notice.ended, cx).await });
        let me = Arc::downgrade(&self.cell);
        let watching = &mut self.rare.get_or_insert_default().watching;
        watching.watch(&other.cell, move |watch, ended| {
            if let Some(me) = me.upgrade() {
                let notice = Notice { watch, who, ended: ended.clone() };
                me.push_past_bound(Envelope::Notice(Box::new((notice, deliver))));
            }
        });
    }

    /// Takes a watch back, also one whose notice waits in the mailbox already, and a pact made by
    /// [`depend_on`](Context::depend_on) with it.
    pub fn unwatch<B: Actor>(&mut self, other: &ActorRef<B>) {
        if let Some(rare) = &mut self.rare {
            rare.watching.forget(other.id());
        }
    }

    /// The death pact: when `other` has ended, this actor fails with
    /// [`Cause::DeathPact`](crate::Cause::DeathPact), at once if it already has. It is one pact, however often it is
    /// made. It outlives restarts of this actor, and is forgotten with its end or by [`unwatch`](Context::unwatch).
    pub fn depend_on<B: Actor>(&mut self, other: &ActorRef<B>) {
        let me = Arc::downgrade(&self.cell);
        let watching = &mut self.rare.get_or_insert_default().watching;
        watching.depend_on(&other.cell, move |pact| {
            if let Some(me) = me.upgrade() {
                send(&*me, SystemMessage::DeathPact(pact));
            }
        });
    }

    /// The notice is due once, and only while the watch stands that it is of.
    pub(crate) fn hears_of(&mut self, notice: &Notice) -> bool {
        self.rare.as_mut().is_some_and(|rare| rare.watching.hears_of(notice.who.id, notice.watch))
    }

    /// Children that this restart stops are unwatched first (S37).
    pub(crate) fn unwatch_children(&mut self) {
        let (Some(rare), Some(sup)) = (&mut self.rare, self.cell.ctl().sup()) else { return };
        if rare.watching.is_empty() {
            return;
        }
        let kept: HashSet<u64> = sup.kept_ids().into_iter().collect();
        let me = self.cell.ctl().id;
        rare.watching.forget_those(|id, other| {
            let mine = other.ctl().supervisor().is_some_and(|supervisor| supervisor.ctl().id == me);
            mine && !kept.contains(&id)
        });
    }

    pub(crate) fn forget_watches(&mut self) {
        if let Some(rare) = &mut self.rare {
            rare.watching.forget_those(|_, _| true);
        }
    }

    // ----- children

    /// Spawns a child of this actor, supervised by [`Actor::supervision`] (S38). `start` is run for the
    /// first start and for every restart. Settings are methods of what this returns; await it to spawn.
    ///
    /// The name is unique among the living children. When this actor is restarted its children are
    /// stopped, unless [`keep`](Context::keep) names them.
    ///
    /// ```
    /// # use supervise::{Actor, Context, Lifecycle};
    /// # struct Manager; struct Fetcher;
    /// # impl Actor for Fetcher { type Msg = (); type Error = std::convert::Infallible;
    /// #   async fn receive(&mut self, _: (), _: &mut Context<Self>) -> Result<(), Self::Error> { Ok(()) } }
    /// # impl Actor for Manager { type Msg = String; type Error = supervise::SpawnError;
    /// async fn receive(&mut self, url: String, cx: &mut Context<Self>) -> Result<(), Self::Error> {
    ///     let fetcher = cx.spawn("fetcher", || async { Ok(Fetcher) }).lifecycle(Lifecycle::Permanent).await?;
    ///     # drop(fetcher);
    ///     Ok(())
    /// }
    /// # }
    /// ```
    ///
    /// A child's start must not ask the actor that waits for it in a handler: both would wait until the
    /// ask's time is up.
    #[doc(alias = "spawn_link")]
    pub fn spawn<B, F, Fut>(&mut self, name: &str, start: F) -> SpawnChild<B, F>
    where
        B: Actor,
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<B, Thrown>> + Send + 'static,
    {
        self.supervise();
        SpawnChild::new(self.cell.clone(), name, start)
    }

    /// The child of this name that has been spawned here and has not ended; `None` also where it is no `B` (S38).
    ///
    /// So a new instance finds again what the one before it has [kept](Context::keep).
    pub fn child<B: Actor>(&self, name: &str) -> Option<ActorRef<B>> {
        let cell = self.cell.ctl().sup()?.child(name)?.any();
        Some(ActorRef { cell: cell.downcast::<Cell<B>>().ok()? })
    }

    /// It has children from now on.
    fn supervise(&mut self) {
        let strategy = self.rare.as_ref().map(|rare| rare.strategy.clone()).unwrap_or_default();
        let sup = self.cell.ctl().sup_or_init(|| Sup::new(Owner::Actor, &strategy));
        if self.cell.ctl().is_held() {
            sup.on(&*self.cell, |group| group.hold()); // it did not exist when those below were held (S7)
        }
    }

    /// This child survives the next restart of this actor: it is held while the actor is down and
    /// restarted behind it (S11). To be called in `pre_restart`. The new instance finds it by [`child`](Context::child),
    /// and does not wait for its restart.
    pub fn keep<B: Actor>(&mut self, child: &ActorRef<B>) {
        if let Some(sup) = self.cell.ctl().sup() {
            sup.on_child(&*self.cell, &*child.cell, |group, id| group.keep(id));
        }
    }
}
