//! A gateway for an upstream that does not exist yet, with clients that do not know this.
//!
//! Proves that a declared backoff keeps a tree alive through an outage (S14, S21, S31, S35): `start()` does not wait
//! for the upstream, `ready()` does, requests wait meanwhile in order, others are served, and the outage does not count
//! against the budget.

use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, secs, seen};

supervisor! {
    struct Gateway(journal: Journal) {
        #![strategy(OneForOne, max_restarts = 1, within = 1s)]
        log: Probe = Probe::start("log", journal).await?,
        #[backoff(1s..10s, random_factor = 0, reset = 30s)]
        #[limit(max_restarts = Unlimited)]
        upstream: Probe = Probe::start("upstream", journal).await?,
        front: Probe = front(upstream, journal).await?,
    }
}

/// Needs only the handle of the upstream, not the upstream itself.
async fn front(upstream: ActorRef<Probe>, journal: Journal) -> Result<Probe, Boom> {
    upstream.try_tell(Do::Note("hears of the front")).map_err(|_| Boom::Told)?;
    Probe::start("front", journal).await
}

#[tokio::test(start_paused = true)]
async fn an_outage_is_waited_out_without_losing_a_request() {
    let journal = Journal::default();
    journal.plan("upstream start", 5, Fault::Error);
    let begin = Instant::now();
    let gateway = Gateway::start(journal.clone()).await.unwrap();
    let mut events = gateway.events();
    assert_eq!(begin.elapsed(), secs(0), "the other children are up");
    for n in 1..=3 {
        gateway.upstream.tell(Do::Add(n)).await.unwrap();
    }
    assert_eq!(gateway.front.ask(Do::Get).await.unwrap(), 0);
    assert!(gateway.ready().await);
    assert_eq!(begin.elapsed(), secs(1 + 2 + 4 + 8 + 10));
    assert_eq!(gateway.upstream.ask(Do::Get).await.unwrap(), 6);
    assert!(journal.take().contains(&"upstream hears of the front".into()));
    assert_eq!([gateway.log.incarnation(), gateway.front.incarnation(), gateway.upstream.incarnation()], [1, 1, 6]);
    let lines = seen(&mut events);
    assert!(!lines.iter().any(|line| line.contains("limit")), "{lines:?}");

    // After 30 s of service, a failure begins at the first delay again.
    tokio::time::sleep(secs(30)).await;
    gateway.upstream.tell(Do::Fail(Boom::Told)).await.unwrap();
    let begin = Instant::now();
    assert_eq!(gateway.upstream.ask(Do::Get).await.unwrap(), 0);
    assert_eq!(begin.elapsed(), secs(1));
}

#[tokio::test(start_paused = true)]
async fn waiting_calls_fail_when_the_gateway_closes() {
    let journal = Journal::default();
    journal.plan("upstream start", 1000, Fault::Error);
    let gateway = Gateway::start(journal.clone()).await.unwrap();
    let upstream = gateway.upstream.clone();
    let (asked, report) = tokio::join!(upstream.ask(Do::Get).forever(), async {
        tokio::time::sleep(secs(60)).await;
        gateway.shutdown().await
    });
    assert!(asked.is_err(), "{asked:?}");
    assert!(report.is_orderly(), "{report}");
    assert!(upstream.tell(Do::Add(1)).await.is_err());
}
