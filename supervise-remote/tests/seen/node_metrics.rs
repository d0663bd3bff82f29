//! S63: a node as metrics of its own process.

use std::collections::BTreeMap;

use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use supervise_remote::Net;
use supervise_remote::memory::Network;

use crate::world::*;

/// S63: the children of a node, whether it is ready, and how long renewals take; all zero at its end.
#[tokio::test(start_paused = true)]
async fn a_node_is_measured_in_its_own_process() {
    let recorder: &'static DebuggingRecorder = Box::leak(Box::default());
    let _guard = metrics::set_default_local_recorder(recorder);
    let network = Network::new();
    network.delay(20 * MS);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let node = Shop::node("worker").serve(Net::open(network.process("one")), stopped);
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
                assert_eq!(labels, ["tree=Shop", "role=worker"]);
                lines.insert(key.name().to_owned(), value);
            }
        }
        lines.into_iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>()
    };
    tokio::time::sleep(SECOND).await;
    assert_eq!(lines(), ["supervise.node.children: 0", "supervise.node.ready: 0"]);
    let shop = Shop::tree().on(Net::open(network.process("owner")).fresh()).start().await.unwrap();
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
