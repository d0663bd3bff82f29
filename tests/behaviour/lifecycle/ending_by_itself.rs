//! Ends by themselves that are under way: all who ask meanwhile learn of them. S22, S23, S26, S27, S42.

use std::sync::Arc;

use supervise::error::{CommandError, KeyedError};
use supervise::event::Operation;
use supervise::inspect::{Extent, NodeState};
use supervise::prelude::*;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, secs, settle, soon};

/// An actor that ends by itself, and takes two seconds for that.
pub struct Leaver;

pub enum Say {
    /// `cx.stop_with` in a handler that goes on for two seconds.
    StopAndGoOn,
    /// `cx.stop_with` at the end of a handler; the hook takes two seconds.
    Stop,
    /// `cx.stop_with` like `Stop`, and then an error.
    StopAndFail,
    /// The handler waits for two seconds before.
    GoOnAndStop,
    Incarnation(Reply<u32>),
}

#[actor]
impl Leaver {
    async fn handle(&mut self, say: Say, cx: &mut Context<Self>) -> Result<(), Boom> {
        match say {
            Say::Incarnation(reply) => reply.send(cx.incarnation()),
            Say::StopAndFail => {
                cx.stop_with("done");
                sleep(secs(2)).await;
                return Err(Boom::Told);
            }
            Say::StopAndGoOn => {
                cx.stop_with("done");
                sleep(secs(2)).await;
            }
            Say::GoOnAndStop => {
                sleep(secs(2)).await;
                cx.stop_with("done");
            }
            Say::Stop => cx.stop_with("done"),
        }
        Ok(())
    }

    #[post_stop]
    async fn last(&mut self) {
        sleep(secs(2)).await;
    }
}

supervisor! {
    struct App(go: Arc<Notify>) {
        #[lifecycle(Transient)]
        actor: Leaver = Leaver,
        #[lifecycle(Temporary)]
        once: Leaver = Leaver,
        permanent: Leaver = Leaver,
        job: task = |cx| { let go = go.clone(); async move {
            tokio::select! {
                () = go.notified() => {}
                _ = cx.stopped() => return,
            }
            cx.spawn(sleep(secs(2)));
        } },
        part: struct Part {
            #[lifecycle(Transient, significant)]
            main: Leaver = Leaver,
            other: Leaver = Leaver,
        },
        small: struct Small {
            #[lifecycle(Transient)]
            only: Leaver = Leaver,
        },
        sets: struct Sets {
            #[lifecycle(Transient, significant)]
            each: [u32 => Leaver] = |_key: u32| Leaver,
            other: Leaver = Leaver,
        },
        keep: task = std::future::pending::<()>(),
    }
}

/// The ways to be about to end, each with the path of the child, and the time after which it is certainly under way.
const WAYS: [(&str, &str, u64); 8] = [
    ("in the handler", "actor", 100),
    ("in the handler, which will fail", "actor", 100),
    ("in post_stop", "actor", 100),
    ("of a Temporary child", "once", 100),
    ("of a task with subtasks", "job", 100),
    ("of a significant member", "part", 100),
    ("after a significant member", "part", 2100),
    ("of the last member", "small", 100),
];

async fn begin(way: &str) -> (Running<App>, Arc<Notify>) {
    let go = Arc::new(Notify::new());
    let app = App::start(go.clone()).await.unwrap();
    settle().await;
    match way {
        "in the handler" => app.actor.tell(Say::StopAndGoOn).await.unwrap(),
        "in the handler, which will fail" => app.actor.tell(Say::StopAndFail).await.unwrap(),
        "in post_stop" => app.actor.tell(Say::Stop).await.unwrap(),
        "of a Temporary child" => app.once.tell(Say::Stop).await.unwrap(),
        "of a task with subtasks" => go.notify_one(),
        "of a significant member" | "after a significant member" => app.part.main.tell(Say::Stop).await.unwrap(),
        "of the last member" => app.small.only.tell(Say::StopAndGoOn).await.unwrap(),
        other => panic!("a way: {other}"),
    }
    (app, go)
}

fn state(app: &App, path: &str) -> NodeState {
    app.snapshot_of(path, Extent::Declared).expect("it is there").root.state.clone()
}

fn restarts(app: &App, path: &str) -> Result<(), CommandError> {
    let starting = match path {
        "actor" => app.actor.restart(),
        "once" => app.once.restart(),
        "job" => app.job.restart(),
        "part" => app.part.restart(),
        "small" => app.small.restart(),
        other => panic!("a path: {other}"),
    };
    starting.map(drop)
}

