supervisor! {
    struct Mistakes(db: Db) {
        #[lifecycel(Permanent)]
        one: Cart = Cart(later),
        later: Cart = Cart(db.),
        broken Cart,
    }
}
