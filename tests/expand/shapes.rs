supervisor! {
    struct Shapes(db: Db, count: u32) {
        one: Cart = Cart(db),
        maybe: Option<Cart> = Some(Cart(db)),
        row: [Cart; 2] = |i: usize| Cart(db, i),
        #[initial(0..count)]
        any: [Cart] = |n: u32| Cart(db, n),
        keyed: [String => Cart] = |name: String, n: u32| Cart(db, name, n),
        branches: [Shapes] = |db: Db| Shapes::tree(db, 1),
    }
}
