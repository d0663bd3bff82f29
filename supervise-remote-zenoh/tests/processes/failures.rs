//! Nodes that are killed, frozen and hung (S57, S58, S59, S61).

use std::time::{Duration, Instant};

use supervise::event::EventKind;
use supervise_remote::Net;
use supervise_remote_zenoh::{Settings, Zenoh};

use crate::journal;
use crate::process::Place;
use crate::world::*;

/// With `Allowed` the replacement is there at once, with `Forbidden` after the lease and the time to go down.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_node_is_replaced() {
    let mut world = World::start(place(), &["one", "two"]).await;
    let (cache, ledger) = (world.shop.cache.clone(), world.shop.ledger.clone());
    for child in [&cache, &ledger] {
        world.answers(child).await;
        let begun = Instant::now();
        let name = world.kill(child).await;
        let place = world.place.clone();
        world.answers(child).await;
        let took = begun.elapsed();
        println!("{} answers {took:?} after SIGKILL", child.path());
        if child.path() == "ledger" {
            // Its last renewal was answered a third of a lease ago, or more on a busy machine.
            assert!(took >= SHUTDOWN + LEASE / 4, "the ledger of a lost node may still act: {took:?}");
        } else {
            assert!(took < LEASE, "a cache waits for nothing: {took:?}");
        }
        world.node(&name, &place);
    }
    assert!(world.count(|kind| matches!(kind, EventKind::NodeLost { .. })) >= 2);
    world.ends(0).await;
}

/// Frozen beyond its lease, an instance acts no more when its process goes on. The process joins again as a new node.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_node_is_replaced_and_acts_no_more() {
    let mut world = World::start(place(), &["one", "two"]).await;
    let (cache, ledger) = (world.shop.cache.clone(), world.shop.ledger.clone());
    for child in [&ledger, &cache] {
        world.answers(child).await;
        let name = world.node_of(child).await;
        let began = world.begun(child.path());
        let begun = Instant::now();
        world.nodes[&name].signal(libc::SIGSTOP);
        until("it is replaced", || world.begun(child.path()) > began).await;
        println!("{} is replaced {:?} after SIGSTOP", child.path(), begun.elapsed());
        assert_ne!(world.node_of(child).await, name);
        // The other one was there too, or it was not.
        world.answers(&ledger).await;
        world.nodes[&name].signal(libc::SIGCONT);
        tokio::time::sleep(LEASE).await;
        world.answers(child).await;
    }
    assert!(world.nodes.values_mut().all(|process| process.runs()), "a process that was frozen goes on");
    // Back again, as new ones: it takes over when the other one dies.
    world.kill(&ledger).await;
    world.answers(&ledger).await;
    world.answers(&cache).await;
    world.ends(2).await;
}

/// A freeze that is shorter than the lease is none.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_short_freeze_costs_nothing() {
    let world = World::start(place(), &["one"]).await;
    for _ in 0..5 {
        world.nodes["one"].signal(libc::SIGSTOP);
        tokio::time::sleep(LEASE / 20).await;
        world.nodes["one"].signal(libc::SIGCONT);
        tokio::time::sleep(LEASE / 20).await;
    }
    assert_eq!([world.begun("ledger"), world.begun("cache")], [1, 1]);
    world.ends(0).await;
}

/// All threads of the runtime are blocked for longer than a lease, once and again, and it is renewed all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_whose_runtime_is_blocked_for_a_while_goes_on() {
    let world = World::start(place(), &["one"]).await;
    let ledger = world.shop.ledger.clone();
    for _ in 0..2 {
        world.answers(&ledger).await;
        let begun = Instant::now();
        world.hang(&ledger, LEASE * 3 / 2);
        world.answers(&ledger).await;
        assert!(begun.elapsed() >= LEASE * 3 / 2, "it was blocked: {:?}", begun.elapsed());
    }
    assert_eq!([world.begun("ledger"), world.begun("cache")], [1, 1]);
    assert_eq!(world.count(|kind| matches!(kind, EventKind::NodeLost { .. } | EventKind::Fenced)), 0);
    world.ends(0).await;
}

