//! The four decisions about a failure: Resume, Restart, Stop and Escalate.
//!
//! A clerk adds up amounts. The same happens four times, each time in a new company: the clerk has a sum of 5 when it
//! fails with a question, while the amounts 1 and 2 wait in the mailbox. Only the error differs, and with it the
//! decision. Look at what happens to
//!
//! * the **message** that the clerk failed with: lost with every decision, and the asker gets an error at once;
//! * the **state**: only Resume keeps it;
//! * the **mailbox**: queued messages wait for the decision, and are lost only with the actor;
//! * the **handle**: the same for the whole life of the actor;
//! * the **neighbour**: Escalate affects the neighbour too, through the supervisor that both have in common.
//!
//! The rules are S8 (directives) and S11 (what a restart keeps).

use anyhow::ensure;
use supervise::prelude::*;

supervisor! {
    struct Company {
        // The company decides about the failures that the office escalates. The default is a restart of the whole
        // office.
        office: struct Office {
            #![decider(
                Trouble::Typo => Resume,
                Trouble::Muddle => Restart,
                Trouble::Resigned => Stop,
                Trouble::Fire => Escalate,
            )]

            clerk: Clerk = Clerk { sum: 0 },
            neighbour: Clerk = Clerk { sum: 0 },
        },
    }
}

struct Clerk {
    sum: u32,
}

#[derive(Debug, Clone, Copy, thiserror::Error)]
enum Trouble {
    #[error("an amount makes no sense")]
    Typo,
    #[error("the sum cannot be right")]
    Muddle,
    #[error("the clerk has resigned")]
    Resigned,
    #[error("the office is on fire")]
    Fire,
}

#[actor]
impl Clerk {
    #[message]
    fn add(&mut self, amount: u32) {
        self.sum += amount;
    }

    #[message]
    fn sum(&self) -> u32 {
        self.sum
    }

    /// A question that makes the clerk fail.
    #[message]
    fn trip(&mut self, trouble: Trouble) -> Result<(), Thrown> {
        Err(trouble.into())
    }
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> anyhow::Result<()> {
    let cases = [
        (Directive::Resume, Trouble::Typo, After { sum: Some(8), dead_letters: 0, clerk: 1, neighbour: 1 }),
        (Directive::Restart, Trouble::Muddle, After { sum: Some(3), dead_letters: 0, clerk: 2, neighbour: 1 }),
        (Directive::Stop, Trouble::Resigned, After { sum: None, dead_letters: 2, clerk: 1, neighbour: 1 }),
        (Directive::Escalate, Trouble::Fire, After { sum: Some(3), dead_letters: 0, clerk: 2, neighbour: 2 }),
    ];
    println!(
        "Each time the clerk has a sum of 5 and fails at a question, while the amounts 1 and 2 wait in its mailbox."
    );
    for (directive, trouble, expected) in cases {
        println!("{directive:?}, since {trouble}");
        let after = fail(trouble).await?;
        ensure!(after == expected, "{directive:?} led to {after:?} instead of {expected:?}");
    }
    Ok(())
}

#[derive(Debug, PartialEq)]
struct After {
    sum: Option<u32>,
    dead_letters: u64,
    /// The incarnation of the clerk; the next field is that of the neighbour.
    clerk: u32,
    neighbour: u32,
}

/// Lets the clerk of a new company fail, and reports the effects.
async fn fail(trouble: Trouble) -> anyhow::Result<After> {
    let company = Company::start().await?;
    let Office { clerk, neighbour, .. } = &company.office;
    clerk.add(5).forget().await?;
    ensure!(clerk.sum().await? == 5, "the clerk should begin with 5");

    // All three messages are in the mailbox before the clerk handles the first.
    let (asked, told) = tokio::join!(clerk.trip(trouble), async {
        clerk.add(1).forget().await?;
        clerk.add(2).forget().await
    });
    told?;
    let Err(asked) = asked else { anyhow::bail!("the ask should fail") };
    // A message to an actor that is being restarted waits until the actor is up.
    let sum = clerk.sum().await;
    neighbour.sum().await?;

    println!("  message    gone, and its asker gets the error: {asked}");
    match &sum {
        Ok(8) => println!("  state      kept: the sum is 5 + 1 + 2 = 8"),
        Ok(sum) => println!("  state      new: the sum is 0 + 1 + 2 = {sum}"),
        Err(_) => println!("  state      gone with the clerk"),
    }
    match company.dead_letters() {
        0 => println!("  mailbox    kept: the 1 and the 2 were handled"),
        lost => println!("  mailbox    closed: its {lost} messages are dead letters"),
    }
    match &sum {
        Ok(_) if clerk.incarnation() == 1 => println!("  handle     valid, with the same instance"),
        Ok(_) => println!("  handle     valid, with a new instance, incarnation {}", clerk.incarnation()),
        Err(error) => println!("  handle     returns an error: {error}"),
    }
    match neighbour.incarnation() {
        1 => println!("  neighbour  not affected"),
        new => println!("  neighbour  restarted with the whole office, incarnation {new}"),
    }
    let after = After {
        sum: sum.ok(),
        dead_letters: company.dead_letters(),
        clerk: clerk.incarnation(),
        neighbour: neighbour.incarnation(),
    };
    company.shutdown().await;
    Ok(after)
}
