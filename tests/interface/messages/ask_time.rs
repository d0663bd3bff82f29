//! The time of an ask that follows other asks, whose timer it may use: S3.

use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use supervise::error::AskError;
use supervise::prelude::*;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use crate::common::{Do, Journal, Probe, ms, pass, secs, settle};

supervisor! {
    struct One(journal: Journal) {
        probe: Probe = Probe::start("probe", journal).await?,
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().start_paused(true).build().unwrap()
}

async fn probe() -> ActorRef<Probe> {
    let tree = One::start(Journal::default()).await.unwrap();
    let probe = tree.probe.clone();
    drop(tree.detach());
    probe
}

/// Asks a probe that answers, and then one that does not. Returns how long the second ask has waited.
async fn answered_and_late(probe: ActorRef<Probe>) -> Duration {
    assert_eq!(probe.ask(Do::Get).await, Ok(0));
    probe.tell(Do::Hang).await.unwrap();
    late(&probe).await
}

async fn late(probe: &ActorRef<Probe>) -> Duration {
    let begun = Instant::now();
    let answer = timeout(secs(60), probe.ask(Do::Get)).await;
    assert!(matches!(answer, Ok(Err(AskError::TimedOut { .. }))), "{answer:?}");
    begun.elapsed()
}

/// S3: an ask waits its whole time, whatever the asks before it have waited.
#[tokio::test(start_paused = true)]
async fn each_ask_has_its_whole_time() {
    let probe = probe().await;
    let waited = tokio::spawn(async move {
        assert_eq!(probe.ask(Do::Get).await, Ok(0));
        pass(secs(3)).await;
        assert_eq!(probe.ask(Do::Get).within(ms(70)).await, Ok(0));
        pass(ms(50)).await;
        probe.tell(Do::Hang).await.unwrap();
        [late(&probe).await, late(&probe).await]
    });
    assert_eq!(waited.await.unwrap(), [secs(5), secs(5)]);
}

/// S3: asks in one task that wait side by side, each with its own waker.
#[tokio::test(start_paused = true)]
async fn asks_side_by_side_end_on_time() {
    let probes = [probe().await, probe().await, probe().await];
    let waited = tokio::spawn(async move {
        let [one, two, three] = probes.map(answered_and_late);
        tokio::join!(one, two, three)
    });
    assert_eq!(waited.await.unwrap(), (secs(5), secs(5), secs(5)));
}

/// S3: an ask ends on time, also if its task had used up its turn at an ask before.
#[tokio::test(start_paused = true)]
async fn an_ask_ends_on_time_in_a_task_that_has_used_up_its_turn() {
    let probe = probe().await;
    let waited = tokio::spawn(async move {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        (0..200).for_each(|number| sender.send(number).unwrap());
        {
            let mut ask = pin!(probe.ask(Do::Get));
            let begun = std::future::poll_fn(|cx| {
                while receiver.poll_recv(cx).is_ready() {} // until tokio says that others want a turn
                Poll::Ready(ask.as_mut().poll(cx))
            });
            assert!(begun.await.is_pending());
            settle().await;
            assert_eq!(ask.await, Ok(0));
        }
        probe.tell(Do::Hang).await.unwrap();
        late(&probe).await
    });
    assert_eq!(waited.await.unwrap(), secs(5));
}

/// S3: an ask ends on time by the clock of its own runtime. Another one on this thread stands still, or is gone.
#[test]
fn an_ask_ends_on_time_on_the_next_runtime_of_the_thread() {
    for keep in [true, false] {
        let before = runtime();
        before.block_on(async { tokio::spawn(async { probe().await.ask(Do::Get).await }).await.unwrap().unwrap() });
        let _before = keep.then_some(before);
        let next = runtime();
        let asked = async { tokio::spawn(async { late(&hung().await).await }).await.unwrap() };
        assert_eq!(next.block_on(asked), secs(5), "in a task");
        assert_eq!(next.block_on(async { late(&hung().await).await }), secs(5), "outside of a task");
    }
}

async fn hung() -> ActorRef<Probe> {
    let probe = probe().await;
    probe.tell(Do::Hang).await.unwrap();
    probe
}

/// S3: an ask may begin on one runtime and get its answer on another. The next ask there ends on time.
#[test]
fn an_ask_may_move_to_another_runtime() {
    let (first, second) = (runtime(), runtime());
    let probe = second.block_on(probe());
    let asked = probe.clone();
    let mut ask: Pin<Box<dyn Future<Output = _> + Send>> = Box::pin(async move { asked.ask(Do::Get).await });
    let begun = first.spawn(async move {
        let polled = std::future::poll_fn(|cx| Poll::Ready(ask.as_mut().poll(cx))).await;
        assert!(polled.is_pending());
        (ask,)
    });
    let (ask,) = first.block_on(begun).unwrap();
    let waited = second.block_on(async {
        tokio::spawn(async move {
            assert_eq!(ask.await, Ok(0));
            answered_and_late(probe).await
        })
        .await
        .unwrap()
    });
    assert_eq!(waited, secs(5));
}
