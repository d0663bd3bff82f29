//! One actor for all scenarios, and the stage on which it plays: a journal of its hooks and handlers, the planned
//! failures and actions in each hook, and the supervision settings. All of these are addressed by the actor's name.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::BoxError;
use supervise::NewChild;
use supervise::error::SpawnError;
use supervise::expansion::new_child;
use supervise::policy::ChildOptions;
use supervise::policy::{MaxRestarts, OnLimit, RestartLimit};
use supervise::prelude::*;

use crate::common::{Boom, Fault, Journal, settle};

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// An action in a hook, each time that the hook is reached.
type InHook =
    Arc<dyn for<'a> Fn(&'a mut Unit, &'a mut Context<Unit>) -> BoxFuture<'a, Result<(), BoxError>> + Send + Sync>;
/// An action in a handler.
type InHandler =
    Box<dyn for<'a> FnOnce(&'a mut Unit, &'a mut Context<Unit>) -> BoxFuture<'a, Result<(), BoxError>> + Send>;

#[derive(Clone, Default)]
pub struct Stage {
    pub journal: Journal,
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    hooks: HashMap<String, InHook>,
    strategies: HashMap<String, SupervisorStrategy>,
    keeps: HashMap<String, Vec<String>>,
    /// The failures that hooks received: `"a post_restart"` and the failure.
    told: Vec<(String, Failure)>,
}

impl Stage {
    /// The lines since the last call.
    pub fn take(&self) -> Vec<String> {
        self.journal.take()
    }

    /// The lines since the last call with this ending.
    pub fn ending(&self, end: &str) -> Vec<String> {
        self.take().into_iter().filter(|line| line.ends_with(end)).collect()
    }

    /// The ends that were reported since the last call, with the watcher that was notified.
    pub fn heard(&self) -> Vec<String> {
        self.take().into_iter().filter(|line| line.contains(" hears ")).collect()
    }

    /// The next `times` times that `place` (`"a pre_start"`) is reached, it fails with this fault.
    pub fn plan(&self, place: &str, times: u32, fault: Fault) {
        self.journal.plan(place, times, fault);
    }

    /// Whenever `place` is reached, this action runs there.
    pub fn on(
        &self,
        place: &str,
        act: impl for<'a> Fn(&'a mut Unit, &'a mut Context<Unit>) -> BoxFuture<'a, Result<(), BoxError>>
        + Send
        + Sync
        + 'static,
    ) {
        self.inner.lock().unwrap().hooks.insert(place.to_owned(), Arc::new(act));
    }

    /// Sets how the actor of this name supervises its children.
    pub fn supervises(&self, name: &str, strategy: SupervisorStrategy) {
        self.inner.lock().unwrap().strategies.insert(name.to_owned(), strategy);
    }

    /// Has the actor of this name keep these children over its restarts.
    pub fn keeps(&self, name: &str, kids: &[&str]) {
        self.inner.lock().unwrap().keeps.insert(name.to_owned(), kids.iter().map(ToString::to_string).collect());
    }

    /// The failures that hooks received since the last call: `"a post_restart: Told of b"`.
    pub fn told(&self) -> Vec<String> {
        let told = std::mem::take(&mut self.inner.lock().unwrap().told);
        told.iter().map(|(hook, failure)| format!("{hook}: {} of {}", failure.cause(), failure.path())).collect()
    }

    /// The last failure that this hook received.
    pub fn given(&self, hook: &str) -> Failure {
        let inner = self.inner.lock().unwrap();
        inner.told.iter().rev().find(|(place, _)| place == hook).expect("the hook has received a failure").1.clone()
    }
}

/// Does what its messages order, and writes down what happens.
pub struct Unit {
    pub name: String,
    pub stage: Stage,
    pub sum: u64,
    pub kids: Vec<ActorRef<Unit>>,
    /// A reply that is stored for later.
    pub pending: Option<Reply<&'static str>>,
    /// The actors that this instance watches.
    pub watches: Vec<ActorRef<Unit>>,
}

pub enum Msg {
    /// Writes `"a ping"` and answers with the incarnation.
    Ping(Reply<u32>),
    Note(&'static str),
    Add(u64),
    Get(Reply<u64>),
    Fail(Boom),
    /// Fails with the reply in hand.
    Ask(Reply<()>),
    Panic,
    /// Sleeps in the handler: `"a works"`, `"a worked"`.
    Work(Duration),
    /// Sleeps, and fails then.
    WorkAndFail(Duration, Boom),
    Hang,
    Stop,
    Reset,
    Do(InHandler),
}

impl Unit {
    pub async fn start(name: impl Into<String>, stage: Stage) -> Result<Unit, Boom> {
        let name = name.into();
        stage.journal.reach(format!("{name} start")).await?;
        Ok(Unit { name, stage, sum: 0, kids: Vec::new(), pending: None, watches: Vec::new() })
    }

