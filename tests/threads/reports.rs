//! The order of a report, while other threads are already stopping the next child.

use std::time::Duration;

use supervise::prelude::*;

use crate::{number, runtime, within};

struct Lamp;

#[actor]
impl Lamp {
    fn handle(&mut self, _msg: ()) {}
}

supervisor! {
    struct Room {
        ceiling: Lamp = Lamp,
        desk: Lamp = Lamp,
    }
}

supervisor! {
    struct House {
        door: Lamp = Lamp,
        hall: Lamp = Lamp,
        room: Room = Room::tree(),
        #[lifecycle(Permanent, drain)]
        cellar: Lamp = Lamp,
    }
}

/// S24: each child is in the report after those that ended before it, whichever thread reported first.
#[test]
fn a_report_is_in_the_order_of_the_ends() {
    let rounds = number("THREADS_REPORTS", 5_000);
    within(Duration::from_secs(300), "reports", move || {
        runtime(4).block_on(async move {
            for round in 0..rounds {
                let report = House::start().await.unwrap().shutdown().await;
                let order: Vec<&str> = report.children.iter().map(|child| child.path.as_str()).collect();
                assert_eq!(order, ["cellar", "room/desk", "room/ceiling", "room", "hall", "door"], "round {round}");
            }
        });
    });
}
