// What `lifecycle` says must be something that this child can do.
// An actor or a tree is up when its start is through, so only a task says when it is `ready`, and only through its
// context; a task without `ready` has no start that could take long; only an actor has messages to `drain`, and
// needs time for them; a `Permanent` child never ends by itself, so no end of it can be `significant`.
// Repair: each message names what to write or to remove.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

async fn serve(_cx: TaskContext) {}

supervisor! {
    pub struct Shop {
        #[lifecycle(Permanent, ready)]
        db: Db = Db,
        #[lifecycle(Permanent, ready)]
        beat: task = std::future::pending::<()>(),
        #[lifecycle(start = 5s)]
        http: task = |cx| serve(cx),
        #[lifecycle(drain)]
        reports: struct Reports {
            daily: Db = Db,
        },
        #[lifecycle(drain, shutdown = Kill)]
        cart: Db = Db,
        #[lifecycle(significant)]
        audit: Db = Db,
        #[lifecycle(Transient, significant = true)]
        once: Db = Db,
    }
}

fn main() {}
