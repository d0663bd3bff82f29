// C1. A task takes its context or nothing. What else it needs it names: parameters, `let`s and earlier siblings are in
// scope.
// Repair: `|cx| ..`.
use supervise::prelude::*;

supervisor! {
    struct Shop(db: u8) {
        serve: task = |cx, db| serve(cx, db), //~
    }
}

async fn serve(_cx: TaskContext, _db: u8) {}

fn main() {}
