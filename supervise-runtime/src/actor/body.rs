//! An incarnation of an actor: its instance, its inbox, its hooks.

use std::borrow::Cow;
use std::future::{Future, poll_fn};
use std::mem::take;
use std::pin::Pin;
use std::task::{Context as TaskCx, Poll, ready};

use pin_project_lite::pin_project;

use super::redelivery::Again;
use crate::actor::actor_ref::{Cell, Envelope};
use crate::actor::context::Context;
use crate::actor::options::Reader;
use crate::actor::timers::Tick;
use crate::actor::{Actor, name_of};
use crate::engine::bus::extension::{AtClose, Wants};
use crate::engine::cell::body::{Body, Hands, Served, TypeName};
use crate::engine::cell::control::AnyCell;
use crate::engine::mailbox::{Admission, Inbox, MailboxItem, Turn};
use crate::engine::settings::Common;
use supervise_core::base::deferred_drop::CatchDrop;
use supervise_core::base::sync::Arc;
use supervise_core::base::{BoxFuture, Each};
use supervise_core::decide::child::machine::Step;
use supervise_core::values::decider::SupervisorStrategy;
use supervise_core::values::event::{DeadLetterReason, EventKind};
use supervise_core::values::failure::{Failure, Thrown};
use supervise_core::values::kind::ChildKind;

pub(crate) struct ActorBody<A: Actor, F> {
    cell: Arc<Cell<A>>,
    start: CatchDrop<F>,
    actor: Option<A>,
    inbox: Inbox<Envelope<A>>,
    cx: Context<A>,
    options: Reader,
    /// `None` for most actors, which do not use `redeliver`.
    again: Option<Box<Again<A>>>,
}

impl<A: Actor, F> ActorBody<A, F> {
    /// Notes a message that is about to be handled: its copy is kept if it came from a sender. The copy is user code.
    #[cold]
    fn note_begun(&mut self, sent: Option<&A::Msg>) {
        if let (Some(again), Some(msg)) = (&mut self.again, sent) {
            again.keep(msg);
        }
        if !self.cx.marks.handled {
            self.cx.marks.handled = true;
            self.cell.set_handled();
        }
        self.cx.marks.due = self.again.is_some();
    }

    /// Notes that no item is in hand: the last one was handled, or its failure was resumed. Forgets its copy.
    #[cold]
    fn note_done(&mut self) {
        self.cx.marks.aside = false;
        self.cx.item_is_handled();
        self.cx.marks.due = !self.cx.marks.handled || self.again.is_some();
        if let Some(again) = &mut self.again {
            again.done();
        }
    }

    /// Waits forever if an extension holds the code of the actor: a process that was frozen between two messages handles no
    /// further one (S55). An abort drops this future.
    async fn holds(&mut self) {
        let cell: &AnyCell = &*self.cell;
        if cell.is_held() {
            self.inbox.return_batch(&self.cell);
            std::future::pending().await
        }
    }

    pub(crate) fn new(cell: Arc<Cell<A>>, options: Reader, start: F) -> Self {
        let cx = Context::new(cell.clone());
        ActorBody { cell, start: CatchDrop::new(start), actor: None, inbox: Inbox::new(), cx, options, again: None }
    }
}

