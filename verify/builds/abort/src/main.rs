//! A build with `panic = "abort"`: `start()` logs once that nothing is restarted after a panic, and a panic in an actor
//! ends the process (S1).

use std::env;
use std::fmt;
use std::process::Command;
use std::sync::{Arc, Mutex};

use supervise::prelude::*;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context as At, SubscriberExt};
use tracing_subscriber::{Layer, Registry};

struct Fragile;

#[actor]
impl Fragile {
    fn handle(&mut self, _: ()) {
        panic!("planned panic");
    }
}

supervisor! {
    struct Tree {
        fragile: Fragile = Fragile,
    }
}

/// The texts of all warnings.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}

impl<S: Subscriber> Layer<S> for Warnings {
    fn on_event(&self, event: &Event<'_>, _: At<'_, S>) {
        if *event.metadata().level() == Level::WARN {
            let mut message = Message(String::new());
            event.record(&mut message);
            self.0.lock().unwrap().push(message.0);
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    if env::args().nth(1).as_deref() == Some("panic") {
        let tree = Tree::start().await.unwrap();
        tree.fragile.tell(()).await.unwrap();
        let _ = tree.fragile.terminated().await;
        println!("still there");
        return;
    }

    let warnings = Warnings::default();
    tracing::subscriber::set_global_default(Registry::default().with(warnings.clone())).unwrap();
    for _ in 0..2 {
        let tree = Tree::start().await.unwrap();
        tree.shutdown().await;
    }
    let said = warnings.0.lock().unwrap().clone();
    assert_eq!(said.len(), 1, "once for two trees: {said:?}");
    assert!(said[0].contains("panic = \"abort\""), "{said:?}");

    let panicked = Command::new(env::current_exe().unwrap()).arg("panic").output().unwrap();
    assert!(!panicked.status.success(), "the panic did not end the process");
    assert!(panicked.stdout.is_empty(), "the process continued after the panic");
    println!("a panic ends the process: {}", panicked.status);
}
