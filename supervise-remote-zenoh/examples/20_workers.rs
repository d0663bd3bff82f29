//! An owner and two workers in processes of their own. One worker is killed and one is frozen, while the owner sends
//! without an end. Each instance writes what it handles into a file, with its token: the sums balance, and the child
//! that must not run twice never does. Exits with 1 otherwise.
//!
//! `cargo run --example 20_workers`, in this folder.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use supervise::FenceToken;
use supervise::event::{DeadLetterReason, EventKind};
use supervise::prelude::*;
use supervise_remote::{Net, RemoteRef};
use supervise_remote_zenoh::{Settings, Zenoh};

/// Handles numbered messages, and writes each one down with its token.
struct Counter {
    path: PathBuf,
    file: Option<(File, FenceToken)>,
}

#[derive(Serialize, Deserialize)]
enum CounterMsg {
    Add(u64),
    Hello(Reply<FenceToken>),
}

#[actor]
impl Counter {
    fn new(dir: &str, name: &str) -> Counter {
        Counter { path: Path::new(dir).join(name), file: None }
    }

    #[pre_start]
    fn pre_start(&mut self, cx: &mut Context<Self>) -> std::io::Result<()> {
        let file = OpenOptions::new().create(true).append(true).open(&self.path)?;
        self.file = Some((file, cx.fence().expect("it runs on a worker")));
        Ok(())
    }

    fn handle(&mut self, msg: CounterMsg) -> std::io::Result<()> {
        let (file, token) = self.file.as_mut().expect("opened in pre_start");
        match msg {
            CounterMsg::Add(number) => file.write_all(format!("{} {number}\n", token.placement).as_bytes())?,
            CounterMsg::Hello(reply) => reply.send(*token),
        }
        Ok(())
    }
}

supervisor! {
    struct Shop(dir: String) {
        #![on("worker", lease = 1s)]
        /// May run twice for a moment: the replacement of a lost one starts at once.
        #[on(overlap = Allowed)]
        #[lifecycle(Permanent, shutdown = 500ms)]
        prices: remote Counter = Counter::new(&dir, "prices"),
        /// Never runs twice: the replacement waits until the lease of the lost one is over, and its time to go down.
        #[lifecycle(Permanent, shutdown = 500ms)]
        orders: remote Counter = Counter::new(&dir, "orders"),
    }
}

/// A worker in a process of its own.
struct Worker(Child);

impl Worker {
    fn start(name: &str, address: &str) -> std::io::Result<Worker> {
        let program = std::env::current_exe()?;
        // Its input ends when it is to leave, or the owner has died.
        Ok(Worker(Command::new(program).args([name, address]).stdin(Stdio::piped()).spawn()?))
    }

    fn signal(&self, signal: &str) -> std::io::Result<()> {
        Command::new("kill").args([signal, &self.0.id().to_string()]).status().map(drop)
    }

