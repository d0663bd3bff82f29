//! The options of Akka's `BackoffSupervisor`, side by side. In Akka they belong to a separate actor, between a child
//! and its supervisor; here they are settings of the child.
//!
//! Each child is hit five times as soon as it is up, and then after it has run for a while. A hit is a failure. For
//! `on_stop`, a hit lets the child end by itself, which Akka calls a stop; for `manual`, both alternate. The table
//! shows the delay of each restart: 3, 6, 12, 24 and 30 s, plus up to 20 %, which depend on the seed of the tree. Look
//! at the last three rows, where the columns differ: they show when the delays start over.
//!
//! The rules are S31 (delays), S32 (reset) and S23 (what is restarted).

use std::time::Duration;

use anyhow::{bail, ensure};
use supervise::event::{EventKind, Events};
use supervise::prelude::*;
use tokio::time::sleep;

supervisor! {
    struct Echoes {
        // Backoff.onStop(childProps, "myEcho", 3.seconds, 30.seconds, 0.2)
        // Permanent: restarted after a failure, and after the child ends by itself. By default the delays start over
        // when the child has been up for (3 s + 30 s) / 2.
        #[lifecycle(Permanent)]
        #[backoff(3s..30s, random_factor = 0.2)]
        on_stop: Echo = Echo { acknowledges: false },

        // Backoff.onFailure(childProps, "myEcho", 3.seconds, 30.seconds, 0.2)
        // Transient: restarted only after a failure.
        #[lifecycle(Transient)]
        #[backoff(3s..30s, random_factor = 0.2)]
        on_failure: Echo = Echo { acknowledges: false },

        // Backoff.onStop(..).withManualReset.withDefaultStoppingStrategy
        // The stopping strategy turns each failure into a stop, and onStop restarts after each stop: that is Permanent.
        #[lifecycle(Permanent)]
        #[backoff(3s..30s, random_factor = 0.2, reset = Manual)]
        manual: Echo = Echo { acknowledges: true },

        // Backoff.onFailure(..).withAutoReset(10.seconds).withSupervisorStrategy(OneForOneStrategy() {
        //   case _: MyException => SupervisorStrategy.Restart
        //   case _ => SupervisorStrategy.Escalate })
        #[lifecycle(Transient)]
        #[backoff(3s..30s, random_factor = 0.2, reset = 10s)]
        #[decider(Trouble::MyException => Restart, _ => Escalate)]
        auto: Echo = Echo { acknowledges: false },

        // SupervisorStrategy.stoppingStrategy, without a restart
        #[decider(_ => Stop)]
        stopping: Echo = Echo { acknowledges: false },
    }
}

struct Echo {
    acknowledges: bool,
}

enum Msg {
    Echo(Reply<()>),
    Stop,
    Fail(Trouble),
}

#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error("my exception")]
    MyException,
    #[error("another exception")]
    Another,
}

#[actor]
impl Echo {
    fn handle(&mut self, msg: Msg, cx: &mut Context<Self>) -> Result<(), Trouble> {
        match msg {
            Msg::Echo(reply) => {
                if self.acknowledges {
                    cx.reset_backoff(); // in Akka, a `BackoffSupervisor.Reset` sent to the parent
                }
                reply.send(());
            }
            Msg::Stop => cx.stop(),
            Msg::Fail(trouble) => return Err(trouble),
        }
        Ok(())
    }
}

/// The events before each hit.
const BEFORE: [(&str, Before); 8] = [
    ("hit as soon as it is up", Before::Wait(0)),
    ("hit as soon as it is up", Before::Wait(0)),
    ("hit as soon as it is up", Before::Wait(0)),
    ("hit as soon as it is up", Before::Wait(0)),
    ("hit as soon as it is up", Before::Wait(0)),
    ("hit after 10 s of quiet", Before::Wait(10)),
    ("hit after 20 s of quiet", Before::Wait(20)),
    ("hit after an echo", Before::Echo),
];

enum Before {
    Wait(u64),
    Echo,
}

