//! The runtime without any crate beside it: no macro, no log, no lease, no network. An actor is restarted and ends, its
//! events are told, and an extension of this program is told of its life.

use std::fmt;
use std::sync::{Arc, Mutex};

use supervise_core::values::event::EventKind;
use supervise_runtime::expansion::new_child;
use supervise_runtime::extension::{self, CellCore, Extension, Over, Raised, Standing, StandingExtensions, Wants};
use supervise_runtime::policy::{ChildOptions, Lifecycle};
use supervise_runtime::{Actor, ActorRef, Context, Ended, Failure, Reply};

/// The calls of the extension, in order.
static CALLS: Mutex<Vec<String>> = Mutex::new(Vec::new());

#[derive(Debug)]
struct Watches;

impl Extension for Watches {
    fn wants(&self) -> Wants {
        Wants::EVENTS.and(Wants::LIVES)
    }

    fn event(&self, raised: &Raised<'_>) {
        CALLS.lock().unwrap().push(format!("{} {}", (raised.path)(), raised.kind.word()));
    }

    fn ended(&self, cell: &CellCore, over: Over) {
        CALLS.lock().unwrap().push(format!("{} over, asked: {}", cell.path(), over.asked));
    }
}

const STANDING: Standing =
    &StandingExtensions { all: &[&Watches], wants: || Wants::EVENTS.and(Wants::LIVES) };

#[derive(Debug)]
struct Offline;

impl fmt::Display for Offline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("offline")
    }
}

impl std::error::Error for Offline {}

struct Counter {
    sum: u64,
    hooks: Arc<Mutex<Vec<&'static str>>>,
}

enum Msg {
    Add(u64),
    Fail,
    Sum(Reply<u64>),
}

impl Actor for Counter {
    type Msg = Msg;
    type Error = Offline;

    async fn receive(&mut self, msg: Msg, _cx: &mut Context<Self>) -> Result<(), Offline> {
        match msg {
            Msg::Add(n) => self.sum += n,
            Msg::Fail => return Err(Offline),
            Msg::Sum(reply) => reply.send(self.sum),
        }
        Ok(())
    }

    async fn post_restart(&mut self, failure: &Failure, _cx: &mut Context<Self>) -> Result<(), Offline> {
        assert!(failure.to_string().contains("offline"), "{failure}");
        self.hooks.lock().unwrap().push("post_restart");
        Ok(())
    }

    async fn post_stop(&mut self, _cx: &mut Context<Self>) -> Result<(), Offline> {
        self.hooks.lock().unwrap().push("post_stop");
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    let hooks: Arc<Mutex<Vec<&'static str>>> = Arc::default();
    let own = hooks.clone();
    let start = move || {
        let hooks = own.clone();
        async move { Ok(Counter { sum: 0, hooks }) }
    };
    let options = ChildOptions::<Counter>::new().lifecycle(Lifecycle::Permanent);
    let child = new_child("counter".to_owned(), options, start);
    let counter: ActorRef<Counter> = extension::spawn(child, STANDING).await.expect("it starts");

    counter.tell(Msg::Add(5)).await.expect("it lives");
    assert_eq!(counter.ask(Msg::Sum).await.expect("it answers"), 5);
    counter.tell(Msg::Fail).await.expect("it lives");
    counter.tell(Msg::Add(1)).await.expect("the handle stays the same");
    assert_eq!(counter.ask(Msg::Sum).await.expect("it answers"), 1);
    assert_eq!(counter.incarnation(), 2);
    counter.stop();
    assert!(matches!(counter.terminated().await, Ok(Ended::Stopped)));
    assert_eq!(*hooks.lock().unwrap(), ["post_stop", "post_restart", "post_stop"]);

    let calls = CALLS.lock().unwrap();
    let expected = ["started", "failed", "decided", "restarted", "stopping", "ended"].map(|word| format!("counter {word}"));
    let events: Vec<&String> = calls.iter().filter(|call| expected.contains(call)).collect();
    assert_eq!(events, expected.iter().collect::<Vec<_>>(), "{calls:?}");
    assert_eq!(calls.last().map(String::as_str), Some("counter over, asked: true"));
    assert_eq!(EventKind::Restarted.word(), "restarted");
    println!("the runtime runs alone: {} calls of an extension", calls.len());
}
