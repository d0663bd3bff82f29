//! Proxies: actors that are asked between messages, since something happens elsewhere.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::task::{Context as TaskContext, Poll, Waker};

use supervise::Thrown;
use supervise::error::FarError;
use supervise::event::{DeadLetterReason, EventKind};
use supervise::prelude::*;
use supervise::testing;
use supervise_remote::hooks as remote;

use crate::common::{Boom, Journal, ms, pass, quiet_panics, secs, seen, settle, soon};

/// The other side of a proxy.
#[derive(Clone, Default)]
pub struct Elsewhere(Arc<Mutex<Side>>);

#[derive(Default)]
struct Side {
    happens: VecDeque<Happens>,
    /// No message is taken.
    full: bool,
    /// A drain has to wait.
    busy: bool,
    asked: u32,
    wakers: Vec<Waker>,
}

pub enum Happens {
    Fails(Failure),
    Ends,
    Panics,
}

impl Elsewhere {
    fn change<T>(&self, change: impl FnOnce(&mut Side) -> T) -> T {
        let (out, wakers) = {
            let mut side = self.0.lock().unwrap();
            (change(&mut side), std::mem::take(&mut side.wakers))
        };
        wakers.into_iter().for_each(Waker::wake);
        out
    }

    pub fn happens(&self, what: Happens) {
        self.change(|side| side.happens.push_back(what));
    }

    pub fn fails(&self, cause: Cause) {
        self.happens(Happens::Fails(remote::failure(Phase::Running, cause, "proxy".into(), 1)));
    }

    pub fn set_full(&self, full: bool) {
        self.change(|side| side.full = full);
    }

    fn set_busy(&self, busy: bool) {
        self.change(|side| side.busy = busy);
    }

    fn asked(&self) -> u32 {
        self.0.lock().unwrap().asked
    }
}

pub struct Proxy {
    pub elsewhere: Elsewhere,
    pub journal: Journal,
}

impl Actor for Proxy {
    type Msg = u32;
    type Error = Failure;

    const TURNS: bool = true;

    async fn receive(&mut self, msg: u32, _: &mut Context<Self>) -> Result<(), Failure> {
        self.journal.write(format!("gets {msg}"));
        Ok(())
    }

    async fn pre_start(&mut self, cx: &mut Context<Self>) -> Result<(), Failure> {
        let heals = remote::healing(cx).map_or("nothing".to_owned(), |failure| failure.cause().to_string());
        self.journal.write(format!("starts, heals {heals}"));
        Ok(())
    }

    fn poll_turn(&mut self, cx: &mut Context<Self>, task: &mut TaskContext<'_>) -> Poll<Result<(), Failure>> {
        let mut side = self.elsewhere.0.lock().unwrap();
        side.asked += 1;
        side.wakers.push(task.waker().clone());
        match side.happens.pop_front() {
            Some(Happens::Fails(failure)) => return Poll::Ready(Err(failure)),
            Some(Happens::Ends) => cx.stop_with("over there"),
            Some(Happens::Panics) => {
                drop(side);
                panic!("planned panic");
            }
            None if side.full => return Poll::Pending,
            None => {}
        }
        Poll::Ready(Ok(()))
    }

    fn poll_drained(&mut self, task: &mut TaskContext<'_>) -> Poll<()> {
        let mut side = self.elsewhere.0.lock().unwrap();
        side.wakers.push(task.waker().clone());
        if side.busy { Poll::Pending } else { Poll::Ready(()) }
    }

    async fn pre_restart(&mut self, failure: &Failure, _: &mut Context<Self>) -> Result<(), Failure> {
        self.journal.write(format!("pre_restart: {}", failure.cause()));
        Ok(())
    }

    async fn post_stop(&mut self, _: &mut Context<Self>) -> Result<(), Failure> {
        self.journal.write("post_stop");
        Ok(())
    }
}

