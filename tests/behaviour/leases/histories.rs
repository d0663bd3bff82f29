//! Random histories of three replicas that contend for one lease, against its promises.

use std::env::var;
use std::hash::{BuildHasher as _, RandomState};

use supervise::testing::{LeaseFault, MemoryLease, advance, settle, suspended};
use tokio::task::JoinHandle;

use super::*;

/// The number of histories of each run of this test.
const HISTORIES: u64 = 100;

const TTL: f64 = 6.0;

/// Numbers that follow from a seed (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }

    fn time(&mut self, most: f64) -> Duration {
        Duration::from_millis(self.next() % (most * 1000.0) as u64)
    }
}

struct Replica {
    lease: MemoryLease,
    run: Option<(tokio::sync::oneshot::Sender<()>, JoinHandle<()>)>,
}

impl Replica {
    fn begin(&mut self, log: &Log, random: &mut Random) {
        let times = Times { start: random.time(4.0), stop: random.time(4.0) };
        let (over, until) = tokio::sync::oneshot::channel();
        let run = Shop::tree(log.clone(), times).only_with(self.lease.clone()).run(until);
        let run = tokio::spawn(async move { drop(run.await.expect("a tree without failures")) });
        self.run = Some((over, run));
    }
}

/// Runs one history. Faults, suspensions, stops and kills of replicas follow each other at random.
async fn history(seed: u64) {
    let mut random = Random(seed);
    let (log, lease) = (Log::default(), MemoryLease::new("shop").ttl(secs(TTL)));
    let mut replicas: Vec<Replica> = (0..3).map(|_| Replica { lease: lease.contender(), run: None }).collect();
    for replica in &mut replicas {
        replica.begin(&log, &mut random);
    }
    for _ in 0..5 + random.below(35) {
        let replica = &mut replicas[random.below(3)];
        match random.below(12) {
            0..6 => {
                let delay = random.time(TTL);
                let faults = [
                    LeaseFault::None,
                    LeaseFault::Cut,
                    LeaseFault::LostAnswers,
                    LeaseFault::Hang,
                    LeaseFault::Delay(delay),
                    LeaseFault::Delay(delay / 20),
                ];
                replica.lease.set_fault(faults[random.below(faults.len())]);
            }
            6 => suspended(random.time(2.0 * TTL)),
            7 => match replica.run.take() {
                Some((over, _)) => drop(over.send(())),
                None => replica.begin(&log, &mut random),
            },
            8 => {
                if let Some((_, run)) = replica.run.take() {
                    run.abort();
                }
                replica.begin(&log, &mut random);
            }
            _ => {}
        }
        advance(random.time(TTL)).await;
    }
    // The faults cease, and each replica lives.
    for replica in &mut replicas {
        replica.lease.set_fault(LeaseFault::None);
        if replica.run.is_none() {
            replica.begin(&log, &mut random);
        }
    }
    advance(secs(5.0 * TTL)).await;
    assert!(log.quiet() <= secs(0.1), "seed {seed}: up again");
    let tokens = log.tokens();
    assert!(tokens.is_sorted(), "seed {seed}: two acted at once: {tokens:?}");
    assert_eq!(Some(&lease.holder().expect("held")), tokens.last(), "seed {seed}");
    for (over, run) in replicas.into_iter().filter_map(|replica| replica.run) {
        let _ = over.send(());
        run.await.unwrap();
    }
    settle().await;
    assert_eq!(lease.holder(), None, "seed {seed}: given back");
}

/// S55: whatever happens to three replicas and to the lease, no two of them act at once, tokens grow, and once the faults
/// cease one of them acts. `HISTORIES=10000 SEED=7` for more of them.
#[test]
fn no_two_act_at_once() {
    let many = var("HISTORIES").map_or(HISTORIES, |many| many.parse().unwrap());
    let first: u64 = var("SEED").map_or_else(|_| RandomState::new().hash_one(0), |seed| seed.parse().unwrap());
    println!("SEED={first}");
    for seed in (0..many).map(|n| first.wrapping_add(n)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(history(seed));
    }
}
