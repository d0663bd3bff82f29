//! A plant of three levels below the root: a hall, a line in the hall, and machines on the line.
//!
//! Proves that a failure that no level below can handle is escalated level by level (S8, S19): each supervisor asks its
//! own decider, takes down only its own children, and at the root the tree ends with the first failure (S20).

use supervise::prelude::*;

use crate::common::{Boom, Do, Journal, Probe, seen, settle};

supervisor! {
    struct Plant(journal: Journal) {
        #![decider(Boom::Fatal => Escalate, _ => Restart)]
        office: Probe = Probe::start("office", journal).await?,
        hall: struct Hall {
            #![strategy(OneForOne, max_restarts = 1, within = 1min)]
            #![decider(Boom::Fatal => Escalate, _ => Restart)]
            light: Probe = Probe::start("light", journal).await?,
            line: struct Line {
                #![strategy(RestForOne)]
                #![decider(Boom::Told => Restart, _ => Escalate)]
                press: Probe = Probe::start("press", journal).await?,
                drill: Probe = Probe::start("drill", journal).await?,
            },
        },
    }
}

/// The incarnation of every machine: office, light, press, drill.
fn incarnations(plant: &Plant) -> [u32; 4] {
    let hall = &plant.hall;
    [plant.office.incarnation(), hall.light.incarnation(), hall.line.press.incarnation(), hall.line.drill.incarnation()]
}

async fn fail(machine: &ActorRef<Probe>, boom: Boom) {
    machine.tell(Do::Fail(boom)).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_healed_at_the_lowest_level_that_can() {
    let plant = Plant::start(Journal::default()).await.unwrap();
    fail(&plant.hall.line.drill, Boom::Told).await;
    assert_eq!(incarnations(&plant), [1, 1, 1, 2], "the line restarts the drill and the machines after it");
    fail(&plant.hall.line.press, Boom::Planned).await;
    assert_eq!(incarnations(&plant), [1, 1, 2, 3], "the hall restarts the whole line");
    assert_eq!(plant.hall.line.incarnation(), 2);
    fail(&plant.hall.line.press, Boom::Planned).await;
    assert_eq!(
        incarnations(&plant),
        [1, 2, 3, 4],
        "the line's budget in the hall is used up, so the root restarts the hall"
    );
    assert_eq!([plant.incarnation(), plant.hall.incarnation(), plant.hall.line.incarnation()], [1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn an_unhandled_failure_ends_the_plant_with_the_first_failure() {
    let journal = Journal::default();
    let plant = Plant::start(journal.clone()).await.unwrap();
    let mut events = plant.events();
    let handle = plant.handle();
    plant.hall.line.drill.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    let report = plant.join().await;
    let Ended::Failed(failure) = &report.ended else { panic!("{report}") };
    assert_eq!((failure.path(), failure.error()), ("hall/line/drill", Some(&Boom::Fatal)));
    let climbing: Vec<_> =
        seen(&mut events).into_iter().filter(|line| line.contains("decided") || line.contains("escalated")).collect();
    assert_eq!(
        climbing,
        [
            "hall/line/drill decided Escalate",
            "hall/line escalated",
            "hall/line decided Escalate",
            "hall escalated",
            "hall decided Escalate",
            "Plant escalated",
        ]
    );
    settle().await;
    let stops: Vec<_> = journal.take().into_iter().filter(|line| line.ends_with("post_stop")).collect();
    assert_eq!(stops, ["drill post_stop", "press post_stop", "light post_stop", "office post_stop"]);
    assert!(handle.office.tell(Do::Add(1)).await.is_err());
}
