//! `shutdown`.

use supervise::prelude::*;

use crate::common::{Do, Journal, Probe, secs, settle};

supervisor! {
    struct Timed(journal: Journal) {
        #![shutdown(7s)]
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
    }

    struct Both(journal: Journal) {
        #![shutdown(Together)]
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
    }
}

/// S44: without the setting, the two take 10 s.
#[tokio::test(start_paused = true)]
async fn shutdown_is_obeyed() {
    let tree = Timed::start(Journal::default()).await.unwrap();
    tree.a.tell(Do::Hang).await.unwrap();
    tree.b.tell(Do::Hang).await.unwrap();
    settle().await;
    let before = tokio::time::Instant::now();
    let report = tree.shutdown().await;
    assert_eq!(before.elapsed(), secs(7), "{report}");
}

/// S44: without the word, the two take 10 s.
#[tokio::test(start_paused = true)]
async fn shutdown_together_is_obeyed() {
    let tree = Both::start(Journal::default()).await.unwrap();
    tree.a.tell(Do::Hang).await.unwrap();
    tree.b.tell(Do::Hang).await.unwrap();
    settle().await;
    let before = tokio::time::Instant::now();
    let report = tree.shutdown().await;
    assert_eq!(before.elapsed(), secs(5), "{report}");
}
