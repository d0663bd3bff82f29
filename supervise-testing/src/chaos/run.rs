//! One run: the chaos, then the calm, then the end.

use std::cell::RefCell;
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc as StdArc;
use std::sync::Mutex as StdMutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::task::Poll;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::check::{self, STOP};
use super::crowd::{Crowd, caught, dropped_after};
use super::fault::{Act, Choices, Fault, Means, Wait, draw};
use super::random::Random;
use super::{Broken, ChaosPromise, Plan, Progress};
use supervise_core::base::clock::after;
use supervise_core::base::sync::Arc;
use supervise_core::values::declaration::Shape;
use supervise_core::values::ended::Ended;
use supervise_core::values::failure::Failure;
use supervise_core::values::strategy::Lifecycle;
use supervise_observe::{Inspect as _, Node, NodeState};
use supervise_runtime::error::CommandError;
use supervise_runtime::expansion::TreeDef;
use supervise_runtime::probe::{self, Rest, Seen, Witness, text_of};
use supervise_runtime::{AnyRef, ChildRef};
use supervise_runtime::{Running, TreeRef};

/// The outcome of a run.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) broken: Vec<Broken>,
    pub(super) faults: Vec<Fault>,
    pub(super) lines: Vec<String>,
    pub(super) starts: u64,
    pub(super) messages: u64,
    pub(super) trees: u64,
    /// The paths to be spared that a tree had.
    pub(super) spared: Vec<String>,
}

/// A tree that was started.
struct Begun {
    witness: Arc<Witness>,
    rest: Rest,
}

enum State<T> {
    Down,
    Starting(Pin<Box<dyn Future<Output = Result<Running<T>, Failure>>>>),
    Up(Running<T>),
}

/// A child that was started again once everything was calm.
#[derive(Default)]
struct Revived {
    tries: u32,
    /// Why the last of them was refused.
    refused: Option<CommandError>,
}

struct Run<'a, T: TreeDef> {
    plan: &'a Plan<T>,
    seed: u64,
    progress: &'a Progress,
    begin: Instant,
    trees: Vec<Begun>,
    state: State<T>,
    /// The tree that starts or is up.
    tree: Option<TreeRef>,
    failed_starts: u32,
    last_failure: String,
    crowd: Crowd<'a>,
    /// The failures of the user's calls.
    complaints: Rc<RefCell<Vec<Broken>>>,
    /// The number of polls after which the next call is dropped.
    drops_call: Option<u32>,
    calmed: bool,
    /// The tasks that were killed at a moment, with their incarnations.
    killed: Vec<(Instant, AnyRef, u32)>,
    broken: Vec<Broken>,
    users: &'a Users<T>,
}

/// The view that threads of users have, with several workers.
pub(super) struct Users<T> {
    tree: StdMutex<Option<T>>,
    over: AtomicBool,
    /// The number of calls that have not returned.
    calling: AtomicUsize,
    complaints: StdMutex<Vec<Broken>>,
}

impl<T> Default for Users<T> {
    fn default() -> Self {
        Users {
            tree: StdMutex::default(),
            over: AtomicBool::new(false),
            calling: AtomicUsize::new(0),
            complaints: StdMutex::default(),
        }
    }
}

fn locked<V>(mutex: &StdMutex<V>) -> std::sync::MutexGuard<'_, V> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the plan by this seed. `given`: the faults to cause; `None`: they are drawn.
pub(super) fn run<T: TreeDef>(
    plan: &StdArc<Plan<T>>,
    seed: u64,
    given: Option<&[Fault]>,
    progress: &Progress,
) -> Outcome {
    Random::begins_run(seed);
    let runtime = match plan.workers {
        None => tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build(),
        Some(workers) => tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build(),
    };
    let runtime = runtime.expect("a runtime for the test");
    let users = Users::default();
    let outcome = std::thread::scope(|scope| {
        let threads = if plan.workers.is_some() && plan.messages.is_some() { plan.users } else { 0 };
        for user in 0..threads {
            let (handle, users) = (runtime.handle().clone(), &users);
            scope.spawn(move || works(plan, seed, user, &handle, users));
        }
        let _over = Over(&users.over);
        runtime.block_on(whole(plan, seed, given, progress, &users))
    });
    drop(runtime);
    outcome
}

