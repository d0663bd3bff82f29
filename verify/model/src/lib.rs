//! The real run loop under a model checker: the shared parts of the scenarios in `tests/`.
//!
//! [`explore`] runs a scenario under many schedules; [`Log`] records the events and checks the invariants. Nothing is
//! asserted in the code of an actor, because the cell would treat a failed assertion as a failure of the actor.

pub mod log;
pub mod probe;

use std::future::Future;

use shuttle::scheduler::{PctScheduler, RandomScheduler, ReplayScheduler, Scheduler};
use shuttle::{Config, Runner};

pub use log::Log;
pub use probe::{Boom, Do, Probe};

/// Runs the scenario under `SCHEDULES` schedules (by default `schedules`), half of them random, half with priorities
/// and few changes of them. `SCHEDULE=<file>` replays the schedule in this file instead.
///
/// A schedule ends when the scenario has returned and every task has ended.
pub fn explore<F>(schedules: usize, scenario: fn() -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    if let Some(file) = std::env::var_os("SCHEDULE") {
        let replay = ReplayScheduler::new_from_file(file).expect("the file of the schedule can be read");
        return run(replay, scenario);
    }
    let wanted = std::env::var("SCHEDULES").ok();
    let schedules = wanted.map_or(schedules, |number| number.parse().expect("SCHEDULES is a number"));
    run(RandomScheduler::new(schedules - schedules / 2), scenario);
    run(PctScheduler::new(3, schedules / 2), scenario);
}

fn run<F>(scheduler: impl Scheduler + 'static, scenario: fn() -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let mut config = Config::new();
    config.stack_size = 1 << 18;
    config.silence_warnings = true;
    Runner::new(scheduler, config).run(move || {
        tokio::time::begin();
        tokio::task::begin();
        // The clock's task does not have to end by itself: it is ended when all others have.
        let clock = shuttle::future::spawn(tokio::time::tick());
        shuttle::future::block_on(async {
            scenario().await;
            tokio::task::all_ended().await;
            tokio::time::end();
            clock.await.expect("the clock is not aborted");
        });
    });
}

/// A task of the test.
pub fn go<F>(future: F) -> shuttle::future::JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    tokio::spawn(future)
}

/// Waits for all of them.
pub async fn all(tasks: Vec<shuttle::future::JoinHandle<()>>) {
    for task in tasks {
        task.await.expect("no task of a test is aborted");
    }
}
