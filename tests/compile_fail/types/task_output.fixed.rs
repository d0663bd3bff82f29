// `types/task_output.rs`, repaired.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        count: task = async { println!("{}", 5) },
    }
}
