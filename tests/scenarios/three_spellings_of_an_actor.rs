//! One actor, written three times: as a derive, as an `#[actor] impl`, as an `impl Actor`.
//!
//! Proves that the three spellings are equivalent: with all six callbacks in each, the same story gives exactly the
//! same trace.

use supervise::prelude::*;

use crate::common::{Boom, Do, Journal, Probe, settle};

enum Say {
    /// Spawns a child and watches it.
    Spawn(Reply<ActorRef<Probe>>),
    Fail,
    Incarnation(Reply<u32>),
}

/// The body of every spelling's `handle`.
async fn handle<A: Watcher>(trace: &Journal, msg: Say, cx: &mut Context<A>) -> Result<(), Boom> {
    match msg {
        Say::Spawn(reply) => {
            trace.write("spawn");
            let kid = cx.spawn(child! { "kid": Probe = Probe::start("kid", Journal::default()).await? }).await;
            let kid = kid.map_err(|_| Boom::Planned)?;
            cx.watch(&kid);
            reply.send(kid);
        }
        Say::Fail => return Err(Boom::Told),
        Say::Incarnation(reply) => reply.send(cx.incarnation()),
    }
    Ok(())
}

/// The body of every spelling's `supervision`: a kid that fails is stopped.
fn stopping(trace: &Journal) -> SupervisorStrategy {
    trace.write("supervision");
    strategy! { #![strategy(OneForOne)] #![decider(_ => Stop)] }
}

#[derive(Actor)]
#[actor(msg = Say, error = Boom)]
#[pre_start(begin)]
#[post_stop(end)]
#[pre_restart(flush)]
#[post_restart(reload)]
#[terminated(lost)]
#[supervision(rules)]
struct Derived {
    trace: Journal,
}

impl Derived {
    async fn handle(&mut self, msg: Say, cx: &mut Context<Self>) -> Result<(), Boom> {
        handle(&self.trace, msg, cx).await
    }

    fn begin(&mut self) {
        self.trace.write("pre_start");
    }

    async fn end(&mut self) -> Result<(), Boom> {
        self.trace.write("post_stop");
        Ok(())
    }

    fn flush(&mut self, failure: &Failure) {
        self.trace.write(format!("pre_restart: {failure}"));
    }

    async fn reload(&mut self, failure: &Failure, cx: &mut Context<Self>) -> Result<(), Boom> {
        self.trace.write(format!("post_restart #{}: {failure}", cx.incarnation()));
        Ok(())
    }

    fn lost(&mut self, who: &Watched, ended: &Ended) {
        self.trace.write(format!("terminated {}: {ended}", who.path()));
    }

    fn rules(&self) -> SupervisorStrategy {
        stopping(&self.trace)
    }
}

struct Attributed {
    trace: Journal,
}

#[actor]
impl Attributed {
    async fn handle(&mut self, msg: Say, cx: &mut Context<Self>) -> Result<(), Boom> {
        handle(&self.trace, msg, cx).await
    }

    #[pre_start]
    fn begin(&mut self) {
        self.trace.write("pre_start");
    }

    #[post_stop]
    async fn end(&mut self) -> Result<(), Boom> {
        self.trace.write("post_stop");
        Ok(())
    }

    #[pre_restart]
    fn flush(&mut self, failure: &Failure) {
        self.trace.write(format!("pre_restart: {failure}"));
    }

    #[post_restart]
    async fn reload(&mut self, failure: &Failure, cx: &mut Context<Self>) -> Result<(), Boom> {
        self.trace.write(format!("post_restart #{}: {failure}", cx.incarnation()));
        Ok(())
    }

    #[terminated]
    fn lost(&mut self, who: &Watched, ended: &Ended) {
        self.trace.write(format!("terminated {}: {ended}", who.path()));
    }

    #[supervision]
    fn rules(&self) -> SupervisorStrategy {
        stopping(&self.trace)
    }
}

struct ByHand {
    trace: Journal,
}

impl Actor for ByHand {
    type Msg = Say;
    type Error = Boom;

    async fn receive(&mut self, msg: Say, cx: &mut Context<Self>) -> Result<(), Boom> {
        handle(&self.trace, msg, cx).await
    }

    async fn pre_start(&mut self, _: &mut Context<Self>) -> Result<(), Boom> {
        self.trace.write("pre_start");
        Ok(())
    }

    async fn post_stop(&mut self, _: &mut Context<Self>) -> Result<(), Boom> {
        self.trace.write("post_stop");
        Ok(())
    }

    async fn pre_restart(&mut self, failure: &Failure, _: &mut Context<Self>) -> Result<(), Boom> {
        self.trace.write(format!("pre_restart: {failure}"));
        Ok(())
    }

    async fn post_restart(&mut self, failure: &Failure, cx: &mut Context<Self>) -> Result<(), Boom> {
        self.trace.write(format!("post_restart #{}: {failure}", cx.incarnation()));
        Ok(())
    }

    fn supervision(&self) -> SupervisorStrategy {
        stopping(&self.trace)
    }
}

impl Watcher for ByHand {
    async fn terminated(&mut self, who: &Watched, ended: &Ended, _: &mut Context<Self>) -> Result<(), Boom> {
        self.trace.write(format!("terminated {}: {ended}", who.path()));
        Ok(())
    }
}

supervisor! {
    struct One(trace: Journal) { boss: Derived = Derived { trace } }
    struct Two(trace: Journal) { boss: Attributed = Attributed { trace } }
    struct Three(trace: Journal) { boss: ByHand = ByHand { trace } }
}

/// The same story for each of them.
async fn story<A: Actor<Msg = Say>>(boss: &ActorRef<A>) {
    let kid = boss.ask(Say::Spawn).await.unwrap();
    kid.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    kid.terminated().await.unwrap();
    settle().await;
    boss.tell(Say::Fail).await.unwrap();
    assert_eq!(boss.ask(Say::Incarnation).await.unwrap(), 2);
}

#[tokio::test(start_paused = true)]
async fn three_spellings_one_trace() {
    let trace = Journal::default();
    let mut traces = Vec::new();
    let one = One::start(trace.clone()).await.unwrap();
    story(&one.boss).await;
    one.shutdown().await;
    traces.push(trace.take());
    let two = Two::start(trace.clone()).await.unwrap();
    story(&two.boss).await;
    two.shutdown().await;
    traces.push(trace.take());
    let three = Three::start(trace.clone()).await.unwrap();
    story(&three.boss).await;
    three.shutdown().await;
    traces.push(trace.take());
    let expected = [
        "supervision",
        "pre_start",
        "spawn",
        "terminated boss/kid: boss/kid failed while running: Fatal",
        "pre_restart: boss failed while running: Told",
        "post_stop",
        "supervision",
        "pre_start",
        "post_restart #2: boss failed while running: Told",
        "post_stop",
    ];
    for (trace, spelling) in traces.iter().zip(["derive", "attribute", "impl"]) {
        assert_eq!(*trace, expected, "{spelling}");
    }
}
