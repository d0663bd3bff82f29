//! Remote children: in every shape, in a subtree, with values and siblings that they take along.

supervisor! {
    pub struct Shop<T: Row>(config: Config, first: T) {
        #![on("worker", lease = 2s)]

        let rates: Rates = config.rates.clone();

        db: Db = Db::open(),

        /// Runs on any worker.
        #[lifecycle(Permanent, start = 3s, shutdown = 4s, handler = 1s, drain)]
        #[pre_restart(Pricing::dump)]
        #[redeliver(attempts = 2)]
        pricing: remote Pricing = Pricing::load(rates, db, later(front)).await?,

        #[on("edge", overlap = Allowed, window = 8)]
        loader: remote Loader<T> = Loader(first),

        audit: Option<remote Audit> = if config.audit { Some(Audit::open(pricing)) } else { None },

        #[on(spread = OnePerNode)]
        shards: [remote Shard; 4] = |i| Shard::open(i),

        carts: [remote Cart] = |id: u64, (a, b): (u8, u8)| Cart::new(id, a, b, shards),

        sessions: [String => remote Session] = |user: String, _unused: u8| Session::open(user),

        below: struct Below {
            #[cfg(unix)]
            #[on("deep")]
            deep: remote Deep = Deep::new(pricing),
        },

        front: Front = Front::new(pricing),
    }
}
