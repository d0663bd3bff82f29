//! Death watch: S37.

use std::convert::Infallible;

use supervise::event::EventKind;
use supervise::prelude::*;

use crate::common::{Boom, Do, Fault, Journal, Probe, pass, quiet_panics, secs, seen, settle, soon};

/// Watches actors on request, and records the ends that it is notified of.
struct Sitter {
    name: &'static str,
    journal: Journal,
    /// The watched actor that it knows: `who == handle`.
    known: Option<ActorRef<Probe>>,
    kid: Option<ActorRef<Probe>>,
    /// Unwatches the known actor as soon as it is notified of an end.
    lets_go: bool,
}

impl Sitter {
    fn new(name: &'static str, journal: Journal) -> Self {
        Sitter { name, journal, known: None, kid: None, lets_go: false }
    }
}

enum SitterMsg {
    Watch(ActorRef<Probe>),
    Unwatch(ActorRef<Probe>),
    /// Cancels the watch, starts the ended actor again, and watches it again.
    WatchAnew(ActorRef<Probe>),
    DependOn(ActorRef<Probe>),
    /// Depends on the actor and watches it, until it is notified of the end.
    DependUntilTold(ActorRef<Probe>),
    /// Depends on the actor and cancels that in one handler.
    Waver(ActorRef<Probe>),
    /// Blocks the handler until the sender sends or is dropped.
    Block(tokio::sync::oneshot::Receiver<()>),
    Note(&'static str),
    Fail,
    /// Spawns a child `kid` and watches it.
    Spawn,
    DependOnKid,
    StopKid,
    Sync(Reply<()>),
}

impl Actor for Sitter {
    type Msg = SitterMsg;
    type Error = Boom;

