//! Requested starts from one thread, with concurrent ends on another.

use std::time::Duration;

use supervise::prelude::*;

use crate::{number, runtime, within};

struct Lamp;

#[actor]
impl Lamp {
    fn handle(&mut self, reply: Reply<()>) {
        reply.send(());
    }
}

supervisor! {
    struct House {
        lamp: Lamp = Lamp,
        other: Lamp = Lamp,
    }
}

/// S26: a requested start that is accepted belongs to the next life: the end of the previous life was reported to all
/// waiters before.
#[test]
fn a_requested_start_comes_after_the_end() {
    let rounds = number("THREADS_STARTS", 2_000);
    within(Duration::from_secs(300), "requested starts", move || {
        let runtime = runtime(2);
        runtime.block_on(async move {
            let house = House::start().await.unwrap();
            for round in 0..rounds {
                house.lamp.stop();
                let lamp = house.lamp.clone();
                let started = tokio::task::spawn_blocking(move || {
                    while lamp.start_again().is_err() {
                        std::hint::spin_loop();
                    }
                    for _ in 0..100 {
                        assert!(lamp.ended().is_none(), "round {round}: the new life gets the previous end");
                        std::hint::spin_loop();
                    }
                });
                started.await.unwrap();
                let answer = house.lamp.ask(|reply| reply).await;
                assert!(answer.is_ok(), "round {round}: {answer:?}");
            }
            assert!(house.shutdown().await.is_orderly());
        });
    });
}