fn ended(app: &App, path: &str) -> Option<Ended> {
    match path {
        "actor" => app.actor.ended(),
        "once" => app.once.ended(),
        "job" => app.job.ended(),
        "part" => app.part.ended(),
        "small" => app.small.ended(),
        other => panic!("a path: {other}"),
    }
}

/// S23, S26: whoever asks for a restart of a child that is about to end by itself gets the answer for a child that is
/// stopping: a caller as well as an operator. Its work is not done twice.
#[tokio::test(start_paused = true)]
async fn a_child_that_is_about_to_end_is_not_restarted() {
    for (way, path, after) in WAYS {
        for by_operator in [false, true] {
            let (app, _go) = begin(way).await;
            pass(ms(after)).await;
            if by_operator {
                let refused = app.operate(path, Operation::Restart, "alice").map(drop);
                assert!(refused.is_err(), "{way}: {refused:?}");
            } else {
                let refused = restarts(&app, path).unwrap_err();
                assert!(matches!(refused, CommandError::Stopping { .. }), "{way}: {refused}");
            }
            pass(secs(20)).await;
            assert!(matches!(ended(&app, path), Some(Ended::Done | Ended::DoneWith(_))), "{way}");
        }
    }
}

/// S42: the state is going down, which is no symptom.
#[tokio::test(start_paused = true)]
async fn a_child_that_is_about_to_end_is_shown_as_going_down() {
    for (way, path, after) in WAYS {
        let (app, _go) = begin(way).await;
        pass(ms(after)).await;
        assert!(matches!(state(&app, path), NodeState::GoingDown), "{way}: {:?}", state(&app, path));
        assert!(app.health().is_healthy(), "{way}: {}", app.health());
        pass(secs(20)).await;
        assert!(matches!(state(&app, path), NodeState::Ended(_)), "{way}");
    }
}

/// S16, S23: a stop that comes meanwhile does not change what the end is going to be, and neither does a shutdown of
/// the tree. Nothing starts the child after it.
#[tokio::test(start_paused = true)]
async fn a_stop_that_comes_meanwhile_does_not_change_the_end() {
    for (way, path, after) in WAYS {
        let (app, _go) = begin(way).await;
        pass(ms(after)).await;
        app.operate(path, Operation::Stop, "alice").unwrap();
        pass(secs(20)).await;
        let end = ended(&app, path);
        assert!(matches!(end, Some(Ended::Done | Ended::DoneWith(_))), "{way}: {end:?}");
        let words = (path == "actor" || path == "once").then_some("done");
        assert_eq!(end.as_ref().and_then(Ended::reason), words, "{way}");

        let (app, _go) = begin(way).await;
        pass(ms(after)).await;
        let report = soon(app.shutdown()).await;
        let child = report.children.iter().find(|child| child.path == path).expect("it is in the report");
        // The subtree gets its stop while its first member is still up, so it may end as stopped.
        let late = way == "of a significant member";
        let done = matches!(child.ended, Ended::Done | Ended::DoneWith(_));
        assert!(done || late && matches!(child.ended, Ended::Stopped), "{way}: {:?}", child.ended);
        assert!(report.children.iter().any(|child| child.path == "keep" && matches!(child.ended, Ended::Stopped)));
    }
}

/// S23: a stop that came first remains the end.
#[tokio::test(start_paused = true)]
async fn a_stop_that_came_first_is_the_end() {
    let app = App::start(Arc::default()).await.unwrap();
    app.actor.tell(Say::GoOnAndStop).await.unwrap();
    pass(secs(1)).await;
    app.actor.stop();
    soon(app.actor.terminated()).await.unwrap();
    assert!(matches!(app.actor.ended(), Some(Ended::Stopped)), "{:?}", app.actor.ended());
}

/// S23: a `Permanent` child is restarted after its end. Meanwhile it is going down for that, a restart by hand is
/// `Busy`, and its work begins again once.
#[tokio::test(start_paused = true)]
async fn one_that_is_restarted_is_busy() {
    for say in [Say::Stop, Say::StopAndGoOn, Say::StopAndFail] {
        let app = App::start(Arc::default()).await.unwrap();
        app.permanent.tell(say).await.unwrap();
        pass(ms(100)).await;
        assert!(matches!(app.permanent.restart().map(drop), Err(CommandError::Busy { .. })));
        assert!(matches!(state(&app, "permanent"), NodeState::GoingDown));
        pass(secs(20)).await;
        assert_eq!(app.permanent.ask(Say::Incarnation).await.unwrap(), 2);
        assert!(app.permanent.restart().is_ok(), "a new life is not about to end");
    }
}

