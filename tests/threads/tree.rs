//! The tree for the random walks: every shape of child, every group strategy, and actors that do everything that an
//! actor can do to itself and to others.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use supervise::error::AskError;
use supervise::prelude::*;

use crate::world::{Alive, Token, World};

type W = Arc<World>;

pub fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// An actor whose actions depend on its messages and on random numbers.
pub struct Worker {
    alive: Alive,
    /// A sibling, or one of two actors that name each other.
    friend: Option<ActorRef<Worker>>,
}

pub enum Msg {
    /// The work to do, and the token if this message was sent from outside.
    Do(u64, Option<Token>),
    /// A check whether the actor answers.
    Ping(Reply<()>, Token),
}

impl Worker {
    pub fn new(world: &W, path: impl Into<String>) -> Self {
        Worker { alive: Alive::new(world, path), friend: None }
    }

    fn with(world: &W, path: impl Into<String>, friend: ActorRef<Worker>) -> Self {
        Worker { alive: Alive::new(world, path), friend: Some(friend) }
    }

    fn world(&self) -> &W {
        &self.alive.world
    }

    /// Takes over an actor that has no supervisor, or had none a moment ago. Two actors may want the same one, or each
    /// other.
    async fn hire(&mut self, cx: &mut Context<Self>) {
        if self.world().one_in(4) {
            spawn_at_the_top(self.world()).await;
        }
        let Some(other) = self.world().homeless() else { return };
        let linked = cx.link(&other).await;
        self.world().count_link(&linked);
        tell_now(self.world(), &other, self.world().draw(64));
        match self.world().draw(6) {
            0 => cx.watch(&other),
            1 => cx.depend_on(&other),
            2 => drop(cx.unlink(&other).await),
            _ => {}
        }
    }

    /// Spawns a child, with a name that may be taken.
    async fn spawn(&mut self, cx: &mut Context<Self>) {
        let (world, name) = (self.world().clone(), format!("kid{}", self.world().draw(3)));
        // If a child was unlinked, its name may be free again while the child lives: the number distinguishes them.
        let path = format!("{}/{name} #{}", self.alive.path, world.draw(u64::MAX));
        let kid = match world.draw(6) {
            0 => {
                let kid = cx.spawn(child! { name: task = |cx| job(world, path, cx) }).await;
                if let Ok(kid) = kid
                    && self.world().one_in(2)
                {
                    cx.watch(&kid);
                }
                return;
            }
            1 => {
                if let Ok(twins) = cx.spawn(child! { name: Twins = Twins::tree(world, path) }).await {
                    tell_now(self.world(), &twins.first, self.world().draw(64));
                    tell_now(self.world(), &twins.second, self.world().draw(64));
                }
                return;
            }
            2 => {
                let once = child! {
                    #[lifecycle(Temporary)]
                    name: Worker = Worker::new(&world, path)
                };
                cx.spawn(once).await
            }
            3 | 4 => {
                let patience = ms(1 + world.draw(3));
                let kid = child! {
                    #[lifecycle(Permanent, handler = patience)]
                    #[backoff([1ms, 2ms], reset = Manual)]
                    #[limit(max_restarts = 20, within = 1s, on_limit = Stop)]
                    #[mailbox(Bounded(4), fresh)]
                    name: Worker = Worker::new(&world, path)
                };
                cx.spawn(kid).await
            }
            _ => {
                let kid = cx.spawn(child! { &name: Worker = Worker::new(&world, path) });
                kid.await
            }
        };
        let Ok(kid) = kid else { return };
        tell_now(self.world(), &kid, self.world().draw(64));
        match self.world().draw(6) {
            0 => cx.watch(&kid),
            1 => cx.depend_on(&kid),
            2 if !self.world().is_exact() => {
                // Recorded first: this handler may be dropped while it waits, after the child was unlinked.
                self.world().left(kid.clone());
                drop(cx.unlink(&kid).await);
            }
            _ => {}
        }
    }