    async fn receive(&mut self, msg: SitterMsg, cx: &mut Context<Self>) -> Result<(), Boom> {
        match msg {
            SitterMsg::Watch(other) => {
                cx.watch(&other);
                self.known = Some(other);
            }
            SitterMsg::Unwatch(other) => cx.unwatch(&other),
            SitterMsg::WatchAnew(other) => {
                cx.unwatch(&other);
                other.start_again().map_err(|_| Boom::Fatal)?;
                cx.watch(&other);
            }
            SitterMsg::DependOn(other) => cx.depend_on(&other),
            SitterMsg::DependUntilTold(other) => {
                cx.watch(&other);
                cx.depend_on(&other);
                (self.known, self.lets_go) = (Some(other), true);
            }
            SitterMsg::Waver(other) => {
                cx.depend_on(&other);
                cx.unwatch(&other);
            }
            SitterMsg::DependOnKid => self.kid.iter().for_each(|kid| cx.depend_on(kid)),
            SitterMsg::Block(until) => drop(until.await),
            SitterMsg::Note(line) => self.journal.write(line),
            SitterMsg::Fail => return Err(Boom::Told),
            SitterMsg::Spawn => {
                let journal = self.journal.clone();
                let kid = cx.spawn(child! { "kid": Probe = Probe::start("kid", journal).await? });
                let kid = kid.await.map_err(|_| Boom::Fatal)?;
                cx.watch(&kid);
                self.kid = Some(kid);
            }
            SitterMsg::StopKid => self.kid.take().into_iter().for_each(|kid| kid.stop()),
            SitterMsg::Sync(reply) => reply.send(()),
        }
        Ok(())
    }
}

impl Watcher for Sitter {
    async fn terminated(&mut self, who: &Watched, ended: &Ended, cx: &mut Context<Self>) -> Result<(), Boom> {
        if self.lets_go
            && let Some(known) = &self.known
        {
            cx.unwatch(known);
        }
        let known = if self.known.as_ref().is_some_and(|known| *who == *known) { "known" } else { "unknown" };
        self.journal.write(format!("{} hears {} {known}: {ended}", self.name, who.path()));
        self.journal.reach(format!("{} terminated", self.name)).await
    }
}

supervisor! {
    struct House(journal: Journal) {
        #![decider(Boom::Fatal => Stop, Cause::Killed => Stop, _ => Restart)]
        #[limit(max_restarts = 3, within = 1min)]
        db: Probe = Probe::start("db", journal).await?,
        #[mailbox(Bounded(1))]
        sitter: Sitter = Sitter::new("sitter", journal),
        second: Sitter = Sitter::new("second", journal),
        #[limit(on_limit = Stop, max_restarts = 0)]
        frail: Probe = Probe::start("frail", journal).await?,
        #[lifecycle(Temporary, shutdown = 1s)]
        slow: Probe = Probe::start("slow", journal).await?,
        task: Other = Other,
    }
}

/// Watches no actor: it has no `terminated`, and needs none.
struct Other;

#[actor]
impl Other {
    fn handle(&mut self, _: Infallible) {}
}

async fn sync(sitter: &ActorRef<Sitter>) {
    sitter.ask(SitterMsg::Sync).forever().await.unwrap();
}

async fn watch(sitter: &ActorRef<Sitter>, other: &ActorRef<Probe>) {
    sitter.tell(SitterMsg::Watch(other.clone())).await.unwrap();
    sync(sitter).await;
}

/// The lines of the journal about notices.
fn heard(journal: &Journal) -> Vec<String> {
    journal.take().into_iter().filter(|line| line.contains(" hears ")).collect()
}

/// S37: each watcher gets exactly one notice, even if it watches twice.
#[tokio::test(start_paused = true)]
async fn each_watcher_hears_once() {
    let journal = Journal::default();
    let tree = House::start(journal.clone()).await.unwrap();
    watch(&tree.sitter, &tree.db).await;
    watch(&tree.sitter, &tree.db).await;
    watch(&tree.second, &tree.db).await;
    tree.db.stop();
    pass(secs(1)).await;
    let mut heard = heard(&journal);
    heard.sort();
    assert_eq!(heard, ["second hears db known: stopped", "sitter hears db known: stopped"]);
}

/// S37: restarts are invisible, and the end is not: it is `RestartLimit`, with the failure inside.
#[tokio::test(start_paused = true)]
async fn restarts_are_invisible() {
    let journal = Journal::default();
    let tree = House::start(journal.clone()).await.unwrap();
    watch(&tree.sitter, &tree.db).await;
    for _ in 0..3 {
        tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    }
    assert_eq!(tree.db.ask(Do::Incarnation).await.unwrap(), 4);
    sync(&tree.sitter).await;
    assert_eq!(heard(&journal), [""; 0]);
    tree.db.tell(Do::Fail(Boom::Fatal)).await.unwrap();
    settle().await;
    assert_eq!(heard(&journal), ["sitter hears db known: db failed while running: Fatal"]);
}

/// S37: a watch of an actor that has already ended is answered too.
#[tokio::test(start_paused = true)]
async fn a_watch_on_one_that_has_ended_is_answered() {
    let journal = Journal::default();
    let tree = House::start(journal.clone()).await.unwrap();
    tree.db.kill();
    tree.db.terminated().await.unwrap();
    watch(&tree.sitter, &tree.db).await;
    settle().await;
    assert_eq!(heard(&journal), ["sitter hears db known: killed"]);
}

/// S37: the notice queues after the earlier messages, even in a mailbox that is full.
#[tokio::test(start_paused = true)]
async fn the_notice_queues_after_what_came_before_past_the_bound() {
    let journal = Journal::default();
    let tree = House::start(journal.clone()).await.unwrap();
    watch(&tree.sitter, &tree.db).await;
    let (go, gate) = tokio::sync::oneshot::channel();
    tree.sitter.tell(SitterMsg::Block(gate)).await.unwrap();
    settle().await;
    tree.sitter.try_tell(SitterMsg::Note("before")).unwrap();
    assert!(tree.sitter.try_tell(SitterMsg::Note("no room")).is_err(), "full");
    tree.db.stop();
    tree.db.terminated().await.unwrap();
    go.send(()).unwrap();
    tree.sitter.tell(SitterMsg::Note("after")).await.unwrap();
    settle().await;
    let lines: Vec<_> = journal.take().into_iter().filter(|line| !line.starts_with("db")).collect();
    let tail = &lines[lines.len() - 4..];
    assert_eq!(tail, ["before", "sitter hears db known: stopped", "sitter terminated", "after"]);
}

/// S37, S26: an actor that drains gets no more notices: the end of another one is no message that it has accepted.
#[tokio::test(start_paused = true)]
async fn one_that_drains_hears_of_no_end() {
    let journal = Journal::default();
    let tree = House::start(journal.clone()).await.unwrap();
    watch(&tree.second, &tree.db).await;
    let (go, gate) = tokio::sync::oneshot::channel();
    tree.second.tell(SitterMsg::Block(gate)).await.unwrap();
    tree.second.tell(SitterMsg::Note("queued")).await.unwrap();
    settle().await;
    tree.second.drain();
    settle().await;
    tree.db.stop();
    tree.db.terminated().await.unwrap();
    journal.take();
    go.send(()).unwrap();
    assert!(matches!(soon(tree.second.terminated()).await, Ok(Ended::Stopped)));
    assert_eq!(journal.take(), ["queued"]);
}

/// S37: `unwatch` removes a notice that is queued already; a later watch is a new one.
#[tokio::test(start_paused = true)]
async fn unwatch_removes_a_queued_notice() {
    let journal = Journal::default();
    let tree = House::start(journal.clone()).await.unwrap();
    for sitter in [&tree.second, &tree.sitter] {
        watch(sitter, &tree.db).await;
    }
    let (go, gate) = tokio::sync::oneshot::channel();
    tree.second.tell(SitterMsg::Block(gate)).await.unwrap();
    tree.second.tell(SitterMsg::Unwatch(tree.db.clone())).await.unwrap();
    tree.db.stop();
    tree.db.terminated().await.unwrap();
    go.send(()).unwrap();
    sync(&tree.second).await;
    settle().await;
    assert_eq!(heard(&journal), ["sitter hears db known: stopped"]);
    watch(&tree.second, &tree.db).await;
    settle().await;
    assert_eq!(heard(&journal), ["second hears db known: stopped"]);
}

/// S37: a notice belongs to one watch: a queued notice of an earlier watch is not taken for one of the new watch.
#[tokio::test(start_paused = true)]
async fn a_notice_of_an_earlier_watch_is_not_handled() {
    let journal = Journal::default();
    let tree = House::start(journal.clone()).await.unwrap();
    watch(&tree.second, &tree.db).await;
    let (go, gate) = tokio::sync::oneshot::channel();
    tree.second.tell(SitterMsg::Block(gate)).await.unwrap();
    tree.second.tell(SitterMsg::WatchAnew(tree.db.clone())).await.unwrap();
    tree.db.stop();
    soon(tree.db.terminated()).await.unwrap();
    go.send(()).unwrap();
    sync(&tree.second).await;
    settle().await;
    assert_eq!((tree.db.incarnation(), tree.db.ended().is_none()), (2, true));
    assert_eq!(heard(&journal), [""; 0], "the child is up");
    tree.db.kill();
    settle().await;
    assert_eq!(heard(&journal), ["second hears db known: killed"]);
}

/// S37: watches survive the restart of the watcher, and so does a notice in its mailbox.
#[tokio::test(start_paused = true)]
async fn watches_outlive_the_watchers_restart() {
    let journal = Journal::default();
    let tree = House::start(journal.clone()).await.unwrap();
    watch(&tree.second, &tree.db).await;
    watch(&tree.second, &tree.frail).await;
    let (go, gate) = tokio::sync::oneshot::channel();
    tree.second.tell(SitterMsg::Block(gate)).await.unwrap();
    tree.second.tell(SitterMsg::Fail).await.unwrap();
    settle().await;
    tree.frail.stop();
    tree.frail.terminated().await.unwrap();
    go.send(()).unwrap();
    sync(&tree.second).await;
    assert_eq!(tree.second.incarnation(), 2);
    assert_eq!(heard(&journal), ["second hears frail unknown: stopped"], "the new instance knows no watched actor");
    tree.db.stop();
    settle().await;
    assert_eq!(heard(&journal), ["second hears db unknown: stopped"]);
}

/// S37: a child of its own that had ended before the failure of the watcher is not stopped by the restart: its notice,
/// which is in the mailbox, is handled by the next instance, once.
#[tokio::test(start_paused = true)]
async fn the_notice_of_a_child_that_had_ended_before_outlives_the_restart() {
    let journal = Journal::default();
    let tree = House::start(journal.clone()).await.unwrap();
    tree.second.tell(SitterMsg::Spawn).await.unwrap();
    sync(&tree.second).await;
    let (go, gate) = tokio::sync::oneshot::channel();
    tree.second.tell(SitterMsg::Block(gate)).await.unwrap();
    tree.second.tell(SitterMsg::Fail).await.unwrap();
    settle().await;
    tree.operate("second/kid", supervise::event::Operation::Stop, "alice").unwrap();
    settle().await;
    go.send(()).unwrap();
    sync(&tree.second).await;
    settle().await;
    assert_eq!(tree.second.incarnation(), 2);
    assert_eq!(heard(&journal), ["second hears second/kid unknown: stopped"]);
}

/// S37: `unwatch` cancels a death pact that is due, as long as it has not taken effect, even after the notice of the
/// same end.
#[tokio::test(start_paused = true)]
async fn unwatch_after_the_notice_takes_back_a_pact_that_is_due() {
    let journal = Journal::default();
    let house = House::start(journal.clone()).await.unwrap();
    house.db.stop();
    soon(house.db.terminated()).await.unwrap();
    journal.take();
    house.second.tell(SitterMsg::DependUntilTold(house.db.clone())).await.unwrap();
    soon(house.second.ask(SitterMsg::Sync)).await.unwrap();
    settle().await;
    assert_eq!(journal.take(), ["second hears db known: stopped", "second terminated"]);
    assert_eq!((house.second.incarnation(), house.second.ended().is_none()), (1, true));
}

/// S37: the children that this restart stops are unwatched first: the watcher gets no notice of ends that it caused
/// itself.
#[tokio::test(start_paused = true)]
async fn children_that_the_restart_stops_are_unwatched_first() {
    let journal = Journal::default();
    let tree = House::start(journal.clone()).await.unwrap();
    tree.second.tell(SitterMsg::Spawn).await.unwrap();
    tree.second.tell(SitterMsg::Fail).await.unwrap();
    sync(&tree.second).await;
    settle().await;
    let lines = journal.take();
    assert!(lines.contains(&"kid post_stop".into()), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains(" hears ")), "{lines:?}");
    // An end with another reason leads to a notice.
    tree.second.tell(SitterMsg::Spawn).await.unwrap();
    sync(&tree.second).await;
    tree.second.tell(SitterMsg::StopKid).await.unwrap();
    settle().await;
    assert_eq!(heard(&journal), ["second hears second/kid unknown: stopped"]);
}

