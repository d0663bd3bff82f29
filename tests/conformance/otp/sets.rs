//! Children at run time, in sets: O166 to O190, and sets of equal parts, O191 to O200.

use std::sync::Arc;

use supervise::error::{CommandError, KeyedError, SpawnError};
use supervise::prelude::*;

use super::*;
use crate::alloc::taken;
use crate::common::{Fault, pass, quiet_panics, secs, settle};

supervisor! {
    struct Sets(stage: Stage) {
        #[max_children(3)]
        few: [Unit] = |name: String| Unit::start(name, stage.clone()).await?,
        #[lifecycle(Temporary)]
        once: [Unit] = |name: String| Unit::start(name, stage.clone()).await?,
        keyed: [String => Unit] = |key: String, nth: u32| Unit::start(format!("{key} {nth}"), stage).await?,
    }

    struct Many(stage: Stage) {
        #[lifecycle(Temporary)]
        many: [Unit] = |held: Arc<Vec<u8>>| Unit::start(format!("{}", held.len()), stage).await?,
    }

    struct Pair(stage: Stage) {
        one: Sets = Sets::tree(stage.clone()),
        two: Sets = Sets::tree(stage),
    }

    struct Parts(stage: Stage) {
        parts: [Unit; 3] = |i: usize| Unit::start(format!("part {i}"), stage).await?,
    }

    struct Sized(stage: Stage, number: usize) {
        #[initial(0..number)]
        parts: [usize => Unit] = |i: usize| Unit::start(format!("part {i}"), stage).await?,
    }

    struct Short(stage: Stage) {
        #[lifecycle(Transient, shutdown = 1ms)]
        short: [Unit] = |name: &'static str| Unit::start(name, stage.clone()).await?,
        #[lifecycle(Transient, shutdown = Kill)]
        none: [Unit] = |name: &'static str| Unit::start(name, stage).await?,
    }
}

async fn sets() -> (Running<Sets>, Stage) {
    let stage = Stage::default();
    let tree = Sets::start(stage.clone()).await.unwrap();
    stage.take();
    (tree, stage)
}

/// A set exists before it has any instance.
#[tokio::test(start_paused = true)]
async fn o166_a_set_begins_empty() {
    let (tree, _) = sets().await;
    assert!(tree.few.is_empty() && tree.once.is_empty() && tree.keyed.keys().is_empty());
    assert!(tree.snapshot().find("few").unwrap().is_up());
    let one = tree.few.spawn("one".into()).await.unwrap();
    assert_eq!((one.path().as_str(), tree.few.len()), ("few/#1", 1));
}

/// Only the handle of an instance can stop that instance; for an instance that has ended, a stop does nothing.
#[tokio::test(start_paused = true)]
async fn o167_a_stop_is_that_of_the_handle() {
    let (tree, stage) = sets().await;
    let stranger = top("stranger", &stage).await;
    let one = tree.few.spawn("one".into()).await.unwrap();
    stop(&one).await;
    stop(&one).await;
    assert_eq!((ping(&stranger).await, tree.few.len()), (1, 0));
    assert!(!tree.keyed.stop(&"stranger".to_owned()));
}

/// An instance that has ended in a set is forgotten, and cannot be started again.
#[tokio::test(start_paused = true)]
async fn o168_an_instance_that_has_ended_cannot_be_started_again() {
    let (tree, _) = sets().await;
    let one = tree.few.spawn("one".into()).await.unwrap();
    stop(&one).await;
    assert!(matches!(one.start_again(), Err(CommandError::NotDeclared { .. })));
    assert!(tree.snapshot().find("few/#1").is_none());
}

/// A first start that fails is reported to the caller of the spawn, whatever the cause, and leaves nothing.
#[tokio::test(start_paused = true)]
async fn o171_a_first_start_that_fails_leaves_nothing() {
    quiet_panics();
    let (tree, stage) = sets().await;
    for fault in [Fault::Error, Fault::Panic] {
        stage.plan("one start", 1, fault);
        let error = tree.few.spawn("one".into()).await.unwrap_err();
        assert!(matches!(error, SpawnError::Start(_)), "{error}");
        assert_eq!((tree.few.len(), starts(&stage)), (0, vec!["one".to_owned()]));
    }
    pass(secs(60)).await;
    assert_eq!(starts(&stage), [""; 0]);
    tree.few.spawn("one".into()).await.unwrap();
}