/// Ends the threads of the users, also after a panic.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

/// A call of a user with a thread, counted until it is over.
struct Calling<'a>(&'a AtomicUsize);

impl<'a> Calling<'a> {
    fn new(calls: &'a AtomicUsize) -> Self {
        calls.fetch_add(1, SeqCst);
        Calling(calls)
    }
}

impl Drop for Calling<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

/// The work of a user with a thread.
fn works<T: TreeDef>(plan: &Plan<T>, seed: u64, user: u64, handle: &Handle, users: &Users<T>) {
    let Some(messages) = &plan.messages else { return };
    let mut random = Random::part(seed, 1_000_003 + user);
    loop {
        // Counted before `over` is read: once `over` is set and no call is counted, no further call is made.
        let _calling = Calling::new(&users.calling);
        if users.over.load(SeqCst) {
            return;
        }
        let tree = locked(&users.tree).clone();
        let Some(tree) = tree else {
            std::thread::sleep(Duration::from_micros(200));
            continue;
        };
        if let Err(panic) = handle.block_on(caught(messages.call(&tree, &mut random))) {
            locked(&users.complaints).push(Broken::new(ChaosPromise::Own, panic));
            return;
        }
    }
}

async fn whole<T: TreeDef>(
    plan: &Plan<T>,
    seed: u64,
    given: Option<&[Fault]>,
    progress: &Progress,
    users: &Users<T>,
) -> Outcome {
    let mut run = Run {
        plan,
        seed,
        progress,
        begin: Instant::now(),
        trees: Vec::new(),
        state: State::Down,
        tree: None,
        failed_starts: 0,
        last_failure: String::new(),
        crowd: Crowd::default(),
        complaints: Rc::default(),
        drops_call: None,
        calmed: false,
        killed: Vec::new(),
        broken: Vec::new(),
        users,
    };
    let faults = run.chaos(given).await;
    run.calm().await;
    run.ends().await;
    run.outcome(faults)
}

impl<'a, T: TreeDef> Run<'a, T> {
    fn says(&mut self, what: ChaosPromise, text: impl Into<String>) {
        self.broken.push(Broken::new(what, text));
    }

    // ----- the tree

    fn begin_tree(&mut self) {
        let mut tree = probe::seed_or((self.plan.tree)(), self.seed);
        let witness = Arc::new(Witness::default());
        if self.calmed {
            witness.calm_down();
        }
        probe::mark_as_tested(&mut tree);
        probe::witness(&mut tree, &witness);
        let at = self.plan.at;
        let slot: Rc<RefCell<Option<TreeRef>>> = Rc::default();
        let begins = slot.clone();
        let mut starting: Pin<Box<dyn Future<Output = Result<Running<T>, Failure>>>> =
            Box::pin(probe::start_seen(tree, at, move |tree| *begins.borrow_mut() = Some(tree)));
        // The first poll begins the tree; it is not up before its task has run.
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        let first = starting.as_mut().poll(&mut cx);
        let root = slot.borrow_mut().take().expect("the tree has begun");
        *locked(&self.progress.witness) = Some(witness.clone());
        self.trees.push(Begun { witness, rest: Rest::of(&root) });
        self.tree = Some(root);
        self.state = match first {
            Poll::Ready(Ok(up)) => State::Up(up),
            Poll::Ready(Err(_)) => State::Down,
            Poll::Pending => State::Starting(starting),
        };
    }

    fn witness(&self) -> &Arc<Witness> {
        &self.trees.last().expect("a tree was begun").witness
    }

    /// Begins a tree if there is none, or the last one has ended.
    fn look(&mut self) {
        let is_over = |tree: &Option<TreeRef>| tree.as_ref().is_none_or(|tree| tree.ended().is_some());
        if matches!(self.state, State::Up(_)) && is_over(&self.tree) {
            self.take_down();
        }
        // The start of the last tree may have been dropped, and its children go down.
        if matches!(self.state, State::Down) && is_over(&self.tree) {
            self.begin_tree();
        }
    }

