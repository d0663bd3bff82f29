//! S5: no message is lost in silence. A tree is flooded through a thousand failures of every kind, and then the
//! messages are accounted for: sent = handled + returned to the sender + dead letters.

mod ledger;
mod runtime;

use std::collections::HashMap;

use supervise::error::{AskError, SendRejection};
use supervise::event::{Event, EventKind, Events};
use supervise::prelude::*;

use crate::common::{Boom, ms, quiet_panics, soon};
use ledger::{Depot, Ledger, Outcome, Parcel, What};

/// Random numbers from a seed, so that a failing run can be repeated.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

/// The way in which a producer sends.
#[derive(Clone, Copy, Debug)]
enum By {
    Tell,
    TryTell,
    Ask,
    /// Gives up after a while; the message may still be handled.
    AskImpatiently,
}

async fn send<A: Actor<Msg = Parcel>>(ledger: &Ledger, to: &ActorRef<A>, by: By, what: What) {
    match by {
        By::Tell => {
            if let Err(error) = to.tell(ledger.parcel(what, None)).await {
                assert_eq!(
                    error.reason(),
                    SendRejection::Ended,
                    "a tell waits for room, and for an actor that is down"
                );
                error.into_message().came_back();
            }
        }
        By::TryTell => {
            if let Err(error) = to.try_tell(ledger.parcel(what, None)) {
                error.into_message().came_back();
            }
        }
        By::Ask | By::AskImpatiently => ask(ledger, to, matches!(by, By::AskImpatiently), what).await,
    }
}

async fn ask<A: Actor<Msg = Parcel>>(ledger: &Ledger, to: &ActorRef<A>, impatient: bool, what: What) {
    let mut number = 0;
    let ask = to.ask(|reply| {
        let parcel = ledger.parcel(what, Some(reply));
        number = parcel.number;
        parcel
    });
    let asked = if impatient { ask.within(ms(4)).await } else { ask.forever().await };
    match asked {
        Ok(answer) => assert_eq!(
            (answer, ledger.outcome(number)),
            (number, Outcome::Handled),
            "the answer belongs to another parcel"
        ),
        Err(AskError::Refused { .. }) => ledger.refused(number),
        Err(AskError::TimedOut { .. }) if ledger.outcome(number) == Outcome::Dropped => ledger.refused(number), // found no room
        Err(AskError::TimedOut { .. } | AskError::NoReply { .. }) => {}
        Err(other) => panic!("{other:?}"),
    }
}

fn workers(depot: &Depot, ledger: &Ledger) -> Vec<ActorRef<ledger::Worker>> {
    let mut all = vec![depot.plain.clone(), depot.open.clone(), depot.slow.clone()];
    all.extend([depot.pair.a.clone(), depot.pair.b.clone()]);
    all.extend([depot.line.c.clone(), depot.line.d.clone(), depot.line.e.clone()]);
    all.extend(ledger.children());
    all
}

/// Sends harmless parcels, a few at a time, until the ledger closes.
async fn producer(depot: Depot, ledger: Ledger, by: By, mut dice: Dice) {
    while !ledger.is_closed() {
        let all = workers(&depot, &ledger);
        // Few enough that the dead letters of one end do not exceed the buffer of the listener.
        let some = if ledger.on_their_way() < 500 { dice.below(9) } else { 0 };
        for _ in 0..some {
            let what = match dice.below(8) {
                0 => What::Mute,
                1 => What::Work(1 + dice.below(3)),
                _ => What::Fine,
            };
            match dice.below(12) {
                0 => send(&ledger, &depot.boss, by, what).await,
                _ => send(&ledger, &all[dice.below(all.len() as u64) as usize], by, what).await,
            }
        }
        ledger.pause(1 + dice.below(5)).await;
    }
}

/// Causes one failure after the other.
struct Saboteur {
    depot: Depot,
    ledger: Ledger,
    dice: Dice,
    /// The workers that have, or will have, a parcel in hand that never ends.
    hanging: Vec<(ActorRef<ledger::Worker>, usize)>,
}

