//! Stop wins in every phase: S16.

use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, quiet_panics, secs, settle};

supervisor! {
    struct One(journal: Journal) {
        #[lifecycle(Permanent, shutdown = 2s)]
        #[backoff(10s..20s, random_factor = 0.0)]
        probe: Probe = Probe::start("probe", journal).await?,
    }
}

/// Spawns a probe whose failures it does not decide itself.
struct Boss {
    journal: Journal,
    child: Option<ActorRef<Probe>>,
}

enum Ask {
    Child(Reply<ActorRef<Probe>>),
    Work,
}

#[actor]
impl Boss {
    fn new(journal: Journal) -> Self {
        Boss { journal, child: None }
    }
    async fn handle(&mut self, ask: Ask) {
        match ask {
            Ask::Child(reply) => reply.send(self.child.clone().expect("the child is spawned in pre_start")),
            Ask::Work => tokio::time::sleep(secs(1)).await,
        }
    }
    #[pre_start]
    async fn hire(&mut self, cx: &mut Context<Self>) {
        let journal = self.journal.clone();
        self.child = cx.spawn(child! { "child": Probe = Probe::start("child", journal).await? }).await.ok();
    }
    #[post_stop]
    fn stopped(&mut self) {
        self.journal.write("boss post_stop");
    }
    #[supervision]
    fn supervises(&self) -> SupervisorStrategy {
        SupervisorStrategy::default().decider(|_: &Failure| Directive::Escalate)
    }
}

impl Drop for Boss {
    fn drop(&mut self) {
        self.journal.write("boss drop");
    }
}

supervisor! {
    struct Busy(journal: Journal) {
        boss: Boss = Boss::new(journal),
    }
}

/// Starts a tree with one restart in progress, whose `place` takes 30 s.
async fn held_up_in(place: &str) -> (Running<One>, Journal) {
    let journal = Journal::default();
    let tree = One::start(journal.clone()).await.unwrap();
    journal.plan(&format!("probe {place}"), 1, Fault::Slow(secs(30)));
    tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    (tree, journal)
}

/// S16: a stop during the restart delay cuts it short; the child never starts again, and no hook runs twice.
#[tokio::test(start_paused = true)]
async fn a_stop_in_the_wait_ends_the_child_at_once() {
    let journal = Journal::default();
    let tree = One::start(journal.clone()).await.unwrap();
    tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    journal.take();
    let before = tokio::time::Instant::now();
    tree.probe.stop();
    assert!(matches!(tree.probe.terminated().await, Ok(Ended::Stopped)));
    assert_eq!(before.elapsed(), secs(0));
    pass(secs(60)).await;
    assert_eq!(journal.take(), [""; 0], "nothing starts after a stop");
}

/// S16: a stop during a start drops it at once; `post_stop` is not due, since `pre_start` had not succeeded.
#[tokio::test(start_paused = true)]
async fn a_stop_in_a_start_drops_the_start() {
    for place in ["start", "pre_start"] {
        let (tree, journal) = held_up_in(place).await;
        pass(secs(15)).await;
        journal.take();
        let before = tokio::time::Instant::now();
        tree.probe.stop();
        assert!(matches!(tree.probe.terminated().await, Ok(Ended::Stopped)), "{place}");
        assert_eq!(before.elapsed(), secs(0), "{place}");
        let expected: &[&str] = if place == "start" { &[] } else { &["probe drop"] };
        assert_eq!(journal.take(), expected, "{place}");
    }
}

/// S16: a stop in `post_restart` drops the hook; `post_stop` is due, since `pre_start` had succeeded.
#[tokio::test(start_paused = true)]
async fn a_stop_in_post_restart_runs_the_post_stop_that_is_due() {
    let (tree, journal) = held_up_in("post_restart").await;
    pass(secs(15)).await;
    journal.take();
    tree.probe.stop();
    assert!(matches!(tree.probe.terminated().await, Ok(Ended::Stopped)));
    assert_eq!(journal.take(), ["probe post_stop", "probe drop"]);
}

/// S16: `pre_restart` goes on within the time that began with the restart; after that, there is no start.
#[tokio::test(start_paused = true)]
async fn a_stop_in_pre_restart_lets_it_go_on_within_its_time() {
    let (tree, journal) = held_up_in("pre_restart").await;
    pass(ms(1500)).await;
    journal.take();
    let before = tokio::time::Instant::now();
    tree.probe.stop();
    assert!(matches!(tree.probe.terminated().await, Ok(Ended::Aborted)));
    assert_eq!(before.elapsed(), ms(500), "2 s in total, of which 1.5 s were over");
    pass(secs(60)).await;
    assert_eq!(journal.take(), ["probe drop"]);
}

