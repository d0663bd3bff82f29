//! A service that has the library under no name of its own: every macro comes through a crate that re-exports it.

mod far;

use std::time::Duration;

use kit::BellCalls as _;
use kit::inner::trees::BoxError;
use kit::prelude::*;

/// A name that the generated code must not meet.
#[allow(dead_code)]
mod supervise {}

#[derive(Debug)]
struct Offline;

impl std::fmt::Display for Offline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("offline")
    }
}

impl std::error::Error for Offline {}

struct Db {
    rows: u64,
    restarts: u32,
}

enum Query {
    Add(u64),
    Fail,
    Get(Reply<(u64, u32)>),
    Spawn(Reply<u64>),
}

#[kit::actor(crate = kit::inner::trees)]
impl Db {
    async fn handle(&mut self, query: Query, cx: &mut Context<Self>) -> Result<(), Offline> {
        match query {
            Query::Add(n) => self.rows += n,
            Query::Fail => return Err(Offline),
            Query::Get(reply) => reply.send((self.rows, self.restarts)),
            Query::Spawn(reply) => {
                let rows = self.rows;
                let child = cx.spawn(kit::child! {
                    #[lifecycle(Temporary)]
                    "helper": Db = Db { rows: rows + 1, restarts: 0 }
                });
                let child = child.await.map_err(|_| Offline)?;
                let (rows, _) = child.ask(Query::Get).await.map_err(|_| Offline)?;
                child.stop();
                reply.send(rows);
            }
        }
        Ok(())
    }

    #[post_restart]
    fn count(&mut self) {
        self.restarts += 1;
    }

    #[supervision]
    fn supervision(&self) -> SupervisorStrategy {
        kit::strategy! {
            #![strategy(AllForOne, max_restarts = 3, within = 1min)]
            #![decider(_ => Stop)]
        }
    }
}

/// A generic actor in a generic tree.
struct Echo<T>(T);

#[kit::actor(crate = kit::inner::trees, derive(Clone), msg = Call, calls = Echoing)]
impl<T: Clone + Send + Sync + 'static> Echo<T> {
    #[message]
    fn echo(&self, shout: &str) -> Result<T, Offline> {
        if shout.is_empty() { Err(Offline) } else { Ok(self.0.clone()) }
    }

    #[message]
    async fn fail_before(
        &mut self,
        incarnation: u32,
        cx: &mut Context<Self>,
    ) -> Result<u32, kit::inner::trees::Thrown> {
        if cx.incarnation() < incarnation { Err(Offline)? } else { Ok(cx.incarnation()) }
    }
}

kit::supervisor! {
    struct Echoes<T: Clone + Send + Sync + 'static>(value: T) {
        echo: Echo<T> = Echo(value),
    }
}

async fn ready(cx: TaskContext, rows: u64) -> Result<(), BoxError> {
    cx.ready();
    cx.stopped().await;
    assert_eq!(rows, 7);
    Ok(())
}

kit::supervisor! {
    /// Every shape of a child, and every kind of setting.
    struct Service(rows: u64, name: String) {
        #![strategy(RestForOne, max_restarts = 5, within = 1min)]
        #![decider(_: Offline => Restart, _ => Escalate)]
        let start = rows + 1;
        #[backoff(10ms..1s)]
        #[lifecycle(Permanent, shutdown = 2s)]
        db: Db = Db { rows: start, restarts: 0 },
        #[lifecycle(Temporary, ready)]
        watch: task = |cx| ready(cx, rows),
        extra: Option<Db> = (rows == 7).then(|| Db { rows: 1, restarts: 0 }),
        shards: [Db; 3] = |index| Db { rows: index as u64, restarts: 0 },
        workers: [Db] = |rows: u64| Db { rows, restarts: 0 },
        keyed: [String => Db] = |key: String| Db { rows: key.len() as u64, restarts: 0 },
        echoes: Echoes<String> = Echoes::tree(name),
        bell: kit::Bell = kit::Bell(1),
        below: struct Below {
            #![strategy(OneForOne, max_restarts = 1, within = 1min)]
            first: Db = Db { rows: later(second).path().len() as u64, restarts: 0 },
            second: Db = { let _ = db; Db { rows: 0, restarts: 0 } },
        },
    }
}

async fn rows(db: &ActorRef<Db>) -> (u64, u32) {
    db.ask(Query::Get).await.expect("the database answers")
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() {
    let service = Service::start(7, "seven".to_owned()).await.expect("the service starts");
    assert_eq!(rows(&service.db).await, (8, 0));
    service.db.tell(Query::Add(2)).await.expect("the database is up");
    assert_eq!(rows(&service.db).await, (10, 0));
    service.db.tell(Query::Fail).await.expect("the database is up");
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(rows(&service.db).await, (8, 1), "it was restarted, and its hook ran");
    assert_eq!(service.db.ask(Query::Spawn).await.expect("the child is spawned"), 9);

    assert!(service.extra.is_some());
    assert_eq!(rows(&service.shards[2]).await, (2, 1));
    let worker = service.workers.spawn(5).await.expect("there is room");
    assert_eq!(rows(&worker).await, (5, 0));
    let keyed = service.keyed.get_or_spawn("abc".to_owned()).await.expect("there is room");
    assert_eq!(rows(&keyed).await, (3, 0));
    let echo = &service.echoes.echo;
    assert_eq!(echo.echo("hello").await.expect("the echo is up").expect("a shout is echoed"), "seven");
    assert!(echo.echo("").await.expect("the echo is up").is_err());
    assert_eq!(service.bell.ring(2).await.expect("the bell is up"), 3);
    let next = echo.incarnation() + 1;
    assert!(echo.fail_before(next).await.is_err());
    assert_eq!(echo.fail_before(next).await.expect("the echo is up again"), next);
    echo.tell(Call::echo("nobody waits")).await.expect("the echo is up");
    assert_eq!(rows(&service.below.first).await.0, "below/second".len() as u64);

    let decider = kit::decider!(_: Offline => Resume, _ => Stop);
    let top =
        kit::inner::trees::spawn(kit::child! { "top": Db = Db { rows: 1, restarts: 0 } }).await.expect("it starts");
    assert_eq!(rows(&top).await, (1, 0));
    top.stop();
    drop(decider);

    assert!(service.shutdown().await.is_orderly());
    named::check().await;
    far::check().await;
    println!("every macro works under another name, and through another crate");
}
