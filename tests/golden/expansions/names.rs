supervisor! {
    #[cfg(unix)]
    pub(crate) struct Names(r#type: u32, config: Config) {
        let (a, b) = split(config);
        #[cfg(unix)]
        pub(crate) let r#match: u32 = a.len();
        #[cfg(windows)]
        let c = a;
        #[cfg(not(windows))]
        let c = b;
        #[cfg(feature = "http")]
        pub r#struct: Bell = start(r#type, a),
        start: Bell = start(b, c, tree.clone()),
        heartbeat: task = heartbeat(start),
        inner: struct Inner {
            #![strategy(AllForOne)]
            /// The part of the configuration.
            pub let d: Part = a;
            leaf: Bell = start(c, d, println!("{start:?}")),
        },
    }

    struct Other {
        let known = later(second);
        names: Names = Names::tree(1, Config),
        first: Bell = start(later(second), later(third)),
        #[while_down(Reject)]
        #[mailbox(Bounded(3))]
        second: Bell = start(first, known),
        third: task = ring(first),
    }
}
