//! S63: nodes as metrics.

use std::collections::BTreeMap;

use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};

use crate::world::*;

/// The counters and gauges of remote children: a snapshot has what was added since the last one.
struct Recorded {
    snapshotter: Snapshotter,
    sums: BTreeMap<String, f64>,
}

impl Recorded {
    /// Returns those that begin so, as lines, after a sample.
    fn lines(&mut self, begin: &str) -> Vec<String> {
        supervise::metrics::sample();
        for (key, .., value) in self.snapshotter.snapshot().into_vec() {
            let key = key.key();
            let labels: Vec<_> = key.labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
            let key = format!("{} {}", key.name(), labels.join(" "));
            match value {
                DebugValue::Counter(count) => *self.sums.entry(key).or_default() += count as f64,
                DebugValue::Gauge(value) => *self.sums.entry(key).or_default() += value.into_inner(),
                DebugValue::Histogram(_) => {}
            }
        }
        let of = self.sums.iter().filter(|(key, _)| key.starts_with(begin));
        of.map(|(key, value)| format!("{key}: {value}")).collect()
    }
}

/// S63: the only test with metrics in this program, since a sample is one of all its trees.
#[tokio::test(start_paused = true)]
async fn nodes_are_sampled_and_events_counted() {
    let recorder: &'static DebuggingRecorder = Box::leak(Box::default());
    let _guard = metrics::set_default_local_recorder(recorder);
    let mut recorded = Recorded { snapshotter: recorder.snapshotter(), sums: BTreeMap::new() };

    let mut cluster = Cluster::new();
    cluster.node("one", Shop::node("worker").capacity(2));
    cluster.node("two", Shop::node("edge"));
    let shop = Shop::tree().metrics().on(cluster.owner()).start().await.unwrap();
    for number in 0..3 {
        shop.sessions.spawn(number).await.unwrap();
    }
    assert_eq!(
        recorded.lines("supervise.remote."),
        [
            "supervise.remote.capacity tree=Shop role=worker node=one: 2",
            "supervise.remote.children tree=Shop role=edge node=two: 3",
            "supervise.remote.children tree=Shop role=worker node=one: 1",
            "supervise.remote.events tree=Shop path=Shop event=node_joined: 2",
            "supervise.remote.events tree=Shop path=pricing event=placed: 1",
            "supervise.remote.events tree=Shop path=sessions/* event=placed: 3",
            "supervise.remote.nodes tree=Shop role=edge: 1",
            "supervise.remote.nodes tree=Shop role=worker: 1",
        ]
    );

    // The process joins anew: its series stay the same.
    pricing_waits(&mut cluster, &shop).await;
    assert_eq!(recorded.lines("supervise.remote.waiting"), ["supervise.remote.waiting tree=Shop role=worker: 1"]);
    cluster.node("one", Shop::node("worker").capacity(2));
    shop.pricing.ask(Work::Ask).await.unwrap();
    assert_eq!(
        recorded.lines("supervise.remote.children tree=Shop role=worker"),
        ["supervise.remote.children tree=Shop role=worker node=one: 1"]
    );
    assert_eq!(recorded.lines("supervise.remote.waiting"), ["supervise.remote.waiting tree=Shop role=worker: 0"]);
    assert_eq!(
        recorded.lines("supervise.remote.events tree=Shop path=pricing"),
        [
            "supervise.remote.events tree=Shop path=pricing event=no_node: 1",
            "supervise.remote.events tree=Shop path=pricing event=node_lost: 1",
            "supervise.remote.events tree=Shop path=pricing event=placed: 2",
        ]
    );
    assert_eq!(
        recorded.lines("supervise.restarts tree=Shop path=pricing"),
        ["supervise.restarts tree=Shop path=pricing error.type=node_lost directive=restart: 1"]
    );

    // The numbers of the tree are taken back with its end.
    shop.shutdown().await;
    for line in recorded.lines("supervise.remote.") {
        assert!(line.contains("events") || line.ends_with(": 0"), "{line}");
    }
}
