//! `backoff`.

use std::time::Duration;

use supervise::prelude::*;
use tokio::time::Instant;

use super::{delays, fail};
use crate::common::{Boom, Do, Journal, Probe, ms, pass, secs};

supervisor! {
    struct Paces(journal: Journal) {
        plain: Probe = Probe::start("plain", journal).await?,
        #[backoff(1s..8s, random_factor = 0)]
        from1: Probe = Probe::start("from1", journal).await?,
        #[backoff(3s..5s, random_factor = 0)]
        from3: Probe = Probe::start("from3", journal).await?,
        #[backoff(1s..8s, factor = 3, random_factor = 0)]
        steep: Probe = Probe::start("steep", journal).await?,
        #[backoff(1s..8s, factor = 1, random_factor = 0)]
        flat: Probe = Probe::start("flat", journal).await?,
        #[backoff(8s..8s)]
        noisy: Probe = Probe::start("noisy", journal).await?,
        #[backoff(8s..8s, random_factor = 1)]
        noisier: Probe = Probe::start("noisier", journal).await?,
        #[backoff(1s..9s, random_factor = 0, reset = 20s)]
        later: Probe = Probe::start("later", journal).await?,
        #[backoff(1s..9s, random_factor = 0)]
        middle: Probe = Probe::start("middle", journal).await?,
        #[backoff(1s..9s, random_factor = 0, reset = Manual)]
        manual: Probe = Probe::start("manual", journal).await?,
        #[backoff(Backoff::slotted(10ms).ceiling(1).stay_at_ceiling())]
        slotted: Probe = Probe::start("slotted", journal).await?,
        #[backoff(Backoff::exponential(2s..4s).random_factor(0))]
        value: Probe = Probe::start("value", journal).await?,
        #[backoff([2s, 5s, 5s, 10s], random_factor = 0, reset = Manual)]
        list: Probe = Probe::start("list", journal).await?,
        #[backoff([2s; 2], random_factor = 0)]
        same: Probe = Probe::start("same", journal).await?,
    }
}

/// The announced delays of that many consecutive failures, and how long they took in total.
async fn paced(pick: fn(&Paces) -> &ActorRef<Probe>, times: u32) -> (Vec<Duration>, Duration) {
    let tree = Paces::tree(Journal::default()).seed(42).start().await.unwrap();
    let child = pick(&tree);
    let mut events = tree.events();
    let begin = Instant::now();
    fail(child, times).await;
    child.ask(Do::Get).forever().await.unwrap();
    (delays(&mut events, &child.path()), begin.elapsed())
}

/// S31: the smallest and largest delays are announced and waited for; without a backoff the first restart comes at
/// once.
#[tokio::test(start_paused = true)]
async fn backoff_min_max_is_obeyed() {
    assert_eq!(paced(|tree| &tree.from1, 5).await, ([1, 2, 4, 8, 8].map(secs).to_vec(), secs(23)));
    assert_eq!(paced(|tree| &tree.from3, 3).await, ([3, 5, 5].map(secs).to_vec(), secs(13)));
    assert_eq!(paced(|tree| &tree.plain, 1).await, (vec![Duration::ZERO], Duration::ZERO));
}

/// S31: the delays of a list, the last of which repeats.
#[tokio::test(start_paused = true)]
async fn backoff_list_is_obeyed() {
    assert_eq!(paced(|tree| &tree.list, 6).await, ([2, 5, 5, 10, 10, 10].map(secs).to_vec(), secs(42)));
    assert_eq!(paced(|tree| &tree.same, 3).await.0, [secs(2); 3]);
}

/// S31: each delay is multiplied by the factor.
#[tokio::test(start_paused = true)]
async fn backoff_factor_is_obeyed() {
    assert_eq!(paced(|tree| &tree.steep, 4).await.0, [1, 3, 8, 8].map(secs));
    assert_eq!(paced(|tree| &tree.flat, 4).await.0, [1, 1, 1, 1].map(secs));
}

/// S31: the random share of the delay: none, up to a fifth by default, or up to the whole delay again.
#[tokio::test(start_paused = true)]
async fn backoff_random_factor_is_obeyed() {
    let most = |delays: Vec<Duration>| {
        assert!(delays.iter().all(|delay| *delay >= secs(8)));
        delays.into_iter().max().unwrap()
    };
    let (noisy, noisier) = (most(paced(|tree| &tree.noisy, 40).await.0), most(paced(|tree| &tree.noisier, 40).await.0));
    assert!(noisy > ms(9_400) && noisy <= ms(9_600), "{noisy:?}");
    assert!(noisier > secs(14) && noisier <= secs(16), "{noisier:?}");
}

/// The delays of three failures: two in a row, and one after the child has been up for `rest`.
async fn rested(pick: fn(&Paces) -> &ActorRef<Probe>, rest: Duration) -> [u64; 3] {
    let tree = Paces::start(Journal::default()).await.unwrap();
    let child = pick(&tree);
    let mut events = tree.events();
    fail(child, 2).await;
    child.ask(Do::Get).forever().await.unwrap();
    pass(rest).await;
    fail(child, 1).await;
    let delays = delays(&mut events, &child.path());
    [0, 1, 2].map(|i| delays[i].as_secs())
}

/// S32: the backoff starts over after that time; by default, after the middle of the range.
#[tokio::test(start_paused = true)]
async fn backoff_reset_is_obeyed() {
    assert_eq!(rested(|tree| &tree.middle, ms(4_999)).await, [1, 2, 4]);
    assert_eq!(rested(|tree| &tree.middle, secs(5)).await, [1, 2, 1]);
    assert_eq!(rested(|tree| &tree.later, ms(19_999)).await, [1, 2, 4]);
    assert_eq!(rested(|tree| &tree.later, secs(20)).await, [1, 2, 1]);
}

/// S32: the backoff starts over only when the actor resets it.
#[tokio::test(start_paused = true)]
async fn backoff_reset_manual_is_obeyed() {
    assert_eq!(rested(|tree| &tree.manual, secs(1_000_000)).await, [1, 2, 4]);
    let tree = Paces::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    fail(&tree.manual, 2).await;
    tree.manual.tell(Do::Reset).await.unwrap();
    tree.manual.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.manual.ask(Do::Get).forever().await.unwrap();
    assert_eq!(delays(&mut events, "manual"), [1, 2, 1].map(secs));
}

/// S31, S33: a value can be given instead; its durations have units.
#[tokio::test(start_paused = true)]
async fn backoff_expression_is_obeyed() {
    assert_eq!(paced(|tree| &tree.value, 3).await.0, [2, 4, 4].map(secs));
    let slots = paced(|tree| &tree.slotted, 20).await.0;
    assert!(
        slots.iter().all(|delay| [ms(1), ms(10)].contains(delay)),
        "slot 1 waits for zero slots or for one: {slots:?}"
    );
    assert!(slots.contains(&ms(10)));
}
