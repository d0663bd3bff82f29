//! The whole system: roots, top-level actors, and the shutdown: A155 to A167.

use supervise::error::{CommandError, SpawnError};
use supervise::prelude::*;

use crate::common::{Boom, Fault, pass, secs, settle, soon};
use crate::stage::*;

supervisor! {
    struct System(stage: Stage, directive: Directive) {
        #![decider(move |_: &Failure| directive)]
        watcher: Unit = Unit::start("watcher", stage.clone()).await?,
        a: Unit = Unit::start("a", stage.clone()).await?,
        sub: struct Sub {
            b: Unit = Unit::start("b", stage).await?,
        },
    }

    struct Orderly(stage: Stage) {
        let _first = Bell(stage.clone(), "first");
        log: Unit = Unit::start("log", stage.clone()).await?,
        let _second = Bell(stage.clone(), "second");
        user: struct User {
            a: Unit = Unit::start("a", stage.clone()).await?,
            b: Unit = Unit::start("b", stage).await?,
        },
    }

    struct Open(stage: Stage) {
        sessions: [Unit] = |name: String| Unit::start(name, stage).await?,
    }

    struct Main(stage: Stage) {
        early: Unit = Unit::start("early", stage.clone()).await?,
        #[lifecycle(Transient, significant)]
        main: Unit = {
            early.try_tell(Msg::Note("hears early")).map_err(|error| error.to_string())?;
            Unit::start("main", stage).await?
        },
    }
}

