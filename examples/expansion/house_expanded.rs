use std::io;
use supervise::prelude::*;
#[derive(Clone)]
pub struct Wiring;
impl Wiring {
    pub async fn lay(metres: u32) -> io::Result<Wiring> {
        match metres {
            0 => Err(io::Error::other("no wire")),
            _ => Ok(Wiring),
        }
    }
}
pub struct Lamp(pub Wiring);
impl Lamp {
    fn handle(&mut self, on: bool) -> io::Result<()> {
        let Wiring = self.0;
        if on { Ok(()) } else { Err(io::Error::other("the bulb has gone")) }
    }
    /// Replaces the bulb.
    fn replace(&mut self, _failure: &Failure) {}
}
// `#[actor]` leaves the methods as they are and adds the trait. Its message and error are read off the signature of
// `handle`; a hook is handed to one generic dispatch, which takes every allowed signature.
#[allow(unused_qualifications)]
const _: () = {
    use ::supervise::expansion as __rt;
    #[automatically_derived]
    impl __rt::Actor for Lamp {
        type Msg = bool;
        type Error = <io::Result<
            (),
        > as __rt::OutputIf<{ <io::Result<()> as __rt::HandleOutput>::IS }>>::Error;
        // A sync `handle` runs in this call, so that the future, for which each idle actor has room, is small.
        #[allow(unused_variables)]
        fn receive(
            &mut self,
            __msg: Self::Msg,
            __cx: &mut __rt::Context<Self>,
        ) -> impl ::core::future::Future<
            Output = ::core::result::Result<(), Self::Error>,
        > + ::core::marker::Send
        where
            // Follows from the trait. It keeps a field that is not `Send` one error.
            for<'a> &'a mut Self: ::core::marker::Send,
        {
            ::core::future::ready(
                <io::Result<
                    (),
                > as __rt::OutputIf<
                    { <io::Result<()> as __rt::HandleOutput>::IS },
                >>::done(Self::handle(self, __msg)),
            )
        }
        // A hook that is not there is not run: an actor without hooks restarts faster.
        const HOOKS: __rt::DeclaredHooks = __rt::DeclaredHooks {
            pre_start: false,
            post_stop: false,
            pre_restart: false,
            post_restart: true,
        };
        async fn post_restart(
            &mut self,
            __failure: &__rt::Failure,
            __cx: &mut __rt::Context<Self>,
        ) -> ::core::result::Result<(), Self::Error> {
            __rt::restart_hook::<Self, _, _>(Self::replace, self, __failure, __cx).await
        }
    }
};
// Items that no user has to name are in an anonymous constant. Lints that only its form triggers are off.
#[allow(unknown_lints)]
#[allow(
    closure_returning_async_block,
    unexpected_cfgs,
    unused_braces,
    unused_parens,
    unused_qualifications
)]
const _: () = {
    // The hidden items of the runtime, under a name that no user writes.
    use ::supervise::expansion as __rt;
    // The definition of the tree. It comes first, so that an editor finds the cursor in it. After a mistake that leaves
    // the body partly parsed, `not(..)` becomes `all(..)`, and rustc sees a stub instead: one mistake, one error.
    // It is not `#[automatically_derived]`, so that rustc warns of a parameter that nothing uses.
    #[cfg(any(rust_analyzer, not(rust_analyzer)))]
    impl __rt::TreeDef for House {
        // The parameters: kept by the supervisor of the tree, and passed to `build` at each of its starts. The constant
        // requires `Clone + Send + 'static` at the type as the user wrote it; where that fails, there is no second
        // error.
        type Params = (
            <u32 as __rt::Checked<
                {
                    <__rt::ATree as __rt::CanMove<u32>>::IS
                        & <__rt::ATree as __rt::CanKeep<u32>>::IS
                },
            >>::Type,
        );
        // Runs at every start of the tree, in its task. `Builder` finds the children of an earlier run at the same
        // places and gives them these new start closures, so that handles stay the same over restarts.
        async fn build(
            (__of_metres,): Self::Params,
            __b: __rt::Builder,
        ) -> ::core::result::Result<Self, __rt::Thrown> {
            // A parameter, kept under a name that the user cannot write. Hygiene keeps it apart from the user's own.
            use __rt::Keep as _;
            let __of_metres = __of_metres.keep_for_the_tree(&__b);
            // Only for an editor, which can then offer the name while the word is half typed. rustc never sees this
            // line.
            #[cfg(rust_analyzer)]
            let metres = __rt::Clone::clone(&__of_metres);
            // The value of `tree` inside the declaration.
            let __of_tree = __rt::Builder::tree_ref(&__b);
            #[cfg(rust_analyzer)]
            let tree = __rt::Clone::clone(&__of_tree);
            // `#![..]`: how the children are supervised.
            __rt::Builder::supervision(
                &__b,
                {
                    __rt::SupervisorStrategy::new(__rt::Strategy::RestForOne)
                        .decider(
                            __rt::Decider::with_arms(
                                move |
                                    __failure: &__rt::Failure,
                                    __arm: &mut ::core::primitive::usize,
                                | -> ::core::option::Option<__rt::Directive> {
                                    if let ::core::option::Option::Some(__it) = __rt::Failure::get::<
                                        io::Error,
                                    >(__failure) {
                                        match __it {
                                            _ => {
                                                *__arm = 0usize;
                                                return ::core::option::Option::Some(
                                                    __rt::Directive::Restart,
                                                );
                                            }
                                            #[allow(unreachable_patterns)]
                                            _ => {}
                                        }
                                    }
                                    {
                                        *__arm = 1usize;
                                        ::core::option::Option::Some(__rt::Directive::Stop)
                                    }
                                },
                                const {
                                    &[
                                        __rt::Arm::new(0usize, "_: io::Error => Restart"),
                                        __rt::Arm::new(1usize, "_ => Stop"),
                                    ]
                                },
                            ),
                        )
                },
            );
            // `let`: evaluated at its place with the names that it mentions; the value belongs to the supervisor, which
            // drops the value when everything after it is down.
            #[allow(unused_variables)]
            let (__of_wiring,) = {
                #[allow(unused_variables)]
                let metres = __of_metres.clone_for_start();
                // A failure from here to `keep` names the `let`.
                __rt::Builder::at_let(&__b, "wiring");
                let wiring = Wiring::lay(metres).await?;
                (__rt::Builder::keep(&__b, wiring),)
            };
            #[cfg(rust_analyzer)]
            let wiring = __rt::Clone::clone(&__of_wiring);
            // A child. The settings are method calls on the options of its type, so that rustc checks them and an
            // editor completes them. The start closure owns clones of the values in the start expression and clones
            // them again for each start. `Start` gives, at the user's own token, the type that a start returns.
            #[allow(unreachable_code)]
            let __of_hall = match {
                let __of_wiring = __rt::Clone::clone(&__of_wiring);
                __rt::Builder::child(
                    &__b,
                    "hall",
                    // The constant is the only check whether the type is an actor or a tree: if it is neither, the
                    // constant fails, and the code that depends on it, below and in the handle's field, causes no error.
                    {
                        <Lamp as __rt::ChildIf<
                            { <Lamp as __rt::IsAChild>::IS },
                        >>::options()
                    },
                    move || {
                        #[allow(unused_variables)]
                        let wiring = __of_wiring.clone_for_start();
                        async move {
                            let __it: <Lamp as __rt::ChildIf<
                                { <Lamp as __rt::IsAChild>::IS },
                            >>::Start = Lamp(wiring);
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
            let hall = __of_hall.clone_for_start();
            // A set: its closure receives the arguments of a spawn, which the set keeps for the restarts of this child.
            #[allow(unreachable_code)]
            let __of_rooms = match {
                let __of_wiring = __rt::Clone::clone(&__of_wiring);
                let __options = {
                    let __options = <Lamp as __rt::ChildIf<
                        { <Lamp as __rt::IsAChild>::IS },
                    >>::options();
                    __options.max_children(4)
                };
                let __initial = __rt::no_initial();
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
                    "rooms",
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
                        let wiring = __of_wiring.clone_for_start();
                        let (
                            _number,
                        ): (
                            <u32 as __rt::Checked<
                                {
                                    <__rt::ATree as __rt::CanMove<u32>>::IS
                                        & <__rt::ATree as __rt::CanKeepForInstances<u32>>::IS
                                },
                            >>::Type,
                        ) = __args;
                        async move {
                            let __it: <Lamp as __rt::ChildIf<
                                { <Lamp as __rt::IsAChild>::IS },
                            >>::Start = Lamp(wiring);
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
            let rooms = __rt::Clone::clone(&__of_rooms);
            // An inline subtree: a closure of the same form as `build`, with its own builder.
            #[allow(unreachable_code)]
            let __of_garden = match {
                let __of_wiring = __rt::Clone::clone(&__of_wiring);
                let __options = { __rt::ChildOptions::<Garden>::new() };
                __rt::Builder::inline::<
                    Garden,
                    _,
                    _,
                >(
                    &__b,
                    "garden",
                    __options,
                    move |__b: __rt::Builder| {
                        let __of_wiring = __rt::Clone::clone(&__of_wiring);
                        async move {
                            let __of_tree = __rt::Builder::tree_ref(&__b);
                            #[cfg(rust_analyzer)]
                            let tree = __rt::Clone::clone(&__of_tree);
                            __rt::Builder::supervision(
                                &__b,
                                { __rt::SupervisorStrategy::new(__rt::Strategy::OneForOne) },
                            );
                            #[allow(unreachable_code)]
                            let __of_gate = match {
                                let __of_wiring = __rt::Clone::clone(&__of_wiring);
                                __rt::Builder::child(
                                    &__b,
                                    "gate",
                                    {
                                        <Lamp as __rt::ChildIf<
                                            { <Lamp as __rt::IsAChild>::IS },
                                        >>::options()
                                    },
                                    move || {
                                        #[allow(unused_variables)]
                                        let wiring = __of_wiring.clone_for_start();
                                        async move {
                                            let __it: <Lamp as __rt::ChildIf<
                                                { <Lamp as __rt::IsAChild>::IS },
                                            >>::Start = Lamp(wiring);
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
                            let gate = __of_gate.clone_for_start();
                            #[allow(unreachable_code)]
                            __rt::Ok::<
                                _,
                                __rt::Thrown,
                            >(Garden {
                                gate: __of_gate.clone_for_start(),
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
            let garden = __rt::Clone::clone(&__of_garden);
            #[allow(unreachable_code)]
            __rt::Ok::<
                _,
                __rt::Thrown,
            >(House {
                hall: __of_hall.clone_for_start(),
                rooms: __of_rooms,
                garden: __of_garden,
                tree: __of_tree,
            })
        }
    }
    // The declaration as a constant: it is drawn, checked across trees, and compared with the running tree.
    #[automatically_derived]
    impl __rt::TreeHandle for House {
        const SPEC: __rt::TreeSpec = __rt::TreeSpec {
            name: "House",
            doc: "",
            strategy: __rt::Strategy::RestForOne,
            shutdown: __rt::DeclaredShutdown::Default,
            shutdown_order: __rt::ShutdownOrder::Reverse,
            settings: &[
                "strategy(RestForOne)",
                "decider(_: io::Error => Restart, _ => Stop)",
            ],
            at: ::core::panic::Location::caller(),
            module: ::core::module_path!(),
            version: ::core::option_env!("CARGO_PKG_VERSION"),
            children: &[
                __rt::ChildSpec {
                    name: "hall",
                    doc: "",
                    item: "Lamp",
                    shape: __rt::Shape::One,
                    kind: <Lamp as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, true, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Lamp as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "rooms",
                    doc: "",
                    item: "Lamp",
                    shape: __rt::Shape::Set,
                    kind: <Lamp as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Transient,
                    limit: __rt::default_limit(__rt::OnLimit::Stop, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &["max_children(4)"],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Instance(|| <Lamp as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
                __rt::ChildSpec {
                    name: "garden",
                    doc: "",
                    item: "Garden",
                    shape: __rt::Shape::One,
                    kind: __rt::ChildKind::Tree,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, true, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(
                        ::core::option::Option::Some(&<Garden as __rt::TreeHandle>::SPEC),
                    ),
                    remote: ::core::option::Option::None,
                },
            ],
        };
    }
    #[automatically_derived]
    impl __rt::TreeHandle for Garden {
        const SPEC: __rt::TreeSpec = __rt::TreeSpec {
            name: "Garden",
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
                    name: "gate",
                    doc: "",
                    item: "Lamp",
                    shape: __rt::Shape::One,
                    kind: <Lamp as __rt::IsAChild>::KIND,
                    lifecycle: __rt::Lifecycle::Permanent,
                    limit: __rt::default_limit(__rt::OnLimit::Escalate, false, false),
                    shutdown: __rt::DeclaredShutdown::Default,
                    settings: &[],
                    at: ::core::panic::Location::caller(),
                    below: __rt::Below::Known(<Lamp as __rt::IsAChild>::TREE),
                    remote: ::core::option::Option::None,
                },
            ],
        };
    }
    // A tree can be the child of another one.
    #[automatically_derived]
    impl __rt::Child for House {
        type Handle = House;
        type Start = __rt::Tree<House>;
        const KIND: __rt::ChildKind = __rt::ChildKind::Tree;
        const TREE: ::core::option::Option<&'static __rt::TreeSpec> = ::core::option::Option::Some(
            &<House as __rt::TreeHandle>::SPEC,
        );
        fn launch<__F, __Fut>(
            __slot: __rt::ChildSlot,
            __options: __rt::ChildOptions<Self>,
            __start: __F,
        ) -> __rt::Launched<House>
        where
            __F: ::core::ops::FnMut() -> __Fut + ::core::marker::Send + 'static,
            __Fut: ::core::future::Future<
                    Output = ::core::result::Result<__rt::Tree<House>, __rt::Thrown>,
                > + ::core::marker::Send + 'static,
        {
            __rt::launch_tree(__slot, __options, __start)
        }
    }
};
// The handle: a field for each child. `tree` handles requests to the whole tree. The handle keeps nothing alive.
///
///```text
///House  RestForOne  strategy(RestForOne)  decider(..)
///├── hall: Lamp  Permanent  at most 10 restarts in 60s of all together: House fails after 5.11s of outage
///├── rooms: [Lamp]  Transient  max_children(4)  at most 10 restarts in 60s: it ends after 5.11s of outage
///└── garden: Garden  Permanent  OneForOne  at most 10 restarts in 60s of all together: House fails after 5.11s of outage
///    └── gate: Lamp  Permanent  at most 10 restarts in 60s: garden fails after 5.11s of outage
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
pub struct House {
    // Readers and editors see the type as a user would write it, rustc sees the one that causes a single error.
    #[cfg(any(doc, rust_analyzer))]
    ///The child `hall`.
    #[allow(dead_code)]
    pub hall: ::supervise::expansion::Handle<Lamp>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `hall`.
    #[allow(dead_code)]
    pub hall: <Lamp as ::supervise::expansion::ChildIf<
        { <Lamp as ::supervise::expansion::IsAChild>::IS },
    >>::Handle,
    #[cfg(any(doc, rust_analyzer))]
    ///The child `rooms`.
    #[allow(dead_code)]
    pub rooms: ::supervise::expansion::Children<Lamp, (u32,)>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `rooms`.
    #[allow(dead_code)]
    pub rooms: <Lamp as ::supervise::expansion::ChildIf<
        { <Lamp as ::supervise::expansion::IsAChild>::IS },
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
    ///The child `garden`.
    #[allow(dead_code)]
    pub garden: Garden,
    #[doc(hidden)]
    tree: ::supervise::expansion::TreeRef,
}
// Written out and not derived: a derive would require the traits at places that the user did not write.
#[automatically_derived]
impl ::core::clone::Clone for House {
    fn clone(&self) -> Self {
        House {
            hall: ::core::clone::Clone::clone(&self.hall),
            rooms: ::core::clone::Clone::clone(&self.rooms),
            garden: ::core::clone::Clone::clone(&self.garden),
            tree: ::core::clone::Clone::clone(&self.tree),
        }
    }
}
#[automatically_derived]
impl ::core::fmt::Debug for House {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.tree, f)
    }
}
// Makes the methods of every tree available on the handle: `shutdown()`, `snapshot()`, `events()`.
#[automatically_derived]
impl ::core::ops::Deref for House {
    type Target = ::supervise::expansion::TreeRef;
    fn deref(&self) -> &::supervise::expansion::TreeRef {
        &self.tree
    }
}
// The entry points. `start` and `run` are not `async fn`s, so that the caller's location is known when a guard is
// dropped.
impl House {
    /// The tree as it is declared.
    #[allow(dead_code)]
    pub const SPEC: ::supervise::expansion::TreeSpec = <Self as ::supervise::expansion::TreeHandle>::SPEC;
    ///`House` with these parameters, not yet started. Start it, or make it a child of another tree.
    #[must_use]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    pub fn tree(metres: u32) -> ::supervise::expansion::Tree<Self> {
        ::supervise::expansion::tree((metres,))
    }
    ///Starts `House`: its children in order, each awaited.
    ///
    ///# Errors
    ///
    ///The failure of the child that could not start. Children that were up are stopped again.
    #[track_caller]
    #[allow(clippy::self_named_constructors)]
    #[allow(dead_code, clippy::too_many_arguments, clippy::type_complexity)]
    pub fn start(
        metres: u32,
    ) -> ::supervise::expansion::BoxFuture<
        'static,
        ::core::result::Result<
            ::supervise::expansion::Running<Self>,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::start(Self::tree(metres))
    }
    ///Starts `House`, waits until `until` has finished or the tree has ended by itself, and shuts the tree down.
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
        metres: u32,
        until: impl ::core::future::Future + ::core::marker::Send + '__until,
    ) -> ::supervise::expansion::BoxFuture<
        '__until,
        ::core::result::Result<
            ::supervise::expansion::Report,
            ::supervise::expansion::Failure,
        >,
    > {
        ::supervise::expansion::Tree::run(Self::tree(metres), until)
    }
}
///The subtree `garden` of [`House`].
///
///```text
///Garden  OneForOne
///└── gate: Lamp  Permanent  at most 10 restarts in 60s: Garden fails after 5.11s of outage
///```
#[allow(unexpected_cfgs, clippy::partial_pub_fields, clippy::type_complexity)]
pub struct Garden {
    #[cfg(any(doc, rust_analyzer))]
    ///The child `gate`.
    #[allow(dead_code)]
    pub gate: ::supervise::expansion::Handle<Lamp>,
    #[cfg(not(any(doc, rust_analyzer)))]
    ///The child `gate`.
    #[allow(dead_code)]
    pub gate: <Lamp as ::supervise::expansion::ChildIf<
        { <Lamp as ::supervise::expansion::IsAChild>::IS },
    >>::Handle,
    #[doc(hidden)]
    tree: ::supervise::expansion::TreeRef,
}
#[automatically_derived]
impl ::core::clone::Clone for Garden {
    fn clone(&self) -> Self {
        Garden {
            gate: ::core::clone::Clone::clone(&self.gate),
            tree: ::core::clone::Clone::clone(&self.tree),
        }
    }
}
#[automatically_derived]
impl ::core::fmt::Debug for Garden {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        ::core::fmt::Debug::fmt(&self.tree, f)
    }
}
#[automatically_derived]
impl ::core::ops::Deref for Garden {
    type Target = ::supervise::expansion::TreeRef;
    fn deref(&self) -> &::supervise::expansion::TreeRef {
        &self.tree
    }
}
