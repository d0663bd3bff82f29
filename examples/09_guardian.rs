//! The way of a failure that no supervisor decides: up to the root of a tree, or to the guardian.
//!
//! * In a tree, each supervisor decides or escalates. A supervisor that escalates fails itself, and the supervisor
//!   above decides. Look at the events: they show the same failure at every level, with the path of the actor that
//!   failed first. The root has no supervisor. The tree ends, and the caller of `join` gets the report; the program
//!   goes on.
//! * Outside of trees, actors are supervised by the guardian. There is one guardian in a process. Its strategy is set
//!   once, before it supervises any actor. Here it is `STOPPING`, which stops every actor that fails. A decider of the
//!   actor itself still comes first.
//!
//! The rules are S19, S20 (escalation) and S39 (the guardian). Akka sets the guardian in a configuration file.

use anyhow::{bail, ensure};
use supervise::event::EventKind;
use supervise::guardian;
use supervise::prelude::*;

supervisor! {
    struct Bank {
        #![decider(_ => Escalate)]

        branch: struct Branch {
            #![decider(Trouble::Shortfall => Restart, Trouble::Robbery => Escalate)]

            counter: struct Counter {
                #![decider(_: Trouble => Escalate)]
                till: Till = Till,
            },
        },
    }
}

struct Till;

#[derive(Debug, Clone, Copy, thiserror::Error)]
enum Trouble {
    #[error("some money is missing")]
    Shortfall,
    #[error("all money is gone")]
    Robbery,
}

#[actor]
impl Till {
    #[message]
    fn count(&self) {}

    #[message]
    fn suffer(&mut self, trouble: Trouble) -> Result<(), Thrown> {
        Err(trouble.into())
    }
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> anyhow::Result<()> {
    in_a_tree().await?;
    outside().await
}

async fn in_a_tree() -> anyhow::Result<()> {
    let bank = Bank::start().await?;
    let mut events = bank.events();
    let till = bank.branch.counter.till.clone();

    println!("the bank supervises a branch, the branch a counter, the counter a till");
    println!("some money is missing: the branch can decide");
    till.suffer(Trouble::Shortfall).forget().await?;
    till.count().await?; // waits until the till is up again
    show(&mut events);
    ensure!(till.incarnation() == 2 && bank.branch.incarnation() == 1, "the branch should restart the counter");

    println!("all money is gone: no supervisor can decide");
    till.suffer(Trouble::Robbery).forget().await?;
    let report = bank.join().await;
    show(&mut events);
    println!("  main gets the reason for the end: {}", report.ended);
    let Ended::Failed(failure) = report.ended else { bail!("the bank should fail") };
    ensure!(failure.path() == "branch/counter/till", "the bank should end with the failure of the till");
    Ok(())
}

/// Prints the events since the last call.
fn show(events: &mut supervise::event::Events) {
    while let Some(event) = events.try_next() {
        let who = &event.path;
        match event.kind {
            EventKind::Failed { failure, .. } if failure.path() == who => {
                println!("  {who} fails: {}", failure.cause())
            }
            EventKind::Decided { directive, .. } => println!("  decided about {who}: {directive:?}"),
            EventKind::Escalated { failure } => println!("  so {who} fails with the failure of {}", failure.path()),
            EventKind::Restarted => println!("  {who} is up again, incarnation {}", event.incarnation),
            EventKind::Ended { .. } => println!("  {who} has ended"),
            _ => {}
        }
    }
}

async fn outside() -> anyhow::Result<()> {
    println!("the guardian is set to stop every actor that fails");
    guardian::set(SupervisorStrategy::STOPPING)?;
    let Err(error) = guardian::set(SupervisorStrategy::default()) else {
        bail!("the strategy should be set only once")
    };
    println!("  a second attempt is an error: {error}");

    let one = spawn(child! { "one": Till = Till }).await?;
    let two = spawn(child! { "two": Till = Till }).await?;
    let own = spawn(child! {
        #[decider(_: Trouble => Restart)]
        "own": Till = Till
    });
    let own = own.await?;
    println!("  one and own fail in the same way");
    one.suffer(Trouble::Shortfall).forget().await?;
    own.suffer(Trouble::Shortfall).forget().await?;
    let ended = one.terminated().await?;
    own.count().await?;
    two.count().await?;
    println!("  one has ended: {ended}");
    println!("  two does not notice, and is still incarnation {}", two.incarnation());
    println!("  own has its own decider, and was restarted: incarnation {}", own.incarnation());
    ensure!(
        matches!(ended, Ended::Failed(_)) && two.incarnation() == 1 && own.incarnation() == 2,
        "only `one` should end"
    );
    Ok(())
}
