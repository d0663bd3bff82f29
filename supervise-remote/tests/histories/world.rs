//! The records of a history: who acts, how each message ended, and the faults that starts and hooks have to obey.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use supervise::event::DeadLetterReason;
use supervise::prelude::*;
use supervise_remote::RemoteRef;
use tokio::time::Instant;

pub(crate) const SECOND: Duration = Duration::from_secs(1);
pub(crate) const MS: Duration = Duration::from_millis(1);

/// A message of a sender to a child of a tree: the run of the tree, the sender, and its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Id {
    pub(crate) run: u32,
    pub(crate) sender: u32,
    pub(crate) number: u64,
}

/// The (epoch, placement) of an instance.
pub(crate) type Token = (u64, u64);

/// The duty that a message carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Work {
    Note,
    /// So many steps of 100 ms.
    Slow(u32),
    Fail,
    Panic,
    Quit,
}

#[derive(Serialize, Deserialize)]
pub(crate) enum Msg {
    Do(Id, Work),
    Ask(Id, Work, Reply<Token>),
    /// Sends the second message to this child, from the node.
    Pass(Id, RemoteRef<Worker>, Id),
}

/// How starts and hooks behave at present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Well,
    /// One of so many starts fails.
    Fails(u64),
    /// No start ends.
    Blocks,
    /// Starts and ends take so many milliseconds, ends perhaps longer than they may.
    Slow(u64),
}

/// The messages of one child in one run of a tree.
#[derive(Debug, Default)]
pub(crate) struct Account {
    pub(crate) accepted: HashSet<Id>,
    /// Sent, and perhaps accepted: from a node, or by a sender that is gone.
    pub(crate) perhaps: HashSet<Id>,
    pub(crate) handled: HashMap<Id, u32>,
    pub(crate) dead: BTreeMap<String, usize>,
    pub(crate) unknown: usize,
    /// The last message of each sender that was begun.
    last: HashMap<u32, u64>,
}

#[derive(Default)]
struct PathState {
    /// The newest instance that has acted.
    newest: Token,
    /// Instances that were not dropped yet, and their processes.
    alive: BTreeMap<Token, String>,
}

#[derive(Default)]
struct State {
    paths: HashMap<String, PathState>,
    tokens: HashSet<(String, Token)>,
    accounts: BTreeMap<(u32, String), Account>,
    /// The senders that send through a child.
    relays: HashMap<(u32, String), u32>,
    /// Processes that do not act: frozen or dead.
    still: BTreeSet<String>,
    /// When processes were thawed: in that moment they drop what is past its time.
    thawed: HashMap<String, Instant>,
    log: Vec<String>,
    wrong: Vec<String>,
}

pub(crate) struct World {
    pub(crate) number: u64,
    begun: Instant,
    /// The checks of the paused clock: on threads two notes may overtake each other.
    pub(crate) exact: bool,
    random: AtomicU64,
    mode: Mutex<Mode>,
    state: Mutex<State>,
    living: AtomicU64,
    senders: AtomicU64,
}

/// The values of a start expression cross, so an instance finds its world by a number.
static WORLDS: OnceLock<Mutex<HashMap<u64, Weak<World>>>> = OnceLock::new();

fn worlds() -> MutexGuard<'static, HashMap<u64, Weak<World>>> {
    WORLDS.get_or_init(Mutex::default).lock().unwrap()
}

impl Drop for World {
    fn drop(&mut self) {
        worlds().remove(&self.number);
    }
}

/// Children whose instances may act at the same time.
fn may_overlap(path: &str) -> bool {
    path == "loose"
}

/// Children whose messages may be handled twice.
fn may_repeat(path: &str) -> bool {
    path == "again"
}

