supervisor! {
    #[cfg(unix)]
    pub(crate) struct Names(r#type: u32, config: Config) {
        let (a, b) = split(config);
        #[cfg(feature = "http")]
        pub r#struct: Bell = start(r#type, a),
        start: Bell = start(b, tree.clone()),
        heartbeat: task = heartbeat(start),
        inner: struct Inner {
            #![strategy(AllForOne)]
            let c = a;
            leaf: Bell = start(c, println!("{start:?}")),
        },
    }

    struct Other {
        names: Names = Names::tree(1, Config),
    }
}
