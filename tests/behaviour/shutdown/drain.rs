//! Drains, on request and at a stop: S24, S26, and the rows "draining" of tables 2a and 2b.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use supervise::BoxError;
use supervise::error::{AskError, CommandError, SendRejection};
use supervise::event::Events;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, seen, settle, soon};
use crate::nodes::escalating;

supervisor! {
    struct One(journal: Journal) {
        #[lifecycle(Permanent, shutdown = 4s)]
        #[mailbox(Bounded(2))]
        db: Probe = Probe::start("db", journal).await?,
        #[backoff(10s..20s, random_factor = 0.0)]
        slow: Probe = Probe::start("slow", journal).await?,
    }

    struct Group(journal: Journal) {
        #![strategy(AllForOne)]
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
    }

    struct Declared(journal: Journal) {
        #[lifecycle(Permanent, drain, shutdown = 4s)]
        db: Probe = Probe::start("db", journal).await?,
    }

    struct Escalates(journal: Journal) {
        #[decider(|_: &Failure| Directive::Resume)]
        sub: struct Inner {
            #![decider(|_: &Failure| Directive::Escalate)]
            a: Probe = Probe::start("a", journal).await?,
            b: Probe = Probe::start("b", journal).await?,
        },
    }
}

supervisor! {
    struct Drains(journal: Journal, whom: Arc<OnceLock<ActorRef<Probe>>>) {
        // The children of `sub` are suspended until this decider returns.
        #[decider(move |_: &Failure| {
            let b = whom.get().expect("the handle is known by then");
            let is_down = || b.try_tell(Do::Note("early")).is_err_and(|error| error.reason() != SendRejection::Full);
            // The task of `b` may be the next one on this thread.
            tokio::task::block_in_place(|| {
                while !is_down() {
                    std::thread::yield_now();
                }
            });
            b.drain();
            Directive::Resume
        })]
        sub: struct Rejecting {
            #![decider(|_: &Failure| Directive::Escalate)]
            a: Probe = Probe::start("a", journal).await?,
            #[while_down(Reject)]
            #[lifecycle(Permanent, shutdown = Infinity)]
            b: Probe = Probe::start("b", journal).await?,
        },
    }
}

async fn one() -> (Running<One>, Journal, Events) {
    let journal = Journal::default();
    let mut tree = One::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    settle().await;
    journal.take();
    seen(&mut events);
    (tree, journal, events)
}

