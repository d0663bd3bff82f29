//! One mailbox, one task, one handle: S1 and S2.

use std::sync::{Arc, Mutex};

use supervise::error::SendRejection;
use supervise::prelude::*;

use crate::common::{Boom, Do, Journal, Probe, pass, secs, settle};

supervisor! {
    struct One(journal: Journal) {
        probe: Probe = Probe::start("probe", journal).await?,
    }
}

// ----- S1

/// S1: messages are handled one at a time, and those of each sender in the order in which it sent them.
#[tokio::test(start_paused = true)]
async fn messages_are_handled_one_at_a_time_in_the_order_each_sender_sent_them() {
    struct List(Vec<(u8, u32)>, bool);
    enum Entry {
        Put(u8, u32),
        All(Reply<Vec<(u8, u32)>>),
    }
    #[actor]
    impl List {
        async fn handle(&mut self, entry: Entry) {
            assert!(!std::mem::replace(&mut self.1, true), "two messages were handled at the same time");
            tokio::task::yield_now().await;
            match entry {
                Entry::Put(sender, number) => self.0.push((sender, number)),
                Entry::All(reply) => reply.send(self.0.clone()),
            }
            self.1 = false;
        }
    }
    supervisor! {
        struct Lists {
            #[mailbox(Bounded(4))]
            list: List = List(Vec::new(), false),
        }
    }
    let lists = Lists::start().await.unwrap();
    let senders: Vec<_> = (0..3)
        .map(|sender| {
            let list = lists.list.clone();
            tokio::spawn(async move {
                for number in 0..100 {
                    list.tell(Entry::Put(sender, number)).await.unwrap_or_else(|_| panic!("refused"));
                }
            })
        })
        .collect();
    for sender in senders {
        sender.await.unwrap();
    }
    let all = lists.list.ask(Entry::All).await.unwrap();
    assert_eq!(all.len(), 300);
    for sender in 0..3 {
        let numbers = all.iter().filter(|(from, _)| *from == sender).map(|(_, number)| *number);
        assert!(numbers.eq(0..100), "the order of sender {sender}");
    }
    assert!(!all.is_sorted(), "the senders should take turns, otherwise the test shows nothing");
}

