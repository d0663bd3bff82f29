// `types/task_output.rs`, repaired.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        count: task = async { assert_eq!(5, 5) },
    }
}
