//! A club with a door and an unknown number of guests, who arrive while the door keeps breaking.
//!
//! Proves that a `[T]` under load survives the restarts of its supervisor (S27): every spawn and every ask ends with an
//! answer or an error; no instance leaks or outlives its group; and the same handle accepts guests afterwards.

use supervise::error::{AskError, SpawnError};
use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, settle};

supervisor! {
    struct Club(journal: Journal) {
        #![strategy(AllForOne, max_restarts = Unlimited)]
        door: Probe = Probe::start("door", journal).await?,
        guests: [Probe] = |n: u64| Probe::start(format!("guest {n}"), journal).await?,
        bar: Probe = Probe::start("bar", journal).await?,
    }
}

/// The results that one visitor has seen.
#[derive(Default, Debug)]
struct Seen {
    served: u32,
    lost: u32,
    refused: u32,
}

async fn visitor(club: Club, n: u64) -> Seen {
    let mut seen = Seen::default();
    for round in 0..40 {
        let guest = match club.guests.spawn(n).await {
            Ok(guest) => guest,
            Err(SpawnError::Stopping { .. }) => {
                seen.refused += 1;
                tokio::time::sleep(ms(1)).await;
                continue;
            }
            Err(other) => panic!("{other:?}"),
        };
        let _ = guest.tell(Do::Work(ms(n % 7))).await;
        match guest.ask(Do::Get).await {
            Ok(_) => seen.served += 1,
            Err(AskError::NoReply { .. } | AskError::Refused { .. }) => seen.lost += 1,
            Err(other) => panic!("{other:?}"),
        }
        if round % 2 == 0 {
            guest.stop();
        }
    }
    seen
}

#[tokio::test(start_paused = true)]
async fn a_set_under_load_survives_the_restarts_of_its_group() {
    let journal = Journal::default();
    let club = Club::start(journal.clone()).await.unwrap();
    // Going down takes time, so that spawns arrive in every part of it.
    journal.plan("door post_stop", 1000, Fault::Slow(ms(3)));
    journal.plan("bar post_stop", 1000, Fault::Slow(ms(3)));
    let visitors: Vec<_> = (0..12).map(|n| tokio::spawn(visitor(club.handle(), n))).collect();
    let breaking = {
        let club = club.handle();
        tokio::spawn(async move {
            for _ in 0..12 {
                tokio::time::sleep(ms(11)).await;
                assert!(club.ready().await);
                club.door.tell(Do::Fail(Boom::Told)).await.unwrap();
            }
        })
    };
    let mut all = Seen::default();
    for visitor in visitors {
        let seen = visitor.await.unwrap();
        all.served += seen.served;
        all.lost += seen.lost;
        all.refused += seen.refused;
    }
    breaking.await.unwrap();
    tokio::time::sleep(ms(1000)).await;
    assert_eq!(all.served + all.lost + all.refused, 12 * 40);
    assert!(all.served > 100 && all.lost > 0, "both results occurred: {all:?}");
    assert_eq!([club.door.incarnation(), club.bar.incarnation()], [13, 13]);

    // A last restart ends all remaining instances; then every instance that was created is dropped.
    club.bar.tell(Do::Fail(Boom::Told)).await.unwrap();
    tokio::time::sleep(ms(1000)).await;
    assert!(club.guests.is_empty());
    let lines = journal.take();
    let count = |end: &str| lines.iter().filter(|line| line.starts_with("guest") && line.ends_with(end)).count();
    assert_eq!(count(" pre_start"), count(" drop"));
    assert_eq!(count(" pre_start"), count(" post_stop"), "every instance ran its post_stop");

    let late = club.guests.spawn(99).await.unwrap();
    assert_eq!(late.ask(Do::Get).await.unwrap(), 0);
    club.shutdown().await;
    settle().await;
    assert!(late.ended().is_some());
}