/// S23: a stop of a `Permanent` child that is about to be restarted by itself ends it.
#[tokio::test(start_paused = true)]
async fn a_stop_ends_one_that_would_be_restarted() {
    for say in [Say::Stop, Say::StopAndGoOn] {
        let app = App::start(Arc::default()).await.unwrap();
        app.permanent.tell(say).await.unwrap();
        pass(ms(100)).await;
        app.permanent.stop();
        pass(secs(20)).await;
        assert!(matches!(app.permanent.ended(), Some(Ended::Stopped)), "{:?}", app.permanent.ended());
    }
}

/// S27: nobody gets the handle of an instance that is about to end. `get_or_spawn` and `replace` wait for its end;
/// `spawn` says that the key is taken.
#[tokio::test(start_paused = true)]
async fn a_key_waits_for_the_end() {
    for say in [|| Say::Stop, || Say::StopAndGoOn, || Say::StopAndFail] {
        for replaces in [false, true] {
            let app = App::start(Arc::default()).await.unwrap();
            let first = app.sets.each.spawn(1).await.unwrap();
            app.sets.each.spawn(2).await.unwrap();
            first.tell(say()).await.unwrap();
            settle().await;
            let begun = Instant::now();
            let taken = app.sets.each.spawn(1).await.unwrap_err();
            assert!(matches!(taken, KeyedError::Exists { .. }), "{taken}");
            let next = if replaces {
                soon(app.sets.each.replace(1)).await.unwrap()
            } else {
                let (next, is_new) = soon(app.sets.each.get_or_spawn(1).with_is_new()).await.unwrap();
                assert!(is_new);
                next
            };
            assert!(next != first && begun.elapsed() >= secs(2), "{:?}", begun.elapsed());
            assert_eq!(next.ask(Say::Incarnation).await.unwrap(), 1);
            assert!(matches!(first.ended(), Some(Ended::DoneWith(_))), "{:?}", first.ended());
        }
    }
}

/// S22, S27: an instance that is about to end by itself, and is then stopped, has ended by itself for its set.
#[tokio::test(start_paused = true)]
async fn the_last_instance_ends_the_set_although_it_was_stopped_too() {
    let app = App::start(Arc::default()).await.unwrap();
    let only = app.sets.each.spawn(1).await.unwrap();
    only.tell(Say::Stop).await.unwrap();
    settle().await;
    app.sets.each.stop_all();
    assert!(matches!(soon(app.sets.join()).await.unwrap().ended, Ended::Done));
}

supervisor! {
    struct Job(journal: Journal) {
        #![strategy(AllForOne)]
        #[lifecycle(Transient, significant)]
        main: Probe = Probe::start("main", journal).await?,
        helper: Probe = Probe::start("helper", journal).await?,
        #[lifecycle(Transient)]
        other: Leaver = Leaver,
    }

    struct Upper(journal: Journal) {
        #![strategy(AllForOne)]
        #[lifecycle(Transient, significant)]
        part: struct Lower {
            #[lifecycle(Transient, significant)]
            main: Leaver = Leaver,
            last: Leaver = Leaver,
        },
        helper: Probe = Probe::start("helper", journal).await?,
    }
}

/// S17, S22: a significant member that is about to end is not restarted with its group: the tree ends instead. That is
/// so in the handler in which it has said so, and in its hook.
#[tokio::test(start_paused = true)]
async fn a_group_that_goes_down_ends_with_a_significant_member_that_is_about_to_end() {
    let journal = Journal::default();
    let tree = Job::start(journal.clone()).await.unwrap();
    journal.plan("main post_stop", 1, Fault::Slow(secs(2)));
    tree.main.tell(Do::Stop).await.unwrap();
    settle().await;
    tree.helper.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    journal.take();
    assert!(matches!(soon(tree.join()).await.ended, Ended::Done));
    assert!(!journal.take().iter().any(|line| line.ends_with(" start")));
}

supervisor! {
    struct Slow(journal: Journal) {
        #![strategy(AllForOne)]
        #[lifecycle(Transient, significant)]
        main: Leaver = Leaver,
        helper: Probe = Probe::start("helper", journal).await?,
    }
}

/// S17, S22: the same while the handler that has said so goes on, also if it fails then.
#[tokio::test(start_paused = true)]
async fn a_significant_member_may_say_so_long_before() {
    for say in [Say::StopAndGoOn, Say::StopAndFail] {
        let journal = Journal::default();
        let tree = Slow::start(journal.clone()).await.unwrap();
        tree.main.tell(say).await.unwrap();
        settle().await;
        journal.take();
        let main = tree.main.clone();
        tree.helper.tell(Do::Fail(Boom::Told)).await.unwrap();
        assert!(matches!(soon(tree.join()).await.ended, Ended::Done));
        assert!(matches!(main.ended(), Some(Ended::DoneWith(_))), "{:?}", main.ended());
        assert!(!journal.take().iter().any(|line| line.ends_with(" start")));
    }
}