impl<A, F, Fut> Hands for ActorBody<A, F>
where
    A: Actor,
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<A, Thrown>> + Send + 'static,
{
    fn common(&mut self) -> Arc<Common> {
        let options = self.options.read();
        match (options.redelivery::<A>(), &mut self.again) {
            (Some(by), Some(again)) => again.by = by,
            (by, again) => *again = by.map(|by| Box::new(Again::new(by))),
        }
        self.cx.marks.due = true;
        self.cx.marks.guarded = self.cell.core().bus.extensions.attached_want(Wants::CODE);
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
        // The strategy takes effect if there are children, or with the first spawn.
        let strategy = self.actor.as_ref()?.supervision();
        self.cx.set_strategy(strategy.clone());
        Some(strategy)
    }

    fn heals(&mut self, failure: Option<&Failure>) {
        if A::TURNS {
            self.cx.set_healing(failure.cloned());
        }
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
        self.note_done();
    }

    fn drop_instance(&mut self, each: Each<'_>) {
        // Put the message back at the front, for the next instance. Without one, it ends with the rest of the queue.
        match self.again.as_mut().and_then(|again| again.left_over()) {
            Some((msg, true)) => self.inbox.requeue_front(&self.cell, Envelope::Msg(msg)),
            Some((msg, false)) => {
                let (message, reason) = (name_of::<A>(&msg), DeadLetterReason::GivenUp);
                self.cell.core().emit(EventKind::DeadLetter { message, reason });
                let mut msg = Some(msg);
                each(&mut || msg = None);
            }
            None => {}
        }
        if self.cx.has_background() {
            self.cell
                .purge(DeadLetterReason::Restarted, |letter| matches!(letter, Envelope::Tick(_) | Envelope::Item(_)));
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
        // Requests of senders on their way down do not wait for the next incarnation (S3).
        self.inbox.return_batch(&self.cell);
        self.cell.purge_last_requests(|letter| matches!(letter, Envelope::LastRequest(_)));
    }

    fn renew(&mut self) {
        self.inbox.return_batch(&self.cell);
        self.cell.purge(DeadLetterReason::Restarted, MailboxItem::is_message);
    }

    fn close(&mut self) {
        self.inbox.close(&self.cell);
        if A::TURNS
            && let Some(at_close) = self.cell.core().slot::<AtClose>()
        {
            (at_close.0)();
        }
        self.cx.forget_watches();
    }

    fn has_handled(&self) -> bool {
        self.cx.marks.handled
    }

    fn in_hand(&self) -> Option<TypeName> {
        let elsewhere = A::TURNS && self.actor.as_ref().is_some_and(A::has_in_hand);
        (elsewhere || (self.cell.is_busy() && !self.cx.marks.aside)).then(|| A::named(self.cx.marks.word))
    }
}

impl<A, F, Fut> Body for ActorBody<A, F>
where
    A: Actor,
    F: FnMut() -> Fut + Send + 'static,
    Fut: Future<Output = Result<A, Thrown>> + Send + 'static,
{
    const KIND: ChildKind = ChildKind::Actor;

    // An `async` block here, since an `async fn` would keep two copies of `self` in its future.
    #[expect(clippy::manual_async_fn, reason = "see above")]
    fn start(&mut self) -> impl Future<Output = Result<(), Thrown>> + Send {
        async move {
            self.actor = None;
            (self.cx.marks.handled, self.cx.marks.due) = (false, true);
            self.cell.begin();
            self.cx.begin();
            self.actor = Some((self.start)().await?);
            Ok(())
        }
    }

    fn pre_start(&mut self) -> BoxFuture<'_, Result<(), Thrown>> {
        Box::pin(async move {
            match &mut self.actor {
                Some(actor) => actor.pre_start(&mut self.cx).await.map_err(Into::into),
                None => Ok(()),
            }
        })
    }

    fn post_restart<'a>(&'a mut self, failure: &'a Failure) -> BoxFuture<'a, Result<(), Thrown>> {
        Box::pin(async move {
            let hook = self.options.now.hook::<A>(false);
            match (&mut self.actor, hook) {
                (Some(actor), Some(hook)) => hook(actor, failure, &mut self.cx).await,
                (Some(actor), None) => actor.post_restart(failure, &mut self.cx).await.map_err(Into::into),
                (None, _) => Ok(()),
            }
        })
    }

    #[expect(clippy::manual_async_fn, reason = "see above")]
    fn serve(&mut self) -> impl Future<Output = Result<Served, Thrown>> + Send {
        async move {
            (self.cx.marks.aside, self.cx.marks.asked) = (false, false);
            loop {
                if self.cx.is_stopping() {
                    return Ok(Served::Done);
                }
                if self.cx.marks.guarded {
                    self.holds().await;
                }
                let Some(handling) = self.handle_next() else {
                    match poll_fn(|cx| self.poll_turn(cx)).await.map_err(Into::into)? {
                        Turn::Begun => continue,
                        Turn::Drained => return Ok(Served::Drained),
                        Turn::Interrupted => return Ok(Served::Interrupted),
                    }
                };
                handling.await.map_err(Into::into)?;
                if self.cx.marks.due {
                    self.note_done();
                }
            }
        }
    }

    fn pre_restart<'a>(&'a mut self, failure: &'a Failure) -> BoxFuture<'a, Result<(), Thrown>> {
        Box::pin(async move {
            let hook = self.options.now.hook::<A>(true);
            match (&mut self.actor, hook) {
                (Some(actor), Some(hook)) => hook(actor, failure, &mut self.cx).await,
                (Some(actor), None) => actor.pre_restart(failure, &mut self.cx).await.map_err(Into::into),
                (None, _) => Ok(()),
            }
        })
    }

    fn post_stop(&mut self) -> BoxFuture<'_, Result<(), Thrown>> {
        Box::pin(async move {
            match &mut self.actor {
                Some(actor) => actor.post_stop(&mut self.cx).await.map_err(Into::into),
                None => Ok(()),
            }
        })
    }

    fn served(&mut self) {
        self.inbox.served(&self.cell);
    }
}