/// Arguments of a spawn are added to the values that the set closes over, and are the same at a restart.
#[tokio::test(start_paused = true)]
async fn o172_a_restart_has_the_arguments_of_the_spawn() {
    let (tree, stage) = sets().await;
    let one = tree.keyed.spawn("key".into(), 7).await.unwrap();
    fail(&one).await;
    assert_eq!(ping(&one).await, 2);
    assert_eq!(starts(&stage), ["key 7", "key 7"]);
}

/// Thousands of instances are counted correctly, down to zero.
#[tokio::test(start_paused = true)]
async fn o173_thousands_are_counted() {
    let tree = Many::start(Stage::default()).await.unwrap();
    let mut all = Vec::new();
    for most in [1_000, 2_000] {
        while all.len() < most {
            all.push(tree.many.spawn(Arc::default()).await.unwrap());
        }
        let seen = tree.snapshot().nodes().filter(|node| node.path.starts_with("many/")).count();
        assert_eq!((tree.many.len(), seen), (most, most));
    }
    for unit in &all {
        unit.kill();
    }
    for unit in &all {
        soon(unit.terminated()).await.unwrap();
    }
    settle().await;
    assert!(tree.many.is_empty());
}

/// Ten times as many instances, stopped one by one, are ten times the work: no stop copies a list of all instances.
#[tokio::test(start_paused = true)]
async fn o175_stopping_one_by_one_does_not_grow_with_the_set() {
    let tree = Many::start(Stage::default()).await.unwrap();
    let mut each = Vec::new();
    for most in [500, 5_000] {
        let mut all = Vec::new();
        for _ in 0..most {
            all.push(tree.many.spawn(Arc::default()).await.unwrap());
        }
        let before = taken();
        for unit in &all {
            stop(unit).await;
        }
        each.push((taken() - before) / most);
        assert!(tree.many.is_empty());
    }
    assert!(each[0] > 0 && each[1] < each[0] * 2, "{each:?} bytes each");
}

/// The arguments of a temporary instance are not kept, neither while it lives nor after its end.
#[tokio::test(start_paused = true)]
async fn o176_the_arguments_of_a_temporary_instance_are_not_kept() {
    let tree = Many::start(Stage::default()).await.unwrap();
    let gone = tree.many.spawn(Arc::default()).await.unwrap();
    stop(&gone).await;
    let held = Arc::new(vec![0_u8; 50_000]);
    let one = tree.many.spawn(held.clone()).await.unwrap();
    settle().await;
    assert_eq!((Arc::strong_count(&held), state(&one)), (1, "lives"));
}

/// An instance of a plain set is found only by its path, an instance with a key by its key.
#[tokio::test(start_paused = true)]
async fn o177_one_instance_is_looked_up() {
    let (tree, _) = sets().await;
    tree.few.spawn("one".into()).await.unwrap();
    let key = "key".to_owned();
    let keyed = tree.keyed.spawn(key.clone(), 1).await.unwrap();
    let snapshot = tree.snapshot();
    assert!(snapshot.find("few/#1").is_some() && snapshot.find("few/#2").is_none());
    assert_eq!((tree.keyed.get(&key), tree.keyed.get(&"other".to_owned())), (Some(keyed), None));
}

/// Several trees with sets are children of one tree, each under its own name.
#[tokio::test(start_paused = true)]
async fn o178_sets_stand_side_by_side_in_a_tree() {
    let tree = Pair::start(Stage::default()).await.unwrap();
    let one = tree.one.few.spawn("x".into()).await.unwrap();
    let two = tree.two.few.spawn("x".into()).await.unwrap();
    assert_eq!([one.path(), two.path()], ["one/few/#1", "two/few/#1"]);
}

