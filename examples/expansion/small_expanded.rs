use std::time::Duration;
use supervise::prelude::*;
pub struct Counter(pub u64);
pub enum Count {
    Add(u64),
    Get(Reply<u64>),
}
impl Counter {
    fn handle(&mut self, count: Count) -> Result<(), std::io::Error> {
        match count {
            Count::Add(n) => self.0 += n,
            Count::Get(reply) => reply.send(self.0),
        }
        Ok(())
    }
}
// `#[actor]` leaves the methods as they are and adds the trait. Its message and error are read off the signature of
// `handle`; a hook is handed to one generic dispatch, which takes every allowed signature.
#[allow(unused_qualifications)]
const _: () = {
    use ::supervise::expansion as __rt;
    #[automatically_derived]
    impl __rt::Actor for Counter {
        type Msg = Count;
        type Error = <Result<
            (),
            std::io::Error,
        > as __rt::OutputIf<
            { <Result<(), std::io::Error> as __rt::HandleOutput>::IS },
        >>::Error;
        // A sync `handle` runs in this call, so that the future, for which each idle actor has room, is small.
        #[allow(unused_variables)]
        fn receive(
            &mut self,
            __msg: Self::Msg,
            __cx: &mut __rt::Context<Self>,
        ) -> impl ::core::future::Future<
            Output = ::core::result::Result<(), Self::Error>,
        > + ::core::marker::Send
        where
            // Follows from the trait. It keeps a field that is not `Send` one error.
            for<'a> &'a mut Self: ::core::marker::Send,
        {
            ::core::future::ready(
                <Result<
                    (),
                    std::io::Error,
                > as __rt::OutputIf<
                    { <Result<(), std::io::Error> as __rt::HandleOutput>::IS },
                >>::done(Self::handle(self, __msg)),
            )
        }
        // A hook that is not there is not run: an actor without hooks restarts faster.
        const HOOKS: __rt::DeclaredHooks = __rt::DeclaredHooks {
            pre_start: false,
            post_stop: false,
            pre_restart: false,
            post_restart: false,
        };
    }
};
pub async fn tick(counter: ActorRef<Counter>) {
    while counter.tell(Count::Add(1)).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
// Items that no user has to name are in an anonymous constant. Lints that only its form triggers are off.
#[allow(unknown_lints)]
#[allow(
    closure_returning_async_block,
    unexpected_cfgs,
    unused_braces,
    unused_parens,
    unused_qualifications
)]
const _: () = {
    // The hidden items of the runtime, under a name that no user writes.
    use ::supervise::expansion as __rt;
    // The definition of the tree. It comes first, so that an editor finds the cursor in it. After a mistake that leaves
    // the body partly parsed, `not(..)` becomes `all(..)`, and rustc sees a stub instead: one mistake, one error.
    // It is not `#[automatically_derived]`, so that rustc warns of a parameter that nothing uses.
    #[cfg(any(rust_analyzer, not(rust_analyzer)))]
    impl __rt::TreeDef for Clock {
        // The parameters: kept by the supervisor of the tree, and passed to `build` at each of its starts. The constant
        // requires `Clone + Send + 'static` at the type as the user wrote it; where that fails, there is no second
        // error.
        type Params = (
            <u64 as __rt::Checked<
                {
                    <__rt::ATree as __rt::CanMove<u64>>::IS
                        & <__rt::ATree as __rt::CanKeep<u64>>::IS
                },
            >>::Type,
        );
        // Runs at every start of the tree, in its task. `Builder` finds the children of an earlier run at the same
        // places and gives them these new start closures, so that handles stay the same over restarts.
        async fn build(
            (__of_first,): Self::Params,
            __b: __rt::Builder,
        ) -> ::core::result::Result<Self, __rt::Thrown> {
            // A parameter, kept under a name that the user cannot write. Hygiene keeps it apart from the user's own.
            use __rt::Keep as _;
            let __of_first = __of_first.keep_for_the_tree(&__b);
            // Only for an editor, which can then offer the name while the word is half typed. rustc never sees this
            // line.
            #[cfg(rust_analyzer)]
            let first = __rt::Clone::clone(&__of_first);
            // The value of `tree` inside the declaration.
            let __of_tree = __rt::Builder::tree_ref(&__b);
            #[cfg(rust_analyzer)]
            let tree = __rt::Clone::clone(&__of_tree);
            // `#![..]`: how the children are supervised.
            __rt::Builder::supervision(
                &__b,
                {
                    __rt::SupervisorStrategy::new(__rt::Strategy::OneForOne)
                        .max_restarts(__rt::MaxRestarts::AtMost(10))
                        .within(__rt::Duration::new(60, 0))
                },
            );
            // A child. The settings are method calls on the options of its type, so that rustc checks them and an
            // editor completes them. The start closure owns clones of the values in the start expression and clones
            // them again for each start. `Start` gives, at the user's own token, the type that a start returns.
            #[allow(unreachable_code)]
            let __of_counter = match {
                let __of_first = __rt::Clone::clone(&__of_first);
                // The constant is the only check whether the type is an actor or a tree: if it is neither, the constant
                // fails, and the code that depends on it, below and in the handle's field, causes no error.
                let __options = {
                    let __options = <Counter as __rt::ChildIf<
                        { <Counter as __rt::IsAChild>::IS },
                    >>::options();
                    __options
                        .backoff(
                            __rt::Backoff::exponential(__rt::Duration::new(0, 100000000)..__rt::Duration::new(10, 0)),
                        )
                };
                __rt::Builder::child(
                    &__b,
                    "counter",
                    __options,
                    move || {
                        #[allow(unused_variables)]
                        let first = __of_first.clone_for_start();
                        async move {
                            let __it: <Counter as __rt::ChildIf<
                                { <Counter as __rt::IsAChild>::IS },
                            >>::Start = Counter(first);
                            __rt::Ok::<_, __rt::Thrown>(__it)
                        }
                    },
                )
            }
                .await
            {
                __rt::Ok(__handle) => __handle,
                __rt::Err(__error) => return __rt::Err(__error),
            };
            #[cfg(rust_analyzer)]
            let counter = __of_counter.clone_for_start();
            // A task: the same, and its future is boxed behind one type.
            #[allow(unreachable_code)]
            let __of_ticker = match {
                let __of_counter = __rt::Clone::clone(&__of_counter);
                __rt::Builder::child(
                    &__b,
                    "ticker",
                    { __rt::ChildOptions::<__rt::Task>::without_context() },
                    move || {
                        #[allow(unused_variables)]
                        let counter = __of_counter.clone_for_start();
                        async move {
                            let __it: __rt::TaskStart = __rt::future_of(async move {
                                #[allow(unreachable_code)]
                                __rt::TaskOutput::done(
                                    {
                                        #[allow(unused_imports)]
                                        use __rt::Polled as _;
                                        __rt::Poll(tick(counter)).polled()
                                    }
                                        .await,
                                )
                            });
                            __rt::Ok::<_, __rt::Thrown>(__it)
                        }
                    },
                )
            }
                .await
            {
                __rt::Ok(__handle) => __handle,
                __rt::Err(__error) => return __rt::Err(__error),
            };
            #[cfg(rust_analyzer)]
            let ticker = __of_ticker.clone_for_start();
            #[allow(unreachable_code)]
            __rt::Ok::<
                _,
                __rt::Thrown,
            >(Clock {
                counter: __of_counter.clone_for_start(),
                ticker: __of_ticker.clone_for_start(),
                tree: __of_tree,
            })
        }
    }
    // The declaration as a constant: it is drawn, checked across trees, and compared with the running tree.
    #[automatically_derived]
    impl __rt::TreeHandle for Clock {
        const SPEC: __rt::TreeSpec = __rt::TreeSpec {
            name: "Clock",
            doc: "A counter, and a task that makes it count.",
            strategy: __rt::Strategy::OneForOne,
            shutdown: __rt::DeclaredShutdown::Default,
            shutdown_order: __rt::ShutdownOrder::Reverse,
            settings: &["strategy(OneForOne, max_restarts = 10, within = 1min)"],
            at: ::core::panic::Location::caller(),
            module: ::core::module_path!(),
            version: ::core::option_env!("CARGO_PKG_VERSION"),
            children: &[
                __rt::ChildSpec {
                    name: "counter",
                    doc: "Counts the ticks.",
                    item: "Counter",
                    shape: __rt::Shape::One,
                    kind: <Counter as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::DeclaredLimit::AtMost {
                        restarts: 10u32,
                        within: ::core::option::Option::Some(__rt::Duration::new(60, 0)),
                        shared: false,
                        on_limit: __rt::OnLimit::Escalate,
                        outage: ::core::option::Option::Some(__rt::Outage::UsesUp {
                            least: __rt::Duration::new(42, 700000000),
                            most: ::core::option::Option::Some(
                                __rt::Duration::new(51, 240000000),
                            ),
                        }),
                    },
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &["backoff(100ms..10s)"],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Counter as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "ticker",
                    doc: "",
                    item: "task",
                    shape: __rt::Shape::One,
                    kind: __rt::ChildKind::Task,
                    lifecycle: __rt::Lifecycle::Transient,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, true),
                    shutdown: __rt::DeclaredShutdown::Is(
                        __rt::ShutdownTimeout::Within(__rt::Duration::new(0, 0)),
                    ),
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(::core::option::Option::None),
                    remote: ::core::option::Option::None,
                },
            ],
        };
    }
    // A tree can be the child of another one.
    #[automatically_derived]
    impl __rt::Child for Clock {
        type Handle = Clock;
        type Start = __rt::Tree<Clock>;
        const KIND: __rt::ChildKind = __rt::ChildKind::Tree;
        const TREE: ::core::option::Option<&'static __rt::TreeSpec> = ::core::option::Option::Some(
            &<Clock as __rt::TreeHandle>::SPEC,
        );
        fn launch<__F, __Fut>(
            __slot: __rt::ChildSlot,
            __options: __rt::ChildOptions<Self>,
            __start: __F,
        ) -> __rt::Launched<Clock>
        where
            __F: ::core::ops::FnMut() -> __Fut + ::core::marker::Send + 'static,
            __Fut: ::core::future::Future<
                    Output = ::core::result::Result<__rt::Tree<Clock>, __rt::Thrown>,
                > + ::core::marker::Send + 'static,
        {
            __rt::launch_tree(__slot, __options, __start)
        }
    }
};
// The handle: a field for each child. `tree` handles requests to the whole tree. The handle keeps nothing alive.
/// A counter, and a task that makes it count.
///
///```text
///Clock  OneForOne  strategy(OneForOne, max_restarts = 10, within = 1min)
///├── counter: Counter  Permanent  backoff(100ms..10s)  at most 10 restarts in 60s: Clock fails after 42.7s to 51.24s of outage
///└── ticker: task  Transient  at most 10 restarts in 60s: Clock fails after 5.12s of outage
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
pub struct Clock {
    // Readers and editors see the type as a user would write it, rustc sees the one that causes a single error.
    #[cfg(any(doc, rust_analyzer))]
    /// Counts the ticks.
    #[allow(dead_code)]
    pub counter: ::supervise::expansion::Handle<Counter>,
    #[cfg(not(any(doc, rust_analyzer)))]
    /// Counts the ticks.
    #[allow(dead_code)]
    pub counter: <Counter as ::supervise::expansion::ChildIf<
        { <Counter as ::supervise::expansion::IsAChild>::IS },
    >>::Handle,
    ///The child `ticker`.
    #[allow(dead_code)]
    pub ticker: ::supervise::expansion::TaskRef,
    #[doc(hidden)]
    tree: ::supervise::expansion::TreeRef,
}
// Written out and not derived: a derive would require the traits at places that the user did not write.
#[automatically_derived]
impl ::core::clone::Clone for Clock {
    fn clone(&self) -> Self {
        Clock {
            counter: ::core::clone::Clone::clone(&self.counter),
            ticker: ::core::clone::Clone::clone(&self.ticker),
            tree: ::core::clone::Clone::clone(&self.tree),
        }
    }
}
#[automatically_derived]
impl ::core::fmt::Debug for Clock {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.tree, f)
    }
}
// Makes the methods of every tree available on the handle: `shutdown()`, `snapshot()`, `events()`.
#[automatically_derived]
impl ::core::ops::Deref for Clock {
    type Target = ::supervise::expansion::TreeRef;
    fn deref(&self) -> &::supervise::expansion::TreeRef {
        &self.tree
    }
}
// The entry points. `start` and `run` are not `async fn`s, so that the caller's location is known when a guard is
// dropped.
impl Clock {
    /// The tree as it is declared.
    #[allow(dead_code)]
    pub const SPEC: ::supervise::expansion::TreeSpec = <Self as ::supervise::expansion::TreeHandle>::SPEC;
    ///`Clock` with these parameters, not yet started. Start it, or make it a child of another tree.
    #[must_use]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    pub fn tree(first: u64) -> ::supervise::expansion::Tree<Self> {
        ::supervise::expansion::tree((first,))
    }
    ///Starts `Clock`: its children in order, each awaited.
    ///
    ///# Errors
    ///
    ///The failure of the child that could not start. Children that were up are stopped again.
    #[track_caller]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    pub fn start(
        first: u64,
    ) -> ::supervise::expansion::BoxFuture<
        'static,
        ::core::result::Result<
            ::supervise::expansion::Running<Self>,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::start(Self::tree(first))
    }
    ///Starts `Clock`, waits until `until` has finished or the tree has ended by itself, and shuts the tree down.
    ///
    ///The report is an exit code for `main`.
    ///
    ///# Errors
    ///
    ///The failure of the child that could not start. Children that were up are stopped again.
    #[track_caller]
    #[allow(
        dead_code,
        clippy::impl_trait_in_params,
        clippy::too_many_arguments,
        clippy::type_complexity
    )]
    pub fn run<'__until>(
        first: u64,
        until: impl ::core::future::Future + ::core::marker::Send + '__until,
    ) -> ::supervise::expansion::BoxFuture<
        '__until,
        ::core::result::Result<
            ::supervise::expansion::Report,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::run(Self::tree(first), until)
    }
}
