async fn spawned(service: Service, target: String) {
    cx.spawn(child! { "plain": Db = Db });
    cx.spawn(child! {
        #[lifecycle(Transient, shutdown = 5s)]
        #[limit(max_restarts = 3, on_limit = Stop)]
        format!("fetch {target}"): Fetcher = Fetcher { service, target: open(&target).await? }
    });
    cx.spawn(child! { #[lifecycle(Temporary)] "once": task = |cx| serve(cx, stream) });
    cx.spawn(child! { "tree": Shop = Shop::tree(service) });
    cx.spawn(child! { "broken": Db = Db(self.pool) });
}
