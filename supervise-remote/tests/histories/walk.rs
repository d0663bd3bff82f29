//! One history: random steps, then no more faults, and what has to be true at the end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use supervise::event::EventKind;
use supervise::inspect::Inspect as _;
use supervise::{Failure, Running, Tree};
use supervise_remote::testing::{Cluster, placements};
use supervise_remote::wire::{Link, LinkEvent, Side, Wire};
use supervise_remote::{Net, Node, RemoteRef};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::world::*;

const NODES: [&str; 3] = ["one", "two", "three"];
/// A node of another build: it has all children but two.
const ODD: &str = "odd";

/// The faults that a history has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Only children fail, and nodes leave in order: nothing is uncertain.
    Gentle,
    /// Nodes are lost, too.
    Nodes,
    /// And there are new owners.
    Owners,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NodeIs {
    Up,
    Frozen,
    Dead,
    Left,
}

struct Run {
    number: u32,
    owner: String,
    net: Net,
    starting: Option<JoinHandle<Result<Running<Zoo>, Failure>>>,
    zoo: Option<Running<Zoo>>,
    events: JoinHandle<()>,
    /// How its process ended, and what has to be undone at the end.
    frozen: bool,
    cut: bool,
}

struct Send {
    run: u32,
    to: RemoteRef<Worker>,
    way: Way,
    works: Vec<Work>,
}

enum Way {
    Tell,
    TryTell,
    Ask,
    Pass(RemoteRef<Worker>),
}

pub(crate) struct Walk {
    world: Arc<World>,
    cluster: Cluster,
    kind: Kind,
    nodes: BTreeMap<&'static str, NodeIs>,
    cut: BTreeMap<&'static str, bool>,
    run: Run,
    old: Vec<Run>,
    senders: Vec<(UnboundedSender<Send>, JoinHandle<()>)>,
    tasks: Vec<JoinHandle<()>>,
}

/// The spec of the tree as another build has it.
fn odd() -> &'static supervise::spec::TreeSpec {
    static ODD: std::sync::OnceLock<supervise::spec::TreeSpec> = std::sync::OnceLock::new();
    ODD.get_or_init(|| {
        let mut children = Zoo::SPEC.children.to_vec();
        for child in &mut children {
            if let Some(remote) = child.remote.filter(|_| ["single", "again"].contains(&child.name)) {
                let mut other = *remote;
                other.build ^= 1;
                child.remote = Some(Box::leak(Box::new(other)));
            }
        }
        supervise::spec::TreeSpec { children: children.leak(), ..Zoo::SPEC }
    })
}

fn node_of(name: &str) -> Node {
    if name == ODD { Node::of(odd(), "worker") } else { Zoo::node("worker") }
}

impl Run {
    fn begin(world: &Arc<World>, number: u32, net: Net) -> Run {
        let owner = net.name().to_owned();
        world.say(format_args!("run {number} on {owner}"));
        let mut tree: Tree<Zoo> = Zoo::tree(world.number).on(net.clone()).seed(u64::from(number));
        let mut stream = tree.events();
        let noting = world.clone();
        let events = tokio::spawn(async move {
            while let Some(event) = stream.next().await {
                match &event.kind {
                    EventKind::Missed { events } => noting.wrong(format_args!("{events} events are missing")),
                    EventKind::DeadLetter { reason, .. } => noting.dead(number, &event.path, *reason),
                    _ => {}
                }
                noting.say(format_args!("  run {number}: {event}"));
            }
        });
        let starting = Some(tokio::spawn(tree.start()));
        Run { number, owner, net, starting, zoo: None, events, frozen: false, cut: false }
    }

    /// The tree, if it is up. One whose first start failed is over.
    async fn zoo(&mut self, world: &World, wait: Duration) -> Option<&Running<Zoo>> {
        if let Some(starting) = &mut self.starting
            && (starting.is_finished() || !wait.is_zero())
            && let Ok(started) = timeout(wait, starting).await
        {
            self.starting = None;
            match started.expect("the start does not panic") {
                Ok(zoo) => self.zoo = Some(zoo),
                Err(failure) => world.say(format_args!("run {} did not come up: {failure}", self.number)),
            }
        }
        self.zoo.as_ref()
    }

    fn is_over(&self) -> bool {
        self.starting.is_none() && self.zoo.is_none()
    }

