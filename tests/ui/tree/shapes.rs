// Each shape says how its start is written: one child is the child itself, `Option<T>` is an `Option`, `[T; N]`
// is started by an index, a set by the arguments of its spawns, `[Key => T]` by a key and the arguments.
// Repair: write the closure that the shape asks for, with the types of its arguments.
use supervise::prelude::*;

struct Db(u32);
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    pub struct Shop {
        one: Db = |n: u32| Db(n),
        maybe: Option<Db> = || Some(Db(1)),
        row: [Db; 2] = Db(1),
        none: [Db; 0] = |i: usize| Db(i as u32),
        any: [Db] = Db(1),
        untyped: [Db] = |n| Db(n),
        keyed: [String => Db] = || Db(1),
        nested: Option<[Db]> = |n: u32| Db(n),
        optional_task: [task] = |_n: u32| |cx, more| async {},
        #[initial([1, 2])]
        always: Db = Db(1),
        #[max_children(3)]
        counted: [Db; 2] = |i: usize| Db(i as u32),
    }
}

fn main() {}
