// `types/task_output_not_a_result.rs`, repaired.
use supervise::prelude::*;

supervisor! {
    struct Shop {
        count: task = async { println!("{}", 5) },
    }
}