/// Spawns and watches a child, and keeps it if `keeps` is set.
struct Keeper {
    journal: Journal,
    keeps: bool,
}

enum KeeperMsg {
    Spawn,
    Fail,
    Stop,
    StopKid,
}

#[actor]
impl Keeper {
    async fn handle(&mut self, msg: KeeperMsg, cx: &mut Context<Self>) -> Result<(), Boom> {
        match msg {
            KeeperMsg::Spawn => {
                let journal = self.journal.clone();
                let kid = cx
                    .spawn(child! { "kid": Probe = Probe::start("kid", journal).await? })
                    .await
                    .map_err(|_| Boom::Fatal)?;
                cx.watch(&kid);
            }
            KeeperMsg::Fail => return Err(Boom::Told),
            KeeperMsg::Stop => cx.stop(),
            KeeperMsg::StopKid => cx.child::<Probe>("kid").into_iter().for_each(|kid| kid.stop()),
        }
        Ok(())
    }

    #[pre_restart]
    fn keep(&mut self, _: &Failure, cx: &mut Context<Self>) {
        if let Some(kid) = cx.child::<Probe>("kid").filter(|_| self.keeps) {
            cx.keep(&kid);
        }
    }

    #[terminated]
    fn lost(&mut self, who: &Watched, ended: &Ended) {
        self.journal.write(format!("keeper hears {}: {ended}", who.path()));
    }
}