/// Values that the tree passes to a set are there at each restart.
#[tokio::test(start_paused = true)]
async fn o180_a_restart_has_what_the_tree_gives_as_well() {
    let (tree, stage) = sets().await;
    let one = tree.few.spawn("one".into()).await.unwrap();
    stage.take();
    for nth in 2..=4 {
        fail(&one).await;
        assert_eq!(ping(&one).await, nth);
    }
    assert_eq!((starts(&stage), state(&one)), (vec!["one".to_owned(); 3], "lives"));
}

/// A spawn returns a handle or an error, and there is no third outcome.
#[tokio::test(start_paused = true)]
async fn o181_a_spawn_gives_a_handle_or_an_error() {
    let (tree, stage) = sets().await;
    assert_eq!(ping(&tree.once.spawn("well".into()).await.unwrap()).await, 1);
    stage.plan("ill start", 1, Fault::Error);
    let Err(SpawnError::Start(failure)) = tree.once.spawn("ill".into()).await else { panic!("the spawn succeeded") };
    assert_eq!((failure.phase(), failure.error()), (Phase::Start, Some(&crate::common::Boom::Planned)));
    assert_eq!(tree.once.len(), 1);
}

/// An error and a panic in a start are distinguished, and the set continues.
#[tokio::test(start_paused = true)]
async fn o182_an_error_and_a_panic_are_told_apart() {
    quiet_panics();
    let (tree, stage) = sets().await;
    for (fault, is_panic) in [(Fault::Error, false), (Fault::Panic, true)] {
        stage.plan("ill start", 1, fault);
        let Err(SpawnError::Start(failure)) = tree.few.spawn("ill".into()).await else { panic!("the spawn succeeded") };
        assert_eq!(matches!(failure.cause(), Cause::Panic(_)), is_panic, "{failure}");
    }
    tree.few.spawn("well".into()).await.unwrap();
    assert!(tree.ended().is_none());
}

/// A full set refuses a spawn, and continues.
#[tokio::test(start_paused = true)]
async fn o183_a_set_that_is_full_refuses() {
    let (tree, _) = sets().await;
    let mut all = Vec::new();
    for nth in 0..3 {
        all.push(tree.few.spawn(nth.to_string()).await.unwrap());
    }
    let refused = tree.few.spawn("more".into()).await;
    assert!(matches!(refused, Err(SpawnError::MaxChildren { most: 3, .. })), "{refused:?}");
    stop(&all[0]).await;
    tree.few.spawn("more".into()).await.unwrap();
}

/// An instance that fails and comes back is counted once.
#[tokio::test(start_paused = true)]
async fn o185_one_that_comes_back_is_counted_once() {
    let (tree, _) = sets().await;
    let mut all = Vec::new();
    for nth in 0..3 {
        all.push(tree.few.spawn(nth.to_string()).await.unwrap());
    }
    for unit in &all {
        fail(unit).await;
        assert_eq!(ping(unit).await, 2);
    }
    assert!(matches!(tree.few.spawn("more".into()).await, Err(SpawnError::MaxChildren { .. })));
    for unit in &all {
        stop(unit).await;
    }
    assert_eq!(tree.few.len(), 0);
    for nth in 0..3 {
        tree.few.spawn(nth.to_string()).await.unwrap();
    }
}

/// A very short stop timeout and `Kill` are both valid.
#[tokio::test(start_paused = true)]
async fn o186_a_millisecond_and_none_are_times_to_stop_in() {
    let stage = Stage::default();
    let tree = Short::start(stage.clone()).await.unwrap();
    let short = tree.short.spawn("short").await.unwrap();
    tree.none.spawn("none").await.unwrap();
    stage.plan("short post_stop", 1, Fault::Slow(secs(1)));
    let begun = tokio::time::Instant::now();
    soon(tree.shutdown()).await;
    assert_eq!((begun.elapsed().as_millis(), state(&short)), (1, "aborted"));
}