    /// Talks to the friend, which may be down, or not have started yet.
    async fn befriend(&mut self) {
        let Some(friend) = &self.friend else { return };
        match self.world().draw(3) {
            0 => tell(self.world(), friend, self.world().draw(64), ms(1)).await,
            1 if !self.world().is_exact() => drop(ask(self.world(), friend, ms(1)).await),
            _ => tell_now(self.world(), friend, self.world().draw(64)),
        }
    }
}

/// A top-level actor, which may be taken over.
async fn spawn_at_the_top(world: &W) {
    let (of, path) = (world.clone(), format!("top #{}", world.draw(u64::MAX)));
    let top = match world.one_in(2) {
        true => {
            let top = child! {
                #[lifecycle(Transient, handler = 2ms)]
                "top": Worker = Worker::new(&of, path)
            };
            spawn(top).await
        }
        false => {
            let top = spawn(child! { "top": Worker = Worker::new(&of, path) });
            top.await
        }
    };
    if let Ok(top) = top {
        world.left(top.clone());
        tell_now(world, &top, world.draw(64));
    }
}

impl Actor for Worker {
    type Msg = Msg;
    type Error = supervise::BoxError;

    async fn pre_start(&mut self, cx: &mut Context<Self>) -> Result<(), Self::Error> {
        match self.world().whim(60) {
            0 => return Err("planned: pre_start".into()),
            1 => panic!("planned: pre_start"),
            2 => cx.actor_ref().kill(),
            3 | 4 => tokio::time::sleep(ms(1)).await,
            5 => self.spawn(cx).await,
            6 => cx.stop(),
            7..12 => self.befriend().await,
            _ => {}
        }
        Ok(())
    }

    async fn receive(&mut self, msg: Msg, cx: &mut Context<Self>) -> Result<(), Self::Error> {
        let what = match msg {
            Msg::Do(what, token) => {
                token.into_iter().for_each(Token::enter);
                if self.world().is_calm() { 63 } else { what }
            }
            Msg::Ping(reply, token) => {
                token.enter();
                reply.send(());
                return Ok(());
            }
        };
        let me = cx.actor_ref();
        match what % 64 {
            0 => return Err("planned".into()),
            1 => panic!("planned"),
            2 => tokio::time::sleep(ms(1)).await,
            3 | 4 => tokio::task::yield_now().await,
            5 => cx.stop(),
            6 => me.stop(),
            7 => {
                me.kill();
                tokio::task::yield_now().await;
            }
            8 => drop(me.restart()),
            9 => me.drain(),
            10 | 11 => self.spawn(cx).await,
            18 | 19 if !self.world().is_exact() => self.hire(cx).await,
            12 => {
                if let Some(kid) = cx.child::<Worker>("kid1") {
                    tell_now(self.world(), &kid, 20);
                }
            }
            13 => drop(cx.send_after(ms(1), Msg::Do(3, None))),
            14 => cx.run(async { tokio::time::sleep(ms(1)).await }, |()| Msg::Do(30, None)),
            15 => cx.run(async { panic!("planned: in a future") }, |()| Msg::Do(30, None)),
            16 => tell(self.world(), &me, 63, ms(50)).await,
            20..24 => self.befriend().await,
            17 => {
                cx.stop();
                panic!("planned: after a stop");
            }
            _ => {}
        }
        Ok(())
    }

    async fn pre_restart(&mut self, _: &Failure, cx: &mut Context<Self>) -> Result<(), Self::Error> {
        match self.world().whim(40) {
            0 => return Err("planned: pre_restart".into()),
            1 => tokio::time::sleep(ms(1)).await,
            2 => cx.actor_ref().kill(),
            3 => {
                if let Some(kid) = cx.child::<Worker>("kid0") {
                    cx.keep(&kid);
                }
            }
            4 => drop(cx.actor_ref().restart()),
            _ => {}
        }
        Ok(())
    }

