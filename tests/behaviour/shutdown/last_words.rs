//! The last words of children whose supervisor has failed: S3, S7, S17, S24, S35.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::BoxError;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{pass, quiet_panics, secs, settle, soon};

/// All that was done and said.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn write(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    fn count(&self, what: &str) -> usize {
        self.lines().iter().filter(|line| line.contains(what)).count()
    }
}

pub enum Order {
    Save(&'static str, Option<Reply<()>>),
    Work(Duration),
    Fail,
    Panic,
    Ends,
}

/// Keeps what the others save at the end.
pub struct Db(Log);

#[actor]
impl Db {
    async fn handle(&mut self, order: Order, cx: &mut Context<Self>) -> Result<(), BoxError> {
        match order {
            Order::Save(what, reply) => {
                self.0.write(format!("saved {what}"));
                if let Some(reply) = reply {
                    reply.send(());
                }
            }
            Order::Work(time) => tokio::time::sleep(time).await,
            Order::Fail => return Err("told to".into()),
            Order::Panic => panic!("planned panic"),
            Order::Ends => cx.stop(),
        }
        Ok(())
    }

    #[post_stop]
    fn bye(&mut self) {
        self.0.write("db is down");
    }
}

/// Saves in each of its hooks, in each way.
pub struct User {
    db: ActorRef<Db>,
    log: Log,
}

impl User {
    async fn saves(&self, hook: &'static str) {
        let said = |form: &str, failed: Option<String>, since: Instant| {
            let took = since.elapsed();
            match failed {
                None => self.log.write(format!("{hook} {form}: ok")),
                Some(error) => self.log.write(format!("{hook} {form}: {error} after {took:?}")),
            }
        };
        let begun = Instant::now();
        said("ask", self.db.ask(|reply| Order::Save(hook, Some(reply))).await.err().map(|it| it.to_string()), begun);
        let begun = Instant::now();
        said("tell", self.db.tell(Order::Save(hook, None)).await.err().map(|it| it.to_string()), begun);
        let begun = Instant::now();
        let asked = self.db.ask(|reply| Order::Save(hook, Some(reply))).at_once().forever().await;
        said("try_ask", asked.err().map(|it| it.to_string()), begun);
        let begun = Instant::now();
        said("try_tell", self.db.try_tell(Order::Save(hook, None)).err().map(|it| it.to_string()), begun);
    }
}

#[actor]
impl User {
    fn handle(&mut self, order: Order) -> Result<(), BoxError> {
        if let Order::Fail = order { Err("told to".into()) } else { Ok(()) }
    }

    #[pre_restart]
    async fn before(&mut self) {
        self.saves("pre_restart").await;
    }