/// A plain set accepts two instances with the same arguments; a keyed set does not accept two with the same key.
#[tokio::test(start_paused = true)]
async fn o187_equals_are_two_and_a_key_is_one() {
    let (tree, _) = sets().await;
    let [one, two] = [tree.few.spawn("x".into()).await.unwrap(), tree.few.spawn("x".into()).await.unwrap()];
    assert_ne!(one.path(), two.path());
    let key = "x".to_owned();
    let first = tree.keyed.spawn(key.clone(), 1).await.unwrap();
    match tree.keyed.spawn(key, 2).await.unwrap_err() {
        KeyedError::Exists { handle, .. } => assert_eq!(handle, Some(first)),
        other => panic!("{other}"),
    }
}

/// A stop of an unknown instance is an error by key, and does nothing by handle.
#[tokio::test(start_paused = true)]
async fn o190_a_stop_of_one_that_is_unknown() {
    let (tree, _) = sets().await;
    let key = "x".to_owned();
    let one = tree.keyed.spawn(key.clone(), 1).await.unwrap();
    assert!(tree.keyed.stop(&key));
    soon(one.terminated()).await.unwrap();
    assert!(!tree.keyed.stop(&key));
    one.stop();
    assert_eq!(state(&one), "stopped");
}

/// A number of parts, each for some of the keys: every key finds its part.
#[tokio::test(start_paused = true)]
async fn o191_all_keys_find_their_part() {
    let tree = Parts::start(Stage::default()).await.unwrap();
    for key in 0..100_u64 {
        tree.parts[key as usize % tree.parts.len()].tell(Msg::Add(key)).await.unwrap();
    }
    let mut total = 0;
    for part in &tree.parts {
        total += sum(part).await;
    }
    assert_eq!(total, (0..100).sum::<u64>());
}

/// Each part knows its own index.
#[tokio::test(start_paused = true)]
async fn o193_each_part_gets_its_number() {
    let stage = Stage::default();
    let tree = Parts::start(stage.clone()).await.unwrap();
    assert_eq!(starts(&stage), ["part 0", "part 1", "part 2"]);
    assert_eq!(tree.parts.as_array().each_ref().map(ActorRef::path), ["parts/0", "parts/1", "parts/2"]);
}

/// As many parts as declared, each with its own budget.
#[tokio::test(start_paused = true)]
async fn o195_parts_are_counted() {
    let tree = Parts::start(Stage::default()).await.unwrap();
    assert_eq!(tree.snapshot().nodes().filter(|node| node.path.starts_with("parts/")).count(), 3);
}

/// A number of parts that is known at run time can grow and shrink.
#[tokio::test(start_paused = true)]
async fn o196_parts_can_grow_and_shrink() {
    let tree = Sized::start(Stage::default(), 8).await.unwrap();
    let mut size = 8;
    for next in [3, 8, 0, 1, 6] {
        for part in next..size {
            let gone = tree.parts.get(&part).unwrap();
            assert!(tree.parts.stop(&part));
            soon(gone.terminated()).await.unwrap();
        }
        for part in size..next {
            tree.parts.spawn(part).await.unwrap();
        }
        size = next;
        assert_eq!(tree.parts.len(), size);
        for part in 0..size {
            assert_eq!(ping(&tree.parts.get(&part).unwrap()).await, 1);
        }
    }
}

/// With no part left, a key finds nothing, and the number can grow again.
#[tokio::test(start_paused = true)]
async fn o197_with_no_part_left_none_is_found() {
    let tree = Sized::start(Stage::default(), 0).await.unwrap();
    assert!(tree.parts.get(&0).is_none() && tree.parts.is_empty());
    tree.parts.spawn(9).await.unwrap();
    assert!(tree.parts.get(&9).is_some());
}

/// A part that comes back has the same handle, where messages wait for the part.
#[tokio::test(start_paused = true)]
async fn o200_a_part_that_comes_back_is_reached_by_its_handle() {
    let stage = Stage::default();
    let tree = Parts::start(stage.clone()).await.unwrap();
    stage.plan("part 1 start", 1, Fault::Slow(secs(1)));
    fail(&tree.parts[1]).await;
    settle().await;
    tree.parts[1].tell(Msg::Add(7)).await.unwrap();
    assert_eq!((sum(&tree.parts[1]).await, ping(&tree.parts[1]).await), (7, 2));
}
