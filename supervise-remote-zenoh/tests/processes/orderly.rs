//! Leaving in order (S57, S62): nobody is lost, and no lease is waited for.

use std::time::Instant;

use supervise::event::EventKind;

use crate::world::*;

/// The process exits as soon as `serve` returns.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_leaves_and_exits_was_not_lost() {
    let mut world = World::start(place(), &["one"]).await;
    let (cache, ledger) = (world.shop.cache.clone(), world.shop.ledger.clone());
    let mut names = ["one", "two"].into_iter().cycle();
    for round in 1..=6 {
        let (leaves, comes) = (names.next().unwrap(), names.clone().next().unwrap());
        let place = world.place.clone();
        world.node(comes, &place);
        for child in [&cache, &ledger] {
            world.answers(child).await;
        }
        world.nodes.get_mut(leaves).unwrap().leave();
        let begun = Instant::now();
        assert!(world.nodes.get_mut(leaves).unwrap().ended(LONG).await);
        for child in [&cache, &ledger] {
            until("it has moved", || child.node().is_some_and(|node| node.starts_with(comes))).await;
            world.answers(child).await;
        }
        println!("round {round}: moved within {:?}", begun.elapsed());
    }
    let lost = world.count(|kind| matches!(kind, EventKind::NodeLost { .. }));
    assert_eq!((lost, world.dead_letters()), (0, 0));
    world.ends(0).await;
}

/// The nodes have taken everything down, and go on for the next owner.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_that_leaves_leaves_nothing_behind() {
    let place = place();
    let world = World::start(place.clone(), &["one", "two"]).await;
    let mut nodes = world.ends(0).await;
    for process in nodes.values_mut() {
        assert!(process.runs());
        process.leave();
    }
    for process in nodes.values_mut() {
        assert!(process.ended(LONG).await);
    }
}
