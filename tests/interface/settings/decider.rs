//! `decider`: each form of an arm and each directive, on a tree and on a child.

use std::fmt;

use supervise::prelude::*;

use super::ended;
use crate::common::{Boom, Do, Journal, Probe, pass, quiet_panics, secs, settle};

#[derive(Debug)]
enum Trouble {
    Small,
    Big(u32),
}

impl Trouble {
    fn small(&self) -> bool {
        matches!(self, Trouble::Small)
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Trouble {}

/// Fails as requested, and counts the messages that it got.
struct Picky(u32);

#[actor]
impl Picky {
    fn handle(&mut self, msg: Ask) -> Result<(), supervise::BoxError> {
        self.0 += 1;
        match msg {
            Ask::Fail(trouble) => Err(trouble.into()),
            Ask::Other => Err(std::io::Error::other("other").into()),
            Ask::Panic => panic!("planned panic"),
            Ask::Count(reply) => {
                reply.send(self.0);
                Ok(())
            }
        }
    }
}

enum Ask {
    Fail(Trouble),
    Other,
    Panic,
    Count(Reply<u32>),
}

fn stops(_: &Failure) -> Directive {
    Directive::Stop
}

supervisor! {
    struct Variants {
        #![decider(Trouble::Small => Resume, Trouble::Big(_) => Stop)]
        a: Picky = Picky(0),
        b: Picky = Picky(0),
    }

    struct Typed {
        #![decider(trouble: Trouble if trouble.small() => Resume, _: Trouble => Stop)]
        a: Picky = Picky(0),
        b: Picky = Picky(0),
    }

    struct Causes {
        #![decider(Cause::Panic(_) => Resume, Cause::Killed => Restart, _ => Stop)]
        a: Picky = Picky(0),
        b: Picky = Picky(0),
    }

    struct Phases {
        #![decider(Phase::Running => Resume, _ => Stop)]
        a: Picky = Picky(0),
        b: Picky = Picky(0),
    }

    struct Wild {
        #![decider(Trouble::Small => Resume, _ => Stop)]
        a: Picky = Picky(0),
        b: Picky = Picky(0),
    }

    struct Guarded {
        #![decider(Trouble::Big(size) if *size > 3 => Stop, _ => Resume)]
        a: Picky = Picky(0),
        b: Picky = Picky(0),
    }

    struct ByPath {
        #[decider(stops)]
        a: Picky = Picky(0),
        b: Picky = Picky(0),
    }

    struct ByClosure(then: Directive) {
        #[decider(move |_| then)]
        a: Picky = Picky(0),
        b: Picky = Picky(0),
    }

    struct Four {
        #[decider(_ => Resume)]
        resume: Picky = Picky(0),
        #[decider(_ => Restart)]
        restart: Picky = Picky(0),
        #[decider(_ => Stop)]
        stop: Picky = Picky(0),
        #[decider(_ => Escalate)]
        escalate: Picky = Picky(0),
    }

    struct ByDefault {
        #![decider(Trouble::Small => Default, Trouble::Big(size) if *size > 3 => Default, _ => Stop)]
        a: Picky = Picky(0),
        b: Picky = Picky(0),
    }

    struct Own(journal: Journal) {
        #![decider(_ => Stop)]
        #[decider(Boom::Told => Resume, Boom::Fatal => Restart)]
        own: Probe = Probe::start("own", journal).await?,
        plain: Probe = Probe::start("plain", journal).await?,
    }
}

/// The result for the child: the number of counted messages and the incarnation, or that it has ended.
async fn fate(child: &ActorRef<Picky>, msg: Ask) -> Result<(u32, u32), &'static str> {
    quiet_panics();
    child.tell(msg).await.unwrap_or_else(|_| panic!("has ended before"));
    settle().await;
    match child.ask(Ask::Count).await {
        Ok(count) => Ok((count, child.incarnation())),
        Err(_) => Err("ended"),
    }
}

const RESUMED: Result<(u32, u32), &str> = Ok((2, 1));
const RESTARTED: Result<(u32, u32), &str> = Ok((1, 2));
const ENDED: Result<(u32, u32), &str> = Err("ended");

/// S8: a variant names its type, and each variant has its own directive.
#[tokio::test(start_paused = true)]
async fn decider_enum_variant_is_obeyed() {
    let tree = Variants::start().await.unwrap();
    assert_eq!(fate(&tree.a, Ask::Fail(Trouble::Small)).await, RESUMED);
    assert_eq!(fate(&tree.b, Ask::Fail(Trouble::Big(1))).await, ENDED);
}

/// S8: `pattern: Type` matches an error of this type and binds it.
#[tokio::test(start_paused = true)]
async fn decider_pattern_type_is_obeyed() {
    let tree = Typed::start().await.unwrap();
    assert_eq!(fate(&tree.a, Ask::Fail(Trouble::Small)).await, RESUMED);
    assert_eq!(fate(&tree.b, Ask::Fail(Trouble::Big(1))).await, ENDED);
}

/// S8: `Cause::..` distinguishes a panic from a kill and from an error.
#[tokio::test(start_paused = true)]
async fn decider_cause_is_obeyed() {
    let tree = Causes::start().await.unwrap();
    assert_eq!(fate(&tree.a, Ask::Panic).await, RESUMED);
    tree.b.kill();
    settle().await;
    assert_eq!(fate(&tree.b, Ask::Panic).await, Ok((2, 2)), "the kill restarted the child, unlike the default");
    assert_eq!(fate(&tree.a, Ask::Other).await, ENDED);
}

/// S8: `Phase::..` matches the phase of the failure.
#[tokio::test(start_paused = true)]
async fn decider_phase_is_obeyed() {
    let tree = Phases::start().await.unwrap();
    assert_eq!(fate(&tree.a, Ask::Other).await, RESUMED);

    supervisor! {
        struct Restarting(journal: Journal) {
            #![decider(Phase::Running => Restart, _ => Stop)]
            a: Probe = Probe::start("a", journal).await?,
        }
    }
    let journal = Journal::default();
    let tree = Restarting::start(journal.clone()).await.unwrap();
    journal.plan("a start", 1, crate::common::Fault::Error);
    tree.a.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert!(matches!(ended(&tree.a).await, Ended::Failed(_)), "the child is stopped while it restarts");
}

/// S8: `_` matches the failures that the arms above it do not match.
#[tokio::test(start_paused = true)]
async fn decider_wildcard_is_obeyed() {
    let tree = Wild::start().await.unwrap();
    assert_eq!(fate(&tree.a, Ask::Fail(Trouble::Small)).await, RESUMED);
    assert_eq!(fate(&tree.b, Ask::Other).await, ENDED);
}

/// S8: if a guard is false, the next arm is tried.
#[tokio::test(start_paused = true)]
async fn decider_guard_is_obeyed() {
    let tree = Guarded::start().await.unwrap();
    assert_eq!(fate(&tree.a, Ask::Fail(Trouble::Big(3))).await, RESUMED);
    assert_eq!(fate(&tree.b, Ask::Fail(Trouble::Big(4))).await, ENDED);
}

/// S8: a function decides.
#[tokio::test(start_paused = true)]
async fn decider_path_is_obeyed() {
    let tree = ByPath::start().await.unwrap();
    assert_eq!(fate(&tree.a, Ask::Other).await, ENDED);
    assert_eq!(fate(&tree.b, Ask::Other).await, RESTARTED, "its sibling has the default");
}

/// S8: a closure decides, and may name a parameter.
#[tokio::test(start_paused = true)]
async fn decider_closure_is_obeyed() {
    for (then, expected) in [(Directive::Resume, RESUMED), (Directive::Stop, ENDED)] {
        let tree = ByClosure::start(then).await.unwrap();
        assert_eq!(fate(&tree.a, Ask::Other).await, expected);
        assert_eq!(fate(&tree.b, Ask::Other).await, RESTARTED, "its sibling has the default");
    }
}

/// S8: Resume keeps the state.
#[tokio::test(start_paused = true)]
async fn decider_resume_is_obeyed() {
    assert_eq!(fate(&Four::start().await.unwrap().resume, Ask::Other).await, RESUMED);
}

/// S8: Restart gives a fresh state, also after a kill, for which the default is Stop.
#[tokio::test(start_paused = true)]
async fn decider_restart_is_obeyed() {
    let tree = Four::start().await.unwrap();
    assert_eq!(fate(&tree.restart, Ask::Other).await, RESTARTED);
    tree.restart.kill();
    settle().await;
    assert_eq!(tree.restart.ask(Ask::Count).await, Ok(1));
    assert_eq!(tree.restart.incarnation(), 3);
}

/// S8: only this child ends, and the tree goes on.
#[tokio::test(start_paused = true)]
async fn decider_stop_is_obeyed() {
    let tree = Four::start().await.unwrap();
    assert_eq!(fate(&tree.stop, Ask::Other).await, ENDED);
    assert!(tree.ended().is_none());
}

/// S8, S19: Escalate makes the supervisor fail with the same failure; a root ends.
#[tokio::test(start_paused = true)]
async fn decider_escalate_is_obeyed() {
    let tree = Four::start().await.unwrap();
    assert_eq!(fate(&tree.escalate, Ask::Other).await, ENDED);
    let Some(Ended::Failed(failure)) = tree.ended() else { panic!("{:?}", tree.ended()) };
    assert_eq!(failure.path(), "escalate");
}

/// S8, S9: Default restarts after an error, in each kind of arm.
#[tokio::test(start_paused = true)]
async fn decider_default_is_obeyed() {
    let tree = ByDefault::start().await.unwrap();
    assert_eq!(fate(&tree.a, Ask::Fail(Trouble::Small)).await, RESTARTED);
    assert_eq!(fate(&tree.a, Ask::Fail(Trouble::Big(4))).await, Ok((1, 3)));
    assert_eq!(fate(&tree.a, Ask::Fail(Trouble::Big(3))).await, ENDED, "the arm below");
    assert_eq!(fate(&tree.b, Ask::Other).await, ENDED);
}

/// S8: a child's own arms come first; the failures that they do not match go to the tree's arms.
#[tokio::test(start_paused = true)]
async fn a_childs_arms_come_before_the_trees() {
    let tree = Own::start(Journal::default()).await.unwrap();
    for (boom, incarnation) in [(Boom::Told, 1), (Boom::Fatal, 2)] {
        tree.own.tell(Do::Fail(boom)).await.unwrap();
        settle().await;
        assert_eq!(tree.own.incarnation(), incarnation, "{boom:?}");
    }
    tree.plain.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    assert!(matches!(ended(&tree.plain).await, Ended::Failed(_)));
    tree.own.kill();
    settle().await;
    assert!(matches!(ended(&tree.own).await, Ended::Killed), "the tree's decider decides on a kill");
}

supervisor! {
    struct OwnArms {
        #[decider(Trouble::Small => Resume)]
        own: Picky = Picky(0),
        other: Picky = Picky(0),
        #[decider(Trouble::Small => Resume)]
        #[initial([()])]
        set: [Picky] = |_: ()| Picky(0),
    }
}

/// S8: an error that no arm of a child matches escalates, though its tree has no decider. For other causes the default
/// decides.
#[tokio::test(start_paused = true)]
async fn an_error_without_an_arm_escalates_where_only_the_child_has_arms() {
    for error in [Ask::Fail(Trouble::Big(1)), Ask::Other] {
        let tree = OwnArms::start().await.unwrap();
        assert_eq!(fate(&tree.own, Ask::Fail(Trouble::Small)).await, RESUMED);
        assert_eq!(fate(&tree.own, Ask::Panic).await, RESTARTED);
        assert_eq!(fate(&tree.other, Ask::Other).await, RESTARTED, "its sibling has the default");
        assert_eq!(fate(&tree.own, error).await, ENDED);
        let Some(Ended::Failed(failure)) = tree.ended() else { panic!("{:?}", tree.ended()) };
        assert_eq!(failure.path(), "own");
    }
}

/// S8, S27: the same for the arms of a set: the instance makes its set fail.
#[tokio::test(start_paused = true)]
async fn an_error_without_an_arm_escalates_where_only_the_set_has_arms() {
    let tree = OwnArms::start().await.unwrap();
    let first = tree.set.handles()[0].clone();
    assert_eq!(fate(&first, Ask::Fail(Trouble::Small)).await, RESUMED);
    assert_eq!(fate(&first, Ask::Panic).await, RESTARTED);
    assert_eq!(fate(&first, Ask::Other).await, ENDED);
    assert_eq!((tree.set.tree().incarnation(), tree.set.len()), (2, 1), "the set restarts, and its initial instance");
    assert!(tree.ended().is_none());
}

/// S8: arms are asked in the order in which they stand, also where those of one type are apart, with arms of an error, a
/// phase or a guard between them.
#[tokio::test(start_paused = true)]
async fn decider_arms_are_asked_in_their_order() {
    supervisor! {
        struct TypeBetween {
            #![decider(Cause::Panic(_) => Stop, _error: std::io::Error => Resume, Cause::Error(_) => Stop, _ => Restart)]
            a: Picky = Picky(0),
            b: Picky = Picky(0),
            c: Picky = Picky(0),
        }

        struct ErrorBetween {
            #![decider(Phase::Start => Stop, Trouble::Big(_) => Resume, Phase::Running => Stop, _ => Restart)]
            a: Picky = Picky(0),
            b: Picky = Picky(0),
            c: Picky = Picky(0),
        }

        struct CauseBetween {
            #![decider(Trouble::Big(9) => Stop, Cause::Error(_) => Resume, Trouble::Big(_) => Stop, _ => Restart)]
            a: Picky = Picky(0),
            b: Picky = Picky(0),
            c: Picky = Picky(0),
        }

        struct GuardBetween {
            #![decider(Trouble::Big(9) => Stop, _ if failure.in_a_row() < 9 => Resume, Trouble::Big(_) => Stop, _ => Stop)]
            a: Picky = Picky(0),
            b: Picky = Picky(0),
            c: Picky = Picky(0),
        }
    }
    let tree = TypeBetween::start().await.unwrap();
    assert_eq!(fate(&tree.a, Ask::Other).await, RESUMED);
    assert_eq!(fate(&tree.b, Ask::Fail(Trouble::Small)).await, ENDED);
    assert_eq!(fate(&tree.c, Ask::Panic).await, ENDED);
    let tree = ErrorBetween::start().await.unwrap();
    assert_eq!(fate(&tree.a, Ask::Fail(Trouble::Big(1))).await, RESUMED);
    assert_eq!(fate(&tree.b, Ask::Fail(Trouble::Small)).await, ENDED);
    assert_eq!(fate(&tree.c, Ask::Other).await, ENDED);
    let tree = CauseBetween::start().await.unwrap();
    assert_eq!(fate(&tree.a, Ask::Fail(Trouble::Big(1))).await, RESUMED);
    assert_eq!(fate(&tree.b, Ask::Fail(Trouble::Big(9))).await, ENDED);
    assert_eq!(fate(&tree.c, Ask::Panic).await, RESTARTED);
    let tree = GuardBetween::start().await.unwrap();
    assert_eq!(fate(&tree.a, Ask::Fail(Trouble::Big(1))).await, RESUMED);
    assert_eq!(fate(&tree.b, Ask::Fail(Trouble::Big(9))).await, ENDED);
    assert_eq!(fate(&tree.c, Ask::Other).await, RESUMED);
}

mod own {
    #[derive(Debug, thiserror::Error)]
    #[error("{self:?}")]
    pub(super) enum Cause {
        EndedByItself,
        Requested,
        TimedOut,
        LimitReached,
    }

