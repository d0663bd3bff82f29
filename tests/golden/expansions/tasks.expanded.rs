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
    impl __rt::TreeDef for Tasks {
        type Params = (
            <Duration as __rt::Checked<
                {
                    <__rt::ATree as __rt::CanMove<Duration>>::IS
                        & <__rt::ATree as __rt::CanKeep<Duration>>::IS
                },
            >>::Type,
        );
        async fn build(
            (__of_every,): Self::Params,
            __b: __rt::Builder,
        ) -> ::core::result::Result<Self, __rt::Thrown> {
            use __rt::Keep as _;
            let __of_every = __of_every.keep_for_the_tree(&__b);
            #[cfg(rust_analyzer)]
            let every = __rt::Clone::clone(&__of_every);
            let __of_tree = __rt::Builder::tree_ref(&__b);
            #[cfg(rust_analyzer)]
            let tree = __rt::Clone::clone(&__of_tree);
            __rt::Builder::supervision(
                &__b,
                { __rt::SupervisorStrategy::new(__rt::Strategy::OneForOne) },
            );
            #[allow(unreachable_code)]
            let __of_plain = match {
                let __of_every = __rt::Clone::clone(&__of_every);
                __rt::Builder::child(
                    &__b,
                    "plain",
                    { __rt::ChildOptions::<__rt::Task>::without_context() },
                    move || {
                        #[allow(unused_variables)]
                        let every = __of_every.clone_for_start();
                        async move {
                            let __it: __rt::TaskStart = __rt::future_of(async move {
                                #[allow(unreachable_code)]
                                __rt::TaskOutput::done(
                                    {
                                        #[allow(unused_imports)]
                                        use __rt::Polled as _;
                                        __rt::Poll(poll(every)).polled()
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
            let plain = __of_plain.clone_for_start();
            #[allow(unreachable_code)]
            let __of_told = match {
                __rt::Builder::child(
                    &__b,
                    "told",
                    { __rt::ChildOptions::<__rt::Task>::new() },
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
            let told = __of_told.clone_for_start();
            #[allow(unreachable_code)]
            let __of_maybe = match {
                let __of_every = __rt::Clone::clone(&__of_every);
                let __options = { __rt::ChildOptions::<__rt::Task>::new() };
                __rt::Builder::optional(
                    &__b,
                    "maybe",
                    __options,
                    move || {
                        #[allow(unused_variables)]
                        let every = __of_every.clone_for_start();
                        async move {
                            let __it: ::core::option::Option<__rt::TaskStart> = __rt::optional_task(
                                Some(poll(every)),
                            );
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
            let maybe = __rt::Clone::clone(&__of_maybe);
            #[allow(unreachable_code)]
            let __of_row = match {
                let __options = { __rt::ChildOptions::<__rt::Task>::new() };
                __rt::Builder::array::<
                    _,
                    { 2 },
                    _,
                    _,
                >(
                    &__b,
                    "row",
                    __options,
                    move |__i: ::core::primitive::usize| {
                        #[allow(clippy::no_effect_underscore_binding)]
                        let i: usize = __i;
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
                                        __rt::Poll(serve(cx, i)).polled()
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
            let row = __rt::Clone::clone(&__of_row);
            #[allow(unreachable_code)]
            let __of_any = match {
                let __options = { __rt::ChildOptions::<__rt::Task>::without_context() };
                let __initial = __rt::no_initial();
                __rt::Builder::set::<
                    _,
                    (
                        <u32 as __rt::Checked<
                            {
                                <__rt::ATree as __rt::CanMove<u32>>::IS
                                    & <__rt::ATree as __rt::CanKeepForInstances<u32>>::IS
                            },
                        >>::Type,
                    ),
                    _,
                    _,
                >(
                    &__b,
                    "any",
                    __options,
                    __initial,
                    move |
                        __args: (
                            <u32 as __rt::Checked<
                                {
                                    <__rt::ATree as __rt::CanMove<u32>>::IS
                                        & <__rt::ATree as __rt::CanKeepForInstances<u32>>::IS
                                },
                            >>::Type,
                        )|
                    {
                        let (
                            n,
                        ): (
                            <u32 as __rt::Checked<
                                {
                                    <__rt::ATree as __rt::CanMove<u32>>::IS
                                        & <__rt::ATree as __rt::CanKeepForInstances<u32>>::IS
                                },
                            >>::Type,
                        ) = __args;
                        async move {
                            let __it: __rt::TaskStart = __rt::future_of(async move {
                                #[allow(unreachable_code)]
                                __rt::TaskOutput::done(
                                    {
                                        #[allow(unused_imports)]
                                        use __rt::Polled as _;
                                        __rt::Poll(poll(n)).polled()
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
            let any = __rt::Clone::clone(&__of_any);
            #[allow(unreachable_code)]
            let __of_keyed = match {
                let __options = { __rt::ChildOptions::<__rt::Task>::new() };
                let __initial = __rt::no_initial();
                __rt::Builder::keyed::<
                    <String as __rt::Checked<
                        { <__rt::ATree as __rt::CanBeAKey<String>>::IS },
                    >>::Type,
                    _,
                    (),
                    _,
                    _,
                >(
                    &__b,
                    "keyed",
                    __options,
                    __initial,
                    move |
                        __args: (
                            <String as __rt::Checked<
                                { <__rt::ATree as __rt::CanBeAKey<String>>::IS },
                            >>::Type,
                            (),
                        )|
                    {
                        let (
                            __key,
                            (),
                        ): (
                            <String as __rt::Checked<
                                { <__rt::ATree as __rt::CanBeAKey<String>>::IS },
                            >>::Type,
                            (),
                        ) = __args;
                        #[allow(clippy::no_effect_underscore_binding)]
                        let name: String = __key;
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
                                        __rt::Poll(serve(cx, name)).polled()
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
            let keyed = __rt::Clone::clone(&__of_keyed);
            #[allow(unreachable_code)]
            __rt::Ok::<
                _,
                __rt::Thrown,
            >(Tasks {
                plain: __of_plain.clone_for_start(),
                told: __of_told.clone_for_start(),
                maybe: __of_maybe,
                row: __of_row,
                any: __of_any,
                keyed: __of_keyed,
                tree: __of_tree,
            })
        }
    }
    #[automatically_derived]
    impl __rt::TreeHandle for Tasks {
        const SPEC: __rt::TreeSpec = __rt::TreeSpec {
            name: "Tasks",
            doc: "",
            strategy: __rt::Strategy::OneForOne,
            shutdown: __rt::DeclaredShutdown::Default,
            shutdown_order: __rt::ShutdownOrder::Reverse,
            settings: &[],
            at: ::core::panic::Location::caller(),
            module: ::core::module_path!(),
            version: ::core::option_env!("CARGO_PKG_VERSION"),
            children: &[
                __rt::ChildSpec {
                    name: "plain",
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
                __rt::ChildSpec {
                    name: "told",
                    doc: "",
                    item: "task",
                    shape: __rt::Shape::One,
                    kind: __rt::ChildKind::Task,
                    lifecycle: __rt::Lifecycle::Transient,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, true),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(::core::option::Option::None),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "maybe",
                    doc: "",
                    item: "task",
                    shape: __rt::Shape::Optional,
                    kind: __rt::ChildKind::Task,
                    lifecycle: __rt::Lifecycle::Transient,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, true),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(::core::option::Option::None),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "row",
                    doc: "",
                    item: "task",
                    shape: __rt::Shape::Array(__rt::number::<{ 2 }>()),
                    kind: __rt::ChildKind::Task,
                    lifecycle: __rt::Lifecycle::Transient,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, true),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(::core::option::Option::None),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "any",
                    doc: "",
                    item: "task",
                    shape: __rt::Shape::Set,
                    kind: __rt::ChildKind::Task,
                    lifecycle: __rt::Lifecycle::Transient,
                    limit: __rt::default_limit(__rt::OnLimit::Stop, false, true),
                    shutdown: __rt::DeclaredShutdown::Is(
                        __rt::ShutdownTimeout::Within(__rt::Duration::new(0, 0)),
                    ),
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(::core::option::Option::None),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "keyed",
                    doc: "",
                    item: "task",
                    shape: __rt::Shape::Keyed("String"),
                    kind: __rt::ChildKind::Task,
                    lifecycle: __rt::Lifecycle::Transient,
                    limit: __rt::default_limit(__rt::OnLimit::Stop, false, true),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(::core::option::Option::None),
                    remote: ::core::option::Option::None,
                },
            ],
        };
    }
    #[automatically_derived]
    impl __rt::Child for Tasks {
        type Handle = Tasks;
        type Start = __rt::Tree<Tasks>;
        const KIND: __rt::ChildKind = __rt::ChildKind::Tree;
        const TREE: ::core::option::Option<&'static __rt::TreeSpec> = ::core::option::Option::Some(
            &<Tasks as __rt::TreeHandle>::SPEC,
        );
        fn launch<__F, __Fut>(
            __slot: __rt::ChildSlot,
            __options: __rt::ChildOptions<Self>,
            __start: __F,
        ) -> __rt::Launched<Tasks>
        where
            __F: ::core::ops::FnMut() -> __Fut + ::core::marker::Send + 'static,
            __Fut: ::core::future::Future<
                    Output = ::core::result::Result<__rt::Tree<Tasks>, __rt::Thrown>,
                > + ::core::marker::Send + 'static,
        {
            __rt::launch_tree(__slot, __options, __start)
        }
    }
};
///
///```text
///Tasks  OneForOne
///├── plain: task  Transient  at most 10 restarts in 60s: Tasks fails after 5.12s of outage
///├── told: task  Transient  at most 10 restarts in 60s: Tasks fails after 5.12s of outage
///├── maybe: Option<task>  Transient  at most 10 restarts in 60s: Tasks fails after 5.12s of outage
///├── row: [task; 2]  Transient  at most 10 restarts in 60s: Tasks fails after 5.12s of outage
///├── any: [task]  Transient  at most 10 restarts in 60s: it ends after 5.12s of outage
///└── keyed: [String => task]  Transient  at most 10 restarts in 60s: it ends after 5.12s of outage
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
struct Tasks {
    ///The child `plain`.
    #[allow(dead_code)]
    plain: ::supervise::expansion::TaskRef,
    ///The child `told`.
    #[allow(dead_code)]
    told: ::supervise::expansion::TaskRef,
    ///The child `maybe`.
    #[allow(dead_code)]
    maybe: ::core::option::Option<::supervise::expansion::TaskRef>,
    ///The child `row`.
    #[allow(dead_code)]
    row: ::supervise::expansion::Handles<::supervise::expansion::TaskRef, { 2 }>,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `any`.
    #[allow(dead_code)]
    any: ::supervise::expansion::Children<::supervise::expansion::Task, (u32,)>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `any`.
    #[allow(dead_code)]
    any: ::supervise::expansion::Children<
        ::supervise::expansion::Task,
        (
            <u32 as ::supervise::expansion::Checked<
                {
                    <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanMove<
                        u32,
                    >>::IS
                        & <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanKeepForInstances<
                            u32,
                        >>::IS
                },
            >>::Type,
        ),
    >,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `keyed`.
    #[allow(dead_code)]
    keyed: ::supervise::expansion::Keyed<String, ::supervise::expansion::Task, ()>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `keyed`.
    #[allow(dead_code)]
    keyed: ::supervise::expansion::Keyed<
        <String as ::supervise::expansion::Checked<
            {
                <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanBeAKey<
                    String,
                >>::IS
            },
        >>::Type,
        ::supervise::expansion::Task,
        (),
    >,
    #[doc(hidden)]
    tree: ::supervise::expansion::TreeRef,
}
#[automatically_derived]
impl ::core::clone::Clone for Tasks {
    fn clone(&self) -> Self {
        Tasks {
            plain: ::core::clone::Clone::clone(&self.plain),
            told: ::core::clone::Clone::clone(&self.told),
            maybe: ::core::clone::Clone::clone(&self.maybe),
            row: ::core::clone::Clone::clone(&self.row),
            any: ::core::clone::Clone::clone(&self.any),
            keyed: ::core::clone::Clone::clone(&self.keyed),
            tree: ::core::clone::Clone::clone(&self.tree),
        }
    }
}
#[automatically_derived]
impl ::core::fmt::Debug for Tasks {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.tree, f)
    }
}
#[automatically_derived]
impl ::core::ops::Deref for Tasks {
    type Target = ::supervise::expansion::TreeRef;
    fn deref(&self) -> &::supervise::expansion::TreeRef {
        &self.tree
    }
}
impl Tasks {
    /// The tree as it is declared.
    #[allow(dead_code)]
    const SPEC: ::supervise::expansion::TreeSpec = <Self as ::supervise::expansion::TreeHandle>::SPEC;
    ///`Tasks` with these parameters, not yet started. Start it, or make it a child of another tree.
    #[must_use]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn tree(every: Duration) -> ::supervise::expansion::Tree<Self> {
        ::supervise::expansion::tree((every,))
    }
    ///Starts `Tasks`: its children in order, each awaited.
    ///
    ///# Errors
    ///
    ///The failure of the child that could not start. Children that were up are stopped again.
    #[track_caller]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn start(
        every: Duration,
    ) -> ::supervise::expansion::BoxFuture<
        'static,
        ::core::result::Result<
            ::supervise::expansion::Running<Self>,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::start(Self::tree(every))
    }
    ///Starts `Tasks`, waits until `until` has finished or the tree has ended by itself, and shuts the tree down.
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
        every: Duration,
        until: impl ::core::future::Future + ::core::marker::Send + '__until,
    ) -> ::supervise::expansion::BoxFuture<
        '__until,
        ::core::result::Result<
            ::supervise::expansion::Report,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::run(Self::tree(every), until)
    }
}
