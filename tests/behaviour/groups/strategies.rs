//! Groups: S17.

use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, settle};

supervisor! {
    struct All(journal: Journal) {
        #![strategy(AllForOne, max_restarts = 3, within = 1min)]
        a: Probe = Probe::start("a", journal).await?,
        #[lifecycle(Temporary)]
        t: Probe = Probe::start("t", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
    }

    struct Rest(journal: Journal) {
        #![strategy(RestForOne)]
        a: Probe = Probe::start("a", journal).await?,
        b: Probe = Probe::start("b", journal).await?,
        c: Probe = Probe::start("c", journal).await?,
    }

    struct Paced(journal: Journal) {
        #![strategy(AllForOne)]
        #[backoff(2s..20s, random_factor = 0.0)]
        a: Probe = Probe::start("a", journal).await?,
        #[backoff(5s..20s, random_factor = 0.0)]
        b: Probe = Probe::start("b", journal).await?,
    }
}

/// Records the failures that its hooks get.
pub struct Witness {
    name: &'static str,
    journal: Journal,
}

pub enum Say {
    Fail(Boom),
    Stop,
    StopThenFail,
    Incarnation(Reply<u32>),
}

#[actor]
impl Witness {
    pub fn new(name: &'static str, journal: Journal) -> Self {
        Witness { name, journal }
    }
    async fn after(
        other: ActorRef<Witness>,
        name: &'static str,
        journal: Journal,
    ) -> Result<Self, supervise::error::AskError> {
        let incarnation = other.ask(Say::Incarnation).await?;
        journal.write(format!("{name} asked {incarnation}"));
        Ok(Witness { name, journal })
    }
    fn handle(&mut self, say: Say, cx: &mut Context<Self>) -> Result<(), Boom> {
        match say {
            Say::Fail(boom) => return Err(boom),
            Say::Stop => cx.stop(),
            Say::StopThenFail => {
                cx.stop();
                return Err(Boom::Told);
            }
            Say::Incarnation(reply) => reply.send(cx.incarnation()),
        }
        Ok(())
    }
    #[pre_restart]
    fn down(&mut self, failure: &Failure) {
        self.write("down", failure);
    }
    #[post_restart]
    fn up(&mut self, failure: &Failure) {
        self.write("up", failure);
    }
    fn write(&self, hook: &str, failure: &Failure) {
        let (cause, path, incarnation) = (failure.cause(), failure.path(), failure.incarnation());
        self.journal.write(format!("{} {hook}: {cause} of {path} {incarnation}", self.name));
    }
}

pub fn of(lines: &[String], what: &str) -> Vec<String> {
    lines.iter().filter(|line| line.ends_with(what)).cloned().collect()
}

/// S17: AllForOne goes down in reverse order, one at a time, and comes up in order; a `Temporary` member goes down and
/// ends.
#[tokio::test(start_paused = true)]
async fn all_for_one_goes_down_in_reverse_and_up_in_order() {
    let journal = Journal::default();
    let tree = All::start(journal.clone()).await.unwrap();
    journal.take();
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.a.ask(Do::Get).await.unwrap(), 0);
    settle().await;
    let lines = journal.take();
    assert_eq!(of(&lines, " drop"), ["b drop", "t drop", "a drop"]);
    assert_eq!(of(&lines, " start"), ["a start", "b start"]);
    assert_eq!(
        of(&lines, " pre_restart"),
        ["b pre_restart", "a pre_restart"],
        "a Temporary member ends and does not restart"
    );
    assert!(matches!(tree.t.ended(), Some(Ended::Stopped)));
}

/// S17: RestForOne restarts the failed member and those after it, and none before it.
#[tokio::test(start_paused = true)]
async fn rest_for_one_leaves_those_before_alone() {
    let journal = Journal::default();
    let tree = Rest::start(journal.clone()).await.unwrap();
    tree.a.tell(Do::Add(7)).await.unwrap();
    journal.take();
    tree.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.c.ask(Do::Get).await.unwrap(), 0);
    settle().await;
    let lines = journal.take();
    assert_eq!(of(&lines, " drop"), ["c drop", "b drop"]);
    assert_eq!(of(&lines, " start"), ["b start", "c start"]);
    assert_eq!(tree.a.ask(Do::Get).await.unwrap(), 7, "member a keeps its state");
}

/// S17: an earlier member serves until its turn to go down comes.
#[tokio::test(start_paused = true)]
async fn earlier_members_serve_until_their_turn() {
    let journal = Journal::default();
    let tree = Rest::start(journal.clone()).await.unwrap();
    journal.plan("c pre_restart", 1, Fault::Slow(secs(1)));
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.b.tell(Do::Note("still serves")).await.unwrap();
    settle().await;
    assert!(
        journal.take().contains(&"b still serves".to_owned()),
        "c is still in pre_restart, and b goes down after c"
    );
}

/// S17: there is one wait, for the longest delay of the members that failed.
#[tokio::test(start_paused = true)]
async fn the_group_waits_once_for_the_longest() {
    let journal = Journal::default();
    let tree = Paced::start(journal.clone()).await.unwrap();
    let before = tokio::time::Instant::now();
    tree.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.a.ask(Do::Get).forever().await.unwrap();
    assert_eq!(before.elapsed(), secs(5));
    let before = tokio::time::Instant::now();
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    tree.b.ask(Do::Get).forever().await.unwrap();
    assert_eq!(before.elapsed(), secs(2));
}

