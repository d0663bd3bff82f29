//! A tree of hundreds of actors, and failures in every step: A107. The seed is printed; `SEED=7` selects another one.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use supervise::BoxError;
use supervise::prelude::*;
use tokio::time::Instant;

use crate::common::{ms, pass, secs, soon};

const ACTORS: usize = 500;
const BREADTH: usize = 6;
const ITEMS: usize = 5_000;

/// A failure, and the further failures that it causes.
#[derive(Debug, Clone, thiserror::Error)]
#[error("trouble {id}")]
struct Trouble {
    id: u64,
    /// The number of supervisors that escalate the failure before one decides.
    escalate: usize,
    resume: bool,
    pre_restart_fails: bool,
    /// The number of attempts to start again that fail in this step.
    start_fails: u32,
    post_restart_fails: u32,
    /// The number of children that are not kept.
    stops: usize,
}

/// Why a step of a restart fails.
#[derive(Debug, thiserror::Error)]
#[error("planned")]
struct Planned;

/// The facts that all actors share; here an actor is identified by its path.
struct World {
    shape: HashMap<String, usize>,
    alive: Mutex<HashMap<String, ActorRef<Node>>>,
    /// The actors whose failure is undecided, with the time of the failure.
    undecided: Mutex<BTreeMap<String, Instant>>,
    /// The actors that are to be restarted. Nothing below them is decided any more, and all serve until their turns.
    decided: Mutex<BTreeSet<String>>,
    /// Failures to come in the next start of an actor, and in its `post_restart`.
    plans: Mutex<HashMap<String, (u32, u32)>>,
    /// The children that an actor must have.
    children: Mutex<HashMap<String, BTreeSet<String>>>,
    wrong: Mutex<Vec<String>>,
    handled: AtomicU64,
    restarts: AtomicU64,
    resumes: AtomicU64,
    open: AtomicBool,
}

impl World {
    fn wrong(&self, what: String) {
        self.wrong.lock().unwrap().push(what);
    }

    /// Checks that no actor from here to the root waits for a decision. A suspension moves from parent to child, so
    /// that an actor far below may begin one more message in the same instant.
    fn check_free(&self, path: &str) {
        let undecided = self.undecided.lock().unwrap();
        let (mut above, mut levels) = (path, 0);
        loop {
            if undecided.get(above).is_some_and(|since| levels < 2 || *since < Instant::now()) {
                self.wrong(format!("{path} handles a message, and {above} has failed"));
            }
            let Some((next, _)) = above.rsplit_once('/') else { return };
            (above, levels) = (next, levels + 1);
        }
    }

    /// Returns whether this actor, or one above it, is to be restarted.
    fn is_decided(&self, path: &str) -> bool {
        let decided = self.decided.lock().unwrap();
        decided.iter().any(|above| path == above || path.starts_with(&format!("{above}/")))
    }

    /// Notes that this actor has a new instance, and that the children which it has kept are restarted after it.
    fn restarts_next(&self, path: &str) {
        let mut decided = self.decided.lock().unwrap();
        if decided.contains(path) {
            let kept = self.children.lock().unwrap().get(path).cloned().unwrap_or_default();
            decided.extend(kept.iter().map(|name| format!("{path}/{name}")));
        }
        decided.remove(path);
    }

    /// Asks the supervisor at this path (`None` for the root).
    fn decide(&self, own: Option<&str>, failure: &Failure) -> Directive {
        let Some(trouble) = failure.error::<Trouble>() else { return Directive::Restart };
        let depth = |path: &str| path.matches('/').count() + 1;
        let levels = depth(failure.path()) - own.map_or(0, depth) - 1;
        if own.is_some() && levels < trouble.escalate {
            return Directive::Escalate;
        }
        let mut child = failure.path();
        while depth(child) > own.map_or(0, depth) + 1 {
            child = child.rsplit_once('/').expect("the actor has a parent").0;
        }
        let below = format!("{child}/");
        self.undecided.lock().unwrap().retain(|path, _| path != child && !path.starts_with(&below));
        if trouble.resume {
            self.resumes.fetch_add(1, Ordering::Relaxed);
            return Directive::Resume;
        }
        self.decided.lock().unwrap().insert(child.to_owned());
        Directive::Restart
    }
}

struct Node {
    path: String,
    world: Arc<World>,
    going_down: bool,
}

enum Item {
    Ping(Option<Reply<()>>),
    /// Takes a while: failures that escalate to this actor meanwhile are decided afterwards.
    Work,
    Fail(Trouble),
}

