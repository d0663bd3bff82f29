//! The child in the owner's tree: a local actor that stands for an instance on a node.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::task::{Context as TaskCx, Poll};

use serde::Serialize;
use supervise::Thrown;
use supervise::spec::RemoteSpec;
use supervise::{Actor, Child, Context, Failure};
use supervise_runtime::expansion as private;
use supervise_runtime::remote as hooks;

use crate::Remote;
use crate::errors::{Errors, guarded};
use crate::inlet::AtOwner;
use crate::place::{Place, Plan};
use crate::refs::RemoteRef;

/// The type of a child that is declared as `remote T`: its handle is a [`RemoteRef<T>`].
///
/// The declaration writes `remote T`. Only code that is generic over the type of a child names this one.
///
/// ```
/// use serde::{Deserialize, Serialize};
/// use supervise::prelude::*;
/// use supervise_remote::{Far, RemoteRef};
/// # struct Pricing;
/// # #[derive(Serialize, Deserialize)]
/// # struct Reload;
/// # #[actor]
/// # impl Pricing { fn handle(&mut self, _: Reload) {} }
///
/// fn path(pricing: &Handle<Far<Pricing>>) -> &str {
///     let pricing: &RemoteRef<Pricing> = pricing; // the same type
///     pricing.path()
/// }
/// # let _ = path;
/// ```
pub struct Far<T>(PhantomData<fn() -> T>);

impl<T> fmt::Debug for Far<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Far")
    }
}

/// The result of the start expression at the owner: the values that it names, written. Of generated code.
#[doc(hidden)]
pub struct FarStart<T> {
    plan: Plan,
    captured: Vec<u8>,
    exports: Arc<AtOwner>,
    of: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for FarStart<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FarStart")
    }
}

/// Writes the values that a start expression names.
#[doc(hidden)]
pub fn far_start<T>(
    spec: &'static RemoteSpec,
    captured: &impl Serialize,
    errors: Errors,
) -> Result<FarStart<T>, Thrown> {
    let exports = Arc::new(AtOwner::default());
    let written = guarded(|| hooks::encode(captured, &mut 0, Some(exports.clone()))).unwrap_or_else(Err);
    let (captured, _) =
        written.map_err(|why| Thrown::from(format!("the values of a start expression cannot be written: {why}")))?;
    let plan = Plan { spec, key: (spec.key)().into(), errors };
    Ok(FarStart { plan, captured, exports, of: PhantomData })
}

/// The actor in the owner's tree that stands for the instance.
#[doc(hidden)]
pub struct Proxy<A> {
    place: Box<dyn HasPlace<A>>,
    captured: Vec<u8>,
    exports: Arc<AtOwner>,
}

/// The place of an instance, behind a type without a bound: a message on its way to a proxy has `Proxy<A>` in its type.
trait HasPlace<A>: Send + Sync {
    fn place(&self) -> &Arc<Place<A>>
    where
        A: Actor<Msg: Remote>;

    fn let_go(&self);
}

struct Held<A: Actor<Msg: Remote>>(Arc<Place<A>>);

impl<A: Actor<Msg: Remote>> HasPlace<A> for Held<A> {
    fn place(&self) -> &Arc<Place<A>> {
        &self.0
    }

    fn let_go(&self) {
        self.0.let_go();
    }
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
        self.place.place().start(&self.captured, &self.exports, cx).await
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

/// Dropped with the cell of the child.
struct AtEnd<A: Actor<Msg: Remote>>(Arc<Place<A>>);

impl<A: Actor<Msg: Remote>> Drop for AtEnd<A> {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl<A: Actor<Msg: Remote>> Child for Far<A> {
    type Handle = RemoteRef<A>;
    type Start = FarStart<A>;
    const KIND: supervise::inspect::ChildKind = supervise::inspect::ChildKind::Actor;

    fn launch<F, Fut>(
        child_slot: private::ChildSlot,
        options: private::ChildOptions<Self>,
        mut start: F,
    ) -> private::Launched<Self::Handle>
    where
        F: FnMut() -> Fut + Send + 'static,
        Fut: Future<Output = Result<FarStart<A>, Thrown>> + Send + 'static,
    {
        let place = Arc::new(Place::<A>::new(options.redeliveries(), options.is_fresh()));
        let kept = AtEnd(place.clone());
        let launched = <Proxy<A> as Child>::launch(child_slot, options.cast(), move || {
            let (start, place) = (start(), kept.0.clone());
            async move {
                let FarStart { plan, captured, exports, .. } = start.await?;
                place.set_plan(plan);
                Ok(Proxy { place: Box::new(Held(place)), captured, exports })
            }
        });
        launched.map(|proxy| RemoteRef::proxy(proxy, place))
    }
}

impl<A: Actor<Msg: Remote>> private::WithMailbox for Far<A> {}
impl<A: Actor<Msg: Remote>> private::NotATree for Far<A> {}
impl<A: Actor<Msg: Remote>> private::Ahead for Far<A> {}
