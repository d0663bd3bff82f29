//! An actor that restarts itself over and over lets other tasks run: S4, S14, S26.

use std::sync::{Arc, Mutex};

use supervise::prelude::*;

use crate::common::{settle, soon};

/// An upper bound, so that the test ends even if no other task gets a turn.
const MANY: u32 = 100_000;

#[derive(Clone, Copy)]
enum Way {
    RestartInPreStart,
    RestartInHandler,
    KillInHandler,
    FailInHandler,
    StopInHandler,
}

/// Ends each of its incarnations in the poll in which it begins.
struct Restless {
    way: Way,
    seen: Arc<Mutex<Option<ActorRef<Restless>>>>,
}

#[derive(Debug, thiserror::Error)]
#[error("restless")]
struct Tired;

#[actor]
impl Restless {
    #[pre_start]
    fn begin(&mut self, cx: &mut Context<Self>) {
        let me = cx.actor_ref();
        if cx.incarnation() < MANY {
            match self.way {
                Way::RestartInPreStart => drop(me.restart().unwrap()),
                _ => me.try_tell(()).unwrap(),
            }
        }
        *self.seen.lock().unwrap() = Some(me);
    }

    fn handle(&mut self, _msg: (), cx: &mut Context<Self>) -> Result<(), Tired> {
        match self.way {
            Way::RestartInHandler => drop(cx.actor_ref().restart().unwrap()),
            Way::KillInHandler => cx.actor_ref().kill(),
            Way::FailInHandler => return Err(Tired),
            Way::StopInHandler => cx.stop(),
            Way::RestartInPreStart => {}
        }
        Ok(())
    }
}

/// S14, S26: an actor that restarts itself as soon as it begins, on request or through its supervisor, has no delay.
/// Still, other tasks on the same thread run between two incarnations, and a stop takes effect.
#[tokio::test]
async fn between_two_incarnations_others_have_their_turn() {
    for way in
        [Way::RestartInPreStart, Way::RestartInHandler, Way::KillInHandler, Way::FailInHandler, Way::StopInHandler]
    {
        let seen = Arc::new(Mutex::new(None));
        let restless = child! {
            #[lifecycle(Permanent)]
            #[limit(max_restarts = Unlimited)]
            #[decider(_ => Restart)]
            "restless": Restless = Restless { way, seen }
        };
        let spawn = tokio::spawn(spawn(restless));
        for _ in 0..4 {
            tokio::task::yield_now().await;
        }
        let restless = seen.lock().unwrap().clone().expect("the actor has begun");
        let turns = restless.incarnation();
        assert!(turns < MANY / 100, "{turns} incarnations before any other task had a turn");
        restless.stop();
        let ended = soon(restless.terminated()).await.unwrap();
        assert!(matches!(ended, Ended::Stopped), "{ended:?}");
        settle().await;
        drop(spawn.await);
    }
}
