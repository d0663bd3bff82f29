#[allow(unknown_lints)]
#[allow(
    closure_returning_async_block,
    unexpected_cfgs,
    unused_braces,
    unused_parens,
    unused_qualifications
)]
const _: () = {
    use ::supervise::expansion as __rt;
    #[cfg(any(rust_analyzer, not(rust_analyzer)))]
    impl __rt::TreeDef for Settings {
        type Params = (
            <u32 as __rt::Checked<
                {
                    <__rt::ATree as __rt::CanMove<u32>>::IS
                        & <__rt::ATree as __rt::CanKeep<u32>>::IS
                },
            >>::Type,
        );
        async fn build(
            (__of_most,): Self::Params,
            __b: __rt::Builder,
        ) -> ::core::result::Result<Self, __rt::Thrown> {
            use __rt::Keep as _;
            let __of_most = __of_most.keep_for_the_tree(&__b);
            #[cfg(rust_analyzer)]
            let most = __rt::Clone::clone(&__of_most);
            let __of_tree = __rt::Builder::tree_ref(&__b);
            #[cfg(rust_analyzer)]
            let tree = __rt::Clone::clone(&__of_tree);
            __rt::Builder::supervision(
                &__b,
                {
                    #[allow(unused_variables)]
                    let most = __of_most.clone_for_start();
                    __rt::SupervisorStrategy::new(__rt::Strategy::OneForOne)
                        .max_restarts(__rt::MaxRestarts::AtMost(most))
                        .within(__rt::Duration::new(600, 0))
                        .on_limit(__rt::OnLimit::Stop)
                        .decider(
                            __rt::Decider::with_arms(
                                move |
                                    __failure: &__rt::Failure,
                                    __arm: &mut ::core::primitive::usize,
                                | -> ::core::option::Option<__rt::Directive> {
                                    if let ::core::option::Option::Some(__it) = __rt::Failure::get::<
                                        DbError,
                                    >(__failure) {
                                        match __it {
                                            DbError::Timeout { ms } if *ms < 100 => {
                                                *__arm = 0usize;
                                                return ::core::option::Option::Some(
                                                    __rt::Directive::Resume,
                                                );
                                            }
                                            DbError::Timeout { .. } | DbError::Busy => {
                                                *__arm = 1usize;
                                                return ::core::option::Option::Some(
                                                    __rt::Directive::Restart,
                                                );
                                            }
                                            #[allow(unreachable_patterns)]
                                            _ => {}
                                        }
                                    }
                                    if let ::core::option::Option::Some(__it) = __rt::Failure::get::<
                                        io::Error,
                                    >(__failure) {
                                        match __it {
                                            e if e.kind() == io::ErrorKind::NotFound => {
                                                *__arm = 2usize;
                                                return ::core::option::Option::Some(__rt::Directive::Stop);
                                            }
                                            #[allow(unreachable_patterns)]
                                            _ => {}
                                        }
                                    }
                                    if let ::core::option::Option::Some(__it) = __rt::Failure::get::<
                                        Cause,
                                    >(__failure) {
                                        match __it {
                                            Cause::Killed => {
                                                *__arm = 3usize;
                                                return ::core::option::Option::Some(__rt::Directive::Stop);
                                            }
                                            #[allow(unreachable_patterns)]
                                            _ => {}
                                        }
                                    }
                                    if let ::core::option::Option::Some(__it) = __rt::Failure::get::<
                                        Phase,
                                    >(__failure) {
                                        match __it {
                                            Phase::Restart => {
                                                *__arm = 4usize;
                                                return ::core::option::Option::Some(
                                                    __rt::Directive::Escalate,
                                                );
                                            }
                                            #[allow(unreachable_patterns)]
                                            _ => {}
                                        }
                                    }
                                    {
                                        *__arm = 5usize;
                                        ::core::option::Option::Some(__rt::Directive::Restart)
                                    }
                                },
                                const {
                                    &[
                                        __rt::Arm::new(
                                            0usize,
                                            "DbError::Timeout { ms } if *ms < 100 => Resume",
                                        ),
                                        __rt::Arm::new(
                                            1usize,
                                            "DbError::Timeout { .. } | DbError::Busy => Restart",
                                        ),
                                        __rt::Arm::new(
                                            2usize,
                                            "e: io::Error if e.kind() == io::ErrorKind::NotFound => Stop",
                                        ),
                                        __rt::Arm::new(3usize, "Cause::Killed => Stop"),
                                        __rt::Arm::new(4usize, "Phase::Restart => Escalate"),
                                        __rt::Arm::new(5usize, "_ => Restart"),
                                    ]
                                },
                            ),
                        )
                },
            );
            {
                __rt::Builder::shutdown(
                    &__b,
                    { ::core::option::Option::Some(__rt::Duration::new(20, 0)) },
                    __rt::ShutdownOrder::Together,
                );
            }
            #[allow(unreachable_code)]
            let __of_db = match {
                let __options = {
                    let __options = <Db as __rt::ChildIf<
                        { <Db as __rt::IsAChild>::IS },
                    >>::options()
                        .lifecycle(__rt::Lifecycle::Permanent)
                        .shutdown(__rt::Duration::new(5, 0))
                        .start(__rt::Duration::new(3, 0));
                    let __options = __options.handler(__rt::Duration::new(30, 0));
                    let __options = __options.drain();
                    let __options = __options
                        .backoff(
                            __rt::Backoff::exponential(
                                    __rt::Duration::new(3, 0)..__rt::Duration::new(30, 0),
                                )
                                .factor(2)
                                .random_factor(0.2)
                                .reset(__rt::Duration::new(60, 0)),
                        );
                    let __options = __options
                        .limit(
                            __rt::RestartLimit::new()
                                .max_restarts(__rt::MaxRestarts::AtMost(3))
                                .within(__rt::Duration::new(3600, 0))
                                .on_limit(__rt::OnLimit::Escalate),
                        );
                    let __options = __options.pre_restart(Db::dump);
                    let __options = __options.post_restart(Db::reload);
                    let __options = __options.mailbox(__rt::Mailbox::Bounded(100));
                    let __options = __options.ask(__rt::Duration::new(0, 500000000));
                    let __options = __options.while_down(__rt::WhileDown::Reject);
                    let __options = __options.redeliver(3);
                    __options
                        .decider(
                            __rt::Decider::with_arms(
                                move |
                                    __failure: &__rt::Failure,
                                    __arm: &mut ::core::primitive::usize,
                                | -> ::core::option::Option<__rt::Directive> {
                                    if let ::core::option::Option::Some(__it) = __rt::Failure::get::<
                                        DbError,
                                    >(__failure) {
                                        match __it {
                                            DbError::Corrupt => {
                                                *__arm = 0usize;
                                                return ::core::option::Option::Some(__rt::Directive::Stop);
                                            }
                                            #[allow(unreachable_patterns)]
                                            _ => {}
                                        }
                                    }
                                    ::core::option::Option::None
                                },
                                const {
                                    &[__rt::Arm::new(0usize, "DbError::Corrupt => Stop")]
                                },
                            ),
                        )
                };
                __rt::Builder::child(
                    &__b,
                    "db",
                    __options,
                    move || {
                        async move {
                            let __it: <Db as __rt::ChildIf<
                                { <Db as __rt::IsAChild>::IS },
                            >>::Start = Db;
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
            let db = __of_db.clone_for_start();
            #[allow(unreachable_code)]
            let __of_listed = match {
                let __options = {
                    let __options = <Db as __rt::ChildIf<
                        { <Db as __rt::IsAChild>::IS },
                    >>::options();
                    __options
                        .backoff(
                            __rt::Backoff::steps([
                                    __rt::Duration::new(2, 0),
                                    __rt::Duration::new(5, 0),
                                    __rt::Duration::new(10, 0),
                                ])
                                .random_factor(0.2)
                                .reset(__rt::Duration::new(0, 0)),
                        )
                };
                __rt::Builder::child(
                    &__b,
                    "listed",
                    __options,
                    move || {
                        async move {
                            let __it: <Db as __rt::ChildIf<
                                { <Db as __rt::IsAChild>::IS },
                            >>::Start = Db;
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
            let listed = __of_listed.clone_for_start();
            #[allow(unreachable_code)]
            let __of_many = match {
                let __options = {
                    let __options = <Db as __rt::ChildIf<
                        { <Db as __rt::IsAChild>::IS },
                    >>::options();
                    let __options = __options
                        .backoff(
                            Backoff::slotted(__rt::Duration::new(0, 10000000))
                                .ceiling(10),
                        );
                    let __options = __options.max_children(5);
                    __options.max_starting(2)
                };
                let __initial = __rt::no_initial();
                __rt::Builder::set::<
                    _,
                    (),
                    _,
                    _,
                >(
                    &__b,
                    "many",
                    __options,
                    __initial,
                    move |__args: ()| {
                        let (): () = __args;
                        async move {
                            let __it: <Db as __rt::ChildIf<
                                { <Db as __rt::IsAChild>::IS },
                            >>::Start = Db;
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
            let many = __rt::Clone::clone(&__of_many);
            #[allow(unreachable_code)]
            let __of_server = match {
                let __options = {
                    let __options = __rt::ChildOptions::<__rt::Task>::new();
                    let __options = __options
                        .runtime(tokio::runtime::Handle::current())
                        .lifecycle(__rt::Lifecycle::Transient);
                    let __options = __options.ready();
                    let __options = __options.significant();
                    __options.best_effort().shutdown(__rt::ShutdownTimeout::Infinity)
                };
                __rt::Builder::child(
                    &__b,
                    "server",
                    __options,
                    move || {
                        async move {
                            let __it: __rt::TaskStart = __rt::task_of(move |
                                __cx: __rt::TaskContext|
                            async move {
                                #[allow(clippy::no_effect_underscore_binding)]
                                let cx = __cx;
                                #[allow(unreachable_code)]
                                __rt::TaskOutput::done(
                                    {
                                        #[allow(unused_imports)]
                                        use __rt::Polled as _;
                                        __rt::Poll(serve(cx)).polled()
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
            let server = __of_server.clone_for_start();
            #[allow(unreachable_code)]
            let __of_nightly = match {
                let __options = {
                    <Defaults as __rt::ChildIf<
                        { <Defaults as __rt::IsAChild>::IS },
                    >>::options()
                };
                let __options = __rt::of_subtree(__options);
                let __lease = { __rt::lease_of(lease()) };
                __rt::only(
                    &__b,
                    "nightly",
                    __options,
                    __lease,
                    move |()| {
                        async move {
                            let __it: <Defaults as __rt::ChildIf<
                                { <Defaults as __rt::IsAChild>::IS },
                            >>::Start = Defaults::tree(pace(), 5);
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
            let nightly = __rt::Clone::clone(&__of_nightly);
            #[allow(unreachable_code)]
            __rt::Ok::<
                _,
                __rt::Thrown,
            >(Settings {
                db: __of_db.clone_for_start(),
                listed: __of_listed.clone_for_start(),
                many: __of_many,
                server: __of_server.clone_for_start(),
                nightly: __of_nightly,
                tree: __of_tree,
            })
        }
    }
    #[automatically_derived]
    impl __rt::TreeHandle for Settings {
        const SPEC: __rt::TreeSpec = __rt::TreeSpec {
            name: "Settings",
            doc: "",
            strategy: __rt::Strategy::OneForOne,
            shutdown: __rt::DeclaredShutdown::Is(
                __rt::ShutdownTimeout::Within(__rt::Duration::new(20, 0)),
            ),
            shutdown_order: __rt::ShutdownOrder::Together,
            settings: &[
                "strategy(OneForOne, max_restarts = most, within = 10min, on_limit = Stop)",
                "shutdown(20s, Together)",
                "decider(DbError::Timeout { ms } if *ms < 100 => Resume, DbError::Timeout { .. } | DbError::Busy => Restart, e: io::Error if e.kind() == io::ErrorKind::NotFound => Stop, Cause::Killed => Stop, Phase::Restart => Escalate, _ => Restart)",
            ],
            at: ::core::panic::Location::caller(),
            module: ::core::module_path!(),
            version: ::core::option_env!("CARGO_PKG_VERSION"),
            children: &[
                __rt::ChildSpec {
                    name: "db",
                    doc: "",
                    item: "Db",
                    shape: __rt::Shape::One,
                    kind: <Db as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::DeclaredLimit::AtMost {
                        restarts: 3u32,
                        within: ::core::option::Option::Some(
                            __rt::Duration::new(3600, 0),
                        ),
                        shared: false,
                        on_limit: __rt::OnLimit::Escalate,
                        outage: ::core::option::Option::Some(__rt::Outage::UsesUp {
                            least: __rt::Duration::new(21, 0),
                            most: ::core::option::Option::Some(
                                __rt::Duration::new(25, 200000000),
                            ),
                        }),
                    },
                    shutdown: __rt::DeclaredShutdown::Is(
                        __rt::ShutdownTimeout::Within(__rt::Duration::new(5, 0)),
                    ),
                    settings: &[
                        "lifecycle(Permanent, shutdown = 5s, start = 3s, handler = 30s, drain)",
                        "backoff(3s..30s, factor = 2, random_factor = 0.2, reset = 1min)",
                        "limit(max_restarts = 3, within = 1h, on_limit = Escalate)",
                        "pre_restart(Db::dump)",
                        "post_restart(Db::reload)",
                        "mailbox(Bounded(100), ask = 500ms)",
                        "while_down(Reject)",
                        "redeliver(attempts = 3)",
                        "decider(DbError::Corrupt => Stop)",
                    ],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Db as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "listed",
                    doc: "",
                    item: "Db",
                    shape: __rt::Shape::One,
                    kind: <Db as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::DeclaredLimit::Computed,
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[
                        "backoff([2s, 5s, 10s], random_factor = 0.2, reset = 0s)",
                    ],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Db as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "many",
                    doc: "",
                    item: "Db",
                    shape: __rt::Shape::Set,
                    kind: <Db as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Transient,
                    limit: __rt::DeclaredLimit::Unlimited,
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[
                        "backoff(Backoff::slotted(10ms).ceiling(10))",
                        "max_children(5)",
                        "max_starting(2)",
                    ],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Instance(|| <Db as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "server",
                    doc: "",
                    item: "task",
                    shape: __rt::Shape::One,
                    kind: __rt::ChildKind::Task,
                    lifecycle: __rt::Lifecycle::Transient,
                    limit: __rt::DeclaredLimit::Computed,
                    shutdown: __rt::DeclaredShutdown::Is(
                        __rt::ShutdownTimeout::Infinity,
                    ),
                    settings: &[
                        "runtime(tokio::runtime::Handle::current())",
                        "lifecycle(Transient, ready, significant, best_effort, shutdown = Infinity)",
                    ],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(::core::option::Option::None),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "nightly",
                    doc: "",
                    item: "Defaults",
                    shape: __rt::Shape::Only,
                    kind: <Defaults as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Stop, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &["only_with(lease())"],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Instance(|| <Defaults as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
            ],
        };
    }
    const _: () = __rt::shutdown_suffices(<Db as __rt::IsAChild>::TREE, 5, 0);
    #[automatically_derived]
    impl __rt::Child for Settings {
        type Handle = Settings;
        type Start = __rt::Tree<Settings>;
        const KIND: __rt::ChildKind = __rt::ChildKind::Tree;
        const TREE: ::core::option::Option<&'static __rt::TreeSpec> = ::core::option::Option::Some(
            &<Settings as __rt::TreeHandle>::SPEC,
        );
        fn launch<__F, __Fut>(
            __slot: __rt::ChildSlot,
            __options: __rt::ChildOptions<Self>,
            __start: __F,
        ) -> __rt::Launched<Settings>
        where
            __F: ::core::ops::FnMut() -> __Fut + ::core::marker::Send + 'static,
            __Fut: ::core::future::Future<
                    Output = ::core::result::Result<__rt::Tree<Settings>, __rt::Thrown>,
                > + ::core::marker::Send + 'static,
        {
            __rt::launch_tree(__slot, __options, __start)
        }
    }
};
///
///```text
///Settings  OneForOne  strategy(OneForOne, max_restarts = most, within = 10min, on_limit = Stop)  shutdown(20s, Together)  decider(..)
///├── db: Db  Permanent  lifecycle(Permanent, shutdown = 5s, start = 3s, handler = 30s, drain)  backoff(3s..30s, factor = 2, random_factor = 0.2, reset = 1min)  limit(max_restarts = 3, within = 1h, on_limit = Escalate)  pre_restart(Db::dump)  post_restart(Db::reload)  mailbox(Bounded(100), ask = 500ms)  while_down(Reject)  redeliver(attempts = 3)  decider(..)  at most 3 restarts in 3600s: Settings fails after 21s to 25.2s of outage
///├── listed: Db  Permanent  backoff([2s, 5s, 10s], random_factor = 0.2, reset = 0s)  a restart limit that the start computes
///├── many: [Db]  Transient  backoff(Backoff::slotted(10ms).ceiling(10))  max_children(5)  max_starting(2)  no restart limit
///├── server: task  Transient  runtime(tokio::runtime::Handle::current())  lifecycle(Transient, ready, significant, best_effort, shutdown = Infinity)  a restart limit that the start computes
///└── nightly: Defaults  Permanent  only_with(lease())  at most 10 restarts in 60s: it ends after 5.11s of outage
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
struct Settings {
    #[cfg(any(doc, rust_analyzer))]
    ///The child `db`.
    #[allow(dead_code)]
    db: ::supervise::expansion::Handle<Db>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `db`.
    #[allow(dead_code)]
    db: <Db as ::supervise::expansion::ChildIf<
        { <Db as ::supervise::expansion::IsAChild>::IS },
    >>::Handle,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `listed`.
    #[allow(dead_code)]
    listed: ::supervise::expansion::Handle<Db>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `listed`.
    #[allow(dead_code)]
    listed: <Db as ::supervise::expansion::ChildIf<
        { <Db as ::supervise::expansion::IsAChild>::IS },
    >>::Handle,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `many`.
    #[allow(dead_code)]
    many: ::supervise::expansion::Children<Db, ()>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `many`.
    #[allow(dead_code)]
    many: <Db as ::supervise::expansion::ChildIf<
        { <Db as ::supervise::expansion::IsAChild>::IS },
    >>::Set<()>,
    ///The child `server`.
    #[allow(dead_code)]
    server: ::supervise::expansion::TaskRef,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `nightly`.
    #[allow(dead_code)]
    nightly: ::supervise::expansion::Leased<Defaults>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `nightly`.
    #[allow(dead_code)]
    nightly: <Defaults as ::supervise::expansion::LeasedIf<
        { <Defaults as ::supervise::expansion::IsAChild>::IS },
    >>::Leased,
    #[doc(hidden)]
    tree: ::supervise::expansion::TreeRef,
}
#[automatically_derived]
impl ::core::clone::Clone for Settings {
    fn clone(&self) -> Self {
        Settings {
            db: ::core::clone::Clone::clone(&self.db),
            listed: ::core::clone::Clone::clone(&self.listed),
            many: ::core::clone::Clone::clone(&self.many),
            server: ::core::clone::Clone::clone(&self.server),
            nightly: ::core::clone::Clone::clone(&self.nightly),
            tree: ::core::clone::Clone::clone(&self.tree),
        }
    }
}
#[automatically_derived]
impl ::core::fmt::Debug for Settings {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.tree, f)
    }
}
#[automatically_derived]
impl ::core::ops::Deref for Settings {
    type Target = ::supervise::expansion::TreeRef;
    fn deref(&self) -> &::supervise::expansion::TreeRef {
        &self.tree
    }
}
impl Settings {
    /// The tree as it is declared.
    #[allow(dead_code)]
    const SPEC: ::supervise::expansion::TreeSpec = <Self as ::supervise::expansion::TreeHandle>::SPEC;
    ///`Settings` with these parameters, not yet started. Start it, or make it a child of another tree.
    #[must_use]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn tree(most: u32) -> ::supervise::expansion::Tree<Self> {
        ::supervise::expansion::tree((most,))
    }
    ///Starts `Settings`: its children in order, each awaited.
    ///
    ///# Errors
    ///
    ///The failure of the child that could not start. Children that were up are stopped again.
    #[track_caller]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn start(
        most: u32,
    ) -> ::supervise::expansion::BoxFuture<
        'static,
        ::core::result::Result<
            ::supervise::expansion::Running<Self>,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::start(Self::tree(most))
    }
    ///Starts `Settings`, waits until `until` has finished or the tree has ended by itself, and shuts the tree down.
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
    fn run<'__until>(
        most: u32,
        until: impl ::core::future::Future + ::core::marker::Send + '__until,
    ) -> ::supervise::expansion::BoxFuture<
        '__until,
        ::core::result::Result<
            ::supervise::expansion::Report,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::run(Self::tree(most), until)
    }
}
#[allow(unknown_lints)]
#[allow(
    closure_returning_async_block,
    unexpected_cfgs,
    unused_braces,
    unused_parens,
    unused_qualifications
)]
const _: () = {
    use ::supervise::expansion as __rt;
    #[cfg(any(rust_analyzer, not(rust_analyzer)))]
    impl __rt::TreeDef for Defaults {
        type Params = (
            <Backoff as __rt::Checked<
                {
                    <__rt::ATree as __rt::CanMove<Backoff>>::IS
                        & <__rt::ATree as __rt::CanKeep<Backoff>>::IS
                },
            >>::Type,
            <usize as __rt::Checked<
                {
                    <__rt::ATree as __rt::CanMove<usize>>::IS
                        & <__rt::ATree as __rt::CanKeep<usize>>::IS
                },
            >>::Type,
        );
        async fn build(
            (__of_pace, __of_room): Self::Params,
            __b: __rt::Builder,
        ) -> ::core::result::Result<Self, __rt::Thrown> {
            use __rt::Keep as _;
            let __of_pace = __of_pace.keep_for_the_tree(&__b);
            let __of_room = __of_room.keep_for_the_tree(&__b);
            #[cfg(rust_analyzer)]
            let pace = __rt::Clone::clone(&__of_pace);
            #[cfg(rust_analyzer)]
            let room = __rt::Clone::clone(&__of_room);
            let __of_tree = __rt::Builder::tree_ref(&__b);
            #[cfg(rust_analyzer)]
            let tree = __rt::Clone::clone(&__of_tree);
            __rt::Builder::supervision(
                &__b,
                {
                    #[allow(unused_variables)]
                    let pace = __of_pace.clone_for_start();
                    #[allow(unused_variables)]
                    let room = __of_room.clone_for_start();
                    __rt::SupervisorStrategy::new(__rt::Strategy::OneForOne)
                },
            );
            #[allow(unused_variables)]
            let __default_shutdown: __rt::ShutdownTimeout = {
                ::core::convert::Into::into(__rt::Duration::new(2, 0))
            };
            #[allow(unused_variables)]
            let __default_start: __rt::Duration = { __rt::Duration::new(3, 0) };
            #[allow(unused_variables)]
            let __default_backoff: __rt::Backoff = {
                #[allow(unused_variables)]
                let pace = __of_pace.clone_for_start();
                pace
            };
            #[allow(unused_variables)]
            let __default_mailbox: __rt::Mailbox = {
                #[allow(unused_variables)]
                let room = __of_room.clone_for_start();
                __rt::Mailbox::Bounded(room)
            };
            #[allow(unused_variables)]
            let __default_ask: __rt::Duration = {
                #[allow(unused_variables)]
                let room = __of_room.clone_for_start();
                __rt::Duration::new(1, 0)
            };
            #[allow(unreachable_code)]
            let __of_db = match {
                __rt::Builder::child(
                    &__b,
                    "db",
                    {
                        let __options = <Db as __rt::ChildIf<
                            { <Db as __rt::IsAChild>::IS },
                        >>::options()
                            .lifecycle(__rt::Lifecycle::Transient);
                        let __options = __options
                            .or_shutdown(__rt::Clone::clone(&__default_shutdown));
                        let __options = __options
                            .start(__rt::Clone::clone(&__default_start));
                        let __options = __options
                            .pace(__rt::Clone::clone(&__default_backoff));
                        let __options = __options
                            .or_mailbox(__rt::Clone::clone(&__default_mailbox));
                        __options.or_ask(__rt::Clone::clone(&__default_ask))
                    },
                    move || {
                        async move {
                            let __it: <Db as __rt::ChildIf<
                                { <Db as __rt::IsAChild>::IS },
                            >>::Start = Db;
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
            let db = __of_db.clone_for_start();
            #[allow(unreachable_code)]
            let __of_once = match {
                let __options = {
                    let __options = __rt::ChildOptions::<__rt::Task>::new()
                        .lifecycle(__rt::Lifecycle::Temporary);
                    __options.or_shutdown(__rt::Clone::clone(&__default_shutdown))
                };
                let __initial = __rt::no_initial();
                __rt::Builder::set_once::<
                    _,
                    (
                        <u32 as __rt::Checked<
                            { <__rt::ATree as __rt::CanMoveIntoInstances<u32>>::IS },
                        >>::Type,
                    ),
                    _,
                    _,
                >(
                    &__b,
                    "once",
                    __options,
                    __initial,
                    move |
                        __args: (
                            <u32 as __rt::Checked<
                                { <__rt::ATree as __rt::CanMoveIntoInstances<u32>>::IS },
                            >>::Type,
                        )|
                    {
                        let (
                            n,
                        ): (
                            <u32 as __rt::Checked<
                                { <__rt::ATree as __rt::CanMoveIntoInstances<u32>>::IS },
                            >>::Type,
                        ) = __args;
                        async move {
                            let __it: __rt::TaskStart = __rt::task_of(move |
                                __cx: __rt::TaskContext|
                            async move {
                                #[allow(clippy::no_effect_underscore_binding)]
                                let cx = __cx;
                                #[allow(unreachable_code)]
                                __rt::TaskOutput::done(
                                    {
                                        #[allow(unused_imports)]
                                        use __rt::Polled as _;
                                        __rt::Poll(serve(cx, n)).polled()
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
            let once = __rt::Clone::clone(&__of_once);
            #[allow(unreachable_code)]
            __rt::Ok::<
                _,
                __rt::Thrown,
            >(Defaults {
                db: __of_db.clone_for_start(),
                once: __of_once,
                tree: __of_tree,
            })
        }
    }
    #[automatically_derived]
    impl __rt::TreeHandle for Defaults {
        const SPEC: __rt::TreeSpec = __rt::TreeSpec {
            name: "Defaults",
            doc: "",
            strategy: __rt::Strategy::OneForOne,
            shutdown: __rt::DeclaredShutdown::Default,
            shutdown_order: __rt::ShutdownOrder::Reverse,
            settings: &[
                "lifecycle(Transient, shutdown = 2s, start = 3s)",
                "backoff(pace)",
                "mailbox(Bounded(room), ask = 1s)",
            ],
            at: ::core::panic::Location::caller(),
            module: ::core::module_path!(),
            version: ::core::option_env!("CARGO_PKG_VERSION"),
            children: &[
                __rt::ChildSpec {
                    name: "db",
                    doc: "",
                    item: "Db",
                    shape: __rt::Shape::One,
                    kind: <Db as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Transient,
                    limit: __rt::DeclaredLimit::AtMost {
                        restarts: 10u32,
                        within: ::core::option::Option::Some(__rt::Duration::new(60, 0)),
                        shared: false,
                        on_limit: __rt::OnLimit::Escalate,
                        outage: ::core::option::Option::None,
                    },
                    shutdown: __rt::default_shutdown(
                        <Db as __rt::IsAChild>::KIND,
                        __rt::DeclaredShutdown::Is(
                            __rt::ShutdownTimeout::Within(__rt::Duration::new(2, 0)),
                        ),
                    ),
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Db as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "once",
                    doc: "",
                    item: "task",
                    shape: __rt::Shape::Set,
                    kind: __rt::ChildKind::Task,
                    lifecycle: __rt::Lifecycle::Temporary,
                    limit: __rt::DeclaredLimit::Never,
                    shutdown: __rt::default_shutdown(
                        __rt::ChildKind::Task,
                        __rt::DeclaredShutdown::Is(
                            __rt::ShutdownTimeout::Within(__rt::Duration::new(2, 0)),
                        ),
                    ),
                    settings: &["lifecycle(Temporary)"],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(::core::option::Option::None),
                    remote: ::core::option::Option::None,
                },
            ],
        };
    }
    #[automatically_derived]
    impl __rt::Child for Defaults {
        type Handle = Defaults;
        type Start = __rt::Tree<Defaults>;
        const KIND: __rt::ChildKind = __rt::ChildKind::Tree;
        const TREE: ::core::option::Option<&'static __rt::TreeSpec> = ::core::option::Option::Some(
            &<Defaults as __rt::TreeHandle>::SPEC,
        );
        fn launch<__F, __Fut>(
            __slot: __rt::ChildSlot,
            __options: __rt::ChildOptions<Self>,
            __start: __F,
        ) -> __rt::Launched<Defaults>
        where
            __F: ::core::ops::FnMut() -> __Fut + ::core::marker::Send + 'static,
            __Fut: ::core::future::Future<
                    Output = ::core::result::Result<__rt::Tree<Defaults>, __rt::Thrown>,
                > + ::core::marker::Send + 'static,
        {
            __rt::launch_tree(__slot, __options, __start)
        }
    }
};
///
///```text
///Defaults  OneForOne  lifecycle(Transient, shutdown = 2s, start = 3s)  backoff(pace)  mailbox(Bounded(room), ask = 1s)
///├── db: Db  Transient  at most 10 restarts in 60s: then Defaults fails
///└── once: [task]  Temporary  lifecycle(Temporary)
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
struct Defaults {
    #[cfg(any(doc, rust_analyzer))]
    ///The child `db`.
    #[allow(dead_code)]
    db: ::supervise::expansion::Handle<Db>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `db`.
    #[allow(dead_code)]
    db: <Db as ::supervise::expansion::ChildIf<
        { <Db as ::supervise::expansion::IsAChild>::IS },
    >>::Handle,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `once`.
    #[allow(dead_code)]
    once: ::supervise::expansion::Children<::supervise::expansion::Task, (u32,)>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `once`.
    #[allow(dead_code)]
    once: ::supervise::expansion::Children<
        ::supervise::expansion::Task,
        (
            <u32 as ::supervise::expansion::Checked<
                {
                    <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanMoveIntoInstances<
                        u32,
                    >>::IS
                },
            >>::Type,
        ),
    >,
    #[doc(hidden)]
    tree: ::supervise::expansion::TreeRef,
}
#[automatically_derived]
impl ::core::clone::Clone for Defaults {
    fn clone(&self) -> Self {
        Defaults {
            db: ::core::clone::Clone::clone(&self.db),
            once: ::core::clone::Clone::clone(&self.once),
            tree: ::core::clone::Clone::clone(&self.tree),
        }
    }
}
#[automatically_derived]
impl ::core::fmt::Debug for Defaults {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.tree, f)
    }
}
#[automatically_derived]
impl ::core::ops::Deref for Defaults {
    type Target = ::supervise::expansion::TreeRef;
    fn deref(&self) -> &::supervise::expansion::TreeRef {
        &self.tree
    }
}
impl Defaults {
    /// The tree as it is declared.
    #[allow(dead_code)]
    const SPEC: ::supervise::expansion::TreeSpec = <Self as ::supervise::expansion::TreeHandle>::SPEC;
    ///`Defaults` with these parameters, not yet started. Start it, or make it a child of another tree.
    #[must_use]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn tree(pace: Backoff, room: usize) -> ::supervise::expansion::Tree<Self> {
        ::supervise::expansion::tree((pace, room))
    }
    ///Starts `Defaults`: its children in order, each awaited.
    ///
    ///# Errors
    ///
    ///The failure of the child that could not start. Children that were up are stopped again.
    #[track_caller]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn start(
        pace: Backoff,
        room: usize,
    ) -> ::supervise::expansion::BoxFuture<
        'static,
        ::core::result::Result<
            ::supervise::expansion::Running<Self>,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::start(Self::tree(pace, room))
    }
    ///Starts `Defaults`, waits until `until` has finished or the tree has ended by itself, and shuts the tree down.
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
    fn run<'__until>(
        pace: Backoff,
        room: usize,
        until: impl ::core::future::Future + ::core::marker::Send + '__until,
    ) -> ::supervise::expansion::BoxFuture<
        '__until,
        ::core::result::Result<
            ::supervise::expansion::Report,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::run(Self::tree(pace, room), until)
    }
}