/// S26: a drain takes effect after the messages that are queued already, in their order; then the child stops.
#[tokio::test(start_paused = true)]
async fn a_drain_handles_what_is_queued_and_takes_nothing_new() {
    let (tree, journal, mut events) = one().await;
    tree.db.tell(Do::Work(secs(1))).await.unwrap();
    settle().await;
    let (asked, ()) = tokio::join!(tree.db.ask(Do::Get), async {
        tree.db.tell(Do::Note("queued")).await.unwrap();
        tree.db.drain();
        let refused = tree.db.try_tell(Do::Note("late")).unwrap_err();
        assert_eq!(refused.reason(), SendRejection::Ended);
        assert_eq!(tree.db.tell(Do::Note("late")).await.unwrap_err().reason(), SendRejection::Ended);
    });
    assert_eq!(asked, Ok(0), "the question was queued before the drain");
    assert!(matches!(soon(tree.db.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(journal.take(), ["db works", "db worked", "db queued", "db post_stop", "db drop"]);
    assert_eq!(seen(&mut events), ["db stopping Drain", "db ended Stopped"]);
}

/// S26: a drain right after a stop has no effect, even if the child has not processed the stop yet.
#[tokio::test(start_paused = true)]
async fn a_drain_right_after_a_stop_is_a_stop() {
    for queued in [false, true] {
        let (tree, journal, mut events) = one().await;
        if queued {
            tree.db.tell(Do::Note("queued")).await.unwrap();
        }
        let begin = Instant::now();
        tree.db.stop();
        tree.db.drain();
        assert!(matches!(soon(tree.db.terminated()).await, Ok(Ended::Stopped)));
        assert_eq!(begin.elapsed(), secs(0), "the drain waits for nothing");
        assert_eq!(journal.take(), ["db post_stop", "db drop"]);
        let lost = if queued { &["db dead letter"][..] } else { &[] };
        assert_eq!(seen(&mut events), [&["db stopping Asked"], lost, &["db ended Stopped"]].concat());
    }
}

/// S26: an idle actor that drains ends at once; a second drain changes nothing.
#[tokio::test(start_paused = true)]
async fn an_idle_one_that_drains_ends() {
    let (tree, journal, _) = one().await;
    tree.db.drain();
    tree.db.drain();
    soon(tree.db.terminated()).await.unwrap();
    tree.db.drain();
    settle().await;
    assert_eq!(journal.take(), ["db post_stop", "db drop"]);
    assert!(tree.ended().is_none());
}

/// S26: senders that wait for room are refused at once.
#[tokio::test(start_paused = true)]
async fn a_drain_refuses_senders_that_wait_for_room() {
    let (tree, journal, _) = one().await;
    tree.db.tell(Do::Work(secs(1))).await.unwrap();
    settle().await;
    tree.db.tell(Do::Note("first")).await.unwrap();
    tree.db.tell(Do::Note("second")).await.unwrap();
    let begin = Instant::now();
    // These are separate tasks, which only the drain can wake.
    let (one, other) = (tree.db.clone(), tree.db.clone());
    let told = tokio::spawn(async move { one.tell(Do::Note("third")).await });
    let asked = tokio::spawn(async move { other.ask(Do::Get).await });
    settle().await;
    tree.db.drain();
    let (told, asked) = (told.await.unwrap(), asked.await.unwrap());
    assert_eq!(told.unwrap_err().reason(), SendRejection::Ended);
    assert!(matches!(asked, Err(AskError::Refused { reason: SendRejection::Ended, .. })));
    assert_eq!(begin.elapsed(), secs(0));
    soon(tree.db.terminated()).await.unwrap();
    assert_eq!(journal.take()[..4], ["db works", "db worked", "db first", "db second"]);
}

/// S26, 2a: the drain has the `shutdown` time in total; the messages that are left are dead letters.
#[tokio::test(start_paused = true)]
async fn a_drain_has_the_shutdown_time() {
    let (tree, journal, mut events) = one().await;
    let begin = Instant::now();
    tree.db.tell(Do::Work(secs(3))).await.unwrap();
    tree.db.tell(Do::Work(secs(3))).await.unwrap();
    settle().await;
    tree.db.tell(Do::Note("never")).await.unwrap();
    tree.db.drain();
    let ended = soon(tree.db.terminated()).await.unwrap();
    assert!(matches!(ended, Ended::Aborted), "{ended:?}");
    assert_eq!(begin.elapsed(), secs(4));
    assert_eq!(journal.take(), ["db works", "db worked", "db works", "db drop"]);
    assert_eq!(seen(&mut events), ["db stopping Drain", "db aborted", "db dead letter", "db ended Aborted"]);
}

/// S26, 2a: a failure ends the drain: it is reported, the rest are dead letters, and `post_stop` is due.
#[tokio::test(start_paused = true)]
async fn a_failure_ends_a_drain() {
    for in_hand in [true, false] {
        let (tree, journal, mut events) = one().await;
        if !in_hand {
            tree.db.tell(Do::Work(secs(1))).await.unwrap();
            settle().await;
            tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
            tree.db.tell(Do::Note("never")).await.unwrap();
            tree.db.drain();
        } else {
            tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
            tree.db.tell(Do::Note("never")).await.unwrap();
            // The failing message is in hand when the drain is requested: it fails first, and the child stops.
            tree.db.drain();
        }
        assert!(matches!(soon(tree.db.terminated()).await, Ok(Ended::Stopped)));
        let lines = journal.take();
        assert_eq!(lines[lines.len() - 2..], ["db post_stop", "db drop"]);
        assert!(!lines.contains(&"db never".to_owned()));
        assert_eq!(seen(&mut events), ["db stopping Drain", "db reported", "db dead letter", "db ended Stopped"]);
        assert_eq!(tree.db.incarnation(), 1);
    }
}

/// S26, 2a: a kill drops the message in hand, and the rest are dead letters; the hooks run.
#[tokio::test(start_paused = true)]
async fn a_kill_cuts_a_drain_short() {
    let (tree, journal, mut events) = one().await;
    tree.db.tell(Do::Hang).await.unwrap();
    tree.db.tell(Do::Note("never")).await.unwrap();
    settle().await;
    tree.db.drain();
    pass(secs(1)).await;
    tree.db.kill();
    let begin = Instant::now();
    assert!(matches!(soon(tree.db.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(begin.elapsed(), secs(0));
    assert_eq!(journal.take(), ["db post_stop", "db drop"]);
    assert_eq!(seen(&mut events), ["db stopping Drain", "db reported", "db dead letter", "db ended Stopped"]);
}

/// S26, 2a: a stop of an actor that drains can only shorten its time.
#[tokio::test(start_paused = true)]
async fn a_stop_lets_a_drain_go_on() {
    let (tree, journal, _) = one().await;
    tree.db.tell(Do::Work(secs(1))).await.unwrap();
    settle().await;
    tree.db.tell(Do::Note("queued")).await.unwrap();
    tree.db.drain();
    settle().await;
    tree.db.stop();
    soon(tree.db.terminated()).await.unwrap();
    assert_eq!(journal.take(), ["db works", "db worked", "db queued", "db post_stop", "db drop"]);
}

/// S24, S26, 2a: an actor that is on its way down for a restart does not begin to drain, however often it is stopped
/// then: its mailbox is closed, and no message would end the drain.
#[tokio::test(start_paused = true)]
async fn stops_after_a_requested_restart_begin_no_drain() {
    let requests: [fn(&ActorRef<Probe>); 2] = [ActorRef::stop, ActorRef::drain];
    for first in requests {
        for second in requests {
            let journal = Journal::default();
            let tree = Declared::start(journal.clone()).await.unwrap();
            tree.db.tell(Do::Work(secs(1))).await.unwrap();
            settle().await;
            journal.take();
            let begin = Instant::now();
            tree.db.restart().unwrap();
            first(&tree.db);
            second(&tree.db);
            let ended = soon(tree.db.terminated()).await.unwrap();
            assert!(matches!(ended, Ended::Stopped), "{ended:?}");
            assert_eq!(begin.elapsed(), secs(1), "only the message in hand takes time");
            assert_eq!(journal.take(), ["db worked", "db post_stop", "db drop"]);
        }
    }
}

/// S26, 2a: when its group goes down, the message in hand ends and the rest are dead letters. The child does not come
/// up again.
#[tokio::test(start_paused = true)]
async fn a_drain_ends_when_its_group_goes_down() {
    let journal = Journal::default();
    let mut tree = Group::tree(journal.clone());
    let mut events = tree.events();
    let tree = tree.start().await.unwrap();
    tree.b.tell(Do::Work(secs(2))).await.unwrap();
    settle().await;
    tree.b.tell(Do::Note("never")).await.unwrap();
    tree.b.drain();
    settle().await;
    journal.take();
    seen(&mut events);
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(3)).await;
    assert!(matches!(tree.b.ended(), Some(Ended::Stopped)));
    assert_eq!(
        journal.take(),
        [
            "b worked",
            "b post_stop",
            "b drop",
            "a pre_restart",
            "a post_stop",
            "a drop",
            "a start",
            "a pre_start",
            "a post_restart"
        ]
    );
    assert!(seen(&mut events).contains(&"b dead letter".to_owned()));
}

/// S26, 2d: a drain of a child that is not up stops it: while it starts, backs off or goes down, or while its group
/// moves.
#[tokio::test(start_paused = true)]
async fn a_drain_of_one_that_is_not_up_is_a_stop() {
    // A drain of a child that backs off.
    let (tree, journal, _) = one().await;
    tree.slow.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    tree.slow.tell(Do::Note("never")).await.unwrap();
    journal.take();
    tree.slow.drain();
    assert!(matches!(soon(tree.slow.terminated()).await, Ok(Ended::Stopped)));
    pass(secs(60)).await;
    assert!(journal.take().is_empty());

    // A drain of a child that starts again.
    let (tree, journal, _) = one().await;
    journal.plan("slow post_restart", 1, Fault::Slow(secs(100)));
    tree.slow.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(10)).await;
    journal.take();
    tree.slow.drain();
    assert!(matches!(soon(tree.slow.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(journal.take(), ["slow post_stop", "slow drop"], "the hook is dropped, and `post_stop` was due");

    // A drain of a child that goes down for a restart.
    let (tree, journal, _) = one().await;
    journal.plan("slow pre_restart", 1, Fault::Slow(secs(1)));
    tree.slow.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.slow.drain();
    assert!(matches!(soon(tree.slow.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(journal.take(), ["slow pre_restart", "slow pre_restart done", "slow post_stop", "slow drop"]);

    // A drain of a child whose group is coming up.
    let journal = Journal::default();
    let group = Group::start(journal.clone()).await.unwrap();
    journal.plan("b start", 1, Fault::Slow(secs(5)));
    group.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    group.a.tell(Do::Hang).await.unwrap();
    group.a.tell(Do::Note("never")).await.unwrap();
    settle().await;
    group.a.drain();
    assert!(matches!(soon(group.a.terminated()).await, Ok(Ended::Aborted)));
    assert!(!journal.take().contains(&"a never".to_owned()));
}

/// S26, 2d: a drain of a child that has failed, and whose failure is not decided yet, stops it without `pre_restart`.
#[tokio::test(start_paused = true)]
async fn a_drain_of_one_that_has_failed_is_a_stop() {
    let journal = Journal::default();
    let mut blueprint = Escalates::tree(journal.clone());
    let mut events = blueprint.events();
    let tree = blueprint.start().await.unwrap();
    settle().await;
    tree.sub.a.tell(Do::Note("first")).await.unwrap();
    settle().await;
    journal.take();
    seen(&mut events);
    // The failure and the drain arrive in one poll: the failure comes first.
    tree.sub.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.sub.a.tell(Do::Note("never")).await.unwrap();
    tree.sub.a.drain();
    assert!(matches!(soon(tree.sub.a.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(journal.take(), ["a post_stop", "a drop"]);
    assert!(tree.sub.b.ended().is_none());
}

/// Fails on request. Its child has `time` to go down.
struct Boss {
    journal: Journal,
    time: Duration,
}

enum Ask {
    Hire(Reply<ActorRef<Probe>>),
    Fail,
}

#[actor]
impl Boss {
    async fn handle(&mut self, ask: Ask, cx: &mut Context<Self>) -> Result<(), Boom> {
        let Ask::Hire(reply) = ask else { return Err(Boom::Told) };
        let journal = self.journal.clone();
        let child = cx.spawn(child! {
            #[lifecycle(Transient, shutdown = self.time)]
            "child": Probe = Probe::start("child", journal).await?
        });
        reply.send(child.await.map_err(|_| Boom::Planned)?);
        Ok(())
    }
}

/// Has a boss, and a child whose failure it escalates.
struct Head(Journal, Duration);

enum Order {
    Hire(Reply<(ActorRef<Boss>, ActorRef<Probe>)>),
    Work(Duration),
}

#[actor]
impl Head {
    async fn handle(&mut self, order: Order, cx: &mut Context<Self>) -> Result<(), Boom> {
        match order {
            Order::Work(time) => tokio::time::sleep(time).await,
            Order::Hire(reply) => {
                let (journal, time) = (self.0.clone(), self.1);
                let boss = cx.spawn(child! { "boss": Boss = Boss { journal, time } });
                let boss = boss.await.map_err(|_| Boom::Planned)?;
                let journal = self.0.clone();
                let fatal = cx.spawn(child! { "fatal": Probe = Probe::start("fatal", journal).await? });
                reply.send((boss, fatal.await.map_err(|_| Boom::Planned)?));
            }
        }
        Ok(())
    }
    #[supervision]
    fn supervises(&self) -> SupervisorStrategy {
        escalating(Strategy::OneForOne)
    }
}

supervisor! {
    struct Office(journal: Journal, time: Duration) {
        head: Head = Head(journal, time),
    }
}

/// S26, 2a, S7: below a failure that is not decided yet the queued messages are not handled, and the drain lasts no longer
/// than the child's time. It goes on after the decision.
#[tokio::test(start_paused = true)]
async fn a_drain_is_suspended_below_an_undecided_failure() {
    for (time, took, expected) in [(ms(300), ms(300), "Aborted"), (secs(3), secs(1), "Stopped")] {
        let journal = Journal::default();
        let office = Office::start(journal.clone(), time).await.unwrap();
        let (boss, fatal) = office.head.ask(Order::Hire).await.unwrap();
        let child = boss.ask(Ask::Hire).await.unwrap();
        office.head.tell(Order::Work(secs(1))).await.unwrap();
        settle().await;
        fatal.tell(Do::Fail(Boom::Fatal)).await.unwrap(); // `head` fails with it once its message is over
        settle().await;
        boss.tell(Ask::Fail).await.unwrap(); // kept until then
        settle().await;
        child.tell(Do::Note("held")).await.unwrap();
        child.drain();
        journal.take();
        let begin = Instant::now();
        let ended = soon(child.terminated()).await.unwrap();
        assert_eq!((begin.elapsed(), &*format!("{ended:?}")), (took, expected));
        let handled = journal.take().contains(&"child held".to_owned());
        assert_eq!((handled, office.dead_letters()), (took == secs(1), u64::from(took < secs(1))));
    }
}

/// Spawns a child that drains, and stops it with its own restart.
struct Keeper(Journal);

#[actor]
impl Keeper {
    async fn handle(&mut self, reply: Reply<ActorRef<Probe>>, cx: &mut Context<Self>) -> Result<(), Boom> {
        let journal = self.0.clone();
        let child = cx.spawn(child! {
            #[lifecycle(Transient, drain, shutdown = Infinity)]
            "child": Probe = Probe::start("child", journal).await?
        });
        reply.send(child.await.map_err(|_| Boom::Planned)?);
        Ok(())
    }
}

supervisor! {
    struct Company(journal: Journal) {
        branch: struct Branch {
            #![decider(|_: &Failure| Directive::Escalate)]
            keeper: Keeper = Keeper(journal),
            fails: Probe = Probe::start("fails", journal).await?,
        },
    }
}

/// S7, S24: a drain of a child that goes down with its supervisor runs its course, though an ancestor fails meanwhile:
/// the supervisor waits for the end of the drain, and so no decision about the ancestor would reach the child.
#[tokio::test(start_paused = true)]
async fn a_drain_goes_on_if_an_ancestor_of_the_stopping_supervisor_fails() {
    let journal = Journal::default();
    let company = Company::start(journal.clone()).await.unwrap();
    let child = company.branch.keeper.ask(|reply| reply).await.unwrap();
    child.tell(Do::Work(secs(2))).await.unwrap();
    settle().await;
    child.tell(Do::Note("queued")).await.unwrap();
    let begin = Instant::now();
    company.branch.keeper.restart().unwrap();
    pass(secs(1)).await;
    journal.take();
    company.branch.fails.tell(Do::Fail(Boom::Told)).await.unwrap();
    let ended = soon(child.terminated()).await.unwrap();
    assert_eq!((begin.elapsed(), ended.to_string().as_str()), (secs(2), "stopped"));
    settle().await;
    let of_the_child: Vec<_> = journal.take().into_iter().filter(|line| line.starts_with("child")).collect();
    assert_eq!(of_the_child, ["child worked", "child queued", "child post_stop", "child drop"]);
    assert_eq!((company.dead_letters(), company.branch.incarnation()), (0, 2));
}

/// Passes what it gets on to a child of its own, which drains or not.
struct Relay {
    kid: Option<ActorRef<Probe>>,
    drains: bool,
    journal: Journal,
}

#[actor]
impl Relay {
    #[pre_start]
    async fn begin(&mut self, cx: &mut Context<Self>) -> Result<(), BoxError> {
        let journal = self.journal.clone();
        self.kid = Some(match self.drains {
            false => cx.spawn(child! { "kid": Probe = Probe::start("kid", journal).await? }).await?,
            true => {
                cx.spawn(child! {
                    #[lifecycle(drain)]
                    "kid": Probe = Probe::start("kid", journal).await?
                })
                .await?
            }
        });
        Ok(())
    }

    async fn handle(&mut self, note: &'static str) -> Result<(), BoxError> {
        let kid = self.kid.as_ref().ok_or("it is started")?;
        if note == "one" {
            kid.tell(Do::Work(secs(1))).await?;
        }
        Ok(kid.tell(Do::Note(note)).await?)
    }
}

/// S26: a drain is about one actor. A child of it goes down after the queue was handled, and handles its own only if it
/// declares `drain`.
#[tokio::test(start_paused = true)]
async fn a_drain_is_not_handed_down() {
    supervisor! {
        struct Relays(drains: bool, journal: Journal) {
            relay: Relay = Relay { kid: None, drains, journal },
        }
    }
    for (drains, handled, dead) in [(false, 0, 4), (true, 3, 0)] {
        let journal = Journal::default();
        let tree = Relays::start(drains, journal.clone()).await.unwrap();
        for note in ["one", "two", "three"] {
            tree.relay.tell(note).await.unwrap();
        }
        tree.relay.drain();
        tree.relay.terminated().await.unwrap();
        let notes = ["one", "two", "three"];
        let lines = journal.take();
        assert_eq!(
            lines.iter().filter(|line| notes.iter().any(|note| line.ends_with(note))).count(),
            handled,
            "{lines:?}"
        );
        assert_eq!(tree.dead_letters(), dead);
    }
}

/// S26, 2d: an actor that drains cannot be restarted.
#[tokio::test(start_paused = true)]
async fn one_that_drains_is_not_restarted() {
    let (tree, ..) = one().await;
    tree.db.tell(Do::Work(secs(1))).await.unwrap();
    settle().await;
    tree.db.drain();
    assert!(matches!(tree.db.restart(), Err(CommandError::Stopping { .. })));
    assert!(matches!(tree.db.start_again(), Err(CommandError::NotEnded { .. })));
    soon(tree.db.terminated()).await.unwrap();
    tree.db.start_again().unwrap();
    settle().await;
    tree.db.tell(Do::Note("open again")).await.unwrap();
    assert_eq!(tree.db.ask(Do::Incarnation).await.unwrap(), 2);
}

/// S26, S35: an actor that rejects messages while it is suspended drains all the same, and handles the queued messages
/// once the suspension ends.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_of_one_that_rejects_meanwhile_comes_to_its_end() {
    let whom = Arc::default();
    let tree = Drains::start(Journal::default(), Arc::clone(&whom)).await.unwrap();
    let b = tree.sub.b.clone();
    whom.set(b.clone()).unwrap();
    tree.sub.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    let ended = tokio::time::timeout(secs(10), b.terminated()).await;
    assert!(matches!(ended, Ok(Ok(Ended::Stopped))), "{ended:?}");
    assert_eq!((tree.dead_letters(), tree.sub.a.incarnation()), (0, 1));
    assert!(tree.shutdown().await.is_orderly());
}
