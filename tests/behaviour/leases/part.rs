//! `#[only_with]`: a part of a tree.

use supervise::lease::Leased;
use supervise::testing::{Fault, Inject, LeaseFault, MemoryLease, Record, advance, settle};

use super::*;

supervisor! {
    struct Jobs(log: Log, times: Times, fails: bool) {
        #![strategy(OneForOne, max_restarts = 2)]
        slow: Slow = Slow::open(times, fails).await?,
        acting: task = act(log, tree.lease_token()),
    }
    struct Service(log: Log, lease: MemoryLease, times: Times, fails: bool) {
        before: Slow = Slow::start(Times::default()).await,
        #[only_with(lease)]
        #[limit(max_restarts = 1)]
        jobs: Jobs = Jobs::tree(log, times, fails),
        after: Slow = Slow::start(Times::default()).await,
    }
}

impl Slow {
    async fn open(times: Times, fails: bool) -> Result<Slow, &'static str> {
        if fails { Err("no database") } else { Ok(Slow::start(times).await) }
    }
}

fn lease() -> MemoryLease {
    MemoryLease::new("jobs")
}

fn service(log: &Log, lease: &MemoryLease) -> Tree<Service> {
    Service::tree(log.clone(), lease.clone(), Times::default(), false)
}

/// S55: of two replicas one has the subtree. The tree around it is up and healthy in both, and once the first has stopped
/// the second one has it.
#[tokio::test(start_paused = true)]
async fn one_of_several_replicas_has_the_subtree() {
    let (log, lease) = (Log::default(), lease());
    let one = service(&log, &lease).start().await.unwrap();
    let jobs: Jobs = one.jobs.held().await.unwrap();
    assert_eq!(jobs.slow.ask(|reply| reply).await.unwrap(), Some(1), "the actor knows its token");
    assert_eq!((one.jobs.path(), format!("{:?}", one.jobs)), ("jobs".to_owned(), "Leased(jobs)".to_owned()));
    let two = service(&log, &lease.contender()).start().await.unwrap();
    advance(secs(100.0)).await;
    for (one, here) in [(&one, true), (&two, false)] {
        assert!(one.ready().await && one.health().is_healthy());
        assert_eq!((one.jobs.here().is_some(), one.jobs.lease_token()), (here, here.then_some(1)));
        assert_eq!(one.after.ask(|reply| reply).await.unwrap(), None, "it is not under the lease");
    }
    assert_eq!(log.tokens(), [1]);
    assert!(one.shutdown().await.is_orderly());
    assert!(two.jobs.held().await.is_some());
    assert_eq!(two.jobs.lease_token(), Some(2));
    settle().await;
    assert_eq!(log.tokens(), [1, 2]);
    let refused = jobs.slow.ask(|reply| reply).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "jobs/#1/slow did not accept the message: the actor has stopped or is stopping",
        "a handle belongs to one holding"
    );
}

/// S55: losing the lease takes the subtree down in order, within the time that is left of it. That is no failure: nothing
/// is charged, and the tree around it goes on. The subtree is back with the next holding.
#[tokio::test(start_paused = true)]
async fn losing_the_lease_is_no_failure() {
    let (log, lease) = (Log::default(), lease());
    let mut one = Service::tree(log.clone(), lease.clone(), Times { stop: secs(3.0), ..Times::default() }, false);
    let mut record = Record::of(one.events());
    let one = one.start().await.unwrap();
    let leased: Leased<Jobs> = one.jobs.clone();
    leased.held().await.unwrap();
    for token in [1, 2, 3] {
        settle().await;
        record.lines();
        lease.set_fault(LeaseFault::Cut);
        advance(secs(14.0)).await;
        let lines = record.lines();
        assert_eq!(lines.iter().filter(|line| line.starts_with("jobs lease lost")).count(), 1, "{lines:?}");
        assert!(lines.iter().all(|line| !line.ends_with("failed") || line.contains("lease")), "{lines:?}");
        assert!(lines.contains(&format!("jobs/#{token} ended Stopped")), "{lines:?}");
        assert!(leased.here().is_none() && log.quiet() > secs(3.0));
        lease.set_fault(LeaseFault::None);
        advance(secs(15.0)).await;
        assert!(leased.here().is_some());
    }
    assert_eq!(log.tokens(), [1, 2, 3, 4]);
    assert!(one.health().is_healthy());
}

