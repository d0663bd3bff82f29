//! A subtree below a failed or failing supervisor.

use interleavings::{Do, Log, Probe, all, explore, go};
use supervise::prelude::*;

/// Delays the grandparent's decision: actors below stay failed while everything else continues.
fn slowly(log: &Log, directive: Directive) -> Directive {
    log.write("grandparent begins");
    // Actors below are notified through their queues.
    (0..60).for_each(|_| shuttle::thread::yield_now());
    let before = log.count("a decided");
    (0..120).for_each(|_| shuttle::thread::yield_now());
    // One message may already have been under way.
    if log.count("a decided") > before + 1 {
        log.wrong("below a failure, decisions go on");
    }
    directive
}

fn counted(log: &Log) -> Directive {
    log.write("a decided");
    Directive::Restart
}

supervisor! {
    struct Resumes(log: Log) {
        #![strategy(OneForOne, max_restarts = 20, within = 1min)]
        #![decider(move |_: &Failure| slowly(&log, Directive::Resume))]
        sub: struct ResumesSub {
            #![strategy(OneForOne, max_restarts = 30, within = 1min)]
            #[decider(move |_: &Failure| counted(&log))]
            #[backoff(1ms..1ms, random_factor = 0)]
            a: Probe = Probe::start("a", log).await?,
            #[decider(_ => Escalate)]
            b: Probe = Probe::start("b", log).await?,
        },
    }

    struct Deep(log: Log) {
        #![strategy(OneForOne, max_restarts = 20, within = 1min)]
        #![decider(move |_: &Failure| slowly(&log, Directive::Resume))]
        sub: struct DeepSub {
            #![decider(_ => Escalate)]
            inner: struct Inner {
                #![strategy(OneForOne, max_restarts = Unlimited)]
                #[decider(move |_: &Failure| counted(&log))]
                #[backoff(1ms..1ms, random_factor = 0)]
                a: Probe = Probe::start("a", log).await?,
            },
            b: Probe = Probe::start("b", log).await?,
        },
    }

    struct Restarts(log: Log) {
        #![strategy(OneForOne, max_restarts = 20, within = 1min)]
        #![decider(move |_: &Failure| slowly(&log, Directive::Restart))]
        sub: struct RestartsSub {
            #![strategy(OneForOne, max_restarts = 30, within = 1min)]
            #[decider(move |_: &Failure| counted(&log))]
            #[backoff(1ms..1ms, random_factor = 0)]
            a: Probe = Probe::start("a", log).await?,
            #[decider(_ => Escalate)]
            b: Probe = Probe::start("b", log).await?,
        },
    }
}

async fn answers(log: &Log, probe: &ActorRef<Probe>) {
    while probe.ask(Do::Get).forever().await.is_err() {
        log.holds(probe.ended().is_none(), "the child ended");
        tokio::task::yield_now().await;
    }
}

/// S7: below a failure nothing new begins; S19: after the parent's Resume it continues.
#[test]
fn a_resumed_subtree_goes_on() {
    explore(700, || async {
        let log = Log::default();
        let tree = Resumes::tree(log.clone()).seed(1).start().await.unwrap();
        log.plan("a start", 6);
        let (one, two) = (tree.sub.a.clone(), tree.sub.b.clone());
        let tasks =
            vec![go(async move { drop(one.tell(Do::Fail).await) }), go(async move { drop(two.tell(Do::Fail).await) })];
        all(tasks).await;
        answers(&log, &tree.sub.a).await;
        answers(&log, &tree.sub.b).await;
        drop(tree.shutdown().await);
        log.check();
    });
}

/// S7: an ancestor's failure suspends all actors below it, supervisors too.
#[test]
fn below_a_failed_ancestor_nothing_begins() {
    explore(700, || async {
        let log = Log::default();
        let tree = Deep::tree(log.clone()).seed(1).start().await.unwrap();
        log.plan("a start", 12);
        let (one, two) = (tree.sub.inner.a.clone(), tree.sub.b.clone());
        let tasks =
            vec![go(async move { drop(one.tell(Do::Fail).await) }), go(async move { drop(two.tell(Do::Fail).await) })];
        all(tasks).await;
        answers(&log, &tree.sub.inner.a).await;
        answers(&log, &tree.sub.b).await;
        drop(tree.shutdown().await);
        log.check();
    });
}

/// S7, S19: the restart from above replaces the suspended failure; never two restarts of one child.
#[test]
fn a_restarted_subtree_starts_over() {
    explore(700, || async {
        let log = Log::default();
        let tree = Restarts::tree(log.clone()).seed(1).start().await.unwrap();
        log.plan("a start", 6);
        let (one, two) = (tree.sub.a.clone(), tree.sub.b.clone());
        let tasks =
            vec![go(async move { drop(one.tell(Do::Fail).await) }), go(async move { drop(two.tell(Do::Fail).await) })];
        all(tasks).await;
        answers(&log, &tree.sub.a).await;
        answers(&log, &tree.sub.b).await;
        drop(tree.shutdown().await);
        log.check();
    });
}