    fn take_down(&mut self) {
        *locked(&self.users.tree) = None;
        self.state = State::Down;
    }

    /// Polls the calls, and the start of the tree, until this future is ready.
    async fn during<F: Future>(&mut self, future: F) -> F::Output {
        let Run { crowd, state, failed_starts, last_failure, users, .. } = self;
        let mut future = std::pin::pin!(future);
        crowd
            .during(poll_fn(|cx| {
                if let State::Starting(starting) = state
                    && let Poll::Ready(started) = starting.as_mut().poll(cx)
                {
                    *state = match started {
                        Ok(up) => {
                            *locked(&users.tree) = Some(up.handle());
                            State::Up(up)
                        }
                        Err(failure) => {
                            *failed_starts += 1;
                            *last_failure = text_of(&failure);
                            State::Down
                        }
                    };
                }
                future.as_mut().poll(cx)
            }))
            .await
    }

    // ----- the chaos

    async fn chaos(&mut self, given: Option<&[Fault]>) -> Vec<Fault> {
        let plan = self.plan;
        let end = after(self.begin, plan.lasts);
        let mut faults: Vec<Fault> = Vec::new();
        let mut random = Random::part(self.seed, 1);
        let mut times = Random::part(self.seed, 2);
        let gap = plan.lasts / plan.moments.max(1);
        let mut moment = 0;
        let mut next_moment = Duration::ZERO;
        let mut given = given.map(|given| given.iter().peekable());
        let calls = if plan.messages.is_some() && plan.workers.is_none() { plan.calls } else { 0 };
        let between = plan.lasts.checked_div(calls).unwrap_or(plan.lasts);
        let mut call = 0;
        if given.is_none() {
            next_moment = gaps(&mut times, gap);
        }
        loop {
            self.look();
            let fault_at = match &mut given {
                Some(given) => given.peek().map(|fault| fault.at),
                None => (moment < plan.moments).then_some(next_moment),
            };
            let call_at = (call < calls).then(|| between.saturating_mul(call).saturating_add(between / 2));
            let next = [fault_at, call_at].into_iter().flatten().min().map(|at| after(self.begin, at));
            let until = next.unwrap_or(end).min(end);
            self.during(sleep_until(until)).await;
            self.kills_were_obeyed();
            if until >= end {
                break;
            }
            let now = until.saturating_duration_since(self.begin);
            self.look();
            if call_at.is_some_and(|at| at <= now) {
                self.call(call);
                call += 1;
            }
            if fault_at.is_some_and(|at| at <= now) {
                let at = fault_at.expect("it is now");
                let these: Vec<Fault> = match &mut given {
                    Some(given) => std::iter::from_fn(|| given.next_if(|fault| fault.at == at).cloned()).collect(),
                    None => {
                        moment += 1;
                        next_moment = at.saturating_add(gaps(&mut times, gap));
                        let choices = Choices {
                            kinds: &plan.kinds,
                            spared: &plan.spared,
                            errors: plan.errors.len().max(1),
                            own: plan.own.len(),
                            calls: plan.messages.is_some(),
                            long: plan.lasts / 8,
                        };
                        let up = matches!(self.state, State::Up(_));
                        let tree = self.tree.clone().expect("a tree was begun");
                        draw(&mut random, at, &tree, up, &choices)
                    }
                };
                locked(&self.progress.faults).extend(these.iter().cloned());
                for fault in &these {
                    self.cause(fault);
                }
                faults.extend(these);
            }
        }
        faults
    }

    /// Begins a call of the user's messages.
    fn call(&mut self, number: u32) {
        let (State::Up(up), Some(messages)) = (&self.state, &self.plan.messages) else { return };
        let (tree, complaints) = (up.handle(), self.complaints.clone());
        let mut random = Random::part(self.seed, 1_000_003 + u64::from(number));
        let call = async move {
            if let Err(panic) = caught(messages.call(&tree, &mut random)).await {
                complaints.borrow_mut().push(Broken::new(ChaosPromise::Own, panic));
            }
        };
        match self.drops_call.take() {
            Some(polls) => self.crowd.add(dropped_after(polls, call)),
            None => self.crowd.add(call),
        }
    }

