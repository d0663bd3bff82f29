//! The time that an actor may take for what comes from its mailbox, `lifecycle(handler = D)`: S13.

use std::time::Duration;

use supervise::error::AskError;
use supervise::event::{EventKind, Events};
use supervise::prelude::*;
use tokio::time::{Instant, sleep};

use crate::common::{Boom, Journal, pass, secs, seen, settle, soon};

struct Slow {
    journal: Journal,
    sum: u64,
}

#[derive(Debug, Clone)]
enum Do {
    /// Waits this often, for 2 s each time.
    Wait(u64, Reply<u64>),
    /// Waits for that long, unless this is a redelivery.
    Once(Duration, Reply<u32>),
    /// Calls `cx.stop()`, and never returns.
    StopAndHang,
    /// Never returns, in a tick, a result or a notice.
    Tick,
    Run,
    Watch(ActorRef<Slow>),
    Hang(&'static str),
    /// `cx.stop()`.
    Stop,
}

impl Actor for Slow {
    type Msg = Do;
    type Error = Boom;

    async fn receive(&mut self, msg: Do, cx: &mut Context<Self>) -> Result<(), Boom> {
        match msg {
            Do::Wait(times, reply) => {
                for _ in 0..times {
                    sleep(secs(2)).await;
                    self.sum += 1;
                }
                reply.send(self.sum);
            }
            Do::Once(time, reply) => {
                if cx.incarnation() == 1 {
                    sleep(time).await;
                }
                reply.send(cx.incarnation());
            }
            Do::StopAndHang => {
                cx.stop();
                std::future::pending().await
            }
            Do::Tick => drop(cx.send_after(secs(1), Do::Hang("tick"))),
            Do::Run => cx.run(sleep(secs(100)), |()| Do::Hang("result")),
            Do::Watch(of) => cx.watch(&of),
            Do::Hang(what) => {
                self.journal.write(what);
                std::future::pending().await
            }
            Do::Stop => cx.stop(),
        }
        Ok(())
    }

    async fn pre_start(&mut self, cx: &mut Context<Self>) -> Result<(), Boom> {
        let _ = cx.incarnation();
        sleep(secs(10)).await; // hooks have the times of starts and stops
        Ok(())
    }

    async fn post_stop(&mut self, _: &mut Context<Self>) -> Result<(), Boom> {
        sleep(secs(4)).await;
        self.journal.write("closed");
        Ok(())
    }
}

impl Watcher for Slow {
    async fn terminated(&mut self, _: &Watched, _: &Ended, _: &mut Context<Self>) -> Result<(), Boom> {
        self.journal.write("notice");
        std::future::pending().await
    }
}

supervisor! {
    struct Shop(journal: Journal) {
        #![decider(Cause::TimedOut => Restart, _ => Stop)]
        #[lifecycle(Permanent, handler = 3s)]
        slow: Slow = Slow { journal, sum: 0 },
        #[lifecycle(Transient)]
        other: Slow = Slow { journal, sum: 0 },
    }

    struct Resuming(journal: Journal) {
        #![decider(Cause::TimedOut => Resume, _ => Stop)]
        #[lifecycle(Permanent, handler = 3s)]
        slow: Slow = Slow { journal, sum: 0 },
    }

    struct Again(journal: Journal) {
        #[lifecycle(Permanent, handler = 3s)]
        #[redeliver(attempts = 1)]
        slow: Slow = Slow { journal, sum: 0 },
    }

    struct Drains(journal: Journal) {
        #[lifecycle(Permanent, handler = 3s, drain, shutdown = 20s)]
        slow: Slow = Slow { journal, sum: 0 },
    }

    struct Family(journal: Journal) {
        parent: Parent = Parent { journal },
    }
}

/// Spawns a child with a time for its messages, and takes long for `pre_restart`.
struct Parent {
    journal: Journal,
}

enum Tell {
    Spawn(Reply<ActorRef<Slow>>),
    Fail,
}

#[actor]
impl Parent {
    async fn handle(&mut self, tell: Tell, cx: &mut Context<Self>) -> Result<(), Boom> {
        match tell {
            Tell::Spawn(reply) => {
                let journal = self.journal.clone();
                let child = child! {
                    #[lifecycle(Transient, handler = 3s)]
                    "child": Slow = Slow { journal, sum: 0 }
                };
                reply.send(cx.spawn(child).await.unwrap());
            }
            Tell::Fail => return Err(Boom::Told),
        }
        Ok(())
    }

