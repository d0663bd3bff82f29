//! S61: messages are handled at most once, and counted.

use crate::world::*;
use supervise::error::AskError;
use supervise::event::DeadLetterReason;

async fn shop() -> (Cluster, Running<Shop>, u64) {
    let mut cluster = cluster(&["one"]);
    let log = new_log();
    let shop = Shop::tree(3, log).on(cluster.owner()).start().await.unwrap();
    (cluster, shop, log)
}

fn notes(log: u64) -> Vec<u64> {
    said(log).iter().filter_map(|it| it.parse().ok()).collect()
}

fn dead(seen: &std::sync::Mutex<Vec<Event>>, of: DeadLetterReason) -> usize {
    count(seen, |kind| matches!(kind, EventKind::DeadLetter { reason, .. } if *reason == of))
}

#[tokio::test(start_paused = true)]
async fn messages_come_in_order() {
    let (_cluster, shop, log) = shop().await;
    for n in 0..1_000 {
        shop.pricing.tell(PricingMsg::Note(n)).await.unwrap();
    }
    until("all are handled", || notes(log).len() == 1_000).await;
    assert_eq!(notes(log), (0..1_000).collect::<Vec<_>>());
}

/// Messages that are not begun when the instance fails are handed to the next one, in order.
#[tokio::test(start_paused = true)]
async fn a_restart_loses_only_the_message_in_hand() {
    let (_cluster, shop, log) = shop().await;
    shop.pricing.tell(PricingMsg::Slow(0, 1_000)).await.unwrap();
    shop.pricing.tell(PricingMsg::Fail("now".into())).await.unwrap();
    for n in 0..20 {
        shop.pricing.tell(PricingMsg::Note(n)).await.unwrap();
    }
    until("all are handled", || notes(log).len() == 20).await;
    assert_eq!((notes(log), shop.pricing.incarnation()), ((0..20).collect(), Some(2)));
}

/// Only what was sent and not begun is uncertain when the node is lost; the rest waits at the owner.
#[tokio::test(start_paused = true)]
async fn a_lost_node_costs_at_most_the_window() {
    let (mut cluster, shop, log) = shop().await;
    let seen = events(shop.events());
    shop.pricing.tell(PricingMsg::Slow(0, 100_000)).await.unwrap();
    for n in 0..20 {
        shop.pricing.tell(PricingMsg::Note(n)).await.unwrap();
    }
    tokio::time::sleep(SECOND).await;
    cluster.node("two", Shop::node("worker"));
    cluster.kill("one");
    until("the rest is handled", || notes(log).len() == 16).await;
    assert_eq!(notes(log), (4..20).collect::<Vec<_>>());
    assert_eq!(dead(&seen, DeadLetterReason::Unknown), 4, "the window");
}

#[tokio::test(start_paused = true)]
async fn who_asks_a_lost_node_hears_that_it_may_be_done() {
    let (mut cluster, shop, _) = shop().await;
    shop.pricing.tell(PricingMsg::Slow(0, 100_000)).await.unwrap();
    let pricing = shop.pricing.clone();
    let asked =
        tokio::spawn(async move { pricing.ask(|reply| PricingMsg::Quote(1, reply)).within(100 * SECOND).await });
    tokio::time::sleep(SECOND).await;
    cluster.kill("one");
    let error = asked.await.unwrap().unwrap_err();
    assert!(matches!(error, AskError::NoReply { .. }), "{error}");
}

supervisor! {
    struct Redelivered(log: u64) {
        #[on("worker", lease = 2s, window = 4)]
        #[lifecycle(Permanent, shutdown = 1s)]
        #[redeliver(attempts = 1)]
        pricing: remote Pricing = Pricing::open(3, log, 0).await?,
    }
}

/// With `redeliver` the window is handed in again, though the messages need not be `Clone`.
#[tokio::test(start_paused = true)]
async fn a_lost_node_costs_nothing_with_redeliver() {
    let mut cluster = Cluster::new();
    cluster.node("one", Redelivered::node("worker"));
    let log = new_log();
    let tree = Redelivered::tree(log).on(cluster.owner()).start().await.unwrap();
    tree.pricing.tell(PricingMsg::Slow(0, 2_000)).await.unwrap();
    for n in 0..20 {
        tree.pricing.tell(PricingMsg::Note(n)).await.unwrap();
    }
    tokio::time::sleep(SECOND).await;
    cluster.node("two", Redelivered::node("worker"));
    cluster.kill("one");
    until("all are handled", || notes(log).len() == 20).await;
    assert_eq!(notes(log), (0..20).collect::<Vec<_>>());
    assert_eq!(said(log).iter().filter(|it| *it == "slow 0").count(), 2);
}

