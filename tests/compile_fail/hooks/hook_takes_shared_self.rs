// C11. A hook has the actor for itself: it takes `&mut self`, not `&self`, so that it may change it or hold it over an
// await.
// Repair: `&mut self`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[post_restart(Db::load)] //~
        db: Db = Db,
    }
}

impl Db {
    async fn load(&self) {}
}

fn main() {}
