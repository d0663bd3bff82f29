//! The guardian's strategy: S39.

use std::sync::Once;

use supervise::guardian;
use supervise::policy::MaxRestarts;
use supervise::prelude::*;

use crate::common::{settle, soon};
use crate::spans::listen;

struct Frail;

impl Actor for Frail {
    type Msg = &'static str;
    type Error = String;

    async fn receive(&mut self, msg: &'static str, _: &mut Context<Self>) -> Result<(), String> {
        Err(msg.to_owned())
    }
}

fn strategy() -> SupervisorStrategy {
    // Each top-level actor is alone, so the range does not matter.
    SupervisorStrategy::new(Strategy::AllForOne).max_restarts(MaxRestarts::AtMost(2)).decider(|failure: &Failure| {
        match failure.to_string().contains("hopeless") {
            true => Directive::Stop,
            false => Directive::Restart,
        }
    })
}

/// Sets the strategy. Every test that spawns at the top must call this first.
pub fn set() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| guardian::set(strategy()).unwrap());
}

/// S39: the budget and the decider of every top-level actor are the guardian's; they can be set only before the first
/// spawn.
#[tokio::test(start_paused = true)]
async fn the_guardians_strategy_is_set_once_before_the_first_spawn() {
    listen();
    set();
    assert_eq!(guardian::set(SupervisorStrategy::default()), Err(guardian::AlreadySet));

    let one = spawn(child! { "one": Frail = Frail }).await.unwrap();
    let two = spawn(child! { "two": Frail = Frail }).await.unwrap();
    one.tell("hopeless").await.unwrap();
    assert!(matches!(soon(one.terminated()).await, Ok(Ended::Failed(_))));
    for _ in 0..3 {
        two.tell("again").await.unwrap();
    }
    assert!(matches!(soon(two.terminated()).await, Ok(Ended::Limit(_))));
    assert_eq!(two.incarnation(), 3, "two restarts, without a window");

    // None is part of a group, which would be busy while one of its members waits for its restart.
    let three = spawn(child! { "three": Frail = Frail }).await.unwrap();
    for _ in 0..2 {
        three.tell("again").await.unwrap();
    }
    settle().await;
    assert_eq!(three.incarnation(), 2, "the second restart waits");
    soon(three.restart().unwrap()).await.unwrap();
    assert_eq!(three.incarnation(), 3);
    assert_eq!(guardian::set(SupervisorStrategy::default()), Err(guardian::AlreadySet));
}
