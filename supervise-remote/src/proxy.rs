//! The child in the owner's tree: a local actor that stands for an instance on a node.

use std::fmt;
use std::sync::Arc;
use std::task::{Context as TaskCx, Poll};

use crate::Remote;
use crate::inlet::{AtOwner, Inlet};
use crate::place::Place;
use supervise_runtime::{Actor, ActorRef, Context, Failure};

/// The actor in the owner's tree that stands for the instance.
#[doc(hidden)]
pub struct Proxy<A> {
    pub(crate) place: Box<dyn HasPlace<A>>,
    pub(crate) captured: Vec<u8>,
    pub(crate) exports: Arc<AtOwner>,
}

/// The place of an instance, behind a type without a bound: a message on its way to a proxy has `Proxy<A>` in its type.
pub(crate) trait HasPlace<A>: Send + Sync {
    fn place(&self) -> &Arc<Place<A>>
    where
        A: Actor<Msg: Remote>;

    /// Returns the way in for the messages of nodes to this child.
    fn inlet(&self, proxy: ActorRef<Proxy<A>>) -> Arc<dyn Inlet>
    where
        A: Actor<Msg: Remote>;

    fn let_go(&self);
}

impl<A> fmt::Debug for Proxy<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Proxy")
    }
}

impl<A: Actor<Msg: Remote>> Actor for Proxy<A> {
    type Msg = A::Msg;
    type Error = Failure;
    const TURNS: bool = true;
    const WORDS: bool = A::WORDS;

    fn word(msg: &A::Msg) -> u8 {
        A::word(msg)
    }

    fn named(word: u8) -> fn() -> &'static str {
        A::named(word)
    }

    async fn receive(&mut self, msg: A::Msg, cx: &mut Context<Self>) -> Result<(), Failure> {
        self.place.place().hand_over(msg, cx);
        Ok(())
    }

    async fn pre_start(&mut self, cx: &mut Context<Self>) -> Result<(), Failure> {
        let (place, proxy) = (&self.place, cx.actor_ref());
        place.place().start(&self.captured, &self.exports, || place.inlet(proxy), cx).await
    }

    async fn pre_restart(&mut self, failure: &Failure, _cx: &mut Context<Self>) -> Result<(), Failure> {
        self.place.place().leave(failure).await
    }

    async fn post_stop(&mut self, _cx: &mut Context<Self>) -> Result<(), Failure> {
        self.place.place().stop().await
    }

    fn poll_turn(&mut self, cx: &mut Context<Self>, task: &mut TaskCx<'_>) -> Poll<Result<(), Failure>> {
        self.place.place().poll_turn(cx, task)
    }

    fn has_in_hand(&self) -> bool {
        self.place.place().has_in_hand()
    }

    fn poll_drained(&mut self, task: &mut TaskCx<'_>) -> Poll<()> {
        self.place.place().poll_drained(task)
    }
}

/// Also after an abort, when no hook ran.
impl<A> Drop for Proxy<A> {
    fn drop(&mut self) {
        self.place.let_go();
    }
}