    fn cause(&mut self, fault: &Fault) {
        let tree = self.tree.clone().expect("a tree was begun");
        let witness = self.witness().clone();
        let now = Fault { at: self.begin.elapsed(), ..fault.clone() };
        witness.notes(&fault.path, now.line(&self.plan.names(), false));
        if fault.act.stops() {
            witness.notes(&fault.path, STOP.into());
        }
        match fault.act {
            Act::Drop(Wait::Call, polls) => self.drops_call = Some(polls),
            Act::Drop(Wait::Start, _) => {
                if let State::Starting(_) = self.state {
                    self.take_down();
                }
            }
            Act::Own(which, seed) => {
                if let (State::Up(up), Some((_, own))) = (&self.state, self.plan.own.get(which)) {
                    own(up, &mut Random::new(seed));
                }
            }
            _ => {
                if let Act::Kill = fault.act
                    && let Some(child) = tree.find(&fault.path).filter(probe::is_task)
                    && probe::lives(&witness, &child)
                {
                    let incarnation = child.incarnation();
                    self.killed.push((Instant::now(), child, incarnation));
                }
                let means = Means { tree: &tree, witness: &witness, errors: &self.plan.errors };
                if let Some(wait) = fault.cause(&means) {
                    self.crowd.add(wait);
                }
            }
        }
    }

    /// The future of a task that was killed has gone before any time passed.
    fn kills_were_obeyed(&mut self) {
        // With real time nothing is due: the killed task may not have been polled yet.
        let now = Instant::now();
        let due = |at: Instant| at < now && self.plan.workers.is_none();
        for (_, child, incarnation) in self.killed.extract_if(.., |(at, ..)| due(*at)).collect::<Vec<_>>() {
            if child.incarnation() == incarnation && probe::lives(self.witness(), &child) {
                let text = format!("{} was killed, and its future is still there", child.path());
                self.says(ChaosPromise::KillsAreObeyed, text);
            }
        }
    }

    // ----- the calm

    /// Returns how long something may take once everything is calm, and the time between two looks.
    fn patience(&self) -> (Duration, Duration) {
        match self.plan.workers {
            None => (self.plan.patience, Duration::from_millis(500)),
            Some(_) => (self.plan.patience.min(Duration::from_secs(30)), Duration::from_millis(1)),
        }
    }

    async fn calm(&mut self) {
        self.calmed = true;
        self.users.over.store(true, SeqCst);
        self.trees.iter().for_each(|tree| tree.witness.calm_down());
        let (patience, step) = self.patience();
        let begin = Instant::now();
        let mut revived: HashMap<String, Revived> = HashMap::new();
        let mut told = 0;
        let mut failed = 0;
        loop {
            self.look();
            if let State::Up(up) = &self.state
                && told != self.trees.len()
            {
                told = self.trees.len();
                self.plan.calms.iter().for_each(|calms| calms(up));
            }
            if self.failed_starts > failed {
                failed = self.failed_starts;
                if failed > 100 {
                    let why = self.last_failure.clone();
                    return self.says(ChaosPromise::Starts, format!("the tree does not start: {why}"));
                }
            }
            let unsettled = self.unsettled();
            if unsettled.is_empty() {
                let (some, down) = self.revives(&mut revived);
                if !some {
                    down.into_iter().for_each(|text| self.says(ChaosPromise::Settles, text));
                    break;
                }
            }
            if begin.elapsed() > patience {
                let text = format!("not settled {patience:?} after everything was calm: {}", unsettled.join(", "));
                return self.says(ChaosPromise::Settles, text);
            }
            self.during(sleep(step)).await;
        }
        if self.crowd_over(patience, step).await && matches!(self.state, State::Up(_)) {
            self.states();
            self.holds(patience).await;
        }
    }

    /// Waits for the calls under way. They belong to the user, and to the waits of faults.
    async fn crowd_over(&mut self, patience: Duration, step: Duration) -> bool {
        let (crowd, users) = (&mut self.crowd, self.users);
        let over = async {
            crowd.over().await;
            while users.calling.load(SeqCst) > 0 {
                sleep(step).await;
            }
        };
        if timeout(patience, over).await.is_err() {
            let text =
                format!("a call of `messages`, or a wait for a child, has not returned {patience:?} after the chaos");
            self.says(ChaosPromise::Settles, text);
            return false;
        }
        true
    }