    #[pre_restart]
    async fn flush(&mut self) {
        sleep(secs(10)).await;
    }
}

async fn shop() -> (Running<Shop>, Journal, Events) {
    let journal = Journal::default();
    let tree = Shop::start(journal.clone()).await.unwrap();
    let events = tree.events();
    (tree, journal, events)
}

async fn waits(slow: ActorRef<Slow>, times: u64) -> Result<u64, AskError> {
    slow.ask(|reply| Do::Wait(times, reply)).forever().await
}

/// S13: a message that takes longer is dropped at its next await, which is a failure; its asker gets an error at once,
/// and the next message is handled by the next instance. The time is that of one message, not of its waits.
#[tokio::test(start_paused = true)]
async fn a_message_that_takes_too_long_is_a_failure() {
    let (tree, journal, mut events) = shop().await;
    assert_eq!(soon(tree.slow.ask(|reply| Do::Wait(1, reply)).forever()).await.unwrap(), 1);
    assert_eq!(soon(tree.slow.ask(|reply| Do::Wait(1, reply)).forever()).await.unwrap(), 2, "each has its own time");
    let begin = Instant::now();
    let (cut, next) = tokio::join!(
        soon(tree.slow.ask(|reply| Do::Wait(5, reply)).forever()),
        soon(tree.slow.ask(|reply| Do::Wait(1, reply)).forever()),
    );
    let AskError::NoReply { .. } = cut.unwrap_err() else { panic!("the message was dropped") };
    assert_eq!(next.unwrap(), 1, "the next instance");
    assert_eq!(begin.elapsed(), secs(3 + 4 + 10 + 2), "the hooks took as long as they do");
    let Some(failed) = events.try_next() else { panic!("the failure is an event") };
    let EventKind::Failed { failure, message } = failed.kind else { panic!("{failed:?}") };
    assert!(matches!(failure.cause(), Cause::TimedOut) && failure.phase() == Phase::Running, "{failure}");
    assert_eq!(failure.to_string(), "slow failed while running: took too long");
    assert!(message.unwrap().ends_with("Do"), "{message:?}");
    assert_eq!(journal.take(), ["closed"]);
}

/// S13: an actor that waits for messages, or that handles many of them, has no message that takes too long.
#[tokio::test(start_paused = true)]
async fn the_time_is_that_of_each_message() {
    let (tree, _, mut events) = shop().await;
    let asks: Vec<_> = (0..50).map(|_| tokio::spawn(waits(tree.slow.clone(), 1))).collect();
    for (n, ask) in asks.into_iter().enumerate() {
        assert_eq!(soon(ask).await.unwrap().unwrap(), n as u64 + 1);
        if n % 10 == 0 {
            pass(secs(1)).await;
        }
    }
    pass(secs(60)).await;
    assert_eq!(seen(&mut events), [""; 0]);
    let begin = Instant::now();
    soon(tree.slow.ask(|reply| Do::Wait(2, reply)).forever()).await.unwrap_err();
    assert_eq!(begin.elapsed(), secs(3));
}

/// S13: the same for a tick, a result of `cx.run` and a `terminated`.
#[tokio::test(start_paused = true)]
async fn ticks_results_and_notices_have_the_same_time() {
    let (tree, journal, mut events) = shop().await;
    for (ask, after, line) in [(Do::Tick, 1, "tick"), (Do::Run, 100, "result")] {
        tree.slow.tell(ask).await.unwrap();
        pass(secs(after + 2)).await;
        assert_eq!(seen(&mut events), [""; 0]);
        pass(secs(1)).await;
        assert_eq!(seen(&mut events)[..2], ["slow failed", "slow decided Restart"]);
        pass(secs(20)).await;
        assert_eq!(journal.take(), [line, "closed"]);
        seen(&mut events);
    }
    tree.slow.tell(Do::Watch(tree.other.clone())).await.unwrap();
    tree.other.tell(Do::Stop).await.unwrap();
    soon(tree.other.terminated()).await.unwrap();
    pass(secs(4)).await;
    assert_eq!(journal.take(), ["closed", "notice"]);
    assert!(seen(&mut events).contains(&"slow failed".to_owned()));
}

/// S13, S8: a Resume goes on with the same instance and the next message.
#[tokio::test(start_paused = true)]
async fn a_resume_goes_on_with_the_next_message() {
    let tree = Resuming::start(Journal::default()).await.unwrap();
    tree.slow.tell(Do::Hang("hangs")).await.unwrap();
    let begin = Instant::now();
    assert_eq!(soon(tree.slow.ask(|reply| Do::Wait(1, reply)).forever()).await.unwrap(), 1);
    assert_eq!((begin.elapsed(), tree.slow.incarnation()), (secs(5), 1));
}

/// S13, S36: a message that took too long is redelivered.
#[tokio::test(start_paused = true)]
async fn a_message_that_took_too_long_is_redelivered() {
    let tree = Again::start(Journal::default()).await.unwrap();
    assert_eq!(soon(tree.slow.ask(|reply| Do::Once(secs(60), reply)).forever()).await.unwrap(), 2);
}

/// S13, S24: on the way down only the `shutdown` time counts, with and without a drain.
#[tokio::test(start_paused = true)]
async fn on_the_way_down_only_the_shutdown_time_counts() {
    let journal = Journal::default();
    let tree = Drains::start(journal.clone()).await.unwrap();
    let last = tokio::spawn(waits(tree.slow.clone(), 5));
    settle().await;
    tree.slow.drain();
    assert_eq!(soon(last).await.unwrap().unwrap(), 5, "10 s");
    assert!(matches!(soon(tree.slow.terminated()).await.unwrap(), Ended::Stopped));

    let (tree, _, mut events) = shop().await;
    tree.slow.tell(Do::Hang("hangs")).await.unwrap();
    pass(secs(2)).await;
    let begin = Instant::now();
    tree.slow.stop();
    assert!(matches!(soon(tree.slow.terminated()).await.unwrap(), Ended::Aborted));
    assert_eq!(begin.elapsed(), secs(5));
    assert!(!seen(&mut events).contains(&"slow failed".to_owned()));
}

/// S13, S7: below a failure the time runs on, and the failure is kept: a restart from above absorbs it.
#[tokio::test(start_paused = true)]
async fn below_a_failure_the_time_runs_on() {
    let journal = Journal::default();
    let tree = Family::start(journal.clone()).await.unwrap();
    let child = soon(tree.parent.ask(Tell::Spawn).forever()).await.unwrap();
    child.tell(Do::Hang("hangs")).await.unwrap();
    pass(secs(1)).await;
    let mut events = tree.events();
    tree.parent.tell(Tell::Fail).await.unwrap();
    pass(secs(1)).await;
    assert_eq!(seen(&mut events), ["parent failed", "parent decided Restart", "parent restart in 0ns"]);
    pass(secs(2)).await;
    assert_eq!(seen(&mut events), ["parent/child failed"]);
    pass(secs(60)).await;
    let lines = seen(&mut events);
    assert!(!lines.iter().any(|line| line.starts_with("parent/child decided")), "{lines:?}");
}

/// S13, S23: an actor that had stopped itself in that message ends by itself.
#[tokio::test(start_paused = true)]
async fn one_that_had_stopped_itself_ends_by_itself() {
    supervisor! {
        struct Stops(journal: Journal) {
            #[lifecycle(Transient, handler = 3s)]
            slow: Slow = Slow { journal, sum: 0 },
        }
    }
    let tree = Stops::start(Journal::default()).await.unwrap();
    tree.slow.tell(Do::StopAndHang).await.unwrap();
    let begin = Instant::now();
    assert!(matches!(soon(tree.slow.terminated()).await.unwrap(), Ended::Done));
    assert_eq!(begin.elapsed(), secs(3 + 4), "the time, and `post_stop`");
}
