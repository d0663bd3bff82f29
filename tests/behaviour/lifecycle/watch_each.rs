//! The watch of all instances of a set: S37.

use std::sync::{Arc, Mutex};

use supervise::prelude::*;

use crate::common::{Do, Journal, Probe, settle, soon};

type Heard = Arc<Mutex<Vec<String>>>;

struct Porter {
    rooms: Keyed<u32, Probe, ()>,
    guests: Children<Probe, (&'static str,)>,
    heard: Heard,
}

enum Say {
    Fail,
    Unwatch,
    /// Blocks the handler until the sender is dropped.
    Block(tokio::sync::oneshot::Receiver<()>),
    /// Spawns again for each key that is free.
    Again(Reply<bool>),
}

#[actor]
impl Porter {
    #[pre_start]
    fn begin(&mut self, cx: &mut Context<Self>) {
        if cx.incarnation() == 1 {
            cx.watch_each(&self.rooms);
            cx.watch_each(&self.guests);
            cx.watch_each(&self.guests); // changes nothing
        }
    }

    #[terminated]
    fn over(&mut self, who: &Watched, ended: &Ended) {
        let key = who.key::<u32>().map_or("none".to_owned(), u32::to_string);
        assert!(who.key::<String>().is_none());
        self.heard.lock().unwrap().push(format!("{} key {key} {ended}", who.path()));
    }

    async fn handle(&mut self, say: Say, cx: &mut Context<Self>) -> Result<(), std::fmt::Error> {
        match say {
            Say::Fail => return Err(std::fmt::Error),
            Say::Unwatch => {
                cx.unwatch_each(&self.rooms);
                cx.unwatch_each(&self.guests);
            }
            Say::Block(until) => drop(until.await),
            Say::Again(reply) => reply.send(self.rooms.spawn(1).await.is_ok()),
        }
        Ok(())
    }
}

supervisor! {
    struct House(journal: Journal, heard: Heard) {
        rooms: [u32 => Probe] = |_key: u32| Probe::start("room", journal).await?,
        guests: [Probe] = |name: &'static str| Probe::start(name, journal).await?,
        porter: Porter = Porter { rooms, guests, heard },
    }
}

impl House {
    fn heard(heard: &Heard) -> Vec<String> {
        std::mem::take(&mut heard.lock().unwrap())
    }
}

/// S37: one notice for each instance that ends from now on, with its key; restarts are invisible, and the watch is kept
/// over restarts of the watcher and of the set.
#[tokio::test(start_paused = true)]
async fn each_end_is_told_once() {
    let heard = Heard::default();
    let house = House::start(Journal::default(), heard.clone()).await.unwrap();
    let (one, two) = (house.rooms.spawn(1).await.unwrap(), house.rooms.spawn(2).await.unwrap());
    let guest = house.guests.spawn("guest").await.unwrap();
    one.restart().unwrap().await.unwrap();
    settle().await;
    assert!(House::heard(&heard).is_empty());
    one.stop();
    settle().await;
    assert_eq!(House::heard(&heard), ["rooms/1 key 1 stopped"]);
    assert!(house.porter.ask(Say::Again).await.unwrap(), "the key is free when the notice comes");
    guest.tell(Do::Stop).await.unwrap();
    settle().await;
    assert_eq!(House::heard(&heard), ["guests/#1 key none done"]);

    house.porter.tell(Say::Fail).await.unwrap();
    settle().await;
    assert_eq!(house.porter.incarnation(), 2);
    two.stop();
    settle().await;
    assert_eq!(House::heard(&heard), ["rooms/2 key 2 stopped"]);
    let replaced = house.rooms.replace(1).await.unwrap();
    settle().await;
    assert_eq!(House::heard(&heard), ["rooms/1 key 1 stopped"]);
    house.rooms.tree().restart().unwrap().await.unwrap();
    settle().await;
    assert_eq!(House::heard(&heard), ["rooms/1 key 1 stopped"]);
    assert!(!replaced.is_alive());
    house.rooms.spawn(3).await.unwrap().shutdown().await.unwrap();
    settle().await;
    assert_eq!(House::heard(&heard), ["rooms/3 key 3 stopped"]);
}

/// S37: the watch ends by `unwatch_each`, with notices that are queued, and with the life of the watcher.
#[tokio::test(start_paused = true)]
async fn the_watch_of_a_set_ends() {
    let heard = Heard::default();
    let house = House::start(Journal::default(), heard.clone()).await.unwrap();
    let one = house.rooms.spawn(1).await.unwrap();
    house.porter.try_tell(Say::Unwatch).ok().unwrap();
    house.guests.spawn("guest").await.unwrap().shutdown().await.unwrap();
    one.shutdown().await.unwrap();
    settle().await;
    assert!(House::heard(&heard).is_empty());

    let house = House::start(Journal::default(), heard.clone()).await.unwrap();
    soon(house.porter.shutdown()).await.unwrap();
    house.porter.start_again().unwrap().await.unwrap();
    house.rooms.spawn(1).await.unwrap().shutdown().await.unwrap();
    settle().await;
    assert!(House::heard(&heard).is_empty(), "the new life begins without any watch");
}

/// S37: a watcher that drains gets no notice of an instance any more.
#[tokio::test(start_paused = true)]
async fn one_that_drains_hears_of_no_instance() {
    let heard = Heard::default();
    let house = House::start(Journal::default(), heard.clone()).await.unwrap();
    let (one, guest) = (house.rooms.spawn(1).await.unwrap(), house.guests.spawn("guest").await.unwrap());
    let (go, until) = tokio::sync::oneshot::channel();
    house.porter.try_tell(Say::Block(until)).ok().unwrap();
    settle().await;
    house.porter.drain();
    settle().await;
    one.shutdown().await.unwrap();
    guest.shutdown().await.unwrap();
    drop(go);
    soon(house.porter.terminated()).await.unwrap();
    assert_eq!(House::heard(&heard), [""; 0]);
}

/// S37: of many instances that end on several threads, each leads to one notice.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_ends_on_several_threads() {
    let heard = Heard::default();
    let house = House::start(Journal::default(), heard.clone()).await.unwrap();
    for key in 0..2000 {
        house.rooms.spawn(key).await.unwrap();
    }
    house.rooms.stop_all();
    for _ in 0..1000 {
        if heard.lock().unwrap().len() == 2000 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let mut told = House::heard(&heard);
    told.sort();
    told.dedup();
    assert_eq!(told.len(), 2000);
}
