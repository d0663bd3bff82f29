//! Actors that change their supervisor while they fail and both supervisors end.

use interleavings::{Do, Log, Probe, all, explore, go};
use supervise::prelude::*;

supervisor! {
    struct Two(log: Log) {
        #![strategy(OneForOne, max_restarts = 20, within = 1min)]
        #![decider(_ => Restart)]
        a: Probe = Probe::start("a", log.clone()).await?,
        b: Probe = Probe::start("b", log).await?,
    }
}

/// S38: a child that is unlinked and linked elsewhere meanwhile has one supervisor at any time, and ends once.
#[test]
fn a_child_that_moves_is_never_lost() {
    explore(1200, || async {
        let log = Log::default();
        let tree = Two::tree(log.clone()).seed(1).start().await.unwrap();
        let kid = tree.a.ask(|reply| Do::Spawn("kid", reply)).forever().await.unwrap().unwrap();
        let (a, b, one, two) = (tree.a.clone(), tree.b.clone(), kid.clone(), kid.clone());
        let (fails, ends) = (kid.clone(), tree.a.clone());
        let tasks = vec![
            go(async move { drop(a.tell(Do::Unlink(one)).await) }),
            go(async move { drop(b.tell(Do::Link(two)).await) }),
            go(async move { drop(fails.tell(Do::Fail).await) }),
            go(async move { drop(ends.tell(Do::Fail).await) }),
        ];
        all(tasks).await;
        // With either supervisor, the child serves, or has ended with its parent's restart.
        drop(kid.ask(Do::Get).forever().await);
        drop(tree.shutdown().await);
        // Without a supervisor, the child still exists.
        kid.stop();
        kid.terminated().await.unwrap();
        log.check();
    });
}

/// S38: two actors that link each other do not both succeed.
#[test]
fn no_cell_is_above_itself() {
    explore(1200, || async {
        let log = Log::default();
        let top = |name: &'static str| {
            let log = log.clone();
            supervise::spawn(child! { name: Probe = Probe::start(name, log).await? })
        };
        let (one, two) = (top("one").await.unwrap(), top("two").await.unwrap());
        let (a, b, c, d) = (one.clone(), two.clone(), one.clone(), two.clone());
        let tasks = vec![
            go(async move { drop(a.tell(Do::Link(b)).await) }),
            go(async move { drop(d.tell(Do::Link(c)).await) }),
        ];
        all(tasks).await;
        let linked = |name| log.count(&format!("{name} linked"));
        for one in [&one, &two] {
            drop(one.ask(Do::Get).forever().await); // after the link
        }
        log.holds(linked("one") + linked("two") < 2, "each actor is above the other");
        for one in [&one, &two] {
            one.stop();
            one.terminated().await.unwrap();
        }
        log.check();
    });
}
