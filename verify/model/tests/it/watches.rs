//! Watches and children at run time, while the watcher and the watched fail and end.

use interleavings::{Do, Log, Probe, all, explore, go};
use supervise::prelude::*;

supervisor! {
    struct House(log: Log) {
        #![strategy(OneForOne, max_restarts = 20, within = 1min)]
        #![decider(_ => Restart)]
        w: Probe = Probe::start("w", log).await?,
        a: Probe = Probe::start("a", log).await?,
    }

    struct Rooms(log: Log) {
        #![strategy(OneForOne, max_restarts = 20, within = 1min)]
        #![decider(_ => Restart)]
        rooms: [Probe] = |name: &'static str| Probe::start(name, log).await?,
    }
}

/// S37: exactly one notice, over restarts of both, also if the watched actor has ended before.
#[test]
fn each_watch_is_notified_once() {
    explore(1200, || async {
        let log = Log::default();
        let tree = House::tree(log.clone()).seed(1).start().await.unwrap();
        let (one, two, three, four) = (tree.w.clone(), tree.w.clone(), tree.a.clone(), tree.a.clone());
        let (a, hears) = (tree.a.clone(), log.clone());
        let tasks = vec![
            go(async move { drop(one.tell(Do::Watch(a)).await) }),
            go(async move { drop(two.tell(Do::Fail).await) }),
            go(async move { drop(three.tell(Do::Fail).await) }),
            go(async move { four.stop() }),
            {
                let a = tree.a.clone();
                go(async move {
                    a.terminated().await.unwrap();
                    hears.write("outside hears a");
                })
            },
        ];
        all(tasks).await;
        // Once the first ask is answered, the actor watches; the second is queued after the notice.
        for _ in 0..2 {
            while tree.w.ask(Do::Get).forever().await.is_err() {
                tokio::task::yield_now().await;
            }
        }
        log.holds(log.count("w hears a") == 1, "the watcher did not get exactly one notice");
        log.holds(log.count("outside hears a") == 1, "the wait from outside did not end exactly once");
        drop(tree.shutdown().await);
        log.check();
    });
}

/// S38: a spawn gets an answer, and no child is left over, whatever happens to the parent.
#[test]
fn spawned_children_end_with_their_parent() {
    explore(800, || async {
        let log = Log::default();
        let tree = House::tree(log.clone()).seed(1).start().await.unwrap();
        let (one, two, three) = (tree.w.clone(), tree.w.clone(), tree.w.clone());
        let tasks = vec![
            go(async move {
                if let Ok(Some(kid)) = one.ask(|reply| Do::Spawn("kid", reply)).forever().await {
                    drop(kid.ask(Do::Get).forever().await);
                    drop(kid.tell(Do::Fail).await);
                    kid.terminated().await.unwrap();
                }
            }),
            go(async move { drop(two.tell(Do::Fail).await) }),
            go(async move { three.kill() }),
            go(async move { drop(tree.shutdown().await) }),
        ];
        all(tasks).await;
        log.check();
    });
}

/// S27: every spawn of a set resolves, and every instance that came up goes down with the set.
#[test]
fn spawns_of_a_set_race_with_its_end() {
    explore(800, || async {
        let log = Log::default();
        let tree = Rooms::tree(log.clone()).seed(1).start().await.unwrap();
        log.plan("first start", 1);
        let rooms = |name: &'static str| {
            let rooms = tree.rooms.clone();
            go(async move {
                if let Ok(room) = rooms.spawn(name).await {
                    drop(room.tell(Do::Fail).await);
                    drop(room.ask(Do::Get).forever().await);
                    room.stop();
                    room.terminated().await.unwrap();
                }
            })
        };
        let mut tasks = vec![rooms("first"), rooms("second")];
        tasks.push(go(async move { drop(tree.shutdown().await) }));
        all(tasks).await;
        log.check();
    });
}
