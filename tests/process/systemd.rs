//! The feature `systemd` against a socket that stands in for systemd: S52. Its address is in the environment, so each
//! scenario runs in a process of its own: this program, called again.
#![cfg(unix)]

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use supervise::prelude::*;
use tokio::runtime::{Builder, Runtime};

use listen::listen;

#[path = "../common/listen.rs"]
mod listen;

// ----- the stand-in for systemd

/// The socket, and the program that was started with its address.
struct Service {
    socket: UnixDatagram,
    path: PathBuf,
    process: Child,
    orders: Option<ChildStdin>,
    /// The output of the program, read by a thread, so that a program which hangs fails the test.
    lines: Receiver<String>,
}

/// The longest wait for something that has to come.
const LONG: Duration = Duration::from_secs(30);

fn place() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("supervise-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    std::env::temp_dir().join(name)
}

impl Service {
    fn start(scenario: &str, variables: &[(&str, &str)]) -> Service {
        let path = place();
        let socket = UnixDatagram::bind(&path).unwrap();
        let name = path.to_str().unwrap().to_owned();
        Self::start_at(socket, path, &name, scenario, variables)
    }

    fn start_at(
        socket: UnixDatagram,
        path: PathBuf,
        name: &str,
        scenario: &str,
        variables: &[(&str, &str)],
    ) -> Service {
        let mut process = call(scenario)
            .env("NOTIFY_SOCKET", name)
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (orders, output) = (process.stdin.take(), BufReader::new(process.stdout.take().unwrap()));
        let (sender, lines) = channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Service { socket, path, process, orders, lines }
    }

    /// The next message, with its lines joined by a blank.
    fn next(&self) -> String {
        self.within(LONG).expect("a message within 30 s")
    }

    fn within(&self, time: Duration) -> Option<String> {
        let mut bytes = [0; 4096];
        self.socket.set_read_timeout(Some(time)).unwrap();
        let length = self.socket.recv(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes[..length]).trim_end().replace('\n', " "))
    }

    /// Reads until this message.
    fn until(&self, wanted: &str) -> Vec<String> {
        let mut before = Vec::new();
        loop {
            let message = self.next();
            if message.starts_with(wanted) {
                return before;
            }
            before.push(message);
        }
    }

    fn order(&mut self, line: &str) {
        writeln!(self.orders.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Waits for a line that the program prints.
    fn line(&self) -> String {
        loop {
            let line = self.lines.recv_timeout(LONG).expect("a line within 30 s");
            // The test harness may have printed text at the beginning of the same line.
            if let Some((_, said)) = line.split_once("> ") {
                return said.trim_end().to_owned();
            }
        }
    }

    /// Waits for the end of the program, and returns the messages that were left.
    fn end(mut self) -> Vec<String> {
        drop(self.orders.take());
        let begun = Instant::now();
        let status: ExitStatus = loop {
            match self.process.try_wait().unwrap() {
                Some(status) => break status,
                None => std::thread::sleep(Duration::from_millis(2)),
            }
            assert!(begun.elapsed() < LONG, "the program does not end");
        };
        let rest: Vec<String> = self.lines.iter().collect();
        assert!(status.success(), "{status}: {}", rest.join("\n"));
        std::iter::from_fn(|| self.within(Duration::from_millis(1))).collect()
    }

    /// Fills the queue of the socket. Returns the number of messages in it.
    fn fill(&self) -> usize {
        let other = UnixDatagram::unbound().unwrap();
        other.set_nonblocking(true).unwrap();
        (0..).take_while(|_| other.send_to(b"FILL=1", &self.path).is_ok()).count()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_file(&self.path);
    }
}

fn call(scenario: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "the_other_process", "--nocapture"]).env("SCENARIO", scenario).env_remove("NOTIFY_SOCKET");
    command
}

// ----- the program

struct Db;

impl Db {
    async fn open() -> Result<Db, io::Error> {
        match std::env::var("BLOCKS") {
            // Each start after the first blocks its thread until the order `go`.
            Ok(_) if std::env::var("SCENARIO").is_ok() && STARTS.fetch_add(1, Ordering::Relaxed) > 0 => {
                say("blocked");
                wait_for("go");
            }
            _ => {}
        }
        Ok(Db)
    }
}

static STARTS: AtomicU32 = AtomicU32::new(0);

