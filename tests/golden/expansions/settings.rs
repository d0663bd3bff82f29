supervisor! {
    struct Settings(most: u32) {
        #![strategy(OneForOne, max_restarts = most, within = 10min, on_limit = Stop)]
        #![shutdown(20s, Together)]
        #![decider(
            DbError::Timeout { ms } if *ms < 100 => Resume,
            DbError::Timeout { .. } | DbError::Busy => Restart,
            e: io::Error if e.kind() == io::ErrorKind::NotFound => Stop,
            Cause::Killed => Stop,
            Phase::Restart => Escalate,
            _ => Restart,
        )]
        #[lifecycle(Permanent, shutdown = 5s, start = 3s, handler = 30s, drain)]
        #[backoff(3s..30s, factor = 2, random_factor = 0.2, reset = 1min)]
        #[limit(max_restarts = 3, within = 1h, on_limit = Escalate)]
        #[pre_restart(Db::dump)]
        #[post_restart(Db::reload)]
        #[mailbox(Bounded(100), ask = 500ms)]
        #[while_down(Reject)]
        #[redeliver(attempts = 3)]
        #[decider(DbError::Corrupt => Stop)]
        db: Db = Db,
        #[backoff([2s, 5s, 10s], random_factor = 0.2, reset = 0s)]
        listed: Db = Db,
        #[backoff(Backoff::slotted(10ms).ceiling(10))]
        #[max_children(5)]
        #[max_starting(2)]
        many: [Db] = || Db,
        #[runtime(tokio::runtime::Handle::current())]
        #[lifecycle(Transient, ready, significant, best_effort, shutdown = Infinity)]
        server: task = |cx| serve(cx),
        #[only_with(lease())]
        nightly: Defaults = Defaults::tree(pace(), 5),
    }
    struct Defaults(pace: Backoff, room: usize) {
        #![lifecycle(Transient, shutdown = 2s, start = 3s)]
        #![backoff(pace)]
        #![mailbox(Bounded(room), ask = 1s)]
        db: Db = Db,
        #[lifecycle(Temporary)]
        once: [task] = |n: u32| |cx| serve(cx, n),
    }
}
