//! A tree of one actor and one task.

use std::time::Duration;

use supervise::prelude::*;

pub struct Counter(pub u64);

pub enum Count {
    Add(u64),
    Get(Reply<u64>),
}

#[actor]
impl Counter {
    fn handle(&mut self, count: Count) -> Result<(), std::io::Error> {
        match count {
            Count::Add(n) => self.0 += n,
            Count::Get(reply) => reply.send(self.0),
        }
        Ok(())
    }
}

pub async fn tick(counter: ActorRef<Counter>) {
    while counter.tell(Count::Add(1)).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

supervisor! {
    /// A counter, and a task that makes it count.
    pub struct Clock(first: u64) {
        #![strategy(OneForOne, max_restarts = 10, within = 1min)]

        /// Counts the ticks.
        #[backoff(100ms..10s)]
        counter: Counter = Counter(first),

        ticker: task = tick(counter),
    }
}