supervisor! {
    struct Home(journal: Journal, keeps: bool) {
        keeper: Keeper = Keeper { journal, keeps },
    }
}

/// S37, S11: the watch of a child that is kept over a restart continues.
#[tokio::test(start_paused = true)]
async fn the_watch_of_a_kept_child_stays() {
    let journal = Journal::default();
    let home = Home::start(journal.clone(), true).await.unwrap();
    for msg in [KeeperMsg::Spawn, KeeperMsg::Fail] {
        home.keeper.tell(msg).await.unwrap();
        pass(secs(1)).await;
    }
    assert_eq!(home.keeper.incarnation(), 2);
    assert_eq!(heard(&journal), [""; 0]);
    home.keeper.tell(KeeperMsg::StopKid).await.unwrap();
    settle().await;
    assert_eq!(heard(&journal), ["keeper hears keeper/kid: stopped"]);
}

/// S37, S23: when a restart follows an end, the children that it stops are unwatched too, although there is no
/// `pre_restart`.
#[tokio::test(start_paused = true)]
async fn children_of_a_restarted_end_are_unwatched_first() {
    let journal = Journal::default();
    let home = Home::start(journal.clone(), false).await.unwrap();
    for msg in [KeeperMsg::Spawn, KeeperMsg::Stop] {
        home.keeper.tell(msg).await.unwrap();
        pass(secs(1)).await;
    }
    assert_eq!(home.keeper.incarnation(), 2);
    let lines = journal.take();
    assert!(lines.contains(&"kid post_stop".into()), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains(" hears ")), "{lines:?}");
}

