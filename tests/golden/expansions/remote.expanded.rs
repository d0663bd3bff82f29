#[allow(unknown_lints)]
#[allow(
    closure_returning_async_block,
    unexpected_cfgs,
    unused_braces,
    unused_parens,
    unused_qualifications
)]
const _: () = {
    use ::supervise::__private as __rt;
    #[allow(unused_imports)]
    use ::supervise_remote as __far;
    #[cfg(any(rust_analyzer, not(rust_analyzer)))]
    impl<T: Row + 'static> __rt::TreeDef for Shop<T> {
        type Params = (
            <Config as __rt::Checked<
                {
                    <__rt::TypeCheck as __rt::Sent<Config>>::IS
                        & <__rt::TypeCheck as __rt::Parameter<Config>>::IS
                },
            >>::Type,
            T,
        );
        async fn build(
            (__of_config, __of_first): Self::Params,
            __b: __rt::Builder,
        ) -> ::core::result::Result<Self, __rt::UserError> {
            use __rt::Keep as _;
            let __of_config = __of_config.__keep_in(&__b);
            let __of_first = __of_first.__keep_in(&__b);
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
                    { <Db as __rt::ChildIf<{ <Db as __rt::Declared>::IS }>>::options() },
                    move || {
                        async move {
                            let __it: <Db as __rt::ChildIf<
                                { <Db as __rt::Declared>::IS },
                            >>::Start = Db::open();
                            __rt::Ok::<_, __rt::UserError>(__it)
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
                        { <Front as __rt::Declared>::IS },
                    >>::options();
                    __rt::Builder::later(&__b, "front", __options)
                };
                let __options = {
                    let __options = <__far::Far<
                        Pricing,
                    > as __rt::ChildIf<
                        {
                            <Pricing as __far::__private::FarMessages<
                                { <Pricing as __far::__private::FarActor>::IS },
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
                                    <Pricing as __far::__private::FarMessages<
                                        { <Pricing as __far::__private::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Start = __far::__private::far_start(
                                <Shop<T>>::__REMOTE_pricing,
                                &(
                                    <Rates as __far::__private::ValueIf<
                                        {
                                            <__far::__private::Check as __far::__private::Crosses<
                                                Rates,
                                            >>::IS
                                        },
                                    >>::value(&rates),
                                    __far::__private::exported::<
                                        {
                                            <Db as __far::__private::NearMessages<
                                                { <Db as __far::__private::NearActor>::IS },
                                            >>::IS
                                        },
                                        _,
                                    >(&db),
                                    __far::__private::exported::<
                                        {
                                            <Front as __far::__private::NearMessages<
                                                { <Front as __far::__private::NearActor>::IS },
                                            >>::IS
                                        },
                                        _,
                                    >(&front),
                                ),
                                __far::__private::errors!(
                                    < < Pricing as __far::__private::ActorIf < { < Pricing as
                                    __far::__private::FarMessages < { < Pricing as
                                    __far::__private::FarActor > ::IS } >> ::IS } >> ::Actor as
                                    __rt::Actor > ::Error
                                ),
                            )?;
                            __rt::Ok::<_, __rt::UserError>(__it)
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
                            > as __rt::ChildIf<{ true }>>::Start = __far::__private::far_start(
                                <Shop<T>>::__REMOTE_loader,
                                &(&first,),
                                __far::__private::errors!(
                                    < Loader < T > as __rt::Actor > ::Error
                                ),
                            )?;
                            __rt::Ok::<_, __rt::UserError>(__it)
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
                            <Audit as __far::__private::FarMessages<
                                { <Audit as __far::__private::FarActor>::IS },
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
                                        <Audit as __far::__private::FarMessages<
                                            { <Audit as __far::__private::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Start,
                            > = if config.audit {
                                Some(
                                    __far::__private::far_start(
                                        <Shop<T>>::__REMOTE_audit,
                                        &(
                                            __far::__private::exported::<
                                                {
                                                    <Pricing as __far::__private::FarMessages<
                                                        { <Pricing as __far::__private::FarActor>::IS },
                                                    >>::IS
                                                },
                                                _,
                                            >(&pricing),
                                        ),
                                        __far::__private::errors!(
                                            < < Audit as __far::__private::ActorIf < { < Audit as
                                            __far::__private::FarMessages < { < Audit as
                                            __far::__private::FarActor > ::IS } >> ::IS } >> ::Actor as
                                            __rt::Actor > ::Error
                                        ),
                                    )?,
                                )
                            } else {
                                None
                            };
                            __rt::Ok::<_, __rt::UserError>(__it)
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
                            <Shard as __far::__private::FarMessages<
                                { <Shard as __far::__private::FarActor>::IS },
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
                                    <Shard as __far::__private::FarMessages<
                                        { <Shard as __far::__private::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Start = __far::__private::far_start(
                                <Shop<T>>::__REMOTE_shards,
                                &(&__i,),
                                __far::__private::errors!(
                                    < < Shard as __far::__private::ActorIf < { < Shard as
                                    __far::__private::FarMessages < { < Shard as
                                    __far::__private::FarActor > ::IS } >> ::IS } >> ::Actor as
                                    __rt::Actor > ::Error
                                ),
                            )?;
                            __rt::Ok::<_, __rt::UserError>(__it)
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
                            <Cart as __far::__private::FarMessages<
                                { <Cart as __far::__private::FarActor>::IS },
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
                                <__rt::TypeCheck as __rt::Sent<u64>>::IS
                                    & <__rt::TypeCheck as __rt::Argument<u64>>::IS
                            },
                        >>::Type,
                        <(
                            u8,
                            u8,
                        ) as __rt::Checked<
                            {
                                <__rt::TypeCheck as __rt::Sent<(u8, u8)>>::IS
                                    & <__rt::TypeCheck as __rt::Argument<(u8, u8)>>::IS
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
                                    <__rt::TypeCheck as __rt::Sent<u64>>::IS
                                        & <__rt::TypeCheck as __rt::Argument<u64>>::IS
                                },
                            >>::Type,
                            <(
                                u8,
                                u8,
                            ) as __rt::Checked<
                                {
                                    <__rt::TypeCheck as __rt::Sent<(u8, u8)>>::IS
                                        & <__rt::TypeCheck as __rt::Argument<(u8, u8)>>::IS
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
                                    <__rt::TypeCheck as __rt::Sent<u64>>::IS
                                        & <__rt::TypeCheck as __rt::Argument<u64>>::IS
                                },
                            >>::Type,
                            <(
                                u8,
                                u8,
                            ) as __rt::Checked<
                                {
                                    <__rt::TypeCheck as __rt::Sent<(u8, u8)>>::IS
                                        & <__rt::TypeCheck as __rt::Argument<(u8, u8)>>::IS
                                },
                            >>::Type,
                        ) = __args;
                        async move {
                            let __it: <__far::Far<
                                Cart,
                            > as __rt::ChildIf<
                                {
                                    <Cart as __far::__private::FarMessages<
                                        { <Cart as __far::__private::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Start = __far::__private::far_start(
                                <Shop<T>>::__REMOTE_carts,
                                &(
                                    __far::__private::exported::<
                                        {
                                            <Shard as __far::__private::FarMessages<
                                                { <Shard as __far::__private::FarActor>::IS },
                                            >>::IS
                                        },
                                        _,
                                    >(&shards),
                                    <u64 as __far::__private::ValueIf<
                                        {
                                            <__far::__private::Check as __far::__private::Crosses<
                                                u64,
                                            >>::IS
                                        },
                                    >>::value(&__a0),
                                    <(
                                        u8,
                                        u8,
                                    ) as __far::__private::ValueIf<
                                        {
                                            <__far::__private::Check as __far::__private::Crosses<
                                                (u8, u8),
                                            >>::IS
                                        },
                                    >>::value(&__a1),
                                ),
                                __far::__private::errors!(
                                    < < Cart as __far::__private::ActorIf < { < Cart as
                                    __far::__private::FarMessages < { < Cart as
                                    __far::__private::FarActor > ::IS } >> ::IS } >> ::Actor as
                                    __rt::Actor > ::Error
                                ),
                            )?;
                            __rt::Ok::<_, __rt::UserError>(__it)
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
                            <Session as __far::__private::FarMessages<
                                { <Session as __far::__private::FarActor>::IS },
                            >>::IS
                        },
                    >>::options()
                        .shutdown(<Shop<T>>::__REMOTE_sessions.shutdown_at_owner())
                };
                let __initial = __rt::no_initial();
                __rt::Builder::keyed::<
                    <String as __rt::Checked<
                        { <__rt::TypeCheck as __rt::AsKey<String>>::IS },
                    >>::Type,
                    _,
                    (
                        <u8 as __rt::Checked<
                            {
                                <__rt::TypeCheck as __rt::Sent<u8>>::IS
                                    & <__rt::TypeCheck as __rt::Argument<u8>>::IS
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
                                { <__rt::TypeCheck as __rt::AsKey<String>>::IS },
                            >>::Type,
                            (
                                <u8 as __rt::Checked<
                                    {
                                        <__rt::TypeCheck as __rt::Sent<u8>>::IS
                                            & <__rt::TypeCheck as __rt::Argument<u8>>::IS
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
                                { <__rt::TypeCheck as __rt::AsKey<String>>::IS },
                            >>::Type,
                            (
                                <u8 as __rt::Checked<
                                    {
                                        <__rt::TypeCheck as __rt::Sent<u8>>::IS
                                            & <__rt::TypeCheck as __rt::Argument<u8>>::IS
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
                                    <Session as __far::__private::FarMessages<
                                        { <Session as __far::__private::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Start = __far::__private::far_start(
                                <Shop<T>>::__REMOTE_sessions,
                                &(
                                    <String as __far::__private::ValueIf<
                                        {
                                            <__far::__private::Check as __far::__private::Crosses<
                                                String,
                                            >>::IS
                                        },
                                    >>::value(&__key),
                                ),
                                __far::__private::errors!(
                                    < < Session as __far::__private::ActorIf < { < Session as
                                    __far::__private::FarMessages < { < Session as
                                    __far::__private::FarActor > ::IS } >> ::IS } >> ::Actor as
                                    __rt::Actor > ::Error
                                ),
                            )?;
                            __rt::Ok::<_, __rt::UserError>(__it)
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
                                                <Deep as __far::__private::FarMessages<
                                                    { <Deep as __far::__private::FarActor>::IS },
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
                                                    <Deep as __far::__private::FarMessages<
                                                        { <Deep as __far::__private::FarActor>::IS },
                                                    >>::IS
                                                },
                                            >>::Start = __far::__private::far_start(
                                                <Below<T>>::__REMOTE_deep,
                                                &(
                                                    __far::__private::exported::<
                                                        {
                                                            <Pricing as __far::__private::FarMessages<
                                                                { <Pricing as __far::__private::FarActor>::IS },
                                                            >>::IS
                                                        },
                                                        _,
                                                    >(&pricing),
                                                ),
                                                __far::__private::errors!(
                                                    < < Deep as __far::__private::ActorIf < { < Deep as
                                                    __far::__private::FarMessages < { < Deep as
                                                    __far::__private::FarActor > ::IS } >> ::IS } >> ::Actor as
                                                    __rt::Actor > ::Error
                                                ),
                                            )?;
                                            __rt::Ok::<_, __rt::UserError>(__it)
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
                                __rt::UserError,
                            >(Below {
                                #[cfg(unix)]
                                deep: __of_deep.clone_for_start(),
                                __types: ::core::marker::PhantomData,
                                __tree: __of_tree,
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
                            { <Front as __rt::Declared>::IS },
                        >>::options()
                    },
                    move || {
                        #[allow(unused_variables)]
                        let pricing = __of_pricing.clone_for_start();
                        async move {
                            let __it: <Front as __rt::ChildIf<
                                { <Front as __rt::Declared>::IS },
                            >>::Start = Front::new(pricing);
                            __rt::Ok::<_, __rt::UserError>(__it)
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
                __rt::UserError,
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
                __tree: __of_tree,
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
            __far::__private::erased(
                __order,
                |__order: __far::__private::Order| __far::__private::Order::host(
                    __order,
                    __rt::ChildOptions::<
                        <Pricing as __far::__private::ActorIf<
                            {
                                <Pricing as __far::__private::FarMessages<
                                    { <Pricing as __far::__private::FarActor>::IS },
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
                            <Rates as __far::__private::ValueIf<
                                {
                                    <__far::__private::Check as __far::__private::Crosses<
                                        Rates,
                                    >>::IS
                                },
                            >>::Value,
                            __far::RemoteRef<
                                <Db as __far::__private::ActorIf<
                                    {
                                        <Db as __far::__private::NearMessages<
                                            { <Db as __far::__private::NearActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                            __far::RemoteRef<
                                <Front as __far::__private::ActorIf<
                                    {
                                        <Front as __far::__private::NearMessages<
                                            { <Front as __far::__private::NearActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                        )|
                    async move {
                        #[cfg(rust_analyzer)]
                        let config: <Config as __far::__private::ValueIf<
                            {
                                <__far::__private::Check as __far::__private::Crosses<
                                    Config,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let first: T = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let rates: <Rates as __far::__private::ValueIf<
                            {
                                <__far::__private::Check as __far::__private::Crosses<
                                    Rates,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let db: __far::RemoteRef<
                            <Db as __far::__private::ActorIf<
                                {
                                    <Db as __far::__private::NearMessages<
                                        { <Db as __far::__private::NearActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[allow(unused_variables)]
                        let (rates, db, front) = __captured;
                        #[allow(unused_imports)]
                        use __rt::later;
                        let __it: <Pricing as __far::__private::ActorIf<
                            {
                                <Pricing as __far::__private::FarMessages<
                                    { <Pricing as __far::__private::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor = Pricing::load(rates, db, later(front)).await?;
                        __rt::Ok::<_, __rt::UserError>(__it)
                    },
                    __far::__private::errors!(
                        < < Pricing as __far::__private::ActorIf < { < Pricing as
                        __far::__private::FarMessages < { < Pricing as
                        __far::__private::FarActor > ::IS } >> ::IS } >> ::Actor as
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
            __far::__private::erased(
                __order,
                |__order: __far::__private::Order| __far::__private::Order::host(
                    __order,
                    __rt::ChildOptions::<Loader<T>>::new(),
                    |__captured: (T,)| async move {
                        #[cfg(rust_analyzer)]
                        let config: <Config as __far::__private::ValueIf<
                            {
                                <__far::__private::Check as __far::__private::Crosses<
                                    Config,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let first: T = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let rates: <Rates as __far::__private::ValueIf<
                            {
                                <__far::__private::Check as __far::__private::Crosses<
                                    Rates,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let db: __far::RemoteRef<
                            <Db as __far::__private::ActorIf<
                                {
                                    <Db as __far::__private::NearMessages<
                                        { <Db as __far::__private::NearActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let pricing: __far::RemoteRef<
                            <Pricing as __far::__private::ActorIf<
                                {
                                    <Pricing as __far::__private::FarMessages<
                                        { <Pricing as __far::__private::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[allow(unused_variables)]
                        let (first,) = __captured;
                        let __it: Loader<T> = Loader(first);
                        __rt::Ok::<_, __rt::UserError>(__it)
                    },
                    __far::__private::errors!(< Loader < T > as __rt::Actor > ::Error),
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
            __far::__private::erased(
                __order,
                |__order: __far::__private::Order| __far::__private::Order::host(
                    __order,
                    __rt::ChildOptions::<
                        <Audit as __far::__private::ActorIf<
                            {
                                <Audit as __far::__private::FarMessages<
                                    { <Audit as __far::__private::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor,
                    >::new(),
                    |
                        __captured: (
                            __far::RemoteRef<
                                <Pricing as __far::__private::ActorIf<
                                    {
                                        <Pricing as __far::__private::FarMessages<
                                            { <Pricing as __far::__private::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                        )|
                    async move {
                        #[cfg(rust_analyzer)]
                        let config: <Config as __far::__private::ValueIf<
                            {
                                <__far::__private::Check as __far::__private::Crosses<
                                    Config,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let first: T = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let rates: <Rates as __far::__private::ValueIf<
                            {
                                <__far::__private::Check as __far::__private::Crosses<
                                    Rates,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let db: __far::RemoteRef<
                            <Db as __far::__private::ActorIf<
                                {
                                    <Db as __far::__private::NearMessages<
                                        { <Db as __far::__private::NearActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let pricing: __far::RemoteRef<
                            <Pricing as __far::__private::ActorIf<
                                {
                                    <Pricing as __far::__private::FarMessages<
                                        { <Pricing as __far::__private::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let loader: __far::RemoteRef<Loader<T>> = ::core::todo!();
                        #[allow(unused_variables)]
                        let (pricing,) = __captured;
                        let __it: <Audit as __far::__private::ActorIf<
                            {
                                <Audit as __far::__private::FarMessages<
                                    { <Audit as __far::__private::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor = Audit::open(pricing);
                        __rt::Ok::<_, __rt::UserError>(__it)
                    },
                    __far::__private::errors!(
                        < < Audit as __far::__private::ActorIf < { < Audit as
                        __far::__private::FarMessages < { < Audit as
                        __far::__private::FarActor > ::IS } >> ::IS } >> ::Actor as
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
            __far::__private::erased(
                __order,
                |__order: __far::__private::Order| __far::__private::Order::host(
                    __order,
                    __rt::ChildOptions::<
                        <Shard as __far::__private::ActorIf<
                            {
                                <Shard as __far::__private::FarMessages<
                                    { <Shard as __far::__private::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor,
                    >::new(),
                    |__captured: (::core::primitive::usize,)| async move {
                        #[cfg(rust_analyzer)]
                        let config: <Config as __far::__private::ValueIf<
                            {
                                <__far::__private::Check as __far::__private::Crosses<
                                    Config,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let first: T = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let rates: <Rates as __far::__private::ValueIf<
                            {
                                <__far::__private::Check as __far::__private::Crosses<
                                    Rates,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let db: __far::RemoteRef<
                            <Db as __far::__private::ActorIf<
                                {
                                    <Db as __far::__private::NearMessages<
                                        { <Db as __far::__private::NearActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let pricing: __far::RemoteRef<
                            <Pricing as __far::__private::ActorIf<
                                {
                                    <Pricing as __far::__private::FarMessages<
                                        { <Pricing as __far::__private::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let loader: __far::RemoteRef<Loader<T>> = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let audit: ::core::option::Option<
                            __far::RemoteRef<
                                <Audit as __far::__private::ActorIf<
                                    {
                                        <Audit as __far::__private::FarMessages<
                                            { <Audit as __far::__private::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                        > = ::core::todo!();
                        #[allow(unused_variables)]
                        let (__a0,) = __captured;
                        let i = __a0;
                        let __it: <Shard as __far::__private::ActorIf<
                            {
                                <Shard as __far::__private::FarMessages<
                                    { <Shard as __far::__private::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor = Shard::open(i);
                        __rt::Ok::<_, __rt::UserError>(__it)
                    },
                    __far::__private::errors!(
                        < < Shard as __far::__private::ActorIf < { < Shard as
                        __far::__private::FarMessages < { < Shard as
                        __far::__private::FarActor > ::IS } >> ::IS } >> ::Actor as
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
            __far::__private::erased(
                __order,
                |__order: __far::__private::Order| __far::__private::Order::host(
                    __order,
                    __rt::ChildOptions::<
                        <Cart as __far::__private::ActorIf<
                            {
                                <Cart as __far::__private::FarMessages<
                                    { <Cart as __far::__private::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor,
                    >::new(),
                    |
                        __captured: (
                            __far::__private::Several<
                                __far::RemoteRef<
                                    <Shard as __far::__private::ActorIf<
                                        {
                                            <Shard as __far::__private::FarMessages<
                                                { <Shard as __far::__private::FarActor>::IS },
                                            >>::IS
                                        },
                                    >>::Actor,
                                >,
                                { 4 },
                            >,
                            <u64 as __far::__private::ValueIf<
                                {
                                    <__far::__private::Check as __far::__private::Crosses<
                                        u64,
                                    >>::IS
                                },
                            >>::Value,
                            <(
                                u8,
                                u8,
                            ) as __far::__private::ValueIf<
                                {
                                    <__far::__private::Check as __far::__private::Crosses<
                                        (u8, u8),
                                    >>::IS
                                },
                            >>::Value,
                        )|
                    async move {
                        #[cfg(rust_analyzer)]
                        let config: <Config as __far::__private::ValueIf<
                            {
                                <__far::__private::Check as __far::__private::Crosses<
                                    Config,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let first: T = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let rates: <Rates as __far::__private::ValueIf<
                            {
                                <__far::__private::Check as __far::__private::Crosses<
                                    Rates,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let db: __far::RemoteRef<
                            <Db as __far::__private::ActorIf<
                                {
                                    <Db as __far::__private::NearMessages<
                                        { <Db as __far::__private::NearActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let pricing: __far::RemoteRef<
                            <Pricing as __far::__private::ActorIf<
                                {
                                    <Pricing as __far::__private::FarMessages<
                                        { <Pricing as __far::__private::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let loader: __far::RemoteRef<Loader<T>> = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let audit: ::core::option::Option<
                            __far::RemoteRef<
                                <Audit as __far::__private::ActorIf<
                                    {
                                        <Audit as __far::__private::FarMessages<
                                            { <Audit as __far::__private::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let __far::__private::Several(
                            shards,
                        ): __far::__private::Several<
                            __far::RemoteRef<
                                <Shard as __far::__private::ActorIf<
                                    {
                                        <Shard as __far::__private::FarMessages<
                                            { <Shard as __far::__private::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                            { 4 },
                        > = ::core::todo!();
                        #[allow(unused_variables)]
                        let (__far::__private::Several(shards), __a0, __a1) = __captured;
                        let id: u64 = __a0;
                        let (a, b): (u8, u8) = __a1;
                        let __it: <Cart as __far::__private::ActorIf<
                            {
                                <Cart as __far::__private::FarMessages<
                                    { <Cart as __far::__private::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor = Cart::new(id, a, b, shards);
                        __rt::Ok::<_, __rt::UserError>(__it)
                    },
                    __far::__private::errors!(
                        < < Cart as __far::__private::ActorIf < { < Cart as
                        __far::__private::FarMessages < { < Cart as
                        __far::__private::FarActor > ::IS } >> ::IS } >> ::Actor as
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
            __far::__private::erased(
                __order,
                |__order: __far::__private::Order| __far::__private::Order::host(
                    __order,
                    __rt::ChildOptions::<
                        <Session as __far::__private::ActorIf<
                            {
                                <Session as __far::__private::FarMessages<
                                    { <Session as __far::__private::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor,
                    >::new(),
                    |
                        __captured: (
                            <String as __far::__private::ValueIf<
                                {
                                    <__far::__private::Check as __far::__private::Crosses<
                                        String,
                                    >>::IS
                                },
                            >>::Value,
                        )|
                    async move {
                        #[cfg(rust_analyzer)]
                        let config: <Config as __far::__private::ValueIf<
                            {
                                <__far::__private::Check as __far::__private::Crosses<
                                    Config,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let first: T = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let rates: <Rates as __far::__private::ValueIf<
                            {
                                <__far::__private::Check as __far::__private::Crosses<
                                    Rates,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let db: __far::RemoteRef<
                            <Db as __far::__private::ActorIf<
                                {
                                    <Db as __far::__private::NearMessages<
                                        { <Db as __far::__private::NearActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let pricing: __far::RemoteRef<
                            <Pricing as __far::__private::ActorIf<
                                {
                                    <Pricing as __far::__private::FarMessages<
                                        { <Pricing as __far::__private::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let loader: __far::RemoteRef<Loader<T>> = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let audit: ::core::option::Option<
                            __far::RemoteRef<
                                <Audit as __far::__private::ActorIf<
                                    {
                                        <Audit as __far::__private::FarMessages<
                                            { <Audit as __far::__private::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let __far::__private::Several(
                            shards,
                        ): __far::__private::Several<
                            __far::RemoteRef<
                                <Shard as __far::__private::ActorIf<
                                    {
                                        <Shard as __far::__private::FarMessages<
                                            { <Shard as __far::__private::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                            { 4 },
                        > = ::core::todo!();
                        #[allow(unused_variables)]
                        let (__a0,) = __captured;
                        let user: String = __a0;
                        let __it: <Session as __far::__private::ActorIf<
                            {
                                <Session as __far::__private::FarMessages<
                                    { <Session as __far::__private::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor = Session::open(user);
                        __rt::Ok::<_, __rt::UserError>(__it)
                    },
                    __far::__private::errors!(
                        < < Session as __far::__private::ActorIf < { < Session as
                        __far::__private::FarMessages < { < Session as
                        __far::__private::FarActor > ::IS } >> ::IS } >> ::Actor as
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
            __far::__private::erased(
                __order,
                |__order: __far::__private::Order| __far::__private::Order::host(
                    __order,
                    __rt::ChildOptions::<
                        <Deep as __far::__private::ActorIf<
                            {
                                <Deep as __far::__private::FarMessages<
                                    { <Deep as __far::__private::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor,
                    >::new(),
                    |
                        __captured: (
                            __far::RemoteRef<
                                <Pricing as __far::__private::ActorIf<
                                    {
                                        <Pricing as __far::__private::FarMessages<
                                            { <Pricing as __far::__private::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                        )|
                    async move {
                        #[cfg(rust_analyzer)]
                        let config: <Config as __far::__private::ValueIf<
                            {
                                <__far::__private::Check as __far::__private::Crosses<
                                    Config,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let first: T = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let rates: <Rates as __far::__private::ValueIf<
                            {
                                <__far::__private::Check as __far::__private::Crosses<
                                    Rates,
                                >>::IS
                            },
                        >>::Value = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let db: __far::RemoteRef<
                            <Db as __far::__private::ActorIf<
                                {
                                    <Db as __far::__private::NearMessages<
                                        { <Db as __far::__private::NearActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let pricing: __far::RemoteRef<
                            <Pricing as __far::__private::ActorIf<
                                {
                                    <Pricing as __far::__private::FarMessages<
                                        { <Pricing as __far::__private::FarActor>::IS },
                                    >>::IS
                                },
                            >>::Actor,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let loader: __far::RemoteRef<Loader<T>> = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let audit: ::core::option::Option<
                            __far::RemoteRef<
                                <Audit as __far::__private::ActorIf<
                                    {
                                        <Audit as __far::__private::FarMessages<
                                            { <Audit as __far::__private::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                        > = ::core::todo!();
                        #[cfg(rust_analyzer)]
                        let __far::__private::Several(
                            shards,
                        ): __far::__private::Several<
                            __far::RemoteRef<
                                <Shard as __far::__private::ActorIf<
                                    {
                                        <Shard as __far::__private::FarMessages<
                                            { <Shard as __far::__private::FarActor>::IS },
                                        >>::IS
                                    },
                                >>::Actor,
                            >,
                            { 4 },
                        > = ::core::todo!();
                        #[allow(unused_variables)]
                        let (pricing,) = __captured;
                        let __it: <Deep as __far::__private::ActorIf<
                            {
                                <Deep as __far::__private::FarMessages<
                                    { <Deep as __far::__private::FarActor>::IS },
                                >>::IS
                            },
                        >>::Actor = Deep::new(pricing);
                        __rt::Ok::<_, __rt::UserError>(__it)
                    },
                    __far::__private::errors!(
                        < < Deep as __far::__private::ActorIf < { < Deep as
                        __far::__private::FarMessages < { < Deep as
                        __far::__private::FarActor > ::IS } >> ::IS } >> ::Actor as
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
                    kind: <Db as __rt::Declared>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Db as __rt::Declared>::TREE),
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
                    kind: <Front as __rt::Declared>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Front as __rt::Declared>::TREE),
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
                    Output = ::core::result::Result<__rt::Tree<Shop<T>>, __rt::UserError>,
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
    pub db: ::supervise::__private::Handle<Db>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `db`.
    #[allow(dead_code)]
    pub db: <Db as ::supervise::__private::ChildIf<
        { <Db as ::supervise::__private::Declared>::IS },
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
    > as ::supervise::__private::ChildIf<
        {
            <Pricing as ::supervise_remote::__private::FarMessages<
                { <Pricing as ::supervise_remote::__private::FarActor>::IS },
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
    > as ::supervise::__private::ChildIf<{ true }>>::Handle,
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
        > as ::supervise::__private::ChildIf<
            {
                <Audit as ::supervise_remote::__private::FarMessages<
                    { <Audit as ::supervise_remote::__private::FarActor>::IS },
                >>::IS
            },
        >>::Handle,
    >,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `shards`.
    #[allow(dead_code)]
    pub shards: ::supervise::__private::Handles<
        ::supervise_remote::RemoteRef<Shard>,
        { 4 },
    >,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `shards`.
    #[allow(dead_code)]
    pub shards: ::supervise::__private::Handles<
        <::supervise_remote::Far<
            Shard,
        > as ::supervise::__private::ChildIf<
            {
                <Shard as ::supervise_remote::__private::FarMessages<
                    { <Shard as ::supervise_remote::__private::FarActor>::IS },
                >>::IS
            },
        >>::Handle,
        { 4 },
    >,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `carts`.
    #[allow(dead_code)]
    pub carts: ::supervise::__private::Children<
        ::supervise_remote::Far<Cart>,
        (u64, (u8, u8)),
    >,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `carts`.
    #[allow(dead_code)]
    pub carts: <::supervise_remote::Far<
        Cart,
    > as ::supervise::__private::ChildIf<
        {
            <Cart as ::supervise_remote::__private::FarMessages<
                { <Cart as ::supervise_remote::__private::FarActor>::IS },
            >>::IS
        },
    >>::Set<
        (
            <u64 as ::supervise::__private::Checked<
                {
                    <::supervise::__private::TypeCheck as ::supervise::__private::Sent<
                        u64,
                    >>::IS
                        & <::supervise::__private::TypeCheck as ::supervise::__private::Argument<
                            u64,
                        >>::IS
                },
            >>::Type,
            <(
                u8,
                u8,
            ) as ::supervise::__private::Checked<
                {
                    <::supervise::__private::TypeCheck as ::supervise::__private::Sent<
                        (u8, u8),
                    >>::IS
                        & <::supervise::__private::TypeCheck as ::supervise::__private::Argument<
                            (u8, u8),
                        >>::IS
                },
            >>::Type,
        ),
    >,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `sessions`.
    #[allow(dead_code)]
    pub sessions: ::supervise::__private::Keyed<
        String,
        ::supervise_remote::Far<Session>,
        (u8,),
    >,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `sessions`.
    #[allow(dead_code)]
    pub sessions: <::supervise_remote::Far<
        Session,
    > as ::supervise::__private::ChildIf<
        {
            <Session as ::supervise_remote::__private::FarMessages<
                { <Session as ::supervise_remote::__private::FarActor>::IS },
            >>::IS
        },
    >>::Keyed<
        <String as ::supervise::__private::Checked<
            {
                <::supervise::__private::TypeCheck as ::supervise::__private::AsKey<
                    String,
                >>::IS
            },
        >>::Type,
        (
            <u8 as ::supervise::__private::Checked<
                {
                    <::supervise::__private::TypeCheck as ::supervise::__private::Sent<
                        u8,
                    >>::IS
                        & <::supervise::__private::TypeCheck as ::supervise::__private::Argument<
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
    pub front: ::supervise::__private::Handle<Front>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `front`.
    #[allow(dead_code)]
    pub front: <Front as ::supervise::__private::ChildIf<
        { <Front as ::supervise::__private::Declared>::IS },
    >>::Handle,
    #[doc(hidden)]
    __tree: ::supervise::__private::TreeRef,
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
            __tree: ::core::clone::Clone::clone(&self.__tree),
            __types: ::core::marker::PhantomData,
        }
    }
}
#[automatically_derived]
impl<T: Row + 'static> ::core::fmt::Debug for Shop<T> {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.__tree, f)
    }
}
#[automatically_derived]
impl<T: Row + 'static> ::core::ops::Deref for Shop<T> {
    type Target = ::supervise::__private::TreeRef;
    fn deref(&self) -> &::supervise::__private::TreeRef {
        &self.__tree
    }
}
impl<T: Row + 'static> Shop<T> {
    /// The tree as it is declared.
    #[allow(dead_code)]
    pub const SPEC: ::supervise::__private::TreeSpec = <Self as ::supervise::__private::TreeHandle>::SPEC;
    ///`Shop` with these parameters, not yet started. Start it, or make it a child of another tree.
    #[must_use]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    pub fn tree(config: Config, first: T) -> ::supervise::__private::Tree<Self> {
        ::supervise::__private::Tree::new((config, first))
    }
    ///Starts `Shop`: its children in order, each awaited.
    ///
    ///# Errors
    ///
    ///The failure of the child that could not start. Children that were up are stopped again.
    #[track_caller]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    pub fn start(
        config: Config,
        first: T,
    ) -> ::supervise::__private::BoxFuture<
        'static,
        ::core::result::Result<
            ::supervise::__private::Running<Self>,
            ::supervise::__private::Failure,
        >,
    > {
        ::supervise::__private::Tree::start(Self::tree(config, first))
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
    ) -> ::supervise::__private::BoxFuture<
        '__until,
        ::core::result::Result<
            ::supervise::__private::Report,
            ::supervise::__private::Failure,
        >,
    > {
        ::supervise::__private::Tree::run(Self::tree(config, first), until)
    }
    ///Makes a node for `Shop`, which runs its remote children of this role for an owner.
    #[must_use]
    #[allow(dead_code)]
    pub fn node(role: &str) -> ::supervise_remote::Node {
        ::supervise_remote::Node::of(
            const { &<Self as ::supervise::__private::TreeHandle>::SPEC },
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
    > as ::supervise::__private::ChildIf<
        {
            <Deep as ::supervise_remote::__private::FarMessages<
                { <Deep as ::supervise_remote::__private::FarActor>::IS },
            >>::IS
        },
    >>::Handle,
    #[doc(hidden)]
    __tree: ::supervise::__private::TreeRef,
    #[doc(hidden)]
    __types: ::core::marker::PhantomData<fn() -> (::core::marker::PhantomData<T>,)>,
}
#[automatically_derived]
impl<T: Row + 'static> ::core::clone::Clone for Below<T> {
    fn clone(&self) -> Self {
        Below {
            #[cfg(unix)]
            deep: ::core::clone::Clone::clone(&self.deep),
            __tree: ::core::clone::Clone::clone(&self.__tree),
            __types: ::core::marker::PhantomData,
        }
    }
}
#[automatically_derived]
impl<T: Row + 'static> ::core::fmt::Debug for Below<T> {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.__tree, f)
    }
}
#[automatically_derived]
impl<T: Row + 'static> ::core::ops::Deref for Below<T> {
    type Target = ::supervise::__private::TreeRef;
    fn deref(&self) -> &::supervise::__private::TreeRef {
        &self.__tree
    }
}