/// S17, S22: the same for a significant subtree, whose own members go down for its end.
#[tokio::test(start_paused = true)]
async fn a_significant_subtree_that_ends_is_not_restarted_with_its_group() {
    let journal = Journal::default();
    let tree = Upper::start(journal.clone()).await.unwrap();
    tree.part.main.tell(Say::Stop).await.unwrap();
    pass(ms(2100)).await; // `last` goes down
    journal.take();
    tree.helper.tell(Do::Fail(Boom::Told)).await.unwrap();
    assert!(matches!(soon(tree.join()).await.ended, Ended::Done));
    assert!(!journal.take().iter().any(|line| line.ends_with(" start")));
}

/// S17, S18: a significant subtree that a Stop ends with a failure is no end by itself of its group: a restart of the
/// group that meets it on its way starts it again, as it does with a subtree that is not significant.
#[tokio::test(start_paused = true)]
async fn a_significant_subtree_that_fails_is_restarted_with_its_group() {
    supervisor! {
        struct Fails(journal: Journal) {
            #![strategy(AllForOne)]
            #[lifecycle(Transient, significant)]
            part: struct Failing {
                #![strategy(AllForOne)]
                #![decider(_ => Stop)]
                one: Probe = Probe::start("one", journal).await?,
                last: Leaver = Leaver,
            },
            helper: Probe = Probe::start("helper", journal).await?,
        }
    }
    let tree = Fails::start(Journal::default()).await.unwrap();
    tree.part.one.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(ms(100)).await; // `last` goes down
    tree.helper.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(10)).await;
    assert!(tree.is_alive() && tree.part.ended().is_none(), "{:?}", tree.part.ended());
    assert_eq!(tree.part.one.ask(Do::Incarnation).await.unwrap(), 2);
}

/// S17: a member that is not significant, and that a restart of its group meets on its way to its end, comes up with
/// its group, as a member does that has ended.
#[tokio::test(start_paused = true)]
async fn a_member_that_is_not_significant_comes_up_with_its_group() {
    for say in [Say::Stop, Say::StopAndGoOn] {
        let tree = Job::start(Journal::default()).await.unwrap();
        tree.other.tell(say).await.unwrap();
        settle().await;
        tree.helper.tell(Do::Fail(Boom::Told)).await.unwrap();
        pass(secs(20)).await;
        assert_eq!(tree.other.ask(Say::Incarnation).await.unwrap(), 2);
    }
}

/// S9, S23: a kill of a handler that has called `cx.stop()` is a failure like any other, and its stop is forgotten.
#[tokio::test(start_paused = true)]
async fn a_kill_overrides_a_stop_that_the_handler_has_requested() {
    let app = App::start(Arc::default()).await.unwrap();
    app.actor.tell(Say::StopAndGoOn).await.unwrap();
    settle().await;
    app.actor.kill();
    soon(app.actor.terminated()).await.unwrap();
    assert!(matches!(app.actor.ended(), Some(Ended::Killed)), "{:?}", app.actor.ended());
    app.actor.start_again().unwrap();
    settle().await;
    assert!(matches!(state(&app, "actor"), NodeState::Running));
    assert!(app.actor.restart().is_ok(), "what the last life has said is forgotten");
}

/// S8, S23: a failure of the handler that has said so, here a kill that is resumed, is over with what it had said: the
/// child is up until its loop sees that it has called `cx.stop()`.
#[tokio::test(start_paused = true)]
async fn a_resumed_handler_is_not_about_to_end() {
    supervisor! {
        struct Resuming {
            #[decider(_ => Resume)]
            main: Leaver = Leaver,
            #[decider(_ => Restart)]
            other: Leaver = Leaver,
        }
    }
    let tree = Resuming::start().await.unwrap();
    tree.other.tell(Say::StopAndGoOn).await.unwrap();
    settle().await;
    tree.other.kill();
    pass(secs(10)).await;
    assert_eq!(tree.other.ask(Say::Incarnation).await.unwrap(), 2, "restarted once, for the kill");
    tree.main.tell(Say::StopAndGoOn).await.unwrap();
    settle().await;
    tree.main.kill();
    pass(secs(10)).await;
    assert_eq!(tree.main.ask(Say::Incarnation).await.unwrap(), 2, "it went on, and ended by itself as it had said");
}

