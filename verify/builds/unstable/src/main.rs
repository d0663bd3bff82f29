//! A build with `--cfg tokio_unstable`: each tokio task is named by the path of its child (S41), which a console for
//! tasks shows.

use std::fmt;
use std::sync::{Arc, Mutex};

use supervise::prelude::*;
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing_subscriber::layer::{Context as At, SubscriberExt};
use tracing_subscriber::{Layer, Registry};

#[cfg(not(tokio_unstable))]
compile_error!("build this in its folder, where `.cargo/config.toml` sets `--cfg tokio_unstable`");

struct Quiet;

#[actor]
impl Quiet {
    fn handle(&mut self, _: ()) {}
}

supervisor! {
    struct Tree {
        one: Quiet = Quiet,
        live: struct Live {
            two: Quiet = Quiet,
        },
        idle: task = |cx| async move { cx.stopped().await },
    }
}

/// The names of all tasks.
#[derive(Clone, Default)]
struct Names(Arc<Mutex<Vec<String>>>);

impl Visit for Names {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "task.name" {
            self.0.lock().unwrap().push(format!("{value:?}"));
        }
    }
}

impl<S: Subscriber> Layer<S> for Names {
    fn on_new_span(&self, attrs: &Attributes<'_>, _: &Id, _: At<'_, S>) {
        attrs.record(&mut self.clone());
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let names = Names::default();
    tracing::subscriber::set_global_default(Registry::default().with(names.clone())).unwrap();
    let tree = Tree::start().await.unwrap();
    tree.shutdown().await;
    let named: Vec<String> = names.0.lock().unwrap().iter().filter(|name| !name.is_empty()).cloned().collect();
    println!("tasks: {named:?}");
    assert_eq!(named, ["Tree", "one", "live", "live/two", "idle"]);
}
