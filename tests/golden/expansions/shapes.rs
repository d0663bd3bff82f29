supervisor! {
    struct Shapes(db: Db, count: u32) {
        one: Cart = Cart(db),
        maybe: Option<Cart> = Some(Cart(db)),
        row: [Cart; 2] = |i: usize| Cart(db, i),
        #[initial(0..count)]
        any: [Cart] = |n: u32| Cart(db, n),
        keyed: [String => Cart] = |name: String, n: u32| Cart(db, name, n),
        #[lifecycle(Temporary)]
        once: [Cart] = |socket: Socket| Cart(db, socket),
        #[lifecycle(Temporary)]
        #[initial([(1, first)])]
        once_keyed: [u64 => task] = |n: u64, socket: Socket| serve(n, socket),
        branches: [Shapes] = |db: Db| Shapes::tree(db, 1),
    }
}