    #[derive(Debug, thiserror::Error)]
    #[error("{self:?}")]
    pub(super) struct InvalidSettings;
}

/// S8, C10: an enum of the user may have the name and the variants of `Cause`. Its arms are asked, above a task too.
#[tokio::test(start_paused = true)]
async fn the_arms_of_an_own_type_with_the_words_of_the_library_are_asked() {
    use own::{Cause, InvalidSettings};

    async fn fails(first: bool, with: &'static str) -> Result<(), supervise::BoxError> {
        Err(match with {
            _ if !first => return std::future::pending().await,
            "ended" => Cause::EndedByItself.into(),
            "requested" => Cause::Requested.into(),
            "timed out" => Cause::TimedOut.into(),
            "limit" => Cause::LimitReached.into(),
            _ => InvalidSettings.into(),
        })
    }
    supervisor! {
        struct Own {
            #[decider(
                Cause::EndedByItself | Cause::Requested => Restart,
                Cause::TimedOut => Restart,
                Cause::LimitReached => Restart,
                _: InvalidSettings => Restart,
                _ => Stop,
            )]
            jobs: [&'static str => task] = |with: &'static str| |cx| fails(cx.incarnation() == 1, with),
        }
    }
    let own = Own::start().await.unwrap();
    for with in ["ended", "requested", "timed out", "limit", "settings"] {
        let job = own.jobs.spawn(with).await.unwrap();
        pass(secs(1)).await;
        assert_eq!((job.incarnation(), job.ended().is_none()), (2, true), "{with}");
    }
}