    #[post_stop]
    async fn after(&mut self) {
        self.saves("post_stop").await;
    }
}

impl Drop for User {
    fn drop(&mut self) {
        let told = self.db.try_tell(Order::Save("drop", None));
        self.log.write(format!("drop try_tell: {}", told.err().map_or("ok".to_owned(), |error| error.to_string())));
    }
}

pub struct Bad;

#[actor]
impl Bad {
    fn handle(&mut self, (): ()) -> Result<(), BoxError> {
        Err("told to".into())
    }
}

/// The ways down of `user` in the trees below.
const WAYS: [&str; 13] = [
    "the actor above fails",
    "the actor above panics",
    "the actor above ends by itself",
    "the actor above is restarted",
    "the actor above is stopped",
    "the actor above is killed",
    "the subtree escalates",
    "the subtree is at its limit",
    "the subtree is restarted",
    "the subtree is stopped",
    "a sibling fails, AllForOne",
    "the user alone is restarted",
    "the user fails, and escalates",
];

/// A tree with these settings for `db` and `user`, and what happens in it.
macro_rules! tree {
    ($name:ident, db: [$($db:tt)*], user: [$($user:tt)*], setting: [$($set:tt)*]) => {
        mod $name {
            use super::*;

            pub struct Parent(Log);

            #[actor]
            impl Parent {
                #[pre_start]
                async fn begin(&mut self, cx: &mut Context<Self>) -> Result<(), BoxError> {
                    let log = self.0.clone();
                    let db = cx.spawn(child! { $($db)* "db": Db = Db(log) }).await?;
                    let log = self.0.clone();
                    cx.spawn(child! { $($user)* "user": User = User { db, log } }).await?;
                    Ok(())
                }

                async fn handle(&mut self, order: Order, cx: &mut Context<Self>) -> Result<(), BoxError> {
                    match order {
                        Order::Fail => return Err("told to".into()),
                        Order::Panic => panic!("planned panic"),
                        Order::Ends => cx.stop(),
                        Order::Work(_) | Order::Save(..) => {}
                    }
                    Ok(())
                }
            }

            supervisor! {
                pub struct App(log: Log) {
                    #![strategy(OneForOne, max_restarts = Unlimited)]
                    $($set)*
                    parent: Parent = Parent(log),
                    escalates: struct Escalates {
                        #![decider(_ => Escalate)]
                        $($set)*
                        $($db)*
                        db: Db = Db(log),
                        $($user)*
                        user: User = User { db, log },
                        bad: Bad = Bad,
                    },
                    all: struct All {
                        #![strategy(AllForOne)]
                        $($set)*
                        $($db)*
                        db: Db = Db(log),
                        $($user)*
                        user: User = User { db, log },
                        bad: Bad = Bad,
                    },
                    limited: struct Limited {
                        #![strategy(OneForOne, max_restarts = 0)]
                        $($set)*
                        $($db)*
                        db: Db = Db(log),
                        $($user)*
                        user: User = User { db, log },
                        bad: Bad = Bad,
                    },
                }
            }

            /// Returns the log once all is over, how long that took, and the number of dead letters.
            pub async fn goes(way: &str, busy: bool) -> (Vec<String>, Duration, usize) {
                let log = Log::default();
                let mut tree = App::tree(log.clone());
                let mut events = tree.events();
                let app = tree.start().await.unwrap();
                let dbs = [&app.escalates.db, &app.all.db, &app.limited.db];
                for db in dbs.into_iter().filter(|_| busy) {
                    db.tell(Order::Work(secs(1))).await.unwrap();
                    settle().await;
                    while db.try_tell(Order::Save("what was queued", None)).is_ok() {}
                }
                settle().await;
                let begun = Instant::now();
                match way {
                    "the actor above fails" => app.parent.tell(Order::Fail).await.unwrap(),
                    "the actor above panics" => app.parent.tell(Order::Panic).await.unwrap(),
                    "the actor above ends by itself" => app.parent.tell(Order::Ends).await.unwrap(),
                    "the actor above is restarted" => drop(app.parent.restart().unwrap()),
                    "the actor above is stopped" => app.parent.stop(),
                    "the actor above is killed" => app.parent.kill(),
                    "the subtree escalates" => app.escalates.bad.tell(()).await.unwrap(),
                    "the subtree is at its limit" => app.limited.bad.tell(()).await.unwrap(),
                    "the subtree is restarted" => drop(app.escalates.restart().unwrap()),
                    "the subtree is stopped" => app.escalates.stop(),
                    "a sibling fails, AllForOne" => app.all.bad.tell(()).await.unwrap(),
                    "the user alone is restarted" => drop(app.all.user.restart().unwrap()),
                    "the user fails, and escalates" => app.escalates.user.tell(Order::Fail).await.unwrap(),
                    other => panic!("{other}"),
                }
                let mut took = Duration::ZERO;
                while took < secs(600) {
                    let before = log.lines().len();
                    pass(secs(30)).await;
                    took = begun.elapsed();
                    if log.lines().len() == before {
                        break;
                    }
                }
                let lines = log.lines();
                let seen = crate::common::seen(&mut events);
                assert!(!seen.iter().any(|line| line.contains("aborted")), "{way}: {seen:?}");
                soon(app.shutdown()).await;
                (lines, took, seen.iter().filter(|line| line.contains("dead letter")).count())
            }
        }
    };
}

tree!(holds, db: [], user: [], setting: []);
tree!(rejects, db: [#[while_down(Reject)]], user: [#[lifecycle(Permanent, shutdown = Infinity)]], setting: []);
tree!(drains, db: [#[lifecycle(Permanent, drain)]], user: [], setting: []);
tree!(full, db: [#[mailbox(Bounded(2))]], user: [#[lifecycle(Permanent, shutdown = Infinity)]], setting: []);

fn on_one_thread<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(test)
}

/// Each last word of `user` is accepted, and each request answered, whatever takes it down. A word that is queued when the
/// turn of `db` comes is a dead letter, unless `db` drains. Returns how many were.
fn each_is_heard(way: &str, (lines, took, dead): (Vec<String>, Duration, usize)) -> usize {
    assert!(took <= secs(60), "{way}: {lines:?}");
    let said: Vec<&String> = lines.iter().filter(|line| line.contains(": ")).collect();
    assert!(said.iter().any(|line| line.starts_with("post_stop ask")), "{way}: {lines:?}");
    for line in &said {
        assert!(line.ends_with(": ok"), "{way}: {line} in {lines:?}");
    }
    let heard = lines.iter().filter(|line| line.starts_with("saved ") && !line.contains("queued")).count();
    assert_eq!(heard + dead, said.len(), "{way}: {lines:?}");
    dead
}

/// S3, S7, S17, S24, S35: below a failure that is decided, each member serves until its turn to go down comes. So the last
/// words of those after it are handled, in each way down, whatever its mailbox does while it is down.
#[test]
fn below_a_failure_last_words_are_heard() {
    quiet_panics();
    for way in WAYS {
        each_is_heard(way, on_one_thread(holds::goes(way, false)));
        each_is_heard(way, on_one_thread(rejects::goes(way, false)));
        let dead = each_is_heard(way, on_one_thread(drains::goes(way, false)));
        assert_eq!(dead, 0, "{way}: `db` drains");
        each_is_heard(way, on_one_thread(full::goes(way, false)));
    }
}

/// S7, S17: they are handled although a message is in hand and all room is taken: each member that serves makes room
/// again.
#[test]
fn below_a_failure_last_words_wait_for_room() {
    quiet_panics();
    for way in WAYS.into_iter().filter(|way| !way.contains("actor")) {
        let (lines, took, dead) = on_one_thread(full::goes(way, true));
        assert!(took <= secs(60), "{way}: {lines:?}");
        for form in ["ask", "tell"] {
            assert!(lines.contains(&format!("post_stop {form}: ok")), "{way}: {lines:?}");
        }
        let lost = lines.iter().filter(|line| line.ends_with(": its mailbox is full")).count();
        let said = lines.iter().filter(|line| line.ends_with(": ok")).count();
        let heard = lines.iter().filter(|line| line.starts_with("saved ") && !line.contains("queued")).count();
        assert!(heard + dead >= said && lost == 0, "{way}, {heard} and {dead} of {said}: {lines:?}");
    }
}

/// S3, S35: an actor that goes down ends the waits of those that go down themselves: for its reply, and for room. Their
/// requests do not wait for its next incarnation, and what it accepts was accepted.
#[tokio::test(start_paused = true)]
async fn a_last_request_ends_with_its_addressee() {
    supervisor! {
        struct Two(log: Log) {
            #[mailbox(Bounded(3))]
            #[backoff(1h..1h)]
            db: Db = Db(log),
            #[lifecycle(Permanent, shutdown = Infinity)]
            user: User = User { db, log },
        }
    }
    for fault in [Order::Fail, Order::Panic] {
        quiet_panics();
        let log = Log::default();
        let two = Two::start(log.clone()).await.unwrap();
        two.db.tell(Order::Work(secs(1))).await.unwrap();
        settle().await;
        two.db.tell(fault).await.unwrap();
        two.user.stop(); // its first request waits in the mailbox
        settle().await;
        let begun = Instant::now();
        soon(two.user.terminated()).await.unwrap();
        assert_eq!(begun.elapsed(), secs(1), "not longer than `db` is up");
        let lines = log.lines();
        let of = |what: &str| lines.iter().filter(|line| line.starts_with(what)).cloned().collect::<Vec<_>>();
        assert_eq!(
            of("post_stop ask"),
            ["post_stop ask: no reply will come from db: it failed, ended, or dropped the `Reply` after 1s"]
        );
        assert_eq!(of("post_stop tell").len(), 1);
        assert!(of("post_stop tell")[0].contains("is down"), "{lines:?}");
        pass(secs(2 * 3600)).await;
        assert_eq!((two.db.incarnation(), log.count("saved")), (2, 0), "{:?}", log.lines());
        assert_eq!(two.dead_letters(), 1);
        two.db.ask(|reply| Order::Save("later", Some(reply))).await.unwrap();
    }
}

/// S3, S36: nor is such a request redelivered: its sender gets an error for the failure.
#[tokio::test(start_paused = true)]
async fn a_last_request_is_not_redelivered() {
    #[derive(Clone)]
    struct Slow(Option<Reply<()>>);
    struct Keeper(Log);
    #[actor]
    impl Keeper {
        async fn handle(&mut self, message: Slow) -> Result<(), BoxError> {
            self.0.write("asked");
            tokio::time::sleep(secs(1)).await;
            drop(message.0);
            Err("told to".into())
        }
    }
    struct Asks(ActorRef<Keeper>, Log);
    #[actor]
    impl Asks {
        fn handle(&mut self, (): ()) {}
        #[post_stop]
        async fn after(&mut self) {
            let begun = Instant::now();
            let answer = self.0.ask(|reply| Slow(Some(reply))).forever().await;
            self.1.write(format!(
                "{} after {:?}",
                if answer.is_ok() { "answered" } else { "no reply" },
                begun.elapsed()
            ));
        }
    }
    supervisor! {
        struct Two(log: Log) {
            #![strategy(OneForOne, max_restarts = Unlimited)]
            #[redeliver(attempts = 5)]
            keeper: Keeper = Keeper(log),
            #[lifecycle(Permanent, shutdown = Infinity)]
            asks: Asks = Asks(keeper, log),
        }
    }
    let log = Log::default();
    let two = Two::start(log.clone()).await.unwrap();
    two.asks.stop();
    soon(two.asks.terminated()).await.unwrap();
    pass(secs(60)).await;
    assert_eq!(log.lines(), ["asked", "no reply after 1s"]);
}

/// S7: a member that has failed waits for its turn to go down, and so does a member that fails on the way and is not decided on
/// any more. The children of both serve until then, and answer the members that go down before.
#[tokio::test(start_paused = true)]
async fn below_a_failure_on_the_way_down_last_words_are_heard() {
    quiet_panics();
    struct Mid(Log, Arc<Mutex<Option<ActorRef<Db>>>>);
    #[actor]
    impl Mid {
        #[pre_start]
        async fn begin(&mut self, cx: &mut Context<Self>) -> Result<(), BoxError> {
            let log = self.0.clone();
            *self.1.lock().unwrap() = Some(cx.spawn(child! { "leaf": Db = Db(log) }).await?);
            Ok(())
        }
        fn handle(&mut self, (): ()) -> Result<(), BoxError> {
            Err("told to".into())
        }
    }
    struct Last(Log, Arc<Mutex<Option<ActorRef<Db>>>>);
    #[actor]
    impl Last {
        fn handle(&mut self, (): ()) {}
        #[pre_restart]
        async fn before(&mut self) {
            tokio::time::sleep(secs(1)).await;
            let leaf = self.1.lock().unwrap().clone().unwrap();
            let answer = leaf.ask(|reply| Order::Save("last", Some(reply))).forever().await;
            self.0.write(if answer.is_ok() { "answered" } else { "not answered" });
        }
    }
    supervisor! {
        struct Pair(log: Log, leaf: Arc<Mutex<Option<ActorRef<Db>>>>) {
            #![strategy(AllForOne, max_restarts = Unlimited)]
            mid: Mid = Mid(log, leaf),
            #[lifecycle(Permanent, shutdown = Infinity)]
            last: Last = Last(log, leaf),
            bad: Bad = Bad,
        }
    }
    for first in ["bad", "mid"] {
        let log = Log::default();
        let pair = Pair::start(log.clone(), Arc::default()).await.unwrap();
        if first == "bad" {
            pair.bad.tell(()).await.unwrap(); // all are restarted, `last` first
            settle().await;
        }
        pair.mid.tell(()).await.unwrap();
        pass(secs(5)).await;
        assert!(log.lines().contains(&"answered".to_owned()), "{first}: {:?}", log.lines());
        assert_eq!(pair.last.incarnation(), 2);
    }
}

/// S7: a member that comes up after the decision serves, and begins nothing.
#[tokio::test(start_paused = true)]
async fn a_member_that_comes_up_below_a_decided_failure_serves_and_spawns_nothing() {
    struct Slow(Log);
    #[actor]
    impl Slow {
        #[pre_start]
        async fn begin(&mut self) {
            tokio::time::sleep(secs(1)).await;
        }
        async fn handle(&mut self, reply: Reply<bool>, cx: &mut Context<Self>) {
            let log = self.0.clone();
            let spawned = cx.spawn(child! { "child": Db = Db(log) }).await;
            self.0.write(format!("spawned: {}", spawned.is_ok()));
            reply.send(spawned.is_ok());
        }
    }
    struct Asks(Log, ActorRef<Slow>);
    #[actor]
    impl Asks {
        fn handle(&mut self, (): ()) {}
        #[pre_restart]
        async fn before(&mut self) {
            tokio::time::sleep(secs(2)).await;
            let answer = self.1.ask(|reply| reply).forever().await;
            self.0.write(format!("answered: {answer:?}"));
        }
    }
    supervisor! {
        struct Above(log: Log) {
            #![strategy(OneForOne, max_restarts = Unlimited)]
            sub: struct Sub {
                #![decider(_ => Escalate)]
                slow: Slow = Slow(log),
                #[lifecycle(Permanent, shutdown = Infinity)]
                asks: Asks = Asks(log, slow),
                bad: Bad = Bad,
            },
        }
    }
    let log = Log::default();
    let above = Above::start(log.clone()).await.unwrap();
    drop(above.sub.slow.restart().unwrap());
    settle().await;
    above.sub.bad.tell(()).await.unwrap();
    pass(secs(20)).await;
    assert_eq!(log.lines(), ["spawned: false", "answered: Ok(false)"]);
    assert_eq!(above.sub.incarnation(), 2);
}

/// S7, S27: below a failure that is decided, a spawn into a set ends at once: the set goes down after the member that waits
/// for the instance.
#[tokio::test(start_paused = true)]
async fn below_a_decided_failure_a_spawn_into_a_set_ends_at_once() {
    const SLOW: u32 = 9;
    async fn starts(key: u32, log: Log) -> Db {
        if key == SLOW {
            tokio::time::sleep(secs(100)).await;
        }
        Db(log)
    }
    struct Spawns(Log, Keyed<u32, Db, ()>);
    #[actor]
    impl Spawns {
        async fn handle(&mut self, (): ()) {
            let begun = Instant::now();
            let slow = self.1.spawn(SLOW).await.is_ok(); // the failure comes meanwhile
            let spawned = [slow, self.1.spawn(1).await.is_ok(), self.1.get_or_spawn(2).await.is_ok()];
            self.0.write(format!("spawned {spawned:?} after {:?}", begun.elapsed()));
        }
    }
    struct Last;
    #[actor]
    impl Last {
        fn handle(&mut self, (): ()) {}
        #[pre_restart]
        async fn before(&mut self) {
            tokio::time::sleep(secs(3)).await;
        }
    }
    supervisor! {
        struct Above(log: Log) {
            #![strategy(OneForOne, max_restarts = Unlimited)]
            sub: struct Sub {
                #![decider(_ => Escalate)]
                set: [u32 => Db] = |key: u32| starts(key, log).await,
                #[lifecycle(Permanent, shutdown = Infinity)]
                spawns: Spawns = Spawns(log, set),
                last: Last = Last,
                bad: Bad = Bad,
            },
        }
    }
    let log = Log::default();
    let above = Above::start(log.clone()).await.unwrap();
    above.sub.spawns.tell(()).await.unwrap();
    pass(secs(1)).await;
    above.sub.bad.tell(()).await.unwrap();
    pass(secs(20)).await;
    assert_eq!(log.lines(), ["spawned [false, false, false] after 1s"]);
    assert_eq!(above.sub.incarnation(), 2);
    assert!(above.sub.set.spawn(3).await.is_ok(), "the next incarnation of the set takes it");
}

/// S7, S11, S24: a kept child waits for the restart of its actor. If that comes to nothing, the child goes down as at any
/// end, and drains.
#[tokio::test(start_paused = true)]
async fn a_kept_child_drains_if_its_actor_does_not_come_back() {
    struct Once(Log, Option<ActorRef<Db>>);
    #[actor]
    impl Once {
        async fn handle(&mut self, reply: Option<Reply<ActorRef<Db>>>, cx: &mut Context<Self>) -> Result<(), BoxError> {
            let Some(reply) = reply else { return Err("told to".into()) };
            let log = self.0.clone();
            let child = cx.spawn(child! { #[lifecycle(Permanent, drain)] "kept": Db = Db(log) }).await?;
            self.1 = Some(child.clone());
            reply.send(child);
            Ok(())
        }
        #[pre_restart]
        async fn before(&mut self, _failure: &Failure, cx: &mut Context<Self>) {
            if let Some(kept) = &self.1 {
                cx.keep(kept);
            }
        }
    }
    fn start(log: Log, was_up: &Arc<std::sync::atomic::AtomicBool>) -> Result<Once, BoxError> {
        match was_up.swap(true, std::sync::atomic::Ordering::SeqCst) {
            true => Err("not again".into()),
            false => Ok(Once(log, None)),
        }
    }
    supervisor! {
        struct Above(log: Log, was_up: Arc<std::sync::atomic::AtomicBool>) {
            #![decider(Phase::Restart => Stop, _ => Restart)]
            #[backoff(1s..1s, random_factor = 0)]
            once: Once = start(log, &was_up)?,
            other: Bad = Bad,
        }
    }
    let log = Log::default();
    let above = Above::start(log.clone(), Arc::default()).await.unwrap();
    let kept = above.once.ask(Some).await.unwrap();
    above.once.tell(None).await.unwrap();
    pass(Duration::from_millis(500)).await; // `once` backs off
    for _ in 0..3 {
        kept.tell(Order::Save("in time", None)).await.unwrap();
    }
    settle().await;
    assert_eq!(log.count("saved"), 0, "suspended meanwhile");
    pass(secs(10)).await;
    assert!(above.once.ended().is_some_and(|ended| ended.failure().is_some()));
    assert_eq!((log.count("saved"), above.dead_letters()), (3, 0), "{:?}", log.lines());
}
