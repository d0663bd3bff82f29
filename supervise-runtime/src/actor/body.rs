//! An incarnation of an actor: its instance, its inbox, its hooks.

use std::any::type_name;
use std::borrow::Cow;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context as TaskCx, Poll};

use super::redelivery::Again;
use crate::actor::Actor;
use crate::actor::actor_ref::{Cell, Deliver, Envelope};
use crate::actor::context::Context;
use crate::actor::options::Reader;
use crate::actor::timers::Tick;
use crate::base::Each;
use crate::base::deferred_drop::CatchDrop;
use crate::base::sync::Arc;
use crate::decide::child::machine::Step;
use crate::engine::cell::body::{Body, Hands, Served};
use crate::engine::cell::control::AnyCell as _;
use crate::engine::death_watch::Notice;
use crate::engine::mailbox::{Admission, Inbox, Turn};
use crate::values::event::{DeadLetterReason, EventKind};
use crate::values::failure::{Failure, UserError};
use crate::values::kind::ChildKind;
use crate::values::settings::Common;
use crate::values::strategy::SupervisorStrategy;

pub(crate) struct ActorBody<A: Actor, F> {
    cell: Arc<Cell<A>>,
    start: CatchDrop<F>,
    actor: Option<A>,
    inbox: Inbox<Envelope<A>>,
    cx: Context<A>,
    options: Reader,
    /// A notice is in hand, or a tick that has not given its message yet.
    aside: bool,
    notes: Notes<A>,
}

/// Notes about the messages that are handled.
struct Notes<A: Actor> {
    /// The next message has to be noted: the first one, and each one if `again` is present.
    due: bool,
    /// This incarnation has handled a message.
    handled: bool,
    /// `None` for most actors, which do not use `redeliver`.
    again: Option<Box<Again<A>>>,
}

impl<A: Actor> Notes<A> {
    /// Notes a message that is about to be handled: its copy is kept if it came from a sender. The copy is user code.
    #[cold]
    fn begin(&mut self, cell: &Cell<A>, sent: Option<&A::Msg>) {
        if let (Some(again), Some(msg)) = (&mut self.again, sent) {
            again.keep(msg);
        }
        if !self.handled {
            self.handled = true;
            cell.set_handled();
        }
        self.due = self.again.is_some();
    }

    /// Forgets the copy of a message that was handled, or whose failure was resumed.
    #[cold]
    fn done(&mut self) {
        if let Some(again) = &mut self.again {
            again.done();
        }
    }
}

impl<A: Actor, F> ActorBody<A, F> {
    pub(crate) fn new(cell: Arc<Cell<A>>, options: Reader, start: F) -> Self {
        let cx = Context::new(cell.clone());
        ActorBody {
            cell,
            start: CatchDrop::new(start),
            actor: None,
            inbox: Inbox::new(),
            cx,
            options,
            aside: false,
            notes: Notes { due: true, handled: false, again: None },
        }
    }
}

impl<A, F, Fut> Hands for ActorBody<A, F>
where
    A: Actor,
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<A, UserError>> + Send + 'static,
{
    fn common(&mut self) -> Arc<Common> {
        let options = self.options.read();
        match (options.redelivery::<A>(), &mut self.notes.again) {
            (Some(by), Some(again)) => again.by = by,
            (by, again) => *again = by.map(|by| Box::new(Again::new(by))),
        }
        self.notes.due = true;
        options.common.clone()
    }

    fn is_empty(&self, step: Step) -> bool {
        let declared = |pre| self.options.now.hook::<A>(pre).is_some();
        match step {
            Step::PreStart => !A::HOOKS.pre_start,
            Step::PostRestart => !A::HOOKS.post_restart && !declared(false),
            Step::PreRestart => !A::HOOKS.pre_restart && !declared(true),
            Step::PostStop => !A::HOOKS.post_stop,
            Step::Ready | Step::Settle | Step::Drop => true,
            Step::Wait | Step::Yield | Step::Start | Step::Serve | Step::HandIn | Step::Exit => false,
        }
    }

    fn supervision(&mut self) -> Option<SupervisorStrategy> {
        // Used only if there are children, or with the first spawn.
        let strategy = self.actor.as_ref()?.supervision();
        self.cx.set_strategy(strategy.clone());
        Some(strategy)
    }

    fn unwatch_children(&mut self) {
        self.cx.unwatch_children();
    }

    fn has_stopped(&self) -> bool {
        self.cx.is_stopping()
    }

    fn last_words(&mut self) -> Option<Cow<'static, str>> {
        self.cx.take_words()
    }

    fn forgive(&mut self) {
        self.notes.done();
    }

    fn drop_instance(&mut self, each: Each<'_>) {
        // Back at the front, for the next instance; if there is none, it ends with the rest of the queue.
        match self.notes.again.as_mut().and_then(|again| again.left_over()) {
            Some((msg, true)) => self.inbox.requeue_front(&self.cell, Envelope::Msg(msg)),
            Some((msg, false)) => {
                let (message, reason) = (type_name::<A::Msg>(), DeadLetterReason::GivenUp);
                self.cell.core().emit(EventKind::DeadLetter { message, reason });
                let mut msg = Some(msg);
                each(&mut || msg = None);
            }
            None => {}
        }
        if self.cx.has_background() {
            self.cell.purge(DeadLetterReason::Restarted, |letter| matches!(letter, Envelope::Tick(_)));
        }
        each(&mut || self.actor = None);
    }

    fn open(&mut self) {
        let common = &self.options.now.common;
        self.cell.set_ask_time(common.ask_or_default());
        self.cell.set_gate(Admission::Open, Some(common.capacity()));
    }

    fn shut(&mut self) {
        self.cell.set_gate(Admission::Down, None);
    }

    fn renew(&mut self) {
        self.inbox.return_batch(&self.cell);
        self.cell.purge(DeadLetterReason::Restarted, |letter| matches!(letter, Envelope::Msg(_)));
    }

    fn close(&mut self) {
        self.inbox.close(&self.cell);
        self.cx.forget_watches();
    }

    fn has_handled(&self) -> bool {
        self.notes.handled
    }

    fn in_hand(&self) -> Option<&'static str> {
        (self.cell.is_busy() && !self.aside).then(type_name::<A::Msg>)
    }
}