/// The tokio task id of each part of an actor.
#[derive(Clone, Default)]
struct Places(Arc<Mutex<Vec<(&'static str, tokio::task::Id)>>>);

impl Places {
    fn here(&self, part: &'static str) {
        self.0.lock().unwrap().push((part, tokio::task::id()));
    }
}

struct Placed(Places);

#[actor]
impl Placed {
    fn new(places: Places) -> Self {
        places.here("start");
        Placed(places)
    }
    fn handle(&mut self, fail: bool) -> Result<(), Boom> {
        self.0.here("handle");
        if fail { Err(Boom::Told) } else { Ok(()) }
    }
    #[pre_start]
    fn began(&mut self) {
        self.0.here("pre_start");
    }
    #[pre_restart]
    fn flush(&mut self) {
        self.0.here("pre_restart");
    }
    #[post_restart]
    fn reload(&mut self) {
        self.0.here("post_restart");
    }
    #[post_stop]
    fn stopped(&mut self) {
        self.0.here("post_stop");
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        self.0.here("drop");
    }
}

/// S1, S4: a restart reuses the task; user code, including the decider, runs only in the task of its own actor.
#[tokio::test(start_paused = true)]
async fn all_user_code_of_an_actor_runs_in_one_task_over_restarts() {
    supervisor! {
        struct Two(places: Places, others: Places) {
            #![decider(move |_| { places.here("decide"); Directive::Restart })]
            one: Placed = Placed::new(places),
            other: Placed = Placed::new(others),
        }
    }
    let (places, others) = (Places::default(), Places::default());
    let two = Two::start(places.clone(), others.clone()).await.unwrap();
    two.one.tell(true).await.unwrap();
    two.one.tell(false).await.unwrap();
    settle().await;
    two.shutdown().await;
    let (places, others) = (places.0.lock().unwrap().clone(), others.0.lock().unwrap().clone());
    let parts: Vec<_> = places.iter().map(|(part, _)| *part).collect();
    assert_eq!(
        parts,
        [
            "start",
            "pre_start",
            "handle",
            "decide",
            "pre_restart",
            "post_stop",
            "drop",
            "start",
            "pre_start",
            "post_restart",
            "handle",
            "post_stop",
            "drop"
        ]
    );
    assert!(places.iter().all(|(_, task)| *task == places[0].1), "{places:?}");
    assert!(others.iter().all(|(_, task)| *task != places[0].1), "siblings run in separate tasks");
    assert_ne!(places[0].1, tokio::task::try_id().unwrap_or(others[0].1));
}

// ----- S2

/// S2: the handle stays valid over a restart, and the queued messages stay in the mailbox.
#[tokio::test(start_paused = true)]
async fn a_handle_and_the_queued_messages_survive_a_restart() {
    let journal = Journal::default();
    let one = One::start(journal.clone()).await.unwrap();
    one.probe.tell(Do::Add(1)).await.unwrap();
    one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    one.probe.tell(Do::Add(2)).await.unwrap();
    assert_eq!(
        one.probe.ask(Do::Get).await.unwrap(),
        2,
        "the state is fresh, and the message after the failure is handled"
    );
    assert_eq!(one.probe.incarnation(), 2);
    settle().await;
    assert_eq!(
        journal.take(),
        [
            "probe start",
            "probe pre_start",
            "probe pre_restart",
            "probe post_stop",
            "probe drop",
            "probe start",
            "probe pre_start",
            "probe post_restart"
        ]
    );
}

/// S2: a handle is two pointers, is `Send + Sync`, and keeps nothing alive.
#[tokio::test(start_paused = true)]
async fn a_handle_is_two_pointers_and_keeps_nothing_alive() {
    fn anywhere<T: Clone + Send + Sync + 'static>(_: &T) {}
    let journal = Journal::default();
    let one = One::start(journal.clone()).await.unwrap();
    let probe = one.probe.clone();
    anywhere(&probe);
    assert_eq!(size_of_val(&probe), 2 * size_of::<usize>());
    assert_eq!(probe, one.probe);
    one.shutdown().await;
    assert_eq!(journal.take(), ["probe start", "probe pre_start", "probe post_stop", "probe drop"]);
    let refused = probe.tell(Do::Add(3)).await.unwrap_err();
    assert_eq!((refused.reason(), refused.path()), (SendRejection::Ended, "probe"));
    assert!(matches!(refused.into_message(), Do::Add(3)), "the message comes back");
    assert!(matches!(probe.ended(), Some(Ended::Stopped)));
}

/// S2: an actor without any handle continues to run.
#[tokio::test(start_paused = true)]
async fn an_actor_lives_on_when_its_handles_are_dropped() {
    let journal = Journal::default();
    let one = One::start(journal.clone()).await.unwrap();
    one.probe.tell(Do::Work(secs(1))).await.unwrap();
    one.probe.tell(Do::Note("after it")).await.unwrap();
    drop(one.detach());
    pass(secs(2)).await;
    assert_eq!(journal.take()[2..], ["probe works", "probe worked", "probe after it"]);
}

/// S2: restarts are invisible to a caller that waits for the end, and an old handle still stops the actor.
#[tokio::test(start_paused = true)]
async fn watch_and_stop_hold_over_restarts() {
    let journal = Journal::default();
    let one = One::start(journal.clone()).await.unwrap();
    let (old, waits) = (one.probe.clone(), tokio::spawn(one.probe.terminated()));
    for _ in 0..3 {
        one.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    }
    pass(secs(1)).await;
    assert_eq!(old.incarnation(), 4);
    assert!(!waits.is_finished(), "three restarts are not an end");
    assert!(old.ended().is_none());
    old.stop();
    assert!(matches!(waits.await.unwrap(), Ok(Ended::Stopped)));
}