    fn unsettled(&self) -> Vec<String> {
        let State::Up(_) = &self.state else { return vec!["the tree is not up".into()] };
        let Some(tree) = &self.tree else { return Vec::new() };
        if tree.ended().is_some() {
            return vec!["the tree has ended".into()];
        }
        let snapshot = tree.snapshot();
        let settled = |node: &&Node| matches!(node.state, NodeState::Running | NodeState::Ended(_));
        snapshot.nodes().filter(|node| !settled(node)).map(|node| format!("{} is {}", node.path, node.state)).collect()
    }

    /// Starts declared children again that have ended and did not end by themselves. Returns whether there are some, and
    /// those that stay down.
    fn revives(&self, revived: &mut HashMap<String, Revived>) -> (bool, Vec<String>) {
        let (mut some, mut down) = (false, Vec::new());
        let Some(tree) = &self.tree else { return (some, down) };
        let snapshot = tree.snapshot();
        let mut todo = vec![(&snapshot.root, false)];
        while let Some((node, is_set)) = todo.pop() {
            let NodeState::Ended(ended) = &node.state else {
                todo.extend(node.children.iter().rev().map(|child| (child, node.instances.is_some())));
                continue;
            };
            if is_set || node.declared.is_none() || ended.is_orderly() && !matches!(ended, Ended::Stopped) {
                continue;
            }
            let revived = revived.entry(node.path.clone()).or_default();
            if revived.tries < TRIES {
                some = true;
                revived.refused = tree.find(&node.path).and_then(|child| child.start_again().err());
                // Not a try if the supervisor is busy with a sibling.
                revived.tries += u32::from(!matches!(revived.refused, Some(CommandError::Busy { .. })));
            } else if let Some(refused) = &revived.refused {
                down.push(format!("{} has ended, and is not started again: {refused}", node.path));
            } else {
                let ended = text_of(&ended.at(&node.path));
                down.push(format!("{} was started again {TRIES} times, and is down: {ended}", node.path));
            }
        }
        (some, down)
    }

    /// No `Permanent` child has ended by itself.
    fn states(&mut self) {
        let Some(tree) = self.tree.clone() else { return };
        let snapshot = tree.snapshot();
        for node in snapshot.nodes() {
            if let NodeState::Ended(Ended::Done | Ended::DoneWith(_)) = node.state
                && node.lifecycle == Lifecycle::Permanent
                && node.strategy.is_none()
                && node.declared.is_some_and(|declared| declared.shape != Shape::Optional)
            // an optional child that is `None` ends as done
            {
                self.says(ChaosPromise::Permanent, format!("{} is permanent, and has ended by itself", node.path));
            }
        }
    }

    async fn holds(&mut self, patience: Duration) {
        let plan = self.plan;
        let State::Up(up) = &self.state else { return };
        let tree = up.handle();
        for invariant in &plan.holds {
            match self.during(timeout(patience, caught(invariant.holds(&tree)))).await {
                Ok(Ok(())) => {}
                Ok(Err(panic)) => self.says(ChaosPromise::Own, panic),
                Err(_) => self.says(ChaosPromise::Own, format!("`holds` has not returned after {patience:?}")),
            }
        }
    }

    // ----- the end

