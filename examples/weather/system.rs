//! The weather system: a manager, a comparison for each request, two fetchers for each comparison.
//!
//! ```text
//! manager                     lives as long as the system
//! └── task-7                  one comparison, lives as long as its request
//!     ├── predicted           one fetcher: the service's forecast for tomorrow
//!     └── actual              the other one, started when the first has its answer
//! ```
//!
//! None of the three handles an error of another. A fetcher just fails. The comparison's strategy decides which
//! failures are worth a second attempt, and escalates the others; the manager's strategy decides what happens to a
//! comparison that failed. The manager only needs to know that a comparison has *ended*, and learns this by watching
//! it.

use std::collections::HashMap;
use std::ops::Range;

use supervise::error::SpawnError;
use supervise::prelude::*;

use crate::client::{FetchError, Service};
use crate::tally::Outcomes;

/// The number of times that a comparison restarts a fetcher.
pub const MAX_RESTARTS: u32 = 3;

/// The number of comparisons that run at a time. The others wait as mere numbers.
const AT_A_TIME: usize = 32;

supervisor! {
    /// Compares the predicted weather with the actual weather.
    pub struct Weather(service: Service, seed: u64) {
        #![strategy(OneForOne)]
        // A manager that fails has lost its counts. Restarting it would only hide that: the system ends, and the caller
        // that waits for an answer gets an error.
        #![decider(_ => Stop)]

        /// Takes the load, and spawns one comparison for each request.
        manager: WeatherManager = WeatherManager::new(service, seed),
    }
}

// ----- the manager

/// Spawns a comparison for each request, and counts how they end.
pub struct WeatherManager {
    service: Service,
    seed: u64,
    /// The requests that are still queued.
    waiting: Range<u64>,
    /// The running comparisons, by the number of their request.
    running: HashMap<u64, ActorRef<Comparison>>,
    outcomes: Outcomes,
    reply: Option<Reply<Outcomes>>,
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

    /// Runs this many requests, then replies with their outcomes.
    #[message]
    pub async fn run(&mut self, requests: u64, reply: Reply<Outcomes>, cx: &mut Context<Self>) -> Result<(), Thrown> {
        self.waiting = 0..requests;
        self.reply = Some(reply);
        Ok(self.go_on(cx).await?)
    }

    /// A comparison is done.
    #[message]
    pub async fn compared(
        &mut self,
        request: u64,
        predicted: f64,
        actual: f64,
        cx: &mut Context<Self>,
    ) -> Result<(), Thrown> {
        // The comparison has done its work: its end does not matter any more.
        if let Some(task) = self.running.remove(&request) {
            cx.unwatch(&task);
        }
        self.outcomes.answered(predicted, actual);
        Ok(self.go_on(cx).await?)
    }

    /// A watched comparison has ended without an answer: it failed.
    #[terminated]
    async fn lost(&mut self, who: &Watched, ended: &Ended, cx: &mut Context<Self>) -> Result<(), SpawnError> {
        self.running.retain(|_, task| *who != *task);
        match ended.failure().and_then(Failure::error::<FetchError>) {
            Some(FetchError::Timeout) => self.outcomes.timed_out += 1,
            _ => self.outcomes.failed += 1,
        }
        self.go_on(cx).await
    }

    /// Starts comparisons until the limit is reached.
    async fn go_on(&mut self, cx: &mut Context<Self>) -> Result<(), SpawnError> {
        while self.running.len() < AT_A_TIME {
            let Some(request) = self.waiting.next() else { break };
            let comparison =
                Comparison { request, seed: self.seed, service: self.service.clone(), manager: cx.actor_ref() };
            // This waits until the comparison is up, which is at once, because its start does nothing. All slow work is
            // in its handler, after a message.
            let task = cx.spawn(child! { format!("task-{request}"): Comparison = comparison }).await?;
            cx.watch(&task);
            // The mailbox is new and empty. If the comparison has already ended, the watch reports that.
            let _ = task.compare().at_once().forget().await;
            self.running.insert(request, task);
        }
        if self.running.is_empty()
            && let Some(reply) = self.reply.take()
        {
            reply.send(std::mem::take(&mut self.outcomes));
        }
        Ok(())
    }

    /// The strategy by which the manager supervises its comparisons. Failures that reach it have been escalated.
    #[supervision]
    fn supervision(&self) -> SupervisorStrategy {
        strategy! {
            #![strategy(OneForOne)]
            #![decider(
                // A silent service is not asked twice: this request is over.
                FetchError::Timeout => Stop,
                // The comparison has used up its attempts.
                Cause::LimitReached => Stop,
                // Any other error is a bug in this program.
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

#[actor]
impl Comparison {
    /// Starts the work.
    #[message]
    async fn compare(&mut self, cx: &mut Context<Self>) -> Result<(), Thrown> {
        // One after the other: if both ran at once, the end of one would cancel the other, and it would be a matter of
        // luck which of its faults were still served.
        let Some(predicted) = self.fetch("predicted", cx).await? else { return Ok(()) };
        let Some(actual) = self.fetch("actual", cx).await? else { return Ok(()) };
        // Without a manager there is no receiver, and this comparison is about to be stopped as well.
        let _ = self.manager.compared(self.request, predicted, actual).forget().await;
        cx.stop();
        Ok(())
    }

    /// Has a fetcher get one temperature. Returns `None` if that failed.
    async fn fetch(&mut self, kind: &'static str, cx: &mut Context<Self>) -> Result<Option<f64>, Thrown> {
        let target = format!("/weather/{}/{kind}?seed={}", self.request, self.seed);
        let service = self.service.clone();
        let fetcher = cx.spawn(child! {
            kind: Fetcher = Fetcher { service, target, temperature: f64::NAN }
        });
        // The fetcher sends its request during its start, and again at each of its restarts. All that time is spent
        // here, in the comparison, and delays nothing else.
        match fetcher.await {
            Ok(fetcher) => Ok(Some(fetcher.temperature().await?)),
            // The failure does not pass through this handler: by the strategy below it has already become the
            // comparison's own failure, and the manager's decider has been asked.
            Err(SpawnError::Start(_)) => Ok(None),
            // The fetcher was stopped in between, together with the whole system.
            Err(SpawnError::Stopping { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The strategy by which a comparison supervises its fetchers.
    #[supervision]
    fn supervision(&self) -> SupervisorStrategy {
        strategy! {
            #![strategy(OneForOne, max_restarts = MAX_RESTARTS)]
            #![decider(
                FetchError::Timeout => Escalate,
                // The runtime delays the restarts, 10 ms, 20 ms and so on; after the last one the failure is escalated
                // as `Cause::LimitReached`.
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

#[actor]
impl Fetcher {
    /// The hook sends the request, because the hook runs on every new instance: a restart repeats the request.
    #[pre_start]
    async fn request(&mut self, cx: &mut Context<Self>) -> Result<(), FetchError> {
        // The number of the attempt is part of the request, so that the server can serve another fault, or none.
        let target = format!("{}&try={}", self.target, cx.incarnation());
        let body = self.service.get(&target).await?;
        self.temperature = body.parse().map_err(|_| FetchError::Nonsense(body))?;
        Ok(())
    }

    #[message]
    fn temperature(&mut self, cx: &mut Context<Self>) -> f64 {
        cx.stop();
        self.temperature
    }
}