impl Saboteur {
    async fn strike(&mut self) {
        let (depot, ledger) = (&self.depot, &self.ledger);
        // A kill of a child that backs off is a stop (S6): so workers that hang are killed, and others only rarely.
        self.hanging.retain(|(to, number)| {
            if ledger.outcome(*number) == Outcome::Entered {
                to.kill();
            }
            ledger.outcome(*number) == Outcome::OnItsWay
        });
        let all = workers(depot, ledger);
        let to = &all[self.dice.below(all.len() as u64) as usize];
        let what = match self.dice.below(28) {
            0 => return to.kill(),
            1 | 2 => return ledger.children().last().into_iter().for_each(ActorRef::stop),
            3 | 4 => return ledger.fail_starts(1 + self.dice.below(3) as u32),
            5..8 => {
                let (depot, ledger) = (depot.clone(), ledger.clone());
                tokio::spawn(async move {
                    if let Ok(child) = depot.crew.spawn().await {
                        ledger.add_child(child);
                    }
                });
                return;
            }
            8..11 => return send(ledger, &depot.boss, By::TryTell, What::Spawn).await,
            11 => {
                let what = if self.dice.below(2) == 0 { What::Panic } else { What::Fail(Boom::Planned) };
                return send(ledger, &depot.boss, By::TryTell, what).await;
            }
            12..15 => {
                let parcel = ledger.parcel(What::Hang, None);
                self.hanging.push((to.clone(), parcel.number));
                return to.try_tell(parcel).unwrap_or_else(|error| error.into_message().came_back());
            }
            15 | 16 => What::Fail(Boom::Fatal),
            17 | 18 => What::Fail(Boom::Told),
            19..22 => What::Panic,
            _ => What::Fail(Boom::Planned),
        };
        send(ledger, to, By::TryTell, what).await;
    }
}

/// The sums of the events.
#[derive(Debug, Default)]
struct Tally {
    failed: usize,
    missed: u64,
    dead: u64,
    /// Failures by an error or a panic with a message in hand: those of the handler itself.
    broken: usize,
    /// Errors and panics of a handler while its actor was going down anyway.
    reported: usize,
    errors: usize,
    panics: usize,
    kills: usize,
    failed_restarts: usize,
    resumed: usize,
    escalated: usize,
    limits: usize,
    stopped: usize,
    /// Children restarted together with their group or their supervisor.
    along: usize,
    /// The incarnation of the last failure that was an event, by path.
    told: HashMap<String, u32>,
}

async fn listen(mut events: Events, ledger: Ledger) -> Tally {
    let mut tally = Tally::default();
    while let Some(event) = events.next().await {
        match event.kind {
            EventKind::Missed { events } => tally.missed += events,
            _ => tally.count(event),
        }
        ledger.has_failed(tally.failed);
    }
    tally
}

impl Tally {
    /// Checks that the run contained enough of every kind of event.
    fn saw_everything(&self) {
        assert!(self.failed >= 1000);
        assert!(self.errors > 100 && self.panics > 100 && self.kills > 50, "{self:?}");
        assert!(self.failed_restarts > 20 && self.resumed > 10 && self.escalated > 20 && self.limits > 20, "{self:?}");
        assert!(self.stopped > 50 && self.along > 50, "{self:?}");
    }

    fn count(&mut self, event: Event) {
        match &event.kind {
            EventKind::Failed { failure, message } if *failure.path() == event.path => {
                self.failed += 1;
                self.told.insert(event.path.clone(), event.incarnation);
                self.failed_restarts += usize::from(failure.phase() == Phase::Restart);
                match failure.cause() {
                    Cause::Error(_) => self.errors += 1,
                    Cause::Panic(_) => self.panics += 1,
                    Cause::Killed => self.kills += 1,
                    _ => {}
                }
                if let (Cause::Error(_) | Cause::Panic(_), Some(message)) = (failure.cause(), message) {
                    assert_eq!(*message, std::any::type_name::<Parcel>());
                    self.broken += 1;
                }
            }
            // Also raised for a failure that is absorbed when its group goes down or by a stop, after its `Failed`.
            EventKind::Reported { failure } if matches!(failure.cause(), Cause::Error(_) | Cause::Panic(_)) => {
                self.reported += usize::from(self.told.get(&event.path) != Some(&event.incarnation));
            }
            EventKind::Decided { directive: Directive::Resume, .. } => self.resumed += 1,
            EventKind::Escalated { .. } => self.escalated += 1,
            EventKind::LimitReached { .. } => self.limits += 1,
            EventKind::Ended { ended: Ended::Stopped } => self.stopped += 1,
            EventKind::Restarted if self.told.get(&event.path) != Some(&(event.incarnation - 1)) => self.along += 1,
            EventKind::DeadLetter { message, .. } => {
                assert_eq!(*message, std::any::type_name::<Parcel>());
                self.dead += 1;
            }
            _ => {}
        }
    }
}

