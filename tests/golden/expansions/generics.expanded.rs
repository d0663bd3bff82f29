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
    impl<T: Row + 'static, const N: usize> __rt::TreeDef for Cache<T, N>
    where
        T: Sync,
    {
        type Params = (
            T,
            <String as __rt::Checked<
                {
                    <__rt::ATree as __rt::CanMove<String>>::IS
                        & <__rt::ATree as __rt::CanKeep<String>>::IS
                },
            >>::Type,
        );
        async fn build(
            (__of_first, __of_name): Self::Params,
            __b: __rt::Builder,
        ) -> ::core::result::Result<Self, __rt::Thrown> {
            let () = Self::__TIMES;
            use __rt::Keep as _;
            let __of_first = __of_first.keep_for_the_tree(&__b);
            let __of_name = __of_name.keep_for_the_tree(&__b);
            #[cfg(rust_analyzer)]
            let first = __rt::Clone::clone(&__of_first);
            #[cfg(rust_analyzer)]
            let name = __rt::Clone::clone(&__of_name);
            let __of_tree = __rt::Builder::tree_ref(&__b);
            #[cfg(rust_analyzer)]
            let tree = __rt::Clone::clone(&__of_tree);
            __rt::Builder::supervision(
                &__b,
                { __rt::SupervisorStrategy::new(__rt::Strategy::OneForOne) },
            );
            #[allow(unreachable_code)]
            let __of_loader = match {
                let __of_first = __rt::Clone::clone(&__of_first);
                __rt::Builder::child(
                    &__b,
                    "loader",
                    { <Loader<T> as __rt::ChildIf<{ true }>>::options() },
                    move || {
                        #[allow(unused_variables)]
                        let first = __of_first.clone_for_start();
                        async move {
                            let __it: <Loader<T> as __rt::ChildIf<{ true }>>::Start = Loader(
                                first,
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
            let loader = __of_loader.clone_for_start();
            #[allow(unreachable_code)]
            let __of_shards = match {
                let __of_first = __rt::Clone::clone(&__of_first);
                let __options = {
                    <Loader<T> as __rt::ChildIf<{ true }>>::options()
                        .lifecycle(__rt::Lifecycle::Permanent)
                        .shutdown(__rt::Duration::new(5, 0))
                };
                __rt::Builder::array::<
                    _,
                    { N },
                    _,
                    _,
                >(
                    &__b,
                    "shards",
                    __options,
                    move |__i: ::core::primitive::usize| {
                        #[allow(unused_variables)]
                        let first = __of_first.clone_for_start();
                        #[allow(clippy::no_effect_underscore_binding)]
                        let _i: usize = __i;
                        async move {
                            let __it: <Loader<T> as __rt::ChildIf<{ true }>>::Start = Loader(
                                first,
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
            let shards = __rt::Clone::clone(&__of_shards);
            #[allow(unreachable_code)]
            let __of_by_key = match {
                let __of_name = __rt::Clone::clone(&__of_name);
                let __options = { <Cache<T, N> as __rt::ChildIf<{ true }>>::options() };
                let __initial = __rt::no_initial();
                __rt::Builder::keyed::<
                    Key<T>,
                    _,
                    (T,),
                    _,
                    _,
                >(
                    &__b,
                    "by_key",
                    __options,
                    __initial,
                    move |__args: (Key<T>, (T,))| {
                        #[allow(unused_variables)]
                        let name = __of_name.clone_for_start();
                        let (__key, (row,)): (Key<T>, (T,)) = __args;
                        #[allow(clippy::no_effect_underscore_binding)]
                        let _key: Key<T> = __key;
                        async move {
                            let __it: <Cache<T, N> as __rt::ChildIf<{ true }>>::Start = Cache::tree(
                                row,
                                name,
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
            let by_key = __rt::Clone::clone(&__of_by_key);
            #[allow(unreachable_code)]
            let __of_inner = match {
                let __of_first = __rt::Clone::clone(&__of_first);
                let __of_name = __rt::Clone::clone(&__of_name);
                let __options = {
                    __rt::ChildOptions::<Inner<T, N>>::new()
                        .lifecycle(__rt::Lifecycle::Permanent)
                        .shutdown(__rt::Duration::new(5, 0))
                };
                __rt::Builder::inline::<
                    Inner<T, N>,
                    _,
                    _,
                >(
                    &__b,
                    "inner",
                    __options,
                    move |__b: __rt::Builder| {
                        let __of_first = __rt::Clone::clone(&__of_first);
                        let __of_name = __rt::Clone::clone(&__of_name);
                        async move {
                            let __of_tree = __rt::Builder::tree_ref(&__b);
                            #[cfg(rust_analyzer)]
                            let tree = __rt::Clone::clone(&__of_tree);
                            __rt::Builder::supervision(
                                &__b,
                                { __rt::SupervisorStrategy::new(__rt::Strategy::OneForOne) },
                            );
                            #[allow(unused_variables)]
                            let (__of_copy,) = {
                                #[allow(unused_variables)]
                                let first = __of_first.clone_for_start();
                                let copy: T = first;
                                (__rt::Builder::keep(&__b, copy),)
                            };
                            #[cfg(rust_analyzer)]
                            let copy = __rt::Clone::clone(&__of_copy);
                            #[allow(unreachable_code)]
                            let __of_leaf = match {
                                let __of_name = __rt::Clone::clone(&__of_name);
                                __rt::Builder::child(
                                    &__b,
                                    "leaf",
                                    {
                                        <Bell as __rt::ChildIf<
                                            { <Bell as __rt::IsAChild>::IS },
                                        >>::options()
                                    },
                                    move || {
                                        #[allow(unused_variables)]
                                        let name = __of_name.clone_for_start();
                                        async move {
                                            let __it: <Bell as __rt::ChildIf<
                                                { <Bell as __rt::IsAChild>::IS },
                                            >>::Start = Bell(name);
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
                                __let_copy: __rt::Published::of(&__of_copy),
                                __types: ::core::marker::PhantomData,
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
            >(Cache {
                loader: __of_loader.clone_for_start(),
                shards: __of_shards,
                by_key: __of_by_key,
                inner: __of_inner,
                __types: ::core::marker::PhantomData,
                tree: __of_tree,
            })
        }
    }
    #[automatically_derived]
    impl<T: Row + 'static, const N: usize> __rt::TreeHandle for Cache<T, N>
    where
        T: Sync,
    {
        const SPEC: __rt::TreeSpec = __rt::TreeSpec {
            name: "Cache",
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
                    name: "loader",
                    doc: "",
                    item: "Loader<T>",
                    shape: __rt::Shape::One,
                    kind: <Loader<T> as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Loader<T> as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "shards",
                    doc: "",
                    item: "Loader<T>",
                    shape: __rt::Shape::Array(__rt::number::<{ N }>()),
                    kind: <Loader<T> as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Is(
                        __rt::ShutdownTimeout::Within(__rt::Duration::new(5, 0)),
                    ),
                    settings: &["lifecycle(Permanent, shutdown = 5s)"],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Loader<T> as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "by_key",
                    doc: "",
                    item: "Cache<T, N>",
                    shape: __rt::Shape::Keyed("Key<T>"),
                    kind: <Cache<T, N> as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Transient,
                    limit: __rt::default_limit(__rt::OnLimit::Stop, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Instance(|| {
                        <Cache<T, N> as __rt::IsAChild>::TREE
                    }),
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
                    shutdown: __rt::DeclaredShutdown::Is(
                        __rt::ShutdownTimeout::Within(__rt::Duration::new(5, 0)),
                    ),
                    settings: &["lifecycle(Permanent, shutdown = 5s)"],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(
                        ::core::option::Option::Some(
                            &<Inner<T, N> as __rt::TreeHandle>::SPEC,
                        ),
                    ),
                    remote: ::core::option::Option::None,
                },
            ],
        };
    }
    #[automatically_derived]
    impl<T: Row + 'static, const N: usize> __rt::TreeHandle for Inner<T, N>
    where
        T: Sync,
    {
        const SPEC: __rt::TreeSpec = __rt::TreeSpec {
            name: "Inner",
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
                    name: "leaf",
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
            ],
        };
    }
    impl<T: Row + 'static, const N: usize> Cache<T, N>
    where
        T: Sync,
    {
        #[allow(dead_code)]
        const __TIMES: () = {
            { __rt::shutdown_suffices(<Loader<T> as __rt::IsAChild>::TREE, 5, 0) }
            {
                __rt::shutdown_suffices(
                    ::core::option::Option::Some(
                        &<Inner<T, N> as __rt::TreeHandle>::SPEC,
                    ),
                    5,
                    0,
                )
            }
        };
    }
    #[automatically_derived]
    impl<T: Row + 'static, const N: usize> __rt::Child for Cache<T, N>
    where
        T: Sync,
    {
        type Handle = Cache<T, N>;
        type Start = __rt::Tree<Cache<T, N>>;
        const KIND: __rt::ChildKind = __rt::ChildKind::Tree;
        const TREE: ::core::option::Option<&'static __rt::TreeSpec> = ::core::option::Option::Some(
            &<Cache<T, N> as __rt::TreeHandle>::SPEC,
        );
        fn launch<__F, __Fut>(
            __slot: __rt::ChildSlot,
            __options: __rt::ChildOptions<Self>,
            __start: __F,
        ) -> __rt::Launched<Cache<T, N>>
        where
            __F: ::core::ops::FnMut() -> __Fut + ::core::marker::Send + 'static,
            __Fut: ::core::future::Future<
                    Output = ::core::result::Result<
                        __rt::Tree<Cache<T, N>>,
                        __rt::Thrown,
                    >,
                > + ::core::marker::Send + 'static,
        {
            __rt::launch_tree(__slot, __options, __start)
        }
    }
};
///
///```text
///Cache  OneForOne
///├── loader: Loader<T>  Permanent  at most 10 restarts in 60s: Cache fails after 5.11s of outage
///├── shards: [Loader<T>; N]  Permanent  lifecycle(Permanent, shutdown = 5s)  at most 10 restarts in 60s: Cache fails after 5.11s of outage
///├── by_key: [Key<T> => Cache<T, N>]  Transient  at most 10 restarts in 60s: it ends after 5.11s of outage
///└── inner: Inner  Permanent  OneForOne  lifecycle(Permanent, shutdown = 5s)  at most 10 restarts in 60s: Cache fails after 5.11s of outage
///    └── leaf: Bell  Permanent  at most 10 restarts in 60s: inner fails after 5.11s of outage
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
pub struct Cache<T: Row + 'static, const N: usize = 2>
where
    T: Sync,
{
    #[cfg(any(doc, rust_analyzer))]
    ///The child `loader`.
    #[allow(dead_code)]
    pub loader: ::supervise::expansion::Handle<Loader<T>>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `loader`.
    #[allow(dead_code)]
    pub loader: <Loader<T> as ::supervise::expansion::ChildIf<{ true }>>::Handle,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `shards`.
    #[allow(dead_code)]
    pub shards: ::supervise::expansion::Handles<
        ::supervise::expansion::Handle<Loader<T>>,
        { N },
    >,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `shards`.
    #[allow(dead_code)]
    pub shards: ::supervise::expansion::Handles<
        <Loader<T> as ::supervise::expansion::ChildIf<{ true }>>::Handle,
        { N },
    >,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `by_key`.
    #[allow(dead_code)]
    pub by_key: ::supervise::expansion::Keyed<Key<T>, Cache<T, N>, (T,)>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `by_key`.
    #[allow(dead_code)]
    pub by_key: <Cache<
        T,
        N,
    > as ::supervise::expansion::ChildIf<{ true }>>::Keyed<Key<T>, (T,)>,
    ///The child `inner`.
    #[allow(dead_code)]
    pub inner: Inner<T, N>,
    #[doc(hidden)]
    tree: ::supervise::expansion::TreeRef,
    #[doc(hidden)]
    __types: ::core::marker::PhantomData<fn() -> (::core::marker::PhantomData<T>,)>,
}
#[automatically_derived]
impl<T: Row + 'static, const N: usize> ::core::clone::Clone for Cache<T, N>
where
    T: Sync,
{
    fn clone(&self) -> Self {
        Cache {
            loader: ::core::clone::Clone::clone(&self.loader),
            shards: ::core::clone::Clone::clone(&self.shards),
            by_key: ::core::clone::Clone::clone(&self.by_key),
            inner: ::core::clone::Clone::clone(&self.inner),
            tree: ::core::clone::Clone::clone(&self.tree),
            __types: ::core::marker::PhantomData,
        }
    }
}
#[automatically_derived]
impl<T: Row + 'static, const N: usize> ::core::fmt::Debug for Cache<T, N>
where
    T: Sync,
{
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.tree, f)
    }
}
#[automatically_derived]
impl<T: Row + 'static, const N: usize> ::core::ops::Deref for Cache<T, N>
where
    T: Sync,
{
    type Target = ::supervise::expansion::TreeRef;
    fn deref(&self) -> &::supervise::expansion::TreeRef {
        &self.tree
    }
}
impl<T: Row + 'static, const N: usize> Cache<T, N>
where
    T: Sync,
{
    /// The tree as it is declared.
    #[allow(dead_code)]
    pub const SPEC: ::supervise::expansion::TreeSpec = <Self as ::supervise::expansion::TreeHandle>::SPEC;
    ///`Cache` with these parameters, not yet started. Start it, or make it a child of another tree.
    #[must_use]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    pub fn tree(first: T, name: String) -> ::supervise::expansion::Tree<Self> {
        ::supervise::expansion::tree((first, name))
    }
    ///Starts `Cache`: its children in order, each awaited.
    ///
    ///# Errors
    ///
    ///The failure of the child that could not start. Children that were up are stopped again.
    #[track_caller]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    pub fn start(
        first: T,
        name: String,
    ) -> ::supervise::expansion::BoxFuture<
        'static,
        ::core::result::Result<
            ::supervise::expansion::Running<Self>,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::start(Self::tree(first, name))
    }
    ///Starts `Cache`, waits until `until` has finished or the tree has ended by itself, and shuts the tree down.
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
        first: T,
        name: String,
        until: impl ::core::future::Future + ::core::marker::Send + '__until,
    ) -> ::supervise::expansion::BoxFuture<
        '__until,
        ::core::result::Result<
            ::supervise::expansion::Report,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::run(Self::tree(first, name), until)
    }
}
///The subtree `inner` of [`Cache`].
///
///```text
///Inner  OneForOne
///└── leaf: Bell  Permanent  at most 10 restarts in 60s: Inner fails after 5.11s of outage
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
pub struct Inner<T: Row + 'static, const N: usize = 2>
where
    T: Sync,
{
    #[cfg(any(doc, rust_analyzer))]
    ///The child `leaf`.
    #[allow(dead_code)]
    pub leaf: ::supervise::expansion::Handle<Bell>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `leaf`.
    #[allow(dead_code)]
    pub leaf: <Bell as ::supervise::expansion::ChildIf<
        { <Bell as ::supervise::expansion::IsAChild>::IS },
    >>::Handle,
    #[doc(hidden)]
    __let_copy: ::supervise::expansion::Published,
    #[doc(hidden)]
    tree: ::supervise::expansion::TreeRef,
    #[doc(hidden)]
    __types: ::core::marker::PhantomData<fn() -> (::core::marker::PhantomData<T>,)>,
}
#[automatically_derived]
impl<T: Row + 'static, const N: usize> ::core::clone::Clone for Inner<T, N>
where
    T: Sync,
{
    fn clone(&self) -> Self {
        Inner {
            leaf: ::core::clone::Clone::clone(&self.leaf),
            __let_copy: ::core::clone::Clone::clone(&self.__let_copy),
            tree: ::core::clone::Clone::clone(&self.tree),
            __types: ::core::marker::PhantomData,
        }
    }
}
#[automatically_derived]
impl<T: Row + 'static, const N: usize> ::core::fmt::Debug for Inner<T, N>
where
    T: Sync,
{
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.tree, f)
    }
}
#[automatically_derived]
impl<T: Row + 'static, const N: usize> ::core::ops::Deref for Inner<T, N>
where
    T: Sync,
{
    type Target = ::supervise::expansion::TreeRef;
    fn deref(&self) -> &::supervise::expansion::TreeRef {
        &self.tree
    }
}
impl<T: Row + 'static, const N: usize> Inner<T, N>
where
    T: Sync,
{
    ///The value of `let copy`.
    ///
    ///Returns a clone while the tree keeps the value, and `None` before that and after it.
    #[must_use]
    #[allow(dead_code, clippy::type_complexity)]
    pub fn copy(&self) -> ::core::option::Option<T> {
        <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanReturn<
            T,
        >>::get(&self.__let_copy)
    }
}
