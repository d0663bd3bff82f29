//! Names and keys, and how they appear in paths: S27, S34, S38, S40.

use supervise::error::{KeyedError, SpawnError};
use supervise::path;
use supervise::prelude::*;

use crate::common::{Journal, Probe, pass, secs, seen};

supervisor! {
    struct Forest(journal: Journal) {
        branches: [String => Branch] = |name: String| Branch::tree(name, journal),
        parent: Parent = Parent,
    }

    struct Branch(name: String, journal: Journal) {
        db: Probe = Probe::start(format!("{name}/db"), journal).await?,
        shards: [Probe; 2] = |i: usize| Probe::start(i.to_string(), journal.clone()).await?,
    }

    struct Initial(journal: Journal) {
        #[initial(["".to_owned(), "a/b".to_owned()])]
        set: [String => Probe] = |name: String| Probe::start(name, journal.clone()).await?,
    }
}

struct Parent;

enum Ask {
    Spawn(&'static str, Reply<Result<ActorRef<Probe>, SpawnError>>),
    Child(&'static str, Reply<Option<ActorRef<Probe>>>),
}

#[actor]
impl Parent {
    async fn handle(&mut self, ask: Ask, cx: &mut Context<Self>) {
        match ask {
            Ask::Spawn(name, reply) => {
                reply.send(cx.spawn(child! { name: Probe = Probe::start(name, Journal::default()).await? }).await)
            }
            Ask::Child(name, reply) => reply.send(cx.child::<Probe>(name)),
        }
    }
}

/// S27, S40: a `/` in a key does not separate two children: each child has its own path, by which it is found, and
/// events return the key unchanged.
#[tokio::test(start_paused = true)]
async fn two_children_never_share_a_path() {
    let tree = Forest::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    let a = tree.branches.spawn("a".into()).await.unwrap();
    let odd = tree.branches.spawn("a/db".into()).await.unwrap();
    assert_eq!([a.db.path(), odd.path(), odd.db.path()], ["branches/a/db", "branches/a%2Fdb", "branches/a%2Fdb/db"]);
    assert_eq!(
        odd.shards[1].path(),
        "branches/a%2Fdb/shards/1",
        "the index of an array is a separate part of the path"
    );
    let snapshot = tree.snapshot();
    assert_eq!(snapshot.find("branches/a/db").unwrap().kind, supervise::inspect::ChildKind::Actor);
    let node = snapshot.find(&path::of(["branches", "a/db"])).unwrap();
    assert_eq!((&*node.name, node.kind), ("a%2Fdb", supervise::inspect::ChildKind::Tree));
    let mut deepest = Vec::new();
    while let Ok(event) = tokio::time::timeout(secs(1), events.next()).await {
        let event = event.unwrap();
        deepest.push(event.segments().map(String::from).collect::<Vec<_>>());
    }
    assert!(deepest.contains(&vec!["branches".into(), "a/db".into(), "db".into()]), "{deepest:?}");
    assert!(deepest.contains(&vec!["branches".into(), "a/db".into(), "shards".into(), "0".into()]));
}

/// S27: an escaped key does not collide with another key.
#[tokio::test(start_paused = true)]
async fn an_escaped_key_is_not_that_of_another() {
    let tree = Forest::start(Journal::default()).await.unwrap();
    let mut paths = Vec::new();
    for key in ["x/y", "x%2Fy", "x%252Fy", "x\n", "x\\n", "x%5Cn"] {
        paths.push(tree.branches.spawn(key.into()).await.unwrap().path());
        match tree.branches.spawn(key.into()).await {
            Err(KeyedError::Exists { path, .. }) => assert_eq!(Some(&path), paths.last()),
            other => panic!("{other:?}"),
        }
        let last = paths.last().unwrap().clone();
        assert!(path::segments(&last).eq(["branches", key]), "{last}");
    }
    assert_eq!(paths[0..2], ["branches/x%2Fy", "branches/x%252Fy"]);
    assert_eq!(paths[3..5], ["branches/x\\n", "branches/x%5Cn"]);
    let count = paths.len();
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), count);
}

/// S27: an empty key is refused, because the path would have an empty last part. If `initial` contains one, there is an
/// event.
#[tokio::test(start_paused = true)]
async fn an_empty_key_is_refused() {
    let tree = Forest::start(Journal::default()).await.unwrap();
    let empty = |error: SpawnError| matches!(&error, SpawnError::EmptyName { path } if path == "branches");
    match tree.branches.spawn(String::new()).await {
        Err(KeyedError::Spawn(error)) => assert!(empty(error)),
        other => panic!("{other:?}"),
    }
    assert!(empty(tree.branches.get_or_spawn(String::new()).await.unwrap_err()));
    assert!(tree.branches.is_empty() && tree.branches.keys().is_empty());

    let mut blueprint = Initial::tree(Journal::default());
    let mut events = blueprint.events();
    let tree = blueprint.start().await.unwrap();
    pass(secs(1)).await;
    assert_eq!(tree.set.keys(), ["a/b"]);
    let seen = seen(&mut events);
    assert!(
        seen.iter().any(|line| line.starts_with("set failed on its way down") || line.starts_with("set reported")),
        "{seen:?}"
    );
}

/// S38: names of an actor's children, and of top-level actors, are escaped and never empty.
#[tokio::test(start_paused = true)]
async fn names_at_run_time_are_escaped_and_never_empty() {
    let tree = Forest::start(Journal::default()).await.unwrap();
    let spawn = |name| tree.parent.ask(move |reply| Ask::Spawn(name, reply));
    let find = |name| tree.parent.ask(move |reply| Ask::Child(name, reply));
    assert!(matches!(spawn("").await.unwrap(), Err(SpawnError::EmptyName { path }) if path == "parent"));
    let kid = spawn("kid/below").await.unwrap().unwrap();
    assert_eq!(kid.path(), "parent/kid%2Fbelow");
    assert_eq!(find("kid/below").await.unwrap(), Some(kid), "found by its name, not by its path");
    assert_eq!(find("kid%2Fbelow").await.unwrap(), None);
    let again = spawn("kid/below").await.unwrap();
    assert!(matches!(&again, Err(SpawnError::Exists { path }) if path == "parent/kid%2Fbelow"), "{again:?}");
    assert_eq!(spawn("kid%2Fbelow").await.unwrap().unwrap().path(), "parent/kid%252Fbelow");

    let top = |name| supervise::spawn(child! { name: Parent = Parent });
    assert!(matches!(top("").await, Err(SpawnError::EmptyName { .. })));
    let slashed = top("top/level").await.unwrap();
    assert_eq!(slashed.path(), "top%2Flevel");
    slashed.stop();
}
