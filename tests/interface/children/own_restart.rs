//! Spawns of a child that goes down together with the set into which it spawns: S25, S27.

use std::sync::Arc;
use std::time::Duration;

use supervise::error::{KeyedError, SpawnError};
use supervise::prelude::*;
use tokio::time::{Instant, sleep};

use crate::common::{ms, pass, secs, soon};

type Set = Keyed<u32, Guest, ()>;

struct Guest;

/// A restart that the guest asks for, and the set into which it spawns then.
struct Spawn {
    restart: Arc<dyn Fn() + Send + Sync>,
    set: Set,
    reply: Reply<(Vec<String>, Duration)>,
}

#[actor]
impl Guest {
    async fn handle(&mut self, Spawn { restart, set, reply }: Spawn) {
        restart();
        sleep(ms(10)).await;
        let begun = Instant::now();
        let mut said = Vec::new();
        let mut say = |result: Result<String, String>| said.push(result.unwrap_or_else(|error| error));
        let refused = |error: KeyedError<_>| match error {
            KeyedError::Spawn(SpawnError::Stopping { path }) => format!("{path} is stopping"),
            other => other.to_string(),
        };
        say(set.spawn(99).await.map(|guest| guest.path()).map_err(refused));
        say(set.replace(98).await.map(|guest| guest.path()).map_err(refused));
        say(set.get_or_spawn(97).await.map(|guest| guest.path()).map_err(|error| refused(error.into())));
        reply.send((said, begun.elapsed()));
    }

    #[post_stop]
    async fn leave(&mut self) {
        sleep(secs(1)).await;
    }
}

supervisor! {
    struct House {
        set: [u32 => Guest] = |_key: u32| Guest,
        sub: struct Wing {
            #![strategy(AllForOne)]
            first: Guest = Guest,
            inner: [u32 => Guest] = |_key: u32| Guest,
        },
    }
}

/// S25, S27: a spawn would wait for its own caller while the set cannot come up before that is down: an instance of the
/// set, or a child that restarts in one range with it. The spawn is refused at once. A caller elsewhere waits.
#[tokio::test(start_paused = true)]
async fn a_spawn_does_not_wait_for_its_own_caller() {
    let house = House::start().await.unwrap();
    let guest = house.set.spawn(1).await.unwrap();
    let ask = async |guest: &ActorRef<Guest>, restarts: TreeRef, set: &Set| {
        let restart = Arc::new(move || drop(restarts.restart().unwrap()));
        let asked = guest.ask(|reply| Spawn { restart, set: set.clone(), reply });
        let answer = soon(asked).await.unwrap();
        pass(secs(3)).await; // all is up again
        answer
    };
    let refused = |path: &str| (vec![format!("{path} is stopping"); 3], secs(0));
    let set = &house.set;
    assert_eq!(ask(&guest, set.tree(), set).await, refused("set"));
    let wing = &house.sub;
    assert_eq!(ask(&wing.first, (**wing).clone(), &wing.inner).await, refused("sub/inner"));
    soon(set.spawn(1)).await.unwrap();
    let (said, took) = ask(&wing.first, set.tree(), set).await;
    assert_eq!(said, ["set/99", "set/98", "set/97"]);
    assert_eq!(took, secs(1) - ms(10), "until the instance before is down");
    assert_eq!(set.len(), 3, "the set is open again");
}

/// S25, S27: a child that goes down with the set waits for no start of another caller either.
#[tokio::test(start_paused = true)]
async fn a_start_of_another_caller_is_not_waited_for_on_the_way_down() {
    let house = House::start().await.unwrap();
    let guest = house.set.spawn(1).await.unwrap();
    let set = house.set.clone();
    let (tree, others) = (set.tree(), house.set.clone());
    let restart = Arc::new(move || {
        drop(tree.restart().unwrap());
        for key in [97, 98, 99] {
            tokio::spawn(others.get_or_spawn(key)); // a caller elsewhere, which waits for the set
        }
    });
    let (said, took) = soon(guest.ask(|reply| Spawn { restart, set, reply })).await.unwrap();
    assert_eq!((said.len(), took), (3, secs(0)), "{said:?}");
    assert!(said.iter().skip(1).all(|said| said == "set is stopping"), "{said:?}");
    pass(secs(3)).await;
    assert_eq!(house.set.len(), 3, "the callers elsewhere have theirs");
}

/// S25, S27: a wait that was right as it began ends once the caller has to go down before the set comes up: the child
/// above restarts meanwhile. The second time is as the first.
#[tokio::test(start_paused = true)]
async fn a_wait_that_comes_to_be_for_its_own_caller_ends() {
    let house = House::start().await.unwrap();
    let wing = house.sub.clone();
    for _ in 0..2 {
        soon(wing.inner.get_or_spawn(1)).await.unwrap();
        let (tree, set) = (wing.inner.tree(), wing.inner.clone());
        let restart = Arc::new(move || drop(tree.restart().unwrap()));
        let first = wing.first.clone();
        let asked = tokio::spawn(async move { first.ask(|reply| Spawn { restart, set, reply }).await });
        pass(ms(500)).await; // the old instance takes a second, and the spawn waits for the set
        assert!(!asked.is_finished());
        drop(house.sub.restart().unwrap());
        let (said, took) = soon(asked).await.unwrap().unwrap();
        assert!(took <= secs(1), "{took:?}");
        assert_eq!(said, ["sub/inner is stopping"; 3]);
        pass(secs(5)).await;
        assert_eq!(wing.inner.len(), 0, "nothing of it came up later");
    }
}