impl World {
    pub(crate) fn new(seed: u64, exact: bool) -> Arc<World> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let world = Arc::new(World {
            number: NEXT.fetch_add(1, SeqCst),
            begun: Instant::now(),
            exact,
            random: AtomicU64::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            mode: Mutex::new(Mode::Well),
            state: Mutex::default(),
            living: AtomicU64::new(0),
            senders: AtomicU64::new(1_000),
        });
        worlds().insert(world.number, Arc::downgrade(&world));
        world
    }

    fn of(number: u64) -> Result<Arc<World>, Trouble> {
        worlds().get(&number).and_then(Weak::upgrade).ok_or_else(|| Trouble("the history is over".to_owned()))
    }

    /// A number below `n`.
    pub(crate) fn draw(&self, n: u64) -> u64 {
        let step = 0x9e37_79b9_7f4a_7c15;
        let mut x = self.random.fetch_add(step, SeqCst).wrapping_add(step);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ (x >> 31)) % n
    }

    pub(crate) fn one_in(&self, n: u64) -> bool {
        self.draw(n) == 0
    }

    /// The number of instances that were not dropped.
    pub(crate) fn living(&self) -> usize {
        self.living.load(SeqCst) as usize
    }

    /// A sender that has sent nothing yet.
    pub(crate) fn next_sender(&self) -> u32 {
        self.senders.fetch_add(1, SeqCst) as u32
    }

    /// The sender of what a child sends on for this sender. A child that may overlap or repeat keeps no order.
    pub(crate) fn relay(&self, sender: u32, path: &str) -> u32 {
        if may_overlap(path) || may_repeat(path) {
            return self.next_sender();
        }
        let mut state = self.state();
        let next = 100 + state.relays.len() as u32;
        *state.relays.entry((sender, path.to_owned())).or_insert(next)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub(crate) fn mode(&self) -> Mode {
        *self.mode.lock().unwrap()
    }

    pub(crate) fn set_mode(&self, mode: Mode) {
        *self.mode.lock().unwrap() = mode;
    }

    /// Writes a line of the history.
    pub(crate) fn say(&self, what: impl std::fmt::Display) {
        let at = self.begun.elapsed().as_millis();
        self.state().log.push(format!("{at:>7} ms  {what}"));
    }

    pub(crate) fn wrong(&self, what: impl std::fmt::Display) {
        self.say(format_args!("WRONG {what}"));
        self.state().wrong.push(what.to_string());
    }

    pub(crate) fn log(&self) -> String {
        self.state().log.join("\n")
    }

    pub(crate) fn all_wrong(&self) -> Vec<String> {
        self.state().wrong.clone()
    }

    /// A process acts no more from now on, or acts again.
    pub(crate) fn set_still(&self, process: &str, still: bool) {
        let mut state = self.state();
        if still {
            state.still.insert(process.to_owned());
        } else {
            state.still.remove(process);
            state.thawed.insert(process.to_owned(), Instant::now());
        }
    }

    /// A new instance: its token is new, the newest of its path, and every older one is in a process that does not act.
    fn begins(&self, path: &str, token: Token, process: &str) {
        self.say(format_args!("{path} {token:?} starts on {process}"));
        self.living.fetch_add(1, SeqCst);
        let mut wrong = Vec::new();
        {
            let mut state = self.state();
            let state = &mut *state;
            if !state.tokens.insert((path.to_owned(), token)) {
                wrong.push(format!("{path}: two instances have the token {token:?}"));
            }
            let (still, thawed, now) = (&state.still, &state.thawed, Instant::now());
            let is_still = |process: &String| still.contains(process) || thawed.get(process) == Some(&now);
            let of = state.paths.entry(path.to_owned()).or_default();
            if !may_overlap(path) {
                for (other, process) in of.alive.iter().filter(|(_, process)| !is_still(process)) {
                    wrong
                        .push(format!("{path}: {token:?} starts while {other:?} is on {process}, which is not frozen"));
                }
            }
            of.alive.insert(token, process.to_owned());
        }
        wrong.into_iter().for_each(|wrong| self.wrong(wrong));
        self.acts(path, token, process);
    }

    /// An instance acts: it is the newest one, and its process does not stand still.
    fn acts(&self, path: &str, token: Token, process: &str) {
        let mut wrong = Vec::new();
        {
            let mut state = self.state();
            let state = &mut *state;
            if self.exact && state.still.contains(process) {
                wrong.push(format!("{path}: {token:?} acts on {process}, which stands still"));
            }
            let of = state.paths.entry(path.to_owned()).or_default();
            if token < of.newest && !may_overlap(path) {
                wrong.push(format!("{path}: {token:?} acts after {:?}", of.newest));
            }
            of.newest = of.newest.max(token);
        }
        wrong.into_iter().for_each(|wrong| self.wrong(wrong));
    }

    fn ends(&self, path: &str, token: Token) {
        self.say(format_args!("{path} {token:?} is dropped"));
        self.living.fetch_sub(1, SeqCst);
        if let Some(of) = self.state().paths.get_mut(path) {
            of.alive.remove(&token);
        }
    }

    fn account<R>(&self, run: u32, path: &str, change: impl FnOnce(&mut Account) -> R) -> R {
        let mut state = self.state();
        change(state.accounts.entry((run, path.to_owned())).or_default())
    }

    /// A sender begins to send.
    pub(crate) fn sends(&self, path: &str, id: Id) {
        self.account(id.run, path, |account| account.perhaps.insert(id));
    }

    /// The message was accepted, refused, or nobody knows.
    pub(crate) fn sent(&self, path: &str, id: Id, accepted: Option<bool>) {
        self.account(id.run, path, |account| {
            if accepted.is_some() {
                account.perhaps.remove(&id);
            }
            if accepted == Some(true) {
                account.accepted.insert(id);
            }
        });
    }

    pub(crate) fn dead(&self, run: u32, path: &str, reason: DeadLetterReason) {
        self.account(run, path, |account| {
            *account.dead.entry(format!("{reason:?}")).or_default() += 1;
            // A message that is handed in again may have been in hand before.
            if reason == DeadLetterReason::Unknown || may_repeat(path) {
                account.unknown += 1;
            }
        });
    }

    /// An instance begins with a message.
    fn handles(&self, path: &str, token: Token, id: Id, work: &dyn std::fmt::Debug) {
        self.say(format_args!("{path} {token:?} begins {}/{}/{} {work:?}", id.run, id.sender, id.number));
        let exact = self.exact;
        let wrong = self.account(id.run, path, |account| {
            let mut wrong = Vec::new();
            if !account.accepted.contains(&id) && !account.perhaps.contains(&id) {
                wrong.push(format!("{path}: {id:?} is handled, and was not accepted"));
            }
            let times = account.handled.entry(id).or_default();
            *times += 1;
            if *times > 1 && !may_repeat(path) {
                wrong.push(format!("{path}: {id:?} is handled {times} times"));
            }
            let last = account.last.entry(id.sender).or_default();
            if *last >= id.number && exact && !may_repeat(path) && !may_overlap(path) {
                wrong.push(format!("{path}: {id:?} is handled after number {last} of its sender"));
            }
            *last = id.number;
            wrong
        });
        wrong.into_iter().for_each(|wrong| self.wrong(wrong));
    }

    /// No node was lost, and so no message is uncertain.
    pub(crate) fn nothing_is_unknown(&self) {
        let unknown: Vec<String> = {
            let state = self.state();
            let unknown = state.accounts.iter().filter(|(_, account)| account.dead.contains_key("Unknown"));
            unknown.map(|((run, path), account)| format!("{path} in run {run}: {:?}", account.dead)).collect()
        };
        for unknown in unknown {
            self.wrong(format_args!("messages are uncertain though no node was lost: {unknown}"));
        }
    }

    /// Everything that was accepted is handled, a dead letter, or waits; `waiting` says how many of a child wait.
    pub(crate) fn balance(&self, run: u32, waiting: &BTreeMap<String, usize>) {
        let mut wrong = Vec::new();
        for ((of, path), account) in &self.state().accounts {
            if *of != run {
                continue;
            }
            let waits = waiting.get(path).copied().unwrap_or(0);
            let dead: usize = account.dead.values().sum();
            let known = account.handled.len() + dead + waits;
            let text = || {
                format!(
                    "{path} in run {run}: {} accepted, {} perhaps, {} handled, {waits} waiting, dead {:?}",
                    account.accepted.len(),
                    account.perhaps.len(),
                    account.handled.len(),
                    account.dead
                )
            };
            if account.accepted.len() > known {
                wrong.push(format!("messages are missing: {}", text()));
            }
            if account.accepted.len() + account.perhaps.len() + account.unknown < known {
                wrong.push(format!("messages are counted twice: {}", text()));
            }
        }
        wrong.into_iter().for_each(|wrong| self.wrong(wrong));
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("planned: {0}")]
pub(crate) struct Trouble(pub(crate) String);

/// The life of an instance, noted when it is dropped.
struct Life {
    world: Arc<World>,
    path: String,
    token: Token,
    process: String,
}

impl Drop for Life {
    fn drop(&mut self) {
        self.world.ends(&self.path, self.token);
    }
}

impl Life {
    fn acts(&self) {
        self.world.acts(&self.path, self.token, &self.process);
    }

    async fn steps(&self, steps: u64) {
        for _ in 0..steps {
            tokio::time::sleep(100 * MS).await;
            self.acts();
        }
    }
}

/// A remote child that notes all that it does.
pub(crate) struct Worker {
    world: Arc<World>,
    life: Option<Life>,
}

#[actor]
impl Worker {
    pub(crate) async fn open(world: u64) -> Result<Worker, Trouble> {
        let world = World::of(world)?;
        match world.mode() {
            Mode::Fails(n) if world.one_in(n) => return Err(Trouble("no start".to_owned())),
            Mode::Fails(n) if world.one_in(2 * n) => panic!("planned: no start"),
            Mode::Blocks => {
                while world.mode() == Mode::Blocks {
                    tokio::time::sleep(100 * MS).await;
                }
            }
            Mode::Slow(ms) => tokio::time::sleep(Duration::from_millis(world.draw(ms))).await,
            Mode::Well | Mode::Fails(_) => {}
        }
        Ok(Worker { world, life: None })
    }

    #[pre_start]
    fn pre_start(&mut self, cx: &mut Context<Self>) {
        let token = cx.fence().map(|token| (token.epoch, token.placement)).expect("on a node");
        let process = supervise_remote::testing::process().expect("on a node");
        let life = Life { world: self.world.clone(), path: cx.actor_ref().path().to_string(), token, process };
        self.world.begins(&life.path, token, &life.process);
        self.life = Some(life);
    }

    fn life(&self) -> &Life {
        self.life.as_ref().expect("it was started")
    }

    #[pre_restart]
    async fn pre_restart(&mut self, _failure: &Failure) {
        self.life().acts();
        if let Mode::Slow(ms) = self.world.mode() {
            self.life().steps(self.world.draw(ms) / 100).await;
        }
    }

    #[post_restart]
    fn post_restart(&mut self, _failure: &Failure) {
        self.life().acts();
    }

    #[post_stop]
    async fn post_stop(&mut self) {
        self.life().acts();
        if let Mode::Slow(ms) = self.world.mode() {
            self.life().steps(self.world.draw(ms) / 100).await;
        }
        self.life().acts();
    }

    async fn work(&mut self, work: Work, cx: &mut Context<Self>) -> Result<(), Trouble> {
        match work {
            Work::Note => {}
            Work::Slow(steps) => self.life().steps(u64::from(steps)).await,
            Work::Fail => return Err(Trouble("told to fail".to_owned())),
            Work::Panic => panic!("planned: told to panic"),
            Work::Quit => cx.stop(),
        }
        self.life().acts();
        Ok(())
    }

    async fn handle(&mut self, msg: Msg, cx: &mut Context<Self>) -> Result<(), Trouble> {
        let life = self.life();
        life.acts();
        match msg {
            Msg::Do(id, work) => {
                self.world.handles(&life.path, life.token, id, &work);
                self.work(work, cx).await
            }
            Msg::Ask(id, work, reply) => {
                self.world.handles(&life.path, life.token, id, &work);
                let token = life.token;
                let done = self.work(work, cx).await;
                reply.send(token);
                done
            }
            Msg::Pass(id, to, next) => {
                self.world.handles(&life.path, life.token, id, &"Pass");
                self.world.sends(to.path(), next);
                let told = tokio::time::timeout(SECOND, to.tell(Msg::Do(next, Work::Note))).await;
                let accepted = match &told {
                    Ok(Ok(())) => Some(true),
                    Ok(Err(error)) if error.reason() != supervise::error::SendRejection::Unreachable => Some(false),
                    Ok(Err(_)) | Err(_) => None,
                };
                self.world.sent(to.path(), next, accepted);
                self.life().acts();
                Ok(())
            }
        }
    }
}

supervisor! {
    /// Remote children of every shape.
    pub(crate) struct Zoo(world: u64) {
        #![on("worker", lease = 2s)]
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #[lifecycle(Permanent, shutdown = 1s)]
        #[backoff(50ms..1s)]
        #[mailbox(Bounded(20))]
        #[on(window = 4)]
        pub(crate) single: remote Worker = Worker::open(world).await?,
        #[lifecycle(Permanent, shutdown = 1s)]
        pub(crate) shards: [remote Worker; 3] = |_i| Worker::open(world).await?,
        #[lifecycle(Permanent, shutdown = 1s)]
        pub(crate) sessions: [u8 => remote Worker] = |_key: u8| Worker::open(world).await?,
        #[on(overlap = Allowed)]
        #[lifecycle(Permanent, shutdown = 1s)]
        pub(crate) loose: remote Worker = Worker::open(world).await?,
        #[lifecycle(Permanent, shutdown = 1s)]
        #[redeliver(attempts = 2)]
        #[on(window = 3)]
        pub(crate) again: remote Worker = Worker::open(world).await?,
        pub(crate) below: struct Below {
            #![strategy(AllForOne, max_restarts = Unlimited)]
            #![on("worker", lease = 1s)]
            #[lifecycle(Permanent, shutdown = 500ms)]
            pub(crate) deep: remote Worker = Worker::open(world).await?,
            #[lifecycle(Permanent, shutdown = 500ms)]
            pub(crate) other: remote Worker = Worker::open(world).await?,
        },
    }
}

impl Zoo {
    /// All children that are there.
    pub(crate) fn all(&self) -> Vec<RemoteRef<Worker>> {
        let mut all = vec![self.single.clone(), self.loose.clone(), self.again.clone()];
        all.extend(self.shards.iter().cloned());
        all.extend([self.below.deep.clone(), self.below.other.clone()]);
        all.extend(self.sessions.handles().into_iter().map(|(_, handle)| handle));
        all
    }
}
