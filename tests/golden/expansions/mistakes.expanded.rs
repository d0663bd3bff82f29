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
    #[cfg(any(rust_analyzer, all(rust_analyzer)))]
    impl __rt::TreeDef for Mistakes {
        type Params = (
            <Db as __rt::Checked<
                {
                    <__rt::ATree as __rt::CanMove<Db>>::IS
                        & <__rt::ATree as __rt::CanKeep<Db>>::IS
                },
            >>::Type,
        );
        async fn build(
            (__of_db,): Self::Params,
            __b: __rt::Builder,
        ) -> ::core::result::Result<Self, __rt::Thrown> {
            use __rt::Keep as _;
            let __of_db = __of_db.keep_for_the_tree(&__b);
            #[cfg(rust_analyzer)]
            let db = __rt::Clone::clone(&__of_db);
            let __of_tree = __rt::Builder::tree_ref(&__b);
            #[cfg(rust_analyzer)]
            let tree = __rt::Clone::clone(&__of_tree);
            __rt::Builder::supervision(
                &__b,
                { __rt::SupervisorStrategy::new(__rt::Strategy::OneForOne) },
            );
            #[allow(unreachable_code)]
            let __of_one = match {
                __rt::Builder::child(
                    &__b,
                    "one",
                    {
                        #[cfg(rust_analyzer)]
                        use __rt::HalfTyped as _;
                        #[cfg(rust_analyzer)]
                        let _ = <Cart as __rt::ChildIf<
                            { <Cart as __rt::IsAChild>::IS },
                        >>::options()
                            .lifecycel();
                        <Cart as __rt::ChildIf<
                            { <Cart as __rt::IsAChild>::IS },
                        >>::options()
                    },
                    move || {
                        async move {
                            let __it: <Cart as __rt::ChildIf<
                                { <Cart as __rt::IsAChild>::IS },
                            >>::Start = Cart(later);
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
            let __of_later = match {
                let __of_db = __rt::Clone::clone(&__of_db);
                __rt::Builder::child(
                    &__b,
                    "later",
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
                            >>::Start = Cart(db.__missing);
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
            let later = __of_later.clone_for_start();
            let __of_broken: __rt::BuiltHandle<
                <Cart as __rt::ChildIf<{ <Cart as __rt::IsAChild>::IS }>>::Handle,
            > = ::core::unreachable!();
            #[allow(unreachable_code)]
            __rt::Ok::<
                _,
                __rt::Thrown,
            >(Mistakes {
                one: __of_one.clone_for_start(),
                later: __of_later.clone_for_start(),
                broken: __of_broken.clone_for_start(),
                tree: __of_tree,
            })
        }
    }
    #[cfg(not(rust_analyzer))]
    #[automatically_derived]
    impl __rt::TreeDef for Mistakes {
        type Params = (
            <Db as __rt::Checked<
                {
                    <__rt::ATree as __rt::CanMove<Db>>::IS
                        & <__rt::ATree as __rt::CanKeep<Db>>::IS
                },
            >>::Type,
        );
        async fn build(
            _: Self::Params,
            _: __rt::Builder,
        ) -> ::core::result::Result<Self, __rt::Thrown> {
            ::core::unreachable!()
        }
    }
    #[automatically_derived]
    impl __rt::TreeHandle for Mistakes {
        const SPEC: __rt::TreeSpec = __rt::TreeSpec {
            name: "Mistakes",
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
                    name: "later",
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
            ],
        };
    }
    #[automatically_derived]
    impl __rt::Child for Mistakes {
        type Handle = Mistakes;
        type Start = __rt::Tree<Mistakes>;
        const KIND: __rt::ChildKind = __rt::ChildKind::Tree;
        const TREE: ::core::option::Option<&'static __rt::TreeSpec> = ::core::option::Option::Some(
            &<Mistakes as __rt::TreeHandle>::SPEC,
        );
        fn launch<__F, __Fut>(
            __slot: __rt::ChildSlot,
            __options: __rt::ChildOptions<Self>,
            __start: __F,
        ) -> __rt::Launched<Mistakes>
        where
            __F: ::core::ops::FnMut() -> __Fut + ::core::marker::Send + 'static,
            __Fut: ::core::future::Future<
                    Output = ::core::result::Result<__rt::Tree<Mistakes>, __rt::Thrown>,
                > + ::core::marker::Send + 'static,
        {
            __rt::launch_tree(__slot, __options, __start)
        }
    }
};
///
///```text
///Mistakes  OneForOne
///├── one: Cart  Permanent  at most 10 restarts in 60s: Mistakes fails after 5.11s of outage
///├── later: Cart  Permanent  at most 10 restarts in 60s: Mistakes fails after 5.11s of outage
///└── broken: Cart  Permanent  at most 10 restarts in 60s: Mistakes fails after 5.11s of outage
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
struct Mistakes {
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
    ///The child `later`.
    #[allow(dead_code)]
    later: ::supervise::expansion::Handle<Cart>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `later`.
    #[allow(dead_code)]
    later: <Cart as ::supervise::expansion::ChildIf<
        { <Cart as ::supervise::expansion::IsAChild>::IS },
    >>::Handle,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `broken`.
    #[allow(dead_code)]
    broken: ::supervise::expansion::Handle<Cart>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `broken`.
    #[allow(dead_code)]
    broken: <() as ::supervise::expansion::ChildIf<
        {
            ::core::compile_error! {
                "expected a name after this; complete it"
            }
        },
    >>::Handle,
    #[doc(hidden)]
    tree: ::supervise::expansion::TreeRef,
}
#[automatically_derived]
impl ::core::clone::Clone for Mistakes {
    fn clone(&self) -> Self {
        Mistakes {
            one: ::core::clone::Clone::clone(&self.one),
            later: ::core::clone::Clone::clone(&self.later),
            broken: ::core::clone::Clone::clone(&self.broken),
            tree: ::core::clone::Clone::clone(&self.tree),
        }
    }
}
#[automatically_derived]
impl ::core::fmt::Debug for Mistakes {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.tree, f)
    }
}
#[automatically_derived]
impl ::core::ops::Deref for Mistakes {
    type Target = ::supervise::expansion::TreeRef;
    fn deref(&self) -> &::supervise::expansion::TreeRef {
        &self.tree
    }
}
impl Mistakes {
    /// The tree as it is declared.
    #[allow(dead_code)]
    const SPEC: ::supervise::expansion::TreeSpec = <Self as ::supervise::expansion::TreeHandle>::SPEC;
    ///`Mistakes` with these parameters, not yet started. Start it, or make it a child of another tree.
    #[must_use]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn tree(db: Db) -> ::supervise::expansion::Tree<Self> {
        ::supervise::expansion::tree((db,))
    }
    ///Starts `Mistakes`: its children in order, each awaited.
    ///
    ///# Errors
    ///
    ///The failure of the child that could not start. Children that were up are stopped again.
    #[track_caller]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    fn start(
        db: Db,
    ) -> ::supervise::expansion::BoxFuture<
        'static,
        ::core::result::Result<
            ::supervise::expansion::Running<Self>,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::start(Self::tree(db))
    }
    ///Starts `Mistakes`, waits until `until` has finished or the tree has ended by itself, and shuts the tree down.
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
        until: impl ::core::future::Future + ::core::marker::Send + '__until,
    ) -> ::supervise::expansion::BoxFuture<
        '__until,
        ::core::result::Result<
            ::supervise::expansion::Report,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::run(Self::tree(db), until)
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
    "`broken` has no start expression; write `broken: Cart = start,`"
}
::core::compile_error! {
    "`one` names `later`, which starts after it; move `later` above `one`"
}
