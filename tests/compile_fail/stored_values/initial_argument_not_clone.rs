// C8. Those that a set has from its start on are started again with the set, also where each is started once.
// Repair: a spawn through the handle; or an `Arc` around the argument.
use supervise::prelude::*;

struct Db;
#[actor]
impl Db {
    fn handle(&mut self, _msg: ()) {}
}

struct Socket;

supervisor! {
    struct Shop {
        #[lifecycle(Temporary)]
        #[initial([Socket])]
        sessions: [Db] = |socket: Socket| { let _ = socket; Db }, //~
        #[lifecycle(Temporary)]
        #[initial([(1, Socket)])]
        rooms: [u64 => Db] = |_room: u64, socket: Socket| { let _ = socket; Db }, //~
    }
}

fn main() {}
