//! The bugs of the runtime that chaos has found and that are not mended yet. Each has a promise that the other tests leave
//! unchecked, and a test that shows the bug: when that test fails, the bug is mended, and its lines here can go.

use supervise::prelude::*;
use supervise::testing::{ChaosFault, ChaosPromise, chaos};

/// The promises that the runtime does not keep yet.
pub const UNKEPT: [ChaosPromise; 1] = [
    // A stop, a restart or a drain right behind a kill, before the task has run, undoes the kill: the task has its time to
    // go down instead of being dropped at once. An actor ends as `Stopped` instead of `Killed`.
    ChaosPromise::KillsAreObeyed,
];

supervisor! {
    struct Deaf {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        idle: task = std::future::pending::<()>(),
        #[lifecycle(Transient)]
        deaf: task = |_cx| std::future::pending::<()>(),
    }
}

/// S4: a kill of a task is undone by a request in the same poll.
#[test]
fn a_request_right_behind_a_kill_undoes_it() {
    let found = chaos(Deaf::tree)
        .only([ChaosFault::Kill, ChaosFault::Stop, ChaosFault::Restart, ChaosFault::StartAgain, ChaosFault::AtOnce])
        .seeds(0..20)
        .try_run()
        .expect_err("this is mended: remove the promise above, and this test");
    assert_eq!(found.faults.len(), 2, "{found}");
    assert!(found.to_string().contains("deaf: is killed"), "{found}");
}

/// S4: without another request in the same poll, a kill is obeyed.
#[test]
fn a_kill_alone_is_obeyed() {
    chaos(Deaf::tree).without([ChaosFault::AtOnce]).seeds(0..20).run();
}