/// S8, S13: an actor without any time of its own fails by one if a child of its own does, and it escalates. So an arm for it
/// is asked, and compiles.
#[tokio::test(start_paused = true)]
async fn an_arm_for_a_time_is_asked_where_only_a_child_of_the_actor_has_one() {
    struct Slow;
    #[actor]
    impl Slow {
        fn handle(&mut self, _msg: ()) {}
    }
    struct Parent;
    #[actor]
    impl Parent {
        #[supervision]
        fn supervision(&self) -> SupervisorStrategy {
            strategy! { #![decider(_ => Escalate)] }
        }

        async fn handle(&mut self, _msg: (), cx: &mut Context<Self>) {
            let slow = child! {
                #[lifecycle(start = 1s)]
                "slow": Slow = { std::future::pending::<()>().await; Slow }
            };
            let _ = cx.spawn(slow).await;
        }
    }
    supervisor! {
        struct Family {
            #[decider(Cause::TimedOut => Stop, _ => Restart)]
            parent: Parent = Parent,
            other: Parent = Parent,
        }
    }
    let family = Family::start().await.unwrap();
    family.parent.tell(()).await.unwrap();
    let Ended::Failed(failure) = ended(&family.parent).await else { panic!("it has failed") };
    assert_eq!(failure.to_string(), "parent/slow failed while running: took too long");
}

/// S13, C10: a task has a time for its start if `lifecycle` says so, and then an arm for it is asked.
#[tokio::test(start_paused = true)]
async fn an_arm_for_the_time_of_a_task_that_has_one_is_asked() {
    supervisor! {
        struct Timed {
            #[lifecycle(ready, start = 1s)]
            #[decider(Cause::TimedOut => Restart, _ => Stop)]
            job: task = |cx| async move {
                if cx.incarnation() > 1 {
                    cx.ready();
                }
                cx.stopped().await
            },
        }
    }
    let timed = Timed::start().await.unwrap();
    assert_eq!(timed.job.incarnation(), 2);
}
