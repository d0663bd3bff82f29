//! Many children at once, and user code that is slow.

use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Journal, Probe, ms, pass, secs, settle, soon};

/// Fails on request, and counts the messages that it handled.
struct Soldier(u32);

enum March {
    Fall,
    Count(Reply<(u32, u32)>),
}

#[actor]
impl Soldier {
    fn handle(&mut self, march: March, cx: &mut Context<Self>) -> Result<(), Boom> {
        self.0 += 1;
        match march {
            March::Fall => return Err(Boom::Told),
            March::Count(reply) => reply.send((self.0, cx.incarnation())),
        }
        Ok(())
    }
}

/// Spawns soldiers as children in one group.
struct Captain;

enum Muster {
    Recruit(u32, Reply<Vec<ActorRef<Soldier>>>),
}

#[actor]
impl Captain {
    async fn handle(&mut self, muster: Muster, cx: &mut Context<Self>) {
        let Muster::Recruit(count, reply) = muster;
        let mut all = Vec::new();
        for number in 0..count {
            let soldier = cx.spawn(child! { format!("s{number}"): Soldier = Soldier(0) });
            all.push(soldier.await.unwrap());
        }
        reply.send(all);
    }

    #[supervision]
    fn how(&self) -> SupervisorStrategy {
        SupervisorStrategy::new(Strategy::AllForOne)
    }
}

supervisor! {
    struct Army {
        free: [Soldier] = || Soldier(0),
        captain: Captain = Captain,
    }
}

async fn all_fall(all: &[ActorRef<Soldier>]) {
    for soldier in all {
        soldier.try_tell(March::Fall).unwrap(); // no other task runs in between
    }
}

/// S14, S15: a thousand children that fail in the same instant are restarted in that instant, each by itself.
#[tokio::test(start_paused = true)]
async fn a_thousand_children_may_fail_in_the_same_instant() {
    let army = Army::start().await.unwrap();
    let mut all = Vec::new();
    for _ in 0..1000 {
        all.push(army.free.spawn().await.unwrap());
    }
    let begin = Instant::now();
    for round in 1..=3 {
        all_fall(&all).await;
        for soldier in &all {
            assert_eq!(soldier.ask(March::Count).await.unwrap(), (1, round + 1));
        }
    }
    assert_eq!(begin.elapsed(), ms(20), "the second and the third restart come 10 ms after the one before");
    assert_eq!((army.free.len(), army.dead_letters()), (1000, 0));
    assert!(army.shutdown().await.is_orderly());
}

/// S17, S18: a thousand members of a group that fail in the same instant cause one failure and one restart.
#[tokio::test(start_paused = true)]
async fn a_thousand_members_that_fail_in_the_same_instant_are_one_restart() {
    let army = Army::start().await.unwrap();
    let all = army.captain.ask(|reply| Muster::Recruit(1000, reply)).forever().await.unwrap();
    // Not the last one: it is asked to go down before it handles its message, which the new instance would get.
    all_fall(&all[..999]).await;
    for soldier in &all {
        assert_eq!(soldier.ask(March::Count).await.unwrap(), (1, 2), "one restart, not a thousand");
    }
    assert_eq!((army.captain.incarnation(), army.dead_letters()), (1, 0), "the limit of ten is not reached");
    assert!(army.shutdown().await.is_orderly());
}

// ----- slow user code

