//! An actor that can spawn children of its own type, for tests of children below a suspended, failed or stopping actor.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use supervise::error::SpawnError;
use supervise::expansion::new_child;
use supervise::policy::ChildOptions;
use supervise::policy::WhileDown;
use supervise::prelude::*;
use tokio::runtime::Handle;

use crate::common::{Boom, Journal};

/// The kind of a node's start, and its settings.
#[derive(Clone)]
pub struct Kid {
    pub name: &'static str,
    /// The strategy for the node's own children.
    pub strategy: SupervisorStrategy,
    /// The first delay; each further delay is twice as long, without jitter.
    pub backoff: Option<Duration>,
    pub while_down: WhileDown,
    pub lifecycle: Lifecycle,
    /// The name of a child that is spawned in `pre_start`, by a task that is not awaited.
    pub brood: Option<&'static str>,
    /// The runtime on which the node's task runs, if that is not the runtime of its supervisor.
    pub on: Option<Handle>,
}

/// Escalates `Boom::Fatal`, and restarts otherwise.
pub fn escalating(strategy: Strategy) -> SupervisorStrategy {
    SupervisorStrategy::new(strategy).decider(|failure: &Failure| match failure.error::<Boom>() {
        Some(Boom::Fatal) => Directive::Escalate,
        _ => Directive::Restart,
    })
}

impl Kid {
    /// A child whose own children escalate `Boom::Fatal` and restart otherwise.
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
    /// The children that `pre_restart` names with `cx.keep`.
    keeps: Vec<ActorRef<Node>>,
}

pub enum Say {
    Spawn(Kid, Reply<Result<ActorRef<Node>, SpawnError>>),
    /// Keeps this child at the next restart.
    Keep(ActorRef<Node>),
    Work(Duration),
    Note(&'static str),
    Fail(Boom),
}

/// Runs after the tasks that have woken at the same time, but before those that they wake.
async fn go_behind() {
    let mut is_behind = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut is_behind, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

impl Node {
    async fn reach(&self, place: &str) -> Result<(), Boom> {
        self.journal.reach(format!("{} {place}", self.kid.name)).await
    }

    async fn spawn(&self, kid: Kid, cx: &mut Context<Self>) -> Result<ActorRef<Node>, SpawnError> {
        let (journal, of) = (self.journal.clone(), kid.clone());
        // As values: `child!` has the words for these settings only as literals.
        let mut options = ChildOptions::<Node>::new().while_down(kid.while_down).lifecycle(kid.lifecycle);
        if let Some(min) = kid.backoff {
            options = options.backoff(Backoff::exponential(min..min * 64).random_factor(0.0));
        }
        if let Some(on) = kid.on.clone() {
            options = options.runtime(on);
        }
        let child = new_child(kid.name.to_owned(), options, move || async move {
            journal.reach(format!("{} start", of.name)).await?;
            Ok(of.start(journal))
        });
        cx.spawn(child).await
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
                go_behind().await;
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
            tokio::spawn(cx.spawn(child! {
                name: Node = {
                    journal.write(format!("{name} start"));
                    Kid::new(name).start(journal)
                }
            }));
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

/// A family whose root returns `above` for every failure of `top`. The children of `top` are OneForOne.
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
