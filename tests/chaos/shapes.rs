//! One tree with every shape of child and every setting, on the paused clock.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use supervise::error::*;
use supervise::prelude::*;
use supervise::testing::{Chaos, LeaseFault, MemoryLease, Random, chaos};
use supervise::{BoxError, ChildRef};
use tokio::time::{Instant, sleep, timeout};

use crate::world::{Starts, W, World};
use crate::{ms, quiet, secs, seeds};

/// An actor whose actions depend on its messages and on random numbers.
pub struct Worker {
    world: W,
    friend: Option<ActorRef<Worker>>,
    starts: Option<Starts>,
}

#[derive(Clone)]
pub enum Msg {
    Do(u64),
    Ping(Reply<()>),
    Tick,
}

/// The start expression of every worker.
async fn begin(world: &W, friend: Option<ActorRef<Worker>>) -> Result<Worker, BoxError> {
    match world.whim(20) {
        0 => return Err("planned: start".into()),
        1 => panic!("planned: start"),
        2..=5 => sleep(ms(world.draw(40))).await,
        6 => sleep(ms(400)).await,
        _ => {}
    }
    Ok(Worker { world: world.clone(), friend, starts: None })
}

/// The same, with the start counted until the end of `pre_start`.
async fn begin_counted(world: &W) -> Result<Worker, BoxError> {
    let starts = world.starts();
    let worker = begin(world, None).await?;
    Ok(Worker { starts: Some(starts), ..worker })
}