    /// Shuts the tree down, and balances its messages.
    async fn shut_down(&mut self, world: &World) {
        world.say(format_args!("run {} shuts down", self.number));
        if let Some(starting) = self.starting.take() {
            starting.abort();
            let _ = starting.await;
        }
        if let Some(zoo) = self.zoo.take()
            && timeout(60 * SECOND, zoo.shutdown()).await.is_err()
        {
            world.wrong(format_args!("run {} does not shut down", self.number));
            return;
        }
        if timeout(60 * SECOND, &mut self.events).await.is_err() {
            world.wrong(format_args!("the events of run {} do not end", self.number));
        }
        world.balance(self.number, &BTreeMap::new());
        if placements(&self.net) > 0 {
            tokio::time::sleep(4 * SECOND).await; // placements that were given up have their lease and their time
        }
        let left = placements(&self.net);
        if left > 0 {
            world.wrong(format_args!("run {} leaves {left} placements", self.number));
        }
    }
}

/// A sender sends its messages one after the other.
fn sender(world: &Arc<World>, sender: u32) -> (UnboundedSender<Send>, JoinHandle<()>) {
    let (into, mut orders) = unbounded_channel::<Send>();
    let world = world.clone();
    let task = tokio::spawn(async move {
        let mut number = 0;
        while let Some(Send { run, to, way, works }) = orders.recv().await {
            for work in works {
                number += 1;
                let id = Id { run, sender, number };
                world.sends(to.path(), id);
                let mut answer = None;
                let msg = match &way {
                    Way::Tell | Way::TryTell => Msg::Do(id, work),
                    Way::Ask => {
                        let (reply, comes) = supervise_remote::hooks::reply();
                        answer = Some(comes);
                        Msg::Ask(id, work, reply)
                    }
                    // Sent by the instance: in order for each pair of this sender and that child.
                    Way::Pass(next) => {
                        Msg::Pass(id, next.clone(), Id { run, sender: world.relay(sender, to.path()), number })
                    }
                };
                let told = match &way {
                    Way::TryTell => Ok(to.try_tell(msg)),
                    _ => timeout(5 * SECOND, to.tell(msg)).await,
                };
                world.sent(to.path(), id, Some(matches!(told, Ok(Ok(())))));
                if let Some(answer) = answer.filter(|_| matches!(told, Ok(Ok(())))) {
                    let _ = timeout(3 * SECOND, answer).await;
                }
            }
        }
    });
    (into, task)
}

impl Walk {
    pub(crate) async fn run(world: Arc<World>) {
        let mut cluster = Cluster::new();
        let kind = match world.draw(4) {
            0 => Kind::Gentle,
            1 => Kind::Owners,
            _ => Kind::Nodes,
        };
        world.say(format_args!("{kind:?}"));
        let mut nodes = BTreeMap::new();
        for name in NODES {
            if world.one_in(4) {
                nodes.insert(name, NodeIs::Left);
            } else {
                nodes.insert(name, NodeIs::Up);
                cluster.node(name, Zoo::node("worker"));
            }
        }
        nodes.insert(ODD, NodeIs::Left);
        let run = Run::begin(&world, 1, cluster.owner());
        let senders = (0..3).map(|n| sender(&world, n)).collect();
        let mut walk = Walk {
            world,
            cluster,
            kind,
            nodes,
            cut: BTreeMap::new(),
            run,
            old: Vec::new(),
            senders,
            tasks: Vec::new(),
        };
        let steps = 20 + walk.world.draw(40);
        for _ in 0..steps {
            walk.step().await;
            walk.pause().await;
        }
        walk.end().await;
    }

    async fn pause(&mut self) {
        let time = match self.world.draw(10) {
            0..3 => return,
            3..7 => self.world.draw(30),
            7..9 => 50 + self.world.draw(700),
            _ => 500 + self.world.draw(4_000),
        };
        tokio::time::sleep(time as u32 * MS).await;
    }

    /// A child of the present run.
    async fn child(&mut self) -> Option<RemoteRef<Worker>> {
        let all = self.run.zoo(&self.world, Duration::ZERO).await?.all();
        let at = self.world.draw(all.len() as u64) as usize;
        all.into_iter().nth(at)
    }

