//! The state of every node of a live tree: S42.

use std::sync::{Arc, Mutex};

use supervise::inspect::{ChildKind, Node, NodeState, Snapshot};
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::drawings::{check_graphviz, same_as_kept};
use crate::common::{Boom, Do, Fault, Journal, Probe, ms, pass, quiet_panics, secs, settle};

supervisor! {
    struct Shop(journal: Journal) {
        #![decider(Boom::Fatal => Stop, _ => Restart)]
        status: Status = Status { tree: tree.clone(), journal: journal.clone() },
        #[backoff(3s..30s, random_factor = 0)]
        #[limit(max_restarts = 5, within = 1h)]
        db: Probe = Probe::start("db", journal).await?,
        reports: struct Reports {
            #![strategy(AllForOne)]
            #[mailbox(Bounded(2))]
            daily: Probe = Probe::start("daily", journal).await?,
            #[backoff(2s..2s, random_factor = 0)]
            index: Probe = Probe::start("index", journal).await?,
        },
        #[lifecycle(Permanent)]
        ticker: task = std::future::pending::<()>(),
        #[mailbox(Unbounded)]
        sessions: [Probe] = |name: String| Probe::start(name, journal).await?,
    }
}

/// A status server: returns snapshots of the tree that it is a child of.
struct Status {
    tree: TreeRef,
    journal: Journal,
}

impl Actor for Status {
    type Msg = Reply<Snapshot>;
    type Error = Boom;

    async fn receive(&mut self, reply: Reply<Snapshot>, _: &mut Context<Self>) -> Result<(), Boom> {
        reply.send(self.tree.snapshot());
        Ok(())
    }

    async fn post_stop(&mut self, _: &mut Context<Self>) -> Result<(), Boom> {
        let snapshot = self.tree.snapshot();
        self.journal.write(format!("{}, {}", states(&snapshot).join(", "), snapshot.health().is_healthy()));
        Ok(())
    }
}

fn states(snapshot: &Snapshot) -> Vec<String> {
    snapshot.nodes().map(|node| format!("{} {}", node.path, node.state)).collect()
}

fn state<'a>(snapshot: &'a Snapshot, path: &str) -> &'a NodeState {
    &snapshot.find(path).unwrap_or_else(|| panic!("no {path} in {}", snapshot.render())).state
}

/// S42: a snapshot contains every node, in the order of declaration, with its kind, incarnation and budget.
#[tokio::test(start_paused = true)]
async fn every_node_is_there_in_the_order_of_declaration() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    tree.sessions.spawn("one".into()).await.unwrap();
    tree.sessions.spawn("two".into()).await.unwrap();
    let snapshot = tree.snapshot();
    let all: Vec<_> = snapshot.nodes().map(|node| (&*node.path, node.kind)).collect();
    assert_eq!(
        all,
        [
            ("Shop", ChildKind::Tree),
            ("status", ChildKind::Actor),
            ("db", ChildKind::Actor),
            ("reports", ChildKind::Tree),
            ("reports/daily", ChildKind::Actor),
            ("reports/index", ChildKind::Actor),
            ("ticker", ChildKind::Task),
            ("sessions", ChildKind::Set),
            ("sessions/#1", ChildKind::Actor),
            ("sessions/#2", ChildKind::Actor),
        ]
    );
    assert!(snapshot.nodes().all(Node::is_up), "{}", snapshot.render());
    let db = snapshot.find("db").unwrap();
    let restarts = db.restarts.unwrap();
    assert_eq!((db.incarnation, restarts.used, restarts.max, restarts.within), (1, 0, Some(5), Some(secs(3600))));
    assert_eq!((db.name.as_str(), db.lifecycle), ("db", Lifecycle::Permanent));
    assert!(db.last_failure.is_none() && snapshot.root.restarts.is_none());
    assert_eq!(snapshot.find("reports").unwrap().strategy, Some(Strategy::AllForOne));
    assert_eq!(snapshot.find("sessions/#1").unwrap().lifecycle, Lifecycle::Transient);
    // The snapshot of a subtree alone.
    assert_eq!(states(&tree.reports.snapshot()), ["reports running", "reports/daily running", "reports/index running"]);
}