/// S37, S6: a `terminated` that fails is a failure of the watcher; the notice is not delivered again.
#[tokio::test(start_paused = true)]
async fn a_failing_terminated_fails_the_watcher() {
    quiet_panics();
    for fault in [Fault::Error, Fault::Panic] {
        let journal = Journal::default();
        let tree = House::start(journal.clone()).await.unwrap();
        watch(&tree.second, &tree.db).await;
        journal.plan("second terminated", 1, fault);
        tree.db.stop();
        settle().await;
        sync(&tree.second).await;
        assert_eq!(tree.second.incarnation(), 2);
        assert_eq!(heard(&journal), ["second hears db known: stopped"]);
    }
}

/// S5: the event of a failed `terminated` names no message, since none is in hand; that of a failed handler names its
/// type.
#[tokio::test(start_paused = true)]
async fn a_terminated_has_no_message_in_hand() {
    quiet_panics();
    for fault in [Fault::Error, Fault::Panic] {
        let journal = Journal::default();
        let tree = House::start(journal.clone()).await.unwrap();
        let mut events = tree.events();
        watch(&tree.second, &tree.db).await;
        journal.plan("second terminated", 1, fault);
        tree.second.tell(SitterMsg::Fail).await.unwrap();
        settle().await;
        tree.db.stop();
        settle().await;
        let mut named = Vec::new();
        while let Some(event) = events.try_next() {
            if let EventKind::Failed { message, .. } = event.kind {
                named.push(message);
            }
        }
        assert_eq!(named, [Some(std::any::type_name::<SitterMsg>()), None]);
    }
}

/// S5: after a `terminated`, also after one whose failure was resumed, the event of a failure, kill or abort names the
/// message in hand again.
#[tokio::test(start_paused = true)]
async fn after_a_terminated_the_message_in_hand_is_named_again() {
    supervisor! {
        struct Lenient(journal: Journal) {
            db: Probe = Probe::start("db", journal).await?,
            #[lifecycle(Permanent, shutdown = 1s)]
            #[decider(|failure: &Failure| match failure.cause() {
                Cause::Killed => Directive::Stop,
                _ => Directive::Resume,
            })]
            sitter: Sitter = Sitter::new("sitter", journal),
        }
    }
    quiet_panics();
    for fault in [None, Some(Fault::Error), Some(Fault::Panic)] {
        for by in ["a failure", "a kill", "an abort"] {
            let journal = Journal::default();
            let tree = Lenient::start(journal.clone()).await.unwrap();
            let mut events = tree.events();
            watch(&tree.sitter, &tree.db).await;
            if let Some(fault) = fault {
                journal.plan("sitter terminated", 1, fault);
            }
            tree.db.stop();
            settle().await;
            assert_eq!(heard(&journal), ["sitter hears db known: stopped"]);
            let (_until, until) = tokio::sync::oneshot::channel();
            let last = if by == "a failure" { SitterMsg::Fail } else { SitterMsg::Block(until) };
            tree.sitter.tell(last).await.unwrap();
            settle().await;
            match by {
                "a kill" => tree.sitter.kill(),
                "an abort" => tree.sitter.stop(),
                _ => {}
            }
            pass(secs(2)).await;
            assert_eq!(tree.sitter.incarnation(), 1);
            let mut named = Vec::new();
            while let Some(event) = events.try_next() {
                if let EventKind::Failed { message, .. } | EventKind::Aborted { message } = event.kind {
                    named.push(message);
                }
            }
            let failed = fault.map(|_| None);
            let all: Vec<_> = failed.into_iter().chain([Some(std::any::type_name::<SitterMsg>())]).collect();
            assert_eq!(named, all, "{by}, after {fault:?}");
        }
    }
}

