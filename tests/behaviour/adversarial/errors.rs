//! Errors and panic payloads are user values: dropping the last reference to one runs user code.

use std::fmt;
use std::panic::panic_any;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use supervise::event::{Event, EventKind};
use supervise::prelude::*;

use crate::common::{quiet_panics, settle, soon};

/// The action of an error when its last reference is dropped.
type Last = Arc<dyn Fn() + Send + Sync>;

struct Touchy(Last);

impl Drop for Touchy {
    fn drop(&mut self) {
        (self.0)();
    }
}

impl fmt::Debug for Touchy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Touchy")
    }
}

impl fmt::Display for Touchy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("touchy")
    }
}

impl std::error::Error for Touchy {}

struct Weak(u32);

enum Go {
    Fail(Last),
    /// Panics with a payload that runs the same action when it is dropped.
    Panic(Last),
    Ping(Reply<u32>),
}

#[actor]
impl Weak {
    fn handle(&mut self, go: Go) -> Result<(), Touchy> {
        self.0 += 1;
        match go {
            Go::Fail(last) => Err(Touchy(last)),
            Go::Panic(last) => panic_any(Payload(Touchy(last))),
            Go::Ping(reply) => {
                reply.send(self.0);
                Ok(())
            }
        }
    }
}

struct Payload(#[allow(dead_code)] Touchy);

supervisor! {
    struct Ward {
        #![strategy(AllForOne, max_restarts = Unlimited)]
        one: Weak = Weak(0),
        two: Weak = Weak(0),
        sub: struct Sub {
            #![strategy(OneForOne, max_restarts = 1)]
            three: Weak = Weak(0),
            crew: [Weak] = || Weak(0),
        },
    }
}

/// Makes each child fail in turn; the limit of the subtree is reached again and again.
async fn all_fail(ward: &Ward, last: Last, go: fn(Last) -> Go) {
    for round in 1..=6 {
        let kid = soon(ward.sub.crew.spawn()).await.unwrap();
        for actor in [&kid, &ward.sub.three, &ward.sub.three, &ward.one, &ward.two] {
            let _ = actor.tell(go(last.clone())).await;
            settle().await;
        }
        tokio::time::sleep(Duration::from_secs(60)).await;
        for actor in [&ward.one, &ward.two, &ward.sub.three] {
            assert_eq!(soon(actor.ask(Go::Ping)).await.unwrap(), 1, "round {round}: {actor:?} is up, and new");
        }
    }
}

/// S4: an error whose `Drop` panics affects nothing else, wherever its last reference is dropped.
#[tokio::test(start_paused = true)]
async fn an_error_may_panic_when_it_is_dropped() {
    quiet_panics();
    let dropped = Arc::new(AtomicU32::new(0));
    let last: Last = {
        let dropped = dropped.clone();
        Arc::new(move || {
            dropped.fetch_add(1, SeqCst);
            if !std::thread::panicking() {
                panic!("planned panic of an error");
            }
        })
    };
    let ward = Ward::start().await.unwrap();
    all_fail(&ward, last, Go::Fail).await;
    assert!(soon(ward.shutdown()).await.is_orderly());
    assert_eq!(dropped.load(SeqCst), 30, "each error was dropped");
}

/// The same, for the payload of a panic.
#[tokio::test(start_paused = true)]
async fn the_payload_of_a_panic_may_panic_when_it_is_dropped() {
    quiet_panics();
    let ward = Ward::start().await.unwrap();
    all_fail(&ward, Arc::new(|| panic!("planned panic of a payload")), Go::Panic).await;
    assert!(soon(ward.shutdown()).await.is_orderly());
}

/// Everything that a `Drop` can do which takes a lock somewhere.
fn look_around(ward: &Ward) {
    let _ = (ward.ended(), ward.dead_letters(), ward.events(), ward.sub.crew.len(), ward.sub.ended());
    for actor in [&ward.one, &ward.two, &ward.sub.three] {
        let _ = (actor.ended(), actor.path(), actor.incarnation());
        drop(actor.terminated());
        drop(actor.ask(Go::Ping));
    }
    let _ = (ward.sub.crew.tree().ended(), ward.snapshot(), ward.health());
}

/// The way in which the test listens to the events, which contain failures too.
#[derive(Clone, Copy, PartialEq)]
enum Listener {
    None,
    Quick,
    /// Lags so much that events are lost, and the failures in them.
    Slow,
}

/// Makes children fail, and returns how often a `Drop` has looked at the tree.
async fn look(listener: Listener) -> u32 {
    let place: Arc<Mutex<Option<Ward>>> = Arc::default();
    let looked = Arc::new(AtomicU32::new(0));
    let last: Last = {
        let (place, looked) = (place.clone(), looked.clone());
        Arc::new(move || {
            let ward = place.lock().unwrap().clone();
            if let Some(ward) = ward {
                look_around(&ward);
                looked.fetch_add(1, SeqCst);
            }
        })
    };
    let ward = Ward::start().await.unwrap();
    *place.lock().unwrap() = Some(ward.handle());
    let mut events = (listener != Listener::None).then(|| ward.events());
    let rounds = if listener == Listener::Slow { 10 } else { 1 };
    for _ in 0..rounds {
        all_fail(&ward, last.clone(), Go::Fail).await;
        while listener == Listener::Quick && events.as_mut().is_some_and(|events| events.try_next().is_some()) {}
    }
    let missed = events.as_mut().and_then(|events| events.try_next());
    assert_eq!(matches!(missed, Some(Event { kind: EventKind::Missed { .. }, .. })), listener == Listener::Slow);
    assert!(soon(ward.shutdown()).await.is_orderly());
    drop(events);
    let ward = place.lock().unwrap().take();
    drop(ward);
    looked.load(SeqCst) / rounds
}

/// S4: an error whose `Drop` looks at the tree finds no lock held. Otherwise the call would never return.
#[test]
fn an_error_may_look_at_the_tree_when_it_is_dropped() {
    for listener in [Listener::None, Listener::Quick, Listener::Slow] {
        let (done, is_done) = mpsc::channel();
        // Runs in a thread of its own, because a deadlock would never end.
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
            let _ = done.send(runtime.unwrap().block_on(look(listener)));
        });
        let looked = is_done.recv_timeout(Duration::from_secs(20)).expect("a lock was held, or the thread failed");
        assert!(looked > 25, "the last errors are dropped after the end of the tree: {looked}");
    }
}
