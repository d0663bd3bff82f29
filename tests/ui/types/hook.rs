// A restart hook takes `&mut Self`, then any of `&Failure` and `&mut Context<Self>`, sync or async, and returns
// nothing or a `Result<(), E>`. The message shows the signature that was found.
// Repair: change the function, or name another one.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}
impl Db {
    fn dump(&mut self, _retries: u32) {}
}

supervisor! {
    struct Shop {
        #[pre_restart(Db::dump)]
        #[post_restart(Db::load)]
        db: Db = Db,
    }
}

fn main() {
    let _ = Shop::SPEC;
}
