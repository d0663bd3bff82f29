async fn spawned(service: Service, target: String) {
    cx.spawn({
        {
            use ::supervise::expansion as __rt;
            #[allow(unexpected_cfgs, unreachable_code, unused_qualifications)]
            let __child = {
                #[cfg(any(rust_analyzer, not(rust_analyzer)))]
                let __child = {
                    let __name = __rt::name_of_child("plain");
                    let __options = { <Db as __rt::Spawned<_>>::options() };
                    #[allow(unknown_lints, closure_returning_async_block)]
                    let __start = move || {
                        async move {
                            let __it: <Db as __rt::Spawned<_>>::Start = Db;
                            __rt::Ok::<_, __rt::Thrown>(__it)
                        }
                    };
                    __rt::new_child(__name, __options, __start)
                };
                __child
            };
            __child
        }
    });
    cx.spawn({
        {
            use ::supervise::expansion as __rt;
            #[allow(unexpected_cfgs, unreachable_code, unused_qualifications)]
            let __child = {
                #[cfg(any(rust_analyzer, not(rust_analyzer)))]
                let __child = {
                    const {
                        __rt::shutdown_suffices(<Fetcher as __rt::IsAChild>::TREE, 5, 0)
                    }
                    let __of_service = __rt::Capture::of(&service);
                    let __of_target = __rt::Capture::of(&target);
                    let __name = __rt::name_of_child(format!("fetch {target}"));
                    let __options = {
                        let __options = <Fetcher as __rt::Spawned<_>>::options()
                            .lifecycle(__rt::Lifecycle::Transient)
                            .shutdown(__rt::Duration::new(5, 0));
                        __options
                            .limit(
                                __rt::RestartLimit::new()
                                    .max_restarts(__rt::MaxRestarts::AtMost(3))
                                    .on_limit(__rt::OnLimit::Stop),
                            )
                    };
                    #[allow(unknown_lints, closure_returning_async_block)]
                    let __start = move || {
                        #[allow(unused_mut, unused_variables)]
                        let mut service = __rt::Capture::take(__of_service);
                        #[allow(unused_mut, unused_variables)]
                        let mut target = __rt::Capture::take(__of_target);
                        async move {
                            let __it: <Fetcher as __rt::Spawned<_>>::Start = Fetcher {
                                service,
                                target: open(&target).await?,
                            };
                            __rt::Ok::<_, __rt::Thrown>(__it)
                        }
                    };
                    __rt::new_child(__name, __options, __start)
                };
                __child
            };
            __child
        }
    });
    cx.spawn({
        {
            use ::supervise::expansion as __rt;
            #[allow(unexpected_cfgs, unreachable_code, unused_qualifications)]
            let __child = {
                #[cfg(any(rust_analyzer, not(rust_analyzer)))]
                let __child = {
                    let __name = __rt::name_of_child("once");
                    let __options = {
                        __rt::ChildOptions::<__rt::Task>::new()
                            .lifecycle(__rt::Lifecycle::Temporary)
                    };
                    #[allow(unknown_lints, closure_returning_async_block)]
                    let __start = move || {
                        async move {
                            let __it: __rt::TaskStart = __rt::task_of(move |
                                __cx: __rt::TaskContext|
                            async move {
                                #[allow(clippy::no_effect_underscore_binding)]
                                let cx = __cx;
                                #[allow(unreachable_code)]
                                __rt::TaskOutput::done(
                                    {
                                        #[allow(unused_imports)]
                                        use __rt::Polled as _;
                                        __rt::Poll(serve(cx, stream)).polled()
                                    }
                                        .await,
                                )
                            });
                            __rt::Ok::<_, __rt::Thrown>(__it)
                        }
                    };
                    __rt::new_child_once(__name, __options, __start)
                };
                __child
            };
            __child
        }
    });
    cx.spawn({
        {
            use ::supervise::expansion as __rt;
            #[allow(unexpected_cfgs, unreachable_code, unused_qualifications)]
            let __child = {
                #[cfg(any(rust_analyzer, not(rust_analyzer)))]
                let __child = {
                    let __of_service = __rt::Capture::of(&service);
                    let __name = __rt::name_of_child("tree");
                    let __options = { <Shop as __rt::Spawned<_>>::options() };
                    #[allow(unknown_lints, closure_returning_async_block)]
                    let __start = move || {
                        #[allow(unused_mut, unused_variables)]
                        let mut service = __rt::Capture::take(__of_service);
                        async move {
                            let __it: <Shop as __rt::Spawned<_>>::Start = Shop::tree(
                                service,
                            );
                            __rt::Ok::<_, __rt::Thrown>(__it)
                        }
                    };
                    __rt::new_child(__name, __options, __start)
                };
                __child
            };
            __child
        }
    });
    cx.spawn({
        {
            use ::supervise::expansion as __rt;
            #[allow(unexpected_cfgs, unreachable_code, unused_qualifications)]
            let __child = {
                #[cfg(any(rust_analyzer, all(rust_analyzer)))]
                let __child = {
                    let __name = __rt::name_of_child("broken");
                    let __options = { <Db as __rt::Spawned<_>>::options() };
                    #[allow(unknown_lints, closure_returning_async_block)]
                    let __start = move || {
                        async move {
                            let __it: <Db as __rt::Spawned<_>>::Start = Db(self.pool);
                            __rt::Ok::<_, __rt::Thrown>(__it)
                        }
                    };
                    __rt::new_child(__name, __options, __start)
                };
                #[cfg(not(rust_analyzer))]
                let __child = {
                    ::core::compile_error! {
                        "`self` cannot be kept for a later start; write `let pool = self.pool.clone();` in front of this, and `pool` here"
                    }
                };
                __child
            };
            __child
        }
    });
}
