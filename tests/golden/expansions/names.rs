supervisor! {
    #[cfg(unix)]
    pub(crate) struct Names(r#type: u32, config: Config) {
        let (a, b) = split(config);
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
            let d = a;
            leaf: Bell = start(c, d, println!("{start:?}")),
        },
    }

    struct Other {
        names: Names = Names::tree(1, Config),
    }
}