impl<A, F, Fut> Body for ActorBody<A, F>
where
    A: Actor,
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<A, UserError>> + Send + 'static,
{
    const KIND: ChildKind = ChildKind::Actor;

    async fn start(&mut self) -> Result<(), UserError> {
        self.actor = None;
        (self.notes.handled, self.notes.due) = (false, true);
        self.cell.begin();
        self.cx.begin();
        self.actor = Some((self.start)().await?);
        Ok(())
    }

    async fn pre_start(&mut self) -> Result<(), UserError> {
        match &mut self.actor {
            Some(actor) => actor.pre_start(&mut self.cx).await.map_err(UserError::from),
            None => Ok(()),
        }
    }

    async fn post_restart(&mut self, failure: &Failure) -> Result<(), UserError> {
        let hook = self.options.now.hook::<A>(false);
        match (&mut self.actor, hook) {
            (Some(actor), Some(hook)) => hook(actor, failure, &mut self.cx).await,
            (Some(actor), None) => actor.post_restart(failure, &mut self.cx).await.map_err(UserError::from),
            (None, _) => Ok(()),
        }
    }

    async fn serve(&mut self) -> Result<Served, UserError> {
        self.aside = false;
        loop {
            if self.cx.is_stopping() {
                return Ok(Served::Done);
            }
            let Some(envelope) = self.inbox.next(&self.cell) else {
                match poll_fn(|cx| self.inbox.poll_turn(&self.cell, cx)).await {
                    Turn::Begun => continue,
                    Turn::Drained => return Ok(Served::Drained),
                    Turn::Interrupted => return Ok(Served::Interrupted),
                }
            };
            let msg = match envelope {
                Envelope::Msg(msg) => {
                    if self.notes.due {
                        self.notes.begin(&self.cell, Some(&msg));
                    }
                    msg
                }
                Envelope::Tick(tick) => match self.unpack(&tick) {
                    Some(msg) => msg,
                    None => continue,
                },
                Envelope::Notice(notice) => {
                    self.hear(notice).await?;
                    continue;
                }
            };
            let Some(actor) = &mut self.actor else { return Ok(Served::Done) };
            let handled = {
                let mut handler = pin!(actor.receive(msg, &mut self.cx));
                poll_fn(|cx| poll_handler(&mut self.inbox, &self.cell, handler.as_mut(), cx)).await
            };
            handled?;
            if self.notes.due {
                self.notes.done();
            }
        }
    }

    async fn pre_restart(&mut self, failure: &Failure) -> Result<(), UserError> {
        let hook = self.options.now.hook::<A>(true);
        match (&mut self.actor, hook) {
            (Some(actor), Some(hook)) => hook(actor, failure, &mut self.cx).await,
            (Some(actor), None) => actor.pre_restart(failure, &mut self.cx).await.map_err(UserError::from),
            (None, _) => Ok(()),
        }
    }

    async fn post_stop(&mut self) -> Result<(), UserError> {
        match &mut self.actor {
            Some(actor) => actor.post_stop(&mut self.cx).await.map_err(UserError::from),
            None => Ok(()),
        }
    }

    fn return_batch(&mut self) {
        self.inbox.return_batch(&self.cell);
    }
}

impl<A: Actor, F> ActorBody<A, F> {
    /// Returns the message of a tick, which ends with the incarnation, and so is not redelivered.
    #[cold]
    fn unpack(&mut self, tick: &Tick<A>) -> Option<A::Msg> {
        self.aside = true; // what the tick runs to make its message is user code
        let msg = tick.take(self.cx.incarnation());
        self.aside = false;
        if msg.is_some() && self.notes.due {
            self.notes.begin(&self.cell, None);
        }
        msg
    }

    /// Handles a notice.
    async fn hear(&mut self, notice: Box<(Notice, Deliver<A>)>) -> Result<(), UserError> {
        let Some(actor) = &mut self.actor else { return Ok(()) };
        let (notice, deliver) = *notice;
        if self.cx.hears_of(&notice) {
            self.aside = true;
            let mut handler = deliver(actor, notice, &mut self.cx);
            poll_fn(|cx| poll_handler(&mut self.inbox, &self.cell, handler.as_mut(), cx)).await?;
            self.aside = false;
        }
        Ok(())
    }
}

/// Polls a handler. When it waits, the rest of its batch goes back, so that a stop finds all messages in the mailbox.
#[inline(always)]
fn poll_handler<A: Actor, F: Future + ?Sized>(
    inbox: &mut Inbox<Envelope<A>>,
    cell: &Cell<A>,
    handler: Pin<&mut F>,
    cx: &mut TaskCx<'_>,
) -> Poll<F::Output> {
    let polled = handler.poll(cx);
    if polled.is_pending() {
        inbox.return_batch(cell);
    }
    polled
}
