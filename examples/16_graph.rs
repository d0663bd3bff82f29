//! A graph of tasks that a configuration describes, changed while it runs.
//!
//! ```text
//! cargo run --example 16_graph
//! ```
//!
//! The nodes of the graph are children of one keyed set: sources, filters and sinks, connected by channels. A new
//! configuration starts what is new or different beside what runs, connects it, and lets go of the rest:
//!
//! * A node that has no more inputs handles what it has received, and ends by itself.
//! * If one of the new nodes does not start, those that have started are stopped, and the graph stays as it was.
//! * A sink that fails is started again with its queue, and with the line that it had in hand.
//!
//! Look at the last line: every line has reached the store exactly once, through two versions of the sink, a
//! configuration that was rolled back, an outage, and the shutdown.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::error::KeyedError;
use supervise::event::{EventKind, Events};
use supervise::prelude::*;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, Interval, interval, sleep};

/// A node, as the configuration describes it. Its inputs are the names of other nodes.
#[derive(Debug, Clone, PartialEq)]
enum Node {
    Source {
        every: Duration,
    },
    /// Passes on the lines whose number is a multiple of this one.
    Filter {
        inputs: Vec<&'static str>,
        multiple_of: u64,
    },
    Sink {
        inputs: Vec<&'static str>,
        address: &'static str,
    },
}

impl Node {
    fn inputs(&self) -> &[&'static str] {
        match self {
            Node::Source { .. } => &[],
            Node::Filter { inputs, .. } | Node::Sink { inputs, .. } => inputs,
        }
    }
}

type Config = BTreeMap<&'static str, Node>;

supervisor! {
    struct Graph(net: Net, config: Config) {
        #![decider(_ => Escalate)]

        // A sink whose first connection is refused is not tried again: that configuration is wrong.
        #[backoff(1s..30s, random_factor = 0)]
        #[decider(Phase::Start => Stop, _ => Restart)]
        #[lifecycle(Transient, ready, shutdown = 20s)]
        nodes: [Key => task] = |_key: Key, node: Node, wires: Wires| |cx| run(cx, net, node, wires),

        // Declared last, stopped first: with it goes the last input of each node.
        controller: Controller = Controller::new(nodes, config),
    }
}

/// The name of a node and its version, so that a changed node can start beside the one that it replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key(&'static str, u32);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// The input and the outputs of a node, which survive its restarts.
#[derive(Clone)]
struct Wires {
    input: Arc<tokio::sync::Mutex<Input>>,
    /// `None` until the node is connected.
    outputs: watch::Receiver<Option<Vec<mpsc::Sender<u64>>>>,
}

struct Input {
    lines: mpsc::Receiver<u64>,
    in_hand: Option<u64>,
}

async fn run(cx: TaskContext, net: Net, node: Node, mut wires: Wires) -> Result<(), Refused> {
    net.connect(&node)?;
    cx.ready();
    if let Node::Source { every } = node {
        let mut clock = interval(every);
        loop {
            tokio::select! {
                biased;
                _ = cx.stopped() => return Ok(()),
                () = wires.next_tick(&mut clock) => wires.send(net.next()).await,
            }
        }
    }
    // The stop signal is ignored here: the node ends when it has no more inputs, and has handled all that came.
    let input = wires.input.clone();
    let mut input = input.lock().await;
    loop {
        if input.in_hand.is_none() {
            input.in_hand = input.lines.recv().await;
        }
        let Some(line) = input.in_hand else { return Ok(()) };
        match &node {
            Node::Filter { multiple_of, .. } if line % multiple_of != 0 => {}
            Node::Sink { address, .. } => net.deliver(address, line).await?,
            _ => wires.send(line).await,
        }
        input.in_hand = None;
    }
}

impl Wires {
    /// Waits until the node is connected, and for the clock.
    async fn next_tick(&mut self, clock: &mut Interval) {
        let _ = self.outputs.wait_for(Option::is_some).await;
        clock.tick().await;
    }

    async fn send(&self, line: u64) {
        let outputs = self.outputs.borrow().clone().unwrap_or_default();
        for output in outputs {
            let _ = output.send(line).await;
        }
    }
}

/// Knows the graph as it runs, and changes it.
struct Controller {
    nodes: Keyed<Key, supervise::Task, (Node, Wires)>,
    first: Config,
    graph: BTreeMap<&'static str, Wired>,
    versions: BTreeMap<&'static str, u32>,
}