    async fn post_stop(&mut self, cx: &mut Context<Self>) -> Result<(), Self::Error> {
        match self.world().whim(40) {
            0 => return Err("planned: post_stop".into()),
            1 => tokio::time::sleep(ms(1)).await,
            2 => cx.actor_ref().kill(),
            3 => panic!("planned: post_stop"),
            4 => drop(cx.spawn(child! { "late": Worker = Err("planned")? }).await),
            _ => {}
        }
        Ok(())
    }
}

impl Watcher for Worker {
    async fn terminated(&mut self, _: &Watched, _: &Ended, _: &mut Context<Self>) -> Result<(), Self::Error> {
        if self.world().whim(10) == 0 { Err("planned: terminated".into()) } else { Ok(()) }
    }
}

/// Offers a message with its token.
pub fn tell_now(world: &W, to: &ActorRef<Worker>, what: u64) {
    if let Err(refused) = to.try_tell(Msg::Do(what, Some(Token::new(world))))
        && let Msg::Do(_, Some(token)) = refused.into_message()
    {
        token.returned();
    }
}

/// Tells a message with its token, and gives up after this time.
pub async fn tell(world: &W, to: &ActorRef<Worker>, what: u64, patience: Duration) {
    // If this is dropped while it waits for room, the message never was in the mailbox: after its time, or with the
    // handler of the sender.
    let waits = GivesUp(world);
    let told = tokio::time::timeout(patience, to.tell(Msg::Do(what, Some(Token::new(world))))).await;
    let Ok(told) = told else { return };
    std::mem::forget(waits);
    if let Err(refused) = told
        && let Msg::Do(_, Some(token)) = refused.into_message()
    {
        token.returned();
    }
}

/// Counts a message that is given up, unless it is forgotten.
struct GivesUp<'a>(&'a World);

impl Drop for GivesUp<'_> {
    fn drop(&mut self) {
        self.0.given_up.fetch_add(1, SeqCst);
    }
}

/// Asks, and gives up after this time. An ask that timed out may still wait for room, or be lost later.
pub async fn ask(world: &W, of: &ActorRef<Worker>, patience: Duration) -> Result<(), AskError> {
    let answer = of.ask(|reply| Msg::Ping(reply, Token::new(world))).within(patience).await;
    if let Err(AskError::Refused { .. }) = answer {
        world.returned.fetch_add(1, SeqCst); // counted here, since this error does not return the message
    }
    answer
}

/// A task that runs until it is asked to stop, or fails, or ends by itself.
async fn job(world: W, path: String, cx: TaskContext) -> Result<(), supervise::BoxError> {
    let alive = Alive::new(&world, path);
    match world.whim(8) {
        0 => return Err("planned: in a task".into()),
        1 => panic!("planned: in a task"),
        2 => return Ok(()),
        3 => {
            let (inner, path) = (world.clone(), format!("{}/below", alive.path));
            let stopped = cx.stopped();
            cx.spawn(async move {
                let _alive = Alive::new(&inner, path);
                stopped.await;
                if inner.one_in(4) { Err("planned: in a subtask") } else { Ok(()) }
            });
            tokio::time::sleep(ms(1)).await;
        }
        _ => {
            cx.stopped().await;
        }
    }
    Ok(())
}

/// Returns the same directive for the same failure at the same place; all directives occur.
fn any(failure: &Failure) -> Directive {
    match (failure.path().len() + failure.to_string().len()) % 11 {
        0 | 1 => Directive::Resume,
        2 => Directive::Escalate,
        3 => Directive::Stop,
        4 | 5 => Directive::Default,
        _ => Directive::Restart,
    }
}

fn restart(_: &Failure) -> Directive {
    Directive::Restart
}

