//! A set with keys: concurrent spawns, waits and stops of one key.

use interleavings::{Do, Log, Probe, all, explore, go};
use supervise::prelude::*;

supervisor! {
    struct Rooms(log: Log) {
        #![strategy(OneForOne, max_restarts = 20, within = 1min)]
        #![decider(_ => Restart)]
        // One name for all keys, so that two instances at once are reported.
        rooms: [u32 => Probe] = |_key: u32| Probe::start("room", log).await?,
    }
}

/// S27: however many callers ask for one key, at most one instance lives, and each caller gets one, even if another
/// caller stops it meanwhile.
#[test]
fn a_key_has_at_most_one_instance() {
    explore(1200, || async {
        let log = Log::default();
        let tree = Rooms::tree(log.clone()).seed(1).start().await.unwrap();
        log.plan("room start", 1);
        let asks = |times: u32| {
            let (rooms, heard) = (tree.rooms.clone(), log.clone());
            go(async move {
                for _ in 0..times {
                    match rooms.get_or_spawn(1).await {
                        Ok(room) => drop(room.ask(Do::Get).forever().await),
                        Err(error) => heard.wrong(error.to_string()),
                    }
                }
            })
        };
        let mut tasks = vec![asks(2), asks(1)];
        let rooms = tree.rooms.clone();
        tasks.push(go(async move {
            if let Ok(room) = rooms.spawn(1).await {
                drop(room.tell(Do::Fail).await);
            }
            rooms.stop(&1);
        }));
        all(tasks).await;
        drop(tree.shutdown().await);
        log.check();
    });
}

/// S27: a start belongs to all callers that wait for it; when the last of them has given up, the start is cancelled,
/// and the key is free.
#[test]
fn a_caller_that_gives_up_leaves_the_others_their_start() {
    explore(1200, || async {
        let log = Log::default();
        let tree = Rooms::tree(log.clone()).seed(1).start().await.unwrap();
        let (stays, leaves) = (tree.rooms.clone(), tree.rooms.clone());
        let heard = log.clone();
        let tasks = vec![
            go(async move {
                if stays.get_or_spawn(1).await.is_ok() {
                    heard.write("has it");
                }
            }),
            go(async move {
                let mut asked = Box::pin(leaves.get_or_spawn(1));
                for _ in 0..2 {
                    let once = std::future::poll_fn(|cx| std::task::Poll::Ready(asked.as_mut().poll(cx).is_ready()));
                    if once.await {
                        return;
                    }
                    tokio::task::yield_now().await;
                }
            }),
        ];
        all(tasks).await;
        log.holds(log.count("has it") == 1, "the remaining caller got no instance");
        // The key is available, whatever happened before.
        tree.rooms.stop(&1);
        log.holds(tree.rooms.get_or_spawn(1).await.is_ok(), "the key is not free");
        drop(tree.shutdown().await);
        log.check();
    });
}

/// S27: replacements of one key take turns. At most one instance lives, each caller gets an instance or hears that a
/// later caller has replaced it, and a caller that gives up does not hold up the others.
#[test]
fn replacements_of_one_key_take_turns() {
    explore(600, || async {
        let log = Log::default();
        let tree = Rooms::tree(log.clone()).seed(1).start().await.unwrap();
        log.plan("room start", 1);
        let mut tasks = Vec::new();
        for _ in 0..3 {
            let (rooms, heard) = (tree.rooms.clone(), log.clone());
            tasks.push(go(async move {
                match rooms.replace(1).await {
                    Ok(room) => drop(room.ask(Do::Get).forever().await),
                    Err(error) => heard.wrong(error.to_string()),
                }
            }));
        }
        let leaves = tree.rooms.clone();
        tasks.push(go(async move {
            let mut asked = Box::pin(leaves.replace(1));
            let once = std::future::poll_fn(|cx| std::task::Poll::Ready(asked.as_mut().poll(cx).is_ready()));
            if !once.await {
                tokio::task::yield_now().await;
            }
        }));
        all(tasks).await;
        log.holds(tree.rooms.get_or_spawn(1).await.is_ok(), "the key is not free");
        drop(tree.shutdown().await);
        log.check();
    });
}
