//! The same walks on several threads and in real time, on runtimes that are dropped in the middle.

use std::time::{Duration, Instant};

use crate::walk::Walk;
use crate::world::World;
use crate::{number, quiet};

/// `THREADS_SECONDS` long, 4 by default. Nothing acts twice, and nothing of a runtime that is gone is left.
#[test]
fn runtimes_are_dropped_in_the_middle() {
    quiet();
    let until = Instant::now() + Duration::from_secs(number("THREADS_SECONDS", 4));
    let mut seed = number("SEED", 0);
    while Instant::now() < until {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_time().build().unwrap();
        let worlds: Vec<_> = (0..6)
            .map(|_| {
                seed += 1;
                let world = World::new(seed, false);
                runtime.spawn(Walk::run(world.clone()));
                world
            })
            .collect();
        std::thread::sleep(Duration::from_millis(300 + seed * 97 % 1_200));
        drop(runtime);
        for world in worlds {
            let (wrong, living) = (world.all_wrong(), world.living());
            assert!(wrong.is_empty(), "{}\n\n{}", world.log(), wrong.join("\n"));
            assert_eq!(living, 0, "{}\n\ninstances are left behind", world.log());
        }
    }
}