supervisor! {
    pub struct Alone(w: W) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #![decider(any)]

        #[mailbox(Bounded(8))]
        #[lifecycle(Permanent, handler = 2ms)]
        pub a: Worker = Worker::with(&w, "alone/a", later(b)),
        #[lifecycle(Transient, drain, best_effort)]
        pub b: Worker = Worker::with(&w, "alone/b", later(c)),
        #[backoff(1ms..4ms)]
        #[mailbox(Bounded(4))]
        #[while_down(Reject)]
        pub c: Worker = Worker::with(&w, "alone/c", a),
        pub pair: [Worker; 2] = |i: usize| Worker::new(&w, format!("alone/pair/{i}")),
        pub maybe: Option<Worker> = Some(Worker::new(&w, "alone/maybe")),
        #[mailbox(Bounded(4))]
        #[lifecycle(Transient, handler = 1ms)]
        #[max_starting(2)]
        pub set: [Worker] = |n: u64| Worker::new(&w, format!("alone/set/{n}")),
        #[mailbox(Bounded(4))]
        #[max_starting(1)]
        pub keyed: [u64 => Worker] = |k: u64| Worker::new(&w, format!("alone/keyed/{k}")),
        pub jobs: [task] = |n: u64| |cx| job(w, format!("alone/jobs/{n}"), cx),
        #[lifecycle(Transient, best_effort)]
        pub job: task = |cx| job(w, "alone/job".into(), cx),
    }

    pub struct All(w: W) {
        #![strategy(AllForOne, max_restarts = Unlimited)]
        #![decider(any)]
        #![shutdown(20ms, Together)]

        pub x: Worker = Worker::with(&w, "all/x", later(z)),
        #[lifecycle(Transient, best_effort)]
        pub y: Worker = Worker::new(&w, "all/y"),
        #[backoff(1ms..3ms)]
        pub z: Worker = Worker::with(&w, "all/z", x),
    }

    pub struct Rest(w: W) {
        #![strategy(RestForOne, max_restarts = Unlimited)]
        #![decider(any)]
        #![shutdown(Together)]
        #![backoff(1ms..2ms)]
        #![mailbox(Bounded(16))]

        pub u: Worker = Worker::with(&w, "rest/u", later(t)),
        pub below: struct Below {
            #![strategy(OneForOne, max_restarts = Unlimited)]
            pub v: Worker = Worker::new(&w, "rest/below/v"),
            #[max_starting(1)]
            pub twins: [Worker] = |n: u64| Worker::new(&w, format!("rest/below/twins/{n}")),
        },
        #[lifecycle(Temporary, handler = 3ms)]
        pub t: Worker = Worker::with(&w, "rest/t", u),
    }

    /// Two actors that name each other, spawned by an actor.
    pub struct Twins(w: W, path: String) {
        pub first: Worker = Worker::with(&w, format!("{path}/first"), later(second)),
        pub second: Worker = Worker::with(&w, format!("{path}/second"), first),
    }

    pub struct Top(w: W) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #![decider(restart)]

        idle: task = std::future::pending::<()>(), // keeps the root alive
        pub alone: Alone = Alone::tree(w),
        pub all: All = All::tree(w),
        pub rest: Rest = Rest::tree(w),
    }
}

impl Top {
    /// Every declared actor.
    pub fn workers(&self) -> Vec<ActorRef<Worker>> {
        let alone = &self.alone;
        let mut all = vec![
            alone.a.clone(),
            alone.b.clone(),
            alone.c.clone(),
            self.all.x.clone(),
            self.all.y.clone(),
            self.all.z.clone(),
            self.rest.u.clone(),
            self.rest.below.v.clone(),
            self.rest.t.clone(),
        ];
        all.extend(alone.pair.iter().cloned());
        all.extend(alone.maybe.clone());
        all
    }

    /// Every subtree and set.
    pub fn trees(&self) -> Vec<TreeRef> {
        vec![
            TreeRef::clone(&self.alone),
            TreeRef::clone(&self.all),
            TreeRef::clone(&self.rest),
            TreeRef::clone(&self.rest.below),
            self.alone.set.tree(),
            self.alone.keyed.tree(),
            self.alone.jobs.tree(),
        ]
    }
}

/// Starts the tree, again until a first start succeeds: a random failure in an actor's start may fail it.
pub async fn start_top(world: &W, seed: u64) -> Running<Top> {
    loop {
        if let Ok(top) = Top::tree(world.clone()).seed(seed).start().await {
            return top;
        }
    }
}
