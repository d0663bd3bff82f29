//! The declared tree as a constant, and its drawings: S42, S24.

use std::panic::Location;
use std::time::Duration;

use supervise::inspect::ChildKind;
use supervise::policy::{ShutdownOrder, ShutdownTimeout};
use supervise::prelude::*;
use supervise::spec::{Below, ChildSpec, DeclaredLimit, DeclaredShutdown, Shape, TreeSpec};

use crate::common::drawings::{check_graphviz, same_as_kept};
use crate::common::{Journal, Probe, secs};

async fn nothing() {}

supervisor! {
    /// Everything that a declaration can hold.
    ///
    /// More about it.
    struct Shop(journal: Journal, _grace: Duration) {
        #![strategy(OneForOne, max_restarts = 10, within = 10min)]
        #![decider(_ => Restart)]
        /// The database.
        #[lifecycle(Permanent, shutdown = 2s)]
        #[backoff(3s..30s)]
        db: Probe = Probe::start("db", journal).await?,
        reports: struct Reports {
            #![strategy(AllForOne)]
            daily: Probe = Probe::start("daily", journal).await?,
            #[lifecycle(Transient, shutdown = Kill)]
            index: Probe = Probe::start("index", journal).await?,
        },
        branch: Branch = Branch::tree(journal),
        #[lifecycle(Permanent)]
        heartbeat: task = nothing(),
        #[lifecycle(Permanent, shutdown = 20s)]
        http: task = |cx| cx.stopped(),
        #[lifecycle(Temporary, shutdown = 1500ms)]
        sessions: [Probe] = |name: &'static str| Probe::start(name, journal).await?,
    }
}

supervisor! {
    struct Branch(journal: Journal) {
        cart: Probe = Probe::start("cart", journal).await?,
        #[lifecycle(shutdown = 500ms)]
        branches: [Branch] = |journal: Journal| Branch::tree(journal),
    }
}

supervisor! {
    struct Late(journal: Journal, grace: Duration) {
        #[lifecycle(Permanent, shutdown = grace)]
        db: Probe = Probe::start("db", journal).await?,
    }
}

supervisor! {
    struct Patient(journal: Journal) {
        branch: Branch = Branch::tree(journal),
        #[lifecycle(Permanent, shutdown = Infinity)]
        db: Probe = Probe::start("db", journal).await?,
    }
}

supervisor! {
    struct Many(journal: Journal) {
        branches: [Branch] = |journal: Journal| Branch::tree(journal),
    }
}

supervisor! {
    /// Every shape that can be written.
    struct Every(journal: Journal) {
        one: Probe = Probe::start("one", journal).await?,
        maybe: Option<Probe> = Some(Probe::start("maybe", journal).await?),
        absent: Option<Probe> = None,
        row: [Probe; 2] = |i: usize| Probe::start(format!("row{i}"), journal).await?,
        #[max_children(5)]
        any: [Probe] = |n: u32| Probe::start(format!("any{n}"), journal).await?,
        #[initial([7])]
        by_key: [u32 => Probe] = |n: u32| Probe::start(format!("key{n}"), journal).await?,
        plain: task = std::future::pending::<()>(),
        told: task = |cx| cx.stopped(),
        maybe_task: Option<task> = Some(|cx: TaskContext| cx.stopped()),
        tasks: [task; 2] = |_i| std::future::pending::<()>(),
        any_tasks: [task] = |_n: u32| |cx| cx.stopped(),
        tasks_by_key: [String => task] = |_name: String| |cx| cx.stopped(),
        inline: struct Inline {
            leaf: Probe = Probe::start("leaf", journal).await?,
        },
        branch: Leaf = Leaf::tree(journal),
        branches: [Leaf; 2] = |_i| Leaf::tree(journal),
        any_branches: [Leaf] = || Leaf::tree(journal),
        branches_by_key: [u8 => Leaf] = |_key: u8| Leaf::tree(journal),
    }

    struct Leaf(journal: Journal) {
        leaf: Probe = Probe::start("leaf", journal).await?,
    }
}

