//! The suspension of everything below a failure: S7.

use std::time::Duration;

use supervise::error::{AskError, SendRejection};
use supervise::policy::WhileDown;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{Boom, Do, Journal, Probe, ms, pass, secs, seen, settle};
use crate::nodes::{Family, Kid, Say, escalating, spawn};

/// An actor that spawns a probe, and returns its handle on request.
pub struct Parent {
    journal: Journal,
    child: Option<ActorRef<Probe>>,
    strategy: fn() -> SupervisorStrategy,
}

pub enum Tell {
    Child(Reply<ActorRef<Probe>>),
    Fail,
    Work(Duration),
}

#[actor]
impl Parent {
    pub fn new(journal: Journal, strategy: fn() -> SupervisorStrategy) -> Self {
        Parent { journal, child: None, strategy }
    }
    async fn handle(&mut self, tell: Tell) -> Result<(), Boom> {
        match tell {
            Tell::Child(reply) => reply.send(self.child.clone().expect("the child is spawned in pre_start")),
            Tell::Fail => return Err(Boom::Told),
            Tell::Work(time) => {
                self.journal.write("parent works");
                tokio::time::sleep(time).await;
                self.journal.write("parent worked");
            }
        }
        Ok(())
    }
    #[pre_start]
    async fn begin(&mut self, cx: &mut Context<Self>) {
        self.journal.write("parent pre_start");
        let journal = self.journal.clone();
        self.child = cx.spawn(child! { "child": Probe = Probe::start("child", journal).await? }).await.ok();
    }
    #[pre_restart]
    async fn flush(&mut self) {
        self.journal.write("parent pre_restart");
        tokio::time::sleep(secs(1)).await;
        self.journal.write("parent flushed");
    }
    #[supervision]
    fn supervises(&self) -> SupervisorStrategy {
        (self.strategy)()
    }
}

/// S7: until the failure is decided, the subtree is suspended: the message in progress goes on, and no other begins.
#[tokio::test(start_paused = true)]
async fn below_an_undecided_failure_the_message_in_hand_goes_on_and_no_other_begins() {
    let journal = Journal::default();
    let family = Family::start(journal.clone(), escalating(Strategy::OneForOne), Directive::Restart).await.unwrap();
    let kid = spawn(&family.top, Kid::new("kid")).await;
    let (child, fatal) = (spawn(&kid, Kid::new("child")).await, spawn(&family.top, Kid::new("fatal")).await);
    let rejects = spawn(&kid, Kid { while_down: WhileDown::Reject, ..Kid::new("rejects") }).await;
    child.tell(Say::Work(ms(300))).await.unwrap();
    child.tell(Say::Note("begins")).await.unwrap();
    family.top.tell(Say::Work(secs(1))).await.unwrap();
    settle().await;
    fatal.tell(Say::Fail(Boom::Fatal)).await.unwrap(); // `top` fails with it once its message is over
    settle().await;
    kid.tell(Say::Fail(Boom::Told)).await.unwrap(); // kept until then
    pass(ms(900)).await;
    assert!(!journal.take().contains(&"child begins".to_owned()));
    assert_eq!(rejects.try_tell(Say::Note("is lost")).unwrap_err().reason(), SendRejection::Down { retry_in: None });
    assert_eq!(family.snapshot().find("top/kid/child").unwrap().state.to_string(), "suspended");
}

/// S7, S17: once the failure is decided, each member serves until its turn comes. Then no further message begins.
#[tokio::test(start_paused = true)]
async fn below_a_decided_failure_members_serve_until_their_turns() {
    supervisor! {
        struct Family(journal: Journal) {
            parent: Parent = Parent::new(journal, SupervisorStrategy::default),
        }
    }
    let journal = Journal::default();
    let family = Family::start(journal.clone()).await.unwrap();
    let child = family.parent.ask(Tell::Child).await.unwrap();
    child.tell(Do::Work(ms(300))).await.unwrap();
    child.tell(Do::Note("begins")).await.unwrap();
    settle().await;
    journal.take();
    family.parent.tell(Tell::Fail).await.unwrap();
    pass(ms(900)).await;
    child.try_tell(Do::Note("begins, too")).unwrap();
    settle().await;
    assert_eq!(journal.take(), ["parent pre_restart", "child worked", "child begins", "child begins, too"]);
    child.tell(Do::Work(ms(200))).await.unwrap();
    child.tell(Do::Note("must not begin")).await.unwrap();
    pass(ms(150)).await;
    assert_eq!(journal.take(), ["child works", "parent flushed"]);
    pass(ms(150)).await;
    assert_eq!(
        journal.take(),
        ["child worked", "child post_stop", "child drop", "parent pre_start", "child start", "child pre_start"]
    );
}

