//! Trees under chaos on several workers, with random operations from six threads; then everything is calm, and the promises
//! are checked.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use supervise::error::{AskError, SendRejection};
use supervise::inspect::{ChildReport, Report};
use supervise::prelude::*;
use supervise::testing::chaos;
use tokio::time::timeout;

use crate::tree::{Top, ask, ms, tell, tell_now};
use crate::world::World;
use crate::{number, within};

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

/// The end of a run: nothing is left, and each message is accounted for.
async fn ends(report: Option<&Report>, world: &World) {
    // The children of the root go down one after the other.
    let of_root = |child: &&ChildReport| !child.path.contains('/');
    let children = report.iter().flat_map(|report| report.children.iter().filter(of_root));
    let took: Duration = children.map(|child| child.took).sum();
    if took > Duration::from_secs(5) {
        world.wrong(format!("the shutdown took {took:?}: {report:?}"));
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
    world.forget_actors();
    let (sent, entered) = (world.sent.load(SeqCst), world.entered.load(SeqCst));
    let (returned, given_up) = (world.returned.load(SeqCst), world.given_up.load(SeqCst));
    let dropped = world.dropped.load(SeqCst);
    if sent != entered + dropped {
        world.wrong(format!("{sent} sent, {entered} handled, {dropped} dropped: some are neither"));
    }
    if let Some(tree) = world.take_only_tree()
        && world.is_exact()
        && dropped - returned - given_up != tree.dead_letters()
    {
        let (dead, lost) = (tree.dead_letters(), dropped - returned - given_up);
        world.wrong(format!(
            "{lost} lost, {dead} dead letters: {dropped} dropped, {returned} returned, {given_up} given up"
        ));
    }
    let wrong = world.take_wrong();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the amount of activity: instances, messages sent and handled, actors taken over.
fn walk(seed: u64, workers: usize) -> [u64; 4] {
    let world = World::new(seed);
    let of = || world.clone();
    let (makes, calls, calms, looks, leaves) = (of(), of(), of(), of(), of());
    let report = chaos(move || {
        makes.begin_tree();
        Top::tree(makes.clone())
    })
    .workers(workers)
    .users(6)
    .seed(seed)
    .lasts(WALK)
    .faults(60)
    .within(Duration::from_secs(120))
    .error(|| "planned: injected")
    .messages(async move |top: &Top, _| {
        operation(top, &calls).await;
        if calls.one_in(4) {
            tokio::task::yield_now().await;
        }
    })
    .calms(move |_| calms.calm_down())
    .holds(async move |top| {
        calm(top, &looks).await;
        looks.set_tree(TreeRef::clone(top));
    })
    .afterwards(async move |report| ends(report, &leaves).await)
    .run();
    let [made, sent, entered, linked] =
        [&world.made, &world.sent, &world.entered, &world.linked].map(|count| count.load(SeqCst));
    println!("seed {seed}: {made} instances, {sent} messages, {entered} handled, {linked} links; {report}");
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
            let went_on = walk(seed, workers);
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