/// S16, S21: a start that never returns is cancelled by a stop, during the first start and during a restart, and holds
/// up no other child.
#[tokio::test(start_paused = true)]
async fn a_start_that_never_comes_back_ends_when_it_is_stopped() {
    #[derive(Clone, Default)]
    struct Gate(Arc<Mutex<bool>>);
    async fn pass_through(gate: Gate, journal: Journal) -> Probe {
        if *gate.0.lock().unwrap() {
            std::future::pending::<()>().await;
        }
        Probe::start("slow", journal).await.unwrap()
    }
    supervisor! {
        struct Tree(gate: Gate, journal: Journal) {
            quick: Probe = Probe::start("quick", journal).await?,
            slow: Probe = pass_through(gate, journal).await,
        }
    }
    let (gate, journal) = (Gate::default(), Journal::default());
    *gate.0.lock().unwrap() = true;
    let starting = tokio::time::timeout(secs(3600), Tree::start(gate.clone(), journal.clone()));
    assert!(starting.await.is_err(), "the start still runs an hour later");
    settle().await;
    let rolled_back = ["quick start", "quick pre_start", "quick post_stop", "quick drop"];
    assert_eq!(journal.take(), rolled_back, "dropping the future took down the children that were up");

    *gate.0.lock().unwrap() = false;
    let tree = Tree::start(gate.clone(), journal.clone()).await.unwrap();
    *gate.0.lock().unwrap() = true;
    tree.slow.tell(Do::Fail(Boom::Told)).await.unwrap();
    let waits = tokio::spawn({
        let slow = tree.slow.clone();
        async move { slow.ask(Do::Get).forever().await.is_err() }
    });
    pass(secs(3600)).await;
    tree.quick.ask(Do::Get).await.unwrap();
    let begin = Instant::now();
    tree.slow.stop();
    assert!(matches!(soon(tree.slow.terminated()).await, Ok(Ended::Stopped)));
    assert!(soon(waits).await.unwrap(), "the caller of `ask` gets the error");
    assert!(soon(tree.shutdown()).await.is_orderly());
    assert_eq!(begin.elapsed(), Duration::ZERO);
}

/// Blocks until the test lets it continue. A test that needs a resource of the blocked thread waits in vain.
struct Turnstile(Mutex<mpsc::Receiver<()>>);

impl Turnstile {
    fn wait(&self) -> bool {
        self.0.lock().unwrap().recv_timeout(secs(20)).is_ok()
    }
}

/// S4, S8: while a decider is slow, the rest of the tree works: the decider is called in the task of the child that
/// failed, and under no lock.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_slow_decider_does_not_delay_the_others() {
    #[derive(Clone)]
    struct Slow {
        begun: mpsc::Sender<()>,
        turnstile: Arc<Turnstile>,
    }
    impl Slow {
        fn decide(&self, _: &Failure) -> Directive {
            let _ = self.begun.send(());
            if self.turnstile.wait() { Directive::Restart } else { Directive::Stop }
        }
    }
    supervisor! {
        struct Tree(journal: Journal, slow: Slow) {
            #![decider(move |failure: &Failure| if failure.path() == "patient" { slow.decide(failure) } else { Directive::Restart })]
            patient: Probe = Probe::start("patient", journal).await?,
            sibling: Probe = Probe::start("sibling", journal).await?,
            crew: [Probe] = || Probe::start("kid", journal).await?,
        }
    }
    let (begun, has_begun) = mpsc::channel();
    let (go, turnstile) = mpsc::channel();
    let slow = Slow { begun, turnstile: Arc::new(Turnstile(Mutex::new(turnstile))) };
    let tree = Tree::start(Journal::default(), slow).await.unwrap();
    let mut events = tree.events();
    tree.patient.tell(Do::Fail(Boom::Told)).await.unwrap();
    tokio::task::spawn_blocking(move || has_begun.recv_timeout(secs(20)).unwrap()).await.unwrap();

    // The decider is running.
    tree.patient.tell(Do::Add(7)).await.unwrap();
    tree.sibling.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.sibling.ask(Do::Incarnation).await.unwrap(), 2, "another failure is decided and carried out");
    let kid = tree.crew.spawn().await.unwrap();
    kid.stop();
    kid.terminated().await.unwrap();
    assert_eq!((tree.crew.len(), tree.patient.incarnation()), (0, 1));
    assert!(events.try_next().is_some());

    go.send(()).unwrap();
    assert_eq!(tree.patient.ask(Do::Get).await.unwrap(), 7);
    assert_eq!(tree.patient.incarnation(), 2);
    assert!(tree.shutdown().await.is_orderly());
}
