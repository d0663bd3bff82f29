// C4. A task counts as started as soon as it is launched, unless it says itself when it is ready; so its start cannot
// take too long.
// Repair: add `ready`, and `cx.ready()` to the task.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        #[lifecycle(Permanent, start = 5s)] //~
        serve: task = |cx| serve(cx),
    }
}

async fn serve(cx: TaskContext) {
    cx.ready();
    cx.stopped().await;
}

fn main() {}
