supervisor! {
    pub struct Cache<T: Row, const N: usize = 2>(first: T, name: String)
    where
        T: Sync,
    {
        loader: Loader<T> = Loader(first),
        #[lifecycle(Permanent, shutdown = 5s)]
        shards: [Loader<T>; N] = |_i: usize| Loader(first),
        by_key: [Key<T> => Cache<T, N>] = |_key: Key<T>, row: T| Cache::tree(row, name),
        #[lifecycle(Permanent, shutdown = 5s)]
        inner: struct Inner {
            pub let copy: T = first;
            leaf: Bell = Bell(name),
        },
    }
}
