//! The feature `signal`: SIGINT or SIGTERM ends a tree, a second one aborts (S43). Signals go to the whole process, so
//! this is a separate process with one test.
#![cfg(unix)]

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use supervise::prelude::*;
use tokio::sync::Notify;
use tokio::time::timeout;

/// Reports when its `post_stop` begins, and stays there as long as the test wants.
struct Slow {
    stops: Arc<Notify>,
    may: Arc<Notify>,
}

#[actor]
impl Slow {
    fn handle(&mut self, _: ()) {}

    #[post_stop]
    async fn last(&mut self) {
        self.stops.notify_one();
        self.may.notified().await;
    }
}

supervisor! {
    struct Tree(stops: Arc<Notify>, may: Arc<Notify>) {
        #[lifecycle(Permanent, shutdown = Infinity)]
        slow: Slow = Slow { stops, may },
    }
}

fn send(signal: &str) {
    let sent = Command::new("kill").args([signal, &std::process::id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// S43: the first signal of either kind shuts down in order; a second one during the shutdown aborts it.
#[tokio::test]
async fn a_signal_ends_the_tree_and_a_second_one_aborts() {
    for (first, second) in [("-TERM", None), ("-INT", None), ("-INT", Some("-TERM")), ("-TERM", Some("-TERM"))] {
        let (stops, may) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let mut blueprint = Tree::tree(stops.clone(), may.clone());
        let mut events = blueprint.events();
        let run = tokio::spawn(blueprint.run(signal()));
        // The tree is up, so the handlers are installed.
        while !matches!(events.next().await.unwrap().kind, supervise::event::EventKind::Started { seed: Some(_) }) {}
        send(first);
        stops.notified().await;
        match second {
            Some(second) => send(second),
            None => may.notify_one(),
        }
        // A signal that is not handled must not hang the test.
        let report = timeout(Duration::from_secs(30), run).await.expect("the shutdown ends").unwrap().unwrap();
        assert_eq!(report.is_orderly(), second.is_none(), "{first} {second:?}: {report}");
        assert_eq!(report.children[0].aborted, second.is_some());
    }
}
