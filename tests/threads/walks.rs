//! Random operations from six tasks, then a calm phase, then a shutdown; the promises are checked all the time.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use supervise::error::{AskError, SendRejection};
use supervise::event::{Event, EventKind, Events};
use supervise::prelude::*;
use tokio::time::timeout;

use crate::tree::{Top, ask, ms, start_top, tell, tell_now};
use crate::world::World;
use crate::{number, runtime, within};

/// The duration of one random walk before a new tree is created.
///
/// Short, because damage is found only in the calm phase at the end.
const WALK: Duration = Duration::from_millis(150);

/// One operation from outside.
pub async fn operation(top: &Top, world: &Arc<World>) {
    let workers = top.workers();
    let worker = &workers[world.draw(workers.len() as u64) as usize];
    let trees = top.trees();
    let tree = &trees[world.draw(trees.len() as u64) as usize];
    let patience = Duration::from_micros(world.draw(3_000));
    match world.draw(110) {
        0 => worker.stop(),
        1 => worker.kill(),
        2 => drop(worker.restart()),
        3..=9 => drop(worker.start_again()),
        10 => worker.drain(),
        11 => drop(tree.restart()),
        12 if world.one_in(4) => tree.stop(),
        13 if world.one_in(4) => tree.kill(),
        14..=19 => drop(tree.start_again()),
        20..=25 => drop(timeout(patience, top.alone.set.spawn(world.draw(1 << 40))).await),
        26 => drop(timeout(patience, top.rest.below.twins.spawn(world.draw(1 << 40))).await),
        27..=33 => {
            if let Ok(Ok(worker)) = timeout(patience, top.alone.keyed.get_or_spawn(world.draw(6))).await {
                tell_now(world, &worker, world.draw(64));
            }
        }
        34 => drop(timeout(patience, top.alone.keyed.spawn(world.draw(6))).await),
        35 => drop(top.alone.keyed.stop(&world.draw(6))),
        36 => {
            if let Some(worker) = top.alone.keyed.get(&world.draw(6)) {
                tell_now(world, &worker, world.draw(64));
            }
        }
        37..=39 => drop(timeout(patience, top.alone.jobs.spawn(world.draw(1 << 40))).await),
        40 => drop(top.snapshot().render()),
        41 => drop(format!("{:?}", top.health())),
        42 => drop(timeout(patience, worker.terminated()).await),
        43 => drop(timeout(patience, top.ready()).await),
        44 => drop(timeout(patience, tree.join()).await),
        45 => {
            let mut events = top.events();
            drop(timeout(patience, events.next()).await);
        }
        46 => top.alone.job.stop(),
        47 => drop(top.alone.job.start_again()),
        48 => top.alone.job.kill(),
        55 => drop(timeout(patience, worker.shutdown().within(patience)).await),
        56 if world.one_in(4) => drop(timeout(patience, tree.shutdown().within(patience)).await),
        57 => top.alone.set.stop_all(),
        58 => top.alone.keyed.stop_all(),
        59 => top.alone.set.handles().iter().for_each(|worker| tell_now(world, worker, world.draw(64))),
        60 => top.alone.keyed.handles().iter().for_each(|(_, worker)| tell_now(world, worker, world.draw(64))),
        49..=54 if !world.is_exact() => drop(ask(world, worker, patience).await),
        _ if world.one_in(2) => tell_now(world, worker, world.draw(200)),
        _ => tell(world, worker, world.draw(200), patience).await,
    }
}

async fn user(top: Top, world: Arc<World>, until: Instant) {
    while Instant::now() < until {
        operation(&top, &world).await;
        if world.one_in(4) {
            tokio::task::yield_now().await;
        }
    }
}

/// After the random operations every actor can be reached again: an actor that does not answer has ended, and its
/// handle reports this.
async fn calm(top: &Top, world: &Arc<World>) {
    for worker in top.workers() {
        let mut tries = 0;
        loop {
            tries += 1;
            match ask(world, &worker, Duration::from_secs(20)).await {
                Ok(()) => break,
                Err(AskError::Refused { reason: SendRejection::Ended, .. }) if worker.ended().is_some() => break,
                // The worker, or its tree, fails because of messages that were queued before the question.
                Err(AskError::NoReply { .. } | AskError::Refused { .. }) if tries < 2_000 => {
                    tokio::time::sleep(ms(1)).await;
                }
                Err(error) => {
                    let node = top.snapshot().render();
                    world.wrong(format!("{} does not answer ({tries} tries): {error}\n{node}", worker.path()));
                    return;
                }
            }
        }
    }
}

