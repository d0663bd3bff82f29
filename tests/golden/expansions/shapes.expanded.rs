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
    impl __rt::TreeDef for Shapes {
        type Params = (
            <Db as __rt::Checked<
                {
                    <__rt::ATree as __rt::CanMove<Db>>::IS
                        & <__rt::ATree as __rt::CanKeep<Db>>::IS
                },
            >>::Type,
            <u32 as __rt::Checked<
                {
                    <__rt::ATree as __rt::CanMove<u32>>::IS
                        & <__rt::ATree as __rt::CanKeep<u32>>::IS
                },
            >>::Type,
        );
        async fn build(
            (__of_db, __of_count): Self::Params,
            __b: __rt::Builder,
        ) -> ::core::result::Result<Self, __rt::Thrown> {
            use __rt::Keep as _;
            let __of_db = __of_db.keep_for_the_tree(&__b);
            let __of_count = __of_count.keep_for_the_tree(&__b);
            #[cfg(rust_analyzer)]
            let db = __rt::Clone::clone(&__of_db);
            #[cfg(rust_analyzer)]
            let count = __rt::Clone::clone(&__of_count);
            let __of_tree = __rt::Builder::tree_ref(&__b);
            #[cfg(rust_analyzer)]
            let tree = __rt::Clone::clone(&__of_tree);
            __rt::Builder::supervision(
                &__b,
                { __rt::SupervisorStrategy::new(__rt::Strategy::OneForOne) },
            );
            #[allow(unreachable_code)]
            let __of_one = match {
                let __of_db = __rt::Clone::clone(&__of_db);
                __rt::Builder::child(
                    &__b,
                    "one",
                    {
                        <Cart as __rt::ChildIf<
                            { <Cart as __rt::IsAChild>::IS },
                        >>::options()
                    },
                    move || {
                        #[allow(unused_variables)]
                        let db = __of_db.clone_for_start();
                        async move {
                            let __it: <Cart as __rt::ChildIf<
                                { <Cart as __rt::IsAChild>::IS },
                            >>::Start = Cart(db);
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
            let one = __of_one.clone_for_start();
            #[allow(unreachable_code)]
            let __of_maybe = match {
                let __of_db = __rt::Clone::clone(&__of_db);
                let __options = {
                    <Cart as __rt::ChildIf<{ <Cart as __rt::IsAChild>::IS }>>::options()
                };
                __rt::Builder::optional(
                    &__b,
                    "maybe",
                    __options,
                    move || {
                        #[allow(unused_variables)]
                        let db = __of_db.clone_for_start();
                        async move {
                            let __it: ::core::option::Option<
                                <Cart as __rt::ChildIf<
                                    { <Cart as __rt::IsAChild>::IS },
                                >>::Start,
                            > = Some(Cart(db));
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
                let __of_db = __rt::Clone::clone(&__of_db);
                let __options = {
                    <Cart as __rt::ChildIf<{ <Cart as __rt::IsAChild>::IS }>>::options()
                };
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
                        #[allow(unused_variables)]
                        let db = __of_db.clone_for_start();
                        #[allow(clippy::no_effect_underscore_binding)]
                        let i: usize = __i;
                        async move {
                            let __it: <Cart as __rt::ChildIf<
                                { <Cart as __rt::IsAChild>::IS },
                            >>::Start = Cart(db, i);
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
                let __of_db = __rt::Clone::clone(&__of_db);
                let __options = {
                    #[allow(unused_variables)]
                    let count = __of_count.clone_for_start();
                    <Cart as __rt::ChildIf<{ <Cart as __rt::IsAChild>::IS }>>::options()
                };
                let __initial = {
                    #[allow(unused_variables)]
                    let count = __of_count.clone_for_start();
                    __rt::initial::<
                        u32,
                        (
                            <u32 as __rt::Checked<
                                {
                                    <__rt::ATree as __rt::CanMove<u32>>::IS
                                        & <__rt::ATree as __rt::CanKeepForInstances<u32>>::IS
                                },
                            >>::Type,
                        ),
                        _,
                    >(0..count, |__a0| (__a0,))
                };
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
                        #[allow(unused_variables)]
                        let db = __of_db.clone_for_start();
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
                            let __it: <Cart as __rt::ChildIf<
                                { <Cart as __rt::IsAChild>::IS },
                            >>::Start = Cart(db, n);
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
                let __of_db = __rt::Clone::clone(&__of_db);
                let __options = {
                    <Cart as __rt::ChildIf<{ <Cart as __rt::IsAChild>::IS }>>::options()
                };
                let __initial = __rt::no_initial();
                __rt::Builder::keyed::<
                    <String as __rt::Checked<
                        { <__rt::ATree as __rt::CanBeAKey<String>>::IS },
                    >>::Type,
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
                    "keyed",
                    __options,
                    __initial,
                    move |
                        __args: (
                            <String as __rt::Checked<
                                { <__rt::ATree as __rt::CanBeAKey<String>>::IS },
                            >>::Type,
                            (
                                <u32 as __rt::Checked<
                                    {
                                        <__rt::ATree as __rt::CanMove<u32>>::IS
                                            & <__rt::ATree as __rt::CanKeepForInstances<u32>>::IS
                                    },
                                >>::Type,
                            ),
                        )|
                    {
                        #[allow(unused_variables)]
                        let db = __of_db.clone_for_start();
                        let (
                            __key,
                            (n,),
                        ): (
                            <String as __rt::Checked<
                                { <__rt::ATree as __rt::CanBeAKey<String>>::IS },
                            >>::Type,
                            (
                                <u32 as __rt::Checked<
                                    {
                                        <__rt::ATree as __rt::CanMove<u32>>::IS
                                            & <__rt::ATree as __rt::CanKeepForInstances<u32>>::IS
                                    },
                                >>::Type,
                            ),
                        ) = __args;
                        #[allow(clippy::no_effect_underscore_binding)]
                        let name: String = __key;
                        async move {
                            let __it: <Cart as __rt::ChildIf<
                                { <Cart as __rt::IsAChild>::IS },
                            >>::Start = Cart(db, name, n);
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
            let __of_once = match {
                let __of_db = __rt::Clone::clone(&__of_db);
                let __options = {
                    <Cart as __rt::ChildIf<{ <Cart as __rt::IsAChild>::IS }>>::options()
                        .lifecycle(__rt::Lifecycle::Temporary)
                };
                let __initial = __rt::no_initial();
                __rt::Builder::set_once::<
                    _,
                    (
                        <Socket as __rt::Checked<
                            { <__rt::ATree as __rt::CanMoveIntoInstances<Socket>>::IS },
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
                            <Socket as __rt::Checked<
                                { <__rt::ATree as __rt::CanMoveIntoInstances<Socket>>::IS },
                            >>::Type,
                        )|
                    {
                        #[allow(unused_variables)]
                        let db = __of_db.clone_for_start();
                        let (
                            socket,
                        ): (
                            <Socket as __rt::Checked<
                                { <__rt::ATree as __rt::CanMoveIntoInstances<Socket>>::IS },
                            >>::Type,
                        ) = __args;
                        async move {
                            let __it: <Cart as __rt::ChildIf<
                                { <Cart as __rt::IsAChild>::IS },
                            >>::Start = Cart(db, socket);
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
            let __of_once_keyed = match {
                let __options = {
                    __rt::ChildOptions::<__rt::Task>::without_context()
                        .lifecycle(__rt::Lifecycle::Temporary)
                };
                let __initial = {
                    __rt::initial::<
                        (u64, Socket),
                        (
                            <u64 as __rt::Checked<
                                { <__rt::ATree as __rt::CanBeAKey<u64>>::IS },
                            >>::Type,
                            (
                                <Socket as __rt::Checked<
                                    {
                                        <__rt::ATree as __rt::CanMove<Socket>>::IS
                                            & <__rt::ATree as __rt::CanKeepForInitial<Socket>>::IS
                                    },
                                >>::Type,
                            ),
                        ),
                        _,
                    >([(1, first)], |(__a0, __a1)| (__a0, (__a1,)))
                };
                __rt::Builder::keyed_once::<
                    <u64 as __rt::Checked<
                        { <__rt::ATree as __rt::CanBeAKey<u64>>::IS },
                    >>::Type,
                    _,
                    (
                        <Socket as __rt::Checked<
                            {
                                <__rt::ATree as __rt::CanMove<Socket>>::IS
                                    & <__rt::ATree as __rt::CanKeepForInitial<Socket>>::IS
                            },
                        >>::Type,
                    ),
                    _,
                    _,
                >(
                    &__b,
                    "once_keyed",
                    __options,
                    __initial,
                    move |
                        __args: (
                            <u64 as __rt::Checked<
                                { <__rt::ATree as __rt::CanBeAKey<u64>>::IS },
                            >>::Type,
                            (
                                <Socket as __rt::Checked<
                                    {
                                        <__rt::ATree as __rt::CanMove<Socket>>::IS
                                            & <__rt::ATree as __rt::CanKeepForInitial<Socket>>::IS
                                    },
                                >>::Type,
                            ),
                        )|
                    {
                        let (
                            __key,
                            (socket,),
                        ): (
                            <u64 as __rt::Checked<
                                { <__rt::ATree as __rt::CanBeAKey<u64>>::IS },
                            >>::Type,
                            (
                                <Socket as __rt::Checked<
                                    {
                                        <__rt::ATree as __rt::CanMove<Socket>>::IS
                                            & <__rt::ATree as __rt::CanKeepForInitial<Socket>>::IS
                                    },
                                >>::Type,
                            ),
                        ) = __args;
                        #[allow(clippy::no_effect_underscore_binding)]
                        let n: u64 = __key;
                        async move {
                            let __it: __rt::TaskStart = __rt::future_of(async move {
                                #[allow(unreachable_code)]
                                __rt::TaskOutput::done(
                                    {
                                        #[allow(unused_imports)]
                                        use __rt::Polled as _;
                                        __rt::Poll(serve(n, socket)).polled()
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
            let once_keyed = __rt::Clone::clone(&__of_once_keyed);
            #[allow(unreachable_code)]
            let __of_branches = match {
                let __of_db = __rt::Clone::clone(&__of_db);
                let __options = {
                    <Shapes as __rt::ChildIf<
                        { <Shapes as __rt::IsAChild>::IS },
                    >>::options()
                };
                let __initial = __rt::no_initial();
                __rt::Builder::set::<
                    _,
                    (
                        <Db as __rt::Checked<
                            {
                                <__rt::ATree as __rt::CanMove<Db>>::IS
                                    & <__rt::ATree as __rt::CanKeepForInstances<Db>>::IS
                            },
                        >>::Type,
                    ),
                    _,
                    _,
                >(
                    &__b,
                    "branches",
                    __options,
                    __initial,
                    move |
                        __args: (
                            <Db as __rt::Checked<
                                {
                                    <__rt::ATree as __rt::CanMove<Db>>::IS
                                        & <__rt::ATree as __rt::CanKeepForInstances<Db>>::IS
                                },
                            >>::Type,
                        )|
                    {
                        #[allow(unused_variables)]
                        let db = __of_db.clone_for_start();
                        let (
                            db,
                        ): (
                            <Db as __rt::Checked<
                                {
                                    <__rt::ATree as __rt::CanMove<Db>>::IS
                                        & <__rt::ATree as __rt::CanKeepForInstances<Db>>::IS
                                },
                            >>::Type,
                        ) = __args;
                        async move {
                            let __it: <Shapes as __rt::ChildIf<
                                { <Shapes as __rt::IsAChild>::IS },
                            >>::Start = Shapes::tree(db, 1);
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
            let branches = __rt::Clone::clone(&__of_branches);
            #[allow(unreachable_code)]
            __rt::Ok::<
                _,
                __rt::Thrown,
            >(Shapes {
                one: __of_one.clone_for_start(),
                maybe: __of_maybe,
                row: __of_row,
                any: __of_any,
                keyed: __of_keyed,
                once: __of_once,
                once_keyed: __of_once_keyed,
                branches: __of_branches,
                tree: __of_tree,
            })
        }
    }
    #[automatically_derived]
    impl __rt::TreeHandle for Shapes {
        const SPEC: __rt::TreeSpec = __rt::TreeSpec {
            name: "Shapes",
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
                    name: "one",
                    doc: "",
                    item: "Cart",
                    shape: __rt::Shape::One,
                    kind: <Cart as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Cart as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "maybe",
                    doc: "",
                    item: "Cart",
                    shape: __rt::Shape::Optional,
                    kind: <Cart as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Cart as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "row",
                    doc: "",
                    item: "Cart",
                    shape: __rt::Shape::Array(__rt::number::<{ 2 }>()),
                    kind: <Cart as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Cart as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "any",
                    doc: "",
                    item: "Cart",
                    shape: __rt::Shape::Set,
                    kind: <Cart as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Transient,
                    limit: __rt::default_limit(__rt::OnLimit::Stop, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &["initial(0..count)"],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Instance(|| <Cart as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "keyed",
                    doc: "",
                    item: "Cart",
                    shape: __rt::Shape::Keyed("String"),
                    kind: <Cart as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Transient,
                    limit: __rt::default_limit(__rt::OnLimit::Stop, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Instance(|| <Cart as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "once",
                    doc: "",
                    item: "Cart",
                    shape: __rt::Shape::Set,
                    kind: <Cart as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Temporary,
                    limit: __rt::DeclaredLimit::Never,
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &["lifecycle(Temporary)"],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Instance(|| <Cart as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "once_keyed",
                    doc: "",
                    item: "task",
                    shape: __rt::Shape::Keyed("u64"),
                    kind: __rt::ChildKind::Task,
                    lifecycle: __rt::Lifecycle::Temporary,
                    limit: __rt::DeclaredLimit::Never,
                    shutdown: __rt::DeclaredShutdown::Is(
                        __rt::ShutdownTimeout::Within(__rt::Duration::new(0, 0)),
                    ),
                    settings: &["lifecycle(Temporary)", "initial([(1, first)])"],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(::core::option::Option::None),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "branches",
                    doc: "",
                    item: "Shapes",
                    shape: __rt::Shape::Set,
                    kind: <Shapes as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Transient,
                    limit: __rt::default_limit(__rt::OnLimit::Stop, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Instance(|| <Shapes as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
            ],
        };
    }
    #[automatically_derived]
    impl __rt::Child for Shapes {
        type Handle = Shapes;
        type Start = __rt::Tree<Shapes>;
        const KIND: __rt::ChildKind = __rt::ChildKind::Tree;
        const TREE: ::core::option::Option<&'static __rt::TreeSpec> = ::core::option::Option::Some(
            &<Shapes as __rt::TreeHandle>::SPEC,
        );
        fn launch<__F, __Fut>(
            __slot: __rt::ChildSlot,
            __options: __rt::ChildOptions<Self>,
            __start: __F,
        ) -> __rt::Launched<Shapes>
        where
            __F: ::core::ops::FnMut() -> __Fut + ::core::marker::Send + 'static,
            __Fut: ::core::future::Future<
                    Output = ::core::result::Result<__rt::Tree<Shapes>, __rt::Thrown>,
                > + ::core::marker::Send + 'static,
        {
            __rt::launch_tree(__slot, __options, __start)
        }
    }
};
///
///```text
///Shapes  OneForOne
///├── one: Cart  Permanent  at most 10 restarts in 60s: Shapes fails after 5.11s of outage
///├── maybe: Option<Cart>  Permanent  at most 10 restarts in 60s: Shapes fails after 5.11s of outage
///├── row: [Cart; 2]  Permanent  at most 10 restarts in 60s: Shapes fails after 5.11s of outage
///├── any: [Cart]  Transient  initial(0..count)  at most 10 restarts in 60s: it ends after 5.11s of outage
///├── keyed: [String => Cart]  Transient  at most 10 restarts in 60s: it ends after 5.11s of outage
///├── once: [Cart]  Temporary  lifecycle(Temporary)
///├── once_keyed: [u64 => task]  Temporary  lifecycle(Temporary)  initial([(1, first)])
///└── branches: [Shapes]  Transient  at most 10 restarts in 60s: it ends after 5.11s of outage
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
struct Shapes {
    #[cfg(any(doc, rust_analyzer))]
    ///The child `one`.
    #[allow(dead_code)]
    one: ::supervise::expansion::Handle<Cart>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `one`.
    #[allow(dead_code)]
    one: <Cart as ::supervise::expansion::ChildIf<
        { <Cart as ::supervise::expansion::IsAChild>::IS },
    >>::Handle,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `maybe`.
    #[allow(dead_code)]
    maybe: ::core::option::Option<::supervise::expansion::Handle<Cart>>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `maybe`.
    #[allow(dead_code)]
    maybe: ::core::option::Option<
        <Cart as ::supervise::expansion::ChildIf<
            { <Cart as ::supervise::expansion::IsAChild>::IS },
        >>::Handle,
    >,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `row`.
    #[allow(dead_code)]
    row: ::supervise::expansion::Handles<::supervise::expansion::Handle<Cart>, { 2 }>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `row`.
    #[allow(dead_code)]
    row: ::supervise::expansion::Handles<
        <Cart as ::supervise::expansion::ChildIf<
            { <Cart as ::supervise::expansion::IsAChild>::IS },
        >>::Handle,
        { 2 },
    >,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `any`.
    #[allow(dead_code)]
    any: ::supervise::expansion::Children<Cart, (u32,)>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `any`.
    #[allow(dead_code)]
    any: <Cart as ::supervise::expansion::ChildIf<
        { <Cart as ::supervise::expansion::IsAChild>::IS },
    >>::Set<
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
    keyed: ::supervise::expansion::Keyed<String, Cart, (u32,)>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `keyed`.
    #[allow(dead_code)]
    keyed: <Cart as ::supervise::expansion::ChildIf<
        { <Cart as ::supervise::expansion::IsAChild>::IS },
    >>::Keyed<
        <String as ::supervise::expansion::Checked<
            {
                <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanBeAKey<
                    String,
                >>::IS
            },
        >>::Type,
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
    ///The child `once`.
    #[allow(dead_code)]
    once: ::supervise::expansion::Children<Cart, (Socket,)>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `once`.
    #[allow(dead_code)]
    once: <Cart as ::supervise::expansion::ChildIf<
        { <Cart as ::supervise::expansion::IsAChild>::IS },
    >>::Set<
        (
            <Socket as ::supervise::expansion::Checked<
                {
                    <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanMoveIntoInstances<
                        Socket,
                    >>::IS
                },
            >>::Type,
        ),
    >,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `once_keyed`.
    #[allow(dead_code)]
    once_keyed: ::supervise::expansion::Keyed<
        u64,
        ::supervise::expansion::Task,
        (Socket,),
    >,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `once_keyed`.
    #[allow(dead_code)]
    once_keyed: ::supervise::expansion::Keyed<
        <u64 as ::supervise::expansion::Checked<
            {
                <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanBeAKey<
                    u64,
                >>::IS
            },
        >>::Type,
        ::supervise::expansion::Task,
        (
            <Socket as ::supervise::expansion::Checked<
                {
                    <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanMove<
                        Socket,
                    >>::IS
                        & <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanKeepForInitial<
                            Socket,
                        >>::IS
                },
            >>::Type,
        ),
    >,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `branches`.
    #[allow(dead_code)]
    branches: ::supervise::expansion::Children<Shapes, (Db,)>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `branches`.
    #[allow(dead_code)]
    branches: <Shapes as ::supervise::expansion::ChildIf<
        { <Shapes as ::supervise::expansion::IsAChild>::IS },
    >>::Set<
        (
            <Db as ::supervise::expansion::Checked<
                {
                    <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanMove<
                        Db,
                    >>::IS
                        & <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanKeepForInstances<
                            Db,
                        >>::IS
                },
            >>::Type,
        ),
    >,
    #[doc(hidden)]
    tree: ::supervise::expansion::TreeRef,
}
#[automatically_derived]
impl ::core::clone::Clone for Shapes {
    fn clone(&self) -> Self {
        Shapes {
            one: ::core::clone::Clone::clone(&self.one),
            maybe: ::core::clone::Clone::clone(&self.maybe),
            row: ::core::clone::Clone::clone(&self.row),
            any: ::core::clone::Clone::clone(&self.any),
            keyed: ::core::clone::Clone::clone(&self.keyed),
            once: ::core::clone::Clone::clone(&self.once),
            once_keyed: ::core::clone::Clone::clone(&self.once_keyed),
            branches: ::core::clone::Clone::clone(&self.branches),
            tree: ::core::clone::Clone::clone(&self.tree),
        }
    }
}
#[automatically_derived]
impl ::core::fmt::Debug for Shapes {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.tree, f)
    }
}
#[automatically_derived]
impl ::core::ops::Deref for Shapes {
    type Target = ::supervise::expansion::TreeRef;
    fn deref(&self) -> &::supervise::expansion::TreeRef {
        &self.tree
    }
}
impl Shapes {
    /// The tree as it is declared.
    #[allow(dead_code)]
    const SPEC: ::supervise::expansion::TreeSpec = <Self as ::supervise::expansion::TreeHandle>::SPEC;
    ///`Shapes` with these parameters, not yet started. Start it, or make it a child of another tree.
    #[must_use]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn tree(db: Db, count: u32) -> ::supervise::expansion::Tree<Self> {
        ::supervise::expansion::tree((db, count))
    }
    ///Starts `Shapes`: its children in order, each awaited.
    ///
    ///# Errors
    ///
    ///The failure of the child that could not start. Children that were up are stopped again.
    #[track_caller]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn start(
        db: Db,
        count: u32,
    ) -> ::supervise::expansion::BoxFuture<
        'static,
        ::core::result::Result<
            ::supervise::expansion::Running<Self>,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::start(Self::tree(db, count))
    }
    ///Starts `Shapes`, waits until `until` has finished or the tree has ended by itself, and shuts the tree down.
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
        db: Db,
        count: u32,
        until: impl ::core::future::Future + ::core::marker::Send + '__until,
    ) -> ::supervise::expansion::BoxFuture<
        '__until,
        ::core::result::Result<
            ::supervise::expansion::Report,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::run(Self::tree(db, count), until)
    }
}