/// S17: there is no barrier: each member handles messages as soon as it is up, so that a start may ask an earlier
/// member. Every member gets the first failure.
#[tokio::test(start_paused = true)]
async fn a_start_may_ask_an_earlier_member_of_its_group() {
    supervisor! {
        struct Chain(journal: Journal) {
            #![strategy(AllForOne)]
            first: Witness = Witness::new("first", journal),
            second: Witness = Witness::after(first, "second", journal).await?,
            third: Witness = Witness::after(second, "third", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Chain::start(journal.clone()).await.unwrap();
    journal.take();
    tree.second.tell(Say::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.third.ask(Say::Incarnation).await.unwrap(), 2);
    assert_eq!(
        journal.take(),
        [
            "third down: Told of second 1",
            "second down: Told of second 1",
            "first down: Told of second 1",
            "first up: Told of second 1",
            "second asked 2",
            "second up: Told of second 1",
            "third asked 2",
            "third up: Told of second 1",
        ]
    );
}

/// S17, S23: a `Permanent` member that ends by itself restarts together with its range, as after a failure.
#[tokio::test(start_paused = true)]
async fn a_restarted_end_acts_on_the_range() {
    supervisor! {
        struct Ends(journal: Journal) {
            #![strategy(RestForOne)]
            first: Witness = Witness::new("first", journal),
            second: Witness = Witness::new("second", journal),
            third: Witness = Witness::new("third", journal),
        }
    }
    let journal = Journal::default();
    let tree = Ends::start(journal.clone()).await.unwrap();
    tree.second.tell(Say::Stop).await.unwrap();
    pass(ms(50)).await;
    assert_eq!(
        journal.take(),
        [
            "third down: ended by itself of second 1",
            "second up: ended by itself of second 1",
            "third up: ended by itself of second 1"
        ],
        "no pre_restart for a member that has already ended"
    );
    assert_eq!([tree.first.incarnation(), tree.second.incarnation(), tree.third.incarnation()], [1, 2, 2]);
}

/// S17: a Resume affects only the failed member, in a group too.
#[tokio::test(start_paused = true)]
async fn a_resume_in_a_group_touches_no_other() {
    supervisor! {
        struct Forgiving(journal: Journal) {
            #![strategy(AllForOne)]
            #![decider(|_: &Failure| Directive::Resume)]
            a: Probe = Probe::start("a", journal).await?,
            b: Probe = Probe::start("b", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Forgiving::start(journal.clone()).await.unwrap();
    tree.a.tell(Do::Add(2)).await.unwrap();
    journal.take();
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert_eq!(tree.a.ask(Do::Get).await.unwrap(), 2);
    assert_eq!((journal.take(), tree.b.incarnation()), (vec![], 1));
}

/// S17: a `Temporary` member's own failure ends only that member, and does not count against the budget.
#[tokio::test(start_paused = true)]
async fn a_temporary_members_failure_ends_it_alone() {
    supervisor! {
        struct Strict(journal: Journal, directive: Directive) {
            #![strategy(AllForOne, max_restarts = 0)]
            #![decider(move |_: &Failure| directive)]
            a: Probe = Probe::start("a", journal).await?,
            #[lifecycle(Temporary)]
            t: Probe = Probe::start("t", journal).await?,
            b: Probe = Probe::start("b", journal).await?,
        }
    }
    for directive in [Directive::Restart, Directive::Stop] {
        let journal = Journal::default();
        let tree = Strict::start(journal.clone(), directive).await.unwrap();
        journal.take();
        tree.t.tell(Do::Fail(Boom::Told)).await.unwrap();
        assert!(matches!(tree.t.terminated().await, Ok(Ended::Failed(_))), "{directive:?}");
        pass(secs(60)).await;
        assert_eq!(journal.take(), ["t post_stop", "t drop"], "{directive:?}");
        assert!(tree.ended().is_none(), "the budget allows no restart, so a counted one would have ended the tree");
    }
}

/// S17: the wait begins when the range is down, and is the longest of the members that failed meanwhile.
#[tokio::test(start_paused = true)]
async fn the_wait_begins_when_all_are_down() {
    supervisor! {
        struct Slow(journal: Journal) {
            #![strategy(RestForOne)]
            #[backoff(2s..20s, random_factor = 0.0)]
            a: Probe = Probe::start("a", journal).await?,
            #[backoff(5s..20s, random_factor = 0.0)]
            b: Probe = Probe::start("b", journal).await?,
            c: Probe = Probe::start("c", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Slow::start(journal.clone()).await.unwrap();
    journal.plan("c pre_restart", 1, Fault::Slow(secs(1)));
    let before = tokio::time::Instant::now();
    tree.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(ms(500)).await;
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    tree.a.ask(Do::Get).forever().await.unwrap();
    assert_eq!(before.elapsed(), secs(6), "1 s to go down, then a delay of 5 s");
    assert_eq!([tree.a.incarnation(), tree.b.incarnation(), tree.c.incarnation()], [2, 2, 2]);
}

/// S17: a group restart counts once against the budget, however many members restart.
#[tokio::test(start_paused = true)]
async fn a_group_restart_costs_one() {
    let journal = Journal::default();
    let tree = All::start(journal.clone()).await.unwrap();
    for _ in 0..3 {
        tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
        tree.b.ask(Do::Get).forever().await.unwrap();
        pass(secs(1)).await;
    }
    assert!(tree.ended().is_none());
    tree.b.tell(Do::Fail(Boom::Told)).await.unwrap();
    let report = tree.join().await;
    let failure = report.ended.failure().expect("the tree failed");
    assert!(matches!(failure.cause(), Cause::LimitReached), "{failure}");
    assert_eq!(failure.find::<Boom>(), Some(&Boom::Told), "the last failure is inside");
}
