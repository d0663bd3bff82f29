//! An actor with children of its own kind: for what happens below one that is held, failed or going down.

use std::future::{IntoFuture, poll_fn};
use std::pin::pin;
use std::time::Duration;

use supervise::error::SpawnError;
use supervise::policy::WhileDown;
use supervise::prelude::*;
use tokio::runtime::Handle;

use crate::common::{Boom, Journal};

/// How a node is started, and as what kind of child.
#[derive(Clone)]
pub struct Kid {
    pub name: &'static str,
    /// Of its own children.
    pub strategy: SupervisorStrategy,
    /// The first wait; it doubles, without noise.
    pub backoff: Option<Duration>,
    pub while_down: WhileDown,
    pub lifecycle: Lifecycle,
    /// Spawned in `pre_start`, by a task that nobody waits for.
    pub brood: Option<&'static str>,
    /// The runtime that its task is put on, if that is not the caller's.
    pub on: Option<Handle>,
}

/// Escalates what is fatal, and restarts otherwise.
pub fn escalating(strategy: Strategy) -> SupervisorStrategy {
    SupervisorStrategy::new(strategy).decider(|failure: &Failure| match failure.error::<Boom>() {
        Some(Boom::Fatal) => Directive::Escalate,
        _ => Directive::Restart,
    })
}

impl Kid {
    /// Its children escalate what is fatal, and restart otherwise.
    pub fn new(name: &'static str) -> Self {
        let strategy = escalating(Strategy::OneForOne);
        let (while_down, lifecycle) = (WhileDown::Hold, Lifecycle::Transient);
        Kid { name, strategy, backoff: None, while_down, lifecycle, brood: None, on: None }
    }

    pub fn start(self, journal: Journal) -> Node {
        Node { kid: self, journal, keeps: Vec::new() }
    }
}

pub struct Node {
    kid: Kid,
    journal: Journal,
    /// Named to `cx.keep` in `pre_restart`.
    keeps: Vec<ActorRef<Node>>,
}

pub enum Say {
    Spawn(Kid, Reply<Result<ActorRef<Node>, SpawnError>>),
    /// At the next restart.
    Keep(ActorRef<Node>),
    Work(Duration),
    Note(&'static str),
    Fail(Boom),
}

impl Node {
    async fn reach(&self, place: &str) -> Result<(), Boom> {
        self.journal.reach(format!("{} {place}", self.kid.name)).await
    }

    async fn spawn(&self, kid: Kid, cx: &mut Context<Self>) -> Result<ActorRef<Node>, SpawnError> {
        let (journal, of) = (self.journal.clone(), kid.clone());
        let mut spawn = cx.spawn(kid.name, move || {
            let (journal, kid) = (journal.clone(), of.clone());
            async move {
                journal.reach(format!("{} start", kid.name)).await?;
                Ok(kid.start(journal))
            }
        });
        spawn = spawn.while_down(kid.while_down).lifecycle(kid.lifecycle);
        if let Some(min) = kid.backoff {
            spawn = spawn.backoff(ExponentialBackoff::new(min, min * 64).random_factor(0.0));
        }
        let mut spawning = pin!(spawn.into_future());
        poll_fn(|task| {
            let _on = kid.on.as_ref().map(Handle::enter);
            spawning.as_mut().poll(task)
        })
        .await
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.journal.write(format!("{} drop", self.kid.name));
    }
}

impl Actor for Node {
    type Msg = Say;
    type Error = Boom;

    async fn receive(&mut self, say: Say, cx: &mut Context<Self>) -> Result<(), Boom> {
        match say {
            Say::Spawn(kid, reply) => reply.send(self.spawn(kid, cx).await),
            Say::Keep(kid) => self.keeps.push(kid),
            Say::Work(time) => {
                tokio::time::sleep(time).await;
                tokio::task::yield_now().await; // behind who wakes at the same time
            }
            Say::Note(line) => self.journal.write(format!("{} {line}", self.kid.name)),
            Say::Fail(boom) => return Err(boom),
        }
        Ok(())
    }

    async fn pre_start(&mut self, cx: &mut Context<Self>) -> Result<(), Boom> {
        self.reach("pre_start").await?;
        if let Some(name) = self.kid.brood {
            let journal = self.journal.clone();
            let start = move || {
                let journal = journal.clone();
                async move {
                    journal.write(format!("{name} start"));
                    Ok(Kid::new(name).start(journal))
                }
            };
            tokio::spawn(cx.spawn(name, start).into_future());
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    async fn post_stop(&mut self, _: &mut Context<Self>) -> Result<(), Boom> {
        self.reach("post_stop").await
    }

    async fn pre_restart(&mut self, _: &Failure, cx: &mut Context<Self>) -> Result<(), Boom> {
        self.keeps.iter().for_each(|kid| cx.keep(kid));
        self.reach("pre_restart").await
    }

    async fn post_restart(&mut self, _: &Failure, _: &mut Context<Self>) -> Result<(), Boom> {
        self.reach("post_restart").await
    }

    fn supervision(&self) -> SupervisorStrategy {
        self.kid.strategy.clone()
    }
}

supervisor! {
    pub struct Family(journal: Journal, strategy: SupervisorStrategy, above: Directive) {
        #![decider(move |_: &Failure| above)]
        pub top: Node = Kid { strategy, ..Kid::new("top") }.start(journal),
        pub other: Node = Kid::new("other").start(journal),
    }
}

/// A family whose root decides so on whatever `top` fails with. Its children are OneForOne.
pub async fn family(above: Directive) -> (Running<Family>, Journal) {
    family_of(Strategy::OneForOne, above).await
}

pub async fn family_of(strategy: Strategy, above: Directive) -> (Running<Family>, Journal) {
    let journal = Journal::default();
    (Family::start(journal.clone(), escalating(strategy), above).await.unwrap(), journal)
}

pub async fn spawn(parent: &ActorRef<Node>, kid: Kid) -> ActorRef<Node> {
    parent.ask(|reply| Say::Spawn(kid, reply)).forever().await.unwrap().unwrap()
}