    pub fn write(&self, what: &str) {
        self.stage.journal.write(format!("{} {what}", self.name));
    }

    async fn hook(&mut self, hook: &str, cx: &mut Context<Self>) -> Result<(), BoxError> {
        let place = format!("{} {hook}", self.name);
        self.stage.journal.reach(place.clone()).await?;
        let act = self.stage.inner.lock().unwrap().hooks.get(&place).cloned();
        match act {
            Some(act) => act(self, cx).await,
            None => Ok(()),
        }
    }

    fn told(&self, hook: &str, failure: &Failure) {
        self.stage.inner.lock().unwrap().told.push((format!("{} {hook}", self.name), failure.clone()));
    }

    /// Spawns a child of this actor; the journal uses the child's name.
    pub async fn spawn(&mut self, name: &str, cx: &mut Context<Self>) -> Result<ActorRef<Unit>, SpawnError> {
        self.spawn_as(name, |spawn| spawn, cx).await
    }

    pub async fn spawn_as(
        &mut self,
        name: &str,
        settings: impl FnOnce(UnitOptions) -> UnitOptions,
        cx: &mut Context<Self>,
    ) -> Result<ActorRef<Unit>, SpawnError> {
        let spawned = cx.spawn(unit(name, &self.stage, settings)).await;
        if let Ok(kid) = &spawned {
            self.kids.push(kid.clone());
        }
        spawned
    }
}

/// The settings of a spawned unit, as values.
pub type UnitOptions = ChildOptions<Unit>;

fn unit(name: &str, stage: &Stage, settings: impl FnOnce(UnitOptions) -> UnitOptions) -> NewChild<Unit> {
    let (of, stage) = (name.to_owned(), stage.clone());
    new_child(name.to_owned(), settings(UnitOptions::new()), move || async move { Ok(Unit::start(of, stage).await?) })
}

impl Actor for Unit {
    type Msg = Msg;
    type Error = BoxError;

    async fn receive(&mut self, msg: Msg, cx: &mut Context<Self>) -> Result<(), BoxError> {
        match msg {
            Msg::Ping(reply) => {
                self.write("ping");
                reply.send(cx.incarnation());
            }
            Msg::Note(line) => self.write(line),
            Msg::Add(n) => self.sum += n,
            Msg::Get(reply) => reply.send(self.sum),
            Msg::Fail(boom) => return Err(boom.into()),
            Msg::Ask(_reply) => return Err(Boom::Told.into()),
            Msg::Panic => panic!("planned panic"),
            Msg::Work(time) => {
                self.write("works");
                tokio::time::sleep(time).await;
                self.write("worked");
            }
            Msg::WorkAndFail(time, boom) => {
                tokio::time::sleep(time).await;
                return Err(boom.into());
            }
            Msg::Hang => std::future::pending().await,
            Msg::Stop => cx.stop(),
            Msg::Reset => cx.reset_backoff(),
            Msg::Do(act) => return act(self, cx).await,
        }
        Ok(())
    }

    async fn pre_start(&mut self, cx: &mut Context<Self>) -> Result<(), BoxError> {
        self.hook("pre_start", cx).await
    }

    async fn post_stop(&mut self, cx: &mut Context<Self>) -> Result<(), BoxError> {
        self.hook("post_stop", cx).await
    }

    async fn pre_restart(&mut self, failure: &Failure, cx: &mut Context<Self>) -> Result<(), BoxError> {
        self.told("pre_restart", failure);
        let keeps = self.stage.inner.lock().unwrap().keeps.get(&self.name).cloned().unwrap_or_default();
        for kid in keeps {
            if let Some(kid) = cx.child::<Unit>(&kid) {
                cx.keep(&kid);
            }
        }
        self.hook("pre_restart", cx).await
    }

    async fn post_restart(&mut self, failure: &Failure, cx: &mut Context<Self>) -> Result<(), BoxError> {
        self.told("post_restart", failure);
        self.hook("post_restart", cx).await
    }

    fn supervision(&self) -> SupervisorStrategy {
        self.stage.inner.lock().unwrap().strategies.get(&self.name).cloned().unwrap_or_default()
    }
}

impl Watcher for Unit {
    async fn terminated(&mut self, who: &Watched, ended: &Ended, cx: &mut Context<Self>) -> Result<(), BoxError> {
        self.stage.journal.write(format!("{} hears {}: {}", self.name, who.path(), kind(ended)));
        let place = format!("{} terminated", self.name);
        let act = self.stage.inner.lock().unwrap().hooks.get(&place).cloned();
        match act {
            Some(act) => act(self, cx).await,
            None => Ok(()),
        }
    }
}

/// The kind of end, in one word.
pub fn kind(ended: &Ended) -> &'static str {
    match ended {
        Ended::Done => "done",
        Ended::Stopped => "stopped",
        Ended::Failed(_) => "failed",
        Ended::Limit(_) => "limit",
        Ended::Killed => "killed",
        Ended::Aborted => "aborted",
        Ended::RuntimeGone => "runtime gone",
        _ => "otherwise",
    }
}