    async fn step(&mut self) {
        if self.run.is_over() {
            // Its first start failed: the next owner.
            return self.new_owner().await;
        }
        let world = self.world.clone();
        match world.draw(if self.kind == Kind::Gentle { 60 } else { 100 }) {
            0..26 => self.send().await,
            26..40 => self.request().await,
            40..46 => self.keys().await,
            46 => {
                if let Some(zoo) = self.run.zoo(&world, Duration::ZERO).await
                    && let Ok(start) = zoo.below.start_again()
                {
                    world.say("start of below again");
                    self.tasks.push(tokio::spawn(async move { drop(timeout(60 * SECOND, start).await) }));
                }
            }
            47..49 => {
                if let Some(zoo) = self.run.zoo(&world, Duration::ZERO).await
                    && let Ok(restart) = zoo.below.restart()
                {
                    world.say("restart of below");
                    self.tasks.push(tokio::spawn(async move { drop(timeout(60 * SECOND, restart).await) }));
                }
            }
            49..53 => {
                let mode = match world.draw(5) {
                    0 => Mode::Fails(2),
                    1 => Mode::Blocks,
                    2 => Mode::Slow(1_500),
                    _ => Mode::Well,
                };
                world.say(format_args!("starts and ends: {mode:?}"));
                world.set_mode(mode);
            }
            53..56 => self.leaves().await,
            56..60 => self.comes().await,
            60..63 => {
                let delay = if world.one_in(2) { 0 } else { world.draw(60) };
                let lag = if world.one_in(2) { 0 } else { world.draw(1_500) };
                world.say(format_args!("frames take {delay} ms, and {lag} ms more behind signs of life"));
                self.cluster.network().delay(delay as u32 * MS);
                self.cluster.network().lag(lag as u32 * MS);
            }
            63..66 => self.loses(),
            66..69 => self.stranger().await,
            69..95 => self.fault().await,
            _ if self.kind == Kind::Owners => self.new_owner().await,
            _ => self.fault().await,
        }
    }

    async fn send(&mut self) {
        let world = self.world.clone();
        let Some(to) = self.child().await else { return };
        let way = match world.draw(6) {
            0 => Way::TryTell,
            1 | 2 => Way::Ask,
            3 => match self.child().await {
                // A child that is handed a message twice sends twice.
                Some(next) if to.path() != "again" => Way::Pass(next),
                _ => Way::Tell,
            },
            _ => Way::Tell,
        };
        let works = (0..1 + world.draw(6)).map(|_| match world.draw(24) {
            0 => Work::Fail,
            1 => Work::Panic,
            2 => Work::Quit,
            3..8 => Work::Slow(1 + world.draw(12) as u32),
            _ => Work::Note,
        });
        let works: Vec<Work> = works.collect();
        let sender = world.draw(3) as usize;
        world.say(format_args!("sender {sender} to {}: {works:?}", to.path()));
        let _ = self.senders[sender].0.send(Send { run: self.run.number, to, way, works });
    }

    async fn request(&mut self) {
        let world = self.world.clone();
        let Some(child) = self.child().await else { return };
        let what = world.draw(7);
        let text = ["restart", "restart", "kill", "kill", "stop", "drain", "start again"][what as usize];
        world.say(format_args!("{text} of {}", child.path()));
        match what {
            0 | 1 => self.tasks.push(tokio::spawn(async move { drop(timeout(60 * SECOND, child.restart()).await) })),
            2 | 3 => child.kill(),
            4 => child.stop(),
            5 => child.drain(),
            _ => self.tasks.push(tokio::spawn(async move { drop(timeout(60 * SECOND, child.start_again()).await) })),
        }
    }

    async fn keys(&mut self) {
        let world = self.world.clone();
        let Some(zoo) = self.run.zoo(&world, Duration::ZERO).await else { return };
        let key = world.draw(4) as u8;
        if world.one_in(3) {
            world.say(format_args!("stop of sessions/{key}"));
            zoo.sessions.stop(&key);
        } else {
            world.say(format_args!("spawn of sessions/{key}"));
            let spawn = zoo.sessions.spawn(key);
            self.tasks.push(tokio::spawn(async move { drop(timeout(60 * SECOND, spawn).await) }));
        }
    }