/// Checks that only ordered failures occur: the library's own code does not panic.
async fn only_what_was_told(mut events: Events, world: Arc<World>) {
    while let Some(event) = events.next().await {
        if let Ok(Event { path, kind: EventKind::Failed { failure, .. } | EventKind::Reported { failure }, .. }) = event
            && let Cause::Panic(text) | Cause::Bug(text) = failure.cause()
            && !text.starts_with("planned")
        {
            world.wrong(format!("{path}: {failure}"));
        }
    }
}

/// Returns the amount of activity: instances, messages sent and handled, actors taken over.
async fn walk(seed: u64) -> [u64; 4] {
    let world = World::new(seed);
    let top = start_top(&world, seed).await;
    let until = Instant::now() + WALK;
    let users: Vec<_> = (0..6).map(|_| tokio::spawn(user(top.handle(), world.clone(), until))).collect();
    let heard = tokio::spawn(only_what_was_told(top.events(), world.clone()));
    for user in users {
        user.await.unwrap();
    }
    world.calm_down();
    calm(&top, &world).await;

    let tree = TreeRef::clone(&top);
    let begun = Instant::now();
    let report = top.shutdown().await;
    let took = begun.elapsed();
    if took > Duration::from_secs(5) {
        let slow = report.children.iter().filter(|child| child.took > Duration::from_secs(1));
        world.wrong(format!("the shutdown took {took:?}: {:?}", slow.collect::<Vec<_>>()));
    }
    let stuck: Vec<_> = report.children.iter().filter(|child| child.stuck).collect();
    if !stuck.is_empty() {
        world.wrong(format!("stuck: {stuck:?}"));
    }
    if tree.ended().is_none() {
        world.wrong("the tree was shut down, and has not ended".into());
    }
    // Nothing is left, including the actors that left the tree, once they are stopped.
    let mut waited = 0;
    while !world.living().is_empty() && waited < 5_000 {
        world.stop_leavers();
        tokio::time::sleep(ms(1)).await;
        waited += 1;
    }
    for who in world.living() {
        world.wrong(format!("still alive: {who}"));
    }
    heard.await.unwrap();
    let (sent, entered) = (world.sent.load(SeqCst), world.entered.load(SeqCst));
    let (returned, given_up) = (world.returned.load(SeqCst), world.given_up.load(SeqCst));
    let dropped = world.dropped.load(SeqCst);
    if sent != entered + dropped {
        world.wrong(format!("{sent} sent, {entered} handled, {dropped} dropped: some are neither"));
    }
    let (dead, lost) = (tree.dead_letters(), dropped - returned - given_up);
    if world.is_exact() && lost != dead {
        world.wrong(format!(
            "{lost} lost, {dead} dead letters: {dropped} dropped, {returned} returned, {given_up} given up"
        ));
    }
    let wrong = world.take_wrong();
    assert!(wrong.is_empty(), "seed {seed}: {}", wrong.join("\n"));
    let made = world.made.load(SeqCst);
    let linked = world.linked.load(SeqCst);
    println!("seed {seed}: {made} instances, {sent} messages, {entered} handled, {linked} links, shutdown in {took:?}");
    [made, sent, entered, linked]
}

/// Runs random walks on this number of workers, each with a new tree, for half of the time.
fn walks(workers: usize) {
    let time = Duration::from_secs(number("THREADS_SECONDS", 10)) / 2;
    let first = number("SEED", u64::from(std::process::id())).wrapping_mul(1_000).wrapping_add(workers as u64 * 500);
    println!("first seed {first}");
    let begun = Instant::now();
    let all = Arc::new(std::sync::Mutex::new([0; 4]));
    for seed in first.. {
        let sum = all.clone();
        within(Duration::from_secs(120), &format!("the walk of seed {seed} on {workers} workers"), move || {
            let runtime = runtime(workers);
            let went_on = runtime.block_on(walk(seed));
            drop(runtime);
            sum.lock().unwrap().iter_mut().zip(went_on).for_each(|(sum, n)| *sum += n);
        });
        if begun.elapsed() >= time {
            let walks = seed - first + 1;
            let [made, sent, entered, linked] = *all.lock().unwrap();
            assert!(made > 20 * walks && sent > 50 * walks && entered > 20 * walks, "the walks do too little");
            // Every other walk has links, but on a busy machine a walk may be too short for one.
            assert!(linked > 0 || walks < 10, "{walks} walks, and no actor was taken over");
            break;
        }
    }
}

/// S1, S5, S25: never two instances, every message is accounted for, every actor answers or has ended.
#[test]
fn walks_on_two_workers() {
    walks(2);
}

/// S1, S5, S25: the same with more workers than processors.
#[test]
fn walks_on_four_workers() {
    walks(4);
}