impl Worker {
    async fn spawn(&self, cx: &mut Context<Self>) {
        let (world, name) = (self.world.clone(), format!("kid{}", self.world.draw(3)));
        match self.world.draw(4) {
            0 => drop(cx.spawn(child! { name: task = |cx| job(world, cx) }).await),
            1 => {
                let once = child! {
                    #[lifecycle(Temporary)]
                    name: Worker = begin(&world, None).await?
                };
                drop(cx.spawn(once).await);
            }
            _ => {
                let kid = child! {
                    #[lifecycle(Transient, handler = 50ms)]
                    #[backoff(5ms..20ms)]
                    #[limit(max_restarts = 4, within = 1s)]
                    name: Worker = begin(&world, None).await?
                };
                if let Ok(kid) = cx.spawn(kid).await {
                    match self.world.draw(5) {
                        0 => cx.watch(&kid),
                        1 => cx.depend_on(&kid),
                        2 => {
                            // An unlinked child lives on at the top level, so it is stopped here.
                            if cx.unlink(&kid).await.is_ok() && self.world.one_in(2) {
                                drop(cx.link(&kid).await);
                            }
                            kid.stop();
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}

#[actor]
impl Worker {
    #[pre_start]
    async fn begins(&mut self, cx: &mut Context<Self>) -> Result<(), BoxError> {
        let done = match self.world.whim(20) {
            0 => Err("planned: pre_start".into()),
            1 => panic!("planned: pre_start"),
            2 | 3 => {
                sleep(ms(self.world.draw(40))).await;
                Ok(())
            }
            4 => {
                cx.stop();
                Ok(())
            }
            5 => {
                if let Some(friend) = &self.friend {
                    drop(friend.ask(Msg::Ping).within(ms(self.world.draw(30))).await);
                }
                Ok(())
            }
            6 => {
                cx.send_every(ms(1 + self.world.draw(30)), || Msg::Tick);
                Ok(())
            }
            _ => Ok(()),
        };
        self.starts = None;
        done
    }

    async fn handle(&mut self, msg: Msg, cx: &mut Context<Self>) -> Result<(), BoxError> {
        let what = match msg {
            Msg::Ping(reply) => {
                reply.send(());
                return Ok(());
            }
            Msg::Tick if self.world.whim(20) == 0 => return Err("planned: tick".into()),
            Msg::Tick => return Ok(()),
            Msg::Do(_) if self.world.is_calm() => return Ok(()),
            Msg::Do(what) => what,
        };
        let world = self.world.clone();
        let me = cx.actor_ref();
        match what % 32 {
            0 | 1 => return Err("planned".into()),
            2 => panic!("planned"),
            3 => cx.stop(),
            4 | 5 => sleep(ms(world.draw(60))).await,
            6 => sleep(secs(2)).await,
            7 | 8 => self.spawn(cx).await,
            9 => cx.run(async move { sleep(ms(world.draw(50))).await }, |()| Msg::Do(30)),
            10 => drop(cx.send_after(ms(world.draw(50)), Msg::Do(world.draw(32)))),
            11 => self.friend.iter().for_each(|friend| cx.watch(friend)),
            12 => {
                if let Some(friend) = &self.friend {
                    drop(friend.ask(Msg::Ping).within(ms(world.draw(50))).await);
                }
            }
            13 => {
                if let Some(friend) = &self.friend {
                    drop(timeout(ms(world.draw(20)), friend.tell(Msg::Do(world.draw(32)))).await);
                }
            }
            14 => drop(me.restart()),
            15 => me.kill(),
            16 => me.drain(),
            17 => cx.stop_with("planned"),
            18 => {
                for kid in cx.children() {
                    match world.draw(4) {
                        0 => kid.stop(),
                        1 => kid.kill(),
                        2 => drop(kid.restart()),
                        _ => {}
                    }
                }
            }
            // The actor makes several requests about itself before any other task runs.
            19 => {
                me.kill();
                me.stop();
                drop(me.restart());
            }
            20 => {
                drop(me.restart());
                me.drain();
                return Err("planned: after a drain".into());
            }
            21 => {
                cx.stop();
                panic!("planned: after a stop");
            }
            22 => cx.run(async { panic!("planned: in a future") }, |()| Msg::Do(30)),
            _ => {}
        }
        Ok(())
    }

    #[terminated]
    async fn is_gone(&mut self, _: &Watched, _: &Ended) -> Result<(), BoxError> {
        if self.world.whim(6) == 0 { Err("planned: terminated".into()) } else { Ok(()) }
    }

    #[pre_restart]
    async fn goes_down(&mut self, _: &Failure, cx: &mut Context<Self>) {
        match self.world.whim(12) {
            0 => panic!("planned: pre_restart"),
            1 => sleep(ms(self.world.draw(80))).await,
            2 => cx.children().iter().for_each(|kid| cx.keep(kid)),
            _ => {}
        }
    }

    #[post_stop]
    async fn ends(&mut self) {
        match self.world.whim(10) {
            0 => panic!("planned: post_stop"),
            1..=3 => sleep(ms(self.world.draw(80))).await,
            _ => {}
        }
    }

    #[supervision]
    fn supervision(&self) -> SupervisorStrategy {
        SupervisorStrategy::new(match self.world.whim(4) {
            0 => Strategy::AllForOne,
            1 => Strategy::RestForOne,
            _ => Strategy::OneForOne,
        })
    }
}

/// A task that is ready after a while, and then fails, ends, or waits for its stop.
async fn job(world: W, cx: TaskContext) -> Result<(), BoxError> {
    match world.whim(8) {
        0 => return Err("planned: task".into()),
        1 => return Ok(()),
        2 => sleep(ms(world.draw(50))).await,
        3 => {
            let (inner, stopped) = (world.clone(), cx.stopped());
            cx.spawn(async move {
                stopped.await;
                if inner.whim(4) == 0 { Err("planned: subtask") } else { Ok(()) }
            });
        }
        _ => {}
    }
    cx.ready();
    match world.whim(8) {
        0 => return Err("planned: task".into()),
        1 => return Ok(()),
        2 => {
            sleep(ms(world.draw(50))).await;
            return Err("planned: task".into());
        }
        _ => {}
    }
    cx.stopped().await;
    sleep(ms(world.draw(20))).await;
    Ok(())
}

/// A task that does not look at its stop signal.
async fn hears_nothing(_: TaskContext) {
    std::future::pending().await
}

/// A tree of its own that runs only while a lease is held.
async fn alone(world: W, cx: TaskContext) -> Result<(), BoxError> {
    let lease = world.leases[2].contender();
    let ran = Jobs::tree(world).only_with(lease).run(cx.stopped()).await;
    ran.map(drop).map_err(BoxError::from)
}

/// All directives, by the failure and its place.
fn any(failure: &Failure) -> Directive {
    match (failure.path().len() + failure.to_string().len()) % 12 {
        0 | 1 => Directive::Resume,
        2 => Directive::Stop,
        3 => Directive::Escalate,
        4 => Directive::Default,
        _ => Directive::Restart,
    }
}

fn restart(_: &Failure) -> Directive {
    Directive::Restart
}

supervisor! {
    pub struct Jobs(w: W) {
        #![decider(any)]
        #![strategy(RestForOne, max_restarts = 5, within = 10s)]
        #[lifecycle(Transient, shutdown = 100ms)]
        pub one: Worker = begin(&w, Some(later(two))).await?,
        #[lifecycle(Transient, shutdown = 100ms, handler = 30ms)]
        pub two: Worker = begin(&w, Some(one)).await?,
    }

    pub struct Crew(w: W) {
        #![decider(any)]
        #![strategy(AllForOne, max_restarts = 6, within = 1s)]
        pub base: Worker = begin(&w, Some(later(top))).await?,
        #[lifecycle(Transient, significant)]
        #[max_starting(1)]
        #[max_children(3)]
        #[initial([(1u32, 0u32), (2, 0)])]
        pub crew: [u32 => Worker] = |_key: u32, _value: u32| begin(&w, Some(base)).await?,
        #[lifecycle(Transient, start = 100ms, best_effort)]
        pub top: Worker = begin(&w, Some(base)).await?,
    }

    pub struct Rest(w: W, lease: MemoryLease) {
        #![decider(any)]
        #![strategy(RestForOne, max_restarts = Unlimited)]
        #![shutdown(300ms)]
        #[backoff(5ms..40ms)]
        pub a: Worker = begin(&w, Some(later(z))).await?,
        #[lifecycle(Permanent, ready, start = 200ms)]
        pub job: task = |cx| job(w, cx),
        #[only_with(lease)]
        pub jobs: Jobs = Jobs::tree(w),
        pub pair: [Worker; 2] = |_i: usize| begin(&w, Some(a)).await?,
        pub maybe: Option<Worker> = w.one_in(2).then_some(begin(&w, None).await?),
        #[lifecycle(Temporary, drain)]
        pub z: Worker = begin(&w, Some(a)).await?,
    }

    /// The instance of a set of trees.
    pub struct Cell(w: W) {
        #![strategy(AllForOne, max_restarts = 2, within = 1s)]
        #![backoff(1ms..10ms)]
        pub core: Worker = begin(&w, None).await?,
        #[lifecycle(Transient)]
        pub rim: Worker = begin(&w, Some(core)).await?,
    }

    pub struct Shapes(w: W) {
        #![decider(restart)]
        #![strategy(OneForOne, max_restarts = Unlimited)]
        pub let world: W = w;
        let first = w.leases[0].contender();
        let second = w.leases[1].contender();
        idle: task = std::future::pending::<()>(),
        #[max_starting(2)]
        #[max_children(5)]
        #[lifecycle(Transient, shutdown = 100ms, handler = 40ms, start = 150ms)]
        #[decider(any)]
        #[limit(max_restarts = 3, within = 1s, on_limit = Stop)]
        pub keyed: [u32 => Worker] = |_key: u32, _value: u32| begin_counted(&w).await?,
        #[max_starting(1)]
        #[lifecycle(Temporary, shutdown = 100ms)]
        pub temps: [u32 => Worker] = |_key: u32, _value: u32| begin(&w, None).await?,
        #[mailbox(Bounded(4))]
        #[decider(any)]
        pub set: [Worker] = |_n: u32| begin(&w, None).await?,
        pub tasks: [task] = |_n: u32| |cx| job(w, cx),
        pub cells: [u32 => Cell] = |_key: u32| Cell::tree(w),
        #[lifecycle(Transient)]
        pub deaf: task = |cx| hears_nothing(cx),
        pub crew: Crew = Crew::tree(w),
        pub rest: Rest = Rest::tree(w, second),
        #[only_with(first)]
        pub jobs: Jobs = Jobs::tree(w),
        pub shared: struct Shared {
            #![strategy(OneForOne, max_restarts = 3, within = 1s, budget = Shared)]
            #![decider(any)]
            #![shutdown(Together)]
            #[lifecycle(Transient, drain, handler = 20ms)]
            #[while_down(Reject)]
            pub p: Worker = begin(&w, Some(later(q))).await?,
            #[redeliver(attempts = 2)]
            #[mailbox(Bounded(2))]
            pub q: Worker = begin(&w, Some(p)).await?,
            #[mailbox(Bounded(2), fresh)]
            #[backoff([1ms, 20ms], reset = Manual)]
            pub r: Worker = begin(&w, Some(q)).await?,
        },
        #[backoff(10ms..100ms)]
        alone: task = |cx| alone(w, cx),
    }
}

impl Shapes {
    fn workers(&self) -> Vec<ActorRef<Worker>> {
        let mut all = vec![self.crew.base.clone(), self.crew.top.clone(), self.rest.a.clone(), self.rest.z.clone()];
        all.extend([&self.shared.p, &self.shared.q, &self.shared.r].map(Clone::clone));
        all.extend(self.rest.pair.iter().cloned());
        all.extend(self.rest.maybe.clone());
        all.extend(self.keyed.handles().into_iter().map(|(_, worker)| worker));
        all.extend(self.temps.handles().into_iter().map(|(_, worker)| worker));
        all.extend(self.crew.crew.handles().into_iter().map(|(_, worker)| worker));
        all.extend(self.set.handles());
        all.extend(self.cells.handles().into_iter().flat_map(|(_, cell)| [cell.core.clone(), cell.rim.clone()]));
        for jobs in [self.jobs.here(), self.rest.jobs.here()].into_iter().flatten() {
            all.extend([jobs.one.clone(), jobs.two.clone()]);
        }
        all
    }
}

/// One call of a user.
async fn operation(top: &Shapes, random: &mut Random) {
    let all = top.workers();
    let worker = random.pick(&all).clone();
    let patience = ms(random.below(120));
    let key = random.below(7) as u32;
    let what = random.below(32);
    match random.below(60) {
        0..=19 => drop(worker.try_tell(Msg::Do(what))),
        20..=24 => drop(timeout(patience, worker.tell(Msg::Do(what))).await),
        25..=27 => drop(worker.ask(Msg::Ping).await),
        28 | 29 => drop(timeout(patience, top.keyed.spawn(key, 0)).await),
        30 | 31 => drop(top.keyed.get_or_spawn(key, 0).await),
        32 | 33 => drop(top.keyed.replace(key, 0).await),
        34 => drop(timeout(patience, top.keyed.replace(key, 0)).await),
        35 => drop(top.keyed.stop(&key)),
        36 => top.keyed.stop_all(),
        37 | 38 => drop(top.temps.get_or_spawn(key, 0).await),
        39 => drop(timeout(patience, top.temps.replace(key, 0)).await),
        40 => drop(top.temps.stop(&key)),
        41 => drop(top.crew.crew.get_or_spawn(key % 4, 0).await),
        42 => drop(top.crew.crew.replace(key % 4, 0).await),
        43 => drop(top.crew.crew.stop(&(key % 4))),
        44 => top.crew.crew.stop_all(),
        45 | 46 => drop(timeout(patience, top.set.spawn(key)).await),
        47 => top.set.stop_all(),
        48 | 49 => drop(top.tasks.spawn(key).await),
        50 => drop(top.cells.get_or_spawn(key % 3).await),
        51 => drop(timeout(patience, top.cells.replace(key % 3)).await),
        // Several requests reach the set before any other task runs.
        52 => {
            let (one, two) = (top.keyed.replace(key, 0), top.keyed.stop(&key));
            drop((timeout(patience, one).await, two));
        }
        53 => {
            worker.kill();
            worker.stop();
            drop(worker.restart());
        }
        54 => drop(top.keyed.spawn(key, 0).detached().await),
        55 => drop((top.snapshot().render(), top.health())),
        56 => drop(timeout(patience, top.jobs.held()).await),
        57 => drop(timeout(patience, worker.terminated()).await),
        58 => drop(timeout(patience, worker.shutdown().within(ms(random.below(100)))).await),
        _ => drop(timeout(patience, top.ready()).await),
    }
}

/// Each actor answers or has ended, the sets work as if nothing had happened, and the leases are held again. The times
/// are below the time that chaos gives to this in real time, so that a failure says where it waits.
async fn holds(top: &Shapes) {
    for worker in top.workers() {
        let begun = Instant::now();
        // A stop from before the calm may still be under way.
        while let Err(error) = timeout(secs(600), worker.ask(Msg::Ping)).await.expect("an ask ends")
            && worker.ended().is_none()
        {
            assert!(begun.elapsed() < secs(9), "{} does not answer: {error}", worker.path());
            sleep(ms(10)).await;
        }
    }
    let set_works = async |set: &Keyed<u32, Worker, (u32,)>, most: u32| {
        if set.tree().ended().is_some() {
            return;
        }
        set.stop_all();
        let begun = Instant::now();
        while !(set.is_empty() && set.keys().is_empty()) && begun.elapsed() < secs(9) {
            sleep(ms(10)).await;
        }
        assert!(set.is_empty() && set.keys().is_empty(), "{} has keys after `stop_all`: {:?}", set.path(), set.keys());
        for key in 100..100 + most {
            let spawned = timeout(secs(9), set.spawn(key, 0)).await.expect("a spawn ends");
            spawned.unwrap_or_else(|error| panic!("{} spawns {key}: {error}", set.path()));
        }
        let replaced = timeout(secs(9), set.replace(100, 0)).await.expect("a replace ends");
        replaced.unwrap_or_else(|error| panic!("{} replaces: {error}", set.path()));
    };
    set_works(&top.keyed, 5).await;
    set_works(&top.temps, 4).await;
    if top.keyed.tree().is_alive() {
        let sixth = top.keyed.spawn(200, 0).await;
        assert!(matches!(sixth, Err(KeyedError::Spawn(SpawnError::MaxChildren { .. }))), "a sixth child");
    }
    for jobs in [&top.jobs, &top.rest.jobs] {
        // A subtree that has ended by itself or was stopped stays ended until its place is restarted.
        if timeout(secs(5), jobs.held()).await.is_err() {
            drop(jobs.tree().restart().map(drop));
            assert!(timeout(secs(9), jobs.held()).await.is_ok(), "{} does not come back", jobs.path());
        }
    }
    let world = top.world().expect("the tree is up");
    // A restart by hand waits for no place (S27).
    assert!(world.most() <= 4, "{} starts at a time, and `max_starting` is 2", world.most());
}

fn under_chaos(time: Duration) -> Chaos<Shapes> {
    let faults = |fault: LeaseFault| {
        move |top: &Shapes, random: &mut Random| {
            top.world().iter().for_each(|world| random.pick(&world.leases).set_fault(fault));
        }
    };
    quiet();
    // The leases of the run, to be free after it. A tree that has ended under chaos had leases of its own.
    let leases: Arc<Mutex<Vec<MemoryLease>>> = Arc::default();
    let made = leases.clone();
    let tree = move || {
        let world = World::of_run(time);
        made.lock().unwrap().extend(world.leases.iter().cloned());
        Shapes::tree(world)
    };
    chaos(tree)
        .afterwards(async move |_| {
            for lease in std::mem::take(&mut *leases.lock().unwrap()) {
                assert!(lease.holder().is_none(), "{lease:?} is held after the end");
            }
        })
        .lasts(time)
        .faults(60)
        .calls(300)
        .error(|| "planned: injected")
        .error(|| std::io::Error::other("planned: injected"))
        .fault("a lease cannot be reached", faults(LeaseFault::Cut))
        .fault("the answers of a lease are lost", faults(LeaseFault::LostAnswers))
        .fault("a lease hangs", faults(LeaseFault::Hang))
        .fault("a lease panics", faults(LeaseFault::Panic))
        .fault("a lease is slow", faults(LeaseFault::Delay(ms(200))))
        .fault("a lease is well", faults(LeaseFault::None))
        .fault("a lease is stolen", |top, random| {
            top.world().iter().for_each(|world| random.pick(&world.leases).steal());
        })
        .messages(operation)
        .calms(|top| {
            let world = top.world().expect("the tree is up");
            world.leases.iter().for_each(|lease| lease.set_fault(LeaseFault::None));
            world.calm_down();
        })
        .holds(holds)
}

/// S1, S5, S16, S21, S24, S25: the promises of every shape and setting hold under chaos.
#[test]
fn every_shape_survives_chaos() {
    let report = under_chaos(secs(20)).seeds(seeds(120)).run();
    println!("{report}");
    assert!(report.starts > 20 * report.runs && report.messages > 20 * report.runs, "{report}: too little happens");
}

/// S1, S5, S25: the same in real time, where threads race.
#[test]
fn every_shape_survives_chaos_on_two_workers() {
    on_workers(2);
}

/// S1, S5, S25: the same with more workers than processors.
#[test]
fn every_shape_survives_chaos_on_four_workers() {
    on_workers(4);
}

/// For each hundred seeds of the tests above, one run in real time, and at least three.
fn on_workers(workers: usize) {
    let seeds = seeds(300);
    let some = seeds.start..seeds.start + (seeds.end - seeds.start).div_ceil(100).max(3);
    let report = under_chaos(ms(800)).workers(workers).seeds(some).run();
    println!("{report}");
    // On a busy machine the users may do little work.
    assert!(report.starts > 20 * report.runs && report.messages > 5 * report.runs, "{report}: too little happens");
}

/// S34: two runs of one seed have the same events, with the faults at the same places between them.
#[test]
fn a_seed_repeats_its_events() {
    for seed in seeds(3) {
        let run = || under_chaos(secs(20)).seed(seed).run().events;
        let (one, two) = (run(), run());
        assert!(one.len() > 50, "{} events", one.len());
        let differs = one.iter().zip(&two).find(|(one, two)| one != two);
        assert_eq!((differs, one.len()), (None, two.len()), "seed {seed}");
    }
}
