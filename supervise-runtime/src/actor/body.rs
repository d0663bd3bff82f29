//! An incarnation of an actor: its instance, its inbox, its hooks.

use std::any::type_name;
use std::borrow::Cow;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context as TaskCx, Poll};

use super::redelivery::Again;
use crate::actor::Actor;
use crate::actor::actor_ref::{Cell, Envelope};
use crate::actor::context::Context;
use crate::actor::options::Reader;
use crate::base::Each;
use crate::base::deferred_drop::CatchDrop;
use crate::base::sync::Arc;
use crate::decide::child::machine::Step;
use crate::engine::cell::body::{Body, Hands, Served};
use crate::engine::cell::control::AnyCell as _;
use crate::engine::mailbox::{Admission, Inbox, Received};
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
    handled: bool,
    in_hand: bool,
    /// `None` for most actors, which do not use `redeliver`.
    again: Option<Box<Again<A>>>,
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
            handled: false,
            in_hand: false,
            again: None,
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
        match (options.redelivery::<A>(), &mut self.again) {
            (Some(by), Some(again)) => again.by = by,
            (by, again) => *again = by.map(|by| Box::new(Again::new(by))),
        }
        options.common.clone()
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
        if let Some(again) = &mut self.again {
            again.done();
        }
    }

    fn drop_instance(&mut self, each: Each<'_>) {
        self.in_hand = false;
        // Back at the front, for the next instance; if there is none, it ends with the rest of the queue.
        match self.again.as_mut().and_then(|again| again.left_over()) {
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
        self.handled
    }

    fn in_hand(&self) -> Option<&'static str> {
        self.in_hand.then(type_name::<A::Msg>)
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
        self.handled = false;
        self.cell.set_handled(false);
        self.in_hand = false;
        self.cx.begin();
        self.actor = Some((self.start)().await?);
        Ok(())
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
        let Some(actor) = &mut self.actor else { return Ok(Served::Done) };
        loop {
            if self.cx.is_stopping() {
                return Ok(Served::Done);
            }
            self.in_hand = false;
            let msg = match poll_fn(|cx| self.inbox.poll(&self.cell, cx)).await {
                Received::Message(Envelope::Msg(msg)) => {
                    self.in_hand = true; // before the copy, which is user code
                    if let Some(again) = &mut self.again {
                        again.keep(&msg);
                    }
                    msg
                }
                // A tick ends with the incarnation, so it is not redelivered.
                Received::Message(Envelope::Tick(tick)) => match tick.take(self.cx.incarnation()) {
                    Some(msg) => msg,
                    None => continue,
                },
                Received::Message(Envelope::Notice(notice)) => {
                    let (notice, deliver) = *notice;
                    if self.cx.hears_of(&notice) {
                        let handled = {
                            let mut handler = deliver(actor, notice, &mut self.cx);
                            poll_fn(|cx| poll_handler(&mut self.inbox, &self.cell, handler.as_mut(), cx)).await
                        };
                        handled?;
                    }
                    continue;
                }
                Received::Drained => return Ok(Served::Drained),
                Received::Interrupted => return Ok(Served::Interrupted),
            };
            if !self.handled {
                self.handled = true;
                self.cell.set_handled(true);
            }
            self.in_hand = true;
            let handled = {
                let mut handler = pin!(actor.receive(msg, &mut self.cx));
                poll_fn(|cx| poll_handler(&mut self.inbox, &self.cell, handler.as_mut(), cx)).await
            };
            handled?;
            if let Some(again) = &mut self.again {
                again.done();
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