/// S42: a snapshot shows until when a child backs off, the restarts used and the last failure; then the child is up
/// again, in the next incarnation.
#[tokio::test(start_paused = true)]
async fn a_child_that_backs_off_says_until_when() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    let begin = Instant::now();
    tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(secs(1)).await;
    let snapshot = tree.snapshot();
    let db = snapshot.find("db").unwrap();
    assert!(matches!(db.state, NodeState::BackingOff { until } if until == begin + secs(3)), "{:?}", db.state);
    assert_eq!((db.restarts.unwrap().used, db.incarnation), (1, 1));
    assert_eq!(db.last_failure.as_ref().unwrap().error::<Boom>(), Some(&Boom::Told));
    pass(secs(3)).await;
    let snapshot = tree.snapshot();
    let db = snapshot.find("db").unwrap();
    assert!(db.is_up() && db.last_failure.is_some());
    assert_eq!((db.restarts.unwrap().used, db.incarnation, db.streak), (1, 2, 1));
    // The restart has left the window.
    pass(secs(3600)).await;
    assert_eq!(tree.snapshot().find("db").unwrap().restarts.unwrap().used, 0);
}

/// S42, S17: in a group the delay of the failed member applies to all; the other members are queued, and all show the
/// one budget that they share.
#[tokio::test(start_paused = true)]
async fn a_group_that_waits_shows_the_members_it_waits_for() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    let begin = Instant::now();
    tree.reports.index.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    let snapshot = tree.snapshot();
    assert!(matches!(state(&snapshot, "reports/index"), NodeState::BackingOff { until } if *until == begin + secs(2)));
    assert!(matches!(state(&snapshot, "reports/daily"), NodeState::Queued));
    assert_eq!(snapshot.find("reports/daily").unwrap().restarts.unwrap().used, 1);
    pass(secs(2)).await;
    assert!(tree.snapshot().nodes().all(Node::is_up));
}

/// S42: starting, going down and ended are states, and an end has its reason.
#[tokio::test(start_paused = true)]
async fn starts_stops_and_ends_are_states() {
    let journal = Journal::default();
    let tree = Shop::start(journal.clone()).await.unwrap();
    journal.plan("index pre_start", 1, Fault::Slow(secs(1)));
    tree.reports.index.tell(Do::Fail(Boom::Told)).await.unwrap();
    pass(ms(2500)).await;
    assert!(matches!(state(&tree.snapshot(), "reports/index"), NodeState::Starting));
    journal.plan("db post_stop", 1, Fault::Slow(secs(1)));
    tree.db.stop();
    settle().await;
    assert!(matches!(state(&tree.snapshot(), "db"), NodeState::GoingDown));
    pass(secs(2)).await;
    assert!(matches!(state(&tree.snapshot(), "db"), NodeState::Ended(Ended::Stopped)));
    let session = tree.sessions.spawn("one".into()).await.unwrap();
    session.tell(Do::Work(secs(1))).await.unwrap();
    settle().await;
    session.stop();
    settle().await;
    assert!(matches!(state(&tree.snapshot(), "sessions/#1"), NodeState::GoingDown));
}

/// S42, S27: an instance that has ended is removed from the snapshot; the set is not.
#[tokio::test(start_paused = true)]
async fn an_ended_instance_is_forgotten() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    let one = tree.sessions.spawn("one".into()).await.unwrap();
    tree.sessions.spawn("two".into()).await.unwrap();
    one.tell(Do::Stop).await.unwrap();
    settle().await;
    // The new instance uses the slot that became free, and is the last in the snapshot all the same.
    tree.sessions.spawn("three".into()).await.unwrap();
    let snapshot = tree.snapshot();
    let all: Vec<_> = snapshot.find("sessions").unwrap().children.iter().map(|node| &*node.name).collect();
    assert_eq!(all, ["#2", "#3"]);
}

/// S42: a set that is copied in several pieces is complete and in order.
#[tokio::test(start_paused = true)]
async fn a_large_set_is_whole() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    for _ in 0..200 {
        tree.sessions.spawn("one".into()).await.unwrap();
    }
    let snapshot = tree.snapshot();
    let names: Vec<_> = snapshot.find("sessions").unwrap().children.iter().map(|node| node.name.clone()).collect();
    assert_eq!(names, (1..=200).map(|k| format!("#{k}")).collect::<Vec<_>>());
}

