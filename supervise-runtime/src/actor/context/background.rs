//! Timers and subordinate futures of an actor (S11).

use std::future::Future;
use std::time::Duration;

use tokio::time::Instant;
#[cfg(feature = "tokio-util")]
use tokio_util::sync::CancellationToken;

use super::Context;
use crate::actor::Actor;
use crate::actor::follow::{Follow, Followed, Source};
use crate::actor::timers::{Make, Tick, Timer};
use crate::engine::background::{BackgroundWork, Queue};
use crate::engine::cell::control::{SystemMessage, queue};
use supervise_core::base::clock::after;
use supervise_core::base::sync::Arc;

/// The resolution of tokio's clock.
const SHORTEST: Duration = Duration::from_millis(1);

impl<A: Actor> Context<A> {
    pub(crate) fn has_background(&self) -> bool {
        self.background
    }

    fn work(&mut self, work: BackgroundWork) {
        self.background = true;
        queue(self.cell(), SystemMessage::BackgroundWork(Box::new(work)));
    }

    fn timer(&mut self, delay: Duration, period: Option<Duration>, make: Make<A::Msg>) -> Timer {
        let tick = Tick::new(self.actor.own_mailbox(), self.incarnation(), make);
        self.work(BackgroundWork::Timer { at: after(Instant::now(), delay), period, tick: tick.clone() });
        Timer { tick }
    }

    pub(super) fn every(&mut self, period: Duration, make: Box<dyn FnMut() -> A::Msg + Send>) -> Timer {
        let period = period.max(SHORTEST);
        self.timer(period, Some(period), Make::Every(make))
    }

    pub(super) fn beside<F>(&mut self, future: F, message: impl FnOnce(F::Output) -> A::Msg + Send + 'static)
    where
        F: Future + Send + 'static,
    {
        let cell = Arc::downgrade(&self.actor.to_cell());
        let incarnation = self.incarnation();
        self.work(BackgroundWork::Future(Box::pin(async move {
            let msg = message(future.await);
            Tick::<A>::new(cell, incarnation, Make::Once(msg)) as Arc<_>
        })));
    }

    /// Notes the source of the item that is about to be handled.
    pub(crate) fn set_item(&mut self, item: Arc<dyn Queue>) {
        self.cold.get_or_insert_default().item = Some(item);
    }

    /// Has the source of the item that was in hand go on.
    pub(crate) fn item_is_handled(&mut self) {
        if let Some(item) = self.cold.as_mut().and_then(|cold| cold.item.take()) {
            item.go_on();
        }
    }

    pub(super) fn followed<S: Source<Kind>, Kind>(
        &mut self,
        source: S,
        message: impl FnMut(S::Item) -> A::Msg + Send + 'static,
    ) -> Followed<A> {
        let follow = Follow::new(self.actor.own_mailbox(), self.incarnation());
        self.work(BackgroundWork::Source { items: follow.clone().feed(source, message), item: follow.clone() });
        Followed::of(follow)
    }

    /// Sends `msg` to this actor once, after `delay`.
    ///
    /// The message waits in the timer until there is room in the mailbox; then it is handled like any other. It is
    /// dropped when the actor is restarted or stops, even if it is already in the mailbox (S11).
    ///
    /// ```
    /// # use supervise::{Actor, Context, Timer};
    /// # use std::time::Duration;
    /// struct Session { idle: Option<Timer> }
    /// enum Msg { Line(String), Idle }
    ///
    /// # impl Actor for Session { type Msg = Msg; type Error = std::convert::Infallible;
    /// async fn receive(&mut self, msg: Msg, cx: &mut Context<Self>) -> Result<(), Self::Error> {
    ///     match msg {
    ///         Msg::Line(_) => {
    ///             let timer = cx.send_after(Duration::from_secs(30), Msg::Idle);
    ///             if let Some(before) = self.idle.replace(timer) {
    ///                 before.cancel();
    ///             }
    ///         }
    ///         Msg::Idle => cx.stop(),
    ///     }
    ///     Ok(())
    /// }
    /// # }
    /// ```
    #[doc(alias("timeout", "delay", "schedule"))]
    pub fn send_after(&mut self, delay: Duration, msg: A::Msg) -> Timer {
        self.timer(delay, None, Make::Once(msg))
    }

    /// Returns a token that is cancelled when this instance should end: when the actor is stopped, drained, restarted
    /// or killed.
    ///
    /// Use the token for code that supports cancellation tokens, in [`run`](Context::run) or in a long handler. Each
    /// call returns a child token: cancelling it does not affect other tokens. With the feature `tokio-util` (S29).
    ///
    /// ```
    /// # use supervise::{Actor, Context};
    /// struct Importer;
    ///
    /// # async fn import(_: String) {}
    /// # impl Actor for Importer { type Msg = Vec<String>; type Error = std::io::Error;
    /// async fn receive(&mut self, lines: Vec<String>, cx: &mut Context<Self>) -> Result<(), Self::Error> {
    ///     let token = cx.token();
    ///     for line in lines {
    ///         if token.is_cancelled() {
    ///             break; // in good time, instead of being aborted
    ///         }
    ///         import(line).await;
    ///     }
    ///     Ok(())
    /// }
    /// # }
    /// ```
    #[cfg(feature = "tokio-util")]
    pub fn token(&mut self) -> CancellationToken {
        let cold = self.cold.get_or_insert_default();
        if let Some(token) = &cold.token {
            return token.child_token();
        }
        let token = CancellationToken::new();
        cold.token = Some(token.clone());
        let child = token.child_token();
        self.work(BackgroundWork::Token(token.drop_guard()));
        child
    }
}
