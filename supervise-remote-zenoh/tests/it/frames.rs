use std::time::Instant;

use supervise_remote::MAX_FRAME;
use supervise_remote::wire::{Side, Wire};

use crate::common::*;

/// Room around a message.
const AROUND: usize = 1 << 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_arrive_in_order_both_ways() {
    const ALL: u64 = 100_000;
    let Two { mut owner, mut node, to_node, to_owner, .. } = two().await;
    let (from_owner, from_node) = (owner.sender.clone(), node.sender.clone());
    let (peer, other) = (to_node.clone(), to_owner.clone());
    let there = tokio::spawn(async move {
        for n in 0..ALL {
            from_owner.send(&peer, n.to_le_bytes().to_vec());
            if n % 500 == 0 {
                tokio::task::yield_now().await;
            }
        }
    });
    let back = tokio::spawn(async move {
        for n in 0..ALL {
            // Lengths of all kinds, also none.
            from_node.send(&other, n.to_le_bytes()[..(n % 9) as usize].to_vec());
        }
    });
    let read = tokio::spawn(async move {
        for n in 0..ALL {
            assert_eq!(node.frame().await, (to_owner.clone(), n.to_le_bytes().to_vec()));
        }
        node
    });
    for n in 0..ALL {
        assert_eq!(owner.frame().await, (to_node.clone(), n.to_le_bytes()[..(n % 9) as usize].to_vec()));
    }
    let _node = read.await.unwrap();
    there.await.unwrap();
    back.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_longest_frame_arrives_and_a_longer_one_ends_the_pair() {
    let Two { mut owner, mut node, to_node, to_owner, .. } = two().await;
    let mut longest: Vec<u8> = (0..MAX_FRAME + AROUND).map(|n| n as u8).collect();
    owner.send(&to_node, longest.clone());
    owner.send(&to_node, "behind");
    assert!(node.frame().await.1 == longest, "another frame arrived");
    assert_eq!(node.frame().await.1, b"behind");
    longest.push(0);
    owner.send(&to_node, longest);
    assert_eq!(owner.down().await, to_node);
    assert_eq!(node.down().await, to_owner);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn owners_meet_nodes_and_nobody_else() {
    let port = port();
    let wires = [
        open(settings("a").listen(here(port))).await,
        open(settings("b").connect(here(port))).await,
        open(settings("c").connect(here(port))).await,
    ];
    assert_eq!(wires[0].name(), "a");
    let mut owner = join(&wires[0], Side::Owner).await;
    let mut second_owner = join(&wires[1], Side::Owner).await;
    let mut node = join(&wires[2], Side::Node).await;
    // Only what is connected directly: `b` and `c` are not.
    assert_eq!(owner.up().await, *node.me());
    assert_eq!(node.up().await, *owner.me());
    // A node of the same process as an owner.
    let mut own = join(&wires[0], Side::Node).await;
    assert_eq!(owner.up().await, *own.me());
    let mut seen = [own.up().await, own.up().await];
    seen.sort();
    assert_eq!(seen, [owner.me().clone(), second_owner.me().clone()]);
    assert_eq!(second_owner.up().await, *own.me());
    talk(&mut owner, &mut own).await;
    talk(&mut second_owner, &mut own).await;
    talk(&mut owner, &mut node).await;
    for link in [&mut owner, &mut second_owner, &mut node, &mut own] {
        link.quiet(millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_networks_at_one_address_do_not_meet() {
    let port = port();
    let on = |name: &str, network: &str| settings(name).network(network);
    let prod = open(on("owner", "prod").listen(here(port))).await;
    let test = open(on("node", "test").connect(here(port))).await;
    let mut owner = join(&prod, Side::Owner).await;
    let mut stranger = join(&test, Side::Node).await;
    let same = open(on("node", "prod").connect(here(port))).await;
    let mut node = join(&same, Side::Node).await;
    assert_eq!(owner.up().await, *node.me());
    talk(&mut owner, {
        node.up().await;
        &mut node
    })
    .await;
    owner.quiet(millis(300)).await;
    stranger.quiet(millis(1)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_sides_may_list_each_other() {
    let (one, other) = (port(), port());
    let Two { mut owner, mut node, .. } = pair(
        settings("a").listen(here(one)).connect(here(other)),
        settings("b").listen(here(other)).connect(here(one)),
    )
    .await;
    for _ in 0..20 {
        talk(&mut owner, &mut node).await;
        tokio::time::sleep(millis(50)).await;
    }
    owner.quiet(millis(1)).await;
    node.quiet(millis(1)).await;
}

/// A connection that is made later brings what both sides have declared, in an order of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_that_are_sent_at_once_arrive_over_a_new_connection() {
    for _ in 0..5 {
        let port = port();
        let b = open(settings("b").connect(here(port))).await;
        let mut node = join(&b, Side::Node).await;
        let answering = tokio::spawn(async move {
            let owner = node.up().await;
            node.send(&owner, "first");
            assert_eq!(node.frame().await.1, b"first");
            node
        });
        let a = open(settings("a").listen(here(port))).await;
        let mut owner = join(&a, Side::Owner).await;
        let peer = owner.up().await;
        owner.send(&peer, "first");
        assert_eq!(owner.frame().await.1, b"first");
        answering.await.unwrap();
    }
}

/// A side that sees a peer can send to it, and what is sent at once is not lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_that_are_sent_at_once_arrive() {
    let port = port();
    let (a, b) = (open(settings("a").listen(here(port))).await, open(settings("b").connect(here(port))).await);
    let mut owner = join(&a, Side::Owner).await;
    let began = Instant::now();
    let mut rounds = 0;
    while began.elapsed() < millis(2000) || rounds < 20 {
        let mut node = join(&b, Side::Node).await;
        assert_eq!(node.up().await, *owner.me());
        node.send(owner.me(), "first");
        assert_eq!(owner.up().await, *node.me());
        owner.send(node.me(), "first");
        assert_eq!(owner.frame().await.1, b"first");
        assert_eq!(node.frame().await.1, b"first");
        drop(node);
        owner.down().await;
        rounds += 1;
    }
}