/// S27: callers that wait for an end go on if a failure takes it back: they get the instance, which lives, and do not
/// wait for its whole life.
#[tokio::test(start_paused = true)]
async fn who_waits_for_an_end_that_is_taken_back_gets_the_instance() {
    supervisor! {
        struct Restarting {
            #[decider(_ => Restart)]
            set: [u32 => Leaver] = |_key: u32| Leaver,
        }
    }
    let tree = Restarting::start().await.unwrap();
    let one = tree.set.spawn(1).await.unwrap();
    one.tell(Say::StopAndGoOn).await.unwrap();
    settle().await;
    let found = tokio::spawn(tree.set.get_or_spawn(1).with_is_new());
    settle().await;
    assert!(!found.is_finished());
    one.kill();
    let (found, is_new) = soon(found).await.unwrap().unwrap();
    assert!(found == one && !is_new);
    assert_eq!(one.ask(Say::Incarnation).await.unwrap(), 2);
    one.tell(Say::StopAndGoOn).await.unwrap();
    settle().await;
    let replaced = tokio::spawn(tree.set.replace(1));
    settle().await;
    one.kill();
    let replaced = soon(replaced).await.unwrap().unwrap();
    assert!(replaced != one && one.ended().is_some());
}

/// S22, S23: a `cx.stop()` that comes after the order to go down for a restart is part of a life that is over: the group
/// comes up again, with its significant member.
#[tokio::test(start_paused = true)]
async fn a_stop_of_its_own_after_the_order_to_restart_is_too_late() {
    let tree = Slow::start(Journal::default()).await.unwrap();
    tree.main.tell(Say::GoOnAndStop).await.unwrap();
    pass(secs(1)).await;
    tree.helper.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(20)).await;
    assert!(tree.is_alive() && tree.main.ended().is_none(), "{:?}", tree.main.ended());
    assert_eq!(tree.main.ask(Say::Incarnation).await.unwrap(), 2);
}

/// S44: the time for the end of a tree does not begin because a significant child has said that it ends: the child may
/// take as long as its handler and its hooks take.
#[tokio::test(start_paused = true)]
async fn the_time_of_a_tree_does_not_begin_with_what_a_child_has_said() {
    supervisor! {
        struct Timed(journal: Journal) {
            #![strategy(RestForOne)]
            #![shutdown(1s)]
            #[lifecycle(Transient, significant)]
            main: Leaver = Leaver,
            #[lifecycle(Transient)]
            #[decider(_ => Stop)]
            last: Probe = Probe::start("last", journal).await?,
        }
    }
    let tree = Timed::start(Journal::default()).await.unwrap();
    let main = tree.main.clone();
    main.tell(Say::StopAndGoOn).await.unwrap();
    settle().await;
    tree.last.tell(Do::Fail(Boom::Told)).await.unwrap();
    soon(main.terminated()).await.unwrap();
    assert!(matches!(main.ended(), Some(Ended::DoneWith(_))), "{:?}", main.ended());
}

/// S27: many clients of an instance that ends when its last client leaves: on several threads, none of them gets the
/// same dead handle twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn clients_on_several_threads_do_not_spin_on_a_dead_handle() {
    supervisor! {
        struct Rooms {
            rooms: [u32 => Room] = |_key: u32| Room { clients: 0 },
        }
    }
    struct Room {
        clients: u32,
    }
    enum Visit {
        Join(Reply<()>),
        Leave,
    }
    #[actor]
    impl Room {
        fn handle(&mut self, visit: Visit, cx: &mut Context<Self>) {
            match visit {
                Visit::Join(reply) => {
                    self.clients += 1;
                    reply.send(());
                }
                Visit::Leave => {
                    self.clients -= 1;
                    if self.clients == 0 {
                        cx.stop();
                    }
                }
            }
        }
        #[post_stop]
        async fn last(&mut self) {
            sleep(ms(1)).await;
        }
    }
    let app = Arc::new(Rooms::start().await.unwrap());
    let clients: Vec<_> = (0..8)
        .map(|_| {
            let app = app.clone();
            tokio::spawn(async move {
                for _ in 0..200 {
                    let mut dead: Option<ActorRef<Room>> = None;
                    loop {
                        let room = app.rooms.get_or_spawn(1).await.unwrap();
                        assert_ne!(dead.as_ref(), Some(&room), "the same dead handle twice");
                        match room.ask(Visit::Join).await {
                            Ok(()) => {
                                let _ = room.tell(Visit::Leave).await;
                                break;
                            }
                            Err(_) => dead = Some(room),
                        }
                    }
                }
            })
        })
        .collect();
    for client in clients {
        soon(client).await.unwrap();
    }
}
