//! A hundred thousand actors in one tree, under load; in each second, a hundred of them fail.
//!
//! ```text
//! cargo run --example 15_fleet
//! ```
//!
//! Each van of the fleet is a separate child, spawned by its number, with a mailbox, a restart budget and a path. For
//! five seconds each van gets one parcel per second, and one van in a thousand breaks down. The example exits with
//! code 1 unless, at the end:
//!
//! * the number of restarts in the events of the tree is the number of breakdowns ordered;
//! * every parcel was delivered, including those for a van that was being restarted;
//! * all vans are still running.
//!
//! Look at the memory of a child, and at the parcels: 500 failures lose none of them.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use supervise::error::KeyedError;
use supervise::event::{EventKind, Events};
use supervise::prelude::*;
use tokio::time::interval;

const VANS: u32 = 100_000;
const SECONDS: u32 = 5;
/// The number of slices of a second; in each slice, a hundredth of the parcels is sent.
const SLICES: u32 = 100;

supervisor! {
    struct Fleet(delivered: Arc<AtomicU64>) {
        // All vans stop at once, within this one deadline.
        #[lifecycle(Transient, shutdown = 20s)]
        vans: [u32 => Van] = |_number: u32| Van { delivered },
    }
}

/// Delivers parcels.
struct Van {
    /// Shared by the whole fleet, since a van loses its own state when it breaks down.
    delivered: Arc<AtomicU64>,
}

#[derive(Debug, thiserror::Error)]
#[error("the engine is dead")]
struct EngineDead;

#[actor]
impl Van {
    #[message]
    fn deliver(&mut self) {
        self.delivered.fetch_add(1, Relaxed);
    }

    #[message]
    fn break_down(&mut self) -> Result<(), Thrown> {
        Err(EngineDead.into())
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("15_fleet: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let whole = Instant::now();
    let delivered = Arc::new(AtomicU64::new(0));
    let fleet = Fleet::start(delivered.clone()).await?;

    let before = resident();
    let vans = spawn_all(&fleet).await?;
    let after = resident();
    println!("{VANS} vans are up after {:.1} s", whole.elapsed().as_secs_f64());
    if let (Some(before), Some(after)) = (before, after) {
        let each = after.saturating_sub(before) * 1024 / u64::from(VANS);
        println!("resident: {before} kB before, {after} kB with them: {each} bytes a van");
    }
    println!();

    // Subscribe only now: the start emits 100,000 events, and a subscriber that does not read misses some.
    let mut events = fleet.events();
    let (mut ordered, mut seen) = (Ordered::default(), Seen::default());
    let mut clock = interval(Duration::from_secs(1) / SLICES);
    for second in 0..SECONDS {
        for slice in 0..SLICES {
            clock.tick().await;
            for number in (slice..VANS).step_by(SLICES as usize) {
                let van = &vans[number as usize];
                // One van of each thousand, a different one in each second. The next parcel has to wait.
                if number % 1000 == number / 1000 + 7 * second {
                    van.break_down().forget().await?;
                    ordered.breakdowns += 1;
                }
                van.deliver().forget().await?;
                ordered.parcels += 1;
            }
            seen.read(&mut events)?;
        }
        println!("second {}: {} breakdowns ordered so far, {} restarts", second + 1, ordered.breakdowns, seen.restarts);
    }

    // A van delivers only after its restart, so once all parcels are delivered, every restart is in the events.
    let patience = Instant::now();
    while delivered.load(Relaxed) < ordered.parcels && patience.elapsed() < Duration::from_secs(10) {
        clock.tick().await;
    }
    seen.read(&mut events)?;
    let delivered = delivered.load(Relaxed);
    let living = fleet.vans.len();
    let report = fleet.shutdown().await;

    println!("\n{} breakdowns ordered, {} failures, {} restarts", ordered.breakdowns, seen.failures, seen.restarts);
    println!("{} parcels ordered, {delivered} delivered", ordered.parcels);
    println!("{living} vans at the end; all of it took {:.1} s", whole.elapsed().as_secs_f64());
    let restarted = (seen.failures, seen.restarts) == (ordered.breakdowns, ordered.breakdowns);
    if restarted && delivered == ordered.parcels && living == VANS as usize && report.is_orderly() {
        Ok(())
    } else {
        Err("these numbers do not agree".into())
    }
}

/// Spawns several vans at a time, since each spawn waits until its van is up.
async fn spawn_all(fleet: &Fleet) -> Result<Vec<ActorRef<Van>>, Box<dyn Error>> {
    const AT_A_TIME: u32 = 100;
    let spawners: Vec<_> = (0..AT_A_TIME)
        .map(|nth| {
            let vans = fleet.vans.clone();
            tokio::spawn(async move {
                let mut up = Vec::new();
                for number in VANS / AT_A_TIME * nth..VANS / AT_A_TIME * (nth + 1) {
                    up.push(vans.spawn(number).await?);
                }
                Ok::<_, KeyedError<_>>(up)
            })
        })
        .collect();
    let mut vans = Vec::with_capacity(VANS as usize);
    for spawner in spawners {
        vans.extend(spawner.await??);
    }
    Ok(vans)
}

#[derive(Default)]
struct Ordered {
    parcels: u64,
    breakdowns: u64,
}

/// Counts of the events of the tree.
#[derive(Default)]
struct Seen {
    failures: u64,
    restarts: u64,
}

impl Seen {
    /// Reads the available events. Fails if some were missed, since the counts are then wrong.
    fn read(&mut self, events: &mut Events) -> Result<(), String> {
        while let Some(event) = events.try_next() {
            match event.kind {
                EventKind::Missed { .. } => return Err(event.to_string()),
                EventKind::Failed { .. } => self.failures += 1,
                EventKind::Restarted => self.restarts += 1,
                _ => {}
            }
        }
        Ok(())
    }
}

/// Returns the resident memory of the process in kB; only on Linux.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.trim().strip_suffix(" kB")?.parse().ok()
}
