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
    impl ::supervise::__private::TreeDef for Tasks {
        type Params = (
            <Duration as ::supervise::__private::It<
                {
                    <::supervise::__private::Keeper as ::supervise::__private::Param<
                        Duration,
                    >>::IS
                },
            >>::It,
        );
        async fn build(
            (__of_every,): Self::Params,
            __b: ::supervise::__private::Builder,
        ) -> ::core::result::Result<Self, ::supervise::__private::Thrown> {
            #[allow(unused_variables)]
            let __of_every = ::supervise::__private::Builder::keep(&__b, __of_every);
            #[cfg(rust_analyzer)]
            let every = ::core::clone::Clone::clone(&__of_every);
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
            let __of_plain = match {
                #[allow(unused_variables)]
                let __of_every = ::core::clone::Clone::clone(&__of_every);
                let __options = {
                    ::supervise::__private::ChildOptions::<
                        ::supervise::__private::Task,
                    >::new()
                };
                ::supervise::__private::Builder::child(
                    &__b,
                    "plain",
                    __options,
                    move || {
                        #[allow(unused_variables)]
                        let every = ::supervise::__private::Kept::again(&__of_every);
                        async move {
                            let __it: ::supervise::__private::TaskStart = ::supervise::__private::future_of(async move {
                                #[allow(unreachable_code)]
                                ::supervise::__private::TaskOutput::done(
                                    (poll(every)).await,
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
            let plain = ::core::clone::Clone::clone(&__of_plain);
            #[allow(unreachable_code, unused_variables)]
            let __of_told = match {
                let __options = {
                    ::supervise::__private::ChildOptions::<
                        ::supervise::__private::Task,
                    >::new()
                };
                ::supervise::__private::Builder::child(
                    &__b,
                    "told",
                    __options,
                    move || {
                        async move {
                            let __it: ::supervise::__private::TaskStart = ::supervise::__private::task_of(move |
                                __cx: ::supervise::__private::TaskContext|
                            async move {
                                let cx = __cx;
                                #[allow(unreachable_code)]
                                ::supervise::__private::TaskOutput::done((serve(cx)).await)
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
            let told = ::core::clone::Clone::clone(&__of_told);
            #[allow(unreachable_code, unused_variables)]
            let __of_maybe = match {
                #[allow(unused_variables)]
                let __of_every = ::core::clone::Clone::clone(&__of_every);
                let __options = {
                    ::supervise::__private::ChildOptions::<
                        ::supervise::__private::Task,
                    >::new()
                };
                ::supervise::__private::Builder::optional(
                    &__b,
                    "maybe",
                    __options,
                    move || {
                        #[allow(unused_variables)]
                        let every = ::supervise::__private::Kept::again(&__of_every);
                        async move {
                            let __it: ::core::option::Option<
                                ::supervise::__private::TaskStart,
                            > = ::supervise::__private::optional_task(Some(poll(every)));
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
                let __options = {
                    ::supervise::__private::ChildOptions::<
                        ::supervise::__private::Task,
                    >::new()
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
                        let i: usize = __i;
                        async move {
                            let __it: ::supervise::__private::TaskStart = ::supervise::__private::task_of(move |
                                __cx: ::supervise::__private::TaskContext|
                            async move {
                                let cx = __cx;
                                #[allow(unreachable_code)]
                                ::supervise::__private::TaskOutput::done(
                                    (serve(cx, i)).await,
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
            let row = ::core::clone::Clone::clone(&__of_row);
            #[allow(unreachable_code, unused_variables)]
            let __of_any = match {
                let __options = {
                    ::supervise::__private::ChildOptions::<
                        ::supervise::__private::Task,
                    >::new()
                };
                let __initial = ::supervise::__private::no_initial();
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
                            let __it: ::supervise::__private::TaskStart = ::supervise::__private::future_of(async move {
                                #[allow(unreachable_code)]
                                ::supervise::__private::TaskOutput::done((poll(n)).await)
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
            let any = ::core::clone::Clone::clone(&__of_any);
            #[allow(unreachable_code, unused_variables)]
            let __of_keyed = match {
                let __options = {
                    ::supervise::__private::ChildOptions::<
                        ::supervise::__private::Task,
                    >::new()
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
                            <String as ::supervise::__private::It<
                                {
                                    <::supervise::__private::Keeper as ::supervise::__private::AsKey<
                                        String,
                                    >>::IS
                                },
                            >>::It,
                            (),
                        )|
                    {
                        let (
                            __key,
                            (),
                        ): (
                            <String as ::supervise::__private::It<
                                {
                                    <::supervise::__private::Keeper as ::supervise::__private::AsKey<
                                        String,
                                    >>::IS
                                },
                            >>::It,
                            (),
                        ) = __args;
                        let name: String = __key;
                        async move {
                            let __it: ::supervise::__private::TaskStart = ::supervise::__private::task_of(move |
                                __cx: ::supervise::__private::TaskContext|
                            async move {
                                let cx = __cx;
                                #[allow(unreachable_code)]
                                ::supervise::__private::TaskOutput::done(
                                    (serve(cx, name)).await,
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
            let keyed = ::core::clone::Clone::clone(&__of_keyed);
            #[allow(unreachable_code)]
            ::core::result::Result::Ok::<
                _,
                ::supervise::__private::Thrown,
            >(Tasks {
                plain: __of_plain,
                told: __of_told,
                maybe: __of_maybe,
                row: __of_row,
                any: __of_any,
                keyed: __of_keyed,
                __tree: __of_tree,
            })
        }
    }
    #[automatically_derived]
    impl ::supervise::__private::TreeHandle for Tasks {
        const SPEC: ::supervise::__private::TreeSpec = ::supervise::__private::TreeSpec {
            name: "Tasks",
            doc: "",
            strategy: ::supervise::__private::Strategy::OneForOne,
            settings: &[],
            children: &[
                ::supervise::__private::ChildSpec {
                    name: "plain",
                    doc: "",
                    item: "task",
                    shape: ::supervise::__private::Shape::One,
                    kind: ::supervise::__private::Kind::Task,
                    lifecycle: ::supervise::__private::Lifecycle::Transient,
                    shutdown: ::supervise::__private::DeclaredShutdown::Is(
                        ::supervise::__private::Shutdown::Within(
                            ::core::time::Duration::new(0, 0),
                        ),
                    ),
                    settings: &[],
                    below: ::supervise::__private::Below::Known(
                        ::core::option::Option::None,
                    ),
                },
                ::supervise::__private::ChildSpec {
                    name: "told",
                    doc: "",
                    item: "task",
                    shape: ::supervise::__private::Shape::One,
                    kind: ::supervise::__private::Kind::Task,
                    lifecycle: ::supervise::__private::Lifecycle::Transient,
                    shutdown: ::supervise::__private::DeclaredShutdown::Default,
                    settings: &[],
                    below: ::supervise::__private::Below::Known(
                        ::core::option::Option::None,
                    ),
                },
                ::supervise::__private::ChildSpec {
                    name: "maybe",
                    doc: "",
                    item: "task",
                    shape: ::supervise::__private::Shape::Optional,
                    kind: ::supervise::__private::Kind::Task,
                    lifecycle: ::supervise::__private::Lifecycle::Transient,
                    shutdown: ::supervise::__private::DeclaredShutdown::Default,
                    settings: &[],
                    below: ::supervise::__private::Below::Known(
                        ::core::option::Option::None,
                    ),
                },
                ::supervise::__private::ChildSpec {
                    name: "row",
                    doc: "",
                    item: "task",
                    shape: ::supervise::__private::Shape::Array(
                        ::supervise::__private::number::<{ 2 }>(),
                    ),
                    kind: ::supervise::__private::Kind::Task,
                    lifecycle: ::supervise::__private::Lifecycle::Transient,
                    shutdown: ::supervise::__private::DeclaredShutdown::Default,
                    settings: &[],
                    below: ::supervise::__private::Below::Known(
                        ::core::option::Option::None,
                    ),
                },
                ::supervise::__private::ChildSpec {
                    name: "any",
                    doc: "",
                    item: "task",
                    shape: ::supervise::__private::Shape::Set,
                    kind: ::supervise::__private::Kind::Task,
                    lifecycle: ::supervise::__private::Lifecycle::Transient,
                    shutdown: ::supervise::__private::DeclaredShutdown::Is(
                        ::supervise::__private::Shutdown::Within(
                            ::core::time::Duration::new(0, 0),
                        ),
                    ),
                    settings: &[],
                    below: ::supervise::__private::Below::Known(
                        ::core::option::Option::None,
                    ),
                },
                ::supervise::__private::ChildSpec {
                    name: "keyed",
                    doc: "",
                    item: "task",
                    shape: ::supervise::__private::Shape::Keyed("String"),
                    kind: ::supervise::__private::Kind::Task,
                    lifecycle: ::supervise::__private::Lifecycle::Transient,
                    shutdown: ::supervise::__private::DeclaredShutdown::Default,
                    settings: &[],
                    below: ::supervise::__private::Below::Known(
                        ::core::option::Option::None,
                    ),
                },
            ],
        };
    }
    #[automatically_derived]
    impl ::supervise::__private::Child for Tasks {
        type Handle = Tasks;
        type Start = ::supervise::__private::Tree<Tasks>;
        const KIND: ::supervise::__private::Kind = ::supervise::__private::Kind::Tree;
        const TREE: ::core::option::Option<&'static ::supervise::__private::TreeSpec> = ::core::option::Option::Some(
            &<Tasks as ::supervise::__private::TreeHandle>::SPEC,
        );
        fn launch<__F, __Fut>(
            __seat: ::supervise::__private::Seat,
            __options: ::supervise::__private::ChildOptions<Self>,
            __start: __F,
        ) -> ::supervise::__private::Launched<Tasks>
        where
            __F: ::core::ops::FnMut() -> __Fut + ::core::marker::Send + 'static,
            __Fut: ::core::future::Future<
                    Output = ::core::result::Result<
                        ::supervise::__private::Tree<Tasks>,
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
///Tasks  OneForOne
///├── plain: task  Transient
///├── told: task  Transient
///├── maybe: Option<task>  Transient
///├── row: [task; 2]  Transient
///├── any: [task]  Transient
///└── keyed: [String => task]  Transient
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
struct Tasks {
    ///The child `plain`.
    #[allow(dead_code)]
    plain: ::supervise::__private::TaskRef,
    ///The child `told`.
    #[allow(dead_code)]
    told: ::supervise::__private::TaskRef,
    ///The child `maybe`.
    #[allow(dead_code)]
    maybe: ::core::option::Option<::supervise::__private::TaskRef>,
    ///The child `row`.
    #[allow(dead_code)]
    row: [::supervise::__private::TaskRef; 2],
    #[cfg(any(doc, rust_analyzer))]
    ///The child `any`.
    #[allow(dead_code)]
    any: ::supervise::__private::Children<::supervise::__private::Task, (u32,)>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `any`.
    #[allow(dead_code)]
    any: ::supervise::__private::Children<
        ::supervise::__private::Task,
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
    keyed: ::supervise::__private::Keyed<String, ::supervise::__private::Task, ()>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `keyed`.
    #[allow(dead_code)]
    keyed: ::supervise::__private::Keyed<
        <String as ::supervise::__private::It<
            {
                <::supervise::__private::Keeper as ::supervise::__private::AsKey<
                    String,
                >>::IS
            },
        >>::It,
        ::supervise::__private::Task,
        (),
    >,
    #[doc(hidden)]
    __tree: ::supervise::__private::TreeRef,
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
            __tree: ::core::clone::Clone::clone(&self.__tree),
        }
    }
}
#[automatically_derived]
impl ::core::fmt::Debug for Tasks {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.__tree, f)
    }
}
#[automatically_derived]
impl ::core::ops::Deref for Tasks {
    type Target = ::supervise::__private::TreeRef;
    fn deref(&self) -> &::supervise::__private::TreeRef {
        &self.__tree
    }
}
impl Tasks {
    /// The tree as it is declared.
    #[allow(dead_code)]
    const SPEC: ::supervise::__private::TreeSpec = <Self as ::supervise::__private::TreeHandle>::SPEC;
    ///`Tasks` with these parameters, not yet started: to start it, or as the child of another tree.
    #[must_use]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn tree(every: Duration) -> ::supervise::__private::Tree<Self> {
        ::supervise::__private::Tree::new((every,))
    }
    ///Starts `Tasks`: its children in order, each awaited.
    ///
    ///# Errors
    ///
    ///The failure of a child that could not be started; what was up by then is stopped again.
    #[track_caller]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn start(
        every: Duration,
    ) -> impl ::core::future::Future<
        Output = ::core::result::Result<
            ::supervise::__private::Running<Self>,
            ::supervise::__private::Failure,
        >,
    > + ::core::marker::Send {
        ::supervise::__private::Tree::start(Self::tree(every))
    }
    ///Starts `Tasks`, waits until `until` is through or the tree has ended by itself, shuts down.
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
        every: Duration,
        until: impl ::core::future::Future + ::core::marker::Send,
    ) -> impl ::core::future::Future<
        Output = ::core::result::Result<
            ::supervise::__private::Report,
            ::supervise::__private::Failure,
        >,
    > + ::core::marker::Send {
        ::supervise::__private::Tree::run(Self::tree(every), until)
    }
}
