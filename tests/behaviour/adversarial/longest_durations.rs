//! `Duration::MAX`, which many configurations use for "no limit", wherever a duration can be set.

use std::time::Duration;

use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, pass, secs, settle, soon};

const EVER: Duration = Duration::MAX;

supervisor! {
    struct Endless(journal: Journal, ever: Duration) {
        #![strategy(OneForOne, max_restarts = 3, within = ever)]
        #[lifecycle(start = ever, shutdown = ever)]
        slow: Probe = Probe::start("slow", journal.clone()).await?,
        #[lifecycle(shutdown = ever)]
        part: struct Part {
            one: Probe = Probe::start("one", journal).await?,
        },
    }
}

/// S13, S24: a start and a stop without a limit take as long as they need.
#[tokio::test(start_paused = true)]
async fn starts_and_stops_take_the_longest_durations() {
    let journal = Journal::default();
    journal.plan("slow pre_start", 1, Fault::Slow(secs(30)));
    journal.plan("slow post_stop", 1, Fault::Slow(secs(30)));
    let tree = Endless::start(journal.clone(), EVER).await.unwrap();
    tree.slow.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(soon(tree.slow.ask(Do::Get).within(EVER)).await.unwrap(), 0);
    let report = soon(tree.shutdown()).await;
    assert!(report.is_orderly(), "{report}");
    assert!(journal.take().contains(&"slow post_stop done".to_owned()));
}

/// S3, S13, S15, S24: all durations of a spawn.
#[tokio::test(start_paused = true)]
async fn a_spawn_takes_the_longest_durations() {
    let journal = Journal::default();
    journal.plan("top pre_start", 1, Fault::Slow(secs(30)));
    let top = spawn(child! {
        #[lifecycle(Transient, start = EVER, shutdown = EVER)]
        #[mailbox(ask = EVER)]
        #[limit(within = EVER)]
        "top": Probe = Probe::start("top", journal).await?
    });
    let top = top.await.unwrap();
    top.tell(Do::Work(secs(60))).await.unwrap();
    assert_eq!(top.ask(Do::Get).await.unwrap(), 0);
    top.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(top.ask(Do::Incarnation).await.unwrap(), 2);
    top.stop();
    assert!(matches!(soon(top.terminated()).await.unwrap(), Ended::Stopped));
}

/// S31: a delay that never ends can be ended by a stop, and by a requested restart.
#[tokio::test(start_paused = true)]
async fn a_backoff_takes_the_longest_durations() {
    let journal = Journal::default();
    let top = spawn(child! {
        #[backoff(EVER..EVER, reset = EVER)]
        "top": Probe = Probe::start("top", journal).await?
    });
    let top = top.await.unwrap();
    top.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(3600)).await;
    assert_eq!(top.incarnation(), 1);
    top.restart().unwrap();
    assert_eq!(soon(top.ask(Do::Incarnation)).await.unwrap(), 2);
    top.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    top.stop();
    assert!(soon(top.terminated()).await.is_ok());
}

/// Sets timers that never fire, and one that does.
struct Patient(u32);

enum Told {
    Tick(u32),
    Sum(Reply<u32>),
}

#[actor]
impl Patient {
    #[pre_start]
    fn begin(&mut self, cx: &mut Context<Self>) {
        cx.send_after(EVER, Told::Tick(100));
        cx.send_every(EVER, || Told::Tick(100));
        cx.send_after(secs(1), Told::Tick(1));
    }

    fn handle(&mut self, msg: Told) {
        match msg {
            Told::Tick(n) => self.0 += n,
            Told::Sum(reply) => reply.send(self.0),
        }
    }
}

/// S11: a timer that never fires does not delay any other.
#[tokio::test(start_paused = true)]
async fn a_timer_takes_the_longest_durations() {
    let patient = spawn(child! { "patient": Patient = Patient(0) }).await.unwrap();
    pass(secs(3600)).await;
    assert_eq!(soon(patient.ask(Told::Sum)).await.unwrap(), 1, "only the last timer has fired");
    patient.stop();
    assert!(soon(patient.terminated()).await.is_ok());
}
