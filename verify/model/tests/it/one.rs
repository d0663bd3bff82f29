//! One child under OneForOne: concurrent stop, kill, failure and messages, in every phase.

use interleavings::{Do, Log, Probe, all, explore, go};
use supervise::prelude::*;

supervisor! {
    struct One(log: Log) {
        #![strategy(OneForOne, max_restarts = 20, within = 1min)]
        #![decider(_ => Restart)]
        a: Probe = Probe::start("a", log).await?,
    }

    struct Patient(log: Log) {
        #![strategy(OneForOne, max_restarts = 20, within = 1min)]
        #![decider(_ => Restart)]
        #[backoff(100ms..100ms, random_factor = 0)]
        a: Probe = Probe::start("a", log).await?,
    }

    /// Resume for a child without an instance.
    struct Resuming(log: Log) {
        #![strategy(OneForOne, max_restarts = 20, within = 1min)]
        #![decider(Phase::Restart => Resume, _ => Restart)]
        a: Probe = Probe::start("a", log).await?,
    }
}

/// S3, S5: an ask gets an answer or an error, whatever happens to the actor.
#[test]
fn every_ask_resolves() {
    explore(1200, || async {
        let log = Log::default();
        let tree = One::tree(log.clone()).seed(1).start().await.unwrap();
        let a = tree.a.clone();
        log.plan("a post_restart", 1);
        let (one, two, three, four) = (a.clone(), a.clone(), a.clone(), a.clone());
        let tasks = vec![
            go(async move { drop(one.ask(Do::Get).forever().await) }),
            go(async move { drop(two.ask(Do::Get).forever().await) }),
            go(async move { drop(three.tell(Do::Fail).await) }),
            go(async move { four.kill() }),
            go(async move { drop(tree.shutdown().await) }),
        ];
        all(tasks).await;
        log.check();
    });
}

/// S5: each message is handled, returned, or a counted dead letter.
#[test]
fn every_message_is_accounted_for() {
    explore(1200, || async {
        let log = Log::default();
        let tree = One::tree(log.clone()).seed(1).start().await.unwrap();
        let handle = tree.handle();
        let sender = |messages: Vec<Do>| {
            let (a, log) = (tree.a.clone(), log.clone());
            go(async move {
                for message in messages {
                    if a.tell(message).await.is_err() {
                        log.write("given back");
                    }
                }
            })
        };
        let mut tasks = vec![sender(vec![Do::Note, Do::Fail, Do::Note]), sender(vec![Do::Note, Do::Note])];
        let killed = tree.a.clone();
        tasks.push(go(async move { killed.kill() }));
        tasks.push(go(async move { drop(tree.shutdown().await) }));
        all(tasks).await;
        let dead = handle.dead_letters();
        let (handled, back) = (log.count("a message"), log.count("given back"));
        log.holds(
            u64::from(handled + back) + dead == 5,
            &format!("{handled} handled, {back} given back, {dead} dead letters of 5"),
        );
        log.check();
    });
}

/// S16: a stop wins in every phase of a restart, and no timer starts a stopped child again; S12: each instance whose
/// `pre_start` succeeded runs `post_stop` once.
#[test]
fn nothing_revives_a_stopped_child() {
    explore(1600, || async {
        let log = Log::default();
        let tree = One::tree(log.clone()).seed(1).start().await.unwrap();
        let a = tree.a.clone();
        log.plan("a pre_start", 1);
        log.plan("a post_restart", 1);
        let (fails, stops) = (a.clone(), a.clone());
        let tasks = vec![go(async move { drop(fails.tell(Do::Fail).await) }), go(async move { stops.stop() })];
        drop(a.ask(Do::Get).forever().await);
        all(tasks).await;
        a.terminated().await.unwrap();
        let starts = log.count("a start");
        // Remaining timers may fire now.
        tokio::time::sleep(std::time::Duration::from_millis(600)).await;
        log.holds(log.count("a start") == starts, "the child was started after its stop");
        log.holds(log.count("a lost its post_stop") == 0, "an instance lost its post_stop");
        drop(tree.shutdown().await);
        log.check();
    });
}

/// S16: a child that is stopped while it backs off is not started again, whatever its timer does.
#[test]
fn a_stop_takes_a_waiting_restart_away() {
    explore(600, || async {
        let log = Log::default();
        let tree = Patient::tree(log.clone()).seed(1).start().await.unwrap();
        let a = tree.a.clone();
        a.tell(Do::Fail).await.unwrap();
        while log.count("a post_stop") + log.count("a pre_restart") == 0 {
            tokio::task::yield_now().await;
        }
        a.stop();
        a.terminated().await.unwrap();
        let starts = log.count("a start");
        tokio::time::sleep(std::time::Duration::from_millis(600)).await;
        log.holds(log.count("a start") == starts, "the child was started after its stop");
        drop(tree.shutdown().await);
        log.check();
    });
}

/// S8: Resume of a child without an instance is a restart.
#[test]
fn what_has_no_instance_comes_up_when_it_is_resumed() {
    explore(600, || async {
        let log = Log::default();
        let tree = Resuming::tree(log.clone()).seed(1).start().await.unwrap();
        let a = tree.a.clone();
        log.plan("a start", 2);
        a.tell(Do::Fail).await.unwrap();
        let kills = tree.a.clone();
        let task = go(async move { kills.kill() });
        task.await.unwrap();
        while a.ask(Do::Get).forever().await.is_err() {
            log.holds(a.ended().is_none(), "the child ended");
            tokio::task::yield_now().await;
        }
        drop(tree.shutdown().await);
        log.check();
    });
}
