//! S63: a node as metrics of its own process.

use std::collections::BTreeMap;

use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use supervise_remote::Net;
use supervise_remote::memory::Network;

use crate::world::*;

// Trees of their own: the gauges are those of all nodes of a tree and role in a process, and other tests have nodes of `Shop`.
supervisor! {
    struct Measured {
        #[on("worker", lease = 2s)]
        pricing: remote Worker = Worker,
    }
}

supervisor! {
    struct Shared {
        #[on("worker", lease = 2s)]
        pricing: remote Worker = Worker,
    }
}

/// S63: the children of a node, whether it is ready, and how long renewals take; all zero at its end.
#[tokio::test(start_paused = true)]
async fn a_node_is_measured_in_its_own_process() {
    let recorder: &'static DebuggingRecorder = Box::leak(Box::default());
    let _guard = metrics::set_default_local_recorder(recorder);
    let network = Network::new();
    network.delay(20 * MS);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let node = Measured::node("worker").serve(Net::open(network.process("one")), stopped);
    let node = tokio::spawn(node);
    let snapshotter = recorder.snapshotter();
    let lines = || {
        let mut lines = BTreeMap::new();
        for (key, .., value) in snapshotter.snapshot().into_vec() {
            let key = key.key();
            let labels: Vec<_> = key.labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
            let value = match value {
                DebugValue::Gauge(value) => value.into_inner().to_string(),
                DebugValue::Histogram(times) => {
                    assert!(times.iter().all(|time| **time == 0.04), "{times:?}");
                    format!("{} times", times.len().min(1))
                }
                DebugValue::Counter(count) => count.to_string(),
            };
            if key.name().starts_with("supervise.node.") {
                assert_eq!(labels, ["tree=Measured", "role=worker"]);
                lines.insert(key.name().to_owned(), value);
            }
        }
        lines.into_iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>()
    };
    tokio::time::sleep(SECOND).await;
    assert_eq!(lines(), ["supervise.node.children: 0", "supervise.node.ready: 0"]);
    let shop = Measured::tree().on(Net::open(network.process("owner")).fresh()).start().await.unwrap();
    tokio::time::sleep(3 * SECOND).await;
    assert_eq!(
        lines(),
        ["supervise.node.children: 1", "supervise.node.ready: 1", "supervise.node.renewal.duration: 1 times"]
    );
    drop(stop);
    node.await.unwrap().unwrap();
    assert_eq!(lines()[..2], ["supervise.node.children: 0", "supervise.node.ready: 0"]);
    drop(shop);
}

/// S63: two nodes of one tree and role in a process, here of two networks, share the gauges: the end of one of them is not the
/// end of the other.
#[tokio::test(start_paused = true)]
async fn nodes_with_the_same_labels_are_added_up() {
    let recorder: &'static DebuggingRecorder = Box::leak(Box::default());
    let _guard = metrics::set_default_local_recorder(recorder);
    let snapshotter = recorder.snapshotter();
    let gauges = || {
        let all = snapshotter.snapshot().into_vec();
        let of_tree = all.into_iter().filter(|(key, ..)| key.key().labels().any(|label| label.value() == "Shared"));
        let values = of_tree.filter_map(|(key, .., value)| match value {
            DebugValue::Gauge(value) if key.key().name().starts_with("supervise.node.") => {
                Some((key.key().name().to_owned(), value.into_inner()))
            }
            _ => None,
        });
        values.collect::<BTreeMap<_, _>>().into_values().collect::<Vec<_>>()
    };
    let mut ends = Vec::new();
    let mut shops = Vec::new();
    for _ in 0..2 {
        let network = Network::new();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let node = Shared::node("worker").serve(Net::open(network.process("one")), stopped);
        ends.push((stop, tokio::spawn(node)));
        let shop = Shared::tree().on(Net::open(network.process("owner")).fresh()).start().await.unwrap();
        shops.push(shop);
    }
    tokio::time::sleep(3 * SECOND).await;
    assert_eq!(gauges(), [2.0, 2.0], "children and ready nodes");
    let (stop, node) = ends.pop().unwrap();
    drop(stop);
    node.await.unwrap().unwrap();
    assert_eq!(gauges(), [1.0, 1.0], "at once");
    let (_stop, node) = ends.pop().unwrap();
    node.abort();
    let _ = node.await;
    assert_eq!(gauges(), [0.0, 0.0], "also where it is dropped");
    drop(shops);
}

struct Panics;

impl metrics::Recorder for Panics {
    fn describe_counter(&self, _: metrics::KeyName, _: Option<metrics::Unit>, _: metrics::SharedString) {}
    fn describe_gauge(&self, _: metrics::KeyName, _: Option<metrics::Unit>, _: metrics::SharedString) {}
    fn describe_histogram(&self, _: metrics::KeyName, _: Option<metrics::Unit>, _: metrics::SharedString) {}
    fn register_counter(&self, _: &metrics::Key, _: &metrics::Metadata<'_>) -> metrics::Counter {
        panic!("planned panic")
    }
    fn register_gauge(&self, _: &metrics::Key, _: &metrics::Metadata<'_>) -> metrics::Gauge {
        panic!("planned panic")
    }
    fn register_histogram(&self, _: &metrics::Key, _: &metrics::Metadata<'_>) -> metrics::Histogram {
        panic!("planned panic")
    }
}

/// A recorder that panics costs no renewal.
#[tokio::test(start_paused = true)]
async fn a_recorder_that_panics_harms_no_node() {
    let _guard = metrics::set_default_local_recorder(&Panics);
    let (cluster, shop) = shop().await;
    let node = shop.pricing.node();
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(shop.pricing.node(), node);
    drop(cluster);
}
