//! The declared type of a remote child: its handle, its start expression at the owner, and its launch.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::hooks;
use serde::Serialize;
use supervise_runtime::expansion as private;
use supervise_runtime::spec::RemoteSpec;
use supervise_runtime::{Actor, ActorRef, Child, Thrown};

use crate::Remote;
use crate::crossing::InletOf;
use crate::errors::{Errors, guarded};
use crate::inlet::{AtOwner, Inlet};
use crate::place::{Place, Plan};
use crate::proxy::{HasPlace, Proxy};
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

struct Held<A: Actor<Msg: Remote>>(Arc<Place<A>>);

impl<A: Actor<Msg: Remote>> HasPlace<A> for Held<A> {
    fn place(&self) -> &Arc<Place<A>> {
        &self.0
    }

    fn inlet(&self, proxy: ActorRef<Proxy<A>>) -> Arc<dyn Inlet> {
        InletOf::shared(RemoteRef::proxy(proxy, self.0.clone()))
    }

    fn let_go(&self) {
        self.0.let_go();
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
    const KIND: supervise_runtime::inspect::ChildKind = supervise_runtime::inspect::ChildKind::Actor;

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
