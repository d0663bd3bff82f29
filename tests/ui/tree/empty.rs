// A tree supervises something, has concrete types, and makes its handle struct's traits itself.
// Repair: declare a child; use concrete types or a parameter; remove the derive.
use supervise::prelude::*;

supervisor! {
    pub struct Empty {}

    #[derive(Clone)]
    pub struct Pair<T> {
        one: task = std::future::pending::<()>(),
    }
}

fn main() {}