/// Floods the tree until that many failures have happened, and shuts it down.
async fn flood(seed: u64, failures: usize, real: bool) -> (Ledger, Tally, u64) {
    quiet_panics();
    let ledger = Ledger::new(real);
    let depot = Depot::start(ledger.clone()).await.unwrap();
    let tally = tokio::spawn(listen(depot.events(), ledger.clone()));
    let last = if real { By::Ask } else { By::AskImpatiently };
    let producers: Vec<_> = [By::Tell, By::TryTell, By::Ask, last]
        .into_iter()
        .enumerate()
        .map(|(n, by)| tokio::spawn(producer(depot.handle(), ledger.clone(), by, Dice(seed + 7 * n as u64))))
        .collect();
    let mut saboteur =
        Saboteur { depot: depot.handle(), ledger: ledger.clone(), dice: Dice(seed + 100), hanging: Vec::new() };
    for _ in 0..400_000 / if real { 1 } else { 100 } {
        saboteur.strike().await;
        ledger.pause(3 + saboteur.dice.below(6)).await;
        if ledger.failures() >= failures {
            break;
        }
    }
    ledger.trouble_is_over();
    let tree = depot.handle();
    depot.shutdown().await;
    ledger.close();
    for producer in producers {
        soon(producer).await.unwrap(); // every tell and every ask finishes
    }
    (ledger, tally.await.unwrap(), tree.dead_letters())
}

/// Compares the counts of the ledger with those of the tree itself.
fn balance(ledger: &Ledger, tally: &Tally, dead_letters: u64) {
    let handled = ledger.count(Outcome::Handled) + ledger.count(Outcome::Entered) + ledger.count(Outcome::Broken);
    let returned = ledger.count(Outcome::Returned);
    assert_eq!(ledger.count(Outcome::OnItsWay), 0, "a parcel is left in the mailbox of an ended actor");
    assert_eq!(
        ledger.count(Outcome::Dropped) as u64,
        dead_letters,
        "each parcel that was neither handled nor returned is a dead letter"
    );
    assert_eq!(ledger.sent() as u64, handled as u64 + returned as u64 + dead_letters);
    if tally.missed == 0 {
        assert_eq!(tally.dead, dead_letters, "the events and the counter agree");
    }
}

/// S5: 1,000 failures of every kind, four producers, and every message is accounted for.
#[tokio::test(start_paused = true)]
async fn what_was_sent_is_handled_or_returned_or_a_dead_letter() {
    let (ledger, tally, dead_letters) = flood(7919, 1000, false).await;
    assert_eq!(tally.missed, 0, "the listener must keep up, otherwise the sums mean nothing");
    balance(&ledger, &tally, dead_letters);
    let named = tally.broken + tally.reported;
    assert_eq!(ledger.count(Outcome::Broken), named, "the event of a failure names the message in hand");
    tally.saw_everything();
    for outcome in [Outcome::Handled, Outcome::Entered, Outcome::Broken, Outcome::Returned, Outcome::Dropped] {
        assert!(ledger.count(outcome) > 50, "{outcome:?}: {}", ledger.count(outcome));
    }
}

/// S5: the same with real threads, where an end, a push and a return of a message really race.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_books_balance_on_several_threads_too() {
    let (ledger, tally, dead_letters) = flood(11, 150, true).await;
    balance(&ledger, &tally, dead_letters);
    assert!(tally.failed >= 150 && dead_letters > 0 && ledger.count(Outcome::Returned) > 0, "{tally:?}");
}