impl Node {
    async fn start(path: String, world: Arc<World>) -> Result<Node, Planned> {
        if let Some((starts, _)) = world.plans.lock().unwrap().get_mut(&path)
            && let Some(left) = starts.checked_sub(1)
        {
            *starts = left;
            return Err(Planned);
        }
        Ok(Node { path, world, going_down: false })
    }
}

impl Actor for Node {
    type Msg = Item;
    type Error = BoxError;

    async fn receive(&mut self, item: Item, _: &mut Context<Self>) -> Result<(), BoxError> {
        self.world.check_free(&self.path);
        if self.going_down {
            self.world.wrong(format!("{} handles a message after its pre_restart", self.path));
        }
        self.world.handled.fetch_add(1, Ordering::Relaxed);
        match item {
            Item::Ping(None) => Ok(()),
            Item::Ping(Some(reply)) => {
                reply.send(());
                Ok(())
            }
            Item::Work => {
                tokio::time::sleep(ms(5)).await;
                Ok(())
            }
            Item::Fail(trouble) => {
                if !self.world.is_decided(&self.path) {
                    self.world.undecided.lock().unwrap().insert(self.path.clone(), Instant::now());
                }
                Err(trouble.into())
            }
        }
    }

    async fn pre_start(&mut self, cx: &mut Context<Self>) -> Result<(), BoxError> {
        self.world.undecided.lock().unwrap().remove(&self.path);
        self.world.restarts_next(&self.path);
        if !self.world.open.load(Ordering::Relaxed) {
            return Ok(());
        }
        for nth in 0..self.world.shape.get(&self.path).copied().unwrap_or(0) {
            let name = format!("k{nth}");
            let (path, world) = (format!("{}/{name}", self.path), self.world.clone());
            let kid = cx.spawn(child! {
                #[limit(max_restarts = Unlimited)]
                &name: Node = Node::start(path, world).await?
            });
            let kid = kid.await?;
            self.world.alive.lock().unwrap().insert(kid.path(), kid);
            self.world.children.lock().unwrap().entry(self.path.clone()).or_default().insert(name);
        }
        Ok(())
    }

    async fn pre_restart(&mut self, failure: &Failure, cx: &mut Context<Self>) -> Result<(), BoxError> {
        if std::mem::replace(&mut self.going_down, true) {
            self.world.wrong(format!("{} has a second pre_restart", self.path));
        }
        self.world.restarts.fetch_add(1, Ordering::Relaxed);
        let trouble = failure.error::<Trouble>().filter(|_| failure.path() == self.path).cloned();
        let mut keeps = self.world.children.lock().unwrap().get(&self.path).cloned().unwrap_or_default();
        for _ in 0..trouble.as_ref().map_or(0, |trouble| trouble.stops) {
            keeps.pop_first();
        }
        // Forget children that have ended in another way.
        keeps.retain(|name| cx.child::<Node>(name).inspect(|kid| cx.keep(kid)).is_some());
        self.world.children.lock().unwrap().insert(self.path.clone(), keeps);
        let Some(trouble) = trouble else { return Ok(()) };
        let plan = (trouble.start_fails, trouble.post_restart_fails);
        self.world.plans.lock().unwrap().insert(self.path.clone(), plan);
        if trouble.pre_restart_fails { Err(Planned.into()) } else { Ok(()) }
    }

    async fn post_restart(&mut self, _: &Failure, cx: &mut Context<Self>) -> Result<(), BoxError> {
        let should = self.world.children.lock().unwrap().get(&self.path).cloned().unwrap_or_default();
        let all = 0..self.world.shape.get(&self.path).copied().unwrap_or(0);
        let are: BTreeSet<_> =
            all.map(|nth| format!("k{nth}")).filter(|name| cx.child::<Node>(name).is_some()).collect();
        if are != should {
            self.world.wrong(format!("{} has {are:?}, and kept {should:?}", self.path));
        }
        if let Some((_, post_restarts)) = self.world.plans.lock().unwrap().get_mut(&self.path)
            && let Some(left) = post_restarts.checked_sub(1)
        {
            *post_restarts = left;
            return Err(Planned.into());
        }
        Ok(())
    }

    fn supervision(&self) -> SupervisorStrategy {
        let (path, world) = (self.path.clone(), Arc::downgrade(&self.world));
        SupervisorStrategy::new(Strategy::OneForOne).decider(move |failure: &Failure| match world.upgrade() {
            Some(world) => world.decide(Some(&path), failure),
            None => Directive::Stop,
        })
    }
}