const fn child(name: &'static str, shape: Shape, kind: ChildKind) -> ChildSpec {
    ChildSpec {
        name,
        doc: "",
        item: "Item",
        shape,
        kind,
        lifecycle: Lifecycle::Permanent,
        limit: DeclaredLimit::Unlimited,
        shutdown: DeclaredShutdown::Default,
        settings: &[],
        at: Location::caller(),
        below: Below::Known(None),
        remote: None,
    }
}

/// Every shape, and names that must be escaped.
const SHAPES: TreeSpec = TreeSpec {
    name: "Shapes",
    doc: "",
    strategy: Strategy::RestForOne,
    shutdown: DeclaredShutdown::Default,
    shutdown_order: ShutdownOrder::Reverse,
    settings: &["decider(_ => Restart)", "strategy(RestForOne, max_restarts = 3)"],
    at: Location::caller(),
    module: module_path!(),
    version: None,
    children: &[
        child("one", Shape::One, ChildKind::Actor),
        child("maybe", Shape::Optional, ChildKind::Task),
        child("shards", Shape::Array(4), ChildKind::Actor),
        ChildSpec { item: "Vec<&'static str>", ..child("any", Shape::Set, ChildKind::Actor) },
        child("by_key", Shape::Keyed("UserId"), ChildKind::Task),
        ChildSpec {
            below: Below::Known(Some(&INNER)),
            settings: &[r#"backoff(pace("a\b`#1;", &x))"#],
            ..child("inner", Shape::One, ChildKind::Tree)
        },
        ChildSpec { below: Below::Known(Some(&INNER)), ..child("inners", Shape::Array(2), ChildKind::Tree) },
        child("last", Shape::One, ChildKind::Task),
    ],
};

const INNER: TreeSpec = TreeSpec {
    name: "Inner",
    doc: "",
    strategy: Strategy::AllForOne,
    shutdown: DeclaredShutdown::Default,
    shutdown_order: ShutdownOrder::Reverse,
    settings: &[],
    at: Location::caller(),
    module: module_path!(),
    version: None,
    children: &[child("leaf", Shape::One, ChildKind::Actor), child("leaves", Shape::Set, ChildKind::Actor)],
};

/// S42: a tree is drawn as text, Mermaid and Graphviz; the children appear in the order of their declaration.
#[test]
fn a_declaration_is_drawn_in_three_languages() {
    same_as_kept("shop.txt", &Shop::SPEC.render());
    same_as_kept("shop.mmd", &Shop::SPEC.render_mermaid());
    same_as_kept("shop.dot", &Shop::SPEC.render_graphviz());
    check_graphviz(&Shop::SPEC.render_graphviz());
}

/// S42: a tree that contains every shape is drawn, as declared and as it runs.
#[tokio::test(start_paused = true)]
async fn every_shape_is_drawn_declared_and_running() {
    same_as_kept("every.txt", &Every::SPEC.render());
    same_as_kept("every.mmd", &Every::SPEC.render_mermaid());
    same_as_kept("every.dot", &Every::SPEC.render_graphviz());
    check_graphviz(&Every::SPEC.render_graphviz());
    let tree = Every::start(Journal::default()).await.unwrap();
    tree.any.spawn(1).await.unwrap();
    tree.any_tasks.spawn(1).await.unwrap();
    tree.tasks_by_key.spawn("a b".to_owned()).await.unwrap();
    tree.any_branches.spawn().await.unwrap();
    tree.branches_by_key.spawn(3).await.unwrap();
    let snapshot = tree.snapshot();
    same_as_kept("every-live.txt", &snapshot.render());
    same_as_kept("every-live.mmd", &snapshot.render_mermaid());
    same_as_kept("every-live.dot", &snapshot.render_graphviz());
    check_graphviz(&snapshot.render_graphviz());
}

/// S42: every shape is drawn as it is written, and characters with a meaning in the language of the drawing are
/// escaped.
#[test]
fn every_shape_is_drawn_and_names_are_escaped() {
    same_as_kept("shapes.txt", &SHAPES.render());
    same_as_kept("shapes.mmd", &SHAPES.render_mermaid());
    same_as_kept("shapes.dot", &SHAPES.render_graphviz());
    check_graphviz(&SHAPES.render_graphviz());
}

/// S42: the constant contains the declaration: shape, kind, lifecycle, documentation and the children below.
#[test]
fn the_constant_says_what_is_declared() {
    let spec = Shop::SPEC;
    assert_eq!((spec.name, spec.doc), ("Shop", "Everything that a declaration can hold."));
    let names: Vec<_> = spec.children.iter().map(|child| child.name).collect();
    assert_eq!(names, ["db", "reports", "branch", "heartbeat", "http", "sessions"]);
    let kinds: Vec<_> = spec.children.iter().map(|child| child.kind).collect();
    assert_eq!(
        kinds,
        [ChildKind::Actor, ChildKind::Tree, ChildKind::Tree, ChildKind::Task, ChildKind::Task, ChildKind::Actor]
    );
    let [db, reports, branch, .., sessions] = spec.children else { panic!("{spec:?}") };
    assert_eq!((db.doc, db.item, db.shape), ("The database.", "Probe", Shape::One));
    assert_eq!(reports.tree().unwrap().strategy, Strategy::AllForOne);
    assert_eq!((sessions.shape, sessions.lifecycle), (Shape::Set, Lifecycle::Temporary));
    assert!(db.tree().is_none() && sessions.tree().is_none());
    // A tree that may contain any number of instances of itself.
    let inner = branch.tree().unwrap().children[1].tree().unwrap();
    assert_eq!(inner.children[1].tree().unwrap().name, "Branch");
}

/// S24: children go down one after the other, and the instances of a `[..]` all at once; a task without a context takes
/// no time.
#[test]
fn the_shutdown_budget_is_added_up() {
    // 2 s + (5 s + 0) + (5 s + 0.5 s) + 0 + 20 s + 1.5 s
    const BUDGET: Option<Duration> = Shop::SPEC.shutdown_budget();
    assert_eq!(BUDGET, Some(secs(34)));
    let of = |name| Shop::SPEC.children.iter().find(|child| child.name == name).unwrap().shutdown_budget();
    assert_eq!(of("reports"), Some(secs(5)));
    assert_eq!(of("branch"), Some(Duration::from_millis(5500)));
    assert_eq!(of("heartbeat"), Some(Duration::ZERO));
}

/// S24: the budget is `None` if the time is not bounded.
#[test]
fn the_shutdown_budget_is_none_where_nothing_bounds_it() {
    assert_eq!(Late::SPEC.shutdown_budget(), None, "an expression");
    assert_eq!(Patient::SPEC.shutdown_budget(), None, "Infinity");
    assert_eq!(Many::SPEC.shutdown_budget(), None, "a [Tree] without a declared shutdown time");
    let infinite = ChildSpec {
        shutdown: DeclaredShutdown::Is(ShutdownTimeout::Infinity),
        below: Below::Known(Some(&INNER)),
        ..child("inner", Shape::One, ChildKind::Tree)
    };
    assert_eq!(infinite.shutdown_budget(), None, "a tree's default is not its Infinity");
}

/// S24: each member of a `[T; N]` has its time, one after the other; an `Option` counts once.
#[test]
fn arrays_count_for_each_member() {
    assert_eq!(child("shards", Shape::Array(4), ChildKind::Actor).shutdown_budget(), Some(secs(20)));
    assert_eq!(child("maybe", Shape::Optional, ChildKind::Actor).shutdown_budget(), Some(secs(5)));
    assert_eq!(child("by_key", Shape::Keyed("UserId"), ChildKind::Actor).shutdown_budget(), Some(secs(5)));
    let trees = ChildSpec { below: Below::Known(Some(&INNER)), ..child("inners", Shape::Array(2), ChildKind::Tree) };
    assert_eq!(trees.shutdown_budget(), Some(secs(20)));
}
