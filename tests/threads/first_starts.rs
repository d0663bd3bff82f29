//! First starts that go on without some of their children, on several worker threads.

use std::sync::Arc;
use std::time::Duration;

use supervise::prelude::*;

use crate::{number, runtime, within};

#[derive(Debug)]
struct Planned;

impl std::fmt::Display for Planned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("planned")
    }
}

impl std::error::Error for Planned {}

/// The end of a part, which depends on its number and on that of the round.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Lives,
    FailsToStart,
    FailsOnceUp,
}

fn fate(round: usize, part: usize) -> Fate {
    match (round.wrapping_mul(31) ^ part.wrapping_mul(7)) % 5 {
        0 | 1 => Fate::Lives,
        2 | 3 => Fate::FailsToStart,
        _ => Fate::FailsOnceUp,
    }
}

struct Part {
    fate: Fate,
    _alive: Arc<()>,
}

impl Part {
    async fn start(round: usize, part: usize, alive: Arc<()>) -> Result<Part, Planned> {
        if part.is_multiple_of(3) {
            tokio::task::yield_now().await;
        }
        match fate(round, part) {
            Fate::FailsToStart => Err(Planned),
            fate => Ok(Part { fate, _alive: alive }),
        }
    }
}

#[actor]
impl Part {
    fn handle(&mut self, reply: Option<Reply<()>>) -> Result<(), Planned> {
        match reply {
            Some(reply) => reply.send(()),
            None => return Err(Planned),
        }
        Ok(())
    }

    #[pre_start]
    fn begin(&mut self, cx: &mut Context<Self>) {
        if self.fate == Fate::FailsOnceUp {
            let _ = cx.actor_ref().try_tell(None);
        }
    }
}

supervisor! {
    struct Machine(round: usize, alive: Arc<()>) {
        #![strategy(AllForOne)]
        #![decider(_ => Stop)]
        #[lifecycle(Permanent, best_effort)]
        parts: [Part; 32] = |i: usize| Part::start(round, i, alive).await?,
        #[lifecycle(Transient, best_effort)]
        job: task = async { Err(Planned) },
        // The parts that fail once they are up have done so before this child is up.
        last: Part = {
            while !parts.iter().enumerate().all(|(i, part)| (fate(round, i) == Fate::Lives) == part.is_alive()) {
                tokio::task::yield_now().await;
            }
            while job.is_alive() {
                tokio::task::yield_now().await;
            }
            Part { fate: Fate::Lives, _alive: alive.clone() }
        },
    }
}

/// S21: a first start goes on without the children that fail in it, wherever their failures meet it.
#[test]
fn a_first_start_goes_on_without_best_effort_children() {
    let rounds = number("THREADS_FIRST_STARTS", 500);
    within(Duration::from_secs(300), "first starts", move || {
        let runtime = runtime(4);
        let alive = Arc::new(());
        let held = alive.clone();
        runtime.block_on(async move {
            for round in 0..usize::try_from(rounds).unwrap_or(usize::MAX) {
                let machine = Machine::start(round, held.clone()).await;
                let machine = machine.unwrap_or_else(|failure| panic!("round {round}: {failure}"));
                for (i, part) in machine.parts.iter().enumerate() {
                    match fate(round, i) {
                        Fate::Lives => assert!(part.ask(Some).await.is_ok(), "round {round}: part {i}"),
                        _ => assert!(matches!(part.ended(), Some(Ended::Failed(_))), "round {round}: part {i}"),
                    }
                }
                assert!(machine.last.ask(Some).await.is_ok(), "round {round}");
                machine.shutdown().await;
            }
        });
        drop(runtime);
        assert_eq!(Arc::strong_count(&alive), 1, "a part is left behind");
    });
}