/// S16: a stop that arrives while the hooks of a restart run joins them: each hook runs to its end, once, and no start
/// follows.
#[tokio::test(start_paused = true)]
async fn a_stop_on_the_way_down_joins_it_and_no_start_follows() {
    for (place, rest) in [
        ("pre_restart", &["probe pre_restart done", "probe post_stop", "probe drop"][..]),
        ("post_stop", &["probe post_stop done", "probe drop"]),
    ] {
        let journal = Journal::default();
        let tree = One::start(journal.clone()).await.unwrap();
        journal.plan(&format!("probe {place}"), 1, Fault::Slow(secs(1)));
        tree.probe.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(ms(400)).await;
        journal.take();
        let before = tokio::time::Instant::now();
        tree.probe.stop();
        assert!(matches!(tree.probe.terminated().await, Ok(Ended::Stopped)), "{place}");
        assert_eq!(before.elapsed(), ms(600), "{place}");
        pass(secs(60)).await;
        assert_eq!(journal.take(), rest, "{place}");
    }
}

/// S16: going down has one time limit, which begins when the child is first asked: the message in hand uses up part of
/// it, `post_stop` has the rest, and a second stop does not start it again.
#[tokio::test(start_paused = true)]
async fn the_time_begins_when_the_child_is_first_asked() {
    let journal = Journal::default();
    let tree = One::start(journal.clone()).await.unwrap();
    journal.plan("probe post_stop", 1, Fault::Slow(secs(30)));
    tree.probe.tell(Do::Work(ms(1200))).await.unwrap();
    settle().await;
    journal.take();
    let before = tokio::time::Instant::now();
    tree.probe.stop();
    pass(ms(1500)).await;
    tree.probe.stop();
    assert!(matches!(tree.probe.terminated().await, Ok(Ended::Aborted)));
    assert_eq!(before.elapsed(), secs(2));
    assert_eq!(journal.take(), ["probe worked", "probe post_stop", "probe drop"]);
}

/// S16: a stop of a child that has failed and awaits the decision runs no `pre_restart`.
#[tokio::test(start_paused = true)]
async fn a_stop_before_the_decision_needs_no_pre_restart() {
    let journal = Journal::default();
    let tree = Busy::start(journal.clone()).await.unwrap();
    let child = tree.boss.ask(Ask::Child).await.unwrap();
    tree.boss.tell(Ask::Work).await.unwrap();
    child.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    journal.take();
    let before = tokio::time::Instant::now();
    child.stop();
    assert!(matches!(child.terminated().await, Ok(Ended::Stopped)));
    assert_eq!(before.elapsed(), secs(0), "the failure waits for the boss, and the stop does not");
    assert_eq!(journal.take(), ["child post_stop", "child drop"]);
}

/// S16: a kill while the children go down aborts them and the rest of the parent.
#[tokio::test(start_paused = true)]
async fn a_kill_while_stopping_aborts_the_children_too() {
    let journal = Journal::default();
    let tree = Busy::start(journal.clone()).await.unwrap();
    let child = tree.boss.ask(Ask::Child).await.unwrap();
    journal.plan("child post_stop", 1, Fault::Slow(secs(3)));
    let before = tokio::time::Instant::now();
    tree.boss.stop();
    settle().await;
    journal.take();
    tree.boss.kill();
    assert!(matches!(tree.boss.terminated().await, Ok(Ended::Aborted)));
    assert!(matches!(child.terminated().await, Ok(Ended::Aborted)));
    assert_eq!(before.elapsed(), secs(0));
    assert_eq!(journal.take(), ["child drop", "boss drop"], "the leaves end first, and no more hooks run");
}

/// S16: a kill in `pre_restart` drops the hook and aborts the rest; the restart goes on.
#[tokio::test(start_paused = true)]
async fn a_kill_in_pre_restart_drops_the_hook_and_the_restart_goes_on() {
    quiet_panics();
    let (tree, journal) = held_up_in("pre_restart").await;
    settle().await;
    journal.take();
    tree.probe.kill();
    pass(secs(11)).await;
    assert_eq!(
        journal.take(),
        ["probe drop", "probe start", "probe pre_start", "probe post_restart"],
        "no post_stop: an aborted instance loses it"
    );
    assert_eq!(tree.probe.incarnation(), 2);
}
