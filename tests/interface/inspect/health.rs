//! Health of a tree, and the nodes that are not healthy, with the reasons: S42.

use supervise::inspect::SymptomKind;
use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, settle};

supervisor! {
    struct Shop(journal: Journal) {
        #![decider(Boom::Fatal => Stop, _ => Restart)]
        #[backoff(3s..30s, random_factor = 0)]
        db: Probe = Probe::start("db", journal).await?,
        #[mailbox(Bounded(1))]
        cart: Probe = Probe::start("cart", journal).await?,
        #[lifecycle(Transient)]
        import: Probe = Probe::start("import", journal).await?,
        #[lifecycle(Temporary)]
        once: Probe = Probe::start("once", journal).await?,
        sessions: [Probe] = |name: String| Probe::start(name, journal).await?,
    }
}

async fn shop() -> (Running<Shop>, Journal) {
    let journal = Journal::default();
    (Shop::start(journal.clone()).await.unwrap(), journal)
}

/// S42: a tree in which every node is up is healthy.
#[tokio::test(start_paused = true)]
async fn a_tree_that_is_up_is_healthy() {
    let (tree, _) = shop().await;
    assert!(tree.health().is_healthy(), "{}", tree.health());
    assert_eq!(tree.health().to_string(), "healthy");
}

/// S42: a child that is down is named by its path. After it is up again, its streak remains a symptom until it handles
/// a message.
#[tokio::test(start_paused = true)]
async fn a_child_that_is_down_and_then_in_a_streak_degrades() {
    let (tree, _) = shop().await;
    tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert_eq!(tree.health().to_string(), "degraded: db is backing off");
    assert!(matches!(tree.health().symptoms()[0].reason, SymptomKind::Down(_)));
    pass(secs(3)).await;
    assert_eq!(tree.health().to_string(), "degraded: db was restarted");
    tree.db.ask(Do::Get).await.unwrap();
    assert!(tree.health().is_healthy(), "{}", tree.health());
}

/// S42: an instance of a set that is starting for the first time is well at its first attempt only. If it fails to start
/// again and again, the tree is degraded all the time, as with a declared child: while it backs off, and while it starts.
#[tokio::test(start_paused = true)]
async fn an_instance_that_never_comes_up_degrades() {
    supervisor! {
        struct Hanging {
            #[lifecycle(Permanent, ready, start = 60s)]
            #[backoff(1s..30s)]
            set: [u32 => task] = |_key: u32| |cx| async move {
                let _never_ready = cx;
                std::future::pending::<()>().await;
            },
            keep: task = std::future::pending::<()>(),
        }
    }
    let tree = Hanging::start().await.unwrap();
    let spawned = tokio::spawn(tree.set.spawn(1));
    settle().await;
    pass(secs(59)).await;
    assert!(tree.health().is_healthy(), "{}", tree.health());
    pass(secs(40)).await;
    for _ in 0..600 {
        assert!(!tree.health().is_healthy());
        pass(secs(1)).await;
    }
    tree.set.stop_all();
    settle().await;
    assert!(tree.health().is_healthy() && spawned.await.unwrap().is_err(), "{}", tree.health());
}

/// S42, S14: a streak ends by itself when an incarnation has run 10 s.
#[tokio::test(start_paused = true)]
async fn a_streak_is_over_after_ten_seconds() {
    let (tree, journal) = shop().await;
    journal.plan("cart pre_start", 1, Fault::Error);
    tree.cart.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(ms(9900)).await;
    assert_eq!(tree.health().to_string(), "degraded: cart was restarted 2 times in a row");
    pass(ms(200)).await;
    assert!(tree.health().is_healthy(), "{}", tree.health());
}

/// S14, S32, S42: a child that comes and goes is a symptom as long as it does, also if its backoff starts over in
/// between; readiness asks whether it is up.
#[tokio::test(start_paused = true)]
async fn a_child_that_comes_and_goes_is_a_symptom_and_serves_while_it_is_up() {
    async fn job() -> Result<(), Boom> {
        tokio::time::sleep(secs(6)).await;
        Err(Boom::Told)
    }
    supervisor! {
        struct Archive {
            #[backoff(200ms..10s, random_factor = 0)]
            archiver: task = job(),
            keep: task = std::future::pending::<()>(),
        }
    }
    let tree = Archive::start().await.unwrap();
    assert!(tree.health().is_healthy() && tree.health().is_up());
    pass(ms(6_100)).await;
    for round in 1..50 {
        // The job was up for longer than the 5.1 s after which its backoff starts over.
        assert_eq!(tree.health().to_string(), "degraded: archiver is backing off", "{round}");
        assert!(!tree.health().is_up());
        for _ in 0..5 {
            pass(ms(1_180)).await;
            let health = tree.health();
            assert!(matches!(health.symptoms()[0].reason, SymptomKind::Streak(n) if n == round), "{health}");
            assert!(!health.is_healthy() && health.is_up());
        }
        pass(ms(300)).await;
    }
}