/// S7, S8: the parent's Resume resumes the supervisor and the child that escalated, with its instance.
#[tokio::test(start_paused = true)]
async fn the_parents_resume_resumes_both_and_what_was_kept_begins() {
    supervisor! {
        struct Top(journal: Journal) {
            #![decider(|_| Directive::Resume)]
            inner: struct Inner {
                #![decider(|failure: &Failure| match failure.find::<Boom>() {
                    Some(Boom::Fatal) => Directive::Escalate,
                    _ => Directive::Restart,
                })]
                slow: Probe = Probe::start("slow", journal.clone()).await?,
                #[backoff(1s..1s, random_factor = 0)]
                waiting: Probe = Probe::start("waiting", journal.clone()).await?,
                failing: Probe = Probe::start("failing", journal).await?,
            },
        }
    }
    let journal = Journal::default();
    let top = Top::start(journal.clone()).await.unwrap();
    let mut events = top.events();
    top.inner.failing.tell(Do::Add(7)).await.unwrap();
    top.inner.failing.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    top.inner.slow.tell(Do::Note("goes on")).await.unwrap();
    top.inner.waiting.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(2)).await;
    assert_eq!(
        top.inner.failing.ask(Do::Get).await.unwrap(),
        7,
        "the message waited together with the instance, and both continued"
    );
    assert_eq!((top.inner.failing.incarnation(), top.inner.waiting.incarnation()), (1, 2));
    assert!(journal.take().contains(&"slow goes on".to_owned()));
    let seen = seen(&mut events);
    assert!(seen.contains(&"inner escalated".to_owned()), "{seen:?}");
    assert!(seen.contains(&"inner decided Resume".to_owned()), "{seen:?}");
}

/// S7: while its parent has failed, a child's failure, its due timer and the messages below it are kept; the Resume
/// lets them begin.
#[tokio::test(start_paused = true)]
async fn failures_timers_and_messages_are_kept_until_the_resume() {
    struct Boss(Journal, Vec<ActorRef<Probe>>, Option<ActorRef<Parent>>);
    enum Order {
        Work(Duration),
        Team(Reply<(Vec<ActorRef<Probe>>, ActorRef<Parent>)>),
    }
    #[actor]
    impl Boss {
        async fn handle(&mut self, order: Order) {
            match order {
                Order::Work(time) => tokio::time::sleep(time).await,
                Order::Team(reply) => reply.send((self.1.clone(), self.2.clone().unwrap())),
            }
        }
        #[pre_start]
        async fn hire(&mut self, cx: &mut Context<Self>) {
            for name in ["failing", "waiting"] {
                let journal = self.0.clone();
                let kid = cx.spawn(child! {
                    #[backoff(1s..1s, random_factor = 0.0)]
                    name: Probe = Probe::start(name, journal).await?
                });
                self.1.push(kid.await.unwrap());
            }
            let journal = self.0.clone();
            self.2 =
                cx.spawn(child! { "parent": Parent = Parent::new(journal, SupervisorStrategy::default) }).await.ok();
        }
        #[supervision]
        fn strategy(&self) -> SupervisorStrategy {
            SupervisorStrategy::default().decider(|failure: &Failure| match (failure.path(), failure.error()) {
                (_, Some(Boom::Fatal)) => Directive::Escalate,
                ("boss/parent", _) => Directive::Resume,
                _ => Directive::Restart,
            })
        }
    }
    supervisor! {
        struct Firm(journal: Journal) {
            #![decider(|_| Directive::Resume)]
            boss: Boss = Boss(journal, Vec::new(), None),
        }
    }
    let journal = Journal::default();
    let firm = Firm::start(journal.clone()).await.unwrap();
    let (team, parent) = firm.boss.ask(Order::Team).await.unwrap();
    let child = parent.ask(Tell::Child).await.unwrap();
    let mut events = firm.events();
    journal.take();
    firm.boss.tell(Order::Work(secs(3))).await.unwrap();
    team[1].tell(Do::Fail(Boom::Told)).await.unwrap(); // backs off for 1 s
    settle().await;
    team[0].tell(Do::Fail(Boom::Fatal)).await.unwrap(); // the boss fails once it has finished its message
    settle().await;
    parent.tell(Tell::Fail).await.unwrap(); // this failure is kept, and suspends the child
    settle().await;
    child.tell(Do::Note("heard")).await.unwrap();
    journal.take();
    seen(&mut events);
    pass(ms(2_900)).await;
    assert_eq!(journal.take(), [""; 0], "the delay ended 1 s ago, and nothing started");
    assert_eq!(seen(&mut events), [""; 0]);
    pass(ms(200)).await;
    let (mut lines, events) = (journal.take(), seen(&mut events));
    lines.sort();
    assert_eq!(lines, ["child heard", "waiting post_restart", "waiting pre_start", "waiting start"]);
    assert_eq!(events[..3], ["boss escalated", "boss failed", "boss decided Resume"]);
    assert!(events.contains(&"boss/parent decided Resume".to_owned()), "{events:?}");
    assert_eq!((team[0].incarnation(), team[1].incarnation(), parent.incarnation()), (1, 2, 1));
    assert_eq!(team[0].ask(Do::Get).await.unwrap(), 0, "the child that escalated continues too");
}