/// The same at the owner: renewals are granted while its runtime is blocked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_whose_runtime_is_blocked_for_a_while_keeps_its_children() {
    let world = World::start(place(), &["one"]).await;
    for _ in 0..2 {
        world.answers(&world.shop.ledger).await;
        let (beat, beaten) = (Instant::now(), tokio::spawn(async { Instant::now() }));
        hang(LEASE * 3 / 2);
        let late = beaten.await.unwrap() - beat;
        println!("a task that was spawned before had its turn after {late:?}");
    }
    world.answers(&world.shop.ledger).await;
    assert_eq!([world.begun("ledger"), world.begun("cache")], [1, 1]);
    assert_eq!(world.count(|kind| matches!(kind, EventKind::NodeLost { .. } | EventKind::Fenced)), 0);
    world.ends(0).await;
}

/// S60: a newer owner waits for the leases that were granted before it joined, and a node whose runtime is blocked does not hear
/// of it. So no lease of the older owner goes on there, though that one lives.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_blocked_node_does_not_act_beside_a_newer_owner() {
    let place = place();
    let second = format!("127.0.0.1:{}", port());
    let both = Place { address: format!("{},{second}", place.address), ..place.clone() };
    let wire = Zenoh::open(Settings::new("newer").listen([&*second]).insecure().lease(LINK)).await.unwrap();
    let world = World::start_at(place.clone(), &[("one", &both), ("two", &both)]).await;
    let ledger = world.shop.ledger.clone();
    world.answers(&ledger).await;
    // Both nodes are connected with the newer owner before it joins.
    tokio::time::sleep(LEASE).await;
    let began = world.begun("ledger");
    world.hang(&ledger, LEASE * 2);
    tokio::time::sleep(LEASE / 20).await;
    let dir = place.dir.to_str().unwrap().to_owned();
    let newer = Shop::tree(dir).on(Net::open(wire)).start();
    let newer = tokio::time::timeout(LONG, newer).await.unwrap().unwrap();
    until("it is replaced", || world.begun("ledger") > began).await;
    tokio::time::sleep(LEASE * 2).await;
    let lines = world.journal("ledger");
    journal::check_alone(&lines, 0);
    drop(newer.shutdown().await);
    world.gives_up().await;
}

/// Nodes do not run children for ever for an owner that stands still: another one may have to take over.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_whose_runtime_stands_still_loses_its_children() {
    let world = World::start(place(), &["one"]).await;
    world.answers(&world.shop.ledger).await;
    for _ in 0..2 {
        tokio::spawn(async { std::thread::sleep(STALL + 3 * LEASE) });
    }
    let begun = Instant::now();
    let has_ended = || world.journal("ledger").last().is_some_and(|line| line.what == "end");
    while !has_ended() {
        assert!(begun.elapsed() < STALL + 2 * LEASE + SHUTDOWN, "its children still act after {:?}", begun.elapsed());
        std::thread::sleep(Duration::from_millis(5));
    }
    println!("its children have gone down {:?} after it stood still", begun.elapsed());
    assert!(begun.elapsed() >= STALL, "{:?}", begun.elapsed());
    world.answers(&world.shop.ledger).await;
    assert_eq!(world.begun("ledger"), 2);
    world.ends(0).await;
}

/// All threads of the runtime are blocked, and the connection lives on threads of its own. After a while nothing is
/// renewed, and the process ends itself before the replacement acts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_whose_runtime_hangs_ends_itself() {
    let mut world = World::start(place(), &["one", "two"]).await;
    let ledger = world.shop.ledger.clone();
    world.answers(&ledger).await;
    let name = world.node_of(&ledger).await;
    let began = world.begun("ledger");
    let mut process = world.nodes.remove(&name).unwrap();
    world.count_killed();
    let begun = Instant::now();
    world.hang(&ledger, 10 * LONG);
    assert!(!process.ended(LONG).await);
    println!("the process has ended itself {:?} after it hung", begun.elapsed());
    assert!(begun.elapsed() >= STALL, "{:?}", begun.elapsed());
    assert!(begun.elapsed() < STALL + LEASE + SHUTDOWN + LEASE, "{:?}", begun.elapsed());
    until("it is replaced", || world.begun("ledger") > began).await;
    world.answers(&ledger).await;
    world.ends(0).await;
}