/// S42: down, waiting for a machine and ended against the lifecycle are what a readiness probe counts. Senders that wait
/// are not.
#[tokio::test(start_paused = true)]
async fn a_tree_with_blocked_senders_is_up_and_one_with_an_ended_child_is_not() {
    let (tree, _) = shop().await;
    let cart = tree.cart.clone();
    cart.tell(Do::Work(secs(5))).await.unwrap();
    settle().await;
    cart.tell(Do::Add(1)).await.unwrap();
    let sender = tokio::spawn(async move { cart.tell(Do::Add(1)).await.unwrap() });
    settle().await;
    assert!(!tree.health().is_healthy() && tree.health().is_up());
    sender.await.unwrap();
    tree.db.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    tree.db.terminated().await.unwrap();
    settle().await;
    assert!(!tree.health().is_up(), "{}", tree.health());
}

/// S42: senders that wait for room are a symptom.
#[tokio::test(start_paused = true)]
async fn blocked_senders_degrade() {
    let (tree, _) = shop().await;
    let cart = tree.cart.clone();
    cart.tell(Do::Work(secs(5))).await.unwrap();
    settle().await;
    cart.tell(Do::Add(1)).await.unwrap();
    let sender = tokio::spawn(async move { cart.tell(Do::Add(1)).await.unwrap() });
    settle().await;
    assert_eq!(tree.health().to_string(), "degraded: cart has 1 sender waiting for room");
    sender.await.unwrap();
    settle().await;
    assert!(tree.health().is_healthy());
}

/// S42: a child may have several symptoms, which stand one after the other.
#[tokio::test(start_paused = true)]
async fn a_child_may_have_two_symptoms() {
    supervisor! {
        struct Full(journal: Journal) {
            #[backoff(3s..30s, random_factor = 0)]
            #[mailbox(Bounded(1))]
            inbox: Probe = Probe::start("inbox", journal).await?,
            other: Probe = Probe::start("other", journal).await?,
        }
    }
    let tree = Full::start(Journal::default()).await.unwrap();
    tree.inbox.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.inbox.tell(Do::Hang).await.unwrap();
    let inbox = tree.inbox.clone();
    tokio::spawn(async move { inbox.tell(Do::Add(1)).await });
    settle().await;
    assert_eq!(tree.health().to_string(), "degraded: inbox is backing off; inbox has 1 sender waiting for room");
    assert_eq!(tree.health().symptoms().len(), 2);
}

/// S42, S23: an end against the lifecycle degrades the tree; an end that the lifecycle allows, or a requested stop,
/// does not.
#[tokio::test(start_paused = true)]
async fn an_end_against_the_lifecycle_degrades() {
    let (tree, _) = shop().await;
    tree.once.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.import.tell(Do::Stop).await.unwrap();
    tree.cart.stop();
    settle().await;
    assert!(tree.cart.ended().is_some() && tree.import.ended().is_some() && tree.once.ended().is_some());
    assert!(tree.health().is_healthy(), "{}", tree.health());
    tree.db.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    settle().await;
    let health = tree.health();
    let [symptom] = health.symptoms() else { panic!("{health}") };
    assert_eq!(symptom.path, "db");
    assert!(
        matches!(&symptom.reason, SymptomKind::Ended(Ended::Failed(failure)) if failure.error() == Some(&Boom::Fatal))
    );
}

/// S42: a failure that ends a `Transient` child is against its lifecycle too.
#[tokio::test(start_paused = true)]
async fn a_transient_child_that_failed_degrades() {
    let (tree, _) = shop().await;
    tree.import.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    settle().await;
    assert_eq!(tree.health().to_string(), "degraded: import has ended: failed while running: Fatal");
}

/// S42: a requested change is not a symptom: a child that goes down after a requested stop, or an instance that is
/// starting.
#[tokio::test(start_paused = true)]
async fn what_was_asked_for_is_no_symptom() {
    let (tree, journal) = shop().await;
    journal.plan("cart post_stop", 1, Fault::Slow(secs(1)));
    journal.plan("one pre_start", 1, Fault::Slow(secs(1)));
    tree.cart.stop();
    let spawn = tokio::spawn(tree.sessions.spawn("one".into()));
    settle().await;
    assert!(tree.snapshot().nodes().any(|node| !node.is_up()));
    assert!(tree.health().is_healthy(), "{}", tree.health());
    spawn.await.unwrap().unwrap();
}

/// S42: a tree that has ended is degraded, whatever the reason.
#[tokio::test(start_paused = true)]
async fn an_ended_tree_is_degraded() {
    let (tree, _) = shop().await;
    let handle = tree.handle();
    tree.shutdown().await;
    assert_eq!(handle.health().to_string(), "degraded: Shop has ended: stopped");
}