/// S42: the number of messages in a mailbox, its bound, and the number of senders that wait for room.
#[tokio::test(start_paused = true)]
async fn mailboxes_say_how_full_they_are() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    let daily = tree.reports.daily.clone();
    daily.tell(Do::Work(secs(5))).await.unwrap();
    settle().await;
    daily.tell(Do::Add(1)).await.unwrap();
    daily.tell(Do::Add(1)).await.unwrap();
    let sender = tokio::spawn(async move { daily.tell(Do::Add(1)).await.unwrap() });
    settle().await;
    let mailbox = tree.snapshot().find("reports/daily").unwrap().mailbox.unwrap();
    assert_eq!((mailbox.waiting, mailbox.capacity, mailbox.blocked), (2, Some(2), 1));
    sender.await.unwrap();
    settle().await;
    let mailbox = tree.snapshot().find("reports/daily").unwrap().mailbox.unwrap();
    assert_eq!((mailbox.waiting, mailbox.blocked), (0, 0));
    let session = tree.sessions.spawn("one".into()).await.unwrap();
    assert_eq!(tree.snapshot().find(&session.path()).unwrap().mailbox.unwrap().capacity, None);
    assert!(tree.snapshot().find("ticker").unwrap().mailbox.is_none());
}

supervisor! {
    struct Holding(seen: Arc<Mutex<Vec<Vec<String>>>>, journal: Journal) {
        #![decider(move |_: &Failure| {
            seen.lock().unwrap().push(states(&tree.snapshot()));
            Directive::Resume
        })]
        sub: struct Sub {
            leaf: Probe = Probe::start("leaf", journal).await?,
            #[lifecycle(Permanent)]
            ticker: task = std::future::pending::<()>(),
        },
        other: Probe = Probe::start("other", journal).await?,
    }
}

/// S42, S7: below a failure actors are suspended, and tasks are not. A decider may take a snapshot as well, because a
/// snapshot waits for no task.
#[tokio::test(start_paused = true)]
async fn below_a_failure_actors_are_suspended() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let tree = Holding::start(seen.clone(), Journal::default()).await.unwrap();
    tree.sub.kill();
    settle().await;
    let during = seen.lock().unwrap().pop().unwrap();
    assert_eq!(during, ["Holding running", "sub failed", "sub/leaf suspended", "sub/ticker running", "other running"]);
    assert!(tree.snapshot().nodes().all(Node::is_up));
}

/// S42: inside a tree, `tree` is its `TreeRef`. A status server that is declared first and stopped last answers while
/// others are down, and still sees the tree when all other children have ended.
#[tokio::test(start_paused = true)]
async fn a_status_server_is_a_child_declared_first_and_stopped_last() {
    let journal = Journal::default();
    let tree = Shop::start(journal.clone()).await.unwrap();
    tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    settle().await;
    let snapshot = tree.status.ask(|reply| reply).await.unwrap();
    assert_eq!(snapshot.root.path, "Shop");
    assert!(matches!(state(&snapshot, "db"), NodeState::BackingOff { .. }));
    assert!(matches!(state(&snapshot, "status"), NodeState::Running));
    journal.take();
    tree.shutdown().await;
    let last = journal.take().pop().unwrap();
    assert_eq!(
        last,
        "Shop going down, status going down, db ended: stopped, reports ended: stopped, \
         reports/daily ended: stopped, reports/index ended: stopped, ticker ended: stopped, \
         sessions ended: stopped, false"
    );
}

/// S42: after its end, a tree still shows why it ended.
#[tokio::test(start_paused = true)]
async fn an_ended_tree_says_why() {
    let tree = Shop::start(Journal::default()).await.unwrap();
    let handle = tree.handle();
    tree.shutdown().await;
    assert!(matches!(handle.snapshot().root.state, NodeState::Ended(Ended::Stopped)));
}

/// S42: a snapshot is drawn in the same three languages as the declaration.
#[tokio::test(start_paused = true)]
async fn a_live_tree_is_drawn_in_three_languages() {
    quiet_panics();
    let tree = Shop::start(Journal::default()).await.unwrap();
    tree.sessions.spawn("one".into()).await.unwrap();
    tree.db.tell(Do::Panic).await.unwrap();
    tree.reports.daily.tell(Do::Work(secs(5))).await.unwrap();
    settle().await;
    tree.reports.daily.tell(Do::Add(1)).await.unwrap();
    tree.ticker.stop();
    pass(secs(1)).await;
    let snapshot = tree.snapshot();
    same_as_kept("live.txt", &snapshot.render());
    same_as_kept("live.mmd", &snapshot.render_mermaid());
    same_as_kept("live.dot", &snapshot.render_graphviz());
    check_graphviz(&snapshot.render_graphviz());
}
