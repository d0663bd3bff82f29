//! The weather system: a manager, a comparison for each request, two fetchers for each comparison.
//!
//! ```text
//! manager                     lives as long as the system
//! └── task-7                  one comparison, lives as long as its request
//!     ├── predicted           one fetcher: what the service says about tomorrow
//!     └── actual              the other one, started when the first has its answer
//! ```
//!
//! None of the three handles an error of another. A fetcher just fails; the comparison's strategy says
//! which failures are worth a second try, and hands the others up; the manager's says what becomes of a
//! comparison that failed. What the manager does need to know, that a comparison has *ended*, it learns
//! by watching it.

use std::collections::HashMap;
use std::ops::Range;

use supervise::BoxError;
use supervise::error::{SpawnError, UserError};
use supervise::prelude::*;

use crate::client::{FetchError, Service};
use crate::tally::Outcomes;

/// How often a comparison has a fetcher try again.
pub const MAX_RESTARTS: u32 = 3;

/// How many comparisons run at a time. The others wait their turn as mere numbers.
const AT_A_TIME: usize = 32;

supervisor! {
    /// Compares the weather that was predicted with the weather that came.
    pub struct Weather(service: Service, seed: u64) {
        #![strategy(OneForOne)]
        // A manager that fails has lost its counts. To start it again would only hide that: the system
        // ends, and whoever waits for an answer is told.
        #![decider(_ => Stop)]

        /// Takes the load, and has one comparison made for each request.
        manager: WeatherManager = WeatherManager::new(service, seed),
    }
}

// ----- the manager

/// Spawns a comparison for each request, and keeps count of how they end.
pub struct WeatherManager {
    service: Service,
    seed: u64,
    /// The requests that still wait for their turn.
    waiting: Range<u64>,
    /// The comparisons that run, by the number of their request.
    running: HashMap<u64, ActorRef<Comparison>>,
    outcomes: Outcomes,
    reply: Option<Reply<Outcomes>>,
}

/// What the manager is told.
pub enum ManagerMsg {
    /// Do this many requests, then say how they went.
    Run { requests: u64, reply: Reply<Outcomes> },
    /// A comparison is done.
    Compared { request: u64, predicted: f64, actual: f64 },
}

#[actor]
impl WeatherManager {
    pub fn new(service: Service, seed: u64) -> Self {
        WeatherManager {
            service,
            seed,
            waiting: 0..0,
            running: HashMap::new(),
            outcomes: Outcomes::default(),
            reply: None,
        }
    }

    async fn handle(&mut self, msg: ManagerMsg, cx: &mut Context<Self>) -> Result<(), SpawnError> {
        match msg {
            ManagerMsg::Run { requests, reply } => {
                self.waiting = 0..requests;
                self.reply = Some(reply);
            }
            ManagerMsg::Compared { request, predicted, actual } => {
                // It has done its work: how it ends is of no interest any more.
                if let Some(task) = self.running.remove(&request) {
                    cx.unwatch(&task);
                }
                self.outcomes.answered(predicted, actual);
            }
        }
        self.go_on(cx).await
    }

    /// A watched comparison has ended, and its answer had not come before: it failed.
    #[terminated]
    async fn lost(&mut self, who: &Watched, ended: &Ended, cx: &mut Context<Self>) -> Result<(), SpawnError> {
        self.running.retain(|_, task| *who != *task);
        match ended.failure().and_then(Failure::error::<FetchError>) {
            Some(FetchError::Timeout) => self.outcomes.timed_out += 1,
            _ => self.outcomes.failed += 1,
        }
        self.go_on(cx).await
    }

    /// Fills the places that are free.
    async fn go_on(&mut self, cx: &mut Context<Self>) -> Result<(), SpawnError> {
        while self.running.len() < AT_A_TIME {
            let Some(request) = self.waiting.next() else { break };
            let comparison =
                Comparison { request, seed: self.seed, service: self.service.clone(), manager: cx.actor_ref() };
            // This waits until the comparison is up, which is at once: it has nothing to do at its
            // start. All that takes time it does in a handler of its own, when it is told to.
            let task = cx.spawn(&format!("task-{request}"), move || {
                let comparison = comparison.clone();
                async move { Ok::<_, UserError>(comparison) }
            });
            let task = task.await?;
            cx.watch(&task);
            // The mailbox is new and empty. Should the comparison be gone already, the watch tells.
            let _ = task.try_tell(Compare);
            self.running.insert(request, task);
        }
        if self.running.is_empty()
            && let Some(reply) = self.reply.take()
        {
            reply.send(std::mem::take(&mut self.outcomes));
        }
        Ok(())
    }