/// S37: each kind of end has its `Ended`, from outside too.
#[tokio::test(start_paused = true)]
async fn every_way_to_end_has_its_name() {
    let journal = Journal::default();
    let tree = House::start(journal.clone()).await.unwrap();
    tree.frail.tell(Do::Fail(Boom::Told)).await.unwrap();
    let Ended::Limit(failure) = tree.frail.terminated().await.unwrap() else { panic!("not the limit") };
    assert!(matches!(failure.cause(), Cause::LimitReached));
    assert_eq!(failure.find(), Some(&Boom::Told));
    journal.plan("slow post_stop", 1, Fault::Slow(secs(60)));
    tree.slow.stop();
    assert!(matches!(tree.slow.terminated().await.unwrap(), Ended::Aborted));
    tree.db.kill();
    assert!(matches!(tree.db.terminated().await.unwrap(), Ended::Killed));
    let sitter = tree.sitter.clone();
    tree.shutdown().await;
    assert!(matches!(sitter.terminated().await.unwrap(), Ended::Stopped));
    assert!(matches!(tree_done().await, Ended::Done));
}

async fn tree_done() -> Ended {
    let tree = Single::start(Journal::default()).await.unwrap();
    let one = tree.one.clone();
    one.tell(Do::Stop).await.unwrap();
    one.terminated().await.unwrap()
}

supervisor! {
    struct Single(journal: Journal) {
        #[lifecycle(Transient)]
        one: Probe = Probe::start("one", journal).await?,
    }
}

/// S37: a death pact: when the other actor has ended, this one fails with `DeathPact` (S9: Stop), whatever it is doing.
#[tokio::test(start_paused = true)]
async fn one_that_depends_on_another_fails_with_its_end() {
    let tree = Pact::start(Journal::default()).await.unwrap();
    tree.second.tell(SitterMsg::DependOn(tree.db.clone())).await.unwrap();
    tree.db.tell(Do::Fail(Boom::Told)).await.unwrap();
    sync(&tree.second).await;
    assert_eq!(tree.second.incarnation(), 1, "a restart is not an end");
    tree.db.stop();
    let Ended::Failed(failure) = tree.second.terminated().await.unwrap() else { panic!("not failed") };
    assert!(matches!(failure.cause(), Cause::DeathPact(path) if path == "db"), "{failure}");
}

/// S37: a death pact survives the restart of the actor that made it.
#[tokio::test(start_paused = true)]
async fn a_death_pact_outlives_the_restart_of_its_actor() {
    let tree = Pact::start(Journal::default()).await.unwrap();
    tree.second.tell(SitterMsg::DependOn(tree.db.clone())).await.unwrap();
    tree.second.tell(SitterMsg::Fail).await.unwrap();
    sync(&tree.second).await;
    assert_eq!(tree.second.incarnation(), 2);
    tree.db.stop();
    let ended = soon(tree.second.terminated()).await.unwrap();
    assert!(matches!(ended.failure().map(Failure::cause), Some(Cause::DeathPact(_))), "{ended:?}");
}

/// S37, S26: a death pact ends with the life in which it was made; after `start_again()` there is none.
#[tokio::test(start_paused = true)]
async fn a_pact_of_a_former_life_is_forgotten() {
    let tree = Pact::start(Journal::default()).await.unwrap();
    tree.second.tell(SitterMsg::DependOn(tree.db.clone())).await.unwrap();
    sync(&tree.second).await;
    tree.second.stop();
    soon(tree.second.terminated()).await.unwrap();
    tree.second.start_again().unwrap();
    assert!(soon(tree.ready()).await);
    tree.db.stop();
    soon(tree.db.terminated()).await.unwrap();
    settle().await;
    assert!(tree.second.ended().is_none(), "{:?}", tree.second.ended());
    assert_eq!(tree.second.incarnation(), 2);
}