    async fn ends(&mut self) {
        let (patience, step) = self.patience();
        *locked(&self.users.tree) = None;
        let tree = self.tree.take();
        let mut report = None;
        match std::mem::replace(&mut self.state, State::Down) {
            State::Up(up) => match timeout(patience, up.shutdown()).await {
                Ok(ended) => {
                    for child in ended.children.iter().filter(|child| child.stuck) {
                        self.says(
                            ChaosPromise::NothingStuck,
                            format!("{} is stuck in the report of the shutdown", child.path),
                        );
                    }
                    if tree.as_ref().is_some_and(|tree| tree.ended().is_none()) {
                        self.says(ChaosPromise::ShutdownEnds, "the shutdown is over, and the tree has not ended");
                    }
                    report = Some(ended);
                }
                Err(_) => {
                    self.says(ChaosPromise::ShutdownEnds, format!("the shutdown has not ended after {patience:?}"))
                }
            },
            other => drop(other),
        }
        drop(tree);
        self.crowd = Crowd::default();
        self.killed.clear();
        for afterwards in &self.plan.afterwards {
            match timeout(patience, caught(afterwards.look(report.as_ref()))).await {
                Ok(Ok(())) => {}
                Ok(Err(panic)) => self.says(ChaosPromise::Own, panic),
                Err(_) => self.says(ChaosPromise::Own, format!("`afterwards` has not returned after {patience:?}")),
            }
        }
        drop(report);
        let begin = Instant::now();
        let limit = patience.min(Duration::from_secs(60));
        loop {
            let left = self.left();
            if left.is_empty() {
                break;
            }
            if begin.elapsed() > limit {
                return self.says(ChaosPromise::NothingLeft, format!("left after the end: {}", left.join(", ")));
            }
            sleep(step.max(Duration::from_millis(1))).await;
        }
    }

    /// Returns what is left of the trees.
    fn left(&self) -> Vec<String> {
        let mut left: Vec<String> = self
            .trees
            .iter()
            .flat_map(|tree| tree.witness.living())
            .map(|path| format!("an instance of {path}"))
            .collect();
        let tasks = Handle::current().metrics().num_alive_tasks();
        if tasks > 0 {
            left.push(format!("{tasks} tasks"));
        }
        let trees = self.trees.iter().filter(|tree| tree.rest.is_held()).count();
        if trees > 0 {
            left.push(format!("{trees} trees whose handles or cells are still held"));
        }
        left
    }

    fn outcome(mut self, faults: Vec<Fault>) -> Outcome {
        let mut broken = std::mem::take(&mut self.broken);
        broken.append(&mut self.complaints.borrow_mut());
        broken.append(&mut locked(&self.users.complaints));
        let mut outcome = Outcome { faults, trees: self.trees.len() as u64, ..Outcome::default() };
        for tree in &self.trees {
            let seen = tree.witness.take();
            let spared = self.plan.spared.iter().filter(|path| check::has(const { &T::SPEC }, &seen, path));
            outcome.spared.extend(spared.cloned());
            broken.append(&mut check::read(const { &T::SPEC }, &seen, self.plan.workers.is_some()));
            let letters = tree.witness.letters();
            if letters.accepted != letters.begun + letters.dead {
                let text = format!(
                    "{} messages were accepted, {} handled, and {} are dead letters",
                    letters.accepted, letters.begun, letters.dead
                );
                broken.push(Broken::new(ChaosPromise::MessagesCounted, text));
            }
            outcome.messages += letters.accepted;
            outcome.starts += seen.iter().filter(|seen| matches!(seen, Seen::Begun { .. })).count() as u64;
            outcome.lines.extend(seen.iter().filter_map(|seen| self.line(seen)));
        }
        broken.retain(|broken| !self.plan.unchecked.contains(&broken.what));
        outcome.broken = broken;
        outcome
    }

    fn line(&self, seen: &Seen) -> Option<String> {
        Some(match seen {
            Seen::Event { at, text, .. } => {
                let at = at.saturating_duration_since(self.begin).as_secs_f64();
                format!("{at:>10.6}s  {text}")
            }
            Seen::Done { what, .. } if what == STOP => return None,
            Seen::Done { what, .. } => format!("{what}{BY_CHAOS}"),
            Seen::Begun { .. } | Seen::Gone { .. } => return None,
        })
    }
}

/// How often a child that is down is started again.
const TRIES: u32 = 20;

/// The end of the line of a fault, between the events.
pub(super) const BY_CHAOS: &str = "  <- chaos";

/// Returns the time until the next moment: often none, sometimes a long one.
fn gaps(random: &mut Random, gap: Duration) -> Duration {
    match random.below(10) {
        0 => Duration::from_micros(1),
        1..=3 => Duration::from_micros(1 + random.below(gap.as_micros() as u64 / 10)),
        _ => Duration::from_micros(1 + random.below(gap.as_micros() as u64 * 5 / 2)),
    }
}
