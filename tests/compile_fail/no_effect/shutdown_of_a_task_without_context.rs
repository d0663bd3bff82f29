// C4. A task without a context cannot hear that it should stop: it is dropped at once at its next await, however much
// time it has.
// Repair: `|cx| ..`, or no `shutdown`.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, shutdown = 5s)] //~
        serve: task = serve(),
    }
}

async fn serve() {}

fn main() {}