    /// Lets it leave in order. Returns whether its exit says so.
    fn leaves(mut self) -> std::io::Result<bool> {
        drop(self.0.stdin.take());
        Ok(self.0.wait()?.success())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn serve(name: &str, address: &str) -> Result<(), supervise::BoxError> {
    let wire = Zenoh::open(Settings::new(name).connect([address]).lease(Duration::from_secs(2))).await?;
    let input_ends = tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
    Shop::node("worker").serve(Net::open(wire), input_ends).await?;
    Ok(())
}

/// Waits until the child answers again, and says where it runs.
async fn answers(child: &RemoteRef<Counter>) -> (String, FenceToken) {
    loop {
        // Messages on their way to a lost worker have no answer.
        if let Ok(token) = child.ask(CounterMsg::Hello).within(Duration::from_secs(20)).await {
            return (on(child).unwrap_or_default(), token);
        }
    }
}

/// The name of the worker on which it runs.
fn on(child: &RemoteRef<Counter>) -> Option<String> {
    child.node().map(|node| node.split('#').next().unwrap_or_default().to_owned())
}

/// The numbers in the file of a child; or why it is wrong.
fn handled(dir: &Path, child: &str, alone: bool) -> Result<usize, String> {
    let text = std::fs::read_to_string(dir.join(child)).map_err(|error| error.to_string())?;
    let (mut numbers, mut newest, mut late) = (HashSet::new(), 0_u64, 0);
    for line in text.lines() {
        let (token, number) = line.split_once(' ').ok_or("a line without a number")?;
        let token = token.parse().map_err(|_| "a token that is none")?;
        late += usize::from(token < newest);
        newest = newest.max(token);
        if !numbers.insert(number) {
            return Err(format!("{child} has handled {number} twice"));
        }
    }
    // One process was frozen, perhaps in the middle of a write.
    if alone && late > 1 {
        return Err(format!("{child} has acted {late} times after its replacement"));
    }
    Ok(numbers.len())
}

async fn own() -> Result<(), supervise::BoxError> {
    let begun = Instant::now();
    let say = |what: &str| println!("{:5.2} s  {what}", begun.elapsed().as_secs_f64());
    let address = format!("127.0.0.1:{}", 20_000 + std::process::id() % 10_000);
    let dir = std::env::temp_dir().join(format!("20_workers-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;

    let wire = Zenoh::open(Settings::new("owner").listen([&*address]).lease(Duration::from_secs(2))).await?;
    let net = Net::open(wire).fresh();
    let mut workers = [("one", Worker::start("one", &address)?), ("two", Worker::start("two", &address)?)];
    let shop = Shop::tree(dir.display().to_string()).on(net.clone()).start().await?;
    let dead: Arc<Mutex<Vec<DeadLetterReason>>> = Arc::default();
    let (mut events, letters) = (shop.events(), dead.clone());
    let reading = tokio::spawn(async move {
        while let Some(event) = events.next().await {
            match event.kind {
                EventKind::DeadLetter { message, reason } if message.contains("CounterMsg") => {
                    letters.lock().expect("nothing panics under it").push(reason);
                }
                EventKind::NodeLost { node, .. } => {
                    let name = node.split('#').next().unwrap_or_default();
                    println!("         {} has lost its worker {name}", event.path);
                }
                _ => {}
            }
        }
    });

    // Sends numbers to both children, one each in half a millisecond.
    let (accepted, numbers) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let children = [shop.prices.clone(), shop.orders.clone()];
    let (sent, next) = (accepted.clone(), numbers.clone());
    let sending = tokio::spawn(async move {
        let mut tick = tokio::time::interval(Duration::from_micros(500));
        loop {
            tick.tick().await;
            for child in &children {
                if child.try_tell(CounterMsg::Add(next.fetch_add(1, Ordering::Relaxed))).is_ok() {
                    sent.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    });
    for child in [&shop.prices, &shop.orders] {
        let (worker, _) = answers(child).await;
        say(&format!("{} runs on the worker {worker}", child.path()));
    }
    tokio::time::sleep(Duration::from_millis(500)).await;

    let victim = on(&shop.prices).ok_or("prices is on a worker")?;
    for (what, signal, child) in [("killed", "-KILL", &shop.prices), ("frozen", "-STOP", &shop.orders)] {
        let name = if what == "killed" { victim.clone() } else { on(child).ok_or("orders is on a worker")? };
        let (_, before) = answers(child).await;
        let worker = workers.iter_mut().find(|(of, _)| *of == name).ok_or("a worker of this program")?;
        say(&format!("the worker of {} is {what}", child.path()));
        let at = Instant::now();
        worker.1.signal(signal)?;
        if what == "killed" {
            let (_, token) = answers(child).await;
            say(&format!("{} answers again after {:.1?}, with a higher token", child.path(), at.elapsed()));
            assert!(token > before);
            worker.1 = Worker::start(worker.0, &address)?;
            answers(&shop.orders).await;
            say("a new worker of this name is there");
            tokio::time::sleep(Duration::from_millis(500)).await;
        } else {
            let (elsewhere, token) = answers(child).await;
            say(&format!("{} answers again after {:.1?}, on the other worker", child.path(), at.elapsed()));
            assert!(token > before && elsewhere != name);
            worker.1.signal("-CONT")?;
            say("the frozen worker goes on: its instances are over, and it joins anew");
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    sending.abort();
    let _ = sending.await;
    for child in [&shop.prices, &shop.orders] {
        answers(child).await; // behind all that was sent
    }
    let report = shop.shutdown().await;
    net.close().await;
    reading.await?;
    say(&format!("the tree is down: {}", report.ended));
    for (name, worker) in workers {
        if !worker.leaves()? {
            return Err(format!("the worker {name} did not leave in order").into());
        }
    }
    say("both workers have left");

    let accepted = accepted.load(Ordering::Relaxed) as usize;
    let handled = handled(&dir, "prices", false)? + handled(&dir, "orders", true)?;
    let dead = dead.lock().expect("nothing panics under it");
    let unknown = dead.iter().filter(|reason| **reason == DeadLetterReason::Unknown).count();
    println!(
        "accepted: {accepted}; handled: {handled}; dead letters: {}, {unknown} of them perhaps handled",
        dead.len()
    );
    std::fs::remove_dir_all(&dir)?;
    // Each message is handled or a dead letter; what was on its way to a lost worker may be both. The worker that was
    // killed may have begun one message of each child that it did not write down. Asks are in neither sum, but one that
    // was lost is a dead letter.
    let balances = handled + dead.len() - unknown <= accepted && accepted <= handled + dead.len() + 2;
    match balances && report.is_orderly() {
        true => println!("the sums balance"),
        false => return Err("the sums do not balance".into()),
    }
    Ok(())
}

#[tokio::main]
async fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match &words[..] {
        [name, address] => serve(name, address).await,
        _ => own().await,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
