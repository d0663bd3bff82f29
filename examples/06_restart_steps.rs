//! The seven steps of a restart, in the order and by the numbers that Akka's documentation gives them:
//!
//! 1. the actor handles no more messages, and its children are suspended until the decision; from then on each serves
//!    until its turn to stop comes;
//! 2. `pre_restart` is called on the old instance; here the hook names the child to keep;
//! 3. the children that are not kept are stopped, and after that the old instance stops;
//! 4. the start expression creates a new instance;
//! 5. `pre_start` and `post_restart` are called on the new instance;
//! 6. the kept children restart as well, with the same steps;
//! 7. the actor handles messages again, without waiting for the restarts of its children.
//!
//! Most hooks below take a second, so that the times show which step waits for which. Look at the two children: `kept`
//! is restarted, with the same handle and the messages in its mailbox. `other` ends; the child that then has the same
//! name is a different actor. The rules are S11 and S12.

use std::time::Duration;

use anyhow::{bail, ensure};
use supervise::NewChild;
use supervise::error::SpawnError;
use supervise::event::EventKind;
use supervise::inspect::NodeState;
use supervise::prelude::*;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep};

supervisor! {
    struct Family(journal: Journal) {
        parent: Parent = Parent::new(journal),
    }
}

struct Parent {
    journal: Journal,
    /// `kept` and `other`.
    children: Vec<ActorRef<Child>>,
}

#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error("failed on request")]
    Told,
    #[error(transparent)]
    Spawn(#[from] SpawnError),
}

#[actor]
impl Parent {
    fn new(journal: Journal) -> Parent {
        journal.write(4, "parent: the start expression creates a new instance");
        Parent { journal, children: Vec::new() }
    }

    #[message]
    fn fail(&mut self) -> Result<(), Thrown> {
        Err(Trouble::Told.into())
    }

    /// A letter, which the parent answers with its children.
    #[message]
    fn letter(&mut self) -> Vec<ActorRef<Child>> {
        self.journal.write(7, "parent handles its letter, and does not wait for kept");
        self.children.clone()
    }

    #[pre_start]
    async fn have_children(&mut self, cx: &mut Context<Self>) -> Result<(), Trouble> {
        // The previous instance may have kept this child.
        let kept = match cx.child::<Child>("kept") {
            Some(kept) => kept,
            None => cx.spawn(new_child("kept", &self.journal)).await?,
        };
        let other = cx.spawn(new_child("other", &self.journal)).await?;
        self.children = vec![kept, other];
        self.journal.write(5, "parent: pre_start on the new instance, which spawns another `other`");
        Ok(())
    }

    #[pre_restart]
    async fn save(&mut self, _: &Failure, cx: &mut Context<Self>) {
        cx.keep(&self.children[0]);
        sleep(Duration::from_secs(1)).await;
        self.journal.write(2, "parent: pre_restart on the old instance, which keeps `kept`");
    }

    #[post_stop]
    async fn clean_up(&mut self) {
        sleep(Duration::from_secs(1)).await;
        self.journal.write(3, "parent: post_stop, after its children are down");
    }

    #[post_restart]
    async fn reload(&mut self, failure: &Failure) {
        sleep(Duration::from_secs(1)).await;
        self.journal.write(5, format!("parent: post_restart on the new instance, after: {}", failure.cause()));
    }
}

/// One of the two children.
struct Child {
    name: &'static str,
    journal: Journal,
}

/// A child that is about to be spawned. Its start expression runs for the first start and for every restart.
fn new_child(name: &'static str, journal: &Journal) -> NewChild<Child> {
    let journal = journal.clone();
    child! { name: Child = Child { name, journal } }
}

#[actor]
impl Child {
    #[message]
    fn read(&mut self) {
        self.journal.write(6, format!("{} handles its letter", self.name));
    }

    #[pre_restart]
    fn save(&mut self) {
        self.journal.write(6, format!("{}: pre_restart on the old instance", self.name));
    }

    /// Runs for `other` when the parent stops, and for `kept` when `kept` is restarted itself.
    #[post_stop]
    async fn clean_up(&mut self) {
        sleep(Duration::from_secs(1)).await;
        let step = if self.name == "kept" { 6 } else { 3 };
        self.journal.write(step, format!("{}: post_stop on the old instance", self.name));
    }

    #[post_restart]
    async fn reload(&mut self) {
        sleep(Duration::from_secs(1)).await;
        self.journal.write(6, format!("{}: post_restart on the new instance", self.name));
    }
}

/// Records each event with its time and step.
#[derive(Clone)]
struct Journal(UnboundedSender<Line>);

struct Line {
    at: Instant,
    step: u32,
    text: String,
}

impl Journal {
    fn write(&self, step: u32, text: impl Into<String>) {
        let _ = self.0.send(Line { at: Instant::now(), step, text: text.into() });
    }
}

// A paused clock jumps to the next timer when no task can run: the times are exact, and no real time passes.
#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> anyhow::Result<()> {
    let (sender, mut lines) = unbounded_channel();
    let journal = Journal(sender);
    let family = Family::start(journal.clone()).await?;
    let parent = &family.parent;
    let before = parent.letter().await?;
    let (kept, other) = (&before[0], &before[1]);
    while lines.try_recv().is_ok() {} // drops the lines of the first start

    println!("parent has two children, kept and other, and fails on request:");
    let began = Instant::now();
    let mut events = family.events();
    parent.fail().forget().await?;
    while let Some(event) = events.next().await {
        match event.kind {
            EventKind::Failed { failure, .. } => journal.write(1, format!("parent fails: {}", failure.cause())),
            EventKind::Decided { directive, .. } => journal.write(1, format!("the decision is: {directive:?}")),
            _ => break,
        }
    }
    sleep(Duration::from_millis(500)).await;
    for node in family.snapshot().root.children[0].children.iter() {
        ensure!(matches!(node.state, NodeState::Running), "{} should serve until its turn", node.name);
        journal.write(1, format!("{} is {}: it serves until its turn comes", node.name, node.state));
    }
    sleep(Duration::from_secs(1)).await;
    let snapshot = family.snapshot();
    let kept_now = &snapshot.root.children[0].children[0];
    ensure!(matches!(kept_now.state, NodeState::Suspended), "kept should be suspended");
    journal.write(3, format!("kept is {}: it handles no messages for now", kept_now.state));
    journal.write(3, "main sends a letter to each of the three");
    let (after, read, lost) = tokio::join!(parent.letter().forever(), kept.read().forever(), other.read());
    let after = after?;
    read?;

    let mut steps = Vec::new();
    while let Ok(Line { at, step, text }) = lines.try_recv() {
        println!("{:4.1} s  step {step}  {text}", (at - began).as_secs_f64());
        steps.push(step);
    }
    println!("afterwards:");
    println!("  kept has the same handle as before, and is incarnation {}", kept.incarnation());
    let (Some(ended), Err(error)) = (other.ended(), lost) else { bail!("other and its letter should end") };
    println!("  other has ended ({ended}), and main got an error for its letter: {error}");
    println!("  another `other` has a different handle, and is incarnation {}", after[1].incarnation());
    let alone: Vec<_> = steps.iter().filter(|step| **step != 6).collect();
    ensure!(alone.is_sorted() && (1..=7).all(|step| steps.contains(&step)), "the steps are out of order: {steps:?}");
    ensure!(after[0] == *kept && kept.incarnation() == 2, "kept should be restarted with the same handle");
    ensure!(after[1] != *other, "another child should take the name of other");
    family.shutdown().await;
    Ok(())
}