/// The message in hand at a failure is handed in again as often as it may, and then it is a dead letter.
#[tokio::test(start_paused = true)]
async fn redeliver_hands_in_the_message_in_hand_once_more() {
    let mut cluster = Cluster::new();
    cluster.node("one", Redelivered::node("worker"));
    let log = new_log();
    let tree = Redelivered::tree(log).on(cluster.owner()).start().await.unwrap();
    let seen = events(tree.events());
    tree.pricing.tell(PricingMsg::Note(1)).await.unwrap();
    tree.pricing.tell(PricingMsg::Panic).await.unwrap();
    tree.pricing.tell(PricingMsg::Note(2)).await.unwrap();
    until("all are handled", || notes(log).len() == 2).await;
    assert_eq!((notes(log), tree.pricing.incarnation()), (vec![1, 2], Some(3)));
    assert_eq!(dead(&seen, DeadLetterReason::GivenUp), 1);
}

#[tokio::test(start_paused = true)]
async fn replies_stand_anywhere_in_a_message() {
    let (_cluster, shop, _) = shop().await;
    let (one, first) = supervise_remote::hooks::reply();
    let (two, second) = supervise_remote::hooks::reply();
    shop.pricing.tell(PricingMsg::Nested(Some(vec![one, two]))).await.unwrap();
    assert_eq!((first.await, second.await), (Some(0), Some(1)));
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_written_is_a_dead_letter() {
    let (_cluster, shop, _) = shop().await;
    let seen = events(shop.events());
    shop.pricing.tell(PricingMsg::Bad(Unwritable)).await.unwrap();
    assert_eq!(shop.pricing.ask(|reply| PricingMsg::Quote(1, reply)).await.unwrap(), 3);
    assert_eq!(dead(&seen, DeadLetterReason::NotWritten), 1);
    assert_eq!(count(&seen, |kind| matches!(kind, EventKind::NotWritten { why } if why.contains("unwritable"))), 1);
    assert_eq!(shop.pricing.incarnation(), Some(1));
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_cannot_be_written_is_none() {
    let (_cluster, shop, _) = shop().await;
    let seen = events(shop.events());
    let error = shop.pricing.ask(PricingMsg::BadReply).await.unwrap_err();
    assert!(matches!(error, AskError::NoReply { .. }), "{error}");
    assert_eq!(count(&seen, |kind| matches!(kind, EventKind::NotWritten { why } if why.contains("unwritable"))), 1);
}

/// A message that cannot be read is a failure of the child with that message in hand. Messages before it are handled
/// first, those after it later.
#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_is_a_failure() {
    for panics in [false, true] {
        let (_cluster, shop, log) = shop().await;
        let seen = events(shop.events());
        shop.pricing.tell(PricingMsg::Slow(0, 1_000)).await.unwrap();
        shop.pricing.tell(PricingMsg::Note(1)).await.unwrap();
        shop.pricing.tell(PricingMsg::Unread(Unreadable(panics))).await.unwrap();
        for n in 2..10 {
            shop.pricing.tell(PricingMsg::Note(n)).await.unwrap();
        }
        until("all are handled", || notes(log).len() == 9).await;
        assert_eq!((notes(log), shop.pricing.incarnation()), ((1..10).collect(), Some(2)));
        assert_eq!(dead(&seen, DeadLetterReason::NotRead), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_too_large_is_not_sent() {
    let (_cluster, shop, _) = shop().await;
    let seen = events(shop.events());
    shop.pricing.tell(PricingMsg::Large(vec![0; supervise_remote::MAX_FRAME])).await.unwrap();
    assert_eq!(shop.pricing.ask(|reply| PricingMsg::Quote(1, reply)).await.unwrap(), 3);
    let too_large = |kind: &EventKind| matches!(kind, EventKind::NotWritten { why } if why.contains("max_frame"));
    assert_eq!((count(&seen, too_large), shop.pricing.incarnation()), (1, Some(1)));
}

/// A slow node fills the window, then the mailbox, and then its senders wait.
#[tokio::test(start_paused = true)]
async fn a_slow_node_slows_its_senders() {
    let mut cluster = Cluster::new();
    cluster.node("one", Bounded::node("worker"));
    let log = new_log();
    let tree = Bounded::tree(log).on(cluster.owner()).start().await.unwrap();
    tree.pricing.tell(PricingMsg::Slow(0, 10_000)).await.unwrap();
    tokio::time::sleep(SECOND).await;
    let mut taken = 0;
    while tokio::time::timeout(SECOND, tree.pricing.tell(PricingMsg::Note(taken))).await.is_ok() {
        taken += 1;
    }
    assert_eq!(taken, 2 + 3, "the window, and the mailbox");
    until("all are handled", || notes(log).len() == 5).await;
}

supervisor! {
    struct Bounded(log: u64) {
        #[on("worker", window = 2)]
        #[mailbox(Bounded(3))]
        pricing: remote Pricing = Pricing::open(3, log, 0).await?,
    }
}

/// S61: the window counts bytes as well, so that large messages do not fill the memory of a busy node. A message that is
/// larger than the window alone passes, and nothing is left of the count: the second time as the first.
#[tokio::test(start_paused = true)]
async fn large_messages_fill_the_window_before_it_is_full() {
    let mut cluster = Cluster::new();
    cluster.node("one", Wide::node("worker"));
    let log = new_log();
    let tree = Wide::tree(log).on(cluster.owner()).start().await.unwrap();
    let window = || tree.snapshot().find("pricing").unwrap().window.unwrap();
    for size in [300 << 10, 3 << 19, 300 << 10, 40 << 10] {
        tree.pricing.tell(PricingMsg::Slow(0, 1_000)).await.unwrap();
        tokio::time::sleep(100 * MS).await;
        let fit = (1 << 20) / size + 1;
        for _ in 0..fit + 4 {
            tree.pricing.tell(PricingMsg::Large(vec![1; size])).await.unwrap();
        }
        tokio::time::sleep(100 * MS).await;
        assert_eq!(window(), fit, "messages of {size} bytes");
        assert_eq!(tree.pricing.ask(|reply| PricingMsg::Quote(1, reply)).await.unwrap(), 3);
        until("all are begun", || window() == 0).await;
    }
    // The count is of one placement: the next one begins without it.
    tree.pricing.tell(PricingMsg::Fail("now".into())).await.unwrap();
    for _ in 0..8 {
        tree.pricing.tell(PricingMsg::Large(vec![1; 300 << 10])).await.unwrap();
    }
    assert_eq!(tree.pricing.ask(|reply| PricingMsg::Quote(1, reply)).await.unwrap(), 3);
    until("all are begun", || window() == 0).await;
}

supervisor! {
    struct Wide(log: u64) {
        #[on("worker")]
        pricing: remote Pricing = Pricing::open(3, log, 0).await?,
    }
}

/// Everything that was accepted is handled, waits, or is a dead letter.
#[tokio::test(start_paused = true)]
async fn the_end_of_a_child_counts_what_is_left() {
    let (_cluster, shop, log) = shop().await;
    let seen = events(shop.events());
    shop.pricing.tell(PricingMsg::Slow(0, 500)).await.unwrap();
    for n in 0..20 {
        shop.pricing.tell(PricingMsg::Note(n)).await.unwrap();
    }
    tokio::time::sleep(100 * MS).await;
    shop.pricing.shutdown().await.unwrap();
    tokio::time::sleep(SECOND).await;
    assert_eq!(notes(log).len() + dead(&seen, DeadLetterReason::Ended), 20, "{:?}", said(log));
    assert!(said(log).contains(&"done 0".to_owned()), "what is in hand is finished");
}

#[tokio::test(start_paused = true)]
async fn a_drain_handles_everything_first() {
    let (_cluster, shop, log) = shop().await;
    shop.pricing.tell(PricingMsg::Slow(0, 200)).await.unwrap();
    for n in 0..20 {
        shop.pricing.tell(PricingMsg::Note(n)).await.unwrap();
    }
    shop.pricing.drain();
    shop.pricing.terminated().await.unwrap();
    assert_eq!(notes(log).len(), 20);
    assert_eq!(said(log).last().unwrap(), "post_stop");
}

/// An asker at the owner waits as long as the child declares.
#[tokio::test(start_paused = true)]
async fn an_ask_takes_as_long_as_the_child_declares() {
    supervisor! {
        struct Patient(log: u64) {
            #[on("worker", lease = 2s)]
            #[lifecycle(Permanent, shutdown = 1s)]
            #[mailbox(ask = 9s)]
            pricing: remote Pricing = Pricing::open(1, log, 0).await?,
        }
    }
    let mut cluster = Cluster::new();
    cluster.node("one", Patient::node("worker"));
    let patient = Patient::tree(new_log()).on(cluster.owner()).start().await.unwrap();
    let error = patient.pricing.ask(PricingMsg::Keep).await.unwrap_err();
    assert!(matches!(error, AskError::TimedOut { within, .. } if within == 9 * SECOND), "{error}");
}

/// A reply that its actor keeps does not take a place in the window.
#[tokio::test(start_paused = true)]
async fn kept_replies_do_not_fill_the_window() {
    let (_cluster, shop, _) = shop().await;
    for _ in 0..20 {
        let pricing = shop.pricing.clone();
        tokio::spawn(async move { pricing.ask(PricingMsg::Keep).within(1_000 * SECOND).await });
    }
    tokio::time::sleep(SECOND).await;
    assert_eq!(shop.pricing.ask(|reply| PricingMsg::Quote(1, reply)).await.unwrap(), 3);
}

/// With `redeliver` the owner has to know what was handled, also if nothing comes after it.
#[tokio::test(start_paused = true)]
async fn what_was_handled_is_not_handed_in_again() {
    let mut cluster = Cluster::new();
    cluster.node("one", Redelivered::node("worker"));
    let log = new_log();
    let tree = Redelivered::tree(log).on(cluster.owner()).start().await.unwrap();
    tree.pricing.tell(PricingMsg::Note(1)).await.unwrap();
    tree.pricing.tell(PricingMsg::Slow(2, 100)).await.unwrap();
    tokio::time::sleep(SECOND).await;
    cluster.node("two", Redelivered::node("worker"));
    cluster.kill("one");
    tree.pricing.tell(PricingMsg::Note(3)).await.unwrap();
    until("it is handled", || notes(log).contains(&3)).await;
    assert_eq!(notes(log), [1, 3]);
    assert_eq!(said(log).iter().filter(|it| *it == "slow 2").count(), 1);
}

/// A message that cannot be read fails in its turn, and what is in hand before it is no part of that failure.
#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_waits_for_its_turn() {
    let mut cluster = Cluster::new();
    cluster.node("one", Redelivered::node("worker"));
    let log = new_log();
    let tree = Redelivered::tree(log).on(cluster.owner()).start().await.unwrap();
    let seen = events(tree.events());
    tree.pricing.tell(PricingMsg::Slow(0, 500)).await.unwrap();
    tree.pricing.tell(PricingMsg::Unread(Unreadable(false))).await.unwrap();
    tree.pricing.tell(PricingMsg::Note(1)).await.unwrap();
    until("it has failed", || dead(&seen, DeadLetterReason::NotRead) == 1).await;
    assert_eq!(said(log)[..3], ["start #1", "slow 0", "done 0"]);
    until("all are handled", || notes(log).len() == 1).await;
    assert_eq!(said(log).iter().filter(|it| *it == "slow 0").count(), 1, "{:?}", said(log));
    assert_eq!((dead(&seen, DeadLetterReason::NotRead), tree.pricing.incarnation()), (1, Some(2)));
}

supervisor! {
    struct Fresh(log: u64) {
        #[on("worker", lease = 2s)]
        #[mailbox(fresh)]
        #[lifecycle(Permanent, shutdown = 1s)]
        pricing: remote Pricing = Pricing::open(3, log, 0).await?,
    }
}

/// A restart of a child with a `fresh` mailbox drops what is in its window as well.
#[tokio::test(start_paused = true)]
async fn a_fresh_mailbox_has_a_fresh_window() {
    let mut cluster = Cluster::new();
    cluster.node("one", Fresh::node("worker"));
    let log = new_log();
    let tree = Fresh::tree(log).on(cluster.owner()).start().await.unwrap();
    let seen = events(tree.events());
    tree.pricing.tell(PricingMsg::Slow(0, 100)).await.unwrap();
    for n in 0..10 {
        tree.pricing.tell(PricingMsg::Note(n)).await.unwrap();
    }
    tokio::time::sleep(10 * MS).await;
    tree.pricing.restart().await.unwrap();
    tree.pricing.tell(PricingMsg::Note(10)).await.unwrap();
    until("the last one is handled", || notes(log).contains(&10)).await;
    assert_eq!((notes(log), dead(&seen, DeadLetterReason::Restarted)), (vec![10], 10));
}

/// Its drop blocks for some time.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Sticky;

impl Drop for Sticky {
    fn drop(&mut self) {
        std::thread::sleep(MS * 50);
    }
}

struct Echo;

#[derive(serde::Serialize, serde::Deserialize)]
struct EchoMsg(Sticky, Reply<u64>);

#[actor]
impl Echo {
    fn handle(&mut self, EchoMsg(sticky, reply): EchoMsg) {
        std::mem::forget(sticky);
        reply.send(7);
    }
}

supervisor! {
    struct Echoes {
        #[on("worker", lease = 2s)]
        echo: remote Echo = Echo,
    }
}

/// A reply that comes while the owner drops the message that was begun is read at once. On the wall clock: the drop blocks.
#[test]
fn a_reply_is_read_whatever_the_owner_does() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    runtime.block_on(async {
        let mut cluster = Cluster::new();
        cluster.node("one", Echoes::node("worker"));
        let echoes = Echoes::tree().on(cluster.owner()).start().await.unwrap();
        for _ in 0..5 {
            let asked = echoes.echo.ask(|reply| EchoMsg(Sticky, reply)).within(5 * SECOND).await;
            assert_eq!(asked, Ok(7));
        }
    });
}

/// An actor that answers with so many bytes, and ends.
struct Last;

#[derive(serde::Serialize, serde::Deserialize)]
struct LastMsg(usize, Reply<Vec<u8>>);

#[actor]
impl Last {
    fn handle(&mut self, LastMsg(bytes, reply): LastMsg, cx: &mut Context<Self>) {
        reply.send(vec![0; bytes]);
        cx.stop();
    }
}

supervisor! {
    struct Lasts {
        #[on("worker", lease = 2s)]
        #[lifecycle(Transient, shutdown = 1s)]
        last: remote Last = Last,
    }
}

/// The last reply of an instance reaches its asker, and is not sent if it is too large, like any other.
#[tokio::test(start_paused = true)]
async fn the_last_reply_is_a_reply_like_any_other() {
    for (bytes, expected) in [(10, true), (20_000_000, false)] {
        let mut cluster = Cluster::new();
        cluster.node("one", Lasts::node("worker"));
        let lasts = Lasts::tree().on(cluster.owner()).start().await.unwrap();
        let seen = events(lasts.events());
        let asked = lasts.last.ask(|reply| LastMsg(bytes, reply)).await;
        assert_eq!(asked.is_ok(), expected, "{:?}", asked.err());
        tokio::time::sleep(SECOND).await;
        let too_large = |kind: &EventKind| matches!(kind, EventKind::NotWritten { why } if why.contains("max_frame"));
        assert_eq!(count(&seen, too_large), usize::from(!expected));
    }
}

/// Says back what it is told.
struct Mirror;

type Nested = Option<Option<u8>>;

#[derive(Debug, serde::Serialize, serde::Deserialize)]
enum MirrorMsg {
    Nested(Vec<Nested>, Reply<Vec<Nested>>),
    Unit(Reply<Option<()>>),
    Deep(Deep),
}

#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Deep(Vec<Deep>);

#[actor]
impl Mirror {
    fn handle(&mut self, msg: MirrorMsg) {
        match msg {
            MirrorMsg::Nested(values, reply) => reply.send(values),
            MirrorMsg::Unit(reply) => reply.send(Some(())),
            MirrorMsg::Deep(_) => {}
        }
    }
}

/// S61: a `Some` without content is no `None` after its way to the node and back, in a message, a reply, and the values of a start;
/// a value that is too deep is an event, and the child goes on.
#[tokio::test(start_paused = true)]
async fn what_crosses_arrives_unchanged() {
    supervisor! {
        struct Echoes(held: Nested) {
            #![on("worker")]
            echo: remote Mirror = { assert_eq!(held, Some(None)); Mirror },
        }
    }
    let mut cluster = Cluster::new();
    cluster.node("one", Echoes::node("worker"));
    let tree = Echoes::tree(Some(None)).on(cluster.owner()).start().await.unwrap();
    let seen = events(tree.events());
    let values: Vec<Nested> = vec![None, Some(None), Some(Some(1))];
    assert_eq!(tree.echo.ask(|reply| MirrorMsg::Nested(values.clone(), reply)).await, Ok(values));
    assert_eq!(tree.echo.ask(MirrorMsg::Unit).await, Ok(Some(())));
    let deep = |levels| (0..levels).fold(Deep(Vec::new()), |deep, _| Deep(vec![deep]));
    tree.echo.tell(MirrorMsg::Deep(deep(100))).await.unwrap();
    tree.echo.tell(MirrorMsg::Deep(deep(500))).await.unwrap();
    assert_eq!(tree.echo.ask(MirrorMsg::Unit).await, Ok(Some(())));
    let deeper = |kind: &EventKind| matches!(kind, EventKind::NotWritten { why, .. } if why.contains("128 levels"));
    assert_eq!((count(&seen, deeper), tree.echo.incarnation()), (1, Some(1)));
}