#[actor]
impl Db {
    fn handle(&mut self, message: &'static str) -> Result<(), String> {
        Err(format!("{message}\nREADY=1\nMAINPID=1"))
    }
}

supervisor! {
    struct Shop {
        #[backoff(2s..30s, random_factor = 0)]
        db: Db = Db::open().await?,
        below: struct Below {
            cart: Db = Db,
        },
        visits: [Db] = || Db,
    }
}

/// Starts at once, and then takes this long.
async fn slowly(millis: u64) -> Result<Db, io::Error> {
    tokio::time::sleep(Duration::from_millis(millis)).await;
    Ok(Db)
}

supervisor! {
    struct Many {
        #![backoff(1min..1h, random_factor = 0)]
        a: Db = Db,
        b: Db = slowly(2500).await?,
        c: Db = slowly(1000).await?,
        d: Db = Db,
        below: struct More {
            e: Db = Db,
        },
    }
}

supervisor! {
    struct Crowded {
        #[backoff(1min..1h, random_factor = 0)]
        #[mailbox(Bounded(1))]
        inbox: Db = Db,
        other: Db = Db,
    }
}

/// Takes the declared time, and is aborted.
async fn deaf() {
    std::future::pending().await
}

supervisor! {
    struct Slow {
        #[lifecycle(Permanent, shutdown = 18s)]
        deaf: task = |_cx| deaf(),
        #[lifecycle(Permanent, shutdown = 2s)]
        other: task = |_cx| deaf(),
    }
}

supervisor! {
    struct Endless {
        #[lifecycle(Permanent, shutdown = Infinity)]
        slow: task = |cx| async move {
            cx.stopped().await;
            tokio::time::sleep(Duration::from_secs(60)).await;
        },
    }
}

/// A value of the tree, which is dropped by the task of the root.
struct Heavy;

impl Drop for Heavy {
    fn drop(&mut self) {
        say("blocked");
        wait_for("go");
    }
}

async fn works(_heavy: std::sync::Arc<Heavy>, cx: TaskContext) {
    cx.stopped().await;
}

supervisor! {
    struct Batch {
        #[lifecycle(Transient)]
        work: task = async {},
    }
}

supervisor! {
    struct Never {
        first: Db = Db,
        never: Db = Err::<Db, io::Error>(io::ErrorKind::NotFound.into())?,
    }
}

/// Says something to the test. The harness may have written before in this line.
fn say(line: &str) {
    let mut out = io::stdout().lock();
    writeln!(out, "> {line}").unwrap();
    out.flush().unwrap();
}

fn wait_for(order: &str) {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).unwrap();
    assert!(line.trim() == order || line.is_empty(), "{line:?} instead of {order}");
}

async fn order(order: &'static str) {
    tokio::task::spawn_blocking(move || wait_for(order)).await.unwrap();
}

fn one_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn threads() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

fn paused() -> Runtime {
    Builder::new_current_thread().enable_all().start_paused(true).build().unwrap()
}