impl<A: Actor, F> ActorBody<A, F> {
    /// Begins to handle the next item of this turn; `None` if there is none, or nothing to do for it.
    ///
    /// A function of its own, so that the future of the loop keeps the handler, and not the item beside it.
    #[inline(always)]
    fn handle_next(&mut self) -> Option<Handling<'_, A, impl Future<Output = Result<(), A::Error>> + Send>> {
        if A::TURNS && !take(&mut self.cx.marks.asked) {
            return None;
        }
        let handler = match self.inbox.next(&self.cell)? {
            Envelope::Msg(msg) => {
                self.note_word(&msg);
                if self.cx.marks.due {
                    self.note_begun(Some(&msg));
                }
                Handler::Message { future: self.actor.as_mut()?.receive(msg, &mut self.cx) }
            }
            // The sender does not wait for the next incarnation, so the request is not redelivered.
            Envelope::LastRequest(msg) => {
                if self.cx.marks.due {
                    self.note_begun(None);
                }
                self.note_word(&msg);
                Handler::Message { future: self.actor.as_mut()?.receive(msg, &mut self.cx) }
            }
            Envelope::Tick(tick) => {
                let msg = self.unpack(&tick)?;
                self.note_word(&msg);
                Handler::Message { future: self.actor.as_mut()?.receive(msg, &mut self.cx) }
            }
            Envelope::Item(follow) => {
                let msg = follow.take(self.cx.incarnation())?;
                self.note_word(&msg);
                if self.cx.marks.due {
                    self.note_begun(None);
                }
                self.cx.marks.due = true;
                self.cx.set_item(follow);
                Handler::Message { future: self.actor.as_mut()?.receive(msg, &mut self.cx) }
            }
            Envelope::Notice(notice) => {
                let (notice, deliver) = *notice;
                if !self.cx.hears_of(&notice) {
                    return None;
                }
                (self.cx.marks.aside, self.cx.marks.due) = (true, true);
                Handler::Notice { future: deliver(self.actor.as_mut()?, notice, &mut self.cx) }
            }
        };
        Some(Handling { inbox: &mut self.inbox, cell: &self.cell, handler })
    }

    /// Notes the name of a message that is about to be handled, if the messages of the actor have names of their own.
    #[inline(always)]
    fn note_word(&mut self, msg: &A::Msg) {
        if A::WORDS {
            self.cx.marks.word = A::word(msg);
        }
    }

    /// Waits until there are messages, and until the actor takes one, if it is asked.
    #[inline(always)]
    fn poll_turn(&mut self, cx: &mut TaskCx<'_>) -> Poll<Result<Turn, A::Error>> {
        if A::TURNS { self.ask_turn(cx) } else { self.inbox.poll_turn(&self.cell, cx).map(Ok) }
    }

    /// Asks the actor before it looks for a message. No message is in hand meanwhile.
    fn ask_turn(&mut self, cx: &mut TaskCx<'_>) -> Poll<Result<Turn, A::Error>> {
        self.inbox.rest(&self.cell);
        if self.cell.is_interrupted() {
            return Poll::Ready(Ok(Turn::Interrupted)); // any order ends the turns of the actor
        }
        let Some(actor) = &mut self.actor else { return Poll::Ready(Ok(Turn::Interrupted)) };
        match actor.poll_turn(&mut self.cx, cx) {
            Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
            Poll::Ready(Ok(())) if self.cx.is_stopping() => return Poll::Ready(Ok(Turn::Begun)), // the loop sees that
            Poll::Ready(Ok(())) => {}
            Poll::Pending => {
                self.inbox.served(&self.cell); // a stop meanwhile finds all messages in the mailbox
                return Poll::Pending;
            }
        }
        match ready!(self.inbox.poll_turn(&self.cell, cx)) {
            Turn::Begun => {
                self.inbox.go_on(&self.cell);
                self.cx.marks.asked = true;
                Poll::Ready(Ok(Turn::Begun))
            }
            Turn::Drained => actor.poll_drained(cx).map(|()| Ok(Turn::Drained)),
            Turn::Interrupted => Poll::Ready(Ok(Turn::Interrupted)),
        }
    }

    /// Returns the message of a tick, which ends with the incarnation, and so is not redelivered.
    #[cold]
    fn unpack(&mut self, tick: &Tick<A>) -> Option<A::Msg> {
        self.cx.marks.aside = true; // the tick runs user code to make its message
        let msg = tick.take(self.cx.incarnation());
        self.cx.marks.aside = false;
        if msg.is_some() && self.cx.marks.due {
            self.note_begun(None);
        }
        msg
    }
}

pin_project! {
    /// The handler of the item in hand. When it waits, the rest of its batch is put back, so that a stop finds
    /// all messages in the mailbox.
    struct Handling<'a, A: Actor, F> {
        inbox: &'a mut Inbox<Envelope<A>>,
        cell: &'a Cell<A>,
        #[pin]
        handler: Handler<'a, A, F>,
    }
}

pin_project! {
    #[project = Pinned]
    enum Handler<'a, A: Actor, F> {
        Message {
            #[pin]
            future: F,
        },
        Notice { future: BoxFuture<'a, Result<(), A::Error>> },
    }
}

impl<A: Actor, F: Future<Output = Result<(), A::Error>>> Future for Handling<'_, A, F> {
    type Output = F::Output;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, cx: &mut TaskCx<'_>) -> Poll<F::Output> {
        let this = self.project();
        let polled = match this.handler.project() {
            Pinned::Message { future } => future.poll(cx),
            Pinned::Notice { future } => future.as_mut().poll(cx),
        };
        if polled.is_pending() {
            this.inbox.return_batch(this.cell);
        }
        polled
    }
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests;
