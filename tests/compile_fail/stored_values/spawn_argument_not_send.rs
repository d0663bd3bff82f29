// C8. What is moved into an instance goes to whichever thread it runs on: it is `Send + 'static`.
// Repair: what can be sent, as an `Arc` for an `Rc`.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Shop {
        #[lifecycle(Temporary)]
        sessions: [Db] = |user: std::rc::Rc<str>| { let _ = user; Db }, //~
    }
}

fn main() {}
