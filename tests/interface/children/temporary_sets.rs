//! `lifecycle(Temporary)` above a set: each instance is started once, and its arguments are moved into that start
//! (S27).

use std::convert::Infallible;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Weak, mpsc};
use std::thread;
use std::time::Duration;

use supervise::error::{CommandError, KeyedError, SpawnError};
use supervise::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use crate::common::settle;

/// A value that exists only once.
#[derive(Debug)]
struct Socket(#[expect(dead_code, reason = "counted from outside")] Arc<()>);

impl Socket {
    fn new() -> (Socket, Weak<()>) {
        let counted = Arc::new(());
        let weak = Arc::downgrade(&counted);
        (Socket(counted), weak)
    }
}

struct Conn(#[expect(dead_code, reason = "held as long as it lives")] Socket);

#[actor]
impl Conn {
    fn handle(&mut self, fail: bool) -> Result<(), fmt::Error> {
        if fail { Err(fmt::Error) } else { Ok(()) }
    }
}

supervisor! {
    struct Server(gate: Arc<Notify>) {
        #[lifecycle(Temporary)]
        conns: [Conn] = |socket: Socket| Conn(socket),
        #[lifecycle(Temporary)]
        #[max_children(1)]
        tasks: [task] = |socket: Socket| async move {
            let _socket = socket;
            std::future::pending::<()>().await;
        },
        #[lifecycle(Temporary)]
        rooms: [u32 => Conn] = |_number: u32, socket: Socket| Conn(socket),
        #[lifecycle(Temporary)]
        slow: [u32 => Conn] = |_number: u32, socket: Socket| {
            gate.notified().await;
            Conn(socket)
        },
    }
}

/// S27: while an instance runs, it owns the only copy of its arguments, whatever the shape of its set.
#[tokio::test(start_paused = true)]
async fn arguments_are_moved_and_nothing_of_them_is_kept() {
    let tree = Server::start(Arc::default()).await.unwrap();
    let ((a, of_a), (b, of_b), (c, of_c), (d, of_d)) = (Socket::new(), Socket::new(), Socket::new(), Socket::new());
    let conn = tree.conns.spawn(a).await.unwrap();
    let task = tree.tasks.spawn(b).await.unwrap();
    let room = tree.rooms.spawn(1, c).await.unwrap();
    let other = tree.rooms.get_or_spawn(2, d).await.unwrap();
    assert_eq!([&of_a, &of_b, &of_c, &of_d].map(Weak::strong_count), [1, 1, 1, 1]);

    conn.tell(true).await.unwrap(); // the connection fails and ends, and its socket is closed
    assert!(conn.terminated().await.unwrap().failure().is_some());
    task.stop();
    room.stop();
    other.kill();
    settle().await;
    // The arguments are dropped although the handles still exist.
    assert_eq!([&of_a, &of_b, &of_c, &of_d].map(Weak::strong_count), [0, 0, 0, 0]);
    assert!(tree.conns.is_empty() && tree.tasks.is_empty() && tree.rooms.is_empty());
    assert!(tree.ended().is_none());
}

/// S27: accepted connections are handed to instances.
#[tokio::test]
async fn a_connection_is_handed_to_its_instance() {
    supervisor! {
        struct Echo {
            #[lifecycle(Temporary)]
            conns: [task] = |stream: TcpStream| echo(stream),
            #[lifecycle(Temporary)]
            named: [String => task] = |_name: String, stream: TcpStream| echo(stream),
        }
    }

    async fn echo(mut stream: TcpStream) -> std::io::Result<()> {
        let mut byte = [0];
        while stream.read(&mut byte).await? == 1 {
            stream.write_all(&byte).await?;
        }
        Ok(())
    }

    let tree = Echo::start().await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut ends = Vec::new();
    for named in [false, true] {
        let mut client = TcpStream::connect(address).await.unwrap();
        let (stream, from) = listener.accept().await.unwrap();
        let conn = match named {
            false => tree.conns.spawn(stream).await.unwrap(),
            true => tree.named.spawn(from.to_string(), stream).await.unwrap(),
        };
        client.write_all(b"x").await.unwrap();
        let mut byte = [0];
        client.read_exact(&mut byte).await.unwrap();
        assert_eq!(&byte, b"x");
        if named {
            assert!(tree.named.stop(&from.to_string()));
            // The socket is dropped with the instance, so the client sees the end of the stream.
            assert_eq!(client.read(&mut byte).await.unwrap(), 0);
        }
        drop(client);
        ends.push(conn.terminated().await.unwrap());
    }
    assert!(matches!(ends[..], [Ended::Done, Ended::Stopped]), "{ends:?}");
}

/// S26, S27: the arguments for another start are gone, so a requested `restart()` is refused and has no effect.
#[tokio::test(start_paused = true)]
async fn a_requested_restart_is_refused() {
    let gate = Arc::new(Notify::new());
    let tree = Server::start(gate.clone()).await.unwrap();
    let conn = tree.conns.spawn(Socket::new().0).await.unwrap();
    let task = tree.tasks.spawn(Socket::new().0).await.unwrap();
    let refused = conn.restart().unwrap_err();
    assert_eq!(refused, CommandError::StartedOnce { path: "conns/#1".to_owned() });
    assert_eq!(
        refused.to_string(),
        "conns/#1 is `Temporary` and was spawned, so it cannot be restarted; spawn another one"
    );
    assert_eq!(task.restart(), Err(CommandError::StartedOnce { path: "tasks/#1".to_owned() }));
    settle().await;
    conn.tell(false).await.unwrap();
    assert!(conn.ended().is_none() && task.ended().is_none());

    // A restart is refused during the start too, which then completes.
    let spawn = tokio::spawn(tree.slow.spawn(5, Socket::new().0));
    settle().await;
    let starting = tree.snapshot();
    assert_eq!(starting.find("slow/5").unwrap().incarnation, 1);
    let Err(KeyedError::Exists { handle: None, .. }) = tree.slow.spawn(5, Socket::new().0).await else {
        panic!("the instance is starting");
    };
    gate.notify_one();
    let slow = spawn.await.unwrap().unwrap();
    assert!(matches!(slow.restart(), Err(CommandError::StartedOnce { .. })));

    conn.stop();
    conn.terminated().await.unwrap();
    assert!(matches!(conn.restart(), Err(CommandError::Ended { .. })));
    assert!(matches!(conn.start_again(), Err(CommandError::NotDeclared { .. })));
}

/// A value whose `Drop` asks the set for its keys. If the set held a lock while dropping it, this would deadlock.
struct Nosy(Rooms, mpsc::Sender<bool>);

type Rooms = Keyed<u32, supervise::Task, (Holder,)>;

/// A wrapper type that can be named before the tree whose argument it is.
struct Holder(#[expect(dead_code, reason = "dropped with it")] Option<Box<dyn Send>>);

impl Drop for Nosy {
    fn drop(&mut self) {
        let (rooms, (done, answer)) = (self.0.clone(), mpsc::channel());
        thread::spawn(move || done.send(rooms.keys().len()));
        let _ = self.1.send(answer.recv_timeout(Duration::from_secs(10)).is_ok());
    }
}

/// S27: a refused spawn drops its arguments, and holds no lock while it does.
#[tokio::test(start_paused = true)]
async fn a_refused_spawn_drops_its_arguments() {
    supervisor! {
        struct House {
            #[lifecycle(Temporary)]
            #[max_children(1)]
            rooms: [u32 => task] = |_number: u32, holder: Holder| async move {
                let _holder = holder;
                std::future::pending::<()>().await;
            },
        }
    }

    let tree = House::start().await.unwrap();
    let (sender, dropped) = mpsc::channel();
    let nosy = || Holder(Some(Box::new(Nosy(tree.rooms.clone(), sender.clone()))));
    tree.rooms.spawn(1, Holder(None)).await.unwrap();
    assert!(matches!(tree.rooms.spawn(1, nosy()).await, Err(KeyedError::Exists { .. })));
    assert!(matches!(tree.rooms.spawn(2, nosy()).await, Err(KeyedError::Spawn(SpawnError::MaxChildren { .. }))));
    assert!(matches!(tree.rooms.get_or_spawn(2, nosy()).await, Err(SpawnError::MaxChildren { .. })));
    tree.rooms.tree().stop();
    tree.rooms.tree().join().await.unwrap();
    assert!(matches!(tree.rooms.spawn(3, nosy()).await, Err(KeyedError::Spawn(SpawnError::Stopped { .. }))));
    assert!(matches!(tree.rooms.get_or_spawn(3, nosy()).await, Err(SpawnError::Stopped { .. })));
    assert_eq!(dropped.try_iter().collect::<Vec<_>>(), [true; 5]);
}

/// S27: an instance that is stopped before it was up drops its arguments, because there is no other start.
#[tokio::test(start_paused = true)]
async fn an_instance_that_is_stopped_while_it_starts_takes_its_arguments_along() {
    let gate = Arc::new(Notify::new());
    let tree = Server::start(gate.clone()).await.unwrap();
    let (socket, of_it) = Socket::new();
    let spawn = tokio::spawn(tree.slow.get_or_spawn(1, socket));
    settle().await;
    assert!(tree.slow.stop(&1));
    assert!(matches!(spawn.await.unwrap(), Err(SpawnError::Stopping { .. })));
    assert_eq!(of_it.strong_count(), 0);

    // The key is free, and can be spawned again.
    let spawn = tokio::spawn(tree.slow.get_or_spawn(1, Socket::new().0));
    settle().await;
    gate.notify_one();
    assert_eq!(spawn.await.unwrap().unwrap().path(), "slow/1");
}

/// Counts its clones.
#[derive(Debug)]
struct Counted(Arc<AtomicUsize>);

impl Clone for Counted {
    fn clone(&self) -> Self {
        self.0.fetch_add(1, SeqCst);
        Counted(self.0.clone())
    }
}

/// S27: an instance that may be restarted needs one clone for each start; all others need none.
#[tokio::test(start_paused = true)]
async fn arguments_are_cloned_for_restarts_only() {
    supervisor! {
        struct Clones {
            again: [u32 => task] = |_number: u32, counted: Counted| hold(counted),
            #[lifecycle(Temporary)]
            once: [u32 => task] = |_number: u32, counted: Counted| hold(counted),
            #[lifecycle(Temporary)]
            #[initial([(1, Counted(Arc::default()))])]
            first: [u32 => task] = |_number: u32, counted: Counted| hold(counted),
        }
    }

    async fn hold(counted: Counted) -> Result<(), Infallible> {
        let _counted = counted;
        std::future::pending().await
    }

    let tree = Clones::start().await.unwrap();
    let (counted, clones) = {
        let clones = Arc::new(AtomicUsize::new(0));
        let counted = {
            let clones = clones.clone();
            move || Counted(clones.clone())
        };
        (counted, move || clones.swap(0, SeqCst))
    };
    let one = tree.again.get_or_spawn(1, counted()).await.unwrap();
    assert_eq!(clones(), 1, "one clone for the start, and one for the next start");
    tree.again.get_or_spawn(1, counted()).await.unwrap();
    assert_eq!(clones(), 0, "the instance exists");
    one.restart().unwrap();
    settle().await;
    assert_eq!(clones(), 1);
    tree.again.spawn(2, counted()).await.unwrap();
    assert_eq!(clones(), 1);
    tree.once.spawn(1, counted()).await.unwrap();
    tree.once.get_or_spawn(2, counted()).await.unwrap();
    tree.first.spawn(2, counted()).await.unwrap();
    assert_eq!(clones(), 0);
}

/// S27: `initial` instances are started again with their set, each for one more start.
#[tokio::test(start_paused = true)]
async fn initial_instances_start_again_with_their_set() {
    supervisor! {
        struct Workers(started: Arc<AtomicUsize>) {
            #[lifecycle(Temporary)]
            #[initial(1..=3)]
            workers: [task] = |number: usize| {
                started.fetch_add(number, SeqCst);
                std::future::pending::<()>()
            },
            #[lifecycle(Temporary)]
            #[initial([(10, 100)])]
            named: [u32 => task] = |_name: u32, number: usize| {
                started.fetch_add(number, SeqCst);
                std::future::pending::<()>()
            },
        }
    }

    let started = Arc::new(AtomicUsize::new(0));
    let tree = Workers::start(started.clone()).await.unwrap();
    assert_eq!((started.swap(0, SeqCst), tree.workers.len(), tree.named.len()), (106, 3, 1));
    tree.workers.tree().restart().unwrap();
    tree.named.tree().restart().unwrap();
    settle().await;
    assert_eq!((started.swap(0, SeqCst), tree.workers.len(), tree.named.len()), (106, 3, 1));
    let named = tree.named.get(&10).unwrap();
    assert!(matches!(named.restart(), Err(CommandError::StartedOnce { .. })));
}
