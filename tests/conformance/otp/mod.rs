//! Scenarios of the supervisors of Erlang/OTP and Elixir, with the numbers of the ledger, by chapter.

mod admin;
mod drafts;
mod first_start;
mod limits;
mod lives;
mod retries;
mod sets;
mod significant;
mod stops;
mod strategies;
mod tasks;
mod trees;

use std::time::Duration;

use supervise::prelude::*;

use crate::common::soon;
use crate::stage::*;

supervisor! {
    struct One(stage: Stage, most: u32, within: Duration) {
        #![strategy(OneForOne, max_restarts = most, within = within)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        b: Unit = Unit::start("b", stage.clone()).await?,
        c: Unit = Unit::start("c", stage).await?,
    }

    struct All(stage: Stage, most: u32, within: Duration) {
        #![strategy(AllForOne, max_restarts = most, within = within)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        b: Unit = Unit::start("b", stage.clone()).await?,
        c: Unit = Unit::start("c", stage).await?,
    }

    struct Rest(stage: Stage, most: u32, within: Duration) {
        #![strategy(RestForOne, max_restarts = most, within = within)]
        a: Unit = Unit::start("a", stage.clone()).await?,
        b: Unit = Unit::start("b", stage.clone()).await?,
        c: Unit = Unit::start("c", stage).await?,
    }
}

/// The same with a tree of each strategy, with this number of restarts allowed in that time.
macro_rules! each {
    ($most:expr, $within:expr, |$tree:ident, $stage:ident| $test:block) => {
        each!(@ One, $most, $within, $tree, $stage, $test);
        each!(@ All, $most, $within, $tree, $stage, $test);
        each!(@ Rest, $most, $within, $tree, $stage, $test);
    };
    (@ $kind:ident, $most:expr, $within:expr, $tree:ident, $stage:ident, $test:block) => {{
        let $stage = Stage::default();
        let $tree = $kind::start($stage.clone(), $most, $within).await.unwrap();
        $stage.take();
        $test
    }};
}
use each;

/// The units that began and ended since the last call, in order.
fn steps(stage: &Stage) -> Vec<String> {
    let is_step = |line: &String| line.ends_with(" start") || line.ends_with(" post_stop");
    stage.take().into_iter().filter(is_step).collect()
}

/// The units that began since the last call, in order.
fn starts(stage: &Stage) -> Vec<String> {
    stage.ending(" start").iter().map(|line| line.trim_end_matches(" start").to_owned()).collect()
}

/// Waits for the unit's end, which must come.
async fn end(unit: &ActorRef<Unit>) -> &'static str {
    kind(&soon(unit.terminated()).await.unwrap())
}

/// The unit ends by itself.
async fn finish(unit: &ActorRef<Unit>) {
    unit.tell(Msg::Stop).await.unwrap();
}

/// Stops the unit from outside.
async fn stop(unit: &ActorRef<Unit>) {
    unit.stop();
    soon(unit.terminated()).await.unwrap();
}

/// Whether the failure was the limit.
fn at_the_limit(ended: &Ended) -> bool {
    ended.failure().is_some_and(|failure| matches!(failure.cause(), Cause::LimitReached))
}
