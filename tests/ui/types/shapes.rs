// What a start gives, an index is, and a key can do is checked by rustc, at the place where it is written.
// Repair: an `Option` for an `Option`, the argument's own type, a key that is `Clone + Eq + Hash + Display`.
use supervise::prelude::*;

struct Db(u32);
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

#[derive(Clone)]
struct Silent;

supervisor! {
    pub struct Maybe {
        maybe: Option<Db> = Db(1),
    }

    pub struct Row {
        row: [Db; 2] = |i: u32| Db(i),
    }

    pub struct Many {
        row: [Db; "two"] = |i| Db(i as u32),
    }

    pub struct Mixed {
        keyed: [u32 => Db] = |key: String| Db(key.len() as u32),
    }

    pub struct Keyed {
        keyed: [Silent => Db] = |_key: Silent| Db(1),
    }

    pub struct Always {
        #[initial(["one"])]
        any: [Db] = |n: u32| Db(n),
    }
}

async fn spawns(row: &Row, always: &Always) {
    let _ = row.row[0].tell(()).await;
    let _ = always.any.spawn("two").await;
}

fn main() {}
