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
    #[allow(unused_imports)]
    use ::supervise_remote as __far;
    #[cfg(any(rust_analyzer, not(rust_analyzer)))]
    impl<T: Row + 'static> __rt::TreeDef for Shop<T> {
        type Params = (
            <Config as __rt::Checked<
                {
                    <__rt::ATree as __rt::CanMove<Config>>::IS
                        & <__rt::ATree as __rt::CanKeep<Config>>::IS
                },
            >>::Type,
            T,
        );
        async fn build(
            (__of_config, __of_first): Self::Params,
            __b: __rt::Builder,
        ) -> ::core::result::Result<Self, __rt::Thrown> {
            use __rt::Keep as _;
            let __of_config = __of_config.keep_for_the_tree(&__b);
            let __of_first = __of_first.keep_for_the_tree(&__b);
            #[cfg(rust_analyzer)]
            let config = __rt::Clone::clone(&__of_config);
            #[cfg(rust_analyzer)]
            let first = __rt::Clone::clone(&__of_first);
            let __of_tree = __rt::Builder::tree_ref(&__b);
            #[cfg(rust_analyzer)]
            let tree = __rt::Clone::clone(&__of_tree);
            __rt::Builder::supervision(
                &__b,
                { __rt::SupervisorStrategy::new(__rt::Strategy::OneForOne) },
            );
            #[allow(unused_variables)]
            let (__of_rates,) = {
                #[allow(unused_variables)]
                let config = __of_config.clone_for_start();
                __rt::Builder::at_let(&__b, "rates");
                let rates: Rates = config.rates.clone();
                (__rt::Builder::keep(&__b, rates),)
            };
            #[cfg(rust_analyzer)]
            let rates = __rt::Clone::clone(&__of_rates);
            #[allow(unreachable_code)]
            let __of_db = match {
                __rt::Builder::child(
                    &__b,
                    "db",
                    { <Db as __rt::ChildIf<{ <Db as __rt::IsAChild>::IS }>>::options() },
                    move || {
                        async move {
                            let __it: <Db as __rt::ChildIf<
                                { <Db as __rt::IsAChild>::IS },
                            >>::Start = Db::open();
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
            let __of_pricing = match {
                let __of_rates = __rt::Clone::clone(&__of_rates);
                let __of_db = __rt::Clone::clone(&__of_db);
                let __of_front = {
                    let __options = <Front as __rt::ChildIf<
                        { <Front as __rt::IsAChild>::IS },
                    >>::options();
                    __rt::Builder::later(&__b, "front", __options)
                };
                let __options = {
                    let __options = <__far::Far<
                        Pricing,
                    > as __rt::ChildIf<
                        {
                            <Pricing as __far::expansion::FarMessages<
                                { <Pricing as __far::expansion::FarActor>::IS },
                            >>::IS
                        },
                    >>::options()
                        .lifecycle(__rt::Lifecycle::Permanent);
                    let __options = __options.drain();
                    __options
                        .redeliver_from_owner(2)
                        .shutdown(<Shop<T>>::__REMOTE_pricing.shutdown_at_owner())
                };
                __rt::Builder::child(
                    &__b,
                    "pricing",
                    __options,
                    move || {
                        #[allow(unused_variables)]
                        let rates = __of_rates.clone_for_start();
                        #[allow(unused_variables)]
                        let db = __of_db.clone_for_start();
                        #[allow(unused_imports)]
                        use __rt::later;
                        let front = __rt::Clone::clone(&__of_front);
                        async move {
                            let __it: <__far::Far<
                                Pricing,
                            > as __rt::ChildIf<
                                {
                                    <Pricing as __far::expansion::FarMessages<
                                        { <Pricing as __far::expansion::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Start = __far::expansion::far_start(
                                <Shop<T>>::__REMOTE_pricing,
                                &(
                                    <Rates as __far::expansion::ValueIf<
                                        {
                                            <__far::expansion::Check as __far::expansion::Crosses<
                                                Rates,
                                            >>::IS
                                        },
                                    >>::value(&rates),
                                    __far::expansion::exported::<
                                        {
                                            <Db as __far::expansion::NearMessages<
                                                { <Db as __far::expansion::NearActor>::IS },
                                            >>::IS
                                        },
                                        _,
                                    >(&db),
                                    __far::expansion::exported::<
                                        {
                                            <Front as __far::expansion::NearMessages<
                                                { <Front as __far::expansion::NearActor>::IS },
                                            >>::IS
                                        },
                                        _,
                                    >(&front),
                                ),
                                __far::expansion::errors!(
                                    < < Pricing as __far::expansion::ActorIf < { < Pricing as
                                    __far::expansion::FarMessages < { < Pricing as
                                    __far::expansion::FarActor > ::IS } >> ::IS } >> ::Actor as
                                    __rt::Actor > ::Error
                                ),
                            )?;
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
            let pricing = __of_pricing.clone_for_start();
            #[allow(unreachable_code)]
            let __of_loader = match {
                let __of_first = __rt::Clone::clone(&__of_first);
                __rt::Builder::child(
                    &__b,
                    "loader",
                    {
                        <__far::Far<Loader<T>> as __rt::ChildIf<{ true }>>::options()
                            .shutdown(<Shop<T>>::__REMOTE_loader.shutdown_at_owner())
                    },
                    move || {
                        #[allow(unused_variables)]
                        let first = __of_first.clone_for_start();
                        async move {
                            let __it: <__far::Far<
                                Loader<T>,
                            > as __rt::ChildIf<{ true }>>::Start = __far::expansion::far_start(
                                <Shop<T>>::__REMOTE_loader,
                                &(&first,),
                                __far::expansion::errors!(
                                    < Loader < T > as __rt::Actor > ::Error
                                ),
                            )?;
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
            let __of_audit = match {
                let __of_config = __rt::Clone::clone(&__of_config);
                let __of_pricing = __rt::Clone::clone(&__of_pricing);
                let __options = {
                    <__far::Far<
                        Audit,
                    > as __rt::ChildIf<
                        {
                            <Audit as __far::expansion::FarMessages<
                                { <Audit as __far::expansion::FarActor>::IS },
                            >>::IS
                        },
                    >>::options()
                        .shutdown(<Shop<T>>::__REMOTE_audit.shutdown_at_owner())
                };
                __rt::Builder::optional(
                    &__b,
                    "audit",
                    __options,
                    move || {
                        #[allow(unused_variables)]
                        let config = __of_config.clone_for_start();
                        #[allow(unused_variables)]
                        let pricing = __of_pricing.clone_for_start();
                        async move {
                            let __it: ::core::option::Option<
                                <__far::Far<
                                    Audit,
                                > as __rt::ChildIf<
                                    {
                                        <Audit as __far::expansion::FarMessages<
                                            { <Audit as __far::expansion::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Start,
                            > = if config.audit {
                                Some(
                                    __far::expansion::far_start(
                                        <Shop<T>>::__REMOTE_audit,
                                        &(
                                            __far::expansion::exported::<
                                                {
                                                    <Pricing as __far::expansion::FarMessages<
                                                        { <Pricing as __far::expansion::FarActor>::IS },
                                                    >>::IS
                                                },
                                                _,
                                            >(&pricing),
                                        ),
                                        __far::expansion::errors!(
                                            < < Audit as __far::expansion::ActorIf < { < Audit as
                                            __far::expansion::FarMessages < { < Audit as
                                            __far::expansion::FarActor > ::IS } >> ::IS } >> ::Actor as
                                            __rt::Actor > ::Error
                                        ),
                                    )?,
                                )
                            } else {
                                None
                            };
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
            let audit = __rt::Clone::clone(&__of_audit);
            #[allow(unreachable_code)]
            let __of_shards = match {
                let __options = {
                    <__far::Far<
                        Shard,
                    > as __rt::ChildIf<
                        {
                            <Shard as __far::expansion::FarMessages<
                                { <Shard as __far::expansion::FarActor>::IS },
                            >>::IS
                        },
                    >>::options()
                        .shutdown(<Shop<T>>::__REMOTE_shards.shutdown_at_owner())
                };
                __rt::Builder::array::<
                    _,
                    { 4 },
                    _,
                    _,
                >(
                    &__b,
                    "shards",
                    __options,
                    move |__i: ::core::primitive::usize| {
                        async move {
                            let __it: <__far::Far<
                                Shard,
                            > as __rt::ChildIf<
                                {
                                    <Shard as __far::expansion::FarMessages<
                                        { <Shard as __far::expansion::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Start = __far::expansion::far_start(
                                <Shop<T>>::__REMOTE_shards,
                                &(&__i,),
                                __far::expansion::errors!(
                                    < < Shard as __far::expansion::ActorIf < { < Shard as
                                    __far::expansion::FarMessages < { < Shard as
                                    __far::expansion::FarActor > ::IS } >> ::IS } >> ::Actor as
                                    __rt::Actor > ::Error
                                ),
                            )?;
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
            let __of_carts = match {
                let __of_shards = __rt::Clone::clone(&__of_shards);
                let __options = {
                    <__far::Far<
                        Cart,
                    > as __rt::ChildIf<
                        {
                            <Cart as __far::expansion::FarMessages<
                                { <Cart as __far::expansion::FarActor>::IS },
                            >>::IS
                        },
                    >>::options()
                        .shutdown(<Shop<T>>::__REMOTE_carts.shutdown_at_owner())
                };
                let __initial = __rt::no_initial();
                __rt::Builder::set::<
                    _,
                    (
                        <u64 as __rt::Checked<
                            {
                                <__rt::ATree as __rt::CanMove<u64>>::IS
                                    & <__rt::ATree as __rt::CanKeepForInstances<u64>>::IS
                            },
                        >>::Type,
                        <(
                            u8,
                            u8,
                        ) as __rt::Checked<
                            {
                                <__rt::ATree as __rt::CanMove<(u8, u8)>>::IS
                                    & <__rt::ATree as __rt::CanKeepForInstances<(u8, u8)>>::IS
                            },
                        >>::Type,
                    ),
                    _,
                    _,
                >(
                    &__b,
                    "carts",
                    __options,
                    __initial,
                    move |
                        __args: (
                            <u64 as __rt::Checked<
                                {
                                    <__rt::ATree as __rt::CanMove<u64>>::IS
                                        & <__rt::ATree as __rt::CanKeepForInstances<u64>>::IS
                                },
                            >>::Type,
                            <(
                                u8,
                                u8,
                            ) as __rt::Checked<
                                {
                                    <__rt::ATree as __rt::CanMove<(u8, u8)>>::IS
                                        & <__rt::ATree as __rt::CanKeepForInstances<(u8, u8)>>::IS
                                },
                            >>::Type,
                        )|
                    {
                        #[allow(unused_variables)]
                        let shards = __rt::Clone::clone(&__of_shards);
                        let (
                            __a0,
                            __a1,
                        ): (
                            <u64 as __rt::Checked<
                                {
                                    <__rt::ATree as __rt::CanMove<u64>>::IS
                                        & <__rt::ATree as __rt::CanKeepForInstances<u64>>::IS
                                },
                            >>::Type,
                            <(
                                u8,
                                u8,
                            ) as __rt::Checked<
                                {
                                    <__rt::ATree as __rt::CanMove<(u8, u8)>>::IS
                                        & <__rt::ATree as __rt::CanKeepForInstances<(u8, u8)>>::IS
                                },
                            >>::Type,
                        ) = __args;
                        async move {
                            let __it: <__far::Far<
                                Cart,
                            > as __rt::ChildIf<
                                {
                                    <Cart as __far::expansion::FarMessages<
                                        { <Cart as __far::expansion::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Start = __far::expansion::far_start(
                                <Shop<T>>::__REMOTE_carts,
                                &(
                                    __far::expansion::exported::<
                                        {
                                            <Shard as __far::expansion::FarMessages<
                                                { <Shard as __far::expansion::FarActor>::IS },
                                            >>::IS
                                        },
                                        _,
                                    >(&shards),
                                    <u64 as __far::expansion::ValueIf<
                                        {
                                            <__far::expansion::Check as __far::expansion::Crosses<
                                                u64,
                                            >>::IS
                                        },
                                    >>::value(&__a0),
                                    <(
                                        u8,
                                        u8,
                                    ) as __far::expansion::ValueIf<
                                        {
                                            <__far::expansion::Check as __far::expansion::Crosses<
                                                (u8, u8),
                                            >>::IS
                                        },
                                    >>::value(&__a1),
                                ),
                                __far::expansion::errors!(
                                    < < Cart as __far::expansion::ActorIf < { < Cart as
                                    __far::expansion::FarMessages < { < Cart as
                                    __far::expansion::FarActor > ::IS } >> ::IS } >> ::Actor as
                                    __rt::Actor > ::Error
                                ),
                            )?;
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
            let carts = __rt::Clone::clone(&__of_carts);
            #[allow(unreachable_code)]
            let __of_sessions = match {
                let __options = {
                    <__far::Far<
                        Session,
                    > as __rt::ChildIf<
                        {
                            <Session as __far::expansion::FarMessages<
                                { <Session as __far::expansion::FarActor>::IS },
                            >>::IS
                        },
                    >>::options()
                        .shutdown(<Shop<T>>::__REMOTE_sessions.shutdown_at_owner())
                };
                let __initial = __rt::no_initial();
                __rt::Builder::keyed::<
                    <String as __rt::Checked<
                        { <__rt::ATree as __rt::CanBeAKey<String>>::IS },
                    >>::Type,
                    _,
                    (
                        <u8 as __rt::Checked<
                            {
                                <__rt::ATree as __rt::CanMove<u8>>::IS
                                    & <__rt::ATree as __rt::CanKeepForInstances<u8>>::IS
                            },
                        >>::Type,
                    ),
                    _,
                    _,
                >(
                    &__b,
                    "sessions",
                    __options,
                    __initial,
                    move |
                        __args: (
                            <String as __rt::Checked<
                                { <__rt::ATree as __rt::CanBeAKey<String>>::IS },
                            >>::Type,
                            (
                                <u8 as __rt::Checked<
                                    {
                                        <__rt::ATree as __rt::CanMove<u8>>::IS
                                            & <__rt::ATree as __rt::CanKeepForInstances<u8>>::IS
                                    },
                                >>::Type,
                            ),
                        )|
                    {
                        let (
                            __key,
                            (__a1,),
                        ): (
                            <String as __rt::Checked<
                                { <__rt::ATree as __rt::CanBeAKey<String>>::IS },
                            >>::Type,
                            (
                                <u8 as __rt::Checked<
                                    {
                                        <__rt::ATree as __rt::CanMove<u8>>::IS
                                            & <__rt::ATree as __rt::CanKeepForInstances<u8>>::IS
                                    },
                                >>::Type,
                            ),
                        ) = __args;
                        #[allow(clippy::no_effect_underscore_binding)]
                        let _unused: u8 = __a1;
                        async move {
                            let __it: <__far::Far<
                                Session,
                            > as __rt::ChildIf<
                                {
                                    <Session as __far::expansion::FarMessages<
                                        { <Session as __far::expansion::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Start = __far::expansion::far_start(
                                <Shop<T>>::__REMOTE_sessions,
                                &(
                                    <String as __far::expansion::ValueIf<
                                        {
                                            <__far::expansion::Check as __far::expansion::Crosses<
                                                String,
                                            >>::IS
                                        },
                                    >>::value(&__key),
                                ),
                                __far::expansion::errors!(
                                    < < Session as __far::expansion::ActorIf < { < Session as
                                    __far::expansion::FarMessages < { < Session as
                                    __far::expansion::FarActor > ::IS } >> ::IS } >> ::Actor as
                                    __rt::Actor > ::Error
                                ),
                            )?;
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
            let sessions = __rt::Clone::clone(&__of_sessions);
            #[allow(unreachable_code)]
            let __of_below = match {
                let __of_pricing = __rt::Clone::clone(&__of_pricing);
                let __options = { __rt::ChildOptions::<Below<T>>::new() };
                __rt::Builder::inline::<
                    Below<T>,
                    _,
                    _,
                >(
                    &__b,
                    "below",
                    __options,
                    move |__b: __rt::Builder| {
                        let __of_pricing = __rt::Clone::clone(&__of_pricing);
                        async move {
                            let __of_tree = __rt::Builder::tree_ref(&__b);
                            #[cfg(rust_analyzer)]
                            let tree = __rt::Clone::clone(&__of_tree);
                            __rt::Builder::supervision(
                                &__b,
                                { __rt::SupervisorStrategy::new(__rt::Strategy::OneForOne) },
                            );
                            #[cfg(unix)]
                            #[allow(unreachable_code)]
                            let __of_deep = match {
                                let __of_pricing = __rt::Clone::clone(&__of_pricing);
                                __rt::Builder::child(
                                    &__b,
                                    "deep",
                                    {
                                        <__far::Far<
                                            Deep,
                                        > as __rt::ChildIf<
                                            {
                                                <Deep as __far::expansion::FarMessages<
                                                    { <Deep as __far::expansion::FarActor>::IS },
                                                >>::IS
                                            },
                                        >>::options()
                                            .shutdown(<Below<T>>::__REMOTE_deep.shutdown_at_owner())
                                    },
                                    move || {
                                        #[allow(unused_variables)]
                                        let pricing = __of_pricing.clone_for_start();
                                        async move {
                                            let __it: <__far::Far<
                                                Deep,
                                            > as __rt::ChildIf<
                                                {
                                                    <Deep as __far::expansion::FarMessages<
                                                        { <Deep as __far::expansion::FarActor>::IS },
                                                    >>::IS
                                                },
                                            >>::Start = __far::expansion::far_start(
                                                <Below<T>>::__REMOTE_deep,
                                                &(
                                                    __far::expansion::exported::<
                                                        {
                                                            <Pricing as __far::expansion::FarMessages<
                                                                { <Pricing as __far::expansion::FarActor>::IS },
                                                            >>::IS
                                                        },
                                                        _,
                                                    >(&pricing),
                                                ),
                                                __far::expansion::errors!(
                                                    < < Deep as __far::expansion::ActorIf < { < Deep as
                                                    __far::expansion::FarMessages < { < Deep as
                                                    __far::expansion::FarActor > ::IS } >> ::IS } >> ::Actor as
                                                    __rt::Actor > ::Error
                                                ),
                                            )?;
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
                            #[cfg(unix)]
                            #[cfg(rust_analyzer)]
                            let deep = __of_deep.clone_for_start();
                            #[allow(unreachable_code)]
                            __rt::Ok::<
                                _,
                                __rt::Thrown,
                            >(Below {
                                #[cfg(unix)]
                                deep: __of_deep.clone_for_start(),
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
            let below = __rt::Clone::clone(&__of_below);
            #[allow(unreachable_code)]
            let __of_front = match {
                let __of_pricing = __rt::Clone::clone(&__of_pricing);
                __rt::Builder::child(
                    &__b,
                    "front",
                    {
                        <Front as __rt::ChildIf<
                            { <Front as __rt::IsAChild>::IS },
                        >>::options()
                    },
                    move || {
                        #[allow(unused_variables)]
                        let pricing = __of_pricing.clone_for_start();
                        async move {
                            let __it: <Front as __rt::ChildIf<
                                { <Front as __rt::IsAChild>::IS },
                            >>::Start = Front::new(pricing);
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
            let front = __of_front.clone_for_start();
            #[allow(unreachable_code)]
            __rt::Ok::<
                _,
                __rt::Thrown,
            >(Shop {
                db: __of_db.clone_for_start(),
                pricing: __of_pricing.clone_for_start(),
                loader: __of_loader.clone_for_start(),
                audit: __of_audit,
                shards: __of_shards,
                carts: __of_carts,
                sessions: __of_sessions,
                below: __of_below,
                front: __of_front.clone_for_start(),
                __types: ::core::marker::PhantomData,
                tree: __of_tree,
            })
        }
    }
    #[cfg(any(rust_analyzer, not(rust_analyzer)))]
    impl<T: Row + 'static> Shop<T> {
        #[doc(hidden)]
        #[allow(dead_code, non_snake_case, unreachable_code, clippy::type_complexity)]
        fn __start_pricing(
            __order: ::std::boxed::Box<dyn ::core::any::Any + ::core::marker::Send>,
        ) -> ::std::boxed::Box<dyn ::core::any::Any + ::core::marker::Send> {
            __far::expansion::erased(
                __order,
                |__order: __far::expansion::Order| __far::expansion::Order::host(
                    __order,
                    __rt::ChildOptions::<
                        <Pricing as __far::expansion::ActorIf<
                            {
                                <Pricing as __far::expansion::FarMessages<
                                    { <Pricing as __far::expansion::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor,
                    >::new()
                        .start(__rt::Duration::new(3, 0))
                        .shutdown(
                            __rt::ShutdownTimeout::Within(__rt::Duration::new(4, 0)),
                        )
                        .handler(__rt::Duration::new(1, 0))
                        .drain()
                        .pre_restart(Pricing::dump),
                    |
                        __captured: (
                            <Rates as __far::expansion::ValueIf<
                                {
                                    <__far::expansion::Check as __far::expansion::Crosses<
                                        Rates,
                                    >>::IS
                                },
                            >>::Value,
                            __far::RemoteRef<
                                <Db as __far::expansion::ActorIf<
                                    {
                                        <Db as __far::expansion::NearMessages<
                                            { <Db as __far::expansion::NearActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                            __far::RemoteRef<
                                <Front as __far::expansion::ActorIf<
                                    {
                                        <Front as __far::expansion::NearMessages<
                                            { <Front as __far::expansion::NearActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                        )|
                    async move {
                        #[cfg(rust_analyzer)]
                        let config: <Config as __far::expansion::ValueIf<
                            {
                                <__far::expansion::Check as __far::expansion::Crosses<
                                    Config,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let first: T = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let rates: <Rates as __far::expansion::ValueIf<
                            {
                                <__far::expansion::Check as __far::expansion::Crosses<
                                    Rates,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let db: __far::RemoteRef<
                            <Db as __far::expansion::ActorIf<
                                {
                                    <Db as __far::expansion::NearMessages<
                                        { <Db as __far::expansion::NearActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[allow(unused_variables)]
                        let (rates, db, front) = __captured;
                        #[allow(unused_imports)]
                        use __rt::later;
                        let __it: <Pricing as __far::expansion::ActorIf<
                            {
                                <Pricing as __far::expansion::FarMessages<
                                    { <Pricing as __far::expansion::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor = Pricing::load(rates, db, later(front)).await?;
                        __rt::Ok::<_, __rt::Thrown>(__it)
                    },
                    __far::expansion::errors!(
                        < < Pricing as __far::expansion::ActorIf < { < Pricing as
                        __far::expansion::FarMessages < { < Pricing as
                        __far::expansion::FarActor > ::IS } >> ::IS } >> ::Actor as
                        __rt::Actor > ::Error
                    ),
                ),
            )
        }
        #[doc(hidden)]
        #[allow(dead_code, non_upper_case_globals)]
        const __REMOTE_pricing: &'static __rt::RemoteSpec = &__rt::RemoteSpec::on(
                "worker",
                || __rt::remote_key::<Self>(::core::module_path!(), "pricing"),
                0x66f6_0e11_d624_10cf,
                Self::__start_pricing,
            )
            .lease(__rt::Duration::new(2, 0))
            .shutdown(__rt::ShutdownTimeout::Within(__rt::Duration::new(4, 0)))
            .start(__rt::Duration::new(3, 0));
    }
    #[cfg(any(rust_analyzer, not(rust_analyzer)))]
    impl<T: Row + 'static> Shop<T> {
        #[doc(hidden)]
        #[allow(dead_code, non_snake_case, unreachable_code, clippy::type_complexity)]
        fn __start_loader(
            __order: ::std::boxed::Box<dyn ::core::any::Any + ::core::marker::Send>,
        ) -> ::std::boxed::Box<dyn ::core::any::Any + ::core::marker::Send> {
            __far::expansion::erased(
                __order,
                |__order: __far::expansion::Order| __far::expansion::Order::host(
                    __order,
                    __rt::ChildOptions::<Loader<T>>::new(),
                    |__captured: (T,)| async move {
                        #[cfg(rust_analyzer)]
                        let config: <Config as __far::expansion::ValueIf<
                            {
                                <__far::expansion::Check as __far::expansion::Crosses<
                                    Config,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let first: T = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let rates: <Rates as __far::expansion::ValueIf<
                            {
                                <__far::expansion::Check as __far::expansion::Crosses<
                                    Rates,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let db: __far::RemoteRef<
                            <Db as __far::expansion::ActorIf<
                                {
                                    <Db as __far::expansion::NearMessages<
                                        { <Db as __far::expansion::NearActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let pricing: __far::RemoteRef<
                            <Pricing as __far::expansion::ActorIf<
                                {
                                    <Pricing as __far::expansion::FarMessages<
                                        { <Pricing as __far::expansion::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[allow(unused_variables)]
                        let (first,) = __captured;
                        let __it: Loader<T> = Loader(first);
                        __rt::Ok::<_, __rt::Thrown>(__it)
                    },
                    __far::expansion::errors!(< Loader < T > as __rt::Actor > ::Error),
                ),
            )
        }
        #[doc(hidden)]
        #[allow(dead_code, non_upper_case_globals)]
        const __REMOTE_loader: &'static __rt::RemoteSpec = &__rt::RemoteSpec::on(
                "edge",
                || __rt::remote_key::<Self>(::core::module_path!(), "loader"),
                0x201e_936d_d1e7_7d20,
                Self::__start_loader,
            )
            .lease(__rt::Duration::new(2, 0))
            .overlap(__rt::Overlap::Allowed)
            .window(8);
    }
    #[cfg(any(rust_analyzer, not(rust_analyzer)))]
    impl<T: Row + 'static> Shop<T> {
        #[doc(hidden)]
        #[allow(dead_code, non_snake_case, unreachable_code, clippy::type_complexity)]
        fn __start_audit(
            __order: ::std::boxed::Box<dyn ::core::any::Any + ::core::marker::Send>,
        ) -> ::std::boxed::Box<dyn ::core::any::Any + ::core::marker::Send> {
            __far::expansion::erased(
                __order,
                |__order: __far::expansion::Order| __far::expansion::Order::host(
                    __order,
                    __rt::ChildOptions::<
                        <Audit as __far::expansion::ActorIf<
                            {
                                <Audit as __far::expansion::FarMessages<
                                    { <Audit as __far::expansion::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor,
                    >::new(),
                    |
                        __captured: (
                            __far::RemoteRef<
                                <Pricing as __far::expansion::ActorIf<
                                    {
                                        <Pricing as __far::expansion::FarMessages<
                                            { <Pricing as __far::expansion::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                        )|
                    async move {
                        #[cfg(rust_analyzer)]
                        let config: <Config as __far::expansion::ValueIf<
                            {
                                <__far::expansion::Check as __far::expansion::Crosses<
                                    Config,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let first: T = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let rates: <Rates as __far::expansion::ValueIf<
                            {
                                <__far::expansion::Check as __far::expansion::Crosses<
                                    Rates,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let db: __far::RemoteRef<
                            <Db as __far::expansion::ActorIf<
                                {
                                    <Db as __far::expansion::NearMessages<
                                        { <Db as __far::expansion::NearActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let pricing: __far::RemoteRef<
                            <Pricing as __far::expansion::ActorIf<
                                {
                                    <Pricing as __far::expansion::FarMessages<
                                        { <Pricing as __far::expansion::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let loader: __far::RemoteRef<Loader<T>> = ::core::todo!();
                        #[allow(unused_variables)]
                        let (pricing,) = __captured;
                        let __it: <Audit as __far::expansion::ActorIf<
                            {
                                <Audit as __far::expansion::FarMessages<
                                    { <Audit as __far::expansion::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor = Audit::open(pricing);
                        __rt::Ok::<_, __rt::Thrown>(__it)
                    },
                    __far::expansion::errors!(
                        < < Audit as __far::expansion::ActorIf < { < Audit as
                        __far::expansion::FarMessages < { < Audit as
                        __far::expansion::FarActor > ::IS } >> ::IS } >> ::Actor as
                        __rt::Actor > ::Error
                    ),
                ),
            )
        }
        #[doc(hidden)]
        #[allow(dead_code, non_upper_case_globals)]
        const __REMOTE_audit: &'static __rt::RemoteSpec = &__rt::RemoteSpec::on(
                "worker",
                || __rt::remote_key::<Self>(::core::module_path!(), "audit"),
                0x155c_4195_6969_fb20,
                Self::__start_audit,
            )
            .lease(__rt::Duration::new(2, 0));
    }
    #[cfg(any(rust_analyzer, not(rust_analyzer)))]
    impl<T: Row + 'static> Shop<T> {
        #[doc(hidden)]
        #[allow(dead_code, non_snake_case, unreachable_code, clippy::type_complexity)]
        fn __start_shards(
            __order: ::std::boxed::Box<dyn ::core::any::Any + ::core::marker::Send>,
        ) -> ::std::boxed::Box<dyn ::core::any::Any + ::core::marker::Send> {
            __far::expansion::erased(
                __order,
                |__order: __far::expansion::Order| __far::expansion::Order::host(
                    __order,
                    __rt::ChildOptions::<
                        <Shard as __far::expansion::ActorIf<
                            {
                                <Shard as __far::expansion::FarMessages<
                                    { <Shard as __far::expansion::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor,
                    >::new(),
                    |__captured: (::core::primitive::usize,)| async move {
                        #[cfg(rust_analyzer)]
                        let config: <Config as __far::expansion::ValueIf<
                            {
                                <__far::expansion::Check as __far::expansion::Crosses<
                                    Config,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let first: T = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let rates: <Rates as __far::expansion::ValueIf<
                            {
                                <__far::expansion::Check as __far::expansion::Crosses<
                                    Rates,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let db: __far::RemoteRef<
                            <Db as __far::expansion::ActorIf<
                                {
                                    <Db as __far::expansion::NearMessages<
                                        { <Db as __far::expansion::NearActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let pricing: __far::RemoteRef<
                            <Pricing as __far::expansion::ActorIf<
                                {
                                    <Pricing as __far::expansion::FarMessages<
                                        { <Pricing as __far::expansion::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let loader: __far::RemoteRef<Loader<T>> = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let audit: ::core::option::Option<
                            __far::RemoteRef<
                                <Audit as __far::expansion::ActorIf<
                                    {
                                        <Audit as __far::expansion::FarMessages<
                                            { <Audit as __far::expansion::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                        > = ::core::todo!();
                        #[allow(unused_variables)]
                        let (__a0,) = __captured;
                        let i = __a0;
                        let __it: <Shard as __far::expansion::ActorIf<
                            {
                                <Shard as __far::expansion::FarMessages<
                                    { <Shard as __far::expansion::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor = Shard::open(i);
                        __rt::Ok::<_, __rt::Thrown>(__it)
                    },
                    __far::expansion::errors!(
                        < < Shard as __far::expansion::ActorIf < { < Shard as
                        __far::expansion::FarMessages < { < Shard as
                        __far::expansion::FarActor > ::IS } >> ::IS } >> ::Actor as
                        __rt::Actor > ::Error
                    ),
                ),
            )
        }
        #[doc(hidden)]
        #[allow(dead_code, non_upper_case_globals)]
        const __REMOTE_shards: &'static __rt::RemoteSpec = &__rt::RemoteSpec::on(
                "worker",
                || __rt::remote_key::<Self>(::core::module_path!(), "shards"),
                0xa012_0d98_93db_efbf,
                Self::__start_shards,
            )
            .lease(__rt::Duration::new(2, 0))
            .spread(__rt::Spread::OnePerNode);
    }
    #[cfg(any(rust_analyzer, not(rust_analyzer)))]
    impl<T: Row + 'static> Shop<T> {
        #[doc(hidden)]
        #[allow(dead_code, non_snake_case, unreachable_code, clippy::type_complexity)]
        fn __start_carts(
            __order: ::std::boxed::Box<dyn ::core::any::Any + ::core::marker::Send>,
        ) -> ::std::boxed::Box<dyn ::core::any::Any + ::core::marker::Send> {
            __far::expansion::erased(
                __order,
                |__order: __far::expansion::Order| __far::expansion::Order::host(
                    __order,
                    __rt::ChildOptions::<
                        <Cart as __far::expansion::ActorIf<
                            {
                                <Cart as __far::expansion::FarMessages<
                                    { <Cart as __far::expansion::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor,
                    >::new(),
                    |
                        __captured: (
                            __far::expansion::Several<
                                __far::RemoteRef<
                                    <Shard as __far::expansion::ActorIf<
                                        {
                                            <Shard as __far::expansion::FarMessages<
                                                { <Shard as __far::expansion::FarActor>::IS },
                                            >>::IS
                                        },
                                    >>::Actor,
                                >,
                                { 4 },
                            >,
                            <u64 as __far::expansion::ValueIf<
                                {
                                    <__far::expansion::Check as __far::expansion::Crosses<
                                        u64,
                                    >>::IS
                                },
                            >>::Value,
                            <(
                                u8,
                                u8,
                            ) as __far::expansion::ValueIf<
                                {
                                    <__far::expansion::Check as __far::expansion::Crosses<
                                        (u8, u8),
                                    >>::IS
                                },
                            >>::Value,
                        )|
                    async move {
                        #[cfg(rust_analyzer)]
                        let config: <Config as __far::expansion::ValueIf<
                            {
                                <__far::expansion::Check as __far::expansion::Crosses<
                                    Config,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let first: T = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let rates: <Rates as __far::expansion::ValueIf<
                            {
                                <__far::expansion::Check as __far::expansion::Crosses<
                                    Rates,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let db: __far::RemoteRef<
                            <Db as __far::expansion::ActorIf<
                                {
                                    <Db as __far::expansion::NearMessages<
                                        { <Db as __far::expansion::NearActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let pricing: __far::RemoteRef<
                            <Pricing as __far::expansion::ActorIf<
                                {
                                    <Pricing as __far::expansion::FarMessages<
                                        { <Pricing as __far::expansion::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let loader: __far::RemoteRef<Loader<T>> = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let audit: ::core::option::Option<
                            __far::RemoteRef<
                                <Audit as __far::expansion::ActorIf<
                                    {
                                        <Audit as __far::expansion::FarMessages<
                                            { <Audit as __far::expansion::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let __far::expansion::Several(
                            shards,
                        ): __far::expansion::Several<
                            __far::RemoteRef<
                                <Shard as __far::expansion::ActorIf<
                                    {
                                        <Shard as __far::expansion::FarMessages<
                                            { <Shard as __far::expansion::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                            { 4 },
                        > = ::core::todo!();
                        #[allow(unused_variables)]
                        let (__far::expansion::Several(shards), __a0, __a1) = __captured;
                        let id: u64 = __a0;
                        let (a, b): (u8, u8) = __a1;
                        let __it: <Cart as __far::expansion::ActorIf<
                            {
                                <Cart as __far::expansion::FarMessages<
                                    { <Cart as __far::expansion::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor = Cart::new(id, a, b, shards);
                        __rt::Ok::<_, __rt::Thrown>(__it)
                    },
                    __far::expansion::errors!(
                        < < Cart as __far::expansion::ActorIf < { < Cart as
                        __far::expansion::FarMessages < { < Cart as
                        __far::expansion::FarActor > ::IS } >> ::IS } >> ::Actor as
                        __rt::Actor > ::Error
                    ),
                ),
            )
        }
        #[doc(hidden)]
        #[allow(dead_code, non_upper_case_globals)]
        const __REMOTE_carts: &'static __rt::RemoteSpec = &__rt::RemoteSpec::on(
                "worker",
                || __rt::remote_key::<Self>(::core::module_path!(), "carts"),
                0x7dc4_1176_20e7_e06c,
                Self::__start_carts,
            )
            .lease(__rt::Duration::new(2, 0));
    }
    #[cfg(any(rust_analyzer, not(rust_analyzer)))]
    impl<T: Row + 'static> Shop<T> {
        #[doc(hidden)]
        #[allow(dead_code, non_snake_case, unreachable_code, clippy::type_complexity)]
        fn __start_sessions(
            __order: ::std::boxed::Box<dyn ::core::any::Any + ::core::marker::Send>,
        ) -> ::std::boxed::Box<dyn ::core::any::Any + ::core::marker::Send> {
            __far::expansion::erased(
                __order,
                |__order: __far::expansion::Order| __far::expansion::Order::host(
                    __order,
                    __rt::ChildOptions::<
                        <Session as __far::expansion::ActorIf<
                            {
                                <Session as __far::expansion::FarMessages<
                                    { <Session as __far::expansion::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor,
                    >::new(),
                    |
                        __captured: (
                            <String as __far::expansion::ValueIf<
                                {
                                    <__far::expansion::Check as __far::expansion::Crosses<
                                        String,
                                    >>::IS
                                },
                            >>::Value,
                        )|
                    async move {
                        #[cfg(rust_analyzer)]
                        let config: <Config as __far::expansion::ValueIf<
                            {
                                <__far::expansion::Check as __far::expansion::Crosses<
                                    Config,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let first: T = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let rates: <Rates as __far::expansion::ValueIf<
                            {
                                <__far::expansion::Check as __far::expansion::Crosses<
                                    Rates,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let db: __far::RemoteRef<
                            <Db as __far::expansion::ActorIf<
                                {
                                    <Db as __far::expansion::NearMessages<
                                        { <Db as __far::expansion::NearActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let pricing: __far::RemoteRef<
                            <Pricing as __far::expansion::ActorIf<
                                {
                                    <Pricing as __far::expansion::FarMessages<
                                        { <Pricing as __far::expansion::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let loader: __far::RemoteRef<Loader<T>> = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let audit: ::core::option::Option<
                            __far::RemoteRef<
                                <Audit as __far::expansion::ActorIf<
                                    {
                                        <Audit as __far::expansion::FarMessages<
                                            { <Audit as __far::expansion::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let __far::expansion::Several(
                            shards,
                        ): __far::expansion::Several<
                            __far::RemoteRef<
                                <Shard as __far::expansion::ActorIf<
                                    {
                                        <Shard as __far::expansion::FarMessages<
                                            { <Shard as __far::expansion::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                            { 4 },
                        > = ::core::todo!();
                        #[allow(unused_variables)]
                        let (__a0,) = __captured;
                        let user: String = __a0;
                        let __it: <Session as __far::expansion::ActorIf<
                            {
                                <Session as __far::expansion::FarMessages<
                                    { <Session as __far::expansion::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor = Session::open(user);
                        __rt::Ok::<_, __rt::Thrown>(__it)
                    },
                    __far::expansion::errors!(
                        < < Session as __far::expansion::ActorIf < { < Session as
                        __far::expansion::FarMessages < { < Session as
                        __far::expansion::FarActor > ::IS } >> ::IS } >> ::Actor as
                        __rt::Actor > ::Error
                    ),
                ),
            )
        }
        #[doc(hidden)]
        #[allow(dead_code, non_upper_case_globals)]
        const __REMOTE_sessions: &'static __rt::RemoteSpec = &__rt::RemoteSpec::on(
                "worker",
                || __rt::remote_key::<Self>(::core::module_path!(), "sessions"),
                0xf6f9_0f3f_b26c_b4db,
                Self::__start_sessions,
            )
            .lease(__rt::Duration::new(2, 0));
    }
    #[cfg(unix)]
    #[cfg(any(rust_analyzer, not(rust_analyzer)))]
    impl<T: Row + 'static> Below<T> {
        #[doc(hidden)]
        #[allow(dead_code, non_snake_case, unreachable_code, clippy::type_complexity)]
        fn __start_deep(
            __order: ::std::boxed::Box<dyn ::core::any::Any + ::core::marker::Send>,
        ) -> ::std::boxed::Box<dyn ::core::any::Any + ::core::marker::Send> {
            __far::expansion::erased(
                __order,
                |__order: __far::expansion::Order| __far::expansion::Order::host(
                    __order,
                    __rt::ChildOptions::<
                        <Deep as __far::expansion::ActorIf<
                            {
                                <Deep as __far::expansion::FarMessages<
                                    { <Deep as __far::expansion::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor,
                    >::new(),
                    |
                        __captured: (
                            __far::RemoteRef<
                                <Pricing as __far::expansion::ActorIf<
                                    {
                                        <Pricing as __far::expansion::FarMessages<
                                            { <Pricing as __far::expansion::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                        )|
                    async move {
                        #[cfg(rust_analyzer)]
                        let config: <Config as __far::expansion::ValueIf<
                            {
                                <__far::expansion::Check as __far::expansion::Crosses<
                                    Config,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let first: T = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let rates: <Rates as __far::expansion::ValueIf<
                            {
                                <__far::expansion::Check as __far::expansion::Crosses<
                                    Rates,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let db: __far::RemoteRef<
                            <Db as __far::expansion::ActorIf<
                                {
                                    <Db as __far::expansion::NearMessages<
                                        { <Db as __far::expansion::NearActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let pricing: __far::RemoteRef<
                            <Pricing as __far::expansion::ActorIf<
                                {
                                    <Pricing as __far::expansion::FarMessages<
                                        { <Pricing as __far::expansion::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let loader: __far::RemoteRef<Loader<T>> = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let audit: ::core::option::Option<
                            __far::RemoteRef<
                                <Audit as __far::expansion::ActorIf<
                                    {
                                        <Audit as __far::expansion::FarMessages<
                                            { <Audit as __far::expansion::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let __far::expansion::Several(
                            shards,
                        ): __far::expansion::Several<
                            __far::RemoteRef<
                                <Shard as __far::expansion::ActorIf<
                                    {
                                        <Shard as __far::expansion::FarMessages<
                                            { <Shard as __far::expansion::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                            { 4 },
                        > = ::core::todo!();
                        #[allow(unused_variables)]
                        let (pricing,) = __captured;
                        let __it: <Deep as __far::expansion::ActorIf<
                            {
                                <Deep as __far::expansion::FarMessages<
                                    { <Deep as __far::expansion::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor = Deep::new(pricing);
                        __rt::Ok::<_, __rt::Thrown>(__it)
                    },
                    __far::expansion::errors!(
                        < < Deep as __far::expansion::ActorIf < { < Deep as
                        __far::expansion::FarMessages < { < Deep as
                        __far::expansion::FarActor > ::IS } >> ::IS } >> ::Actor as
                        __rt::Actor > ::Error
                    ),
                ),
            )
        }
        #[doc(hidden)]
        #[allow(dead_code, non_upper_case_globals)]
        const __REMOTE_deep: &'static __rt::RemoteSpec = &__rt::RemoteSpec::on(
            "deep",
            || __rt::remote_key::<Self>(::core::module_path!(), "deep"),
            0x5c98_f65c_36ff_5499,
            Self::__start_deep,
        );
    }
    #[automatically_derived]
    impl<T: Row + 'static> __rt::TreeHandle for Shop<T> {
        const SPEC: __rt::TreeSpec = __rt::TreeSpec {
            name: "Shop",
            doc: "",
            strategy: __rt::Strategy::OneForOne,
            shutdown: __rt::DeclaredShutdown::Default,
            shutdown_order: __rt::ShutdownOrder::Reverse,
            settings: &["on(\"worker\", lease = 2s)"],
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
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Db as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "pricing",
                    doc: "Runs on any worker.",
                    item: "Pricing",
                    shape: __rt::Shape::One,
                    kind: __rt::ChildKind::Actor,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Is(
                        __rt::ShutdownTimeout::Within(__rt::Duration::new(4, 0)),
                    ),
                    settings: &[
                        "lifecycle(Permanent, start = 3s, shutdown = 4s, handler = 1s, drain)",
                        "pre_restart(Pricing::dump)",
                        "redeliver(attempts = 2)",
                    ],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(::core::option::Option::None),
                    remote: ::core::option::Option::Some(<Shop<T>>::__REMOTE_pricing),
                },
                __rt::ChildSpec {
                    name: "loader",
                    doc: "",
                    item: "Loader<T>",
                    shape: __rt::Shape::One,
                    kind: __rt::ChildKind::Actor,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &["on(\"edge\", overlap = Allowed, window = 8)"],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(::core::option::Option::None),
                    remote: ::core::option::Option::Some(<Shop<T>>::__REMOTE_loader),
                },
                __rt::ChildSpec {
                    name: "audit",
                    doc: "",
                    item: "Audit",
                    shape: __rt::Shape::Optional,
                    kind: __rt::ChildKind::Actor,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(::core::option::Option::None),
                    remote: ::core::option::Option::Some(<Shop<T>>::__REMOTE_audit),
                },
                __rt::ChildSpec {
                    name: "shards",
                    doc: "",
                    item: "Shard",
                    shape: __rt::Shape::Array(__rt::number::<{ 4 }>()),
                    kind: __rt::ChildKind::Actor,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &["on(spread = OnePerNode)"],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(::core::option::Option::None),
                    remote: ::core::option::Option::Some(<Shop<T>>::__REMOTE_shards),
                },
                __rt::ChildSpec {
                    name: "carts",
                    doc: "",
                    item: "Cart",
                    shape: __rt::Shape::Set,
                    kind: __rt::ChildKind::Actor,
                    lifecycle: __rt::Lifecycle::Transient,
                    limit: __rt::default_limit(__rt::OnLimit::Stop, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(::core::option::Option::None),
                    remote: ::core::option::Option::Some(<Shop<T>>::__REMOTE_carts),
                },
                __rt::ChildSpec {
                    name: "sessions",
                    doc: "",
                    item: "Session",
                    shape: __rt::Shape::Keyed("String"),
                    kind: __rt::ChildKind::Actor,
                    lifecycle: __rt::Lifecycle::Transient,
                    limit: __rt::default_limit(__rt::OnLimit::Stop, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(::core::option::Option::None),
                    remote: ::core::option::Option::Some(<Shop<T>>::__REMOTE_sessions),
                },
                __rt::ChildSpec {
                    name: "below",
                    doc: "",
                    item: "Below",
                    shape: __rt::Shape::One,
                    kind: __rt::ChildKind::Tree,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(
                        ::core::option::Option::Some(
                            &<Below<T> as __rt::TreeHandle>::SPEC,
                        ),
                    ),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "front",
                    doc: "",
                    item: "Front",
                    shape: __rt::Shape::One,
                    kind: <Front as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Front as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
            ],
        };
    }
    #[automatically_derived]
    impl<T: Row + 'static> __rt::TreeHandle for Below<T> {
        const SPEC: __rt::TreeSpec = __rt::TreeSpec {
            name: "Below",
            doc: "",
            strategy: __rt::Strategy::OneForOne,
            shutdown: __rt::DeclaredShutdown::Default,
            shutdown_order: __rt::ShutdownOrder::Reverse,
            settings: &[],
            at: ::core::panic::Location::caller(),
            module: ::core::module_path!(),
            version: ::core::option_env!("CARGO_PKG_VERSION"),
            children: &[
                #[cfg(unix)]
                __rt::ChildSpec {
                    name: "deep",
                    doc: "",
                    item: "Deep",
                    shape: __rt::Shape::One,
                    kind: __rt::ChildKind::Actor,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &["on(\"deep\")"],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(::core::option::Option::None),
                    remote: ::core::option::Option::Some(<Below<T>>::__REMOTE_deep),
                },
            ],
        };
    }
    #[automatically_derived]
    impl<T: Row + 'static> __rt::Child for Shop<T> {
        type Handle = Shop<T>;
        type Start = __rt::Tree<Shop<T>>;
        const KIND: __rt::ChildKind = __rt::ChildKind::Tree;
        const TREE: ::core::option::Option<&'static __rt::TreeSpec> = ::core::option::Option::Some(
            &<Shop<T> as __rt::TreeHandle>::SPEC,
        );
        fn launch<__F, __Fut>(
            __slot: __rt::ChildSlot,
            __options: __rt::ChildOptions<Self>,
            __start: __F,
        ) -> __rt::Launched<Shop<T>>
        where
            __F: ::core::ops::FnMut() -> __Fut + ::core::marker::Send + 'static,
            __Fut: ::core::future::Future<
                    Output = ::core::result::Result<__rt::Tree<Shop<T>>, __rt::Thrown>,
                > + ::core::marker::Send + 'static,
        {
            __rt::launch_tree(__slot, __options, __start)
        }
    }
};
///
///```text
///Shop  OneForOne  on("worker", lease = 2s)
///├── db: Db  Permanent  at most 10 restarts in 60s: Shop fails after 5.11s of outage
///├── pricing: remote Pricing  Permanent  on("worker")  lifecycle(Permanent, start = 3s, shutdown = 4s, handler = 1s, drain)  pre_restart(Pricing::dump)  redeliver(attempts = 2)  at most 10 restarts in 60s: Shop fails after 5.11s of outage
///├── loader: remote Loader<T>  Permanent  on("edge", overlap = Allowed, window = 8)  at most 10 restarts in 60s: Shop fails after 5.11s of outage
///├── audit: Option<remote Audit>  Permanent  on("worker")  at most 10 restarts in 60s: Shop fails after 5.11s of outage
///├── shards: [remote Shard; 4]  Permanent  on("worker")  on(spread = OnePerNode)  at most 10 restarts in 60s: Shop fails after 5.11s of outage
///├── carts: [remote Cart]  Transient  on("worker")  at most 10 restarts in 60s: it ends after 5.11s of outage
///├── sessions: [String => remote Session]  Transient  on("worker")  at most 10 restarts in 60s: it ends after 5.11s of outage
///├── below: Below  Permanent  OneForOne  at most 10 restarts in 60s: Shop fails after 5.11s of outage
#[cfg_attr(
    all(unix),
    doc = "│   ├── deep: remote Deep  Permanent  on(\"deep\")  at most 10 restarts in 60s: below fails after 5.11s of outage"
)]
///└── front: Front  Permanent  at most 10 restarts in 60s: Shop fails after 5.11s of outage
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
pub struct Shop<T: Row + 'static> {
    #[cfg(any(doc, rust_analyzer))]
    ///The child `db`.
    #[allow(dead_code)]
    pub db: ::supervise::expansion::Handle<Db>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `db`.
    #[allow(dead_code)]
    pub db: <Db as ::supervise::expansion::ChildIf<
        { <Db as ::supervise::expansion::IsAChild>::IS },
    >>::Handle,
    #[cfg(any(doc, rust_analyzer))]
    /// Runs on any worker.
    #[allow(dead_code)]
    pub pricing: ::supervise_remote::RemoteRef<Pricing>,
    #[cfg(not(any(doc, rust_analyzer)))]
    /// Runs on any worker.
    #[allow(dead_code)]
    pub pricing: <::supervise_remote::Far<
        Pricing,
    > as ::supervise::expansion::ChildIf<
        {
            <Pricing as ::supervise_remote::expansion::FarMessages<
                { <Pricing as ::supervise_remote::expansion::FarActor>::IS },
            >>::IS
        },
    >>::Handle,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `loader`.
    #[allow(dead_code)]
    pub loader: ::supervise_remote::RemoteRef<Loader<T>>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `loader`.
    #[allow(dead_code)]
    pub loader: <::supervise_remote::Far<
        Loader<T>,
    > as ::supervise::expansion::ChildIf<{ true }>>::Handle,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `audit`.
    #[allow(dead_code)]
    pub audit: ::core::option::Option<::supervise_remote::RemoteRef<Audit>>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `audit`.
    #[allow(dead_code)]
    pub audit: ::core::option::Option<
        <::supervise_remote::Far<
            Audit,
        > as ::supervise::expansion::ChildIf<
            {
                <Audit as ::supervise_remote::expansion::FarMessages<
                    { <Audit as ::supervise_remote::expansion::FarActor>::IS },
                >>::IS
            },
        >>::Handle,
    >,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `shards`.
    #[allow(dead_code)]
    pub shards: ::supervise::expansion::Handles<
        ::supervise_remote::RemoteRef<Shard>,
        { 4 },
    >,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `shards`.
    #[allow(dead_code)]
    pub shards: ::supervise::expansion::Handles<
        <::supervise_remote::Far<
            Shard,
        > as ::supervise::expansion::ChildIf<
            {
                <Shard as ::supervise_remote::expansion::FarMessages<
                    { <Shard as ::supervise_remote::expansion::FarActor>::IS },
                >>::IS
            },
        >>::Handle,
        { 4 },
    >,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `carts`.
    #[allow(dead_code)]
    pub carts: ::supervise::expansion::Children<
        ::supervise_remote::Far<Cart>,
        (u64, (u8, u8)),
    >,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `carts`.
    #[allow(dead_code)]
    pub carts: <::supervise_remote::Far<
        Cart,
    > as ::supervise::expansion::ChildIf<
        {
            <Cart as ::supervise_remote::expansion::FarMessages<
                { <Cart as ::supervise_remote::expansion::FarActor>::IS },
            >>::IS
        },
    >>::Set<
        (
            <u64 as ::supervise::expansion::Checked<
                {
                    <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanMove<
                        u64,
                    >>::IS
                        & <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanKeepForInstances<
                            u64,
                        >>::IS
                },
            >>::Type,
            <(
                u8,
                u8,
            ) as ::supervise::expansion::Checked<
                {
                    <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanMove<
                        (u8, u8),
                    >>::IS
                        & <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanKeepForInstances<
                            (u8, u8),
                        >>::IS
                },
            >>::Type,
        ),
    >,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `sessions`.
    #[allow(dead_code)]
    pub sessions: ::supervise::expansion::Keyed<
        String,
        ::supervise_remote::Far<Session>,
        (u8,),
    >,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `sessions`.
    #[allow(dead_code)]
    pub sessions: <::supervise_remote::Far<
        Session,
    > as ::supervise::expansion::ChildIf<
        {
            <Session as ::supervise_remote::expansion::FarMessages<
                { <Session as ::supervise_remote::expansion::FarActor>::IS },
            >>::IS
        },
    >>::Keyed<
        <String as ::supervise::expansion::Checked<
            {
                <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanBeAKey<
                    String,
                >>::IS
            },
        >>::Type,
        (
            <u8 as ::supervise::expansion::Checked<
                {
                    <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanMove<
                        u8,
                    >>::IS
                        & <<() as ::supervise::expansion::NamesATree>::ATree as ::supervise::expansion::CanKeepForInstances<
                            u8,
                        >>::IS
                },
            >>::Type,
        ),
    >,
    ///The child `below`.
    #[allow(dead_code)]
    pub below: Below<T>,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `front`.
    #[allow(dead_code)]
    pub front: ::supervise::expansion::Handle<Front>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `front`.
    #[allow(dead_code)]
    pub front: <Front as ::supervise::expansion::ChildIf<
        { <Front as ::supervise::expansion::IsAChild>::IS },
    >>::Handle,
    #[doc(hidden)]
    tree: ::supervise::expansion::TreeRef,
    #[doc(hidden)]
    __types: ::core::marker::PhantomData<fn() -> (::core::marker::PhantomData<T>,)>,
}
#[automatically_derived]
impl<T: Row + 'static> ::core::clone::Clone for Shop<T> {
    fn clone(&self) -> Self {
        Shop {
            db: ::core::clone::Clone::clone(&self.db),
            pricing: ::core::clone::Clone::clone(&self.pricing),
            loader: ::core::clone::Clone::clone(&self.loader),
            audit: ::core::clone::Clone::clone(&self.audit),
            shards: ::core::clone::Clone::clone(&self.shards),
            carts: ::core::clone::Clone::clone(&self.carts),
            sessions: ::core::clone::Clone::clone(&self.sessions),
            below: ::core::clone::Clone::clone(&self.below),
            front: ::core::clone::Clone::clone(&self.front),
            tree: ::core::clone::Clone::clone(&self.tree),
            __types: ::core::marker::PhantomData,
        }
    }
}
#[automatically_derived]
impl<T: Row + 'static> ::core::fmt::Debug for Shop<T> {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.tree, f)
    }
}
#[automatically_derived]
impl<T: Row + 'static> ::core::ops::Deref for Shop<T> {
    type Target = ::supervise::expansion::TreeRef;
    fn deref(&self) -> &::supervise::expansion::TreeRef {
        &self.tree
    }
}
impl<T: Row + 'static> Shop<T> {
    /// The tree as it is declared.
    #[allow(dead_code)]
    pub const SPEC: ::supervise::expansion::TreeSpec = <Self as ::supervise::expansion::TreeHandle>::SPEC;
    ///`Shop` with these parameters, not yet started. Start it, or make it a child of another tree.
    #[must_use]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    pub fn tree(config: Config, first: T) -> ::supervise::expansion::Tree<Self> {
        ::supervise::expansion::tree((config, first))
    }
    ///Starts `Shop`: its children in order, each awaited.
    ///
    ///# Errors
    ///
    ///The failure of the child that could not start. Children that were up are stopped again.
    #[track_caller]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    pub fn start(
        config: Config,
        first: T,
    ) -> ::supervise::expansion::BoxFuture<
        'static,
        ::core::result::Result<
            ::supervise::expansion::Running<Self>,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::start(Self::tree(config, first))
    }
    ///Starts `Shop`, waits until `until` has finished or the tree has ended by itself, and shuts the tree down.
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
        config: Config,
        first: T,
        until: impl ::core::future::Future + ::core::marker::Send + '__until,
    ) -> ::supervise::expansion::BoxFuture<
        '__until,
        ::core::result::Result<
            ::supervise::expansion::Report,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::run(Self::tree(config, first), until)
    }
    ///Makes a node for `Shop`, which runs its remote children of this role for an owner. Panics if it has none.
    #[must_use]
    #[track_caller]
    #[allow(dead_code)]
    pub fn node(role: &str) -> ::supervise_remote::Node {
        ::supervise_remote::Node::of(
            const { &<Self as ::supervise::expansion::TreeHandle>::SPEC },
            role,
        )
    }
}
///The subtree `below` of [`Shop`].
///
///```text
///Below  OneForOne
#[cfg_attr(
    all(unix),
    doc = "├── deep: remote Deep  Permanent  on(\"deep\")  at most 10 restarts in 60s: Below fails after 5.11s of outage"
)]
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
pub struct Below<T: Row + 'static> {
    #[cfg(any(doc, rust_analyzer))]
    #[cfg(unix)]
    ///The child `deep`.
    #[allow(dead_code)]
    pub deep: ::supervise_remote::RemoteRef<Deep>,
    #[cfg(not(any(doc, rust_analyzer)))]
    #[cfg(unix)]
    ///The child `deep`.
    #[allow(dead_code)]
    pub deep: <::supervise_remote::Far<
        Deep,
    > as ::supervise::expansion::ChildIf<
        {
            <Deep as ::supervise_remote::expansion::FarMessages<
                { <Deep as ::supervise_remote::expansion::FarActor>::IS },
            >>::IS
        },
    >>::Handle,
    #[doc(hidden)]
    tree: ::supervise::expansion::TreeRef,
    #[doc(hidden)]
    __types: ::core::marker::PhantomData<fn() -> (::core::marker::PhantomData<T>,)>,
}
#[automatically_derived]
impl<T: Row + 'static> ::core::clone::Clone for Below<T> {
    fn clone(&self) -> Self {
        Below {
            #[cfg(unix)]
            deep: ::core::clone::Clone::clone(&self.deep),
            tree: ::core::clone::Clone::clone(&self.tree),
            __types: ::core::marker::PhantomData,
        }
    }
}
#[automatically_derived]
impl<T: Row + 'static> ::core::fmt::Debug for Below<T> {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.tree, f)
    }
}
#[automatically_derived]
impl<T: Row + 'static> ::core::ops::Deref for Below<T> {
    type Target = ::supervise::expansion::TreeRef;
    fn deref(&self) -> &::supervise::expansion::TreeRef {
        &self.tree
    }
}