    fn some_node(&self, is: NodeIs) -> Option<&'static str> {
        let names: Vec<_> = self.nodes.iter().filter(|(_, of)| **of == is).map(|(name, _)| *name).collect();
        (!names.is_empty()).then(|| names[self.world.draw(names.len() as u64) as usize])
    }

    fn is_cut(&self, name: &str) -> bool {
        self.cut.get(name).copied().unwrap_or(false)
    }

    /// A node leaves in order, while the steps go on.
    async fn leaves(&mut self) {
        let Some(name) = self.some_node(NodeIs::Up) else { return };
        self.world.say(format_args!("{name} leaves"));
        self.nodes.insert(name, NodeIs::Left);
        if timeout(60 * SECOND, self.cluster.leave(name)).await.is_err() {
            self.world.wrong(format_args!("{name} does not leave"));
        }
    }

    async fn comes(&mut self) {
        let name = if self.world.one_in(2) { self.some_node(NodeIs::Left) } else { self.some_node(NodeIs::Dead) };
        if let Some(name) = name {
            self.starts(name);
        }
    }

    fn starts(&mut self, name: &'static str) {
        self.world.say(format_args!("{name} starts"));
        self.world.set_still(name, false);
        self.nodes.insert(name, NodeIs::Up);
        self.cluster.node(name, node_of(name));
    }

    fn loses(&mut self) {
        let Some(name) = self.some_node(NodeIs::Up) else { return };
        let n = 1 + self.world.draw(3);
        let (from, to) = if self.world.one_in(2) { (name, &*self.run.owner) } else { (&*self.run.owner, name) };
        self.world.say(format_args!("{n} frames from {from} to {to} are lost"));
        self.cluster.network().lose(from, to, n);
    }

    /// Joins a process that does not speak the language: frames of noise, or of another version.
    async fn stranger(&mut self) {
        let side = if self.world.one_in(2) { Side::Owner } else { Side::Node };
        let noise: Vec<u8> = match self.world.draw(3) {
            0 => (0..self.world.draw(40)).map(|_| self.world.draw(256) as u8).collect(),
            1 => rmp_serde::to_vec_named(&hello_of_another_version()).expect("plain data"),
            _ => Vec::new(),
        };
        self.world.say(format_args!("a stranger joins as {side:?}"));
        let process = self.cluster.network().process("stranger");
        self.tasks.push(tokio::spawn(async move {
            let Ok(mut link) = process.join(side).await else { return };
            let _ = timeout(SECOND, async {
                while let Some(event) = next(&mut *link).await {
                    if let LinkEvent::Up(peer, _) = event {
                        link.outgoing().send(&peer, noise.clone());
                    }
                }
            })
            .await;
        }));
    }

    async fn fault(&mut self) {
        let world = self.world.clone();
        match world.draw(12) {
            0 | 1 => {
                let Some(name) = self.some_node(NodeIs::Up) else { return };
                world.say(format_args!("{name} is frozen"));
                self.nodes.insert(name, NodeIs::Frozen);
                self.cluster.freeze(name);
                world.set_still(name, true);
            }
            2 | 3 => {
                let Some(name) = self.some_node(NodeIs::Frozen) else { return };
                self.thaws(name);
            }
            4 | 5 => {
                let frozen = world.one_in(4);
                let Some(name) = self.some_node(if frozen { NodeIs::Frozen } else { NodeIs::Up }) else { return };
                world.say(format_args!("{name} is killed"));
                self.nodes.insert(name, NodeIs::Dead);
                world.set_still(name, true);
                self.cluster.kill(name);
            }
            6 | 7 => {
                let name = NODES[world.draw(3) as usize];
                if !self.is_cut(name) {
                    if world.one_in(2) {
                        // An instance on its way down is the danger of a cut.
                        world.set_mode(Mode::Slow(1_500));
                    }
                    world.say(format_args!("{name} is cut off; starts and ends: {:?}", world.mode()));
                    self.cut.insert(name, true);
                    self.cluster.network().cut(&self.run.owner, name);
                    if world.one_in(2) {
                        tokio::time::sleep(3_500 * MS).await; // until the replacements start
                    }
                }
            }
            8 | 9 => {
                let name = NODES[world.draw(3) as usize];
                if self.is_cut(name) {
                    world.say(format_args!("{name} is mended"));
                    self.cut.insert(name, false);
                    self.cluster.network().mend(&self.run.owner, name);
                }
            }
            10 => {
                let Some(name) = self.some_node(NodeIs::Up) else { return };
                let ms = world.draw(5_000);
                world.say(format_args!("the machine of {name} is suspended for {ms} ms"));
                self.cluster.network().suspend(name, ms as u32 * MS);
            }
            _ => self.comes().await,
        }
    }

    fn thaws(&mut self, name: &'static str) {
        self.world.say(format_args!("{name} is thawed"));
        self.nodes.insert(name, NodeIs::Up);
        self.world.set_still(name, false);
        self.cluster.thaw(name);
    }

    /// The owner is frozen, cut off, killed or shut down, and there is another one.
    async fn new_owner(&mut self) {
        let world = self.world.clone();
        let net = self.cluster.owner();
        let net = if world.one_in(3) { net.peers(NODES.into_iter().chain([ODD])) } else { net };
        let way = world.draw(4);
        let owner = self.run.owner.clone();
        world.say(format_args!("{owner} is {}", ["frozen", "cut off", "killed", "shut down"][way as usize]));
        match way {
            0 => {
                self.cluster.freeze(&owner);
                self.run.frozen = true;
            }
            1 => {
                for name in NODES.into_iter().chain([ODD]) {
                    self.cluster.network().cut(&owner, name);
                }
                self.run.cut = true;
            }
            2 => self.cluster.network().kill(&owner),
            _ => {}
        }
        let cut: Vec<_> = NODES.into_iter().filter(|name| self.is_cut(name)).collect();
        for name in cut {
            self.cluster.network().cut(net.name(), name);
        }
        let next = Run::begin(&world, self.run.number + 1, net);
        let mut old = std::mem::replace(&mut self.run, next);
        if way == 3 {
            let world = world.clone();
            self.tasks.push(tokio::spawn(async move { old.shut_down(&world).await }));
        } else {
            self.old.push(old);
        }
    }

    /// The faults are over: every child comes up and answers; then all is shut down, and nothing is left.
    async fn end(mut self) {
        let world = self.world.clone();
        if world.one_in(4) {
            // In the middle of all that.
            self.shut_down_now().await;
        }
        world.say("no more faults");
        world.set_mode(Mode::Well);
        self.cluster.network().delay(Duration::ZERO);
        self.cluster.network().lag(Duration::ZERO);
        for name in NODES.into_iter().chain([ODD]) {
            self.cluster.network().mend(&self.run.owner, name);
            self.cluster.network().lose(name, &self.run.owner, 0);
            self.cluster.network().lose(&self.run.owner, name, 0);
            match self.nodes[name] {
                NodeIs::Up => {}
                NodeIs::Frozen => self.thaws(name),
                NodeIs::Dead | NodeIs::Left if name != ODD => self.starts(name),
                NodeIs::Dead | NodeIs::Left => {}
            }
        }
        for (into, task) in self.senders.drain(..) {
            drop(into);
            let _ = task.await;
        }
        for task in self.tasks.drain(..) {
            task.await.expect("no task panics");
        }
        if self.run.zoo(&world, 120 * SECOND).await.is_none() && self.run.is_over() {
            // Its first start failed, in a moment of the faults: the next one has none.
            self.run.shut_down(&world).await;
            self.run = Run::begin(&world, self.run.number + 1, self.cluster.owner());
        }
        if self.run.zoo(&world, 120 * SECOND).await.is_none() {
            return world.wrong("the tree does not come up");
        }
        self.all_answer().await;
        // Owners of before come back, and nobody follows them: every node has met the newest. (A node that sees only an
        // older one follows it. Two owners that live at once are kept apart by a lease of the tree, or by tokens.)
        tokio::time::sleep(20 * SECOND).await;
        for old in &self.old {
            if old.frozen {
                self.cluster.thaw(&old.owner);
            }
            if old.cut {
                for name in NODES.into_iter().chain([ODD]) {
                    self.cluster.network().mend(&old.owner, name);
                }
            }
        }
        tokio::time::sleep(10 * SECOND).await;
        self.all_answer().await;
        let zoo = self.run.zoo.as_ref().expect("it is up");
        let (children, placed) = (zoo.all().len(), placements(&self.run.net));
        let (living, hosted) = (world.living(), self.cluster.hosted());
        if placed != children || living != children || hosted != children {
            world.wrong(format_args!("{children} children, {placed} placements, {living} instances, {hosted} hosted"));
        }
        let mut waiting = BTreeMap::new();
        collect(&zoo.snapshot().root, &mut waiting);
        if waiting.values().any(|waits| *waits > 0) {
            world.wrong(format_args!("messages wait though all has answered: {waiting:?}"));
        }
        world.balance(self.run.number, &waiting);
        if self.kind == Kind::Gentle {
            world.nothing_is_unknown();
        }
        for mut old in self.old.drain(..) {
            old.shut_down(&world).await;
        }
        self.run.shut_down(&world).await;
        tokio::time::sleep(SECOND).await;
        let (living, hosted) = (world.living(), self.cluster.hosted());
        if living > 0 || hosted > 0 {
            world.wrong(format_args!("{living} instances live, and {hosted} are hosted, after the end"));
        }
        for name in NODES {
            if timeout(10 * SECOND, self.cluster.leave(name)).await.is_err() {
                world.wrong(format_args!("{name} does not leave"));
            }
        }
    }

    async fn shut_down_now(&mut self) {
        let number = self.run.number;
        self.run.shut_down(&self.world).await;
        if self.kind == Kind::Gentle {
            self.world.nothing_is_unknown();
        }
        self.run = Run::begin(&self.world, number + 1, self.cluster.owner());
    }

    /// Every child answers, within a bounded time; those that have ended are started again.
    async fn all_answer(&mut self) {
        let world = self.world.clone();
        let zoo = self.run.zoo.as_ref().expect("it is up");
        for child in zoo.all() {
            let limit = tokio::time::Instant::now() + 120 * SECOND;
            let mut answered = None;
            while answered.is_none() && tokio::time::Instant::now() < limit {
                if zoo.below.ended().is_some()
                    && let Ok(starting) = zoo.below.start_again()
                    && timeout(60 * SECOND, starting).await.is_err()
                {
                    world.wrong("below does not start again");
                }
                if child.ended().is_some() && child.path().starts_with("sessions/") {
                    break; // its key is free
                }
                if child.ended().is_some() {
                    let _ = timeout(60 * SECOND, child.start_again()).await; // perhaps started meanwhile
                }
                let id = Id { run: self.run.number, sender: world.next_sender(), number: 1 };
                let (reply, answer) = supervise_remote::hooks::reply();
                world.sends(child.path(), id);
                let told = child.try_tell(Msg::Ask(id, Work::Note, reply));
                world.sent(child.path(), id, Some(told.is_ok()));
                if told.is_ok() {
                    answered = timeout(60 * SECOND, answer).await.ok().flatten();
                } else {
                    tokio::time::sleep(100 * MS).await;
                }
            }
            if answered.is_none() && !(child.ended().is_some() && child.path().starts_with("sessions/")) {
                world.wrong(format_args!("{} does not answer", child.path()));
            }
        }
    }
}

/// The messages that wait: in mailbox and window, of each child.
fn collect(node: &supervise::inspect::Node, waiting: &mut BTreeMap<String, usize>) {
    let waits = node.mailbox.as_ref().map_or(0, |mailbox| mailbox.waiting) + node.window.unwrap_or(0);
    waiting.insert(node.path.clone(), waits);
    node.children.iter().for_each(|child| collect(child, waiting));
}

async fn next(link: &mut dyn Link) -> Option<LinkEvent> {
    std::future::poll_fn(|cx| link.poll_event(cx)).await
}

/// A hello of a node that speaks another version of the protocol.
fn hello_of_another_version() -> impl serde::Serialize {
    #[derive(serde::Serialize)]
    struct Framed {
        seq: u64,
        body: Body,
    }
    #[derive(serde::Serialize)]
    enum Body {
        Hello(Hello),
    }
    #[derive(serde::Serialize)]
    struct Hello {
        protocol: u32,
        role: &'static str,
        capacity: Option<usize>,
        builds: Vec<(String, u64)>,
        holds: bool,
    }
    let hello = Hello { protocol: 1, role: "worker", capacity: None, builds: Vec::new(), holds: false };
    Framed { seq: 1, body: Body::Hello(hello) }
}
