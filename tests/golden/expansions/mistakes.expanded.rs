#[allow(unknown_lints)]
#[allow(
    closure_returning_async_block,
    unexpected_cfgs,
    unused_braces,
    unused_parens,
    unused_qualifications
)]
const _: () = {
    #[cfg(any(rust_analyzer, all(rust_analyzer)))]
    #[automatically_derived]
    impl ::supervise::__private::TreeDef for Mistakes {
        type Params = (
            <Db as ::supervise::__private::It<
                {
                    <::supervise::__private::Keeper as ::supervise::__private::Param<
                        Db,
                    >>::IS
                },
            >>::It,
        );
        async fn build(
            (__of_db,): Self::Params,
            __b: ::supervise::__private::Builder,
        ) -> ::core::result::Result<Self, ::supervise::__private::Thrown> {
            #[allow(unused_variables)]
            let __of_db = ::supervise::__private::Builder::keep(&__b, __of_db);
            #[cfg(rust_analyzer)]
            let db = ::core::clone::Clone::clone(&__of_db);
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
                let __options = {
                    #[cfg(rust_analyzer)]
                    let _ = <Cart as ::supervise::__private::ChildIf<
                        { <Cart as ::supervise::__private::Declared>::IS },
                    >>::options()
                        .lifecycel();
                    <Cart as ::supervise::__private::ChildIf<
                        { <Cart as ::supervise::__private::Declared>::IS },
                    >>::options()
                };
                ::supervise::__private::Builder::child(
                    &__b,
                    "one",
                    __options,
                    move || {
                        async move {
                            let __it: <Cart as ::supervise::__private::ChildIf<
                                { <Cart as ::supervise::__private::Declared>::IS },
                            >>::Start = Cart(later);
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
            let __of_later = match {
                #[allow(unused_variables)]
                let __of_db = ::core::clone::Clone::clone(&__of_db);
                let __options = {
                    <Cart as ::supervise::__private::ChildIf<
                        { <Cart as ::supervise::__private::Declared>::IS },
                    >>::options()
                };
                ::supervise::__private::Builder::child(
                    &__b,
                    "later",
                    __options,
                    move || {
                        #[allow(unused_variables)]
                        let db = ::supervise::__private::Kept::again(&__of_db);
                        async move {
                            let __it: <Cart as ::supervise::__private::ChildIf<
                                { <Cart as ::supervise::__private::Declared>::IS },
                            >>::Start = Cart(db.__missing);
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
            let later = ::core::clone::Clone::clone(&__of_later);
            #[allow(unused_variables)]
            let __of_broken: <Cart as ::supervise::__private::ChildIf<
                { <Cart as ::supervise::__private::Declared>::IS },
            >>::Handle = ::core::unreachable!();
            #[allow(unreachable_code)]
            ::core::result::Result::Ok::<
                _,
                ::supervise::__private::Thrown,
            >(Mistakes {
                one: __of_one,
                later: __of_later,
                broken: __of_broken,
                __tree: __of_tree,
            })
        }
    }
    #[cfg(not(rust_analyzer))]
    #[automatically_derived]
    impl ::supervise::__private::TreeDef for Mistakes {
        type Params = (
            <Db as ::supervise::__private::It<
                {
                    <::supervise::__private::Keeper as ::supervise::__private::Param<
                        Db,
                    >>::IS
                },
            >>::It,
        );
        async fn build(
            _: Self::Params,
            _: ::supervise::__private::Builder,
        ) -> ::core::result::Result<Self, ::supervise::__private::Thrown> {
            ::core::unreachable!()
        }
    }
    #[automatically_derived]
    impl ::supervise::__private::TreeHandle for Mistakes {
        const SPEC: ::supervise::__private::TreeSpec = ::supervise::__private::TreeSpec {
            name: "Mistakes",
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
                    name: "later",
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
                    name: "broken",
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
            ],
        };
    }
    #[automatically_derived]
    impl ::supervise::__private::Child for Mistakes {
        type Handle = Mistakes;
        type Start = ::supervise::__private::Tree<Mistakes>;
        const KIND: ::supervise::__private::Kind = ::supervise::__private::Kind::Tree;
        const TREE: ::core::option::Option<&'static ::supervise::__private::TreeSpec> = ::core::option::Option::Some(
            &<Mistakes as ::supervise::__private::TreeHandle>::SPEC,
        );
        fn launch<__F, __Fut>(
            __seat: ::supervise::__private::Seat,
            __options: ::supervise::__private::ChildOptions<Self>,
            __start: __F,
        ) -> ::supervise::__private::Launched<Mistakes>
        where
            __F: ::core::ops::FnMut() -> __Fut + ::core::marker::Send + 'static,
            __Fut: ::core::future::Future<
                    Output = ::core::result::Result<
                        ::supervise::__private::Tree<Mistakes>,
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
///Mistakes  OneForOne
///├── one: Cart  Permanent
///├── later: Cart  Permanent
///└── broken: Cart  Permanent
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
struct Mistakes {
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
    ///The child `later`.
    #[allow(dead_code)]
    later: ::supervise::__private::Handle<Cart>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `later`.
    #[allow(dead_code)]
    later: <Cart as ::supervise::__private::ChildIf<
        { <Cart as ::supervise::__private::Declared>::IS },
    >>::Handle,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `broken`.
    #[allow(dead_code)]
    broken: ::supervise::__private::Handle<Cart>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `broken`.
    #[allow(dead_code)]
    broken: <Cart as ::supervise::__private::ChildIf<
        { <Cart as ::supervise::__private::Declared>::IS },
    >>::Handle,
    #[doc(hidden)]
    __tree: ::supervise::__private::TreeRef,
}
#[automatically_derived]
impl ::core::clone::Clone for Mistakes {
    fn clone(&self) -> Self {
        Mistakes {
            one: ::core::clone::Clone::clone(&self.one),
            later: ::core::clone::Clone::clone(&self.later),
            broken: ::core::clone::Clone::clone(&self.broken),
            __tree: ::core::clone::Clone::clone(&self.__tree),
        }
    }
}
#[automatically_derived]
impl ::core::fmt::Debug for Mistakes {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.__tree, f)
    }
}
#[automatically_derived]
impl ::core::ops::Deref for Mistakes {
    type Target = ::supervise::__private::TreeRef;
    fn deref(&self) -> &::supervise::__private::TreeRef {
        &self.__tree
    }
}
impl Mistakes {
    /// The tree as it is declared.
    #[allow(dead_code)]
    const SPEC: ::supervise::__private::TreeSpec = <Self as ::supervise::__private::TreeHandle>::SPEC;
    ///`Mistakes` with these parameters, not yet started: to start it, or as the child of another tree.
    #[must_use]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn tree(db: Db) -> ::supervise::__private::Tree<Self> {
        ::supervise::__private::Tree::new((db,))
    }
    ///Starts `Mistakes`: its children in order, each awaited.
    ///
    ///# Errors
    ///
    ///The failure of a child that could not be started; what was up by then is stopped again.
    #[track_caller]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn start(
        db: Db,
    ) -> impl ::core::future::Future<
        Output = ::core::result::Result<
            ::supervise::__private::Running<Self>,
            ::supervise::__private::Failure,
        >,
    > + ::core::marker::Send {
        ::supervise::__private::Tree::start(Self::tree(db))
    }
    ///Starts `Mistakes`, waits until `until` is through or the tree has ended by itself, shuts down.
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
        until: impl ::core::future::Future + ::core::marker::Send,
    ) -> impl ::core::future::Future<
        Output = ::core::result::Result<
            ::supervise::__private::Report,
            ::supervise::__private::Failure,
        >,
    > + ::core::marker::Send {
        ::supervise::__private::Tree::run(Self::tree(db), until)
    }
}
::core::compile_error! {
    "expected a name after this; complete it"
}
::core::compile_error! {
    "unknown setting `lifecycel`; did you mean `lifecycle`?"
}
::core::compile_error! {
    "expected a child; write `broken: Type = start,`"
}
::core::compile_error! {
    "`broken` has no start expression; write `broken: Type = start,`"
}
::core::compile_error! {
    "`one` names `later`, which starts after it; move `later` above `one`"
}
