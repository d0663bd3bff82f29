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
    #[cfg(any(rust_analyzer, not(rust_analyzer)))]
    #[automatically_derived]
    impl ::supervise::__private::TreeDef for Names {
        type Params = (
            <u32 as ::supervise::__private::It<
                {
                    <::supervise::__private::Keeper as ::supervise::__private::Param<
                        u32,
                    >>::IS
                },
            >>::It,
            <Config as ::supervise::__private::It<
                {
                    <::supervise::__private::Keeper as ::supervise::__private::Param<
                        Config,
                    >>::IS
                },
            >>::It,
        );
        async fn build(
            (__of_type, __of_config): Self::Params,
            __b: ::supervise::__private::Builder,
        ) -> ::core::result::Result<Self, ::supervise::__private::Thrown> {
            #[allow(unused_variables)]
            let __of_type = ::supervise::__private::Builder::keep(&__b, __of_type);
            #[allow(unused_variables)]
            let __of_config = ::supervise::__private::Builder::keep(&__b, __of_config);
            #[cfg(rust_analyzer)]
            let r#type = ::core::clone::Clone::clone(&__of_type);
            #[cfg(rust_analyzer)]
            let config = ::core::clone::Clone::clone(&__of_config);
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
            #[allow(unused_variables)]
            let (__of_a, __of_b) = {
                #[allow(unused_variables)]
                let config = ::supervise::__private::Kept::again(&__of_config);
                let (a, b) = split(config);
                (
                    ::supervise::__private::Builder::keep(&__b, a),
                    ::supervise::__private::Builder::keep(&__b, b),
                )
            };
            #[cfg(rust_analyzer)]
            let a = ::core::clone::Clone::clone(&__of_a);
            #[cfg(rust_analyzer)]
            let b = ::core::clone::Clone::clone(&__of_b);
            #[cfg(feature = "http")]
            #[allow(unreachable_code, unused_variables)]
            let __of_struct = match {
                #[allow(unused_variables)]
                let __of_type = ::core::clone::Clone::clone(&__of_type);
                #[allow(unused_variables)]
                let __of_a = ::core::clone::Clone::clone(&__of_a);
                let __options = {
                    <Bell as ::supervise::__private::ChildIf<
                        { <Bell as ::supervise::__private::Declared>::IS },
                    >>::options()
                };
                ::supervise::__private::Builder::child(
                    &__b,
                    "struct",
                    __options,
                    move || {
                        #[allow(unused_variables)]
                        let r#type = ::supervise::__private::Kept::again(&__of_type);
                        #[allow(unused_variables)]
                        let a = ::supervise::__private::Kept::again(&__of_a);
                        async move {
                            let __it: <Bell as ::supervise::__private::ChildIf<
                                { <Bell as ::supervise::__private::Declared>::IS },
                            >>::Start = start(r#type, a);
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
            #[cfg(feature = "http")]
            #[cfg(rust_analyzer)]
            let r#struct = ::core::clone::Clone::clone(&__of_struct);
            #[allow(unreachable_code, unused_variables)]
            let __of_start = match {
                #[allow(unused_variables)]
                let __of_tree = ::core::clone::Clone::clone(&__of_tree);
                #[allow(unused_variables)]
                let __of_b = ::core::clone::Clone::clone(&__of_b);
                let __options = {
                    <Bell as ::supervise::__private::ChildIf<
                        { <Bell as ::supervise::__private::Declared>::IS },
                    >>::options()
                };
                ::supervise::__private::Builder::child(
                    &__b,
                    "start",
                    __options,
                    move || {
                        #[allow(unused_variables)]
                        let tree = ::core::clone::Clone::clone(&__of_tree);
                        #[allow(unused_variables)]
                        let b = ::supervise::__private::Kept::again(&__of_b);
                        async move {
                            let __it: <Bell as ::supervise::__private::ChildIf<
                                { <Bell as ::supervise::__private::Declared>::IS },
                            >>::Start = start(b, tree.clone());
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
            let start = ::core::clone::Clone::clone(&__of_start);
            #[allow(unreachable_code, unused_variables)]
            let __of_heartbeat = match {
                #[allow(unused_variables)]
                let __of_start = ::core::clone::Clone::clone(&__of_start);
                let __options = {
                    ::supervise::__private::ChildOptions::<
                        ::supervise::__private::Task,
                    >::new()
                };
                ::supervise::__private::Builder::child(
                    &__b,
                    "heartbeat",
                    __options,
                    move || {
                        #[allow(unused_variables)]
                        let start = ::core::clone::Clone::clone(&__of_start);
                        async move {
                            let __it: ::supervise::__private::TaskStart = ::supervise::__private::future_of(async move {
                                #[allow(unreachable_code)]
                                ::supervise::__private::TaskOutput::done(
                                    (heartbeat(start)).await,
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
            let heartbeat = ::core::clone::Clone::clone(&__of_heartbeat);
            #[allow(unreachable_code, unused_variables)]
            let __of_inner = match {
                #[allow(unused_variables)]
                let __of_a = ::core::clone::Clone::clone(&__of_a);
                #[allow(unused_variables)]
                let __of_start = ::core::clone::Clone::clone(&__of_start);
                let __options = { ::supervise::__private::ChildOptions::<Inner>::new() };
                ::supervise::__private::Builder::inline::<
                    Inner,
                    _,
                    _,
                >(
                    &__b,
                    "inner",
                    __options,
                    move |__b: ::supervise::__private::Builder| {
                        #[allow(unused_variables)]
                        let __of_a = ::core::clone::Clone::clone(&__of_a);
                        #[allow(unused_variables)]
                        let __of_start = ::core::clone::Clone::clone(&__of_start);
                        async move {
                            let __of_tree = ::supervise::__private::Builder::tree_ref(
                                &__b,
                            );
                            #[cfg(rust_analyzer)]
                            let tree = ::core::clone::Clone::clone(&__of_tree);
                            ::supervise::__private::Builder::supervision(
                                &__b,
                                {
                                    ::supervise::__private::SupervisorStrategy::new(
                                        ::supervise::__private::Strategy::AllForOne,
                                    )
                                },
                            );
                            #[allow(unused_variables)]
                            let (__of_c,) = {
                                #[allow(unused_variables)]
                                let a = ::supervise::__private::Kept::again(&__of_a);
                                let c = a;
                                (::supervise::__private::Builder::keep(&__b, c),)
                            };
                            #[cfg(rust_analyzer)]
                            let c = ::core::clone::Clone::clone(&__of_c);
                            #[allow(unreachable_code, unused_variables)]
                            let __of_leaf = match {
                                #[allow(unused_variables)]
                                let __of_start = ::core::clone::Clone::clone(&__of_start);
                                #[allow(unused_variables)]
                                let __of_c = ::core::clone::Clone::clone(&__of_c);
                                let __options = {
                                    <Bell as ::supervise::__private::ChildIf<
                                        { <Bell as ::supervise::__private::Declared>::IS },
                                    >>::options()
                                };
                                ::supervise::__private::Builder::child(
                                    &__b,
                                    "leaf",
                                    __options,
                                    move || {
                                        #[allow(unused_variables)]
                                        let start = ::core::clone::Clone::clone(&__of_start);
                                        #[allow(unused_variables)]
                                        let c = ::supervise::__private::Kept::again(&__of_c);
                                        async move {
                                            let __it: <Bell as ::supervise::__private::ChildIf<
                                                { <Bell as ::supervise::__private::Declared>::IS },
                                            >>::Start = start(c, println!("{start:?}"));
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
                            let leaf = ::core::clone::Clone::clone(&__of_leaf);
                            #[allow(unreachable_code)]
                            ::core::result::Result::Ok::<
                                _,
                                ::supervise::__private::Thrown,
                            >(Inner {
                                leaf: __of_leaf,
                                __tree: __of_tree,
                            })
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
            let inner = ::core::clone::Clone::clone(&__of_inner);
            #[allow(unreachable_code)]
            ::core::result::Result::Ok::<
                _,
                ::supervise::__private::Thrown,
            >(Names {
                #[cfg(feature = "http")]
                r#struct: __of_struct,
                start: __of_start,
                heartbeat: __of_heartbeat,
                inner: __of_inner,
                __tree: __of_tree,
            })
        }
    }
    #[automatically_derived]
    impl ::supervise::__private::TreeHandle for Names {
        const SPEC: ::supervise::__private::TreeSpec = ::supervise::__private::TreeSpec {
            name: "Names",
            doc: "",
            strategy: ::supervise::__private::Strategy::OneForOne,
            settings: &[],
            children: &[
                #[cfg(feature = "http")]
                ::supervise::__private::ChildSpec {
                    name: "struct",
                    doc: "",
                    item: "Bell",
                    shape: ::supervise::__private::Shape::One,
                    kind: <Bell as ::supervise::__private::Declared>::KIND,
                    lifecycle: ::supervise::__private::Lifecycle::Permanent,
                    shutdown: ::supervise::__private::DeclaredShutdown::Default,
                    settings: &[],
                    below: ::supervise::__private::Below::Known(
                        <Bell as ::supervise::__private::Declared>::TREE,
                    ),
                },
                ::supervise::__private::ChildSpec {
                    name: "start",
                    doc: "",
                    item: "Bell",
                    shape: ::supervise::__private::Shape::One,
                    kind: <Bell as ::supervise::__private::Declared>::KIND,
                    lifecycle: ::supervise::__private::Lifecycle::Permanent,
                    shutdown: ::supervise::__private::DeclaredShutdown::Default,
                    settings: &[],
                    below: ::supervise::__private::Below::Known(
                        <Bell as ::supervise::__private::Declared>::TREE,
                    ),
                },
                ::supervise::__private::ChildSpec {
                    name: "heartbeat",
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
                    name: "inner",
                    doc: "",
                    item: "Inner",
                    shape: ::supervise::__private::Shape::One,
                    kind: ::supervise::__private::Kind::Tree,
                    lifecycle: ::supervise::__private::Lifecycle::Permanent,
                    shutdown: ::supervise::__private::DeclaredShutdown::Default,
                    settings: &[],
                    below: ::supervise::__private::Below::Known(
                        ::core::option::Option::Some(
                            &<Inner as ::supervise::__private::TreeHandle>::SPEC,
                        ),
                    ),
                },
            ],
        };
    }
    #[automatically_derived]
    impl ::supervise::__private::TreeHandle for Inner {
        const SPEC: ::supervise::__private::TreeSpec = ::supervise::__private::TreeSpec {
            name: "Inner",
            doc: "",
            strategy: ::supervise::__private::Strategy::AllForOne,
            settings: &["strategy(AllForOne)"],
            children: &[
                ::supervise::__private::ChildSpec {
                    name: "leaf",
                    doc: "",
                    item: "Bell",
                    shape: ::supervise::__private::Shape::One,
                    kind: <Bell as ::supervise::__private::Declared>::KIND,
                    lifecycle: ::supervise::__private::Lifecycle::Permanent,
                    shutdown: ::supervise::__private::DeclaredShutdown::Default,
                    settings: &[],
                    below: ::supervise::__private::Below::Known(
                        <Bell as ::supervise::__private::Declared>::TREE,
                    ),
                },
            ],
        };
    }
    #[automatically_derived]
    impl ::supervise::__private::Child for Names {
        type Handle = Names;
        type Start = ::supervise::__private::Tree<Names>;
        const KIND: ::supervise::__private::Kind = ::supervise::__private::Kind::Tree;
        const TREE: ::core::option::Option<&'static ::supervise::__private::TreeSpec> = ::core::option::Option::Some(
            &<Names as ::supervise::__private::TreeHandle>::SPEC,
        );
        fn launch<__F, __Fut>(
            __seat: ::supervise::__private::Seat,
            __options: ::supervise::__private::ChildOptions<Self>,
            __start: __F,
        ) -> ::supervise::__private::Launched<Names>
        where
            __F: ::core::ops::FnMut() -> __Fut + ::core::marker::Send + 'static,
            __Fut: ::core::future::Future<
                    Output = ::core::result::Result<
                        ::supervise::__private::Tree<Names>,
                        ::supervise::__private::Thrown,
                    >,
                > + ::core::marker::Send + 'static,
        {
            ::supervise::__private::launch_tree(__seat, __options, __start)
        }
    }
};
#[cfg(unix)]
///
///```text
///Names  OneForOne
#[cfg_attr(all(feature = "http"), doc = "├── struct: Bell  Permanent")]
///├── start: Bell  Permanent
///├── heartbeat: task  Transient
///└── inner: Inner  Permanent  AllForOne  strategy(AllForOne)
///    └── leaf: Bell  Permanent
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
pub(crate) struct Names {
    #[cfg(any(doc, rust_analyzer))]
    #[cfg(feature = "http")]
    ///The child `struct`.
    #[allow(dead_code)]
    pub r#struct: ::supervise::__private::Handle<Bell>,
    #[cfg(not(any(doc, rust_analyzer)))]
    #[cfg(feature = "http")]
    ///The child `struct`.
    #[allow(dead_code)]
    pub r#struct: <Bell as ::supervise::__private::ChildIf<
        { <Bell as ::supervise::__private::Declared>::IS },
    >>::Handle,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `start`.
    #[allow(dead_code)]
    pub(crate) start: ::supervise::__private::Handle<Bell>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `start`.
    #[allow(dead_code)]
    pub(crate) start: <Bell as ::supervise::__private::ChildIf<
        { <Bell as ::supervise::__private::Declared>::IS },
    >>::Handle,
    ///The child `heartbeat`.
    #[allow(dead_code)]
    pub(crate) heartbeat: ::supervise::__private::TaskRef,
    ///The child `inner`.
    #[allow(dead_code)]
    pub(crate) inner: Inner,
    #[doc(hidden)]
    __tree: ::supervise::__private::TreeRef,
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
            __tree: ::core::clone::Clone::clone(&self.__tree),
        }
    }
}
#[cfg(unix)]
#[automatically_derived]
impl ::core::fmt::Debug for Names {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.__tree, f)
    }
}
#[cfg(unix)]
#[automatically_derived]
impl ::core::ops::Deref for Names {
    type Target = ::supervise::__private::TreeRef;
    fn deref(&self) -> &::supervise::__private::TreeRef {
        &self.__tree
    }
}
#[cfg(unix)]
impl Names {
    /// The tree as it is declared.
    #[allow(dead_code)]
    pub(crate) const SPEC: ::supervise::__private::TreeSpec = <Self as ::supervise::__private::TreeHandle>::SPEC;
    ///`Names` with these parameters, not yet started: to start it, or as the child of another tree.
    #[must_use]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    pub(crate) fn tree(
        r#type: u32,
        config: Config,
    ) -> ::supervise::__private::Tree<Self> {
        ::supervise::__private::Tree::new((r#type, config))
    }
    ///Starts `Names`: its children in order, each awaited.
    ///
    ///# Errors
    ///
    ///The failure of a child that could not be started; what was up by then is stopped again.
    #[track_caller]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    pub(crate) fn start(
        r#type: u32,
        config: Config,
    ) -> impl ::core::future::Future<
        Output = ::core::result::Result<
            ::supervise::__private::Running<Self>,
            ::supervise::__private::Failure,
        >,
    > + ::core::marker::Send {
        ::supervise::__private::Tree::start(Self::tree(r#type, config))
    }
    ///Starts `Names`, waits until `until` is through or the tree has ended by itself, shuts down.
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
    pub(crate) fn run(
        r#type: u32,
        config: Config,
        until: impl ::core::future::Future + ::core::marker::Send,
    ) -> impl ::core::future::Future<
        Output = ::core::result::Result<
            ::supervise::__private::Report,
            ::supervise::__private::Failure,
        >,
    > + ::core::marker::Send {
        ::supervise::__private::Tree::run(Self::tree(r#type, config), until)
    }
}
#[cfg(unix)]
///The subtree `inner` of [`Names`].
///
///```text
///Inner  AllForOne  strategy(AllForOne)
///└── leaf: Bell  Permanent
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
pub(crate) struct Inner {
    #[cfg(any(doc, rust_analyzer))]
    ///The child `leaf`.
    #[allow(dead_code)]
    pub(crate) leaf: ::supervise::__private::Handle<Bell>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `leaf`.
    #[allow(dead_code)]
    pub(crate) leaf: <Bell as ::supervise::__private::ChildIf<
        { <Bell as ::supervise::__private::Declared>::IS },
    >>::Handle,
    #[doc(hidden)]
    __tree: ::supervise::__private::TreeRef,
}
#[cfg(unix)]
#[automatically_derived]
impl ::core::clone::Clone for Inner {
    fn clone(&self) -> Self {
        Inner {
            leaf: ::core::clone::Clone::clone(&self.leaf),
            __tree: ::core::clone::Clone::clone(&self.__tree),
        }
    }
}
#[cfg(unix)]
#[automatically_derived]
impl ::core::fmt::Debug for Inner {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.__tree, f)
    }
}
#[cfg(unix)]
#[automatically_derived]
impl ::core::ops::Deref for Inner {
    type Target = ::supervise::__private::TreeRef;
    fn deref(&self) -> &::supervise::__private::TreeRef {
        &self.__tree
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
    #[cfg(any(rust_analyzer, not(rust_analyzer)))]
    #[automatically_derived]
    impl ::supervise::__private::TreeDef for Other {
        type Params = ();
        async fn build(
            (): Self::Params,
            __b: ::supervise::__private::Builder,
        ) -> ::core::result::Result<Self, ::supervise::__private::Thrown> {
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
            let __of_names = match {
                let __options = {
                    <Names as ::supervise::__private::ChildIf<
                        { <Names as ::supervise::__private::Declared>::IS },
                    >>::options()
                };
                ::supervise::__private::Builder::child(
                    &__b,
                    "names",
                    __options,
                    move || {
                        async move {
                            let __it: <Names as ::supervise::__private::ChildIf<
                                { <Names as ::supervise::__private::Declared>::IS },
                            >>::Start = Names::tree(1, Config);
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
            let names = ::core::clone::Clone::clone(&__of_names);
            #[allow(unreachable_code)]
            ::core::result::Result::Ok::<
                _,
                ::supervise::__private::Thrown,
            >(Other {
                names: __of_names,
                __tree: __of_tree,
            })
        }
    }
    #[automatically_derived]
    impl ::supervise::__private::TreeHandle for Other {
        const SPEC: ::supervise::__private::TreeSpec = ::supervise::__private::TreeSpec {
            name: "Other",
            doc: "",
            strategy: ::supervise::__private::Strategy::OneForOne,
            settings: &[],
            children: &[
                ::supervise::__private::ChildSpec {
                    name: "names",
                    doc: "",
                    item: "Names",
                    shape: ::supervise::__private::Shape::One,
                    kind: <Names as ::supervise::__private::Declared>::KIND,
                    lifecycle: ::supervise::__private::Lifecycle::Permanent,
                    shutdown: ::supervise::__private::DeclaredShutdown::Default,
                    settings: &[],
                    below: ::supervise::__private::Below::Known(
                        <Names as ::supervise::__private::Declared>::TREE,
                    ),
                },
            ],
        };
    }
    #[automatically_derived]
    impl ::supervise::__private::Child for Other {
        type Handle = Other;
        type Start = ::supervise::__private::Tree<Other>;
        const KIND: ::supervise::__private::Kind = ::supervise::__private::Kind::Tree;
        const TREE: ::core::option::Option<&'static ::supervise::__private::TreeSpec> = ::core::option::Option::Some(
            &<Other as ::supervise::__private::TreeHandle>::SPEC,
        );
        fn launch<__F, __Fut>(
            __seat: ::supervise::__private::Seat,
            __options: ::supervise::__private::ChildOptions<Self>,
            __start: __F,
        ) -> ::supervise::__private::Launched<Other>
        where
            __F: ::core::ops::FnMut() -> __Fut + ::core::marker::Send + 'static,
            __Fut: ::core::future::Future<
                    Output = ::core::result::Result<
                        ::supervise::__private::Tree<Other>,
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
///Other  OneForOne
///└── names: Names  Permanent
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
struct Other {
    #[cfg(any(doc, rust_analyzer))]
    ///The child `names`.
    #[allow(dead_code)]
    names: ::supervise::__private::Handle<Names>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `names`.
    #[allow(dead_code)]
    names: <Names as ::supervise::__private::ChildIf<
        { <Names as ::supervise::__private::Declared>::IS },
    >>::Handle,
    #[doc(hidden)]
    __tree: ::supervise::__private::TreeRef,
}
#[automatically_derived]
impl ::core::clone::Clone for Other {
    fn clone(&self) -> Self {
        Other {
            names: ::core::clone::Clone::clone(&self.names),
            __tree: ::core::clone::Clone::clone(&self.__tree),
        }
    }
}
#[automatically_derived]
impl ::core::fmt::Debug for Other {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.__tree, f)
    }
}
#[automatically_derived]
impl ::core::ops::Deref for Other {
    type Target = ::supervise::__private::TreeRef;
    fn deref(&self) -> &::supervise::__private::TreeRef {
        &self.__tree
    }
}
impl Other {
    /// The tree as it is declared.
    #[allow(dead_code)]
    const SPEC: ::supervise::__private::TreeSpec = <Self as ::supervise::__private::TreeHandle>::SPEC;
    ///`Other` with these parameters, not yet started: to start it, or as the child of another tree.
    #[must_use]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn tree() -> ::supervise::__private::Tree<Self> {
        ::supervise::__private::Tree::new(())
    }
    ///Starts `Other`: its children in order, each awaited.
    ///
    ///# Errors
    ///
    ///The failure of a child that could not be started; what was up by then is stopped again.
    #[track_caller]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn start() -> impl ::core::future::Future<
        Output = ::core::result::Result<
            ::supervise::__private::Running<Self>,
            ::supervise::__private::Failure,
        >,
    > + ::core::marker::Send {
        ::supervise::__private::Tree::start(Self::tree())
    }
    ///Starts `Other`, waits until `until` is through or the tree has ended by itself, shuts down.
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
        until: impl ::core::future::Future + ::core::marker::Send,
    ) -> impl ::core::future::Future<
        Output = ::core::result::Result<
            ::supervise::__private::Report,
            ::supervise::__private::Failure,
        >,
    > + ::core::marker::Send {
        ::supervise::__private::Tree::run(Self::tree(), until)
    }
}