/// Not a test of its own: the program of the other tests, which say what it does.
#[test]
fn the_other_process() {
    let Ok(scenario) = std::env::var("SCENARIO") else { return };
    match scenario.as_str() {
        "a day" => one_thread().block_on(async {
            let shop = Shop::tree().systemd().start().await.unwrap();
            order("fail").await;
            shop.db.tell("a message").await.unwrap();
            order("stop").await;
            assert!(shop.shutdown().await.is_orderly());
        }),
        "countdown" => paused().block_on(async {
            let shop = Shop::tree().systemd().start().await.unwrap();
            order("begin").await; // the queue of the socket has room for what follows, and no more
            for delay in [2, 4, 8, 16] {
                shop.db.tell("a message").await.unwrap();
                tokio::time::sleep(Duration::from_secs(delay)).await;
                shop.ready().await;
            }
            shop.db.tell("a message").await.unwrap();
            tokio::time::sleep(Duration::from_secs(29)).await;
            say("over");
            order("end").await;
        }),
        "several" => paused().block_on(async {
            let many = Many::tree().systemd().start().await.unwrap();
            many.c.kill();
            for child in [&many.a, &many.b, &many.d, &many.below.e] {
                child.tell("a message").await.unwrap();
            }
            tokio::time::sleep(Duration::from_millis(1500)).await;
            many.c.terminated().await.unwrap();
        }),
        "crowded" => paused().block_on(async {
            let crowded = Crowded::tree().systemd().start().await.unwrap();
            crowded.inbox.tell("fails, and backs off").await.unwrap();
            tokio::task::yield_now().await;
            let inbox = crowded.inbox.clone();
            tokio::spawn(async move { while inbox.tell("has room, or waits for it").await.is_ok() {} });
            tokio::time::sleep(Duration::from_millis(1500)).await;
        }),
        "up at once" => {
            let subscriber = tracing_subscriber::fmt().with_writer(|| WhenUp).finish();
            let _on = listen(subscriber);
            let report = threads().block_on(Shown::tree().systemd().run(async {})).unwrap();
            assert!(report.is_orderly(), "{report}");
            assert!(SHOWN.get().is_some(), "the tree was up");
        }
        "until" => drop(threads().block_on(Shop::tree().systemd().run(order("stop"))).unwrap()),
        "handle" => threads().block_on(async {
            let shop = Shop::tree().systemd().start().await.unwrap();
            order("stop").await;
            shop.stop();
            shop.join().await;
        }),
        "guard" => threads().block_on(async {
            let shop = Shop::tree().systemd().start().await.unwrap();
            let handle = shop.handle();
            order("stop").await;
            drop(shop);
            handle.terminated().await.unwrap();
        }),
        "killed" => threads().block_on(async {
            let shop = Shop::tree().systemd().start().await.unwrap();
            order("stop").await;
            shop.kill();
            shop.join().await;
        }),
        "own end" => drop(threads().block_on(Batch::tree().systemd().run(std::future::pending::<()>())).unwrap()),
        "never up" => {
            threads().block_on(Never::tree().systemd().start()).unwrap_err();
        }
        "dropped" => {
            let runtime = threads();
            let shop = runtime.block_on(Shop::tree().systemd().start()).unwrap();
            wait_for("stop");
            drop(runtime);
            drop(shop);
        }
        "slow" => paused().block_on(async {
            let slow = Slow::tree().systemd().start().await.unwrap();
            let report = slow.shutdown().await;
            assert!(report.children.iter().all(|child| child.aborted));
        }),
        "endless" => paused().block_on(async {
            assert!(Endless::tree().systemd().start().await.unwrap().shutdown().await.is_orderly());
        }),
        "full" => one_thread().block_on(async {
            let shop = Shop::tree().systemd().start().await.unwrap();
            // Let the notifier of this runtime run.
            tokio::time::sleep(Duration::from_millis(120)).await;
            say("up");
            order("stop").await;
            shop.stop();
            shop.terminated().await.unwrap();
            tokio::time::sleep(Duration::from_millis(120)).await;
            say("down");
            order("end").await;
            // Time to send what is left.
            tokio::time::sleep(Duration::from_secs(5)).await;
        }),
        "watchdog" => one_thread().block_on(async {
            let shop = Shop::tree().systemd().start().await.unwrap();
            order("block").await;
            shop.db.restart().unwrap().await.unwrap();
            order("stop").await;
            shop.shutdown().await;
        }),
        "blocked root" => threads().block_on(async {
            let heavy = std::sync::Arc::new(Heavy);
            let tree = Held::tree(heavy).systemd().start().await.unwrap();
            order("stop").await;
            tree.shutdown().await;
        }),
        "100,000" => one_thread().block_on(async {
            let shop = Shop::tree().systemd().start().await.unwrap();
            for _ in 0..100_000 {
                shop.visits.spawn().await.unwrap();
            }
            let before = cpu();
            tokio::time::sleep(Duration::from_secs(4)).await;
            say(&format!("{}", (cpu() - before).as_micros()));
            order("end").await;
            std::process::exit(0);
        }),
        "none" => one_thread().block_on(async {
            let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
            let plain = Shop::tree().start().await.unwrap();
            let one = tasks();
            let told = Shop::tree().systemd().start().await.unwrap();
            assert_eq!(tasks(), 2 * one, "the tree has no task more");
            assert!(plain.shutdown().await.is_orderly() && told.shutdown().await.is_orderly());
        }),
        "unread" => {
            let paused = Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
            paused.block_on(async {
                let told = Shop::tree().systemd().start().await.unwrap();
                assert!(told.shutdown().await.is_orderly());
                tokio::time::sleep(Duration::from_secs(20)).await;
                assert_eq!(tokio::runtime::Handle::current().metrics().num_alive_tasks(), 0);
            });
        }
        "warning" => {
            let subscriber =
                tracing_subscriber::fmt().with_writer(|| Prefixed).without_time().with_ansi(false).finish();
            let _on = listen(subscriber);
            one_thread().block_on(async {
                Shop::tree().systemd().start().await.unwrap().shutdown().await;
            });
            say("end");
        }
        other => panic!("no scenario {other}"),
    }
}