/// A node that runs. It loses its input when this value and those of the nodes before it are gone.
struct Wired {
    key: Key,
    node: Node,
    input: mpsc::Sender<u64>,
    outputs: watch::Sender<Option<Vec<mpsc::Sender<u64>>>>,
}

/// The difference that a new configuration has made.
struct Changes {
    started: Vec<Key>,
    left: Vec<Key>,
}

#[derive(Debug, thiserror::Error)]
enum ReloadError {
    #[error("`{node}` has the input `{input}`, which is not a source or a filter")]
    NoSuchInput { node: &'static str, input: &'static str },
    #[error("{0} does not start: {1}")]
    DoesNotStart(Key, KeyedError<TaskRef>),
}

#[actor]
impl Controller {
    fn new(nodes: Keyed<Key, supervise::Task, (Node, Wires)>, first: Config) -> Controller {
        Controller { nodes, first, graph: BTreeMap::new(), versions: BTreeMap::new() }
    }

    #[pre_start]
    async fn begin(&mut self) -> Result<(), ReloadError> {
        let first = std::mem::take(&mut self.first);
        self.reload(first).await.map(drop)
    }

    #[message]
    async fn reload(&mut self, config: Config) -> Result<Changes, ReloadError> {
        check(&config)?;
        let mut started = Vec::new();
        for (name, node) in &config {
            if self.graph.get(name).is_some_and(|running| running.node == *node) {
                continue;
            }
            match self.start(name, node).await {
                Ok(wired) => started.push((*name, wired)),
                Err(error) => {
                    for (_, wired) in started {
                        self.nodes.stop(&wired.key); // none of them has handled a line yet
                    }
                    return Err(error);
                }
            }
        }
        // From here on nothing can fail.
        let changes = self.replace(&config, started);
        self.connect();
        Ok(changes)
    }

    async fn start(&mut self, name: &'static str, node: &Node) -> Result<Wired, ReloadError> {
        let version = self.versions.entry(name).or_default();
        *version += 1;
        let key = Key(name, *version);
        let (input, lines) = mpsc::channel(100);
        let (outputs, connected) = watch::channel(None);
        let input_of = Arc::new(tokio::sync::Mutex::new(Input { lines, in_hand: None }));
        let wires = Wires { input: input_of, outputs: connected };
        match self.nodes.spawn(key, node.clone(), wires).await {
            Ok(_) => Ok(Wired { key, node: node.clone(), input, outputs }),
            Err(error) => Err(ReloadError::DoesNotStart(key, error)),
        }
    }

