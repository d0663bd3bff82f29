#[allow(unknown_lints)]
#[allow(
    closure_returning_async_block,
    unexpected_cfgs,
    unused_braces,
    unused_parens,
    unused_qualifications
)]
const _: () = {
    #[cfg(any(rust_analyzer, not(rust_analyzer)))]
    #[automatically_derived]
    impl ::supervise::__private::TreeDef for Shapes {
        type Params = (
            <Db as ::supervise::__private::It<
                {
                    <::supervise::__private::Keeper as ::supervise::__private::Param<
                        Db,
                    >>::IS
                },
            >>::It,
            <u32 as ::supervise::__private::It<
                {
                    <::supervise::__private::Keeper as ::supervise::__private::Param<
                        u32,
                    >>::IS
                },
            >>::It,
        );
        async fn build(
            (__of_db, __of_count): Self::Params,
            __b: ::supervise::__private::Builder,
        ) -> ::core::result::Result<Self, ::supervise::__private::Thrown> {
            #[allow(unused_variables)]
            let __of_db = ::supervise::__private::Builder::keep(&__b, __of_db);
            #[allow(unused_variables)]
            let __of_count = ::supervise::__private::Builder::keep(&__b, __of_count);
            #[cfg(rust_analyzer)]
            let db = ::core::clone::Clone::clone(&__of_db);
            #[cfg(rust_analyzer)]
            let count = ::core::clone::Clone::clone(&__of_count);
            let __of_tree = ::supervise::__private::Builder::tree_ref(&__b);
            #[cfg(rust_analyzer)]
            let tree = ::core::clone::Clone::clone(&__of_tree);
            ::supervise::__private::Builder::supervision(
                &__b,
                {
                    ::supervise::__private::SupervisorStrategy::new(
                        ::supervise::__private::Strategy::OneForOne,
                    )
                },
            );
            #[allow(unreachable_code, unused_variables)]
            let __of_one = match {
                #[allow(unused_variables)]
                let __of_db = ::core::clone::Clone::clone(&__of_db);
                let __options = {
                    <Cart as ::supervise::__private::ChildIf<
                        { <Cart as ::supervise::__private::Declared>::IS },
                    >>::options()
                };
                ::supervise::__private::Builder::child(
                    &__b,
                    "one",
                    __options,
                    move || {
                        #[allow(unused_variables)]
                        let db = ::supervise::__private::Kept::again(&__of_db);
                        async move {
                            let __it: <Cart as ::supervise::__private::ChildIf<
                                { <Cart as ::supervise::__private::Declared>::IS },
                            >>::Start = Cart(db);
                            ::core::result::Result::Ok::<
                                _,
                                ::supervise::__private::Thrown,
                            >(__it)
                        }
                    },
                )
            }
                .await
            {
                ::core::result::Result::Ok(__handle) => __handle,
                ::core::result::Result::Err(__error) => {
                    return ::core::result::Result::Err(__error);
                }
            };
            #[cfg(rust_analyzer)]
            let one = ::core::clone::Clone::clone(&__of_one);
            #[allow(unreachable_code, unused_variables)]
            let __of_maybe = match {
                #[allow(unused_variables)]
                let __of_db = ::core::clone::Clone::clone(&__of_db);
                let __options = {
                    <Cart as ::supervise::__private::ChildIf<
                        { <Cart as ::supervise::__private::Declared>::IS },
                    >>::options()
                };
                ::supervise::__private::Builder::optional(
                    &__b,
                    "maybe",
                    __options,
                    move || {
                        #[allow(unused_variables)]
                        let db = ::supervise::__private::Kept::again(&__of_db);
                        async move {
                            let __it: ::core::option::Option<
                                <Cart as ::supervise::__private::ChildIf<
                                    { <Cart as ::supervise::__private::Declared>::IS },
                                >>::Start,
                            > = Some(Cart(db));
                            ::core::result::Result::Ok::<
                                _,
                                ::supervise::__private::Thrown,
                            >(__it)
                        }
                    },
                )
            }
                .await
            {
                ::core::result::Result::Ok(__handle) => __handle,
                ::core::result::Result::Err(__error) => {
                    return ::core::result::Result::Err(__error);
                }
            };
            #[cfg(rust_analyzer)]
            let maybe = ::core::clone::Clone::clone(&__of_maybe);
            #[allow(unreachable_code, unused_variables)]
            let __of_row = match {
                #[allow(unused_variables)]
                let __of_db = ::core::clone::Clone::clone(&__of_db);
                let __options = {
                    <Cart as ::supervise::__private::ChildIf<
                        { <Cart as ::supervise::__private::Declared>::IS },
                    >>::options()
                };
                ::supervise::__private::Builder::array::<
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
                        let db = ::supervise::__private::Kept::again(&__of_db);
                        let i: usize = __i;
                        async move {
                            let __it: <Cart as ::supervise::__private::ChildIf<
                                { <Cart as ::supervise::__private::Declared>::IS },
                            >>::Start = Cart(db, i);
                            ::core::result::Result::Ok::<
                                _,
                                ::supervise::__private::Thrown,
                            >(__it)
                        }
                    },
                )
            }
                .await
            {
                ::core::result::Result::Ok(__handle) => __handle,
                ::core::result::Result::Err(__error) => {
                    return ::core::result::Result::Err(__error);
                }
            };
            #[cfg(rust_analyzer)]
            let row = ::core::clone::Clone::clone(&__of_row);
            #[allow(unreachable_code, unused_variables)]
            let __of_any = match {
                #[allow(unused_variables)]
                let __of_db = ::core::clone::Clone::clone(&__of_db);
                let __options = {
                    #[allow(unused_variables)]
                    let count = ::supervise::__private::Kept::again(&__of_count);
                    <Cart as ::supervise::__private::ChildIf<
                        { <Cart as ::supervise::__private::Declared>::IS },
                    >>::options()
                };
                let __initial = {
                    #[allow(unused_variables)]
                    let count = ::supervise::__private::Kept::again(&__of_count);
                    ::supervise::__private::initial::<
                        u32,
                        (
                            <u32 as ::supervise::__private::It<
                                {
                                    <::supervise::__private::Keeper as ::supervise::__private::Argument<
                                        u32,
                                    >>::IS
                                },
                            >>::It,
                        ),
                        _,
                    >(0..count, |__a0| (__a0,))
                };
                ::supervise::__private::Builder::set::<
                    _,
                    (
                        <u32 as ::supervise::__private::It<
                            {
                                <::supervise::__private::Keeper as ::supervise::__private::Argument<
                                    u32,
                                >>::IS
                            },
                        >>::It,
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
                            <u32 as ::supervise::__private::It<
                                {
                                    <::supervise::__private::Keeper as ::supervise::__private::Argument<
                                        u32,
                                    >>::IS
                                },
                            >>::It,
                        )|
                    {
                        #[allow(unused_variables)]
                        let db = ::supervise::__private::Kept::again(&__of_db);
                        let (
                            n,
                        ): (
                            <u32 as ::supervise::__private::It<
                                {
                                    <::supervise::__private::Keeper as ::supervise::__private::Argument<
                                        u32,
                                    >>::IS
                                },
                            >>::It,
                        ) = __args;
                        async move {
                            let __it: <Cart as ::supervise::__private::ChildIf<
                                { <Cart as ::supervise::__private::Declared>::IS },
                            >>::Start = Cart(db, n);
                            ::core::result::Result::Ok::<
                                _,
                                ::supervise::__private::Thrown,
                            >(__it)
                        }
                    },
                )
            }
                .await
            {
                ::core::result::Result::Ok(__handle) => __handle,
                ::core::result::Result::Err(__error) => {
                    return ::core::result::Result::Err(__error);
                }
            };
            #[cfg(rust_analyzer)]
            let any = ::core::clone::Clone::clone(&__of_any);
            #[allow(unreachable_code, unused_variables)]
            let __of_keyed = match {
                #[allow(unused_variables)]
                let __of_db = ::core::clone::Clone::clone(&__of_db);
                let __options = {
                    <Cart as ::supervise::__private::ChildIf<
                        { <Cart as ::supervise::__private::Declared>::IS },
                    >>::options()
                };
                let __initial = ::supervise::__private::no_initial();
                ::supervise::__private::Builder::keyed::<
                    <String as ::supervise::__private::It<
                        {
                            <::supervise::__private::Keeper as ::supervise::__private::AsKey<
                                String,
                            >>::IS
                        },
                    >>::It,
                    _,
                    (
                        <u32 as ::supervise::__private::It<
                            {
                                <::supervise::__private::Keeper as ::supervise::__private::Argument<
                                    u32,
                                >>::IS
                            },
                        >>::It,
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
                            <String as ::supervise::__private::It<
                                {
                                    <::supervise::__private::Keeper as ::supervise::__private::AsKey<
                                        String,
                                    >>::IS
                                },
                            >>::It,
                            (
                                <u32 as ::supervise::__private::It<
                                    {
                                        <::supervise::__private::Keeper as ::supervise::__private::Argument<
                                            u32,
                                        >>::IS
                                    },
                                >>::It,
                            ),
                        )|
                    {
                        #[allow(unused_variables)]
                        let db = ::supervise::__private::Kept::again(&__of_db);
                        let (
                            __key,
                            (n,),
                        ): (
                            <String as ::supervise::__private::It<
                                {
                                    <::supervise::__private::Keeper as ::supervise::__private::AsKey<
                                        String,
                                    >>::IS
                                },
                            >>::It,
                            (
                                <u32 as ::supervise::__private::It<
                                    {
                                        <::supervise::__private::Keeper as ::supervise::__private::Argument<
                                            u32,
                                        >>::IS
                                    },
                                >>::It,
                            ),
                        ) = __args;
                        let name: String = __key;
                        async move {
                            let __it: <Cart as ::supervise::__private::ChildIf<
                                { <Cart as ::supervise::__private::Declared>::IS },
                            >>::Start = Cart(db, name, n);
                            ::core::result::Result::Ok::<
                                _,
                                ::supervise::__private::Thrown,
                            >(__it)
                        }
                    },
                )
            }
                .await
            {
                ::core::result::Result::Ok(__handle) => __handle,
                ::core::result::Result::Err(__error) => {
                    return ::core::result::Result::Err(__error);
                }
            };
            #[cfg(rust_analyzer)]
            let keyed = ::core::clone::Clone::clone(&__of_keyed);
            #[allow(unreachable_code, unused_variables)]
            let __of_once = match {
                #[allow(unused_variables)]
                let __of_db = ::core::clone::Clone::clone(&__of_db);
                let __options = {
                    let __options = <Cart as ::supervise::__private::ChildIf<
                        { <Cart as ::supervise::__private::Declared>::IS },
                    >>::options();
                    __options.lifecycle(::supervise::__private::Lifecycle::Temporary)
                };
                let __initial = ::supervise::__private::no_initial();
                ::supervise::__private::Builder::set_once::<
                    _,
                    (
                        <Socket as ::supervise::__private::It<
                            {
                                <::supervise::__private::Keeper as ::supervise::__private::Moved<
                                    Socket,
                                >>::IS
                            },
                        >>::It,
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
                            <Socket as ::supervise::__private::It<
                                {
                                    <::supervise::__private::Keeper as ::supervise::__private::Moved<
                                        Socket,
                                    >>::IS
                                },
                            >>::It,
                        )|
                    {
                        #[allow(unused_variables)]
                        let db = ::supervise::__private::Kept::again(&__of_db);
                        let (
                            socket,
                        ): (
                            <Socket as ::supervise::__private::It<
                                {
                                    <::supervise::__private::Keeper as ::supervise::__private::Moved<
                                        Socket,
                                    >>::IS
                                },
                            >>::It,
                        ) = __args;
                        async move {
                            let __it: <Cart as ::supervise::__private::ChildIf<
                                { <Cart as ::supervise::__private::Declared>::IS },
                            >>::Start = Cart(db, socket);
                            ::core::result::Result::Ok::<
                                _,
                                ::supervise::__private::Thrown,
                            >(__it)
                        }
                    },
                )
            }
                .await
            {
                ::core::result::Result::Ok(__handle) => __handle,
                ::core::result::Result::Err(__error) => {
                    return ::core::result::Result::Err(__error);
                }
            };
            #[cfg(rust_analyzer)]
            let once = ::core::clone::Clone::clone(&__of_once);
            #[allow(unreachable_code, unused_variables)]
            let __of_once_keyed = match {
                let __options = {
                    let __options = ::supervise::__private::ChildOptions::<
                        ::supervise::__private::Task,
                    >::new();
                    __options.lifecycle(::supervise::__private::Lifecycle::Temporary)
                };
                let __initial = {
                    ::supervise::__private::initial::<
                        (u64, Socket),
                        (
                            <u64 as ::supervise::__private::It<
                                {
                                    <::supervise::__private::Keeper as ::supervise::__private::AsKey<
                                        u64,
                                    >>::IS
                                },
                            >>::It,
                            (
                                <Socket as ::supervise::__private::It<
                                    {
                                        <::supervise::__private::Keeper as ::supervise::__private::First<
                                            Socket,
                                        >>::IS
                                    },
                                >>::It,
                            ),
                        ),
                        _,
                    >([(1, socket)], |(__a0, __a1)| (__a0, (__a1,)))
                };
                ::supervise::__private::Builder::keyed_once::<
                    <u64 as ::supervise::__private::It<
                        {
                            <::supervise::__private::Keeper as ::supervise::__private::AsKey<
                                u64,
                            >>::IS
                        },
                    >>::It,
                    _,
                    (
                        <Socket as ::supervise::__private::It<
                            {
                                <::supervise::__private::Keeper as ::supervise::__private::First<
                                    Socket,
                                >>::IS
                            },
                        >>::It,
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
                            <u64 as ::supervise::__private::It<
                                {
                                    <::supervise::__private::Keeper as ::supervise::__private::AsKey<
                                        u64,
                                    >>::IS
                                },
                            >>::It,
                            (
                                <Socket as ::supervise::__private::It<
                                    {
                                        <::supervise::__private::Keeper as ::supervise::__private::First<
                                            Socket,
                                        >>::IS
                                    },
                                >>::It,
                            ),
                        )|
                    {
                        let (
                            __key,
                            (socket,),
                        ): (
                            <u64 as ::supervise::__private::It<
                                {
                                    <::supervise::__private::Keeper as ::supervise::__private::AsKey<
                                        u64,
                                    >>::IS
                                },
                            >>::It,
                            (
                                <Socket as ::supervise::__private::It<
                                    {
                                        <::supervise::__private::Keeper as ::supervise::__private::First<
                                            Socket,
                                        >>::IS
                                    },
                                >>::It,
                            ),
                        ) = __args;
                        let n: u64 = __key;
                        async move {
                            let __it: ::supervise::__private::TaskStart = ::supervise::__private::future_of(async move {
                                #[allow(unreachable_code)]
                                ::supervise::__private::TaskOutput::done(
                                    (serve(n, socket)).await,
                                )
                            });
                            ::core::result::Result::Ok::<
                                _,
                                ::supervise::__private::Thrown,
                            >(__it)
                        }
                    },
                )
            }
                .await
            {
                ::core::result::Result::Ok(__handle) => __handle,
                ::core::result::Result::Err(__error) => {
                    return ::core::result::Result::Err(__error);
                }
            };
            #[cfg(rust_analyzer)]
            let once_keyed = ::core::clone::Clone::clone(&__of_once_keyed);
            #[allow(unreachable_code, unused_variables)]
            let __of_branches = match {
                #[allow(unused_variables)]
                let __of_db = ::core::clone::Clone::clone(&__of_db);
                let __options = {
                    <Shapes as ::supervise::__private::ChildIf<
                        { <Shapes as ::supervise::__private::Declared>::IS },
                    >>::options()
                };
                let __initial = ::supervise::__private::no_initial();
                ::supervise::__private::Builder::set::<
                    _,
                    (
                        <Db as ::supervise::__private::It<
                            {
                                <::supervise::__private::Keeper as ::supervise::__private::Argument<
                                    Db,
                                >>::IS
                            },
                        >>::It,
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
                            <Db as ::supervise::__private::It<
                                {
                                    <::supervise::__private::Keeper as ::supervise::__private::Argument<
                                        Db,
                                    >>::IS
                                },
                            >>::It,
                        )|
                    {
                        #[allow(unused_variables)]
                        let db = ::supervise::__private::Kept::again(&__of_db);
                        let (
                            db,
                        ): (
                            <Db as ::supervise::__private::It<
                                {
                                    <::supervise::__private::Keeper as ::supervise::__private::Argument<
                                        Db,
                                    >>::IS
                                },
                            >>::It,
                        ) = __args;
                        async move {
                            let __it: <Shapes as ::supervise::__private::ChildIf<
                                { <Shapes as ::supervise::__private::Declared>::IS },
                            >>::Start = Shapes::tree(db, 1);
                            ::core::result::Result::Ok::<
                                _,
                                ::supervise::__private::Thrown,
                            >(__it)
                        }
                    },
                )
            }
                .await
            {
                ::core::result::Result::Ok(__handle) => __handle,
                ::core::result::Result::Err(__error) => {
                    return ::core::result::Result::Err(__error);
                }
            };
            #[cfg(rust_analyzer)]
            let branches = ::core::clone::Clone::clone(&__of_branches);
            #[allow(unreachable_code)]
            ::core::result::Result::Ok::<
                _,
                ::supervise::__private::Thrown,
            >(Shapes {
                one: __of_one,
                maybe: __of_maybe,
                row: __of_row,
                any: __of_any,
                keyed: __of_keyed,
                once: __of_once,
                once_keyed: __of_once_keyed,
                branches: __of_branches,
                __tree: __of_tree,
            })
        }
    }
    #[automatically_derived]
    impl ::supervise::__private::TreeHandle for Shapes {
        const SPEC: ::supervise::__private::TreeSpec = ::supervise::__private::TreeSpec {
            name: "Shapes",
            doc: "",
            strategy: ::supervise::__private::Strategy::OneForOne,
            settings: &[],
            children: &[
                ::supervise::__private::ChildSpec {
                    name: "one",
                    doc: "",
                    item: "Cart",
                    shape: ::supervise::__private::Shape::One,
                    kind: <Cart as ::supervise::__private::Declared>::KIND,
                    lifecycle: ::supervise::__private::Lifecycle::Permanent,
                    shutdown: ::supervise::__private::DeclaredShutdown::Default,
                    settings: &[],
                    below: ::supervise::__private::Below::Known(
                        <Cart as ::supervise::__private::Declared>::TREE,
                    ),
                },
                ::supervise::__private::ChildSpec {
                    name: "maybe",
                    doc: "",
                    item: "Cart",
                    shape: ::supervise::__private::Shape::Optional,
                    kind: <Cart as ::supervise::__private::Declared>::KIND,
                    lifecycle: ::supervise::__private::Lifecycle::Permanent,
                    shutdown: ::supervise::__private::DeclaredShutdown::Default,
                    settings: &[],
                    below: ::supervise::__private::Below::Known(
                        <Cart as ::supervise::__private::Declared>::TREE,
                    ),
                },
                ::supervise::__private::ChildSpec {
                    name: "row",
                    doc: "",
                    item: "Cart",
                    shape: ::supervise::__private::Shape::Array(
                        ::supervise::__private::number::<{ 2 }>(),
                    ),
                    kind: <Cart as ::supervise::__private::Declared>::KIND,
                    lifecycle: ::supervise::__private::Lifecycle::Permanent,
                    shutdown: ::supervise::__private::DeclaredShutdown::Default,
                    settings: &[],
                    below: ::supervise::__private::Below::Known(
                        <Cart as ::supervise::__private::Declared>::TREE,
                    ),
                },
                ::supervise::__private::ChildSpec {
                    name: "any",
                    doc: "",
                    item: "Cart",
                    shape: ::supervise::__private::Shape::Set,
                    kind: <Cart as ::supervise::__private::Declared>::KIND,
                    lifecycle: ::supervise::__private::Lifecycle::Transient,
                    shutdown: ::supervise::__private::DeclaredShutdown::Default,
                    settings: &["initial(0..count)"],
                    below: ::supervise::__private::Below::Instance(|| {
                        <Cart as ::supervise::__private::Declared>::TREE
                    }),
                },
                ::supervise::__private::ChildSpec {
                    name: "keyed",
                    doc: "",
                    item: "Cart",
                    shape: ::supervise::__private::Shape::Keyed("String"),
                    kind: <Cart as ::supervise::__private::Declared>::KIND,
                    lifecycle: ::supervise::__private::Lifecycle::Transient,
                    shutdown: ::supervise::__private::DeclaredShutdown::Default,
                    settings: &[],
                    below: ::supervise::__private::Below::Instance(|| {
                        <Cart as ::supervise::__private::Declared>::TREE
                    }),
                },
                ::supervise::__private::ChildSpec {
                    name: "once",
                    doc: "",
                    item: "Cart",
                    shape: ::supervise::__private::Shape::Set,
                    kind: <Cart as ::supervise::__private::Declared>::KIND,
                    lifecycle: ::supervise::__private::Lifecycle::Temporary,
                    shutdown: ::supervise::__private::DeclaredShutdown::Default,
                    settings: &["lifecycle(Temporary)"],
                    below: ::supervise::__private::Below::Instance(|| {
                        <Cart as ::supervise::__private::Declared>::TREE
                    }),
                },
                ::supervise::__private::ChildSpec {
                    name: "once_keyed",
                    doc: "",
                    item: "task",
                    shape: ::supervise::__private::Shape::Keyed("u64"),
                    kind: ::supervise::__private::Kind::Task,
                    lifecycle: ::supervise::__private::Lifecycle::Temporary,
                    shutdown: ::supervise::__private::DeclaredShutdown::Is(
                        ::supervise::__private::Shutdown::Within(
                            ::core::time::Duration::new(0, 0),
                        ),
                    ),
                    settings: &["lifecycle(Temporary)", "initial([(1, socket)])"],
                    below: ::supervise::__private::Below::Known(
                        ::core::option::Option::None,
                    ),
                },
                ::supervise::__private::ChildSpec {
                    name: "branches",
                    doc: "",
                    item: "Shapes",
                    shape: ::supervise::__private::Shape::Set,
                    kind: <Shapes as ::supervise::__private::Declared>::KIND,
                    lifecycle: ::supervise::__private::Lifecycle::Transient,
                    shutdown: ::supervise::__private::DeclaredShutdown::Default,
                    settings: &[],
                    below: ::supervise::__private::Below::Instance(|| {
                        <Shapes as ::supervise::__private::Declared>::TREE
                    }),
                },
            ],
        };
    }
    #[automatically_derived]
    impl ::supervise::__private::Child for Shapes {
        type Handle = Shapes;
        type Start = ::supervise::__private::Tree<Shapes>;
        const KIND: ::supervise::__private::Kind = ::supervise::__private::Kind::Tree;
        const TREE: ::core::option::Option<&'static ::supervise::__private::TreeSpec> = ::core::option::Option::Some(
            &<Shapes as ::supervise::__private::TreeHandle>::SPEC,
        );
        fn launch<__F, __Fut>(
            __seat: ::supervise::__private::Seat,
            __options: ::supervise::__private::ChildOptions<Self>,
            __start: __F,
        ) -> ::supervise::__private::Launched<Shapes>
        where
            __F: ::core::ops::FnMut() -> __Fut + ::core::marker::Send + 'static,
            __Fut: ::core::future::Future<
                    Output = ::core::result::Result<
                        ::supervise::__private::Tree<Shapes>,
                        ::supervise::__private::Thrown,
                    >,
                > + ::core::marker::Send + 'static,
        {
            ::supervise::__private::launch_tree(__seat, __options, __start)
        }
    }
};
///
///```text
///Shapes  OneForOne
///├── one: Cart  Permanent
///├── maybe: Option<Cart>  Permanent
///├── row: [Cart; 2]  Permanent
///├── any: [Cart]  Transient  initial(0..count)
///├── keyed: [String => Cart]  Transient
///├── once: [Cart]  Temporary  lifecycle(Temporary)
///├── once_keyed: [u64 => task]  Temporary  lifecycle(Temporary)  initial([(1, socket)])
///└── branches: [Shapes]  Transient
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
struct Shapes {
    #[cfg(any(doc, rust_analyzer))]
    ///The child `one`.
    #[allow(dead_code)]
    one: ::supervise::__private::Handle<Cart>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `one`.
    #[allow(dead_code)]
    one: <Cart as ::supervise::__private::ChildIf<
        { <Cart as ::supervise::__private::Declared>::IS },
    >>::Handle,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `maybe`.
    #[allow(dead_code)]
    maybe: ::core::option::Option<::supervise::__private::Handle<Cart>>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `maybe`.
    #[allow(dead_code)]
    maybe: ::core::option::Option<
        <Cart as ::supervise::__private::ChildIf<
            { <Cart as ::supervise::__private::Declared>::IS },
        >>::Handle,
    >,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `row`.
    #[allow(dead_code)]
    row: [::supervise::__private::Handle<Cart>; 2],
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `row`.
    #[allow(dead_code)]
    row: [<Cart as ::supervise::__private::ChildIf<
        { <Cart as ::supervise::__private::Declared>::IS },
    >>::Handle; 2],
    #[cfg(any(doc, rust_analyzer))]
    ///The child `any`.
    #[allow(dead_code)]
    any: ::supervise::__private::Children<Cart, (u32,)>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `any`.
    #[allow(dead_code)]
    any: <Cart as ::supervise::__private::ChildIf<
        { <Cart as ::supervise::__private::Declared>::IS },
    >>::Set<
        (
            <u32 as ::supervise::__private::It<
                {
                    <::supervise::__private::Keeper as ::supervise::__private::Argument<
                        u32,
                    >>::IS
                },
            >>::It,
        ),
    >,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `keyed`.
    #[allow(dead_code)]
    keyed: ::supervise::__private::Keyed<String, Cart, (u32,)>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `keyed`.
    #[allow(dead_code)]
    keyed: <Cart as ::supervise::__private::ChildIf<
        { <Cart as ::supervise::__private::Declared>::IS },
    >>::Keyed<
        <String as ::supervise::__private::It<
            {
                <::supervise::__private::Keeper as ::supervise::__private::AsKey<
                    String,
                >>::IS
            },
        >>::It,
        (
            <u32 as ::supervise::__private::It<
                {
                    <::supervise::__private::Keeper as ::supervise::__private::Argument<
                        u32,
                    >>::IS
                },
            >>::It,
        ),
    >,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `once`.
    #[allow(dead_code)]
    once: ::supervise::__private::Children<Cart, (Socket,)>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `once`.
    #[allow(dead_code)]
    once: <Cart as ::supervise::__private::ChildIf<
        { <Cart as ::supervise::__private::Declared>::IS },
    >>::Set<
        (
            <Socket as ::supervise::__private::It<
                {
                    <::supervise::__private::Keeper as ::supervise::__private::Moved<
                        Socket,
                    >>::IS
                },
            >>::It,
        ),
    >,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `once_keyed`.
    #[allow(dead_code)]
    once_keyed: ::supervise::__private::Keyed<
        u64,
        ::supervise::__private::Task,
        (Socket,),
    >,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `once_keyed`.
    #[allow(dead_code)]
    once_keyed: ::supervise::__private::Keyed<
        <u64 as ::supervise::__private::It<
            {
                <::supervise::__private::Keeper as ::supervise::__private::AsKey<
                    u64,
                >>::IS
            },
        >>::It,
        ::supervise::__private::Task,
        (
            <Socket as ::supervise::__private::It<
                {
                    <::supervise::__private::Keeper as ::supervise::__private::First<
                        Socket,
                    >>::IS
                },
            >>::It,
        ),
    >,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `branches`.
    #[allow(dead_code)]
    branches: ::supervise::__private::Children<Shapes, (Db,)>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `branches`.
    #[allow(dead_code)]
    branches: <Shapes as ::supervise::__private::ChildIf<
        { <Shapes as ::supervise::__private::Declared>::IS },
    >>::Set<
        (
            <Db as ::supervise::__private::It<
                {
                    <::supervise::__private::Keeper as ::supervise::__private::Argument<
                        Db,
                    >>::IS
                },
            >>::It,
        ),
    >,
    #[doc(hidden)]
    __tree: ::supervise::__private::TreeRef,
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
            __tree: ::core::clone::Clone::clone(&self.__tree),
        }
    }
}
#[automatically_derived]
impl ::core::fmt::Debug for Shapes {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.__tree, f)
    }
}
#[automatically_derived]
impl ::core::ops::Deref for Shapes {
    type Target = ::supervise::__private::TreeRef;
    fn deref(&self) -> &::supervise::__private::TreeRef {
        &self.__tree
    }
}
impl Shapes {
    /// The tree as it is declared.
    #[allow(dead_code)]
    const SPEC: ::supervise::__private::TreeSpec = <Self as ::supervise::__private::TreeHandle>::SPEC;
    ///`Shapes` with these parameters, not yet started: to start it, or as the child of another tree.
    #[must_use]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn tree(db: Db, count: u32) -> ::supervise::__private::Tree<Self> {
        ::supervise::__private::Tree::new((db, count))
    }
    ///Starts `Shapes`: its children in order, each awaited.
    ///
    ///# Errors
    ///
    ///The failure of a child that could not be started; what was up by then is stopped again.
    #[track_caller]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn start(
        db: Db,
        count: u32,
    ) -> impl ::core::future::Future<
        Output = ::core::result::Result<
            ::supervise::__private::Running<Self>,
            ::supervise::__private::Failure,
        >,
    > + ::core::marker::Send {
        ::supervise::__private::Tree::start(Self::tree(db, count))
    }
    ///Starts `Shapes`, waits until `until` is through or the tree has ended by itself, shuts down.
    ///
    ///The report is an exit code for `main`.
    ///
    ///# Errors
    ///
    ///The failure of a child that could not be started; what was up by then is stopped again.
    #[track_caller]
    #[allow(
        dead_code,
        clippy::impl_trait_in_params,
        clippy::too_many_arguments,
        clippy::type_complexity
    )]
    fn run(
        db: Db,
        count: u32,
        until: impl ::core::future::Future + ::core::marker::Send,
    ) -> impl ::core::future::Future<
        Output = ::core::result::Result<
            ::supervise::__private::Report,
            ::supervise::__private::Failure,
        >,
    > + ::core::marker::Send {
        ::supervise::__private::Tree::run(Self::tree(db, count), until)
    }
}