    /// How the manager supervises its comparisons. What reaches it has been escalated.
    #[supervision]
    fn supervision(&self) -> SupervisorStrategy {
        strategy! {
            #![strategy(OneForOne)]
            #![decider(
                // A service that is silent is not asked twice: this request is over.
                FetchError::Timeout => Stop,
                // The comparison has done what it could.
                Cause::LimitReached => Stop,
                // Anything else is a fault of ours.
                _ => Escalate,
            )]
        }
    }
}

// ----- the comparison

/// Fetches the two temperatures of one request, one after the other.
#[derive(Clone)]
pub struct Comparison {
    request: u64,
    seed: u64,
    service: Service,
    manager: ActorRef<WeatherManager>,
}

/// Tells a comparison to begin.
pub struct Compare;

#[actor]
impl Comparison {
    async fn handle(&mut self, Compare: Compare, cx: &mut Context<Self>) -> Result<(), BoxError> {
        // One after the other: if both ran at once, the end of one would cut the other off, and which
        // of its faults were still served would be a matter of luck.
        let Some(predicted) = self.fetch("predicted", cx).await? else { return Ok(()) };
        let Some(actual) = self.fetch("actual", cx).await? else { return Ok(()) };
        // Without a manager there is nobody to tell, and this comparison is about to be stopped as well.
        let _ = self.manager.tell(ManagerMsg::Compared { request: self.request, predicted, actual }).await;
        cx.stop();
        Ok(())
    }

    /// Has a fetcher get one temperature. `None` if it could not.
    async fn fetch(&mut self, kind: &'static str, cx: &mut Context<Self>) -> Result<Option<f64>, BoxError> {
        let target = format!("/weather/{}/{kind}?seed={}", self.request, self.seed);
        let service = self.service.clone();
        let fetcher = cx.spawn(kind, move || {
            let fetcher = Fetcher { service: service.clone(), target: target.clone(), temperature: f64::NAN };
            async move { Ok::<_, UserError>(fetcher) }
        });
        // The request is made while the fetcher starts, and made again at each of its restarts. All that
        // time is spent here, in the comparison, and nobody else waits for it.
        match fetcher.await {
            Ok(fetcher) => Ok(Some(fetcher.ask(Temperature).await?)),
            // The failure has gone its own way, past this handler: by the strategy below it is already
            // the comparison's own, and the manager has been asked what to do about it.
            Err(SpawnError::Start(_)) => Ok(None),
            // Stopped in the middle, together with the whole system.
            Err(SpawnError::Stopping { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// How a comparison supervises its fetchers.
    #[supervision]
    fn supervision(&self) -> SupervisorStrategy {
        strategy! {
            #![strategy(OneForOne, max_restarts = MAX_RESTARTS)]
            #![decider(
                FetchError::Timeout => Escalate,
                // The runtime paces the restarts, 10 ms, 20 ms and so on; after the last one the failure
                // is escalated as `Cause::LimitReached`.
                _ => Restart,
            )]
        }
    }
}

// ----- the fetcher

/// Gets one temperature.
pub struct Fetcher {
    service: Service,
    target: String,
    temperature: f64,
}

/// Asks a fetcher for what it has got.
pub struct Temperature(pub Reply<f64>);

#[actor]
impl Fetcher {
    /// The request is made here, since this runs on every new instance: a restart repeats it.
    #[pre_start]
    async fn request(&mut self, cx: &mut Context<Self>) -> Result<(), FetchError> {
        // Which try this is goes along, so that the server can serve another fault, or none.
        let target = format!("{}&try={}", self.target, cx.incarnation());
        let body = self.service.get(&target).await?;
        self.temperature = body.parse().map_err(|_| FetchError::Nonsense(body))?;
        Ok(())
    }

    fn handle(&mut self, Temperature(reply): Temperature, cx: &mut Context<Self>) -> Result<(), FetchError> {
        reply.send(self.temperature);
        cx.stop();
        Ok(())
    }
}
