// C11. A restart hook takes `&mut Self`, then any of `&Failure` and `&mut Context<Self>`. The message shows what was
// found.
// Repair: change the function.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[pre_restart(Db::dump)] //~
        db: Db = Db,
    }
}

impl Db {
    fn dump(&mut self, _retries: u32) {}
}

fn main() {}