/// The kind of end, in one word; `"lives"` if the unit has not ended.
pub fn state(unit: &ActorRef<Unit>) -> &'static str {
    unit.ended().as_ref().map_or("lives", kind)
}

// ----- helpers for the tests

/// Runs this action in a handler of the actor, and waits until the action has finished.
pub async fn act(
    unit: &ActorRef<Unit>,
    what: impl for<'a> FnOnce(&'a mut Unit, &'a mut Context<Unit>) -> BoxFuture<'a, Result<(), BoxError>> + Send + 'static,
) {
    unit.tell(Msg::Do(Box::new(what))).await.unwrap();
    settle().await;
}

/// The same as [`act`], for an action without an `.await`.
pub async fn with(unit: &ActorRef<Unit>, what: impl FnOnce(&mut Unit, &mut Context<Unit>) + Send + 'static) {
    act(unit, move |unit, cx| {
        what(unit, cx);
        Box::pin(async { Ok(()) })
    })
    .await;
}

/// A child of `parent`, spawned now.
pub async fn kid(parent: &ActorRef<Unit>, name: &'static str) -> ActorRef<Unit> {
    kid_as(parent, name, |spawn| spawn).await.unwrap()
}

/// The same with settings for the child.
pub async fn kid_as(
    parent: &ActorRef<Unit>,
    name: &'static str,
    settings: impl FnOnce(UnitOptions) -> UnitOptions + Send + 'static,
) -> Result<ActorRef<Unit>, SpawnError> {
    let spawn = |reply: Reply<Result<ActorRef<Unit>, SpawnError>>| {
        Msg::Do(Box::new(move |unit, cx| {
            Box::pin(async move {
                reply.send(unit.spawn_as(name, settings, cx).await);
                Ok(())
            })
        }))
    };
    parent.ask(spawn).forever().await.unwrap()
}

/// An actor at the top.
pub async fn top(name: &'static str, stage: &Stage) -> ActorRef<Unit> {
    top_as(name, stage, |spawn| spawn).await.unwrap()
}

pub async fn top_as(
    name: &'static str,
    stage: &Stage,
    settings: impl FnOnce(UnitOptions) -> UnitOptions,
) -> Result<ActorRef<Unit>, SpawnError> {
    spawn(unit(name, stage, settings)).await
}

/// Makes `watcher` watch `other` from now on.
pub async fn watch(watcher: &ActorRef<Unit>, other: &ActorRef<Unit>) {
    let other = other.clone();
    with(watcher, move |unit, cx| {
        cx.watch(&other);
        unit.watches.push(other);
    })
    .await;
}

pub async fn fail(unit: &ActorRef<Unit>) {
    unit.tell(Msg::Fail(Boom::Told)).await.unwrap();
}

pub async fn note(unit: &ActorRef<Unit>, line: &'static str) {
    unit.tell(Msg::Note(line)).await.unwrap();
}

/// The unit's incarnation, from the unit itself, after all messages that were sent before.
pub async fn ping(unit: &ActorRef<Unit>) -> u32 {
    unit.ask(Msg::Ping).forever().await.unwrap()
}

pub async fn sum(unit: &ActorRef<Unit>) -> u64 {
    unit.ask(Msg::Get).forever().await.unwrap()
}

/// The lines of one restart.
pub fn restart(name: &str) -> Vec<String> {
    ["pre_restart", "post_stop", "start", "pre_start", "post_restart"].map(|hook| format!("{name} {hook}")).to_vec()
}

/// Several pieces of a journal as one.
pub fn lines(pieces: &[&[String]]) -> Vec<String> {
    pieces.concat()
}

/// Lines as the journal has them.
pub fn text(lines: &[&str]) -> Vec<String> {
    lines.iter().map(ToString::to_string).collect()
}

/// OneForOne with a decider that always returns this directive.
pub fn always(directive: Directive) -> SupervisorStrategy {
    SupervisorStrategy::new(Strategy::OneForOne).decider(move |_: &Failure| directive)
}

/// At most this number of restarts, in any `within` if there is one; then this child is stopped, as in Akka.
pub fn limit(most: u32, within: Option<Duration>) -> RestartLimit {
    let limit = RestartLimit::new().max_restarts(MaxRestarts::AtMost(most)).on_limit(OnLimit::Stop);
    match within {
        Some(within) => limit.within(within),
        None => limit,
    }
}

pub fn unlimited() -> RestartLimit {
    RestartLimit::new().max_restarts(MaxRestarts::Unlimited)
}