/// S55: a failure in the subtree is decided there, as in any. If the subtree ends with it, the lease goes to another
/// replica, and this one asks again after the time of the lease.
#[tokio::test(start_paused = true)]
async fn a_subtree_that_fails_leaves_the_lease_to_another_one() {
    let (log, lease) = (Log::default(), lease());
    let one = service(&log, &lease).start().await.unwrap();
    let jobs = one.jobs.held().await.unwrap();
    jobs.slow.inject(Fault::panic("a bug"));
    settle().await;
    assert_eq!((jobs.slow.incarnation(), one.jobs.lease_token()), (2, Some(1)), "restarted under the same holding");
    let two = service(&log, &lease.contender()).start().await.unwrap();
    for _ in 0..20 {
        jobs.slow.inject(Fault::panic("a bug"));
        advance(secs(0.2)).await;
    }
    advance(secs(6.0)).await;
    assert!(one.jobs.here().is_none() && one.is_alive());
    assert_eq!(two.jobs.lease_token(), Some(2));
    two.shutdown().await;
    advance(secs(16.0)).await;
    assert_eq!(one.jobs.lease_token(), Some(3));

    let broken = Service::tree(log.clone(), self::lease(), Times::default(), true).start().await.unwrap();
    advance(secs(100.0)).await;
    assert!(broken.jobs.here().is_none() && broken.is_alive(), "its first start has failed");
}

/// S55: a stop of the subtree is for good, and gives the lease back. A restart of its place asks for a new holding.
#[tokio::test(start_paused = true)]
async fn a_subtree_may_be_stopped_and_restarted() {
    let (log, lease) = (Log::default(), lease());
    let one = service(&log, &lease).start().await.unwrap();
    one.jobs.held().await.unwrap().stop();
    advance(secs(100.0)).await;
    assert_eq!((one.jobs.here().is_some(), lease.holder()), (false, None));
    one.jobs.tree().restart().unwrap().await.unwrap();
    one.jobs.held().await.unwrap();
    assert_eq!(one.jobs.lease_token(), Some(2));
    one.jobs.tree().restart().unwrap().await.unwrap();
    advance(secs(10.0)).await;
    assert_eq!((one.jobs.lease_token(), lease.holder()), (Some(3), Some(3)));
    one.jobs.tree().stop();
    settle().await;
    assert!(one.jobs.held().await.is_none(), "its place has ended");
    settle().await;
    assert_eq!(lease.holder(), None);
}

/// S55: while the subtree waits for its lease, a stop of the tree around it needs no answer of the lease.
#[tokio::test(start_paused = true)]
async fn a_tree_stops_while_its_subtree_waits() {
    let (log, lease) = (Log::default(), lease());
    lease.set_fault(LeaseFault::Hang);
    let one = service(&log, &lease).start().await.unwrap();
    advance(secs(1.0)).await;
    let before = Instant::now();
    assert!(one.shutdown().await.is_orderly());
    assert_eq!(before.elapsed(), Duration::ZERO);
    assert_eq!(log.len(), 0);
}

supervisor! {
    struct Tries(lease: OneCall, fails: bool) {
        before: Slow = Slow::start(Times::default()).await,
        #[only_with(lease)]
        #[limit(max_restarts = 0)]
        part: Try = Try::tree(fails),
    }
    struct Try(fails: bool) {
        #![strategy(OneForOne, max_restarts = 0)]
        slow: Slow = Slow::open(Times::default(), fails).await?,
    }
}

/// S55: a subtree that ends with a failure asks again after the whole time of the lease, each time: after a first start
/// that failed, and after a used-up budget. So a subtree that stands by has asked three times before.
#[tokio::test(start_paused = true)]
async fn a_subtree_that_fails_asks_again_after_the_whole_time() {
    let asked = |lease: &OneCall| -> Vec<u64> {
        let calls = lease.calls.lock().unwrap();
        calls.begun.iter().filter(|(name, _)| *name == "acquire").map(|(_, at)| at.as_secs()).collect()
    };
    let lease = OneCall::of(MemoryLease::new("jobs"));
    let _broken = Tries::start(lease.clone(), true).await.unwrap();
    advance(secs(46.0)).await;
    assert_eq!(asked(&lease), [0, 15, 30, 45], "its first start fails");

    let lease = OneCall::of(MemoryLease::new("jobs").ttl(secs(60.0)));
    let tries = Tries::start(lease.clone(), false).await.unwrap();
    for _ in 0..2 {
        tries.part.held().await.unwrap().slow.inject(Fault::panic("planned panic"));
        advance(secs(59.0)).await;
        assert!(tries.part.here().is_none(), "it has failed");
        advance(secs(1.5)).await;
        assert!(tries.part.here().is_some());
    }
    assert_eq!(asked(&lease), [0, 60, 120]);
}