/// Writes the lines of the log as [`say`] does.
struct Prefixed;

impl Write for Prefixed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        say(String::from_utf8_lossy(bytes).trim_end());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

static SHOWN: OnceLock<TreeRef> = OnceLock::new();

/// Takes the first line of the log once the tree is up.
struct WhenUp;

impl Write for WhenUp {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        static BEFORE: AtomicBool = AtomicBool::new(true);
        let (begun, is_up) = (Instant::now(), || SHOWN.get().is_some_and(|tree| tree.snapshot().root.is_up()));
        while BEFORE.load(Ordering::Relaxed) && begun.elapsed() < LONG && !is_up() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if BEFORE.swap(false, Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(20)); // its root has noted that by then
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

supervisor! {
    struct Shown {
        let _shown = SHOWN.set(tree).is_ok();
        db: Db = Db,
    }
}

supervisor! {
    struct Held(heavy: std::sync::Arc<Heavy>) {
        let kept = heavy;
        work: task = |cx| works(kept, cx),
    }
}

/// The time that this process has had of a processor.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}

// ----- the tests

/// S52: READY once the tree is up, its state in words when it changes, STOPPING, and time for the stop. The text of an
/// error cannot forge a line.
#[test]
fn systemd_hears_of_the_start_of_a_failure_and_of_the_stop() {
    let mut service = Service::start("a day", &[]);
    let before = service.until("READY=1 STATUS=4 children running");
    assert!(before.iter().all(|message| message.starts_with("STATUS=starting")), "{before:?}");
    service.order("fail");
    let message = service.next();
    let left = message.strip_prefix("STATUS=1 of 4 backing off: db, ").and_then(|rest| rest.strip_suffix(" s"));
    let left: f64 = left.unwrap_or_else(|| panic!("{message}")).parse().unwrap();
    assert!((0.0..=2.0).contains(&left), "{message}");
    assert_eq!(service.next(), "STATUS=1 of 4 restarted: db");
    service.order("stop");
    assert_eq!(service.next(), "STOPPING=1 STATUS=stopping: 4 of 4 children left");
    assert_eq!(service.next(), "EXTEND_TIMEOUT_USEC=15000000"); // 15 s are declared
    assert_eq!(service.end(), [] as [&str; 0]);
}

/// S52: the time that is left is sent with a new state, and every 10 s, not each second.
#[test]
fn a_countdown_is_sent_every_ten_seconds() {
    let mut service = Service::start("countdown", &[]);
    service.until("READY=1");
    service.order("begin");
    assert_eq!(service.line(), "over");
    let messages = service.end();
    let backs_off = |left: &str| format!("STATUS=1 of 4 backing off: db, {left} s");
    let restarted = || "STATUS=1 of 4 restarted: db".to_owned();
    assert_eq!(
        messages,
        [
            backs_off("1.0"), // the first look after the failure
            restarted(),
            backs_off("3.0"),
            restarted(),
            backs_off("7.0"),
            restarted(),
            backs_off("15.0"),
            backs_off("5.0"),
            restarted(),
            backs_off("29.0"),
            backs_off("19.0"),
        ]
    );
}

/// S52: a start says how far it is; of several symptoms three are named.
#[test]
fn a_start_and_several_symptoms_are_told_in_short() {
    let service = Service::start("several", &[]);
    let before = service.until("READY=1 STATUS=6 children running");
    let starting = ["0 children up, a starts", "1 child up, b starts", "2 children up, c starts"];
    assert_eq!(before, starting.map(|text| format!("STATUS=starting: {text}")));
    let degraded = "5 of 6 degraded: a backing off, 59.0 s; b backing off, 59.0 s; c ended, killed; 2 more";
    assert_eq!(service.end(), [format!("STATUS={degraded}"), "STOPPING=1".to_owned()]);
}

/// S52: the number is that of the children, also if one has two symptoms.
#[test]
fn a_child_with_two_symptoms_is_one() {
    let service = Service::start("crowded", &[]);
    service.until("READY=1 STATUS=2 children running");
    let degraded = "1 of 2 degraded: inbox backing off, 59.0 s; inbox with a full mailbox, 1 sender";
    assert_eq!(service.end(), [format!("STATUS={degraded}"), "STOPPING=1".to_owned()]);
}

/// S52: whoever begins the stop, systemd is notified of it once, after READY.
#[test]
fn every_stop_is_told() {
    for scenario in ["until", "handle", "guard", "killed", "own end"] {
        let mut service = Service::start(scenario, &[]);
        service.until("READY=1");
        if scenario != "own end" {
            service.order("stop"); // an order to a program that has ended is an error
        }
        service.until("STOPPING=1");
        let rest = service.end();
        let again = rest.iter().any(|message| message.contains("STOPPING=1") || message.contains("READY=1"));
        assert!(!again, "{scenario}: {rest:?}");
    }
}

/// S52: a tree that does not come up is never ready.
#[test]
fn a_tree_that_does_not_come_up_is_not_ready() {
    let service = Service::start("never up", &[]);
    let before = service.until("STOPPING=1");
    assert!(!before.iter().any(|message| message.contains("READY=1")), "{before:?}");
    service.end();
}

/// S52, S25: the runtime is dropped while the tree runs: the last word is sent in the drop.
#[test]
fn a_runtime_that_is_dropped_says_so() {
    let mut service = Service::start("dropped", &[]);
    service.until("READY=1");
    service.order("stop");
    service.until("STOPPING=1");
    assert_eq!(service.end(), [] as [&str; 0]);
}

/// S52: a stop is extended while it is within the time that is declared, and no longer.
#[test]
fn a_stop_is_extended_within_its_declared_time() {
    let service = Service::start("slow", &[]);
    service.until("STOPPING=1");
    let extensions: Vec<_> = service.end().into_iter().filter(|message| !message.starts_with("STATUS=")).collect();
    // At 0, 5, 10 and 15 s of 20: each gives 15 s, or what is left and a second for the exit.
    assert_eq!(extensions, [15, 15, 11, 6].map(|left| format!("EXTEND_TIMEOUT_USEC={left}000000")));
}

/// S52: a stop without a declared time is not extended.
#[test]
fn a_stop_without_a_declared_time_is_not_extended() {
    let service = Service::start("endless", &[]);
    service.until("STOPPING=1");
    let rest = service.end();
    assert!(!rest.iter().any(|message| message.contains("EXTEND")), "{rest:?}");
}

/// S52: while systemd does not read, the program goes on, and READY and STOPPING are sent later.
#[test]
fn a_full_socket_loses_neither_ready_nor_stopping() {
    let path = place();
    let socket = UnixDatagram::bind(&path).unwrap();
    let other = UnixDatagram::unbound().unwrap();
    other.set_nonblocking(true).unwrap();
    while other.send_to(b"FILL=1", &path).is_ok() {}
    let name = path.to_str().unwrap().to_owned();
    let mut service = Service::start_at(socket, path, &name, "full", &[]);
    assert_eq!(service.line(), "up", "the runtime is not blocked");
    let first = service.until("READY=1");
    assert!(first.iter().all(|message| message == "FILL=1" || message.starts_with("STATUS=")), "{first:?}");
    service.fill();
    service.order("stop");
    assert_eq!(service.line(), "down", "the stop does not wait for systemd");
    service.until("STOPPING=1");
    service.order("end");
    service.end();
}

/// S52: an abstract address, as some containers have it.
#[cfg(target_os = "linux")]
#[test]
fn an_abstract_address_is_understood() {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::SocketAddr;
    let path = place();
    let name = path.to_str().unwrap().trim_start_matches('/').to_owned();
    let socket = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let mut service = Service::start_at(socket, path, &format!("@{name}"), "until", &[]);
    service.until("READY=1");
    service.order("stop");
    service.until("STOPPING=1");
    service.end();
}

/// S52: twice in the time of the watchdog, and not while a start blocks the thread of the runtime.
#[test]
fn the_watchdog_hears_nothing_while_the_root_is_blocked() {
    let mut service = Service::start("watchdog", &[("WATCHDOG_USEC", "200000"), ("BLOCKS", "1")]);
    service.until("READY=1");
    let begun = Instant::now();
    for _ in 0..5 {
        service.until("WATCHDOG=1");
    }
    let took = begun.elapsed();
    assert!(took >= Duration::from_millis(390), "five in {took:?}");
    service.order("block");
    assert_eq!(service.line(), "blocked");
    // Earlier messages, then nothing for longer than the watchdog waits.
    while service.within(Duration::from_millis(1)).is_some() {}
    assert_eq!(service.within(Duration::from_millis(600)), None);
    service.order("go");
    service.until("WATCHDOG=1");
    service.order("stop");
    service.until("STOPPING=1");
    service.end();
}

/// S52: only the task of the root is blocked, and another thread could still talk to systemd.
#[test]
fn a_blocked_root_alone_silences_the_watchdog() {
    let mut service = Service::start("blocked root", &[("WATCHDOG_USEC", "100000")]);
    service.until("READY=1");
    service.until("WATCHDOG=1");
    service.order("stop");
    assert_eq!(service.line(), "blocked");
    while service.within(Duration::from_millis(1)).is_some() {}
    let silence = service.within(Duration::from_millis(400)).filter(|message| message == "WATCHDOG=1");
    assert_eq!(silence, None);
    service.order("go");
    service.end();
}

/// S52: the watchdog of another process is not ours.
#[test]
fn the_watchdog_of_another_process_is_not_served() {
    let mut service = Service::start("until", &[("WATCHDOG_USEC", "20000"), ("WATCHDOG_PID", "1")]);
    service.until("READY=1");
    assert_eq!(service.within(Duration::from_millis(200)), None);
    service.order("stop");
    assert!(!service.until("STOPPING=1").contains(&"WATCHDOG=1".to_owned()));
    service.end();
}

/// S52: a status costs nothing for the instances of a set.
#[test]
fn a_hundred_thousand_instances_cost_nothing() {
    let service = Service::start("100,000", &[]);
    service.until("READY=1 STATUS=4 children running");
    let micros: u64 = service.line().parse().unwrap();
    // Of 4 s; the clock counts in 10 ms.
    assert!(micros <= 80_000, "{micros} µs in 4 s");
    service.end();
}

/// S52: without systemd there is nothing.
#[test]
fn outside_of_systemd_there_is_no_task() {
    let output = call("none").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// S52: where nobody reads, the last messages are given up, and nothing is left behind.
#[test]
fn a_socket_that_has_gone_keeps_no_task() {
    let output = call("unread").env("NOTIFY_SOCKET", "/nonexistent/notify").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// S52: a start under a `TimeoutStopSec` that is too short warns; the unit says what it is.
#[test]
fn a_start_under_a_short_timeout_warns() {
    for (given, warning) in [
        ("14", Some("TimeoutStopSec is shorter than an orderly stop may take")),
        ("14s", Some("TimeoutStopSec is shorter than an orderly stop may take")),
        ("15", None),
        ("infinity", None),
        ("soon", Some("SUPERVISE_TIMEOUT_STOP_SEC is not a number of seconds")),
    ] {
        let service = Service::start("warning", &[("SUPERVISE_TIMEOUT_STOP_SEC", given)]);
        let lines: Vec<_> = std::iter::repeat_with(|| service.line()).take_while(|line| line != "end").collect();
        let warnings: Vec<_> = lines.iter().filter(|line| line.contains("WARN")).collect();
        match warning {
            Some(text) => assert!(warnings.len() == 1 && warnings[0].contains(text), "{given}: {lines:?}"),
            None => assert!(warnings.is_empty(), "{given}: {warnings:?}"),
        }
        service.end();
    }
}

/// S43: an `until` that was over at once is not polled again, also if the tree is up before `run` first looks at it. Here
/// the warning about the timeout holds `run` up until then.
#[test]
fn an_until_that_is_over_at_once_is_not_polled_again() {
    let service = Service::start("up at once", &[("SUPERVISE_TIMEOUT_STOP_SEC", "1")]);
    service.until("STOPPING=1");
    service.end();
}