supervisor! {
    struct Forest(world: Arc<World>) {
        #![strategy(OneForOne, max_restarts = Unlimited)]
        #![decider(move |failure: &Failure| world.decide(None, failure))]
        root: Node = Node::start("root".to_owned(), world.clone()).await?,
    }
}

/// Marsaglia's generator, which is good enough for a test.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most as u64).unwrap()
    }

    /// Returns mostly 0, seldom 1, rarely 2.
    fn seldom(&mut self) -> u32 {
        match self.below(100) {
            0..90 => 0,
            90..97 => 1,
            _ => 2,
        }
    }
}

/// The seed of a run that does not choose another.
const USUAL_SEED: u64 = 20_090_310;

/// A tree of this many actors: the number of children of each actor, by path.
fn shape(random: &mut Random) -> HashMap<String, usize> {
    let (mut shape, mut open) = (HashMap::new(), vec!["root".to_owned()]);
    let mut left = ACTORS - 1;
    while left > 0 {
        let path = open.swap_remove(random.below(open.len()));
        let kids = (1 + random.below(BREADTH)).min(left);
        left -= kids;
        open.extend((0..kids).map(|nth| format!("{path}/k{nth}")));
        shape.insert(path, kids);
    }
    shape
}

/// Thousands of pings and failures: no actor works below an undecided failure, no instance goes down twice, exactly the
/// kept children remain, every living actor answers in the end, and a shutdown ends all.
#[tokio::test(start_paused = true)]
async fn a107_a_tree_of_hundreds_bears_failures_in_every_step() {
    let seed = std::env::var("SEED").map_or(USUAL_SEED, |seed| seed.parse().expect("SEED is a number"));
    println!("SEED={seed}");
    let mut random = Random(seed);
    let world = Arc::new(World {
        shape: shape(&mut random),
        alive: Mutex::default(),
        undecided: Mutex::default(),
        decided: Mutex::default(),
        plans: Mutex::default(),
        children: Mutex::default(),
        wrong: Mutex::default(),
        handled: AtomicU64::new(0),
        restarts: AtomicU64::new(0),
        resumes: AtomicU64::new(0),
        open: AtomicBool::new(true),
    });
    let tree = Forest::start(world.clone()).await.unwrap();
    world.open.store(false, Ordering::Relaxed);
    world.alive.lock().unwrap().insert("root".to_owned(), tree.root.clone());
    let mut paths: Vec<_> = world.alive.lock().unwrap().keys().cloned().collect();
    paths.sort();
    assert_eq!(paths.len(), ACTORS);
    for id in 0..ITEMS as u64 {
        let path = &paths[random.below(paths.len())];
        let node = world.alive.lock().unwrap()[path].clone();
        let item = match random.below(16) {
            0..7 => Item::Ping(None),
            7 => Item::Work,
            kind => Item::Fail(Trouble {
                id,
                escalate: random.seldom() as usize,
                resume: kind < 12,
                pre_restart_fails: random.seldom() > 0,
                start_fails: random.seldom(),
                post_restart_fails: random.seldom(),
                stops: random.seldom() as usize,
            }),
        };
        let _refused_by_those_that_have_ended = node.try_tell(item);
        match random.below(20) {
            0 => pass(ms(20)).await,
            1..4 => pass(ms(1)).await,
            _ => {}
        }
    }
    pass(secs(3600)).await;
    let alive: Vec<_> = world.alive.lock().unwrap().values().filter(|node| node.ended().is_none()).cloned().collect();
    for node in &alive {
        assert_eq!(soon(node.ask(|reply| Item::Ping(Some(reply)))).await, Ok(()), "{}", node.path());
    }
    let wrong = std::mem::take(&mut *world.wrong.lock().unwrap());
    assert!(wrong.is_empty(), "{} times, first: {:?}", wrong.len(), &wrong[..wrong.len().min(5)]);
    let count = |number: &AtomicU64| number.load(Ordering::Relaxed);
    println!(
        "{} alive, {} handled, {} restarts, {} resumes",
        alive.len(),
        count(&world.handled),
        count(&world.restarts),
        count(&world.resumes)
    );
    // With another seed, a stop near the root may end nearly all of the tree.
    assert!(
        seed != USUAL_SEED || alive.len() > 10 && count(&world.restarts) > 500 && count(&world.resumes) > 500,
        "too few failures happened"
    );
    assert!(tree.shutdown().await.is_orderly());
    assert!(alive.iter().all(|node| node.ended().is_some()));
}
