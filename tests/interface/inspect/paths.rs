//! The look for one node among many: S50.

use std::time::Instant;

use supervise::inspect::Extent;
use supervise::prelude::*;

struct Idle;

#[actor]
impl Idle {
    fn handle(&mut self, (): ()) {}
}

supervisor! {
    struct Many {
        keyed: [u32 => Idle] = |_: u32| Idle,
        named: [String => Idle] = |_: String| Idle,
        numbered: [Idle] = || Idle,
        array: [Idle; 100] = |_| Idle,
    }
}

/// S50: each node is found by its path, however many there are beside it: by a key, a number, an index. A path that is none
/// leads to nothing, and an instance that has ended is not found.
#[tokio::test(start_paused = true)]
async fn each_node_is_found_among_many() {
    let many = Many::start().await.unwrap();
    let tree: &TreeRef = &many;
    // The first look makes the index; the others come later.
    for round in 0..2u32 {
        for key in round * 200..(round + 1) * 200 {
            many.keyed.spawn(key).await.unwrap();
            many.named.spawn(format!("a/b {key}\n")).await.unwrap();
            many.numbered.spawn().await.unwrap();
        }
        let handles = many.numbered.handles();
        let all = (0..(round + 1) * 200).flat_map(|key| {
            let named = many.named.get(&format!("a/b {key}\n")).unwrap();
            [many.keyed.get(&key).unwrap(), named, handles[key as usize].clone()]
        });
        for handle in all.chain(many.array.iter().cloned()) {
            let path = handle.path();
            assert!(tree.find(&path).is_some());
            assert_eq!(tree.snapshot_of(&path, Extent::Declared).unwrap().root.path, path);
        }
        for none in [
            "keyed/",
            "keyed/x",
            "keyed/07",
            "numbered/7",
            "numbered/#",
            "array",
            "array/100",
            "array/1/2",
            "keyed/1/x",
        ] {
            assert!(tree.find(none).is_none(), "{none}");
        }
    }
    let one = many.keyed.get(&7).unwrap();
    one.stop();
    one.terminated().await.unwrap();
    assert!(tree.find("keyed/7").is_none());
    let again = many.keyed.spawn(7).await.unwrap();
    assert!(tree.find(again.path().as_str()).is_some());
}

/// S50: a look for one instance of a set does not look at all others.
#[tokio::test(start_paused = true)]
async fn a_look_costs_the_same_among_more() {
    async fn looks(instances: u32) -> f64 {
        let many = Many::start().await.unwrap();
        for key in 0..instances {
            many.keyed.spawn(key).await.unwrap();
        }
        let tree: &TreeRef = &many;
        let paths: Vec<String> = (0..1_000).map(|key| format!("keyed/{}", key * instances / 1_000)).collect();
        assert!(tree.find(&paths[0]).is_some());
        let begun = Instant::now();
        for path in &paths {
            assert!(tree.find(path).is_some() && tree.health_of(path, Extent::Declared).is_some());
        }
        begun.elapsed().as_secs_f64()
    }
    // Other work on the machine may disturb one of the measurements.
    let mut ratios = Vec::new();
    for _ in 0..5 {
        let few = looks(1_000).await;
        ratios.push(looks(16_000).await / few);
        if ratios.last().is_some_and(|ratio| *ratio < 4.0) {
            return;
        }
    }
    panic!("16 times as many instances: {ratios:?} times as long");
}
