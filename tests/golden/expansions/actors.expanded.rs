struct Counter(u64);
impl Counter {
    fn handle(&mut self, (add, cx): (u64, u8)) -> Result<(), Error> {
        Ok(())
    }
    async fn open(&mut self, cx: &mut Context<Self>) {}
    fn close(&mut self) -> Result<(), Error> {
        Ok(())
    }
    fn children(&self) -> SupervisorStrategy {
        strategy! {
            #![strategy(OneForOne, max_restarts = 3, within = 1min, budget = Shared)]
        }
    }
}
#[allow(unused_qualifications)]
const _: () = {
    use ::supervise::expansion as __rt;
    #[automatically_derived]
    impl __rt::Actor for Counter {
        type Msg = (u64, u8);
        type Error = <Result<
            (),
            Error,
        > as __rt::OutputIf<{ <Result<(), Error> as __rt::HandleOutput>::IS }>>::Error;
        #[allow(unused_variables)]
        fn receive(
            &mut self,
            __msg: Self::Msg,
            __cx: &mut __rt::Context<Self>,
        ) -> impl ::core::future::Future<
            Output = ::core::result::Result<(), Self::Error>,
        > + ::core::marker::Send
        where
            for<'a> &'a mut Self: ::core::marker::Send,
        {
            ::core::future::ready(
                <Result<
                    (),
                    Error,
                > as __rt::OutputIf<
                    { <Result<(), Error> as __rt::HandleOutput>::IS },
                >>::done(Self::handle(self, __msg)),
            )
        }
        const HOOKS: __rt::DeclaredHooks = __rt::DeclaredHooks {
            pre_start: true,
            post_stop: true,
            pre_restart: false,
            post_restart: false,
        };
        async fn pre_start(
            &mut self,
            __cx: &mut __rt::Context<Self>,
        ) -> ::core::result::Result<(), Self::Error> {
            __rt::start_hook::<Self, _, _>(Self::open, self, __cx).await
        }
        async fn post_stop(
            &mut self,
            __cx: &mut __rt::Context<Self>,
        ) -> ::core::result::Result<(), Self::Error> {
            __rt::start_hook::<Self, _, _>(Self::close, self, __cx).await
        }
        fn supervision(&self) -> __rt::SupervisorStrategy {
            Self::children(self)
        }
    }
};
struct Log {
    lines: Vec<String>,
}
#[allow(unused_qualifications)]
const _: () = {
    use ::supervise::expansion as __rt;
    #[automatically_derived]
    impl __rt::Actor for Log {
        type Msg = String;
        type Error = io::Error;
        async fn receive(
            &mut self,
            __msg: Self::Msg,
            __cx: &mut __rt::Context<Self>,
        ) -> ::core::result::Result<(), Self::Error>
        where
            for<'a> &'a mut Self: ::core::marker::Send,
        {
            use __rt::NoHandle as _;
            __rt::Outcome::<
                io::Error,
            >::done(
                __rt::may_move_between_threads(
                        __rt::call_handle(Self::handle, self, __msg, __cx),
                    )
                    .await,
            )
        }
        const HOOKS: __rt::DeclaredHooks = __rt::DeclaredHooks {
            pre_start: true,
            post_stop: false,
            pre_restart: false,
            post_restart: false,
        };
        async fn pre_start(
            &mut self,
            __cx: &mut __rt::Context<Self>,
        ) -> ::core::result::Result<(), Self::Error> {
            __rt::start_hook::<Self, _, _>(Self::open, self, __cx).await
        }
    }
    #[automatically_derived]
    impl __rt::Watcher for Log {
        async fn terminated(
            &mut self,
            __who: &__rt::Watched,
            __ended: &__rt::Ended,
            __cx: &mut __rt::Context<Self>,
        ) -> ::core::result::Result<(), <Self as __rt::Actor>::Error> {
            __rt::end_hook::<Self, _, _>(Self::hears, self, __who, __ended, __cx).await
        }
    }
};
fn cautious() -> Decider {
    {
        {
            use ::supervise::expansion as __rt;
            #[allow(unused_qualifications)]
            let __decider = __rt::IntoDecider::into_decider(
                __rt::Decider::with_arms(
                    move |
                        __failure: &__rt::Failure,
                        __arm: &mut ::core::primitive::usize,
                    | -> ::core::option::Option<__rt::Directive> {
                        if let ::core::option::Option::Some(__it) = __rt::Failure::get::<
                            DbError,
                        >(__failure) {
                            match __it {
                                DbError::Timeout { .. } => {
                                    *__arm = 0usize;
                                    return ::core::option::Option::Some(
                                        __rt::Directive::Restart,
                                    );
                                }
                                #[allow(unreachable_patterns)]
                                _ => {}
                            }
                        }
                        if let ::core::option::Option::Some(__it) = __rt::Failure::get::<
                            io::Error,
                        >(__failure) {
                            match __it {
                                e => {
                                    *__arm = 1usize;
                                    return ::core::option::Option::Some(__rt::Directive::Stop);
                                }
                                #[allow(unreachable_patterns)]
                                _ => {}
                            }
                        }
                        {
                            *__arm = 2usize;
                            ::core::option::Option::Some(__rt::Directive::Escalate)
                        }
                    },
                    const {
                        &[
                            __rt::Arm::new(0usize, "DbError::Timeout { .. } => Restart"),
                            __rt::Arm::new(1usize, "e: io::Error => Stop"),
                            __rt::Arm::new(2usize, "_ => Escalate"),
                        ]
                    },
                ),
            );
            __decider
        }
    }
}
