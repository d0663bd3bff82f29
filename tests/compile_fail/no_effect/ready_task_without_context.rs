// C4. A task says that it is ready through its context. One without could never say so, and its start would never end.
// Repair: `|cx| ..`, and `cx.ready()` in it.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, ready)] //~
        serve: task = serve(),
    }
}

async fn serve() {}

fn main() {}
