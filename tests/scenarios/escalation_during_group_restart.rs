//! A ship whose engine room is started as a group, and whose second start fails in a way that the group cannot handle.
//!
//! Proves that an escalation in the middle of a group restart (S19) stops that restart at once: nothing new begins, the
//! parent's restart replaces it, and nothing is restarted twice.

use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, seen, settle};

supervisor! {
    struct Ship(journal: Journal, parent: Directive) {
        #![decider(move |_: &Failure| parent)]
        bridge: Probe = Probe::start("bridge", journal).await?,
        room: struct Room {
            #![strategy(AllForOne)]
            #![decider(Boom::Planned => Escalate, _ => Restart)]
            fuel: Probe = Probe::start("fuel", journal).await?,
            pump: Probe = Probe::start("pump", journal).await?,
            engine: Probe = Probe::start("engine", journal).await?,
        },
    }
}

async fn midway(parent: Directive) -> (Running<Ship>, Journal, supervise::event::Events) {
    let journal = Journal::default();
    let ship = Ship::start(journal.clone(), parent).await.unwrap();
    let events = ship.events();
    journal.take();
    journal.plan("pump start", 1, Fault::Error);
    ship.room.engine.tell(Do::Fail(Boom::Told)).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    settle().await;
    (ship, journal, events)
}

fn starts(journal: &Journal) -> Vec<String> {
    journal.take().into_iter().filter(|line| line.ends_with(" start") || line.ends_with("post_stop")).collect()
}

#[tokio::test(start_paused = true)]
async fn the_parents_restart_replaces_that_of_the_group() {
    let (ship, journal, mut events) = midway(Directive::Restart).await;
    assert_eq!(
        starts(&journal),
        [
            "engine post_stop",
            "pump post_stop",
            "fuel post_stop",
            "fuel start",
            "pump start",
            // The engine is not started: the room has failed, and goes down because the ship restarts it.
            "fuel post_stop",
            "fuel start",
            "pump start",
            "engine start",
        ]
    );
    assert_eq!(ship.room.engine.ask(Do::Incarnation).await.unwrap(), 2);
    assert_eq!([ship.room.incarnation(), ship.bridge.incarnation()], [2, 1]);
    let lines = seen(&mut events);
    assert_eq!(lines.iter().filter(|line| *line == "room escalated").count(), 1, "{lines:?}");
    assert_eq!(lines.iter().filter(|line| *line == "room/engine restarted").count(), 1, "{lines:?}");
}

#[tokio::test(start_paused = true)]
async fn the_parents_resume_goes_on_where_the_group_was() {
    let (ship, journal, _) = midway(Directive::Resume).await;
    let lines = starts(&journal);
    assert_eq!(lines[..5], ["engine post_stop", "pump post_stop", "fuel post_stop", "fuel start", "pump start"]);
    assert_eq!(ship.room.incarnation(), 1);
    assert_eq!(ship.room.engine.ask(Do::Incarnation).await.unwrap(), 2, "{lines:?}");
    assert_eq!(lines.last().map(String::as_str), Some("engine start"));
}

#[tokio::test(start_paused = true)]
async fn the_parents_stop_takes_the_rest_down() {
    let (ship, journal, _) = midway(Directive::Stop).await;
    let lines = starts(&journal);
    assert_eq!(lines[3..], ["fuel start", "pump start", "fuel post_stop"]);
    assert!(matches!(ship.room.ended(), Some(Ended::Failed(failure)) if failure.path() == "room/pump"));
    assert!(ship.bridge.ended().is_none());
}