supervisor! {
    pub struct Owner(elsewhere: Elsewhere, journal: Journal) {
        proxy: Proxy = Proxy { elsewhere, journal },
        other: Proxy = Proxy { elsewhere: Elsewhere::default(), journal: Journal::default() },
    }
    pub struct Resumes(elsewhere: Elsewhere, journal: Journal) {
        #![decider(|_| Directive::Resume)]
        proxy: Proxy = Proxy { elsewhere, journal },
        other: Proxy = Proxy { elsewhere: Elsewhere::default(), journal: Journal::default() },
    }
    struct Drains(elsewhere: Elsewhere, journal: Journal) {
        #[lifecycle(drain, shutdown = 3s)]
        proxy: Proxy = Proxy { elsewhere, journal },
        other: Proxy = Proxy { elsewhere: Elsewhere::default(), journal: Journal::default() },
    }
}

pub fn lost() -> Cause {
    Cause::NodeLost { node: "n1".into() }
}

fn waiting(tree: &TreeRef) -> usize {
    tree.snapshot().find("proxy").unwrap().mailbox.unwrap().waiting
}

/// S7, S8: a failure beside the messages is decided like any other; no message was in hand, and those that wait stay.
#[tokio::test(start_paused = true)]
async fn a_failure_beside_the_messages_loses_none_of_them() {
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    let tree = Owner::start(elsewhere.clone(), journal.clone()).await.unwrap();
    let mut events = tree.events();
    elsewhere.set_full(true);
    for n in 1..=3 {
        tree.proxy.tell(n).await.unwrap();
    }
    settle().await;
    elsewhere.change(|side| side.full = false);
    settle().await;
    assert_eq!(journal.take(), ["starts, heals nothing", "gets 1", "gets 2", "gets 3"]);
    // The side is full between two messages of one batch.
    elsewhere.set_full(true);
    for n in 4..=6 {
        tree.proxy.tell(n).await.unwrap();
    }
    settle().await;
    elsewhere.change(|side| {
        side.full = false;
        side.happens.push_back(Happens::Fails(remote::failure(Phase::Running, lost(), "proxy".into(), 1)));
    });
    settle().await;
    let expected = [
        "pre_restart: the node n1 is lost",
        "post_stop",
        "starts, heals the node n1 is lost",
        "gets 4",
        "gets 5",
        "gets 6",
    ];
    assert_eq!(journal.take(), expected);
    let failed = events.next().await.unwrap();
    assert!(matches!(&failed.kind, EventKind::Failed { message: None, .. }), "{failed}");
    assert_eq!(seen(&mut events), ["proxy decided Restart", "proxy restart in 0ns", "proxy restarted"]);
}

/// S7: between two messages none is in hand, also if more of the same batch wait.
#[tokio::test(start_paused = true)]
async fn no_message_is_in_hand_between_two_of_a_batch() {
    struct Once(u32);
    impl Actor for Once {
        type Msg = u32;
        type Error = Boom;
        const TURNS: bool = true;
        async fn receive(&mut self, _: u32, _: &mut Context<Self>) -> Result<(), Boom> {
            self.0 += 1;
            Ok(())
        }
        fn poll_turn(&mut self, _: &mut Context<Self>, _: &mut TaskContext<'_>) -> Poll<Result<(), Boom>> {
            Poll::Ready(if self.0 == 1 { Err(Boom::Told) } else { Ok(()) })
        }
    }
    supervisor! {
        struct Tree {
            once: Once = Once(0),
            other: Once = Once(5),
        }
    }
    let tree = Tree::start().await.unwrap();
    let mut events = tree.events();
    for n in 0..3 {
        tree.once.try_tell(n).unwrap();
    }
    let failed = events.next().await.unwrap();
    assert!(matches!(&failed.kind, EventKind::Failed { message: None, .. }), "{failed}");
    pass(secs(60)).await;
    let once = tree.snapshot().find("once").cloned().unwrap();
    assert_eq!((once.incarnation, once.mailbox.unwrap().waiting), (4, 0), "each instance has handled one");
}

