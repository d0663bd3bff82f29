//! Functions as hooks: `#[pre_restart(Db::dump)]` accepts a function with any of the allowed signatures.
//!
//! There is one blanket impl for each argument list, sync and async; the marker `M` keeps them apart. The attributes of
//! a tree, the derive and the `#[actor]` impl all use this dispatch, so there is one rule and one error text, and no
//! macro has to look at a signature.

use std::future::{Future, ready};

use crate::actor::context::Context;
use crate::actor::{Actor, Outcome};
use crate::engine::watched::Watched;
use supervise_core::values::ended::Ended;
use supervise_core::values::failure::Failure;

/// Markers of the blanket impls.
#[doc(hidden)]
#[derive(Debug)]
pub struct Form<const ARGS: u8, const ASYNC: bool>;

macro_rules! hooks {
    (
        $(#[$meta:meta])*
        $hook:ident ( $($all:ident : $all_ty:ty),* ) { $( $number:literal $now:ident $via:ident $args:tt; )* }
    ) => {
        $(#[$meta])*
        pub trait $hook<A: Actor, M>: Send + Sync {
            #[doc(hidden)]
            fn call<'a>(&'a self, actor: &'a mut A, $($all: $all_ty),*)
                -> impl Future<Output = Result<(), A::Error>> + Send + 'a;
        }
        hooks! { @forms $hook ($($all: $all_ty),*) $($number $now $via $args;)* }
    };

    (@forms $hook:ident $all:tt $number:literal $now:ident $via:ident $args:tt; $($rest:tt)*) => {
        hooks! { @form $hook $all $number $now $via $args }
        hooks! { @forms $hook $all $($rest)* }
    };
    (@forms $hook:ident $all:tt) => {};

    (
        @form $hook:ident ($($all:ident : $all_ty:ty),*) $number:literal $now:ident $via:ident
            ($($arg:ident : $ty:ty),*)
    ) => {
        /// Keeps the return type out of the marker: in the `async fn` that calls the hook, the compiler would not know
        /// that a `dyn Error` in it is `'static`.
        #[doc(hidden)]
        pub trait $now<'a, A: Actor>: Send + Sync {
            type Out: Outcome<A::Error>;
            fn go_now(&self, actor: &'a mut A $(, $arg: $ty)*) -> Self::Out;
        }

        impl<'a, A: Actor, F, O: Outcome<A::Error>> $now<'a, A> for F
        where
            F: Fn(&'a mut A $(, $ty)*) -> O + Send + Sync,
        {
            type Out = O;
            fn go_now(&self, actor: &'a mut A $(, $arg: $ty)*) -> O {
                self(actor $(, $arg)*)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<A: Actor, F> $hook<A, Form<$number, false>> for F
        where
            F: for<'a> $now<'a, A>,
        {
            fn call<'a>(&'a self, actor: &'a mut A, $($all: $all_ty),*)
                -> impl Future<Output = Result<(), A::Error>> + Send + 'a
            {
                $(let _ = &$all;)*
                ready(self.go_now(actor $(, $arg)*).done())
            }
        }

        /// One lifetime for all arguments, so that the future of an `async fn` can be named.
        #[doc(hidden)]
        pub trait $via<'a, A: Actor>: Send + Sync {
            type Out: Outcome<A::Error>;
            type Fut: Future<Output = Self::Out> + Send + 'a;
            fn go(&self, actor: &'a mut A $(, $arg: $ty)*) -> Self::Fut;
        }

        impl<'a, A: Actor, F, Fut> $via<'a, A> for F
        where
            F: Fn(&'a mut A $(, $ty)*) -> Fut + Send + Sync,
            Fut: Future + Send + 'a,
            Fut::Output: Outcome<A::Error>,
        {
            type Out = Fut::Output;
            type Fut = Fut;
            fn go(&self, actor: &'a mut A $(, $arg: $ty)*) -> Fut {
                self(actor $(, $arg)*)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<A: Actor, F> $hook<A, Form<$number, true>> for F
        where
            F: for<'a> $via<'a, A>,
        {
            fn call<'a>(&'a self, actor: &'a mut A, $($all: $all_ty),*)
                -> impl Future<Output = Result<(), A::Error>> + Send + 'a
            {
                $(let _ = &$all;)*
                let hook = self.go(actor $(, $arg)*);
                async move { hook.await.done() }
            }
        }
    };
}

hooks! {
    /// A function that can be a `pre_restart` or `post_restart` hook.
    ///
    /// The arguments are `&mut A`, then any of `&Failure` and `&mut Context<A>` in this order; the function may be sync
    /// or async. It returns nothing, or a `Result<(), E>` whose `E` turns into the error of the actor.
    ///
    /// ```
    /// use supervise::prelude::*;
    ///
    /// struct Db {
    ///     dirty: bool,
    /// }
    ///
    /// #[actor]
    /// impl Db {
    ///     fn handle(&mut self, _msg: ()) -> std::io::Result<()> {
    ///         self.dirty = true;
    ///         Err(std::io::ErrorKind::BrokenPipe.into())
    ///     }
    /// }
    ///
    /// // All four forms, as methods or as free functions:
    /// fn note(_db: &mut Db) {}
    /// async fn dump(db: &mut Db, failure: &Failure) {
    ///     println!("{failure}, dirty: {}", db.dirty);
    /// }
    /// fn name(_db: &mut Db, cx: &mut Context<Db>) {
    ///     println!("{}", cx.path());
    /// }
    /// async fn reload(db: &mut Db, _failure: &Failure, _cx: &mut Context<Db>) -> std::io::Result<()> {
    ///     assert!(!db.dirty); // a new instance
    ///     Ok(())
    /// }
    ///
    /// supervisor! {
    ///     struct Shop {
    ///         #[pre_restart(dump)]
    ///         #[post_restart(reload)]
    ///         db: Db = Db { dirty: false },
    ///         #[pre_restart(note)]
    ///         #[post_restart(name)]
    ///         mirror: Db = Db { dirty: false },
    ///     }
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let shop = Shop::start().await?;
    /// # shop.db.tell(()).await?;
    /// # shop.mirror.tell(()).await?;
    /// # tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    /// # assert_eq!((shop.db.incarnation(), shop.mirror.incarnation()), (2, 2));
    /// # Ok(())
    /// # }
    /// ```
    #[diagnostic::on_unimplemented(
        message = "this function cannot be a restart hook of `{A}`",
        label = "expected `[async] fn(&mut {A} [, &Failure] [, &mut Context<{A}>])` whose future is `Send`, returning nothing or `Result<(), E>`",
        note = "`E` turns into the error of `{A}`, which is that of its `handle`; if `handle` returns nothing, there is none"
    )]
    RestartHook(failure: &'a Failure, cx: &'a mut Context<A>) {
        0 NowRestart0 Restart0();
        1 NowRestart1 Restart1(failure: &'a Failure);
        2 NowRestart2 Restart2(cx: &'a mut Context<A>);
        3 NowRestart3 Restart3(failure: &'a Failure, cx: &'a mut Context<A>);
    }
}

hooks! {
    /// A function that can be a `pre_start` or `post_stop` hook.
    ///
    /// The arguments are `&mut A`, then optionally `&mut Context<A>`; the function may be sync or async. It returns
    /// nothing, or a `Result<(), E>` whose `E` turns into the error of the actor.
    ///
    /// ```
    /// use supervise::prelude::*;
    ///
    /// struct Log {
    ///     lines: Vec<String>,
    /// }
    ///
    /// #[actor]
    /// impl Log {
    ///     #[pre_start]
    ///     async fn open(&mut self, cx: &mut Context<Self>) -> std::io::Result<()> {
    ///         self.lines.push(format!("{} is open", cx.path()));
    ///         Ok(())
    ///     }
    ///
    ///     #[post_stop]
    ///     fn close(&mut self) {
    ///         println!("{} lines", self.lines.len());
    ///     }
    ///
    ///     fn handle(&mut self, reply: Reply<Vec<String>>) -> std::io::Result<()> {
    ///         reply.send(self.lines.clone());
    ///         Ok(())
    ///     }
    /// }
    ///
    /// # supervisor! { struct App { log: Log = Log { lines: Vec::new() } } }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let app = App::start().await?;
    /// assert_eq!(app.log.ask(|reply| reply).await?, ["log is open"]);
    /// # Ok(())
    /// # }
    /// ```
    #[diagnostic::on_unimplemented(
        message = "this function cannot be a `pre_start` or `post_stop` hook of `{A}`",
        label = "expected `[async] fn(&mut {A} [, &mut Context<{A}>])` whose future is `Send`, returning nothing or `Result<(), E>`",
        note = "`E` turns into the error of `{A}`, which is that of its `handle`; if `handle` returns nothing, there is none"
    )]
    StartHook(cx: &'a mut Context<A>) {
        0 NowStart0 Start0();
        1 NowStart1 Start1(cx: &'a mut Context<A>);
    }
}

hooks! {
    /// A function that can be a `terminated` hook, which runs when a watched child has ended.
    ///
    /// The arguments are `&mut A`, then any of the prefixes of `&Watched`, `&Ended`, `&mut Context<A>`; the function
    /// may be sync or async. It returns nothing, or a `Result<(), E>` whose `E` turns into the error of the actor.
    ///
    /// ```
    /// use supervise::prelude::*;
    /// # struct Db;
    /// # #[actor]
    /// # impl Db { fn handle(&mut self, _msg: ()) {} }
    ///
    /// struct Cart {
    ///     db: ActorRef<Db>,
    ///     lost: Option<String>,
    /// }
    ///
    /// #[actor]
    /// impl Cart {
    ///     #[pre_start]
    ///     fn begin(&mut self, cx: &mut Context<Self>) {
    ///         cx.watch(&self.db);
    ///     }
    ///
    ///     #[terminated]
    ///     fn note(&mut self, who: &Watched, ended: &Ended) {
    ///         self.lost = Some(format!("{} has {ended}", who.path()));
    ///     }
    ///
    ///     fn handle(&mut self, reply: Reply<Option<String>>) {
    ///         reply.send(self.lost.clone());
    ///     }
    /// }
    ///
    /// # supervisor! { struct Shop { db: Db = Db, cart: Cart = Cart { db, lost: None } } }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let shop = Shop::start().await?;
    /// shop.db.stop();
    /// shop.db.terminated().await?;
    /// assert_eq!(shop.cart.ask(|reply| reply).await?.as_deref(), Some("db has stopped"));
    /// # Ok(())
    /// # }
    /// ```
    #[diagnostic::on_unimplemented(
        message = "this function cannot be the `terminated` of `{A}`",
        label = "expected `[async] fn(&mut {A} [, &Watched [, &Ended [, &mut Context<{A}>]]])` whose future is `Send`, returning nothing or `Result<(), E>`",
        note = "`E` turns into the error of `{A}`, which is that of its `handle`; if `handle` returns nothing, there is none"
    )]
    EndHook(who: &'a Watched, ended: &'a Ended, cx: &'a mut Context<A>) {
        0 NowEnd0 End0();
        1 NowEnd1 End1(who: &'a Watched);
        2 NowEnd2 End2(who: &'a Watched, ended: &'a Ended);
        3 NowEnd3 End3(who: &'a Watched, ended: &'a Ended, cx: &'a mut Context<A>);
    }
}