// A paused clock jumps to the next timer when no task can run: the times are exact, and no real time passes.
#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> anyhow::Result<()> {
    let echoes = Echoes::tree().seed(2012).start().await?;
    let mut events = echoes.events();
    let stop: fn() -> Msg = || Msg::Stop;
    let fail: fn() -> Msg = || Msg::Fail(Trouble::MyException);

    let on_stop = delays(&echoes.on_stop, [stop, stop], &mut events).await?;
    let on_failure = delays(&echoes.on_failure, [fail, fail], &mut events).await?;
    let manual = delays(&echoes.manual, [fail, stop], &mut events).await?;
    let auto = delays(&echoes.auto, [fail, fail], &mut events).await?;

    println!("on_stop     ends by itself; its delays start over when it has been up for 16.5 s");
    println!("on_failure  fails; its delays start over when it has been up for 16.5 s");
    println!("manual      fails and ends alternately; its delays start over when it resets them, at each echo");
    println!("auto        fails; its delays start over when it has been up for 10 s");
    println!("delay of the restart          on_stop  on_failure    manual      auto");
    for (row, (when, _)) in BEFORE.iter().enumerate() {
        let [a, b, c, d] = [&on_stop, &on_failure, &manual, &auto].map(|delays| delays[row].as_secs_f64());
        println!("{when:27} {a:7.3} s   {b:7.3} s {c:7.3} s {d:7.3} s");
    }
    for (delays, least) in [
        (on_stop, [3, 6, 12, 24, 30, 30, 3, 6]),
        (on_failure, [3, 6, 12, 24, 30, 30, 3, 6]),
        (manual, [3, 6, 12, 24, 30, 30, 30, 3]),
        (auto, [3, 6, 12, 24, 30, 3, 3, 6]),
    ] {
        for (delay, least) in delays.into_iter().zip(least.map(Duration::from_secs)) {
            ensure!(delay >= least && delay <= least.mul_f64(1.2), "{delay:?} is not {least:?} and up to 20 % more");
        }
    }

    println!("these ends are not followed by a restart:");
    echoes.on_failure.tell(Msg::Stop).await?;
    let done = echoes.on_failure.terminated().await?;
    println!("  on_failure ends by itself, and stays ended: {done}");
    echoes.stopping.tell(Msg::Fail(Trouble::MyException)).await?;
    let failed = echoes.stopping.terminated().await?;
    println!("  stopping fails, and stays ended: {failed}");
    ensure!(matches!(done, Ended::Done) && matches!(failed, Ended::Failed(_)), "both should stay ended");
    echoes.auto.tell(Msg::Fail(Trouble::Another)).await?;
    let report = echoes.join().await;
    println!("  auto fails with another error, which its decider escalates, and the whole tree ends: {}", report.ended);
    ensure!(matches!(report.ended, Ended::Failed(_)), "the tree should fail");
    Ok(())
}

/// Hits a child repeatedly, in two alternating ways. Returns the delays of its restarts.
async fn delays(echo: &ActorRef<Echo>, hits: [fn() -> Msg; 2], events: &mut Events) -> anyhow::Result<Vec<Duration>> {
    let mut delays = Vec::new();
    for ((_, before), hit) in BEFORE.iter().zip(hits.iter().cycle()) {
        match before {
            Before::Wait(seconds) => sleep(Duration::from_secs(*seconds)).await,
            Before::Echo => echo.ask(Msg::Echo).await?,
        }
        echo.tell(hit()).await?;
        let mut announced = None;
        loop {
            let Some(event) = events.next().await else { bail!("the tree should continue") };
            match event.kind {
                EventKind::RestartScheduled { after } => announced = Some((event.at, after)),
                EventKind::Restarted => {
                    let Some((at, after)) = announced else { bail!("a restart should be announced") };
                    ensure!(event.at - at == after, "a restart was not delayed as announced");
                    delays.push(after);
                    break;
                }
                _ => {}
            }
        }
    }
    Ok(delays)
}
