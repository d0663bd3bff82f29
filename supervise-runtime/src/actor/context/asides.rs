//! Timers and subordinate futures of an actor (S11).

use std::future::Future;
use std::time::Duration;

use tokio::time::Instant;
#[cfg(feature = "tokio-util")]
use tokio_util::sync::CancellationToken;

use super::Context;
use crate::actor::Actor;
use crate::actor::timers::{Every, Make, Tick, Timer};
use crate::base::clock::after;
use crate::base::sync::Arc;
use crate::engine::background::Aside;
use crate::engine::cell::control::{SystemMessage, queue};

/// What tokio's clock can tell apart.
const SHORTEST: Duration = Duration::from_millis(1);

impl<A: Actor> Context<A> {
    pub(crate) fn has_asides(&self) -> bool {
        self.asides
    }

    fn aside(&mut self, aside: Aside) {
        self.asides = true;
        queue(&*self.cell, SystemMessage::Aside(Box::new(aside)));
    }

    fn timer(&mut self, delay: Duration, period: Option<Duration>, make: Make<A::Msg>) -> Timer {
        let tick = Tick::new(Arc::downgrade(&self.cell), self.incarnation(), make);
        self.aside(Aside::Timer { at: after(Instant::now(), delay), period, tick: tick.clone() });
        Timer { tick }
    }

    /// Sends `msg` to this actor after `delay`, once (S11).
    ///
    /// The tick waits in the timer until there is room in the mailbox; then it is a message like any other.
    /// It is gone when the actor is restarted or stops, also if it waits in the mailbox already.
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
    pub fn send_after(&mut self, delay: Duration, msg: A::Msg) -> Timer {
        self.timer(delay, None, Make::Once(msg))
    }

    /// Sends a message to this actor in every `period`, for the first time after one of them (S11).
    ///
    /// `msg` is a message that is `Clone`, or a closure that makes one; it is called when the tick is
    /// handled, and a panic in it is the actor's failure and the end of the timer. While a tick waits in the mailbox no second one of
    /// this timer is queued; what was missed is not made up for. A period below 1 ms is 1 ms. As with
    /// [`send_after`](Context::send_after) all ticks are gone when the actor is restarted or stops, so a
    /// timer that should always run is set in `pre_start`. A drain ends all timers when it begins (S26).
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
    pub fn send_every<Kind>(&mut self, period: Duration, msg: impl Every<A::Msg, Kind>) -> Timer {
        let period = period.max(SHORTEST);
        self.timer(period, Some(period), Make::Every(msg.every()))
    }

    /// Runs `future` beside the messages of this actor; `message` makes a message of its result, which is
    /// handled in its turn (S11).
    ///
    /// It is polled in the actor's own task, also while a handler waits: it must not block. It is
    /// dropped when the actor is restarted or stops, and a result that waits in the mailbox by then is gone
    /// with it. A drain waits for it, and for its message (S26): one without an end has to look at a token.
    /// A panic in it is the actor's failure, behind the message in hand.
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
    ///         Msg::Fetch(url) => cx.run(fetch(url), Msg::Fetched), // the next message need not wait for it
    ///         Msg::Fetched(page) => println!("{}", page?),
    ///     }
    ///     Ok(())
    /// }
    /// # }
    /// ```
    pub fn run<F>(&mut self, future: F, message: impl FnOnce(F::Output) -> A::Msg + Send + 'static)
    where
        F: Future + Send + 'static,
    {
        let cell = Arc::downgrade(&self.cell);
        let incarnation = self.incarnation();
        self.aside(Aside::Future(Box::pin(async move {
            let msg = message(future.await);
            Tick::<A>::new(cell, incarnation, Make::Once(msg)) as Arc<_>
        })));
    }

    /// A token that is cancelled when this instance should end: it is stopped, drained, restarted or killed (S29).
    /// For what knows tokens, in [`run`](Context::run) or in a handler that would take long.
    ///
    /// Each call gives one of its own: cancelling it tells nobody else. With the feature `tokio-util`.
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
        let rare = self.rare.get_or_insert_default();
        if let Some(token) = &rare.token {
            return token.child_token();
        }
        let token = CancellationToken::new();
        rare.token = Some(token.clone());
        let child = token.child_token();
        self.aside(Aside::Token(token.drop_guard()));
        child
    }
}
