//! Four writers under load, while the server is killed again and again.
//!
//! The exit code is 1 unless all of this is true:
//!
//! * a write that was acknowledged to its caller is in the table;
//! * the tree recovers by itself: the callers keep their handles from the beginning, and nothing is restarted
//!   manually;
//! * the table contains only requested rows.
//!
//! A caller retries its own failed writes. The caller does not know whether such a write was carried out; for the table
//! above this makes no difference.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use supervise::BoxError;
use supervise::event::{EventKind, Events};
use supervise::prelude::*;
use tokio::task::{JoinHandle, block_in_place};
use tokio::time::{Instant, sleep};

use crate::server::{Binaries, Server};
use crate::{Admin, Row, Writer, insist};

const WRITERS: usize = 4;

/// The time between each kill and the next start of the server. During the longer ones the writers meet a missing
/// server, during the shorter ones a server that still replays its log.
const AWAY: [Duration; 4] =
    [Duration::ZERO, Duration::from_millis(200), Duration::from_millis(1500), Duration::from_millis(700)];

/// The load before each kill.
const LOAD: Duration = Duration::from_millis(800);

/// The number of further writes after which a writer has recovered.
const HEALED: u64 = 20;

/// The time within which a writer must have recovered.
const TIME_TO_HEAL: Duration = Duration::from_secs(20);

supervisor! {
    struct Ledgers(url: String) {
        #[backoff(20ms..500ms, random_factor = 0.2, reset = 1s)]
        #[lifecycle(Permanent, start = 5s)]
        writers: [Writer; WRITERS] = |_index| Writer::connect(&url, "ledger").await?,
    }
}

/// A caller's record of its writer's answers.
#[derive(Default)]
struct Account {
    acknowledged: BTreeSet<i64>,
    /// Asks that ended with an error.
    failed: u64,
    /// Acknowledged at a later attempt, though the row existed: the first acknowledgement was lost.
    twice: u64,
}

pub async fn run(binaries: Binaries) -> Result<(), BoxError> {
    let mut server = block_in_place(|| Server::create(binaries))?;
    let admin = Admin::connect(&server.url(), "ledger").await?;
    let fsync: String = admin.client.query_one("SHOW fsync", &[]).await?.get(0);
    println!("{} with fsync {fsync}, in {}", admin.version().await?, server.folder().display());
    if fsync != "on" {
        return Err("an acknowledgement is worth nothing without fsync".into());
    }

    let mut tree = Ledgers::tree(server.url());
    let counted = tokio::spawn(count(tree.events()));
    let ledgers = tree.start().await?;

    let over = Arc::new(AtomicBool::new(false));
    let callers: Vec<Caller> = (0..).zip(&ledgers.writers).map(|(by, w)| Caller::begin(by, w.clone(), &over)).collect();
    for (kill, away) in (1..).zip(AWAY) {
        sleep(LOAD).await;
        let before = ledgers.writers.as_array().each_ref().map(ActorRef::incarnation);
        let (processes, _) = block_in_place(|| server.kill()).ok_or("there is no server to kill")?;
        sleep(away).await;
        block_in_place(|| server.start())?;
        let back = Instant::now();
        for (writer, (caller, before)) in ledgers.writers.iter().zip(callers.iter().zip(before)) {
            let goal = caller.writes.load(Relaxed) + HEALED;
            while caller.writes.load(Relaxed) < goal || writer.incarnation() == before {
                if back.elapsed() > TIME_TO_HEAL {
                    return Err(format!("{} has not recovered: {}", writer.path(), ledgers.snapshot().render()).into());
                }
                sleep(Duration::from_millis(5)).await;
            }
        }
        println!(
            "kill {kill}: {processes} processes; a new server after {:.1} s; {:.1} s after it is up all four write again",
            away.as_secs_f64(),
            back.elapsed().as_secs_f64()
        );
    }

    over.store(true, Relaxed);
    let mut accounts = Vec::new();
    for caller in callers {
        accounts.push(caller.work.await??);
    }
    let health = ledgers.health();
    let report = ledgers.shutdown().await;
    let Counts { failures, restarts, ended } = counted.await??;

    let rows = Admin::connect(&server.url(), "ledger").await?.rows().await?;
    let mut lost = 0;
    for (by, account) in (0..).zip(&accounts) {
        let kept: BTreeSet<i64> = rows.iter().filter(|row| row.by == by).map(|row| row.number).collect();
        lost += account.acknowledged.difference(&kept).count();
    }
    let acknowledged: usize = accounts.iter().map(|account| account.acknowledged.len()).sum();
    let failed: u64 = accounts.iter().map(|account| account.failed).sum();
    let twice: u64 = accounts.iter().map(|account| account.twice).sum();
    println!();
    println!("{acknowledged:6} writes acknowledged, {lost} of them lost, {} rows in the table", rows.len());
    println!("{failed:6} asks without an answer, all tried again; {twice} rows already existed");
    println!("{failures:6} failures of writers, {restarts} restarts, {} kills of the server", AWAY.len());

    let wrong = [
        (lost > 0, "acknowledged writes are lost"),
        (rows.len() != acknowledged, "there are rows without an acknowledgement"),
        ((restarts as usize) < AWAY.len() * WRITERS, "the writers did not notice each kill"),
        (ended, "a writer has ended"),
        (!health.is_healthy(), "the tree is not healthy"),
        (!report.is_orderly(), "the tree did not go down in order"),
    ];
    match wrong.into_iter().find(|(wrong, _)| *wrong) {
        Some((_, what)) => Err(what.into()),
        None => Ok(()),
    }
}

/// A caller that has rows written, one after the other. It is outside the tree and does not know about kills.
struct Caller {
    writes: Arc<AtomicU64>,
    work: JoinHandle<Result<Account, BoxError>>,
}

impl Caller {
    fn begin(by: i32, writer: ActorRef<Writer>, over: &Arc<AtomicBool>) -> Caller {
        let writes = Arc::new(AtomicU64::new(0));
        let work = tokio::spawn(call(by, writer, over.clone(), writes.clone()));
        Caller { writes, work }
    }
}

async fn call(
    by: i32,
    writer: ActorRef<Writer>,
    over: Arc<AtomicBool>,
    writes: Arc<AtomicU64>,
) -> Result<Account, BoxError> {
    let mut account = Account::default();
    for number in 0.. {
        if over.load(Relaxed) {
            break;
        }
        let row = Row { by, number };
        let (new, tries) = insist(&writer, row).await?;
        account.failed += tries - 1;
        match (new, tries) {
            (true, _) => {}
            (false, 1) => return Err(format!("{row:?} existed before it was requested").into()),
            (false, _) => account.twice += 1,
        }
        account.acknowledged.insert(number);
        writes.fetch_add(1, Relaxed);
    }
    Ok(account)
}

#[derive(Default)]
struct Counts {
    failures: u64,
    restarts: u64,
    /// Whether a writer has ended before the shutdown.
    ended: bool,
}

/// Reads the events until the tree has ended.
async fn count(mut events: Events) -> Result<Counts, String> {
    let mut counts = Counts::default();
    while let Some(event) = events.next().await {
        match &event.kind {
            EventKind::Missed { .. } => return Err(event.to_string()),
            EventKind::Failed { .. } => counts.failures += 1,
            EventKind::Restarted => counts.restarts += 1,
            EventKind::Ended { ended } if !ended.is_orderly() => counts.ended = true,
            _ => {}
        }
    }
    Ok(counts)
}