/// S37: a death pact whose failure was resumed is used up. Another one with the same ended actor is new, and due at
/// once.
#[tokio::test(start_paused = true)]
async fn a_pact_that_was_forgiven_can_be_made_again() {
    supervisor! {
        struct Lenient(journal: Journal) {
            #![decider(Cause::DeathPact(_) => Resume, _ => Restart)]
            db: Probe = Probe::start("db", journal).await?,
            second: Sitter = Sitter::new("second", journal),
        }
    }
    let tree = Lenient::start(Journal::default()).await.unwrap();
    let mut events = tree.events();
    tree.second.tell(SitterMsg::DependOn(tree.db.clone())).await.unwrap();
    sync(&tree.second).await;
    tree.db.stop();
    soon(tree.db.terminated()).await.unwrap();
    sync(&tree.second).await;
    tree.second.tell(SitterMsg::DependOn(tree.db.clone())).await.unwrap();
    sync(&tree.second).await;
    let failed = seen(&mut events).into_iter().filter(|line| line == "second failed").count();
    assert_eq!(failed, 2);
    assert_eq!(tree.second.incarnation(), 1);
}

/// S37: a death pact that is cancelled has no effect, even if the other actor has ended already.
#[tokio::test(start_paused = true)]
async fn a_pact_that_is_due_can_be_taken_back() {
    let tree = Pact::start(Journal::default()).await.unwrap();
    tree.db.stop();
    soon(tree.db.terminated()).await.unwrap();
    tree.second.tell(SitterMsg::Waver(tree.db.clone())).await.unwrap();
    sync(&tree.second).await;
    assert_eq!(tree.second.incarnation(), 1);
}

/// S37: a restart stops the children; a death pact with one of them is cancelled first, as a watch is.
#[tokio::test(start_paused = true)]
async fn a_pact_with_a_child_is_forgotten_before_the_restart() {
    let journal = Journal::default();
    let tree = House::start(journal.clone()).await.unwrap();
    let mut events = tree.events();
    tree.second.tell(SitterMsg::Spawn).await.unwrap();
    tree.second.tell(SitterMsg::DependOnKid).await.unwrap();
    tree.second.tell(SitterMsg::Fail).await.unwrap();
    sync(&tree.second).await;
    settle().await;
    let lines = seen(&mut events);
    assert!(!lines.iter().any(|line| line.contains("aborted")), "{lines:?}");
    assert_eq!(tree.second.incarnation(), 2);
}

supervisor! {
    struct Pact(journal: Journal) {
        db: Probe = Probe::start("db", journal).await?,
        second: Sitter = Sitter::new("second", journal),
    }
}

/// S37: an actor that drains or stops gets no more notices. A draining actor goes on with the messages in its
/// mailbox, and ends after them.
#[tokio::test(start_paused = true)]
async fn one_that_goes_down_hears_no_more() {
    for drains in [true, false] {
        let journal = Journal::default();
        let tree = House::start(journal.clone()).await.unwrap();
        watch(&tree.second, &tree.db).await;
        let (go, until) = tokio::sync::oneshot::channel();
        tree.second.tell(SitterMsg::Block(until)).await.unwrap();
        tree.second.tell(SitterMsg::Note("noted")).await.unwrap();
        settle().await;
        if drains {
            tree.second.drain()
        } else {
            tree.second.stop()
        }
        settle().await;
        tree.db.stop();
        soon(tree.db.terminated()).await.unwrap();
        settle().await;
        journal.take();
        go.send(()).unwrap();
        soon(tree.second.terminated()).await.unwrap();
        assert_eq!(journal.take(), if drains { vec!["noted"] } else { vec![] });
    }
}

/// S37: an end can be awaited from outside, without a runtime: the end of the runtime is an end too.
#[test]
fn an_end_can_be_waited_for_without_a_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let tree = runtime.block_on(House::start(Journal::default())).unwrap();
    let db = tree.db.clone();
    let handle = tree.detach();
    drop(runtime);
    // Polled manually, because only the waker is needed.
    let mut wait = std::pin::pin!(db.terminated());
    let polled = wait.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop()));
    assert!(matches!(polled, std::task::Poll::Ready(Ok(Ended::RuntimeGone))), "{polled:?}");
    assert!(matches!(handle.sitter.ended(), Some(Ended::RuntimeGone)));
}
