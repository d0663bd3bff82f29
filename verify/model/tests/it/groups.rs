//! Groups: their members fail, are killed and stopped while the group moves.

use interleavings::{Do, Log, Probe, all, explore, go};
use supervise::prelude::*;

supervisor! {
    struct All(log: Log) {
        #![strategy(AllForOne, max_restarts = 30, within = 1min)]
        #![decider(_ => Restart)]
        a: Probe = Probe::start("a", log).await?,
        b: Probe = Probe::start("b", log).await?,
        c: Probe = Probe::start("c", log).await?,
    }

    struct Rest(log: Log) {
        #![strategy(RestForOne, max_restarts = 30, within = 1min)]
        #![decider(move |failure: &Failure| noted(&log, failure))]
        a: Probe = Probe::start("a", log).await?,
        b: Probe = Probe::start("b", log).await?,
        c: Probe = Probe::start("c", log).await?,
    }
}

const MEMBERS: [&str; 3] = ["a", "b", "c"];

fn noted(log: &Log, failure: &Failure) -> Directive {
    log.write(format!("{} decided", failure.path()));
    Directive::Restart
}

async fn answers(log: &Log, probe: &ActorRef<Probe>) {
    while probe.ask(Do::Get).forever().await.is_err() {
        log.holds(probe.ended().is_none(), "the child ended");
        tokio::task::yield_now().await;
    }
}

/// S17: down in reverse, up in order, never two instances of one child; S18: whatever fails on the way, all members are
/// up again.
#[test]
fn all_for_one_moves_in_order() {
    explore(1200, || async {
        let log = Log::default().ordered(&MEMBERS);
        let tree = All::tree(log.clone()).seed(1).start().await.unwrap();
        log.plan("b start", 1);
        log.plan("c pre_start", 1);
        let (one, two, three) = (tree.a.clone(), tree.c.clone(), tree.b.clone());
        let tasks = vec![
            go(async move { drop(one.tell(Do::Fail).await) }),
            go(async move { drop(two.tell(Do::Fail).await) }),
            go(async move { three.kill() }),
        ];
        all(tasks).await;
        for probe in [&tree.a, &tree.b, &tree.c] {
            answers(&log, probe).await;
        }
        drop(tree.shutdown().await);
        log.check();
    });
}

/// S18: a failed member before the range widens the range, which handles the failure.
#[test]
fn rest_for_one_comes_up_whichever_child_fails() {
    explore(1600, || async {
        let log = Log::default().ordered(&MEMBERS);
        let tree = Rest::tree(log.clone()).seed(1).start().await.unwrap();
        log.plan("c start", 1);
        let (one, two, three) = (tree.a.clone(), tree.b.clone(), tree.c.clone());
        let tasks = vec![
            go(async move { drop(one.tell(Do::Fail).await) }),
            go(async move { drop(two.tell(Do::Fail).await) }),
            go(async move { drop(three.tell(Do::Fail).await) }),
        ];
        all(tasks).await;
        for probe in [&tree.a, &tree.b, &tree.c] {
            answers(&log, probe).await;
        }
        for (name, failures) in [("a", 1), ("b", 1), ("c", 2)] {
            let decided = log.count(&format!("{name} decided"));
            log.holds(
                decided <= failures,
                &format!("{name} failed {failures} times and was decided on {decided} times"),
            );
        }
        drop(tree.shutdown().await);
        log.check();
    });
}

/// S16, S24: a shutdown wins over the restart of a group in every phase, and takes it down in reverse, but for those that
/// have failed.
#[test]
fn a_shutdown_wins_over_a_group_restart() {
    explore(1200, || async {
        let log = Log::default().ordered(&MEMBERS);
        let tree = Rest::tree(log.clone()).seed(1).start().await.unwrap();
        let (one, two, three) = (tree.a.clone(), tree.c.clone(), tree.b.clone());
        let begins = log.clone();
        let tasks = vec![
            go(async move { drop(one.tell(Do::Fail).await) }),
            go(async move { drop(two.tell(Do::Fail).await) }),
            go(async move { drop(three.ask(Do::Get).forever().await) }),
            go(async move {
                begins.stopping();
                drop(tree.shutdown().await);
            }),
        ];
        all(tasks).await;
        log.holds(
            MEMBERS.iter().all(|name| log.count(&format!("{name} lost its post_stop")) == 0),
            "an instance lost its post_stop",
        );
        log.check();
    });
}

/// S24: when a shutdown returns, every child has ended, and the report contains all of them.
#[test]
fn a_shutdown_waits_until_every_child_has_ended() {
    explore(800, || async {
        let log = Log::default();
        let tree = All::tree(log.clone()).seed(1).start().await.unwrap();
        let handle = tree.handle();
        let (one, two) = (tree.a.clone(), tree.b.clone());
        let tasks = vec![go(async move { drop(one.tell(Do::Fail).await) }), go(async move { two.stop() })];
        let report = tree.shutdown().await;
        let paths: Vec<&str> = report.children.iter().map(|child| &*child.path).collect();
        log.holds(paths.len() == 3 && MEMBERS.iter().all(|name| paths.contains(name)), &format!("report of {paths:?}"));
        for probe in [&handle.a, &handle.b, &handle.c] {
            log.holds(probe.ended().is_some(), &format!("{} has not ended", probe.path()));
        }
        all(tasks).await;
        log.check();
    });
}