    /// Puts the new nodes into the graph, and takes those out that are not in it any more.
    fn replace(&mut self, config: &Config, started: Vec<(&'static str, Wired)>) -> Changes {
        let mut left = Vec::new();
        self.graph.retain(|name, running| {
            let stays = config.get(name) == Some(&running.node);
            if !stays {
                left.push(running.key);
                if let Node::Source { .. } = running.node {
                    self.nodes.stop(&running.key); // the others end with their inputs
                }
            }
            stays
        });
        let changes = Changes { started: started.iter().map(|(_, wired)| wired.key).collect(), left };
        self.graph.extend(started);
        changes
    }

    fn connect(&self) {
        for (name, running) in &self.graph {
            let after = self.graph.values().filter(|other| other.node.inputs().contains(name));
            running.outputs.send_replace(Some(after.map(|other| other.input.clone()).collect()));
        }
    }
}

fn check(config: &Config) -> Result<(), ReloadError> {
    for (node, described) in config {
        for input in described.inputs() {
            if !matches!(config.get(input), Some(Node::Source { .. } | Node::Filter { .. })) {
                return Err(ReloadError::NoSuchInput { node, input });
            }
        }
    }
    Ok(())
}

/// The world outside: what it has sent, what it has received, and the addresses that nobody can reach.
#[derive(Clone, Default)]
struct Net {
    sent: Arc<Mutex<u64>>,
    received: Arc<Mutex<BTreeMap<&'static str, Vec<u64>>>>,
    unreachable: Arc<Mutex<BTreeSet<&'static str>>>,
}

#[derive(Debug, thiserror::Error)]
#[error("{0} refuses the connection")]
struct Refused(&'static str);

impl Net {
    /// Opens the connection of a sink.
    fn connect(&self, node: &Node) -> Result<(), Refused> {
        match node {
            Node::Sink { address, .. } => self.reach(address),
            _ => Ok(()),
        }
    }

    fn reach(&self, address: &'static str) -> Result<(), Refused> {
        let refuses = self.unreachable.lock().unwrap().contains(address);
        if refuses { Err(Refused(address)) } else { Ok(()) }
    }

    fn next(&self) -> u64 {
        let mut sent = self.sent.lock().unwrap();
        *sent += 1;
        *sent
    }

    async fn deliver(&self, address: &'static str, line: u64) -> Result<(), Refused> {
        sleep(Duration::from_millis(10)).await;
        self.reach(address)?;
        self.received.lock().unwrap().entry(address).or_default().push(line);
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread", start_paused = true)]
async fn main() -> ExitCode {
    match day().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("16_graph: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn day() -> Result<(), Box<dyn Error>> {
    let (net, begun) = (Net::default(), Instant::now());
    net.unreachable.lock().unwrap().insert("tape");
    let say = |text: &str| println!("{:>3} s  {text}", begun.elapsed().as_secs());

    let mut config = Config::from([
        ("web", Node::Source { every: Duration::from_millis(50) }),
        ("even", Node::Filter { inputs: vec!["web"], multiple_of: 2 }),
        ("store", Node::Sink { inputs: vec!["even"], address: "disk-1" }),
    ]);
    let graph = Graph::start(net.clone(), config.clone()).await?;
    let mut events = graph.events();
    say("web, even and store run");
    sleep(Duration::from_secs(5)).await;
    show(&mut events);

    say("reload: store moves to disk-2, and there is a second source");
    config.insert("api", Node::Source { every: Duration::from_millis(70) });
    config.insert("even", Node::Filter { inputs: vec!["api", "web"], multiple_of: 2 });
    config.insert("store", Node::Sink { inputs: vec!["even"], address: "disk-2" });
    reload(&graph, &config).await?;
    sleep(Duration::from_secs(5)).await;
    show(&mut events);

    say("reload: a tape, which refuses the connection");
    let mut wrong = config.clone();
    wrong.insert("all", Node::Filter { inputs: vec!["api", "web"], multiple_of: 1 });
    wrong.insert("tape", Node::Sink { inputs: vec!["all"], address: "tape" });
    reload(&graph, &wrong).await?;
    sleep(Duration::from_secs(5)).await;
    show(&mut events);

    say("disk-2 is away for two seconds");
    net.unreachable.lock().unwrap().insert("disk-2");
    sleep(Duration::from_secs(2)).await;
    net.unreachable.lock().unwrap().remove("disk-2");
    sleep(Duration::from_secs(5)).await;
    show(&mut events);

    say("reload: web goes");
    config.remove("web");
    config.insert("even", Node::Filter { inputs: vec!["api"], multiple_of: 2 });
    reload(&graph, &config).await?;
    sleep(Duration::from_secs(5)).await;
    show(&mut events);

    say("shutdown, in which every node handles what it has received");
    let report = graph.shutdown().await;
    show(&mut events);

    let sent = *net.sent.lock().unwrap();
    let received = net.received.lock().unwrap();
    let mut stored: Vec<u64> = ["disk-1", "disk-2"].iter().flat_map(|disk| received[disk].clone()).collect();
    stored.sort_unstable();
    let expected: Vec<u64> = (1..=sent).filter(|line| line % 2 == 0).collect();
    println!("\n{sent} lines sent, {} of them even; {} stored", expected.len(), stored.len());
    if stored == expected && report.is_orderly() { Ok(()) } else { Err("lines were lost, or stored twice".into()) }
}

async fn reload(graph: &Graph, config: &Config) -> Result<(), Box<dyn Error>> {
    match graph.controller.reload(config.clone()).await? {
        Ok(Changes { started, left }) => println!("       started {}; left {}", list(&started), list(&left)),
        Err(error) => println!("       rolled back: {error}"),
    }
    Ok(())
}

fn list(keys: &[Key]) -> String {
    keys.iter().map(Key::to_string).collect::<Vec<_>>().join(", ")
}

/// Prints what has happened to the nodes since the last call.
fn show(events: &mut Events) {
    while let Some(event) = events.try_next() {
        if let EventKind::Failed { .. } | EventKind::Restarted | EventKind::Ended { .. } = event.kind
            && event.path.starts_with("nodes/")
        {
            println!("         {event}");
        }
    }
}