/// S6: an error that is a failure keeps its cause, its path and its incarnation.
#[tokio::test(start_paused = true)]
async fn a_failure_from_elsewhere_keeps_its_cause() {
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    let tree = Owner::start(elsewhere.clone(), journal.clone()).await.unwrap();
    let mut events = tree.events();
    for cause in [Cause::Panic("over there".into()), Cause::Error(Thrown::from(Boom::Told)), Cause::TimedOut, lost()] {
        let (kind, text) = (cause.kind(), cause.to_string());
        let failure = remote::failure(Phase::Running, cause, "proxy".into(), 7);
        elsewhere.happens(Happens::Fails(failure));
        pass(secs(60)).await;
        let event = events.next().await.unwrap();
        let EventKind::Failed { failure, .. } = &event.kind else { panic!("{event}") };
        assert_eq!((failure.cause().kind(), failure.path(), failure.incarnation()), (kind, "proxy", 7));
        assert_eq!(failure.cause().to_string(), text);
        assert_eq!(failure.error::<Boom>().is_some(), text == "Told", "its type is found");
        seen(&mut events);
    }
    assert_eq!(tree.proxy.incarnation(), 5);
}

/// S8: a Resume keeps the instance, which is asked again; messages go on.
#[tokio::test(start_paused = true)]
async fn a_resumed_proxy_is_asked_again() {
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    let tree = Resumes::start(elsewhere.clone(), journal.clone()).await.unwrap();
    settle().await;
    let before = elsewhere.asked();
    elsewhere.fails(Cause::Panic("over there".into()));
    settle().await;
    assert_eq!(elsewhere.asked() - before, 2, "once for the failure, and once after the Resume");
    tree.proxy.tell(1).await.unwrap();
    settle().await;
    assert_eq!(journal.take(), ["starts, heals nothing", "gets 1"]);
    assert_eq!(tree.proxy.incarnation(), 1);
}

