// `shapes/task_with_two_contexts.rs`, repaired.
use supervise::prelude::*;

supervisor! {
    struct Shop(db: u8) {
        serve: task = |cx| serve(cx, db),
    }
}

async fn serve(_cx: TaskContext, _db: u8) {}