/// Writes a line when it is dropped.
struct Bell(Stage, &'static str);

impl Drop for Bell {
    fn drop(&mut self) {
        self.0.journal.write(format!("{} rings", self.1));
    }
}

async fn system(directive: Directive) -> (Running<System>, Stage) {
    let stage = Stage::default();
    let tree = System::start(stage.clone(), directive).await.unwrap();
    stage.take();
    (tree, stage)
}

/// A kill of the root takes everything down.
#[tokio::test(start_paused = true)]
async fn a155_a_kill_of_the_root_takes_everything_down() {
    let (tree, _) = system(Directive::Restart).await;
    let handle = tree.handle();
    tree.kill();
    assert_eq!(kind(&soon(tree.join()).await.ended), "killed");
    for unit in [&handle.watcher, &handle.a, &handle.sub.b] {
        assert_ne!(state(unit), "lives");
    }
}

/// A child of the root that is decided Stop ends alone, and its end is reported; the same for a top-level actor.
#[tokio::test(start_paused = true)]
async fn a156_a_stopping_strategy_at_the_top_ends_the_failing_one_alone() {
    let (tree, stage) = system(Directive::Stop).await;
    watch(&tree.watcher, &tree.a).await;
    fail(&tree.a).await;
    settle().await;
    assert_eq!(stage.take(), ["a post_stop", "watcher hears a: failed"]);
    assert_eq!((ping(&tree.sub.b).await, tree.ended().is_none()), (1, true));

    let one = top_as("one", &stage, |spawn| spawn.decider(|_: &Failure| Directive::Stop)).await.unwrap();
    let two = top("two", &stage).await;
    watch(&two, &one).await;
    fail(&one).await;
    settle().await;
    assert_eq!(stage.heard(), ["two hears one: failed"]);
    assert_eq!(ping(&two).await, 1);
}

/// A failure that the root escalates ends the tree; a failing top-level actor ends alone.
#[tokio::test(start_paused = true)]
async fn a157_an_escalation_at_the_top_ends_the_tree() {
    let (tree, _) = system(Directive::Escalate).await;
    let b = tree.sub.b.clone();
    fail(&tree.a).await;
    let ended = soon(tree.join()).await.ended;
    assert_eq!(ended.failure().unwrap().error(), Some(&Boom::Told));
    assert_eq!(state(&b), "stopped");

    let stage = Stage::default();
    let one = top_as("one", &stage, |spawn| spawn.decider(|_: &Failure| Directive::Escalate)).await.unwrap();
    let two = top("two", &stage).await;
    fail(&one).await;
    assert_eq!(kind(&soon(one.terminated()).await.unwrap()), "failed");
    assert_eq!(ping(&two).await, 1);
}

/// By default an error at the top restarts, and a first start that fails does not.
#[tokio::test(start_paused = true)]
async fn a158_by_default_an_error_restarts_and_a_failed_start_stops() {
    let stage = Stage::default();
    let one = top("one", &stage).await;
    fail(&one).await;
    assert_eq!(ping(&one).await, 2);
    stage.plan("two start", 1, Fault::Error);
    let refused = top_as("two", &stage, |spawn| spawn).await;
    assert!(matches!(&refused, Err(SpawnError::Start(failure)) if failure.path() == "two"), "{refused:?}");
    assert_eq!(stage.ending("two start").len(), 1);
}

/// The shutdown reverses the order of the start: the first declared child or value ends last, and everything has ended
/// when the shutdown returns.
#[tokio::test(start_paused = true)]
async fn a160_the_way_out_is_the_way_in_backwards() {
    let stage = Stage::default();
    let tree = Orderly::start(stage.clone()).await.unwrap();
    assert_eq!(stage.ending(" start"), ["log start", "a start", "b start"]);
    tree.shutdown().await;
    let expected = ["b post_stop", "a post_stop", "second rings", "log post_stop", "first rings"];
    assert_eq!(stage.take(), expected);
}

/// A spawn during a shutdown is either refused, or starts and is ended by the shutdown; nothing starts after the end.
#[tokio::test(start_paused = true)]
async fn a161_what_races_with_the_end_is_refused_or_ended() {
    let stage = Stage::default();
    let tree = Open::start(stage.clone()).await.unwrap();
    let handle = tree.handle();
    let racing = tokio::spawn(async move {
        let mut started = 0;
        loop {
            match handle.sessions.spawn("session".to_owned()).await {
                Ok(_) => started += 1,
                Err(SpawnError::Stopping { .. } | SpawnError::Stopped { .. }) => return started,
                Err(other) => panic!("{other}"),
            }
            tokio::task::yield_now().await;
        }
    });
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    let handle = tree.handle();
    tree.shutdown().await;
    let started = soon(racing).await.unwrap();
    let journal = stage.take();
    let count = |line: &str| journal.iter().filter(|l| *l == line).count();
    assert!(started > 0, "both outcomes occurred");
    assert_eq!(count("session post_stop"), count("session pre_start"));
    assert!(count("session pre_start") >= started);
    let refused = handle.sessions.spawn("late".to_owned()).await;
    assert!(matches!(refused, Err(SpawnError::Stopped { .. })), "{refused:?}");
    assert_eq!(stage.take(), [""; 0]);
}

/// Once a spawn has been refused, all later ones are, and no child is left alive.
#[tokio::test(start_paused = true)]
async fn a162_once_refused_always_refused() {
    let stage = Stage::default();
    let tree = Open::start(stage.clone()).await.unwrap();
    let first = tree.sessions.spawn("slow".to_owned()).await.unwrap();
    stage.plan("slow post_stop", 1, Fault::Slow(secs(2)));
    let handle = tree.handle();
    let down = tokio::spawn(async move { tree.shutdown().await });
    settle().await;
    for _ in 0..3 {
        let refused = handle.sessions.spawn("late".to_owned()).await;
        assert!(matches!(refused, Err(SpawnError::Stopping { .. } | SpawnError::Stopped { .. })), "{refused:?}");
        pass(secs(1)).await;
    }
    down.await.unwrap();
    assert_eq!((state(&first), handle.sessions.len()), ("stopped", 0));
    assert_eq!(stage.ending(" start"), ["slow start"]);
}

/// Many short lives, each watched: every end is reported.
#[tokio::test(start_paused = true)]
async fn a163_many_ends_are_all_heard() {
    let stage = Stage::default();
    let boss = top("boss", &stage).await;
    for _ in 0..3 {
        act(&boss, |unit, cx| {
            Box::pin(async move {
                for nth in 0..500 {
                    let kid = unit.spawn(&format!("k{nth}"), cx).await?;
                    cx.watch(&kid);
                    kid.stop();
                }
                Ok(())
            })
        })
        .await;
        ping(&boss).await;
        settle().await;
        let heard = stage.heard();
        assert_eq!(heard.len(), 500);
        assert!(heard.iter().all(|line| line.ends_with(": stopped")), "{:?}", heard[0]);
    }
}

/// A restarted supervisor starts its declared children again, with the same handles; a root is not restarted.
#[tokio::test(start_paused = true)]
async fn a166_a_restarted_supervisor_has_its_children_again() {
    let (tree, stage) = system(Directive::Restart).await;
    assert_eq!(tree.sub.restart().map(drop), Ok(()));
    assert_eq!(ping(&tree.sub.b).await, 2);
    assert_eq!(stage.take(), lines(&[&restart("b"), &text(&["b ping"])]));
    assert!(matches!(tree.restart(), Err(CommandError::NotDeclared { .. })), "{:?}", tree.restart());
    assert_eq!(ping(&tree.a).await, 1);
}

/// A system ends with its main actor. A shutdown, and a first start that is given up, run `post_stop` of the children
/// that are up. Messages sent during the first start are handled.
#[tokio::test(start_paused = true)]
async fn a167_a_system_ends_with_its_main_actor() {
    let stage = Stage::default();
    let tree = Main::start(stage.clone()).await.unwrap();
    tree.main.tell(Msg::Stop).await.unwrap();
    assert_eq!(kind(&soon(tree.join()).await.ended), "done");
    let mut journal = stage.take();
    let heard = journal.iter().position(|line| line == "early hears early").expect("the message is not lost");
    journal.remove(heard);
    let expected =
        ["early start", "early pre_start", "main start", "main pre_start", "main post_stop", "early post_stop"];
    assert_eq!(journal, expected);

    Main::start(stage.clone()).await.unwrap().shutdown().await;
    assert_eq!(stage.ending(" post_stop"), ["main post_stop", "early post_stop"]);

    stage.plan("main start", 1, Fault::Slow(secs(60)));
    assert!(tokio::time::timeout(secs(1), Main::start(stage.clone())).await.is_err());
    settle().await;
    let journal = stage.take();
    assert_eq!(journal.last().map(String::as_str), Some("early post_stop"), "{journal:?}");
    assert!(!journal.iter().any(|line| line == "main pre_start"), "{journal:?}");
}
