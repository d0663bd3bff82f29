#[cfg(unix)]
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
    impl __rt::TreeDef for Names {
        type Params = (
            <u32 as __rt::Checked<
                {
                    <__rt::ATree as __rt::CanMove<u32>>::IS
                        & <__rt::ATree as __rt::CanKeep<u32>>::IS
                },
            >>::Type,
            <Config as __rt::Checked<
                {
                    <__rt::ATree as __rt::CanMove<Config>>::IS
                        & <__rt::ATree as __rt::CanKeep<Config>>::IS
                },
            >>::Type,
        );
        async fn build(
            (__of_type, __of_config): Self::Params,
            __b: __rt::Builder,
        ) -> ::core::result::Result<Self, __rt::Thrown> {
            use __rt::Keep as _;
            let __of_type = __of_type.keep_for_the_tree(&__b);
            let __of_config = __of_config.keep_for_the_tree(&__b);
            #[cfg(rust_analyzer)]
            let r#type = __rt::Clone::clone(&__of_type);
            #[cfg(rust_analyzer)]
            let config = __rt::Clone::clone(&__of_config);
            let __of_tree = __rt::Builder::tree_ref(&__b);
            #[cfg(rust_analyzer)]
            let tree = __rt::Clone::clone(&__of_tree);
            __rt::Builder::supervision(
                &__b,
                { __rt::SupervisorStrategy::new(__rt::Strategy::OneForOne) },
            );
            #[allow(unused_variables)]
            let (__of_a, __of_b) = {
                #[allow(unused_variables)]
                let config = __of_config.clone_for_start();
                __rt::Builder::at_let(&__b, "a");
                let (a, b) = split(config);
                (__rt::Builder::keep(&__b, a), __rt::Builder::keep(&__b, b))
            };
            #[cfg(rust_analyzer)]
            let a = __rt::Clone::clone(&__of_a);
            #[cfg(rust_analyzer)]
            let b = __rt::Clone::clone(&__of_b);
            #[cfg(unix)]
            #[allow(unused_variables)]
            let (__of_match,) = {
                #[allow(unused_variables)]
                let a = __of_a.clone_for_start();
                __rt::Builder::at_let(&__b, "match");
                let r#match: <u32 as __rt::Checked<
                    { <__rt::ATree as __rt::CanReturn<u32>>::IS },
                >>::Type = a.len();
                (__rt::Builder::keep(&__b, r#match),)
            };
            #[cfg(unix)]
            #[cfg(rust_analyzer)]
            let r#match = __rt::Clone::clone(&__of_match);
            #[cfg(windows)]
            #[allow(unused_variables)]
            let (__of_c,) = {
                #[allow(unused_variables)]
                let a = __of_a.clone_for_start();
                let c = a;
                (__rt::Builder::keep(&__b, c),)
            };
            #[cfg(windows)]
            #[cfg(rust_analyzer)]
            let c = __rt::Clone::clone(&__of_c);
            #[cfg(not(windows))]
            #[allow(unused_variables)]
            let (__of_c,) = {
                #[allow(unused_variables)]
                let b = __of_b.clone_for_start();
                let c = b;
                (__rt::Builder::keep(&__b, c),)
            };
            #[cfg(not(windows))]
            #[cfg(rust_analyzer)]
            let c = __rt::Clone::clone(&__of_c);
            #[cfg(feature = "http")]
            #[allow(unreachable_code)]
            let __of_struct = match {
                let __of_type = __rt::Clone::clone(&__of_type);
                let __of_a = __rt::Clone::clone(&__of_a);
                __rt::Builder::child(
                    &__b,
                    "struct",
                    {
                        <Bell as __rt::ChildIf<
                            { <Bell as __rt::IsAChild>::IS },
                        >>::options()
                    },
                    move || {
                        #[allow(unused_variables)]
                        let r#type = __of_type.clone_for_start();
                        #[allow(unused_variables)]
                        let a = __of_a.clone_for_start();
                        async move {
                            let __it: <Bell as __rt::ChildIf<
                                { <Bell as __rt::IsAChild>::IS },
                            >>::Start = start(r#type, a);
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
            #[cfg(feature = "http")]
            #[cfg(rust_analyzer)]
            let r#struct = __of_struct.clone_for_start();
            #[allow(unreachable_code)]
            let __of_start = match {
                let __of_tree = __rt::Clone::clone(&__of_tree);
                let __of_b = __rt::Clone::clone(&__of_b);
                #[cfg(windows)]
                let __of_c = __rt::Clone::clone(&__of_c);
                #[cfg(not(windows))]
                let __of_c = __rt::Clone::clone(&__of_c);
                __rt::Builder::child(
                    &__b,
                    "start",
                    {
                        <Bell as __rt::ChildIf<
                            { <Bell as __rt::IsAChild>::IS },
                        >>::options()
                    },
                    move || {
                        #[allow(unused_variables)]
                        let tree = __rt::Clone::clone(&__of_tree);
                        #[allow(unused_variables)]
                        let b = __of_b.clone_for_start();
                        #[cfg(windows)]
                        #[allow(unused_variables)]
                        let c = __of_c.clone_for_start();
                        #[cfg(not(windows))]
                        #[allow(unused_variables)]
                        let c = __of_c.clone_for_start();
                        async move {
                            let __it: <Bell as __rt::ChildIf<
                                { <Bell as __rt::IsAChild>::IS },
                            >>::Start = start(b, c, tree.clone());
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
            let start = __of_start.clone_for_start();
            #[allow(unreachable_code)]
            let __of_heartbeat = match {
                let __of_start = __rt::Clone::clone(&__of_start);
                __rt::Builder::child(
                    &__b,
                    "heartbeat",
                    { __rt::ChildOptions::<__rt::Task>::without_context() },
                    move || {
                        #[allow(unused_variables)]
                        let start = __of_start.clone_for_start();
                        async move {
                            let __it: __rt::TaskStart = __rt::future_of(async move {
                                #[allow(unreachable_code)]
                                __rt::TaskOutput::done(
                                    {
                                        #[allow(unused_imports)]
                                        use __rt::Polled as _;
                                        __rt::Poll(heartbeat(start)).polled()
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
            let heartbeat = __of_heartbeat.clone_for_start();
            #[allow(unreachable_code)]
            let __of_inner = match {
                let __of_a = __rt::Clone::clone(&__of_a);
                #[cfg(windows)]
                let __of_c = __rt::Clone::clone(&__of_c);
                #[cfg(not(windows))]
                let __of_c = __rt::Clone::clone(&__of_c);
                let __of_start = __rt::Clone::clone(&__of_start);
                let __options = { __rt::ChildOptions::<Inner>::new() };
                __rt::Builder::inline::<
                    Inner,
                    _,
                    _,
                >(
                    &__b,
                    "inner",
                    __options,
                    move |__b: __rt::Builder| {
                        let __of_a = __rt::Clone::clone(&__of_a);
                        #[cfg(windows)]
                        let __of_c = __rt::Clone::clone(&__of_c);
                        #[cfg(not(windows))]
                        let __of_c = __rt::Clone::clone(&__of_c);
                        let __of_start = __rt::Clone::clone(&__of_start);
                        async move {
                            let __of_tree = __rt::Builder::tree_ref(&__b);
                            #[cfg(rust_analyzer)]
                            let tree = __rt::Clone::clone(&__of_tree);
                            __rt::Builder::supervision(
                                &__b,
                                { __rt::SupervisorStrategy::new(__rt::Strategy::AllForOne) },
                            );
                            #[allow(unused_variables)]
                            let (__of_d,) = {
                                #[allow(unused_variables)]
                                let a = __of_a.clone_for_start();
                                let d: <Part as __rt::Checked<
                                    { <__rt::ATree as __rt::CanReturn<Part>>::IS },
                                >>::Type = a;
                                (__rt::Builder::keep(&__b, d),)
                            };
                            #[cfg(rust_analyzer)]
                            let d = __rt::Clone::clone(&__of_d);
                            #[allow(unreachable_code)]
                            let __of_leaf = match {
                                #[cfg(windows)]
                                let __of_c = __rt::Clone::clone(&__of_c);
                                #[cfg(not(windows))]
                                let __of_c = __rt::Clone::clone(&__of_c);
                                let __of_start = __rt::Clone::clone(&__of_start);
                                let __of_d = __rt::Clone::clone(&__of_d);
                                __rt::Builder::child(
                                    &__b,
                                    "leaf",
                                    {
                                        <Bell as __rt::ChildIf<
                                            { <Bell as __rt::IsAChild>::IS },
                                        >>::options()
                                    },
                                    move || {
                                        #[cfg(windows)]
                                        #[allow(unused_variables)]
                                        let c = __of_c.clone_for_start();
                                        #[cfg(not(windows))]
                                        #[allow(unused_variables)]
                                        let c = __of_c.clone_for_start();
                                        #[allow(unused_variables)]
                                        let start = __of_start.clone_for_start();
                                        #[allow(unused_variables)]
                                        let d = __of_d.clone_for_start();
                                        async move {
                                            let __it: <Bell as __rt::ChildIf<
                                                { <Bell as __rt::IsAChild>::IS },
                                            >>::Start = start(c, d, println!("{start:?}"));
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
                            let leaf = __of_leaf.clone_for_start();
                            #[allow(unreachable_code)]
                            __rt::Ok::<
                                _,
                                __rt::Thrown,
                            >(Inner {
                                leaf: __of_leaf.clone_for_start(),
                                __let_d: __rt::Published::of(&__of_d),
                                tree: __of_tree,
                            })
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
            let inner = __rt::Clone::clone(&__of_inner);
            #[allow(unreachable_code)]
            __rt::Ok::<
                _,
                __rt::Thrown,
            >(Names {
                #[cfg(feature = "http")]
                r#struct: __of_struct.clone_for_start(),
                start: __of_start.clone_for_start(),
                heartbeat: __of_heartbeat.clone_for_start(),
                inner: __of_inner,
                #[cfg(unix)]
                __let_match: __rt::Published::of(&__of_match),
                tree: __of_tree,
            })
        }
    }
    #[automatically_derived]
    impl __rt::TreeHandle for Names {
        const SPEC: __rt::TreeSpec = __rt::TreeSpec {
            name: "Names",
            doc: "",
            strategy: __rt::Strategy::OneForOne,
            shutdown: __rt::DeclaredShutdown::Default,
            shutdown_order: __rt::ShutdownOrder::Reverse,
            settings: &[],
            at: ::core::panic::Location::caller(),
            module: ::core::module_path!(),
            version: ::core::option_env!("CARGO_PKG_VERSION"),
            children: &[
                #[cfg(feature = "http")]
                __rt::ChildSpec {
                    name: "struct",
                    doc: "",
                    item: "Bell",
                    shape: __rt::Shape::One,
                    kind: <Bell as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Bell as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "start",
                    doc: "",
                    item: "Bell",
                    shape: __rt::Shape::One,
                    kind: <Bell as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Bell as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "heartbeat",
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
                    name: "inner",
                    doc: "",
                    item: "Inner",
                    shape: __rt::Shape::One,
                    kind: __rt::ChildKind::Tree,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(
                        ::core::option::Option::Some(&<Inner as __rt::TreeHandle>::SPEC),
                    ),
                    remote: ::core::option::Option::None,
                },
            ],
        };
    }
    #[automatically_derived]
    impl __rt::TreeHandle for Inner {
        const SPEC: __rt::TreeSpec = __rt::TreeSpec {
            name: "Inner",
            doc: "",
            strategy: __rt::Strategy::AllForOne,
            shutdown: __rt::DeclaredShutdown::Default,
            shutdown_order: __rt::ShutdownOrder::Reverse,
            settings: &["strategy(AllForOne)"],
            at: ::core::panic::Location::caller(),
            module: ::core::module_path!(),
            version: ::core::option_env!("CARGO_PKG_VERSION"),
            children: &[
                __rt::ChildSpec {
                    name: "leaf",
                    doc: "",
                    item: "Bell",
                    shape: __rt::Shape::One,
                    kind: <Bell as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, true, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Bell as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
            ],
        };
    }
    #[automatically_derived]
    impl __rt::Child for Names {
        type Handle = Names;
        type Start = __rt::Tree<Names>;
        const KIND: __rt::ChildKind = __rt::ChildKind::Tree;
        const TREE: ::core::option::Option<&'static __rt::TreeSpec> = ::core::option::Option::Some(
            &<Names as __rt::TreeHandle>::SPEC,
        );
        fn launch<__F, __Fut>(
            __slot: __rt::ChildSlot,
            __options: __rt::ChildOptions<Self>,
            __start: __F,
        ) -> __rt::Launched<Names>
        where
            __F: ::core::ops::FnMut() -> __Fut + ::core::marker::Send + 'static,
            __Fut: ::core::future::Future<
                    Output = ::core::result::Result<__rt::Tree<Names>, __rt::Thrown>,
                > + ::core::marker::Send + 'static,
        {
            __rt::launch_tree(__slot, __options, __start)
        }
    }
};
#[cfg(unix)]
///
///```text
///Names  OneForOne
#[cfg_attr(
    all(feature = "http"),
    doc = "├── struct: Bell  Permanent  at most 10 restarts in 60s: Names fails after 5.11s of outage"
)]
///├── start: Bell  Permanent  at most 10 restarts in 60s: Names fails after 5.11s of outage
///├── heartbeat: task  Transient  at most 10 restarts in 60s: Names fails after 5.12s of outage
///└── inner: Inner  Permanent  AllForOne  strategy(AllForOne)  at most 10 restarts in 60s: Names fails after 5.11s of outage
///    └── leaf: Bell  Permanent  at most 10 restarts in 60s of all together: inner fails after 5.11s of outage
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
pub(crate) struct Names {
    #[cfg(any(doc, rust_analyzer))]
    #[cfg(feature = "http")]
    ///The child `struct`.
    #[allow(dead_code)]
    pub r#struct: ::supervise::expansion::Handle<Bell>,
    #[cfg(not(any(doc, rust_analyzer)))]
    #[cfg(feature = "http")]
    ///The child `struct`.
    #[allow(dead_code)]
    pub r#struct: <Bell as ::supervise::expansion::ChildIf<
        { <Bell as ::supervise::expansion::IsAChild>::IS },
    >>::Handle,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `start`.
    #[allow(dead_code)]
    pub(crate) start: ::supervise::expansion::Handle<Bell>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `start`.
    #[allow(dead_code)]
    pub(crate) start: <Bell as ::supervise::expansion::ChildIf<
        { <Bell as ::supervise::expansion::IsAChild>::IS },
    >>::Handle,
    ///The child `heartbeat`.
    #[allow(dead_code)]
    pub(crate) heartbeat: ::supervise::expansion::TaskRef,
    ///The child `inner`.
    #[allow(dead_code)]
    pub(crate) inner: Inner,
    #[cfg(unix)]
    #[doc(hidden)]
    __let_match: ::supervise::expansion::Published,
    #[doc(hidden)]
    tree: ::supervise::expansion::TreeRef,
}
#[cfg(unix)]
#[automatically_derived]
impl ::core::clone::Clone for Names {
    fn clone(&self) -> Self {
        Names {
            #[cfg(feature = "http")]
            r#struct: ::core::clone::Clone::clone(&self.r#struct),
            start: ::core::clone::Clone::clone(&self.start),
            heartbeat: ::core::clone::Clone::clone(&self.heartbeat),
            inner: ::core::clone::Clone::clone(&self.inner),
            #[cfg(unix)]
            __let_match: ::core::clone::Clone::clone(&self.__let_match),
            tree: ::core::clone::Clone::clone(&self.tree),
        }
    }
}
#[cfg(unix)]
#[automatically_derived]
impl ::core::fmt::Debug for Names {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.tree, f)
    }
}
#[cfg(unix)]
#[automatically_derived]
impl ::core::ops::Deref for Names {
    type Target = ::supervise::expansion::TreeRef;
    fn deref(&self) -> &::supervise::expansion::TreeRef {
        &self.tree
    }
}
#[cfg(unix)]
impl Names {
    #[cfg(unix)]
    ///The value of `let match`.
    ///
    ///Returns a clone while the tree keeps the value, and `None` before that and after it.
    #[must_use]
    #[allow(dead_code, clippy::type_complexity)]
    pub(crate) fn r#match(&self) -> ::core::option::Option<u32> {
        <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanReturn<
            u32,
        >>::get(&self.__let_match)
    }
}
#[cfg(unix)]
impl Names {
    /// The tree as it is declared.
    #[allow(dead_code)]
    pub(crate) const SPEC: ::supervise::expansion::TreeSpec = <Self as ::supervise::expansion::TreeHandle>::SPEC;
    ///`Names` with these parameters, not yet started. Start it, or make it a child of another tree.
    #[must_use]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    pub(crate) fn tree(
        r#type: u32,
        config: Config,
    ) -> ::supervise::expansion::Tree<Self> {
        ::supervise::expansion::tree((r#type, config))
    }
    ///Starts `Names`: its children in order, each awaited.
    ///
    ///# Errors
    ///
    ///The failure of the child that could not start. Children that were up are stopped again.
    #[track_caller]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    pub(crate) fn start(
        r#type: u32,
        config: Config,
    ) -> ::supervise::expansion::BoxFuture<
        'static,
        ::core::result::Result<
            ::supervise::expansion::Running<Self>,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::start(Self::tree(r#type, config))
    }
    ///Starts `Names`, waits until `until` has finished or the tree has ended by itself, and shuts the tree down.
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
    pub(crate) fn run<'__until>(
        r#type: u32,
        config: Config,
        until: impl ::core::future::Future + ::core::marker::Send + '__until,
    ) -> ::supervise::expansion::BoxFuture<
        '__until,
        ::core::result::Result<
            ::supervise::expansion::Report,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::run(Self::tree(r#type, config), until)
    }
}
#[cfg(unix)]
///The subtree `inner` of [`Names`].
///
///```text
///Inner  AllForOne  strategy(AllForOne)
///└── leaf: Bell  Permanent  at most 10 restarts in 60s of all together: Inner fails after 5.11s of outage
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
pub(crate) struct Inner {
    #[cfg(any(doc, rust_analyzer))]
    ///The child `leaf`.
    #[allow(dead_code)]
    pub(crate) leaf: ::supervise::expansion::Handle<Bell>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `leaf`.
    #[allow(dead_code)]
    pub(crate) leaf: <Bell as ::supervise::expansion::ChildIf<
        { <Bell as ::supervise::expansion::IsAChild>::IS },
    >>::Handle,
    #[doc(hidden)]
    __let_d: ::supervise::expansion::Published,
    #[doc(hidden)]
    tree: ::supervise::expansion::TreeRef,
}
#[cfg(unix)]
#[automatically_derived]
impl ::core::clone::Clone for Inner {
    fn clone(&self) -> Self {
        Inner {
            leaf: ::core::clone::Clone::clone(&self.leaf),
            __let_d: ::core::clone::Clone::clone(&self.__let_d),
            tree: ::core::clone::Clone::clone(&self.tree),
        }
    }
}
#[cfg(unix)]
#[automatically_derived]
impl ::core::fmt::Debug for Inner {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.tree, f)
    }
}
#[cfg(unix)]
#[automatically_derived]
impl ::core::ops::Deref for Inner {
    type Target = ::supervise::expansion::TreeRef;
    fn deref(&self) -> &::supervise::expansion::TreeRef {
        &self.tree
    }
}
#[cfg(unix)]
impl Inner {
    /// The part of the configuration.
    ///
    ///Returns a clone while the tree keeps the value, and `None` before that and after it.
    #[must_use]
    #[allow(dead_code, clippy::type_complexity)]
    pub fn d(&self) -> ::core::option::Option<Part> {
        <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanReturn<
            Part,
        >>::get(&self.__let_d)
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
    impl __rt::TreeDef for Other {
        type Params = ();
        async fn build(
            (): Self::Params,
            __b: __rt::Builder,
        ) -> ::core::result::Result<Self, __rt::Thrown> {
            let __of_tree = __rt::Builder::tree_ref(&__b);
            #[cfg(rust_analyzer)]
            let tree = __rt::Clone::clone(&__of_tree);
            __rt::Builder::supervision(
                &__b,
                { __rt::SupervisorStrategy::new(__rt::Strategy::OneForOne) },
            );
            #[allow(unused_variables)]
            let (__of_known,) = {
                let __of_second = {
                    let __options = <Bell as __rt::ChildIf<
                        { <Bell as __rt::IsAChild>::IS },
                    >>::options()
                        .while_down(__rt::WhileDown::Reject);
                    __rt::Builder::later(&__b, "second", __options)
                };
                #[allow(unused_imports)]
                use __rt::later;
                let second = __rt::Clone::clone(&__of_second);
                __rt::Builder::at_let(&__b, "known");
                let known = later(second);
                (__rt::Builder::keep(&__b, known),)
            };
            #[cfg(rust_analyzer)]
            let known = __rt::Clone::clone(&__of_known);
            #[allow(unreachable_code)]
            let __of_names = match {
                __rt::Builder::child(
                    &__b,
                    "names",
                    {
                        <Names as __rt::ChildIf<
                            { <Names as __rt::IsAChild>::IS },
                        >>::options()
                    },
                    move || {
                        async move {
                            let __it: <Names as __rt::ChildIf<
                                { <Names as __rt::IsAChild>::IS },
                            >>::Start = Names::tree(1, Config);
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
            let names = __of_names.clone_for_start();
            #[allow(unreachable_code)]
            let __of_first = match {
                let __of_second = {
                    let __options = <Bell as __rt::ChildIf<
                        { <Bell as __rt::IsAChild>::IS },
                    >>::options()
                        .while_down(__rt::WhileDown::Reject);
                    __rt::Builder::later(&__b, "second", __options)
                };
                let __of_third = {
                    let __options = __rt::ChildOptions::<__rt::Task>::without_context();
                    __rt::Builder::later(&__b, "third", __options)
                };
                __rt::Builder::child(
                    &__b,
                    "first",
                    {
                        <Bell as __rt::ChildIf<
                            { <Bell as __rt::IsAChild>::IS },
                        >>::options()
                    },
                    move || {
                        #[allow(unused_imports)]
                        use __rt::later;
                        let second = __rt::Clone::clone(&__of_second);
                        let third = __rt::Clone::clone(&__of_third);
                        async move {
                            let __it: <Bell as __rt::ChildIf<
                                { <Bell as __rt::IsAChild>::IS },
                            >>::Start = start(later(second), later(third));
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
            let first = __of_first.clone_for_start();
            #[allow(unreachable_code)]
            let __of_second = match {
                let __of_known = __rt::Clone::clone(&__of_known);
                let __of_first = __rt::Clone::clone(&__of_first);
                let __options = {
                    let __options = <Bell as __rt::ChildIf<
                        { <Bell as __rt::IsAChild>::IS },
                    >>::options();
                    let __options = __options.while_down(__rt::WhileDown::Reject);
                    __options.mailbox(__rt::Mailbox::Bounded(3))
                };
                __rt::Builder::child(
                    &__b,
                    "second",
                    __options,
                    move || {
                        #[allow(unused_variables)]
                        let known = __of_known.clone_for_start();
                        #[allow(unused_variables)]
                        let first = __of_first.clone_for_start();
                        async move {
                            let __it: <Bell as __rt::ChildIf<
                                { <Bell as __rt::IsAChild>::IS },
                            >>::Start = start(first, known);
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
            let second = __of_second.clone_for_start();
            #[allow(unreachable_code)]
            let __of_third = match {
                let __of_first = __rt::Clone::clone(&__of_first);
                __rt::Builder::child(
                    &__b,
                    "third",
                    { __rt::ChildOptions::<__rt::Task>::without_context() },
                    move || {
                        #[allow(unused_variables)]
                        let first = __of_first.clone_for_start();
                        async move {
                            let __it: __rt::TaskStart = __rt::future_of(async move {
                                #[allow(unreachable_code)]
                                __rt::TaskOutput::done(
                                    {
                                        #[allow(unused_imports)]
                                        use __rt::Polled as _;
                                        __rt::Poll(ring(first)).polled()
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
            let third = __of_third.clone_for_start();
            #[allow(unreachable_code)]
            __rt::Ok::<
                _,
                __rt::Thrown,
            >(Other {
                names: __of_names.clone_for_start(),
                first: __of_first.clone_for_start(),
                second: __of_second.clone_for_start(),
                third: __of_third.clone_for_start(),
                tree: __of_tree,
            })
        }
    }
    #[automatically_derived]
    impl __rt::TreeHandle for Other {
        const SPEC: __rt::TreeSpec = __rt::TreeSpec {
            name: "Other",
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
                    name: "names",
                    doc: "",
                    item: "Names",
                    shape: __rt::Shape::One,
                    kind: <Names as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Names as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "first",
                    doc: "",
                    item: "Bell",
                    shape: __rt::Shape::One,
                    kind: <Bell as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Bell as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "second",
                    doc: "",
                    item: "Bell",
                    shape: __rt::Shape::One,
                    kind: <Bell as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &["while_down(Reject)", "mailbox(Bounded(3))"],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Bell as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "third",
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
    #[automatically_derived]
    impl __rt::Child for Other {
        type Handle = Other;
        type Start = __rt::Tree<Other>;
        const KIND: __rt::ChildKind = __rt::ChildKind::Tree;
        const TREE: ::core::option::Option<&'static __rt::TreeSpec> = ::core::option::Option::Some(
            &<Other as __rt::TreeHandle>::SPEC,
        );
        fn launch<__F, __Fut>(
            __slot: __rt::ChildSlot,
            __options: __rt::ChildOptions<Self>,
            __start: __F,
        ) -> __rt::Launched<Other>
        where
            __F: ::core::ops::FnMut() -> __Fut + ::core::marker::Send + 'static,
            __Fut: ::core::future::Future<
                    Output = ::core::result::Result<__rt::Tree<Other>, __rt::Thrown>,
                > + ::core::marker::Send + 'static,
        {
            __rt::launch_tree(__slot, __options, __start)
        }
    }
};
///
///```text
///Other  OneForOne
///├── names: Names  Permanent  at most 10 restarts in 60s: Other fails after 5.11s of outage
///├── first: Bell  Permanent  at most 10 restarts in 60s: Other fails after 5.11s of outage
///├── second: Bell  Permanent  while_down(Reject)  mailbox(Bounded(3))  at most 10 restarts in 60s: Other fails after 5.11s of outage
///└── third: task  Transient  at most 10 restarts in 60s: Other fails after 5.12s of outage
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
struct Other {
    #[cfg(any(doc, rust_analyzer))]
    ///The child `names`.
    #[allow(dead_code)]
    names: ::supervise::expansion::Handle<Names>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `names`.
    #[allow(dead_code)]
    names: <Names as ::supervise::expansion::ChildIf<
        { <Names as ::supervise::expansion::IsAChild>::IS },
    >>::Handle,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `first`.
    #[allow(dead_code)]
    first: ::supervise::expansion::Handle<Bell>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `first`.
    #[allow(dead_code)]
    first: <Bell as ::supervise::expansion::ChildIf<
        { <Bell as ::supervise::expansion::IsAChild>::IS },
    >>::Handle,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `second`.
    #[allow(dead_code)]
    second: ::supervise::expansion::Handle<Bell>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `second`.
    #[allow(dead_code)]
    second: <Bell as ::supervise::expansion::ChildIf<
        { <Bell as ::supervise::expansion::IsAChild>::IS },
    >>::Handle,
    ///The child `third`.
    #[allow(dead_code)]
    third: ::supervise::expansion::TaskRef,
    #[doc(hidden)]
    tree: ::supervise::expansion::TreeRef,
}
#[automatically_derived]
impl ::core::clone::Clone for Other {
    fn clone(&self) -> Self {
        Other {
            names: ::core::clone::Clone::clone(&self.names),
            first: ::core::clone::Clone::clone(&self.first),
            second: ::core::clone::Clone::clone(&self.second),
            third: ::core::clone::Clone::clone(&self.third),
            tree: ::core::clone::Clone::clone(&self.tree),
        }
    }
}
#[automatically_derived]
impl ::core::fmt::Debug for Other {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.tree, f)
    }
}
#[automatically_derived]
impl ::core::ops::Deref for Other {
    type Target = ::supervise::expansion::TreeRef;
    fn deref(&self) -> &::supervise::expansion::TreeRef {
        &self.tree
    }
}
impl Other {
    /// The tree as it is declared.
    #[allow(dead_code)]
    const SPEC: ::supervise::expansion::TreeSpec = <Self as ::supervise::expansion::TreeHandle>::SPEC;
    ///`Other` with these parameters, not yet started. Start it, or make it a child of another tree.
    #[must_use]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn tree() -> ::supervise::expansion::Tree<Self> {
        ::supervise::expansion::tree(())
    }
    ///Starts `Other`: its children in order, each awaited.
    ///
    ///# Errors
    ///
    ///The failure of the child that could not start. Children that were up are stopped again.
    #[track_caller]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn start() -> ::supervise::expansion::BoxFuture<
        'static,
        ::core::result::Result<
            ::supervise::expansion::Running<Self>,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::start(Self::tree())
    }
    ///Starts `Other`, waits until `until` has finished or the tree has ended by itself, and shuts the tree down.
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
        until: impl ::core::future::Future + ::core::marker::Send + '__until,
    ) -> ::supervise::expansion::BoxFuture<
        '__until,
        ::core::result::Result<
            ::supervise::expansion::Report,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::run(Self::tree(), until)
    }
}
