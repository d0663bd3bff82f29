//! `decider!` and `strategy!`.

/// Creates a [`Decider`](crate::policy::Decider), which says what happens after a failure.
///
/// The arms are those of the setting `decider` of [`supervisor!`](crate::supervisor), and map a failure to a
/// [`Directive`](crate::policy::Directive). Several trees can share the value, and you can pass it to
/// [`Context::spawn`](crate::Context::spawn).
///
/// An arm names a variant of an error enum, `pattern: Type`, `Cause::..`, `Phase::..`, or `_`. The type has to be
/// exactly that of the error which user code returned. An error that no arm matches escalates; for other failures that
/// no arm matches, the default applies. With `_ => Default` the default applies to errors, too.
///
/// Guards and answers can name the [`Failure`](crate::Failure) itself, as `failure`:
/// `_ if failure.failing_for() >= 2h => Stop` gives up after two hours of restarts. A name that the pattern of the arm
/// binds goes first.
///
/// An answer is one of the words, or an expression: a block, an `if` or a `match` may name the words, too. `#[cfg(..)]`
/// above an arm removes it.
///
/// Without a `_`, the arms have to cover every variant of each enum that they name, as in a `match`. The same holds for
/// the decider of a tree. The decider of a child may cover some variants only: the others go to the decider of its
/// tree.
///
/// The decider of a tree is not asked about a `Temporary` child, which ends when it fails. A decider that is declared
/// on the child itself is asked, and there `Restart` means `Stop`.
///
/// No decider is asked about an end by itself (`Cause::EndedByItself`) or a restart on request (`Cause::Requested`), so an
/// arm for one of these does not compile. The same holds for the decider of a task and a cause that no failure of a task
/// has.
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
///         Phase::Restart if failure.in_a_row() < 10 => Restart,
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
#[macro_export]
macro_rules! decider {
    ($($tokens:tt)*) => { $crate::expansion::decider! { @[$crate]; $($tokens)* } };
}

/// Creates a [`SupervisorStrategy`](crate::policy::SupervisorStrategy), which says how an actor supervises the children
/// that it spawns.
///
/// The macro takes the settings of a tree, as in [`supervisor!`](crate::supervisor), and nothing else. The expressions
/// may name any variable in scope.
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
#[macro_export]
macro_rules! strategy {
    ($($tokens:tt)*) => { $crate::expansion::strategy! { @[$crate]; $($tokens)* } };
}