/// S3: a proxy that takes no message leaves all in the mailbox, which fills; a stop finds them there.
#[tokio::test(start_paused = true)]
async fn a_proxy_that_is_full_leaves_the_messages_in_the_mailbox() {
    supervisor! {
        struct Small(elsewhere: Elsewhere, journal: Journal) {
            #[mailbox(Bounded(3))]
            proxy: Proxy = Proxy { elsewhere, journal },
            other: Proxy = Proxy { elsewhere: Elsewhere::default(), journal: Journal::default() },
        }
    }
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    let tree = Small::start(elsewhere.clone(), journal.clone()).await.unwrap();
    elsewhere.set_full(true);
    for n in 1..=3 {
        tree.proxy.tell(n).await.unwrap();
    }
    settle().await;
    assert_eq!(waiting(&tree), 3);
    assert!(tree.proxy.try_tell(4).is_err(), "it is full");
    let proxy = tree.proxy.clone();
    let blocked = tokio::spawn(async move { proxy.tell(4).await.is_ok() });
    settle().await;
    assert!(!blocked.is_finished());
    elsewhere.set_full(false);
    assert!(soon(blocked).await.unwrap());
    settle().await;
    assert_eq!(journal.take()[1..], ["gets 1", "gets 2", "gets 3", "gets 4"], "in order");
    elsewhere.set_full(true);
    tree.proxy.tell(5).await.unwrap();
    tree.proxy.tell(6).await.unwrap();
    settle().await;
    tree.proxy.stop();
    assert!(matches!(soon(tree.proxy.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!((tree.dead_letters(), journal.take()), (2, vec!["post_stop".to_owned()]));
}

/// S24: once it goes down, a proxy is not asked any more.
#[tokio::test(start_paused = true)]
async fn a_proxy_that_goes_down_is_not_asked() {
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    let tree = Owner::start(elsewhere.clone(), journal.clone()).await.unwrap();
    settle().await;
    let before = elsewhere.asked();
    tree.proxy.stop();
    elsewhere.fails(lost()); // both before its task runs
    assert!(matches!(soon(tree.proxy.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!((elsewhere.asked(), tree.proxy.late_failure().is_some()), (before, false));
}

/// S7: nor is it asked while a failure above is not decided.
#[tokio::test(start_paused = true)]
async fn a_suspended_proxy_is_not_asked() {
    struct Fatal;
    #[actor]
    impl Fatal {
        fn handle(&mut self, _: ()) -> Result<(), Boom> {
            Err(Boom::Fatal)
        }
    }
    struct Head(Elsewhere, Journal);
    #[actor]
    impl Head {
        async fn handle(&mut self, reply: Reply<(ActorRef<Above>, ActorRef<Fatal>)>, cx: &mut Context<Self>) {
            let (elsewhere, journal) = (self.0.clone(), self.1.clone());
            let above = cx.spawn(child! { "above": Above = Above(elsewhere, journal) }).await.unwrap();
            reply.send((above, cx.spawn(child! { "fatal": Fatal = Fatal }).await.unwrap()));
            tokio::time::sleep(secs(1)).await;
        }
        #[supervision]
        fn supervises(&self) -> SupervisorStrategy {
            SupervisorStrategy::new(Strategy::OneForOne).decider(|_: &Failure| Directive::Escalate)
        }
    }
    struct Above(Elsewhere, Journal);
    #[actor]
    impl Above {
        fn handle(&mut self, _: ()) -> Result<(), Boom> {
            Err(Boom::Told)
        }
        #[pre_start]
        async fn begin(&mut self, cx: &mut Context<Self>) {
            let (elsewhere, journal) = (self.0.clone(), self.1.clone());
            cx.spawn(child! { "proxy": Proxy = Proxy { elsewhere, journal } }).await.unwrap();
        }
    }
    supervisor! {
        struct Tree(elsewhere: Elsewhere, journal: Journal) {
            head: Head = Head(elsewhere, journal),
        }
    }
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    let tree = Tree::start(elsewhere.clone(), journal.clone()).await.unwrap();
    let (above, fatal) = tree.head.ask(|reply| reply).await.unwrap();
    settle().await;
    fatal.tell(()).await.unwrap(); // `head` fails with it once its message is over
    settle().await;
    above.tell(()).await.unwrap(); // kept until then
    settle().await;
    let before = elsewhere.asked();
    elsewhere.fails(lost());
    pass(ms(900)).await;
    assert_eq!((elsewhere.asked(), journal.take()), (before, vec!["starts, heals nothing".to_owned()]));
}

/// S23: `cx.stop()` in a turn ends the actor by itself, with its words.
#[tokio::test(start_paused = true)]
async fn a_stop_in_a_turn_is_an_end_by_itself() {
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    supervisor! {
        struct Ends(elsewhere: Elsewhere, journal: Journal) {
            #[lifecycle(Transient)]
            proxy: Proxy = Proxy { elsewhere, journal },
            other: Proxy = Proxy { elsewhere: Elsewhere::default(), journal: Journal::default() },
        }
    }
    let tree = Ends::start(elsewhere.clone(), journal.clone()).await.unwrap();
    elsewhere.set_full(true);
    tree.proxy.tell(1).await.unwrap();
    settle().await;
    elsewhere.happens(Happens::Ends);
    let ended = soon(tree.proxy.terminated()).await.unwrap();
    assert_eq!(ended.reason(), Some("over there"));
    assert_eq!(
        (tree.dead_letters(), journal.take()),
        (1, vec!["starts, heals nothing".to_owned(), "post_stop".into()])
    );
    let elsewhere = Elsewhere::default();
    let owner = Owner::start(elsewhere.clone(), journal.clone()).await.unwrap();
    elsewhere.happens(Happens::Ends);
    pass(secs(60)).await;
    assert_eq!(owner.proxy.incarnation(), 2, "a `Permanent` one is started again");
    assert_eq!(journal.take()[1..], ["post_stop", "starts, heals ended by itself"]);
}

/// S24, S26: a drain waits until nothing is under way elsewhere, within its time.
#[tokio::test(start_paused = true)]
async fn a_drain_waits_for_work_that_is_under_way_elsewhere() {
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    let tree = Drains::start(elsewhere.clone(), journal.clone()).await.unwrap();
    elsewhere.set_busy(true);
    tree.proxy.tell(1).await.unwrap();
    tree.proxy.drain();
    pass(secs(2)).await;
    assert!(tree.proxy.is_alive());
    assert_eq!(journal.take(), ["starts, heals nothing", "gets 1"]);
    elsewhere.set_busy(false);
    assert!(matches!(soon(tree.proxy.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(journal.take(), ["post_stop"]);
    let tree = Drains::start(elsewhere.clone(), journal.clone()).await.unwrap();
    elsewhere.set_busy(true);
    let begun = tokio::time::Instant::now();
    tree.proxy.drain();
    assert!(matches!(soon(tree.proxy.terminated()).await, Ok(Ended::Aborted)));
    assert_eq!(begun.elapsed(), secs(3), "its time is up");
}

/// S11, S26: `pre_start` learns of the failure that the incarnation heals; a first start heals none.
#[tokio::test(start_paused = true)]
async fn pre_start_learns_what_the_incarnation_heals() {
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    let tree = Owner::start(elsewhere.clone(), journal.clone()).await.unwrap();
    drop(tree.proxy.restart().unwrap());
    settle().await;
    elsewhere.fails(lost());
    pass(secs(60)).await;
    tree.proxy.stop();
    soon(tree.proxy.terminated()).await.unwrap();
    drop(tree.proxy.start_again().unwrap());
    settle().await;
    let starts: Vec<String> = journal.take().into_iter().filter(|line| line.starts_with("starts")).collect();
    let expected = [
        "starts, heals nothing",
        "starts, heals restart requested",
        "starts, heals the node n1 is lost",
        "starts, heals nothing",
    ];
    assert_eq!(starts, expected);
}

/// S7: a panic in a turn is a failure of the actor.
#[tokio::test(start_paused = true)]
async fn a_panic_in_a_turn_is_a_failure() {
    quiet_panics();
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    let tree = Owner::start(elsewhere.clone(), journal.clone()).await.unwrap();
    let mut events = tree.events();
    elsewhere.happens(Happens::Panics);
    settle().await;
    assert!(events.next().await.unwrap().to_string().ends_with("failed: panicked: planned panic"));
    assert_eq!(tree.proxy.incarnation(), 2);
}

/// S9: a lost node leads to a restart, whatever arms there are for errors; an arm can name it.
#[tokio::test(start_paused = true)]
async fn a_lost_node_restarts_where_no_arm_names_it() {
    supervisor! {
        struct Typed(elsewhere: Elsewhere, journal: Journal) {
            #![decider(_: Boom => Stop)]
            proxy: Proxy = Proxy { elsewhere, journal },
            other: Proxy = Proxy { elsewhere: Elsewhere::default(), journal: Journal::default() },
        }
        struct Named(elsewhere: Elsewhere, journal: Journal) {
            #![decider(Cause::NodeLost { node } if node == "n1" => Stop, _: Boom => Restart)]
            proxy: Proxy = Proxy { elsewhere, journal },
            other: Proxy = Proxy { elsewhere: Elsewhere::default(), journal: Journal::default() },
        }
    }
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    let tree = Typed::start(elsewhere.clone(), journal.clone()).await.unwrap();
    let mut events = tree.events();
    elsewhere.fails(lost());
    settle().await;
    let restarts = ["proxy failed", "proxy decided Restart", "proxy restart in 0ns", "proxy restarted"];
    assert_eq!(seen(&mut events), restarts);
    let elsewhere = Elsewhere::default();
    let tree = Named::start(elsewhere.clone(), journal.clone()).await.unwrap();
    elsewhere.fails(lost());
    let ended = soon(tree.proxy.terminated()).await.unwrap();
    assert!(matches!(ended.failure().unwrap().cause(), Cause::NodeLost { node } if node == "n1"), "{ended:?}");
}

/// S8, S15: nothing of a lost instance can be resumed: Resume is a restart, which counts against the budget.
#[tokio::test(start_paused = true)]
async fn a_resume_of_a_lost_node_is_a_restart_that_counts() {
    supervisor! {
        struct Limited(elsewhere: Elsewhere, journal: Journal) {
            #![strategy(OneForOne, max_restarts = 2, within = 1min)]
            #![decider(|_| Directive::Resume)]
            proxy: Proxy = Proxy { elsewhere, journal },
            other: Proxy = Proxy { elsewhere: Elsewhere::default(), journal: Journal::default() },
        }
    }
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    let tree = Limited::start(elsewhere.clone(), journal.clone()).await.unwrap();
    let mut events = tree.events();
    for n in 2..=3 {
        elsewhere.fails(lost());
        pass(secs(5)).await;
        assert_eq!(seen(&mut events)[..2], ["proxy failed", "proxy decided Restart"], "what is carried out");
        assert_eq!(tree.proxy.incarnation(), n);
    }
    elsewhere.fails(lost());
    settle().await;
    assert_eq!(seen(&mut events)[1..3], ["proxy decided Escalate", "proxy limit"]);
}

/// S19: a Resume from above restarts the lost instance below.
#[tokio::test(start_paused = true)]
async fn a_resume_from_above_restarts_a_lost_proxy() {
    supervisor! {
        struct Tree(elsewhere: Elsewhere, journal: Journal) {
            #![decider(|_| Directive::Resume)]
            below: struct Below {
                #![decider(|_| Directive::Escalate)]
                proxy: Proxy = Proxy { elsewhere, journal },
                other: Proxy = Proxy { elsewhere: Elsewhere::default(), journal: Journal::default() },
            },
            beside: Proxy = Proxy { elsewhere: Elsewhere::default(), journal: Journal::default() },
        }
    }
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    let tree = Tree::start(elsewhere.clone(), journal.clone()).await.unwrap();
    settle().await;
    let failure = |cause| remote::failure(Phase::Running, cause, "below/proxy".into(), 1);
    elsewhere.happens(Happens::Fails(failure(Cause::Panic("over there".into()))));
    settle().await;
    assert_eq!((tree.below.proxy.incarnation(), tree.below.other.incarnation()), (1, 1), "resumed");
    elsewhere.happens(Happens::Fails(failure(lost())));
    settle().await;
    assert_eq!((tree.below.proxy.incarnation(), tree.below.other.incarnation()), (2, 1), "it alone is restarted");
}

/// S8, S9: the type of an error that crossed as text is not known, so no arm can be missing for it.
#[tokio::test(start_paused = true)]
async fn an_error_that_crossed_as_text_is_decided_by_default() {
    supervisor! {
        struct Typed(elsewhere: Elsewhere, journal: Journal) {
            #![decider(_: Boom => Stop)]
            proxy: Proxy = Proxy { elsewhere, journal },
            other: Proxy = Proxy { elsewhere: Elsewhere::default(), journal: Journal::default() },
        }
        struct Named(elsewhere: Elsewhere, journal: Journal) {
            #![decider(far: FarError if far.texts[0] == "no rates" => Stop)]
            proxy: Proxy = Proxy { elsewhere, journal },
            other: Proxy = Proxy { elsewhere: Elsewhere::default(), journal: Journal::default() },
        }
    }
    let far = || Cause::Error(Thrown::from(FarError { texts: vec!["no rates".into(), "refused".into()] }));
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    let tree = Typed::start(elsewhere.clone(), journal.clone()).await.unwrap();
    let mut events = tree.events();
    elsewhere.fails(far());
    settle().await;
    assert_eq!(seen(&mut events)[..2], ["proxy failed", "proxy decided Restart"]);
    elsewhere.fails(Cause::Error(Thrown::from(std::fmt::Error)));
    settle().await;
    assert_eq!(seen(&mut events)[..2], ["proxy failed", "proxy decided Escalate"], "another error without an arm");
    let elsewhere = Elsewhere::default();
    let tree = Named::start(elsewhere.clone(), journal.clone()).await.unwrap();
    elsewhere.fails(far());
    let ended = soon(tree.proxy.terminated()).await.unwrap();
    assert_eq!(ended.failure().unwrap().cause().to_string(), "no rates: refused");
}

/// S8: the child has an instance, so a Resume is a Resume.
#[tokio::test(start_paused = true)]
async fn an_error_that_crossed_as_text_can_be_resumed() {
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    let tree = Resumes::start(elsewhere.clone(), journal.clone()).await.unwrap();
    elsewhere.fails(Cause::Error(Thrown::from(FarError { texts: vec!["no rates".into()] })));
    settle().await;
    assert_eq!(tree.proxy.incarnation(), 1);
}

/// S24: how an instance ended elsewhere is in the report, with its cause; the failure of another child is an error that
/// the hook met.
#[tokio::test(start_paused = true)]
async fn a_failure_on_the_way_down_keeps_its_cause() {
    struct Stops(&'static str);
    impl Actor for Stops {
        type Msg = ();
        type Error = Failure;
        async fn receive(&mut self, _: (), _: &mut Context<Self>) -> Result<(), Failure> {
            Ok(())
        }
        async fn post_stop(&mut self, _: &mut Context<Self>) -> Result<(), Failure> {
            Err(remote::failure(Phase::Running, lost(), self.0.into(), 1))
        }
    }
    supervisor! {
        struct Tree {
            own: Stops = Stops("own"),
            other: Stops = Stops("own"),
        }
    }
    let tree = Tree::start().await.unwrap();
    let report = tree.shutdown().await;
    let late = |path: &str| report.children.iter().find(|child| child.path == path).unwrap().failure.clone().unwrap();
    assert!(matches!(late("own").cause(), Cause::NodeLost { .. }));
    assert!(matches!(late("other").cause(), Cause::Error(_)), "a failure of another child");
    assert_eq!(late("other").path(), "other");
}

/// S3: an actor that does not say so is never asked.
#[tokio::test(start_paused = true)]
async fn only_a_proxy_is_asked() {
    struct Plain;
    impl Actor for Plain {
        type Msg = Reply<()>;
        type Error = Boom;
        async fn receive(&mut self, reply: Reply<()>, _: &mut Context<Self>) -> Result<(), Boom> {
            reply.send(());
            Ok(())
        }
        fn poll_turn(&mut self, _: &mut Context<Self>, _: &mut TaskContext<'_>) -> Poll<Result<(), Boom>> {
            panic!("asked");
        }
        fn poll_drained(&mut self, _: &mut TaskContext<'_>) -> Poll<()> {
            panic!("asked");
        }
    }
    supervisor! {
        struct Tree {
            plain: Plain = Plain,
            other: Plain = Plain,
        }
    }
    let tree = Tree::start().await.unwrap();
    tree.plain.ask(|reply| reply).await.unwrap();
    tree.plain.drain();
    assert!(matches!(soon(tree.plain.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(tree.plain.incarnation(), 1);
}

/// S3, S5: several workers, and everything happens at once: each message is handled once, or is a dead letter.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_message_is_lost_on_several_workers() {
    const MESSAGES: u32 = 4000;
    supervisor! {
        struct Tree(elsewhere: Elsewhere, journal: Journal) {
            #![strategy(OneForOne, max_restarts = Unlimited)]
            #![decider(Cause::Panic(_) => Resume, _ => Restart)]
            #[mailbox(Bounded(16))]
            proxy: Proxy = Proxy { elsewhere, journal },
            other: Proxy = Proxy { elsewhere: Elsewhere::default(), journal: Journal::default() },
        }
    }
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    let tree = Tree::start(elsewhere.clone(), journal.clone()).await.unwrap();
    let senders: Vec<_> = (0..4)
        .map(|sender| {
            let proxy = tree.proxy.clone();
            tokio::spawn(async move {
                for n in 0..MESSAGES / 4 {
                    proxy.tell(sender * MESSAGES + n).await.unwrap();
                }
            })
        })
        .collect();
    let side = elsewhere.clone();
    let trouble = std::thread::spawn(move || {
        for n in 0..200u32 {
            side.set_full(n % 2 == 0);
            match n % 70 {
                0 => side.fails(lost()),
                5 | 25 | 45 => side.fails(Cause::Panic("over there".into())),
                _ => {}
            }
            std::thread::yield_now();
        }
        side.set_full(false);
    });
    for sender in senders {
        tokio::time::timeout(secs(60), sender).await.expect("a sender waits forever").unwrap();
    }
    tokio::task::spawn_blocking(move || trouble.join().unwrap()).await.unwrap();
    tree.proxy.drain();
    tokio::time::timeout(secs(60), tree.proxy.terminated()).await.expect("it ends").unwrap();
    let got: Vec<u32> = journal.take().iter().filter_map(|line| line.strip_prefix("gets ")?.parse().ok()).collect();
    assert_eq!((got.len() as u64 + tree.dead_letters(), tree.dead_letters()), (MESSAGES.into(), 0));
    for sender in 0..4 {
        let mut own = got.iter().filter(|n| **n / MESSAGES == sender);
        assert!(own.clone().is_sorted() && own.next().is_some(), "those of one sender are in order");
    }
}

/// S25: a runtime that is dropped in the middle ends a proxy that takes no messages, and notifies waiters outside.
#[test]
fn a_proxy_goes_with_its_runtime() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    let tree = runtime.block_on(Owner::start(elsewhere.clone(), journal.clone())).unwrap();
    elsewhere.set_full(true);
    for n in 0..5 {
        tree.proxy.try_tell(n).unwrap();
    }
    let (proxy, tree) = (tree.proxy.clone(), tree.detach());
    drop(runtime);
    assert!(matches!(proxy.ended(), Some(Ended::RuntimeGone)), "{:?}", proxy.ended());
    assert_eq!(tree.dead_letters(), 5);
    elsewhere.fails(lost()); // its waker leads nowhere
    assert_eq!(Arc::strong_count(&elsewhere.0), 1, "the instance and its start are dropped");
}

/// S42: a snapshot shows where the instance is, and how many messages are on their way there.
#[tokio::test(start_paused = true)]
async fn a_snapshot_shows_the_node_and_the_window() {
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    let tree = Owner::start(elsewhere, journal).await.unwrap();
    let shown = |path: &str| {
        let snapshot = tree.snapshot();
        let node = snapshot.find(path).unwrap();
        (node.runs_on.clone(), node.window)
    };
    assert_eq!(shown("proxy"), (None, None));
    remote::set_node(&tree.proxy, Some("n1".into()));
    remote::set_window(&tree.proxy, 4);
    assert_eq!((shown("proxy"), shown("other")), ((Some("n1".to_owned()), Some(4)), (None, None)));
    let json = serde_json::to_value(tree.snapshot()).unwrap();
    let proxy = json["root"]["children"][0].clone();
    assert_eq!((proxy["runs_on"].as_str(), proxy["window"].as_u64()), (Some("n1"), Some(4)));
    assert!(json["root"]["children"][1].get("window").is_none());
    assert!(tree.snapshot().render().contains("proxy  actor  running  #1  on n1, 4 sent"));
    remote::set_node(&tree.proxy, None);
    assert_eq!(shown("proxy"), (None, Some(4)));
}

/// S5, S40: a proxy raises events of its own, and counts the messages that are lost elsewhere.
#[tokio::test(start_paused = true)]
async fn a_proxy_raises_events_and_counts_letters() {
    let (elsewhere, journal) = (Elsewhere::default(), Journal::default());
    let mut tree = testing::start(Owner::tree(elsewhere, journal)).await.unwrap();
    let _ = tree.record().lines();
    remote::emit(&tree.proxy, EventKind::Placed { node: "n1".into() });
    remote::emit(&tree.proxy, EventKind::NodeLost { node: "n1".into(), after: ms(5500) });
    remote::emit(&tree.proxy, EventKind::NoNode { role: "worker".into() });
    remote::emit(&tree.proxy, EventKind::Refused { why: "another build".into() });
    remote::emit(&tree.proxy, EventKind::NotWritten { why: "a map key".into() });
    remote::dead_letter(&tree.proxy, "u32", DeadLetterReason::Unknown);
    assert_eq!(tree.dead_letters(), 1);
    tree.record().expect([
        "proxy placed on n1",
        "proxy lost n1",
        "proxy no node for worker",
        "proxy refused",
        "proxy not written",
        "proxy dead letter",
    ]);
    let texts: Vec<String> = tree.record().events().iter().rev().take(6).map(|event| event.to_string()).collect();
    let expected = [
        "proxy #1 dead letter: u32",
        "proxy #1 cannot be written for another process: a map key",
        "proxy #1 refused by a node: another build",
        "proxy #1 waits for a node of the role worker",
        "proxy #1 lost its node n1, not heard of for 5.5s",
        "proxy #1 placed on n1",
    ];
    assert_eq!(texts, expected);
    let words: Vec<String> = tree.record().events().iter().rev().take(6).map(json_word).collect();
    assert_eq!(words, ["dead_letter", "not_written", "refused", "no_node", "node_lost", "placed"]);
}

fn json_word(event: &supervise::event::Event) -> String {
    serde_json::to_value(event).unwrap()["event"].as_str().unwrap().to_owned()
}