/// S7: the asker of the message in hand gets its error at once, and does not wait for the hooks.
#[tokio::test(start_paused = true)]
async fn the_asker_of_the_message_in_hand_gets_the_error_at_once() {
    struct Slow;
    #[actor]
    impl Slow {
        async fn handle(&mut self, _reply: Reply<()>) -> Result<(), Boom> {
            Err(Boom::Told)
        }
        #[pre_restart]
        async fn flush(&mut self) {
            tokio::time::sleep(secs(2)).await;
        }
    }
    supervisor! { struct One { slow: Slow = Slow } }
    let one = One::start().await.unwrap();
    let begun = Instant::now();
    assert_eq!(one.slow.ask(|reply| reply).await, Err(AskError::NoReply { path: "slow".into() }));
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

/// S7, S19: while an actor with an escalated failure finishes its message, no new work begins below it.
#[tokio::test(start_paused = true)]
async fn an_escalation_takes_effect_after_the_message_in_hand_of_the_parent() {
    supervisor! {
        struct Family(journal: Journal) {
            parent: Parent = Parent::new(journal, || SupervisorStrategy::default().decider(|_: &Failure| Directive::Escalate)),
        }
    }
    let journal = Journal::default();
    let family = Family::start(journal.clone()).await.unwrap();
    let child = family.parent.ask(Tell::Child).await.unwrap();
    family.parent.tell(Tell::Work(secs(3))).await.unwrap();
    settle().await;
    journal.take();
    child.tell(Do::Fail(Boom::Told)).await.unwrap();
    child.tell(Do::Note("must not begin")).await.unwrap();
    pass(secs(2)).await;
    assert_eq!(journal.take(), [""; 0], "the child is suspended, and the parent works");
    pass(ms(1_100)).await;
    assert_eq!(journal.take(), ["parent worked", "parent pre_restart"]);
}

/// S7: nothing new begins below a failure that is decided. A spawn there, even the first one of its actor, ends at once.
#[tokio::test(start_paused = true)]
async fn below_a_decided_failure_a_spawn_ends_at_once() {
    struct Leaf(Journal);
    #[actor]
    impl Leaf {
        async fn handle(&mut self, _: (), cx: &mut Context<Self>) {
            tokio::time::sleep(ms(500)).await;
            let journal = self.0.clone();
            self.0.write("leaf spawns");
            let spawned = cx.spawn(child! { "late": Probe = Probe::start("late", journal).await? }).await;
            self.0.write(format!("leaf has spawned: {}", spawned.is_ok()));
        }
    }
    struct Middle(Journal);
    #[actor]
    impl Middle {
        async fn handle(&mut self, _: (), cx: &mut Context<Self>) -> Result<(), supervise::BoxError> {
            let journal = self.0.clone();
            cx.spawn(child! { "leaf": Leaf = Leaf(journal) }).await?.tell(()).await?;
            tokio::time::sleep(ms(100)).await; // the leaf is handling its message
            Err(Boom::Told.into())
        }
        #[pre_restart]
        async fn flush(&mut self) {
            tokio::time::sleep(secs(1)).await;
            self.0.write("middle flushed");
        }
    }
    supervisor! {
        struct Family(journal: Journal) {
            middle: Middle = Middle(journal),
        }
    }
    let journal = Journal::default();
    let family = Family::start(journal.clone()).await.unwrap();
    family.middle.tell(()).await.unwrap();
    pass(ms(999)).await;
    assert_eq!(journal.take(), ["leaf spawns", "leaf has spawned: false"]);
    pass(secs(1)).await;
    assert_eq!(journal.take(), ["middle flushed"]);
    assert_eq!(family.middle.incarnation(), 2);
}
