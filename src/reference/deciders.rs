//! `decider!` and `strategy!`.

/// Says what happens after a failure: a [`Decider`](crate::Decider) as a value.
///
/// Its arms are those of the setting `decider` of [`supervisor!`](crate::supervisor), from the failure to a
/// [`Directive`](crate::Directive). The value can be shared by several trees, or given to
/// [`Context::spawn`](crate::Context::spawn).
///
/// An arm names what it is about: a variant of an error enum, `pattern: Type`, `Cause::..`, `Phase::..`, or
/// `_`. The type has to be the very one that was thrown. An error that no arm matches escalates; what else
/// no arm matches goes by the default.
///
/// Without a `_`, each enum that an arm names has an arm for every variant, as in a `match`. The same holds for the
/// decider of a tree. That of a child may name some of them: what it leaves goes to the decider of its tree.
///
/// About a `Temporary` child the decider of its tree is not asked: if it fails it has ended. One above the child itself
/// is asked, and its `Restart` is a `Stop`.
///
/// ```
/// use supervise::prelude::*;
/// use std::io;
/// # struct Db;
/// # #[actor]
/// # impl Db { fn handle(&mut self, _msg: ()) -> io::Result<()> { Err(io::ErrorKind::NotFound.into()) } }
///
/// fn patient() -> Decider {
///     decider! {
///         e: io::Error if e.kind() == io::ErrorKind::NotFound => Stop,
///         _: io::Error => Restart,
///         Cause::Panic(text) if text.contains("disk") => Escalate,
///         Phase::Restart => Restart,
///         _ => Stop,
///     }
/// }
///
/// supervisor! {
///     struct Shop {
///         #[decider(patient())]
///         db: Db = Db,
///     }
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # let shop = Shop::start().await.unwrap();
/// # shop.db.tell(()).await.unwrap();
/// # assert!(matches!(shop.db.terminated().await, Ok(Ended::Failed(_))));
/// # }
/// ```
#[doc(inline)]
pub use supervise_macros::decider;

/// Says how an actor supervises the children that it spawns itself: a
/// [`SupervisorStrategy`](crate::SupervisorStrategy) as a value.
///
/// It takes the settings of a tree, as in [`supervisor!`](crate::supervisor), and nothing else. Its expressions may name what is
/// in scope.
///
/// ```
/// use supervise::prelude::*;
///
/// struct Parent { patience: u32 }
///
/// #[actor]
/// impl Parent {
///     fn handle(&mut self, _msg: ()) {}
///
///     #[supervision]
///     fn strategy(&self) -> SupervisorStrategy {
///         strategy! {
///             #![strategy(OneForOne, max_restarts = self.patience, within = 1min)]
///             #![decider(Cause::Killed => Restart, _ => Stop)]
///         }
///     }
/// }
/// ```
#[doc(inline)]
pub use supervise_macros::strategy;
